#include "example.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STATEMENTS_MAX = 64 };

static struct {
    wr_stmt *statements[STATEMENTS_MAX];
    int count, passed, failed;
} state; /* of this program; threads prepare their own statements */

void must(wr_db *db, enum wr_status status)
{
    if (status == WR_OK)
        return;
    fprintf(stderr, "%s: %s\n", wr_status_name(status), db ? wr_error(db) : "out of memory");
    exit(1);
}

void must_step(wr_stmt *stmt, enum wr_status status)
{
    if (status == WR_OK || status == WR_ROW || status == WR_DONE)
        return;
    fprintf(stderr, "%s: %s\n    %s\n", wr_status_name(status), wr_stmt_error(stmt), wr_stmt_cql(stmt));
    exit(1);
}

static char *read_text(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0 && (text = malloc((size_t)size + 1))) {
        size = (long)fread(text, 1, (size_t)size, f);
        text[size] = 0;
    }
    if (f)
        fclose(f);
    if (!text) {
        fprintf(stderr, "%s cannot be read\n", path);
        exit(1);
    }
    return text;
}

void example_begin(struct example *example, int argc, char **argv, const char *schema_path)
{
    const char *path = NULL;
    *example = (struct example){ .races = 2000 };
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--check") == 0)
            example->check = true;
        else if (strcmp(argv[i], "--load") == 0 && i + 1 < argc)
            example->load = argv[++i];
        else if (strcmp(argv[i], "--races") == 0 && i + 1 < argc) {
            example->races = atoi(argv[++i]);
            example->check = true;
        } else
            path = argv[i];
    }
    must(example->db, wr_open(path, NULL, &example->db));
    if (schema_path) {
        char *schema = read_text(schema_path);
        must(example->db, wr_exec(example->db, schema, NULL, NULL));
        free(schema);
    }
}

int example_end(struct example *example)
{
    while (state.count)
        wr_finalize(state.statements[--state.count]);
    must(example->db, wr_close(example->db));
    if (!example->check)
        return 0;
    printf("%d passed, %d failed\n", state.passed, state.failed);
    return state.failed ? 1 : 0;
}

wr_stmt *prepare(wr_db *db, const char *cql)
{
    for (int i = 0; i < state.count; i++)
        if (strcmp(wr_stmt_cql(state.statements[i]), cql) == 0) {
            wr_reset(state.statements[i]);
            return state.statements[i];
        }
    if (state.count == STATEMENTS_MAX) {
        fprintf(stderr, "more than %d statements\n", STATEMENTS_MAX);
        exit(1);
    }
    must(db, wr_prepare(db, cql, -1, &state.statements[state.count]));
    return state.statements[state.count++];
}

wr_stmt *bind(wr_stmt *stmt, const char *letters, ...)
{
    va_list args;
    va_start(args, letters);
    for (int i = 0; letters[i]; i++) {
        enum wr_status st = WR_MISUSE;
        switch (letters[i]) {
        case 's':
            st = wr_bind_text(stmt, i, va_arg(args, const char *), -1);
            break;
        case 'i':
            st = wr_bind_int(stmt, i, va_arg(args, int64_t));
            break;
        case 'b':
            st = wr_bind_bool(stmt, i, va_arg(args, int));
            break;
        case 'u':
            st = wr_bind_uuid(stmt, i, va_arg(args, const uint8_t *));
            break;
        case 'v': {
            const void *bytes = va_arg(args, const void *);
            st = wr_bind_value(stmt, i, bytes, va_arg(args, size_t));
            break;
        }
        case 'n':
            st = wr_bind_null(stmt, i);
            break;
        }
        must_step(stmt, st);
    }
    va_end(args);
    return stmt;
}

void run(wr_stmt *stmt)
{
    enum wr_status st;
    do
        must_step(stmt, st = wr_step(stmt));
    while (st == WR_ROW);
}

bool run_applied(wr_stmt *stmt)
{
    enum wr_status st = wr_step(stmt);
    must_step(stmt, st);
    bool applied = st == WR_ROW && wr_column_bool(stmt, 0);
    wr_reset(stmt);
    return applied;
}

int64_t run_int(wr_stmt *stmt, int64_t otherwise)
{
    enum wr_status st = wr_step(stmt);
    must_step(stmt, st);
    int64_t value = st == WR_ROW && !wr_column_is_null(stmt, 0) ? wr_column_int(stmt, 0) : otherwise;
    wr_reset(stmt);
    return value;
}

int64_t tick(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void tell_time(const char *what, int64_t ns)
{
    printf("  -- %s: %.1f us\n", what, (double)ns / 1000);
}

void check(bool holds, const char *what)
{
    if (holds) {
        state.passed++;
        return;
    }
    state.failed++;
    printf("not so: %s\n", what);
}
