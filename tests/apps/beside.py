"""An application's answers from Widerow beside those of a real Cassandra, byte by byte.

    beside.py WIDEROW CASSANDRA LOG          (ports) prints "listening on 127.0.0.1:PORT" and serves there until it is ended

Each request goes to both, and the application is given Widerow's answer when both are there; LOG is told where they differ. Versions 3 and 4 are spoken, without
compression: whoever wants more is refused as by a server that has no more. Not compared: greetings, events, traces, system tables, and what is asked of the clock or made of it.
Requests that run at once may be done in another order on either side, so an application's races differ, too: look at what else has been going on.
"""
import asyncio
import re
import signal
import struct
import sys

ERROR, STARTUP, OPTIONS, SUPPORTED, QUERY, RESULT, PREPARE, EXECUTE, REGISTER, EVENT, BATCH = 0, 1, 5, 6, 7, 8, 9, 10, 11, 12, 13
UNPREPARED = 0x2500
OWN_STREAM = 0x7fff  # of what the proxy itself asks; no driver counts so far
SYSTEM = re.compile(rb'\b(from|into|update)\s+"?system\w*"?\.', re.I)
CLOCK = re.compile(rb"\b(now|uuid|current\w+|writetime|maxwritetime|ttl|mask_hash)\s*\(", re.I)
TOLD_EACH = 3  # differences of one statement
TRIES = 3      # at having a statement prepared again


class Body:
    """Reads what the protocol puts into the bodies of its messages."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, size):
        self.at += size
        return self.data[self.at - size:self.at]

    def number(self, form):
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def string(self):
        return self.take(self.number(">H"))

    def long_string(self):
        return self.take(self.number(">I"))

    def value(self):
        return self.take(max(self.number(">i"), 0))


class Message:
    def __init__(self, header, body):
        self.header, self.body = header, body
        self.version, self.flags, self.stream, self.opcode = struct.unpack(">BBhB", header[:5])

    def bytes(self):
        return self.header + self.body

    def with_body(self, body):
        return Message(self.header[:5] + struct.pack(">I", len(body)), body)

    def payload(self):
        """A reader behind the trace's id, and the warnings."""
        body, warnings = Body(self.body), []
        if self.flags & 0x02:
            body.take(16)
        if self.flags & 0x08:
            warnings = [body.string() for _ in range(body.number(">H"))]
        return body, warnings


async def read_message(reader):
    header = await reader.readexactly(9)
    return Message(header, await reader.readexactly(struct.unpack(">I", header[5:])[0]))


def message(version, stream, opcode, body):
    return Message(struct.pack(">BBhBI", version, 0, stream, opcode, len(body)), body)


class Statements:
    """What prepared ids and page states of Widerow are to Cassandra."""

    def __init__(self):
        self.texts, self.states = {}, {}

    def text(self, request):
        body = Body(request.body)
        if request.flags & 0x04:  # a custom payload
            for _ in range(body.number(">H")):
                body.string(), body.value()
        if request.opcode in (QUERY, PREPARE):
            return body.long_string(), body
        if request.opcode == EXECUTE:
            return self.texts.get(body.string(), b"a statement that was not prepared here"), body
        if request.opcode == BATCH:
            body.take(1)
            texts = []
            for _ in range(body.number(">H")):
                texts.append(body.long_string() if body.take(1) == b"\0" else self.texts.get(body.string(), b"?"))
                for _ in range(body.number(">H")):
                    body.value()
            return b"BATCH " + b"; ".join(texts), body
        return b"", body

    def for_cassandra(self, request):
        """The request with Cassandra's own page state."""
        if request.opcode not in (QUERY, EXECUTE):
            return request
        body = self.text(request)[1]
        body.take(2)
        flags = body.number("B")
        if not flags & 0x08:
            return request
        if flags & 0x01:
            for _ in range(body.number(">H")):
                if flags & 0x40:
                    body.string()
                body.value()
        if flags & 0x04:
            body.take(4)
        before = body.at
        state = body.value()
        state = self.states.get(state, state)
        return request.with_body(request.body[:before] + struct.pack(">i", len(state)) + state + request.body[body.at:])

    def answer(self, answer):
        """What is compared of an answer, and its page state."""
        body, warnings = answer.payload()
        rest = body.data[body.at:]
        if answer.opcode == RESULT and rest[:4] == b"\0\0\0\2" and rest[7] & 0x02:
            size = struct.unpack(">i", rest[12:16])[0]
            return (answer.opcode, warnings, rest[:12] + rest[16 + size:]), rest[16:16 + size]
        return (answer.opcode, warnings, rest), None


class Log:
    def __init__(self, path):
        self.file, self.told, self.compared = open(path, "w", buffering=1, errors="backslashreplace"), {}, 0

    def difference(self, request, text, ours, theirs):
        key = text, ours[0], theirs[0]
        self.told[key] = self.told.get(key, 0) + 1
        if self.told[key] <= TOLD_EACH:
            self.file.write("%s\n  asked     %r\n  widerow   %r\n  cassandra %r\n" % (text.decode("utf-8", "replace"), request.body[-300:], ours, theirs))


class Connection:
    def __init__(self, statements, log, to_client):
        self.statements, self.log, self.to_client = statements, log, to_client
        self.waiting = {}   # by stream: the request, what Cassandra was sent, the answers of both
        self.again = []     # what Cassandra is sent again once it has prepared what it had let go
        self.prepared = {}  # how often that was done for a stream's request

    def compare(self, request, ours, theirs):
        text, _ = self.statements.text(request)
        (mine, state), (other, other_state) = self.statements.answer(ours), self.statements.answer(theirs)
        if request.opcode == PREPARE and ours.opcode == RESULT:
            body = Body(mine[2])
            body.take(4)
            self.statements.texts[body.string()] = text
        if state is not None and other_state is not None:
            self.statements.states[state] = other_state
        if request.opcode in (STARTUP, OPTIONS, REGISTER) or SYSTEM.search(text) or CLOCK.search(text):
            return
        self.log.compared += 1
        if mine != other or (state is None) != (other_state is None):
            self.log.difference(request, text, mine, other)

    def let_go(self, answer, cassandra):
        """Cassandra keeps fewer prepared statements: it is given the text again, and the application hears nothing of it."""
        _, sent, (ours, _) = self.waiting[answer.stream]
        if ours.opcode == ERROR or answer.opcode != ERROR or struct.unpack(">I", answer.body[:4])[0] != UNPREPARED:
            return False
        text = self.statements.texts.get(answer.body[-16:])
        tries = self.prepared.pop(answer.stream, 0)
        if text is None or tries == TRIES:
            return False
        self.prepared[answer.stream] = tries + 1
        self.again.append(sent)
        cassandra.write(message(answer.version & 0x7f, OWN_STREAM, PREPARE, struct.pack(">I", len(text)) + text).bytes())
        return True

    def arrived(self, side, answer, cassandra):
        if answer.opcode == EVENT:
            if side == 0:
                self.to_client.write(answer.bytes())
            return
        if answer.stream == OWN_STREAM:
            cassandra.write(self.again.pop(0).bytes())
            return
        if side == 0 and answer.opcode == SUPPORTED:
            answer = without_compression(answer)
        request, _, answers = self.waiting[answer.stream]
        answers[side] = answer
        if None in answers:
            return
        if self.let_go(answers[1], cassandra):
            answers[1] = None
            return
        del self.waiting[answer.stream]
        self.prepared.pop(answer.stream, None)
        self.compare(request, *answers)
        self.to_client.write(answers[0].bytes())


def without_compression(answer):
    body, out = Body(answer.body), b""
    count = body.number(">H")
    for _ in range(count):
        name = body.string()
        values = [body.string() for _ in range(body.number(">H"))]
        if name == b"COMPRESSION":
            values = []
        out += struct.pack(">H", len(name)) + name + struct.pack(">H", len(values)) + b"".join(struct.pack(">H", len(value)) + value for value in values)
    return answer.with_body(struct.pack(">H", count) + out)


async def serve(ports, statements, log, from_client, to_client):
    sides = [await asyncio.open_connection("127.0.0.1", port) for port in ports]
    connection = Connection(statements, log, to_client)

    async def answers(side):
        try:
            while True:
                connection.arrived(side, await read_message(sides[side][0]), sides[1][1])
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            to_client.close()

    tasks = [asyncio.ensure_future(answers(side)) for side in (0, 1)]
    try:
        while True:
            request = await read_message(from_client)
            if request.version > 4:
                text = b"Invalid or unsupported protocol version (%d); supported versions are (3/v3, 4/v4)" % request.version
                to_client.write(message(0x84, request.stream, ERROR, struct.pack(">IH", 10, len(text)) + text).bytes())
                continue
            sent = statements.for_cassandra(request)
            connection.waiting[request.stream] = request, sent, [None, None]
            sides[0][1].write(request.bytes())
            sides[1][1].write(sent.bytes())
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        for task in tasks:
            task.cancel()
        for writer in (to_client, sides[0][1], sides[1][1]):
            writer.close()


async def main(ports, log):
    statements = Statements()
    server = await asyncio.start_server(lambda reader, writer: serve(ports, statements, log, reader, writer), "127.0.0.1", 0)
    print("listening on 127.0.0.1:%d" % server.sockets[0].getsockname()[1], flush=True)
    try:
        await server.serve_forever()
    finally:
        log.file.write("%d answers compared, %d differ\n" % (log.compared, sum(log.told.values())))


if __name__ == "__main__":
    try:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        asyncio.run(main([int(port) for port in sys.argv[1:3]], Log(sys.argv[3])))
    except KeyboardInterrupt:
        pass
