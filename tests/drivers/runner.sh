# Sourced by the run of each project, which is called   run BUILD [--against HOST:PORT] [ARGUMENTS OF THE RUNNER...]
#
# WR is the program to serve with; AGAINST, where it is said, a Cassandra to ask instead. Tests of what needs a server of their
# own (restarts, names and passwords, TLS) skip then. What is installed goes to build/ of the project.
set -u
build=$(cd "$1" && pwd) || exit 2
shift
here=$(cd "$(dirname "$0")" && pwd)
cache=$(cd "$here/../../.." && pwd)/build
export WR=$build/wr AGAINST= CERTIFICATES=$here/../certificates
if [ "${1:-}" = --against ]; then
  AGAINST=$2
  shift 2
fi
report=$(mktemp)
trap 'rm -f "$report"' EXIT

# skip WHY: ends well, with a line that tests/run shows
skip() {
  echo "skipped: $1"
  echo "0 passed, 0 failed"
  exit 0
}
