"""A server of its own for the whole run, or the Cassandra that AGAINST names; a keyspace of its own for each test module."""
import os
import re
import subprocess

import pytest
from cassandra.cluster import Cluster

AGAINST = os.environ.get("AGAINST")


def has_sanitizer():
    """Whether what is freed is kept, so that memory tells nothing."""
    with open(os.environ["WR"], "rb") as f:
        return b"__asan_init" in f.read()


class Cassandra:
    """A server that is there already."""

    port = int(AGAINST.rsplit(":", 1)[1]) if AGAINST else None

    def stop(self):
        return 0


class Server:
    """`wr serve` as a process, on a port that was free. A test that needs one skips where a Cassandra is asked."""

    def __init__(self, *arguments):
        if AGAINST:
            pytest.skip("needs a server of its own")
        self.process = subprocess.Popen([os.environ["WR"], "serve", "--port", "0", "--until-stdin-ends", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"listening on .*:(\d+)\n", line).group(1))

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=30)


@pytest.fixture(scope="session")
def server():
    server = Cassandra() if AGAINST else Server()
    yield server
    assert server.stop() == 0


def connect(server, **named):
    named.setdefault("compression", False)
    return Cluster(["127.0.0.1"], port=server.port, connect_timeout=named.pop("connect_timeout", 20), **named)


@pytest.fixture(scope="module")
def cluster(server):
    cluster = connect(server)
    yield cluster
    cluster.shutdown()


@pytest.fixture(scope="module")
def session(cluster, request):
    session = cluster.connect()
    keyspace = request.module.__name__.replace("test_", "k_")
    session.execute("DROP KEYSPACE IF EXISTS %s" % keyspace)
    session.execute("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % keyspace)
    session.set_keyspace(keyspace)
    yield session
    session.execute("DROP KEYSPACE %s" % keyspace)
