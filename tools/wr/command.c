/* Commands of the shell's own, which are none of CQL's: those of cqlsh that mean something here, so scripts written for it run. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "wr.h"

enum { SOURCE_DEPTH_MAX = 8 };

static const char told[] = ""; /* a failure of which somebody has told already */

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

/* Takes the first of the words, without its quotes: text behind it. */
static const char *take_word(const char *text, char *out, size_t size)
{
    const char *end = text;
    while (*end && !isspace((unsigned char)*end))
        end++;
    size_t len = (size_t)(end - text);
    if (len >= 2 && *text == '\'' && end[-1] == '\'') {
        text++;
        len -= 2;
    }
    snprintf(out, size, "%.*s", (int)len, text);
    while (isspace((unsigned char)*end))
        end++;
    return end;
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

/* Only somebody at a terminal is asked for more. */
static const char *do_paging(struct shell *shell, const char *argument)
{
    int rows = atoi(argument);
    if (strcasecmp(argument, "off") == 0)
        shell->page_rows = 0;
    else if (strcasecmp(argument, "on") == 0)
        shell->page_rows = ROWS_A_PAGE;
    else if (rows > 0)
        shell->page_rows = rows;
    else if (*argument)
        return "ON, OFF or a number of rows is expected";
    shell->printer.page_rows = shell->interactive ? shell->page_rows : 0;
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

static const char *do_source(struct shell *shell, const char *argument)
{
    if (shell->depth == SOURCE_DEPTH_MAX)
        return "SOURCE is nested too deep";
    struct source source = { .name = argument };
    char *text = read_file(argument, &source.len);
    if (!text)
        return told;
    source.text = text;
    shell->depth++;
    bool ok = run_source(shell, &source);
    shell->depth--;
    free(text);
    return ok ? NULL : told;
}

static const char *do_help(struct shell *shell, const char *argument);

static const struct command {
    const char *name;
    const char *(*run)(struct shell *shell, const char *argument);
    const char *about;
} commands[] = {
    { "CLEAR", do_clear, "clears the terminal" },
    { "CONSISTENCY", do_consistency, "[LEVEL]: that statements ask for; until it is said they run whatever the replication" },
    { "EXIT", do_exit, "leaves; QUIT and ctrl-D too" },
    { "EXPAND", do_expand, "[ON|OFF]: rows below each other" },
    { "HELP", do_help, "this" },
    { "LOGIN", do_login, "ROLE 'PASSWORD': as that role from now on" },
    { "PAGING", do_paging, "[ON|OFF|N]: rows a page" },
    { "QUIT", do_exit, "leaves" },
    { "SERIAL", do_serial, "CONSISTENCY [LEVEL]: that of conditional statements" },
    { "SHOW", do_show, "VERSION" },
    { "SOURCE", do_source, "'FILE': runs a script" },
    { "TRACING", do_tracing, "[ON|OFF]: what is done for a statement, as a server's traces tell it, in microseconds" },
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char *do_help(struct shell *shell, const char *argument)
{
    (void)shell, (void)argument;
    printf("Statements of CQL end with a semicolon, among them DESCRIBE KEYSPACES, TABLES, TABLE t, TYPE t, KEYSPACE k, SCHEMA.\n"
           "Commands of the shell, in scripts too, end with their line or a semicolon:\n");
    for (int i = 0; i < COMMANDS; i++)
        printf("  %-12s %s\n", commands[i].name, commands[i].about);
    return NULL;
}

/* ---- one of a text ---- */

static const struct command *command_at(const char *text, size_t len)
{
    for (int i = 0; i < COMMANDS; i++) {
        size_t n = strlen(commands[i].name);
        if (len < n || strncasecmp(text, commands[i].name, n) != 0)
            continue;
        if (len == n || !(isalnum((unsigned char)text[n]) || text[n] == '_'))
            return &commands[i];
    }
    return NULL;
}

size_t own_command_end(const char *text, size_t len, bool *complete)
{
    bool quoted = false;
    size_t end = 0;
    if (!command_at(text, len))
        return 0;
    while (end < len && text[end] != '\n' && (quoted || text[end] != ';'))
        quoted ^= text[end++] == '\'';
    *complete = end < len;
    return end + *complete;
}

/* The argument without the blanks around it, its semicolon, and its quotes. */
static void take_argument(const char *text, size_t len, char *out, size_t size)
{
    while (len && isspace((unsigned char)*text)) {
        text++;
        len--;
    }
    while (len && (isspace((unsigned char)text[len - 1]) || text[len - 1] == ';'))
        len--;
    bool quoted = len >= 2 && (*text == '\'' || *text == '"') && memchr(text + 1, *text, len - 1) == text + len - 1;
    snprintf(out, size, "%.*s", (int)(quoted ? len - 2 : len), text + quoted);
}

const char *run_own_command(struct shell *shell, const char *text, size_t len)
{
    const struct command *command = command_at(text, len);
    size_t n = strlen(command->name);
    char argument[4096];
    take_argument(text + n, len - n, argument, sizeof argument);
    const char *failure = command->run(shell, argument);
    fflush(stdout);
    return failure;
}
