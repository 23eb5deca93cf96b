#include "model/java.h"

#include "model/java/body.h"
#include "model/java/lex.h"

static enum wr_status fail_errors(struct ctx *ctx, const struct java_errors *errors)
{
    struct buf text;
    bool types = false;
    buf_init(&text, ctx->arena);
    for (const struct java_error *e = errors->first; e; e = e->next)
        types |= !e->flow;
    for (const struct java_error *e = errors->first; e; e = e->next)
        if (!e->flow || !types)
            buf_printf(&text, "Line %u: %s\n", e->line, e->text);
    return text.failed ? fail_nomem(ctx) : fail(ctx, WR_INVALID, JAVA_ERROR_LIST "%.*s", SLICE_ARG(buf_slice(&text)));
}

static enum wr_status fail_refused(struct ctx *ctx, const struct java_refusal *refusals)
{
    struct buf text;
    buf_init(&text, ctx->arena);
    for (const struct java_refusal *r = refusals; r; r = r->next)
        buf_printf(&text, "%s%s", r == refusals ? "" : ", ", r->what);
    return text.failed ? fail_nomem(ctx) : fail(ctx, WR_INVALID, "Java UDF validation failed: [%.*s]", SLICE_ARG(buf_slice(&text)));
}

/* A method's type is Java's for the CQL type, a primitive one where no null comes. */
static enum wr_status bind_types(struct ctx *ctx, struct java_signature *s, struct java_body *body)
{
    const struct type **types = NEW_ARRAY(ctx, const struct type *, s->arg_count + 1u);
    if (!types || !(body->args = NEW_ARRAY(ctx, const struct java_type *, s->arg_count + 1u)))
        return WR_NOMEM;
    for (uint32_t i = 0; i <= s->arg_count; i++) {
        const struct type *type = types[i] = type_in_function(i < s->arg_count ? s->args[i] : s->result);
        const struct java_type *as;
        TRY(java_type_of(ctx, type, !s->called_on_null, &as));
        if (!as)
            return fail(ctx, WR_INVALID, "Java functions over values of type %s are not supported",
                        type_name(ctx, type));
        body->args[i] = as;
    }
    body->result = body->args[s->arg_count];
    s->args = types;
    s->result = types[s->arg_count];
    return WR_OK;
}

/* The arguments are a method's parameters, so they have names that Java takes. Where they have not, a server tells the errors of the source
 * that it has generated, with names made at random. */
static enum wr_status check_names(struct ctx *ctx, const struct java_signature *s)
{
    for (uint32_t i = 0; i < s->arg_count; i++) {
        struct slice name = s->names[i];
        struct java_token *tokens;
        TRY(java_lex(ctx, &name, &tokens));
        if (tokens[0].kind != JT_NAME || tokens[1].kind != JT_END || slice_eq_str(name, "_"))
            return fail(ctx, WR_INVALID, JAVA_ERROR_LIST "GENERATED SOURCE ERROR: %.*s is no name of a parameter\n", SLICE_ARG(s->names[i]));
    }
    return WR_OK;
}

/* UDFs of before Cassandra 4.0 name the driver's types, which are a server's own since: wherever the package stands, in a text too
 * (JavaBasedUDFunction.patternJavaDriver). */
static enum wr_status name_own_types(struct ctx *ctx, struct slice *text)
{
    static const struct slice driver = SLICE_LIT("com.datastax.driver.core.");
    struct slice rest = *text;
    const uint8_t *at;
    struct buf out;

    buf_init(&out, ctx->arena);
    while ((at = memmem(rest.data, rest.len, driver.data, driver.len))) {
        size_t before = (size_t)(at - rest.data);
        buf_put(&out, rest.data, before);
        buf_put_str(&out, JAVA_TYPES_PACKAGE);
        rest = slice_skip(rest, before + driver.len);
    }
    if (rest.data == text->data) /* nowhere */
        return WR_OK;
    buf_put_slice(&out, rest);
    return buf_done(ctx, &out, text);
}

enum wr_status java_compile(struct ctx *ctx, const struct java_signature *signature, struct slice text,
                            const struct java_body **out)
{
    struct java_body *body = NEW(ctx, struct java_body);
    struct java_signature *copy = NEW(ctx, struct java_signature);
    struct java_errors errors = { .ctx = ctx };

    if (!body || !copy)
        return WR_NOMEM;
    *copy = *signature;
    body->signature = copy;
    TRY(bind_types(ctx, copy, body));
    TRY(check_names(ctx, copy));
    TRY(name_own_types(ctx, &text));
    ctx->failed = WR_OK;
    TRY(java_parse(ctx, text, &errors, &body->block));
    TRY(java_check(ctx, &errors, body));
    if (ctx->failed == WR_NOMEM) /* a type that there was no memory for fits nothing: another method may be meant, or none */
        return WR_NOMEM;
    if (errors.first)
        return fail_errors(ctx, &errors);
    if (body->refusals)
        return fail_refused(ctx, body->refusals);
    *out = body;
    return WR_OK;
}
