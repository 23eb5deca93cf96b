"""What the driver makes of a server, object by object: seen.txt is what it made of a Cassandra 5.0.6.

    PYTHON_RECORD=1 WIDEROW_PYTHON_DRIVERS=cassandra-driver tests/drivers/python/run BUILD --against HOST:PORT -k seen     writes it
"""
import difflib
import os
import re
from importlib import metadata
from pathlib import Path

import pytest
from cassandra import ConsistencyLevel
from cassandra.query import SimpleStatement
from conftest import connect

HERE = Path(__file__).parent
RECORDED = HERE / "seen.txt"
KEYSPACE = "python_seen"

QUESTIONS = [
    "SELECT * FROM types", "SELECT * FROM indexed", "SELECT count(*), max(c), writetime(st), ttl(st) FROM types",
    "SELECT token(p, q), u.b, fu.v, s['a'], m['k'] FROM types", "SELECT JSON p, l FROM types",
    "SELECT (int) 1 AS one, (text) 'x', (list<int>) [1, 2], (map<int, text>) {1: 'a'}, (tuple<int, text>) (3, 'b') FROM types",
    "UPDATE options SET v = 'x' WHERE p = 1 IF v = 'z'", "INSERT INTO options (p, v) VALUES (1, 'x') IF NOT EXISTS",
    "SELECT * FROM system.size_estimates WHERE keyspace_name = 'nosuch'", "SELECT * FROM system_schema.tables WHERE keyspace_name = 'nosuch'",
]

MISTAKES = [
    "SELECT * FROM nosuch", "SELECT * FROM nosuch.t", "SELECT nosuch FROM types", "SELEC", "SELECT * FROM types WHERE l = [1]",
    "CREATE TABLE types (p int PRIMARY KEY)", "CREATE KEYSPACE python_seen WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE TYPE inner (a int)", "UPDATE counts SET n = 1 WHERE p = 1", "CREATE KEYSPACE bad WITH replication = {'class': 'Nosuch'}",
    "DROP INDEX nosuch", "INSERT INTO options (p) VALUES ('x')", "LIST ROLES", "USE nosuch",
]


@pytest.fixture(scope="module")
def shown(server):
    """A session in the keyspace that all languages are shown."""
    cluster = connect(server)
    session = cluster.connect()
    session.default_timeout = 60
    session.execute("DROP KEYSPACE IF EXISTS " + KEYSPACE)
    for statement in re.sub(r"\bseen\b", KEYSPACE, (HERE.parent / "seen.cql").read_text()).strip().split(";\n"):
        session.execute(statement)
    session.set_keyspace(KEYSPACE)
    cluster.refresh_schema_metadata()
    yield session
    session.execute("DROP KEYSPACE " + KEYSPACE)
    cluster.shutdown()


def lines_of(session):
    """Everything, line by line."""
    cluster = session.cluster
    yield from cluster.metadata.keyspaces[KEYSPACE].export_as_string().splitlines()
    for table in sorted(cluster.metadata.keyspaces[KEYSPACE].tables.values(), key=lambda table: table.name):
        for name, column in table.columns.items():
            yield "%s.%s %s static %s reversed %s" % (table.name, name, column.cql_type, column.is_static, column.is_reversed)
        for name, index in sorted(table.indexes.items()):
            yield "%s %s %s %s" % (table.name, name, index.kind, sorted(index.index_options.items()))
        yield "%s %s" % (table.name, sorted((name, str(value)) for name, value in table.options.items()))
        yield "%s compact %s virtual %s triggers %s" % (table.name, table.is_compact_storage, table.virtual, table.triggers)
    for host in cluster.metadata.all_hosts():
        yield "%s %s %s" % (host.datacenter, host.rack, host.release_version)
    for question in QUESTIONS:
        for what in (question, session.prepare(question)):
            result = session.execute(what)
            yield "%s %s" % (type(what).__name__, question)
            yield "  %s" % list(zip(result.column_names or [], [kind.cql_parameterized_type() for kind in result.column_types or []]))
            future = result.response_future
            yield "  %s %s %s" % (future.warnings, future.custom_payload, result.has_more_pages)
            yield from ("  %s" % (row,) for row in result)
    marked = session.prepare("SELECT * FROM types WHERE q = ? AND p = ? AND c > ? LIMIT ?")
    yield "%s %s" % ([(at.name, at.type.cql_parameterized_type()) for at in marked.column_metadata], marked.routing_key_indexes)
    for mistake in MISTAKES:
        yield "%s: %s" % (mistake, failure(session, mistake))
    for level in ("THREE", "EACH_QUORUM", "LOCAL_ONE", "ANY"):
        yield "at %s: %s" % (level, failure(session, SimpleStatement("SELECT * FROM options", consistency_level=getattr(ConsistencyLevel, level))))


def failure(session, statement):
    try:
        session.execute(statement)
        return None
    except Exception as error:
        told = getattr(error, "errors", None)  # of NoHostAvailable, by host
        error = list(told.values())[0] if isinstance(told, dict) else error
        return "%s %s" % (type(error).__name__, error)


@pytest.mark.skipif("cassandra-driver" not in {it.metadata["Name"] for it in metadata.distributions()}, reason="recorded with cassandra-driver")
def test_what_the_driver_sees(shown):
    seen = list(lines_of(shown))
    if os.environ.get("PYTHON_RECORD"):
        RECORDED.write_text("\n".join(seen) + "\n")
    assert list(difflib.unified_diff(RECORDED.read_text().splitlines(), seen, "recorded", "seen", n=0, lineterm="")) == []
