"""TLS, with and without certificates of clients."""
import os
import select
import shutil
import signal
import socket
import ssl
import subprocess

import pytest
from cassandra.cluster import NoHostAvailable
from conftest import Server, connect

pytestmark = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl makes the certificates")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A certificate authority, and a server's and a client's certificate that it has signed; paths without their endings."""
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run([os.environ["CERTIFICATES"], folder], check=True)
    return folder


@pytest.fixture(scope="module")
def tls_server(files):
    server = Server("--tls-cert", str(files / "server.pem"), "--tls-key", str(files / "server.key"))
    yield server
    assert server.stop() == 0


@pytest.fixture(scope="module")
def mutual_server(files):
    server = Server("--tls-cert", str(files / "server.pem"), "--tls-key", str(files / "server.key"), "--tls-client-ca", str(files / "ca.pem"))
    yield server
    assert server.stop() == 0


def context(files, certificate=None):
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    made.check_hostname = False
    made.load_verify_locations(files / "ca.pem")
    if certificate:
        made.load_cert_chain(files / (certificate + ".pem"), files / (certificate + ".key"))
    return made


@pytest.mark.parametrize("version", [3, 4, 5])
def test_everything_goes_over_tls(files, tls_server, version):
    cluster = connect(tls_server, ssl_context=context(files), protocol_version=version)
    session = cluster.connect()
    session.execute("CREATE KEYSPACE IF NOT EXISTS k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.execute("CREATE TABLE IF NOT EXISTS k.t (p int, c int, v text, PRIMARY KEY (p, c))")
    insert = session.prepare("INSERT INTO k.t (p, c, v) VALUES (?, ?, ?)")
    for future in [session.execute_async(insert, (version, i, str(i) * 5000)) for i in range(300)]:
        future.result()
    rows = list(session.execute("SELECT c, v FROM k.t WHERE p = %s", (version,)))
    assert [(row.c, row.v) for row in rows] == [(i, str(i) * 5000) for i in range(300)]
    row = session.execute("SELECT * FROM system_views.clients").one()
    assert row.ssl_enabled and row.ssl_protocol.startswith("TLSv1.") and row.ssl_cipher_suite.startswith("TLS_")
    cluster.shutdown()


def test_who_does_not_speak_tls_is_not_heard(tls_server):
    cluster = connect(tls_server, connect_timeout=2)
    with pytest.raises(NoHostAvailable):
        cluster.connect()
    cluster.shutdown()


def test_a_client_with_a_certificate(files, mutual_server):
    cluster = connect(mutual_server, ssl_context=context(files, "client"))
    assert cluster.connect().execute("SELECT key FROM system.local").one().key == "local"
    cluster.shutdown()


def test_a_client_with_a_certificate_resumes_its_session(files, mutual_server):
    made = context(files, "client")
    session = None
    for resumed in (False, True):  # as Java's driver does
        with made.wrap_socket(socket.create_connection(("127.0.0.1", mutual_server.port), timeout=10), session=session) as s:
            s.sendall(bytes([4, 0, 0, 0, 5, 0, 0, 0, 0]))
            assert s.recv(9)[4] == 6
            assert s.session_reused == resumed
            session = s.session


def test_a_client_without_a_certificate(files, mutual_server):
    cluster = connect(mutual_server, ssl_context=context(files), connect_timeout=2)
    with pytest.raises(NoHostAvailable):
        cluster.connect()
    cluster.shutdown()


def client_hello():
    """The bytes that a client begins with."""
    made, out = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ssl.MemoryBIO()
    made.check_hostname = False
    with pytest.raises(ssl.SSLWantReadError):
        made.wrap_bio(ssl.MemoryBIO(), out).do_handshake()
    return out.read()


def test_handshakes_keep_nobody_waiting(files, tls_server):
    hello, count = client_hello(), 300
    with context(files).wrap_socket(socket.create_connection(("127.0.0.1", tls_server.port), timeout=30)) as s:
        ask = bytes([4, 0, 0, 0, 5, 0, 0, 0, 0])
        others = [socket.create_connection(("127.0.0.1", tls_server.port), timeout=30) for _ in range(count)]
        for _ in range(3):  # by then all have been accepted
            s.sendall(ask)
            assert s.recv(1000)[4] == 6
        os.kill(tls_server.process.pid, signal.SIGSTOP)  # so that the server meets them all at once, and the request behind them
        for other in others:
            other.sendall(hello)
        s.sendall(ask)
        os.kill(tls_server.process.pid, signal.SIGCONT)
        assert s.recv(1000)[4] == 6
        assert len(select.select(others, [], [], 0)[0]) < count / 2
        for other in others[::2]:  # some go away in the middle, the others are served
            other.close()
        assert all(other.recv(5)[0] == 22 for other in others[1::2])
        for other in others[1::2]:
            other.close()


def test_a_handshake_that_fails_is_told_why(tls_server):
    with socket.create_connection(("127.0.0.1", tls_server.port), timeout=30) as s:
        s.sendall(client_hello()[:5] + b"\xff" * 600)
        alert = s.recv(100)
        assert alert[0] == 21 and alert[5] == 2  # a fatal alert
        assert s.recv(100) == b""


def test_no_second_handshake_on_a_connection(files, tls_server):
    """Of TLS 1.2, where a client could ask for one after the other."""
    command = ["openssl", "s_client", "-connect", "127.0.0.1:%d" % tls_server.port, "-tls1_2", "-CAfile", str(files / "ca.pem")]
    asked = subprocess.run(command, input="R\n", capture_output=True, text=True, timeout=30)
    assert "RENEGOTIATING" in asked.stdout + asked.stderr and "no renegotiation" in asked.stderr


def test_files_that_are_no_certificates(files):
    for certificate, key in (("nosuch.pem", "server.key"), ("server.pem", "client.key"), ("server.key", "server.key")):
        with pytest.raises(AttributeError):  # it tells no port
            Server("--tls-cert", str(files / certificate), "--tls-key", str(files / key))
