"""Names and passwords."""
import pytest
from cassandra import AuthenticationFailed
from cassandra.auth import PlainTextAuthProvider
from cassandra.cluster import NoHostAvailable
from conftest import Server, connect


@pytest.fixture(scope="module")
def auth_server():
    server = Server("--auth")
    yield server
    assert server.stop() == 0


@pytest.mark.parametrize("version", [3, 4, 5])
def test_the_right_password(auth_server, version):
    cluster = connect(auth_server, auth_provider=PlainTextAuthProvider("cassandra", "cassandra"), protocol_version=version)
    session = cluster.connect()
    assert session.execute("SELECT key FROM system.local").one().key == "local"
    assert {row.username for row in session.execute("SELECT username FROM system_views.clients")} == {"cassandra"}
    settings = {row.name: row.value for row in session.execute("SELECT * FROM system_views.settings")}
    assert settings["authenticator.class_name"] == "PasswordAuthenticator"
    assert settings["authorizer.class_name"] == "CassandraAuthorizer"
    cluster.shutdown()


@pytest.mark.parametrize("user, password", [("cassandra", "wrong"), ("nobody", "cassandra"), ("cassandra", "cassandr")])
def test_a_wrong_one(auth_server, user, password):
    cluster = connect(auth_server, auth_provider=PlainTextAuthProvider(user, password), protocol_version=4)
    with pytest.raises(NoHostAvailable) as error:
        cluster.connect()
    (reason,) = error.value.errors.values()
    assert isinstance(reason, AuthenticationFailed)
    assert "Provided username %s and/or password are incorrect" % user in str(reason)
    cluster.shutdown()


def test_a_long_name_and_password(auth_server):
    name, password = "n" * 700, "p" * 700
    for user, statement in (
        (("cassandra", "cassandra"), "CREATE ROLE %s WITH LOGIN = true AND PASSWORD = '%s'" % (name, password)),
        ((name, password), "LIST ROLES"),
    ):
        cluster = connect(auth_server, auth_provider=PlainTextAuthProvider(*user), protocol_version=5)
        rows = cluster.connect().execute(statement).all()
        cluster.shutdown()
    assert [row.role for row in rows] == [name]


def test_none(auth_server):
    cluster = connect(auth_server, protocol_version=4)
    with pytest.raises(NoHostAvailable) as error:
        cluster.connect()
    assert isinstance(list(error.value.errors.values())[0], AuthenticationFailed)
    cluster.shutdown()


def test_who_is_not_asked_may_give_one(server):
    cluster = connect(server, auth_provider=PlainTextAuthProvider("any", "thing"))
    assert cluster.connect().execute("SELECT key FROM system.local").one().key == "local"
    cluster.shutdown()
