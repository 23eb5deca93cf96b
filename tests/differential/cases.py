"""A case: a schema, and statements on it, all from one seed."""
import copy
import random
from dataclasses import replace

import mistakes
import schema as schemas
import values
from answers import Statement
from selects import Selects
from values import native
from writes import SOON, Writes


EXPIRING = 24  # writes in a row of which most expire while nothing is said
ENDING = 0.9  # of a case's statements; from there on counters are deleted, and not written


def rng_name(rng, names):
    return rng.choice(names) if names and rng.random() < 0.95 else "nosuch"


class Speaker(Selects, Writes):
    """All that can be said to a schema's tables."""


class Case:
    """ddl: statements that make the schema; statements: what is sent to it."""

    def __init__(self, seed, examples, count, clocked=None):
        self.seed = seed
        rng = random.Random(seed)
        self.clocked = rng.random() < 0.5 if clocked is None else clocked
        if examples and rng.random() < 0.12:
            self.schema = copy.deepcopy(rng.choice(examples))  # a case alters its tables
            for t in self.schema.tables:
                for c in t.columns:
                    c.fill(rng)
        else:
            self.schema = schemas.random_schema(rng, not self.clocked)
        self.ddl = self.schema.ddl()
        self.speaker = Speaker(rng, self.schema, self.clocked)
        self.rng, self.made = rng, 0
        self.grown = set()  # types that have got another field
        at = rng.randrange(40, count) if self.clocked and count > 400 and rng.random() < 0.2 else None
        self.statements = []
        for i in range(count):
            self.statements += self.expiring() if i == at else [self.one(i < 40, i > count * ENDING)]

    def one(self, filling, ending):
        """Writes first, for reads of empty tables tell little; a dozen schema changes in a thousand."""
        rng, speaker = self.rng, self.speaker
        speaker.ending = ending
        table = rng.choice(self.schema.tables)
        r = rng.random()
        if r < (0.85 if filling else 0.3):
            tables = [t for t in self.schema.tables if not t.view_of]
            if table.view_of and rng.random() < 0.97:
                table = rng.choice(tables)
            statement = speaker.write(table) if rng.random() < 0.85 else speaker.batch(tables)
        elif r < 0.99:
            statement = speaker.select(table)
        elif r < 0.995:
            statement = self.about(table)
        else:
            return self.change(table)
        if rng.random() < 0.12:
            other = self.mistaken(statement, table)
            if "keyspace_name = \x02" in other.cql or "\x02" not in statement.cql:  # what else there is, is each side's own
                return other
        return statement

    def expiring(self):
        """Writes of what is gone after them. In a row, so that nobody asks while it goes."""
        tables = [t for t in self.schema.tables if not t.view_of and not t.counter]
        self.speaker.soon = True
        out = [self.speaker.write(self.rng.choice(tables)) for _ in range(EXPIRING)] if tables else []
        self.speaker.soon = False
        return out + [Statement("", pause=SOON + 1.2)]

    def mistaken(self, statement, table):
        names = [c.text for c in table.columns]
        if self.rng.random() < 0.3:
            return Statement(mistakes.misnamed(self.rng, statement.cql, names), statement.values, statement.page, statement.prepare)
        return mistakes.mistaken(self.rng, statement.cql)

    def about(self, table):
        """What is said of the schema. A table's id and the time a column was dropped are each side's own."""
        rng, udt = self.rng, rng_name(self.rng, [u.name for u in self.schema.udts])
        view = "MATERIALIZED VIEW" if table.view_of else "TABLE"
        index = rng_name(rng, [schemas.index_name(table, i) for i in table.indexes])
        what = rng.choice(("columns", "columns", "indexes", "types", "views" if table.view_of else "columns", "dropped_columns", "tables"))
        shown = {"dropped_columns": "table_name, column_name, kind, type", "views": "view_name, base_table_name, include_all_columns, where_clause",
                 "tables": "table_name, comment, default_time_to_live, flags, gc_grace_seconds, extensions, compaction"}.get(what, "*")
        system = "SELECT %s FROM system_schema.%s WHERE keyspace_name = \x02" % (shown, what)
        one = " AND %s = '%s'" % ("view_name" if what == "views" else "table_name", table.name) if what != "types" and rng.random() < 0.7 else ""
        return Statement(rng.choice((
            "DESCRIBE %s %s" % (view, table.text), "DESC TABLE %s" % table.text, "DESCRIBE %s" % table.text, "DESCRIBE TYPE %s" % udt, "DESCRIBE INDEX %s" % index,
            "DESCRIBE MATERIALIZED VIEW %s" % table.text, "DESCRIBE %s" % udt, "DESCRIBE %s" % index, "DESCRIBE KEYSPACE", "DESC ONLY KEYSPACE",
            system + one, system + one, system + one)), reads=True)

    def change(self, table):
        """ALTER TABLE, TRUNCATE; those that would succeed change the model too."""
        rng = self.rng
        kind = rng.choice(("add", "add", "drop", "drop", "rename", "truncate", "index", "unindex", "wrong", "wrong", "again", "type", "option", "table"))
        if kind == "type" and self.schema.udts and not self.schema.statements:
            return self.grow_type()
        if kind == "table" and not self.schema.statements:
            return self.another_table(table)
        if kind == "option" and not table.view_of:
            grace = rng.choice((86400, 864000))  # without any, a clock says which older writes still find a tombstone
            return Statement("ALTER TABLE %s WITH %s" % (table.text, rng.choice((
                "comment = 'it''s'", "gc_grace_seconds = %d" % grace, "caching = {'keys': 'NONE'}", "bloom_filter_fp_chance = 0.5",
                "compression = {'enabled': false}", "compaction = {'class': 'LeveledCompactionStrategy'}", "extensions = {'a': 0x01}",
                "comment = 1", "nosuch = 1", "gc_grace_seconds = -1", "compaction = {'class': 'x'}", "ID = 1", "speculative_retry = '50ms'",
                "default_time_to_live = -1", "min_index_interval = 0", "memtable = 'default'", "crc_check_chance = 2", "cdc = true"))), ddl=True)
        if kind == "again" and table.dropped and not (table.compact or table.counter or table.view_of or table.viewed):
            return self.add_again(table)
        if table.compact or table.counter:
            kind = rng.choice(("truncate", "wrong"))
        if table.view_of or table.viewed:
            kind = "wrong" if table.view_of else rng.choice(("truncate", "wrong", "add"))
        if kind == "index":
            free = [c for c in table.columns if not any(c.text in i for i in table.indexes)]
            column = free and rng.choice(free)
            target = free and schemas.index_target(rng, table, column)
            if target and not any(column.type.has(name) for name in self.grown):
                table.sai = table.sai if table.indexes else rng.random() < 0.4
                table.indexes.append(target)
                return Statement(table.create_index(target), ddl=True)
        if kind == "unindex" and table.indexes:
            target = table.indexes.pop(rng.randrange(len(table.indexes)))
            return Statement("DROP INDEX %s" % schemas.index_name(table, target), ddl=True)
        if kind == "add":
            free = [n for n in schemas.NAMES if n not in [c.name for c in table.columns]]
            if free:
                column = schemas.Column(rng.choice(free), values.random_type(rng, self.schema.udts), "static" if self.may_add_static(table) and rng.random() < 0.2 else "regular")
                column.fill(rng)
                statement = Statement("ALTER TABLE %s ADD %s %s%s" % (table.text, column.text, column.type.name, " static" if column.kind == "static" else ""), ddl=True)
                if column.name in table.dropped:
                    return self.wrong(table)
                table.columns.append(column)
                for view in (t for t in self.schema.tables if t.view_of == table.text and t.star):
                    view.columns.append(replace(column))
                return statement
        if kind == "drop":
            free = [c for c in table.cells if not any(c.text in i for i in table.indexes) and not (c.type.kind == "udt" and c.type.multi)]
            if free:
                column = rng.choice(free)
                table.columns.remove(column)
                table.dropped[column.name] = column
                return Statement("ALTER TABLE %s DROP %s" % (table.text, column.text), ddl=True)
        if kind == "rename":
            free = [c for c in table.key if not any(c.text in i for i in table.indexes)]
            if free:
                column, old = rng.choice(free), None
                old, column.name = column.text, column.name[:1] + "r%d" % rng.randrange(100)
                if len({c.name for c in table.columns}) == len(table.columns):
                    return Statement("ALTER TABLE %s RENAME %s TO %s" % (table.text, old, column.text), ddl=True)
                column.name = old.strip('"')
        return Statement("TRUNCATE " + table.text, ddl=True) if kind != "wrong" else self.wrong(table)

    def another_table(self, table):
        """A new one, or one less."""
        tables = self.schema.tables
        if self.rng.random() < 0.4 and len(tables) > 1 and not (table.view_of or table.viewed):
            tables.remove(table)
            return Statement("DROP TABLE %s" % table.text, ddl=True)
        self.made += 1
        new = schemas.random_table(self.rng, "n%d" % self.made, self.schema.udts, not self.clocked)
        new.indexes = []
        tables.append(new)
        return Statement(new.create(), ddl=True)

    def grow_type(self):
        """A field more, or one of another name; or a mistake. A schema change writes what lies in memory away there,
        after which another of two equal clusterings stays; and one of a type that has grown is equal to what it was. An index
        forgets values of a type that has grown (found_sai_altered_type.cql, found_index_altered_type.cql)."""
        columns = [c for t in self.schema.tables for c in t.columns]
        udts = [u for u in self.schema.udts if not any(c.type.in_vector(u.name) or c.kind == "clustering" and (c.type.has(u.name) or c.type.has("decimal"))
                                                       for c in columns + [schemas.Column("", other, "regular") for other in self.schema.udts])]
        if not udts:
            return self.about(self.schema.tables[0])
        udt = self.rng.choice(udts)
        field, kind = self.rng.choice("klmnf"), values.random_type(self.rng, [], 2)
        indexed = any(c.type.has(udt.name) and c.text in target for t in self.schema.tables for c in t.columns for target in t.indexes)
        refused = indexed or any(c.kind == "partition" and c.type.has(udt.name) or kind.has("duration") and c.type.ordered(udt.name) for c in columns)
        if self.rng.random() < 0.5 and field not in udt.fields and not refused:
            self.grown.add(udt.name)
            self.altered(udt, replace(udt, parts=udt.parts + (kind,), fields=udt.fields + (field,)))
            return Statement("ALTER TYPE %s ADD %s %s" % (udt.name, field, kind.name), ddl=True)
        if self.rng.random() < 0.2 and "r" not in udt.fields:
            old = self.rng.choice(udt.fields)
            self.altered(udt, replace(udt, fields=tuple("r" if f == old else f for f in udt.fields)))
            return Statement("ALTER TYPE %s RENAME %s TO r" % (udt.name, old), ddl=True)
        field, kind = self.rng.choice(udt.fields), kind.name  # what follows must not change the type behind the model's back
        return Statement(self.rng.choice((
            "ALTER TYPE %s ADD %s %s" % (udt.name, field, kind), "ALTER TYPE %s ADD IF NOT EXISTS %s %s" % (udt.name, field, kind),
            "ALTER TYPE %s ADD x %s" % (udt.name, udt.name), "ALTER TYPE %s RENAME nosuch TO x" % udt.name, "ALTER TYPE %s RENAME f TO a b" % udt.name,
            "ALTER TYPE %s RENAME %s TO %s" % (udt.name, field, udt.fields[0]), "ALTER TYPE nosuch ADD x int", "DROP TYPE %s" % udt.name, "ALTER TYPE %s ALTER f TYPE blob" % udt.name)), ddl=True)

    def altered(self, old, new):
        """The model's types follow, and new values stand beside those of before."""
        self.schema.udts = [new if u is old else u.altered(new) for u in self.schema.udts]
        for t in self.schema.tables:
            for c in t.columns + list(t.dropped.values()):
                if c.type.has(old.name):
                    c.type = c.type.altered(new)
                    before = c.domain
                    c.fill(self.rng)
                    c.domain += before[:2]

    def add_again(self, table):
        """A column that was dropped, as it was or of another type."""
        column = self.rng.choice(list(table.dropped.values()))
        static = " static" if column.kind == "static" else ""
        if self.rng.random() < 0.2 or column.kind == "static" and not self.may_add_static(table):
            return Statement("ALTER TABLE %s ADD %s %s" % (table.text, column.text, self.rng.choice(("blob", "int", "text", "list<int>", "counter"))), ddl=True)
        if column not in table.columns and column.name not in [c.name for c in table.columns]:
            del table.dropped[column.name]
            table.columns.append(column)
        return Statement("ALTER TABLE %s ADD %s%s %s%s" % (table.text, self.rng.choice(("", "", "IF NOT EXISTS ")), column.text, column.type.name, static), ddl=True)

    @staticmethod
    def may_add_static(table):
        """Not beside an index on a part of the partition key, which has entries for static rows there; nor beside a view that may be of all columns."""
        return table.clustering and not table.viewed and not any(c.text == target for target in table.indexes for c in table.partition)

    def wrong(self, table):
        """A schema change that is refused."""
        rng, any_column = self.rng, self.rng.choice(table.columns)
        if rng.random() < 0.4:
            return mistakes.mistaken(rng, rng.choice(self.ddl))
        kind = values.random_type(rng, self.schema.udts).name
        return Statement(rng.choice((
            "ALTER TABLE %s ADD %s %s" % (table.text, any_column.text, kind), "ALTER TABLE %s DROP nosuch" % table.text,
            "ALTER TABLE %s DROP %s" % (table.text, table.partition[0].text), "ALTER TABLE %s RENAME nosuch TO x" % table.text,
            "ALTER TABLE %s ALTER %s TYPE %s" % (table.text, any_column.text, kind), "CREATE TABLE %s (p int PRIMARY KEY)" % table.text,
            "CREATE TABLE n (p %s, c list<int>, PRIMARY KEY (p, c))" % kind, "CREATE TABLE n (p int, v %s, p int, PRIMARY KEY (p))" % kind,
            "CREATE TABLE n (p int PRIMARY KEY, c counter, v %s)" % kind, "CREATE INDEX ON %s (nosuch)" % table.text,
            "CREATE TABLE n (p int, v frozen<int>, PRIMARY KEY (p))", "CREATE TABLE n (p int, s %s static, PRIMARY KEY (p))" % kind,
            "CREATE TYPE u0 (f %s)" % kind, "DROP TYPE nosuch", "DROP TABLE nosuch", "CREATE TABLE n (p int, PRIMARY KEY (p, c))",
            "CREATE TABLE n (p int, c int, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (p ASC)", "CREATE TABLE n (p nosuch PRIMARY KEY)",
            "CREATE INDEX ON %s (KEYS(%s))" % (table.text, any_column.text), "CREATE INDEX ON %s (ENTRIES(%s))" % (table.text, any_column.text))), ddl=True)
