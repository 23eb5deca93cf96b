#include "databases.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "answer.h"
#include "ascii.h"
#include "clock_functions.h"
#include "stopwatch.h"

struct databases {
    struct databases_setup setup;
    struct database first;
    pthread_mutex_t lock;  /* of what follows; held while one is opened or closed, so a folder is never both */
    struct database *list; /* but the first */
    uint32_t count;
};

static struct database *refuse(struct databases_error *error, unsigned code, const char *text)
{
    error->code = code;
    error->script_offset = -1;
    snprintf(error->text, sizeof error->text, "%s", text);
    return NULL;
}

/* ---- one ---- */

static void database_release(struct database *database)
{
    if (database->db) {
        wr_set_clients(database->db, NULL, NULL);
        wr_on_schema_change(database->db, NULL, database);
    }
    prepared_close(database->prepared);
    wr_close(database->db);
}

static unsigned line_of(const char *text, ptrdiff_t offset)
{
    unsigned line = 1;
    for (ptrdiff_t i = 0; i < offset; i++)
        line += text[i] == '\n';
    return line;
}

/* By a handle of its own, so that a USE in it is nobody else's. */
static enum wr_status run_script(wr_db *db, const char *script, struct databases_error *error)
{
    wr_db *own;
    enum wr_status st = wr_attach(db, &own);
    if (st != WR_OK)
        return st;
    if ((st = wr_exec(own, script, NULL, NULL)) != WR_OK) {
        error->script_offset = wr_error_offset(own) < 0 ? 0 : wr_error_offset(own);
        error->message = (size_t)snprintf(error->text, sizeof error->text, "line %u of the script: ", line_of(script, error->script_offset));
        snprintf(error->text + error->message, sizeof error->text - error->message, "%s", wr_error(own));
    }
    wr_close(own);
    return st;
}

static enum wr_status set_up(struct database *database, const struct databases_setup *setup, struct databases_error *error)
{
    wr_db *db = database->db;
    enum wr_status st;
    if (!(database->prepared = prepared_open(db, setup->prepared_max)))
        return WR_NOMEM;
    if (setup->script && (st = run_script(db, setup->script, error)) != WR_OK)
        return st;
    wr_set_tombstone_thresholds(db, setup->tombstones_warned, setup->tombstones_refused);
    wr_set_max_mutation_size(db, setup->mutation_bytes);
    wr_set_masking(db, true);
    if ((st = wr_set_nodes(db, setup->nodes)) != WR_OK || (st = wr_on_schema_change(db, setup->schema_changed, database)) != WR_OK ||
        (st = wr_set_clients(db, setup->clients_next, database)) != WR_OK)
        return st;
    if (setup->clock_functions && (st = clock_functions_register(db)) != WR_OK)
        return st;
    if (setup->host)
        wr_set_address(db, setup->host, setup->port); /* a read-only database tells the one it has */
    return WR_OK;
}

/* Whatever comes, the handle is the database's from now on. */
static enum wr_status database_init(struct database *database, const struct databases_setup *setup, wr_db *db, struct databases_error *error)
{
    database->db = db;
    database->server = setup->server;
    pace_set_unknown(&database->reads);
    pace_set_unknown(&database->writes);
    refuse(error, ERROR_SERVER, "");
    enum wr_status st = set_up(database, setup, error);
    if (st != WR_OK && !*error->text)
        refuse(error, ERROR_SERVER, *wr_error(db) ? wr_error(db) : "out of memory");
    return st;
}

/* A name as one of a sub-folder. What is no letter, digit, '-' or '_' is written as %XX, so it never is one of a database's own files, which
 * have dots, and never leads elsewhere. */
static char *path_of(const struct databases_setup *setup, const char *name)
{
    size_t room = strlen(setup->folder) + 1 + 3 * strlen(name) + 1;
    char *path = malloc(room);
    int at = path ? snprintf(path, room, "%s/", setup->folder) : 0;
    for (const char *c = name; path && *c; c++)
        at += snprintf(path + at, room - (size_t)at, ascii_is_letter_or_digit(*c) || *c == '-' || *c == '_' ? "%c" : "%%%02X", (unsigned char)*c);
    return path;
}

static struct database *database_new(const struct databases_setup *setup, const char *name, struct databases_error *error)
{
    struct wr_options options = WR_OPTIONS_INIT;
    struct database *database = calloc(1, sizeof *database);
    char *path = setup->folder && database ? path_of(setup, name) : NULL;
    wr_db *db = NULL;
    enum wr_status st = WR_NOMEM;
    if (!database)
        return refuse(error, ERROR_SERVER, "out of memory");
    snprintf(database->name, sizeof database->name, "%s", name);
    options.durability = setup->durability;
    if (!setup->folder || path)
        st = wr_open(path, &options, &db);
    free(path);
    if (st == WR_OK && database_init(database, setup, db, error) == WR_OK)
        return database;
    if (st != WR_OK) {
        database->db = db;
        refuse(error, ERROR_SERVER, db && *wr_error(db) ? wr_error(db) : "out of memory");
    }
    database_release(database);
    free(database);
    return NULL;
}

/* ---- all of them ---- */

enum wr_serve_database_per databases_per(const struct databases *databases)
{
    return databases->setup.per;
}

struct database *databases_first(struct databases *databases)
{
    return &databases->first;
}

/* Under the lock, which is where the first user comes from. */
static bool is_unused(const struct database *database)
{
    return atomic_load(&((struct database *)database)->users) == 0;
}

/* Under the lock. */
static void close_at(struct databases *databases, struct database **at)
{
    struct database *database = *at;
    *at = database->next;
    databases->count--;
    database_release(database);
    free(database);
}

/* Under the lock. */
static bool make_room(struct databases *databases)
{
    struct database **oldest = NULL;
    if (databases->count < databases->setup.most)
        return true;
    for (struct database **at = &databases->list; *at; at = &(*at)->next)
        if (is_unused(*at) && (!oldest || atomic_load(&(*at)->unused_us) < atomic_load(&(*oldest)->unused_us)))
            oldest = at;
    if (oldest)
        close_at(databases, oldest);
    return oldest;
}

/* Under the lock. */
static struct database *find(struct databases *databases, const char *name)
{
    for (struct database *database = databases->list; database; database = database->next)
        if (strcmp(database->name, name) == 0)
            return database;
    return NULL;
}

struct database *databases_take(struct databases *databases, const char *name, struct databases_error *error)
{
    if (name && (!*name || strlen(name) > DATABASE_NAME_MAX))
        return refuse(error, ERROR_INVALID, "a database's name has 1 to 128 bytes");
    pthread_mutex_lock(&databases->lock);
    struct database *database = name ? find(databases, name) : NULL;
    if (!database && !make_room(databases)) {
        refuse(error, ERROR_OVERLOADED, "");
        snprintf(error->text, sizeof error->text, "Too many databases in use: the server opens %u", databases->setup.most);
    } else if (!database && (database = database_new(&databases->setup, name ? name : "", error))) {
        database->next = databases->list;
        databases->list = database;
        databases->count++;
    }
    if (database)
        atomic_fetch_add(&database->users, 1);
    pthread_mutex_unlock(&databases->lock);
    return database;
}

void databases_give(struct database *database)
{
    atomic_store(&database->unused_us, stopwatch_us());
    atomic_fetch_sub(&database->users, 1);
}

/* ---- closing what nobody uses ---- */

/* Under the lock. */
static bool is_due(const struct databases *databases, struct database *database, uint64_t now_us)
{
    uint64_t idle_us = (uint64_t)databases->setup.idle_s * 1000000;
    if (!is_unused(database))
        return false;
    return !*database->name || (idle_us && now_us - atomic_load(&database->unused_us) >= idle_us);
}

bool databases_are_due(struct databases *databases)
{
    bool due = false;
    if (pthread_mutex_trylock(&databases->lock) != 0) /* for the loop's thread, which does not wait while one is opened */
        return false;
    uint64_t now_us = stopwatch_us();
    for (struct database *database = databases->list; database && !due; database = database->next)
        due = is_due(databases, database, now_us);
    pthread_mutex_unlock(&databases->lock);
    return due;
}

void databases_sweep(struct databases *databases)
{
    pthread_mutex_lock(&databases->lock);
    uint64_t now_us = stopwatch_us();
    for (struct database **at = &databases->list; *at;)
        if (is_due(databases, *at, now_us))
            close_at(databases, at);
        else
            at = &(*at)->next;
    pthread_mutex_unlock(&databases->lock);
}

size_t databases_prefix(const struct databases *databases, const char *keyspace, size_t len)
{
    if (databases->setup.per != WR_SERVE_PER_PREFIX)
        return 0;
    for (size_t i = 1; i + 2 <= len; i++)
        if (keyspace[i] == '_' && keyspace[i + 1] == '_')
            return i + 2;
    return 0;
}

/* ---- opening and closing ---- */

static enum wr_status open_first(struct databases *databases, wr_db *first, struct databases_error *error)
{
    const char *folder = databases->setup.folder;
    wr_db *db = NULL;
    enum wr_status st = wr_attach(first, &db);
    if (st != WR_OK) {
        refuse(error, ERROR_SERVER, wr_error(first));
        return st;
    }
    st = database_init(&databases->first, &databases->setup, db, error);
    if (st == WR_OK && folder && mkdir(folder, 0777) < 0 && errno != EEXIST) {
        snprintf(error->text, sizeof error->text, "cannot make the folder %s: %s", folder, strerror(errno));
        st = WR_IO;
    }
    return st;
}

struct databases *databases_open(wr_db *first, const struct databases_setup *setup, enum wr_status *status, struct databases_error *error)
{
    struct databases *databases = calloc(1, sizeof *databases);
    *status = WR_NOMEM;
    refuse(error, ERROR_SERVER, "out of memory");
    if (!databases)
        return NULL;
    databases->setup = *setup;
    databases->setup.folder = setup->folder ? strdup(setup->folder) : NULL;
    databases->setup.host = setup->host ? strdup(setup->host) : NULL;
    databases->setup.script = setup->script ? strdup(setup->script) : NULL;
    pthread_mutex_init(&databases->lock, NULL);
    if (!databases->setup.folder == !setup->folder && !databases->setup.host == !setup->host &&
        !databases->setup.script == !setup->script)
        *status = open_first(databases, first, error);
    if (*status == WR_OK)
        return databases;
    databases_close(databases);
    return NULL;
}

void databases_close(struct databases *databases)
{
    if (!databases)
        return;
    while (databases->list)
        close_at(databases, &databases->list);
    database_release(&databases->first);
    pthread_mutex_destroy(&databases->lock);
    free((char *)databases->setup.folder);
    free((char *)databases->setup.host);
    free((char *)databases->setup.script);
    free(databases);
}
