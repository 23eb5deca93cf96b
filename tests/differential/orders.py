"""The property that order does not matter: mutations that have timestamps of their own make the same table however they come."""
import random
import re

from answers import Statement, difference
from cases import Case
from shrink import Shrinker

SHUFFLES = 3
MUTATIONS = 60


def reads(case):
    """Everything a table shows, timestamps too."""
    out = []
    for t in case.schema.tables:
        times = ["writetime(%s)" % c.text for c in t.cells if c.type.name != "counter"]
        out.append(Statement("SELECT * FROM " + t.text, reads=True))
        if times:
            out.append(Statement("SELECT %s FROM %s" % (", ".join(times), t.text), reads=True))
    return out


def has_null_bound(statement):
    """A DELETE that fails there, of its partition alone: the rest of an unlogged batch has been written by then (docs/differences.md)."""
    ranged = "DELETE" in statement.cql and re.search(r"[<>]", statement.cql)
    return ranged and ("null" in statement.cql or None in (statement.values or []))


def mutations(case):
    """Those of the case's writes that say all they do by themselves: no list elements, which have places made from a clock."""
    out, tables = [], [t for t in case.schema.tables if not t.counter]
    while tables and len(out) < MUTATIONS:
        statement = case.speaker.write(case.rng.choice(tables)) if case.rng.random() < 0.8 else case.speaker.batch(tables)
        if statement.free and not has_null_bound(statement):
            out.append(statement)
    return out


class Orders:
    """One set of mutations, in other orders on either side each time; every table must be as the oracle's first."""

    def __init__(self, lane, case):
        self.lane, self.case, self.asked = lane, case, reads(case)

    def told(self, said, orders):
        """What the tables are after the mutations came in these orders: (who, order, answers)."""
        out = []
        for theirs, ours in orders:
            self.lane.fresh(self.case.ddl)
            for a, b in zip(theirs, ours):
                self.lane.oracle.ask(said[a])
                self.lane.widerow.ask(said[b])
            self.lane.asked += len(said) + len(self.asked)
            pairs = self.lane.pair(self.asked)
            out += [("Cassandra", theirs, [p[0] for p in pairs]), ("Widerow", ours, [p[1] for p in pairs])]
        return out

    def parts(self, said, orders):
        """The first table that is another one: (who, order, statement, before, now)."""
        told = self.told(said, orders)
        for who, order, answers in told[1:]:
            for statement, before, now in zip(self.asked, told[0][2], answers):
                if difference(before, now, statement.cql):
                    return who, order, statement, before, now
        return None


def run_orders(worker, seed):
    case = Case(seed, worker.examples, 0, clocked=False)
    said, rng = mutations(case), random.Random(seed)
    orders = Orders(worker.lane, case)
    ways = [(rng.sample(range(len(said)), len(said)), rng.sample(range(len(said)), len(said))) for _ in range(SHUFFLES)]
    if not orders.parts(said, ways):
        return

    def still(kept):
        chosen = set(kept)
        return orders.parts(said, [([i for i in a if i in chosen], [i for i in b if i in chosen]) for a, b in ways])

    kept = Shrinker.fewer(list(range(len(said))), still)
    found = still(kept)
    if found:
        who, order, statement, before, now = found
        lines = ["-- case %d: another table in %s after another order" % (seed, who)] + [s + ";" for s in case.ddl]
        lines += [said[i].script() for i in order] + [statement.script(), "-- before: " + before.show(), "-- now: " + now.show()]
        worker.report.put(("difference", (seed,), "\n".join(lines)))
