"""The property that a keyspace can be moved: the statements that wr_schema_export and wr_table_export tell make the same tables on a Cassandra, and in another
Widerow."""
import random

from answers import Answer, Statement, difference
from cases import Case
from lane import SERVER_BUGS
from orders import mutations, reads
from shrink import Shrinker


class Moves:
    def __init__(self, lane, case):
        self.lane, self.case = lane, case
        self.asked = [Statement("DESCRIBE KEYSPACE " + lane.keyspace)] + reads(case)

    def fill(self, said):
        """What the keyspace is here after these mutations, and the statements that say so."""
        self.lane.fresh(self.case.ddl)
        for statement in said:
            self.lane.widerow.ask(statement)
        self.lane.asked += len(said)
        self.made = self.lane.widerow.export(self.lane.keyspace)[1:]  # behind CREATE KEYSPACE
        told = [Statement(cql) for table in self.case.schema.tables for cql in self.lane.widerow.export(self.lane.keyspace, table.name)]
        return [self.lane.ours(s) for s in self.asked], told

    def refused(self, told):
        """Runs them on both sides, in databases that are new; the first that fails: (who, statement, answer)."""
        self.lane.fresh(self.made)
        for statement in told:
            for who, answer in zip(("Cassandra", "Widerow"), self.lane.pair([statement])[0]):
                if answer.kind == "error":
                    return who, statement, answer
        return None

    def parts(self, said):
        """(who, the statements that moved it, a statement, what it answers there, what it answered here)."""
        here, told = self.fill(said)
        failed = self.refused(told)
        if failed:
            who, statement, answer = failed
            return who, told, statement, answer, Answer("void")
        for statement, answers, before in zip(self.asked, self.lane.pair(self.asked), here):
            for who, now in zip(("Cassandra", "Widerow"), answers):
                buggy = now.kind == "error" and now.code in SERVER_BUGS
                if not buggy and difference(before, now, statement.cql):
                    return who, told, statement, now, before
        return None


def run_moves(worker, seed):
    case = Case(seed, worker.examples, 0, clocked=False)
    moves = Moves(worker.lane, case)
    said = [s for s in mutations(case) if s.values is None and "json" not in s.cql.lower()]  # bound or JSON's, a frozen set may be out of order, which no literal says
    if not moves.parts(said):
        return
    found = moves.parts(Shrinker.fewer(said, moves.parts))
    if found:
        who, told, statement, now, before = found
        lines = ["-- case %d: another table in %s after it was moved" % (seed, who)] + [s + ";" for s in moves.made]
        lines += [s.script() for s in told] + [statement.script(), "-- there: " + now.show(), "-- here: " + before.show()]
        worker.report.put(("difference", (seed,), "\n".join(lines)))
