/* The interactive shell: lines to statements, and commands of its own. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <editline/readline.h>

#include "complete.h"
#include "wr.h"

enum { SOURCE_DEPTH_MAX = 8, HISTORY_LINES = 2000 };

struct shell {
    wr_db *db;
    struct printer printer;
    bool interactive, failed;
    int depth; /* of SOURCE within SOURCE */
};

/* ---- the shell's own commands ---- */

static bool take_switch(const char *name, const char *argument, bool *value)
{
    if (strcasecmp(argument, "on") == 0 || strcasecmp(argument, "off") == 0)
        *value = strcasecmp(argument, "on") == 0;
    else if (*argument)
        return false;
    printf("%s is %s\n", name, *value ? "on" : "off");
    return true;
}

static enum shell_answer do_expand(struct shell *shell, const char *argument)
{
    return take_switch("Expanded output", argument, &shell->printer.expand) ? SHELL_DONE : SHELL_FAILED;
}

static enum shell_answer do_paging(struct shell *shell, const char *argument)
{
    int rows = atoi(argument);
    if (strcasecmp(argument, "off") == 0)
        shell->printer.page_rows = 0;
    else if (strcasecmp(argument, "on") == 0)
        shell->printer.page_rows = 100;
    else if (rows > 0)
        shell->printer.page_rows = rows;
    else if (*argument)
        return SHELL_FAILED;
    if (shell->printer.page_rows)
        printf("Query paging is on, %d rows a page\n", shell->printer.page_rows);
    else
        printf("Query paging is off\n");
    return SHELL_DONE;
}

static enum shell_answer do_consistency(struct shell *shell, const char *argument)
{
    (void)shell;
    if (*argument && strcasecmp(argument, "one") != 0 && strcasecmp(argument, "local_one") != 0) {
        fprintf(stderr, "one process holds all the data: the consistency level is ONE\n");
        return SHELL_FAILED;
    }
    printf("Current consistency level is ONE.\n");
    return SHELL_DONE;
}

static enum shell_answer do_tracing(struct shell *shell, const char *argument)
{
    return take_switch("Tracing", argument, &shell->printer.tracing) ? SHELL_DONE : SHELL_FAILED;
}

static enum shell_answer do_clear(struct shell *shell, const char *argument)
{
    (void)argument;
    if (shell->interactive)
        printf("\033[H\033[2J");
    return SHELL_DONE;
}

static enum shell_answer do_exit(struct shell *shell, const char *argument)
{
    (void)shell, (void)argument;
    return SHELL_EXIT;
}

static enum shell_answer do_source(struct shell *shell, const char *argument);
static enum shell_answer do_help(struct shell *shell, const char *argument);

static const struct own_command {
    const char *name;
    enum shell_answer (*run)(struct shell *shell, const char *argument);
    const char *about;
} own_commands[] = {
    { "CLEAR", do_clear, "clears the terminal" },
    { "CONSISTENCY", do_consistency, "[LEVEL]: the consistency level (one node: ONE)" },
    { "EXIT", do_exit, "leaves; QUIT and ctrl-D too" },
    { "EXPAND", do_expand, "[ON|OFF]: rows below each other" },
    { "HELP", do_help, "this" },
    { "PAGING", do_paging, "[ON|OFF|N]: rows a page" },
    { "QUIT", do_exit, "leaves" },
    { "SOURCE", do_source, "'FILE': runs a script" },
    { "TRACING", do_tracing, "[ON|OFF]: what is done for a statement, as a server's traces tell it, in microseconds" },
};

enum { OWN_COMMANDS = sizeof own_commands / sizeof own_commands[0] };

static enum shell_answer do_help(struct shell *shell, const char *argument)
{
    (void)shell, (void)argument;
    printf("Statements of CQL end with a semicolon, among them DESCRIBE KEYSPACES, TABLES, TABLE t, TYPE t, KEYSPACE k, SCHEMA.\n"
           "Commands of the shell:\n");
    for (int i = 0; i < OWN_COMMANDS; i++)
        printf("  %-12s %s\n", own_commands[i].name, own_commands[i].about);
    return SHELL_DONE;
}

/* The quoted or bare argument without its semicolon, in `out`. */
static void take_argument(const char *text, char *out, size_t size)
{
    size_t len;
    while (isspace((unsigned char)*text))
        text++;
    for (len = strlen(text); len && (isspace((unsigned char)text[len - 1]) || text[len - 1] == ';'); len--)
        ;
    if (len >= 2 && (*text == '\'' || *text == '"') && text[len - 1] == *text) {
        text++;
        len -= 2;
    }
    snprintf(out, size, "%.*s", (int)len, text);
}

static enum shell_answer own_command(struct shell *shell, const char *line)
{
    char argument[4096];
    while (isspace((unsigned char)*line))
        line++;
    for (int i = 0; i < OWN_COMMANDS; i++) {
        size_t n = strlen(own_commands[i].name);
        if (strncasecmp(line, own_commands[i].name, n) != 0 || isalnum((unsigned char)line[n]) || line[n] == '_')
            continue;
        take_argument(line + n, argument, sizeof argument);
        enum shell_answer answer = own_commands[i].run(shell, argument);
        if (answer == SHELL_FAILED)
            shell->failed = true;
        return answer;
    }
    return SHELL_NOT_MINE;
}

static enum shell_answer do_source(struct shell *shell, const char *argument)
{
    if (shell->depth == SOURCE_DEPTH_MAX) {
        fprintf(stderr, "SOURCE is nested too deep\n");
        return SHELL_FAILED;
    }
    struct source source = { .name = argument };
    char *text = read_file(argument, &source.len);
    if (!text)
        return SHELL_FAILED;
    source.text = text;
    shell->depth++;
    bool ok = run_source(shell->db, &shell->printer, &source);
    shell->depth--;
    free(text);
    return ok ? SHELL_DONE : SHELL_FAILED;
}

/* ---- statements out of lines ---- */

struct pending { /* what has been typed and not yet run */
    char *text;
    size_t len, room;
    size_t look_at; /* not before it is so long */
};

static bool pending_add(struct pending *p, const char *line, size_t n)
{
    if (p->len + n + 2 > p->room) {
        size_t room = (p->len + n + 2) * 2;
        char *wider = realloc(p->text, room);
        if (!wider)
            return false;
        p->text = wider;
        p->room = room;
    }
    memcpy(p->text + p->len, line, n);
    p->len += n;
    p->text[p->len++] = '\n';
    p->text[p->len] = 0;
    return true;
}

/* Lines that have come along behind a large statement: own commands are among them. Takes what is none of a statement, from `at` on; false: the shell
 * is left. */
static bool run_own_lines(struct shell *shell, struct pending *p, size_t *at)
{
    char *end;
    while (*at < p->len && p->text[*at] == '\n' && (end = strchr(p->text + *at + 1, '\n'))) {
        char *line = p->text + *at + 1;
        bool blank;
        wr_statement_end(line, (size_t)(end - line), NULL, &blank);
        *end = 0;
        enum shell_answer answer = blank ? SHELL_DONE : own_command(shell, line);
        *end = '\n';
        if (answer == SHELL_EXIT)
            return false;
        if (answer == SHELL_NOT_MINE)
            break;
        *at = (size_t)(end - p->text);
    }
    return true;
}

/* Runs every statement that is complete, and keeps the rest; false: the shell is left. To see whether one is complete all of it has to be looked at,
 * so a large one is not looked at again with each line. */
static bool run_complete(struct shell *shell, struct pending *p)
{
    enum { LARGE = 65536 };
    size_t at = 0;
    bool stays = true;
    while (stays && (shell->interactive || !shell->failed)) {
        bool complete, blank;
        size_t len = wr_statement_end(p->text + at, p->len - at, &complete, &blank);
        if (blank && at + len >= p->len) {
            at = p->len;
            break;
        }
        if (!complete)
            break;
        struct source one = { .text = p->text + at, .len = len };
        if (!blank && !run_source(shell->db, &shell->printer, &one))
            shell->failed = true;
        at += len;
        stays = run_own_lines(shell, p, &at);
    }
    memmove(p->text, p->text + at, p->len - at + 1);
    p->len -= at;
    p->look_at = p->len > LARGE ? p->len + p->len / 8 : 0;
    return stays;
}

static void run_rest(struct shell *shell, struct pending *p)
{
    struct source rest = { .text = p->text, .len = p->len };
    if (p->len && !run_source(shell->db, &shell->printer, &rest))
        shell->failed = true;
    p->len = 0;
}

/* False: the shell is left. */
static bool take_line(struct shell *shell, struct pending *p, const char *line, size_t len)
{
    if (!p->len) {
        enum shell_answer answer = own_command(shell, line);
        if (answer != SHELL_NOT_MINE)
            return answer != SHELL_EXIT;
    }
    if (!pending_add(p, line, len)) {
        fprintf(stderr, "wr: out of memory\n");
        return false;
    }
    return p->len < p->look_at || run_complete(shell, p);
}

/* ---- a terminal, or a pipe ---- */

static void history_path(char *out, size_t size)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    if (state && *state)
        snprintf(out, size, "%s/wr_history", state);
    else
        snprintf(out, size, "%s/.wr_history", home ? home : ".");
}

static void talk(struct shell *shell)
{
    char prompt[128], path[4096];
    struct pending p = { 0 };
    char *line;
    history_path(path, sizeof path);
    using_history();
    stifle_history(HISTORY_LINES);
    read_history(path);
    complete_begin(shell->db);
    printf("wr %s. HELP helps, EXIT leaves.\n", wr_version());
    do {
        const char *keyspace = wr_keyspace(shell->db);
        if (p.len)
            snprintf(prompt, sizeof prompt, "%*s... ", keyspace ? (int)strlen(keyspace) + 1 : 0, "");
        else
            snprintf(prompt, sizeof prompt, "wr%s%.64s> ", keyspace ? ":" : "", keyspace ? keyspace : "");
        line = readline(prompt);
        if (!line)
            break;
        if (*line)
            add_history(line);
        bool more = take_line(shell, &p, line, strlen(line));
        free(line);
        if (!more)
            break;
    } while (true);
    if (!line)
        printf("\n");
    write_history(path);
    complete_end();
    free(p.text);
}

static void listen_to_pipe(struct shell *shell)
{
    struct pending p = { 0 };
    char *line = NULL;
    size_t room = 0;
    bool stays = true, first = true;
    ssize_t n;
    while (stays && !shell->failed && (n = getline(&line, &room, stdin)) >= 0) {
        if (n && line[n - 1] == '\n')
            line[--n] = 0;
        size_t mark = first ? mark_length(line, (size_t)n) : 0;
        stays = take_line(shell, &p, line + mark, (size_t)n - mark);
        first = false;
    }
    if (p.len && stays && !shell->failed && run_complete(shell, &p) && !shell->failed)
        run_rest(shell, &p);
    free(line);
    free(p.text);
}

static void run_given(struct shell *shell, const char *statements)
{
    struct pending p = { 0 };
    if (own_command(shell, statements) == SHELL_NOT_MINE && pending_add(&p, statements, strlen(statements)))
        run_rest(shell, &p);
    free(p.text);
}

int command_shell(int argc, char **argv)
{
    const char *path = NULL, *statements = NULL;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "-e") == 0 && i + 1 < argc) {
            statements = argv[++i];
        } else if (!path && argv[i][0] != '-') {
            path = argv[i];
        } else {
            fprintf(stderr, "usage: wr shell [PATH] [-e STATEMENTS]\n");
            return 2;
        }
    }
    struct shell shell = { .db = open_or_tell(path, false, false) };
    if (!shell.db)
        return 1;
    shell.interactive = !statements && isatty(STDIN_FILENO);
    shell.printer = (struct printer){ .out = stdout, .colours = isatty(STDOUT_FILENO), .page_rows = shell.interactive ? 100 : 0 };
    if (statements)
        run_given(&shell, statements);
    else if (shell.interactive)
        talk(&shell);
    else
        listen_to_pipe(&shell);
    wr_close(shell.db);
    return shell.failed && !shell.interactive ? 1 : 0;
}
