"""Connecting: versions, compression, discovery, USE, many clients."""
import time

import pytest
from cassandra import ProtocolVersion
from cassandra.cluster import NoHostAvailable
from cassandra.policies import ConstantReconnectionPolicy
from conftest import Server, connect


@pytest.mark.parametrize("version", [3, 4, 5])
@pytest.mark.parametrize("compression", [False, "lz4", "snappy"])
def test_each_version_and_compression(server, version, compression):
    if version == 5 and compression == "snappy":
        pytest.skip("v5 has LZ4 alone")
    cluster = connect(server, protocol_version=version, compression=compression)
    session = cluster.connect()
    long = "x" * 300000
    assert session.execute("SELECT cql_version FROM system.local").one().cql_version == "3.4.7"
    session.execute("CREATE KEYSPACE IF NOT EXISTS k_long WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.execute("CREATE TABLE IF NOT EXISTS k_long.t (p int PRIMARY KEY, v text)")
    session.execute("INSERT INTO k_long.t (p, v) VALUES (%s, %s)", (version, long))
    assert session.execute("SELECT v FROM k_long.t WHERE p = %s", (version,)).one().v == long
    cluster.shutdown()


def test_the_driver_finds_the_best_version_by_itself(server):
    cluster = connect(server)
    cluster.connect()
    assert cluster.protocol_version == ProtocolVersion.V5
    cluster.shutdown()


def test_a_version_that_is_not_spoken(server):
    cluster = connect(server, protocol_version=2)
    with pytest.raises(Exception):
        cluster.connect()
    cluster.shutdown()


def test_use(server):
    cluster = connect(server)
    session = cluster.connect("system")
    assert session.execute("SELECT key FROM local").one().key == "local"
    with pytest.raises(Exception, match="'nosuch' does not exist"):
        session.set_keyspace("nosuch")
    cluster.shutdown()


def test_hosts(server):
    cluster = connect(server)
    cluster.connect()
    (host,) = cluster.metadata.all_hosts()
    assert (host.datacenter, host.rack, host.release_version, host.is_up) == ("datacenter1", "rack1", "5.0.6", True)
    assert cluster.metadata.token_map is not None
    cluster.shutdown()


def test_a_client_finds_itself(server):
    cluster = connect(server, protocol_version=4)
    session = cluster.connect("system_traces")
    (row,) = [row for row in session.execute("SELECT * FROM system_views.clients") if row.keyspace_name == "system_traces"]
    assert (row.address, row.protocol_version, row.connection_stage) == ("127.0.0.1", 4, "ready")
    assert row.driver_name.endswith("Python Driver")
    assert row.client_options["CQL_VERSION"] and row.request_count > 1
    cluster.shutdown()


def test_many_clients_at_once(server):
    clusters = [connect(server, schema_metadata_enabled=False, token_metadata_enabled=False) for _ in range(30)]
    futures = [c.connect().execute_async("SELECT key FROM system.local") for c in clusters]
    assert [f.result().one().key for f in futures] == ["local"] * len(clusters)
    for cluster in clusters:
        cluster.shutdown()


def test_what_was_written_is_there_after_a_restart(tmp_path):
    folder = str(tmp_path / "db")
    server = Server(folder)
    cluster = connect(server)
    session = cluster.connect()
    session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.execute("CREATE TABLE k.t (p int PRIMARY KEY, v int)")
    session.execute("INSERT INTO k.t (p, v) VALUES (1, 2)")
    cluster.shutdown()
    assert server.stop() == 0
    server = Server(folder)
    cluster = connect(server)
    session = cluster.connect()
    assert session.execute("SELECT v FROM k.t WHERE p = 1").one().v == 2
    cluster.shutdown()
    assert server.stop() == 0


def test_a_statement_prepared_before_a_restart_is_prepared_again(tmp_path):
    folder = str(tmp_path / "db")
    server = Server(folder)
    port = str(server.port)
    cluster = connect(server, reconnection_policy=ConstantReconnectionPolicy(0.2, None))
    session = cluster.connect()
    session.execute("CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.execute("CREATE TABLE k.t (p int PRIMARY KEY, v int)")
    insert = session.prepare("INSERT INTO k.t (p, v) VALUES (?, ?)")
    server.stop()
    server = Server(folder, "--listen", "127.0.0.1:" + port)
    for _ in range(100):
        try:
            session.execute(insert, (5, 6))
            break
        except NoHostAvailable:
            time.sleep(0.1)
    assert session.execute("SELECT v FROM k.t WHERE p = 5").one().v == 6
    cluster.shutdown()
    assert server.stop() == 0
