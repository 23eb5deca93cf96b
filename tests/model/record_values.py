#!/usr/bin/env python3
"""Records what a Cassandra 5.0.6 server makes of constants, JSON and values: value_vectors.inc.

    record_values.py [host [port]] > tests/model/value_vectors.inc

Each line is { what, type, input, answer }:
    literal   a constant in INSERT ... VALUES: the bytes it became, or the error after a !
    json      a member of INSERT ... JSON, likewise
    to_json   of the value with these bytes, as SELECT JSON has it
    as_text   cast(v as text) of it, where it is not empty (an empty argument of a function is null)
"""
import sys

from cql_raw import Connection, ServerError

KEYSPACE = "m1_record_values"

NATIVE = ["ascii", "bigint", "blob", "boolean", "date", "decimal", "double", "duration", "float", "inet", "int", "smallint",
          "text", "time", "timestamp", "timeuuid", "tinyint", "uuid", "varint"]
BUILT = ["frozen<list<int>>", "frozen<set<text>>", "frozen<map<int, text>>", "frozen<tuple<int, text>>", "frozen<ty>",
         "vector<float, 2>"]

CONSTANTS = [
    "'a'", "''", "'é'", "'it''s'", "'1'", "'1:a'", "1", "-1", "128", "-129", "32768", "2147483648", "9223372036854775808",
    "99999999999999999999", "1.5", "1.50", "1e10", "-1.5E-3", "NaN", "-NaN", "Infinity", "-Infinity", "1e39", "1e-400", "true", "FALSE",
    "0x", "0xCAfe", "13814000-1dd2-11b2-8080-808080808080", "F8B5D6AE-3f4e-4d9a-9d0e-000000000000", "1y2mo3w4d5h6m7s8ms9us10ns",
    "-1d", "P1Y2M3DT4H5M6S", "1h1d", "1d1d", "null", "'2020-02-29'", "'2021-02-29'", "'2020-1-1'", "'20200101'", "'-0001-01-01'",
    "'+10000-01-01'", "'2020-01-31 13:14:15.6789'", "'2020-01-31T13:14+01:30'", "'2020-01-31 13:14:15 PST'", "'2020-1-1 1:2'",
    "'2020-01-31Z'", "'10:11:12.5'", "'24:00:00'", "86400000000000", "'1.2.3.4'", "'1.2.3'", "'::1'", "'::ffff:1.2.3.4'", "'1::2::3'",
    "4294967295", "4294967296",
]
JSON = [
    "1", "-1", "1.5", "1e2", "true", '"a"', '"1"', '""', "null", "[]", "{}", "[1, 2]", "[2, 1, 2]", '["b", "a", "b"]', "[null]", "[1]",
    '[1, "a"]', '[1, null]', '{"1": "a"}', '{"a": 1}', '{"a": 1, "B": "x"}', '{"\\"a\\"": 1}', '{"c": 1}', "128", "2147483648",
    "9223372036854775808", "99999999999999999999", "0.1234567890123456789012345", '"0xcafe"', '"cafe"', '"0xc"', '"2020-01-31"',
    '"2020-01-31 13:14:15.678Z"', "1580476455678", '"10:11:12.5"', '"1d2h"', '"1.2.3.4"', '"NaN"', '"13814000-1dd2-11b2-8080-808080808080"',
    '"f8b5d6ae-3f4e-4d9a-9d0e-000000000000"', '"[1, 2]"', '"é"', "[1.5, -0.0]", "[1, 2, 3]",
]
VALUES = {
    "ascii": ["", "6127", "00220a5c7f"], "bigint": ["", "7fffffffffffffff", "8000000000000000"], "blob": ["", "00ff"],
    "boolean": ["00", "01", "02"], "date": ["00000000", "80000000", "ffffffff", "802cc0a1"],
    "decimal": ["", "0000000001", "000000020096", "fffffffd01", "0000000701", "0000000601", "0000000700", "00000002ff6a", "8000000005"],
    "double": ["", "3ff0000000000000", "3e7ad7f29abcaf48", "4415af1d78b58c40", "416312d000000000", "416312cfffffffff", "3f50624dd2f1a9fc",
               "7ff8000000000000", "fff0000000000000", "8000000000000000", "0000000000000001", "44b52d02c7e14af6"],
    "duration": ["000000", "1c32fc2168cdf9d664", "010101"], "float": ["3f800000", "7fc00000", "00000001", "4b189680", "69000000", "3dcccccd"],
    "inet": ["", "01020304", "00000000000000000000000000000001", "00000000000000000000ffff01020304"], "int": ["", "80000000"],
    "smallint": ["8000"], "text": ["", "c3a9", "2261225c08090a0c0d1f", "f09f9880"],
    "time": ["0000000000000000", "00004e94914effff", "00002bab27cd8c80"],
    "timestamp": ["", "0000000000000000", "ffffffffffffffff", "0000016ffbbcdafe", "ffffc77cedd327ff", "0000e677d21fdc00"],
    "timeuuid": ["", "138140001dd211b28080808080808080"], "tinyint": ["80"], "uuid": ["", "f8b5d6ae3f4e4d9a9d0e000000000000"],
    "varint": ["", "00", "ff", "056bc75e2d63100000", "0000000001"],
    "frozen<list<int>>": ["00000000", "00000002000000040000000100000004ffffffff"],
    "frozen<set<text>>": ["00000000", "00000002000000016100000003622227"],
    "frozen<map<int, text>>": ["00000000", "000000010000000400000001000000016100000000"[:34]],
    "frozen<tuple<int, text>>": ["0000000400000001ffffffff", "ffffffff00000000"],
    "frozen<ty>": ["0000000400000001ffffffff", "ffffffff0000000161", "0000000400000001"],
    "vector<float, 2>": ["3f800000c0000000", "7fc000007f800000"],
}


def quote(text):
    out = ""
    for byte in text.encode():
        char = chr(byte)
        out += f"\\{char}" if char in '"\\?' else char if 32 <= byte < 127 else f"\\{byte:03o}"
    return f'"{out}"'


def ask(server, *statement):
    try:
        rows = server.query(*statement)
        return rows[0][0] if rows else None
    except ServerError as e:
        return "!" + str(e)


def main():
    server = Connection(*(sys.argv[1:2] or ["127.0.0.1"]), *(int(p) for p in sys.argv[2:3]))
    server.query(f"DROP KEYSPACE IF EXISTS {KEYSPACE}")
    server.query(f"CREATE KEYSPACE {KEYSPACE} WITH replication = {{'class': 'SimpleStrategy', 'replication_factor': 1}}")
    server.query(f"CREATE TYPE {KEYSPACE}.ty (a int, \"B\" text)")

    def emit(what, name, given, answer):
        if isinstance(answer, bytes):
            answer = answer.decode() if what in ("to_json", "as_text") else answer.hex()
        print(f'{{ "{what}", "{name}", {quote(given)}, {"NULL" if answer is None else quote(answer)} }},')

    print("/* Recorded by record_values.py from Cassandra 5.0.6. */")
    for n, name in enumerate(NATIVE + BUILT):
        table = f"{KEYSPACE}.t{n}"
        full = name.replace("ty>", f"{KEYSPACE}.ty>")
        server.query(f"CREATE TABLE {table} (k int PRIMARY KEY, v {full})")
        for text in CONSTANTS if name in NATIVE else []:
            error = ask(server, f"INSERT INTO {table} (k, v) VALUES (0, {text})")
            emit("literal", name, text, error or ask(server, f"SELECT v FROM {table} WHERE k = 0"))
        for text in JSON:
            error = ask(server, f"INSERT INTO {table} JSON ?", [f'{{"k": 0, "v": {text}}}'.encode()])
            emit("json", name, text, error or ask(server, f"SELECT v FROM {table} WHERE k = 0"))
        for value in VALUES[name]:
            server.query(f"INSERT INTO {table} (k, v) VALUES (0, ?)", [bytes.fromhex(value)])
            row = ask(server, f"SELECT JSON v FROM {table} WHERE k = 0")
            emit("to_json", name, value, row[len(b'{"v": '):-1])
            if value and name in NATIVE and name not in ("blob", "duration", "text"):
                emit("as_text", name, value, ask(server, f"SELECT cast(v AS text) FROM {table} WHERE k = 0"))
    server.query(f"DROP KEYSPACE {KEYSPACE}")


if __name__ == "__main__":
    main()
