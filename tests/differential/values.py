"""Types, and values to try of each: a value is its CQL literal, the protocol's bytes and its JSON text."""
import json
import struct
import uuid
from collections import namedtuple
from dataclasses import dataclass, field, replace

Value = namedtuple("Value", "literal raw json")


def number(n, raw):
    return Value(str(n), raw, str(n))


def ints(size, *numbers):
    return [number(n, n.to_bytes(size, "big", signed=True)) for n in numbers]


def varint(n):
    return n.to_bytes((n if n >= 0 else ~n).bit_length() // 8 + 1, "big", signed=True)


def decimal(text):
    digits, _, exponent = text.lower().partition("e")
    whole, _, fraction = digits.partition(".")
    raw = struct.pack(">i", len(fraction) - int(exponent or 0)) + varint(int(whole + fraction))
    return Value(text, raw, '"%s"' % text if exponent else text)  # in JSON's numbers an exponent is lost


def floats(form, *texts):
    return [Value(t, struct.pack(form, float(t)), t if t[-1].isdigit() else '"%s"' % t) for t in texts]


def texts(*strings):
    return [Value("'" + s.replace("'", "''") + "'", s.encode(), json.dumps(s, ensure_ascii=False)) for s in strings]


def quoted(pairs):
    return [Value("'" + s + "'", raw, '"' + s + '"') for s, raw in pairs]


def bare(pairs):
    return [Value(s, raw, '"' + s + '"') for s, raw in pairs]


def uuids(*strings):
    return bare([(s, uuid.UUID(s).bytes) for s in strings])


def vint(n):
    """An unsigned vint."""
    size = max(1, (n.bit_length() + 6) // 7)
    if size > 8:
        return b"\xff" + n.to_bytes(8, "big")
    return (n | (0xFF00 >> size - 1 & 0xFF) << 8 * (size - 1) if size > 1 else n).to_bytes(size, "big")


def zigzag(n):
    return vint((n << 1) ^ (n >> 63) if n >= 0 else ((-n) << 1) - 1)


def duration(text, months, days, nanos):
    return text, zigzag(months) + zigzag(days) + zigzag(nanos)


def ms(n):
    return struct.pack(">q", n)


V1 = ("13814000-1dd2-11b2-8080-808080808080", "50554d6e-29bb-11e5-b345-feff819cdc9f", "50554d6e-29bb-11e5-7345-0eff819cdc9f",
      "00000000-0000-1000-8000-000000000000")
POOLS = {
    "ascii": texts("a", "b", "ab", "", "Z", "it's", "\"\\", "\x7f"),
    "text": texts("a", "b", "ab", "", "é", "日本", "a b", "it's", "Ab", "x" * 30, "1", "\U0001f600", "\t\"\\\n", "{}", "ß", "null", "e\u0301"),
    "blob": [Value("0x" + h, bytes.fromhex(h), '"0x%s"' % h) for h in ("00", "ff", "cafe", "", "00ff00", "0000000000000001")],
    "boolean": [Value("true", b"\1", "true"), Value("false", b"\0", "false")],
    "tinyint": ints(1, 0, 1, 2, -1, 127, -128),
    "smallint": ints(2, 0, 1, 2, -1, 300, 32767, -32768),
    "int": ints(4, 0, 1, 2, 3, -1, 7, 100, 2147483647, -2147483648),
    "bigint": ints(8, 0, 1, 2, 3, -1, 10 ** 10, 2 ** 53 + 1, 2 ** 63 - 1, -2 ** 63),
    "counter": ints(8, 0, 1, 2, -1, 5),
    "varint": [number(n, varint(n)) for n in (0, 1, 2, -1, 127, 128, -128, -129, 255, 2 ** 63, -2 ** 63, 10 ** 20, -10 ** 30)],
    "decimal": [decimal(t) for t in ("0", "1", "1.0", "1.50", "-2.5", "1e3", "123456789012345678901234567890.5", "-0.001", "7", "3", "1e-10", "0.3", "99999999999999999999e5", "-12.75", "1e-7", "1e100")],
    "float": floats(">f", "0.0", "-0.0", "1.5", "-2.25", "NaN", "Infinity", "1e10", "0.1", "3", "2.5", "-Infinity", "1e-45", "3.4028235e38", "16777217", "1e-3", "9999999", "1e7"),
    "double": floats(">d", "0.0", "-0.0", "1.5", "-2.25", "NaN", "-Infinity", "1e100", "0.1", "3", "2.5", "Infinity", "4.9e-324", "1.7976931348623157e308", "2e-3", "1e7", "123456789.125", "9007199254740993"),
    "date": quoted([("1970-01-01", struct.pack(">I", 2 ** 31)), ("2020-02-29", struct.pack(">I", 2 ** 31 + 18321)),
                    ("1969-12-31", struct.pack(">I", 2 ** 31 - 1)), ("2015-07-14", struct.pack(">I", 2 ** 31 + 16630)), ("0", bytes(4)), ("4294967295", b"\xff" * 4),
                    ("0001-01-01", struct.pack(">I", 2 ** 31 - 719162)), ("9999-12-31", struct.pack(">I", 2 ** 31 + 2932896))]),
    "time": quoted([("00:00:00", ms(0)), ("13:14:15.678", ms(47655678000000)), ("23:59:59.999999999", ms(86399999999999)), ("00:00:00.000000001", ms(1)), ("12:00:00.1", ms(43200100000000))]),
    "timestamp": quoted([("1970-01-01T00:00:00Z", ms(0)), ("2020-02-29T13:14:15.678Z", ms(1582982055678)), ("1969-12-31T23:59:59.999Z", ms(-1)),
                         ("2015-07-14T00:00:00+0000", ms(1436832000000)), ("2020-02-29T13:44:00Z", ms(1582983840000)), ("253402300800000", ms(253402300800000)), ("-62135596800001", ms(-62135596800001))]),
    "uuid": uuids("00000000-0000-0000-0000-000000000000", "ffffffff-ffff-4fff-bfff-ffffffffffff", "123e4567-e89b-42d3-a456-426614174000", *V1[:2]),
    "timeuuid": uuids(*V1),
    "inet": quoted([("1.2.3.4", bytes([1, 2, 3, 4])), ("::1", bytes(15) + b"\1"), ("255.255.255.255", b"\xff" * 4),
                    ("2001:db8::1", bytes.fromhex("20010db8000000000000000000000001")), ("::", bytes(16)), ("::ffff:1.2.3.4", bytes([1, 2, 3, 4]))]),
    "duration": bare([duration("1mo", 1, 0, 0), duration("2d", 0, 2, 0), duration("1h30m", 0, 0, 5400 * 10 ** 9), duration("-1d", 0, -1, 0),
                      duration("1y2mo3d4h", 14, 3, 4 * 3600 * 10 ** 9), duration("10ns", 0, 0, 10), duration("-1y2mo3w4d5h6m7s8ms9us1ns", -14, -25, -18367008009001), duration("2147483647mo", 2147483647, 0, 0),
                      duration("P1Y2M", 14, 0, 0), duration("1w", 0, 7, 0), duration("9223372036854775807ns", 0, 0, 9223372036854775807)]),
}
# constants that a type refuses, some of them only just
REFUSED = {
    "ascii": ("'é'", "1"), "text": ("1", "true"), "blob": ("'00'", "0x0", "1"), "boolean": ("'true'", "1", "'x'"), "tinyint": ("128", "-129", "1.5", "'1'"),
    "smallint": ("32768", "'1'", "1e2"), "int": ("2147483648", "-2147483649", "1.0", "'1'", "0x01", "99999999999999999999"),
    "bigint": ("9223372036854775808", "'1'", "1.5", "1e3"), "counter": ("1.5", "'1'", "0x01"), "varint": ("1.5", "'1'", "1e3", "0x01"),
    "decimal": ("'1'", "0x01", "NaN", "1e99999999999"), "float": ("'1'", "0x01", "1e400", "true"), "double": ("'1'", "0x01", "1e4000", "1d"),
    "date": ("'2020-13-01'", "'2020-02-30'", "'x'", "-1", "4294967296", "1.5", "''"), "time": ("'25:00:00'", "'1'", "-1", "86400000000000", "'00:60:00'", "''"),
    "timestamp": ("'2020-13-01'", "'x'", "''", "1.5", "'2020-02-30'", "'2020-01-01T25:00:00Z'", "9223372036854775808"),
    "uuid": ("'123'", "1", "0x01", "123e4567-e89b-42d3-a456-42661417400"), "timeuuid": ("123e4567-e89b-42d3-a456-426614174000", "'x'", "1"),
    "inet": ("'1.2.3'", "'1.2.3.256'", "'::g'", "1", "''", "'1.2.3.4.5'"), "duration": ("'1d'", "1", "1x", "P1X", "1d1mo", "99999999999999999999d"),
}
NUMBERS = ("tinyint", "smallint", "int", "bigint", "varint", "decimal", "float", "double")
FIXED = {"boolean", "int", "bigint", "float", "double", "timestamp", "uuid", "timeuuid"}  # VectorType keeps these without a length
KEYS = [n for n in POOLS if n not in ("counter", "duration")]


def in_order(document):
    """The same for {1, 2} and {2, 1, 1}, and for 1 and 1.0, which are one key; of lists we do not care."""
    if isinstance(document, list):
        return repr(sorted({in_order(d) for d in document}))
    if isinstance(document, dict):
        return repr(sorted((in_order(k), in_order(v)) for k, v in document.items()))
    if isinstance(document, int) and not isinstance(document, bool):
        document = float(document)  # 1 is 1.0, as a decimal
    return repr(document)


@dataclass(frozen=True)
class Type:
    """kind: native, list, set, map, tuple, udt, vector. name: as CQL declares it, frozen where it is."""
    name: str
    kind: str = "native"
    parts: tuple = ()
    frozen: bool = False
    fields: tuple = field(default=())
    dimension: int = 0

    @property
    def multi(self):
        """Kept as several cells."""
        return self.kind in ("list", "set", "map", "udt") and not self.frozen

    @property
    def collection(self):
        return self.kind in ("list", "set", "map")

    @property
    def fixed(self):
        return self.name in FIXED or (self.kind == "vector" and self.parts[0].fixed)

    def freeze(self):
        if self.frozen or self.kind in ("native", "vector", "tuple"):
            return self
        return Type("frozen<%s>" % self.name, self.kind, self.parts, True, self.fields)

    def has(self, name):
        return self.name in (name, "frozen<%s>" % name) or any(p.has(name) for p in self.parts)

    def in_vector(self, name):
        """Whether a vector inside has it, which does not follow when it is altered there (VectorType has no withUpdatedUserType)."""
        return self.kind == "vector" and self.has(name) or any(p.in_vector(name) for p in self.parts)

    def ordered(self, name):
        """Whether a set or the keys of a map have it, which cannot hold durations then."""
        return self.kind in ("set", "map") and self.parts[0].has(name) or any(p.ordered(name) for p in self.parts)

    def altered(self, udt):
        """The same where the user-defined type of that name is another one."""
        if self.kind == "udt" and self.name in (udt.name, "frozen<%s>" % udt.name):
            return replace(udt, name=self.name, frozen=self.frozen)
        return replace(self, parts=tuple(p.altered(udt) for p in self.parts))

    def value(self, rng):
        if self.kind == "native":
            return rng.choice(POOLS[self.name])
        if self.kind in ("list", "set"):
            items = [self.parts[0].value(rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
            if self.kind == "set" and self.parts[0].has("decimal"):
                items = items[:1]  # of equal ones that are not the same, as 1 and 1.0 are, a hash set decides there
            return self.group("[]" if self.kind == "list" else "{}", items)
        if self.kind == "map":
            return self.pairs([(self.parts[0].value(rng), self.parts[1].value(rng)) for _ in range(rng.choice((0, 1, 1, 2, 3)))])
        if self.kind == "vector":
            return self.vector([self.parts[0].value(rng) for _ in range(self.dimension)])
        items = [None if rng.random() < 0.12 else p.value(rng) for p in self.parts]
        if self.kind == "tuple" and rng.random() < 0.1:
            items = items[:rng.randint(1, len(items))]
        return self.record(items)

    @staticmethod
    def group(brackets, items):
        raw = struct.pack(">i", len(items)) + b"".join(sized(i) for i in items)
        return Value(brackets[0] + ", ".join(i.literal for i in items) + brackets[1], raw, "[" + ", ".join(i.json for i in items) + "]")

    @staticmethod
    def pairs(items):
        items = {in_order(json.loads(k.json)): (k, v) for k, v in items}.values()
        items = list({k.raw: (k, v) for k, v in items}.values())  # which of two equal keys wins is a hash map's secret there
        raw = struct.pack(">i", len(items)) + b"".join(sized(k) + sized(v) for k, v in items)
        keys = [k.json if k.json.startswith('"') else json.dumps(k.json, ensure_ascii=False) for k, _ in items]
        return Value("{" + ", ".join(k.literal + ": " + v.literal for k, v in items) + "}", raw,
                     "{" + ", ".join(k + ": " + v.json for k, (_, v) in zip(keys, items)) + "}")

    def vector(self, items):
        fixed = self.parts[0].fixed
        raw = b"".join(i.raw if fixed else vint(len(i.raw)) + i.raw for i in items)
        return Value("[" + ", ".join(i.literal for i in items) + "]", raw, "[" + ", ".join(i.json for i in items) + "]")

    def record(self, items):
        raw = b"".join(struct.pack(">i", -1) if i is None else sized(i) for i in items)
        shown = ["null" if i is None else i.literal for i in items]
        inner = ["null" if i is None else i.json for i in items]
        if self.kind == "tuple":
            return Value("(" + ", ".join(shown) + ")", raw, "[" + ", ".join(inner) + "]")
        return Value("{" + ", ".join(n + ": " + s for n, s in zip(self.fields, shown)) + "}", raw,
                     "{" + ", ".join(json.dumps(n) + ": " + s for n, s in zip(self.fields, inner)) + "}")


def sized(value):
    return struct.pack(">i", len(value.raw)) + value.raw


def native(name):
    return Type(name)


def listed(part, frozen=False):
    return wrapped(Type("list<%s>" % part.name, "list", (part,)), frozen)


def setted(part, frozen=False):
    return wrapped(Type("set<%s>" % part.name, "set", (part,)), frozen)


def mapped(key, value, frozen=False):
    return wrapped(Type("map<%s, %s>" % (key.name, value.name), "map", (key, value)), frozen)


def wrapped(kind, frozen):
    return kind.freeze() if frozen else kind


def tupled(*parts):
    return Type("tuple<%s>" % ", ".join(p.name for p in parts), "tuple", parts, True)


def vector_of(part, n):
    return Type("vector<%s, %d>" % (part.name, n), "vector", (part,), True, (), n)


def random_type(rng, udts, depth=0, key=False):
    """Any type that may stand in a table, below the top frozen; key: one that may be a key."""
    names = KEYS if key else [n for n in POOLS if n != "counter"]
    if rng.random() < (0.62, 0.7, 0.85, 1)[min(depth, 3)]:
        return native(rng.choice(names if rng.random() < 0.5 else ["int", "text", "int", "bigint", "timestamp"]))
    kind = rng.choice(("list", "set", "map", "tuple", "udt", "vector", "list", "set", "map"))
    if kind == "udt" and udts:
        u = rng.choice(udts)
        if not key or not u.has("duration"):
            return u.freeze() if key or depth or rng.random() < 0.5 else u
    if kind == "tuple":
        return tupled(*[random_type(rng, udts, depth + 2, key) for _ in range(rng.choice((2, 2, 3) if key else (1, 2, 3)))])
    if kind == "vector":
        part = native(rng.choice(("float", "float", "int", "double", "text", "smallint", "decimal", "varint", "uuid", "boolean")))
        inner = random_type(rng, udts, depth + 2, True)
        return vector_of(part if rng.random() < 0.8 else inner if rng.random() < 0.3 else inner.freeze(), rng.choice((1, 2, 3)))
    frozen = key or depth > 0 or rng.random() < 0.35
    if kind == "map":
        return mapped(random_type(rng, udts, depth + 1, True).freeze(), random_type(rng, udts, depth + 1, key).freeze(), frozen)
    part = random_type(rng, udts, depth + 1, key or kind == "set").freeze()
    return setted(part, frozen) if kind == "set" else listed(part, frozen)
