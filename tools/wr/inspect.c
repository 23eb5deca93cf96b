/* wr check, wr stats, wr backup. */
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "print_value.h"
#include "wr.h"

static void print_finding(void *arg, const char *finding)
{
    (void)arg;
    printf("%s\n", finding);
}

int command_check(int argc, char **argv)
{
    uint64_t findings = 0;
    if (argc != 1) {
        fprintf(stderr, "usage: wr check PATH\n");
        return 2;
    }
    wr_db *db = open_or_tell(argv[0], true, true);
    if (!db)
        return 1;
    enum wr_status st = wr_check(db, print_finding, NULL, &findings);
    if (st != WR_OK)
        fprintf(stderr, "wr: %s\n", wr_error(db));
    else if (findings)
        printf("%llu findings\n", (unsigned long long)findings);
    else
        printf("ok\n");
    wr_close(db);
    return st == WR_OK && !findings ? 0 : 1;
}

int command_backup(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: wr backup PATH TO\n");
        return 2;
    }
    wr_db *db = open_or_tell(argv[0], true, true);
    if (!db)
        return 1;
    enum wr_status st = wr_backup(db, argv[1]);
    if (st != WR_OK)
        fprintf(stderr, "wr: %s\n", wr_error(db));
    wr_close(db);
    return st == WR_OK ? 0 : 1;
}

/* ---- stats ---- */

struct stats {
    wr_db *db;
    cJSON *tables; /* NULL: printed as text */
    bool failed;   /* of some table there are none */
};

static void add_count(cJSON *object, const char *name, uint64_t n)
{
    cJSON_AddNumberToObject(object, name, (double)n);
}

static void json_table(struct stats *stats, const char *keyspace, const char *name, const struct wr_table_stats *t)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "keyspace", keyspace);
    cJSON_AddStringToObject(object, "table", name);
    add_count(object, "partitions", t->partitions);
    add_count(object, "rows", t->rows);
    add_count(object, "cells", t->cells);
    add_count(object, "tombstones", t->tombstones);
    add_count(object, "bytes", t->bytes);
    add_count(object, "widest_partition_rows", t->widest_partition_rows);
    add_count(object, "widest_partition_bytes", t->widest_partition_bytes);
    cJSON_AddItemToArray(stats->tables, object);
}

static bool on_table(void *arg, wr_stmt *row)
{
    struct stats *stats = arg;
    struct wr_table_stats t;
    const char *keyspace = wr_column_text(row, 0), *name = wr_column_text(row, 1);
    char label[128];
    if (is_system_keyspace(keyspace))
        return true;
    if (wr_table_stats(stats->db, keyspace, name, &t) != WR_OK) {
        fprintf(stderr, "wr: %s.%s: %s\n", keyspace, name, wr_error(stats->db));
        stats->failed = true;
        return true;
    }
    if (stats->tables) {
        json_table(stats, keyspace, name, &t);
        return true;
    }
    snprintf(label, sizeof label, "%s.%s", keyspace, name);
    printf("%-40s %12llu %12llu %12llu %12llu %14llu %12llu %14llu\n", label, (unsigned long long)t.partitions,
           (unsigned long long)t.rows, (unsigned long long)t.cells, (unsigned long long)t.tombstones, (unsigned long long)t.bytes,
           (unsigned long long)t.widest_partition_rows, (unsigned long long)t.widest_partition_bytes);
    return true;
}

static int print_stats(wr_db *db, bool json)
{
    struct stats stats = { .db = db };
    struct wr_db_stats whole;
    if (wr_db_stats(db, &whole) != WR_OK) {
        fprintf(stderr, "wr: %s\n", wr_error(db));
        return 1;
    }
    cJSON *document = json ? cJSON_CreateObject() : NULL;
    if (json) {
        add_count(document, "file_bytes", whole.file_bytes);
        add_count(document, "used_bytes", whole.used_bytes);
        add_count(document, "free_bytes", whole.free_bytes);
        add_count(document, "entries", whole.entries);
        stats.tables = cJSON_AddArrayToObject(document, "tables");
    } else {
        printf("file %llu bytes, used %llu, free %llu, entries %llu\n\n", (unsigned long long)whole.file_bytes,
               (unsigned long long)whole.used_bytes, (unsigned long long)whole.free_bytes, (unsigned long long)whole.entries);
        printf("%-40s %12s %12s %12s %12s %14s %12s %14s\n", "table", "partitions", "rows", "cells", "tombstones", "bytes", "widest rows",
               "widest bytes");
    }
    enum wr_status st = wr_exec(db, "SELECT keyspace_name, table_name FROM system_schema.tables", on_table, &stats);
    if (st == WR_OK)
        st = wr_exec(db, "SELECT keyspace_name, view_name FROM system_schema.views", on_table, &stats);
    if (st != WR_OK)
        fprintf(stderr, "wr: %s\n", wr_error(db));
    if (json) {
        char *text = cJSON_Print(document);
        if (text)
            puts(text);
        free(text);
        cJSON_Delete(document);
    }
    return st == WR_OK && !stats.failed ? 0 : 1;
}

/* ---- cells: a partition as it is stored, the columns of a row one below the other ---- */

struct cells_view {
    char *partition, *clustering;
};

static bool differs(char **last, const char *now)
{
    if (*last && strcmp(*last, now) == 0)
        return false;
    free(*last);
    *last = strdup(now);
    return true;
}

/* On one line, and nothing in it that a terminal would obey. */
static void put_shown(const char *before, const char *shown)
{
    struct text t = { 0 };
    text_put_escaped(&t, shown, strlen(shown));
    printf("%s%s", before, t.data ? t.data : "");
    free(t.data);
}

static bool on_cell(void *arg, const struct wr_cell *cell)
{
    struct cells_view *view = arg;
    if (differs(&view->partition, cell->partition_key)) {
        put_shown("", cell->partition_key);
        putchar('\n');
        free(view->clustering);
        view->clustering = NULL;
    }
    const char *row = !cell->clustering ? "(static)" : *cell->clustering ? cell->clustering : "(row)";
    if (differs(&view->clustering, row)) {
        put_shown("  ", row);
        putchar('\n');
    }
    put_shown("    ", cell->column);
    if (cell->element)
        put_shown(":", cell->element);
    if (cell->value)
        put_shown(" = ", cell->value);
    printf("%s[%s @ %lld", *cell->column ? " " : "", cell->kind, (long long)cell->timestamp_us);
    if (cell->ttl_s)
        printf(", ttl %u", cell->ttl_s);
    if (cell->local_s)
        printf(", %s %u", cell->ttl_s ? "expires" : "made", cell->local_s);
    printf("]\n");
    return true;
}

static int print_cells(wr_db *db, char *table, const char *key)
{
    char *dot = strchr(table, '.');
    struct cells_view view = { NULL, NULL };
    if (!dot) {
        fprintf(stderr, "wr: --cells takes KEYSPACE.TABLE\n");
        return 2;
    }
    *dot = 0;
    enum wr_status st = wr_table_cells(db, table, dot + 1, key, on_cell, &view);
    if (st != WR_OK)
        fprintf(stderr, "wr: %s\n", wr_error(db));
    free(view.partition);
    free(view.clustering);
    return st == WR_OK ? 0 : 1;
}

int command_stats(int argc, char **argv)
{
    bool json = false;
    char *table = NULL;
    const char *path = NULL, *key = NULL;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--json") == 0)
            json = true;
        else if (strcmp(argv[i], "--cells") == 0 && i + 1 < argc)
            table = argv[++i];
        else if (!path)
            path = argv[i];
        else if (table && !key)
            key = argv[i];
        else
            path = NULL, i = argc;
    }
    if (!path) {
        fprintf(stderr, "usage: wr stats PATH [--json] [--cells KEYSPACE.TABLE [KEY]]\n");
        return 2;
    }
    wr_db *db = open_or_tell(path, true, true);
    if (!db)
        return 1;
    int status = table ? print_cells(db, table, key) : print_stats(db, json);
    wr_close(db);
    return status;
}
