/* COPY: what was asked for. */
#include "copy.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

const char *copy_failure(const char *message, ...)
{
    static char text[1024];
    va_list args;
    va_start(args, message);
    vsnprintf(text, sizeof text, message, args);
    va_end(args);
    return text;
}

static void put_between(struct text *cql, char quote, const char *text, size_t len)
{
    text_put(cql, &quote, 1);
    for (size_t i = 0; i < len; i++) {
        text_put(cql, text + i, 1);
        if (text[i] == quote)
            text_put(cql, &quote, 1);
    }
    text_put(cql, &quote, 1);
}

void copy_put_name(struct text *cql, const char *name, size_t len)
{
    put_between(cql, '"', name, len);
}

void copy_put_string(struct text *cql, const char *text, size_t len)
{
    put_between(cql, '\'', text, len);
}

double copy_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

const char *copy_prepare(struct shell *shell, const struct text *cql, wr_stmt **out)
{
    if (wr_prepare(shell->db, cql->data, (ptrdiff_t)cql->len, out) != WR_OK)
        return copy_failure("%s", wr_error(shell->db));
    ask_for_levels(shell, *out);
    return NULL;
}

const char *copy_select(struct shell *shell, const struct copy *copy, const char *columns, const char *condition, wr_stmt **out)
{
    struct text cql = { 0 };
    text_put_str(&cql, "SELECT ");
    text_put_str(&cql, columns);
    text_put_str(&cql, " FROM ");
    text_put_str(&cql, copy->table);
    text_put_str(&cql, condition);
    const char *failure = copy_prepare(shell, &cql, out);
    free(cql.data);
    return failure;
}

const char *copy_select_schema(struct shell *shell, const wr_stmt *selected, const char *condition, wr_stmt **out)
{
    const char *keyspace, *table;
    struct text cql = { 0 };
    wr_column_table(selected, 0, &keyspace, &table);
    text_put_str(&cql, "SELECT column_name, kind FROM system_schema.columns WHERE keyspace_name = ");
    copy_put_string(&cql, keyspace, strlen(keyspace));
    text_put_str(&cql, " AND table_name = ");
    copy_put_string(&cql, table, strlen(table));
    text_put_str(&cql, condition);
    const char *failure = copy_prepare(shell, &cql, out);
    free(cql.data);
    return failure;
}

/* ---- words ---- */

static const char *past_blanks(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* Where the word ends that begins there: what stands in quotes is one, with the quotes; else letters, digits and what else is no mark. */
static const char *word_end(const char *at)
{
    if (*at == '\'' || *at == '"') {
        const char quote = *at++;
        while (*at && (*at != quote || at[1] == quote))
            at += *at == quote ? 2 : 1;
        return *at ? at + 1 : at;
    }
    while (*at && !isspace((unsigned char)*at) && !strchr("(),=.'\"", *at))
        at++;
    return at;
}

static bool take_mark(const char **at, char mark)
{
    if (*past_blanks(*at) != mark)
        return false;
    *at = past_blanks(past_blanks(*at) + 1);
    return true;
}

static bool take_keyword(const char **at, const char *word)
{
    const char *begin = past_blanks(*at), *end = word_end(begin);
    if ((size_t)(end - begin) != strlen(word) || strncasecmp(begin, word, strlen(word)) != 0)
        return false;
    *at = past_blanks(end);
    return true;
}

/* As it stands there; false: there is none, or it has no room. */
static bool take_word(const char **at, char *out, size_t size)
{
    const char *begin = past_blanks(*at), *end = word_end(begin);
    size_t len = (size_t)(end - begin);
    if (!len || len >= size)
        return false;
    memcpy(out, begin, len);
    out[len] = 0;
    *at = past_blanks(end);
    return true;
}

/* Without its quotes. */
static bool take_value(const char **at, char *out, size_t size)
{
    if (!take_word(at, out, size))
        return false;
    const char quote = *out;
    if (quote != '\'' && quote != '"')
        return true;
    size_t n = 0;
    for (const char *from = out + 1; *from && (*from != quote || from[1] == quote); from++) {
        from += *from == quote;
        out[n++] = *from;
    }
    out[n] = 0;
    return true;
}

/* ---- options ---- */

enum option_kind { OPTION_CHARACTER, OPTION_FLAG, OPTION_TEXT, OPTION_PATH, OPTION_NUMBER, OPTION_TOKEN, OPTION_TIMES, OPTION_BOOLSTYLE, OPTION_ENCODING, OPTION_OF_NO_MATTER };

#define AT(member) offsetof(struct copy, member)

/* Those that say how several processes share the work, or how a server is spared, do not matter here; numbers are written with all of their digits. */
static const struct option {
    const char *name;
    enum option_kind kind;
    size_t at;
} options[] = {
    { "DELIMITER", OPTION_CHARACTER, AT(csv.delimiter) }, { "QUOTE", OPTION_CHARACTER, AT(csv.quote) }, { "ESCAPE", OPTION_CHARACTER, AT(csv.escape) },
    { "HEADER", OPTION_FLAG, AT(header) }, { "NULL", OPTION_TEXT, AT(null) }, { "BOOLSTYLE", OPTION_BOOLSTYLE, 0 }, { "ENCODING", OPTION_ENCODING, 0 },
    { "SKIPCOLS", OPTION_TEXT, AT(skipped) }, { "MAXROWS", OPTION_NUMBER, AT(rows_max) }, { "SKIPROWS", OPTION_NUMBER, AT(rows_skipped) },
    { "MAXPARSEERRORS", OPTION_NUMBER, AT(errors_max) }, { "MAXINSERTERRORS", OPTION_NUMBER, AT(errors_max) }, { "ERRFILE", OPTION_PATH, AT(errors) },
    { "TTL", OPTION_NUMBER, AT(ttl) }, { "MAXOUTPUTSIZE", OPTION_NUMBER, AT(file_rows) }, { "BEGINTOKEN", OPTION_TOKEN, AT(begin_token) },
    { "ENDTOKEN", OPTION_TOKEN, AT(end_token) }, { "DECIMALSEP", OPTION_TEXT, AT(point) }, { "THOUSANDSSEP", OPTION_TEXT, AT(thousands) },
    { "DATETIMEFORMAT", OPTION_TIMES, AT(times) },
    { "CHILDTIMEOUT", OPTION_OF_NO_MATTER, 0 }, { "CHUNKSIZE", OPTION_OF_NO_MATTER, 0 }, { "DOUBLEPRECISION", OPTION_OF_NO_MATTER, 0 },
    { "FLOATPRECISION", OPTION_OF_NO_MATTER, 0 }, { "INGESTRATE", OPTION_OF_NO_MATTER, 0 }, { "MAXATTEMPTS", OPTION_OF_NO_MATTER, 0 },
    { "MAXBACKOFFATTEMPTS", OPTION_OF_NO_MATTER, 0 }, { "MAXBATCHSIZE", OPTION_OF_NO_MATTER, 0 }, { "MAXINFLIGHTMESSAGES", OPTION_OF_NO_MATTER, 0 },
    { "MAXPENDINGCHUNKS", OPTION_OF_NO_MATTER, 0 }, { "MAXREQUESTS", OPTION_OF_NO_MATTER, 0 }, { "MINBATCHSIZE", OPTION_OF_NO_MATTER, 0 },
    { "NUMPROCESSES", OPTION_OF_NO_MATTER, 0 }, { "PAGESIZE", OPTION_OF_NO_MATTER, 0 }, { "PAGETIMEOUT", OPTION_OF_NO_MATTER, 0 },
    { "PREPAREDSTATEMENTS", OPTION_OF_NO_MATTER, 0 }, { "REPORTFREQUENCY", OPTION_OF_NO_MATTER, 0 }, { "REQUESTTIMEOUT", OPTION_OF_NO_MATTER, 0 },
};

static bool set_character(char *out, const char *value)
{
    *out = strcmp(value, "\\t") == 0 ? '\t' : *value;
    return !*value || !value[1] || *out == '\t';
}

static bool set_number(long *out, const char *value)
{
    char *end;
    errno = 0;
    *out = strtol(value, &end, 10);
    return *value && !*end && !errno && *out >= -1;
}

static bool set_token(int64_t *out, const char *value)
{
    char *end;
    errno = 0;
    long long token = strtoll(value, &end, 10);
    if (!*value || *end || errno)
        return false;
    *out = token;
    return true;
}

static bool set_text(char *out, size_t size, const char *value)
{
    return (size_t)snprintf(out, size, "%s", value) < size;
}

static bool set_boolstyle(struct copy *copy, const char *value)
{
    const char *comma = strchr(value, ',');
    if (!comma)
        return false;
    snprintf(copy->yes, sizeof copy->yes, "%.*s", (int)(comma - value), value);
    snprintf(copy->no, sizeof copy->no, "%s", past_blanks(comma + 1));
    return *copy->yes && *copy->no && strcasecmp(copy->yes, copy->no) != 0;
}

static bool set_option(struct copy *copy, const struct option *option, const char *value)
{
    char *place = (char *)copy + option->at;
    switch (option->kind) {
    case OPTION_CHARACTER: return set_character(place, value);
    case OPTION_FLAG: *(bool *)place = strcasecmp(value, "true") == 0; return true;
    case OPTION_TEXT: return set_text(place, COPY_WORD_MAX, value);
    case OPTION_PATH: return set_text(place, PATH_MAX, value);
    case OPTION_NUMBER: return set_number((long *)place, value);
    case OPTION_TOKEN: return set_token((int64_t *)place, value);
    case OPTION_TIMES: return copy_time_format_is_known(value) && set_text(place, COPY_WORD_MAX, value);
    case OPTION_BOOLSTYLE: return set_boolstyle(copy, value);
    case OPTION_ENCODING: return strcasecmp(value, "utf8") == 0 || strcasecmp(value, "utf-8") == 0;
    case OPTION_OF_NO_MATTER: return true;
    }
    return false;
}

static const char *read_option(struct copy *copy, const char **at)
{
    char name[COPY_WORD_MAX], value[PATH_MAX];
    if (!take_word(at, name, sizeof name) || !take_mark(at, '=') || !take_value(at, value, sizeof value))
        return "COPY: OPTION = VALUE is expected, and AND before the next";
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcasecmp(name, options[i].name) == 0)
            return set_option(copy, &options[i], value) ? NULL : copy_failure("COPY: %s cannot be '%s'", options[i].name, value);
    return copy_failure("COPY: there is no option %s", name);
}

/* ---- the whole ---- */

/* A name, or two with a point between them. */
static bool read_table(struct copy *copy, const char **at)
{
    size_t len = 0;
    do {
        if (!take_word(at, copy->table + len, sizeof copy->table - len - 1))
            return false;
        len = strlen(copy->table);
        if (!take_mark(at, '.'))
            return true;
        copy->table[len++] = '.';
    } while (true);
}

static bool read_columns(struct copy *copy, const char **at)
{
    const char *begin = *at;
    char name[COPY_WORD_MAX];
    do {
        if (!take_word(at, name, sizeof name))
            return false;
    } while (take_mark(at, ','));
    copy->columns = or_exit(strndup(begin, (size_t)(*at - begin)));
    return take_mark(at, ')');
}

static const char *read_copy(struct copy *copy, const char *at)
{
    if (!read_table(copy, &at) || (take_mark(&at, '(') && !read_columns(copy, &at)))
        return "COPY: a table is expected, and its columns in brackets";
    copy->to = take_keyword(&at, "TO");
    if (!copy->to && !take_keyword(&at, "FROM"))
        return "COPY: TO or FROM is expected";
    if (!take_keyword(&at, copy->to ? "STDOUT" : "STDIN") && (!take_value(&at, copy->path, sizeof copy->path) || !*copy->path))
        return "COPY: a file is expected";
    if (copy->to)
        put_home(copy->path, sizeof copy->path);
    if (take_keyword(&at, "WITH"))
        do {
            const char *failure = read_option(copy, &at);
            if (failure)
                return failure;
        } while (take_keyword(&at, "AND"));
    if (!copy->csv.delimiter || copy->csv.delimiter == copy->csv.quote || copy->csv.delimiter == copy->csv.escape)
        return "COPY: DELIMITER cannot be nothing, QUOTE or ESCAPE";
    if (*copy->thousands && strcmp(copy->thousands, *copy->point ? copy->point : ".") == 0)
        return "COPY: THOUSANDSSEP cannot be what DECIMALSEP is";
    if (copy->begin_token > copy->end_token)
        return copy_failure("Begin token %lld must be smaller than end token %lld", (long long)copy->begin_token, (long long)copy->end_token);
    return *at ? copy_failure("COPY: nothing is expected at '%.40s'", at) : NULL;
}

const char *do_copy(struct shell *shell, const char *argument)
{
    struct copy copy = { .csv = { ',', '"', '\\' }, .yes = "True", .no = "False", .rows_max = -1, .rows_skipped = -1, .errors_max = -1, .ttl = -1,
                         .file_rows = -1, .begin_token = INT64_MIN, .end_token = INT64_MAX };
    const char *failure = read_copy(&copy, argument);
    if (!failure)
        failure = (copy.to ? copy_to : copy_from)(shell, &copy);
    free(copy.columns);
    return failure;
}
