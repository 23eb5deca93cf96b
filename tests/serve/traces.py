#!/usr/bin/env python3
"""What a trace tells of each kind of statement, beside what Cassandra 5.0.6 told.

    traces.py record [--port 9042]    asks a Cassandra on the loopback interface and writes traces.txt beside this file
    traces.py check --port PORT       asks the server at that port and compares; the last line is "N passed, N failed"

Of a server's activities those are kept that this one has, too (TOLD): it has no sstables, no rounds of Paxos, no batchlog and no estimates.
"""
import argparse
import os
import re
import struct
import sys
import time
import uuid

from connection import BATCH, EXECUTE, PREPARE, QUERY, Connection, integer, long_string, query, short, values

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "traces.txt")
TRACED = 2
LOGGED, UNLOGGED, COUNTER = 0, 1, 2

SCHEMA = [
    "DROP KEYSPACE IF EXISTS serve_traces",
    "CREATE KEYSPACE serve_traces WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "USE serve_traces",
    "CREATE TABLE rows (p int, c int, s int static, v int, PRIMARY KEY (p, c))",
    "CREATE TABLE lists (p int PRIMARY KEY, l list<int>)",
    "CREATE TABLE one (p int PRIMARY KEY, v int)",
    "CREATE TABLE counts (p int PRIMARY KEY, n counter)",
    "CREATE TABLE legacy (p int PRIMARY KEY, v int, w int)",
    "CREATE INDEX by_v ON legacy (v)",
    "CREATE TABLE attached (p int PRIMARY KEY, v int, w int)",
    "CREATE INDEX sai_v ON attached (v) USING 'sai'",
    *("INSERT INTO rows (p, c, v) VALUES (%d, %d, %d)" % (p, c, c) for p in (1, 2) for c in range(5)),
    "INSERT INTO rows (p, s) VALUES (3, 3)",
    "CREATE TABLE statics (p int, c int, s int static, t int static, v int, PRIMARY KEY (p, c))",
    "CREATE INDEX by_s ON statics (s)",
    *("INSERT INTO statics (p, c, s, v) VALUES (1, %d, 1, 1)" % c for c in range(3)),
    "INSERT INTO statics (p, s) VALUES (2, 1)",
    "INSERT INTO statics (p, c, v) VALUES (3, 1, 1)",
    "INSERT INTO statics (p, c, t) VALUES (4, 1, 1)",
    "UPDATE lists SET l = [1, 2, 3] WHERE p = 1",
    *("INSERT INTO %s (p, v) VALUES (%d, %d)" % (table, p, p % 2) for table in ("one", "legacy", "attached") for p in (1, 2, 3)),
    "UPDATE counts SET n = n + 1 WHERE p = 1",
]
STATEMENTS = [
    "SELECT * FROM one WHERE p = 1",
    "SELECT * FROM one WHERE p = 7",
    "SELECT v FROM one WHERE p IN (1, 2)",
    "SELECT * FROM one",
    "SELECT count(*) FROM one",
    "SELECT * FROM one WHERE v = 1 ALLOW FILTERING",
    "SELECT * FROM one WHERE token(p) > 0",
    "SELECT * FROM one WHERE token(p) > -9000000000000000000 AND token(p) <= 9000000000000000000",
    "SELECT * FROM rows WHERE p = 1 AND c = 1",
    "SELECT * FROM rows WHERE p = 1",
    "SELECT * FROM rows WHERE p = 3",
    "SELECT * FROM rows WHERE p = 1 AND c > 1 AND c < 4 ORDER BY c DESC",
    "SELECT v FROM rows WHERE p = 1 LIMIT 2",
    "SELECT * FROM rows WHERE p = 1 AND v = 3 ALLOW FILTERING",
    "SELECT p, count(*) FROM one GROUP BY p",
    "SELECT * FROM lists WHERE p = 1",
    "SELECT * FROM counts WHERE p = 1",
    "SELECT * FROM legacy WHERE v = 7",
    "SELECT * FROM attached WHERE v = 1",
    "SELECT * FROM system_schema.keyspaces WHERE keyspace_name = 'serve_traces'",
    "SELECT * FROM lists WHERE p = 9",
    "SELECT p FROM lists WHERE p = 1",
    "SELECT * FROM system_views.settings WHERE name = 'cdc_enabled'",
    "INSERT INTO one (p, v) VALUES (1, 2)",
    "UPDATE rows SET v = 2 WHERE p = 1 AND c = 2",
    "UPDATE rows SET v = 2 WHERE p IN (1, 2) AND c IN (2, 3)",
    "DELETE FROM rows WHERE p = 2 AND c = 1",
    "DELETE FROM rows WHERE p = 2",
    "UPDATE lists SET l[0] = 2 WHERE p = 1",
    "UPDATE lists SET l[9] = 2 WHERE p = 1",
    "UPDATE counts SET n = n + 1 WHERE p = 1",
    "INSERT INTO legacy (p, v, w) VALUES (9, 9, 9)",
    "INSERT INTO legacy (p, w) VALUES (8, 9)",
    "INSERT INTO attached (p, v) VALUES (9, 9)",
    "INSERT INTO one (p, v) VALUES (50, 2) IF NOT EXISTS",
    "INSERT INTO one (p, v) VALUES (50, 2) IF NOT EXISTS",
    "UPDATE one SET v = 3 WHERE p = 50 IF v = 2",
    "UPDATE one SET v = 3 WHERE p = 50 IF v = 2",
    "DELETE FROM one WHERE p = 50 IF EXISTS",
    "UPDATE rows SET v = null WHERE p = 1 AND c = 4",
    "DELETE FROM rows WHERE p = 1 AND c > 0 AND c < 2",
    "SELECT * FROM rows WHERE p = 1",
    "SELECT * FROM rows WHERE p = 1 LIMIT 1",
    "SELECT * FROM rows WHERE p = 1 AND c = 4",
    "SELECT * FROM rows WHERE p IN (1, 2)",
    "SELECT * FROM rows",
    "DELETE l[0] FROM lists WHERE p = 1",
    "SELECT * FROM lists WHERE p = 1",
    "SELECT * FROM lists",
    "SELECT * FROM one WHERE p = 50",
    "DELETE FROM legacy WHERE p = 1",
    "SELECT * FROM legacy",
    "UPDATE attached SET v = null, w = null WHERE p = 3",
    "SELECT * FROM attached",
    "SELECT w FROM attached WHERE p = 3",
    "SELECT * FROM attached WHERE p IN (1, 3)",
    "BEGIN BATCH INSERT INTO one (p, v) VALUES (1, 2) INSERT INTO one (p, v) VALUES (2, 2) APPLY BATCH",
    "BEGIN UNLOGGED BATCH INSERT INTO one (p, v) VALUES (1, 2) INSERT INTO one (p, v) VALUES (2, 2) APPLY BATCH",
    "BEGIN BATCH INSERT INTO one (p, v) VALUES (1, 2) UPDATE one SET v = 3 WHERE p = 1 APPLY BATCH",
    "CREATE TABLE IF NOT EXISTS one (p int PRIMARY KEY)",
    "USE serve_traces",
    "DESCRIBE TABLE one",
    "SELEC nonsense",
    "SELECT nope FROM one",
    "SELECT * FROM one WHERE v = 1",
    "TRUNCATE one",
    *("SELECT %s FROM statics%s" % (what, where)
      for where in ("", " WHERE p = 1", " WHERE p = 2", " WHERE p = 3", " WHERE p = 4", " WHERE p = 1 AND c = 1", " WHERE p = 4 AND c > 0", " WHERE p IN (1, 2)",
                    " WHERE p = 1 LIMIT 2", " WHERE p = 1 ORDER BY c DESC", " WHERE p = 1 PER PARTITION LIMIT 1", " WHERE p = 1 AND v = 1 ALLOW FILTERING")
      for what in ("*", "v", "p, c", "s", "t, v", "count(*)")),
    *("SELECT DISTINCT %s FROM statics%s" % (what, where) for where in ("", " WHERE p = 1", " WHERE p = 3") for what in ("p", "p, s")),
]
TOLD = re.compile(
    r"Parsing .*|Preparing statement|Executing single-partition query on (?!paxos|local$).*|Acquiring sstable references|"
    r"Merging memtable contents|Skipped .* sstables, .*|Merged data from memtables and .*|Read \d+ live rows .*|"
    r"Computing ranges to query|Executing seq scan .*|Executing read on .*|"
    r"Determining replicas for .*|Unavailable|Appending to commitlog|Adding to (?!paxos|batches|local|prepared_statements).* memtable|Acquiring counter locks|"
    r"Reading existing values .*|CAS .*|Applying truncation of .*", re.DOTALL)


# ---- reading a trace -------------------------------------------------------------------------------------------------

def rows_of(c, text):
    """The rows of a SELECT of texts and ints: lists of bytes."""
    opcode, body = c.run(text)
    assert opcode == 8, body
    at, columns, rows = 12, struct.unpack_from(">i", body, 8)[0], []
    for _ in range(2):  # the table's names, told once
        at += 2 + struct.unpack_from(">H", body, at)[0]
    for _ in range(columns):
        at += 2 + struct.unpack_from(">H", body, at)[0]
        kind = struct.unpack_from(">H", body, at)[0]
        at += 6 if kind == 0x21 else 2
    count = struct.unpack_from(">i", body, at)[0]
    at += 4
    for _ in range(count):
        row = []
        for _ in range(columns):
            n = struct.unpack_from(">i", body, at)[0]
            at += 4
            row.append(body[at:at + n] if n >= 0 else None)
            at += max(n, 0)
        rows.append(row)
    return rows


def map_of(data):
    at, out = 4, {}
    for _ in range(struct.unpack_from(">i", data)[0]):
        pair = []
        for _ in range(2):
            n = struct.unpack_from(">i", data, at)[0]
            pair.append(data[at + 4:at + 4 + n].decode())
            at += 4 + n
        out[pair[0]] = pair[1]
    return out


def plain(activity):
    """Without what no two servers have in common: how much has been flushed, ballots, timestamps."""
    activity = re.sub(r"\d+/\d+ non-slice|\b\d+ sstables", lambda m: "0/0 non-slice" if "/" in m[0] else "0 sstables", activity)
    activity = re.sub(r" for [0-9a-f-]{36}$", "", activity)
    return re.sub(r"(does not match current values) .*", r"\1", activity, flags=re.DOTALL)


def cut(activities):
    """Of a server's threads several may tell of writes at once, and rounds of Paxos and a batchlog read and write of their own."""
    if any(a.startswith("CAS") for a in activities):
        activities = [a for a in activities if not a.startswith(("Acquiring", "Skipped", "Merg", "Read "))]
    if "CAS did not apply" in activities:
        activities = [a for a in activities if not a.startswith("CAS precondition is met")]  # told of the empty proposal
    if sum(a.startswith("Executing single-partition") for a in activities) > 1:
        activities = sorted(activities)
    if activities.count("Appending to commitlog") > 1 or any(a.startswith(("CAS applied", "Applying truncation")) for a in activities):
        activities = [a for a in activities if a != "Appending to commitlog"]
    return activities


def trace_of(c, trace, own):
    for _ in range(50):
        session = rows_of(c, "SELECT request, command, parameters FROM system_traces.sessions WHERE session_id = %s" % trace)
        if session and session[0][0]:
            break
        time.sleep(0.1)
    events = rows_of(c, "SELECT activity FROM system_traces.events WHERE session_id = %s" % trace)
    elapsed = [e[0] for e in rows_of(c, "SELECT source_elapsed FROM system_traces.events WHERE session_id = %s" % trace)]
    request, command, parameters = session[0]
    yield "%s, %s" % (request.decode(), command.decode())
    for name, text in sorted(map_of(parameters).items()):
        yield "%s = %s" % (name, text)
    for activity in cut([plain(e[0].decode()) for e in events if TOLD.fullmatch(e[0].decode())]):
        yield "  " + activity
    if own and elapsed != sorted(elapsed):  # of a server's threads each asks the clock for itself
        yield "elapsed falls"


# ---- the traces ------------------------------------------------------------------------------------------------------

def traced(c, own, name, opcode, body):
    c.send(opcode, body, flags=TRACED)
    head = c._message_bytes(9)
    reply = c._message_bytes(struct.unpack(">i", head[5:])[0])
    if not own:
        time.sleep(0.2)  # it writes some time after it has answered
    return name, list(trace_of(c, uuid.UUID(bytes=reply[:16]), own))


def batch(kind, *entries):
    """Of texts and of pairs: a prepared statement's id and its values."""
    out = bytes([kind]) + short(len(entries))
    for entry in entries:
        out += b"\0" + long_string(entry) + short(0) if isinstance(entry, str) else b"\1" + short(len(entry[0])) + entry[0] + values(*entry[1])
    return out + short(1) + b"\0"


def play(port, own):
    c = Connection(port, [])
    c.start()
    for statement in SCHEMA:
        assert c.run(statement)[0] == 8, statement
    for text in STATEMENTS:
        yield traced(c, own, text, QUERY, query(4, text))
    text = "SELECT * FROM rows WHERE p = 1"
    yield traced(c, own, "a page of two", QUERY, query(4, text, flags=0x04, rest=integer(2)))
    yield traced(c, own, "three nodes of one", QUERY, query(4, "INSERT INTO one (p, v) VALUES (1, 1)", consistency=3))
    yield traced(c, own, "preparing", PREPARE, long_string("SELECT v FROM one WHERE p = ?"))
    insert, _ = c.prepare("INSERT INTO one (p, v) VALUES (?, ?)", note=False)
    body = short(len(insert)) + insert + short(1) + b"\1" + values(integer(1), None)
    yield traced(c, own, "prepared", EXECUTE, body)
    yield traced(c, own, "a batch of two partitions", BATCH, batch(LOGGED, "INSERT INTO one (p, v) VALUES (1, 2)", (insert, (integer(2), integer(2)))))
    yield traced(c, own, "an unlogged batch", BATCH, batch(UNLOGGED, "INSERT INTO one (p, v) VALUES (1, 2)"))
    yield traced(c, own, "a batch of counters", BATCH, batch(COUNTER, "UPDATE counts SET n = n + 1 WHERE p = 1"))
    yield traced(c, own, "a batch of nothing", BATCH, batch(LOGGED))
    yield traced(c, own, "a batch with a mistake", BATCH, batch(LOGGED, "nonsense"))
    c.run("DROP KEYSPACE serve_traces")
    c.socket.close()


# ---- recording and checking ------------------------------------------------------------------------------------------

def record(port):
    with open(RECORDED, "w") as f:
        f.write("# Recorded from Cassandra 5.0.6 by traces.py.\n")
        for name, lines in play(port, False):
            f.write("\n== %s\n" % name + "".join(line + "\n" for line in lines))


def read_recorded():
    with open(RECORDED) as f:
        return [entry.rstrip("\n") for entry in f.read().split("\n== ")[1:]]


def check(port):
    recorded, passed, failed = read_recorded(), 0, 0
    for i, (name, lines) in enumerate(play(port, True)):
        here = "\n".join([name] + lines)
        there = recorded[i] if i < len(recorded) else "-"
        if here == there:
            passed += 1
        else:
            failed += 1
            print("---\nis  %s\nwas %s" % (here, there))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or passed != len(recorded) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("record", "check"))
    parser.add_argument("--port", type=int, default=9042)
    arguments = parser.parse_args()
    if arguments.what == "record":
        record(arguments.port)
        return 0
    return check(arguments.port)


if __name__ == "__main__":
    sys.exit(main())
