#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void client_init(struct client *client, wr_db *db)
{
    *client = (struct client){ .db = db, .user = "anonymous" };
    atomic_init(&client->stage, CLIENT_NEW);
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
    free(client->keyspace);
    pthread_mutex_destroy(&client->lock);
}

static bool is_keyspace(const wr_db *db, const char *keyspace)
{
    const char *current = wr_keyspace((wr_db *)db);
    return keyspace && current ? strcmp(keyspace, current) == 0 : keyspace == current;
}

static struct client_handle *handle_new(struct client *client)
{
    struct client_handle *handle = calloc(1, sizeof *handle);
    if (handle && wr_attach(client->db, &handle->db) != WR_OK) {
        free(handle);
        handle = NULL;
    }
    return handle;
}

struct client_handle *client_take(struct client *client, struct wire_bytes keyspace, char *error, size_t error_room, enum wr_status *status)
{
    char *wanted = keyspace.data ? strndup((const char *)keyspace.data, (size_t)keyspace.len) : client_keyspace(client);
    pthread_mutex_lock(&client->lock);
    struct client_handle *handle = client->idle;
    if (handle)
        client->idle = handle->next;
    pthread_mutex_unlock(&client->lock);
    if (!handle && !(handle = handle_new(client))) {
        snprintf(error, error_room, "out of memory");
        *status = WR_NOMEM;
    } else if ((*status = wr_set_role(handle->db, client_role(client))) != WR_OK ||
               (!is_keyspace(handle->db, wanted) && (*status = wr_use(handle->db, wanted)) != WR_OK)) {
        snprintf(error, error_room, "%s", wr_error(handle->db));
        client_give(client, handle);
        handle = NULL;
    }
    free(wanted);
    return handle;
}

const char *client_role(const struct client *client)
{
    return client->asked ? client->user : NULL;
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

void client_use(struct client *client, const struct client_handle *handle)
{
    const char *keyspace = wr_keyspace(handle->db);
    char *copy = keyspace ? strdup(keyspace) : NULL;
    pthread_mutex_lock(&client->lock);
    char *before = client->keyspace;
    client->keyspace = copy;
    pthread_mutex_unlock(&client->lock);
    free(before);
}

char *client_keyspace(struct client *client)
{
    pthread_mutex_lock(&client->lock);
    char *copy = client->keyspace ? strdup(client->keyspace) : NULL;
    pthread_mutex_unlock(&client->lock);
    return copy;
}

bool client_warns_of_use(struct client *client)
{
    pthread_mutex_lock(&client->lock);
    bool first = !client->use_warned;
    client->use_warned = true;
    pthread_mutex_unlock(&client->lock);
    return first;
}
