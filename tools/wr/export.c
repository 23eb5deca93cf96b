/* wr export: a database as a script, for a cluster or another database. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "wr.h"

enum { BATCH_BYTES = 16384 };

struct export {
    wr_db *db;
    const char *keyspace, *table; /* those alone; NULL: all */
    int64_t since_us;
    size_t batch_bytes;
    bool schema, data, failed;
};

static void tell_failure(struct export *export)
{
    fprintf(stderr, "wr: %s\n", wr_error(export->db));
    export->failed = true;
}

static bool on_schema(void *arg, const char *cql, size_t len)
{
    (void)arg;
    return fwrite(cql, 1, len, stdout) == len && fputs(";\n\n", stdout) >= 0;
}

static bool on_statement(void *arg, const char *cql, size_t len)
{
    (void)arg;
    return fwrite(cql, 1, len, stdout) == len && fputs(";\n", stdout) >= 0;
}

static void print_data(struct export *export, const char *keyspace, const char *table)
{
    if (wr_table_export(export->db, keyspace, table, export->since_us, export->batch_bytes, on_statement, NULL) != WR_OK)
        tell_failure(export);
}

static bool on_table(void *arg, wr_stmt *row)
{
    struct export *export = arg;
    const char *keyspace = wr_column_text(row, 0);
    if (export->keyspace ? strcmp(keyspace, export->keyspace) == 0 : !is_system_keyspace(keyspace))
        print_data(export, keyspace, wr_column_text(row, 1));
    return !export->failed && !ferror(stdout);
}

static void print_schema(struct export *export)
{
    if (wr_schema_export(export->db, export->keyspace, export->table, on_schema, NULL) != WR_OK)
        tell_failure(export);
}

static void print_tables(struct export *export)
{
    if (export->table)
        print_data(export, export->keyspace, export->table);
    else if (export->keyspace && wr_use(export->db, export->keyspace) != WR_OK)
        tell_failure(export);
    else if (wr_exec(export->db, "SELECT keyspace_name, table_name FROM system_schema.tables", on_table, export) != WR_OK)
        tell_failure(export);
}

/* Drivers put their clocks' times to what they write, and it comes later. What two scripts tell is told twice, which changes nothing. */
enum { MARGIN_US = 10000000 };

/* Until when the script has all, for the next one. */
static void print_mark(struct export *export)
{
    struct wr_db_stats stats;
    if (wr_db_stats(export->db, &stats) != WR_OK)
        tell_failure(export);
    else
        printf("-- what is written from now on: --since %lld\n", (long long)stats.last_timestamp_us - MARGIN_US);
}

static bool take_since(struct export *export, const char *text)
{
    char *end;
    errno = 0;
    export->since_us = strtoll(text, &end, 10);
    export->schema = false;
    return *text && !*end && !errno;
}

int command_export(int argc, char **argv)
{
    struct export export = { .since_us = INT64_MIN, .batch_bytes = BATCH_BYTES, .schema = true, .data = true };
    const char *path = NULL;
    char *name = NULL;
    bool understood = true;
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "--schema") == 0)
            export.data = false;
        else if (strcmp(argv[i], "--data") == 0)
            export.schema = false;
        else if (strcmp(argv[i], "--unbatched") == 0)
            export.batch_bytes = 0;
        else if (strcmp(argv[i], "--since") == 0 && i + 1 < argc)
            understood &= take_since(&export, argv[++i]);
        else if (!path)
            path = argv[i];
        else if (!name && argv[i][0] != '-')
            name = argv[i];
        else
            understood = false;
    }
    if (!path || !understood || !(export.schema || export.data)) {
        fprintf(stderr, "usage: wr export PATH [KEYSPACE[.TABLE]] [--schema | --data | --since TIMESTAMP] [--unbatched]\n");
        return 2;
    }
    char *dot = name ? strchr(name, '.') : NULL;
    if (dot)
        *dot = 0;
    export.keyspace = name;
    export.table = dot ? dot + 1 : NULL;
    if (!(export.db = open_or_tell(path, true, true)))
        return 1;
    if (export.data)
        print_mark(&export);
    if (export.schema && !export.failed)
        print_schema(&export);
    if (export.data && !export.failed)
        print_tables(&export);
    wr_close(export.db);
    return export.failed ? 1 : 0;
}
