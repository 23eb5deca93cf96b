"""Exchanges about what a connection has kept while things changed: its keyspace, statements, paging states; and what it may say of itself."""
import struct

from connection import (BATCH, ONE, OPTIONS, PREPARE, QUERY, REGISTER, STARTUP, batch, flags_of, integer, long_string, query, short, string,
                        string_map, value, values)
from exchange_list import each_version, exchange

REPLICATION = "WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}"


# ---- keyspaces -------------------------------------------------------------------------------------------------------

@each_version
def a_keyspace_that_is_dropped(c, version):
    c.start(version)
    c.run("CREATE KEYSPACE serve_u " + REPLICATION)
    c.run("CREATE TABLE serve_u.t (p int PRIMARY KEY)")
    c.run("USE serve_u")
    prepared = c.prepare("SELECT * FROM t WHERE p = ?", note=False)
    other = c.another()
    other.start(version)
    other.run("DROP KEYSPACE serve_u")
    c.run("SELECT * FROM t", note=True)
    c.run("SELECT p FROM serve_x.t WHERE p = 99", note=True)
    c.execute(prepared, 1, values(integer(1)))
    c.prepare("SELECT * FROM t WHERE p = ?")
    c.prepare("SELECT p FROM serve_x.t WHERE p = ?")
    c.run("CREATE TABLE t (p int PRIMARY KEY)", note=True)
    for what in ("TABLES", "TYPES", "FUNCTIONS", "AGGREGATES", "TABLE t", "KEYSPACE"):
        c.run("DESCRIBE " + what, note=True)
    other.run("CREATE KEYSPACE serve_u " + REPLICATION)
    other.run("CREATE TABLE serve_u.t (p int PRIMARY KEY, z int)")
    c.run("SELECT * FROM t", note=True)
    c.execute(prepared, 1, values(integer(1)))
    c.run("DROP KEYSPACE serve_u")


@each_version
def statements_stand_on_their_tables_alone(c, version):
    c.start(version)
    c.run("CREATE TABLE serve_x.one (p int PRIMARY KEY, v int)")
    c.run("CREATE TABLE serve_x.other (p int PRIMARY KEY, v int)")
    texts = ("INSERT INTO serve_x.one (p, v) VALUES (1, 1)", "DELETE FROM serve_x.other WHERE p = 1",
             "BEGIN BATCH INSERT INTO serve_x.one (p, v) VALUES (1, 1); DELETE v FROM serve_x.one WHERE p = 2; APPLY BATCH",
             "BEGIN BATCH INSERT INTO serve_x.one (p, v) VALUES (1, 1); DELETE v FROM serve_x.other WHERE p = 2; APPLY BATCH",
             "BEGIN BATCH APPLY BATCH", "SELECT count(*) FROM serve_x.one", "TRUNCATE serve_x.other")
    for change in ("ALTER TABLE serve_x.other ADD w int", "ALTER TABLE serve_x.one WITH comment = 'x'", "CREATE INDEX other_v ON serve_x.other (v)",
                   "CREATE TABLE serve_x.third (p int PRIMARY KEY)", "DROP TABLE serve_x.third", "DROP TABLE serve_x.other"):
        prepared = [c.prepare(text, note=False) for text in texts]
        c.run(change)
        for statement in prepared:
            c.execute(statement)
    c.run("DROP TABLE serve_x.one")


@each_version
def used_keyspaces(c, version):
    c.start(version)
    c.run("USE serve_x")
    for text in ("SELECT count(*) FROM T", "USE system", "SELECT key FROM local", 'USE "SERVE_X"', "USE serve_X", "SELECT count(*) FROM t", "USE serve_x;",
                 "USE 'x'", "use", "USE system_views", "SELECT name FROM settings WHERE name = 'cdc_enabled'", "USE system_virtual_schema"):
        c.run(text, note=True)


@exchange
def keyspaces_that_go_on_behind_a_nul(c):
    """They are not the ones they begin with. (The texts, which have the NUL, are not compared.)"""
    c.start(5)
    c.run("CREATE TABLE serve_x.nul (p int PRIMARY KEY)")
    for keyspace in ("serve_x\0", "serve_x\0y", "\0", "serve_x"):
        c.run("INSERT INTO nul (p) VALUES (%d)" % len(keyspace), flags=0x80, rest=string(keyspace))
        c.run("SELECT p FROM serve_x.nul", note=True)
        c.notes.append("prepared: %s" % (c.prepare("INSERT INTO nul (p) VALUES (?)", keyspace=keyspace, note=False)[0] is not None))
    c.run("DROP TABLE serve_x.nul")


@exchange
def keyspaces_of_requests(c):
    c.start(5)
    c.run("USE serve_x")
    for text, keyspace in (
            ("USE system", "serve_three"), ("CREATE TABLE tt (p int PRIMARY KEY)", "serve_three"), ("DROP TABLE tt", "serve_three"),
            ("SELECT * FROM serve_x.t WHERE p = 1 LIMIT 1", "nosuch"), ("SELECT * FROM t WHERE p = 1 LIMIT 1", "SERVE_X")):
        c.run(text, note=True, flags=0x80, rest=string(keyspace))
        c.run("USE serve_x")
    for keyspace in ("serve_three", "nosuch", "", "SERVE_THREE"):
        prepared = c.prepare("SELECT * FROM t WHERE p = ?", keyspace=keyspace)
        if prepared[0]:
            c.execute(prepared, 1, values(integer(1)))
        c.prepare("SELECT * FROM serve_x.t WHERE p = ?", keyspace=keyspace)
        c.prepare("USE system", keyspace=keyspace)
    prepared = c.prepare("SELECT * FROM t WHERE p = ?")
    c.execute(prepared, 0x81, values(integer(1)) + string("serve_three"))
    for rest in (integer(2), integer(3) + string("serve_three")):
        c.ask(PREPARE, long_string("SELECT * FROM t WHERE p = ?") + rest)


@each_version
def prepared_in_another_keyspace(c, version):
    c.start(version)
    c.run("USE serve_three")
    prepared = c.prepare("SELECT * FROM t WHERE p = ?", note=False)
    for keyspace in ("serve_three", "serve_x", "serve_x"):
        other = c.another()
        other.start(version)
        other.run("USE " + keyspace)
        other.execute(prepared, 1, values(integer(1)))
        other.execute(prepared, 1, values(integer(1)))
        other.prepare("SELECT * FROM t WHERE p = ?")


# ---- tables and types ------------------------------------------------------------------------------------------------

@each_version
def what_changes_a_type_or_describes_it_outlives_a_change_of_it(c, version):
    c.start(version)
    c.run("CREATE TYPE serve_x.pu (a int)")
    texts = ("ALTER TYPE serve_x.pu ADD b int", "CREATE TABLE serve_x.pt (p int PRIMARY KEY, u frozen<pu>)", "ALTER TABLE serve_x.pt ADD w frozen<pu>",
             "CREATE TYPE serve_x.pv (u frozen<pu>)", "DESCRIBE TYPE serve_x.pu", "DROP TYPE IF EXISTS serve_x.pv", "DROP TABLE serve_x.pt", "DROP TYPE serve_x.pu")
    prepared = [c.prepare(text, note=False) for text in texts]
    c.run("ALTER TYPE serve_x.pu ADD z int")
    for statement in prepared:
        c.execute(statement)


@each_version
def altered_types(c, version):
    c.start(version)
    c.run("CREATE TYPE serve_x.uu (a int)")
    c.run("CREATE TABLE serve_x.ut (p int PRIMARY KEY, u frozen<uu>)")
    c.run("INSERT INTO serve_x.ut (p, u) VALUES (1, {a: 1})")
    prepared = c.prepare("SELECT * FROM serve_x.ut")
    c.execute(prepared)
    c.run("ALTER TYPE serve_x.uu ADD b text")
    c.execute(prepared)
    c.execute(prepared, 2)
    c.run("ALTER TYPE serve_x.uu RENAME a TO aa")
    c.execute(prepared)
    prepared = c.prepare("SELECT * FROM serve_x.ut")
    c.run("ALTER TABLE serve_x.ut RENAME p TO q")
    c.execute(prepared)
    prepared = c.prepare("SELECT q FROM serve_x.ut WHERE q = ?")
    c.run("CREATE MATERIALIZED VIEW serve_x.utv AS SELECT * FROM serve_x.ut WHERE q IS NOT NULL AND u IS NOT NULL PRIMARY KEY (u, q)")
    c.execute(prepared, 1, values(integer(1)))
    c.run("DROP MATERIALIZED VIEW serve_x.utv", note=True)
    c.execute(prepared, 1, values(integer(1)))
    c.run("DROP TABLE serve_x.ut", note=True)
    c.execute(prepared, 1, values(integer(1)))
    c.run("DROP TYPE serve_x.uu", note=True)


@each_version
def altered_types_of_other_tables(c, version):
    """Who is of a table without the type stays prepared, whatever else the keyspace has."""
    c.start(version)
    for text in ("TYPE serve_x.ta (a int)", "TYPE serve_x.tb (a frozen<ta>)", 'TYPE serve_x."tC" (a int)', "TYPE serve_x.td (a int)", "TABLE serve_x.tt (p int PRIMARY KEY, v int)",
                 "TABLE serve_x.tu (p int PRIMARY KEY, u frozen<map<int, tb>>)", 'TABLE serve_x.tc (p int PRIMARY KEY, u "tC")', "TABLE serve_x.tk (k frozen<td> PRIMARY KEY, v int)",
                 "MATERIALIZED VIEW serve_x.tv AS SELECT * FROM serve_x.tk WHERE k IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, k)"):
        c.run("CREATE " + text)
    texts = ("SELECT p FROM serve_x.tt", "UPDATE serve_x.tt SET v = 1 WHERE p = 1", "SELECT p FROM serve_x.tu", "INSERT INTO serve_x.tc (p) VALUES (1)", "SELECT v FROM serve_x.tk",
             "SELECT v FROM serve_x.tv")
    for change in ("ta ADD b int", "ta RENAME b TO c", "tb ADD b int", '"tC" ADD b int', "td RENAME a TO b", "ta ADD IF NOT EXISTS c int"):
        prepared = [c.prepare(text, note=False) for text in texts]
        c.run("ALTER TYPE serve_x." + change)
        for each in prepared:
            c.execute(each)
    for what in ("MATERIALIZED VIEW serve_x.tv", "TABLE serve_x.tk", "TABLE serve_x.tc", "TABLE serve_x.tu", "TABLE serve_x.tt", 'TYPE serve_x."tC"', "TYPE serve_x.tb", "TYPE serve_x.ta", "TYPE serve_x.td"):
        c.run("DROP " + what)


@each_version
def altered_types_beside_others_of_that_name_in_capitals(c, version):
    c.start(version)
    for text in ('TYPE serve_x.tn (a int)', 'TYPE serve_x."Tn" (a int)', "TABLE serve_x.small (p int PRIMARY KEY, u frozen<tn>)", 'TABLE serve_x.large (p int PRIMARY KEY, u "Tn")',
                 'TYPE serve_x.around (a frozen<"Tn">)', "TABLE serve_x.both (p int PRIMARY KEY, u frozen<set<around>>)"):
        c.run("CREATE " + text)
    texts = ("SELECT p FROM serve_x.small", "SELECT p FROM serve_x.large", "INSERT INTO serve_x.both (p) VALUES (1)")
    for change in ("tn ADD b int", '"Tn" ADD b int'):
        prepared = [c.prepare(text, note=False) for text in texts]
        c.run("ALTER TYPE serve_x." + change)
        for each in prepared:
            c.execute(each)
    for what in ("TABLE serve_x.both", "TABLE serve_x.large", "TABLE serve_x.small", "TYPE serve_x.around", 'TYPE serve_x."Tn"', "TYPE serve_x.tn"):
        c.run("DROP " + what)


@each_version
def altered_types_of_functions(c, version):
    """Who calls a function that neither takes nor gives the type stays prepared; one that has an overload which does, does not."""
    c.start(version)
    for text in ("TYPE serve_x.fa (a int)", "TYPE serve_x.fb (a frozen<list<frozen<fa>>>)", "TYPE serve_x.fc (a int)", "TABLE serve_x.ft (p int PRIMARY KEY, v int)",
                 "FUNCTION serve_x.plain (a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return a;'",
                 "FUNCTION serve_x.takes (a fa) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'",
                 "FUNCTION serve_x.nested (a fb) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'",
                 "FUNCTION serve_x.gives (a int) CALLED ON NULL INPUT RETURNS fa LANGUAGE java AS 'return null;'",
                 "FUNCTION serve_x.either (a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'",
                 "FUNCTION serve_x.either (a fa) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return 1;'",
                 "FUNCTION serve_x.state (s fa, a int) CALLED ON NULL INPUT RETURNS fa LANGUAGE java AS 'return s;'", "AGGREGATE serve_x.states (int) SFUNC state STYPE fa",
                 "FUNCTION serve_x.plus (s int, a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return s + a;'", "AGGREGATE serve_x.adds (int) SFUNC plus STYPE int INITCOND 0"):
        c.run("CREATE " + text)
    texts = ["SELECT serve_x.%s FROM serve_x.ft WHERE p = 1" % call for call in ("plain(v)", "takes(null)", "nested(null)", "gives(v)", "either(v)", "states(v)", "adds(v)")]
    texts.append("INSERT INTO serve_x.ft (p, v) VALUES (2, serve_x.plain(1))")
    for change in ("fa ADD b int", "fa RENAME b TO c", "fb ADD b int", "fc ADD b int"):
        prepared = [c.prepare(text, note=False) for text in texts]
        c.run("ALTER TYPE serve_x." + change)
        for each in prepared:
            c.execute(each)
    for what in ("AGGREGATE serve_x.states", "AGGREGATE serve_x.adds", "FUNCTION serve_x.plain", "FUNCTION serve_x.takes", "FUNCTION serve_x.nested", "FUNCTION serve_x.gives",
                 "FUNCTION serve_x.either(int)", "FUNCTION serve_x.either(fa)", "FUNCTION serve_x.state", "FUNCTION serve_x.plus", "TABLE serve_x.ft", "TYPE serve_x.fc", "TYPE serve_x.fb",
                 "TYPE serve_x.fa"):
        c.run("DROP " + what)


def page(c, text, size, state, flags=0):
    """A page, noted without its paging state, which is of each server's own kind."""
    flags |= (0 if size is None else 4) | (0 if state is None else 8)
    c.send(QUERY, query(c.version, text, flags, (b"" if size is None else integer(size)) + (b"" if state is None else value(state))))
    opcode, body = c.answer(note=False)
    if opcode != 8:
        c.notes.append("opcode %02x %s" % (opcode, body.hex()))
        return None
    shown, columns = struct.unpack(">ii", body[4:12])
    at, state = 12, None
    if shown & 2:
        n = struct.unpack(">i", body[at:at + 4])[0]
        state, at = body[at + 4:at + 4 + n], at + 4 + n
    c.notes.append("flags %d columns %d rest %s" % (shown, columns, body[at:].hex()))
    return state


@each_version
def pages_of_what_changes(c, version):
    c.start(version)
    c.run("CREATE TABLE serve_x.pg (p int, c int, a int, b int, PRIMARY KEY (p, c))")
    for i in range(9):
        c.run("INSERT INTO serve_x.pg (p, c, a, b) VALUES (%d, %d, %d, %d)" % (i // 5, i, i, i))
    text = "SELECT * FROM serve_x.pg"
    state = page(c, text, 2, None)
    for change in ("ALTER TABLE serve_x.pg DROP a", "ALTER TABLE serve_x.pg ADD z text", "DELETE FROM serve_x.pg WHERE p = 1"):
        c.run(change)
        state = page(c, text, 2, state)
    c.run("TRUNCATE serve_x.pg")
    page(c, text, 2, state)
    for i in range(5):
        c.run("INSERT INTO serve_x.pg (p, c, b) VALUES (0, %d, %d)" % (i, i))
    one = "SELECT c FROM serve_x.pg WHERE p = 0"
    state = page(c, one, 2, None)
    page(c, one, 2, state)
    page(c, one, 2, state)
    page(c, one, 2, state, flags=2)
    page(c, one + " AND c > 2", 2, state)
    page(c, one + " LIMIT 3", 2, page(c, one + " LIMIT 3", 2, None))
    for broken in (b"\0", state[:-1]):
        page(c, one, 2, broken)
    c.run("DROP TABLE serve_x.pg")
    page(c, one, 2, state)


@each_version
def a_description_from_where_a_select_stopped(c, version):
    c.start(version)
    for text in ("SELECT p, c FROM serve_x.t", "SELECT a, b FROM serve_x.two"):
        for size in (1, 3):
            state = page(c, text, size, None)
            for other in ("DESCRIBE TYPE serve_x.addr", "DESCRIBE KEYSPACE serve_x", "DESCRIBE KEYSPACE serve_nosuch"):
                if state:
                    page(c, other, 10, state)


@each_version
def a_description_from_where_another_stopped(c, version):
    c.start(version)
    for size in (1, 3):
        state = page(c, "DESCRIBE KEYSPACE serve_x", size, None)
        for other in ("DESCRIBE TYPE serve_x.addr", "DESCRIBE KEYSPACE serve_nosuch", "DESCRIBE KEYSPACE serve_three", "DESCRIBE TABLE serve_x.t"):
            for more in (None, 1, 100):
                page(c, other, more, state)
    c.run("CREATE TYPE serve_x.described (a int)")
    page(c, "DESCRIBE TYPE serve_x.addr", 10, state)
    page(c, "DESCRIBE TYPE serve_x.nosuch", 10, state)
    c.run("DROP TYPE serve_x.described")


@each_version
def pages_of_another_query(c, version):
    c.start(version)
    c.run("CREATE TABLE serve_x.po (p int, c int, PRIMARY KEY (p, c))")
    for i in range(21):
        c.run("INSERT INTO serve_x.po (p, c) VALUES (%d, %d)" % (i // 7, i % 7))
    one, some, every = "SELECT * FROM serve_x.po WHERE p = %d", "SELECT * FROM serve_x.po WHERE p IN (%d, %d)", "SELECT * FROM serve_x.po"
    for first in (one % 1, some % (1, 2), every):
        state = page(c, first, 3, None)
        for text, size in ((one % 1, 2), (one % 2, 3), (one % 77, 3), (one % 1 + " LIMIT 3", 3), (one % 1 + " LIMIT 4", 3), (one % 2, 0), (one % 2, None),
                           (some % (1, 2), 30), (some % (0, 2), 30), (some % (2, 1), None), (every, None), (one % 1 + " ORDER BY c DESC", 2),
                           (one % 1 + " AND c IN (2, 5)", 1), ("SELECT count(*) FROM serve_x.po WHERE p = 1", 3),
                           ("SELECT p, count(*) FROM serve_x.po WHERE p IN (1, 2) GROUP BY p", 3)):
            page(c, text, size, state)
    c.run("DROP TABLE serve_x.po")


# ---- batches ---------------------------------------------------------------------------------------------------------

@each_version
def batches_with_oddities(c, version):
    c.start(version)
    insert = "INSERT INTO serve_x.t (p, c, v) VALUES (8, ?, 'b')"
    far = "INSERT INTO serve_x.t (p, c, v) VALUES (?, 1, ?)"
    count = "UPDATE serve_x.n SET n = n + 1 WHERE p = 1"
    one = values(integer(1))
    for flags, rest in ((0x04, integer(2)), (0x01, values(integer(2))), (0x02, b""), (0x10, short(99)), (0x10, short(1))):
        c.ask(BATCH, batch(version, 0, (insert, one), flags=flags, rest=rest))
    c.ask(BATCH, batch(version, 0, (insert + " IF NOT EXISTS", one), flags=0x10, rest=short(1)))
    c.ask(BATCH, batch(version, 2, (insert, one), (count, values())))
    c.ask(BATCH, batch(version, 1, (count, values())))
    c.ask(BATCH, batch(version, 2, (count, values()), flags=0x20, rest=struct.pack(">q", 5)))
    c.ask(BATCH, batch(version, 0, *[(insert, values(integer(i))) for i in range(200)]))
    for kind in (0, 1):
        c.ask(BATCH, batch(version, kind, *[(far, values(integer(1000 + i), b"x")) for i in range(30)]))
        c.ask(BATCH, batch(version, kind, *[(far, values(integer(1000 + i), b"x" * 6000)) for i in range(2)]))
        c.ask(BATCH, batch(version, kind, *[(far, values(integer(1000 + i), b"x" * 40000)) for i in range(2)]))
    update = "UPDATE serve_x.t SET v = 'z' WHERE p = %d AND c = 1 IF v = 'nosuch'"
    c.ask(BATCH, batch(version, 0, (insert, one), (update % 8, values()), (update % 9, values())))
    c.ask(BATCH, batch(version, 0, (update % 8, values()), ("DELETE FROM serve_x.t WHERE p = 8 AND c = 2 IF EXISTS", values())))
    c.run("DELETE FROM serve_x.t WHERE p = 8")
    for i in range(30):
        c.run("DELETE FROM serve_x.t WHERE p = %d" % (1000 + i))
    c.run("TRUNCATE serve_x.n")


@each_version
def functions_and_aggregates(c, version):
    c.start(version)
    c.run("CREATE KEYSPACE udf_serve " + REPLICATION)
    c.run("CREATE TYPE udf_serve.u (a int)")
    c.run("CREATE TABLE udf_serve.t (p int PRIMARY KEY)")
    make = "FUNCTION udf_serve.f(a int, b int) RETURNS NULL ON NULL INPUT RETURNS int LANGUAGE java AS 'return %s;'"
    other = "FUNCTION udf_serve.f(a u, b varchar, c tuple<int, u>, d map<text, frozen<u>>) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return %s;'"
    aggregate = "AGGREGATE udf_serve.g(int) SFUNC f STYPE int INITCOND %s"
    for text in ("CREATE " + make % "a", "CREATE " + make % "a", "CREATE FUNCTION IF NOT EXISTS" + make[8:] % "b", "CREATE OR REPLACE " + make % "a",
                 "CREATE OR REPLACE " + make % "b", "CREATE " + other % "1", "CREATE OR REPLACE " + other % "2", "CREATE " + aggregate % "0",
                 "CREATE OR REPLACE " + aggregate % "0", "CREATE OR REPLACE " + aggregate % "1", "DESCRIBE FUNCTIONS", "DROP FUNCTION udf_serve.f",
                 "DROP AGGREGATE udf_serve.g(int)", "DROP AGGREGATE IF EXISTS udf_serve.g", "DROP FUNCTION udf_serve.f(int, int)",
                 "DROP FUNCTION udf_serve.f", "DROP FUNCTION IF EXISTS udf_serve.f(int)"):
        c.run(text, note=True)
    c.run("DROP KEYSPACE udf_serve")


@each_version
def parts_of_aggregates_that_are_called(c, version):
    """Who calls an aggregate stands on the functions it is made of, and on no function that is merely named."""
    function = "CREATE OR REPLACE FUNCTION serve_x.%s (%s) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return %s;'"
    c.start(version)
    for name, arguments in (("part", "s int, x int"), ("last", "s int"), ("other", "s int")):
        c.run(function % (name, arguments, "1"))
    c.run("CREATE AGGREGATE serve_x.made (int) SFUNC part STYPE int FINALFUNC last INITCOND 0")
    texts = ("SELECT serve_x.made(c) FROM serve_x.t", "SELECT c AS part FROM serve_x.t LIMIT 1", "SELECT serve_x.other(c) FROM serve_x.t LIMIT 1")
    for change in (function % ("part", "s int, x int", "1 + 0"), function % ("last", "s int", "1 + 0"), function % ("last", "s text", "1 + 0"), function % ("other", "s int", "1 + 0"),
                   "DROP FUNCTION serve_x.last(text)"):
        prepared = [c.prepare(text, note=False) for text in texts]
        c.run(change)
        for each in prepared:
            c.execute(each)
    for what in ("AGGREGATE serve_x.made", "FUNCTION serve_x.part", "FUNCTION serve_x.last", "FUNCTION serve_x.other"):
        c.run("DROP " + what)


@each_version
def statements_that_functions_and_types_leave_alone(c, version):
    c.start(version)
    c.run("CREATE KEYSPACE udf_serve " + REPLICATION)
    c.run("CREATE TABLE udf_serve.t (p int PRIMARY KEY)")
    make = " FUNCTION udf_serve.%s(a %s) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS 'return %d;'"
    c.run("CREATE" + make % ("f", "int", 1))
    statements = ["SELECT p FROM udf_serve.t", "SELECT udf_serve.f(p) FROM udf_serve.t", "SELECT f(p) FROM udf_serve.t", "SELECT sum(p) FROM udf_serve.t",
                  "UPDATE udf_serve.t SET p = f(1) WHERE p = f(1)", "SELECT c FROM serve_x.t WHERE p = 1"]
    for change in ("CREATE" + make % ("g", "int", 1), "CREATE" + make % ("f", "text", 2), "CREATE OR REPLACE" + make % ("f", "text", 3), "DROP FUNCTION udf_serve.g",
                   "DROP FUNCTION udf_serve.f(text)", "CREATE TYPE udf_serve.u (a int)", "DROP TYPE udf_serve.u", "DROP FUNCTION udf_serve.f",
                   "DROP KEYSPACE udf_serve"):
        prepared = [c.prepare(text, note=False) for text in statements]
        c.run(change)
        for one in prepared:
            if one[0]:
                c.execute(one)


# ---- what a client says first ----------------------------------------------------------------------------------------

@each_version
def asked_for_events(c, version):
    c.start(version)
    c.ask(REGISTER, short(3) + string("TOPOLOGY_CHANGE") + string("STATUS_CHANGE") + string("SCHEMA_CHANGE"))
    for names in ((), ("TOPOLOGY_CHANGE", "TOPOLOGY_CHANGE"), ("",), ("TRACE_COMPLETE",), ("trace_complete", "nosuch")):
        c.ask(REGISTER, short(len(names)) + b"".join(string(name) for name in names))
    c.ask(REGISTER, short(1) + string("STATUS_CHANGE") + b"extra")


@each_version
def names_and_values_of_startup(c, version):
    for options in (
            {"CQL_VERSION": "3.0.0", "COMPRESSION": ""}, {"CQL_VERSION": "3.0.0", "COMPRESSION": "lz4"}, {"CQL_VERSION": "3.0.0", "COMPRESSION": "LZ4"},
            {"CQL_VERSION": "3.0.0", "COMPRESSION": "Snappy"}, {"CQL_VERSION": "3.0.0", "COMPRESSION": "FOO"}, {"cql_version": "3.0.0"},
            {"CQL_VERSION": "3.0.0", "compression": "foo"}, {"Cql_Version": "2.0.0"}, {"CQL_VERSION": "3.0.0", "PROTOCOL_VERSION": "9"},
            {"CQL_VERSION": "4.0.0"}, {"CQL_VERSION": "3.4.8"}, {"CQL_VERSION": "3.0.0", "NO_COMPACT": "foo"}):
        other = c.another()
        other.version = version
        other.ask(STARTUP, string_map(**options))


@each_version
def flags_of_headers(c, version):
    for flags in (2, 8, 0x10, 0x20, 0x40, 0x80):
        other = c.another()
        other.start(version)
        other.ask(OPTIONS, flags=flags)
        other.ask(OPTIONS)
    for flags in (2, 0x10):
        other = c.another()
        other.version = version
        other.ask(STARTUP, string_map(CQL_VERSION="3.0.0"), flags=flags)


@exchange
def the_beta_version(c):
    startup = string_map(CQL_VERSION="3.0.0")
    for flags in (0, 0x10):
        for opcode, body in ((OPTIONS, b""), (STARTUP, startup)):
            other = c.another()
            other.raw(struct.pack(">BBhBi", 6, flags, 3, opcode, len(body)) + body)
            other.bytes_within(0.3)
    c.version, c.framed = 6, False
    c.ask(STARTUP, startup, flags=0x10)
    c.framed = True
    c.ask(QUERY, query(6, "SELECT v FROM serve_x.t WHERE p = 1 AND c = 1"), flags=0x10)
    c.ask(QUERY, long_string("SELECT v FROM t WHERE p = 1 AND c = 1") + short(ONE) + flags_of(6, 0x80) + string("serve_x"), flags=0x10)
    statement = c.ask(PREPARE, long_string("SELECT v FROM serve_x.t WHERE p = ?") + integer(0), flags=0x10)
    assert statement
    c.ask(OPTIONS, flags=0x10)
    c.ask(OPTIONS)


@each_version
def properties_that_statements_depend_on(c, version):
    c.start(version)
    c.run("CREATE TABLE serve_x.shaped (p int PRIMARY KEY, v int)")
    for change in ("comment = 'x'", "compaction = {'class': 'LeveledCompactionStrategy'}", "caching = {'keys': 'NONE', 'rows_per_partition': 'NONE'}",
                   "gc_grace_seconds = 5", "gc_grace_seconds = 5", "default_time_to_live = 7", "default_time_to_live = 7 AND comment = 'y'",
                   "speculative_retry = 'NEVER'", "cdc = false", "bloom_filter_fp_chance = 0.5", "memtable_flush_period_in_ms = 1000"):
        prepared = c.prepare("SELECT v FROM serve_x.shaped WHERE p = ?", note=False)
        c.run("ALTER TABLE serve_x.shaped WITH " + change)
        c.execute(prepared, 1, values(integer(1)))
    c.run("DROP TABLE serve_x.shaped")


@each_version
def masks_that_statements_depend_on(c, version):
    c.start(version)
    c.run("CREATE TABLE serve_x.hidden (p int PRIMARY KEY, v text, w int)")
    for change in ("MASKED WITH DEFAULT", "MASKED WITH DEFAULT", "MASKED WITH mask_inner(1, 1)", "MASKED WITH mask_inner(1, 2)",
                   "MASKED WITH mask_inner(1,2)", "DROP MASKED", "DROP MASKED"):
        prepared = c.prepare("SELECT w FROM serve_x.hidden WHERE p = ?", note=False)
        c.run("ALTER TABLE serve_x.hidden ALTER v " + change)
        c.execute(prepared, 1, values(integer(1)))
    c.run("DROP TABLE serve_x.hidden")


@each_version
def views_whose_tables_change(c, version):
    """Listeners are told of the views that have changed with their table, and statements of the others stay prepared."""
    c.start(version)
    c.run("CREATE TABLE serve_x.vt (p int, c int, v int, w int, PRIMARY KEY (p, c))")
    where = "WHERE p IS NOT NULL AND c IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p, c)"
    c.run("CREATE MATERIALIZED VIEW serve_x.vsome AS SELECT p, c, v FROM serve_x.vt " + where)
    c.run("CREATE MATERIALIZED VIEW serve_x.vall AS SELECT * FROM serve_x.vt " + where)
    prepared = [c.prepare("SELECT * FROM serve_x." + name, note=False) for name in ("vsome", "vall")]
    c.ask(REGISTER, short(1) + string("SCHEMA_CHANGE"))
    for change in ("ADD x int", "ADD s int static", "ADD (y int, z int)", "WITH comment = 'x'", "RENAME c TO cc", "ADD x int"):
        c.send(QUERY, query(version, "ALTER TABLE serve_x.vt " + change))
        while (c.answer() or (0,))[0] == 0x0C:
            pass
        for each in prepared:
            c.execute(each)
    for name in ("vsome", "vall"):
        c.run("DROP MATERIALIZED VIEW serve_x." + name)
    c.run("DROP TABLE serve_x.vt")


@exchange
def told_views_of_one_table(c):
    """All of them change with it; they come in the order of Cassandra's map of views."""
    c.start()
    c.run("CREATE TABLE serve_x.vm (p int, c int, PRIMARY KEY (p, c))")
    views = ["mv", "mv2", "a", "zz", "by_name", "v1", '"Quoted"', "users_by_email", "k", "x", "v2", "v3", "v4"]
    for name in views:
        c.run("CREATE MATERIALIZED VIEW serve_x.%s AS SELECT * FROM serve_x.vm WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)" % name)
    c.ask(REGISTER, short(1) + string("SCHEMA_CHANGE"))
    c.send(QUERY, query(4, "ALTER TABLE serve_x.vm RENAME c TO cc"))
    for _ in range(len(views) + 2):
        c.answer()
    for name in views:
        c.send(QUERY, query(4, "DROP MATERIALIZED VIEW serve_x." + name))
        while (c.answer(note=False) or (8,))[0] == 0x0C:
            pass
    c.run("DROP TABLE serve_x.vm")
