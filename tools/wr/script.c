/* Scripts: statements one after the other, and the place of the first that fails. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "wr.h"

size_t mark_length(const char *text, size_t len)
{
    return len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

char *read_file(const char *path, size_t *len)
{
    FILE *f = strcmp(path, "-") == 0 ? stdin : fopen(path, "rb");
    char *text = NULL;
    size_t room = 0;
    bool failed = !f;
    *len = 0;
    for (size_t n = 1; !failed && n;) {
        if (room - *len < 65536) {
            room = room * 2 + 131072;
            char *wider = realloc(text, room);
            failed = !wider;
            if (failed)
                break;
            text = wider;
        }
        n = fread(text + *len, 1, room - *len - 1, f);
        *len += n;
        failed = ferror(f);
    }
    if (f && f != stdin)
        fclose(f);
    if (failed) {
        fprintf(stderr, "wr: %s cannot be read\n", path);
        free(text);
        return NULL;
    }
    size_t mark = mark_length(text, *len);
    *len -= mark;
    memmove(text, text + mark, *len);
    text[*len] = 0;
    return text;
}

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The line with a caret below the place; of a long one, what is around it. */
static void show_place(const char *text, size_t begin, size_t at, size_t end)
{
    enum { AROUND = 100 };
    if (at - begin > AROUND)
        for (begin = at - AROUND; begin < at && is_inside_character(text[begin]);)
            begin++;
    if (end - at > AROUND)
        for (end = at + AROUND; is_inside_character(text[end]);)
            end++;
    fprintf(stderr, "\n    %.*s\n    ", (int)(end - begin), text + begin);
    for (; begin < at; begin++)
        if (!is_inside_character(text[begin]))
            fputc(text[begin] == '\t' ? '\t' : ' ', stderr);
    fprintf(stderr, "^\n");
}

/* "file:3:14: message", and the place. */
static void tell_failure(const struct source *source, size_t at, enum wr_status status, const char *message)
{
    size_t line = 1, begin = 0, end = at;
    for (size_t i = 0; i < at && i < source->len; i++)
        if (source->text[i] == '\n') {
            line++;
            begin = i + 1;
        }
    while (end < source->len && source->text[end] != '\n')
        end++;
    if (source->name)
        fprintf(stderr, "%s:%zu:%zu: ", source->name, line, at - begin + 1);
    print_error(stderr, status, message);
    show_place(source->text, begin, at, end);
}

/* Where the statement itself begins, behind white space and comments. */
static size_t statement_start(const char *text, size_t at, size_t end)
{
    for (;;) {
        while (at < end && isspace((unsigned char)text[at]))
            at++;
        if (end - at >= 2 && ((text[at] == '-' && text[at + 1] == '-') || (text[at] == '/' && text[at + 1] == '/'))) {
            while (at < end && text[at] != '\n')
                at++;
        } else if (end - at >= 2 && text[at] == '/' && text[at + 1] == '*') {
            for (at += 2; at + 1 < end && !(text[at] == '*' && text[at + 1] == '/'); at++)
                ;
            at = at + 2 < end ? at + 2 : end;
        } else {
            return at;
        }
    }
}

static bool run_statement(wr_db *db, const struct printer *printer, const struct source *source, size_t at, size_t len)
{
    size_t start = statement_start(source->text, at, at + len);
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(db, source->text + start, (ptrdiff_t)(at + len - start), &stmt);
    if (st != WR_OK) {
        ptrdiff_t offset = wr_error_offset(db);
        tell_failure(source, start + (offset < 0 ? 0 : (size_t)offset), st, wr_error(db));
        return false;
    }
    st = print_run(printer, stmt);
    if (st != WR_DONE)
        tell_failure(source, start, st, wr_stmt_error(stmt));
    wr_finalize(stmt);
    return st == WR_DONE;
}

bool run_source(wr_db *db, const struct printer *printer, const struct source *source)
{
    for (size_t at = 0; at < source->len;) {
        bool blank;
        size_t len = wr_statement_end(source->text + at, source->len - at, NULL, &blank);
        if (!blank && !run_statement(db, printer, source, at, len))
            return false;
        at += len;
    }
    return true;
}

int command_run(int argc, char **argv)
{
    if (argc < 1 || argc > 2) {
        fprintf(stderr, "usage: wr run FILE.cql [PATH]\n");
        return 2;
    }
    struct source source = { .name = argv[0] };
    char *text = read_file(argv[0], &source.len);
    wr_db *db = text ? open_or_tell(argc > 1 ? argv[1] : NULL, false, false) : NULL;
    struct printer printer = { .out = stdout };
    bool ok = false;
    source.text = text;
    if (db)
        ok = run_source(db, &printer, &source);
    wr_close(db);
    free(text);
    return ok ? 0 : 1;
}
