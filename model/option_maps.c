/*
 * Options with a grammar of their own: compaction, compression, caching, speculative retry. Widerow has no sstables, so
 * nothing here changes how data is kept: the values are checked as a cluster would, kept and shown.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "model/options.h"
#include "model/real.h"

static bool equals_fold(struct slice text, const char *word)
{
    return text.len == strlen(word) && strncasecmp((const char *)text.data, word, text.len) == 0;
}

static enum wr_status upper(struct ctx *ctx, struct slice text, struct slice *out)
{
    char *copy = ctx_string(ctx, text);
    if (!copy)
        return WR_NOMEM;
    for (size_t i = 0; i < text.len; i++)
        copy[i] = (char)(copy[i] >= 'a' && copy[i] <= 'z' ? copy[i] - 'a' + 'A' : copy[i]);
    *out = slice_of(copy, text.len);
    return WR_OK;
}

/* `[a, b]`, the keys of a map in order. */
static const char *key_list(struct ctx *ctx, const struct slice *keys, uint32_t count)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    for (uint32_t i = 0; i < count; i++) {
        buf_put_str(&buf, i ? ", " : "[");
        buf_put_slice(&buf, keys[i]);
    }
    buf_put(&buf, "]", 2);
    return buf.failed ? "[]" : (const char *)buf.data;
}

/* A class named without its package is Cassandra's own. */
static enum wr_status full_class(struct ctx *ctx, struct slice name, const char *package, struct slice *out)
{
    *out = name;
    if (memchr(name.data, '.', name.len))
        return WR_OK;
    char *full = ctx_format(ctx, "%s.%.*s", package, SLICE_ARG(name));
    if (!full)
        return WR_NOMEM;
    *out = slice_str(full);
    return WR_OK;
}

static bool is_numeric(struct slice text) /* StringUtils.isNumeric */
{
    for (size_t i = 0; i < text.len; i++)
        if (!isdigit(text.data[i]))
            return false;
    return text.len > 0;
}

/* ---- compaction ---- */

#define COMPACTION_PACKAGE "org.apache.cassandra.db.compaction"

enum { STCS = 1, LCS = 2, TWCS = 4, UCS = 8, ALL = 15 };

static const struct strategy {
    const char *name;
    unsigned bit;
    bool thresholds;
} strategies[] = {
    { "SizeTieredCompactionStrategy", STCS, true },
    { "LeveledCompactionStrategy", LCS, true },
    { "TimeWindowCompactionStrategy", TWCS, true },
    { "UnifiedCompactionStrategy", UCS, false },
};
enum { STRATEGY_COUNT = sizeof strategies / sizeof strategies[0] };

enum check { ANY, BOOLEAN, WORD, REAL, WHOLE, GROWTH, SIZE, SCALING };

#define NOT_AN_INT "%.*s is not a parsable int (base10) for %s"

/* In the order in which they are looked at. `bad` is given (value, name) or, with swapped, (name, value). */
static const struct sub_option {
    unsigned strategies;
    const char *name;
    enum check check;
    const char *bad;
    bool swapped;
    int64_t min;
    const char *below;         /* given the name and the number; with value_first: the number, then the name */
    bool value_first;
    const char *words[5];
} sub_options[] = {
    { ALL, "tombstone_threshold", REAL, NOT_AN_INT, false, 0, "%s must be greater than 0, but was %f", false, { 0 } },
    { ALL, "tombstone_compaction_interval", WHOLE, NOT_AN_INT, false, 0, "%s must be greater than 0, but was %lld", false, { 0 } },
    { ALL, "unchecked_tombstone_compaction", BOOLEAN, "'%s' should be either 'true' or 'false', not '%.*s'", true, 0, NULL, false, { 0 } },
    { ALL, "log_all", BOOLEAN, "'%s' should either be 'true' or 'false', not %.*s", true, 0, NULL, false, { 0 } },
    { ALL, "enabled", BOOLEAN, "%s should either be 'true' or 'false', not %.*s", true, 0, NULL, false, { 0 } },
    { ALL, "only_purge_repaired_tombstones", ANY, NULL, false, 0, NULL, false, { 0 } },
    { ALL, "provide_overlapping_tombstones", ANY, NULL, false, 0, NULL, false, { 0 } },
    { STCS | LCS | TWCS, "min_threshold", ANY, NULL, false, 0, NULL, false, { 0 } },
    { STCS | LCS | TWCS, "max_threshold", ANY, NULL, false, 0, NULL, false, { 0 } },
    { LCS, "sstable_size_in_mb", WHOLE, NOT_AN_INT, false, 1, "%s must be larger than 0, but was %lld", false, { 0 } },
    { LCS, "fanout_size", WHOLE, NOT_AN_INT, false, 1, "%s must be larger than 0, but was %lld", false, { 0 } },
    { LCS, "single_sstable_uplevel", ANY, NULL, false, 0, NULL, false, { 0 } },
    { TWCS, "timestamp_resolution", WORD, "%.*s is not valid for %s", false, 0, NULL, false,
      { "MICROSECONDS", "MILLISECONDS", "SECONDS", "NANOSECONDS", NULL } },
    { TWCS, "compaction_window_unit", WORD, "%.*s is not valid for %s", false, 0, NULL, false, { "MINUTES", "HOURS", "DAYS", NULL } },
    { TWCS, "compaction_window_size", WHOLE, NOT_AN_INT, false, 1, "%lld must be greater than 1 for %s", true, { 0 } },
    { TWCS, "expired_sstable_check_frequency_seconds", WHOLE, NOT_AN_INT, false, 0, "%s must not be negative, but was %lld", false, { 0 } },
    { TWCS | UCS, "unsafe_aggressive_sstable_expiration", BOOLEAN, "%s is not 'true' or 'false' (%.*s)", true, 0, NULL, false, { 0 } },
    { STCS | LCS | TWCS, "min_sstable_size", WHOLE, NOT_AN_INT, false, 0, "%s must be non negative: %lld", false, { 0 } },
    { STCS | LCS | TWCS, "bucket_low", REAL, "%.*s is not a parsable float for %s", false, INT64_MIN, NULL, false, { 0 } },
    { STCS | LCS | TWCS, "bucket_high", REAL, "%.*s is not a parsable float for %s", false, INT64_MIN, NULL, false, { 0 } },
    { UCS, "scaling_parameters", SCALING, NULL, false, 0, NULL, false, { 0 } },
    { UCS, "base_shard_count", WHOLE, NOT_AN_INT, false, 1, "Invalid configuration, %s should be positive: %lld", false, { 0 } },
    { UCS, "target_sstable_size", SIZE, NULL, false, 1 << 20, NULL, false, { 0 } },
    { UCS, "min_sstable_size", SIZE, NULL, false, 0, NULL, false, { 0 } },
    { UCS, "flush_size_override", SIZE, NULL, false, 1 << 20, NULL, false, { 0 } },
    { UCS, "expired_sstable_check_frequency_seconds", WHOLE, NOT_AN_INT, false, 1, "Invalid configuration, %s should be positive: %lld", false, { 0 } },
    { UCS, "max_sstables_to_compact", WHOLE, NOT_AN_INT, false, INT64_MIN, NULL, false, { 0 } },
    { UCS, "sstable_growth", GROWTH, NULL, false, 0, NULL, false, { 0 } },
    { UCS, "overlap_inclusion_method", WORD, "Invalid overlap inclusion method %.*s. The valid options are [NONE, SINGLE, TRANSITIVE].",
      false, 0, NULL, false, { "NONE", "SINGLE", "TRANSITIVE", NULL } },
};
enum { SUB_OPTION_COUNT = sizeof sub_options / sizeof sub_options[0] };

static const struct strategy *strategy_of(struct slice class_name)
{
    struct slice package = SLICE_LIT(COMPACTION_PACKAGE ".");
    if (!slice_has_prefix(class_name, package))
        return NULL;
    for (int i = 0; i < STRATEGY_COUNT; i++)
        if (slice_eq_str(slice_skip(class_name, package.len), strategies[i].name))
            return &strategies[i];
    return NULL;
}

bool compaction_is_leveled(const struct string_map *compaction)
{
    const struct strategy *s = strategy_of(string_map_get(compaction, SLICE_LIT("class")));
    return s && s->bit == LCS;
}

enum wr_status compaction_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out)
{
    struct slice name = string_map_get(given, SLICE_LIT("class")), full, tombstones;
    if (slice_is_null(name))
        return fail(ctx, WR_CONFIG, "Missing sub-option 'class' for the 'compaction' option");
    TRY(full_class(ctx, name, COMPACTION_PACKAGE, &full));
    const struct strategy *strategy = strategy_of(full);
    if (!strategy && slice_eq_str(full, "java.lang.String"))
        return fail(ctx, WR_CONFIG, "Compaction strategy class java.lang.String is not derived from AbstractReplicationStrategy");
    if (!strategy)
        return fail(ctx, WR_CONFIG, "Unable to find compaction strategy class '%.*s'", SLICE_ARG(full));
    tombstones = string_map_get(given, SLICE_LIT("provide_overlapping_tombstones"));
    if (tombstones.data) {
        TRY(upper(ctx, tombstones, &tombstones));
        if (!slice_eq_str(tombstones, "NONE") && !slice_eq_str(tombstones, "ROW") && !slice_eq_str(tombstones, "CELL"))
            return fail(ctx, WR_CONFIG,
                        "Invalid value %.*s for 'provide_overlapping_tombstones' compaction sub-option - "
                        "must be one of the following [NONE, ROW, CELL].", SLICE_ARG(tombstones));
    }
    TRY(string_map_set(ctx, given, SLICE_LIT("class"), full, out));
    if (strategy->thresholds && slice_is_null(string_map_get(out, SLICE_LIT("min_threshold"))))
        TRY(string_map_set(ctx, out, SLICE_LIT("min_threshold"), SLICE_LIT("4"), out));
    if (strategy->thresholds && slice_is_null(string_map_get(out, SLICE_LIT("max_threshold"))))
        TRY(string_map_set(ctx, out, SLICE_LIT("max_threshold"), SLICE_LIT("32"), out));
    return WR_OK;
}

static enum wr_status bad_value(struct ctx *ctx, const struct sub_option *o, struct slice value)
{
    char text[512];
    if (o->swapped)
        snprintf(text, sizeof text, o->bad, o->name, SLICE_ARG(value));
    else
        snprintf(text, sizeof text, o->bad, SLICE_ARG(value), o->name);
    return fail(ctx, WR_CONFIG, "%s", text);
}

static enum wr_status check_size(struct ctx *ctx, const struct sub_option *o, struct slice value)
{
    static const struct { const char *suffix; double factor; } units[] = {
        { "KiB", 1024.0 }, { "MiB", 1048576.0 }, { "GiB", 1073741824.0 }, { "TiB", 1099511627776.0 }, { "B", 1.0 } };
    if (!value.len || value.data[value.len - 1] != 'B')
        return fail(ctx, WR_CONFIG, "%s %.*s is not a valid size in bytes: %.*s does not end in unit B", o->name,
                    SLICE_ARG(value), SLICE_ARG(value));
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t n = strlen(units[i].suffix);
        double number;
        if (value.len <= n || memcmp(value.data + value.len - n, units[i].suffix, n) != 0 ||
            !double_parse(slice_of(value.data, value.len - n), &number))
            continue;
        if (number * units[i].factor < (double)o->min)
            return fail(ctx, WR_CONFIG, "%s %.*s is not acceptable, size must be at least 1.000MiB", o->name,
                        SLICE_ARG(value));
        return WR_OK;
    }
    return fail(ctx, WR_CONFIG, "%s %.*s is not a valid size in bytes: For input string: \"%.*s\"", o->name,
                SLICE_ARG(value), SLICE_ARG(value));
}

/* N|L[0-9]+|T[0-9]+|[+-]?[0-9]+, separated by commas. */
static enum wr_status check_scaling(struct ctx *ctx, struct slice value)
{
    size_t at = 0;
    while (at <= value.len) {
        const uint8_t *comma = memchr(value.data + at, ',', value.len - at);
        size_t end = comma ? (size_t)(comma - value.data) : value.len, next = end + 1;
        while (at < end && value.data[at] == ' ')
            at++;
        while (end > at && value.data[end - 1] == ' ')
            end--;
        struct slice word = slice_of(value.data + at, end - at);
        if (!slice_eq_str(word, "N") &&
            !(word.len && (is_numeric(word) || (strchr("LT+-", word.data[0]) && is_numeric(slice_skip(word, 1))))))
            return fail(ctx, WR_CONFIG, "Scaling parameter %.*s must match N|L[0-9]+|T[0-9]+|[+-]?[0-9]+", SLICE_ARG(word));
        at = next;
    }
    return WR_OK;
}

static enum wr_status check_sub_option(struct ctx *ctx, const struct sub_option *o, struct slice value)
{
    char text[512];
    double real;
    int64_t whole;
    switch (o->check) {
    case ANY:
        return WR_OK;
    case BOOLEAN:
        return equals_fold(value, "true") || equals_fold(value, "false") ? WR_OK : bad_value(ctx, o, value);
    case WORD:
        for (int i = 0; o->words[i]; i++)
            if (slice_eq_str(value, o->words[i]))
                return WR_OK;
        return bad_value(ctx, o, value);
    case REAL:
        if (!double_parse(value, &real))
            return bad_value(ctx, o, value);
        if (!o->below || real >= (double)o->min)
            return WR_OK;
        snprintf(text, sizeof text, o->below, o->name, real);
        return fail(ctx, WR_CONFIG, "%s", text);
    case WHOLE:
        if (!java_long(value, &whole))
            return bad_value(ctx, o, value);
        if (!o->below || whole >= o->min)
            return WR_OK;
        if (o->value_first)
            snprintf(text, sizeof text, o->below, (long long)whole, o->name);
        else
            snprintf(text, sizeof text, o->below, o->name, (long long)whole);
        return fail(ctx, WR_CONFIG, "%s", text);
    case GROWTH:
        if (!double_parse(value, &real))
            return fail(ctx, WR_CONFIG, "%s is not a valid number between 0 and 1: For input string: \"%.*s\"", o->name,
                        SLICE_ARG(value));
        if (real < 0 || real > 1)
            return fail(ctx, WR_CONFIG, "%s %.*s must be between 0 and 1", o->name, SLICE_ARG(value));
        return WR_OK;
    case SIZE:
        return check_size(ctx, o, value);
    case SCALING:
        return check_scaling(ctx, value);
    }
    return WR_OK;
}

static enum wr_status check_buckets(struct ctx *ctx, const struct string_map *map)
{
    struct slice low_text = string_map_get(map, SLICE_LIT("bucket_low"));
    struct slice high_text = string_map_get(map, SLICE_LIT("bucket_high"));
    double low = 0.5, high = 1.5;
    struct buf buf;
    if (low_text.data)
        double_parse(low_text, &low);
    if (high_text.data)
        double_parse(high_text, &high);
    if (high > low)
        return WR_OK;
    buf_init(&buf, ctx->arena);
    buf_put_str(&buf, "bucket_high value (");
    double_print(&buf, high);
    buf_put_str(&buf, ") is less than or equal to the bucket_low value (");
    double_print(&buf, low);
    buf_put_str(&buf, ")");
    return fail(ctx, WR_CONFIG, "%.*s", (int)buf.len, (const char *)buf.data);
}

static enum wr_status check_thresholds(struct ctx *ctx, const struct string_map *map)
{
    static const char *const names[] = { "min_threshold", "max_threshold" };
    int32_t values[2];
    for (int i = 0; i < 2; i++) {
        struct slice text = string_map_get(map, slice_str(names[i]));
        if (!is_numeric(text))
            return fail(ctx, WR_CONFIG, "Invalid value %.*s for '%s' compaction sub-option - must be an integer",
                        SLICE_ARG(text), names[i]);
        if (!java_int(text, &values[i]))
            return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: For input string: \"%.*s\"", SLICE_ARG(text));
    }
    if (values[0] <= 0 || values[1] <= 0)
        return fail(ctx, WR_CONFIG,
                    "Disabling compaction by setting compaction thresholds to 0 has been removed, "
                    "set the compaction option 'enabled' to false instead.");
    if (values[0] <= 1)
        return fail(ctx, WR_CONFIG, "Min compaction threshold cannot be less than 2 (got %d)", values[0]);
    if (values[0] > values[1])
        return fail(ctx, WR_CONFIG,
                    "Min compaction threshold (got %d) cannot be greater than max compaction threshold (got %d)", values[0],
                    values[1]);
    return WR_OK;
}

enum wr_status compaction_check(struct ctx *ctx, const struct string_map *map)
{
    const struct strategy *strategy = strategy_of(string_map_get(map, SLICE_LIT("class")));
    struct slice *unknown = NEW_ARRAY(ctx, struct slice, map->count);
    uint32_t unknown_count = 0;
    if (!unknown)
        return WR_NOMEM;
    if (!strategy)
        return fail_corrupt(ctx, "compaction class");
    for (int i = 0; i < SUB_OPTION_COUNT; i++) {
        struct slice value = string_map_get(map, slice_str(sub_options[i].name));
        if ((sub_options[i].strategies & strategy->bit) && value.data)
            TRY(check_sub_option(ctx, &sub_options[i], value));
    }
    if (strategy->bit & (STCS | LCS | TWCS))
        TRY(check_buckets(ctx, map));
    for (uint32_t k = 0; k < map->count; k++) {
        bool known = slice_eq_str(map->keys[k], "class");
        for (int i = 0; i < SUB_OPTION_COUNT && !known; i++)
            known = (sub_options[i].strategies & strategy->bit) && slice_eq_str(map->keys[k], sub_options[i].name);
        if (!known)
            unknown[unknown_count++] = map->keys[k];
    }
    if (unknown_count)
        return fail(ctx, WR_CONFIG, "Properties specified %s are not understood by %s", key_list(ctx, unknown, unknown_count),
                    strategy->name);
    return strategy->thresholds ? check_thresholds(ctx, map) : WR_OK;
}

/* ---- compression ---- */

#define COMPRESSION_PACKAGE "org.apache.cassandra.io.compress"

static const struct compressor {
    const char *name;
    const char *parameters[3];
} compressors[] = {
    { "LZ4Compressor", { "lz4_compressor_type", "lz4_high_compressor_level", NULL } },
    { "ZstdCompressor", { "compression_level", NULL } },
    { "SnappyCompressor", { NULL } },
    { "DeflateCompressor", { NULL } },
    { "NoopCompressor", { NULL } },
};

static const struct compressor *compressor_of(struct slice class_name)
{
    struct slice package = SLICE_LIT(COMPRESSION_PACKAGE ".");
    if (!slice_has_prefix(class_name, package))
        return NULL;
    for (size_t i = 0; i < sizeof compressors / sizeof compressors[0]; i++)
        if (slice_eq_str(slice_skip(class_name, package.len), compressors[i].name))
            return &compressors[i];
    return NULL;
}

static enum wr_status check_compressor_parameter(struct ctx *ctx, const char *name, struct slice value)
{
    int32_t level;
    bool whole = java_int(value, &level);
    if (strcmp(name, "lz4_compressor_type") == 0 && !slice_eq_str(value, "fast") && !slice_eq_str(value, "high"))
        return fail(ctx, WR_CONFIG,
                    "Invalid compressor type '%.*s' specified for LZ4 parameter 'lz4_compressor_type'. "
                    "Valid options are [high, fast].", SLICE_ARG(value));
    if (strcmp(name, "lz4_high_compressor_level") == 0 && (!whole || level < 1 || level > 17))
        return fail(ctx, WR_CONFIG, "Invalid value [%.*s] for parameter '%s'. Value must be between 1 and 17.",
                    SLICE_ARG(value), name);
    if (strcmp(name, "compression_level") == 0 && !whole)
        return fail(ctx, WR_CONFIG,
                    "ZstdCompressor.create() threw an error: java.lang.NumberFormatException For input string: \"%.*s\"",
                    SLICE_ARG(value));
    if (strcmp(name, "compression_level") == 0 && (level < -131072 || level > 22))
        return fail(ctx, WR_CONFIG,
                    "ZstdCompressor.create() threw an error: java.lang.IllegalArgumentException compression_level=%d is invalid",
                    level);
    return WR_OK;
}

/* What every compressor has beside its own parameters; *length 0 and *ratio null where not given. */
static enum wr_status chunk_parameters(struct ctx *ctx, const struct string_map *given, int32_t *length, struct slice *ratio)
{
    struct slice text = string_map_get(given, SLICE_LIT("chunk_length_in_kb"));
    double value;
    *length = 0;
    *ratio = SLICE_NULL;
    if (text.data) {
        if (!java_int(text, length))
            return fail(ctx, WR_CONFIG, "Invalid value for chunk_length_in_kb");
        if (*length > INT32_MAX / 1024)
            return fail(ctx, WR_CONFIG, "Value of chunk_length_in_kb is too large (%d)", *length);
        if (*length <= 0)
            return fail(ctx, WR_CONFIG, "Invalid negative or null chunk_length_in_kb");
    }
    text = string_map_get(given, SLICE_LIT("min_compress_ratio"));
    if (!text.data)
        return WR_OK;
    if (!double_parse(text, &value))
        return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: For input string: \"%.*s\"", SLICE_ARG(text));
    if (value != 0) {
        struct buf buf;
        buf_init(&buf, ctx->arena);
        double_print(&buf, value);
        return buf_done(ctx, &buf, ratio);
    }
    return WR_OK;
}

enum wr_status compression_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out)
{
    static const struct slice off_key[] = { { (const uint8_t *)"enabled", 7 } }, off_value[] = { { (const uint8_t *)"false", 5 } };
    struct slice name = string_map_get(given, SLICE_LIT("class")), enabled = string_map_get(given, SLICE_LIT("enabled"));
    struct slice full, ratio;
    bool is_enabled = !enabled.data || equals_fold(enabled, "true");
    int32_t chunk_kb;

    if (given->count && is_enabled && !name.data)
        return fail(ctx, WR_CONFIG, "Missing sub-option 'class' for the 'compression' option.");
    if (!is_enabled && given->count > 1)
        return fail(ctx, WR_CONFIG, "If the 'enabled' option is set to false no other options must be specified");
    if (!is_enabled || given->count == 0) {
        *out = (struct string_map){ off_key, off_value, 1 };
        return WR_OK;
    }
    if (name.len == 0)
        return fail(ctx, WR_CONFIG, "The 'class' option must not be empty. To disable compression use 'enabled' : false");
    TRY(chunk_parameters(ctx, given, &chunk_kb, &ratio));
    TRY(full_class(ctx, name, COMPRESSION_PACKAGE, &full));
    const struct compressor *compressor = compressor_of(full);
    if (!compressor)
        return fail(ctx, WR_CONFIG, "Could not create Compression for type %.*s", SLICE_ARG(full));

    char *chunk = ctx_format(ctx, "%d", chunk_kb ? chunk_kb : 16);
    if (!chunk)
        return WR_NOMEM;
    *out = (struct string_map){ NULL, NULL, 0 };
    TRY(string_map_set(ctx, out, SLICE_LIT("chunk_length_in_kb"), slice_str(chunk), out));
    TRY(string_map_set(ctx, out, SLICE_LIT("class"), full, out));
    if (ratio.data)
        TRY(string_map_set(ctx, out, SLICE_LIT("min_compress_ratio"), ratio, out));
    for (uint32_t i = 0; i < given->count; i++) {
        static const char *const common[] = { "class", "enabled", "chunk_length_in_kb", "min_compress_ratio" };
        const char *own = NULL;
        bool known = false;
        for (int c = 0; c < 4; c++)
            known |= slice_eq_str(given->keys[i], common[c]);
        for (int c = 0; compressor->parameters[c]; c++)
            if (slice_eq_str(given->keys[i], compressor->parameters[c]))
                own = compressor->parameters[c];
        if (known)
            continue;
        if (!own)
            return fail(ctx, WR_CONFIG, "Unknown compression options %.*s", SLICE_ARG(given->keys[i]));
        TRY(check_compressor_parameter(ctx, own, given->values[i]));
        TRY(string_map_set(ctx, out, given->keys[i], given->values[i], out));
    }
    return WR_OK;
}

enum wr_status compression_check(struct ctx *ctx, const struct string_map *map)
{
    struct slice chunk = string_map_get(map, SLICE_LIT("chunk_length_in_kb"));
    struct slice ratio = string_map_get(map, SLICE_LIT("min_compress_ratio"));
    int32_t length = 0;
    double value = 0;
    if (chunk.data && java_int(chunk, &length) && (length & (length - 1)))
        return fail(ctx, WR_CONFIG, "chunk_length_in_kb must be a power of 2");
    if (ratio.data && double_parse(ratio, &value) && value < 1)
        return fail(ctx, WR_CONFIG, "min_compress_ratio can either be 0 or greater than or equal to 1");
    return WR_OK;
}

/* ---- caching ---- */

enum wr_status caching_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out)
{
    struct slice keys = string_map_get(given, SLICE_LIT("keys")), rows = string_map_get(given, SLICE_LIT("rows_per_partition"));
    struct slice *unknown = NEW_ARRAY(ctx, struct slice, given->count);
    uint32_t unknown_count = 0;
    int32_t count;
    if (!unknown)
        return WR_NOMEM;
    for (uint32_t i = 0; i < given->count; i++)
        if (!slice_eq_str(given->keys[i], "keys") && !slice_eq_str(given->keys[i], "rows_per_partition"))
            unknown[unknown_count++] = given->keys[i];
    if (unknown_count)
        return fail(ctx, WR_CONFIG, "Invalid caching sub-options %s: only 'keys' and 'rows_per_partition' are allowed",
                    key_list(ctx, unknown, unknown_count));
    if (!keys.data)
        keys = SLICE_LIT("NONE");
    else if (!equals_fold(keys, "ALL") && !equals_fold(keys, "NONE"))
        return fail(ctx, WR_CONFIG, "Invalid value '%.*s' for caching sub-option 'keys': only 'ALL' and 'NONE' are allowed",
                    SLICE_ARG(keys));
    TRY(upper(ctx, keys, &keys));
    if (!rows.data)
        rows = SLICE_LIT("NONE");
    if (equals_fold(rows, "ALL") || equals_fold(rows, "NONE")) {
        TRY(upper(ctx, rows, &rows));
    } else {
        if (!is_numeric(rows) || !java_int(rows, &count))
            return fail(ctx, WR_CONFIG,
                        "Invalid value '%.*s' for caching sub-option 'rows_per_partition': "
                        "only 'ALL', 'NONE', and integer values are allowed", SLICE_ARG(rows));
        char *text = ctx_format(ctx, "%d", count);
        if (!text)
            return WR_NOMEM;
        rows = slice_str(text);
    }
    *out = (struct string_map){ NULL, NULL, 0 };
    TRY(string_map_set(ctx, out, SLICE_LIT("keys"), keys, out));
    return string_map_set(ctx, out, SLICE_LIT("rows_per_partition"), rows, out);
}

/* ---- speculative_retry and additional_write_policy ---- */

enum retry_kind { RETRY_BAD, RETRY_PERCENTILE, RETRY_FIXED };

/* `99p`, `99.9PERCENTILE`, `50ms`: the kind, and the text as it is kept. A percentile out of bounds is bad here. */
static enum retry_kind retry_atom(struct ctx *ctx, struct slice given, struct slice *out, bool *out_of_bounds)
{
    size_t digits = 0;
    double value;
    *out_of_bounds = false;
    while (digits < given.len && (isdigit(given.data[digits]) || given.data[digits] == '.'))
        digits++;
    struct slice number = slice_of(given.data, digits), unit = slice_skip(given, digits);
    if (!digits || !double_parse(number, &value))
        return RETRY_BAD;
    if (equals_fold(unit, "ms")) {
        char *text = ctx_format(ctx, "%dms", value >= INT32_MAX ? INT32_MAX : (int)value);
        *out = slice_str(text ? text : "");
        return RETRY_FIXED;
    }
    if (!equals_fold(unit, "p") && !equals_fold(unit, "percentile"))
        return RETRY_BAD;
    if (value <= 0 || value >= 100) {
        *out_of_bounds = true;
        return RETRY_BAD;
    }
    char *text = ctx_format(ctx, "%.4f", nearbyint(value * 10000) / 10000); /* DecimalFormat("#.####"): half even */
    if (!text)
        return RETRY_BAD;
    size_t len = strlen(text);
    while (text[len - 1] == '0')
        len--;
    if (text[len - 1] == '.')
        len--;
    text[len++] = 'p';
    *out = slice_of(text[0] == '0' && text[1] == '.' ? text + 1 : text, text[0] == '0' && text[1] == '.' ? len - 1 : len);
    return RETRY_PERCENTILE;
}

static struct slice trim(struct slice s)
{
    while (s.len && isspace(s.data[0]))
        s = slice_skip(s, 1);
    while (s.len && isspace(s.data[s.len - 1]))
        s.len--;
    return s;
}

static enum wr_status retry_bad(struct ctx *ctx, struct slice given)
{
    return fail(ctx, WR_CONFIG, "Invalid value %.*s for option 'speculative_retry'", SLICE_ARG(given));
}

/* `MIN(99p,50ms)` */
static enum wr_status retry_hybrid(struct ctx *ctx, struct slice given, struct slice *out)
{
    struct slice inner = slice_of(given.data + 4, given.len - 5), part[2], text[2];
    const uint8_t *comma = memchr(inner.data, ',', inner.len);
    enum retry_kind kind[2];
    bool out_of_bounds;
    if (!comma)
        return retry_bad(ctx, given);
    part[0] = trim(slice_of(inner.data, (size_t)(comma - inner.data)));
    part[1] = trim(slice_of(comma + 1, inner.len - (size_t)(comma - inner.data) - 1));
    for (int i = 0; i < 2; i++)
        if ((kind[i] = retry_atom(ctx, part[i], &text[i], &out_of_bounds)) == RETRY_BAD)
            return retry_bad(ctx, given);
    if (kind[0] == kind[1])
        return fail(ctx, WR_CONFIG,
                    "Invalid value %.*s for option 'speculative_retry': MIN()/MAX() arguments should be of different types, "
                    "but both are of type %s", SLICE_ARG(given), kind[0] == RETRY_FIXED ? "FIXED" : "PERCENTILE");
    char *whole = ctx_format(ctx, "%s(%.*s,%.*s)", equals_fold(slice_of(given.data, 3), "MIN") ? "MIN" : "MAX",
                             SLICE_ARG(text[0]), SLICE_ARG(text[1]));
    if (!whole)
        return WR_NOMEM;
    *out = slice_str(whole);
    return WR_OK;
}

enum wr_status retry_parse(struct ctx *ctx, struct slice given, struct slice *out)
{
    bool out_of_bounds;
    if (equals_fold(given, "ALWAYS")) {
        *out = SLICE_LIT("ALWAYS");
        return WR_OK;
    }
    if (equals_fold(given, "NEVER") || equals_fold(given, "NONE")) {
        *out = SLICE_LIT("NEVER");
        return WR_OK;
    }
    if (given.len > 5 && given.data[given.len - 1] == ')' && given.data[3] == '(' &&
        (equals_fold(slice_of(given.data, 3), "MIN") || equals_fold(slice_of(given.data, 3), "MAX")))
        return retry_hybrid(ctx, given, out);
    if (retry_atom(ctx, given, out, &out_of_bounds) != RETRY_BAD)
        return WR_OK;
    if (out_of_bounds)
        return fail(ctx, WR_CONFIG,
                    "Invalid value %.*s for PERCENTILE option 'speculative_retry': must be between (0.0 and 100.0)",
                    SLICE_ARG(given));
    return retry_bad(ctx, given);
}
