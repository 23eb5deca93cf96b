"""A few lines of the native protocol (v4), for scripts that record what a Cassandra server answers, byte for byte."""
import socket
import struct


class ServerError(Exception):
    def __init__(self, code, text):
        super().__init__(text)
        self.code, self.text = code, text


class Connection:
    def __init__(self, host="127.0.0.1", port=9042):
        self.sock = socket.create_connection((host, port))
        self._ask(0x01, struct.pack(">H", 1) + self._string("CQL_VERSION") + self._string("3.4.7"))

    @staticmethod
    def _string(text):
        data = text.encode()
        return struct.pack(">H", len(data)) + data

    def _read(self, n):
        data = b""
        while len(data) < n:
            more = self.sock.recv(n - len(data))
            if not more:
                raise EOFError
            data += more
        return data

    def _ask(self, opcode, body):
        self.sock.sendall(struct.pack(">BBhBI", 4, 0, 0, opcode, len(body)) + body)
        _, flags, _, opcode, length = struct.unpack(">BBhBI", self._read(9))
        body = self._read(length)
        if flags & 0x08:  # warnings come first
            count, at = struct.unpack_from(">H", body)[0], 2
            for _ in range(count):
                at += 2 + struct.unpack_from(">H", body, at)[0]
            body = body[at:]
        if opcode == 0x00:
            code, size = struct.unpack_from(">IH", body)
            raise ServerError(code, body[6:6 + size].decode())
        return body

    def query(self, text, values=()):
        """Rows as lists of bytes (None for null); values are bound as they are."""
        data = text.encode()
        body = struct.pack(">I", len(data)) + data + struct.pack(">HB", 1, 0x02 | (0x01 if values else 0))
        if values:
            body += struct.pack(">H", len(values))
            for value in values:
                body += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
        body = self._ask(0x07, body)
        if struct.unpack_from(">I", body)[0] != 2:
            return []
        flags, columns = struct.unpack_from(">II", body, 4)
        assert flags & 0x04, "metadata was to be left out"
        at = 12 + ((4 + struct.unpack_from(">I", body, 12)[0]) if flags & 0x02 else 0)
        count = struct.unpack_from(">I", body, at)[0]
        at += 4
        rows = []
        for _ in range(count):
            row = []
            for _ in range(columns):
                size = struct.unpack_from(">i", body, at)[0]
                at += 4
                row.append(None if size < 0 else body[at:at + size])
                at += max(size, 0)
            rows.append(row)
        return rows
