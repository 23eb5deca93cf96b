"""Options of tables and keyspaces: names, and values that they take, that they just do not take, and that are none."""
import random

from answers import Statement
from schema import Schema

NUMBERS = ("'0'", "'1'", "'2'", "'4'", "'32'", "'-1'", "'1.5'", "'0.5'", "'0.0'", "'1e3'", "''", "'x'", "' 1'", "'+1'", "'1000000'", "'99999999999'", "'true'",
           "'false'", "'TRUE'", "1", "2", "1.5", "true", "null", "'0.1f'", "'1d'", "'Infinity'", "'1_0'", "'0x1'", "'-0.0'", "'\u0967'", "'4MB'", "'10GiB'", "'100MiB'",
           "'2147483648'", "0.01", "'1KiB'", "'1 MiB'", "'1mib'", "'7.5GiB'")
STRATEGIES = {
    "'SizeTieredCompactionStrategy'": ("bucket_low", "bucket_high", "min_sstable_size"),
    "'LeveledCompactionStrategy'": ("sstable_size_in_mb", "fanout_size", "single_sstable_uplevel"),
    "'TimeWindowCompactionStrategy'": ("compaction_window_unit", "compaction_window_size", "timestamp_resolution", "expired_sstable_check_frequency_seconds",
                                       "unsafe_aggressive_sstable_expiration", "bucket_low", "bucket_high", "min_sstable_size"),
    "'UnifiedCompactionStrategy'": ("scaling_parameters", "target_sstable_size", "base_shard_count", "sstable_growth", "max_sstables_to_compact",
                                    "flush_size_override", "expired_sstable_check_frequency_seconds", "unsafe_aggressive_sstable_expiration",
                                    "overlap_inclusion_method", "min_sstable_size"),
}
ANY_STRATEGY = ("min_threshold", "max_threshold", "tombstone_threshold", "tombstone_compaction_interval", "unchecked_tombstone_compaction", "log_all", "enabled",
                "only_purge_repaired_tombstones", "provide_overlapping_tombstones", "nosuch", "split_during_flush", "parallelize_output_shards")
NO_STRATEGIES = ("'x'", "''", "1", "'org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy'", "'sizetieredcompactionstrategy'", "null",
                 "'DateTieredCompactionStrategy'")
SUB_VALUES = {
    "provide_overlapping_tombstones": ("'none'", "'row'", "'cell'", "'ROW'", "'x'", "1"),
    "compaction_window_unit": ("'DAYS'", "'HOURS'", "'days'", "'MINUTES'", "'SECONDS'", "'x'", "1"),
    "timestamp_resolution": ("'MICROSECONDS'", "'MILLISECONDS'", "'x'", "'milliseconds'"),
    "scaling_parameters": ("'T4'", "'L10'", "'N'", "'T4, L4'", "'T1'", "'x'", "'2'", "'-2'", "'4,8'", "''", "'t4'", "' T4'", "1", "'T4;L3'"),
    "target_sstable_size": NUMBERS + ("'1GiB'", "'1 GiB'", "'512KiB'", "'1MB'"),
    "overlap_inclusion_method": ("'NONE'", "'SINGLE'", "'TRANSITIVE'", "'x'", "'none'"),
    "class": ("'LZ4Compressor'", "'SnappyCompressor'", "'DeflateCompressor'", "'ZstdCompressor'", "'x'", "''", "'lz4compressor'",
              "'org.apache.cassandra.io.compress.LZ4Compressor'", "1", "null"),
    "chunk_length_in_kb": ("'4'", "'16'", "'64'", "'3'", "'0'", "'-4'", "'x'", "4", "16", "'1048576'", "'4194304'", "'2097152'", "''", "1.5"),
    "compression_level": ("'1'", "'3'", "'22'", "'23'", "'-1'", "'x'", "'9'", "'0'", "'-131072'", "'-131073'"),
    "lz4_compressor_type": ("'fast'", "'high'", "'x'", "'FAST'"), "lz4_high_compressor_level": ("'1'", "'17'", "'18'", "'0'", "'x'"),
    "enabled": ("'false'", "'true'", "false", "true", "'x'"),
    "keys": ("'ALL'", "'NONE'", "'all'", "'none'", "'10'", "'0'", "'x'", "1", "''", "null", "'None'", "true"),
    "rows_per_partition": ("'ALL'", "'NONE'", "'all'", "'10'", "'0'", "'-1'", "'x'", "1", "10", "''", "null", "'1.5'", "true", "'99999999999'"),
    "replication_factor": ("1", "'1'", "'3'", "0", "-1", "'x'", "''", "1.5", "'1/1'", "'3/1'", "'3/0'", "'3/3'", "true", "null", "'99999999999'", "' 1'", "'+1'"),
}
PERCENTILES = ("'99p'", "'99PERCENTILE'", "'NONE'", "'ALWAYS'", "'50ms'", "'x'", "''", "'101p'", "'-1ms'", "'MIN(99p,50ms)'", "'max(50ms,99p)'", "'min(1ms,2ms)'",
               "'0p'", "'99.9p'", "'never'", "'50.5ms'", "1", "'99.0percentile'", "'MIN(99p, 50ms)'", "' 99p '", "'1e1ms'", "'p'", "'min(99p,50ms,10ms)'", "'50 ms'")
# those alone that say nothing of what is read
PLAIN = {
    "bloom_filter_fp_chance": ("0", "0.1", "1", "1.1", "-1", "'x'", "'0.5'", "0.0001", "1e-9", "0.00001", "true", "null", "{}", "1e400"),
    "comment": ("'x'", "1", "null", "''", "{}", "true", "'a''b'", "0x00"),
    "min_index_interval": ("1", "0", "-1", "128", "4096", "2147483648", "'64'", "'x'"), "max_index_interval": ("1", "0", "127", "2048", "2147483648", "'3000'", "'x'"),
    "memtable_flush_period_in_ms": ("0", "-1", "'x'", "3600000", "2147483648"), "crc_check_chance": ("0", "1", "0.5", "1.1", "-0.1", "'x'", "'0.3'", "'1f'"),
    "speculative_retry": PERCENTILES, "additional_write_policy": PERCENTILES, "memtable": ("'default'", "'x'", "'skiplist'", "''", "1", "{}"),
    "cdc": ("true", "false", "'true'", "'x'", "1", "'TRUE'", "null"), "read_repair": ("'BLOCKING'", "'NONE'", "'none'", "'x'", "1", "'ASYNC'"),
    "allow_auto_snapshot": ("true", "false", "'x'"), "incremental_backups": ("true", "false", "'x'"),
    "extensions": ("{'a': 0x01}", "{'a': 'x'}", "{}", "{'a': 0x}", "'x'", "{'a': null}", "{'a': 1}"),
    "dclocal_read_repair_chance": ("0.1",), "nosuch": ("1",), "populate_io_cache_on_flush": ("true",), "index_interval": ("128",),
    "id": ("123e4567-e89b-42d3-a456-426614174000",),
}
VIEW = "SELECT * FROM n WHERE p IS NOT NULL AND v IS NOT NULL PRIMARY KEY (v, p)"
ODD = ("1", "'x'", "{}", "{'a': 1}", "null", "true", "{1: 2}", "{'class': null}", "[1]", "('a')", "?", "{'class': ?}")


def shown(rng, pairs):
    rng.shuffle(pairs)
    return "{%s}" % ", ".join("'%s': %s" % pair for pair in pairs)


def sub_options(rng, names, most):
    chosen = [rng.choice(names) for _ in range(rng.randrange(most))]
    return [(name, rng.choice(SUB_VALUES.get(name, NUMBERS))) for name in (chosen if rng.random() < 0.1 else dict.fromkeys(chosen))]


def compaction(rng):
    strategy = rng.choice(list(STRATEGIES) if rng.random() < 0.9 else NO_STRATEGIES)
    names = STRATEGIES.get(strategy, ()) * 2 + ANY_STRATEGY
    return shown(rng, [("class", strategy)] * (rng.random() < 0.95) + sub_options(rng, names, 4))


def compression(rng):
    names = ("chunk_length_in_kb", "chunk_length_kb", "crc_check_chance", "min_compress_ratio", "enabled", "compression_level", "lz4_compressor_type",
             "lz4_high_compressor_level", "nosuch")
    return shown(rng, [(rng.choice(("class", "class", "class", "sstable_compression")), rng.choice(SUB_VALUES["class"]))] * (rng.random() < 0.8) + sub_options(rng, names, 3))


def caching(rng):
    return shown(rng, sub_options(rng, ("keys", "rows_per_partition", "keys", "rows_per_partition", "nosuch", "KEYS"), 4))


MAPS = {"compaction": compaction, "compression": compression, "caching": caching}


def option(rng):
    name = rng.choice(list(PLAIN) + ["compaction"] * 8 + ["compression"] * 5 + ["caching"] * 3)
    value = MAPS[name](rng) if name in MAPS else rng.choice(PLAIN[name])
    if rng.random() < 0.03:
        value = rng.choice(ODD)
    if rng.random() < 0.05:
        name = rng.choice((name.upper(), '"%s"' % name))
    return "%s = %s" % (name, value)


def table_options(rng):
    """What follows WITH."""
    return " AND ".join(option(rng) for _ in range(rng.choice((1, 1, 1, 2, 3))))


def replication(rng):
    strategy = rng.choice(("'SimpleStrategy'", "'NetworkTopologyStrategy'") if rng.random() < 0.8 else
                          ("'x'", "''", "1", "'LocalStrategy'", "'org.apache.cassandra.locator.SimpleStrategy'", "'simplestrategy'", "'OldNetworkTopologyStrategy'"))
    names = ("replication_factor", "replication_factor", "datacenter1", "dc2", "nosuch", "Replication_factor")
    pairs = [(name, rng.choice(SUB_VALUES["replication_factor"])) for name, _ in sub_options(rng, names, 3)]
    return shown(rng, [("class", strategy)] * (rng.random() < 0.95) + pairs)


def keyspace_options(rng):
    out = ["replication = " + (replication(rng) if rng.random() < 0.95 else rng.choice(("'x'", "1", "{}", "null")))] * (rng.random() < 0.95)
    if rng.random() < 0.3:
        out.append("durable_writes = " + rng.choice(("true", "false", "'x'", "1", "'false'", "null")))
    if rng.random() < 0.1:
        out.append(rng.choice(("nosuch = 1", "comment = 'x'", "durable_writes = true")))
    return " AND ".join(out)


SHOWN = ", ".join(["table_name"] + [n for n in list(PLAIN) + ["default_time_to_live", "gc_grace_seconds"] + list(MAPS) if n not in (
    "dclocal_read_repair_chance", "nosuch", "populate_io_cache_on_flush", "index_interval", "id")])


class OptionsCase:
    """Of options alone: tables, views and keyspaces that are made and altered with them, and what the schema says of them then."""

    def __init__(self, seed, count):
        self.seed, self.schema = seed, Schema([], [])
        self.ddl = ["CREATE TABLE t (p int PRIMARY KEY, v int)", "CREATE TABLE c (p int PRIMARY KEY, v counter)", "CREATE TABLE n (p int PRIMARY KEY, v int)",
                    "CREATE MATERIALIZED VIEW mv AS " + VIEW]
        rng = random.Random(seed)
        self.statements = []
        while len(self.statements) < count:
            self.statements += self.one(rng)

    def one(self, rng):
        alike = "replication = {'class': 'SimpleStrategy', 'replication_factor': 1} AND durable_writes = true"
        options = table_options(rng)
        said, behind = rng.choices((
            ("CREATE TABLE x (p int, c int, v int, PRIMARY KEY (p, c)) WITH " + options, "DROP TABLE IF EXISTS x"),
            ("ALTER TABLE %s WITH %s" % (rng.choice("ttc"), options), None),
            ("ALTER MATERIALIZED VIEW mv WITH " + options, None),
            ("CREATE MATERIALIZED VIEW xv AS %s WITH %s" % (VIEW, options), "DROP MATERIALIZED VIEW IF EXISTS xv"),
            ("CREATE KEYSPACE \x03x WITH " + keyspace_options(rng), "DROP KEYSPACE IF EXISTS \x03x"),
            ("ALTER KEYSPACE \x03 WITH " + keyspace_options(rng), "ALTER KEYSPACE \x03 WITH " + alike)), (5, 5, 1, 1, 1, 1))[0]
        out = [Statement(said, ddl=True), Statement("SELECT %s FROM system_schema.tables WHERE keyspace_name = \x02" % SHOWN, reads=True),
               Statement("SELECT * FROM system_schema.keyspaces WHERE keyspace_name = \x02", reads=True)]
        return out + [Statement(behind, ddl=True)] * bool(behind)
