#!/usr/bin/env python3
"""What each option of `wr serve` does, seen by a client.   options.py WR; the last line is "N passed, N failed" """
import socket
import struct
import subprocess
import sys
import tempfile
import time

from connection import AUTH, STARTUP, Connection, integer, short, string_map

ERROR, READY, AUTHENTICATE, AUTH_SUCCESS = 0x00, 0x02, 0x03, 0x10
QUORUM = 4
SERVER_ERROR, BAD_CREDENTIALS, UNAVAILABLE, OVERLOADED, READ_TIMEOUT, READ_FAILURE, INVALID = 0x0000, 0x0100, 0x1000, 0x1001, 0x1200, 0x1300, 0x2200
KEYSPACE = "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': %d}"
CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


class Server:
    def __init__(self, *options):
        self.process = subprocess.Popen([sys.argv[1], "serve", "--port", "0", *options], stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("listening on "), line
        self.port = int(line.rsplit(":", 1)[1])

    def __enter__(self):
        return self

    def __exit__(self, *what):
        self.process.terminate()
        assert self.process.wait(20) == 0, "the server did not stop as it should"

    def connect(self, user=None, password="any"):
        c = Connection(self.port, [])
        opcode, body = c.start()
        if user is None:
            assert opcode == READY, (opcode, body)
            return c
        assert opcode == AUTHENTICATE, (opcode, body)
        c.login = log_in(c, user, password)
        return c


def log_in(c, user, password):
    token = b"\0" + user.encode() + b"\0" + password.encode()
    return c.ask(AUTH, integer(len(token)) + token)


def is_error(reply, code, text=""):
    assert reply and reply[0] == ERROR, reply
    got = struct.unpack(">i", reply[1][:4])[0]
    said = reply[1][6:].decode(errors="replace")
    assert got == code and text in said, "%#x %s" % (got, said)


def rows(reply):
    """The first column of each row, as bytes."""
    assert reply and reply[0] == 8 and reply[1][:4] == integer(2), reply
    body = reply[1]
    flags, columns = struct.unpack(">ii", body[4:12])
    at = 12
    at += 4 + struct.unpack_from(">i", body, at)[0] if flags & 2 else 0
    assert columns == 1 and flags & 1, "one column of one table is asked for"
    for _ in range(3):
        at += 2 + struct.unpack_from(">H", body, at)[0]
    at += 2
    count = struct.unpack_from(">i", body, at)[0]
    at += 4
    found = []
    for _ in range(count):
        n = struct.unpack_from(">i", body, at)[0]
        at += 4
        found.append(body[at:at + n])
        at += n
    return found


def must(c, *statements):
    for statement in statements:
        reply = c.run(statement)
        assert reply and reply[0] == 8, reply


def is_ended(c):
    try:
        while c.socket.recv(4096):
            pass
    except ConnectionError:
        pass
    return True


@check
def replicas_are_a_cluster_of_so_many():
    for options, is_there in ((), False), (("--replicas", "3"), True):
        with Server(*options) as server:
            c = server.connect()
            must(c, KEYSPACE % 3, "CREATE TABLE k.t (p int PRIMARY KEY)")
            reply = c.run("SELECT p FROM k.t", consistency=QUORUM)
            if is_there:
                assert rows(reply) == []
            else:
                is_error(reply, UNAVAILABLE, "Cannot achieve consistency level QUORUM")


@check
def one_thread_is_enough():
    with Server("--threads", "1") as server:
        c = server.connect()
        must(c, KEYSPACE % 1, "CREATE TABLE k.t (p int PRIMARY KEY)", "INSERT INTO k.t (p) VALUES (1)")
        assert rows(c.run("SELECT p FROM k.t")) == [integer(1)]


@check
def one_connection_too_many_is_told():
    with Server("--connections", "2") as server:
        kept = [server.connect(), server.connect()]
        c = Connection(server.port, [])
        is_error(c.answer(), OVERLOADED, "Too many connections: the server takes 2")
        assert is_ended(c)
        kept.pop().socket.close()
        while True:  # until the server has seen it
            c = Connection(server.port, [])
            reply = c.start()
            if reply and reply[0] == READY:
                break


@check
def who_asks_for_nothing_is_closed():
    with Server("--idle", "1") as server:
        c = server.connect()
        is_error(c.answer(), SERVER_ERROR, "The connection has been idle for 1 seconds and is closed")
        assert is_ended(c)


@check
def reads_may_take_so_long():
    with Server("--read-timeout", "1") as server:
        c = server.connect()
        must(c, KEYSPACE % 1, "CREATE TABLE k.t (p int PRIMARY KEY)",
             "CREATE FUNCTION k.slow (a int) CALLED ON NULL INPUT RETURNS int LANGUAGE java AS "
             "'int s = 0; for (int i = 0; i < 50000; i++) s += i; return s + a;'",
             *("INSERT INTO k.t (p) VALUES (%d)" % p for p in range(4000)))
        is_error(c.run("SELECT max(k.slow(p)) FROM k.t"), READ_TIMEOUT)
        assert rows(c.run("SELECT p FROM k.t WHERE p = 1")) == [integer(1)]


@check
def tombstones_have_thresholds():
    with Server("--tombstone-warn", "2", "--tombstone-failure", "5") as server:
        c = server.connect()
        must(c, KEYSPACE % 1, "CREATE TABLE k.t (p int, c int, PRIMARY KEY (p, c))")
        for deleted, flags in ((2, 0), (3, 8)):
            must(c, *("DELETE FROM k.t WHERE p = 1 AND c = %d" % i for i in range(deleted)))
            assert rows(c.run("SELECT c FROM k.t WHERE p = 1", note=True)) == []
            assert int(c.notes[-1].split()[1], 16) == flags, c.notes[-1]
        must(c, *("DELETE FROM k.t WHERE p = 1 AND c = %d" % i for i in range(6)))
        is_error(c.run("SELECT c FROM k.t WHERE p = 1"), READ_FAILURE)
    with Server("--tombstone-warn", "0", "--tombstone-failure", "0") as server:
        c = server.connect()
        must(c, KEYSPACE % 1, "CREATE TABLE k.t (p int, c int, PRIMARY KEY (p, c))", *("DELETE FROM k.t WHERE p = 1 AND c = %d" % i for i in range(1100)))
        assert rows(c.run("SELECT c FROM k.t WHERE p = 1", note=True)) == []
        assert int(c.notes[-1].split()[1], 16) == 0, c.notes[-1]


@check
def mutations_have_a_size():
    for size, is_refused in (("2000", True), ("0", False)):
        with Server("--max-mutation-size", size) as server:
            c = server.connect()
            must(c, KEYSPACE % 1, "CREATE TABLE k.t (p int PRIMARY KEY, v text)", "INSERT INTO k.t (p, v) VALUES (1, '%s')" % ("x" * 1000))
            reply = c.run("INSERT INTO k.t (p, v) VALUES (1, '%s')" % ("x" * 3000))
            if is_refused:
                is_error(reply, INVALID, "Rejected an oversized mutation")
            else:
                assert reply[0] == 8, reply


@check
def clients_move_the_clock_if_they_may():
    with Server() as server:
        is_error(server.connect().run("SELECT widerow.clock_step(5) FROM system.local"), INVALID)
    with Server("--clock") as server:
        c = server.connect()
        must(c, KEYSPACE % 1, "CREATE TABLE k.t (p int PRIMARY KEY)")
        assert rows(c.run("SELECT widerow.clock_set('2026-12-24 18:00Z') FROM system.local")) == [struct.pack(">q", 1798135200000)]
        must(c, "INSERT INTO k.t (p) VALUES (1) USING TTL 60")
        assert rows(c.run("SELECT p FROM k.t")) == [integer(1)]
        assert rows(c.run("SELECT widerow.clock_step(61) FROM system.local")) == [struct.pack(">q", 1798135261000)]
        assert rows(c.run("SELECT p FROM k.t")) == []
        assert len(rows(c.run("SELECT widerow.clock_release() FROM system.local"))) == 1


@check
def each_user_has_a_database():
    with tempfile.TemporaryDirectory() as folder:
        for is_new in (True, False):
            with Server(folder + "/db", "--database-per", "user", "--databases", "1", "--database-idle", "0") as server:
                ada = server.connect("ada.1")
                assert ada.login[0] == AUTH_SUCCESS
                if is_new:
                    must(ada, KEYSPACE % 1, "CREATE TABLE k.t (p int PRIMARY KEY)")
                    must(server.connect("ada.1", "another"), "INSERT INTO k.t (p) VALUES (1)")
                assert rows(ada.run("SELECT p FROM k.t")) == [integer(1)]
                is_error(server.connect("bob").login, OVERLOADED)
                ada.socket.close()
                bob = None
                while not bob or bob.login[0] == ERROR:  # until nobody has the other one
                    if bob:
                        bob.socket.close()
                    bob = server.connect("bob")
                    if bob.login[0] == ERROR:
                        is_error(bob.login, OVERLOADED)
                is_error(bob.run("SELECT p FROM k.t"), INVALID, "keyspace k does not exist")


@check
def databases_that_nobody_uses_are_closed():
    with Server("--database-per", "user", "--database-idle", "1") as server:
        ada = server.connect("ada")
        must(ada, KEYSPACE % 1)
        ada.socket.close()
        until = time.time() + 20
        while True:  # one in memory is gone when it is closed
            time.sleep(1.5)
            ada = server.connect("ada")
            reply = ada.run("USE k")
            ada.socket.close()
            if reply[0] == ERROR:
                break
            assert time.time() < until, "it is never closed"


@check
def a_prefix_or_a_connection_has_a_database():
    with Server("--database-per", "prefix") as server:
        c = server.connect()
        must(c, "USE a__", KEYSPACE % 1, "USE a__k", "CREATE TABLE t (p int PRIMARY KEY)")
        other = server.connect()
        must(other, "USE b__", KEYSPACE % 1)
        is_error(other.run("SELECT p FROM k.t"), INVALID, "table t does not exist")
        must(other, "USE a__k")
        assert rows(other.run("SELECT p FROM t")) == []
    with Server("--database-per", "connection") as server:
        must(server.connect(), KEYSPACE % 1)
        must(server.connect(), KEYSPACE % 1)


@check
def a_database_that_cannot_be_made_is_told():
    with tempfile.TemporaryDirectory() as folder:
        with Server(folder + "/db", "--database-per", "user") as server:
            with open(folder + "/db/bob", "w") as file:
                file.write("no folder")
            is_error(server.connect("bob").login, SERVER_ERROR)
            assert server.connect("ada").login[0] == AUTH_SUCCESS


@check
def credentials_are_asked_for():
    with Server("--auth") as server:
        assert server.connect("cassandra", "cassandra").login[0] == AUTH_SUCCESS
        is_error(server.connect("cassandra", "wrong").login, BAD_CREDENTIALS, "Provided username cassandra and/or password are incorrect")
        is_error(server.connect("", "x").login, BAD_CREDENTIALS)
        for token in b"", b"\0", b"\0cassandra", b"cassandra", b"a\0b\0c\0d", b"\0cassandra\0":
            c = Connection(server.port, [])
            assert c.start()[0] == AUTHENTICATE
            reply = c.ask(AUTH, integer(len(token)) + token)
            assert reply[0] == ERROR, (token, reply)
        c = Connection(server.port, [])
        c.start()
        is_error(c.run("SELECT key FROM system.local"), 0x000A, "expecting SASL_RESPONSE")


@check
def an_address_of_ipv6():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return
    with subprocess.Popen([sys.argv[1], "serve", "--listen", "[::1]:0"], stdout=subprocess.PIPE, text=True) as process:
        line = process.stdout.readline()
        assert line.startswith("listening on [::1]:"), line
        with socket.create_connection(("::1", int(line.rsplit(":", 1)[1]))) as client:
            client.sendall(struct.pack(">BBhBi", 4, 0, 1, STARTUP, len(string_map(CQL_VERSION="3.0.0"))) + string_map(CQL_VERSION="3.0.0"))
            assert client.recv(9)[4] == READY
            text = b"SELECT address FROM system_views.clients"
            body = integer(len(text)) + text + short(1) + b"\0"
            client.sendall(struct.pack(">BBhBi", 4, 0, 2, 7, len(body)) + body)
            assert b"\0" * 15 + b"\1" in client.recv(4096)
        process.terminate()
        assert process.wait(20) == 0


def main():
    failed = 0
    for function in CHECKS:
        try:
            function()
        except AssertionError as e:
            failed += 1
            print("%s: %s" % (function.__name__, e))
    print("%d passed, %d failed" % (len(CHECKS) - failed, failed))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
