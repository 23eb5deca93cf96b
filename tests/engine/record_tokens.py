#!/usr/bin/env python3
"""Records tests/engine/token_vectors.h: tokens as a running Cassandra on 127.0.0.1:9042 computes them.

Keys are made by a rule (see `keys`) that the table repeats in full, so the test needs neither Cassandra nor this script.
"""
import pathlib
import random

from cassandra.cluster import Cluster


def keys():
    rng = random.Random(20)
    for length in range(1, 101):
        yield bytes(rng.randrange(256) for _ in range(length))
        yield bytes(rng.randrange(128, 256) for _ in range(length))
        yield bytes(rng.randrange(0, 128) for _ in range(length))
    for length in (1, 7, 8, 9, 15, 16, 17, 31, 32, 33):
        yield b"\x00" * length
        yield b"\xff" * length
    yield bytes(rng.randrange(256) for _ in range(1000))


def main():
    session = Cluster(["127.0.0.1"]).connect()
    session.execute("CREATE KEYSPACE IF NOT EXISTS record_tokens WITH replication = "
                    "{'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.execute("CREATE TABLE IF NOT EXISTS record_tokens.t (k blob PRIMARY KEY)")
    insert = session.prepare("INSERT INTO record_tokens.t (k) VALUES (?)")
    select = session.prepare("SELECT token(k) FROM record_tokens.t WHERE k = ?")
    lines = []
    for key in keys():
        session.execute(insert, [key])
        token = session.execute(select, [key]).one()[0]
        lines.append('    { "%s", INT64_C(%d) },\n' % (key.hex(), token))
    session.execute("DROP KEYSPACE record_tokens")
    out = pathlib.Path(__file__).with_name("token_vectors.h")
    out.write_text("/* Tokens of partition keys as Apache Cassandra 5.0.6 answers them. Made by record_tokens.py. */\n"
                   "static const struct token_vector {\n    const char *key_hex;\n    int64_t token;\n"
                   "} token_vectors[] = {\n" + "".join(lines) + "};\n")


main()
