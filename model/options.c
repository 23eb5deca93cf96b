#include "model/options.h"

#include <stddef.h>

#include "model/javatext.h"
#include "model/real.h"

/* ---- any statement's properties ---- */

const struct ast_property *property_find(const struct ast_property *properties, const char *name)
{
    for (const struct ast_property *p = properties; p; p = p->next)
        if (slice_eq_str(p->name, name))
            return p;
    return NULL;
}

static enum wr_status property_text(struct ctx *ctx, const struct ast_property *p, struct slice *out)
{
    if (p->is_map)
        return fail(ctx, WR_SYNTAX, "Invalid value for property '%.*s'. It should be a string", SLICE_ARG(p->name));
    *out = p->value;
    return WR_OK;
}

enum wr_status property_map(struct ctx *ctx, const struct ast_property *p, struct string_map *out)
{
    if (!p->is_map)
        return fail(ctx, WR_SYNTAX, "Invalid value for property '%.*s'. It should be a map.", SLICE_ARG(p->name));
    return string_map_from_pairs(ctx, p->pairs, out);
}

static bool is_any_of(struct slice text, const char *const words[3])
{
    return java_equals_fold(text, words[0]) || java_equals_fold(text, words[1]) || java_equals_fold(text, words[2]);
}

enum wr_status property_bool(struct ctx *ctx, const struct ast_property *p, bool *out)
{
    static const char *const yes[] = { "1", "true", "yes" }, *const no[] = { "0", "false", "no" };
    struct slice text;
    TRY(property_text(ctx, p, &text));
    if (!is_any_of(text, yes) && !is_any_of(text, no))
        return fail(ctx, WR_SYNTAX,
                    "Invalid boolean value %.*s for '%.*s'. Positive values can be '1', 'true' or 'yes'. "
                    "Negative values can be '0', 'false' or 'no'.",
                    SLICE_ARG(text), SLICE_ARG(p->name));
    *out = is_any_of(text, yes);
    return WR_OK;
}

enum wr_status properties_known(struct ctx *ctx, const struct ast_property *properties, bool (*known)(struct slice name))
{
    uint32_t count = 0, i = 0;
    for (const struct ast_property *p = properties; p; p = p->next)
        count++;
    struct slice *names = NEW_ARRAY(ctx, struct slice, count);
    if (!names)
        return WR_NOMEM;
    for (const struct ast_property *p = properties; p; p = p->next)
        names[i++] = p->name;
    TRY(java_set_sort(ctx, names, count, 0));
    for (i = 0; i < count; i++)
        if (!known(names[i]))
            return fail(ctx, WR_SYNTAX, "Unknown property '%.*s'", SLICE_ARG(names[i]));
    return WR_OK;
}

/* ---- the table of table options ---- */

#define MAP(list, of)                                                                                                  \
    {                                                                                                                  \
        .keys = list, .values = of, .count = sizeof list / sizeof list[0]                                              \
    }
#define TEXT_INIT(text)                                                                                                \
    {                                                                                                                  \
        (const uint8_t *)(text), sizeof(text) - 1                                                                      \
    }

static const struct slice caching_keys[] = { TEXT_INIT("keys"), TEXT_INIT("rows_per_partition") };
static const struct slice caching_values[] = { TEXT_INIT("ALL"), TEXT_INIT("NONE") };
static const struct slice compaction_keys[] = { TEXT_INIT("class"), TEXT_INIT("max_threshold"),
                                                TEXT_INIT("min_threshold") };
static const struct slice compaction_values[] = {
    TEXT_INIT("org.apache.cassandra.db.compaction.SizeTieredCompactionStrategy"), TEXT_INIT("32"), TEXT_INIT("4")
};
static const struct slice compression_keys[] = { TEXT_INIT("chunk_length_in_kb"), TEXT_INIT("class") };
static const struct slice compression_values[] = { TEXT_INIT("16"),
                                                   TEXT_INIT("org.apache.cassandra.io.compress.LZ4Compressor") };

const struct table_options table_options_default = {
    .additional_write_policy = TEXT_INIT("99p"),
    .comment = TEXT_INIT(""),
    .memtable = TEXT_INIT("default"),
    .read_repair = TEXT_INIT("BLOCKING"),
    .speculative_retry = TEXT_INIT("99p"),
    .caching = MAP(caching_keys, caching_values),
    .compaction = MAP(compaction_keys, compaction_values),
    .compression = MAP(compression_keys, compression_values),
    .extensions = { .count = 0 },
    .bloom_filter_fp_chance = 0.01,
    .crc_check_chance = 1.0,
    .default_time_to_live = 0,
    .gc_grace_seconds = 864000,
    .max_index_interval = 2048,
    .memtable_flush_period_in_ms = 0,
    .min_index_interval = 128,
    .cdc = false,
    .allow_auto_snapshot = true,
    .incremental_backups = true,
};

static enum wr_status memtable_parse(struct ctx *ctx, struct slice given, struct slice *out)
{
    if (!slice_eq_str(given, "default"))
        return fail(ctx, WR_CONFIG, "Memtable configuration \"%.*s\" not found.", SLICE_ARG(given));
    *out = given;
    return WR_OK;
}

static enum wr_status read_repair_parse(struct ctx *ctx, struct slice given, struct slice *out)
{
    struct slice upper;
    TRY(java_upper(ctx, given, &upper));
    if (!slice_eq_str(upper, "BLOCKING") && !slice_eq_str(upper, "NONE"))
        return fail(ctx, WR_SERVER_ERROR, /* ReadRepairStrategy.fromString lets the enum throw */
                    "java.lang.IllegalArgumentException: No enum constant "
                    "org.apache.cassandra.service.reads.repair.ReadRepairStrategy.%.*s",
                    SLICE_ARG(upper));
    *out = upper;
    return WR_OK;
}

struct option_spec {
    struct option option;
    int8_t rank; /* when TableAttributes.build reads it; the first bad value is the one reported */
    enum wr_status (*parse_text)(struct ctx *ctx, struct slice given, struct slice *out);
    enum wr_status (*parse_map)(struct ctx *ctx, const struct string_map *given, struct string_map *out);
    bool ignored; /* accepted, and left as it is */
};

#define AT(field) offsetof(struct table_options, field)

/* clang-format off */
/* In order of DESCRIBE. */
static const struct option_spec specs[] = {
    { { "additional_write_policy", OPTION_TEXT, 1, AT(additional_write_policy) }, 14, retry_parse, NULL, false },
    { { "allow_auto_snapshot", OPTION_BOOL, 2, AT(allow_auto_snapshot) }, 0, NULL, NULL, false },
    { { "bloom_filter_fp_chance", OPTION_DOUBLE, 3, AT(bloom_filter_fp_chance) }, 1, NULL, NULL, false },
    { { "caching", OPTION_MAP, 4, AT(caching) }, 2, NULL, caching_parse, false },
    { { "cdc", OPTION_BOOL, 5, AT(cdc) }, 16, NULL, NULL, false },
    { { "comment", OPTION_TEXT, 6, AT(comment) }, 3, NULL, NULL, false },
    { { "compaction", OPTION_MAP, 7, AT(compaction) }, 4, NULL, compaction_parse, false },
    { { "compression", OPTION_MAP, 8, AT(compression) }, 5, NULL, compression_parse, false },
    { { "memtable", OPTION_TEXT, 9, AT(memtable) }, 6, memtable_parse, NULL, false },
    { { "crc_check_chance", OPTION_DOUBLE, 10, AT(crc_check_chance) }, 15, NULL, NULL, false },
    { { "default_time_to_live", OPTION_INT, 11, AT(default_time_to_live) }, 7, NULL, NULL, false },
    { { "extensions", OPTION_MAP, 12, AT(extensions) }, 0, NULL, NULL, true },
    { { "gc_grace_seconds", OPTION_INT, 13, AT(gc_grace_seconds) }, 8, NULL, NULL, false },
    { { "incremental_backups", OPTION_BOOL, 14, AT(incremental_backups) }, 9, NULL, NULL, false },
    { { "max_index_interval", OPTION_INT, 15, AT(max_index_interval) }, 10, NULL, NULL, false },
    { { "memtable_flush_period_in_ms", OPTION_INT, 16, AT(memtable_flush_period_in_ms) }, 11, NULL, NULL, false },
    { { "min_index_interval", OPTION_INT, 17, AT(min_index_interval) }, 12, NULL, NULL, false },
    { { "read_repair", OPTION_TEXT, 18, AT(read_repair) }, 17, read_repair_parse, NULL, false },
    { { "speculative_retry", OPTION_TEXT, 19, AT(speculative_retry) }, 13, retry_parse, NULL, false },
};
/* clang-format on */
enum { SPEC_COUNT = sizeof specs / sizeof specs[0], RANK_MAX = 17 };

const struct option *option_at(uint32_t i)
{
    return i < SPEC_COUNT ? &specs[i].option : NULL;
}

const struct option *option_by_code(uint8_t code)
{
    for (uint32_t i = 0; i < SPEC_COUNT; i++)
        if (specs[i].option.code == code)
            return &specs[i].option;
    return NULL;
}

static enum wr_status read_value(struct ctx *ctx, const struct option_spec *spec, const struct ast_property *p,
                                 void *field)
{
    struct string_map map;
    struct slice text;
    switch (spec->option.kind) {
    case OPTION_BOOL:
        return property_bool(ctx, p, field);
    case OPTION_DOUBLE:
        TRY(property_text(ctx, p, &text));
        if (!double_parse(text, field))
            return fail(ctx, WR_SYNTAX, "Invalid double value %.*s for '%s'", SLICE_ARG(text), spec->option.name);
        return WR_OK;
    case OPTION_INT:
        TRY(property_text(ctx, p, &text));
        if (!java_int(text, field))
            return fail(ctx, WR_SYNTAX, "Invalid integer value %.*s for '%s'", SLICE_ARG(text), spec->option.name);
        return WR_OK;
    case OPTION_MAP:
        TRY(property_map(ctx, p, &map));
        return spec->parse_map(ctx, &map, field);
    case OPTION_TEXT:
        TRY(property_text(ctx, p, &text));
        if (spec->parse_text)
            return spec->parse_text(ctx, text, field);
        *(struct slice *)field = text;
        return WR_OK;
    }
    return WR_OK;
}

/* The text of a number as Java prints it. */
static const char *double_text(struct ctx *ctx, double v)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    double_print(&buf, v);
    return buf_string(ctx, &buf);
}

/* TableParams.validate, in its order. */
static enum wr_status check_values(struct ctx *ctx, const struct table_options *o)
{
    TRY(compaction_check(ctx, &o->compaction));
    if (o->bloom_filter_fp_chance <= 6.71E-5 || o->bloom_filter_fp_chance > 1)
        return fail(ctx, WR_CONFIG,
                    "bloom_filter_fp_chance must be larger than 6.71E-5 and less than or equal to 1.0 (got %s)",
                    double_text(ctx, o->bloom_filter_fp_chance));
    if (o->crc_check_chance < 0 || o->crc_check_chance > 1)
        return fail(ctx, WR_CONFIG,
                    "crc_check_chance must be larger than or equal to 0 and smaller than or equal to 1.0 (got %s)",
                    double_text(ctx, o->crc_check_chance));
    if (o->default_time_to_live > TTL_MAX_S)
        return fail(ctx, WR_CONFIG, "default_time_to_live must be less than or equal to %d (got %d)", TTL_MAX_S,
                    o->default_time_to_live);
    const struct {
        const char *name;
        int32_t value, min;
    } at_least[] = {
        { "default_time_to_live", o->default_time_to_live, 0 },
        { "gc_grace_seconds", o->gc_grace_seconds, 0 },
        { "min_index_interval", o->min_index_interval, 1 },
    };
    for (size_t i = 0; i < sizeof at_least / sizeof at_least[0]; i++)
        if (at_least[i].value < at_least[i].min)
            return fail(ctx, WR_CONFIG, "%s must be greater than or equal to %d (got %d)", at_least[i].name,
                        at_least[i].min, at_least[i].value);
    if (o->max_index_interval < o->min_index_interval)
        return fail(ctx, WR_CONFIG,
                    "max_index_interval must be greater than or equal to min_index_interval (%d) (got %d)",
                    o->min_index_interval, o->max_index_interval);
    if (o->memtable_flush_period_in_ms < 0)
        return fail(ctx, WR_CONFIG, "memtable_flush_period_in_ms must be greater than or equal to 0 (got %d)",
                    o->memtable_flush_period_in_ms);
    return WR_OK;
}

/* TableParams.Builder: leveled compaction has one of its own. */
static double default_fp_chance(const struct string_map *compaction)
{
    return compaction_is_leveled(compaction) ? 0.1 : table_options_default.bloom_filter_fp_chance;
}

enum wr_status options_read(struct ctx *ctx, const struct ast_property *properties, bool create,
                            struct table_options *options)
{
    for (int rank = 0; rank <= RANK_MAX; rank++)
        for (uint32_t i = 0; i < SPEC_COUNT; i++) {
            const struct ast_property *given = property_find(properties, specs[i].option.name);
            if (given && specs[i].rank == rank && !specs[i].ignored)
                TRY(read_value(ctx, &specs[i], given, (char *)options + specs[i].option.offset));
        }
    bool asked = options->bloom_filter_fp_chance == -1; /* for the default */
    if (asked || (create && !property_find(properties, "bloom_filter_fp_chance") && compaction_is_leveled(&options->compaction)))
        options->bloom_filter_fp_chance = default_fp_chance(&options->compaction);
    return WR_OK;
}

static bool is_table_option(struct slice name)
{
    bool is = slice_eq_str(name, "id");
    for (uint32_t i = 0; i < SPEC_COUNT && !is; i++)
        is = slice_eq_str(name, specs[i].option.name);
    return is;
}

enum wr_status options_check(struct ctx *ctx, const struct ast_property *properties)
{
    struct table_options given = table_options_default;

    TRY(properties_known(ctx, properties, is_table_option));
    TRY(options_read(ctx, properties, false, &given));
    return check_values(ctx, &given);
}

enum wr_status options_table_id(struct ctx *ctx, const struct ast_property *properties, bool *has, uint8_t id[16])
{
    const struct ast_property *p = property_find(properties, "id");
    struct slice text, bytes;
    *has = p != NULL;
    if (!p)
        return WR_OK;
    TRY(property_text(ctx, p, &text));
    if (literal_from_string(ctx, type_native(TYPE_UUID), text, &bytes) != WR_OK || bytes.len != 16)
        return fail(ctx, WR_CONFIG, "Invalid table id");
    memcpy(id, bytes.data, 16);
    return WR_OK;
}

static void print_value(struct buf *buf, enum option_kind kind, const void *field)
{
    switch (kind) {
    case OPTION_BOOL:
        buf_put_str(buf, *(const bool *)field ? "true" : "false");
        break;
    case OPTION_DOUBLE:
        double_print(buf, *(const double *)field);
        break;
    case OPTION_INT:
        buf_printf(buf, "%d", *(const int32_t *)field);
        break;
    case OPTION_MAP:
        string_map_print(buf, field);
        break;
    case OPTION_TEXT:
        cql_put_string(buf, *(const struct slice *)field);
        break;
    }
}

static const void *value_of(const struct option *option, const struct table_options *options)
{
    return (const char *)options + option->offset;
}

void option_print(struct buf *buf, const struct option *option, const struct table_options *options)
{
    print_value(buf, option->kind, value_of(option, options));
}

bool option_is_new_tables(struct arena *arena, const struct option *option, const struct table_options *options)
{
    struct table_options fresh = table_options_default;
    struct buf is, was;
    fresh.bloom_filter_fp_chance = default_fp_chance(&options->compaction);
    buf_init(&is, arena);
    buf_init(&was, arena);
    option_print(&is, option, options);
    option_print(&was, option, &fresh);
    return !is.failed && !was.failed && slice_eq(buf_slice(&is), buf_slice(&was));
}
