"""Makes a difference small: fewer statements before it, less schema, a shorter text."""
import time
from dataclasses import replace

from lane import Busy
from mistakes import TOKEN

SECONDS = 90


class Shrinker:
    def __init__(self, lane, ddl, statements, difference):
        self.lane, self.wanted = lane, difference.kind()
        self.ddl, self.last = list(ddl), difference.statement
        self.before = [s for s in statements[:difference.index]]
        self.difference, self.words = difference, words(difference.theirs.text)
        self.until = time.monotonic() + SECONDS

    def shows(self, ddl, before, last):
        """Runs it anew; true: it ends in the same kind of difference."""
        if time.monotonic() > self.until:
            return False
        self.lane.fresh(ddl)
        self.lane.run(before)
        return self.last_shows(last)

    def last_shows(self, last):
        (theirs, ours), = self.lane.pair([last])
        d = self.lane.compare(last, 0, theirs, ours)
        if not d or d.kind() != self.wanted:
            return False
        self.difference = d
        return True

    def run(self):
        """True: it could be shown again (and self.ddl, before, last are the small case)."""
        try:
            return self.shrink()
        except Busy:
            return False

    def shrink(self):
        writes = [s for s in self.before if not s.reads]
        if self.shows(self.ddl, [], self.last):
            self.before = []
        elif self.shows(self.ddl, writes, self.last):
            self.before = writes
        elif not self.shows(self.ddl, self.before, self.last):
            return False
        self.before = self.fewer(self.before, lambda b: self.shows(self.ddl, b, self.last))
        self.ddl = self.fewer(self.ddl, lambda d: self.shows(d, self.before, self.last))
        if self.last.reads or self.wanted[1] == self.wanted[3] == "error":
            self.lane.fresh(self.ddl)
            self.lane.run(self.before)
            self.shorten()
        return True

    @staticmethod
    def fewer(items, shows):
        """Leaves out what may be left out: halves first, then less."""
        size = max(1, len(items) // 2)
        while items:
            at, smaller = 0, False
            while at < len(items):
                rest = items[:at] + items[at + size:]
                if shows(rest):
                    items, smaller = rest, True
                else:
                    at += size
            if size == 1 and not smaller:
                break
            size = max(1, size // 2)
        return items

    def shorten(self):
        """Fewer words in the last statement: it changes nothing, so it can be asked again and again."""
        if self.last.values:
            return
        tokens = [t for t in TOKEN.findall(self.last.cql)]
        tokens = self.fewer(tokens, lambda ts: "".join(ts).strip() != "" and self.still("".join(ts)))
        self.last = replace(self.last, cql="".join(tokens))
        self.last_shows(self.last)

    def still(self, cql):
        return time.monotonic() < self.until and self.last_shows(replace(self.last, cql=cql)) and self.same_words()

    def same_words(self):
        """Of errors: the message must stay, or another would take its place."""
        return self.wanted[1] != "error" or words(self.difference.theirs.text) == self.words

    def script(self):
        d = self.difference
        lines = [s.script() for s in self.lane.opening()] + [s + ";" for s in self.ddl] + [self.lane.placed(s).script() for s in self.before + [self.last]]
        return "\n".join(lines) + "\n" + indent("Cassandra", d.theirs) + indent("Widerow", d.ours)


def words(text):
    """The first words of a message."""
    return text.split("'")[0][:24]


def indent(who, answer):
    return "".join("-- %s: %s\n" % (who if i == 0 else " " * len(who), line) for i, line in enumerate(answer.show().split("\n")))
