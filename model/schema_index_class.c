/* The options of SAI and SASI indexes: what a server refuses, in its order and words. */

#include "model/analyzer.h"
#include "model/index_forms.h"
#include "model/javatext.h"
#include "model/options.h"
#include "model/schema_index.h"
#include "model/similarity.h"
#include "model/stemming.h"
#include "model/string_map.h"
#include "model/unicode.h"

/* ---- SAI ---- */

#define NOT_HERE "are not supported by this version of Widerow"

static const char *const sai_text_options[] = { "case_sensitive", "normalize", "ascii" };
static const char *const sai_vector_options[] = { "maximum_node_connections", "construction_beam_width",
                                                  "similarity_function", "optimize_for" };

static bool is_one_of(struct slice name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (slice_eq_str(name, names[i]))
            return true;
    return false;
}
#define IS_ONE_OF(name, names) is_one_of((name), (names), sizeof(names) / sizeof *(names))

/* IndexTermType.asCQL3Type: an entry is keys and values together, which CQL has no name for. */
static const char *sai_type_name(const struct index_request *r, const struct type *type)
{
    struct buf buf;
    if (r->index.target != INDEX_ENTRIES)
        return type_name(r->ddl->ctx, type);
    buf_init(&buf, r->ddl->ctx->arena);
    buf_put_str(&buf, "'org.apache.cassandra.db.marshal.CompositeType(");
    type_print_class(&buf, r->column->type->args[0]);
    buf_put_str(&buf, ",");
    type_print_class(&buf, r->column->type->args[1]);
    buf_put_str(&buf, ")'");
    return buf_string(r->ddl->ctx, &buf);
}

/* NonTokenizingOptions.fromMap, and what may be analyzed at all. */
static enum wr_status check_sai_text(const struct index_request *r, const struct type *type)
{
    struct ctx *ctx = r->ddl->ctx;
    struct string_map found = { .count = 0 };
    for (int i = 0; i < 3; i++) {
        struct slice value = string_map_get(&r->options, slice_str(sai_text_options[i]));
        if (value.data)
            TRY(string_map_set(ctx, &found, slice_str(sai_text_options[i]), value, &found));
    }
    if (found.count == 0)
        return WR_OK;
    if (column_is_primary_key(r->column)) {
        struct buf buf;
        buf_init(&buf, ctx->arena);
        string_map_print(&buf, &found);
        return fail(ctx, WR_INVALID, "Analysis options are not supported on primary key columns, but found %.*s",
                    SLICE_ARG(buf_slice(&buf)));
    }
    if (!type_is_text(type) || r->index.target == INDEX_ENTRIES)
        return fail(ctx, WR_INVALID, "CQL type %s cannot be analyzed.", sai_type_name(r, type));
    for (uint32_t i = 0; i < found.count; i++) {
        if (found.values[i].len == 0)
            return fail(ctx, WR_INVALID, "Empty value for boolean option '%.*s'", SLICE_ARG(found.keys[i]));
        if (!java_equals_fold(found.values[i], "true") && !java_equals_fold(found.values[i], "false"))
            return fail(ctx, WR_INVALID, "Illegal value for boolean option '%.*s': %.*s", SLICE_ARG(found.keys[i]),
                        SLICE_ARG(found.values[i]));
    }
    return WR_OK;
}

static enum wr_status check_sai_vector(const struct index_request *r, const struct type *type)
{
    enum similarity similarity;
    struct ctx *ctx = r->ddl->ctx;
    struct slice function = string_map_get(&r->options, SLICE_LIT("similarity_function"));
    struct slice aim = string_map_get(&r->options, SLICE_LIT("optimize_for"));
    if (string_map_get(&r->options, SLICE_LIT("maximum_node_connections")).data)
        return fail(ctx, WR_INVALID,
                    "Maximum node connections cannot be set without enabling SAI_VECTOR_ALLOW_CUSTOM_PARAMETERS");
    if (string_map_get(&r->options, SLICE_LIT("construction_beam_width")).data)
        return fail(ctx, WR_INVALID,
                    "Construction beam width cannot be set without enabling SAI_VECTOR_ALLOW_CUSTOM_PARAMETERS");
    if (function.data)
        TRY(java_upper(ctx, function, &function));
    if (aim.data)
        TRY(java_upper(ctx, aim, &aim));
    if (!similarity_of(function, &similarity))
        return fail(ctx, WR_INVALID,
                    "Similarity function %.*s was not recognized for index null. Valid values are: EUCLIDEAN, "
                    "DOT_PRODUCT, COSINE",
                    SLICE_ARG(function));
    if (aim.data && !java_equals_fold(aim, "latency") && !java_equals_fold(aim, "recall"))
        return fail(ctx, WR_INVALID,
                    "optimize_for '%.*s' was not recognized for index null. Valid values are: LATENCY, RECALL",
                    SLICE_ARG(aim));
    if (type->args[0]->kind != TYPE_FLOAT)
        return fail(ctx, WR_INVALID, "SAI ANN indexes are only allowed on vector columns with float elements");
    if (type->dimension == 1 && similarity == SIMILARITY_COSINE)
        return fail(ctx, WR_INVALID, "Cosine similarity is not supported for single-dimension vectors");
    return WR_OK;
}

/* The names in the order of the server's maps: the index's options, a copy of the statement's and the class that the target is put into,
 * and of what is unknown in them another, made for two. */
static enum wr_status check_sai_names(const struct index_request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    const struct ast_property *options = property_find(r->ast->properties, "options");
    size_t room = (size_t)r->options.count + 2;
    struct slice *names = NEW_ARRAY(ctx, struct slice, room), *unknown = NEW_ARRAY(ctx, struct slice, room);
    uint32_t *order = NEW_ARRAY(ctx, uint32_t, room), given = 0, n = 0;

    if (!names || !unknown || !order)
        return WR_NOMEM;
    for (const struct ast_pair *pair = options ? options->pairs : NULL; pair; pair = pair->next)
        names[given++] = pair->key;
    names[given] = SLICE_LIT("class_name");
    names[given + 1] = SLICE_LIT("target");
    TRY(java_set_order(ctx, names, given + 2, given + 1, order));
    for (uint32_t i = 0; i < given + 2; i++)
        if (order[i] < given && !IS_ONE_OF(names[order[i]], sai_text_options) && !IS_ONE_OF(names[order[i]], sai_vector_options))
            unknown[n++] = names[order[i]];
    if (!n)
        return WR_OK;
    TRY(java_set_sort(ctx, unknown, n, 1));
    return fail(ctx, WR_CONFIG, "Properties specified %s are not understood by StorageAttachedIndex", string_map_key_list(ctx, unknown, n));
}

enum wr_status index_check_sai(const struct index_request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    for (uint32_t i = 0; i < r->table->index_count && r->column; i++)
        if (r->table->indexes[i].index_class == INDEX_SAI &&
            slice_eq(r->table->indexes[i].target_text, r->index.target_text))
            return fail(ctx, WR_INVALID, "Cannot create more than one storage-attached index on the same column: %.*s",
                        SLICE_ARG(r->column->name));
    TRY(check_sai_names(r));
    if (r->targets > 1)
        return fail(ctx, WR_INVALID, "A storage-attached index cannot be created over multiple columns: %.*s",
                    SLICE_ARG(r->index.target_text));
    if (!r->column)
        return fail(ctx, WR_INVALID, "Failed to retrieve target column for: ");

    const struct type *type = r->column->type;
    const struct type *parts[2] = { type, NULL };
    if (r->index.target == INDEX_ENTRIES) {
        parts[0] = type->args[0];
        parts[1] = type->args[1];
    } else if (r->index.target == INDEX_KEYS || r->index.target == INDEX_VALUES) {
        parts[0] = r->index.target == INDEX_VALUES ? type_contained(type) : type->args[0];
    }
    bool is_vector = parts[0]->kind == TYPE_VECTOR && !parts[1]; /* in an entry it is a value as others are (IndexTermType.isComposite) */
    TRY(check_sai_text(r, parts[0]));
    if (is_vector)
        TRY(check_sai_vector(r, parts[0]));
    for (uint32_t i = 0; i < r->options.count && !is_vector; i++)
        if (IS_ONE_OF(r->options.keys[i], sai_vector_options))
            return fail(ctx, WR_INVALID, "CQL type %s cannot have vector options", sai_type_name(r, parts[0]));
    for (int i = 0; i < 2 && parts[i]; i++)
        if (type_sai_terms(parts[i]) == SAI_NO_TERMS)
            return fail(ctx, WR_INVALID, "Unsupported type: %s", type_name(ctx, parts[i]));
    return WR_OK;
}

/* ---- SASI ---- */

static struct slice option(const struct index_request *r, const char *name)
{
    return string_map_get(&r->options, slice_str(name));
}

/* What an analyzer's own options say: NonTokenizingAnalyzer.validate, StandardTokenizerOptions. */
static enum wr_status check_analyzer_options(const struct index_request *r, struct slice name)
{
    struct ctx *ctx = r->ddl->ctx;
    struct slice locale = option(r, "tokenization_locale");

    if (slice_eq_str(name, "NonTokenizingAnalyzer") && option(r, "case_sensitive").data &&
        (option(r, "normalize_lowercase").data || option(r, "normalize_uppercase").data))
        return fail(ctx, WR_CONFIG,
                    "case_sensitive option cannot be specified together with either normalize_lowercase or normalize_uppercase");
    if (slice_eq_str(name, "StandardAnalyzer") && locale.data && !stop_words_known(locale) &&
        java_equals_fold(option(r, "tokenization_skip_stop_words"), "true"))
        return fail(ctx, WR_INVALID, "Stop words of '%.*s' (tokenization_skip_stop_words) " NOT_HERE, SLICE_ARG(locale));
    return WR_OK;
}

/* IndexMode.validateAnalyzer. */
static enum wr_status check_sasi_analyzer(const struct index_request *r)
{
    static const char *const analyzers[] = { "NonTokenizingAnalyzer", "StandardAnalyzer", "DelimiterAnalyzer",
                                             "NoOpAnalyzer" };
    struct ctx *ctx = r->ddl->ctx;
    struct slice given = option(r, "analyzer_class");
    struct slice package = SLICE_LIT(SASI_ANALYZERS);
    if (!given.data)
        return java_equals_fold(option(r, "analyzed"), "true") && type_is_text(r->column->type)
                   ? check_analyzer_options(r, SLICE_LIT("StandardAnalyzer"))
                   : WR_OK;
    if (slice_eq_str(given, SASI_ANALYZERS "AbstractAnalyzer"))
        return fail(ctx, WR_CONFIG, "Unable to initialize analyzer class option specified [AbstractAnalyzer]");
    if (!slice_has_prefix(given, package) || !IS_ONE_OF(slice_skip(given, package.len), analyzers))
        return fail(ctx, WR_CONFIG, "Invalid analyzer class option specified [%.*s]", SLICE_ARG(given));
    struct slice name = slice_skip(given, package.len);
    bool suits = type_is_text(r->column->type) && !r->column->descending; /* a ReversedType is no text to it */
    if (!suits && !slice_eq_str(name, "NoOpAnalyzer"))
        return fail(ctx, WR_CONFIG, "%.*s does not support type %s", SLICE_ARG(name), type_name(ctx, r->column->type));
    return check_analyzer_options(r, name);
}

/* An analyzer that cannot be made: a server takes the index, and from then on fails whatever needs to open the table's indexes. */
static enum wr_status check_analyzer_made(const struct index_request *r)
{
    struct index index = r->index;
    struct analyzer analyzer;
    index.column = r->column;
    index.options = r->options;
    analyzer = analyzer_of(&index);
    if (analyzer.kind == ANALYZER_DELIMITED && unicode_length(analyzer.delimiter) != 1)
        return fail(r->ddl->ctx, WR_CONFIG, "Only single character delimiters supported, was %.*s", SLICE_ARG(analyzer.delimiter));
    if (analyzer.lower && analyzer.upper)
        return fail(r->ddl->ctx, WR_CONFIG, "Options to normalize terms cannot be both uppercase and lowercase at the same time");
    return WR_OK;
}

/* An option that Java fails to read. */
static enum wr_status fail_to_validate(const struct index_request *r)
{
    struct buf all;
    buf_init(&all, r->ddl->ctx->arena);
    for (uint32_t i = 0; i < r->options.count; i++)
        buf_printf(&all, "%.*s=%.*s, ", SLICE_ARG(r->options.keys[i]), SLICE_ARG(r->options.values[i]));
    return fail(r->ddl->ctx, WR_CONFIG, "Failed to validate custom indexer options: {%.*sclass_name=%.*s, target=%.*s}",
                SLICE_ARG(buf_slice(&all)), SLICE_ARG(r->index.class_name), SLICE_ARG(r->index.target_text));
}

enum wr_status index_check_sasi(const struct index_request *r)
{
    struct ctx *ctx = r->ddl->ctx;
    struct slice mode_name = option(r, "mode"), analyzed = option(r, "analyzed");
    struct slice memory = option(r, "max_compaction_flush_memory_in_mb");
    int64_t megabytes;
    enum sasi_mode mode;
    if (!r->column)
        return fail(ctx, WR_CONFIG, "failed to retrieve target column for: %.*s", SLICE_ARG(r->index.target_text));
    if (r->column->type->multicell)
        return fail(ctx, WR_CONFIG, "complex columns are not yet supported by SASI");
    if (r->column->kind == COLUMN_PARTITION_KEY)
        return fail(ctx, WR_CONFIG, "partition key columns are not yet supported by SASI");
    TRY(check_sasi_analyzer(r));
    if (!sasi_mode_of(mode_name, &mode))
        return fail(ctx, WR_CONFIG, "Incorrect index mode: %.*s", SLICE_ARG(mode_name));
    if (memory.data && !java_long(memory, &megabytes))
        return fail_to_validate(r);
    if (mode != SASI_SPARSE)
        return check_analyzer_made(r);
    if (sasi_is_literal(&r->options, r->column))
        return fail(ctx, WR_CONFIG, "SPARSE mode is only supported on non-literal columns.");
    if (analyzed.data ? java_equals_fold(analyzed, "true") : option(r, "analyzer_class").data != NULL)
        return fail(ctx, WR_CONFIG, "SPARSE mode doesn't support analyzers.");
    return check_analyzer_made(r);
}
