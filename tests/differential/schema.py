"""Random tables, and the tables of the example systems."""
import glob
import os
import re
import zlib
from dataclasses import dataclass, field, replace

import values
from answers import Statement
from functions import random_functions
from values import Type, native


def name_text(name):
    return name if re.fullmatch(r"[a-z][a-z0-9_]*", name) and name not in ("from", "to", "order") else '"%s"' % name.replace('"', '""')


@dataclass
class Column:
    """kind: partition, clustering, static, regular. domain: the values that statements choose from, so that they meet."""
    name: str
    type: Type
    kind: str
    desc: bool = False
    domain: list = field(default_factory=list)
    cached: bool = False  # a clustering of counters, which a server's CounterCacheKey has as bytes: one that is written otherwise counts for itself

    view_key: bool = False  # of a view

    @property
    def text(self):
        return name_text(self.name)

    @property
    def is_key(self):
        return self.kind in ("partition", "clustering")

    def takes(self, value):
        """A key of the form {} of a map type is read as a set's there, and fails (a ClassCastException). Of clusterings that are equal and not
        the same the first one written stays for as long as anything of it lies in memory there, covered or not (1.50 is 1.5 in JSON)."""
        if (self.kind == "clustering" or self.view_key) and self.type.has("decimal") and re.search(r"\b1\.5?0\b", value.literal):
            return False
        return not self.is_key or bool(value.raw and value.literal != "{}")

    def fill(self, rng):
        made = [self.type.value(rng) for _ in range(12)]
        usable = [v for v in made if self.takes(v)]
        distinct = list({v.raw: v for v in usable}.values())
        self.domain = distinct[:3 if self.kind == "partition" else 4 if self.kind == "clustering" else 5] or made[:1]


@dataclass
class Table:
    name: str
    columns: list
    compact: bool = False
    indexes: list = field(default_factory=list)
    sai: bool = False   # what they are
    viewed: bool = False
    graceless: bool = False  # its tombstones have no grace: how long one stands against an older write is a clock's secret, so none is older
    view_of: str = None      # a view: its table's name
    inherits: bool = False   # a view: the order of its table's columns
    star: bool = False       # a view: of all the columns that its table has and will have
    filters: dict = field(default_factory=dict)  # of a view's key: what is asked of it, by name
    dropped: dict = field(default_factory=dict)  # columns that it had, by name
    options: str = ""

    def of(self, *kinds):
        return [c for c in self.columns if c.kind in kinds]

    @property
    def partition(self):
        return self.of("partition")

    @property
    def clustering(self):
        return self.of("clustering")

    @property
    def key(self):
        return self.of("partition", "clustering")

    @property
    def cells(self):
        return self.of("regular", "static")

    @property
    def counter(self):
        return any(c.type.name == "counter" for c in self.cells)

    @property
    def text(self):
        return name_text(self.name)

    def create_index(self, target):
        chosen = zlib.crc32((self.name + target).encode())  # always the same of one target
        column = [c for c in self.columns if c.text in target]
        if self.sai and chosen % 3 == 0 and column and any(column[0].type.has(t) for t in ("text", "ascii")):
            options = [o for i, o in enumerate(("'case_sensitive': 'false'", "'normalize': true", "'ascii': 'true'")) if chosen >> 4 + i & 1]
            return "CREATE CUSTOM INDEX ON %s (%s) USING 'StorageAttachedIndex'%s" % (self.text, target, " WITH OPTIONS = {%s}" % ", ".join(options) if options else "")
        return "CREATE INDEX ON %s (%s)%s" % (self.text, target, " USING 'sai'" if self.sai else "")

    def create(self):
        if self.view_of:
            return self.create_view()
        cols = ["%s %s%s" % (c.text, c.type.name, " static" if c.kind == "static" else "") for c in self.columns]
        key = "(%s)" % ", ".join(c.text for c in self.partition)
        cols.append("PRIMARY KEY (%s)" % ", ".join([key] + [c.text for c in self.clustering]))
        options = ["COMPACT STORAGE"] if self.compact else []
        if any(c.desc for c in self.clustering):
            options.append("CLUSTERING ORDER BY (%s)" % ", ".join(c.text + (" DESC" if c.desc else " ASC") for c in self.clustering))
        if self.options:
            options.append(self.options)
        return "CREATE TABLE %s (%s)%s" % (self.text, ", ".join(cols), " WITH " + " AND ".join(options) if options else "")


    def create_view(self):
        shown = "*" if self.star else ", ".join(c.text for c in self.columns)
        where = " AND ".join("%s %s" % (c.text, self.filters.get(c.name, "IS NOT NULL")) for c in self.key)
        key = "(%s)" % ", ".join(c.text for c in self.partition)
        order = ""
        if any(c.desc for c in self.clustering) and not self.inherits:
            order = " WITH CLUSTERING ORDER BY (%s)" % ", ".join(c.text + (" DESC" if c.desc else " ASC") for c in self.clustering)
        return "CREATE MATERIALIZED VIEW %s AS SELECT %s FROM %s WHERE %s PRIMARY KEY (%s)%s" % (
            self.text, shown, self.view_of, where, ", ".join([key] + [c.text for c in self.clustering]), order)


@dataclass
class Schema:
    udts: list
    tables: list
    statements: list = None  # that make it; None: as the model of it says
    functions: list = field(default_factory=list)

    def ddl(self):
        if self.statements:
            return list(self.statements)
        out = ["CREATE TYPE %s (%s)" % (u.name, ", ".join("%s %s" % (n, p.name) for n, p in zip(u.fields, u.parts))) for u in self.udts]
        for t in self.tables:
            out.append(t.create())
            out += [t.create_index(target) for target in t.indexes]
        return out + [s for f in self.functions for s in f.statements]


# none begins beyond ASCII: of such columns a server's orders disagree, and it mixes up their cells
NAMES = ("a", "b", "v", "w", "Mixed", "x1", "value", "ttl", "qé", "key", "na me", "z", "to", "count", "uü", "Z", "É", "ΑΣ")


def random_udts(rng):
    udts = []
    for i in range(rng.choice((1, 2))):
        parts = tuple(values.random_type(rng, udts, 1) for _ in range(rng.choice((1, 2, 3))))
        udts.append(Type("u%d" % i, "udt", parts, False, ("f", "g", "h")[:len(parts)]))
    return udts


def key_type(rng, udts):
    return values.random_type(rng, udts, 0, True) if rng.random() < 0.5 else native(rng.choice(("int", "text", "bigint", "timestamp", "timeuuid")))


def random_table(rng, name, udts, timeless):
    """timeless: every write will have a timestamp of its own; then a default TTL would make ties that a clock decides."""
    keys = rng.choice((1, 1, 1, 2, 3))
    columns = [Column("p" + (str(i) if keys > 1 else ""), key_type(rng, udts), "partition") for i in range(keys)]
    for i in range(rng.choice((0, 1, 2, 2, 3))):
        columns.append(Column("c%d" % i, key_type(rng, udts), "clustering", rng.random() < 0.4))
    clustered = any(c.kind == "clustering" for c in columns)
    names = rng.sample(NAMES, len(NAMES))
    if rng.random() < 0.14:
        for _ in range(rng.choice((1, 1, 2))):
            columns.append(Column(names.pop(), native("counter"), "static" if clustered and rng.random() < 0.15 else "regular"))
        for c in columns:
            c.cached = c.kind == "clustering" and c.type.has("varint")
        table = Table(name, columns)
    elif rng.random() < 0.12:
        one = values.random_type(rng, udts, 1)
        columns += [Column(names.pop(), one, "regular") for _ in range(1 if clustered else rng.choice((1, 2)))]
        table = Table(name, columns, compact=True)
    else:
        for _ in range(rng.choice((0, 1, 3, 4, 5, 6))):
            columns.append(Column(names.pop(), values.random_type(rng, udts), "static" if clustered and rng.random() < 0.2 else "regular"))
        table = Table(name, columns)
        table.sai = rng.random() < 0.4
        table.indexes = [t for t in (index_target(rng, table, c) for c in columns if rng.random() < (0.3 if table.sai else 0.1)) if t]
        if not timeless and rng.random() < 0.15:
            table.options = "default_time_to_live = 1000000"
        elif not timeless and rng.random() < 0.1:
            table.options, table.graceless = "gc_grace_seconds = 0", True
    for c in table.columns:
        c.fill(rng)
    return table


def index_name(table, target):
    """The one that it gets: without what is no letter, digit or underscore."""
    column = re.sub(r"^(KEYS|VALUES|ENTRIES|FULL)\((.*)\)$", r"\2", target).strip('"').replace('""', '"')
    return name_text(re.sub(r"\W", "", "%s_%s_idx" % (table.name, column), flags=re.A))


def index_target(rng, table, c):
    """A static column's legacy index forgets rows there (docs/differences.md), and one of decimals finds only the same bytes. SASI looks at nothing but
    columns beside the key: of p = 7 AND v = 1 it gives the rows of p = 1."""
    if (c.kind == "static" and not table.sai) or c.type.has("duration") or c.type.has("decimal") or c.type.kind == "vector" or (c.type.kind == "udt" and c.type.multi):
        return None
    if c.kind == "partition" and (len(table.partition) == 1 or table.of("static")):
        return None
    if c.type.collection and c.type.frozen:
        return "FULL(%s)" % c.text
    if c.type.kind == "map":
        return rng.choice(("KEYS(%s)", "VALUES(%s)", "ENTRIES(%s)")) % c.text
    return c.text


def random_view(rng, table):
    """Of all the table's columns but static ones, with its key in another order, and perhaps one column more in it."""
    columns = [replace(c, desc=rng.random() < 0.3, kind="regular") for c in table.columns if c.kind != "static"]
    key = [c for c in columns if any(c.name == k.name for k in table.key)]
    more = [c for c in columns if c not in key and c.type.name != "duration" and not c.type.multi and not c.type.has("duration")]
    if more and rng.random() < 0.6:
        key.append(rng.choice(more))
        base, = [c for c in table.columns if c.name == key[-1].name]
        base.view_key = key[-1].view_key = True
        base.fill(rng)
        key[-1].domain = base.domain
    rng.shuffle(key)
    split = rng.choice((1, 1, 2))
    for i, c in enumerate(key):
        c.kind = "partition" if i < split else "clustering"
        c.desc = c.desc and c.kind == "clustering"
    inherits = not any(c.desc for c in key)
    if inherits:  # with no order of its own it has the table's
        descending = [c.name for c in table.clustering if c.desc]
        for c in key:
            c.desc = c.kind == "clustering" and c.name in descending
    star = rng.random() < 0.4 and not table.of("static")
    rest = [c for c in columns if c.kind == "regular" and (star or rng.random() < 0.8)]
    filters = {c.name: view_filter(rng, c) for c in key if rng.random() < 0.15 and any(c.name == k.name for k in table.key)}
    return Table("v" + table.name, key + rest, view_of=table.text, filters=filters, star=star, inherits=inherits)


def view_filter(rng, column):
    """Of a part of the table's key; others may be nothing but not null."""
    values = [v.literal for v in column.domain]
    return rng.choice(("> %s", "<= %s", "= %s", "IN (%s)")) % rng.choice(values) if rng.random() < 0.7 else "IN (%s)" % ", ".join(values[:2])


def random_schema(rng, timeless):
    udts = random_udts(rng)
    tables = [random_table(rng, "t%d" % i, udts, timeless) for i in range(2)]
    # writes with timestamps of their own make rows of views there that are not the table's (docs/differences.md)
    viewed = [t for t in tables if not (t.compact or t.counter or t.options)]
    if not timeless and viewed and rng.random() < 0.3:
        table = rng.choice(viewed)
        table.viewed = True
        tables.append(random_view(rng, table))
    return Schema(udts, tables, None, random_functions(rng, tables) if rng.random() < 0.15 else [])


# ---- the example systems ----

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "examples", "*", "schema.cql")


def parse_type(text, udts):
    m = re.fullmatch(r"(\w+)<(.*)>", text)
    if not m:
        return udts.get(text) or native(text)
    parts = [parse_type(p, udts) for p in re.split(r", (?![^<]*>)", m.group(2))]
    return {"frozen": lambda p: p.freeze(), "list": values.listed, "set": values.setted, "map": values.mapped}[m.group(1)](*parts)


def texts_in(raw):
    """The strings of a list<text>."""
    out, at = [], 4
    while at < len(raw):
        size = int.from_bytes(raw[at:at + 4], "big")
        out.append(raw[at + 4:at + 4 + size].decode())
        at += 4 + size
    return out


def read_example(path, widerow):
    """A schema as its file has it, without the keyspace; what is in it Widerow tells."""
    text = re.sub(r"(//|--)[^\n]*", "", open(path).read())
    keyspace = re.search(r"KEYSPACE IF NOT EXISTS (\w+)", text).group(1)
    statements = [" ".join(s.split()) for s in text.split(";") if s.strip()]
    widerow.fresh()
    for s in statements:
        assert widerow.ask(Statement(s)).kind == "void", s

    def rows(table, columns):
        answer = widerow.ask(Statement("SELECT %s FROM system_schema.%s WHERE keyspace_name = '%s'" % (columns, table, keyspace)))
        return answer.pages[0]

    udts = {}
    for name, names, types in rows("types", "type_name, field_names, field_types"):
        name = name.decode()
        udts[name] = Type(name, "udt", tuple(parse_type(t, udts) for t in texts_in(types)), False, tuple(texts_in(names)))
    tables = {name.decode(): Table(name.decode(), [], b"compound" not in flags) for name, flags in rows("tables", "table_name, flags")}
    places = {}
    for table, name, kind, place, order, type_name in rows("columns", "table_name, column_name, kind, position, clustering_order, type"):
        kind = {"partition_key": "partition"}.get(kind.decode(), kind.decode())
        column = Column(name.decode(), parse_type(type_name.decode(), udts), kind, order == b"desc")
        places[table, name] = (("partition", "clustering", "static", "regular").index(kind), int.from_bytes(place, "big"))
        tables[table.decode()].columns.append(column)
    for t in tables.values():
        t.columns.sort(key=lambda c: places[t.name.encode(), c.name.encode()])
    schema = Schema(list(udts.values()), list(tables.values()))
    schema.statements = [s.replace(keyspace + ".", "") for s in statements[1:]]
    return schema


def example_schemas(widerow):
    return [read_example(path, widerow) for path in sorted(glob.glob(EXAMPLES))]
