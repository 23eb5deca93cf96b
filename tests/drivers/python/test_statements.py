"""Running statements: prepared, paged, batches, conditions, counters, names, warnings, errors, events."""
import re
import time
import uuid

import pytest
from cassandra import AlreadyExists, ConsistencyLevel, InvalidRequest, Unauthorized, Unavailable
from cassandra.cluster import Cluster
from cassandra.policies import FallthroughRetryPolicy
from cassandra.protocol import ConfigurationException, SyntaxException
from cassandra.query import UNSET_VALUE, BatchStatement, BatchType, SimpleStatement
from conftest import Server, connect


@pytest.fixture(scope="module", autouse=True)
def tables(session):
    session.execute("CREATE TABLE t (p int, c int, v text, s text static, PRIMARY KEY (p, c))")
    session.execute("CREATE TABLE n (p int PRIMARY KEY, n counter)")


def rows(result):
    return [tuple(row) for row in result]


# ---- prepared -----------------------------------------------------------------------------------------------------------

def test_prepared(session):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)")
    assert insert.routing_key_indexes == [0]
    assert [c.name for c in insert.column_metadata] == ["p", "c", "v"]
    session.execute(insert, (1, 1, "one"))
    session.execute(insert, {"c": 2, "p": 1, "v": None})
    select = session.prepare("SELECT c, v FROM t WHERE p = :key AND c >= :from_c")
    assert rows(session.execute(select, {"key": 1, "from_c": 1})) == [(1, "one"), (2, None)]


def test_unset_leaves_what_is_there(session):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)")
    session.execute(insert, (2, 1, "kept"))
    session.execute(insert, (2, 1, UNSET_VALUE))
    assert session.execute("SELECT v FROM t WHERE p = 2 AND c = 1").one().v == "kept"


def test_too_few_values(session):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)")
    with pytest.raises((InvalidRequest, ValueError)):
        session.execute(insert, (1,) * 4)


def test_prepared_statements_survive_changes_of_their_table(session):
    session.execute("CREATE TABLE changing (p int PRIMARY KEY, v int)")
    select = session.prepare("SELECT * FROM changing WHERE p = ?")
    insert = session.prepare("INSERT INTO changing (p, v) VALUES (?, ?)")
    session.execute(insert, (1, 2))
    assert rows(session.execute(select, (1,))) == [(1, 2)]
    session.execute("ALTER TABLE changing ADD w int")
    session.execute("UPDATE changing SET w = 3 WHERE p = 1")
    assert rows(session.execute(select, (1,))) == [(1, 2, 3)]
    session.execute("ALTER TABLE changing DROP v")
    assert rows(session.execute(select, (1,))) == [(1, 3)]
    with pytest.raises(InvalidRequest, match="v"):
        session.execute(insert, (1, 2))


def test_values_of_a_simple_statement(session):
    session.execute("INSERT INTO t (p, c, v) VALUES (%s, %s, %s)", (3, 1, "it's"))
    session.execute("INSERT INTO t (p, c, v) VALUES (%(p)s, %(c)s, %(v)s)", {"p": 3, "c": 2, "v": "$$"})
    assert rows(session.execute("SELECT c, v FROM t WHERE p = 3")) == [(1, "it's"), (2, "$$")]


# ---- paging -------------------------------------------------------------------------------------------------------------

def test_paging(session):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (4, ?, ?)")
    for i in range(1000):
        session.execute_async(insert, (i, str(i))).result()
    result = session.execute(SimpleStatement("SELECT c FROM t WHERE p = 4", fetch_size=64))
    assert result.has_more_pages and len(result.current_rows) == 64
    assert [row.c for row in result] == list(range(1000))


def test_going_on_from_a_page_state(session):
    statement = SimpleStatement("SELECT c FROM t WHERE p = 4", fetch_size=10)
    first = session.execute(statement)
    again = session.execute(statement, paging_state=first.paging_state)
    assert [row.c for row in again.current_rows] == list(range(10, 20))


def test_a_page_larger_than_the_result(session):
    result = session.execute(SimpleStatement("SELECT c FROM t WHERE p = 4", fetch_size=5000))
    assert not result.has_more_pages and len(result.current_rows) == 1000


# ---- batches ------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("kind", [BatchType.LOGGED, BatchType.UNLOGGED])
def test_batch(session, kind):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)")
    batch = BatchStatement(batch_type=kind)
    for i in range(50):
        batch.add(insert, (5, i, "b"))
    batch.add("UPDATE t SET s = %s WHERE p = 5", ("static",))
    batch.add(SimpleStatement("DELETE FROM t WHERE p = 5 AND c = 7"))
    session.execute(batch)
    assert rows(session.execute("SELECT count(*), max(s) FROM t WHERE p = 5")) == [(49, "static")]  # of one time, the deletion wins


def test_batch_of_many_statements(session):
    """Each of its values belongs to the statement it was bound to, whatever stands between them."""
    inserts = [session.prepare("INSERT INTO t (p, c, v) VALUES (77, ?, 's%d')" % number) for number in range(40)]
    batch = BatchStatement(batch_type=BatchType.UNLOGGED)
    for c in range(200):
        batch.add(inserts[c * 7 % 40], (c,))
        if c % 5 == 0:
            batch.add("INSERT INTO t (p, c, v) VALUES (77, %s, 'text')", (1000 + c,))
    session.execute(batch)
    expected = [(c, "s%d" % (c * 7 % 40)) for c in range(200)] + [(1000 + c, "text") for c in range(0, 200, 5)]
    assert rows(session.execute("SELECT c, v FROM t WHERE p = 77")) == expected


def test_counter_batch(session):
    add = session.prepare("UPDATE n SET n = n + ? WHERE p = ?")
    batch = BatchStatement(batch_type=BatchType.COUNTER)
    for _ in range(3):
        batch.add(add, (5, 1))
    session.execute(batch)
    assert session.execute("SELECT n FROM n WHERE p = 1").one().n == 15


def test_conditional_batch(session):
    batch = BatchStatement()
    batch.add("INSERT INTO t (p, c, v) VALUES (6, 1, 'a') IF NOT EXISTS")
    batch.add("INSERT INTO t (p, c, v) VALUES (6, 2, 'b')")
    assert session.execute(batch).was_applied
    assert not session.execute(batch).was_applied
    assert rows(session.execute("SELECT c FROM t WHERE p = 6")) == [(1,), (2,)]


def test_what_a_batch_may_not_hold(session):
    batch = BatchStatement()
    batch.add("SELECT * FROM t")
    with pytest.raises(InvalidRequest, match="only UPDATE, INSERT and DELETE statements are allowed"):
        session.execute(batch)


# ---- conditions ---------------------------------------------------------------------------------------------------------

def test_lightweight_transactions(session):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?) IF NOT EXISTS")
    assert session.execute(insert, (7, 1, "first")).one()._asdict() == {"applied": True}
    refused = session.execute(insert, (7, 1, "second"))
    assert not refused.was_applied
    assert refused.one().v == "first"
    update = session.prepare("UPDATE t SET v = ? WHERE p = 7 AND c = 1 IF v = ?")
    assert session.execute(update, ("third", "first")).was_applied
    assert session.execute(update, ("fourth", "first")).one().v == "third"


def test_serial_consistency(session):
    statement = SimpleStatement("UPDATE t SET v = 'x' WHERE p = 7 AND c = 1 IF v = 'nosuch'",
                                serial_consistency_level=ConsistencyLevel.LOCAL_SERIAL)
    assert not session.execute(statement).was_applied


# ---- counters, timestamps, TTLs -----------------------------------------------------------------------------------------

def test_counters(session):
    for by in (1, 10, -3):
        session.execute("UPDATE n SET n = n + %s WHERE p = 2", (by,))
    assert session.execute("SELECT n FROM n WHERE p = 2").one().n == 8


def test_the_clients_timestamp_counts(session):
    session.execute("INSERT INTO t (p, c, v) VALUES (8, 1, 'now')")
    written = session.execute("SELECT writetime(v) AS w FROM t WHERE p = 8").one().w
    assert abs(written / 1e6 - time.time()) < 60
    session.execute("INSERT INTO t (p, c, v) VALUES (8, 1, 'old') USING TIMESTAMP 5 AND TTL 100")
    assert session.execute("SELECT v FROM t WHERE p = 8").one().v == "now"


# ---- warnings, tracing, payloads ----------------------------------------------------------------------------------------

def test_warnings(session):
    result = session.execute("SELECT count(*) FROM t")
    assert result.response_future.warnings == ["Aggregation query used without partition key"]


def test_a_trace_can_be_read(session):
    trace = session.execute("SELECT * FROM t WHERE p = 1", trace=True).get_query_trace()
    assert isinstance(trace.trace_id, uuid.UUID)
    assert (trace.request_type, trace.coordinator, trace.client) == ("Execute CQL3 query", "127.0.0.1", "127.0.0.1")
    assert trace.parameters["query"] == "SELECT * FROM t WHERE p = 1"
    assert [event.description for event in trace.events][:2] == ["Parsing SELECT * FROM t WHERE p = 1", "Preparing statement"]
    assert re.fullmatch(r"Read \d+ live rows and \d+ tombstone cells", trace.events[-1].description)
    assert {(event.source, event.thread_name.rsplit("-", 1)[0]) for event in trace.events[:2]} == {("127.0.0.1", "Native-Transport-Requests")}
    assert trace.duration >= trace.events[-1].source_elapsed >= trace.events[0].source_elapsed
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)")
    trace = session.execute(insert, (1, 1, "it's"), trace=True).get_query_trace()
    assert (trace.request_type, trace.parameters["bound_var_2_v"]) == ("Execute CQL3 prepared query", "'it''s'")


def test_a_trace_is_of_the_address_that_is_served():
    server = Server("--listen", "127.0.0.2:0")
    cluster = Cluster(["127.0.0.2"], port=server.port, compression=False)
    trace = cluster.connect().execute("SELECT key FROM system.local", trace=True).get_query_trace()
    assert (trace.coordinator, trace.client) == ("127.0.0.2", "127.0.0.1")
    assert {event.source for event in trace.events} == {"127.0.0.2"}
    cluster.shutdown()
    assert server.stop() == 0


def test_a_custom_payload_is_no_hindrance(session):
    assert session.execute("SELECT key FROM system.local", custom_payload={"k": b"v"}).one().key == "local"


# ---- errors -------------------------------------------------------------------------------------------------------------

@pytest.mark.parametrize("text, kind, message", [
    ("SELEC", SyntaxException, "no viable alternative at input 'SELEC'"),
    ("SELECT nosuch FROM t", InvalidRequest, "Undefined column name nosuch in table"),
    ("CREATE KEYSPACE x WITH replication = {'class': 'Nosuch'}", ConfigurationException, "Unable to find replication strategy class"),
    ("DROP TABLE system.local", Unauthorized, "system keyspace is not user-modifiable"),
    ("SELECT * FROM nosuch.t", InvalidRequest, "keyspace nosuch does not exist"),
])
def test_errors(session, text, kind, message):
    with pytest.raises(kind, match=message):
        session.execute(text)


def test_already_exists(session):
    with pytest.raises(AlreadyExists) as table:
        session.execute("CREATE TABLE t (p int PRIMARY KEY)")
    assert (table.value.keyspace, table.value.table) == (session.keyspace, "t")
    with pytest.raises(AlreadyExists) as keyspace:
        session.execute("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % session.keyspace)
    assert (keyspace.value.keyspace, keyspace.value.table) == (session.keyspace, "")


def test_unavailable(session):
    with pytest.raises(Unavailable) as error:
        session.execute(SimpleStatement("SELECT * FROM t", consistency_level=ConsistencyLevel.THREE, retry_policy=FallthroughRetryPolicy()))
    assert (error.value.consistency, error.value.required_replicas, error.value.alive_replicas) == (ConsistencyLevel.THREE, 3, 1)
    session.execute(SimpleStatement("SELECT * FROM t", consistency_level=ConsistencyLevel.QUORUM))


# ---- many at once -------------------------------------------------------------------------------------------------------

def test_two_hundred_in_flight(session):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (?, ?, ?)")
    select = session.prepare("SELECT v FROM t WHERE p = ? AND c = ?")
    for future in [session.execute_async(insert, (9, i, str(i))) for i in range(2000)]:
        future.result()
    futures = [(i, session.execute_async(select, (9, i))) for i in range(2000)]
    assert all(f.result().one().v == str(i) for i, f in futures)


def test_a_slow_statement_does_not_hold_up_the_others(session):
    insert = session.prepare("INSERT INTO t (p, c, v) VALUES (10, ?, ?)")
    for future in [session.execute_async(insert, (i, "x" * 100)) for i in range(3000)]:
        future.result()
    slow = [session.execute_async(SimpleStatement("SELECT * FROM t", fetch_size=None)) for _ in range(4)]
    assert session.execute("SELECT key FROM system.local").one().key == "local"
    assert len({len(f.result().current_rows) for f in slow}) == 1


# ---- events -------------------------------------------------------------------------------------------------------------

def test_schema_events_reach_other_clients(server, session):
    other = connect(server)
    other.connect()
    session.execute("CREATE TABLE seen (p int PRIMARY KEY, v int)")
    keyspace = session.keyspace
    for _ in range(100):
        if "seen" in other.metadata.keyspaces[keyspace].tables:
            break
        time.sleep(0.1)
    assert list(other.metadata.keyspaces[keyspace].tables["seen"].columns) == ["p", "v"]
    session.execute("ALTER TABLE seen ADD w text")
    for _ in range(100):
        if "w" in other.metadata.keyspaces[keyspace].tables["seen"].columns:
            break
        time.sleep(0.1)
    session.execute("DROP TABLE seen")
    for _ in range(100):
        if "seen" not in other.metadata.keyspaces[keyspace].tables:
            break
        time.sleep(0.1)
    assert "seen" not in other.metadata.keyspaces[keyspace].tables
    other.shutdown()


# ---- keyspace of a request ----------------------------------------------------------------------------------------------

def test_keyspace_of_a_request(session):
    statement = SimpleStatement("SELECT key FROM local", keyspace="system")
    assert session.execute(statement).one().key == "local"
    prepared = session.prepare("SELECT key FROM local", keyspace="system")
    assert session.execute(prepared).one().key == "local"


def test_a_request_that_is_too_large_does_not_keep_the_connection_busy(session):
    session.execute("CREATE TABLE large (p int PRIMARY KEY, v blob)")
    insert = session.prepare("INSERT INTO large (p, v) VALUES (1, ?)")
    for _ in range(3):
        with pytest.raises(InvalidRequest):
            session.execute(insert, (b"x" * 17000000,))
        assert session.execute("SELECT * FROM large").one() is None  # at once: the refused one has come to its end


def test_a_condition_comes_behind_the_write_before_it(session):
    session.execute("CREATE TABLE IF NOT EXISTS racing (p int PRIMARY KEY, v int)")
    for p in range(100):  # the driver's timestamps are of microseconds
        session.execute("INSERT INTO racing (p, v) VALUES (%s, 1)", (p,))
        assert session.execute("UPDATE racing SET v = 2 WHERE p = %s IF EXISTS", (p,)).was_applied
        session.execute("DELETE FROM racing WHERE p = %s", (p + 1000,))
        assert session.execute("INSERT INTO racing (p, v) VALUES (%s, 2) IF NOT EXISTS", (p + 1000,)).was_applied
    assert [row.v for row in session.execute("SELECT v FROM racing")] == [2] * 200
