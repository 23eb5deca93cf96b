/*
 * wr.h - the program `wr`, on the public header alone: what its rooms share.
 */
#ifndef WR_TOOLS_WR_H
#define WR_TOOLS_WR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "widerow.h"

/* ---- main.c ---- */

/* Opens a database for a command, NULL: in memory; tells why not on stderr and returns NULL. */
wr_db *open_or_tell(const char *path, bool must_exist, bool read_only);

int command_shell(int argc, char **argv);
int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_stats(int argc, char **argv);
int command_backup(int argc, char **argv);
int command_export(int argc, char **argv);
int command_serve(int argc, char **argv); /* where the server has been built (WIDEROW_SERVE) */

/* ---- print.c: results as cqlsh shows them ---- */

struct printer {
    FILE *out;
    bool colours, expand;
    bool tracing; /* behind a result, what was done for it, as traces tell it, and by when, in microseconds */
    int page_rows; /* interactive: asks for more after so many; 0: never */
};

/* Runs a statement to its end and prints what comes; the status of its last step. */
enum wr_status print_run(const struct printer *printer, wr_stmt *stmt);

/* "InvalidRequest: Error from server: code=2200 [Invalid query] message=\"...\"", without a line end. */
void print_error(FILE *out, enum wr_status status, const char *message);

/* ---- script.c: statements of a text, one after the other ---- */

struct source {
    const char *name; /* of the file, for messages; NULL: typed */
    const char *text;
    size_t len;
};

/* Runs all; at the first failure tells it with its place and returns false. */
bool run_source(wr_db *db, const struct printer *printer, const struct source *source);

/* The whole of a file ("-": stdin), NUL-terminated, to be freed; NULL and a message on stderr where it cannot be read. */
char *read_file(const char *path, size_t *len);
size_t mark_length(const char *text, size_t len); /* of the byte order mark that editors put before UTF-8, and cqlsh passes over; 0: none */

/* ---- shell.c ---- */

/* A command of the shell's own (HELP, EXPAND, ...) in the text, without its line end. */
enum shell_answer { SHELL_NOT_MINE, SHELL_DONE, SHELL_FAILED, SHELL_EXIT };

#endif
