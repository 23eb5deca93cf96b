"""cqlsh as people use it."""
import os
import shutil
import subprocess

import pytest

pexpect = pytest.importorskip("pexpect", reason="it is beside cqlsh")

pytestmark = pytest.mark.skipif(not shutil.which("cqlsh"), reason="cqlsh is beside the other driver")


@pytest.fixture(scope="module")
def cqlsh(server, tmp_path_factory):
    home = str(tmp_path_factory.mktemp("home"))

    def run(text, *arguments):
        environment = dict(os.environ, HOME=home, NO_COLOR="1")
        done = subprocess.run(["cqlsh", "127.0.0.1", str(server.port), *arguments, "-e", text], capture_output=True, text=True, timeout=120,
                              env=environment, cwd=home)
        return done.returncode, done.stdout, done.stderr

    code, out, err = run("DROP KEYSPACE IF EXISTS shell; CREATE KEYSPACE shell WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}; "
                         "CREATE TYPE shell.addr (street text, zip int); "
                         "CREATE TABLE shell.t (p int, c text, v list<int>, a frozen<addr>, d timestamp, PRIMARY KEY (p, c)); "
                         "CREATE INDEX by_c ON shell.t (c); "
                         "CREATE TABLE shell.base (p int, c int, PRIMARY KEY (p, c)); "
                         "CREATE MATERIALIZED VIEW shell.by_v AS SELECT * FROM shell.base WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)")
    assert (code, err) == (0, "")
    yield run
    run("DROP KEYSPACE shell")


def test_select(cqlsh):
    code, out, err = cqlsh("INSERT INTO shell.t (p, c, v, a) VALUES (1, 'x', [1, 2], {street: 'Main', zip: 5}); SELECT p, c, v, a FROM shell.t")
    assert (code, err) == (0, "")
    assert " p | c | v      | a" in out
    assert " 1 | x | [1, 2] | {street: 'Main', zip: 5}" in out and "(1 rows)" in out


def test_errors(cqlsh):
    code, out, err = cqlsh("SELECT nosuch FROM shell.t")
    assert code == 2 and 'code=2200 [Invalid query] message="Undefined column name nosuch in table shell.t"' in err


@pytest.mark.parametrize("what, expected", [
    ("KEYSPACES", "shell"), ("TABLES", "Keyspace shell"), ("TYPES", "addr"), ("CLUSTER", "Partitioner: Murmur3Partitioner"),
    ("SCHEMA", "CREATE TABLE shell.t ("), ("FULL SCHEMA", "CREATE KEYSPACE system"), ("KEYSPACE shell", "CREATE INDEX by_c ON shell.t (c)"),
    ("TABLE shell.t", "PRIMARY KEY (p, c)"), ("TYPE shell.addr", "CREATE TYPE shell.addr ("), ("INDEX shell.by_c", "CREATE INDEX by_c"),
    ("MATERIALIZED VIEW shell.by_v", "CREATE MATERIALIZED VIEW shell.by_v AS"), ("shell", "CREATE KEYSPACE shell"), ("shell.t", "CREATE TABLE shell.t ("),
    ("shell.by_v", "CREATE MATERIALIZED VIEW shell.by_v AS"), ("shell.by_c", "CREATE INDEX by_c"), ("TABLE system.local", "CREATE TABLE system.local ("),
    ("FUNCTIONS", ""), ("AGGREGATES", ""),
])
def test_describe(cqlsh, what, expected):
    code, out, err = cqlsh("DESCRIBE " + what)
    assert (code, err) == (0, "")
    assert expected in out


@pytest.mark.parametrize("what, kind", [
    ("KEYSPACE nosuch", "'nosuch' not found in keyspaces"), ("TABLE shell.nosuch", "'nosuch' not found in keyspace 'shell'"),
    ("TYPE shell.nosuch", "User defined type 'nosuch' not found in 'shell'"), ("INDEX shell.nosuch", "Table for existing index 'nosuch' not found in 'shell'"),
])
def test_describe_what_is_not_there(cqlsh, what, kind):
    code, out, err = cqlsh("DESCRIBE " + what)
    assert code == 2 and kind in err


def test_copy(cqlsh, tmp_path):
    file = str(tmp_path / "rows.csv")
    cqlsh("CREATE TABLE shell.big (p int, c int, v text, s set<text>, PRIMARY KEY (p, c))")
    with open(file, "w") as f:
        for i in range(2000):
            f.write("%d,%d,\"it's %d\",\"{'a', 'b'}\"\n" % (i % 10, i, i))
    code, out, err = cqlsh("COPY shell.big (p, c, v, s) FROM '%s'" % file)
    assert code == 0 and "2000 rows imported" in out, err
    code, out, err = cqlsh("COPY shell.big (p, c, v, s) TO '%s.out'" % file)
    assert code == 0 and "2000 rows exported" in out, err
    with open(file + ".out") as exported:
        assert len(exported.read().splitlines()) == 2000


def test_an_export_is_loaded(cqlsh, tmp_path):
    made, script = tmp_path / "made.cql", tmp_path / "export.cql"
    made.write_text("CREATE KEYSPACE moved WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1};\n"
                    "CREATE TABLE moved.t (p int PRIMARY KEY, v text, d decimal);\n" +
                    "".join("INSERT INTO moved.t (p, v) VALUES (%d, '%s');\n" % row for row in enumerate(["image/*", "*/5", "plain", "a; -- b"])) +
                    "INSERT INTO moved.t JSON '{\"p\": 4, \"d\": \"1e400\"}';\n")
    subprocess.run([os.environ["WR"], "run", str(made), str(tmp_path / "db")], check=True, timeout=60)
    script.write_bytes(subprocess.run([os.environ["WR"], "export", str(tmp_path / "db")], check=True, capture_output=True, timeout=60).stdout)
    code, out, err = cqlsh("DROP KEYSPACE IF EXISTS moved; SOURCE '%s'; SELECT p, v, d FROM moved.t; DROP KEYSPACE moved" % script)
    assert (code, err) == (0, "")
    assert "(5 rows)" in out and "image/*" in out and "*/5" in out and "a; -- b" in out and "1E+400" in out


def test_source_and_expand(cqlsh, tmp_path):
    script = tmp_path / "script.cql"
    script.write_text("CREATE TABLE shell.sourced (p int PRIMARY KEY);\nINSERT INTO shell.sourced (p) VALUES (7);\n")
    code, out, err = cqlsh("SOURCE '%s'; EXPAND ON; SELECT * FROM shell.sourced" % script)
    assert (code, err) == (0, "")
    assert "@ Row 1" in out and " p | 7" in out


def test_use_and_consistency(cqlsh):
    code, out, err = cqlsh("CONSISTENCY QUORUM; SELECT p FROM t", "-k", "shell")
    assert (code, err) == (0, "")
    assert "Consistency level set to QUORUM." in out


def test_show(cqlsh):
    code, out, err = cqlsh("SHOW VERSION; SHOW HOST")
    assert (code, err) == (0, "")
    assert "Cassandra 5.0.6" in out and "CQL spec 3.4.7" in out and "Native protocol v5" in out and "Connected to " in out


def test_tracing(cqlsh):
    code, out, err = cqlsh("TRACING ON; SELECT key FROM system.local")
    assert (code, err) == (0, "")
    assert "Execute CQL3 query" in out and "Parsing SELECT key FROM system.local" in out and "Request complete" in out


# ---- at a terminal ------------------------------------------------------------------------------------------------------

@pytest.fixture(scope="module")
def terminal(cqlsh, server, tmp_path_factory):
    environment = dict(os.environ, HOME=str(tmp_path_factory.mktemp("home")), TERM="dumb", NO_COLOR="1")
    child = pexpect.spawn("cqlsh", ["--no-color", "127.0.0.1", str(server.port), "-k", "shell"], env=environment, encoding="utf-8", timeout=30, dimensions=(50, 200))
    child.expect_exact("cqlsh:shell> ")
    yield child
    child.sendline("EXIT")
    child.expect(pexpect.EOF)


def test_paging(cqlsh, terminal):
    cqlsh("BEGIN BATCH %s APPLY BATCH" % " ".join("INSERT INTO shell.base (p, c) VALUES (9, %d);" % c for c in range(25)))
    terminal.sendline("PAGING 10")
    terminal.expect_exact("Page size: 10")
    terminal.expect_exact("cqlsh:shell> ")
    terminal.sendline("SELECT c FROM base WHERE p = 9;")
    for last in (9, 19):
        terminal.expect(r" %d\s+---MORE---" % last)
        terminal.sendline("")
    terminal.expect_exact("(25 rows)")
    terminal.expect_exact("cqlsh:shell> ")


@pytest.mark.parametrize("typed, completed", [
    ("DESCR\t", "DESCRIBE"), ("SELECT * FROM shell.ba\t", "SELECT * FROM shell.base"), ("DESCRIBE TABLE bas\t", "DESCRIBE TABLE base"),
    ("DROP TYPE ad\t", "DROP TYPE addr"), ("USE shel\t", "USE shell"),
    ("SELECT * FROM system.loc\t", "SELECT * FROM system.local"),
])
def test_tab_completion(terminal, typed, completed):
    terminal.send(typed)
    terminal.expect_exact(completed)
    terminal.sendcontrol("u")  # takes the line away; Ctrl-C may come before readline is there for it
    terminal.sendline("")
    terminal.expect_exact("cqlsh:shell> ")
