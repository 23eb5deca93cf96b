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

void tell_at(const struct source *source, size_t at, enum wr_status status, const char *message)
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
    if (status == WR_OK)
        fprintf(stderr, "%s", message);
    else
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

struct piece next_piece(const struct source *source, size_t at)
{
    struct piece piece = { .start = statement_start(source->text, at, source->len) };
    const char *text = source->text + piece.start;
    size_t len = source->len - piece.start;
    piece.own = is_own_command(text, len);
    if (ends_with_line(text, len))
        piece.end = piece.start + line_end(text, len, &piece.complete);
    else
        piece.end = at + wr_statement_end(source->text + at, source->len - at, &piece.complete, &piece.blank);
    return piece;
}

void ask_for_levels(const struct shell *shell, wr_stmt *stmt)
{
    if (shell->has_consistency)
        wr_set_consistency(stmt, shell->consistency);
    if (shell->has_serial)
        wr_set_serial_consistency(stmt, shell->serial);
}

static bool run_statement(struct shell *shell, const struct source *source, const struct piece *piece)
{
    wr_stmt *stmt;
    enum wr_status st = wr_prepare(shell->db, source->text + piece->start, (ptrdiff_t)(piece->end - piece->start), &stmt);
    if (st != WR_OK) {
        ptrdiff_t offset = wr_error_offset(shell->db);
        tell_at(source, piece->start + (offset < 0 ? 0 : (size_t)offset), st, wr_error(shell->db));
        return false;
    }
    ask_for_levels(shell, stmt);
    st = print_run(&shell->printer, stmt);
    if (st != WR_DONE)
        tell_at(source, piece->start, st, wr_stmt_error(stmt));
    wr_finalize(stmt);
    return st == WR_DONE;
}

bool run_piece(struct shell *shell, const struct source *source, const struct piece *piece)
{
    if (piece->blank)
        return true;
    if (!piece->own)
        return run_statement(shell, source, piece);
    const char *failure = run_own_command(shell, source->text + piece->start, piece->end - piece->start);
    if (failure && *failure)
        tell_at(source, piece->start, WR_OK, failure);
    return !failure;
}

bool run_source(struct shell *shell, const struct source *source)
{
    for (size_t at = 0; at < source->len && !shell->left;) {
        struct piece piece = next_piece(source, at);
        if (!run_piece(shell, source, &piece))
            return false;
        at = piece.end;
    }
    return true;
}

struct shell new_shell(wr_db *db)
{
    return (struct shell){
        .db = db, .printer = { .out = stdout }, .page_rows = ROWS_A_PAGE, .consistency = WR_CL_ONE, .serial = WR_CL_SERIAL
    };
}

int command_run(int argc, char **argv)
{
    if (argc < 1 || argc > 2) {
        fprintf(stderr, "usage: wr run FILE.cql [PATH]\n");
        return 2;
    }
    struct source source = { .name = argv[0] };
    char *text = read_file(argv[0], &source.len);
    struct shell shell = new_shell(text ? open_or_tell(argc > 1 ? argv[1] : NULL, false, false) : NULL);
    bool ok = false;
    source.text = text;
    if (shell.db)
        ok = run_source(&shell, &source);
    ok &= capture_end(&shell);
    wr_close(shell.db);
    free(text);
    return ok ? 0 : 1;
}
