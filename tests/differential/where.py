"""Restrictions: what stands behind WHERE and IF."""
from values import POOLS, native, tupled, Type
from terms import Maker

SLICES = ("<", "<=", ">", ">=")


class Where(Maker):
    def tuple_term(self, columns, bounds=False):
        """bounds: of a slice, where a tuple that is bound may have fewer values."""
        if self.bound is not None and self.chance(0.2):
            if bounds and self.chance(0.3):
                columns = columns[:self.rng.randrange(len(columns))]
            return self.tuple_marker(self.tuple_value(columns).raw)
        return "(" + ", ".join(self.of(c) for c in columns) + ")"

    def tuple_marker(self, raw):
        """Neither null nor, for an equality, cut: of a tuple with fewer elements than columns a server makes a key that is equal to every row's it
        begins, and which of them is found where a tree of them happens to have its middle."""
        self.bound.append(raw)
        return "\x01%d\x01" % (len(self.bound) - 1)

    def tuple_value(self, columns):
        return tupled(*[c.type for c in columns]).record([self.value_of(c) for c in columns])

    def in_tuples(self, columns):
        if self.bound is not None and self.chance(0.3):
            items = [self.tuple_value(columns) for _ in range(self.rng.choice((0, 1, 2, 3)))]
            return "IN " + self.tuple_marker(Type.group("[]", items).raw)
        return self.in_terms(lambda: self.tuple_term(columns))

    def in_terms(self, make, most=3):
        before, self.whole = self.whole, True  # an unset element is an empty value there
        text = "IN (" + ", ".join(make() for _ in range(self.rng.choice((0, 1, 2, 2, 3, most)))) + ")"
        self.whole = before
        return text

    def in_values(self, column):
        if self.bound is not None and self.chance(0.3):
            items = [self.value_of(column) for _ in range(self.rng.choice((0, 1, 2, 3)))]
            return "IN " + self.marker(Type.group("[]", items).raw)
        return self.in_terms(lambda: self.of(column))

    def equal(self, column):
        return "%s = %s" % (column.text, self.of(column))

    def relation(self, column):
        """Any relation on any column."""
        r, t = self.rng.random(), column.type
        # a path that was deleted of a static column is still found there, and its row counted (RowFilter purges rows alone)
        paths = not (column.kind == "static" and t.multi)
        if t.collection and r < 0.6 and (paths or t.kind != "set"):
            part = t.parts[-1]
            if t.kind == "map" and r < 0.4:
                if r < 0.2 and paths:
                    return "%s CONTAINS KEY %s" % (column.text, self.term(t.parts[0]))
                return "%s[%s] = %s" % (column.text, self.term(t.parts[0]), self.term(part))
            return "%s CONTAINS %s" % (column.text, self.term(part))
        if t.name in ("text", "ascii") and self.chance(0.08):
            return "%s LIKE %s" % (column.text, self.pattern())
        if r < 0.35:
            return self.equal(column)
        if r < 0.65:
            return "%s %s %s" % (column.text, self.pick(*SLICES), self.of(column))
        if r < 0.9:
            return "%s %s" % (column.text, self.in_values(column))
        return self.pick("%s != %s" % (column.text, self.of(column)), "%s IS NOT NULL" % column.text,
                         "%s LIKE 'a%%'" % column.text, "%s CONTAINS 1" % column.text, "%s CONTAINS KEY 1" % column.text)

    def pattern(self):
        text = self.pick("a", "b", "ab", "A", "é", "a b", "it''s", "x", "", "%", "1")
        return self.pick("'%s%%'", "'%%%s'", "'%%%s%%'", "'%s'") % text

    def token(self, table):
        def call():
            if self.chance(0.5):
                return "token(%s)" % ", ".join(self.of(c) for c in table.partition)
            return self.weighted([(str(self.rng.randint(-2 ** 63, 2 ** 63 - 1)), 4), ("-9223372036854775808", 1), ("0", 1)])
        left = "token(%s)" % ", ".join(c.text for c in table.partition)
        out = ["%s %s %s" % (left, self.pick("=", *SLICES, *SLICES), call())]
        if self.chance(0.3):
            out.append("%s %s %s" % (left, self.pick("<", "<="), call()))
        return out

    def partition(self, table, whole=0.8, many=0.15):
        if not self.chance(whole):
            if self.chance(0.5):
                return self.token(table) + ([self.equal(table.partition[0])] if self.chance(0.1) else [])
            return [self.relation(c) for c in self.some(table.partition, 0, 1)]
        return ["%s %s" % (c.text, self.in_values(c)) if self.chance(many) else self.equal(c) for c in table.partition]

    def clustering(self, table, deletes=False):
        """A prefix by equality, then perhaps a range; a gap now and then."""
        columns, out = table.clustering, []
        if not columns:
            return out
        n = self.rng.randint(0, len(columns))
        fixed, rest = columns[:n], columns[n:]
        if len(fixed) > 1 and self.chance(0.2):
            names = ", ".join(c.text for c in fixed)
            if self.chance(0.5):
                out.append("(%s) = %s" % (names, self.tuple_term(fixed)))
            else:
                out.append("(%s) %s" % (names, self.in_tuples(fixed)))
        else:
            out += ["%s %s" % (c.text, self.in_values(c)) if self.chance(0.15) else self.equal(c) for c in fixed]
        if rest and self.chance(0.6):
            out += self.slices(rest, deletes, any(" IN " in relation.upper() for relation in out))
        if out and self.chance(0.06):
            out.pop(self.rng.randrange(len(out)))
        if self.chance(0.04):
            out.append(self.relation(self.rng.choice(columns)))
        return out

    def slices(self, rest, deletes, several_prefixes):
        first = rest[0]
        if len(rest) > 1 and self.chance(0.35):
            several = rest[:self.rng.randint(1, len(rest))]
            names = ", ".join(c.text for c in several)
            # a server loses rows where orders turn, and takes a bound that comes twice, behind two equal values of IN, for one without its end
            shorter = len({c.desc for c in rest}) == 1 and not several_prefixes
            out = ["(%s) %s %s" % (names, self.pick(">", ">="), self.tuple_term(several, shorter))]
            if self.chance(0.5):
                # beside a slice of several columns the fields of a tuple are taken for values of columns there
                if first.type.kind == "tuple" or self.chance(0.7):
                    several = rest[:self.rng.randint(1, len(rest))] if not several_prefixes else several
                    out.append("(%s) %s %s" % (", ".join(c.text for c in several), self.pick("<", "<="), self.tuple_term(several, shorter)))
                else:
                    out.append("%s %s %s" % (first.text, self.pick("<", "<="), self.of(first)))
            return out
        if self.chance(0.45):
            return ["%s %s %s" % (first.text, self.pick(">", ">="), self.of(first)), "%s %s %s" % (first.text, self.pick("<", "<="), self.of(first))]
        return ["%s %s %s" % (first.text, self.pick(*SLICES), self.of(first))]

    def select_where(self, table):
        """(relations, whether filtering is likely needed)"""
        if self.chance(0.25):
            relations = []
        else:
            relations = self.partition(table)
            if relations and self.chance(0.75):
                relations += self.clustering(table)
        others = table.cells if self.chance(0.8) else table.columns
        filters = self.chance(0.25) and bool(others)
        if filters:
            relations += [self.relation(c) for c in self.some(others, 1, 2)]
        if table.indexes and self.chance(0.15):
            target = self.rng.choice([c for c in table.columns if any(c.text in i for i in table.indexes)] or table.columns)
            relations += [self.relation(target)] if self.chance(0.5) else [self.equal(target)]
        if self.chance(0.05):
            self.rng.shuffle(relations)
        return relations, filters

    # ---- conditions ----

    def condition(self, column):
        t, name, r = column.type, column.text, self.rng.random()
        op = self.pick("=", "=", "!=", "<", "<=", ">", ">=")
        null = 0.12
        if t.kind == "map" and r < 0.5:
            left, right = "%s[%s]" % (name, self.term(t.parts[0])), t.parts[1]
        elif t.kind == "list" and r < 0.5:
            left, right = "%s[%s]" % (name, self.int_term(self.rng.choice((0, 1, 2, 0 if self.whole else -1)))), t.parts[0]
        elif t.kind == "udt" and r < 0.5:
            i = self.rng.randrange(len(t.fields))
            left, right = "%s.%s" % (name, t.fields[i]), t.parts[i]
        elif t.collection and r < 0.65:
            key = t.kind == "map" and self.chance(0.5)
            return "%s CONTAINS %s%s" % (name, "KEY " if key else "", self.term(t.parts[0] if key or t.kind != "map" else t.parts[1]))
        else:
            left, right = name, None
        make = (lambda: self.term(right, None, null)) if right else (lambda: self.term(t, self.value_of(column), null))
        if self.chance(0.2):
            return "%s %s" % (left, self.in_terms(make))
        if self.whole and left == name and t.multi and t.collection and op not in ("=", "!="):
            op = "!="  # an empty collection has no order
        return "%s %s %s" % (left, op, make())

    def conditions(self, columns):
        """Of two conditions, also of a batch's, a hash decides which is looked at first, so that neither may be one that is refused."""
        chosen = self.some(columns, 1, 3)
        if self.chance(0.1):
            chosen.append(self.rng.choice(chosen))
        self.whole = len(chosen) > 1 or bool(self.pinned)
        text = " AND ".join(self.condition(c) for c in chosen)
        self.whole = False
        return text
