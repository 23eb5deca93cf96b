"""The reference's side: a connection that keeps many statements under way at once (native protocol, version 4)."""
import re
import socket
import struct
import time

from answers import Answer, UNSET, unfrozen

QUERY, PREPARE, EXECUTE = 0x07, 0x09, 0x0A
NATIVE = {1: "ascii", 2: "bigint", 3: "blob", 4: "boolean", 5: "counter", 6: "decimal", 7: "double", 8: "float", 9: "int", 0x0B: "timestamp",
          0x0C: "uuid", 0x0D: "text", 0x0E: "varint", 0x0F: "timeuuid", 0x10: "inet", 0x11: "date", 0x12: "time", 0x13: "smallint",
          0x14: "tinyint", 0x15: "duration"}
CLASSES = {"AsciiType": "ascii", "LongType": "bigint", "BytesType": "blob", "BooleanType": "boolean", "CounterColumnType": "counter",
           "DecimalType": "decimal", "DoubleType": "double", "FloatType": "float", "Int32Type": "int", "TimestampType": "timestamp",
           "UUIDType": "uuid", "UTF8Type": "text", "IntegerType": "varint", "TimeUUIDType": "timeuuid", "InetAddressType": "inet",
           "SimpleDateType": "date", "TimeType": "time", "ShortType": "smallint", "ByteType": "tinyint", "DurationType": "duration",
           "EmptyType": "empty", "ListType": "list", "SetType": "set", "MapType": "map", "TupleType": "tuple", "VectorType": "vector"}


def class_name(text):
    """`o.a.c.db.marshal.VectorType(o.a.c.db.marshal.FloatType , 3)` as CQL names it."""
    name, at = parse_class(text.replace("org.apache.cassandra.db.marshal.", ""), 0)
    return name


def parse_class(text, at):
    m = re.compile(r"\s*([^(),\s]+)\s*").match(text, at)
    name, at = m.group(1), m.end()
    args = []
    if text.startswith("(", at):
        while text[at] != ")":
            arg, at = parse_class(text, at + 1)
            args.append(arg)
        at += len(re.compile(r"\)\s*").match(text, at).group())
    if name == "UserType":
        return bytes.fromhex(args[1]).decode(), at
    if name in ("FrozenType", "ReversedType"):
        return args[0], at
    name = CLASSES.get(name, name)
    return name + ("<" + ", ".join(args) + ">" if args else ""), at


class Body:
    """Reads the pieces of a message."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, form):
        n, = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return n

    def short(self):
        return self.number(">H")

    def int(self):
        return self.number(">i")

    def take(self, n):
        self.at += n
        return self.data[self.at - n:self.at]

    def string(self):
        return self.take(self.short()).decode("utf-8", "replace")

    def bytes(self):
        n = self.int()
        return None if n < 0 else self.take(n)

    def type(self):
        code = self.short()
        if code == 0:
            return class_name(self.string())
        if code in (0x20, 0x22):
            return ("list<%s>" if code == 0x20 else "set<%s>") % self.type()
        if code == 0x21:
            return "map<%s, %s>" % (self.type(), self.type())
        if code == 0x30:
            self.string()
            name = self.string()
            for _ in range(self.short()):
                self.string()
                self.type()
            return name
        if code == 0x31:
            return "tuple<%s>" % ", ".join(self.type() for _ in range(self.short()))
        return NATIVE[code]

    def columns(self, prepared=False):
        """(columns, paging state) of a metadata."""
        flags, count = self.int(), self.int()
        if prepared:
            for _ in range(self.int()):
                self.short()
        state = self.bytes() if flags & 2 else None
        if flags & 4:
            return [], state
        if flags & 1:
            self.string(), self.string()
        columns = []
        for _ in range(count):
            if not flags & 1:
                self.string(), self.string()
            name = self.string()
            columns.append((name, self.type()))
        return columns, state


def text_bytes(text):
    data = text.encode("utf-8", "surrogateescape")
    return struct.pack(">I", len(data)) + data


def parameters(values, page, state):
    """Consistency ONE, and what comes with a statement."""
    flags = (1 if values else 0) | (4 if page else 0) | (8 if state else 0)
    body = struct.pack(">HB", 1, flags)
    if values:
        body += struct.pack(">H", len(values))
        for v in values:
            body += struct.pack(">i", -2) if v is UNSET else struct.pack(">i", -1) if v is None else struct.pack(">i", len(v)) + v
    if page:
        body += struct.pack(">i", page)
    if state:
        body += struct.pack(">I", len(state)) + state
    return body


class Asked:
    """One statement under way."""

    def __init__(self, statement):
        self.statement, self.answer, self.values, self.id, self.state = statement, None, statement.values, None, None

    def message(self):
        s = self.statement
        if s.prepare and self.id is None:
            return PREPARE, text_bytes(s.cql)
        if s.prepare:
            return EXECUTE, struct.pack(">H", len(self.id)) + self.id + parameters(self.values, s.page, self.state)
        return QUERY, text_bytes(s.cql) + parameters(self.values, s.page, self.state)


class Oracle:
    def __init__(self, port):
        self.sock = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.buffer = b""
        self.send(0x01, 0, struct.pack(">H", 1) + b"\0\x0bCQL_VERSION\0\x053.4.7")
        self.receive()

    def send(self, opcode, stream, body):
        self.sock.sendall(struct.pack(">BBhBI", 4, 0, stream, opcode, len(body)) + body)

    def read(self, n):
        while len(self.buffer) < n:
            more = self.sock.recv(65536)
            if not more:
                raise EOFError("the oracle hung up")
            self.buffer += more
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def receive(self):
        _, flags, stream, opcode, length = struct.unpack(">BBhBI", self.read(9))
        body = Body(self.read(length))
        warnings = [body.string() for _ in range(body.short())] if flags & 8 else []
        return stream, opcode, body, warnings

    def ask(self, statement):
        self.start([statement])
        return self.finish()[0]

    def start(self, statements):
        """Sends them all; what stands in their way is told by the answers of finish()."""
        self.asked = [Asked(s) for s in statements]
        for stream, a in enumerate(self.asked):
            self.send(a.message()[0], stream, a.message()[1])

    def finish(self):
        waiting = len(self.asked)
        while waiting:
            stream, opcode, body, warnings = self.receive()
            a = self.asked[stream]
            if self.take(a, opcode, body, warnings):
                self.send(a.message()[0], stream, a.message()[1])
            else:
                waiting -= 1
        return [a.answer for a in self.asked]

    def take(self, a, opcode, body, warnings):
        """Adds a message to the answer; true: the statement has to go on."""
        if opcode == 0:
            code, text = body.number(">I"), body.string()
            if code == 0x1300 and "INDEX_NOT_AVAILABLE" in text:  # an index is built in the background
                time.sleep(0.05)
                return True
            preparing = a.statement.prepare and a.id is None
            a.answer = Answer("error", code, text, preparing, [] if a.statement.prepare else None)
            return False
        kind = body.int()
        if kind == 4:
            a.id = body.take(body.short())
            markers, _ = body.columns(prepared=True)
            a.markers = [(n, unfrozen(t)) for n, t in markers]
            a.values = (list(a.values or []) + [None] * len(markers))[:len(markers)]
            return True
        if not a.answer:
            a.answer = Answer("rows" if kind == 2 else "void", markers=getattr(a, "markers", None), warnings=warnings)
        if kind == 5:
            change, target = body.string(), body.string()
            a.answer.change = (change, target, body.string(), "" if target == "KEYSPACE" else body.string())
        if kind != 2:
            return False
        columns, a.state = body.columns()
        a.answer.columns = [(n, unfrozen(t)) for n, t in columns]
        a.answer.pages.append([[body.bytes() for _ in columns] for _ in range(body.int())])
        return a.state is not None

    def close(self):
        self.sock.close()
