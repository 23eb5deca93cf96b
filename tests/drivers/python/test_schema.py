"""The schema as the driver reads it."""
from conftest import connect


def test_metadata_is_what_was_created(server, session, cluster):
    session.execute("CREATE TYPE addr (street text, zip int)")
    session.execute("CREATE TABLE \"Mixed\" (\"P\" int, c1 timeuuid, c2 text, st text static, v list<int>, a frozen<addr>, ve vector<float, 3>, "
                    "PRIMARY KEY (\"P\", c1, c2)) WITH CLUSTERING ORDER BY (c1 DESC, c2 ASC) AND comment = 'it''s' AND gc_grace_seconds = 100")
    session.execute("CREATE INDEX by_st ON \"Mixed\" (st)")
    session.execute("CREATE TABLE base (p int, c int, v int, PRIMARY KEY (p, c))")
    cluster.refresh_schema_metadata()
    keyspace = cluster.metadata.keyspaces[session.keyspace]
    table = keyspace.tables["Mixed"]
    assert [c.name for c in table.partition_key] == ["P"]
    assert [c.name for c in table.clustering_key] == ["c1", "c2"]
    assert table.columns["c1"].is_reversed and not table.columns["c2"].is_reversed
    assert table.columns["st"].is_static
    assert {name: c.cql_type for name, c in table.columns.items()} == {
        "P": "int", "c1": "timeuuid", "c2": "text", "st": "text", "v": "list<int>", "a": "frozen<addr>", "ve": "vector<float, 3>"}
    assert (table.options["comment"], table.options["gc_grace_seconds"]) == ("it's", 100)
    assert table.indexes["by_st"].index_options["target"] == "st"
    assert keyspace.user_types["addr"].field_names == ["street", "zip"]
    assert keyspace.replication_strategy.export_for_schema() == "{'class': 'SimpleStrategy', 'replication_factor': '1'}"
    text = table.as_cql_query(formatted=True)
    session.execute("DROP TABLE \"Mixed\"")
    session.execute(text)  # what the driver makes of it can be run
    session.execute("DROP TABLE \"Mixed\"")


def test_system_keyspaces_are_there(cluster, session):
    assert {"system", "system_schema", "system_auth", "system_traces", "system_distributed"} <= set(cluster.metadata.keyspaces)


def test_describe(session):
    session.execute("CREATE TABLE described (p int PRIMARY KEY, v text)")
    (row,) = session.execute("DESCRIBE TABLE described")
    assert row.type == "table" and row.create_statement.startswith("CREATE TABLE %s.described (" % session.keyspace)
    assert row.create_statement.replace(" ", "") == session.cluster.metadata.keyspaces[session.keyspace].tables["described"].export_as_string().replace(" ", "") \
        or "PRIMARY KEY" in row.create_statement


def test_keyspaces_are_described_in_the_order_of_their_names(session):
    for name in ('"OrderB"', "ordera", "orderc"):
        session.execute("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % name)
    names = [row.name for row in session.execute("DESCRIBE KEYSPACES") if "rder" in row.name]
    created = [row.keyspace_name for row in session.execute("DESCRIBE SCHEMA") if row.type == "keyspace" and "rder" in row.keyspace_name]
    for name in ('"OrderB"', "ordera", "orderc"):
        session.execute("DROP KEYSPACE %s" % name)
    assert names == created == ["ordera", '"OrderB"', "orderc"]
