/*
 * wr.h - the program `wr`, on the public header alone: what its rooms share.
 */
#ifndef WR_TOOLS_WR_H
#define WR_TOOLS_WR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "widerow.h"

/* ---- main.c ---- */

/* Opens a database for a command, NULL: in memory; tells why not on stderr and returns NULL. */
wr_db *open_or_tell(const char *path, bool must_exist, bool read_only);
wr_db *open_by_options(const char *path, struct wr_options options); /* likewise */

bool is_system_keyspace(const char *name);

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

/* ---- command.c: commands of the shell's own (HELP, EXPAND, ...) ---- */

struct capture {
    FILE *file;         /* where statements' results go; NULL: to stdout */
    bool colours;       /* that the printer had before */
    char path[PATH_MAX];
};

struct shell {
    wr_db *db;
    struct printer printer;
    struct capture capture;
    bool interactive, failed;
    bool left;     /* by EXIT */
    int page_rows; /* as PAGING has it */
    int depth;     /* of SOURCE within SOURCE */
    enum wr_consistency consistency, serial;
    bool has_consistency, has_serial; /* by CONSISTENCY: else statements ask for none (wr_set_consistency) */
};

enum { ROWS_A_PAGE = 100 };

struct shell new_shell(wr_db *db); /* with what is so until something else is said */
void shell_settle_pages(struct shell *shell); /* only somebody at a terminal who sees the rows is asked for more */

/* The one path that an argument is, with a `~` before its first `/` put in full. false: it is none, or more than one. */
bool take_path(const char *argument, char *out, size_t size);
void put_home(char *path, size_t size); /* for that `~`, in place */

bool is_own_command(const char *text, size_t len); /* that the text begins with */
/* A command, or DESCRIBE, which the server answers: it ends with its line as well as with a semicolon. */
bool ends_with_line(const char *text, size_t len);
size_t line_end(const char *text, size_t len, bool *complete); /* of such: how long it is, with what ends it */
extern const char told[]; /* a failure of which somebody has told already: it is empty */
/* Of the command that the text begins with. NULL, or why not, or told. */
const char *run_own_command(struct shell *shell, const char *text, size_t len);

/* What such a command is to a script that is read and not run: most say how to ask and to show, and are passed over. */
enum in_script { SCRIPT_PASSES_OVER, SCRIPT_SOURCES, SCRIPT_ENDS, SCRIPT_CANNOT };
enum { SOURCE_DEPTH_MAX = 8 };
/* And the file of SOURCE; empty: none, or more than one. */
enum in_script command_in_script(const char *text, size_t len, char *file, size_t size);

const char *do_copy(struct shell *shell, const char *argument); /* copy.c: COPY */

/* ---- capture.c: CAPTURE ---- */

const char *do_capture(struct shell *shell, const char *argument);
void capture_leave(struct shell *shell); /* its printer shows again; the file stays open, another shell's */
bool capture_end(struct shell *shell);   /* and is closed; false: it could not be written, which is told */

/* ---- script.c: statements and commands of a text, one after the other ---- */

struct source {
    const char *name; /* of the file, for messages; NULL: typed */
    const char *text;
    size_t len;
};

struct piece {
    size_t start, end; /* in the text; blanks and comments before it are left out */
    bool complete, blank, own;
};
struct piece next_piece(const struct source *source, size_t at);

/* "file:3:14: message", and the place. `status` WR_OK: the message is all there is. */
void tell_at(const struct source *source, size_t at, enum wr_status status, const char *message);
void ask_for_levels(const struct shell *shell, wr_stmt *stmt); /* of consistency, as CONSISTENCY has it */
/* Tells a failure with its place, and returns false. */
bool run_piece(struct shell *shell, const struct source *source, const struct piece *piece);
bool run_source(struct shell *shell, const struct source *source); /* all, up to the first failure */

/* The whole of a file ("-": stdin), NUL-terminated, to be freed; NULL and a message on stderr where it cannot be read. */
char *read_file(const char *path, size_t *len);
size_t mark_length(const char *text, size_t len); /* of the byte order mark that editors put before UTF-8, and cqlsh passes over; 0: none */

/* ---- suite.c: the scripts of a suite that is served, made one text ---- */

struct suite {
    char *text; /* CQL alone, NUL-terminated; NULL: no script */
    size_t len, room, part_count;
    struct part *parts;
    struct file *files;
};

/* Puts a script behind those that are there: SOURCE brings another, EXIT ends its own. Tells why not, and returns false. */
bool suite_add(struct suite *suite, const char *path);
void suite_tell_failure(const struct suite *suite, size_t offset, enum wr_status status, const char *message); /* at a place of the text, in the file's words */
void suite_release(struct suite *suite);

#endif
