"""A server of its own for the whole run, or the Cassandra that AGAINST names. The driver is asynchronous: `wait` runs what it gives."""
import asyncio
import os
import re
import subprocess

import acsylla
import pytest

AGAINST = os.environ.get("AGAINST")
VERSIONS = (3, 4, None)  # None: what the two agree on


class Server:
    def __init__(self, *arguments):
        if AGAINST:
            pytest.skip("needs a server of its own")
        self.process = subprocess.Popen([os.environ["WR"], "serve", "--port", "0", "--until-stdin-ends", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.port = int(re.fullmatch(r"listening on .*:(\d+)\n", self.process.stdout.readline()).group(1))

    def stop(self):
        self.process.terminate()
        return self.process.wait(timeout=30)


@pytest.fixture(scope="session")
def port():
    if AGAINST:
        yield int(AGAINST.rsplit(":", 1)[1])
        return
    server = Server()
    yield server.port
    assert server.stop() == 0


@pytest.fixture(scope="session")
def wait():
    loop = asyncio.new_event_loop()
    yield loop.run_until_complete
    loop.close()


class Session:
    """What the tests ask of the driver, waiting for it each time."""

    def __init__(self, wait, session):
        self.wait, self.session = wait, session

    async def _run(self, text, values, options):
        statement = acsylla.create_statement(text, len(values), **options)
        if values:
            statement.bind_list(list(values))
        return await self.session.execute(statement)

    def run(self, text, *values, **options):
        return self.wait(self._run(text, values, options))

    def rows(self, text, *values, **options):
        return [row.as_list() for row in self.run(text, *values, **options).all()]


def connect(wait, port, version=None, **options):
    if version:
        options["protocol_version"] = version

    async def create():  # a cluster is made for the loop that runs
        return await acsylla.create_cluster(["127.0.0.1"], port=port, connect_timeout=20, request_timeout=30, **options).create_session()

    return Session(wait, wait(create()))


@pytest.fixture(scope="module", params=VERSIONS, ids=lambda v: "v%s" % (v or "best"))
def session(request, wait, port):
    session = connect(wait, port, request.param)
    session.run("DROP KEYSPACE IF EXISTS k_cpp")
    session.run("CREATE KEYSPACE k_cpp WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}")
    wait(session.session.set_keyspace("k_cpp"))
    session.run("CREATE TABLE t (p int, c int, v text, s int static, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)")
    yield session
    session.run("DROP KEYSPACE k_cpp")
    wait(session.session.close())
