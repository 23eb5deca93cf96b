#!/usr/bin/env python3
"""What goes over the wire, frame by frame: requests of the native protocol with the answers of a real Cassandra 5.0.6.

    exchanges.py record [--port 9042]    asks a Cassandra on the loopback interface that has just been started, for it keeps what it has prepared, and
                                         writes exchanges.txt beside this file
    exchanges.py check --port PORT       asks the server at that port and compares; the last line is "N passed, N failed"

An exchange is a function below. It gets a connection, sends, and every frame that comes back is noted as it came, but for what no two
servers have in common (tracing ids). Nobody writes exchanges.txt by hand.
"""
import argparse
import os
import struct
import sys

from connection import (AUTH, BATCH, EXECUTE, ONE, OPTIONS, PREPARE, QUERY, REGISTER, STARTUP, Connection, batch, flags_of, integer, long_string,
                        query, segment, short, string, string_map, value, values)
from exchange_list import EXCHANGES, each_version, exchange

HERE = os.path.dirname(os.path.abspath(__file__))
RECORDED = os.path.join(HERE, "exchanges.txt")


# ---- the exchanges ---------------------------------------------------------------------------------------------------

SCHEMA = [
    "DROP KEYSPACE IF EXISTS serve_x",
    "CREATE KEYSPACE serve_x WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE KEYSPACE IF NOT EXISTS serve_three WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}",
    "CREATE TABLE IF NOT EXISTS serve_three.t (p int PRIMARY KEY, v int)",
    "CREATE TYPE serve_x.addr (street text, zip int, tags frozen<set<text>>)",
    "CREATE TABLE serve_x.t (p int, c int, v text, PRIMARY KEY (p, c))",
    "CREATE TABLE serve_x.two (a int, b text, v text, PRIMARY KEY ((a, b)))",
    "CREATE TABLE serve_x.n (p int PRIMARY KEY, n counter)",
    "CREATE TABLE serve_x.every (p int PRIMARY KEY, a ascii, b bigint, bl blob, bo boolean, d date, de decimal, du duration, "
    "dou double, f float, i inet, s smallint, ti time, ts timestamp, tu timeuuid, ty tinyint, u uuid, va varint, te text, "
    "l list<int>, st set<text>, m map<text, frozen<list<int>>>, fl frozen<list<int>>, tup tuple<int, text, tinyint>, ud addr, fud frozen<addr>, ve vector<float, 3>, "
    "lt list<frozen<tuple<date, duration>>>, vu vector<frozen<addr>, 2>)",
]


@exchange
def schema(c):
    c.start()
    for statement in SCHEMA:
        c.run(statement)
    for i in range(5):
        c.run("INSERT INTO serve_x.t (p, c, v) VALUES (1, %d, 'v%d')" % (i, i))


@exchange
def options(c):
    for version in (3, 4, 5):
        c.ask(OPTIONS, version=version)
    c.start(4)
    c.ask(OPTIONS)


@exchange
def refused_versions(c):
    for version in (0, 1, 2, 6, 7, 0x41, 0x42, 0x7F):
        other = c.another()
        other.raw(bytes([version, 0, 0, 5, 0, 0, 0, 0]) if version < 3 else struct.pack(">BBhBi", version, 0, 3, OPTIONS, 0))
        other.bytes_within(0.3)
        if version == 6:  # it would hear the same for ever
            continue
        other.send(OPTIONS, version=4)
        other.bytes_within(0.3)


@exchange
def refused_version_of_a_startup(c):
    c.send(STARTUP, string_map(CQL_VERSION="3.0.0"), version=0x42)
    c.bytes_within(0.5)


@each_version
def started(c, version):
    c.start(version, note=True)


@each_version
def startup_twice(c, version):
    c.start(version)
    c.ask(STARTUP, string_map(CQL_VERSION="3.0.0"))
    c.ask(OPTIONS)


@each_version
def startup_without_cql_version(c, version):
    c.version = version
    c.ask(STARTUP, string_map())
    c.ask(OPTIONS)


@each_version
def startup_with_an_old_cql_version(c, version):
    c.version = version
    c.ask(STARTUP, string_map(CQL_VERSION="2.0.0"))


@exchange
def startup_with_odd_cql_versions(c):
    for cql in ("x", "3", "3.4", "2.9.9", "9.9.9", "3.0.0-beta", "3.0.x", "", "3.0.0.1", "1.0.0.0", "3.0.0.1.x+y", "3.0.0.x", "3.0.x.", "3.0.1.x.", "3.0.",
                "3.0.0-", "3.0.0-.+x", "3.0.0-+x", "3.0.0+x", "3.0.0~x", "3.0.0_1", "2147483648.0", "3.2147483647.99999999999.", "3.0.99999999999"):
        c = c.another()
        c.ask(STARTUP, string_map(CQL_VERSION=cql))


@each_version
def startup_with_unknown_compression(c, version):
    c.version = version
    c.ask(STARTUP, string_map(CQL_VERSION="3.0.0", COMPRESSION="foo"))


@exchange
def startup_with_snappy_in_v5(c):
    c.version = 5
    c.ask(STARTUP, string_map(CQL_VERSION="3.0.0", COMPRESSION="snappy"))


@exchange
def startup_options_that_are_not_known(c):
    c.ask(STARTUP, string_map(CQL_VERSION="3.4.7", DRIVER_NAME="x", DRIVER_VERSION="1", NO_COMPACT="true", FOO="bar", THROW_ON_OVERLOAD="1"))


@each_version
def before_startup(c, version):
    c.version = version
    c.ask(QUERY, query(version, "SELECT key FROM system.local"))
    c.ask(REGISTER, short(0))
    c.ask(PREPARE, long_string("SELECT key FROM system.local"))
    c.ask(AUTH, integer(-1))


@each_version
def opcodes(c, version):
    for opcode in (0x00, 0x02, 0x03, 0x04, 0x06, 0x08, 0x0C, 0x0E, 0x10, 0x11, 0x55, 0x7F):  # in v3 and v4 the first refused is the last heard
        other = c.another()
        other.start(version)
        other.ask(opcode)
    c.start(version)
    c.ask(AUTH, value(b"\0user\0pw"))


@each_version
def another_version_later(c, version):
    c.start(version)
    c.send(QUERY, query(3 if version != 3 else 4, "SELECT key FROM system.local"), version=3 if version != 3 else 4)
    c.answer(timeout=2)
    c.ask(OPTIONS)


@each_version
def a_response_as_request(c, version):
    c.start(version)
    c.send(QUERY, query(version, "SELECT key FROM system.local"), version=0x80 | version)
    c.answer(timeout=2)


@exchange
def a_response_first(c):
    c.send(OPTIONS, version=0x84)
    c.answer(timeout=2)


@each_version
def negative_streams(c, version):
    c.start(version)
    c.ask(QUERY, query(version, "SELECT key FROM system.local"), stream=-5)
    c.ask(QUERY, query(version, "SELECT key FROM system.local"), stream=32767)


@each_version
def cut_bodies(c, version):
    c.start(version)
    whole = query(version, "SELECT key FROM system.local")
    for cut in (0, 2, 6):  # further back netty's exceptions show, with the addresses of its buffers
        c.ask(QUERY, whole[:cut])
    c.ask(QUERY, whole + b"trailing")
    c.ask(PREPARE, b"")
    c.ask(EXECUTE, b"")
    c.ask(EXECUTE, short(16) + b"x" * 3)
    c.ask(QUERY, integer(-1) + short(1) + b"\0\0\0\0")
    c.ask(QUERY, integer(5) + b"\xff\xfe\xfd\xfc\xfb" + short(1) + flags_of(version, 0))


@each_version
def results(c, version):
    c.start(version)
    c.run("SELECT * FROM serve_x.t", note=True)
    c.run("SELECT * FROM serve_x.t WHERE p = 99", note=True)
    c.run("SELECT count(*), max(v) AS biggest FROM serve_x.t", note=True)
    c.run("INSERT INTO serve_x.t (p, c, v) VALUES (2, 0, null)", note=True)
    c.run("SELECT * FROM serve_x.t WHERE p = 2", note=True)
    c.run("INSERT INTO serve_x.t (p, c, v) VALUES (2, 0, 'x') IF NOT EXISTS", note=True)
    c.run("UPDATE serve_x.t SET v = 'y' WHERE p = 2 AND c = 0 IF v = 'nosuch'", note=True)
    c.run("DELETE FROM serve_x.t WHERE p = 2", note=True)
    c.run("USE serve_x", note=True)
    c.run("SELECT v FROM t WHERE p = 1 AND c = 1", note=True)
    c.run('USE "serve_x"', note=True)
    c.run("USE nosuch", note=True)
    c.run("TRUNCATE serve_x.n", note=True)
    c.run("SELECT JSON * FROM serve_x.t WHERE p = 1 AND c = 1", note=True)
    c.run("DESCRIBE TYPES", note=True)


@each_version
def schema_changes(c, version):
    c.start(version)
    for text in (
            "CREATE KEYSPACE serve_y WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE KEYSPACE IF NOT EXISTS serve_y WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "ALTER KEYSPACE serve_y WITH durable_writes = true",
            "ALTER KEYSPACE serve_y WITH durable_writes = false",
            "CREATE TABLE serve_y.t (p int PRIMARY KEY, v int)",
            "CREATE TABLE IF NOT EXISTS serve_y.t (p int PRIMARY KEY, v int)",
            "CREATE TABLE serve_y.t (p int PRIMARY KEY, v int)",
            "CREATE KEYSPACE serve_y WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "ALTER TABLE serve_y.t ADD w int",
            "ALTER TABLE serve_y.t WITH comment = 'x'",
            "CREATE TYPE serve_y.u (a int)",
            "ALTER TYPE serve_y.u ADD b int",
            "CREATE INDEX i ON serve_y.t (v)",
            "DROP INDEX serve_y.i",
            "DROP TYPE serve_y.u",
            "DROP TYPE IF EXISTS serve_y.u",
            "DROP TABLE serve_y.t",
            "DROP TABLE IF EXISTS serve_y.t",
            "DROP TABLE serve_y.t",
            "DROP KEYSPACE serve_y",
            "DROP KEYSPACE IF EXISTS serve_y"):
        c.run(text, note=True)


@each_version
def errors(c, version):
    c.start(version)
    for text in (
            "SELEC", "SELECT nosuch FROM serve_x.t", "SELECT * FROM t", "SELECT * FROM nosuch.t",
            "SELECT * FROM serve_x.nosuch", "INSERT INTO serve_x.t (p) VALUES (1)",
            "CREATE KEYSPACE bad WITH replication = {'class': 'Nosuch'}",
            "INSERT INTO serve_x.t (p, c) VALUES ('x', 1)",
            "DROP TABLE system.local", "", "SELECT * FROM serve_x.t WHERE p = ?"):
        c.run(text, note=True)


@each_version
def consistencies(c, version):
    c.start(version)
    for level in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 99):
        c.run("SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", note=True, consistency=level)
        c.run("INSERT INTO serve_x.t (p, c, v) VALUES (3, 0, 'x')", note=True, consistency=level)
        c.run("SELECT v FROM serve_three.t WHERE p = 1", note=True, consistency=level)
        c.run("INSERT INTO serve_three.t (p, v) VALUES (1, 1)", note=True, consistency=level)
    c.run("UPDATE serve_x.t SET v = 'x' WHERE p = 3 AND c = 0 IF v = 'x'", note=True, consistency=ONE, flags=0x10, rest=short(8))
    c.run("UPDATE serve_x.t SET v = 'x' WHERE p = 3 AND c = 0 IF v = 'x'", note=True, consistency=ONE, flags=0x10, rest=short(9))
    c.run("UPDATE serve_x.t SET v = 'x' WHERE p = 3 AND c = 0 IF v = 'x'", note=True, consistency=ONE, flags=0x10, rest=short(1))
    c.run("UPDATE serve_three.t SET v = 1 WHERE p = 3 IF v = 1", note=True)
    c.run("SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", note=True, flags=0x10, rest=short(1))
    c.run("DELETE FROM serve_x.t WHERE p = 3", note=True)


@each_version
def query_values(c, version):
    c.start(version)
    text = "SELECT v FROM serve_x.t WHERE p = ? AND c = ?"
    one, two = integer(1), integer(2)
    c.run(text, note=True, flags=1, rest=values(one, two))
    c.run(text, note=True, flags=1, rest=values(one))
    c.run(text, note=True, flags=1, rest=values(one, two, two))
    c.run(text, note=True, flags=1, rest=values())
    c.run(text, note=True)
    c.run(text, note=True, flags=1, rest=values(one, None))
    c.run(text, note=True, flags=1, rest=values(one, -2))
    c.run(text, note=True, flags=1, rest=values(one, -3))
    c.run(text, note=True, flags=1, rest=values(one, b"abc"))
    c.run(text, note=True, flags=1, rest=values(one, b""))
    c.run("SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", note=True, flags=1, rest=values(one))
    named = short(2) + string("c") + value(two) + string("p") + value(one)
    c.run(text, note=True, flags=0x41, rest=named)
    c.run("SELECT v FROM serve_x.t WHERE p = :a AND c = :B", note=True, flags=0x41,
          rest=short(3) + string("b") + value(two) + string("extra") + value(one) + string("a") + value(one))
    c.run("SELECT v FROM serve_x.t WHERE p = :a AND c = :b", note=True, flags=0x41, rest=short(1) + string("a") + value(one))
    c.run("SELECT v FROM serve_x.t WHERE p = :a AND c = :b", note=True, flags=0x41, rest=short(2) + string("b") + value(two) + string("x") + value(one))
    c.run(text, note=True, flags=0x40)
    c.run("SELECT v FROM serve_x.t WHERE p = 1 LIMIT ?", note=True, flags=1, rest=values(integer(2)))
    c.run("SELECT v FROM serve_x.t WHERE p = 1 LIMIT ?", note=True, flags=1, rest=values(None))


@each_version
def query_many_names(c, version):
    """Each marker takes the first value of its name, of however many."""
    c.start(version)
    count = 150
    text = "SELECT v FROM serve_x.t WHERE p IN (%s) AND c = :c" % ", ".join(":a%d" % i for i in range(count))
    sent = [("a%d" % i, integer(i)) for i in reversed(range(count))] + [("a%d" % i, integer(-1)) for i in range(count)]
    sent += [("c", integer(2)), ("b", integer(2)), ("c", integer(1))]
    c.run(text, note=True, flags=0x41, rest=short(len(sent)) + b"".join(string(name) + value(v) for name, v in sent))
    sent = [(name, v) for name, v in sent if name != "a77"]
    c.run(text, note=True, flags=0x41, rest=short(len(sent)) + b"".join(string(name) + value(v) for name, v in sent))


@each_version
def query_flags(c, version):
    c.start(version)
    c.run("SELECT * FROM serve_x.t WHERE p = 1", note=True, flags=2)
    c.run("SELECT * FROM serve_x.t WHERE p = 1", note=True, flags=4, rest=integer(0))
    c.run("SELECT * FROM serve_x.t WHERE p = 1", note=True, flags=4, rest=integer(-1))
    c.run("SELECT * FROM serve_x.t WHERE p = 1", note=True, flags=4, rest=integer(100))
    c.run("SELECT c FROM serve_x.t WHERE p = 1", note=True, flags=12, rest=integer(2) + value(b"nonsense"))
    c.run("SELECT c FROM serve_x.t WHERE p = 1", note=True, flags=12, rest=integer(2) + value(b""))
    c.run("INSERT INTO serve_x.t (p, c, v) VALUES (4, 0, 'x')", flags=0x20, rest=struct.pack(">q", 1234), note=True)
    c.run("SELECT writetime(v) FROM serve_x.t WHERE p = 4", note=True)
    c.run("DELETE FROM serve_x.t WHERE p = 4", note=True)
    c.run("INSERT INTO serve_x.t (p, c, v) VALUES (4, 0, 'x')", flags=0x20, rest=struct.pack(">q", -(1 << 63)), note=True)
    c.run("INSERT INTO serve_x.t (p, c, v) VALUES (4, 0, 'x')", flags=0x20, rest=struct.pack(">q", -1), note=True)
    c.run("DELETE FROM serve_x.t WHERE p = 4", note=True)
    if version >= 5:
        c.run("SELECT v FROM t WHERE p = 1 AND c = 1", flags=0x80, rest=string("serve_x"), note=True)
        c.run("SELECT v FROM t WHERE p = 1 AND c = 1", flags=0x80, rest=string("nosuch"), note=True)
        c.run("SELECT v FROM t WHERE p = 1 AND c = 1", flags=0x80, rest=string(""), note=True)
        c.run("INSERT INTO serve_x.t (p, c, v) VALUES (5, 0, 'x') USING TTL 100", flags=0x100, rest=integer(2000000000), note=True)
        c.run("SELECT ttl(v) FROM serve_x.t WHERE p = 5", flags=0x100, rest=integer(2000000040), note=True)
        c.run("SELECT ttl(v) FROM serve_x.t WHERE p = 5", flags=0x100, rest=integer(2000000140), note=True)
        c.run("SELECT ttl(v) FROM serve_x.t WHERE p = 5", flags=0x100, rest=integer(-5), note=True)
        c.run("DELETE FROM serve_x.t WHERE p = 5")
        c.run("SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", flags=0x10000, note=True)
        c.run("SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", flags=0x200, note=True)
    else:
        c.run("SELECT v FROM t WHERE p = 1 AND c = 1", flags=0x80, rest=string("serve_x"), note=True)


@each_version
def prepared(c, version):
    c.start(version)
    for text in (
            "SELECT v FROM serve_x.t WHERE p = ? AND c = ?", "SELECT * FROM serve_x.t", "SELECT * FROM serve_x.t WHERE c = ? AND p = ?",
            "SELECT v FROM serve_x.t WHERE p = 1 AND c = ?", "SELECT v FROM serve_x.t WHERE p IN ? AND c IN (?, ?)",
            "SELECT v FROM serve_x.t WHERE p IN (?, ?) LIMIT ?", "SELECT v FROM serve_x.t WHERE token(p) > ? PER PARTITION LIMIT ?",
            "SELECT v FROM serve_x.two WHERE b = ? AND a = ?", "SELECT v FROM serve_x.two WHERE b = ? AND a = 1",
            "SELECT v FROM serve_x.two WHERE b = :x AND a = :y", "INSERT INTO serve_x.two (v, b, a) VALUES (?, ?, ?) USING TTL ? AND TIMESTAMP ?",
            "INSERT INTO serve_x.t (p, c, v) VALUES (?, ?, ?) IF NOT EXISTS", "UPDATE serve_x.t SET v = ? WHERE p = ? AND c = ? IF v = ?",
            "UPDATE serve_x.n SET n = n + ? WHERE p = ?", "INSERT INTO serve_x.t JSON ?",
            "BEGIN BATCH INSERT INTO serve_x.t (p, c) VALUES (?, ?); UPDATE serve_x.two SET v = ? WHERE a = ? AND b = ?; APPLY BATCH",
            "BEGIN BATCH INSERT INTO serve_x.t (p, c) VALUES (?, ?); INSERT INTO serve_x.t (p, c) VALUES (?, ?) APPLY BATCH",
            "UPDATE serve_x.every SET m[?] = ?, l[?] = ?, ud.zip = ? WHERE p = ?", "SELECT m[?] FROM serve_x.every WHERE p = ?",
            "USE serve_x", "CREATE TABLE serve_x.never (p int PRIMARY KEY)", "TRUNCATE serve_x.n", "DESCRIBE TYPES",
            "SELECT * FROM serve_x.every WHERE p = ?",
            "INSERT INTO serve_x.every (p, a, b, bl, bo, d, de, du, dou, f, i, s, ti, ts, tu, ty, u, va, te, l, st, m, fl, tup, ud, fud, ve, lt, vu) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            "SELECT nosuch FROM serve_x.t", "SELECT * FROM t WHERE p = ?", ""):
        c.prepare(text)


@each_version
def prepared_within_a_keyspace(c, version):
    c.start(version)
    c.run("USE serve_x")
    c.prepare("SELECT v FROM t WHERE p = ?")
    c.prepare("SELECT v FROM serve_x.t WHERE p = ?")
    c.prepare("USE system")
    c.prepare("CREATE TABLE never (p int PRIMARY KEY)")
    if version >= 5:
        c.prepare("SELECT v FROM t", keyspace="serve_three")


@each_version
def executed(c, version):
    c.start(version)
    select = c.prepare("SELECT * FROM serve_x.t WHERE p = ? AND c = ?", note=False)
    one, two = integer(1), integer(2)
    c.execute(select, 1, values(one, two))
    c.execute(select, 3, values(one, two))
    c.execute(select, 1, values(one))
    c.execute(select, 0)
    c.execute(select, 1, values(one, two, two))
    c.execute(select, 1, values(one, None))
    c.execute(select, 1, values(one, -2))
    c.execute(select, 1, values(one, b"abc"))
    c.execute(select, 0x41, short(2) + string("c") + value(two) + string("p") + value(one))
    c.execute((b"0123456789abcdef", b"0123456789abcdef"), 1, values(one, two))
    c.execute((b"short", b""), 1, values(one, two))
    if version >= 5:
        c.execute((select[0], b"0123456789abcdef"), 3, values(one, two))
        c.execute((select[0], b""), 3, values(one, two))
    insert = c.prepare("INSERT INTO serve_x.t (p, c, v) VALUES (?, ?, ?)", note=False)
    c.execute(insert, 1, values(integer(6), one, -2))
    c.execute(insert, 3, values(integer(6), two, b"x"))
    c.run("SELECT * FROM serve_x.t WHERE p = 6", note=True)
    lwt = c.prepare("INSERT INTO serve_x.t (p, c, v) VALUES (?, ?, ?) IF NOT EXISTS", note=False)
    c.execute(lwt, 3, values(integer(6), two, b"x"))
    c.execute(lwt, 3, values(integer(6), integer(3), b"x"))
    c.run("DELETE FROM serve_x.t WHERE p = 6")
    use = c.prepare("USE serve_x", note=False)
    c.execute(use)
    c.run("SELECT v FROM t WHERE p = 1 AND c = 2", note=True)


@each_version
def unprepared(c, version):
    c.start(version)
    c.run("CREATE TABLE serve_x.e (p int PRIMARY KEY, v int)")
    select = c.prepare("SELECT * FROM serve_x.e WHERE p = ?")
    c.execute(select, 1, values(integer(1)))
    for change in ("ALTER TABLE serve_x.e WITH comment = 'x'", "TRUNCATE serve_x.e", "ALTER TABLE serve_x.e ADD w int", "CREATE INDEX e_v ON serve_x.e (v)",
                   "DROP INDEX serve_x.e_v", "DROP TABLE serve_x.e"):
        c.run(change)
        c.execute(select, 1, values(integer(1)))
        select = c.prepare("SELECT * FROM serve_x.e WHERE p = ?")
        if not select[0]:
            break


@each_version
def paged(c, version):
    c.start(version)
    state = None
    for _ in range(4):
        c.send(QUERY, query(version, "SELECT c FROM serve_x.t WHERE p = 1", 4 if state is None else 12, integer(2) + (value(state) if state is not None else b"")))
        opcode, body = c.answer(note=False)
        flags, columns = struct.unpack(">ii", body[4:12])
        at, state = 12, None
        if flags & 2:
            n = struct.unpack(">i", body[at:at + 4])[0]
            state, at = body[at + 4:at + 4 + n], at + 4 + n
        c.notes.append("flags %d columns %d rest %s" % (flags, columns, body[at:].hex()))
        if state is None:
            break


@each_version
def batches(c, version):
    c.start(version)
    insert = "INSERT INTO serve_x.t (p, c, v) VALUES (7, %d, 'b')"
    statement, _ = c.prepare("INSERT INTO serve_x.t (p, c, v) VALUES (?, ?, ?)", note=False)
    seven = integer(7)
    show = "SELECT c, v, writetime(v) FROM serve_x.t WHERE p = 7"
    c.ask(BATCH, batch(version, 0, (insert % 1, values()), (statement, values(seven, integer(2), b"x")), flags=0x20, rest=struct.pack(">q", 99)))
    c.run(show, note=True)
    c.ask(BATCH, batch(version, 1, (insert % 3, values()), flags=0x20, rest=struct.pack(">q", 99)))
    c.ask(BATCH, batch(version, 1, ("INSERT INTO serve_x.t (p, c, v) VALUES (7, ?, 'b')", values(integer(4))), flags=0x30, rest=short(8) + struct.pack(">q", 99)))
    c.ask(BATCH, batch(version, 0))
    c.ask(BATCH, batch(version, 7, (insert % 3, values())))
    c.ask(BATCH, batch(version, 3, (insert % 3, values())))
    c.ask(BATCH, batch(version, 2, (insert % 3, values())))
    c.ask(BATCH, batch(version, 2, ("UPDATE serve_x.n SET n = n + 1 WHERE p = 1", values())))
    c.ask(BATCH, batch(version, 0, ("UPDATE serve_x.n SET n = n + 1 WHERE p = 1", values())))
    c.ask(BATCH, batch(version, 0, ("SELECT * FROM serve_x.t", values())))
    c.ask(BATCH, batch(version, 0, ("USE serve_x", values())))
    c.ask(BATCH, batch(version, 0, ("BEGIN BATCH APPLY BATCH", values())))
    c.ask(BATCH, batch(version, 0, ("SELEC", values())))
    c.ask(BATCH, batch(version, 0, ("CREATE TABLE serve_x.never (p int PRIMARY KEY)", values())))
    c.ask(BATCH, batch(version, 0, (statement, values(seven, integer(2)))))
    c.ask(BATCH, batch(version, 0, (insert % 3, values(seven))))
    c.ask(BATCH, batch(version, 0, (b"0123456789abcdef", values(seven))))
    c.ask(BATCH, batch(version, 0, (statement, values(seven, -2, b"x"))))
    c.ask(BATCH, batch(version, 0, (statement, values(seven, integer(2), -2))))
    c.ask(BATCH, batch(version, 0, (statement, values(seven, None, b"x"))))
    c.ask(BATCH, batch(version, 0, (statement, values(b"abc", integer(2), b"x"))))
    c.ask(BATCH, batch(version, 0, (insert % 3 + " IF NOT EXISTS", values()), (insert % 5 + " IF NOT EXISTS", values())))
    c.ask(BATCH, batch(version, 0, (insert % 9 + " IF NOT EXISTS", values())))
    c.ask(BATCH, batch(version, 0, (insert % 9 + " IF NOT EXISTS", values()), flags=0x20, rest=struct.pack(">q", 99)))
    c.ask(BATCH, batch(version, 0, (insert % 9 + " USING TIMESTAMP 5", values()), flags=0x20, rest=struct.pack(">q", 99)))
    c.ask(BATCH, batch(version, 0, (insert % 9, values()), consistency=2))
    c.ask(BATCH, batch(version, 0, (insert % 9, values()), consistency=8))
    c.ask(BATCH, batch(version, 0, (insert % 9, values()), consistency=99))
    c.ask(BATCH, batch(version, 0, ("INSERT INTO serve_three.t (p, v) VALUES (1, 1)", values()), consistency=4))
    c.ask(BATCH, batch(version, 1, ("INSERT INTO serve_three.t (p, v) VALUES (1, 1)", values()), consistency=4))
    c.ask(BATCH, b"\0" + short(1) + b"\2" + long_string(insert % 1) + values() + short(ONE) + flags_of(version, 0))
    if version >= 5:
        c.ask(BATCH, batch(version, 0, ("INSERT INTO t (p, c, v) VALUES (7, 6, 'b')", values()), flags=0x80, rest=string("serve_x")))
        c.ask(BATCH, batch(version, 0, ("INSERT INTO t (p, c, v) VALUES (7, 7, 'b') USING TTL 100", values()), flags=0x180, rest=string("serve_x") + integer(2000000000)))
    c.run("DELETE FROM serve_x.t WHERE p = 7")
    c.run("TRUNCATE serve_x.n")


@each_version
def registered(c, version):
    c.start(version)
    c.ask(REGISTER, short(2) + string("SCHEMA_CHANGE") + string("STATUS_CHANGE"))
    c.ask(REGISTER, short(1) + string("FOO"))
    c.ask(REGISTER, short(0))
    c.ask(REGISTER, short(1) + string("schema_change"))
    for text in (
            "CREATE KEYSPACE serve_z WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE KEYSPACE IF NOT EXISTS serve_z WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
            "CREATE TABLE serve_z.t (p int PRIMARY KEY, v int)", "CREATE TYPE serve_z.u (a int)", "ALTER TABLE serve_z.t ADD w int",
            "CREATE INDEX i ON serve_z.t (v)", "DROP INDEX serve_z.i",
            "CREATE MATERIALIZED VIEW serve_z.mv AS SELECT * FROM serve_z.t WHERE v IS NOT NULL AND p IS NOT NULL PRIMARY KEY (v, p)",
            "ALTER TABLE serve_z.t ADD x int", "ALTER TYPE serve_z.u ADD b int", "DROP KEYSPACE serve_z"):
        c.send(QUERY, query(version, text))
        while True:
            reply = c.answer()
            if reply is None or reply[0] != 0x0C:
                break


@each_version
def traced(c, version):
    c.start(version)
    c.ask(QUERY, query(version, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"), flags=2)
    c.ask(QUERY, query(version, "SELEC"), flags=2)
    c.ask(PREPARE, long_string("SELECT v FROM serve_x.t WHERE p = 1") + (integer(0) if version >= 5 else b""), flags=2)
    c.ask(OPTIONS, flags=2)


@each_version
def warned(c, version):
    c.start(version)
    c.run("SELECT count(*) FROM serve_x.t", note=True)
    c.run("SELECT count(*) FROM serve_x.t WHERE p IN (1, 2)", note=True)
    c.prepare("SELECT count(*) FROM serve_x.t")


@each_version
def custom_payload(c, version):
    c.start(version)
    payload = short(1) + string("key") + value(b"payload")
    c.ask(QUERY, payload + query(version, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"), flags=4)
    c.ask(QUERY, query(version, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"), flags=8)
    c.ask(QUERY, query(version, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"), flags=0x10)
    c.ask(QUERY, query(version, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"), flags=0x80)


@exchange
def too_big(c):
    for version in (3, 4):
        other = c.another()
        other.start(version)
        other.ask(QUERY, b"x" * 16777217)
        other.ask(OPTIONS)
    other = c.another()
    other.start(5)
    frame = struct.pack(">BBhBi", 5, 0, 7, QUERY, 16777217) + b"x" * 16777217
    for at in range(0, len(frame), 131071):
        other.raw(segment(frame[at:at + 131071], contained=False))
    other.answer()
    other.ask(OPTIONS)


@each_version
def compressed_flag_without_compression(c, version):
    c.start(version)
    c.send(QUERY, query(version, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"), flags=1)
    c.answer(timeout=2)


@exchange
def a_broken_segment_header(c):
    c.start(5)
    data = bytearray(segment(struct.pack(">BBhBi", 5, 0, 1, OPTIONS, 0)))
    data[1] ^= 1
    c.raw(bytes(data))
    c.answer(timeout=2)
    c.answer(timeout=2)


@exchange
def a_broken_segment_payload(c):
    c.start(5)
    data = bytearray(segment(struct.pack(">BBhBi", 5, 0, 1, OPTIONS, 0)))
    data[8] ^= 1
    c.raw(bytes(data))
    c.answer(timeout=2)
    c.answer(timeout=2)


@exchange
def several_messages_in_a_segment(c):
    c.start(5)
    frames = b"".join(struct.pack(">BBhBi", 5, 0, stream, OPTIONS, 0) for stream in (1, 2))
    c.raw(segment(frames))
    c.answer()
    c.answer()


@exchange
def a_message_over_segments(c):
    c.start(5)
    body = query(5, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1")
    frame = struct.pack(">BBhBi", 5, 0, 9, QUERY, len(body)) + body
    for at in range(0, len(frame), 20):
        c.raw(segment(frame[at:at + 20], contained=False))
    c.answer()


import exchanges_changes  # noqa: E402,F401  they follow, in the same keyspaces
import exchanges_anonymous  # noqa: E402,F401
import exchanges_prepare  # noqa: E402,F401
import exchanges_odd  # noqa: E402,F401


@exchange
def clean(c):
    c.start()
    c.run("DROP KEYSPACE serve_x")
    c.run("DROP KEYSPACE serve_three")


# ---- recording and checking ------------------------------------------------------------------------------------------

AROUND = ("schema", "clean")  # of all others


def play(port, only=None):
    """All, or those whose name has that."""
    for name, function, version in EXCHANGES:
        if only and only not in name and name not in AROUND:
            continue
        notes = []
        c = Connection(port, notes)
        try:
            function(c) if version is None else function(c, version)
        except (OSError, EOFError, AssertionError, TypeError, struct.error) as e:
            notes.append("failed: %r" % e)
        c.socket.close()
        yield name, notes


def read_recorded():
    recorded, name = {}, None
    with open(RECORDED) as f:
        for line in f.read().splitlines():
            if line.startswith("# "):
                continue
            if line.startswith("== "):
                name = line[3:]
                recorded[name] = []
            elif line:
                recorded[name].append(line)
    return recorded


def record(port, only):
    played = dict(play(port, only))
    for name, notes in played.items():
        if notes and notes[-1].startswith("failed:"):  # what its last answers would have been nobody knows
            sys.exit("%s %s" % (name, notes[-1]))
    recorded = dict(read_recorded() if only else {}, **played)
    text = "".join("\n== %s\n" % name + "".join(n + "\n" for n in recorded.get(name, [])) for name, _, _ in EXCHANGES)
    with open(RECORDED, "w") as f:
        f.write("# Recorded from Cassandra 5.0.6 by exchanges.py: version, flags, stream, opcode and body of each answer.\n" + text)


def show(note):
    """The readable part of a frame, behind it."""
    parts = note.split(" ")
    if len(parts) != 5 or note.startswith("failed") or len(parts[4]) % 2:
        return note
    text = bytes.fromhex(parts[4]).decode("latin-1")
    return note + "\n        " + "".join(ch if " " <= ch <= "~" else "." for ch in text)


def check(port, only):
    recorded = read_recorded()
    passed = failed = 0
    for name, notes in play(port):
        if only and only not in name:
            continue
        if notes == recorded.get(name):
            passed += 1
            continue
        failed += 1
        print("--- %s" % name)
        wanted = recorded.get(name, [])
        for i in range(max(len(notes), len(wanted))):
            here, there = notes[i] if i < len(notes) else "-", wanted[i] if i < len(wanted) else "-"
            if here != there:
                print("  answer %d\n    is  %s\n    was %s" % (i + 1, show(here), show(there)))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "check"))
    parser.add_argument("--port", type=int, default=9042)
    parser.add_argument("--only", help="exchanges whose name has this")
    arguments = parser.parse_args()
    if arguments.what == "record":
        record(arguments.port, arguments.only)
        return 0
    return check(arguments.port, arguments.only)


if __name__ == "__main__":
    sys.exit(main())
