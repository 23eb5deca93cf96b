#!/usr/bin/env python3
"""Records the system keyspaces of a running Cassandra 5.0.6 (127.0.0.1:9042) as model/system_tables.inc, and the settings it shows as
model/virtual_settings.inc.

Virtual tables have no engine id (0), for the engine does not know them. The others' table and column ids are part of the file format: a table or column keeps the number it has in the .inc already
written, and one that is new takes the next free number. Run from the top of the repository.
"""
import re
import warnings
from pathlib import Path

warnings.filterwarnings("ignore")
from cassandra.cluster import Cluster  # noqa: E402

OUT = Path("model/system_tables.inc")
SETTINGS = Path("model/virtual_settings.inc")
VIRTUAL = ["system_views", "system_virtual_schema"]
KEYSPACES = ["system", "system_auth", "system_distributed", "system_schema", "system_traces"]
KIND = {"partition_key": 0, "clustering": 1, "static": 2, "regular": 3}
KIND_NAME = ["COLUMN_PARTITION_KEY", "COLUMN_CLUSTERING", "COLUMN_STATIC", "COLUMN_REGULAR"]


def text(s):
    return '"' + s.replace("\\", "\\\\").replace('"', '\\"') + '"'


def pairs(mapping):
    return " ".join(f'{text(k)} "\\0" {text(v)} "\\0"' for k, v in mapping.items())


known, known_columns = {}, {}
if OUT.exists():
    symbol = None
    for line in OUT.read_text().splitlines():
        if m := re.match(r"static const struct system_column (\w+)\[\]", line):
            symbol = m[1]
        elif m := re.match(r'    \{ "([^"]+)", "[^"]+", COLUMN_\w+, \w+, (\d+) \}', line):
            known_columns[symbol, m[1]] = int(m[2])
        elif m := re.match(r'    \{ "([^"]+)", "([^"]+)", (\d+), \{', line):
            known[m[1], m[2]] = int(m[3])

cluster = Cluster(["127.0.0.1"], schema_metadata_enabled=False, token_metadata_enabled=False)
session = cluster.connect()
columns = {}
for source in "system_schema.columns", "system_virtual_schema.columns":
    for r in session.execute("SELECT * FROM " + source):
        columns.setdefault((r.keyspace_name, r.table_name), []).append(r)
tables = {(r.keyspace_name, r.table_name): r for r in session.execute("SELECT * FROM system_schema.tables")
          if r.keyspace_name in KEYSPACES}
keyspaces = {r.keyspace_name: r for r in session.execute("SELECT * FROM system_schema.keyspaces")}

out = ["/* Written by tests/model/record_system.py from Cassandra 5.0.6; not by hand. */", ""]
out.append("static const struct system_keyspace system_keyspaces[] = {")
for name in KEYSPACES:
    out.append(f"    {{ {text(name)}, {pairs(keyspaces[name].replication)} }},")
for name in VIRTUAL:
    out.append(f"    {{ {text(name)}, \"\" }},")
out += ["};", ""]

virtual = {(r.keyspace_name, r.table_name): r.comment for r in session.execute("SELECT * FROM system_virtual_schema.tables")}


def virtual_id(key):
    described = session.execute('DESCRIBE TABLE %s."%s" WITH INTERNALS' % key).one().create_statement
    return bytes.fromhex(re.search(r"ID = ([0-9a-f-]+)", described)[1].replace("-", ""))


next_id = max(known.values(), default=0) + 1
entries = []
for key in sorted(tables) + sorted(virtual):
    ks, name = key
    cols = sorted(columns[key], key=lambda r: (KIND[r.kind], r.position if KIND[r.kind] < 2 else 0, r.column_name.encode()))
    symbol = f"{ks}_{name}_columns".lower()
    out.append(f"static const struct system_column {symbol}[] = {{")
    ids = [v for (s, _), v in known_columns.items() if s == symbol]
    next_column = max(ids, default=0) + 1
    for c in cols:
        column_id = 0
        if KIND[c.kind] >= 2 and key in tables:
            column_id = known_columns.get((symbol, c.column_name), next_column)
            next_column = max(next_column, column_id + 1)
        desc = "true" if c.clustering_order == "desc" else "false"
        out.append(f"    {{ {text(c.column_name)}, {text(c.type)}, {KIND_NAME[KIND[c.kind]]}, {desc}, {column_id} }},")
    out += ["};", ""]
    if key in virtual:
        uuid = ", ".join(f"0x{b:02x}" for b in virtual_id(key))
        entries.append(f"    {{ {text(ks)}, {text(name)}, 0, {{ {uuid} }}, TABLE_VIRTUAL,\n"
                       f"      {symbol}, sizeof {symbol} / sizeof {symbol}[0], {text(virtual[key])}, 0, 0, 0, \"\" }},")
        continue
    if key not in known:
        known[key] = next_id
        next_id += 1
    t = tables[key]
    uuid = ", ".join(f"0x{b:02x}" for b in t.id.bytes)
    counter = "TABLE_COUNTER" if "counter" in t.flags else "0"
    entries.append(f"    {{ {text(ks)}, {text(name)}, {known[key]}, {{ {uuid} }}, {counter},\n"
                   f"      {symbol}, sizeof {symbol} / sizeof {symbol}[0], {text(t.comment)}, {t.gc_grace_seconds},\n"
                   f"      {t.memtable_flush_period_in_ms}, {t.default_time_to_live}, {pairs(t.compaction)} }},")
out += ["static const struct system_table system_tables[] = {"] + entries + ["};", ""]
OUT.write_text("\n".join(out))

# Where a server keeps its files is the recorded one's affair alone: the package's folders stand for them.
PLACES = {name: "/var/lib/cassandra/" + name.removesuffix("_directory")
          for name in ["cdc_raw_directory", "commitlog_directory", "hints_directory", "saved_caches_directory"]}
PLACES["data_file_directories"] = "[/var/lib/cassandra/data]"
out = ["/* Written by tests/model/record_system.py from Cassandra 5.0.6; not by hand. */", "",
       "static const struct setting recorded_settings[] = {"]
for r in session.execute("SELECT name, value FROM system_views.settings"):
    value = PLACES.get(r.name, r.value)
    out.append(f"    {{ {text(r.name)}, {'NULL' if value is None else text(value)} }},")
out += ["};", ""]
SETTINGS.write_text("\n".join(out))
cluster.shutdown()
