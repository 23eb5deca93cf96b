#!/usr/bin/env python3
"""oracle_views - a script of random writes to a table with views, for tests/conformance/record to ask a real Cassandra about.

Timestamps are few and come out of order, times to live are long; after every few writes the table and each of its views are read.

usage: oracle_views.py SEED WRITES > tests/conformance/views_random_SEED.cql
"""
import random
import sys

VIEWS = {
    "by_v": ("p, c, v, w, m", "v IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL", "(v, p, c)",
             "v, p, c, w, m, writetime(w), writetime(m), ttl(w) / 50000"),
    "by_c": ("p, c, v, w, x, m", "p IS NOT NULL AND c IS NOT NULL", "(c, p)",
             "c, p, v, w, x, m, writetime(v), writetime(w), ttl(v) / 50000"),
    "keys": ("p, c", "p IS NOT NULL AND c IS NOT NULL", "(c, p)", "c, p"),
    "some": ("p, c, w", "p IN (0, 1) AND c > 0", "(p, c)", "p, c, w, writetime(w)"),
}
below = random.randrange


def using(ttl=True):
    clause = f" USING TIMESTAMP {1 + below(25)}"
    return clause + f" AND TTL {100000 * (1 + below(3)) + 25000}" if ttl and below(4) == 0 else clause


def value(n):
    return "null" if below(5) == 0 else str(below(n))


def write():
    p, c = below(2), below(3)
    row = f"WHERE p = {p} AND c = {c}"
    kinds = [
        (2, lambda: f"INSERT INTO t (p, c, v, w) VALUES ({p}, {c}, {value(3)}, {value(9)}){using()}"),
        (1, lambda: f"INSERT INTO t (p, c) VALUES ({p}, {c}){using()}"),
        (1, lambda: f"INSERT INTO t (p, c, x) VALUES ({p}, {c}, {value(9)}){using()}"),
        (2, lambda: f"UPDATE t{using()} SET v = {value(3)} {row}"),
        (1, lambda: f"UPDATE t{using()} SET w = {value(9)} {row}"),
        (1, lambda: f"UPDATE t{using()} SET x = {value(9)}, v = {value(3)} {row}"),
        (1, lambda: f"UPDATE t{using()} SET m[{below(3)}] = {value(9)} {row}"),
        (1, lambda: f"UPDATE t{using()} SET m = {{{below(2)}: 1, 2: {below(9)}}} {row}"),
        (1, lambda: f"UPDATE t{using(False)} SET s = {below(5)} WHERE p = {p}"),
        (1, lambda: f"DELETE {random.choice('vwxm')} FROM t{using(False)} {row}"),
        (1, lambda: f"DELETE FROM t{using(False)} {row}"),
        (0.4, lambda: f"DELETE FROM t{using(False)} WHERE p = {p} AND c >= {c}"),
        (0.3, lambda: f"DELETE FROM t{using(False)} WHERE p = {p}"),
        (1, lambda: f"BEGIN BATCH{using(False)} UPDATE t SET v = {value(3)} {row}; UPDATE t SET w = {value(9)} {row}; APPLY BATCH"),
    ]
    return random.choices([k[1] for k in kinds], [k[0] for k in kinds])[0]() + ";"


def main():
    seed, writes = int(sys.argv[1]), int(sys.argv[2])
    random.seed(seed)
    keyspace = f"viwx{seed}"
    print(f"-- Random writes to a table with views, and what table and views say after each few: tests/random/oracle_views.py {seed} {writes}")
    print(f"CREATE KEYSPACE {keyspace} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}};")
    print(f"USE {keyspace};")
    print("CREATE TABLE t (p int, c int, v int, w int, x int, s int static, m map<int, int>, PRIMARY KEY (p, c));")
    for name, (columns, where, key, _) in VIEWS.items():
        print(f"CREATE MATERIALIZED VIEW {name} AS SELECT {columns} FROM t WHERE {where} PRIMARY KEY {key};")
    for i in range(writes):
        print(write())
        if i % 4 == 3:
            print("SELECT p, c, v, w, x, m, writetime(v), writetime(w), ttl(w) / 50000 FROM t;")
            for name, (_, _, _, shown) in VIEWS.items():
                print(f"SELECT {shown} FROM {name};")
    print(f"DROP KEYSPACE {keyspace};")


main()
