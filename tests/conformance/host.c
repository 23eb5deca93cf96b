#include "host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the functions do ---- */

static void plus(wr_call *call, void *arg) /* nulls are 0 */
{
    int64_t sum = 0;
    (void)arg;
    for (unsigned i = 0; i < wr_call_count(call); i++)
        sum += wr_value_int(wr_call_arg(call, i));
    wr_return_int(call, (int32_t)sum);
}

static void null_at_5(wr_call *call, void *arg)
{
    if (wr_value_int(wr_call_arg(call, 1)) == 5)
        wr_return_null(call);
    else
        plus(call, arg);
}

static void fail(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_error(call, "java.lang.RuntimeException: boo");
}

static void first(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_value(call, wr_call_arg(call, 0));
}

static void one(wr_call *call, void *arg)
{
    (void)arg;
    wr_return_int(call, 1);
}

static void join(wr_call *call, void *arg) /* texts, with a comma between */
{
    char *text = calloc(1, 1);
    size_t len = 0;
    (void)arg;
    for (unsigned i = 0; i < wr_call_count(call); i++) {
        wr_value v = wr_call_arg(call, i);
        text = realloc(text, len + v.len + 2);
        if (len)
            text[len++] = ',';
        if (v.len)
            memcpy(text + len, v.data, v.len);
        len += v.len;
    }
    wr_return_text(call, text, (ptrdiff_t)len);
    free(text);
}

/* ---- an average: (count, sum) ---- */

static void count_and_sum(wr_value state, int64_t parts[2])
{
    struct wr_elements e = wr_elements_of(state);
    wr_value part;
    parts[0] = parts[1] = 0;
    for (int i = 0; i < 2 && wr_elements_next(&e, &part); i++)
        parts[i] = wr_value_int(part);
}

static void average_state(wr_call *call, void *arg)
{
    int64_t parts[2];
    wr_value v = wr_call_arg(call, 1);
    char literal[64];
    (void)arg;
    count_and_sum(wr_call_arg(call, 0), parts);
    parts[0] += !wr_value_is_null(v);
    parts[1] += wr_value_int(v);
    snprintf(literal, sizeof literal, "(%lld, %lld)", (long long)parts[0], (long long)parts[1]);
    wr_return_literal(call, literal, -1);
}

static void average_final(wr_call *call, void *arg)
{
    int64_t parts[2];
    (void)arg;
    count_and_sum(wr_call_arg(call, 0), parts);
    if (parts[0])
        wr_return_double(call, (double)parts[1] / (double)parts[0]);
}

static const struct {
    const char *name;
    wr_function_fn call;
} functions[] = {
    { "plus", plus },
    { "null_at_5", null_at_5 },
    { "fail", fail },
    { "first", first },
    { "one", one },
    { "join", join },
    { "average_state", average_state },
    { "average_final", average_final },
};

/* ---- the statement ---- */

/* Text between two places of the statement, without quotes and blanks around it. */
static void take(char *to, size_t room, const char *from, const char *end)
{
    while (from < end && (*from == ' ' || *from == '"'))
        from++;
    while (end > from && (end[-1] == ' ' || end[-1] == '"'))
        end--;
    snprintf(to, room, "%.*s", (int)(end - from), from);
}

/* "a int, b text" without the names. */
static void take_types(char *to, size_t room, const char *from, const char *end)
{
    size_t len = 0;
    int depth = 0;
    to[0] = 0;
    while (from < end) {
        const char *type = from + strspn(from, " "), *stop;
        type += strcspn(type, " ");
        for (stop = type; stop < end && (depth || *stop != ','); stop++)
            depth += (*stop == '<') - (*stop == '>');
        len += (size_t)snprintf(to + len, room - len, "%s%.*s", len ? ", " : "", (int)(stop - type), type);
        from = stop + 1;
    }
}

enum wr_status host_register(wr_db *db, const char *name, const char *statement)
{
    static const char returns_word[] = "INPUT RETURNS ";
    char keyspace[64], function[64], arguments[256], returns[128];
    const char *at = strstr(statement, "FUNCTION "), *dot = at ? strchr(at, '.') : NULL,
               *open = dot ? strchr(dot, '(') : NULL, *close = open ? strchr(open, ')') : NULL,
               *result = close ? strstr(close, returns_word) : NULL,
               *language = result ? strstr(result, " LANGUAGE") : NULL;
    struct wr_function f = { .keyspace = keyspace,
                             .name = function,
                             .arguments = arguments,
                             .returns = returns,
                             .flags = WR_FUNCTION_DETERMINISTIC };

    if (!language)
        return WR_MISUSE;
    take(keyspace, sizeof keyspace, at + strlen("FUNCTION "), dot);
    take(function, sizeof function, dot + 1, open);
    take_types(arguments, sizeof arguments, open + 1, close);
    take(returns, sizeof returns, result + strlen(returns_word), language);
    if (strstr(close, "CALLED ON NULL INPUT"))
        f.flags |= WR_FUNCTION_CALLED_ON_NULL;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        if (strcmp(functions[i].name, name) == 0)
            f.call = functions[i].call;
    return f.call ? wr_function_register(db, &f) : WR_MISUSE;
}
