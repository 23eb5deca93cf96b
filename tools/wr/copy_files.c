/* What COPY FROM reads: STDIN, a file, or several: paths and patterns between commas. */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "copy.h"

static void add(struct copy_files *files, const char *name)
{
    if (files->count == files->room) {
        files->room = files->room ? 2 * files->room : 8;
        files->names = or_exit(realloc(files->names, files->room * sizeof *files->names));
    }
    files->names[files->count++] = or_exit(strdup(name));
}

static bool is_there(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0;
}

static const char *add_matches(struct copy_files *files, const char *pattern)
{
    glob_t found;
    int code = glob(pattern, 0, NULL, &found);
    for (size_t i = 0; code == 0 && i < found.gl_pathc; i++)
        add(files, found.gl_pathv[i]);
    if (code == 0 || code == GLOB_NOMATCH)
        globfree(&found);
    return code == 0 ? NULL : copy_failure("Can't open '%s' for reading: no matching file found", pattern);
}

/* Blanks around it are none of its. */
static const char *add_path(struct copy_files *files, const char *path, size_t len)
{
    char name[PATH_MAX];
    while (len && path[0] == ' ')
        path++, len--;
    while (len && path[len - 1] == ' ')
        len--;
    snprintf(name, sizeof name, "%.*s", (int)len, path);
    put_home(name, sizeof name);
    if (!is_there(name))
        return add_matches(files, name);
    add(files, name);
    return NULL;
}

/* One that is there is taken as it stands, commas and all. */
const char *copy_files_find(struct copy_files *files, const char *paths)
{
    const char *failure = NULL;
    if (!*paths || is_there(paths))
        return *paths ? add_path(files, paths, strlen(paths)) : NULL;
    for (const char *at = paths; !failure; at++) {
        size_t len = strcspn(at, ",");
        failure = add_path(files, at, len);
        at += len;
        if (!*at)
            break;
    }
    return failure;
}

static void close_file(struct copy_files *files)
{
    if (files->file && files->file != stdin)
        fclose(files->file);
    files->file = NULL;
}

/* A mark of UTF-8 is passed over where it can be looked for: not in a pipe. */
static void skip_mark(FILE *file)
{
    struct stat found;
    char mark[3];
    if (fstat(fileno(file), &found) != 0 || !S_ISREG(found.st_mode))
        return;
    size_t len = fread(mark, 1, sizeof mark, file);
    if (!mark_length(mark, len))
        rewind(file);
}

const char *copy_files_next(struct copy_files *files, bool *found)
{
    bool from_stdin = !files->count && !files->at;
    close_file(files);
    *found = from_stdin || files->at < files->count;
    if (!*found)
        return NULL;
    files->name = from_stdin ? "STDIN" : files->names[files->at];
    files->file = from_stdin ? stdin : fopen(files->name, "rb");
    files->at++;
    if (!files->file)
        return copy_failure("%s: %s", files->name, strerror(errno));
    if (!from_stdin)
        skip_mark(files->file);
    return NULL;
}

void copy_files_release(struct copy_files *files)
{
    close_file(files);
    for (size_t i = 0; i < files->count; i++)
        free(files->names[i]);
    free(files->names);
}
