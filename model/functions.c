#include "model/functions.h"

#include "model/signature.h"

static enum wr_status of_host(struct ctx *ctx, const struct schema *schema, const struct host_function *host,
                              struct user_function *out)
{
    const struct type **args = NEW_ARRAY(ctx, const struct type *, host->arg_count), *result;
    bool known;
    if (!args)
        return WR_NOMEM;
    TRY(host_types(ctx, schema, host, args, &result, &known));
    *out = (struct user_function){ .name = slice_str(host->name),
                                   .texts = host->args,
                                   .args = known ? args : NULL,
                                   .result = known ? result : NULL,
                                   .arg_count = host->arg_count,
                                   .called_on_null = host->flags & WR_FUNCTION_CALLED_ON_NULL,
                                   .host = host };
    return WR_OK;
}

static enum wr_status of_schema(struct ctx *ctx, const struct function *function, struct user_function *out)
{
    struct slice *texts;
    TRY(type_texts(ctx, function->args, function->arg_count, &texts));
    *out = (struct user_function){ .name = function->name,
                                   .texts = texts,
                                   .args = function->args,
                                   .result = function->result,
                                   .arg_count = function->arg_count,
                                   .called_on_null = function->called_on_null,
                                   .from_schema = function };
    return WR_OK;
}

static bool is_wanted(struct slice name, struct slice wanted)
{
    return slice_is_null(wanted) || slice_eq(name, wanted);
}

enum wr_status functions_list(struct ctx *ctx, const struct database *db, const struct schema *schema, struct slice keyspace,
                              struct slice name, const struct user_function **out, uint32_t *count)
{
    const struct keyspace *k = schema_keyspace(schema, keyspace);
    struct host_walk walk = host_walk(db, keyspace, name), again = walk;
    const struct host_function *host;
    struct user_function *list;
    uint32_t room = k ? k->function_count : 0;

    *count = 0;
    while (host_next(&walk))
        room++;
    if (!(list = NEW_ARRAY(ctx, struct user_function, room)))
        return WR_NOMEM;
    while (*count < room && (host = host_next(&again))) /* fewer only where a registration has failed meanwhile */
        TRY(of_host(ctx, schema, host, &list[(*count)++]));
    for (uint32_t i = 0; k && i < k->function_count && *count < room; i++) {
        struct user_function *f = &list[*count];
        if (!is_wanted(k->functions[i].name, name))
            continue;
        TRY(of_schema(ctx, &k->functions[i], f));
        *count += !host_find(db, keyspace, f->name, f->texts, f->arg_count);
    }
    *out = list;
    return WR_OK;
}

enum wr_status functions_find(struct ctx *ctx, const struct database *db, const struct schema *schema, struct slice keyspace,
                              struct slice name, const struct slice *texts, uint32_t count,
                              const struct user_function **out)
{
    const struct user_function *list;
    uint32_t n;
    *out = NULL;
    TRY(functions_list(ctx, db, schema, keyspace, name, &list, &n));
    for (uint32_t i = 0; i < n && !*out; i++)
        if (list[i].arg_count == count && same_texts(list[i].texts, texts, count))
            *out = &list[i];
    return WR_OK;
}

enum wr_status functions_row(struct ctx *ctx, struct slice keyspace, const struct user_function *function,
                             struct system_function *out)
{
    if (!function->host)
        return system_function_row(ctx, keyspace, function->from_schema, out);
    *out = host_row(function->host);
    return WR_OK;
}
