"""Exchanges about what is refused when it is prepared, and what only when it is executed: of things that are not there, and of wrong values."""
from connection import PREPARE, integer, long_string, string, values
from exchange_list import each_version, exchange
from exchanges_anonymous import NODE_LOCAL

TRUNCATIONS = ("TRUNCATE serve_x.nosuch", "TRUNCATE serve_nosuch.t", "TRUNCATE nosuch", "TRUNCATE TABLE serve_x.nosuch", "TRUNCATE system_views.nosuch")
TABLE = "CREATE TABLE serve_x.nosuch (p int PRIMARY KEY) WITH "
PROPERTIES = ("gc_grace_seconds = 'x'", "bloom_filter_fp_chance = 'x'", "cdc = 'x'", "compaction = 'x'", "comment = {'a': 'b'}", "compaction = {'class': 'Nosuch'}",
              "compression = {'class': 'Nosuch'}", "caching = {'x': 'y'}", "speculative_retry = 'x'", "memtable = 'x'", "gc_grace_seconds = -1", "nosuch = 1",
              "compaction = {'class': 'SizeTieredCompactionStrategy', 'nosuch': 'x'}")
LATER = ("USE serve_nosuch", "DROP TABLE serve_x.nosuch", "DROP KEYSPACE serve_nosuch", "DROP TYPE serve_x.nosuch", "DROP INDEX serve_x.nosuch",
         "DROP MATERIALIZED VIEW serve_x.nosuch", "DROP FUNCTION serve_x.nosuch", "DROP AGGREGATE serve_x.nosuch", "ALTER TABLE serve_x.nosuch ADD v int",
         "ALTER TABLE serve_x.t ADD v int", "ALTER TABLE serve_x.t DROP nosuch", "ALTER TYPE serve_x.nosuch ADD v int", "CREATE TYPE serve_x.addr (a int)",
         "CREATE TABLE serve_x.t (p int PRIMARY KEY)", "CREATE TABLE serve_x.nosuch (p nosuch PRIMARY KEY)", "CREATE INDEX ON serve_x.nosuch (v)",
         "CREATE INDEX ON serve_x.t (nosuch)", "ALTER MATERIALIZED VIEW serve_x.nosuch WITH gc_grace_seconds = 'x'", "DESCRIBE TABLE serve_x.nosuch",
         "CREATE KEYSPACE serve_x WITH replication = {'class': 'Nosuch'}", "ALTER KEYSPACE serve_nosuch WITH durable_writes = true")
OF_ROLES = ("CREATE ROLE r WITH OPTIONS = {'x': 'y'}", "CREATE ROLE r WITH HASHED PASSWORD = 'b'", "CREATE ROLE r WITH ACCESS TO DATACENTERS {'x'}", "CREATE ROLE ''",
            "ALTER ROLE r", "ALTER USER r WITH PASSWORD 'x'", "DROP ROLE r", "LIST ALL ON serve_x.nosuch")


def prepare_and_run(c, text):
    prepared = c.prepare(text)
    if prepared[0]:
        c.execute(prepared)
        c.execute(prepared, consistency=NODE_LOCAL)
    c.run(text, note=True)
    c.run(text, note=True, consistency=NODE_LOCAL)


@each_version
def keys_of_many_columns(c, version):
    """Clients route by the markers of all of them."""
    names = ["k%d" % i for i in range(40)]
    c.start(version)
    c.run("CREATE TABLE serve_x.wide_key (%s, PRIMARY KEY ((%s)))" % (", ".join(n + " int" for n in names), ", ".join(names)), note=False)
    c.prepare("SELECT k0 FROM serve_x.wide_key WHERE " + " AND ".join(n + " = ?" for n in reversed(names)))
    c.prepare("INSERT INTO serve_x.wide_key (%s) VALUES (%s)" % (", ".join(names), ", ".join("?" for _ in names)))
    c.prepare("INSERT INTO serve_x.wide_key (%s) VALUES (1%s)" % (", ".join(names), ", ?" * 39))
    c.run("DROP TABLE serve_x.wide_key", note=False)


@each_version
def tables_to_truncate_that_are_not_there(c, version):
    c.start(version)
    for text in TRUNCATIONS:
        prepare_and_run(c, text)
    c.run("USE serve_x")
    prepare_and_run(c, "TRUNCATE nosuch")
    prepare_and_run(c, "TRUNCATE n")


@exchange
def properties_with_wrong_values(c):
    c.start()
    for properties in PROPERTIES:
        prepare_and_run(c, TABLE + properties)
        prepare_and_run(c, "ALTER TABLE serve_x.nosuch WITH " + properties)


@each_version
def what_is_not_there_is_noticed_when_it_is_run(c, version):
    c.start(version)
    for text in LATER:
        prepare_and_run(c, text)


@exchange
def roles_with_wrong_values(c):
    c.start()
    for text in OF_ROLES:
        prepare_and_run(c, text)


@exchange
def system_keyspaces_come_before_the_level(c):
    c.start()
    for text in ("ALTER KEYSPACE system WITH durable_writes = true", "DROP KEYSPACE system", "CREATE TABLE system.nosuch (p int PRIMARY KEY)",
                 "ALTER TABLE system.local ADD v int", "DROP TABLE system.local"):
        c.run(text, note=True, consistency=NODE_LOCAL)


@exchange
def what_was_refused_is_not_kept(c):
    c.start()
    for _ in range(2):
        c.ask(PREPARE, long_string("TRUNCATE serve_x.later"))
    c.run("CREATE TABLE serve_x.later (p int PRIMARY KEY)")
    prepared = c.prepare("TRUNCATE serve_x.later")
    c.execute(prepared)
    c.run("DROP TABLE serve_x.later")
    c.execute(prepared)


@each_version
def what_looks_up_the_keyspace_of_the_connection(c, version):
    """DESCRIBE asks for the one that is current when it runs, not for that of its request or of its PREPARE; USE takes no values."""
    c.start(version)
    describe = c.prepare("DESCRIBE TABLE two")
    use = c.prepare("USE serve_x")
    c.execute(describe)
    for count in (1, 2):
        c.execute(use, 1, values(*[integer(1)] * count))
    c.execute(use)
    c.execute(describe)
    c.run("USE serve_three")
    c.execute(describe)
    c.execute(describe, 1, values(integer(1)))
    if version >= 5:
        for keyspace in ("serve_x", "serve_nosuch"):
            c.run("DESCRIBE TABLE two", note=True, flags=0x80, rest=string(keyspace))
        c.execute(c.prepare("DESCRIBE TABLE two", "serve_x"))


@exchange
def what_looks_up_the_keyspace_before_it_tells_owners(c):
    """How many columns the cluster has in each: what they say is each server's own."""
    c.start()
    for keyspace in ("system", "system_auth", "system_views", "serve_x"):
        c.run("USE " + keyspace)
        c.notes.append("%s %s" % (keyspace, c.run("DESCRIBE CLUSTER")[1][8:12].hex()))


@each_version
def columns_in_descending_order(c, version):
    """The class of a result's column counts in the id of its metadata, but what is sent of it is the type that it is of."""
    c.start(version)
    for kind, name in (("text", "text"), ("vector<float, 2>", "vector"), ("tuple<int, text>", "tuple"), ("frozen<list<int>>", "list")):
        table = "serve_x.descending_%s_%d" % (name, version)
        c.run("CREATE TABLE %s (p int, c %s, d int, v int, PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)" % (table, kind))
        for text in ("*", "c", "c AS x, d", "max(c)", "[c], {c}", "(c, d)", "mask_default(c)"):
            c.prepare("SELECT %s FROM %s" % (text, table))
        c.run("SELECT c, [c] FROM %s" % table, note=True)
        c.run("CREATE MATERIALIZED VIEW %s_view AS SELECT * FROM %s WHERE p IS NOT NULL AND c IS NOT NULL AND d IS NOT NULL PRIMARY KEY (p, d, c) "
              "WITH CLUSTERING ORDER BY (d DESC, c ASC)" % (table, table))
        c.prepare("SELECT * FROM %s_view" % table)
        c.run("DROP MATERIALIZED VIEW %s_view" % table)
        c.run("DROP TABLE %s" % table)
