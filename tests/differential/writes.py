"""INSERT, UPDATE, DELETE and BATCH, with every operation on every kind of column."""
import json
import re

from terms import INT, native_int, native_long
from values import native
from where import Where


SOON = 4  # seconds


class Writes(Where):
    """clocked: statements go without USING TIMESTAMP mostly, and may have conditions; otherwise each has a small timestamp of its own
    choosing, so that ties are common, and no two have the same TTL, for which of two expiring cells wins depends on a clock."""

    def __init__(self, rng, schema, clocked):
        super().__init__(rng, schema)
        self.clocked, self.ttls, self.ending = clocked, 0, False
        self.soon = False  # what is written now expires soon, mostly; without a marker, for older cells of a row whose marker has
        # expired keep it in a table that is flushed and not in memory there (areas_expired_markers.cql), and it flushes when it likes

    def using(self, table, ttl=True):
        """(text, whether there is a timestamp)"""
        parts, stamped = [], False
        if table.counter:
            if self.chance(0.97):
                return "", False
        if self.chance(0 if table.viewed or table.graceless or self.soon else 0.06 if self.clocked else 0.995):
            stamped = True
            n = self.rng.randint(1, 12)
            self.strange = self.chance(0.02)
            if self.strange:
                n = self.pick(-1, 0, -9223372036854775808, 9223372036854775807)
            if self.bound is not None and self.chance(0.4):
                parts.append("TIMESTAMP " + self.marker(native_long(n), 0.01))
                stamped = self.bound[-1] not in (None,) and isinstance(self.bound[-1], bytes)
            else:
                parts.append("TIMESTAMP %d" % n)
        if ttl and not table.viewed and self.soon and self.chance(0.6):
            parts.append("TTL %d" % SOON)
        elif ttl and not table.viewed and self.chance(0.15):
            self.ttls += 1
            n = 20000 + 3000 * self.ttls
            if self.chance(0.05):
                n = self.pick(0, -1, 630720001, 700000000)
            parts.append("TTL " + self.int_term(n))
        self.rng.shuffle(parts)
        return (" USING " + " AND ".join(parts) if parts else ""), stamped

    # ---- statements ----

    def write(self, table):
        self.begin()
        self.unsets = True
        cql, free = self.mutation(table)
        self.unsets = False
        return self.statement(cql, free=free)

    def mutation(self, table, conditions=None):
        """(text, whether the order of its coming does not matter)"""
        if conditions is None:
            conditions = self.clocked and self.chance(0.3)
        kinds = [(self.update, 4), (self.delete, 3), (self.insert, 5), (self.insert_json, 1)]
        if table.counter:  # what is left of a counter that is updated again behind its own deletion is not defined: those come last
            kinds = [(self.delete, 9), (self.insert, 0.7)] if self.ending else [(self.update, 9), (self.insert, 0.7), (self.insert_json, 0.3)]
        return self.weighted(kinds)(table, conditions)

    def insert(self, table, conditions):
        columns = list(table.key)
        only_static = table.of("static") and self.chance(0.12)
        if only_static:
            columns = list(table.partition)
        columns += self.some(table.of("static") if only_static else table.cells, 1 if table.compact else 0, 4)
        if self.chance(0.03):
            columns.pop(self.rng.randrange(len(columns)))
        if self.chance(0.1):
            self.rng.shuffle(columns)
        terms = [self.of(c) for c in columns]
        if self.chance(0.01):
            terms = terms[1:]
        using, stamped = self.using(table, ttl=not self.soon or not table.cells)
        text = "INSERT INTO %s (%s) VALUES (%s)%s%s" % (table.text, ", ".join(c.text for c in columns), ", ".join(terms),
                                                       " IF NOT EXISTS" if conditions else "", using)
        return text, stamped and not any(c.type.kind == "list" and c.type.multi for c in columns)

    def insert_json(self, table, conditions):
        columns = table.key + self.some(table.cells, 0, 4)
        if self.chance(0.04):
            columns = columns[1:]
        pairs = []
        for c in columns:
            name = json.dumps(c.name if c.name.lower() == c.name else '"%s"' % c.name, ensure_ascii=False)
            value = "null" if self.chance(0.05) else self.value_of(c).json
            if self.chance(0.03) and not (c.is_key and c.type.has("decimal")):
                value = self.pick("1", '"x"', "[1]", "{}", "1.5", "true", "[null]", '{"a": 1}', '""', "-1", "1e2", "99999999999999999999", '"1"', '"true"',
                                  "[[]]", '{"a": null}', '"\\u00e9"', "nul", "'x'", "[1,]", "1 2", '"2020-02-30"', "NaN", '"NaN"')
            elif self.chance(0.02):
                value = self.spoiled(value)
            pairs.append("%s: %s" % (name, value))
        if self.chance(0.02):
            pairs.append('"nosuch": 1')
        text = "{%s}" % ", ".join(pairs)
        if self.bound is not None and self.chance(0.5):
            shown = self.marker(text.encode())
        else:
            shown = "'%s'" % text.replace("'", "''")
        default = self.pick("", "", " DEFAULT NULL", " DEFAULT UNSET")
        using, stamped = self.using(table, ttl=not self.soon or not table.cells)
        text = "INSERT INTO %s JSON %s%s%s%s" % (table.text, shown, default, " IF NOT EXISTS" if conditions else "", using)
        return text, stamped and not any(c.type.kind == "list" and c.type.multi for c in table.cells)

    def spoiled(self, json):
        """One part of a document is another, or is not there."""
        parts = re.findall(r'"(?:[^"\\\\]|\\\\.)*"|-?[\d.eE+-]+|\w+|.', json)
        i = self.rng.randrange(len(parts))
        parts[i] = self.pick("", "null", "1", '"x"', "[]", "{}", parts[i] + ", " + parts[i], self.rng.choice(parts))
        return "".join(parts)

    def row_where(self, table, conditions, statics=False):
        many = 0 if conditions else 0.08
        relations = self.partition(table, 0.98, many)
        if statics:
            return relations
        keys = table.clustering
        if len(keys) > 1 and self.chance(0.1):
            relations.append("(%s) = %s" % (", ".join(c.text for c in keys), self.tuple_term(keys)))
        else:
            relations += ["%s %s" % (c.text, self.in_values(c)) if self.chance(many) else self.equal(c) for c in keys]
        if self.chance(0.03) and relations:
            relations.pop()
        if self.chance(0.01):
            relations.append(self.relation(self.rng.choice(table.columns)))
        return relations

    def update(self, table, conditions):
        using, stamped = self.using(table)
        cells = table.cells
        if not cells:
            return self.insert(table, conditions)
        only_static = table.of("static") and self.chance(0.15)
        columns = self.some(table.of("static") if only_static else cells, 1, 3)
        if self.chance(0.02):
            columns.append(self.rng.choice(table.columns))
        settings = [self.setting(c) for c in columns]
        where = self.row_where(table, conditions, only_static and self.chance(0.9))
        text = "UPDATE %s%s SET %s WHERE %s" % (table.text, using, ", ".join(settings), " AND ".join(where))
        if conditions:
            text += " IF " + ("EXISTS" if self.chance(0.3) else self.conditions(cells))
        return text, stamped and not conditions and not any(c.type.kind == "list" and c.type.multi for c in columns)

    def setting(self, c):
        """name = ... of one column, by its kind."""
        t, name = c.type, c.text
        if t.name == "counter":
            return self.weighted([("%s = %s %s %s" % (name, name, self.pick("+", "-"), self.of(c)), 9), ("%s += %s" % (name, self.of(c)), 3),
                                  ("%s -= %s" % (name, self.of(c)), 1), ("%s = %s" % (name, self.of(c)), 0.5)])
        if t.collection and t.multi and self.chance(0.65) or (t.collection and self.chance(0.02)):
            return self.collection_setting(c)
        if t.kind == "udt" and (t.multi and self.chance(0.5) or self.chance(0.03)):
            i = self.rng.randrange(len(t.fields))
            return "%s.%s = %s" % (name, t.fields[i], self.term(t.parts[i], None, 0.1))
        if self.chance(0.02):
            return self.pick("%s = %s + 1" % (name, name), "%s += 1" % name, "%s[0] = 1" % name, "%s = %s - {1}" % (name, name))
        return "%s = %s" % (name, self.term(t, self.value_of(c), 0.08))

    def collection_setting(self, c):
        t, name, value = c.type, c.text, self.of
        if t.kind == "list":
            return self.weighted([("%s = %s + %s" % (name, name, value(c)), 4), ("%s = %s + %s" % (name, value(c), name), 3),
                                  ("%s = %s - %s" % (name, name, value(c)), 2), ("%s += %s" % (name, value(c)), 2), ("%s -= %s" % (name, value(c)), 1),
                                  ("%s[%s] = %s" % (name, self.int_term(self.rng.choice((0, 0, 1, 2, -1, 9))), self.term(t.parts[0])), 3)])
        if t.kind == "set":
            return self.pick("%s = %s + %s" % (name, name, value(c)), "%s = %s - %s" % (name, name, value(c)), "%s += %s" % (name, value(c)),
                             "%s -= %s" % (name, value(c)))
        keys = type(t)("set<%s>" % t.parts[0].name, "set", (t.parts[0],))
        return self.weighted([("%s = %s + %s" % (name, name, value(c)), 3), ("%s += %s" % (name, value(c)), 2),
                              ("%s[%s] = %s" % (name, self.term(t.parts[0]), self.term(t.parts[1], None, 0.1)), 4),
                              ("%s = %s - %s" % (name, name, self.term(keys)), 3), ("%s -= %s" % (name, self.term(keys)), 1)])

    def delete(self, table, conditions):
        using, stamped = self.using(table, ttl=self.chance(0.01))
        columns = []
        if self.chance(0.45):
            columns = self.some(table.cells, 0, 3)
            if self.chance(0.02):
                columns.append(self.rng.choice(table.columns))
        targets = [self.target(c) for c in columns]
        if columns or conditions:
            only_static = columns and all(c.kind == "static" for c in columns)
            where = self.row_where(table, conditions, only_static and self.chance(0.9))
        else:
            where = self.partition(table, 0.98, 0.1) + (self.clustering(table, True) if self.chance(0.85) else [])
        text = "DELETE %sFROM %s%s WHERE %s" % (", ".join(targets) + " " if targets else "", table.text, using, " AND ".join(where))
        if conditions:
            text += " IF " + ("EXISTS" if self.chance(0.4) or not table.cells else self.conditions(table.cells))
        return text, stamped and not conditions and not any(c.type.kind == "list" and c.type.multi for c in columns)

    def target(self, c):
        t = c.type
        if t.kind == "map" and self.chance(0.5):
            return "%s[%s]" % (c.text, self.term(t.parts[0]))
        if t.kind == "set" and self.chance(0.4):
            return "%s[%s]" % (c.text, self.term(t.parts[0]))
        if t.kind == "list" and self.chance(0.5):
            return "%s[%s]" % (c.text, self.int_term(self.rng.choice((0, 0, 1, -1, 5))))
        if t.kind == "udt" and self.chance(0.5):
            return "%s.%s" % (c.text, self.rng.choice(t.fields))
        return c.text

    def batch(self, tables):
        self.begin(0.2)
        conditions = self.clocked and self.chance(0.3)
        table = self.rng.choice(tables)
        stamped = not any(t.viewed or t.graceless for t in tables)
        if conditions:  # which may be in one partition alone
            self.pinned = {c.name: self.rng.choice(c.domain) for c in table.partition}
        parts, free = [], not conditions
        for _ in range(self.rng.choice((0, 1, 2, 2, 3, 4))):
            if not conditions and self.chance(0.2):
                table = self.rng.choice(tables)
            text, alone = self.mutation(table, conditions and self.chance(0.6))
            parts.append(text)
            free = free and alone
        self.pinned = {}
        kind = "COUNTER " if table.counter and self.chance(0.9) else self.pick("", "", "UNLOGGED ")
        using = " USING TIMESTAMP %d" % self.rng.randint(1, 12) if stamped and self.chance(0.05) else ""
        return self.statement("BEGIN %sBATCH%s %s APPLY BATCH" % (kind, using, " ".join(p + ";" for p in parts)), free=free)
