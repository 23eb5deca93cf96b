"""Functions and aggregates in Java that a schema may have: what they take is what its tables' columns are."""
from dataclasses import dataclass, replace

from values import Type, native

INT, TEXT, BIGINT = native("int"), native("text"), native("bigint")
WHOLE = ("tinyint", "smallint", "int", "bigint")


@dataclass
class Function:
    name: str
    takes: Type
    returns: Type
    statements: list  # that make it
    aggregate: bool = False


def thawed(kind):
    """As an argument is declared: what it takes is frozen anyway."""
    return replace(kind, name=kind.name[len("frozen<"):-1], frozen=False) if kind.name.startswith("frozen<") else kind


def bodies(kind):
    """What may be done with an argument of the type: result, body."""
    out = [(kind, "return a;")]
    if not kind.has("blob") and kind.name != "timeuuid":  # a buffer tells how it lies in memory
        out.append((TEXT, 'return String.valueOf(a) + "!";'))
    if kind.name in ("text", "ascii"):
        out += [(TEXT, "return new StringBuilder(a).reverse().append(a.length()).toString();"), (INT, "return a.hashCode();"),
                (TEXT, 'return a.isEmpty() ? null : a.substring(1).toUpperCase().replace("B", "bb");')]
    if kind.name in WHOLE:
        out += [(BIGINT, "long n = 17; for (int i = 0; i < 5; i++) n = n * 31 + a; return n;"), (INT, "return (int) (a / (a %% 3));".replace("%%", "%")),
                (TEXT, 'switch ((int) (a % 3)) { case 0: return "none"; case 1: return "one"; default: return Long.toHexString(a); }')]
    if kind.name in ("float", "double"):
        out += [(BIGINT, "return (long) (a * 1.5);"), (TEXT, 'return a > 1 ? "many" : a < 1 ? "few" : Double.toString(a);')]
    if kind.name in ("varint", "decimal"):
        out.append((kind, "return a.add(a).negate();"))
    if kind.collection:
        out.append((INT, "return a.size();"))
    if kind.kind in ("list", "set") and kind.parts[0].kind == "native" and not kind.has("blob"):
        out.append((TEXT, 'String s = ""; for (Object o : a) s += o + ";"; return s;'))
    return out


def declared(name, arguments, on_null, returns, body):
    return "CREATE FUNCTION %s (%s) %s ON NULL INPUT RETURNS %s LANGUAGE java AS $$%s$$" % (
        name, arguments, "CALLED" if on_null else "RETURNS NULL", returns.name, body)


def random_function(rng, number, kind):
    returns, body = rng.choice(bodies(kind))
    name = "f%d" % number
    return Function(name, kind, returns, [declared(name, "a %s" % kind.name, rng.random() < 0.3, returns, body)])


def random_aggregate(rng, number, kind):
    name, state = "g%d" % number, "s%d" % number
    kept, body, initial = rng.choice(((INT, "return s + (a == null ? 1 : 10);", " INITCOND 0"), (kind, "return a == null ? s : a;", ""),
                                      (INT, "return s == null ? 1 : s + 1;", "")))
    step = declared(state, "s %s, a %s" % (kept.name, kind.name), rng.random() < 0.6, kept, body)
    return Function(name, kind, kept, [step, "CREATE AGGREGATE %s (%s) SFUNC %s STYPE %s%s" % (name, kind.name, state, kept.name, initial)], True)


def random_functions(rng, tables):
    kinds = [thawed(c.type) for t in tables for c in t.columns if c.type.name != "counter"]
    return [(random_aggregate if rng.random() < 0.3 else random_function)(rng, i, rng.choice(kinds)) for i in range(rng.choice((2, 3, 4)))]
