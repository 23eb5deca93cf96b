/* Commands of the shell's own, which are none of CQL's: those of cqlsh that mean something here, so scripts written for it run. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "wr.h"

const char told[] = "";

/* ---- what they have in common ---- */

static const char *take_switch(const char *name, const char *argument, bool *value)
{
    if (strcasecmp(argument, "on") == 0 || strcasecmp(argument, "off") == 0)
        *value = strcasecmp(argument, "on") == 0;
    else if (*argument)
        return "ON or OFF is expected";
    printf("%s is %s\n", name, *value ? "on" : "off");
    return NULL;
}

/* Takes the first of the words, or what stands in quotes, where two of them are one: text behind it and the blanks that follow. What has no room is cut off. */
static const char *take_word(const char *text, char *out, size_t size)
{
    const char quote = *text == '\'' || *text == '"' ? *text : 0;
    size_t n = 0;
    for (text += quote != 0; *text && (quote || !isspace((unsigned char)*text)); text++) {
        if (quote && *text == quote && *++text != quote)
            break;
        if (n + 1 < size)
            out[n++] = *text;
    }
    out[n] = 0;
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

void put_home(char *path, size_t size)
{
    const char *home = getenv("HOME");
    size_t len = strlen(path), more = home ? strlen(home) : 0;
    if (path[0] != '~' || (path[1] && path[1] != '/') || !home || len + more > size)
        return;
    memmove(path + more, path + 1, len);
    memcpy(path, home, more);
}

bool take_path(const char *argument, char *out, size_t size)
{
    if (*take_word(argument, out, size) || !*out)
        return false;
    put_home(out, size);
    return true;
}

/* ---- levels ---- */

static const struct {
    enum wr_consistency level;
    const char *name;
    bool serial;
} levels[] = {
    { WR_CL_ANY, "ANY", false },         { WR_CL_ONE, "ONE", false },
    { WR_CL_TWO, "TWO", false },         { WR_CL_THREE, "THREE", false },
    { WR_CL_QUORUM, "QUORUM", false },   { WR_CL_ALL, "ALL", false },
    { WR_CL_LOCAL_QUORUM, "LOCAL_QUORUM", false }, { WR_CL_EACH_QUORUM, "EACH_QUORUM", false },
    { WR_CL_SERIAL, "SERIAL", true },    { WR_CL_LOCAL_SERIAL, "LOCAL_SERIAL", true },
    { WR_CL_LOCAL_ONE, "LOCAL_ONE", false },
};

enum { LEVELS = sizeof levels / sizeof levels[0] };

static const char *set_level(const char *what, const char *argument, bool serial, enum wr_consistency *level, bool *given)
{
    for (int i = 0; i < LEVELS; i++) {
        bool asked = strcasecmp(argument, levels[i].name) == 0 && (levels[i].serial || !serial);
        if (asked) {
            *level = levels[i].level;
            *given = true;
            printf("%s level set to %s.\n", what, levels[i].name);
            return NULL;
        }
        if (!*argument && levels[i].level == *level)
            printf("Current %c%s level is %s.\n", tolower((unsigned char)*what), what + 1, levels[i].name);
    }
    return *argument ? "no such level" : NULL;
}

static const char *do_consistency(struct shell *shell, const char *argument)
{
    return set_level("Consistency", argument, false, &shell->consistency, &shell->has_consistency);
}

static const char *do_serial(struct shell *shell, const char *argument)
{
    char word[16];
    const char *level = take_word(argument, word, sizeof word);
    if (strcasecmp(word, "consistency") != 0)
        return "SERIAL CONSISTENCY is expected";
    return set_level("Serial consistency", level, true, &shell->serial, &shell->has_serial);
}

/* ---- the others ---- */

static const char *do_expand(struct shell *shell, const char *argument)
{
    return take_switch("Expanded output", argument, &shell->printer.expand);
}

static const char *do_tracing(struct shell *shell, const char *argument)
{
    return take_switch("Tracing", argument, &shell->printer.tracing);
}

/* 0: it is none. */
static int number_of_rows(const char *text)
{
    char *end;
    long rows = strtol(text, &end, 10);
    return !*end && rows > 0 && rows <= INT_MAX ? (int)rows : 0;
}

void shell_settle_pages(struct shell *shell)
{
    shell->printer.page_rows = shell->interactive && !shell->capture.file ? shell->page_rows : 0;
}

static const char *do_paging(struct shell *shell, const char *argument)
{
    int rows = number_of_rows(argument);
    if (strcasecmp(argument, "off") == 0)
        shell->page_rows = 0;
    else if (strcasecmp(argument, "on") == 0)
        shell->page_rows = ROWS_A_PAGE;
    else if (rows > 0)
        shell->page_rows = rows;
    else if (*argument)
        return "ON, OFF or a number of rows is expected";
    shell_settle_pages(shell);
    if (shell->page_rows)
        printf("Query paging is on, %d rows a page\n", shell->page_rows);
    else
        printf("Query paging is off\n");
    return NULL;
}

static const char *do_clear(struct shell *shell, const char *argument)
{
    (void)argument;
    if (shell->interactive)
        printf("\033[H\033[2J");
    return NULL;
}

static const char *do_exit(struct shell *shell, const char *argument)
{
    (void)argument;
    shell->left = true;
    return NULL;
}

static const char *do_login(struct shell *shell, const char *argument)
{
    char role[256], password[256];
    const char *rest = take_word(argument, role, sizeof role);
    if (!*role || !*rest || *take_word(rest, password, sizeof password))
        return "a role and its password are expected";
    return wr_login(shell->db, role, password) == WR_OK ? NULL : wr_error(shell->db);
}

static const char *do_show(struct shell *shell, const char *argument)
{
    (void)shell;
    if (strcasecmp(argument, "version") != 0)
        return "SHOW VERSION is expected";
    printf("[wr %s | Cassandra 5.0.6 | CQL spec 3.4.7]\n", wr_version());
    return NULL;
}

/* In a shell of its own, as cqlsh does: EXIT ends the file, what is switched on in it goes with it, and what it gives is not captured. */
static const char *do_source(struct shell *shell, const char *argument)
{
    char path[PATH_MAX];
    if (shell->depth == SOURCE_DEPTH_MAX)
        return "SOURCE is nested too deep";
    if (!take_path(argument, path, sizeof path))
        return "one file is expected";
    struct shell inner = *shell;
    capture_leave(&inner);
    struct source source = { .name = path };
    char *text = read_file(path, &source.len);
    if (!text)
        return told;
    source.text = text;
    inner.depth++;
    bool ok = run_source(&inner, &source);
    ok &= capture_end(&inner);
    free(text);
    return ok ? NULL : told;
}

static const char *do_help(struct shell *shell, const char *argument);

static const struct command {
    const char *name;
    const char *(*run)(struct shell *shell, const char *argument);
    const char *about; /* NULL: it is another's name */
    enum in_script in_script;
} commands[] = {
    { "CAPTURE", do_capture, "['FILE'|OFF]: what statements give goes to the end of a file", SCRIPT_PASSES_OVER },
    { "CLEAR", do_clear, "clears the terminal; CLS too", SCRIPT_PASSES_OVER },
    { "CLS", do_clear, NULL, SCRIPT_PASSES_OVER },
    { "?", do_help, NULL, SCRIPT_PASSES_OVER },
    { "COPY", do_copy, "TABLE [(COLUMNS)] TO|FROM 'FILE' [WITH OPTION = VALUE AND ...]: rows as CSV; TO STDOUT and FROM STDIN too", SCRIPT_CANNOT },
    { "CONSISTENCY", do_consistency, "[LEVEL]: that statements ask for; until it is said they run whatever the replication", SCRIPT_PASSES_OVER },
    { "EXIT", do_exit, "leaves; QUIT and ctrl-D too", SCRIPT_ENDS },
    { "EXPAND", do_expand, "[ON|OFF]: rows below each other", SCRIPT_PASSES_OVER },
    { "HELP", do_help, "this", SCRIPT_PASSES_OVER },
    { "LOGIN", do_login, "ROLE 'PASSWORD': as that role from now on", SCRIPT_CANNOT },
    { "PAGING", do_paging, "[ON|OFF|N]: rows a page", SCRIPT_PASSES_OVER },
    { "QUIT", do_exit, NULL, SCRIPT_ENDS },
    { "SERIAL", do_serial, "CONSISTENCY [LEVEL]: that of conditional statements", SCRIPT_PASSES_OVER },
    { "SHOW", do_show, "VERSION", SCRIPT_PASSES_OVER },
    { "SOURCE", do_source, "'FILE': runs a script", SCRIPT_SOURCES },
    { "TRACING", do_tracing, "[ON|OFF]: what is done for a statement, as a server's traces tell it, in microseconds", SCRIPT_PASSES_OVER },
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char *do_help(struct shell *shell, const char *argument)
{
    (void)shell, (void)argument;
    printf("Statements of CQL end with a semicolon, among them DESCRIBE KEYSPACES, TABLES, TABLE t, TYPE t, KEYSPACE k, SCHEMA.\n"
           "Commands of the shell, in scripts too, end with their line or a semicolon:\n");
    for (int i = 0; i < COMMANDS; i++)
        if (commands[i].about)
            printf("  %-12s %s\n", commands[i].name, commands[i].about);
    return NULL;
}

/* ---- one of a text ---- */

static bool begins_with(const char *text, size_t len, const char *word)
{
    size_t n = strlen(word);
    if (len < n || strncasecmp(text, word, n) != 0)
        return false;
    return len == n || !(isalnum((unsigned char)text[n]) || text[n] == '_');
}

static const struct command *command_at(const char *text, size_t len)
{
    for (int i = 0; i < COMMANDS; i++)
        if (begins_with(text, len, commands[i].name))
            return &commands[i];
    return NULL;
}

bool is_own_command(const char *text, size_t len)
{
    return command_at(text, len) != NULL;
}

bool ends_with_line(const char *text, size_t len)
{
    return command_at(text, len) || begins_with(text, len, "DESCRIBE") || begins_with(text, len, "DESC");
}

/* How long the comment is that the rest of a line begins with; 0: it begins with none. */
static size_t comment_length(const char *text, size_t len)
{
    if (len < 2 || (memcmp(text, "--", 2) != 0 && memcmp(text, "//", 2) != 0 && memcmp(text, "/*", 2) != 0))
        return 0;
    const char *end = text[1] == '*' ? memmem(text + 2, len - 2, "*/", 2) : NULL;
    return end ? (size_t)(end + 2 - text) : len;
}

/* To its line's end, or its semicolon; what stands there without comments is copied, if anybody wants it. */
static size_t read_line(const char *text, size_t len, char *out, size_t size)
{
    const char *end = memchr(text, '\n', len);
    size_t line = end ? (size_t)(end - text) : len, at = 0, n = 0, comment;
    char quote = 0;
    for (; at < line && (quote || text[at] != ';'); at++) {
        if (!quote && (comment = comment_length(text + at, line - at))) {
            at += comment - 1;
            continue;
        }
        if (quote ? text[at] == quote : text[at] == '\'' || text[at] == '"')
            quote = quote ? 0 : text[at];
        if (n + 1 < size)
            out[n++] = text[at];
    }
    if (size)
        out[n] = 0;
    return at;
}

size_t line_end(const char *text, size_t len, bool *complete)
{
    size_t end = read_line(text, len, NULL, 0);
    *complete = end < len;
    return end + *complete;
}

enum { LINE_ROOM = 65536 }; /* for the columns of a COPY, too */

/* What stands behind the command's name, in `line`. */
static char *read_argument(const struct command *command, const char *text, size_t len, char line[LINE_ROOM])
{
    size_t name = strlen(command->name);
    char *argument = line;
    read_line(text + name, len - name, line, LINE_ROOM);
    while (isspace((unsigned char)*argument))
        argument++;
    for (size_t n = strlen(argument); n && isspace((unsigned char)argument[n - 1]); n--)
        argument[n - 1] = 0;
    return argument;
}

const char *run_own_command(struct shell *shell, const char *text, size_t len)
{
    const struct command *command = command_at(text, len);
    char line[LINE_ROOM];
    const char *failure = command->run(shell, read_argument(command, text, len, line));
    fflush(stdout);
    return failure;
}

enum in_script command_in_script(const char *text, size_t len, char *file, size_t size)
{
    const struct command *command = command_at(text, len);
    char line[LINE_ROOM];
    if (!take_path(read_argument(command, text, len, line), file, size))
        *file = 0;
    return command->in_script;
}
