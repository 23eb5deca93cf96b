"""The making of one statement: its values, written out or bound, and now and then of a wrong kind."""
import re

import values
from answers import Statement, UNSET
from values import POOLS, native

MARKER = re.compile("\x01(\\d+)\x01")
QUALIFIED = re.compile(r"\b(FROM|INTO|UPDATE) (?=[a-z])")
BLOB = native("blob")


class Maker:
    """Of one statement after another. `bound` of the current one: values for markers, None without markers. A marker stands as its
    value's number in the text until the statement is done, for parts of it are thrown away or change places before."""

    def __init__(self, rng, schema):
        self.rng, self.schema = rng, schema
        self.pinned = {}  # values that columns of a partition key keep, by name
        self.bound, self.wrong, self.whole, self.unsets, self.exact = None, 0, False, False, False

    def begin(self, markers=0.3, wrong=0.07):
        self.bound = [] if self.rng.random() < markers else None
        self.wrong = 1 if self.rng.random() < wrong else 0
        self.whole = False  # true: neither null nor unset may come

    def statement(self, cql, **flags):
        values_in_order = []

        def settle(match):
            values_in_order.append(self.bound[int(match.group(1))])
            return "?" if self.chance(0.9) else ":" + self.pick("a", "b", '"M"')

        cql = MARKER.sub(settle, cql)
        if self.chance(0.04):
            cql = QUALIFIED.sub("\\1 \x03.", cql)
        if self.chance(0.04):
            cql = restyled(self.rng, cql)
        return Statement(cql, values_in_order or None, prepare=bool(values_in_order) and self.chance(0.3), **flags)

    def chance(self, p):
        return self.rng.random() < p

    def pick(self, *choices):
        return self.rng.choice(choices)

    def weighted(self, pairs):
        return self.rng.choices([p[0] for p in pairs], [p[1] for p in pairs])[0]

    # ---- terms ----

    def value_of(self, column):
        if column.name in self.pinned and self.chance(0.97):
            return self.pinned[column.name]
        if column.domain and self.chance(0.85):
            return self.rng.choice(column.domain)
        value = column.type.value(self.rng)
        return value if column.takes(value) or not column.domain else self.rng.choice(column.domain)

    def of(self, column):
        """A term for a column."""
        # of values that are equal and not the same (decimals, NaNs) the first one written stays in a key, for as long as a tombstone remembers it
        # SAI finds nothing above an empty value of a descending column, of some types
        self.exact = column.is_key and (column.desc or column.cached or any(column.type.has(name) for name in ("decimal", "varint", "float", "double")))
        text = self.term(column.type, self.value_of(column), computed=not self.exact)
        self.exact = False
        return text

    def term(self, kind, value=None, null=0.03, computed=True):
        value, asked = value or kind.value(self.rng), kind
        if self.wrong and self.chance(0.3):
            self.wrong = 0
            if kind.name in values.REFUSED and self.chance(0.4):
                return self.pick(*values.REFUSED[kind.name])
            other = values.random_type(self.rng, self.schema.udts)
            if kind.kind != "tuple" or other.name != "blob":  # any bytes are a tuple there, which cannot be read any more then
                kind, value = other, other.value(self.rng)
        if self.bound is not None and self.chance(0.7):
            return self.marker(value.raw, null, kind)
        if not self.whole and self.chance(null):
            return "null"
        if self.chance(0.05) and computed:
            return self.called(kind, value)
        if kind.kind == "tuple" and kind is asked and self.chance(0.05):
            return "0x" + value.raw.hex()
        return value.literal

    def marker(self, raw, null=0.03, kind=BLOB):
        if not self.whole and self.chance(null):
            raw = None
        elif self.unsets and not self.whole and self.chance(0.02):
            raw = UNSET
        elif self.chance(0.04) and not self.exact:
            # an index of SAI there forgets a number that is written again with more bytes only once its memory is written out
            whole = b"\xff" * (1 if kind.name == "varint" else len(raw))
            # four bytes are a scale without a number to a decimal, which the reference takes and stumbles over ever after
            # and a NaN with a sign is below all numbers there to SAI alone
            whole = raw if kind.name in ("float", "double") else whole
            raw = self.pick(b"", raw + b"\0" if len(raw) == 5 else raw[:-1], raw + b"\0", whole)
        self.bound.append(raw)
        return "\x01%d\x01" % (len(self.bound) - 1)

    def called(self, kind, value):
        """The value by way of a hint, a function or arithmetic."""
        rng = self.rng
        same = [f for f in self.schema.functions if f.takes.name == f.returns.name == kind.name and not f.aggregate]
        if same and self.chance(0.5):
            return "%s(%s)" % (rng.choice(same).name, value.literal)
        if kind.name in ("int", "bigint", "double", "decimal", "varint") and self.chance(0.5):
            return "%s %s %s" % (value.literal, self.pick("+", "-", "*", "/", "%"), rng.choice(POOLS[kind.name]).literal)
        if self.chance(0.4):
            json = value.literal if kind.kind == "native" and not value.json.startswith('"') else value.json
            return "%s('%s')" % (self.pick("from_json", "from_json", "fromJson"), json.replace("'", "''"))
        if kind.name == "blob" and self.chance(0.7):
            other = rng.choice(("int", "text", "bigint", "timestamp"))
            return "%s_as_blob(%s)" % (other, rng.choice(POOLS[other]).literal)
        if kind.kind == "native" and kind.name != "counter" and self.chance(0.4):
            return "blob_as_%s(0x%s)" % (kind.name, value.raw.hex())
        if kind.name == "timestamp" and self.chance(0.5):
            return "%s %s %s" % (value.literal, self.pick("+", "-"), rng.choice(POOLS["duration"]).literal)
        return "(%s)%s" % (kind.name, value.literal)

    def some(self, items, low, high):
        n = min(len(items), self.rng.randint(low, high))
        return self.rng.sample(list(items), n)

    # ---- what follows USING ----

    def int_term(self, n):
        if self.bound is not None and self.chance(0.5):
            return self.marker(native_int(n), 0.02)
        return str(n)


TOKENS = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|0[xX][0-9a-fA-F]*|[\w.-]+|\s+|.""", re.S)


def restyled(rng, cql):
    """The same statement, written by somebody else."""
    out = []
    for token in TOKENS.findall(cql):
        if token.isspace():
            token = rng.choice((" ", " ", "  ", "\n", "\t", " /* c */ ", " -- c\n", " // c\n"))
        elif token[0] == "'" and "$" not in token and rng.random() < 0.3:
            token = "$$%s$$" % token[1:-1].replace("''", "'")
        elif re.fullmatch(r"[A-Z]+", token) and rng.random() < 0.3:
            token = rng.choice((token.lower(), token.title()))
        out.append(token)
    return "".join(out) + rng.choice(("", "", ";", " ;", "\n", ";;", " -- end"))


def native_int(n):
    return (n & 0xFFFFFFFF).to_bytes(4, "big")


def native_long(n):
    return (n & (2 ** 64 - 1)).to_bytes(8, "big")


TEXT, INT, BIGINT = native("text"), native("int"), native("bigint")
