#!/usr/bin/env python3
"""Records what a Cassandra 5.0.6 server calculates with varint and decimal, and how it prints reals: number_vectors.inc.

    record_numbers.py [host [port]] > tests/model/number_vectors.inc

Each line is { what, a, b, answer } with bytes in hexadecimal: "varint" or "decimal" and an operator, the answer bytes or the
error after a !; or "double", "float" and cast(a as text).
"""
import random
import struct
import sys

from cql_raw import Connection, ServerError

KEYSPACE = "m1_record_numbers"


def varint(n):
    size = 1
    while not -(1 << (8 * size - 1)) <= n < (1 << (8 * size - 1)):
        size += 1
    return n.to_bytes(size, "big", signed=True)


def decimal(n, scale):
    return struct.pack(">i", scale) + varint(n)


VARINTS = [0, 1, -1, 7, -7, 255, -256, 2**63, -(2**63), 2**64, 10**40, -(10**40), 2**200 + 1]
DECIMALS = [(0, 0), (0, 3), (0, -3), (1, 0), (-1, 0), (7, 0), (-7, 1), (300, 2), (1, 30), (1, -30), (10**40, 20), (-(10**40), -2), (3, 1),
            (5, 1), (123456789, 4), (1, 9999), (10**20, 0), (99999, -99)]
DOUBLES = [0.0, -0.0, 1.0, 0.1, 1e-3, 9.999e-4, 1e7, 9999999.0, 1e23, 2e23, 8.41e21, 2**-44, 5e-324, 2.2250738585072014e-308,
           1.7976931348623157e308, 2.0**62, 2.0**63, 1e15, 1e16, 123456789012345680.0, 4.35, 2e-3, 1.1e-5, float("nan"), float("inf"),
           float("-inf"), 9007199254740993.0, -1234.5]
FLOATS = [0x69000000, 0x00000001, 0x7f7fffff, 0x3dcccccd, 0x4b189680, 0x4b18967f, 0x3a83126f, 0x7fc00000, 0xff800000, 0x80000000,
          0x4e6e6b28, 0x5f000000, 0x33d6bf95, 0x00800000, 0x41c80000]


def main():
    server = Connection(*(sys.argv[1:2] or ["127.0.0.1"]), *(int(p) for p in sys.argv[2:3]))
    server.query(f"DROP KEYSPACE IF EXISTS {KEYSPACE}")
    server.query(f"CREATE KEYSPACE {KEYSPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}")
    rng = random.Random(1)
    for _ in range(20):
        DECIMALS.append((rng.getrandbits(rng.randrange(1, 130)) * rng.choice([1, -1]), rng.randrange(-10, 60)))
    print("/* Recorded by record_numbers.py from Cassandra 5.0.6. */")

    def calculate(name, values):
        server.query(f"CREATE TABLE {KEYSPACE}.{name} (k int PRIMARY KEY, a {name}, b {name})")
        for a in values:
            for b in values if len(values) < 20 else rng.sample(values, 8):
                server.query(f"INSERT INTO {KEYSPACE}.{name} (k, a, b) VALUES (0, ?, ?)", [a, b])
                for operator in "+-*/%":
                    try:
                        answer = server.query(f"SELECT a {operator} b FROM {KEYSPACE}.{name} WHERE k = 0")[0][0].hex()
                    except ServerError as e:
                        answer = "!" + str(e)
                    if len(answer) < 120:
                        print(f'{{ "{name}", \'{operator}\', "{a.hex()}", "{b.hex()}", "{answer}" }},')

    def show(name, values):
        server.query(f"CREATE TABLE {KEYSPACE}.{name} (k int PRIMARY KEY, a {name})")
        for value in values:
            server.query(f"INSERT INTO {KEYSPACE}.{name} (k, a) VALUES (0, ?)", [value])
            text = server.query(f"SELECT cast(a AS text) FROM {KEYSPACE}.{name} WHERE k = 0")[0][0].decode()
            print(f'{{ "{name}", \' \', "{value.hex()}", "", "{text}" }},')

    calculate("varint", [varint(n) for n in VARINTS])
    calculate("decimal", [decimal(n, s) for n, s in DECIMALS])
    show("double", [struct.pack(">d", x) for x in DOUBLES])
    show("float", [struct.pack(">I", x) for x in FLOATS])
    server.query(f"DROP KEYSPACE {KEYSPACE}")


if __name__ == "__main__":
    main()
