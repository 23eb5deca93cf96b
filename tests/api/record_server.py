"""Asks a Cassandra what tests compare by server_recorded.h, and writes server_vectors.inc.  usage: record_server.py [HOST [PORT]]

Prepared ids (by the text alone, or by keyspace and text), the markers that route, Java classes of types as result metadata has them, the details of failures,
and the events of schema changes in their order.
"""
import hashlib
import os
import queue
import re
import sys

from cassandra import ConsistencyLevel, Unavailable
from cassandra.cluster import Cluster, ExecutionProfile, EXEC_PROFILE_DEFAULT
from cassandra.cqltypes import BytesType
from cassandra.policies import FallthroughRetryPolicy
from cassandra.protocol import PrepareMessage, ProtocolHandler, ResultMessage
from cassandra.query import SimpleStatement

HERE = os.path.dirname(os.path.abspath(__file__))
KEYSPACE = "wrserver"

SCHEMA = [
    "CREATE KEYSPACE wrserver WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE KEYSPACE wrserver3 WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
    "CREATE KEYSPACE wrservern WITH replication = {'class': 'NetworkTopologyStrategy', 'datacenter1': 3}",
    "CREATE TYPE wrserver.u (a int, \"B b\" frozen<list<text>>)",
    "CREATE TABLE wrserver.t (p int PRIMARY KEY, v int)",
    "CREATE TABLE wrserver.n (p int PRIMARY KEY, v counter)",
    "CREATE TABLE wrserver3.t (p int PRIMARY KEY, v int)",
    "CREATE TABLE wrservern.t (p int PRIMARY KEY, v int)",
    "CREATE TABLE wrserver.two (a int, b text, c int, v int, PRIMARY KEY ((a, b), c))",
    "INSERT INTO wrserver.t (p, v) VALUES (1, 1)",
]

PREPARED = [
    "SELECT * FROM t", "SELECT * FROM wrserver.t", "INSERT INTO t (p) VALUES (1)", "INSERT INTO wrserver.t (p) VALUES (1)",
    "UPDATE t SET v = 1 WHERE p = 1", "UPDATE wrserver.t SET v = 1 WHERE p = 1", "DELETE FROM t WHERE p = 1", "DELETE FROM wrserver.t WHERE p = 1",
    "BEGIN BATCH INSERT INTO t (p) VALUES (1) APPLY BATCH", "BEGIN BATCH INSERT INTO wrserver.t (p) VALUES (1) APPLY BATCH",
    "BEGIN BATCH INSERT INTO wrserver.t (p) VALUES (1); INSERT INTO t (p) VALUES (2) APPLY BATCH", "BEGIN BATCH APPLY BATCH",
    "TRUNCATE t", "TRUNCATE wrserver.t", "USE wrserver", "DESCRIBE KEYSPACES", "DESCRIBE TABLE wrserver.t",
    "CREATE KEYSPACE x WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}", "DROP KEYSPACE x",
    "CREATE TABLE wrserver.x (a int PRIMARY KEY)", "ALTER TABLE wrserver.t ADD x int", "DROP TABLE wrserver.t",
    "CREATE TYPE wrserver.x (a int)", "CREATE INDEX ON wrserver.t (v)", "DROP INDEX wrserver.i",
]

ROUTED = [
    "SELECT v FROM two WHERE a = ? AND b = ?", "SELECT v FROM two WHERE b = :x AND c = ? AND a = :y", "SELECT v FROM two WHERE a = ? AND b = 'x'",
    "SELECT v FROM two WHERE a IN (?, ?) AND b IN ?", "SELECT v FROM two WHERE a IN (?, ?) AND b IN (?)", "SELECT v FROM two WHERE token(a, b) > ?",
    "SELECT v FROM two WHERE token(a, b) > token(?, ?)", "SELECT v FROM two WHERE a > ? AND b = ? ALLOW FILTERING",
    "SELECT v FROM two WHERE a < ? AND a > ? AND b >= ? AND v = ? ALLOW FILTERING", "SELECT v FROM two WHERE a > ? AND b < 'x' ALLOW FILTERING",
    "SELECT v FROM t WHERE p > ? AND p <= ? ALLOW FILTERING", "SELECT v FROM t WHERE p <= ? AND p > 1 ALLOW FILTERING",
    "INSERT INTO two (v, b, a, c) VALUES (?, ?, ?, ?)", "INSERT INTO two (a, b, c) VALUES (?, 'x', ?)", "INSERT INTO two JSON ?",
    "UPDATE two SET v = ? WHERE a = ? AND b = ? AND c = ? IF v = ?", "DELETE FROM two WHERE b = ? AND a = ?",
    "BEGIN BATCH UPDATE two SET v = ? WHERE a = ? AND b = ? AND c = 1; INSERT INTO two (b, a, c) VALUES (?, ?, 1) APPLY BATCH",
    "BEGIN BATCH UPDATE two SET v = :a WHERE a = ? AND b = :b AND c = :a APPLY BATCH", "BEGIN BATCH UPDATE t SET v = :p WHERE p = 1 APPLY BATCH",
    "BEGIN BATCH UPDATE two SET v = 1 WHERE a = ? AND b = 'x' AND c = 1; DELETE FROM two WHERE a = 1 AND b = :x APPLY BATCH",
    "BEGIN BATCH UPDATE t SET v = 1 WHERE p IN ?; DELETE FROM t WHERE p = :v IF v = :p APPLY BATCH", "BEGIN BATCH USING TIMESTAMP ? DELETE FROM t WHERE p = ? APPLY BATCH",
    "BEGIN BATCH DELETE FROM t WHERE p = ?; DELETE FROM wrserver3.t WHERE p = ? APPLY BATCH",
]

TYPES = [
    "ascii", "bigint", "blob", "boolean", "date", "decimal", "double", "duration", "float", "inet", "int", "smallint", "text", "time", "timestamp",
    "timeuuid", "tinyint", "uuid", "varint", "frozen<list<int>>", "frozen<set<text>>", "frozen<map<int, text>>", "frozen<tuple<int, text>>",
    "frozen<u>", "frozen<list<frozen<u>>>", "frozen<map<text, frozen<set<int>>>>", "frozen<tuple<frozen<list<int>>, frozen<u>>>",
    "vector<float, 3>", "frozen<list<vector<int, 2>>>", "'LexicalUUIDType'", "'DynamicCompositeType(a=>Int32Type)'",
]

FAILURES = [ # level, serial level, statement
    (None, None, "CREATE KEYSPACE wrserver WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"),
    (None, None, "CREATE TABLE wrserver.t (p int PRIMARY KEY)"),
    (None, None, "SELECT v / 0 FROM wrserver.t"),
    (None, None, "INSERT INTO wrserver.t (p, v) VALUES (1, 1 % 0)"),
    (None, None, "INSERT INTO wrserver.t (p, v) VALUES (1, from_json('x'))"),
    (None, None, "SELECT nosuch FROM wrserver.t"),
] + [(level, None, statement % keyspace) for keyspace in ("wrserver", "wrserver3", "wrservern") for statement in (
    "SELECT * FROM %s.t", "SELECT * FROM %s.t WHERE p = 1", "SELECT * FROM %s.t WHERE p IN ()", "INSERT INTO %s.t (p, v) VALUES (2, 2)",
    "INSERT INTO %s.t (p, v) VALUES (null, 2)", "INSERT INTO %s.t (p, v) VALUES (1, 1) IF NOT EXISTS",
    "BEGIN BATCH INSERT INTO %s.t (p, v) VALUES (2, 2) APPLY BATCH", "UPDATE %s.t SET v = 2 WHERE p = 1 IF v = 1")
    for level in range(11)] + [(level, None, statement) for statement in (
    "UPDATE wrserver.n SET v = v + 1 WHERE p = 1", "BEGIN COUNTER BATCH UPDATE wrserver.n SET v = v + 1 WHERE p = 1 APPLY BATCH",
    "TRUNCATE wrserver.n", "SELECT * FROM system.local", "DESCRIBE CLUSTER",
    "BEGIN BATCH INSERT INTO wrserver.t (p, v) VALUES (2, 2); INSERT INTO wrserver3.t (p, v) VALUES (2, 2) APPLY BATCH")
    for level in range(11)] + [(level, serial, statement % keyspace) for keyspace in ("wrserver", "wrserver3") for statement in (
    "INSERT INTO %s.t (p, v) VALUES (1, 1) IF NOT EXISTS", "INSERT INTO %s.t (p, v) VALUES (null, 1) IF NOT EXISTS",
    "BEGIN BATCH INSERT INTO %s.t (p, v) VALUES (1, 1) IF NOT EXISTS APPLY BATCH", "SELECT * FROM %s.t") for level in (1, 7, 8)
    for serial in (1, 4, 8, 9, 10)]

CHANGES = [
    "CREATE KEYSPACE wrevents WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE KEYSPACE IF NOT EXISTS wrevents WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE TYPE wrevents.a (x int)", "CREATE TYPE wrevents.b (x frozen<a>)",
    "CREATE TABLE wrevents.s (p int PRIMARY KEY, v int, b frozen<b>)", "CREATE TABLE wrevents.other (p int PRIMARY KEY)",
    "INSERT INTO wrevents.s (p) VALUES (1)", "TRUNCATE wrevents.s", "ALTER TYPE wrevents.a ADD y int", "CREATE INDEX i ON wrevents.s (v)",
    "CREATE INDEX IF NOT EXISTS i ON wrevents.s (v)", "DROP INDEX wrevents.i", "ALTER TABLE wrevents.s ADD w int",
    "ALTER TABLE wrevents.s WITH comment = 'x'", "ALTER TABLE wrevents.s WITH comment = 'x'", "ALTER KEYSPACE wrevents WITH durable_writes = false",
    "ALTER KEYSPACE wrevents WITH durable_writes = false", "DROP TABLE wrevents.other", "CREATE TYPE wrevents.c (x int)",
    "DROP TYPE wrevents.c", "CREATE TYPE wrevents.\"日\" (x int)", "CREATE TYPE wrevents.\"日本\" (x frozen<\"日\">)", "CREATE TYPE wrevents.d (x frozen<\"日\">)",
    "ALTER TYPE wrevents.\"日\" ADD y int", "DROP KEYSPACE wrevents", "DROP KEYSPACE IF EXISTS wrevents",
]


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class_names = []


class ClassNames(ResultMessage):
    """Remembers the Java classes of custom types."""

    @classmethod
    def read_type(cls, f, user_type_map):
        place = f.tell()
        if f.read(2) == b"\0\0":
            class_names.append(f.read(int.from_bytes(f.read(2), "big")).decode())
            return BytesType
        f.seek(place)
        return super().read_type(f, user_type_map)


class ClassHandler(ProtocolHandler):
    message_types_by_opcode = dict(ProtocolHandler.message_types_by_opcode)
    message_types_by_opcode[ResultMessage.opcode] = ClassNames


def details(e):
    if isinstance(e, Unavailable):
        return "consistency=%d required=%d alive=%d" % (e.consistency, e.required_replicas, e.alive_replicas)
    parts = [("keyspace", "keyspace"), ("name", "table"), ("name", "function"), ("types", "arg_types")]
    told = ["%s=%s" % (label, ",".join(v) if isinstance(v, list) else v)
            for label, name in parts for v in [getattr(e, name, None)] if v is not None]
    return " ".join(told)


CODES = {"AlreadyExists": 0x2400, "FunctionFailure": 0x1400, "Unavailable": 0x1000, "InvalidRequest": 0x2200}


def failure(session, level, serial, statement):
    s = SimpleStatement(statement, consistency_level=1 if level is None else level)
    s._serial_consistency_level = serial
    try:
        session.execute(s)
        return 0, "", ""
    except Exception as e:
        code = re.search(r"code=(\w+)", str(e))
        text = re.search(r'message="(.*)"', str(e), re.S)
        return int(code.group(1), 16) if code else CODES[type(e).__name__], text.group(1) if text and "info=" not in str(e) else "", details(e)


def drop_all(session):
    for keyspace in ("wrserver", "wrserver3", "wrservern", "wrevents"):
        session.execute("DROP KEYSPACE IF EXISTS " + keyspace)


def record_types(session, out):
    session.client_protocol_handler = ClassHandler
    session.execute("USE wrserver")
    out.append("static const struct { const char *cql, *java; } java_classes[] = {")
    for i, t in enumerate(TYPES):
        session.execute("CREATE TABLE wrserver.v%d (p int PRIMARY KEY, v vector<%s, 2>)" % (i, t))
        class_names.clear()
        session.execute("SELECT v FROM wrserver.v%d" % i)
        out.append("    { %s, %s }," % (c_string(t), c_string(class_names[0])))
    out.append("};")


def record_prepared(session, out):
    out.append("static const struct { const char *cql; bool qualified; } prepared[] = {")
    for cql in PREPARED:
        found = session.prepare(cql).query_id
        ids = {hashlib.md5(cql.encode()).digest(): "true", hashlib.md5((KEYSPACE + cql).encode()).digest(): "false"}
        out.append("    { %s, %s }," % (c_string(cql), ids[found]))
    out.append("};")


def record_routes(cluster, out):
    """Asked for below the session, which makes up markers of its own where there are none."""
    out.append("static const struct { const char *cql; int count; uint16_t markers[2]; } routed[] = {")
    for cql in ROUTED:
        answer = cluster.control_connection._connection.wait_for_response(PrepareMessage(query=cql, keyspace=KEYSPACE), timeout=60)
        found = answer.pk_indexes or []
        out.append("    { %s, %d, { %s } }," % (c_string(cql), len(found), ", ".join(map(str, found or [0]))))
    out.append("};")


def record_failures(session, out):
    out.append("/* level and serial -1: not set. details without text: where the driver makes up its own. */")
    out.append("static const struct { int level, serial; const char *cql; unsigned code; const char *text, *details; } failures[] = {")
    for level, serial, cql in FAILURES:
        session.execute("TRUNCATE wrserver.t")
        session.execute("INSERT INTO wrserver.t (p, v) VALUES (1, 1)")
        code, text, told = failure(session, level, serial, cql)
        out.append("    { %d, %d, %s, 0x%04X, %s, %s }," % (-1 if level is None else level, -1 if serial is None else serial, c_string(cql), code,
                                                         c_string(text), c_string(told)))
    out.append("};")


def record_changes(cluster, session, out):
    events = queue.Queue()
    cluster.control_connection._connection.register_watchers({"SCHEMA_CHANGE": events.put})
    out.append("static const struct { const char *cql, *events; } changes[] = {")
    for cql in CHANGES:
        session.execute(cql)
        told = []
        try:
            while True:
                e = events.get(timeout=0.7)
                if e["keyspace"] == "wrevents":
                    name = e.get("table") or e.get("type")
                    told.append("%s %s %s%s" % (e["change_type"], e["target_type"], e["keyspace"], " " + name if name else ""))
        except queue.Empty:
            pass
        out.append("    { %s, %s }," % (c_string(cql), c_string("; ".join(told))))
    out.append("};")


def main():
    host, port = (sys.argv[1:] + ["127.0.0.1", "9042"][len(sys.argv) - 1:])[:2]
    profile = ExecutionProfile(retry_policy=FallthroughRetryPolicy(), request_timeout=60)
    cluster = Cluster([host], port=int(port), protocol_version=5, execution_profiles={EXEC_PROFILE_DEFAULT: profile},
                      prepare_on_all_hosts=False)
    session = cluster.connect()
    out = ["/* Written by record_server.py. */", "static const char *const schema[] = {"]
    out += ["    %s," % c_string(s) for s in SCHEMA] + ["};"]
    drop_all(session)
    for statement in SCHEMA:
        session.execute(statement)
    session.execute("USE " + KEYSPACE)
    record_prepared(session, out)
    record_routes(cluster, out)
    record_failures(session, out)
    record_changes(cluster, session, out)
    record_types(session, out)
    drop_all(session)
    cluster.shutdown()
    with open(os.path.join(HERE, "server_vectors.inc"), "w") as f:
        f.write("\n".join(out) + "\n")


main()
