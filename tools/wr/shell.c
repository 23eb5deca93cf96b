/* The interactive shell: lines to statements. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <editline/readline.h>

#include "complete.h"
#include "wr.h"

enum { HISTORY_LINES = 2000 };

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

/* Runs every statement and command that is complete, and keeps the rest. To see whether one is complete all of it has to be looked at, so a large one is
 * not looked at again with each line. */
static void run_complete(struct shell *shell, struct pending *p)
{
    enum { LARGE = 65536 };
    const struct source source = { .text = p->text, .len = p->len };
    size_t at = 0;
    while (!shell->left && (shell->interactive || !shell->failed)) {
        struct piece piece = next_piece(&source, at);
        if (!piece.complete && !(piece.blank && piece.end == p->len))
            break;
        at = piece.end;
        if (!run_piece(shell, &source, &piece))
            shell->failed = true;
        if (at == p->len)
            break;
    }
    memmove(p->text, p->text + at, p->len - at + 1);
    p->len -= at;
    p->look_at = p->len > LARGE ? p->len + p->len / 8 : 0;
}

static void run_rest(struct shell *shell, struct pending *p)
{
    struct source rest = { .text = p->text, .len = p->len };
    if (p->len && !run_source(shell, &rest))
        shell->failed = true;
    p->len = 0;
}

/* False: there is no memory for it. */
static bool take_line(struct shell *shell, struct pending *p, const char *line, size_t len)
{
    if (!pending_add(p, line, len)) {
        fprintf(stderr, "wr: out of memory\n");
        return false;
    }
    if (p->len >= p->look_at)
        run_complete(shell, p);
    return true;
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

/* Ctrl-C ends the statement that runs, or what has been typed of one. */
static wr_db *talking;
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
    wr_interrupt(talking);
}

static void catch_interrupts(wr_db *db)
{
    struct sigaction action = { .sa_handler = on_interrupt };
    talking = db;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
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
    catch_interrupts(shell->db);
    printf("wr %s. HELP helps, EXIT leaves.\n", wr_version());
    do {
        const char *keyspace = wr_keyspace(shell->db);
        if (p.len)
            snprintf(prompt, sizeof prompt, "%*s... ", keyspace ? (int)strlen(keyspace) + 1 : 0, "");
        else
            snprintf(prompt, sizeof prompt, "wr%s%.64s> ", keyspace ? ":" : "", keyspace ? keyspace : "");
        interrupted = 0;
        line = readline(prompt);
        if (!line && interrupted) {
            p.len = 0;
            printf("\n");
            continue;
        }
        if (!line)
            break;
        if (*line && !strcasestr(line, "login") && !strcasestr(line, "password")) /* which are nobody's to read there */
            add_history(line);
        bool taken = take_line(shell, &p, line, strlen(line));
        free(line);
        if (!taken)
            break;
    } while (!shell->left);
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
    bool first = true;
    ssize_t n;
    while (!shell->left && !shell->failed && (n = getline(&line, &room, stdin)) >= 0) {
        if (n && line[n - 1] == '\n')
            line[--n] = 0;
        size_t mark = first ? mark_length(line, (size_t)n) : 0;
        shell->failed |= !take_line(shell, &p, line + mark, (size_t)n - mark);
        first = false;
    }
    if (!shell->left && !shell->failed)
        run_rest(shell, &p);
    free(line);
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
    struct shell shell = new_shell(open_or_tell(path, false, false));
    if (!shell.db)
        return 1;
    shell.interactive = !statements && isatty(STDIN_FILENO);
    shell.printer.colours = isatty(STDOUT_FILENO);
    shell_settle_pages(&shell);
    if (statements)
        shell.failed = !run_source(&shell, &(struct source){ .text = statements, .len = strlen(statements) });
    else if (shell.interactive)
        talk(&shell);
    else
        listen_to_pipe(&shell);
    shell.failed |= !capture_end(&shell);
    wr_close(shell.db);
    return shell.failed && !shell.interactive ? 1 : 0;
}
