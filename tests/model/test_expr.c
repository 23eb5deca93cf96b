/* Answers model/expr.h: expressions give the names, types, values and messages that a Cassandra gave (expr_vectors.h).
 */
#include "engine/rig.h"
#include "tests/model/exprs.h"

struct expr_vector {
    char kind; /* v s i t m n: see exprs.txt */
    const char *column, *expr;
    const char *name, *type, *value; /* of m and n: name has the markers */
    unsigned code;
    const char *message;
};

#include "tests/model/expr_vectors.h"

enum { VECTORS = sizeof expr_vectors / sizeof *expr_vectors };

/* Cassandra lists overloads in the order of a hash: compared without it. */
static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_signatures(char *text)
{
    char *open = strstr(text, "signatures: "), *parts[256], *sorted, *end;
    size_t n = 0, at = 0;

    if (!open)
        return;
    open += strlen("signatures: ");
    end = text + strlen(text);
    sorted = calloc(1, strlen(open) + 8);
    for (char *p = open; p && n < 256; n++) {
        char *next = strstr(p, ", system.");
        parts[n] = p;
        if (next)
            *next = 0;
        p = next ? next + 2 : NULL;
    }
    char *tail = strstr(parts[n - 1], "): ") ? strstr(parts[n - 1], "): ") : parts[n - 1] + strlen(parts[n - 1]);
    char tail_text[128];
    snprintf(tail_text, sizeof tail_text, "%s", tail);
    *tail = 0;
    if (strlen(parts[n - 1]) && parts[n - 1][strlen(parts[n - 1]) - 1] == ')')
        parts[n - 1][strlen(parts[n - 1]) - 1] = 0;
    qsort(parts, n, sizeof *parts, by_text);
    for (size_t i = 0; i < n; i++)
        at += (size_t)sprintf(sorted + at, "%s%s", i ? "; " : "", parts[i]);
    snprintf(open, (size_t)(end - open) + 1, "%s", sorted);
    free(sorted);
}

static bool same_message(const char *a, const char *b)
{
    char x[ERROR_TEXT_MAX], y[ERROR_TEXT_MAX];

    snprintf(x, sizeof x, "%s", a);
    snprintf(y, sizeof y, "%.*s", (int)sizeof y - 1, b);
    sort_signatures(x);
    sort_signatures(y);
    return strcmp(x, y) == 0 || (strlen(b) > 3500 && strncmp(x, y, 120) == 0); /* ours are cut at ERROR_TEXT_MAX */
}

/* Result metadata has no frozen<>. */
static const char *without_frozen(struct ctx *ctx, const struct type *type)
{
    char *text = ctx_format(ctx, "%s", type_name(ctx, type)), *at;

    while ((at = strstr(text, "frozen<"))) {
        char *end = at + 7;
        for (int depth = 1; depth; end++)
            depth += *end == '<' ? 1 : *end == '>' ? -1 : 0;
        memmove(end - 1, end, strlen(end) + 1);
        memmove(at, at + 7, strlen(at + 7) + 1);
    }
    return text;
}

static const char *hex(struct ctx *ctx, struct slice value)
{
    struct buf buf;

    if (slice_is_null(value))
        return "null";
    buf_init(&buf, ctx->arena);
    for (size_t i = 0; i < value.len; i++)
        buf_printf(&buf, "%02x", value.data[i]);
    buf_put_u8(&buf, 0);
    return (const char *)buf.data;
}

static const char *markers_text(struct exprs *e)
{
    struct buf buf;

    buf_init(&buf, e->ctx.arena);
    for (int i = 0; i < EXPRS_MARKERS_MAX && e->markers[i].type; i++)
        buf_printf(&buf, "%s%.*s %s", i ? "; " : "", SLICE_ARG(e->markers[i].name),
                   without_frozen(&e->ctx, e->markers[i].type));
    buf_put_u8(&buf, 0);
    return (const char *)buf.data;
}

/* An empty non-frozen collection and a UDT of nulls are not stored: what was read back is null. */
static struct slice as_stored(const struct type *type, struct slice value)
{
    if (!type->multicell || slice_is_null(value))
        return value;
    if (type_is_collection(type))
        return type_collection_count(value) ? value : SLICE_NULL;
    for (size_t i = 0; i < value.len; i++)
        if (value.data[i] != 0xFF)
            return value;
    return SLICE_NULL;
}

/* The value of a selector on the row. */
static enum wr_status exprs_eval(struct exprs *e, const struct expr *expr, struct slice *out)
{
    struct eval eval = { .exec = &e->exec, .columns = e->row };

    if (expr_has_aggregate(expr)) {
        TRY(aggregates_new(&e->exec, &expr, 1, &eval.aggregates));
        TRY(aggregates_add(&eval, eval.aggregates));
    }
    return expr_eval(&eval, expr, out);
}

static unsigned check(struct exprs *e, const struct expr_vector *v)
{
    const struct column *column = v->column[0] ? exprs_column(e, v->column) : NULL;
    const struct expr *expr = NULL;
    struct slice value = SLICE_NULL;
    enum wr_status st;
    const char *got;
    struct buf name;

    exprs_again(e);
    st = column ? exprs_term(e, column, v->expr, &expr) : exprs_selector(e, v->expr, &expr);
    if (st == WR_OK && strchr("sit", v->kind))
        st = column ? expr_eval_term(&e->exec, expr, &value) : exprs_eval(e, expr, &value);
    if (v->message) {
        unsigned code = st == WR_INVALID            ? 0x2200
                        : st == WR_SYNTAX           ? 0x2000
                        : st == WR_FUNCTION_FAILURE ? 0x1400
                        : st == WR_SERVER_ERROR     ? 0
                                                    : 0xFFFF;
        if (st != WR_OK && code == v->code && (code == 0x2000 || same_message(e->ctx.error, v->message)))
            return 0;
        printf("%c %s %s\n  want %04x %s\n  got  %04x %s\n", v->kind, v->column, v->expr, v->code, v->message, code,
               st == WR_OK ? hex(&e->ctx, value) : e->ctx.error);
        return 1;
    }
    if (st != WR_OK) {
        printf("%c %s %s\n  want %s %s %s\n  got  %s\n", v->kind, v->column, v->expr, v->name, v->type, v->value,
               e->ctx.error);
        return 1;
    }
    if (v->kind == 'm' || v->kind == 'n') {
        got = markers_text(e);
        if (strcmp(got, v->name) == 0)
            return 0;
        printf("%c %s %s\n  want %s\n  got  %s\n", v->kind, v->column, v->expr, v->name, got);
        return 1;
    }
    buf_init(&name, e->ctx.arena);
    if (!column)
        expr_put_name(&name, expr);
    buf_put_u8(&name, 0);
    if (column)
        value = as_stored(column->type, value);
    got = hex(&e->ctx, value);
    bool named = column || strcmp((char *)name.data, v->name) == 0;
    bool typed = column || strcmp(without_frozen(&e->ctx, expr_type(expr)), v->type) == 0;
    bool valued = v->kind == 'i' || strcmp(got, v->value ? v->value : "null") == 0;
    if (named && typed && valued && type_validate(&e->ctx, expr_type(expr), value) == WR_OK)
        return 0;
    printf("%c %s %s\n  want %s | %s | %s\n  got  %s | %s | %s\n", v->kind, v->column, v->expr, v->name, v->type,
           v->value ? v->value : "null", (char *)name.data, type_name(&e->ctx, expr_type(expr)), got);
    return 1;
}

static void load_row(struct exprs *e)
{
    for (unsigned i = 0; i < VECTORS; i++) {
        const struct expr_vector *v = &expr_vectors[i];
        const struct column *column;
        const struct expr *expr;
        struct slice value;
        if (v->kind != 'v')
            continue;
        column = exprs_column(e, v->column);
        exprs_again(e);
        assert_int_equal(exprs_term(e, column, v->expr, &expr), WR_OK);
        assert_int_equal(expr_eval_term(&e->exec, expr, &value), WR_OK);
        assert_int_equal(ctx_copy(&e->table_ctx, value, &e->row[column->ordinal]), WR_OK);
    }
}

static void test_recorded(void **state)
{
    struct exprs e;
    unsigned wrong = 0, asked = 0;

    (void)state;
    exprs_open(&e);
    load_row(&e);
    for (unsigned i = 0; i < VECTORS; i++) {
        if (expr_vectors[i].kind == 'v')
            continue;
        asked++;
        wrong += check(&e, &expr_vectors[i]);
    }
    exprs_close(&e);
    if (wrong)
        fail_msg("%u of %u expressions answer otherwise", wrong, asked);
}

/* The n-th allocation fails, for every n: the answer is WR_NOMEM. */
static void test_no_memory(void **state)
{
    struct exprs e;

    (void)state;
    exprs_open(&e);
    load_row(&e);
    for (unsigned i = 0; i < VECTORS; i++) {
        const struct expr_vector *v = &expr_vectors[i];
        bool failed = true;
        if (v->kind == 'v' || v->kind == 'm' || v->kind == 'n')
            continue;
        for (long n = 0; failed; n++) {
            const struct column *column = v->column[0] ? exprs_column(&e, v->column) : NULL;
            const struct ast_expr *ast;
            const struct expr *expr;
            struct slice value;
            struct arena scarce;
            enum wr_status st;
            exprs_again(&e);
            if (exprs_parse(&e, column, v->expr, &ast) != WR_OK)
                break;
            arena_init(&scarce);
            ctx_init(&e.ctx, &scarce);
            rig.mem_fail_after = n;
            st = column ? expr_bind_term(&e.bind, ast, column->type, column->name, &expr) : exprs_bind(&e, ast, &expr);
            if (st == WR_OK)
                st = column ? expr_eval_term(&e.exec, expr, &value) : exprs_eval(&e, expr, &value);
            failed = rig.mem_fail_after < 0;
            rig.mem_fail_after = -1;
            arena_release(&scarce);
            if (failed) /* without memory the natural type of a number is guessed: not every answer is WR_NOMEM */
                assert_true(st == WR_NOMEM || v->expr[strcspn(v->expr, "0123456789")]);
            else
                assert_int_equal(st == WR_OK, v->message == NULL);
        }
    }
    exprs_close(&e);
}

static void expect(struct exprs *e, const struct expr *expr, struct eval *eval, const char *literal)
{
    struct slice value;
    struct buf buf;

    eval->exec = &e->exec;
    assert_int_equal(expr_eval(eval, expr, &value), WR_OK);
    buf_init(&buf, e->ctx.arena);
    if (slice_is_null(value))
        buf_put_str(&buf, "null");
    else
        type_print_literal(&buf, expr_type(expr), value);
    buf_put_u8(&buf, 0);
    assert_string_equal((char *)buf.data, literal);
}

static struct cell cell_at(const struct exprs *e, const char *column, const char *path, size_t path_len,
                           int64_t timestamp_us, uint32_t ttl_s, uint32_t expires_s)
{
    return (struct cell){ .column = exprs_column(e, column)->id,
                          .kind = ttl_s ? CELL_EXPIRING : CELL_PLAIN,
                          .ttl_s = ttl_s,
                          .local_s = expires_s,
                          .timestamp_us = timestamp_us,
                          .value = SLICE_EMPTY,
                          .path = path ? slice_of(path, path_len) : SLICE_NULL };
}

/* writetime, maxwritetime and ttl of what has one cell, of what has several, and of parts of both (as recorded by hand
 * from Cassandra: elements without a TTL show as null inside the list). */
static void test_cells(void **state)
{
    struct exprs e;
    struct cell cells[16];
    struct row row = ROW_NONE;
    uint32_t n = 0;
    static const struct {
        const char *expr, *value;
    } cases[] = {
        { "writetime(v)", "10" },
        { "ttl(v)", "null" },
        { "maxwritetime(v)", "10" },
        { "writetime(tx)", "11" },
        { "ttl(tx)", "50" },
        { "writetime(nul)", "null" },
        { "ttl(nul)", "null" },
        { "writetime(m)", "[20, 21]" },
        { "maxwritetime(m)", "21" },
        { "ttl(m)", "[null, 60]" },
        { "writetime(m['x'])", "20" },
        { "writetime(m['y'])", "21" },
        { "ttl(m['y'])", "60" },
        { "ttl(m['x'])", "null" },
        { "writetime(m['nope'])", "null" },
        { "writetime(m['y'..'z'])", "[21]" },
        { "writetime(m['a'..'b'])", "null" },
        { "maxwritetime(m['x'..'y'])", "21" },
        { "writetime(fm)", "30" },
        { "writetime(fm['x'])", "30" },
        { "writetime(fm['nope'])", "null" },
        { "writetime(fm['x'..'y'])", "30" },
        { "writetime(u)", "[null, 41]" },
        { "writetime(u.a)", "null" },
        { "writetime(u.b)", "41" },
        { "maxwritetime(u)", "41" },
        { "writetime(fu.b)", "42" },
        { "ttl(fu)", "null" },
        { "writetime(l)", "[50, 51, 52]" },
        { "maxwritetime(l)", "52" },
    };

    (void)state;
    exprs_open(&e);
    load_row(&e);
    exprs_again(&e);
    /* in order of columns' ids, which are their places by name: fm fu l m tx u v */
    cells[n++] = cell_at(&e, "fm", NULL, 0, 30, 0, 0);
    cells[n++] = cell_at(&e, "fu", NULL, 0, 42, 0, 0);
    cells[n++] = cell_at(&e, "l", "1", 1, 50, 0, 0);
    cells[n++] = cell_at(&e, "l", "2", 1, 51, 0, 0);
    cells[n++] = cell_at(&e, "l", "3", 1, 52, 0, 0);
    cells[n++] = cell_at(&e, "m", "x", 1, 20, 0, 0);
    cells[n++] = cell_at(&e, "m", "y", 1, 21, 100, 1600000060);
    cells[n++] = cell_at(&e, "tx", NULL, 0, 11, 50, 1600000050);
    cells[n++] = cell_at(&e, "u", "\0\1", 2, 41, 0, 0);
    cells[n++] = cell_at(&e, "v", NULL, 0, 10, 0, 0);
    row.cells = cells;
    row.cell_count = n;
    e.row[exprs_column(&e, "u")->ordinal] = slice_of("\xff\xff\xff\xff\0\0\0\1q", 9); /* a is null */

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct eval eval = { .columns = e.row, .row = &row };
        const struct expr *expr;
        bool needed[EXPRS_COLUMNS_MAX] = { false }, reads_cells = false;
        exprs_again(&e);
        assert_int_equal(exprs_selector(&e, cases[i].expr, &expr), WR_OK);
        expr_needs(expr, needed, &reads_cells);
        assert_true(reads_cells);
        expect(&e, expr, &eval, cases[i].value);
    }
    /* cells of an earlier column of the name are not seen */
    e.columns[exprs_column(&e, "v")->ordinal].dropped_us = 10;
    struct eval eval = { .columns = e.row, .row = &row };
    const struct expr *expr;
    exprs_again(&e);
    assert_int_equal(exprs_selector(&e, "writetime(v)", &expr), WR_OK);
    expect(&e, expr, &eval, "null");
    exprs_close(&e);
}

struct bound_case {
    const char *column, *expr; /* column NULL: a selector */
    struct slice value[2];
    const char *result; /* NULL: message */
    const char *message;
};

#define BYTES(text)                                                                                                    \
    {                                                                                                                  \
        (const uint8_t *)(text), sizeof(text) - 1                                                                      \
    }

static void test_bound(void **state)
{
    static const struct bound_case cases[] = {
        { "v", "?", { BYTES("\0\0\0\5") }, "5", NULL },
        { "v", "?", { BYTES("\0\0\5") }, NULL, "Expected 4 or 0 byte int (3)" },
        { "v", "?", { { NULL, 0 } }, "null", NULL },
        { "v", "(?)", { BYTES("\0\0\0\5") }, "5", NULL },
        { "v", "(int)? + 1", { BYTES("\0\0\0\5") }, "6", NULL },
        { "v", "(int)? + 1", { { NULL, 0 } }, "null", NULL },
        { "v", "(int)? + 1", { BYTES("") }, "null", NULL },
        { "v",
          "(int)? + 1",
          { { slice_unset_mark, 0 } },
          NULL,
          "Invalid unset value for argument in call to function _add" },
        { "v", "1 / (int)?", { BYTES("\0\0\0\0") }, NULL, "the operation 'int / int' failed: / by zero" },
        { "tx", "?", { BYTES("\xff") }, NULL, "String didn't validate." },
        /* sets and maps may come in any order, and with doubles */
        { "s", "?", { BYTES("\0\0\0\3\0\0\0\4\0\0\0\2\0\0\0\4\0\0\0\1\0\0\0\4\0\0\0\2") }, "{1, 2}", NULL },
        { "m", "?", { BYTES("\0\0\0\2\0\0\0\1b\0\0\0\4\0\0\0\1\0\0\0\1a\0\0\0\4\0\0\0\2") }, "{'a': 2, 'b': 1}", NULL },
        { "l", "?", { BYTES("\0\0\0\2\0\0\0\4\0\0\0\2\0\0\0\4\0\0\0\1") }, "[2, 1]", NULL },
        { "tu", "(?, ?)", { BYTES("\0\0\0\5"), BYTES("x") }, "(5, 'x')", NULL },
        { "tu", "(?, ?)", { BYTES("\0\0\0\5"), { NULL, 0 } }, "(5, null)", NULL },
        { "tu",
          "(?, ?)",
          { BYTES("\0\0\0\5"), { slice_unset_mark, 0 } },
          NULL,
          "Invalid unset value for tuple field number 1" },
        { "fu",
          "{a: ?}",
          { { slice_unset_mark, 0 } },
          NULL,
          "Invalid unset value for field 'a' of user defined type ty" },
        { "ve", "[?, ?]", { BYTES("\x3f\x80\0\0"), BYTES("\x40\0\0\0") }, "[1.0, 2.0]", NULL },
        { "ve", "[?, ?]", { BYTES("\x3f\x80\0\0"), { NULL, 0 } }, NULL, "null is not supported inside vectors" },
        { NULL, "m[?]", { BYTES("y") }, "2", NULL },
        { NULL, "m[?]", { { NULL, 0 } }, NULL, "Invalid null value for element selection on m" },
        { NULL, "m[?]", { { slice_unset_mark, 0 } }, NULL, "Invalid unset value for element selection on m" },
        { NULL, "s[?..?]", { BYTES("\0\0\0\4"), BYTES("\0\0\0\5") }, "{4}", NULL },
        { NULL, "s[?..?]", { BYTES("\0\0\0\4"), { slice_unset_mark, 0 } }, "{4, 9}", NULL },
        { NULL, "s[?..?]", { { NULL, 0 }, BYTES("\0\0\0\4") }, NULL, "Invalid null value for slice selection on s" },
        { NULL, "abs((int)?)", { BYTES("\xff\xff\xff\xff") }, "1", NULL },
    };
    struct exprs e;

    (void)state;
    exprs_open(&e);
    load_row(&e);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct bound_case *c = &cases[i];
        struct eval eval = { .exec = &e.exec, .columns = e.row };
        const struct expr *expr;
        struct slice value;
        exprs_again(&e);
        memcpy(e.bound, c->value, sizeof c->value);
        assert_int_equal(c->column ? exprs_term(&e, exprs_column(&e, c->column), c->expr, &expr)
                                   : exprs_selector(&e, c->expr, &expr),
                         WR_OK);
        if (c->result) {
            expect(&e, expr, &eval, c->result);
        } else {
            assert_int_not_equal(expr_eval(&eval, expr, &value), WR_OK);
            assert_string_equal(e.ctx.error, c->message);
        }
    }
    exprs_again(&e);
    const struct expr *expr;
    struct slice value;
    uint32_t marker;
    e.bound[0] = SLICE_UNSET;
    assert_int_equal(exprs_term(&e, exprs_column(&e, "l"), "?", &expr), WR_OK);
    assert_true(expr_is_marker(expr, &marker) && marker == 0);
    assert_int_equal(expr_eval_term(&e.exec, expr, &value), WR_OK);
    assert_true(slice_is_unset(value));
    exprs_close(&e);
}

/* A marker takes a list with nulls in it; what is no list is refused as ever. */
static void test_list_marker(void **state)
{
    static const uint8_t with_null[] = "\0\0\0\2\xff\xff\xff\xff\0\0\0\4\0\0\0\1",
                         wrong[] = "\0\0\0\2\xff\xff\xff\xff\0\0\0\3\0\0\1", cut[] = "\0\0\0\2\xff\xff\xff\xff\0\0";
    const struct ast_expr *ast = NULL;
    const struct expr *expr;
    struct slice value;
    struct exprs e;

    (void)state;
    exprs_open(&e);
    const struct column *column = exprs_column(&e, "fl");
    exprs_again(&e);
    assert_int_equal(exprs_parse(&e, column, "?", &ast), WR_OK);
    assert_int_equal(expr_bind_term(&e.bind, ast, column->type, slice_str("in(v)"), &expr), WR_OK);
    e.bound[0] = slice_of(with_null, sizeof with_null - 1);
    assert_int_equal(expr_eval_term(&e.exec, expr, &value), WR_OK);
    assert_true(slice_eq(value, e.bound[0]));
    e.bound[0] = slice_of(wrong, sizeof wrong - 1);
    assert_int_equal(expr_eval_term(&e.exec, expr, &value), WR_INVALID);
    assert_string_equal(e.ctx.error, "Expected 4 or 0 byte int (3)");
    e.bound[0] = slice_of(cut, sizeof cut - 1);
    assert_int_equal(expr_eval_term(&e.exec, expr, &value), WR_INVALID);
    exprs_close(&e);
}

/* Deep and long expressions end, with an answer or a message. */
static void test_depth(void **state)
{
    static const struct {
        const char *before, *middle, *after;
    } shapes[] = {
        { "(", "1", ")" },
        { "abs(", "1", ")" },
        { "1 + (", "1", ")" },
        { "", "1", " + 1" },
        { "- (", "1", ")" },
        { "(int)(", "1", ")" },
        { "[", "1", "]" },
        { "{", "1", "}" },
        { "blob_as_int(int_as_blob(", "1", "))" },
        { "(v, ", "1", ")" },
        { "cast(", "1", " as int)" },
        { "mask_replace(1, ", "1", ")" },
    };
    struct exprs e;

    (void)state;
    exprs_open(&e);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        for (unsigned depth = 25; depth <= 3200; depth *= 2) {
            size_t room = depth * (strlen(shapes[s].before) + strlen(shapes[s].after)) + 16, at = 0;
            char *text = malloc(room);
            for (unsigned i = 0; i < depth; i++)
                at += (size_t)sprintf(text + at, "%s", shapes[s].before);
            at += (size_t)sprintf(text + at, "%s", shapes[s].middle);
            for (unsigned i = 0; i < depth; i++)
                at += (size_t)sprintf(text + at, "%s", shapes[s].after);
            for (int selecting = 0; selecting < 2; selecting++) {
                const struct expr *expr = NULL;
                struct slice value;
                exprs_again(&e);
                enum wr_status st =
                    selecting ? exprs_selector(&e, text, &expr) : exprs_term(&e, exprs_column(&e, "v"), text, &expr);
                if (st == WR_OK)
                    st = selecting ? exprs_eval(&e, expr, &value) : expr_eval_term(&e.exec, expr, &value);
                assert_true(st == WR_OK || st == WR_INVALID || st == WR_SYNTAX || st == WR_SERVER_ERROR);
            }
            free(text);
        }
    }
    exprs_close(&e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recorded), cmocka_unit_test(test_no_memory), cmocka_unit_test(test_cells),
        cmocka_unit_test(test_bound),    cmocka_unit_test(test_list_marker), cmocka_unit_test(test_depth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
