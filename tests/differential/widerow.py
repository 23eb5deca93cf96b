"""Widerow's side: the program answer.c as a child, asked over its pipes."""
import struct
import subprocess

from answers import Answer, UNSET, unfrozen


class Crash(Exception):
    """The child is gone."""


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 1

    def int(self):
        self.at += 4
        return struct.unpack_from(">i", self.data, self.at - 4)[0]

    def bytes(self):
        n = self.int()
        if n < 0:
            return None
        self.at += n
        return self.data[self.at - n:self.at]

    def string(self):
        raw = self.bytes()
        return None if raw is None else raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "replace")  # a NUL in a text of C

    def columns(self):
        return [(self.string(), unfrozen(self.string())) for _ in range(self.int())]


class Widerow:
    def __init__(self, program):
        self.program = program
        self.child = None

    def fresh(self):
        """A database with nothing in it."""
        if not self.child or self.child.poll() is not None:
            self.child = subprocess.Popen([self.program], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.talk(b"N")

    def talk(self, request):
        try:
            self.child.stdin.write(struct.pack(">I", len(request)) + request)
            self.child.stdin.flush()
            size = self.child.stdout.read(4)
            answer = self.child.stdout.read(struct.unpack(">I", size)[0]) if len(size) == 4 else b""
        except OSError:
            answer = b""
        if not answer:
            raise Crash("Widerow's side ended with status %s" % self.child.wait())
        return answer

    def ask(self, statement):
        data = statement.cql.encode("utf-8", "surrogateescape")
        request = b"Q" + struct.pack(">i", len(data)) + data
        if statement.values is None:
            request += struct.pack(">i", -1)
        else:
            request += struct.pack(">i", len(statement.values))
            for v in statement.values:
                request += struct.pack(">i", -2) if v is UNSET else struct.pack(">i", -1) if v is None else struct.pack(">i", len(v)) + v
        return self.answer(self.talk(request + struct.pack(">i", statement.page)))

    def export(self, keyspace, table=""):
        """The statements that write the table's data again; without one, those that make the keyspace again."""
        request = b"X"
        for name in (keyspace, table):
            request += struct.pack(">i", len(name.encode())) + name.encode()
        r = Reader(self.talk(request))
        return [r.string() for _ in range(r.int())]

    @staticmethod
    def answer(data):
        r = Reader(data)
        if data[:1] == b"E":
            preparing = data[1] == 1
            r.at = 2
            return Answer("error", r.int() & 0xFFFFFFFF, r.string(), preparing, [])
        out = Answer("void" if data[:1] == b"V" else "rows", markers=r.columns())
        if out.kind == "void":
            change = tuple(r.string() for _ in range(4))
            out.change = change[:3] + (change[3] or "",) if change[0] else None
        else:
            out.columns = r.columns()
        out.warnings = [r.string() for _ in range(r.int())]
        for _ in range(r.int() if out.kind == "rows" else 0):
            out.pages.append([[r.bytes() for _ in out.columns] for _ in range(r.int())])
        return out

    def close(self):
        if self.child:
            self.child.stdin.close()
            self.child.wait()
