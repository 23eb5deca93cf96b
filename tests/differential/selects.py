"""SELECT of every shape."""
from answers import ALIASES
from exprs import Exprs
from schema import name_text


class Selects(Exprs):
    late_filter = False  # of the current one: no page may end it

    def select(self, table):
        self.begin(0.25)
        self.late_filter = False
        shape = self.weighted([(self.plain, 30), (self.star, 22), (self.grouped, 24), (self.aggregated, 10), (self.distinct, 8), (self.json, 7)])
        cql = shape(table)
        page = 0 if self.late_filter else self.weighted([(0, 55), (1, 8), (2, 10), (3, 8), (5, 5), (100, 8)])
        return self.statement(cql, page=page, reads=True)

    def items(self, make, low=1, high=4):
        out = [make() for _ in range(self.rng.randint(low, high))]
        return ", ".join(i + (" AS %s" % name_text(self.rng.choice(ALIASES)) if self.chance(0.08) else "") for i in out)

    def columns(self, table):
        """Columns alone, in any order."""
        return ", ".join(c.text for c in self.some(table.columns, 1, 5))

    def plain(self, table):
        what = self.items(lambda: self.expr(table)) if self.chance(0.65) else self.columns(table)
        return "SELECT %s FROM %s%s" % (what, table.text, self.tail(table))

    def star(self, table):
        return "SELECT * FROM %s%s" % (table.text, self.tail(table))

    def json(self, table):
        what = self.pick("*", "*", self.columns(table), self.items(lambda: self.expr(table)), self.items(lambda: self.aggregate(table)))
        return "SELECT JSON %s%s FROM %s%s" % ("DISTINCT " if self.chance(0.05) else "", what, table.text, self.tail(table))

    def aggregated(self, table):
        what = self.items(lambda: self.aggregate(table) if self.chance(0.85) else self.expr(table))
        return "SELECT %s FROM %s%s" % (what, table.text, self.tail(table, 0.03))

    def distinct(self, table):
        columns = list(table.partition) + self.some(table.of("static"), 0, 2)
        if self.chance(0.06):
            columns = self.some(table.columns, 1, 3)
        if self.chance(0.1):
            self.rng.shuffle(columns)
        relations = self.partition(table) if self.chance(0.5) else []
        if self.chance(0.15):
            relations.append(self.relation(self.rng.choice(table.columns)))
        text = "SELECT DISTINCT %s FROM %s" % (", ".join(c.text for c in columns), table.text)
        text += " WHERE " + " AND ".join(relations) if relations else ""
        text += self.group_by(table) if self.chance(0.08) else ""
        text += " PER PARTITION LIMIT " + self.int_term(self.rng.choice((1, 2))) if self.chance(0.06) else ""
        text += " LIMIT " + self.int_term(self.rng.choice((1, 2, 3))) if self.chance(0.3) else ""
        return text + (" ALLOW FILTERING" if self.chance(0.3) else "")

    def grouped(self, table):
        def one():
            r = self.rng.random()
            return self.aggregate(table) if r < 0.6 else self.rng.choice(table.key).text if r < 0.75 else self.expr(table)
        what = "*" if self.chance(0.06) else self.items(one)
        return "SELECT %s FROM %s%s" % (what, table.text, self.tail(table, 0.25, self.group_by(table)))

    def group_by(self, table):
        keys = table.key
        names = [c.text for c in keys[:self.rng.randint(min(len(table.partition), len(keys)), len(keys))]]
        r = self.rng.random()
        if r < 0.07:
            names = [c.text for c in self.some(table.columns, 1, 3)]
        elif r < 0.12 and len(names) > 1:
            names.pop(self.rng.randrange(len(names) - 1))
        if self.chance(0.12):
            last = names[-1]
            names[-1] = self.pick(self.floor(last), "to_date(%s)" % last, "abs(%s)" % last, "CAST(%s AS text)" % last, "floor(%s, 2h)" % last)
        return " GROUP BY " + ", ".join(names)

    def order_by(self, table):
        columns = table.clustering[:self.rng.randint(1, len(table.clustering))]
        backwards = self.chance(0.5)
        out = []
        for c in columns:
            desc = c.desc != backwards if self.chance(0.95) else self.chance(0.5)
            out.append(c.text + (" DESC" if desc else self.pick(" ASC", "")))
        if self.chance(0.03):
            out.append(self.rng.choice(table.columns).text)
        return " ORDER BY " + ", ".join(out)

    def tail(self, table, per_partition=0.15, group=""):
        relations, filters = self.select_where(table)
        text = " WHERE " + " AND ".join(relations) if relations else ""
        text += group
        one_partition = len(relations) >= len(table.partition)
        if table.clustering and self.chance(0.25 if one_partition else 0.02):
            text += self.order_by(table)
        # of vectors SAI takes any there, and addresses have another order; what it has taken wrongly is left out behind a limit, and a page of
        # such rows alone is the last one
        late = [c.text for c in table.columns if c.type.kind == "vector" or c.type.name == "inet"]
        self.late_filter = table.sai and bool(table.indexes) and any(name in r for name in late for r in relations)
        if self.late_filter:
            return text + " ALLOW FILTERING"
        if self.chance(per_partition):
            text += " PER PARTITION LIMIT " + self.int_term(self.weighted([(1, 4), (2, 4), (3, 2), (0, 0.2)]))
        if self.chance(0.25):
            text += " LIMIT " + self.int_term(self.weighted([(1, 3), (2, 3), (3, 3), (5, 2), (100, 1), (0, 0.2), (-1, 0.1)]))
        if self.chance(0.85 if filters else 0.35):
            text += " ALLOW FILTERING"
        return text
