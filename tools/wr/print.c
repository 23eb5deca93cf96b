/* Results as cqlsh shows them. */
#include <stdlib.h>
#include <string.h>

#include "print_value.h"
#include "wr.h"

/* ---- errors ---- */

/* What the Python driver, and so cqlsh, calls each class. */
static const struct {
    enum wr_status status;
    const char *summary;
} summaries[] = {
    { WR_SYNTAX, "Syntax error in CQL query" },
    { WR_INVALID, "Invalid query" },
    { WR_CONFIG, "Query invalid because of configuration issue" },
    { WR_UNAUTHORIZED, "Unauthorized" },
    { WR_ALREADY_EXISTS, "Item already exists" },
    { WR_SERVER_ERROR, "Server error" },
    { WR_PROTOCOL, "Protocol error" },
    { WR_UNAVAILABLE, "Unavailable exception" },
    { WR_FUNCTION_FAILURE, "User Defined Function failure" },
    { WR_READ_FAILURE, "Replica(s) failed to execute read" },
    { WR_WRITE_FAILURE, "Replica(s) failed to execute write" },
};

void print_error(FILE *out, enum wr_status status, const char *message)
{
    for (size_t i = 0; i < sizeof summaries / sizeof summaries[0]; i++)
        if (summaries[i].status == status) {
            fprintf(out, "%s: Error from server: code=%04x [%s] message=\"%s\"", wr_status_name(status), wr_status_code(status),
                    summaries[i].summary, message);
            return;
        }
    fprintf(out, "%s: %s", wr_status_name(status), message);
}

/* ---- a table of texts ---- */

struct cell {
    char *text;
    int width; /* places on a terminal */
    enum value_colour colour;
};

struct grid {
    struct cell *cells; /* row by row; the first row is the header */
    int columns;
    size_t rows, room;
};

static struct cell make_cell(struct text *t, enum value_colour colour)
{
    struct cell cell = { or_exit(t->data ? t->data : strdup("")), 0, colour };
    cell.width = text_width(cell.text);
    *t = (struct text){ 0 };
    return cell;
}

static void grid_add_row(struct grid *grid)
{
    if (grid->rows == grid->room) {
        grid->room = grid->room ? grid->room * 2 : 64;
        grid->cells = or_exit(realloc(grid->cells, grid->room * (size_t)grid->columns * sizeof *grid->cells));
    }
    grid->rows++;
}

static struct cell *grid_at(const struct grid *grid, size_t row, int column)
{
    return &grid->cells[row * (size_t)grid->columns + (size_t)column];
}

static void grid_header(struct grid *grid, wr_stmt *stmt)
{
    grid->columns = wr_column_count(stmt);
    grid_add_row(grid);
    for (int i = 0; i < grid->columns; i++) {
        struct text t = { 0 };
        text_put_escaped(&t, wr_column_name(stmt, i), strlen(wr_column_name(stmt, i)));
        *grid_at(grid, 0, i) = make_cell(&t, COLOUR_NAME);
    }
}

static void grid_row(struct grid *grid, wr_stmt *stmt)
{
    grid_add_row(grid);
    for (int i = 0; i < grid->columns; i++) {
        struct text t = { 0 };
        enum value_colour colour = text_put_value(&t, wr_column_value(stmt, i), false);
        *grid_at(grid, grid->rows - 1, i) = make_cell(&t, colour);
    }
}

/* The first rows. */
static void grid_keep(struct grid *grid, size_t rows)
{
    for (size_t i = rows * (size_t)grid->columns; i < grid->rows * (size_t)grid->columns; i++)
        free(grid->cells[i].text);
    grid->rows = rows;
}

static void grid_free(struct grid *grid)
{
    grid_keep(grid, 0);
    free(grid->cells);
}

static void put_cell(const struct printer *p, const struct cell *cell, int width, bool left)
{
    static const char *const codes[] = {
        [COLOUR_NONE] = "",           [COLOUR_NAME] = "\033[1;35m", [COLOUR_TEXT] = "\033[1;33m", [COLOUR_NUMBER] = "\033[1;32m",
        [COLOUR_NULL] = "\033[1;31m", [COLOUR_OTHER] = "\033[1;36m",
    };
    int pad = width > cell->width ? width - cell->width : 0;
    if (!left)
        fprintf(p->out, "%*s", pad, "");
    if (p->colours && cell->colour != COLOUR_NONE)
        fprintf(p->out, "%s%s\033[0m", codes[cell->colour], cell->text);
    else
        fputs(cell->text, p->out);
    if (left)
        fprintf(p->out, "%*s", pad, "");
}

static void print_wide(const struct printer *p, const struct grid *grid, bool header)
{
    int *widths = calloc((size_t)grid->columns, sizeof *widths);
    if (!widths)
        return;
    for (size_t r = 0; r < grid->rows; r++)
        for (int c = 0; c < grid->columns; c++)
            if (grid_at(grid, r, c)->width > widths[c])
                widths[c] = grid_at(grid, r, c)->width;
    if (header)
        fputc('\n', p->out);
    for (size_t r = header ? 0 : 1; r < grid->rows; r++) {
        for (int c = 0; c < grid->columns; c++) {
            fputs(c ? " | " : " ", p->out);
            put_cell(p, grid_at(grid, r, c), widths[c], r == 0);
        }
        fputc('\n', p->out);
        for (int c = 0; r == 0 && c < grid->columns; c++) {
            fputs(c ? "+" : "", p->out);
            for (int i = 0; i < widths[c] + 2; i++)
                fputc('-', p->out);
        }
        if (r == 0)
            fputc('\n', p->out);
    }
    free(widths);
}

static void print_expanded(const struct printer *p, const struct grid *grid, size_t before)
{
    int names = 0, values = 0;
    for (int c = 0; c < grid->columns; c++)
        if (grid_at(grid, 0, c)->width > names)
            names = grid_at(grid, 0, c)->width;
    for (size_t r = 1; r < grid->rows; r++)
        for (int c = 0; c < grid->columns; c++)
            if (grid_at(grid, r, c)->width > values)
                values = grid_at(grid, r, c)->width;
    for (size_t r = 1; r < grid->rows; r++) {
        fprintf(p->out, "\n@ Row %zu\n", before + r);
        for (int i = 0; i < names + values + 5; i++)
            fputc(i == names + 2 ? '+' : '-', p->out);
        fputc('\n', p->out);
        for (int c = 0; c < grid->columns; c++) {
            fputc(' ', p->out);
            put_cell(p, grid_at(grid, 0, c), names, true);
            fputs(" | ", p->out);
            put_cell(p, grid_at(grid, r, c), 0, true);
            fputc('\n', p->out);
        }
    }
}

/* Rows of a result behind those that have been printed. Each page of a terminal's has the header, of any other result it is printed once. */
static void print_grid(const struct printer *p, const struct grid *grid, size_t before)
{
    if (p->expand)
        print_expanded(p, grid, before);
    else
        print_wide(p, grid, !before || p->page_rows > 0);
}

/* ---- DESCRIBE: its statements, as text ---- */

static bool is_description(wr_stmt *stmt)
{
    const char *keyspace, *table;
    if (!wr_column_count(stmt))
        return false;
    wr_column_table(stmt, 0, &keyspace, &table);
    return strcmp(keyspace, "system") == 0 && strcmp(table, "describe") == 0;
}

static enum wr_status print_statements(const struct printer *p, wr_stmt *stmt, int statement)
{
    enum wr_status st;
    while ((st = wr_step(stmt)) == WR_ROW) {
        size_t len;
        const void *cql = wr_column_bytes(stmt, statement, &len); /* with the NUL that a table's comment may have */
        fputc('\n', p->out);
        fwrite(cql, 1, len, p->out);
        fputc('\n', p->out);
    }
    fputc('\n', p->out);
    return st;
}

static enum wr_status print_facts(const struct printer *p, wr_stmt *stmt)
{
    enum wr_status st;
    while ((st = wr_step(stmt)) == WR_ROW)
        for (int i = 0; i < wr_column_count(stmt); i++)
            fprintf(p->out, "%s: %s\n", wr_column_name(stmt, i), wr_column_text(stmt, i) ? wr_column_text(stmt, i) : "");
    fputc('\n', p->out);
    return st;
}

struct names {
    struct cell *list;
    size_t count, room;
};

static void names_add(struct names *names, const char *name)
{
    struct text t = { 0 };
    if (names->count == names->room) {
        names->room = names->room ? names->room * 2 : 64;
        names->list = or_exit(realloc(names->list, names->room * sizeof *names->list));
    }
    text_put_escaped(&t, name, strlen(name));
    names->list[names->count++] = make_cell(&t, COLOUR_NONE);
}

static int width_of_column(const struct names *names, size_t from, size_t lines)
{
    int width = 0;
    for (size_t i = from; i < names->count && i < from + lines; i++)
        if (names->list[i].width > width)
            width = names->list[i].width;
    return width;
}

/* In as few lines as fit in 80 places, ordered down the columns, as cqlsh has them. */
static void print_names(const struct printer *p, struct names *names)
{
    enum { WIDTH = 80, APART = 2 };
    size_t lines = 0;
    int width;
    do {
        width = -APART;
        lines++;
        for (size_t from = 0; from < names->count; from += lines)
            width += width_of_column(names, from, lines) + APART;
    } while (width > WIDTH && lines < names->count);
    for (size_t line = 0; line < lines; line++)
        for (size_t i = line; i < names->count; i += lines) {
            bool last = i + lines >= names->count;
            put_cell(p, &names->list[i], last ? 0 : width_of_column(names, i - line, lines) + APART, true);
            if (last)
                fputc('\n', p->out);
        }
    for (size_t i = 0; i < names->count; i++)
        free(names->list[i].text);
    names->count = 0;
}

/* Names of one keyspace, or of all, one after the other. */
static enum wr_status print_listing(const struct printer *p, wr_stmt *stmt, int name)
{
    int keyspace = wr_column_index(stmt, "keyspace_name");
    struct names names = { 0 };
    char *of = NULL;
    enum wr_status st;
    while ((st = wr_step(stmt)) == WR_ROW) {
        const char *now = strcmp(wr_column_text(stmt, wr_column_index(stmt, "type")), "keyspace") == 0 ? "" : wr_column_text(stmt, keyspace);
        if (!of || strcmp(of, now) != 0) {
            print_names(p, &names);
            free(of);
            of = strdup(now);
            fputc('\n', p->out);
            if (*now && !wr_keyspace(wr_stmt_db(stmt))) {
                fprintf(p->out, "Keyspace %s\n---------", now);
                for (size_t i = 0; i < strlen(now); i++)
                    fputc('-', p->out);
                fputc('\n', p->out);
            }
        }
        names_add(&names, wr_column_text(stmt, name));
    }
    print_names(p, &names);
    free(of);
    free(names.list);
    fputc('\n', p->out);
    return st;
}

static enum wr_status print_description(const struct printer *p, wr_stmt *stmt)
{
    int statement = wr_column_index(stmt, "create_statement"), name = wr_column_index(stmt, "name");
    if (statement >= 0)
        return print_statements(p, stmt, statement);
    return name >= 0 ? print_listing(p, stmt, name) : print_facts(p, stmt);
}

/* ---- a run ---- */

static bool wants_more(const struct printer *p)
{
    if (p->page_rows <= 0)
        return true;
    fputs("---MORE---", p->out);
    fflush(p->out);
    int c = getchar();
    for (int rest = c; rest != '\n' && rest != EOF;)
        rest = getchar();
    return c != 'q' && c != EOF;
}

enum { ROWS_AT_ONCE = 1000 }; /* of a result without pages are held: it may be larger than the memory */

static enum wr_status print_rows(const struct printer *p, wr_stmt *stmt)
{
    size_t total = 0;
    for (;;) {
        struct grid grid = { 0 };
        enum wr_status st = wr_step(stmt);
        if (st != WR_ROW && st != WR_DONE)
            return st;
        if (wr_column_count(stmt))
            grid_header(&grid, stmt);
        for (; st == WR_ROW; st = wr_step(stmt)) {
            if (p->page_rows <= 0 && grid.rows > ROWS_AT_ONCE) {
                print_grid(p, &grid, total);
                total += grid.rows - 1;
                grid_keep(&grid, 1);
            }
            grid_row(&grid, stmt);
        }
        if (st == WR_DONE && grid.rows) {
            print_grid(p, &grid, total);
            total += grid.rows - 1;
        }
        bool had_columns = grid.columns > 0;
        grid_free(&grid);
        if (st != WR_DONE)
            return st;
        size_t len;
        const void *state = wr_page_state(stmt, &len);
        if (state && wants_more(p)) {
            if ((st = wr_set_page_state(stmt, state, len)) != WR_OK)
                return st;
            continue;
        }
        if (had_columns)
            fprintf(p->out, "\n(%zu row%s)\n", total, total == 1 ? "" : "s");
        return st;
    }
}

/* ---- what a run has done (TRACING) ---- */

struct trace {
    wr_db *db;
    int64_t begun_us;
    struct grid grid;
};

enum { TRACE_ACTIVITY, TRACE_ELAPSED, TRACE_COLUMNS };
enum { TRACE_STEPS_MOST = 1000 }; /* an index leads to any number of partitions */

static void trace_put(struct trace *trace, const char *activity, const char *elapsed, enum value_colour elapsed_colour)
{
    struct text left = { 0 }, right = { 0 };
    text_put_escaped(&left, activity, strlen(activity));
    text_put_escaped(&right, elapsed, strlen(elapsed));
    grid_add_row(&trace->grid);
    *grid_at(&trace->grid, trace->grid.rows - 1, TRACE_ACTIVITY) = make_cell(&left, elapsed_colour == COLOUR_NAME ? COLOUR_NAME : COLOUR_TEXT);
    *grid_at(&trace->grid, trace->grid.rows - 1, TRACE_ELAPSED) = make_cell(&right, elapsed_colour);
}

static void trace_at(struct trace *trace, const char *activity)
{
    char elapsed[32];
    snprintf(elapsed, sizeof elapsed, "%lld", (long long)(wr_clock_now(trace->db) - trace->begun_us));
    trace_put(trace, activity, elapsed, COLOUR_NUMBER);
}

static void trace_step(void *arg, const char *activity)
{
    struct trace *trace = arg;
    if (trace->grid.rows < TRACE_STEPS_MOST)
        trace_at(trace, activity);
    else if (trace->grid.rows == TRACE_STEPS_MOST)
        trace_at(trace, "... and so on");
}

static void trace_begin(struct trace *trace, wr_stmt *stmt)
{
    *trace = (struct trace){ .db = wr_stmt_db(stmt), .grid.columns = TRACE_COLUMNS };
    trace_put(trace, "activity", "source_elapsed", COLOUR_NAME);
    trace->begun_us = wr_clock_now(trace->db);
    wr_set_trace(stmt, trace_step, trace);
}

static void trace_end(const struct printer *p, struct trace *trace, wr_stmt *stmt)
{
    wr_set_trace(stmt, NULL, NULL);
    trace_at(trace, "Request complete");
    print_wide(p, &trace->grid, true);
    grid_free(&trace->grid);
}

enum wr_status print_run(const struct printer *p, wr_stmt *stmt)
{
    const char *warning;
    struct trace trace;
    wr_set_page_size(stmt, p->page_rows);
    if (p->tracing)
        trace_begin(&trace, stmt);
    enum wr_status st = is_description(stmt) ? print_description(p, stmt) : print_rows(p, stmt);
    for (unsigned i = 0; (warning = wr_stmt_warning(stmt, i)); i++)
        fprintf(p->out, "\nWarnings :\n%s\n", warning);
    if (p->tracing)
        trace_end(p, &trace, stmt);
    fflush(p->out);
    return st;
}
