/*
 * Compaction's sub-options. Widerow has no sstables, so nothing here changes how data is kept: the values are checked
 * as a cluster would, kept and shown.
 */
#include <math.h>

#include "model/digit.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/real.h"

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

enum check { ANY, BOOLEAN, FALSE_ONLY, WORD, WORD_FOLDED, REAL, INT, LONG, GROWTH, SIZE, SIZE_LONG, SIZE_MIN, SCALING };

#define NOT_AN_INT  "%.*s is not a parsable int (base10) for %s"
#define NOT_A_LONG  "%.*s is not a parsable long (base10) for %s"
#define TARGET_SIZE "target_sstable_size"

/* In the order in which they are looked at. */
static const struct sub_option {
    unsigned strategies;
    const char *name;
    enum check check;
    const char *bad; /* the message; of the value and the name, in this order or, with name_first, the other */
    const char
        *below; /* the message for what is below min; of the name and the number; with value_first, the other order */
    int64_t min;
    bool name_first, value_first;
    const char *words[5]; /* up to a NULL */
    const char *blames;   /* a bad value's message shows this option's instead, or 1 (LeveledCompactionStrategy.validateOptions) */
} sub_options[] = {
    { ALL, "tombstone_threshold", REAL, .bad = NOT_AN_INT, .below = "%s must be greater than 0, but was %s" },
    { ALL, "tombstone_compaction_interval", LONG, .bad = NOT_AN_INT,
      .below = "%s must be greater than 0, but was %lld" },
    { ALL, "unchecked_tombstone_compaction", BOOLEAN, .bad = "'%s' should be either 'true' or 'false', not '%.*s'",
      .name_first = true },
    { ALL, "log_all", BOOLEAN, .bad = "'%s' should either be 'true' or 'false', not %.*s", .name_first = true },
    { ALL, "enabled", BOOLEAN, .bad = "%s should either be 'true' or 'false', not %.*s", .name_first = true },
    { ALL, "only_purge_repaired_tombstones", ANY, .min = 0 },
    { ALL, "provide_overlapping_tombstones", ANY, .min = 0 },
    { STCS | LCS | TWCS, "min_threshold", ANY, .min = 0 },
    { STCS | LCS | TWCS, "max_threshold", ANY, .min = 0 },
    { LCS, "sstable_size_in_mb", INT, .bad = NOT_AN_INT, .below = "%s must be larger than 0, but was %lld",
      .min = 1 },
    { LCS, "fanout_size", INT, .bad = NOT_AN_INT, .below = "%s must be larger than 0, but was %lld", .min = 1,
      .blames = "sstable_size_in_mb" },
    { LCS, "single_sstable_uplevel", ANY, .min = 0 },
    { TWCS, "timestamp_resolution", WORD, .bad = "%.*s is not valid for %s",
      .words = { "MICROSECONDS", "MILLISECONDS", "SECONDS", "NANOSECONDS" } },
    { TWCS, "compaction_window_unit", WORD, .bad = "%.*s is not valid for %s",
      .words = { "MINUTES", "HOURS", "DAYS" } },
    { TWCS, "compaction_window_size", INT, .bad = NOT_AN_INT, .below = "%lld must be greater than 1 for %s", .min = 1,
      .value_first = true },
    { TWCS, "expired_sstable_check_frequency_seconds", LONG, .bad = NOT_AN_INT,
      .below = "%s must not be negative, but was %lld" },
    { TWCS, "unsafe_aggressive_sstable_expiration", FALSE_ONLY, .bad = "%s is not 'true' or 'false' (%.*s)", .name_first = true },
    { STCS | LCS | TWCS, "min_sstable_size", LONG, .bad = NOT_AN_INT, .below = "%s must be non negative: %lld" },
    { STCS | LCS | TWCS, "bucket_low", REAL, .bad = "%.*s is not a parsable float for %s", .min = INT64_MIN },
    { STCS | LCS | TWCS, "bucket_high", REAL, .bad = "%.*s is not a parsable float for %s", .min = INT64_MIN },
    { UCS, "scaling_parameters", SCALING, .min = 0 },
    { UCS, "base_shard_count", INT, .bad = NOT_AN_INT, .below = "Invalid configuration, %s should be positive: %lld",
      .min = 1 },
    { UCS, TARGET_SIZE, SIZE, .min = 1 << 20 },
    { UCS, "flush_size_override", SIZE_LONG, .min = 1 << 20 },
    { UCS, "max_sstables_to_compact", INT, .bad = NOT_AN_INT, .min = INT64_MIN },
    { UCS, "expired_sstable_check_frequency_seconds", LONG, .bad = NOT_A_LONG,
      .below = "Invalid configuration, %s should be positive: %lld", .min = 1 },
    { UCS, "unsafe_aggressive_sstable_expiration", BOOLEAN, .bad = "%s should either be 'true' or 'false', not %.*s",
      .name_first = true },
    { UCS, "overlap_inclusion_method", WORD_FOLDED,
      .bad = "Invalid overlap inclusion method %.*s. The valid options are [NONE, SINGLE, TRANSITIVE].",
      .words = { "NONE", "SINGLE", "TRANSITIVE" } },
    { UCS, "min_sstable_size", SIZE_MIN, .min = 0 },
    { UCS, "sstable_growth", GROWTH, .min = 0 },
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

bool compaction_is_by_time(const struct string_map *compaction)
{
    const struct strategy *s = strategy_of(string_map_get(compaction, SLICE_LIT("class")));
    return s && s->bit == TWCS;
}

enum wr_status compaction_parse(struct ctx *ctx, const struct string_map *given, struct string_map *out)
{
    struct slice name = string_map_get(given, SLICE_LIT("class")), full, tombstones;
    if (slice_is_null(name))
        return fail(ctx, WR_CONFIG, "Missing sub-option 'class' for the 'compaction' option");
    TRY(java_class_name(ctx, name, COMPACTION_PACKAGE, &full));
    const struct strategy *strategy = strategy_of(full);
    if (!strategy && slice_eq_str(full, "java.lang.String"))
        return fail(ctx, WR_CONFIG,
                    "Compaction strategy class java.lang.String is not derived from AbstractReplicationStrategy");
    if (!strategy)
        return fail(ctx, WR_CONFIG, "Unable to find compaction strategy class '%.*s'", SLICE_ARG(full));
    tombstones = string_map_get(given, SLICE_LIT("provide_overlapping_tombstones"));
    if (tombstones.data) {
        TRY(java_upper(ctx, tombstones, &tombstones));
        if (!slice_eq_str(tombstones, "NONE") && !slice_eq_str(tombstones, "ROW") && !slice_eq_str(tombstones, "CELL"))
            return fail(ctx, WR_CONFIG,
                        "Invalid value %.*s for 'provide_overlapping_tombstones' compaction sub-option - "
                        "must be one of the following [NONE, ROW, CELL].",
                        SLICE_ARG(tombstones));
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
    if (o->name_first)
        return fail(ctx, WR_CONFIG, o->bad, o->name, SLICE_ARG(value));
    return fail(ctx, WR_CONFIG, o->bad, SLICE_ARG(value), o->name);
}

/* How many characters at the beginning are [+-]?\d+(\.\d+)?([eE][+-]?\d+)?, NaN or Infinity. */
static size_t number_length(struct slice text)
{
    size_t sign = text.len && (text.data[0] == '+' || text.data[0] == '-'), at, digits;
    if (slice_has_prefix(text, SLICE_LIT("NaN")))
        return strlen("NaN");
    if (slice_has_prefix(slice_skip(text, sign), SLICE_LIT("Infinity")))
        return sign + strlen("Infinity");
    for (at = sign; at < text.len && is_digit(text.data[at]); at++)
        ;
    if (at == sign)
        return 0;
    for (digits = at + 1; at < text.len && text.data[at] == '.' && digits < text.len && is_digit(text.data[digits]); digits++)
        ;
    if (digits > at + 1)
        at = digits;
    size_t power = at + 1;
    if (power < text.len && (text.data[power] == '+' || text.data[power] == '-'))
        power++;
    for (digits = power; at < text.len && (text.data[at] | 0x20) == 'e' && digits < text.len && is_digit(text.data[digits]); digits++)
        ;
    return digits > power ? digits : at;
}

/* FBUtilities.parseHumanReadable: `1.5 GiB`, `500MB`; what is wrong with it, or NULL. */
static const char *read_size(struct ctx *ctx, struct slice text, double *out)
{
    static const char prefixes[] = "qryzafpnum KMGTPEZYRQ";
    static const int one = 10; /* the place of the prefix that is none */
    struct slice number = slice_of(text.data, number_length(text));
    size_t at = number.len, end = text.len - 1;

    if (!text.len || text.data[end] != 'B')
        return ctx_format(ctx, "%.*s does not end in unit B", SLICE_ARG(text));
    if (!number.len || !double_parse(number, out))
        return "null";
    while (at < end && is_space(text.data[at]))
        at++;
    const char *prefix = at < end ? memchr(prefixes, text.data[at], sizeof prefixes - 1) : NULL;
    if (prefix && at + 1 < end && text.data[at + 1] == 'i') {
        *out = ldexp(*out, 10 * ((int)(prefix - prefixes) - one));
        at += 2;
    } else if (prefix) {
        *out *= pow(1000, (int)(prefix - prefixes) - one);
        at++;
    }
    return at == end ? NULL : ctx_format(ctx, "Unexpected characters between pos %zu and %zu in %.*s", at, end, SLICE_ARG(text));
}

/* Java's cast to a long. */
static double long_of(double number)
{
    return isnan(number) ? 0 : fmax(-0x1p63, fmin(0x1p63, trunc(number)));
}

static enum wr_status check_size(struct ctx *ctx, const struct sub_option *o, struct slice value, bool as_long)
{
    double size;
    const char *bad = read_size(ctx, value, &size);
    if (bad)
        return fail(ctx, WR_CONFIG, "%s %.*s is not a valid size in bytes: %s", o->name, SLICE_ARG(value), bad);
    size = as_long ? long_of(size) : size;
    if (size < (double)o->min)
        return fail(ctx, WR_CONFIG, "%s %.*s is not acceptable, size must be at least 1.000MiB", o->name, SLICE_ARG(value));
    if (size >= (double)INT64_MAX && !as_long)
        return fail(ctx, WR_CONFIG, "%s %.*s is out of range of Long.", o->name, SLICE_ARG(value));
    return WR_OK;
}

/* FBUtilities.prettyPrintMemory */
static const char *size_text(struct ctx *ctx, double size)
{
    static const char units[] = "KMGTPE";
    int unit = -1;
    while (size >= 1024 && units[unit + 1]) {
        size /= 1024;
        unit++;
    }
    const char *text = unit < 0 ? ctx_format(ctx, "%.0fB", size) : ctx_format(ctx, "%.3f%ciB", size, units[unit]);
    return text ? text : "";
}

/* Beside the size that tables are to have, which has been looked at. */
static enum wr_status check_size_min(struct ctx *ctx, const struct sub_option *o, const struct string_map *map, struct slice value)
{
    struct slice given = string_map_get(map, SLICE_LIT(TARGET_SIZE));
    double size, target = 1 << 30;
    if (read_size(ctx, value, &size))
        return fail(ctx, WR_CONFIG, "%.*s is not a valid size in bytes for %s", SLICE_ARG(value), o->name);
    size = long_of(size);
    if (size < 0)
        return fail(ctx, WR_CONFIG, "Invalid configuration, %s should be greater than or equal to 0 (zero)", o->name);
    if (given.data)
        read_size(ctx, given, &target);
    if (size >= target * M_SQRT1_2)
        return fail(ctx, WR_CONFIG, "Invalid configuration, %s (%s) should be less than 70%% of the targetSSTableSize (%s)", o->name,
                    size_text(ctx, size), size_text(ctx, target));
    return WR_OK;
}

static bool is_digits(struct slice text)
{
    size_t count = 0;
    while (count < text.len && is_digit(text.data[count]))
        count++;
    return count && count == text.len;
}

/* One of N|L[0-9]+|T[0-9]+|[+-]?[0-9]+. */
static enum wr_status check_scaling_word(struct ctx *ctx, struct slice word)
{
    bool letter = word.len && (word.data[0] == 'L' || word.data[0] == 'T');
    bool sign = word.len && (word.data[0] == '+' || word.data[0] == '-');
    struct slice number = slice_skip(word, letter);
    int32_t factor;

    if (slice_eq_str(word, "N"))
        return WR_OK;
    if (!is_digits(slice_skip(word, letter || sign)))
        return fail(ctx, WR_CONFIG, "Scaling parameter %.*s must match N|L[0-9]+|T[0-9]+|[+-]?[0-9]+", SLICE_ARG(word));
    if (!java_int(number, &factor))
        return fail(ctx, WR_CONFIG,
                    COMPACTION_PACKAGE ".UnifiedCompactionStrategy.validateOptions() threw an error: "
                    "java.lang.NumberFormatException For input string: \"%.*s\"",
                    SLICE_ARG(number));
    if (letter && factor < 2)
        return fail(ctx, WR_CONFIG, "Fan factor cannot be lower than 2 in %.*s", SLICE_ARG(word));
    return WR_OK;
}

/* Words between commas; as String.split leaves them: commas at the end separate nothing, and of commas alone there is no word. */
static enum wr_status check_scaling(struct ctx *ctx, struct slice value)
{
    bool none = value.len;
    while (value.len && value.data[value.len - 1] == ',')
        value.len--;
    none = none && !value.len;
    for (size_t at = 0; !none && at <= value.len;) {
        const uint8_t *comma = memchr(value.data + at, ',', value.len - at);
        size_t end = comma ? (size_t)(comma - value.data) : value.len;
        TRY(check_scaling_word(ctx, java_trim(slice_of(value.data + at, end - at))));
        at = end + 1;
    }
    return WR_OK;
}

static enum wr_status check_word(struct ctx *ctx, const struct sub_option *o, struct slice value, bool fold)
{
    for (int i = 0; o->words[i]; i++)
        if (fold ? java_equals_fold(value, o->words[i]) : slice_eq_str(value, o->words[i]))
            return WR_OK;
    return bad_value(ctx, o, value);
}

static enum wr_status check_whole(struct ctx *ctx, const struct sub_option *o, const struct string_map *map, struct slice value)
{
    int64_t whole;
    if (!java_long(value, &whole) || (o->check == INT && (whole > INT32_MAX || whole < INT32_MIN))) {
        struct slice shown = o->blames ? string_map_get(map, slice_str(o->blames)) : value;
        return bad_value(ctx, o, shown.data ? shown : SLICE_LIT("1"));
    }
    if (!o->below || whole >= o->min)
        return WR_OK;
    if (o->value_first)
        return fail(ctx, WR_CONFIG, o->below, (long long)whole, o->name);
    return fail(ctx, WR_CONFIG, o->below, o->name, (long long)whole);
}

/* `0.333` or `33.3 %` (FBUtilities.parsePercent). */
static enum wr_status check_growth(struct ctx *ctx, const struct sub_option *o, struct slice value)
{
    struct slice number = java_trim(value);
    bool percent = number.len && number.data[number.len - 1] == '%';
    double growth;
    number.len -= percent;
    if (!double_parse(number, &growth))
        return fail(ctx, WR_CONFIG, "%s is not a valid number between 0 and 1: %s", o->name, java_no_double(ctx, number));
    growth /= percent ? 100 : 1;
    if (growth < 0 || growth > 1)
        return fail(ctx, WR_CONFIG, "%s %.*s must be between 0 and 1", o->name, SLICE_ARG(value));
    return WR_OK;
}

/* A server reads and shows it as a float. */
static const char *float_text(struct ctx *ctx, float v)
{
    const char *text = isinf(v) ? "-Infinity" : ctx_format(ctx, "%f", (double)v);
    return text ? text : "";
}

static enum wr_status check_sub_option(struct ctx *ctx, const struct sub_option *o, const struct string_map *map, struct slice value)
{
    double real;
    switch (o->check) {
    case ANY:
        return WR_OK;
    case BOOLEAN:
    case FALSE_ONLY:
        if (!java_equals_fold(value, "true") && !java_equals_fold(value, "false"))
            return bad_value(ctx, o, value);
        if (o->check == FALSE_ONLY && java_equals_fold(value, "true"))
            return fail(ctx, WR_CONFIG,
                        "%s is requested but not allowed, restart cassandra with -Dcassandra.allow_%s=true to allow it", o->name, o->name);
        return WR_OK;
    case WORD:
    case WORD_FOLDED:
        return check_word(ctx, o, value, o->check == WORD_FOLDED);
    case REAL:
        if (!double_parse(value, &real))
            return bad_value(ctx, o, value);
        if (!o->below || !(real < (double)o->min))
            return WR_OK;
        return fail(ctx, WR_CONFIG, o->below, o->name, float_text(ctx, (float)real));
    case INT:
    case LONG:
        return check_whole(ctx, o, map, value);
    case GROWTH:
        return check_growth(ctx, o, value);
    case SIZE:
    case SIZE_LONG:
        return check_size(ctx, o, value, o->check == SIZE_LONG);
    case SIZE_MIN:
        return check_size_min(ctx, o, map, value);
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
    if (!(high <= low)) /* of what is no number too */
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
    struct slice texts[2];
    int32_t values[2];
    for (int i = 0; i < 2; i++) {
        texts[i] = string_map_get(map, slice_str(names[i]));
        if (!java_is_numeric(texts[i]))
            return fail(ctx, WR_CONFIG, "Invalid value %.*s for '%s' compaction sub-option - must be an integer",
                        SLICE_ARG(texts[i]), names[i]);
    }
    for (int i = 0; i < 2; i++)
        if (!java_int(texts[i], &values[i]))
            return fail(ctx, WR_SERVER_ERROR, "java.lang.NumberFormatException: For input string: \"%.*s\"",
                        SLICE_ARG(texts[i]));
    if (values[0] <= 0 || values[1] <= 0)
        return fail(ctx, WR_CONFIG,
                    "Disabling compaction by setting compaction thresholds to 0 has been removed, "
                    "set the compaction option 'enabled' to false instead.");
    if (values[0] <= 1)
        return fail(ctx, WR_CONFIG, "Min compaction threshold cannot be less than 2 (got %d)", values[0]);
    if (values[0] > values[1])
        return fail(ctx, WR_CONFIG,
                    "Min compaction threshold (got %d) cannot be greater than max compaction threshold (got %d)",
                    values[0], values[1]);
    return WR_OK;
}

enum wr_status compaction_check(struct ctx *ctx, const struct string_map *map)
{
    const struct strategy *strategy = strategy_of(string_map_get(map, SLICE_LIT("class")));
    struct slice *unknown = NEW_ARRAY(ctx, struct slice, map->count), *names;
    uint32_t name_count = 0, unknown_count = 0;
    if (!unknown)
        return WR_NOMEM;
    if (!strategy)
        return fail_corrupt(ctx, "compaction class");
    for (int i = 0; i < SUB_OPTION_COUNT; i++) {
        struct slice value = string_map_get(map, slice_str(sub_options[i].name));
        if ((sub_options[i].strategies & strategy->bit) && value.data)
            TRY(check_sub_option(ctx, &sub_options[i], map, value));
    }
    if (strategy->bit & (STCS | LCS | TWCS))
        TRY(check_buckets(ctx, map));
    TRY(string_map_written(ctx, map, &names));
    for (uint32_t k = 0; k < map->count; k++)
        if (!slice_eq_str(names[k], "class"))
            names[name_count++] = names[k];
    TRY(java_set_sort(ctx, names, name_count, name_count)); /* what is left of a copy */
    for (uint32_t k = 0; k < name_count; k++) {
        bool known = false;
        for (int i = 0; i < SUB_OPTION_COUNT && !known; i++)
            known = (sub_options[i].strategies & strategy->bit) && slice_eq_str(names[k], sub_options[i].name);
        if (!known)
            unknown[unknown_count++] = names[k];
    }
    if (unknown_count)
        return fail(ctx, WR_CONFIG, "Properties specified %s are not understood by %s",
                    string_map_key_list(ctx, unknown, unknown_count), strategy->name);
    return strategy->thresholds ? check_thresholds(ctx, map) : WR_OK;
}
