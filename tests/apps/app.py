"""What the applications' checks share: installing, starting, waiting, asking. A check ends with 77 where its tools are not there."""
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

HOST, PORT = os.environ["CASSANDRA_HOST"], int(os.environ["CASSANDRA_PORT"])
DIR = os.environ["APP_DIR"]  # kept from run to run
HERE = os.path.dirname(os.path.abspath(sys.argv[0]))
DATACENTER = "datacenter1"


def skip(why):
    print("%s: skipped: %s" % (os.path.basename(HERE), why))
    sys.exit(77)


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            skip("there is no %s" % program)


def install(stamp, *command, folder=DIR, **named):
    """Runs the command unless that has been done: the stamp says what was installed."""
    path = os.path.join(folder, "installed-" + command[0])
    if os.path.exists(path) and open(path).read() == stamp:
        return
    os.makedirs(folder, exist_ok=True)
    log = os.path.join(folder, "install.log")
    with open(log, "w") as out:
        if subprocess.run(command, cwd=folder, stdout=out, stderr=subprocess.STDOUT, **named).returncode:
            skip("%s cannot install it; see %s" % (command[0], log))
    with open(path, "w") as out:
        out.write(stamp)


def python_with(*packages, folder=DIR):
    """A virtual environment's Python with these packages."""
    script = 'rm -rf venv && python3 -m venv venv && venv/bin/pip install --quiet --disable-pip-version-check "$@"'
    install("\n".join(packages), "sh", "-c", script, "sh", *packages, folder=folder)
    return os.path.join(folder, "venv", "bin", "python")


CQL = """
import json, sys, warnings
warnings.simplefilter("ignore")
from cassandra.cluster import Cluster
from cassandra.query import dict_factory
cluster = Cluster([sys.argv[1]], port=int(sys.argv[2]))
session = cluster.connect()
session.row_factory = dict_factory
session.default_timeout = 60
rows = []
for text in sys.argv[3:]:
    rows = list(session.execute(text))
print(json.dumps(rows, default=str))
cluster.shutdown()
"""


def cql(*statements):
    """Runs them by a driver of the check's own; the rows of the last."""
    python = python_with("cassandra-driver==3.30.1", folder=os.path.join(os.path.dirname(DIR), "cql"))
    out = subprocess.run([python, "-c", CQL, HOST, str(PORT), *statements], stdout=subprocess.PIPE, timeout=300, check=True).stdout
    return json.loads(out)


def create_keyspace(name):
    cql("DROP KEYSPACE IF EXISTS " + name,
        "CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % name)


def maven_jar(artifact):
    """The path of one artifact without what it depends on: group:name:version[:type:classifier]."""
    group, name, version, *rest = artifact.split(":")
    install(artifact, "mvn", "-q", "-B", "dependency:copy", "-Dartifact=" + artifact, "-DoutputDirectory=" + DIR)
    return os.path.join(DIR, "%s-%s%s.%s" % (name, version, "-" + rest[1] if len(rest) > 1 else "", rest[0] if rest else "jar"))


def maven_class_path(pom):
    """All that the pom depends on."""
    script = 'rm -rf lib && mvn -q -B -f "$1" dependency:copy-dependencies -DoutputDirectory="$PWD/lib"'
    install(open(pom).read(), "sh", "-c", script, "sh", pom)
    return os.path.join(DIR, "lib", "*")


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Process:
    """A program that runs while the check does; its output is in DIR."""

    def __init__(self, *command, **environment):
        self.log = os.path.join(DIR, "run.log")
        with open(self.log, "w") as out:
            self.process = subprocess.Popen(command, cwd=DIR, stdout=out, stderr=subprocess.STDOUT, env=dict(os.environ, **environment))

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
        if kind and issubclass(kind, Exception):
            print("".join(open(self.log, errors="replace").readlines()[-30:]))


def wait_for(what, seconds=180):
    """Its first answer that is not false; an OSError is none yet."""
    end = time.time() + seconds
    while True:
        try:
            answer = what()
            if answer:
                return answer
        except OSError:
            if time.time() > end:
                raise
        assert time.time() < end, "nothing came in %d s" % seconds
        time.sleep(0.5)


def http(url, body=None):
    """What comes back, as JSON where it is some."""
    request = urllib.request.Request(url, data=json.dumps(body).encode() if body is not None else None)
    request.add_header("Content-Type", "application/json")
    with urllib.request.urlopen(request, timeout=60) as response:
        text = response.read().decode()
    return json.loads(text) if text else None


def run(*command, **named):
    """Its output; what it said, and an end of the check, where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900, **named)
    if done.returncode:
        print(done.stdout[-6000:])
        raise SystemExit("%s ended with %d" % (command[0], done.returncode))
    return done.stdout
