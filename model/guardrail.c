#include "model/guardrail.h"

#include "model/options.h"

void guardrail_table(struct exec *exec, const struct table_options *options)
{
    if (!exec->who.ordinary || options->default_time_to_live != 0 || !compaction_is_by_time(&options->compaction))
        return;
    ctx_warn(exec->ctx, "Guardrail zero_ttl_on_twcs violated: 0 default_time_to_live on a table with "
                        "TimeWindowCompactionStrategy compaction strategy is "
                        "not recommended. It is suspicious to use default_time_to_live set to 0 with such compaction "
                        "strategy. Please keep in mind that "
                        "data will not start to automatically expire after they are older than a respective compaction "
                        "window unit of a certain size. "
                        "Please set TTL for your INSERT or UPDATE statements if you expect data to be expired as table "
                        "settings will not do it. ");
}

/* ---- terms of SAI indexes ---- */

struct limit {
    const char *name;
    size_t warn, fail;
};

static const struct limit *limit_of(const struct type *type)
{
    static const struct limit vectors = { "sai_vector_term_size", 16384, 32768 },
                              frozen = { "sai_frozen_term_size", 1024, 8192 },
                              others = { "sai_string_term_size", 1024, 8192 };
    if (type->kind == TYPE_VECTOR)
        return &vectors;
    return type_has_parts(type) && !type->multicell ? &frozen : &others;
}

bool guardrail_minds_term(const struct exec *exec, const struct column *column, size_t size)
{
    return exec->who.ordinary && size > limit_of(column->type)->warn;
}

enum wr_status guardrail_term(struct exec *exec, const struct column *column, size_t size)
{
    const struct limit *limit = limit_of(column->type);
    bool fails = size > limit->fail;
    if (!guardrail_minds_term(exec, column, size))
        return WR_OK;
    const char *text = ctx_format(
        exec->ctx, "Guardrail %s violated: Value of column '%.*s' has size %zu, this exceeds the %s threshold of %zu.",
        limit->name, SLICE_ARG(column->name), size, fails ? "failure" : "warning", fails ? limit->fail : limit->warn);
    if (!text)
        return WR_NOMEM;
    if (fails)
        return fail(exec->ctx, WR_INVALID, "%s", text);
    ctx_warn(exec->ctx, "%s", text);
    return WR_OK;
}
