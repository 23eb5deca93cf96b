"""What a select list may have: columns and parts of them, functions, casts, arithmetic, aggregates."""
import values
from terms import INT
from values import NUMBERS, POOLS, native
from where import Where

CASTS = ("tinyint", "smallint", "int", "bigint", "varint", "decimal", "float", "double", "text", "ascii", "date", "timestamp", "boolean", "blob")
MATHS = ("abs", "exp", "log", "log10", "round")
UNITS = ("1h", "15m", "1d", "7d", "1mo", "1y", "2h", "1s", "3mo")


class Exprs(Where):
    def expr(self, table, depth=0):
        """Anything that is not an aggregate."""
        r = self.rng.random()
        column = self.rng.choice(table.columns)
        if depth >= 2 or r < 0.3:
            return column.text
        if r < 0.42:
            return self.part(column)
        if r < 0.52:
            return self.cell_time(column)
        if r < 0.62:
            return "CAST(%s AS %s)" % (self.expr(table, depth + 1), self.pick(*CASTS))
        if r < 0.75:
            return self.arithmetic(table, depth)
        if r < 0.95:
            return self.function(table, column, depth)
        return self.literal(table, depth)

    def part(self, c):
        return self.within(c.text, c.type) if self.chance(0.15) else self.one_part(c)

    def within(self, text, t):
        """A part of a part of a value, down to where there is none any more."""
        while self.chance(0.8):
            if t.kind == "map":
                text, t = "%s[%s]" % (text, self.term(t.parts[0], None, 0.02)), t.parts[1]
            elif t.kind == "set":
                return "%s[%s]" % (text, self.term(t.parts[0]))
            elif t.kind == "udt":
                i = self.rng.randrange(len(t.fields))
                text, t = "%s.%s" % (text, t.fields[i]), t.parts[i]
            else:
                return text + self.pick("", "", "[0]", ".f", "[0][0]", ".f.g")
        return text

    def one_part(self, c):
        t = c.type
        if t.kind == "map":
            key = t.parts[0]
            return "%s[%s]" % (c.text, self.term(key, None, 0.02))  # a slice loses its last value there
        if t.kind == "set":
            if self.chance(0.5):
                return "%s[%s]" % (c.text, self.term(t.parts[0]))
            return "%s[%s]" % (c.text, self.pick("%s..", "..%s")) % self.term(t.parts[0], None, 0)
        if t.kind == "udt":
            return "%s.%s" % (c.text, self.rng.choice(t.fields))
        return self.pick(c.text, c.text, c.text, "%s[0]" % c.text, "%s.f" % c.text)

    def cell_time(self, c):
        f = self.pick("writetime", "writetime", "maxwritetime", "ttl")
        if c.type.multi and c.type.kind in ("map", "set") and self.chance(0.4):
            key = c.type.parts[0]
            if self.chance(0.3):
                return "%s(%s[%s])" % (f, c.text, self.pick("%s..", "..%s") % self.term(key, None, 0))
            return "%s(%s[%s])" % (f, c.text, self.term(key))
        if c.type.kind == "udt" and self.chance(0.4):
            return "%s(%s.%s)" % (f, c.text, self.rng.choice(c.type.fields))
        return "%s(%s)" % (f, c.text)

    def numbers(self, table):
        return [c.text for c in table.columns if c.type.name in NUMBERS + ("counter",)]

    def of_type(self, table, *names):
        """A column of one of the types, or a hinted literal."""
        found = [c.text for c in table.columns if c.type.name in names]
        if found and self.chance(0.7):
            return self.rng.choice(found)
        name = self.rng.choice(names)
        return "(%s)%s" % (name, self.rng.choice(POOLS[name]).literal)

    def arithmetic(self, table, depth):
        op = self.pick("+", "-", "*", "/", "%")
        r = self.rng.random()
        if r < 0.15:
            return "%s %s %s" % (self.of_type(table, "timestamp", "date"), self.pick("+", "-"), self.rng.choice(POOLS["duration"]).literal)
        if r < 0.22:
            return "%s + %s" % (self.of_type(table, "text", "ascii"), self.of_type(table, "text"))
        left = self.of_type(table, *NUMBERS)
        if r < 0.35:
            return "-%s" % left if not left.startswith("-") else left
        right = self.rng.choice(POOLS[self.rng.choice(NUMBERS)]).literal if self.chance(0.4) else self.of_type(table, *NUMBERS)
        if self.chance(0.05):
            right = self.expr(table, depth + 1)
        if self.bound is not None and self.chance(0.2):
            right = self.marker(self.rng.choice(POOLS["int"]).raw)
        text = "%s %s %s" % (left, op, right)
        return text if self.chance(0.8) else "(%s) %s %s" % (text, self.pick("+", "-", "*", "/"), self.of_type(table, *NUMBERS))

    def function(self, table, c, depth):
        t, rng = c.type, self.rng
        any_expr = c.text if self.chance(0.7) else self.expr(table, depth + 1)
        kinds = [
            lambda: "%s(%s)" % (self.pick(*MATHS), self.of_type(table, *NUMBERS)),
            lambda: "to_json(%s)" % any_expr,
            lambda: "token(%s)" % ", ".join(k.text if self.chance(0.7) else self.of(k) for k in table.partition),
            lambda: "%s_as_blob(%s)" % (t.name if t.kind == "native" else "int", c.text),
            lambda: "%s(%s)" % (self.pick("to_date", "to_timestamp", "to_unix_timestamp"), self.of_type(table, "timestamp", "timeuuid", "date")),
            lambda: "%s(%s)" % (self.pick("min_timeuuid", "max_timeuuid"), self.of_type(table, "timestamp")),
            lambda: self.floor(self.of_type(table, "timestamp", "timeuuid", "date", "time")),
            lambda: self.mask(c),
            lambda: "blob_as_%s(%s)" % (self.pick("int", "text", "bigint", "timestamp"), self.of_type(table, "blob")),
            lambda: "%s(%s)" % (self.pick("collection_count", "collection_min", "collection_max", "collection_sum", "collection_avg"), self.collection(table)),
            lambda: "%s(%s)" % (self.pick("map_keys", "map_values"), self.collection(table)),
            lambda: self.similarity(table),
            lambda: "toJson(%s)" % any_expr,
            lambda: "%s(%s)" % (self.pick("intAsBlob", "bigintAsBlob", "textAsBlob", "timestampAsBlob"), c.text),
            lambda: "%s(%s)" % (self.pick("dateOf", "unixTimestampOf", "toTimestamp", "toUnixTimestamp", "toDate", "minTimeuuid", "maxTimeuuid"),
                                self.of_type(table, "timeuuid", "timestamp", "date")),
            lambda: "%s(%s)" % (self.pick("nosuch", "system.abs", "abs", "to_date", "floor", "dateof", "from_json", "count", "toDate"), any_expr),
        ]
        if any(not f.aggregate for f in self.schema.functions) and self.chance(0.4):
            return self.user_function(table, False)
        return rng.choice(kinds)()

    def user_function(self, table, aggregate):
        f = self.rng.choice([f for f in self.schema.functions if f.aggregate == aggregate])
        found = [c.text for c in table.columns if c.type.name in (f.takes.name, f.takes.freeze().name)]
        if found and self.chance(0.7):
            return "%s(%s)" % (f.name, self.rng.choice(found))
        return "%s(%s)" % (f.name, self.expr(table, 2) if self.chance(0.2) else self.term(f.takes, None, 0.1))

    def floor(self, what):
        start = ", %s" % self.rng.choice(POOLS["timestamp"]).literal if self.chance(0.2) else ""
        return "floor(%s, %s%s)" % (what, self.pick(*UNITS), start)

    def mask(self, c):
        other = self.of(c) if c.type.kind == "native" else c.text
        return self.pick("mask_null(%s)" % c.text, "mask_default(%s)" % c.text, "mask_replace(%s, %s)" % (c.text, other),
                         "mask_inner(%s, %s, %s)" % (c.text, self.pick("1", "null", "0"), self.pick("1", "null", "2")),
                         "mask_outer(%s, 1, 1, '#')" % c.text, "mask_hash(%s)" % c.text, "mask_hash(%s, 'MD5')" % c.text)

    def collection(self, table):
        found = [c.text for c in table.columns if c.type.collection]
        return self.rng.choice(found) if found and self.chance(0.9) else self.pick("(list<int>)[1, 2, 4]", "(set<double>){1.5, 2}", "(map<int, text>){1: 'a'}")

    def similarity(self, table):
        found = [c for c in table.columns if c.type.kind == "vector"]
        f = self.pick("similarity_cosine", "similarity_euclidean", "similarity_dot_product")
        if found:
            c = self.rng.choice(found)
            return "%s(%s, %s)" % (f, c.text, self.of(c))
        return "%s((vector<float, 2>)[1, 2], [%s, 0.5])" % (f, self.pick("3", "0", "-1"))

    def literal(self, table, depth):
        t = values.random_type(self.rng, self.schema.udts)
        bare = values.random_type(self.rng, [], 3)  # a field's name without its type is taken for a column's at times
        return self.weighted([("(%s)%s" % (t.freeze().name if self.chance(0.1) else t.name, t.value(self.rng).literal), 4), (bare.value(self.rng).literal, 1),
                              ("[%s]" % self.expr(table, depth + 1), 1), ("(%s, %s)" % (self.expr(table, depth + 1), self.expr(table, 2)), 1),
                              ("{%s}" % self.expr(table, depth + 1), 1), (self.ordered_set(table), 1),
                              ("(map<int, int>){(%s): %s}" % (self.of_type(table, "int"), self.of_type(table, "int")), 0.5)])

    def ordered_set(self, table):
        """Of several values: the first whose type is known tells the order, and a column may descend."""
        name = self.pick("int", "text", "bigint")
        return "{%s}" % ", ".join(self.of_type(table, name) for _ in range(self.rng.choice((2, 3))))

    # ---- aggregates ----

    def aggregate(self, table):
        if any(f.aggregate for f in self.schema.functions) and self.chance(0.3):
            return self.user_function(table, True)
        r = self.rng.random()
        if r < 0.22:
            return self.pick("count(*)", "count(1)", "COUNT(*)")
        if r < 0.4:
            return "count(%s)" % self.expr(table, 1)
        if r < 0.65:
            what = self.expr(table, 1)  # a set of descending columns is compared the other way round there
            return "%s(%s)" % (self.pick("min", "max"), self.rng.choice(table.columns).text if what[0] in "[{(" or self.chance(0.6) else what)
        if r < 0.9:
            return "%s(%s)" % (self.pick("sum", "avg"), self.of_type(table, *NUMBERS))
        if r < 0.95:
            return "CAST(%s AS %s)" % (self.aggregate(table), self.pick("double", "text", "int"))
        return self.pick("sum(%s)" % self.expr(table), "avg(CAST(%s AS double))" % self.of_type(table, *NUMBERS), "max(count(*))",
                         "sum(%s) / count(*)" % self.of_type(table, *NUMBERS), "max(%s)" % self.arithmetic(table, 1))
