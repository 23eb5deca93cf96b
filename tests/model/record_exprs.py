"""Asks a Cassandra for every expression of exprs.txt and writes expr_vectors.h.  usage: record_exprs.py [HOST [PORT]]"""
import os
import re
import sys

from cassandra import DriverException
from cassandra.cluster import Cluster, NoHostAvailable
from cassandra.protocol import ErrorMessage, ProtocolHandler, ResultMessage
from cassandra.query import SimpleStatement

HERE = os.path.dirname(os.path.abspath(__file__))
KEYSPACE = "m6v"


class RawResult(ResultMessage):
    """Rows as bytes."""

    def recv_results_rows(self, f, protocol_version, user_type_map, result_metadata, *rest):
        self.recv_results_metadata(f, user_type_map)
        metadata = self.column_metadata or result_metadata
        count = int.from_bytes(f.read(4), "big", signed=True)
        self.column_names = [c[2] for c in metadata]
        self.column_types = [c[3] for c in metadata]
        self.parsed_rows = []
        for _ in range(count):
            row = []
            for _ in metadata:
                size = int.from_bytes(f.read(4), "big", signed=True)
                row.append(None if size < 0 else f.read(size))
            self.parsed_rows.append(tuple(row))


class RawHandler(ProtocolHandler):
    my_opcodes = dict(ProtocolHandler.message_types_by_opcode)
    my_opcodes[ResultMessage.opcode] = RawResult
    message_types_by_opcode = my_opcodes


def type_text(t):
    text = t.cql_parameterized_type()
    text = re.sub(r"org\.apache\.cassandra\.db\.marshal\.VectorType<", "vector<", text)
    text = re.sub(r"'org\.apache\.cassandra\.db\.marshal\.LegacyTimeUUIDType'", "timeuuid", text)
    text = re.sub(r"'org\.apache\.cassandra\.db\.marshal\.EmptyType'", "empty", text)
    text = re.sub(r"\bvarchar\b", "text", text)
    while "frozen<" in text:
        text = re.sub(r"frozen<((?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*)>", r"\1", text)
    return text


def c_string(text):
    out = []
    for byte in text.encode():
        c = chr(byte)
        out.append("\\" + c if c in '"\\' else "\\n" if c == "\n" else c if 32 <= byte < 127 else '\\%03o' % byte)
    return '"' + "".join(out) + '"'


def error_of(e):
    if isinstance(e, NoHostAvailable):
        e = list(e.errors.values())[0]
    if isinstance(e, ErrorMessage):
        return e.code, e.message
    text = str(e)
    m = re.search(r'code=([0-9a-fA-F]{4}) \[.*?\] message="(.*)"', text, re.S)
    if not m:
        raise e
    return int(m.group(1), 16), m.group(2)


class Recorder:
    def __init__(self, host, port):
        self.host, self.port = host, port
        self.connect()

    def connect(self):
        self.cluster = Cluster([self.host], port=self.port)
        self.session = self.cluster.connect()
        self.session.client_protocol_handler = RawHandler
        self.session.row_factory = lambda names, rows: rows

    def reconnect(self):
        self.cluster.shutdown()
        self.connect()
        self.session.set_keyspace(KEYSPACE)

    def ask(self, text):
        """(names, types, rows) or (code, message)."""
        try:
            future = self.session.execute_async(SimpleStatement(text, fetch_size=100))
            result = future.result()
            return "rows", result.column_names, result.column_types, list(result.current_rows)
        except (DriverException, NoHostAvailable, ErrorMessage, Exception) as e:
            answer = error_of(e)
            if answer[0] == 0:
                self.reconnect()
            return "error", answer[0], answer[1]

    def prepare(self, text):
        try:
            p = self.session.prepare(text)
            return "markers", [(c.name, type_text(c.type)) for c in p.column_metadata]
        except (DriverException, NoHostAvailable, ErrorMessage, Exception) as e:
            answer = error_of(e)
            if answer[0] == 0:
                self.reconnect()
            return "error", answer[0], answer[1]


COLUMNS = ("p int PRIMARY KEY, v int, tx text, x text, l list<int>, s set<int>, m map<text, int>, u ty, fu frozen<ty>, "
           "fm frozen<map<text, int>>, fl frozen<list<int>>, tu tuple<int, text>, d decimal, db double, f float, "
           "ve vector<float, 2>, vl vector<frozen<list<int>>, 2>, \"Cap\" int, bl blob, b bigint, si smallint, ti tinyint, "
           "ts timestamp, tm timeuuid, dt date, tt time, n varint, i inet, bo boolean, dur duration, uu uuid, ac ascii, nul int")


def main():
    host = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1"
    port = int(sys.argv[2]) if len(sys.argv) > 2 else 9042
    r = Recorder(host, port)
    ex = lambda text: r.session.execute(text)
    ex("DROP KEYSPACE IF EXISTS %s" % KEYSPACE)
    ex("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % KEYSPACE)
    r.session.set_keyspace(KEYSPACE)
    ex("CREATE TYPE ty (a int, b text)")
    ex("CREATE TABLE t (%s)" % COLUMNS)
    ex("CREATE TABLE w (%s)" % COLUMNS)
    lines = [line.rstrip("\n") for line in open(os.path.join(HERE, "exprs.txt")) if line.strip() and line[0] != "#"]
    values = [line.split(" ", 2)[1:] for line in lines if line.startswith("v ")]
    ex("INSERT INTO t (p, %s) VALUES (1, %s)" % (", ".join(c for c, _ in values), ", ".join(e for _, e in values)))

    out = ["/* Written by record_exprs.py from exprs.txt: what Cassandra 5.0.6 answers. */",
           "static const struct expr_vector expr_vectors[] = {"]
    for line in lines:
        kind, rest = line.split(" ", 1)
        if kind == "v":
            column, expr = rest.split(" ", 1)
            out.append('    { \'v\', %s, %s, NULL, NULL, NULL, 0, NULL },' % (c_string(column.strip('"')), c_string(expr)))
            continue
        column = ""
        if kind in "tn":
            column, rest = rest.split(" ", 1)
        expr = rest
        if kind in "si":
            answer = r.ask("SELECT %s FROM t WHERE p = 1" % expr)
        elif kind == "t":
            ex("DELETE FROM w WHERE p = 1")
            answer = r.ask("INSERT INTO w (p, %s) VALUES (1, %s)" % (column, expr))
            if answer[0] == "rows":
                answer = r.ask("SELECT %s FROM w WHERE p = 1" % column)
        elif kind == "m":
            answer = r.prepare("SELECT %s FROM t" % expr)
        else:
            answer = r.prepare("INSERT INTO w (p, %s) VALUES (1, %s)" % (column, expr))
        if answer[0] == "error":
            name, type_, value, code, message = "NULL", "NULL", "NULL", "0x%04x" % answer[1], c_string(answer[2])
        elif answer[0] == "markers":
            name = c_string("; ".join("%s %s" % m for m in answer[1]))
            type_, value, code, message = "NULL", "NULL", "0", "NULL"
        else:
            column_name = answer[1][0]
            for a, b in (("to_json", "tojson"), ("tojson", "to_json")):
                if a + "(" in expr: # the server names it as whoever called it first with the type
                    column_name = column_name.replace(b + "(", a + "(")
            name, type_ = c_string(column_name), c_string(type_text(answer[2][0]))
            raw = answer[3][0][0] if answer[3] else None
            value = "NULL" if raw is None or kind == "i" else c_string(raw.hex())
            code, message = "0", "NULL"
        out.append("    { '%s', %s, %s, %s, %s, %s, %s, %s }," % (kind, c_string(column), c_string(expr), name, type_, value, code, message))
    out.append("};")
    with open(os.path.join(HERE, "expr_vectors.h"), "w") as f:
        f.write("\n".join(out) + "\n")
    ex("DROP KEYSPACE %s" % KEYSPACE)


main()
