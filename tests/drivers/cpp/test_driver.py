"""Statements, pages, types, errors and metadata through the C/C++ driver."""
import asyncio
import time

import acsylla
import pytest
from conftest import Server, connect


def test_rows_come_in_the_order_of_the_table(session):
    for c in range(3):
        session.run("INSERT INTO t (p, c, v) VALUES (?, ?, ?)", 1, c, "v%d" % c)
    assert session.rows("SELECT c, v FROM t WHERE p = 1") == [[2, "v2"], [1, "v1"], [0, "v0"]]
    assert session.run("SELECT c, v FROM t WHERE p = 1").columns_names() == ["c", "v"]
    assert session.run("SELECT c FROM t WHERE p = 77").count() == 0


def test_many_requests_at_once_and_pages(session):
    prepared = session.wait(session.session.create_prepared("INSERT INTO t (p, c, v) VALUES (?, ?, ?)"))

    async def insert_all():
        async def insert(c):
            statement = prepared.bind()
            statement.bind_list([2, c, None if c % 2 else "x"])
            await session.session.execute(statement)
        await asyncio.gather(*[insert(c) for c in range(200)])

    session.wait(insert_all())
    statement, seen = acsylla.create_statement("SELECT c FROM t WHERE p = 2", page_size=30), []
    while True:
        result = session.wait(session.session.execute(statement))
        seen += [row.as_list()[0] for row in result.all()]
        if not result.has_more_pages():
            break
        statement.set_page_state(result.page_state())
    assert seen == list(range(199, -1, -1))
    assert session.rows("SELECT v FROM t WHERE p = 2 AND c IN (4, 5)") == [[None], ["x"]]


@pytest.mark.parametrize("kind", [acsylla.create_batch_logged, acsylla.create_batch_unlogged])
def test_batches_of_prepared_and_other_statements(session, kind):
    prepared = session.wait(session.session.create_prepared("INSERT INTO t (p, c, v) VALUES (?, ?, ?)"))
    statement = prepared.bind()
    statement.bind_list([3, 1, "b"])
    batch = kind()
    batch.add_statement(statement)
    batch.add_statement(acsylla.create_statement("INSERT INTO t (p, c) VALUES (3, 2)"))
    session.wait(session.session.execute_batch(batch))
    assert session.rows("SELECT c, v FROM t WHERE p = 3") == [[2, None], [1, "b"]]


def test_conditions(session):
    session.run("DELETE FROM t WHERE p = 4")
    insert = "INSERT INTO t (p, c, v) VALUES (4, 1, 'a') IF NOT EXISTS"
    assert session.rows(insert) == [[True]]
    again = session.run(insert)
    assert again.columns_names() == ["[applied]", "p", "c", "s", "v"] and again.first().as_list() == [False, 4, 1, None, "a"]
    assert session.rows("UPDATE t SET v = 'b' WHERE p = 4 AND c = 1 IF v = 'nosuch'") == [[False, "a"]]


@pytest.mark.parametrize("type_name, literal, value", [
    ("bigint", "9223372036854775807", 2 ** 63 - 1), ("boolean", "true", True), ("blob", "0x00ff", b"\x00\xff"), ("double", "1.5", 1.5),
    ("inet", "'::1'", "::1"), ("smallint", "-32768", -32768), ("text", "'é'", "é"), ("list<int>", "[1, 2]", [1, 2]),
    ("map<text, frozen<list<int>>>", "{'k': [1]}", {"k": [1]}), ("set<text>", "{'b', 'a'}", {"a", "b"}), ("tuple<int, text>", "(1, 'x')", (1, "x")),
])
def test_types(session, type_name, literal, value):
    session.run("CREATE TABLE one (p int PRIMARY KEY, v %s)" % type_name)
    session.run("INSERT INTO one (p, v) VALUES (1, %s)" % literal)
    session.run("INSERT INTO one (p) VALUES (2)")
    rows = dict(session.rows("SELECT p, v FROM one"))
    session.run("DROP TABLE one")
    assert type(value)(rows[1]) == value and not rows[2]


@pytest.mark.parametrize("text, message", [
    ("SELEC", "no viable alternative"), ("SELECT * FROM nosuch", "table nosuch does not exist"), ("SELECT nosuch FROM t", "Undefined column name nosuch"),
    ("INSERT INTO t (p) VALUES (1)", "Some clustering keys are missing: c"),
])
def test_errors(session, text, message):
    with pytest.raises(Exception, match=message):
        session.run(text)


def test_too_few_replicas(session):
    with pytest.raises(Exception, match="(?i)unavailable|Cannot achieve"):
        session.run("SELECT c FROM t WHERE p = 1", consistency=acsylla.Consistency.THREE)


def test_metadata_follows_the_schema(session):
    session.run("CREATE TYPE addr (street text, zip int)")
    session.run("CREATE TABLE \"Mix\" (\"K\" int, c text, a frozen<addr>, PRIMARY KEY (\"K\", c)) WITH comment = 'of it'")
    session.run("CREATE INDEX by_a ON \"Mix\" (a)")
    session.run("CREATE MATERIALIZED VIEW mv AS SELECT p, c FROM t WHERE p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (c, p)")
    metadata = session.session.get_metadata()
    for _ in range(50):  # the driver hears of it by an event
        if "mv" in metadata.get_materialized_views("k_cpp"):
            break
        time.sleep(0.1)
        metadata = session.session.get_metadata()
    keyspace = metadata.get_keyspace_meta("k_cpp")
    (table,) = [table for table in keyspace.tables if table.name == "Mix"]
    session.run("DROP MATERIALIZED VIEW mv")
    session.run("DROP TABLE \"Mix\"")
    session.run("DROP TYPE addr")
    assert {column.name: column.type for column in table.columns} == {"K": "int", "c": "text", "a": "frozen<addr>"}
    assert [index.name for index in table.indexes] == ["by_a"]
    assert metadata.get_user_types("k_cpp") == ["addr"] and metadata.get_materialized_views("k_cpp") == ["mv"]
    assert metadata.get_version() == (5, 0, 6)


def test_a_statement_is_prepared_again_where_its_table_has_changed(session):
    session.run("CREATE TABLE changing (p int PRIMARY KEY, v int)")
    session.run("INSERT INTO changing (p, v) VALUES (1, 2)")
    prepared = session.wait(session.session.create_prepared("SELECT v FROM changing WHERE p = ?"))

    def rows():
        statement = prepared.bind()
        statement.bind_list([1])
        return [row.as_list() for row in session.wait(session.session.execute(statement)).all()]

    before = rows()
    session.run("ALTER TABLE changing ADD w int")
    after = rows()
    session.run("DROP TABLE changing")
    assert before == after == [[2]]


def test_a_name_and_a_password(wait):
    server = Server("--auth")
    session = connect(wait, server.port, username="cassandra", password="cassandra")
    assert session.rows("SELECT key FROM system.local") == [["local"]]
    wait(session.session.close())
    with pytest.raises(Exception, match="(?i)credentials|incorrect"):
        connect(wait, server.port, username="cassandra", password="nonsense")
    assert server.stop() == 0
