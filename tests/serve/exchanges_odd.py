"""Exchanges of requests that no driver sends, but may: names twice, payloads where nobody looks for one, options that a batch has no use for."""
import struct

from connection import (AUTH, BATCH, CREDENTIALS, EXECUTE, ONE, OPTIONS, PREPARE, QUERY, REGISTER, STARTUP, batch, flags_of, integer, long_string,
                        query, segment, short, string, value, values)
from exchange_list import each_version, exchange

INSERT = ("INSERT INTO serve_x.t (p, c, v) VALUES (88, 1, 'b')", values())
LATER = ("INSERT INTO serve_x.t (p, c, v) VALUES (88, 2, 'b')", values())
PAYLOAD = short(2) + string("a") + value(b"x") + string("b") + value(None)


def pairs(*options):
    return short(len(options)) + b"".join(string(name) + string(text) for name, text in options)


@each_version
def startup_with_a_name_twice(c, version):
    for first, last in (("3.0.0", "x"), ("x", "3.0.0")):
        c = c.another()
        c.version = version
        c.ask(STARTUP, pairs(("CQL_VERSION", first), ("CQL_VERSION", last)))


@exchange
def payloads_of_greetings(c):
    for version in (4, 5):
        other = c.another()
        other.version = version
        other.send(STARTUP, PAYLOAD + pairs(("CQL_VERSION", "3.0.0")), flags=4)
        other.answer()
        other.framed = version >= 5
        other.ask(REGISTER, PAYLOAD + short(1) + string("STATUS_CHANGE"), flags=4)


@each_version
def options_of_a_batch(c, version):
    c.start(version)
    c.ask(BATCH, batch(version, 0, INSERT, flags=1, rest=values(integer(1), b"x")))
    c.ask(BATCH, batch(version, 0, INSERT, flags=0x41, rest=short(1) + string("p") + value(integer(1))))
    c.ask(BATCH, batch(version, 0, INSERT, flags=0x40))
    c.ask(BATCH, batch(version, 0, INSERT, flags=2))
    c.ask(BATCH, batch(version, 0, INSERT, flags=4, rest=integer(5)))
    c.ask(BATCH, batch(version, 0, INSERT, flags=4, rest=integer(0)))
    c.ask(BATCH, batch(version, 0, INSERT, flags=8, rest=value(b"")))
    c.ask(BATCH, batch(version, 0, LATER, flags=0x2c, rest=integer(5) + value(None) + struct.pack(">q", 99)))
    c.run("SELECT writetime(v) FROM serve_x.t WHERE p = 88 AND c = 2", note=True)
    c.ask(BATCH, batch(version, 255, INSERT))
    c.ask(BATCH, b"\0" + short(1) + b"\xfe" + long_string(INSERT[0]) + values() + short(ONE) + flags_of(version, 0))
    c.run("DELETE FROM serve_x.t WHERE p = 88")


@each_version
def beyond_serial_levels(c, version):
    c.start(version)
    text = "UPDATE serve_x.t SET v = 'z' WHERE p = 1 AND c = 1 IF v = 'nosuch'"
    for level in (0, 1, 10, 11):
        c.run(text, note=True, flags=0x10, rest=short(level))
        c.ask(BATCH, batch(version, 0, (text, values()), flags=0x10, rest=short(level)))


@exchange
def beyond_the_last_time(c):
    """A TTL ends too late by the server's clock; a request's own time is no reason to refuse it."""
    c.start(5)
    c.run("CREATE TABLE serve_x.late (p int PRIMARY KEY, v int)")
    late, last = integer(2147483647), integer(2147483646)
    for now in (late, integer(-1), integer(2147483600), integer(2000000000)):
        c.run("INSERT INTO serve_x.late (p, v) VALUES (1, 1) USING TTL 100", note=True, flags=0x100, rest=now)
        for then in (integer(2147483600), integer(2147483645), last, late):
            c.run("SELECT v, ttl(v) FROM serve_x.late", note=True, flags=0x100, rest=then)
        c.run("TRUNCATE serve_x.late")
    c.run("INSERT INTO serve_x.late (p, v) VALUES (1, 1) USING TTL 630720000", note=True, flags=0x100, rest=integer(1000))
    c.run("DROP TABLE serve_x.late")


@exchange
def keyspaces_of_an_execution(c):
    c.start(5)
    for text in ("SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", "USE serve_x"):
        prepared = c.prepare(text, note=False)
        for keyspace in ("serve_x", "serve_nosuch", ""):
            c.execute(prepared, 0x80, string(keyspace))


@exchange
def keyspaces_of_batches(c):
    """Each text asks for the keyspace that is named, an id does not, and all together do."""
    c.start(5)
    select, insert = (c.prepare(text, note=False)[0] for text in ("SELECT v FROM serve_x.t", "INSERT INTO serve_x.t (p, c) VALUES (8, 1)"))
    for keyspace in ("serve_x", "serve_nosuch", ""):
        for entries in ((select,), (insert,), (b"0123456789abcdef",), (insert, "INSERT INTO t (p, c) VALUES (8, 2)"),
                        ("INSERT INTO t (p, c) VALUES (8, 3)", select), (b"0123456789abcdef", "SELEC"), ("SELEC", b"0123456789abcdef")):
            c.ask(BATCH, batch(5, 0, *[(entry, values()) for entry in entries], flags=0x80, rest=string(keyspace)))
    c.run("DELETE FROM serve_x.t WHERE p = 8")


@exchange
def a_named_keyspace_that_was_current_and_is_gone(c):
    c.start(5)
    c.run("CREATE KEYSPACE serve_gone WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    c.run("USE serve_gone")
    c.run("DROP KEYSPACE serve_gone")
    for text in ("SELECT v FROM t", "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", "INSERT INTO serve_x.t (p, c) VALUES (8, 1)", "SELEC",
                 "CREATE TABLE t (p int PRIMARY KEY)", "LIST ROLES"):
        for flags, rest in ((0, b""), (0x80, string("serve_gone"))):
            c.run(text, note=True, flags=flags, rest=rest)
            c.ask(BATCH, batch(5, 0, (text, values()), flags=flags, rest=rest))
        c.prepare(text, keyspace="serve_gone")
    c.run("DELETE FROM serve_x.t WHERE p = 8")


@each_version
def texts_of_batches_are_validated(c, version):
    """As those of a PREPARE are, before it is asked what may be in a batch."""
    c.start(version)
    for text in ("LIST ROLES", "CREATE ROLE x", "GRANT SELECT ON serve_x.t TO x", "TRUNCATE serve_x.nosuch", "TRUNCATE serve_x.t"):
        c.ask(BATCH, batch(version, 0, (text, values()), ("SELEC", values())))
        c.ask(BATCH, batch(version, 0, (text, values())))


@each_version
def what_is_described_has_columns_when_it_is_run(c, version):
    c.start(version)
    for text in ("DESCRIBE KEYSPACE serve_three", "DESCRIBE TABLE serve_x.nosuch"):
        prepared = c.prepare(text)
        if prepared[0]:
            c.execute(prepared)
            c.execute(prepared, 2)


@each_version
def who_skips_metadata(c, version):
    c.start(version)
    for text in ("SELECT v FROM serve_x.t WHERE p = 1 AND c = 1", "DESCRIBE KEYSPACE serve_three", "UPDATE serve_x.t SET v = 'y' WHERE p = 89 AND c = 0 IF v = 'nosuch'",
                 "LIST ROLES"):
        c.run(text, note=True, flags=2)


@each_version
def texts_that_are_not_utf8(c, version):
    c.start(version)
    for text in (b"SELECT '\xff' FROM system.local", b"SELECT \xe2\x28\xa1 FROM system.local", b"SELECT '\xc3\xa9', '\xf0\x9f' FROM",
                 b"'\xed\xa0\x80'", b"'\xf0\x9f\x98", b"'\xe2\x82'", b"'\xe0\x80\x80'", b"'\xc0\x80'", b"'\xf4\x90\x80\x80'", b"'\xed\xa0'",
                 b"SELECT '\xff" + b"x" * 500):
        c.ask(QUERY, integer(len(text)) + text + short(ONE) + flags_of(version, 0))
        c.ask(PREPARE, integer(len(text)) + text + (integer(0) if version >= 5 else b""))


@exchange
def mutations_that_are_too_large(c):
    """Two values of 9 MiB each, of which a request brings one."""
    c.start(4)
    c.run("CREATE TABLE serve_x.large (p int, c int, a blob, b blob, PRIMARY KEY (p, c))")
    named = short(1) + string("x") + value(b"x" * (9 << 20))
    for text in ("INSERT INTO serve_x.large (p, c, a, b) VALUES (1, 1, :x, :x)", "INSERT INTO serve_x.large (p, c, a) VALUES (1, 1, :x)",
                 "UPDATE serve_x.large SET a = :x, b = :x WHERE p = 1 AND c IN (1, 2)",
                 "BEGIN BATCH INSERT INTO serve_x.large (p, c, a) VALUES (1, 1, :x); INSERT INTO serve_x.large (p, c, a) VALUES (1, 2, :x) APPLY BATCH",
                 "BEGIN UNLOGGED BATCH INSERT INTO serve_x.large (p, c, a) VALUES (1, 1, :x); INSERT INTO serve_x.large (p, c, a) VALUES (2, 2, :x) APPLY BATCH"):
        c.run(text, note=True, flags=0x41, rest=named)
    c.run("SELECT p, c FROM serve_x.large", note=True)
    c.run("DROP TABLE serve_x.large")


@each_version
def batches_of_this_node_alone(c, version):
    """NODE_LOCAL is found out last: where replicas are counted for what has been read or is to be written."""
    c.start(version)
    c.run("CREATE TABLE serve_x.lists (p int PRIMARY KEY, l list<int>, v int, b blob)")
    c.run("INSERT INTO serve_x.lists (p, v) VALUES (7, 7)")
    insert, count = ("INSERT INTO serve_x.t (p, c, v) VALUES (88, 1, 'b')", values()), ("UPDATE serve_x.n SET n = n + 1 WHERE p = 1", values())
    wrong, null = (("INSERT INTO serve_x.lists (p, v) VALUES (?, 1)", values(data)) for data in (b"xx", None))
    large = [("INSERT INTO serve_x.lists (p, b) VALUES (%d, ?)" % p, values(b"x" * 60000)) for p in (1, 2)]
    held, other = (("UPDATE serve_x.lists SET v = 8 WHERE p = %d IF v = %d" % pair, values()) for pair in ((7, 7), (8, 7)))
    failed = ("UPDATE serve_x.lists SET v = 8 WHERE p = 9 IF v = 7", values())
    single = [insert, count, wrong, null, failed, ("DELETE FROM serve_x.lists WHERE p IN ()", values()), ("UPDATE serve_x.lists SET l[9] = 5 WHERE p = 7", values()),
              ("UPDATE system_views.settings SET value = 'x' WHERE name = 'y'", values()), ("INSERT INTO serve_three.t (p) VALUES (1)", values()),
              ("UPDATE serve_three.t SET v = 1 WHERE p = 1 IF EXISTS", values()), ("INSERT INTO serve_x.nosuch (p) VALUES (1)", values())]
    for kind in (0, 1, 2):
        for entries in [[entry] for entry in single] + [[], [insert, wrong], [insert, count], large, [failed, insert], [failed, other], [count, failed]]:
            c.ask(BATCH, batch(version, kind, *entries, consistency=11))
        for level in (0, 8, 11):
            for entry in (insert, failed):
                c.ask(BATCH, batch(version, kind, entry, flags=0x10, rest=short(level), consistency=11))
    c.ask(BATCH, batch(version, 0, held, consistency=11))
    for text in (insert[0], failed[0], "SELECT v FROM serve_x.t", "BEGIN BATCH " + insert[0] + " APPLY BATCH", "DROP TABLE serve_x.nosuch", "TRUNCATE serve_x.t"):
        c.run(text, note=True, consistency=11)
    c.run("DROP TABLE serve_x.lists")


@each_version
def names_with_nul(c, version):
    c.start(version)
    for text in ('CREATE TYPE serve_x."ty\0pe" ("f\0" int)', "SELECT p AS \"a\0b\", v, (text)'c\0d' FROM serve_x.t WHERE p = 1", 'ALTER TYPE serve_x."ty\0pe" RENAME "f\0" TO g',
                 'DROP TYPE serve_x."ty\0pe"'):
        c.run(text, note=True)
    c.prepare('SELECT p AS "a\0b" FROM serve_x.t WHERE p = :"m\0"')


@each_version
def columns_are_masked(c, version):
    c.start(version)
    c.run("CREATE TABLE serve_x.masked (p int PRIMARY KEY, v text MASKED WITH mask_inner(1, 1), w int MASKED WITH DEFAULT)", note=True)
    c.run("INSERT INTO serve_x.masked (p, v, w) VALUES (1, 'abcd', 7)")
    for text in ("SELECT * FROM serve_x.masked", "SELECT JSON * FROM serve_x.masked", "ALTER TABLE serve_x.masked ALTER v MASKED WITH nosuch()",
                 "ALTER TABLE serve_x.masked ALTER v DROP MASKED", "SELECT column_name, function_name FROM system_schema.column_masks WHERE keyspace_name = 'serve_x'",
                 "DROP TABLE serve_x.masked"):
        c.run(text, note=True)


@each_version
def what_cannot_be_read_is_not_traced(c, version):
    c.start(version)
    text = "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"
    c.ask(QUERY, query(version, text, consistency=255), flags=2)
    c.ask(QUERY, query(version, text, 0x20, struct.pack(">q", -2**63)), flags=2)
    c.ask(QUERY, query(version, text, 4, integer(0)), flags=2)
    c.ask(PREPARE, integer(5) + b"SEL", flags=2)
    c.ask(BATCH, batch(version, 3, INSERT), flags=2)
    c.ask(BATCH, batch(version, 0, INSERT, consistency=99), flags=2)


@each_version
def what_a_batch_is_asked_in_turn(c, version):
    """Its kind when all has been read; of its statements first whether they are there and how many values they have, then what they are."""
    c.start(version)
    select, unknown = ("SELECT v FROM serve_x.t", values()), (b"0123456789abcdef", values())
    c.ask(BATCH, batch(version, 3, ("INSERT INTO serve_x.t (p, c) VALUES (?, 1)", values(-3)), consistency=99))
    c.ask(BATCH, batch(version, 3, INSERT, consistency=99))
    c.ask(BATCH, batch(version, 0, select, INSERT))
    c.ask(BATCH, batch(version, 0, select, unknown))
    c.ask(BATCH, batch(version, 0, select, ("INSERT INTO serve_x.t (p, c) VALUES (?, 1)", values())))
    c.ask(BATCH, batch(version, 0, select, ("SELEC", values())))
    c.ask(BATCH, batch(version, 0, ("USE serve_x", values()), ("INSERT INTO serve_x.nosuch (p) VALUES (1)", values())))


@each_version
def warnings_of_what_is_unavailable(c, version):
    c.start(version)
    for text in ("SELECT count(*) FROM serve_x.t", "SELECT count(*) FROM serve_x.t WHERE p IN (1, 2)", "SELECT p FROM serve_x.t WHERE p IN (1, 2) ORDER BY c"):
        c.run(text, note=True, flags=4, rest=integer(5), consistency=2)


@each_version
def serial_reads_of_several_partitions(c, version):
    c.start(version)
    for text in ("SELECT p, c FROM serve_x.t WHERE p IN (1, 99)", "SELECT p, c FROM serve_x.t WHERE p IN (1, 1)", "SELECT p FROM serve_x.t LIMIT 1",
                 "SELECT p, c FROM serve_x.t WHERE p IN (1, 99) LIMIT 2", "SELECT count(*) FROM serve_x.t WHERE p IN (1, 99)"):
        for level in (8, 9):
            c.run(text, note=True, consistency=level)
            c.run(text, note=True, flags=4, rest=integer(1000), consistency=level)


@each_version
def prepared_by_who_was_in_another_keyspace(c, version):
    """What says no keyspace of its own has been prepared in none, whichever the connection had; batches are not told."""
    for number, text in enumerate(("USE serve_x", "DESCRIBE TYPES", "CREATE TABLE IF NOT EXISTS serve_x.t (p int PRIMARY KEY)",
                                   "BEGIN BATCH INSERT INTO t (p, c) VALUES (1, 1) APPLY BATCH", "SELECT v FROM t WHERE p = 99", "TRUNCATE n")):
        prepared = None
        for keyspace in ("serve_x", "serve_x", "serve_three", None):
            c = c.another()
            c.start(version)
            if keyspace:
                c.run("USE " + keyspace)
            prepared = prepared or c.prepare("%s /* in another keyspace, %d %d */" % (text, version, number))
            c.execute(prepared, 4, integer(0))
            c.execute(prepared)


@exchange
def as_big_as_may_be(c):
    """Without segments the limit counts the header; the rest of the body is not looked at."""
    for version in (3, 4):
        for length in (16777207, 16777208):
            other = c.another()
            other.start(version)
            other.ask(QUERY, query(version, "SELECT key FROM system.local").ljust(length, b"\0"))


@exchange
def told_failures(c):
    """The third version knows of none: their clients are told of timeouts and invalid requests. Reads that fail of tombstones warn of them, too."""
    c.start()
    c.run("CREATE TABLE serve_x.buried (p int, c int, v int, PRIMARY KEY (p, c))")
    c.run("CREATE TABLE serve_x.vectors (p int PRIMARY KEY, v vector<float, 2>)")
    c.run("CREATE INDEX ON serve_x.vectors (v) USING 'sai'")
    for first in range(0, 101000, 1000):
        c.run("BEGIN UNLOGGED BATCH %s APPLY BATCH" % " ".join("DELETE v FROM serve_x.buried WHERE p = 99 AND c = %d;" % (first + i) for i in range(1000)))
    for version in (3, 4, 5):
        other = c.another()
        other.start(version)
        for text in ("SELECT c / 0 FROM serve_x.t WHERE p = 1", "INSERT INTO serve_x.t (p, c) VALUES (1, 1 / 0)", "SELECT * FROM serve_x.buried WHERE p = 99",
                     "SELECT count(*) FROM serve_x.buried WHERE p = 99", "SELECT * FROM serve_x.buried WHERE p = 99 LIMIT 5"):
            other.run(text, note=True)
        if version == 3:  # later ones are told of the node's name, which servers differ in
            other.run("INSERT INTO serve_x.vectors (p, v) VALUES (1, [0, 0])", note=True)
            other.ask(BATCH, batch(version, 0, ("INSERT INTO serve_x.vectors (p, v) VALUES (1, [0, 0])", values())))
    c.run("DROP TABLE serve_x.buried")
    c.run("DROP TABLE serve_x.vectors")


@each_version
def odd_versions(c, version):
    """A frame of a version that is not the connection's is refused in the connection's own form, one of a version not spoken too."""
    for other in (3, 4, 5, 6, 7, 0x84):
        c = c.another()
        c.start(version)
        c.ask(OPTIONS, version=other)
    c = c.another()
    c.start(version)
    c.ask(OPTIONS, version=7)
    c.ask(OPTIONS)


@each_version
def odd_credentials(c, version):
    """A message of the first version of the protocol, which has its name and its number still."""
    c.version = version
    c.ask(CREDENTIALS, short(0))
    c.start(version)
    c.ask(CREDENTIALS, short(0))
    c.ask(CREDENTIALS, short(0), version=0x80 | version)


@exchange
def routing_of_named_batches(c):
    """Which markers are the partition key: by what they stand for, and not by the names they have been given."""
    c.start()
    for text in ("INSERT INTO serve_x.two (a, b, v) VALUES (:v, :a, :b)", "DELETE FROM serve_x.two WHERE a = ? AND b = :a",
                 "INSERT INTO serve_x.two (a, b, v) VALUES (?, ?, :b); DELETE FROM serve_x.two WHERE a IN (?, :b) AND b = 'x'",
                 "DELETE FROM serve_x.two WHERE a IN :a AND b = :b"):
        c.ask(PREPARE, long_string("BEGIN BATCH %s; APPLY BATCH" % text))


@each_version
def greetings_again(c, version):
    """What cannot be read is told before that it comes too late; and what asks the database for nothing is not traced."""
    c.start(version)
    for length in range(3, 24, 3):
        c.ask(STARTUP, pairs(("CQL_VERSION", "3.0.0"))[:length])
    c.ask(STARTUP, pairs(("CQL_VERSION", "3.0.0")), flags=2)
    c.ask(REGISTER, short(0), flags=2)
    c.ask(OPTIONS, flags=2)
    c.ask(AUTH, value(b"\0a\0b"), flags=2)
    c.ask(OPTIONS)


@each_version
def tokens_of_nothing(c, version):
    c.start(version)
    c.ask(AUTH, integer(-1))
    c.ask(AUTH, integer(-2))
    c.ask(AUTH, value(b""))
    c.ask(OPTIONS)


@exchange
def unknown_opcodes_in_a_segment(c):
    """The second that follows another ends the connection."""
    unknown, known = (struct.pack(">BBhBi", 5, 0, 3, opcode, 2) + b"xx" for opcode in (0x55, OPTIONS))
    for frames in ((unknown, known), (unknown, unknown, known)):
        other = c.another()
        other.start(5)
        other.raw(segment(b"".join(frames)))
        for _ in frames:
            other.answer(timeout=2)
    c.start(5)
    for _ in range(3):
        c.raw(segment(unknown))
        c.answer()
    c.ask(OPTIONS)


@exchange
def negative_lengths(c):
    """An error in segments; elsewhere a body of some four billion bytes, which is waited for."""
    for length in (-1, -2147483648):
        other = c.another()
        other.start(5)
        other.send(OPTIONS, length=length)
        other.answer()
        other.answer(timeout=2)
        for version in (3, 4):
            other = c.another()
            other.start(version)
            other.send(OPTIONS, length=length)
            other.send(OPTIONS)
            other.answer(timeout=0.3)
        other = c.another()
        other.version = 5
        other.send(OPTIONS, length=length)
        other.send(OPTIONS)
        other.answer(timeout=0.3)


UNREADABLE = (b"\x00\x01", b"\x00\x01\x00\x02\xff\xfe\x00\x01a")


@each_version
def greetings_after_bad_ones(c, version):
    """One whose compression is none, or that cannot be read, may be followed by a good one."""
    refused = tuple(pairs(("CQL_VERSION", "3.0.0"), ("COMPRESSION", name)) for name in ("foo", ""))
    for bodies in (refused + UNREADABLE, UNREADABLE + refused):
        c = c.another()
        c.version = version
        for body in bodies:
            c.ask(STARTUP, body)
            c.ask(OPTIONS)
        c.start(version, note=True)
        c.run("SELECT key FROM system.local", note=True)


@each_version
def states_of_nothing(c, version):
    """What is no place of a page is refused before anybody looks at the statement, and so of those that have no pages, too."""
    c.start(version)
    for state in (b"", b"\0", b"garbage", b"\0\4\0\0\0\1", bytes(20), b"\xff" * 12):
        for text in ("SELECT * FROM serve_x.t WHERE p = 1", "SELEC", "USE system", "SELECT * FROM serve_x.nosuch", "DESCRIBE KEYSPACES",
                     "INSERT INTO serve_x.t (p, c, v) VALUES (77, 1, 'b')"):
            c.run(text, note=True, flags=8, rest=value(state))
        c.ask(EXECUTE, short(4) + b"none" + (short(0) if version >= 5 else b"") + short(ONE) + flags_of(version, 8) + value(state))
        c.ask(BATCH, batch(version, 0, INSERT, flags=8, rest=value(state)))
    c.run("SELECT v FROM serve_x.t WHERE p = 77", note=True)
    c.run("DELETE FROM serve_x.t WHERE p = 88")


@each_version
def json_that_is_not_utf8(c, version):
    """What a marker of JSON is bound to is read and not validated: who sends bytes that are no text is told of an error of the server."""
    c.start(version)
    for text in ("INSERT INTO serve_x.t JSON ?", "INSERT INTO serve_x.t JSON ? IF NOT EXISTS"):
        for data in (b"\xff", b'{"p": 88, "c": \xc0\x80}', b'{"p": 88, "c": 1, "v": "\xed\xa0\x80"}', b"\xf4\x90\x80\x80", b'{"p": 88, "c": "\xe2\x82"}', b"", b"\0"):
            c.run(text, note=True, flags=1, rest=values(data))
    for data in (b"\xff", None, -2):
        c.ask(BATCH, batch(version, 0, INSERT, ("INSERT INTO serve_x.t JSON ?", values(data))))
    c.run("SELECT v FROM serve_x.t WHERE p = 88", note=True)
