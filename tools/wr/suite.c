/* The scripts of a suite that is served, made one text: each database runs them by itself, so it is given no files. */
#include <stdlib.h>
#include <string.h>

#include "wr.h"

/* A file that was read; those of SOURCE, too. Kept for the place of what fails. */
struct file {
    struct file *next;
    char *name, *text;
    size_t len;
};

/* From here on the text is a file's, up to the next part. */
struct part {
    size_t at, in_file;
    const struct file *file;
};

static bool out_of_memory(void)
{
    fprintf(stderr, "wr serve: out of memory\n");
    return false;
}

/* ---- the text ---- */

static bool put(struct suite *suite, const char *text, size_t len)
{
    if (suite->room - suite->len <= len) {
        size_t room = suite->room + suite->len + len + 4096;
        char *wider = realloc(suite->text, room);
        if (!wider)
            return out_of_memory();
        suite->text = wider;
        suite->room = room;
    }
    memcpy(suite->text + suite->len, text, len);
    suite->len += len;
    suite->text[suite->len] = 0;
    return true;
}

static bool begin_part(struct suite *suite, const struct file *file, size_t in_file)
{
    struct part *wider = realloc(suite->parts, (suite->part_count + 1) * sizeof *wider);
    if (!wider)
        return out_of_memory();
    suite->parts = wider;
    suite->parts[suite->part_count++] = (struct part){ suite->len, in_file, file };
    return true;
}

static struct source source_of(const struct file *file)
{
    return (struct source){ .name = file->name, .text = file->text, .len = file->len };
}

/* ---- a file ---- */

static struct file *read_suite_file(struct suite *suite, const char *path)
{
    struct file *file = calloc(1, sizeof *file);
    if (!file || !(file->name = strdup(path))) {
        free(file);
        out_of_memory();
        return NULL;
    }
    file->next = suite->files;
    suite->files = file;
    if (!(file->text = read_file(path, &file->len)))
        return NULL;
    if (strlen(file->text) != file->len) {
        fprintf(stderr, "wr serve: there is a NUL in the script %s\n", path);
        return NULL;
    }
    return file;
}

static bool refuse_piece(const struct file *file, const struct piece *piece, const char *why)
{
    struct source source = source_of(file);
    tell_at(&source, piece->start, WR_OK, why);
    return false;
}

static bool add_file(struct suite *suite, const char *path, int depth);

/* What is no CQL; *ends: nothing of the file is read behind it. */
static bool add_command(struct suite *suite, const struct file *file, const struct piece *piece, int depth, bool *ends)
{
    char argument[PATH_MAX];
    switch (command_in_script(file->text + piece->start, piece->end - piece->start, argument, sizeof argument)) {
    case SCRIPT_ENDS:
        *ends = true;
        return true;
    case SCRIPT_SOURCES:
        if (depth == SOURCE_DEPTH_MAX)
            return refuse_piece(file, piece, "SOURCE is nested too deep");
        return *argument ? add_file(suite, argument, depth + 1) : refuse_piece(file, piece, "one file is expected");
    case SCRIPT_CANNOT:
        return refuse_piece(file, piece, "the scripts of a server neither log in nor copy rows");
    case SCRIPT_PASSES_OVER:
        break;
    }
    return true;
}

/* One that ends with its line, or with the file, may have another file's behind it. */
static bool add_statement(struct suite *suite, const struct file *file, const struct piece *piece, size_t at)
{
    const size_t begin = suite->len;
    bool complete;
    if (!put(suite, file->text + at, piece->end - at))
        return false;
    if (piece->blank || (piece->complete && file->text[piece->end - 1] == ';'))
        return true;
    if (!put(suite, "\n;", 2))
        return false;
    wr_statement_end(suite->text + begin, suite->len - begin, &complete, NULL);
    return complete ? begin_part(suite, file, piece->end) : refuse_piece(file, piece, "Incomplete statement at end of file");
}

static bool add_pieces(struct suite *suite, const struct file *file, int depth)
{
    const struct source source = source_of(file);
    bool added = begin_part(suite, file, 0), ends = false;
    for (size_t at = 0; added && !ends && at < file->len;) {
        struct piece piece = next_piece(&source, at);
        if (piece.own)
            added = add_command(suite, file, &piece, depth, &ends) && begin_part(suite, file, piece.end);
        else
            added = add_statement(suite, file, &piece, at);
        at = piece.end;
    }
    return added && put(suite, "\n", 1);
}

static bool add_file(struct suite *suite, const char *path, int depth)
{
    const struct file *file = read_suite_file(suite, path);
    return file && add_pieces(suite, file, depth);
}

/* ---- the suite ---- */

bool suite_add(struct suite *suite, const char *path)
{
    return add_file(suite, path, 0);
}

void suite_tell_failure(const struct suite *suite, size_t offset, enum wr_status status, const char *message)
{
    const struct part *part = suite->parts;
    while (part + 1 < suite->parts + suite->part_count && part[1].at <= offset)
        part++;
    struct source source = source_of(part->file);
    size_t at = part->in_file + offset - part->at;
    tell_at(&source, at < source.len ? at : source.len, status, message);
}

void suite_release(struct suite *suite)
{
    for (struct file *file = suite->files, *next; file; file = next) {
        next = file->next;
        free(file->name);
        free(file->text);
        free(file);
    }
    free(suite->parts);
    free(suite->text);
}
