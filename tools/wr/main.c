/* The commands of `wr`. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "wr.h"

static int command_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("wr %s\n", wr_version());
    return 0;
}

static int command_help(int argc, char **argv);

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *usage, *about;
} commands[] = {
    { "shell", command_shell, "[PATH] [-e STATEMENTS]", "an interactive CQL shell; without PATH on a database in memory" },
    { "run", command_run, "FILE.cql [PATH]", "runs a script (-: standard input); stops at the first error" },
#ifdef WIDEROW_SERVE
    { "serve", command_serve, "[PATH] [--listen HOST:PORT | --port PORT | --socket FILE] [--replicas N] [--threads N]\n"
      "           [--connections N] [--idle SECONDS] [--allow-remote] [--auth] [--durability periodic|full|none]\n"
      "           [--database-per user|prefix|connection [--databases N] [--database-idle SECONDS]]\n"
      "           [--tombstone-warn N] [--tombstone-failure N] [--max-mutation-size BYTES] [--read-timeout SECONDS]\n"
      "           [--clock] [--script FILE.cql]... [--until-stdin-ends]\n"
      "           [--tls-cert FILE --tls-key FILE [--tls-client-ca FILE]]",
      "serves a database to Cassandra's drivers and tools (127.0.0.1:9042); without PATH one in memory; --port 0: a free port" },
#endif
    { "check", command_check, "PATH", "walks the whole database and checks every promise of its format" },
    { "stats", command_stats, "PATH [--json] [--cells KEYSPACE.TABLE [KEY]]", "tables, partitions, rows, bytes; or the stored cells of a table" },
    { "backup", command_backup, "PATH TO", "copies a database, consistently, while others write" },
    { "export", command_export, "PATH [KEYSPACE[.TABLE]] [--schema | --data | --since TIMESTAMP] [--unbatched]",
      "prints the CQL that makes it again, here or on a cluster: schema, and data with timestamps and TTLs, a batch (--unbatched: a statement) a line" },
    { "version", command_version, "", "the version" },
    { "help", command_help, "[COMMAND]", "this; or of one command, as --help behind it" },
};

static const size_t command_count = sizeof commands / sizeof commands[0];

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < command_count; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    fprintf(stderr, "wr: there is no command %s (see wr help)\n", name);
    return NULL;
}

/* Cassandra's own, by name: CREATE KEYSPACE takes any other that begins with system_, too. */
bool is_system_keyspace(const char *name)
{
    static const char *const names[] = { "system",        "system_schema", "system_auth",          "system_distributed",
                                         "system_traces", "system_views",  "system_virtual_schema" };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

static int describe_command(const struct command *command)
{
    printf("  wr %s%s%s\n      %s\n", command->name, *command->usage ? " " : "", command->usage, command->about);
    return 0;
}

static int command_help(int argc, char **argv)
{
    if (argc > 0) {
        const struct command *command = find_command(argv[0]);
        return command ? describe_command(command) : 2;
    }
    printf("wr %s, an embedded wide-row database: Cassandra's data model and CQL in one process\n\n", wr_version());
    for (size_t i = 0; i < command_count; i++)
        describe_command(&commands[i]);
    return 0;
}

static bool asks_for_help(const char *arg)
{
    return strcmp(arg, "--help") == 0 || strcmp(arg, "-h") == 0;
}

enum { TOMBSTONES_WARNED = 1000 }; /* a server's tombstone_warn_threshold */

wr_db *open_or_tell(const char *path, bool must_exist, bool read_only)
{
    struct wr_options options = WR_OPTIONS_INIT;
    options.must_exist = must_exist;
    options.read_only = read_only;
    return open_by_options(path, options);
}

wr_db *open_by_options(const char *path, struct wr_options options)
{
    wr_db *db;
    enum wr_status st = wr_open(path, &options, &db);
    bool left_behind = st == WR_BUSY && options.read_only;         /* by a process that is gone: who opens it for writing puts it right */
    bool no_writes_here = st == WR_READONLY && !options.read_only; /* a read-only medium: statements that write will be told */
    if (left_behind || no_writes_here) {
        wr_close(db);
        options.read_only = !options.read_only;
        st = wr_open(path, &options, &db);
    }
    if (st == WR_OK) {
        wr_set_tombstone_thresholds(db, TOMBSTONES_WARNED, 0);
        wr_set_masking(db, true);
        return db;
    }
    fprintf(stderr, "wr: %s: %s\n", path ? path : "memory", db ? wr_error(db) : "out of memory");
    wr_close(db);
    return NULL;
}

/* What was printed and did not arrive (a full disk) makes a success a failure. */
static int end_output(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "wr: standard output could not be written\n");
    return status ? status : 1;
}

int main(int argc, char **argv)
{
    signal(SIGXFSZ, SIG_IGN); /* whoever writes is told that a file may not grow (ulimit -f), as of a full disk */
    if (argc < 2) {
        command_help(0, NULL);
        return 2;
    }
    const char *name = asks_for_help(argv[1]) ? "help" : strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
    const struct command *command = find_command(name);
    if (!command)
        return 2;
    if (argc > 2 && asks_for_help(argv[2]))
        return end_output(describe_command(command));
    return end_output(command->run(argc - 2, argv + 2));
}
