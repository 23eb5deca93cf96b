"""A server of its own for the whole run, a keyspace of its own for each test module."""
import os
import re
import subprocess

import pytest
from cassandra.cluster import Cluster


class Server:
    """`wr serve` as a process, on a port that was free."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen([os.environ["WR"], "serve", "--port", "0", *arguments], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.port = int(re.fullmatch(r"listening on .*:(\d+)\n", line).group(1))

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=30)


@pytest.fixture(scope="session")
def server():
    server = Server()
    yield server
    assert server.stop() == 0


def connect(server, **named):
    named.setdefault("compression", False)
    return Cluster(["127.0.0.1"], port=server.port, **named)


@pytest.fixture(scope="module")
def cluster(server):
    cluster = connect(server)
    yield cluster
    cluster.shutdown()


@pytest.fixture(scope="module")
def session(cluster, request):
    session = cluster.connect()
    keyspace = request.module.__name__.replace("test_", "k_")
    session.execute("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % keyspace)
    session.set_keyspace(keyspace)
    yield session
    session.execute("DROP KEYSPACE %s" % keyspace)
