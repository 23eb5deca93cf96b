"""Two databases side by side: the same statements to both, and where their answers part."""
import re
import time
from dataclasses import dataclass, replace

import answers
from answers import Statement
from oracle import Oracle
from widerow import Crash, Widerow

TOGETHER = 16  # statements under way at once
A_TICK = 0.0012  # s; a condition's write has microseconds, the next plain one begins at its millisecond there, and would lose
WRITE_FAILURE = 0x1500  # of a null bound of a DELETE: in a batch the other partitions are written there, and of a table with a view the view is
SERVER_BUGS = (0x0000, 0x000A, 0x1300, 0x1500)  # what ServerError, ProtocolError, ReadFailure and WriteFailure stand for when nobody provoked them
A_SCALE_ALONE = "Zero length BigInteger"  # of a decimal, which the reference takes, and stumbles over ever after
# of a constant of bytes for a tuple: the reference takes any, and fails where they are compared
NO_TUPLE = re.compile(r"Not enough bytes to read (size of )?\d+th component|Invalid remaining data after end of tuple value|Unexpected extraneous bytes after|Expected \d+ or 0 byte")
# of a set in a select list, or what SELECT JSON shows, whose elements are times of elements: numbers to whoever writes them, and lists to the set
NO_TIMES = re.compile(r"Invalid (set|list) literal for [{[].*(writetime|ttl)\(.*is not of type frozen<list<")
HALF_MADE = "InstanceAlreadyExistsException"  # a table by the name of a view, which is in the schema from then on
OVERLOAD = (0x1000, 0x1001, 0x1002, 0x1003, 0x1100, 0x1200)  # unavailable, overloaded, bootstrapping, truncating, timeouts


class Busy(Exception):
    """The oracle timed out: nothing can be said about this case."""


@dataclass
class Difference:
    statement: Statement
    index: int
    what: str
    theirs: answers.Answer
    ours: answers.Answer

    @property
    def parts_states(self):
        """Whether the databases may hold different things from now on."""
        return not self.statement.reads and not (self.theirs.kind == self.ours.kind == "error")

    def kind(self):
        """What stays the same while the case is made smaller."""
        return self.what, self.theirs.kind, self.theirs.code, self.ours.kind, self.ours.code


class Lane:
    def __init__(self, port, program, keyspace):
        self.port, self.oracle, self.widerow, self.keyspace = port, Oracle(port), Widerow(program), keyspace
        self.asked = self.refused = 0
        self.viewed = False
        self.tupled = False

    def opening(self):
        return [Statement("CREATE KEYSPACE %s WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}" % self.keyspace),
                Statement("USE " + self.keyspace)]

    def fresh(self, ddl):
        """New keyspaces with a schema; the differences in making it."""
        self.drop_keyspaces()
        self.widerow.fresh()
        statements = self.opening() + [s if isinstance(s, Statement) else Statement(s, ddl=True) for s in ddl]
        self.viewed = any("MATERIALIZED VIEW" in s.cql for s in statements)
        self.tupled = any("tuple<" in s.cql for s in statements)
        return self.run(statements)

    def drop(self):
        self.oracle.close()
        self.oracle = Oracle(self.port)  # on the old connection answers may be on their way
        self.drop_keyspaces()

    def drop_keyspaces(self):
        for name in (self.keyspace, self.keyspace + "x"):  # the second a case of options makes
            self.oracle.ask(Statement("DROP KEYSPACE IF EXISTS " + name))

    def placed(self, statement):
        """\x02 in a text stands for the keyspace's name as a constant, \x03 for it as a name."""
        text = statement.cql.replace("\x02", "'%s'" % self.keyspace).replace("\x03", self.keyspace)
        return replace(statement, cql=text) if text != statement.cql else statement

    def pair(self, statements):
        """(theirs, ours) of each; the oracle works while Widerow does."""
        statements = [self.placed(s) for s in statements]
        self.oracle.start(statements)
        ours = [self.ours(s) for s in statements]
        self.asked += len(statements)
        theirs = self.oracle.finish()
        self.refused += sum(a.kind == "error" for a in theirs)
        return list(zip(theirs, ours))

    def ours(self, statement):
        try:
            return self.widerow.ask(statement)
        except Crash as crash:
            return answers.Answer("crash", text=str(crash))

    def run(self, statements, on_difference=None):
        """The differences; on_difference may end it by answering true."""
        found, at = [], 0
        while at < len(statements):
            if statements[at].pause:
                time.sleep(statements[at].pause)
                at += 1
                continue
            flight = self.flight(statements, at)
            for i, (theirs, ours) in enumerate(self.pair(flight)):
                d = self.compare(flight[i], at + i, theirs, ours)
                if d:
                    found.append(d)
                    if on_difference and on_difference(d):
                        return found
            at += len(flight)
            if not flight[0].reads and " IF " in flight[0].cql:
                time.sleep(A_TICK)
        return found

    @staticmethod
    def flight(statements, at):
        end = at + 1
        for flag in ("reads", "free"):
            if getattr(statements[at], flag):
                while end < len(statements) and end - at < TOGETHER and getattr(statements[end], flag):
                    end += 1
                break
        return statements[at:end]

    def compare(self, statement, index, theirs, ours):
        if theirs.kind == "error" and theirs.code in OVERLOAD:
            raise Busy(theirs.text)
        what = answers.difference(theirs, ours, statement.cql)
        buggy = theirs.code in SERVER_BUGS or "NullPointerException" in theirs.text
        if ours.text == A_SCALE_ALONE:
            return Difference(statement, index, "server-error", theirs, ours) if theirs.kind != "error" else None
        if what and self.tupled and NO_TUPLE.match(ours.text) and "0x" in statement.cql.lower():
            return Difference(statement, index, "server-error", theirs, ours) if theirs.kind != "error" and not statement.reads else None
        if NO_TIMES.match(ours.text):
            return None
        if HALF_MADE in theirs.text:
            return Difference(statement, index, "server-error", theirs, ours)
        if what and theirs.kind == "error" and buggy and ours.kind != "crash":
            half_done = theirs.code == WRITE_FAILURE and ("BATCH" in statement.cql.upper() or self.viewed)
            what = None if statement.reads or ours.kind == "error" and not half_done else "server-error"
        return Difference(statement, index, what, theirs, ours) if what else None
