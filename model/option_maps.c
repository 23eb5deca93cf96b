/*
 * Options with a grammar of their own, beside compaction (compaction.c): compression, caching, speculative retry.
 * Checked as a cluster would, kept and shown; nothing here changes how data is kept.
 */
#include <math.h>

#include "model/digit.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/real.h"

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
                    "Valid options are [high, fast].",
                    SLICE_ARG(value));
    if (strcmp(name, "lz4_high_compressor_level") == 0 && (!whole || level < 1 || level > 17))
        return fail(ctx, WR_CONFIG, "Invalid value [%.*s] for parameter '%s'. Value must be between 1 and 17.",
                    SLICE_ARG(value), name);
    if (strcmp(name, "compression_level") == 0 && !whole)
        return fail(
            ctx, WR_CONFIG,
            "ZstdCompressor.create() threw an error: java.lang.NumberFormatException For input string: \"%.*s\"",
            SLICE_ARG(value));
    if (strcmp(name, "compression_level") == 0 && (level < -131072 || level > 22))
        return fail(ctx, WR_CONFIG,
                    "ZstdCompressor.create() threw an error: java.lang.IllegalArgumentException compression_level=%d "
                    "is invalid",
                    level);
    return WR_OK;
}

/* What every compressor has beside its own parameters; *ratio is null where it is not given. */
static enum wr_status chunk_parameters(struct ctx *ctx, const struct string_map *given, int32_t *length,
                                       struct slice *ratio)
{
    struct slice text = string_map_get(given, SLICE_LIT("chunk_length_in_kb"));
    double value;
    *length = 16;
    *ratio = SLICE_NULL;
    if (text.data && !java_int(text, length))
        return fail(ctx, WR_CONFIG, "Invalid value for chunk_length_in_kb");
    if (*length > INT32_MAX / 1024)
        return fail(ctx, WR_CONFIG, "Value of chunk_length_in_kb is too large (%d)", *length);
    text = string_map_get(given, SLICE_LIT("min_compress_ratio"));
    if (!text.data)
        return WR_OK;
    if (!double_parse(text, &value))
        return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: %s", java_no_double(ctx, text));
    if (value != 0 || signbit(value)) {
        struct buf buf;
        buf_init(&buf, ctx->arena);
        double_print(&buf, value);
        return buf_done(ctx, &buf, ratio);
    }
    return WR_OK;
}

static enum wr_status check_compression(struct ctx *ctx, const struct string_map *map)
{
    struct slice chunk = string_map_get(map, SLICE_LIT("chunk_length_in_kb"));
    struct slice ratio = string_map_get(map, SLICE_LIT("min_compress_ratio"));
    int32_t length = 0;
    double value = 0;
    java_int(chunk, &length); /* which it is: chunk_parameters has read it */
    if (length <= 0)
        return fail(ctx, WR_CONFIG, "Invalid negative or null chunk_length_in_kb");
    if (length & (length - 1))
        return fail(ctx, WR_CONFIG, "chunk_length_in_kb must be a power of 2");
    if (!ratio.data || !double_parse(ratio, &value) || isnan(value))
        return WR_OK;
    double longest = ceil(length * 1024.0 / value); /* CompressionParams.calcMaxCompressedLength, to an int */
    if (longest < 0)
        return fail(ctx, WR_CONFIG, "Invalid negative min_compress_ratio");
    if (longest > length * 1024.0 && longest < INT32_MAX)
        return fail(ctx, WR_CONFIG, "min_compress_ratio can either be 0 or greater than or equal to 1");
    return WR_OK;
}

/* In the order in which a HashMap has them that was made for `copied` at once. */
static enum wr_status keys_as_copied(struct ctx *ctx, const struct string_map *map, uint32_t copied, struct slice **out)
{
    TRY(string_map_written(ctx, map, out));
    return java_set_sort(ctx, *out, map->count, copied);
}

/* When the compressor has taken its own: one that is not its. */
static enum wr_status check_parameter_names(struct ctx *ctx, const struct compressor *compressor, const struct string_map *given)
{
    static const char *const common[] = { "class", "enabled", "chunk_length_in_kb", "min_compress_ratio" };
    struct slice *names;
    TRY(keys_as_copied(ctx, given, 0, &names)); /* CompressionParams.copyOptions puts them one by one */
    for (uint32_t i = 0; i < given->count; i++) {
        bool known = false;
        for (size_t c = 0; c < sizeof common / sizeof common[0]; c++)
            known |= slice_eq_str(names[i], common[c]);
        for (int c = 0; compressor->parameters[c]; c++)
            known |= slice_eq_str(names[i], compressor->parameters[c]);
        if (!known)
            return fail(ctx, WR_CONFIG, "Unknown compression options %.*s", SLICE_ARG(names[i]));
    }
    return WR_OK;
}

enum wr_status compression_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out)
{
    static const struct slice off_key[] = { { (const uint8_t *)"enabled", 7 } },
                              off_value[] = { { (const uint8_t *)"false", 5 } };
    struct slice name = string_map_get(given, SLICE_LIT("class")),
                 enabled = string_map_get(given, SLICE_LIT("enabled"));
    struct slice full, ratio;
    bool is_enabled = !enabled.data || java_equals_fold(enabled, "true");
    int32_t chunk_kb;

    if (given->count && is_enabled && !name.data)
        return fail(ctx, WR_CONFIG, "Missing sub-option 'class' for the 'compression' option.");
    if (!is_enabled && given->count > 1)
        return fail(ctx, WR_CONFIG, "If the 'enabled' option is set to false no other options must be specified");
    if (!is_enabled || given->count == 0) {
        *out = (struct string_map){ .keys = off_key, .values = off_value, .count = 1 };
        return WR_OK;
    }
    if (name.len == 0)
        return fail(ctx, WR_CONFIG,
                    "The 'class' option must not be empty. To disable compression use 'enabled' : false");
    TRY(chunk_parameters(ctx, given, &chunk_kb, &ratio));
    TRY(java_class_name(ctx, name, COMPRESSION_PACKAGE, &full));
    const struct compressor *compressor = compressor_of(full);
    if (!compressor && slice_eq_str(full, "java.lang.String"))
        return fail(ctx, WR_CONFIG, "create method not found");
    if (!compressor)
        return fail(ctx, WR_CONFIG, "Could not create Compression for type %.*s", SLICE_ARG(full));

    char *chunk = ctx_format(ctx, "%d", chunk_kb);
    if (!chunk)
        return WR_NOMEM;
    *out = (struct string_map){ .count = 0 };
    TRY(string_map_set(ctx, out, SLICE_LIT("chunk_length_in_kb"), slice_str(chunk), out));
    TRY(string_map_set(ctx, out, SLICE_LIT("class"), full, out));
    if (ratio.data)
        TRY(string_map_set(ctx, out, SLICE_LIT("min_compress_ratio"), ratio, out));
    for (int c = 0; compressor->parameters[c]; c++) {
        struct slice parameter = slice_str(compressor->parameters[c]), value = string_map_get(given, parameter);
        if (!value.data)
            continue;
        TRY(check_compressor_parameter(ctx, compressor->parameters[c], value));
        TRY(string_map_set(ctx, out, parameter, value, out));
    }
    TRY(check_parameter_names(ctx, compressor, given));
    return check_compression(ctx, out);
}

/* ---- caching ---- */

enum wr_status caching_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out)
{
    struct slice keys = string_map_get(given, SLICE_LIT("keys")),
                 rows = string_map_get(given, SLICE_LIT("rows_per_partition"));
    struct slice *names, *unknown = NEW_ARRAY(ctx, struct slice, given->count);
    uint32_t unknown_count = 0;
    int32_t count;
    if (!unknown)
        return WR_NOMEM;
    if (!keys.data)
        keys = SLICE_LIT("NONE");
    else if (!java_equals_fold(keys, "ALL") && !java_equals_fold(keys, "NONE"))
        return fail(ctx, WR_CONFIG,
                    "Invalid value '%.*s' for caching sub-option 'keys': only 'ALL' and 'NONE' are allowed",
                    SLICE_ARG(keys));
    TRY(java_upper(ctx, keys, &keys));
    if (!rows.data)
        rows = SLICE_LIT("NONE");
    if (java_equals_fold(rows, "ALL") || java_equals_fold(rows, "NONE")) {
        TRY(java_upper(ctx, rows, &rows));
    } else {
        if (!java_is_numeric(rows))
            return fail(ctx, WR_CONFIG,
                        "Invalid value '%.*s' for caching sub-option 'rows_per_partition': "
                        "only 'ALL', 'NONE', and integer values are allowed",
                        SLICE_ARG(rows));
        if (!java_int(rows, &count))
            return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: For input string: \"%.*s\"", SLICE_ARG(rows));
        const char *text = count == 0 ? "NONE" : count == INT32_MAX ? "ALL" : ctx_format(ctx, "%d", count); /* rowsPerPartitionAsString */
        if (!text)
            return WR_NOMEM;
        rows = slice_str(text);
    }
    TRY(keys_as_copied(ctx, given, given->count, &names));
    for (uint32_t i = 0; i < given->count; i++)
        if (!slice_eq_str(names[i], "keys") && !slice_eq_str(names[i], "rows_per_partition"))
            unknown[unknown_count++] = names[i];
    if (unknown_count)
        return fail(ctx, WR_CONFIG, "Invalid caching sub-options %s: only 'keys' and 'rows_per_partition' are allowed",
                    string_map_key_list(ctx, unknown, unknown_count));
    *out = (struct string_map){ .count = 0 };
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
    while (digits < given.len && (is_digit(given.data[digits]) || given.data[digits] == '.'))
        digits++;
    struct slice number = slice_of(given.data, digits), unit = slice_skip(given, digits);
    if (!digits || !double_parse(number, &value))
        return RETRY_BAD;
    if (java_equals_fold(unit, "ms")) {
        char *text = ctx_format(ctx, "%dms", value >= INT32_MAX ? INT32_MAX : (int)value);
        *out = slice_str(text ? text : "");
        return RETRY_FIXED;
    }
    if (!java_equals_fold(unit, "p") && !java_equals_fold(unit, "percentile"))
        return RETRY_BAD;
    if (value <= 0 || value >= 100) {
        *out_of_bounds = true;
        return RETRY_BAD;
    }
    char *text = ctx_format(ctx, "%.4f", value); /* DecimalFormat("#.####"): half even of the exact value, a 0 before the point */
    if (!text)
        return RETRY_BAD;
    size_t len = strlen(text);
    while (text[len - 1] == '0')
        len--;
    if (text[len - 1] == '.')
        len--;
    text[len++] = 'p';
    *out = slice_of(text, len);
    return RETRY_PERCENTILE;
}

static enum wr_status retry_bad(struct ctx *ctx, struct slice given)
{
    return fail(ctx, WR_CONFIG, "Invalid value %.*s for option 'speculative_retry'", SLICE_ARG(given));
}

/* `MIN(99p,50ms)`: HybridSpeculativeRetryPolicy lets spaces be around the comma only, and keeps the percentile first, whichever came first. */
static enum wr_status retry_hybrid(struct ctx *ctx, struct slice given, struct slice *out)
{
    struct slice inner = slice_of(given.data + 4, given.len - 5), part[2], text[2];
    const uint8_t *comma = memchr(inner.data, ',', inner.len);
    enum retry_kind kind[2];
    int percentile;
    bool out_of_bounds;
    if (!comma)
        return retry_bad(ctx, given);
    part[0] = slice_of(inner.data, (size_t)(comma - inner.data));
    part[1] = slice_skip(inner, part[0].len + 1);
    while (part[0].len && is_space(part[0].data[part[0].len - 1]))
        part[0].len--;
    while (part[1].len && is_space(part[1].data[0]))
        part[1] = slice_skip(part[1], 1);
    for (int i = 0; i < 2; i++)
        if ((kind[i] = retry_atom(ctx, part[i], &text[i], &out_of_bounds)) == RETRY_BAD)
            return retry_bad(ctx, given);
    if (kind[0] == kind[1])
        return fail(
            ctx, WR_CONFIG,
            "Invalid value %.*s for option 'speculative_retry': MIN()/MAX() arguments should be of different types, "
            "but both are of type %s",
            SLICE_ARG(given), kind[0] == RETRY_FIXED ? "FIXED" : "PERCENTILE");
    percentile = kind[0] == RETRY_PERCENTILE ? 0 : 1;
    char *whole = ctx_format(ctx, "%s(%.*s,%.*s)", java_equals_fold(slice_of(given.data, 3), "MIN") ? "MIN" : "MAX",
                             SLICE_ARG(text[percentile]), SLICE_ARG(text[!percentile]));
    if (!whole)
        return WR_NOMEM;
    *out = slice_str(whole);
    return WR_OK;
}

enum wr_status retry_parse(struct ctx *ctx, struct slice given, struct slice *out)
{
    bool out_of_bounds;
    if (java_equals_fold(given, "ALWAYS")) {
        *out = SLICE_LIT("ALWAYS");
        return WR_OK;
    }
    if (java_equals_fold(given, "NEVER") || java_equals_fold(given, "NONE")) {
        *out = SLICE_LIT("NEVER");
        return WR_OK;
    }
    if (given.len > 5 && given.data[given.len - 1] == ')' && given.data[3] == '(' &&
        (java_equals_fold(slice_of(given.data, 3), "MIN") || java_equals_fold(slice_of(given.data, 3), "MAX")))
        return retry_hybrid(ctx, given, out);
    if (retry_atom(ctx, given, out, &out_of_bounds) != RETRY_BAD)
        return WR_OK;
    if (out_of_bounds)
        return fail(ctx, WR_CONFIG,
                    "Invalid value %.*s for PERCENTILE option 'speculative_retry': must be between (0.0 and 100.0)",
                    SLICE_ARG(given));
    return retry_bad(ctx, given);
}
