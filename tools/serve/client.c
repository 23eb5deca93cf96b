#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"

struct client_name {
    struct client_name *next;
    char text[];
};

void client_init(struct client *client, struct databases *databases)
{
    enum wr_serve_database_per per = databases_per(databases);
    *client = (struct client){ .databases = databases };
    atomic_init(&client->database, per == WR_SERVE_ONE || per == WR_SERVE_PER_PREFIX ? databases_first(databases) : NULL);
    atomic_init(&client->stage, CLIENT_NEW);
    atomic_init(&client->user, NULL);
    pthread_mutex_init(&client->lock, NULL);
}

void client_release(struct client *client)
{
    while (client->idle) {
        struct client_handle *handle = client->idle;
        client->idle = handle->next;
        wr_close(handle->db);
        free(handle);
    }
    for (uint32_t i = 0; i < client->taken_count; i++)
        databases_give(client->taken[i]);
    while (client->names) {
        struct client_name *name = client->names;
        client->names = name->next;
        free(name);
    }
    free(client->taken);
    free(client->keyspace);
    pthread_mutex_destroy(&client->lock);
}

/* ---- its name ---- */

/* Under the lock. */
static struct client_name *find_name(const struct client *client, const char *user)
{
    struct client_name *name = client->names;
    while (name && strcmp(name->text, user) != 0)
        name = name->next;
    return name;
}

/* Under the lock. */
static struct client_name *add_name(struct client *client, const char *user)
{
    size_t room = strlen(user) + 1;
    struct client_name *name = malloc(sizeof *name + room);
    if (name) {
        memcpy(name->text, user, room);
        name->next = client->names;
        client->names = name;
    }
    return name;
}

bool client_log_in(struct client *client, const char *user)
{
    pthread_mutex_lock(&client->lock);
    struct client_name *name = find_name(client, user);
    if (!name)
        name = add_name(client, user);
    if (name)
        atomic_store(&client->user, name->text);
    pthread_mutex_unlock(&client->lock);
    return name != NULL;
}

/* ---- its database ---- */

/* Under the lock. name NULL: that of the connection. */
static struct database *find_taken(const struct client *client, const char *name)
{
    for (uint32_t i = 0; i < client->taken_count; i++)
        if (!name || strcmp(client->taken[i]->name, name) == 0)
            return client->taken[i];
    return NULL;
}

/* Under the lock. */
static bool add_taken(struct client *client, struct database *database)
{
    struct database **taken = realloc(client->taken, (client->taken_count + 1) * sizeof(struct database *));
    if (!taken)
        return false;
    client->taken = taken;
    client->taken[client->taken_count++] = database;
    return true;
}

struct database *client_find(struct client *client, const char *name, struct databases_error *error)
{
    pthread_mutex_lock(&client->lock);
    struct database *database = find_taken(client, name);
    pthread_mutex_unlock(&client->lock);
    struct database *found = database ? NULL : databases_take(client->databases, name, error); /* which opens it: not under the lock */
    if (!found)
        return database;
    pthread_mutex_lock(&client->lock);
    if (!(database = find_taken(client, name)) && add_taken(client, found))
        database = found;
    pthread_mutex_unlock(&client->lock);
    if (database != found) /* another thread was quicker */
        databases_give(found);
    if (!database)
        *error = (struct databases_error){ .code = ERROR_SERVER, .text = "out of memory", .script_offset = -1 };
    return database;
}

struct database *client_database(struct client *client, struct databases_error *error)
{
    struct database *database = atomic_load(&client->database);
    if (!database && (database = client_find(client, NULL, error)))
        atomic_store(&client->database, database);
    return database;
}

static void set_current(struct client *client, struct database *database, const char *keyspace)
{
    char *copy = keyspace ? strdup(keyspace) : NULL;
    pthread_mutex_lock(&client->lock);
    char *before = client->keyspace;
    client->keyspace = copy;
    atomic_store(&client->database, database);
    pthread_mutex_unlock(&client->lock);
    free(before);
}

void client_enter(struct client *client, struct database *database)
{
    set_current(client, database, NULL);
}

/* ---- handles ---- */

static bool is_keyspace(const wr_db *db, const char *keyspace)
{
    const char *current = wr_keyspace((wr_db *)db);
    return keyspace && current ? strcmp(keyspace, current) == 0 : keyspace == current;
}

static struct client_handle *handle_new(struct database *database)
{
    struct client_handle *handle = calloc(1, sizeof *handle);
    if (handle && wr_attach(database->db, &handle->db) != WR_OK) {
        free(handle);
        handle = NULL;
    }
    if (handle)
        handle->database = database;
    return handle;
}

static struct client_handle *take_idle(struct client *client, const struct database *database)
{
    pthread_mutex_lock(&client->lock);
    struct client_handle **at = &client->idle;
    while (*at && (*at)->database != database)
        at = &(*at)->next;
    struct client_handle *handle = *at;
    if (handle)
        *at = handle->next;
    pthread_mutex_unlock(&client->lock);
    return handle;
}

static enum wr_status enter_current(struct client *client, const struct client_handle *handle)
{
    char *current = client_keyspace(client, handle->database);
    enum wr_status st = is_keyspace(handle->db, current) ? WR_OK : wr_set_keyspace(handle->db, current);
    free(current);
    return st;
}

enum wr_status client_handle_enter(struct client_handle *handle, struct wire_bytes keyspace)
{
    char *name = strndup((const char *)keyspace.data, (size_t)keyspace.len);
    bool cut = name && strlen(name) < (size_t)keyspace.len; /* by a NUL: no keyspace is called so, but one may be as it begins */
    enum wr_status st = !name ? WR_NOMEM : wr_use(handle->db, cut ? "?" : name);
    free(name);
    return st;
}

struct client_handle *client_take(struct client *client, struct database *database, struct wire_bytes keyspace, char *error, size_t error_room,
                                  enum wr_status *status)
{
    struct client_handle *handle = take_idle(client, database);
    if (!handle && !(handle = handle_new(database))) {
        snprintf(error, error_room, "out of memory");
        *status = WR_NOMEM;
    } else if ((*status = wr_set_role(handle->db, client_role(client, database))) != WR_OK ||
               (*status = keyspace.data ? client_handle_enter(handle, keyspace) : enter_current(client, handle)) != WR_OK) {
        snprintf(error, error_room, "%s", wr_error(handle->db));
        client_give(client, handle);
        handle = NULL;
    }
    return handle;
}

const char *client_role(const struct client *client, const struct database *database)
{
    static const char owner[] = "cassandra"; /* the superuser that each database begins with */
    if (!client->asked)
        return NULL;
    return database == databases_first(client->databases) ? atomic_load(&client->user) : owner;
}

void client_give(struct client *client, struct client_handle *handle)
{
    if (!handle)
        return;
    pthread_mutex_lock(&client->lock);
    handle->next = client->idle;
    client->idle = handle;
    pthread_mutex_unlock(&client->lock);
}

/* ---- its keyspace ---- */

void client_use(struct client *client, const struct client_handle *handle)
{
    set_current(client, handle->database, wr_keyspace(handle->db));
}

char *client_keyspace(struct client *client, const struct database *database)
{
    pthread_mutex_lock(&client->lock);
    char *copy = client->keyspace && atomic_load(&client->database) == database ? strdup(client->keyspace) : NULL;
    pthread_mutex_unlock(&client->lock);
    return copy;
}

bool client_warns_of_another(struct client *client, const struct database *database, const char *keyspace)
{
    pthread_mutex_lock(&client->lock);
    const char *current = client->keyspace && atomic_load(&client->database) == database ? client->keyspace : NULL;
    bool same = current && keyspace ? strcmp(current, keyspace) == 0 : !current && !keyspace;
    bool warns = !client->use_warned && !same;
    client->use_warned |= warns;
    pthread_mutex_unlock(&client->lock);
    return warns;
}

bool client_warns_of_use(struct client *client)
{
    pthread_mutex_lock(&client->lock);
    bool first = !client->use_warned;
    client->use_warned = true;
    pthread_mutex_unlock(&client->lock);
    return first;
}
