/*
 * run.c - runs the recorded scripts (see `record`) on a fresh database in memory each and compares every answer with what the
 * real Cassandra gave. `run [-v] [--actual] FILE...`; prints each difference, then "N passed, N failed". --actual prints the
 * script with Widerow's answers instead.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../driver_type.h"
#include "host.h"
#include "run.h"
#include "widerow.h"

/* ---- text that grows ---- */

static void put_bytes(struct text *t, const char *bytes, size_t len)
{
    if (t->len + len + 1 > t->room) {
        t->room = (t->len + len + 1) * 2;
        t->data = realloc(t->data, t->room);
        if (!t->data)
            abort();
    }
    memcpy(t->data + t->len, bytes, len);
    t->len += len;
    t->data[t->len] = 0;
}

static void put(struct text *t, const char *format, ...)
{
    char small[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(small, sizeof small, format, args);
    va_end(args);
    put_bytes(t, small, (size_t)len < sizeof small ? (size_t)len : sizeof small - 1);
}

static void put_str(struct text *t, const char *s)
{
    put_bytes(t, s, strlen(s));
}

static void put_text(struct text *t, const struct text *other)
{
    if (other->len)
        put_bytes(t, other->data, other->len);
}

/* Messages and warnings stand in one line. */
static void put_line_text(struct text *t, const char *s)
{
    for (; *s; s++)
        if (*s == '\n')
            put_str(t, "\\n");
        else if (!strncmp(s, "\xc0\x80", 2)) /* a NUL (wr_error) */
            put_bytes(t, "", 1), s++;
        else
            put_bytes(t, s, 1);
}

/* ---- values, exactly as record's put_value ---- */

static bool no_memory; /* for the text of something in the answer that is being taken */

static void put_string(struct text *t, const char *s, size_t len)
{
    put_str(t, "'");
    for (size_t i = 0; i < len; i++) {
        switch (s[i]) {
        case '\\': put_str(t, "\\\\"); break;
        case '\'': put_str(t, "''"); break;
        case '\n': put_str(t, "\\n"); break;
        case '\r': put_str(t, "\\r"); break;
        default: put_bytes(t, s + i, 1);
        }
    }
    put_str(t, "'");
}

static void put_value(struct text *t, wr_value v);

static void put_elements(struct text *t, wr_value v, const char *open, const char *close, int map)
{
    struct wr_elements e = wr_elements_of(v);
    wr_value element;
    put_str(t, open);
    for (uint32_t i = 0; wr_elements_next(&e, &element); i++) {
        if (i)
            put_str(t, map && i % 2 ? ": " : ", ");
        put_value(t, element);
    }
    put_str(t, close);
}

static void put_value(struct text *t, wr_value v)
{
    const unsigned char *b = v.data;
    if (wr_value_is_null(v)) {
        put_str(t, "null");
        return;
    }
    enum wr_type type = wr_value_type(v);
    if (!v.len && type != WR_TYPE_TEXT && type != WR_TYPE_ASCII && type != WR_TYPE_BLOB) {
        put_str(t, "empty");
        return;
    }
    switch (type) {
    case WR_TYPE_TEXT:
    case WR_TYPE_ASCII:
        put_string(t, v.data, v.len);
        return;
    case WR_TYPE_TINYINT:
    case WR_TYPE_SMALLINT:
    case WR_TYPE_INT:
    case WR_TYPE_BIGINT:
    case WR_TYPE_COUNTER:
    case WR_TYPE_TIMESTAMP:
    case WR_TYPE_TIME:
        put(t, "%lld", (long long)wr_value_int(v));
        return;
    case WR_TYPE_VARINT: {
        size_t len = wr_value_format(v, WR_STRING, NULL, 0);
        char *text = len == SIZE_MAX ? NULL : malloc(len + 1);
        if (text && wr_value_format(v, WR_STRING, text, len + 1) == len)
            put_str(t, text);
        else
            no_memory = true;
        free(text);
        return;
    }
    case WR_TYPE_BOOLEAN:
        put_str(t, wr_value_bool(v) ? "true" : "false");
        return;
    case WR_TYPE_UUID:
    case WR_TYPE_TIMEUUID:
        for (int i = 0; i < 16; i++)
            put(t, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
        return;
    case WR_TYPE_LIST:
        put_elements(t, v, "[", "]", 0);
        return;
    case WR_TYPE_SET:
        put_elements(t, v, "{", "}", 0);
        return;
    case WR_TYPE_MAP:
        put_elements(t, v, "{", "}", 1);
        return;
    case WR_TYPE_TUPLE:
    case WR_TYPE_UDT:
        put_elements(t, v, "(", ")", 0);
        return;
    default:
        put_str(t, "0x");
        for (size_t i = 0; i < v.len; i++)
            put(t, "%02x", b[i]);
    }
}

/* ---- type names without frozen<>, which the protocol does not carry ---- */

static void put_type(struct text *t, const char *name)
{
    char nested[64];
    int depth = 0;
    while (*name) {
        if (strncmp(name, "frozen<", 7) == 0 && depth < 63) {
            nested[depth++] = 'f';
            name += 7;
            continue;
        }
        if (*name == '<' && depth < 63)
            nested[depth++] = '<';
        if (*name == '>' && depth && nested[--depth] == 'f') {
            name++;
            continue;
        }
        put_bytes(t, name++, 1);
    }
}

/* ---- one statement ---- */

char *directive(const struct step *s, const char *name)
{
    char wanted[32];
    size_t n = (size_t)snprintf(wanted, sizeof wanted, "-- %s: ", name);
    for (const char *at = s->text, *end = s->text + s->len; at < end;) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end)
            line_end = end;
        if ((size_t)(line_end - at) > n && memcmp(at, wanted, n) == 0)
            return strndup(at + n, (size_t)(line_end - at) - n);
        at = line_end + 1;
    }
    return NULL;
}

char *statement_text(const struct step *s, ptrdiff_t *len)
{
    const char *at = s->text, *end = s->text + s->len;
    for (;;) {
        while (at < end && isspace((unsigned char)*at))
            at++;
        if (end - at < 2 || at[0] != '-' || at[1] != '-')
            break;
        while (at < end && *at != '\n')
            at++;
    }
    while (end > at && isspace((unsigned char)end[-1]))
        end--;
    if (end > at && end[-1] == ';')
        end--;
    *len = end - at;
    char *text = malloc((size_t)*len + 1);
    if (text) {
        memcpy(text, at, (size_t)*len);
        text[*len] = 0;
    }
    return text;
}

static enum wr_status bind_number(wr_stmt *stmt, int i, const char *kind, long long number)
{
    static const struct {
        const char *kind;
        size_t bytes;
    } kinds[] = { { "tinyint", 1 }, { "smallint", 2 }, { "int", 4 }, { "bigint", 8 } };
    unsigned char be[8];
    for (int k = 0; k < 8; k++)
        be[k] = (unsigned char)((unsigned long long)number >> (56 - 8 * k));
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        if (strcmp(kinds[k].kind, kind) == 0)
            return wr_bind_value(stmt, i, be + 8 - kinds[k].bytes, kinds[k].bytes);
    return WR_MISUSE;
}

static enum wr_status bind_hex(wr_stmt *stmt, int i, const char **at)
{
    unsigned char bytes[4096];
    size_t n = 0;
    unsigned byte;
    for (*at += 2; n < sizeof bytes && isxdigit((unsigned char)**at) && sscanf(*at, "%2x", &byte) == 1; *at += 2)
        bytes[n++] = (unsigned char)byte;
    return wr_bind_value(stmt, i, n ? bytes : (const void *)"", n);
}

static enum wr_status bind_string(wr_stmt *stmt, int i, const char **at)
{
    struct text t = { 0 };
    const char *p = strchr(*at, '\'') + 1;
    for (; *p && (*p != '\'' || p[1] == '\''); p++) {
        p += *p == '\'';
        put_bytes(&t, p, 1);
    }
    *at = *p ? p + 1 : p;
    enum wr_status st = wr_bind_value(stmt, i, t.data ? t.data : "", t.len);
    free(t.data);
    return st;
}

static enum wr_status bind_all(wr_stmt *stmt, const char *at)
{
    enum wr_status st = WR_OK;
    for (int i = 0; *at && i < wr_marker_count(stmt) && st == WR_OK; i++) {
        char kind[16] = "";
        long long number;
        int used = 0;
        at += strspn(at, " ");
        if (strncmp(at, "null", 4) == 0) {
            st = wr_bind_null(stmt, i);
            at += 4;
        } else if (strncmp(at, "unset", 5) == 0) {
            st = wr_bind_unset(stmt, i);
            at += 5;
        } else if (strncmp(at, "text '", 6) == 0) {
            st = bind_string(stmt, i, &at);
        } else if (strncmp(at, "0x", 2) == 0) {
            st = bind_hex(stmt, i, &at);
        } else if (sscanf(at, "%15s %lld%n", kind, &number, &used) == 2) {
            st = bind_number(stmt, i, kind, number);
            at += used;
        } else {
            return WR_MISUSE;
        }
        at += strspn(at, " ,");
    }
    return st;
}

static int cmp_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Where an item of a list of signatures ends: at the comma before the next `name : `, or at the bracket of the whole. */
static const char *signature_end(const char *at, const char *end)
{
    for (const char *comma = at; (comma = strstr(comma, ", ")) && comma < end; comma += 2) {
        size_t name = strcspn(comma + 2, " ,");
        if (strncmp(comma + 2 + name, " : (", 4) == 0)
            return comma;
    }
    return end;
}

/* A message, with the signatures that it lists in their own order, as record's put_message: they come in that of a Java hash map. */
static void put_message(struct text *t, const char *message)
{
    enum { ITEMS_MAX = 200 };
    char *items[ITEMS_MAX];
    size_t n = 0;
    const char *list = strstr(message, "signatures: "), *end = list ? strrchr(list, ')') : NULL;

    if (!end) {
        put_line_text(t, message);
        return;
    }
    list += strlen("signatures: ");
    put_bytes(t, message, (size_t)(list - message));
    for (const char *at = list; at < end && n < ITEMS_MAX;) {
        const char *item_end = signature_end(at, end);
        items[n++] = strndup(at, (size_t)(item_end - at));
        at = item_end < end ? item_end + 2 : end;
    }
    qsort(items, n, sizeof *items, cmp_lines);
    for (size_t i = 0; i < n; i++) {
        put_str(t, i ? ", " : "");
        put_line_text(t, items[i]);
        free(items[i]);
    }
    put_line_text(t, end);
}

static void put_error(struct text *t, enum wr_status st, const char *message)
{
    put(t, "--> error 0x%04X ", wr_status_code(st));
    put_message(t, message);
    put_str(t, "\n");
}

/* What a statement failed with; of an unavailable level also how many nodes it lacks. */
static void put_failure(struct text *t, wr_stmt *stmt, enum wr_status st)
{
    struct wr_failure f;
    wr_stmt_failure(stmt, &f);
    put(t, "--> error 0x%04X ", wr_status_code(st));
    put_message(t, wr_stmt_error(stmt));
    if (st == WR_UNAVAILABLE)
        put(t, " (%u required, %u alive)", f.required, f.alive);
    put_str(t, "\n");
}

static void put_column_type(struct text *t, wr_stmt *stmt, int i)
{
    char name[4096] = "";
    if (driver_type_has_class(wr_column_type_info(stmt, i))) {
        no_memory |= !driver_type_put(name, sizeof name, wr_column_type_info(stmt, i), DRIVER_CLASS_QUOTED);
        put_str(t, name);
        return;
    }
    put_type(t, wr_column_type_name(stmt, i));
}

static void put_header(struct text *t, wr_stmt *stmt)
{
    put_str(t, "--> ");
    for (int i = 0; i < wr_column_count(stmt); i++) {
        put_str(t, i ? " | " : "");
        put_line_text(t, wr_column_name(stmt, i));
        put_str(t, " ");
        put_column_type(t, stmt, i);
    }
    put_str(t, "\n");
}

static void put_warnings(struct text *t, wr_stmt *stmt)
{
    const char *warning;
    for (unsigned i = 0; (warning = wr_stmt_warning(stmt, i)); i++) {
        put_str(t, "--> warning: ");
        put_line_text(t, warning);
        put_str(t, "\n");
    }
}

/* All pages of a run; the answer's lines go to *rows. Warnings are the first page's. between: CQL to run behind that one; NULL: none. */
static enum wr_status run_pages(wr_db *db, wr_stmt *stmt, const char *between, struct text *rows, struct text *warnings)
{
    for (bool first = true;; first = false) {
        enum wr_status st;
        while ((st = wr_step(stmt)) == WR_ROW) {
            put_str(rows, "-->   ");
            for (int i = 0; i < wr_column_count(stmt); i++) {
                put_str(rows, i ? " | " : "");
                put_value(rows, wr_column_value(stmt, i));
            }
            put_str(rows, "\n");
        }
        size_t len;
        const void *state = wr_page_state(stmt, &len);
        if (first)
            put_warnings(warnings, stmt);
        if (st != WR_DONE || !state)
            return st;
        put_str(rows, "-->   (more)\n");
        if (first && between && wr_exec(db, between, NULL, NULL) != WR_OK) {
            printf("between: %s\n", wr_error(db));
            exit(2);
        }
        if ((st = wr_set_page_state(stmt, state, len)) != WR_OK)
            return st;
    }
}

/* By its name in the directive; false: the step has none. */
static bool level_of(const struct step *s, const char *name, enum wr_consistency *out)
{
    static const char *const names[] = { "ANY", "ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM", "EACH_QUORUM", "SERIAL", "LOCAL_SERIAL",
                                         "LOCAL_ONE" };
    char *level = directive(s, name);
    bool found = false;
    for (size_t i = 0; level && i < sizeof names / sizeof names[0] && !found; i++)
        if ((found = strcmp(level, names[i]) == 0))
            *out = (enum wr_consistency)i;
    if (level && !found) {
        printf("no such level: %s\n", level);
        exit(2);
    }
    free(level);
    return found;
}

void (*step_ended)(void);

static void run_prepared(wr_db *db, wr_stmt *stmt, const struct step *s, struct text *out)
{
    char *binds = directive(s, "bind"), *page = directive(s, "page"), *between = directive(s, "between");
    enum wr_consistency level;
    enum wr_status st = WR_OK;
    struct text header = { 0 }, rows = { 0 }, warnings = { 0 };
    no_memory = false;
    if (binds)
        st = bind_all(stmt, binds);
    if (page)
        wr_set_page_size(stmt, atoi(page));
    if (level_of(s, "consistency", &level))
        wr_set_consistency(stmt, level);
    if (level_of(s, "serial", &level))
        wr_set_serial_consistency(stmt, level);
    if (st == WR_OK)
        st = run_pages(db, stmt, between, &rows, &warnings);
    if (step_ended)
        step_ended();
    if (st == WR_DONE && wr_column_count(stmt))
        put_header(&header, stmt);
    if (st == WR_DONE)
        st = wr_stmt_status(stmt); /* of what the header says, too */
    if (st == WR_DONE && no_memory) {
        put_error(out, WR_NOMEM, "out of memory");
    } else if (st != WR_DONE) {
        put_failure(out, stmt, st);
    } else {
        put_text(out, &warnings);
        put_text(out, &header);
        if (!header.len)
            put_str(out, "--> ok\n");
        put_text(out, &rows);
    }
    free(header.data);
    free(rows.data);
    free(warnings.data);
    free(binds);
    free(page);
    free(between);
}

void step_run(wr_db *db, const struct step *s, struct text *out)
{
    ptrdiff_t len;
    char *cql = statement_text(s, &len), *host = directive(s, "host");
    wr_stmt *stmt = NULL;
    enum wr_status st = host ? host_register(db, host, cql) : wr_prepare(db, cql, len, &stmt);
    if (st == WR_OK && host) {
        put_str(out, "--> ok\n");
    } else if (st != WR_OK) {
        put_error(out, st, wr_error(db));
    } else {
        run_prepared(db, stmt, s, out);
        wr_finalize(stmt);
    }
    free(host);
    free(cql);
}

bool step_same(const struct step *s, const struct text *out)
{
    return out->len == s->expected_len && memcmp(out->data, s->expected, out->len) == 0;
}

void (*step_take)(wr_db *db, const struct step *s, struct text *out) = step_run;

/* ---- a script ---- */

static char *read_file(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    struct text t = { 0 };
    char chunk[65536];
    for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;)
        put_bytes(&t, chunk, n);
    fclose(f);
    *len = t.len;
    return t.data ? t.data : strdup("");
}

/* The next statement and the recorded lines behind it; false at the end. */
static int next_step(const char **at, const char *end, struct step *s)
{
    bool blank;
    s->text = *at;
    s->len = wr_statement_end(*at, (size_t)(end - *at), NULL, &blank);
    if (blank)
        return 0;
    const char *p = s->text + s->len;
    while (p < end && isspace((unsigned char)*p))
        p++;
    s->expected = p;
    while (end - p >= 3 && memcmp(p, "-->", 3) == 0) {
        const char *line_end = memchr(p, '\n', (size_t)(end - p));
        p = line_end ? line_end + 1 : end;
    }
    s->expected_len = (size_t)(p - s->expected);
    *at = p;
    return 1;
}

/* ---- roles that have logged in, each on a handle of its own that stays open ---- */

enum { ROLES_MAX = 32 };

struct roles {
    char *names[ROLES_MAX];
    wr_db *handles[ROLES_MAX];
    size_t count;
};

/* The handle of the role that the step's "-- login: NAME PASSWORD" names; db without one. NULL: it was refused, which is the answer. */
static wr_db *handle_of(struct roles *roles, wr_db *db, const struct step *s, struct text *out)
{
    char *login = directive(s, "login"), *password = login ? strchr(login, ' ') : NULL;
    wr_db *handle = login ? NULL : db;
    if (password)
        *password++ = 0;
    for (size_t i = 0; login && i < roles->count; i++)
        if (strcmp(roles->names[i], login) == 0)
            handle = roles->handles[i];
    if (!handle && password && roles->count < ROLES_MAX && wr_attach(db, &handle) == WR_OK) {
        enum wr_status st = wr_login(handle, login, password);
        if (st == WR_OK) {
            roles->names[roles->count] = strdup(login);
            roles->handles[roles->count++] = handle;
        } else {
            put_error(out, st, wr_error(handle));
            wr_close(handle);
            handle = NULL;
        }
    }
    free(login);
    return handle;
}

static void roles_close(struct roles *roles)
{
    for (size_t i = 0; i < roles->count; i++) {
        wr_close(roles->handles[i]);
        free(roles->names[i]);
    }
}

struct totals {
    unsigned passed, failed, differs;
};

static void run_script(const char *path, int verbose, int actual_only, struct totals *totals)
{
    size_t len;
    char *script = read_file(path, &len);
    wr_db *db;
    if (!script || wr_open(NULL, NULL, &db) != WR_OK) {
        printf("%s: cannot be run\n", path);
        totals->failed++;
        free(script);
        return;
    }
    const char *at = script, *end = script + len;
    wr_clock_set(db, wr_clock_now(db)); /* on a busy machine a second may be over between two statements: what is left of a TTL is another then */
    wr_set_tombstone_thresholds(db, 1000, 100000); /* a server's */
    struct roles roles = { .count = 0 };
    struct step s;
    if (strstr(script, "\n-- login: "))
        wr_set_role(db, "cassandra");
    while (next_step(&at, end, &s)) {
        struct text out = { 0 };
        char *masking = directive(&s, "masking");
        if (masking)
            wr_set_masking(db, strcmp(masking, "on") == 0);
        free(masking);
        char *bytes = directive(&s, "max-mutation-size");
        if (bytes)
            wr_set_max_mutation_size(db, strtoull(bytes, NULL, 10));
        free(bytes);
        char *unmask = directive(&s, "unmask");
        wr_set_unmask(db, !unmask || strcmp(unmask, "off") != 0);
        free(unmask);
        char *wait = directive(&s, "wait");
        if (wait)
            wr_clock_step(db, atoi(wait) * INT64_C(1000000));
        free(wait);
        wr_db *handle = handle_of(&roles, db, &s, &out);
        if (handle)
            step_take(handle, &s, &out);
        char *differs = directive(&s, "differs");
        bool same = step_same(&s, &out);
        if (actual_only) {
            printf("%.*s\n%s", (int)s.len, s.text, out.data);
        } else if (differs) {
            totals->differs++;
        } else if (same) {
            totals->passed++;
        } else {
            totals->failed++;
            if (verbose)
                printf("%s:%.*s\n  expected:\n%.*s  got:\n%s\n", path, (int)s.len, s.text, (int)s.expected_len, s.expected,
                       out.data);
        }
        free(differs);
        free(out.data);
    }
    roles_close(&roles);
    if (wr_close(db) != WR_OK) {
        printf("%s: %s\n", path, wr_error(db));
        totals->failed++;
    }
    free(script);
}

int main(int argc, char **argv)
{
    int verbose = 1, actual_only = 0;
    struct totals all = { 0 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-q") == 0) {
            verbose = 0;
        } else if (strcmp(argv[i], "--actual") == 0) {
            actual_only = 1;
        } else {
            struct totals one = { 0 };
            run_script(argv[i], verbose, actual_only, &one);
            if (one.failed || !verbose)
                printf("%s: %u passed, %u failed\n", argv[i], one.passed, one.failed);
            all.passed += one.passed;
            all.failed += one.failed;
            all.differs += one.differs;
        }
    }
    if (all.differs)
        printf("(%u answers differ on purpose: docs/differences.md)\n", all.differs);
    printf("%u passed, %u failed\n", all.passed, all.failed);
    return all.failed != 0;
}
