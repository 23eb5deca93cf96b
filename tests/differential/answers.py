"""What a side says to a statement, in one form for both, and whether two such answers are the same."""
import math
import re
import struct
from dataclasses import dataclass, field

UNSET = object()  # as a bound value: nothing is said about the column


@dataclass
class Statement:
    """values None: sent as it is; a list: what its markers are bound to (bytes, None, UNSET). pause: nothing is sent, for so many seconds. The flags tell what may be sent
    along with others at the same time: reads do not disturb each other, `free` writes come out the same in any order."""
    cql: str
    values: list = None
    page: int = 0
    prepare: bool = False
    reads: bool = False
    free: bool = False
    ddl: bool = False
    pause: float = 0

    def script(self):
        """As a script of tests/conformance has it."""
        if self.pause:
            return "-- %.1f seconds later" % self.pause
        text = ""
        if self.values is not None:
            text += "-- bind: " + ", ".join(map(shown_value, self.values)) + "\n"
        if self.page:
            text += "-- page: %d\n" % self.page
        return text + self.cql + ";"


def shown_value(value):
    return "unset" if value is UNSET else "null" if value is None else "0x" + value.hex()


@dataclass
class Answer:
    """kind: error, void, rows. Of errors code, text and whether preparing found it; of rows pages of lists of bytes."""
    kind: str
    code: int = 0
    text: str = ""
    preparing: bool = False
    markers: list = None
    columns: list = field(default_factory=list)
    change: tuple = None
    warnings: list = field(default_factory=list)
    pages: list = field(default_factory=list)

    def show(self):
        if self.kind == "error":
            return "error 0x%04X %s" % (self.code, self.text)
        lines = ["warning: " + w for w in self.warnings]
        if self.kind == "void":
            lines.append("ok" + (" " + " ".join(map(str, self.change)) if self.change else ""))
        else:
            lines.append(" | ".join("%s %s" % c for c in self.columns))
            for i, page in enumerate(self.pages):
                lines += ["  (more)"] if i else []
                lines += ["  " + " | ".join(shown_value(v) for v in row) for row in page]
        return "\n".join(lines)


def unfrozen(name):
    """The type's name without frozen<>, which the protocol does not carry."""
    out, nested, at = [], [], 0
    while at < len(name):
        if name.startswith("frozen<", at):
            nested.append("f")
            at += 7
            continue
        if name[at] == "<":
            nested.append("<")
        if name[at] != ">" or not nested or nested.pop() != "f":
            out.append(name[at])
        at += 1
    return "".join(out)


def in_any_order(match):
    return match.group(1) + ", ".join(sorted(re.split(r", (?=\S+ : )", match.group(2)))) + ")"


def settled(text):
    """A text without what a server says differently from one start to the next: signatures come in the order of a hash map; toJson and fromJson
    are shown by whichever of their names a type was given to first."""
    text = re.sub(r"^(Java source compilation failed:\n).*", r"\1", text, flags=re.S)  # it quotes a class made around the body
    text = re.sub(r"\b(to|from)_?json\b", r"\1_json", text)
    text = re.sub(r"(the operation .* failed): null$", r"\1: / by zero", text)  # an exception of compiled code, which has lost its words
    # RestrictionSet's columns in common are a HashSet there, in an order of identity hashes
    text = re.sub(r"((?:More than one restriction was found for the (?:start|end) bound|equality and .*) on )(\S+(?: ,\S+)+)$",
                  lambda m: m.group(1) + " ,".join(sorted(m.group(2).split(" ,"))), text)
    return re.sub(r"((?:known type|following) signatures: )(.*)\)", in_any_order, text, flags=re.S)


def numbers_of(type_name, raw):
    """The numbers in an int, a bigint, a real or a list of integers; None: something else."""
    if raw is None:
        return [None]
    if type_name in ("float", "double") and len(raw) in (4, 8):
        return [struct.unpack(">f" if len(raw) == 4 else ">d", raw)[0]]
    if type_name == "varint":
        return [int.from_bytes(raw, "big", signed=True)]
    if type_name == "decimal" and len(raw) > 4:
        return [int.from_bytes(raw[4:], "big", signed=True) / 10.0 ** struct.unpack_from(">i", raw)[0]]
    if type_name in ("int", "bigint") and len(raw) in (4, 8):
        return [int.from_bytes(raw, "big", signed=True)]
    m = re.fullmatch(r"(?:list|set)<(.*)>", type_name)
    if not m:
        return None
    out, at = [], 4
    while at < len(raw):
        size, = struct.unpack_from(">i", raw, at)
        at += 4
        inner = numbers_of(m.group(1), raw[at:at + size] if size >= 0 else None)
        if inner is None:
            return None
        out += inner
        at += max(size, 0)
    return out


def type_arguments(type_name):
    """Those of tuple<int, list<text>>."""
    inner, out, depth = type_name[type_name.index("<") + 1:-1], [""], 0
    for c in inner:
        depth += (c == "<") - (c == ">")
        if c == "," and depth == 0:
            out.append("")
        else:
            out[-1] += c
    return [t.strip() for t in out]


def elements(raw):
    """Those of a tuple, or of a collection behind its count."""
    out, at = [], 0
    while at + 4 <= len(raw):
        size, = struct.unpack_from(">i", raw, at)
        out.append(raw[at + 4:at + 4 + size] if size >= 0 else None)
        at += 4 + max(size, 0)
    return out


SERVER_TIME = 10 ** 15  # microseconds; explicit timestamps are far smaller, so what is above is a clock's
TTL_SLACK = 600         # seconds; TTLs that are told apart differ by more


def alike(ttl, type_name, a, b):
    """Values of writetime(...) and ttl(...): times of a clock are all the same, TTLs run while we compare."""
    if type_name in ("text", "ascii") and a is not None and b is not None:
        return re.sub(rb"\d{5,}", b"N", a) == re.sub(rb"\d{5,}", b"N", b)
    if type_name in ("list<bigint>", "list<int>") and a is not None and b is not None and len(a) == len(b) == (4 if ttl and type_name == "list<int>" else 8):
        type_name = type_name[5:-1]  # of one element of a map, which the type does not tell from a part of it
    if type_name.startswith("tuple<") and a is not None and b is not None:
        parts = list(zip(type_arguments(type_name), elements(a), elements(b)))
        return len(a) == len(b) and all(x == y or alike(ttl, t, x, y) for t, x, y in parts)
    x, y = numbers_of(type_name, a), numbers_of(type_name, b)
    if x is None or y is None or len(x) != len(y):
        return False
    slack = TTL_SLACK if ttl else 0
    return all(p == q or (p is not None and q is not None and (abs(p - q) <= slack or min(abs(p), abs(q)) > SERVER_TIME)) for p, q in zip(x, y))


def both_nan(type_name, a, b):
    """The sign of a NaN that a server has computed is another one once its code is compiled."""
    form = {"float": ">f", "double": ">d"}.get(type_name)
    size = form and struct.calcsize(form)
    return bool(form) and a is not None and b is not None and len(a) == len(b) == size and all(math.isnan(struct.unpack(form, v)[0]) for v in (a, b))


ALIASES = ("x", "y", "Q", "v")  # as selects.py has them


IDENTITY = re.compile(r"\S+@[0-9a-f]{5,8}\b")


WRONG_JSON = re.compile(r"Error decoding JSON value for (.*?): ", re.S)


def bucket(name):
    """Of a column, in the hash map that TableMetadata.Builder has of them, before it has grown."""
    hashed = 1
    for byte in reversed(name.encode()):
        hashed = 31 * hashed + (byte - 256 if byte > 127 else byte) & 0xFFFFFFFF
    return (hashed ^ hashed >> 16) % 16


def same_wrong_json(theirs, ours):
    """Of two columns of one bucket whose values are wrong the one is told of that was added first, until the server is started again."""
    a, b = WRONG_JSON.match(theirs), WRONG_JSON.match(ours)
    return bool(a and b) and bucket(a.group(1)) == bucket(b.group(1))


def same_text(theirs, ours):
    """The identity of a Java object, which is another one each time, is taken for anything."""
    theirs, ours = settled(theirs), settled(ours)
    if same_wrong_json(theirs, ours):
        return True
    if theirs == ours or not IDENTITY.search(theirs):
        return theirs == ours
    return bool(re.fullmatch(".*".join(re.escape(part) for part in IDENTITY.split(theirs)), ours, re.S))


def same_keys(type_name, a, b):
    """Of map_keys: sets of a type there have the order of the first column of the type that was put into one, be it a descending one, for as
    long as the server runs (SetSerializer.getInstance)."""
    return type_name.startswith("set<") and a is not None and b is not None and sorted(elements(a[4:])) == sorted(elements(b[4:]))


def plain_of(cql):
    """In small letters, without comments, and without blanks before brackets: as functions are looked for."""
    return re.sub(r"\s+\(", "(", re.sub(r"/\*.*?\*/|--[^\n]*|//[^\n]*", " ", cql, flags=re.S).lower())


TIME_MADE = re.compile(r"[*/%]\s*\(*\s*writetime\(|writetime\([^()]*\)\s*\)*\s*[*/%]", re.I)  # a time in a term of a product
TIME_CAST = re.compile(r'"(?:[^"\\]|\\.)*cast\((?:[^"\\]|\\.)*writetime\((?:[^"\\]|\\.)*": [^,}]*')  # of an object: a time in another type


def same_row(columns, a, b, cql):
    if a == b:
        return True
    if columns[0][0] == "[json]":
        a, b = ([v and TIME_CAST.sub("", settled(v.decode("utf-8", "replace"))) for v in row] for row in (a, b))
        if a == b:
            return True
        a, b = ([v and v.encode() for v in row] for row in (a, b))
    plain = plain_of(cql)
    timed, ttl = "writetime(" in plain, "ttl(" in plain
    if timed and ("cast(" in plain or TIME_MADE.search(plain)):  # a time in another type or a part of it, perhaps under another name
        kept = [c for c in zip(columns, a, b) if not ("writetime(" in c[0][0] and ("cast(" in c[0][0] or TIME_MADE.search(c[0][0])) or c[0][0] in ALIASES)]
        columns, a, b = zip(*kept) if kept else ((), (), ())
    keys = "map_keys(" in plain
    return len(a) == len(b) and all(x == y or ("(" in cql and both_nan(kind, x, y)) or ((timed or ttl) and alike(ttl, kind, x, y)) or (keys and same_keys(kind, x, y))
                                    for (_, kind), x, y in zip(columns, a, b))


def same_rows(a, b, cql):
    return (len(a.pages) == len(b.pages) and
            all(len(p) == len(q) and all(same_row(a.columns, x, y, cql) for x, y in zip(p, q)) for p, q in zip(a.pages, b.pages)))


UNMERGED = re.compile(r".* cannot be restricted by (more than one relation|two inequalities|both an equality)", re.S)
SEVERAL = re.compile(r"\([^()]*,[^()]*\)\s*(=|<|>|in\b)", re.I)


def either_unmerged(theirs, ours, cql):
    """Of a relation on several columns that agrees with none of two others: which of those is tried first is told by an identity hash there
    (RestrictionSet.getRestrictions is a HashSet), another one each time."""
    return bool(UNMERGED.match(theirs) and UNMERGED.match(ours) and SEVERAL.search(cql))


def difference(theirs, ours, cql):
    """None: the same; otherwise one word for what differs first."""
    if theirs.kind != ours.kind:
        return "%s-for-%s" % (ours.kind, theirs.kind)
    if theirs.kind == "error":
        if theirs.code != ours.code:
            return "code"
        if not same_text(theirs.text, ours.text) and not either_unmerged(theirs.text, ours.text, cql):
            # there a parser goes on behind its first complaint, and an exception that it meets takes the complaint's place: of a number, or of the
            # snippet of a complaint of a token that goes over several lines
            late = re.search("reason: (NumberFormat|StringIndexOutOfBounds)Exception", theirs.text) and ours.code == 0x2000 and "line " in ours.text
            return None if late else "text"
        return None if theirs.preparing == ours.preparing or theirs.markers is None else "stage"
    for what in ("markers", "columns", "change", "warnings"):
        mine, other = getattr(ours, what), getattr(theirs, what)
        if what == "markers" and (mine is None or other is None):
            continue
        if what == "columns":
            mine, other = ([(settled(name), kind) for name, kind in c] for c in (mine, other))
        if mine != other:
            return what
    return None if theirs.kind == "void" or same_rows(theirs, ours, cql) else "rows"
