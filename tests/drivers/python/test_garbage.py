"""Garbage on the port: whatever comes, the server stays, and others do not notice."""
import random
import socket
import struct
import time

import pytest
from conftest import AGAINST, Server, connect, has_sanitizer

pytestmark = pytest.mark.skipif(bool(AGAINST), reason="is about this server's memory and threads")


def raw(server):
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def is_well(server):
    cluster = connect(server, schema_metadata_enabled=False)
    assert cluster.connect().execute("SELECT key FROM system.local").one().key == "local"
    cluster.shutdown()


def resident(server):
    """KiB of memory that its process has."""
    with open("/proc/%d/statm" % server.process.pid) as f:
        return int(f.read().split()[1]) * 4


def frame(version, opcode, body, length=None, flags=0, stream=1):
    return struct.pack(">BBhBi", version, flags, stream, opcode, len(body) if length is None else length) + body


STARTUP = b"\0\1" + b"\0\x0bCQL_VERSION" + b"\0\x053.0.0"


def started(server, version=4):
    s = raw(server)
    s.sendall(frame(version, 1, STARTUP))
    assert s.recv(9)[4] == 2
    return s


def is_taken(server):
    try:
        started(server).close()
        return True
    except (OSError, AssertionError):  # told that it is one too many, or gone before that was read
        return False


def test_random_bytes(server):
    random.seed(1)
    for i in range(200):
        s = raw(server) if i % 2 else started(server, random.choice([3, 4, 5]))
        try:
            s.sendall(random.randbytes(random.choice([1, 8, 9, 100, 5000])))
        except OSError:
            pass
        s.close()
    is_well(server)


def test_random_bodies_behind_good_headers(server):
    random.seed(2)
    s = started(server)
    for i in range(500):
        body = random.randbytes(random.randrange(60))
        s.sendall(frame(4, random.choice([1, 5, 7, 9, 10, 11, 13, 15]), body, flags=random.choice([0, 2, 4, 6])))
        head = b""
        while len(head) < 9:
            head += s.recv(9 - len(head))
        left = struct.unpack(">i", head[5:])[0]
        while left:
            left -= len(s.recv(left))
    s.close()
    is_well(server)


def test_bits_flipped_in_a_good_request(server):
    random.seed(3)
    text = b"SELECT * FROM system.local WHERE key = ?"
    good = frame(4, 7, struct.pack(">i", len(text)) + text + b"\0\1" + b"\1" + b"\0\1" + b"\0\0\0\5local")
    for _ in range(300):
        data = bytearray(good)
        data[random.randrange(9, len(data))] ^= 1 << random.randrange(8)
        s = started(server)
        s.sendall(data)
        assert len(s.recv(9)) == 9
        s.close()
    is_well(server)


def test_lengths_that_lie(server):
    for length in (-1, 2**31 - 1, 16 << 20, -2**31):
        s = started(server)
        s.sendall(frame(4, 7, b"x" * 100, length=length))
        s.close()
    is_well(server)


def test_cut_off_frames(server):
    whole = frame(4, 1, STARTUP)
    for n in range(len(whole)):
        s = raw(server)
        s.sendall(whole[:n])
        s.close()
    is_well(server)


def test_one_byte_at_a_time(server):
    s = raw(server)
    for byte in frame(4, 1, STARTUP) + frame(4, 5, b""):
        s.sendall(bytes([byte]))
    assert s.recv(9)[4] == 2
    assert s.recv(9)[4] == 6
    s.close()


def test_connections_opened_and_dropped(server):
    for i in range(10000):
        s = raw(server)
        if i % 4 == 1:
            s.sendall(frame(4, 1, STARTUP))
        elif i % 4 == 2:
            s.sendall(frame(4, 1, STARTUP)[: i % 20])
        elif i % 4 == 3:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # gone with a reset
            s.sendall(frame(4, 1, STARTUP) + frame(4, 7, b"cut off", length=1000))
        s.close()
    is_well(server)


def test_a_slow_reader_holds_up_nobody(server):
    cluster = connect(server)
    session = cluster.connect()
    session.execute("CREATE KEYSPACE k_slow WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.execute("CREATE TABLE k_slow.t (p int, c int, v text, PRIMARY KEY (p, c))")
    insert = session.prepare("INSERT INTO k_slow.t (p, c, v) VALUES (1, ?, ?)")
    for future in [session.execute_async(insert, (i, "x" * 1000)) for i in range(2000)]:
        future.result()
    s = started(server)
    text = b"SELECT * FROM k_slow.t"
    request = frame(4, 7, struct.pack(">i", len(text)) + text + b"\0\1\0")
    s.settimeout(0.2)
    sent = 0
    try:
        for _ in range(20000):  # 2 MB each, none of it read
            s.sendall(request)
            sent += 1
    except socket.timeout:
        pass
    before = time.time()
    assert session.execute("SELECT count(*) FROM k_slow.t WHERE p = 1").one()[0] == 2000
    assert time.time() - before < 5
    assert resident(server) < 600 << 10, "%d KiB for one that does not read" % resident(server)
    s.close()
    session.execute("DROP KEYSPACE k_slow")
    cluster.shutdown()


def test_memory_comes_back(server):
    is_well(server)
    sockets = [started(server) for _ in range(500)]
    for s in sockets:
        s.close()
    is_well(server)
    assert resident(server) < 900 << 10


def test_statements_that_nobody_runs_hold_no_schema():
    """As a suite of tests has them: a keyspace and its statements for each test, and none of them dropped."""
    if has_sanitizer():
        pytest.skip("what is freed is kept")
    server = Server()
    cluster = connect(server, schema_metadata_enabled=False)
    session = cluster.connect()
    for i in range(400):
        session.execute("CREATE KEYSPACE k%d WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % i)
        session.execute("CREATE TABLE k%d.t (p int, c int, v text, PRIMARY KEY (p, c))" % i)
        statements = [session.prepare(cql % i) for cql in ("INSERT INTO k%d.t (p, c, v) VALUES (1, 2, 'x')", "SELECT * FROM k%d.t", "DELETE FROM k%d.t WHERE p = 1")]
        for statement in statements:
            session.execute(statement)
        if i == 100:
            before = resident(server)
    grown = resident(server) - before
    assert grown < 300 * 40, "%d KiB for 300 keyspaces" % grown  # 190 each, when each statement kept its own
    cluster.shutdown()
    assert server.stop() == 0


def test_an_idle_connection_is_closed_where_that_is_wanted():
    server = Server("--idle", "1")
    s = started(server)
    s.settimeout(10)
    head = s.recv(9)
    assert head[4] == 0 and b"idle for 1 seconds" in s.recv(1000)
    assert s.recv(1) == b""
    assert server.stop() == 0


def test_more_connections_than_are_allowed():
    server = Server("--connections", "3")
    sockets = [started(server) for _ in range(3)]
    refused = raw(server)
    assert refused.recv(9)[4] == 0 and b"Too many connections: the server takes 3" in refused.recv(1000)
    assert refused.recv(1) == b""
    sockets.pop().close()
    until = time.time() + 20
    while not is_taken(server):  # which hears of that when it comes to it
        assert time.time() < until
    assert server.stop() == 0
