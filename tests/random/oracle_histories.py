#!/usr/bin/env python3
"""oracle_histories - asks a real Cassandra on 127.0.0.1:9042 whether the model of random_histories.c tells the truth.

Random statements with USING TIMESTAMP over very small spaces go to one partition a history; what Cassandra then shows is
compared with what the same rules (said once more here, in the C program's words) make of the list of all facts.

usage: oracle_histories.py [HISTORIES [SEED]]
"""
import random
import sys
import time

from cassandra.cluster import Cluster

KEYSPACE = "oracle_histories"
CLUSTERINGS = ["a", "aa", "ab", "b", "c"]
VALUES = ["", "a", "b", "bb"]
MAP_KEYS = ["k1", "k2"]
NONE = -(2 ** 63)


class Fact:
    """kind: partition, range, row, column (deletions), marker, cell. c None: the static row."""

    def __init__(self, kind, ts, c=None, low=None, high=None, column=None, path=None, value=None, dead=False, ttl=0):
        self.kind, self.ts, self.c, self.low, self.high = kind, ts, c, low, high
        self.column, self.path, self.value, self.dead, self.ttl = column, path, value, dead, ttl


def in_range(fact, c):
    (low, low_in), (high, high_in) = fact.low, fact.high
    return (low is None or c > low or (low_in and c == low)) and (high is None or c < high or (high_in and c == high))


def covering(facts, c, column):
    over = NONE
    for f in facts:
        if (f.kind == "partition" or (f.kind == "range" and c is not None and in_range(f, c)) or
                (f.kind in ("row",) and f.c == c) or (f.kind == "column" and f.c == c and f.column == column)):
            over = max(over, f.ts)
    return over


def rank(f):
    """TTLs are all different and far away, so the later expiry is the greater TTL."""
    mortal = f.dead or f.ttl > 0
    return (f.ts, mortal, f.dead, f.ttl, f.value or "")


def show(facts, c):
    row_over = covering(facts, c, None)
    markers = [f for f in facts if f.kind == "marker" and f.c == c]
    alive = bool(markers) and max(m.ts for m in markers) > row_over
    places = {}
    for f in facts:
        if f.kind == "cell" and f.c == c:
            key = (f.column, f.path)
            if key not in places or rank(f) > rank(places[key]):
                places[key] = f
    cells = {}
    for (column, path), f in places.items():
        if not f.dead and f.ts > covering(facts, c, column):
            cells[(column, path)] = (f.value, f.ts, f.ttl > 0)
    return alive or bool(cells), cells


def quote(text):
    return "'" + text + "'"


class History:
    def __init__(self, session, rng, p):
        self.session, self.rng, self.p, self.facts, self.log, self.ttls = session, rng, p, [], [], 0

    def run(self, cql):
        self.log.append(cql)
        self.session.execute(cql)

    def using(self, ts):
        ttl = 0
        if self.rng.random() < 0.3:
            self.ttls += 1
            ttl = 10000 * self.ttls + self.rng.choice((0, 5000))
            if self.rng.random() < 0.5:
                ttl = 600000 - ttl
        return ttl, f"USING TIMESTAMP {ts}" + (f" AND TTL {ttl}" if ttl else "")

    def step(self):
        rng, p, ts = self.rng, self.p, self.rng.randint(1, 5)
        c = rng.choice(CLUSTERINGS)
        where = f"WHERE p={p} AND c={quote(c)}"
        value = rng.choice(VALUES)
        dice = rng.random()
        add = self.facts.append
        if dice < 0.2:
            ttl, using = self.using(ts)
            null = rng.random() < 0.3
            self.run(f"INSERT INTO t (p, c, a) VALUES ({p}, {quote(c)}, {'null' if null else quote(value)}) {using}")
            add(Fact("marker", ts, c, ttl=ttl))
            add(Fact("cell", ts, c, column="a", value=None if null else value, dead=null, ttl=0 if null else ttl))
        elif dice < 0.4:
            ttl, using = self.using(ts)
            column = rng.choice("ab")
            self.run(f"UPDATE t {using} SET {column}={quote(value)} {where}")
            add(Fact("cell", ts, c, column=column, value=value, ttl=ttl))
        elif dice < 0.5:
            ttl, using = self.using(ts)
            key = rng.choice(MAP_KEYS)
            self.run(f"UPDATE t {using} SET m[{quote(key)}]={quote(value)} {where}")
            add(Fact("cell", ts, c, column="m", path=key, value=value, ttl=ttl))
        elif dice < 0.58:
            ttl, using = self.using(ts)
            keys = rng.sample(MAP_KEYS, rng.randint(0, 2))
            text = ", ".join(f"{quote(k)}: {quote(value)}" for k in keys)
            self.run(f"UPDATE t {using} SET m={{{text}}} {where}")
            add(Fact("column", ts - 1, c, column="m"))
            for key in keys:
                add(Fact("cell", ts, c, column="m", path=key, value=value, ttl=ttl))
        elif dice < 0.63:
            self.run(f"DELETE m FROM t USING TIMESTAMP {ts} {where}")
            add(Fact("column", ts, c, column="m"))
        elif dice < 0.68:
            key = rng.choice(MAP_KEYS)
            self.run(f"DELETE m[{quote(key)}] FROM t USING TIMESTAMP {ts} {where}")
            add(Fact("cell", ts, c, column="m", path=key, dead=True))
        elif dice < 0.74:
            self.run(f"DELETE a FROM t USING TIMESTAMP {ts} {where}")
            add(Fact("cell", ts, c, column="a", dead=True))
        elif dice < 0.82:
            self.run(f"DELETE FROM t USING TIMESTAMP {ts} {where}")
            add(Fact("row", ts, c))
        elif dice < 0.9:
            low, high = (None, False), (None, False)
            bounds = sorted(rng.sample(CLUSTERINGS, 2))
            parts = []
            if rng.random() < 0.7:
                low = (bounds[0], rng.random() < 0.5)
                parts.append(f"c {'>=' if low[1] else '>'} {quote(bounds[0])}")
            if not parts or rng.random() < 0.6:
                high = (bounds[1], rng.random() < 0.5)
                parts.append(f"c {'<=' if high[1] else '<'} {quote(bounds[1])}")
            self.run(f"DELETE FROM t USING TIMESTAMP {ts} WHERE p={p} AND {' AND '.join(parts)}")
            add(Fact("range", ts, low=low, high=high))
        elif dice < 0.93:
            self.run(f"DELETE FROM t USING TIMESTAMP {ts} WHERE p={p}")
            add(Fact("partition", ts))
        elif dice < 0.98:
            ttl, using = self.using(ts)
            self.run(f"UPDATE t {using} SET s={quote(value)} WHERE p={p}")
            add(Fact("cell", ts, None, column="s", value=value, ttl=ttl))
        else:
            self.run(f"DELETE s FROM t USING TIMESTAMP {ts} WHERE p={p}")
            add(Fact("cell", ts, None, column="s", dead=True))

    def compare(self):
        query = (f"SELECT c, s, a, b, m, writetime(a), ttl(a), writetime(b), ttl(b), writetime(s), writetime(m) "
                 f"FROM t WHERE p={self.p}")
        got = [tuple(row) for row in self.session.execute(query)]
        _, static = show(self.facts, None)
        s = static.get(("s", None), (None, None, None))
        want = []
        for c in CLUSTERINGS:
            alive, cells = show(self.facts, c)
            if not alive:
                continue
            a, b = (cells.get((column, None), (None, None, False)) for column in "ab")
            m = {path: cells[("m", path)] for path in MAP_KEYS if ("m", path) in cells}
            want.append((c, s[0], a[0], b[0], {k: v[0] for k, v in m.items()} or None, a[1], a[2], b[1], b[2], s[1],
                         [m[k][1] for k in sorted(m)] or None))
        if not want and static:
            want.append((None, s[0]) + (None,) * 4 + (False, None, False, s[1], None))
        seen = [(c, st, a, b, dict(m) if m else None, wa, ta is not None, wb, tb is not None, ws, wm)
                for c, st, a, b, m, wa, ta, wb, tb, ws, wm in got]
        if seen != want:
            print("\n".join(self.log))
            print("Cassandra:", seen)
            print("model:    ", want)
            return False
        return True


def main():
    histories = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else int(time.time())
    print(f"oracle_histories: {histories} histories, seed {seed}")
    session = Cluster(["127.0.0.1"]).connect()
    session.execute(f"CREATE KEYSPACE IF NOT EXISTS {KEYSPACE} WITH replication = "
                    "{'class': 'SimpleStrategy', 'replication_factor': 1}")
    session.set_keyspace(KEYSPACE)
    session.execute("DROP TABLE IF EXISTS t")
    session.execute("CREATE TABLE t (p int, c text, a text, b text, m map<text, text>, s text static, PRIMARY KEY (p, c))")
    failed = 0
    for p in range(histories):
        history = History(session, random.Random(seed * 1000003 + p), p)
        for _ in range(history.rng.randint(2, 14)):
            history.step()
        failed += not history.compare()
    session.execute(f"DROP KEYSPACE {KEYSPACE}")
    print("ok" if not failed else f"{failed} histories differ")
    sys.exit(failed != 0)


main()
