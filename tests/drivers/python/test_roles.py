"""Roles over real connections: who may log in, what each may do, and that a change counts at once, for prepared statements too."""
import pytest
from cassandra import AuthenticationFailed, InvalidRequest, Unauthorized
from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import NoHostAvailable
from cassandra.query import BatchStatement, SimpleStatement
from conftest import Server, connect


class Logins:
    def __init__(self):
        self.server = Server("--auth")
        self.clusters = []

    def session(self, name, password):
        cluster = connect(self.server, auth_provider=PlainTextAuthProvider(name, password), protocol_version=5)
        self.clusters.append(cluster)
        return cluster.connect()

    def refusal(self, name, password):
        with pytest.raises(NoHostAvailable) as error:
            self.session(name, password)
        (reason,) = error.value.errors.values()
        assert isinstance(reason, AuthenticationFailed)
        return str(reason)


@pytest.fixture(scope="module")
def logins():
    logins = Logins()
    admin = logins.admin = logins.session("cassandra", "cassandra")
    admin.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    admin.execute("CREATE TABLE k.t (p int PRIMARY KEY, v text)")
    admin.execute("INSERT INTO k.t (p, v) VALUES (1, 'one')")
    yield logins
    for cluster in logins.clusters:
        cluster.shutdown()
    assert logins.server.stop() == 0


def refused(session, statement, values=None):
    with pytest.raises(Unauthorized) as error:
        session.execute(statement, values)
    return str(error.value)


def test_who_may_log_in(logins):
    logins.admin.execute("CREATE ROLE visitor WITH PASSWORD = 'v'")
    assert "visitor is not permitted to log in" in logins.refusal("visitor", "v")
    logins.admin.execute("ALTER ROLE visitor WITH LOGIN = true")
    assert logins.session("visitor", "v").execute("SELECT key FROM system.local").one().key == "local"
    logins.admin.execute("ALTER ROLE visitor WITH PASSWORD = 'w'")
    assert "Provided username visitor and/or password are incorrect" in logins.refusal("visitor", "v")
    logins.admin.execute("DROP ROLE visitor")
    assert "Provided username visitor and/or password are incorrect" in logins.refusal("visitor", "w")


def test_a_change_counts_at_once_for_a_prepared_statement(logins):
    logins.admin.execute("CREATE ROLE reader WITH PASSWORD = 'r' AND LOGIN = true")
    reader = logins.session("reader", "r")
    select = reader.prepare("SELECT v FROM k.t WHERE p = ?")
    mine = logins.admin.prepare("SELECT v FROM k.t WHERE p = ?")
    told = "User reader has no SELECT permission on <table k.t> or any of its parents"
    for _ in range(2):
        assert told in refused(reader, select, [1])
        assert logins.admin.execute(mine, [1]).one().v == "one"  # the same entry of the server's
        logins.admin.execute("GRANT SELECT ON KEYSPACE k TO reader")
        assert reader.execute(select, [1]).one().v == "one"
        logins.admin.execute("REVOKE SELECT ON KEYSPACE k FROM reader")
    logins.admin.execute("DROP ROLE reader")
    assert "You do not have access to this datacenter (datacenter1)" in refused(reader, select, [1])


def test_batches(logins):
    logins.admin.execute("CREATE ROLE writer WITH PASSWORD = 'w' AND LOGIN = true")
    writer = logins.session("writer", "w")
    batch = BatchStatement()
    batch.add(writer.prepare("INSERT INTO k.t (p, v) VALUES (?, ?)"), [2, "two"])
    batch.add(SimpleStatement("UPDATE k.t SET v = 'three' WHERE p = 3"))
    assert "User writer has no MODIFY permission on <table k.t> or any of its parents" in refused(writer, batch)
    logins.admin.execute("GRANT MODIFY ON k.t TO writer")
    writer.execute(batch)
    assert {row.p for row in logins.admin.execute("SELECT p FROM k.t")} == {1, 2, 3}
    assert "has no SELECT permission" in refused(writer, "UPDATE k.t SET v = 'x' WHERE p = 3 IF v = 'three'")


def test_a_trace_is_written_for_whoever_asks(logins):
    logins.admin.execute("CREATE ROLE tracer WITH PASSWORD = 't' AND LOGIN = true")
    tracer = logins.session("tracer", "t")
    future = tracer.execute_async("SELECT key FROM system.local", trace=True)
    assert future.result().one().key == "local"
    assert future.get_query_trace().request_type == "Execute CQL3 query"


def test_a_list_without_rows_is_no_result(logins):
    logins.admin.execute("CREATE ROLE nothing WITH PASSWORD = 'n' AND LOGIN = true")
    nothing = logins.session("nothing", "n")
    assert nothing.execute("LIST ALL OF nothing").column_names is None
    assert [row.role for row in nothing.execute("LIST ROLES")] == ["nothing"]
    with pytest.raises(InvalidRequest) as error:
        nothing.execute("LIST ROLES OF nobody")
    assert "<role nobody> doesn't exist" in str(error.value)


def test_a_statement_about_roles_is_validated_whenever_it_is_prepared(logins):
    logins.admin.execute("CREATE ROLE passing")
    logins.admin.prepare("DROP ROLE passing")
    logins.admin.execute("DROP ROLE passing")
    with pytest.raises(InvalidRequest) as error:
        logins.admin.prepare("DROP ROLE passing")
    assert "passing doesn't exist" in str(error.value)
