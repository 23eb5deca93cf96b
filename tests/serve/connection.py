"""Requests of the native protocol as bytes, and a connection that sends them and notes every frame that comes back."""
import re
import socket
import struct
import zlib

STARTUP, CREDENTIALS, OPTIONS, QUERY, PREPARE, EXECUTE, REGISTER, BATCH, AUTH = 0x01, 0x04, 0x05, 0x07, 0x09, 0x0A, 0x0B, 0x0D, 0x0F
ONE = 1


# ---- primitives ------------------------------------------------------------------------------------------------------

def short(n):
    return struct.pack(">H", n)


def integer(n):
    return struct.pack(">i", n)


def string(text):
    data = text.encode()
    return short(len(data)) + data


def long_string(text):
    data = text.encode()
    return integer(len(data)) + data


def string_map(**options):
    return short(len(options)) + b"".join(string(k) + string(v) for k, v in options.items())


def value(data):
    if data is None:
        return integer(-1)
    if isinstance(data, int):  # a length of no value: -2 is unset
        return integer(data)
    return integer(len(data)) + data


def values(*data):
    return short(len(data)) + b"".join(value(d) for d in data)


def flags_of(version, flags):
    return struct.pack(">I" if version >= 5 else ">B", flags)


def query(version, text, flags=0, rest=b"", consistency=ONE):
    return long_string(text) + short(consistency) + flags_of(version, flags) + rest


def batch(version, kind, *entries, flags=0, rest=b"", consistency=ONE):
    body = bytes([kind]) + short(len(entries))
    for text, data in entries:
        body += (b"\0" + long_string(text) if isinstance(text, str) else b"\1" + short(len(text)) + text) + data
    return body + short(consistency) + flags_of(version, flags) + rest


def crc24(data):
    crc = 0x875060
    for byte in data:
        crc ^= byte << 16
        for _ in range(8):
            crc <<= 1
            if crc & 0x1000000:
                crc ^= 0x1974F0B
    return crc & 0xFFFFFF


def crc24_of(data):
    """CRC24 of the integer that the bytes are, least significant first."""
    return crc24(data).to_bytes(3, "little")


def segment(payload, contained=True):
    head = (len(payload) | (1 << 17 if contained else 0)).to_bytes(3, "little")
    crc = zlib.crc32(payload, zlib.crc32(b"\xfa\x2d\x55\xca"))
    return head + crc24_of(head) + payload + struct.pack("<I", crc)


def body_behind_extras(flags, body):
    """What follows the tracing id and the warnings."""
    at = 16 if flags & 2 else 0
    if flags & 8:
        count = struct.unpack_from(">H", body, at)[0]
        at += 2
        for _ in range(count):
            at += 2 + struct.unpack_from(">H", body, at)[0]
    return body[at:]


# ---- a connection ----------------------------------------------------------------------------------------------------

class Connection:
    def __init__(self, port, notes):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=20)
        self.notes = notes
        self.version = 4
        self.framed = False
        self.input = b""      # bytes as they came
        self.messages = b""   # out of segments
        self.stream = 0

    def another(self):
        return Connection(self.socket.getpeername()[1], self.notes)

    def raw(self, data):
        self.socket.sendall(data)

    def send(self, opcode, body=b"", version=None, flags=0, stream=None, length=None):
        self.stream = self.stream + 1 if stream is None else stream
        version = self.version if version is None else version
        frame = struct.pack(">BBhBi", version, flags, self.stream, opcode, len(body) if length is None else length) + body
        self.raw(segment(frame) if self.framed else frame)

    def _more(self):
        data = self.socket.recv(65536)
        if not data:
            raise EOFError
        self.input += data

    def _need(self, n):
        while len(self.input) < n:
            self._more()

    def _take(self, n):
        self._need(n)
        data, self.input = self.input[:n], self.input[n:]
        return data

    def _segment(self):
        head = self._take(6)
        assert crc24_of(head[:3]) == head[3:], "CRC24 of a header"
        word = int.from_bytes(head[:3], "little")
        payload = self._take(word & 0x1FFFF)
        crc = struct.unpack("<I", self._take(4))[0]
        assert crc == zlib.crc32(payload, zlib.crc32(b"\xfa\x2d\x55\xca")), "CRC32 of a payload"
        self.messages += payload

    def _message_bytes(self, n):
        if not self.framed:
            return self._take(n)
        while len(self.messages) < n:
            self._segment()
        data, self.messages = self.messages[:n], self.messages[n:]
        return data

    def answer(self, note=True, timeout=20):
        """The next frame: (opcode, body), noted; None where there is none."""
        self.socket.settimeout(timeout)
        try:
            head = self._message_bytes(9)
            version, flags, stream, opcode, length = struct.unpack(">BBhBi", head)
            body = self._message_bytes(length)
        except socket.timeout:
            if note:
                self.notes.append("nothing")
            return None
        except (EOFError, ConnectionError):
            if note:
                self.notes.append("closed")
            return None
        if opcode == 0x0C and b"serve_" not in body:  # of what others do to the same server
            return self.answer(note, timeout)
        shown = re.sub(rb"[0-9a-f]{8}(?= invalid, unrecoverable CRC)", b"xxxxxxxx", body)
        if flags & 2 and version & 0x7F > 2:
            shown = b"\0" * 16 + shown[16:]
        if note:
            self.notes.append("%02x %02x %d %02x %s" % (version, flags, stream, opcode, shown.hex() or "-"))
        return opcode, body_behind_extras(flags, body)

    def ask(self, opcode, body=b"", **named):
        self.send(opcode, body, **named)
        return self.answer()

    def start(self, version=4, note=False, **options):
        self.version = version
        options.setdefault("CQL_VERSION", "3.0.0")
        self.send(STARTUP, string_map(**options), stream=0)
        reply = self.answer(note=note)
        self.framed = version >= 5
        return reply

    def bytes_within(self, seconds):
        """All that comes in so many seconds, as it came."""
        self.socket.settimeout(seconds)
        try:
            while True:
                self._more()
        except (socket.timeout, EOFError, ConnectionError):
            self.notes.append("bytes %s" % (self.input.hex() or "-"))
            self.input = b""

    def run(self, text, note=False, flags=0, rest=b"", consistency=ONE):
        self.send(QUERY, query(self.version, text, flags, rest, consistency))
        reply = self.answer(note=note)
        while not note and reply and reply[0] == 0x0C:  # what a listener is told comes first; whoever comes next must find it done
            reply = self.answer(note=False)
        return reply

    def prepare(self, text, keyspace=None, note=True):
        body = long_string(text)
        if self.version >= 5:
            body += integer(1) + string(keyspace) if keyspace else integer(0)
        self.send(PREPARE, body)
        opcode, reply = self.answer(note=note)
        if opcode != 8:
            return None, None
        n = struct.unpack(">H", reply[4:6])[0]
        statement = reply[6:6 + n]
        metadata = None
        if self.version >= 5:
            m = struct.unpack(">H", reply[6 + n:8 + n])[0]
            metadata = reply[8 + n:8 + n + m]
        return statement, metadata

    def execute(self, prepared, flags=0, rest=b"", note=True, consistency=ONE):
        statement, metadata = prepared
        body = short(len(statement)) + statement
        if self.version >= 5:
            body += short(len(metadata)) + metadata
        self.send(EXECUTE, body + short(consistency) + flags_of(self.version, flags) + rest)
        return self.answer(note=note)
