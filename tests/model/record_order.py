#!/usr/bin/env python3
"""Records the order in which a Cassandra 5.0.6 server keeps awkward values as clustering keys: order_vectors.inc.

    record_order.py [host [port]] > tests/model/order_vectors.inc

Each line is a type and its values, in hexadecimal, as the server returned them, ascending. Equal keys (1.0 and 1.00) are one row
there, so only the first written of them is in the list.
"""
import struct
import sys

from cql_raw import Connection, ServerError

KEYSPACE = "m1_record_order"


def i32(n):
    return struct.pack(">i", n)


def i64(n):
    return struct.pack(">q", n)


def varint(n):
    size = 1
    while not -(1 << (8 * size - 1)) <= n < (1 << (8 * size - 1)):
        size += 1
    return n.to_bytes(size, "big", signed=True)


def decimal(n, scale):
    return i32(scale) + varint(n)


def items(*values):
    return b"".join(i32(-1) if v is None else i32(len(v)) + v for v in values)


def collection(*values, pairs=False):
    return i32(len(values) // (2 if pairs else 1)) + items(*values)


def uuid(text):
    return bytes.fromhex(text.replace("-", ""))


INTS = [0, 1, -1, 2, 127, -128, 128, -129, 255, 256]
STRINGS = [b"", b"\0", b"\0\0", b"\0a", b"a", b"a\0", b"a\0b", b"a\x01", b"ab", b"b", b"\x7f", b"aa", "é".encode(), b"\xf0\x9f\x98\x80"]
REALS = [0.0, -0.0, 1.0, -1.0, 1.5, float("inf"), float("-inf"), float("nan"), 5e-324, -5e-324, 1e300, -1e300]
UUIDS = [
    "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff", "f8b5d6ae-3f4e-4d9a-9d0e-000000000000",
    "08b5d6ae-3f4e-4d9a-9d0e-000000000000", "13814000-1dd2-11b2-8080-808080808080", "13814000-1dd2-11b2-7f7f-7f7f7f7f7f7f",
    "ffffffff-1dd2-11b2-8080-808080808080", "00000000-1dd2-11b3-0080-808080808080", "13814000-1dd3-11b2-8080-808080808080",
    "018f0000-0000-7000-8000-000000000000", "018f0000-0000-7001-8000-000000000000", "00000000-0000-6000-8000-000000000000",
]

TYPES = {
    "tinyint": [struct.pack(">b", n) for n in (0, 1, -1, 127, -128)],
    "smallint": [struct.pack(">h", n) for n in INTS + [32767, -32768]],
    "int": [b""] + [i32(n) for n in INTS + [2**31 - 1, -(2**31)]],
    "bigint": [b""] + [i64(n) for n in INTS + [2**63 - 1, -(2**63)]],
    "timestamp": [b""] + [i64(n) for n in INTS + [2**63 - 1, -(2**63)]],
    "time": [i64(n) for n in (0, 1, 86399999999999, 86400000000000, -1, -(2**63), 2**63 - 1)],
    "date": [struct.pack(">I", n) for n in (0, 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1)],
    "boolean": [b"", b"\0", b"\1"],
    "float": [b""] + [struct.pack(">f", x) for x in REALS if abs(x) < 1e30 or x != x or x - x != 0],
    "double": [b""] + [struct.pack(">d", x) for x in REALS],
    "ascii": [s for s in STRINGS if all(c < 128 for c in s)],
    "text": STRINGS,
    "blob": STRINGS + [b"\xff", b"\xff\0", b"\xff\xff", b"\0\xff", b"\0" * 20, b"\xff" * 20, b"a" * 600],
    "inet": [b"", bytes([1, 2, 3, 4]), bytes([0, 0, 0, 0]), bytes([255] * 4), bytes(15) + b"\1", bytes([255] * 16),
             bytes([1, 2, 3, 4] + [0] * 12), bytes(16)],
    "uuid": [b""] + [uuid(u) for u in UUIDS],
    "timeuuid": [b""] + [uuid(u) for u in UUIDS if u[14] == "1"],
    "varint": [b""] + [varint(n) for n in INTS + [65535, 65536, -65536, -65537, 10**40, -(10**40), 2**1000, -(2**1000), 2**895,
                                                  2**896, -(2**895) - 1]],
    "decimal": [b""] + [decimal(n, s) for n, s in (
        (0, 0), (1, 0), (10, 1), (100, 0), (1, -2), (1, 2), (-1, 0), (-1, 2), (-100, 0), (123, 2), (124, 2), (1235, 3), (5, 400),
        (5, -400), (-5, 400), (-5, -400), (99, 0), (999, 1), (101, 1), (1, 2147483647), (1, -2147483648), (-1, 2147483647),
        (-1, -2147483648), (10**50, 50), (10**50 + 1, 50), (9, 110), (9, 111), (9, -109), (9, -110), (9, -111))],
    "frozen<list<int>>": [collection(*v) for v in (
        (), (i32(0),), (i32(1),), (i32(-1),), (i32(0), i32(0)), (i32(0), i32(-1)), (b"",), (b"", b""), (i32(1), i32(1)))],
    "frozen<set<text>>": [collection(*v) for v in ((), (b"",), (b"a",), (b"a", b"b"), (b"a\0",), (b"b",), (b"", b"a"))],
    "frozen<map<text, int>>": [collection(*v, pairs=True) for v in (
        (), (b"a", i32(1)), (b"a", i32(-1)), (b"a", i32(1), b"b", i32(0)), (b"b", i32(0)), (b"", i32(5)), (b"a", b""))],
    "frozen<tuple<int, text>>": [items(*v) for v in (
        (None, None), (i32(1), None), (None, b"a"), (i32(1), b"a"), (i32(-1), b"a"), (i32(1), b"a\0"), (b"", b"a"))],
    "vector<float, 2>": [struct.pack(">ff", *v) for v in ((0, 0), (0, -0.0), (1, -1), (-1, 5), (float("nan"), 0), (-1, -5))],
    "vector<text, 2>": [b"\1a\1b", b"\0\0", b"\0\1a", b"\2ab\0", b"\1a\0", b"\2a\0\1b"],
    "frozen<list<frozen<tuple<decimal, uuid>>>>": [collection(*v) for v in (
        (), (items(decimal(15, 1), uuid(UUIDS[2])),), (items(decimal(2, 0), uuid(UUIDS[4])),), (items(None, uuid(UUIDS[4])),),
        (items(decimal(15, 1), uuid(UUIDS[2])), items(None, None)), (items(decimal(15, 1), uuid(UUIDS[4])),))],
}


def insert(server, table, values):
    """An empty int inside a list passes validation and then fails in the trie of an ascending table: it is left out."""
    for value in values:
        try:
            server.query(f"INSERT INTO {KEYSPACE}.{table} (p, c) VALUES (0, ?)", [value])
        except ServerError as e:
            print(f"{table}: {value.hex()}: {e}", file=sys.stderr)


def main():
    server = Connection(*(sys.argv[1:2] or ["127.0.0.1"]), *(int(p) for p in sys.argv[2:3]))
    server.query(f"DROP KEYSPACE IF EXISTS {KEYSPACE}")
    server.query(f"CREATE KEYSPACE {KEYSPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}")
    print("/* Recorded by record_order.py from Cassandra 5.0.6. */")
    for n, (name, values) in enumerate(TYPES.items()):
        server.query(f"CREATE TABLE {KEYSPACE}.t{n} (p int, c {name}, PRIMARY KEY (p, c))")
        insert(server, f"t{n}", values)
        rows = [row[0].hex() for row in server.query(f"SELECT c FROM {KEYSPACE}.t{n} WHERE p = 0")]
        server.query(f"CREATE TABLE {KEYSPACE}.d{n} (p int, c {name}, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)")
        insert(server, f"d{n}", values)
        down = [row[0].hex() for row in server.query(f"SELECT c FROM {KEYSPACE}.d{n} WHERE p = 0")]
        assert [row for row in down if row in rows] == rows[::-1], (name, rows, down)
        print(f'{{ "{name}", {{ ' + ", ".join(f'"{row}"' for row in rows) + " } },")
    server.query(f"DROP KEYSPACE {KEYSPACE}")


if __name__ == "__main__":
    main()
