/* Which database a request is run on, where a server has several. */
#include "run.h"

#include <stdio.h>
#include <stdlib.h>

static bool run_on(struct run *run, struct database *database, const struct databases_error *error)
{
    if (!database) {
        answer_error(&run->answer, error->code, "%s", error->text);
        return false;
    }
    run->database = database;
    run->db = database->db;
    run->prepared = database->prepared;
    return true;
}

bool run_choose(struct run *run, bool greeted)
{
    struct databases_error error;
    struct client *client = run->client;
    return run_on(run, greeted ? client_database(client, &error) : databases_first(client->databases), &error);
}

bool run_choose_user(struct run *run, const char *user)
{
    struct databases_error error;
    struct client *client = run->client;
    struct database *first = databases_first(client->databases);
    bool keeps_roles = client->asked && auth_is_super(first->db, user); /* somebody has to make them, and that is where they are */
    if (!run_on(run, keeps_roles ? first : client_find(client, user, &error), &error))
        return false;
    if (run->database != atomic_load(&client->database)) /* who logs in again keeps the keyspace */
        client_enter(client, run->database);
    return true;
}

bool run_enter(struct run *run, struct wire_bytes *keyspace)
{
    enum { SEPARATOR_LEN = 2 };
    char name[DATABASE_NAME_MAX + 2]; /* too long a one stays too long */
    struct databases_error error;
    size_t at = keyspace->data ? databases_prefix(run->client->databases, (const char *)keyspace->data, (size_t)keyspace->len) : 0;
    if (!at)
        return true;
    snprintf(name, sizeof name, "%.*s", (int)(at - SEPARATOR_LEN), (const char *)keyspace->data);
    *keyspace = (struct wire_bytes){ keyspace->data + at, keyspace->len - (int32_t)at };
    if (!keyspace->len)
        keyspace->data = NULL;
    return run_on(run, client_find(run->client, name, &error), &error);
}

void run_answer_use(struct run *run, const char *keyspace)
{
    char name[2 * DATABASE_NAME_MAX];
    const struct database *database = run->database;
    bool prefixed = databases_per(run->client->databases) == WR_SERVE_PER_PREFIX && *database->name;
    snprintf(name, sizeof name, "%s%s%s", prefixed ? database->name : "", prefixed ? "__" : "", keyspace);
    answer_keyspace(&run->answer, name); /* the driver asks for it by that name on its other connections */
}

bool run_use_elsewhere(struct run *run, const wr_stmt *stmt)
{
    enum wr_status st;
    struct wire_bytes keyspace = { NULL, 0 };
    size_t len;
    keyspace.data = (const uint8_t *)wr_stmt_use(stmt, &len);
    keyspace.len = (int32_t)len;
    if (!keyspace.data || !databases_prefix(run->client->databases, (const char *)keyspace.data, len))
        return false;
    if (!run_enter(run, &keyspace))
        return true;
    if (!keyspace.data) {
        client_enter(run->client, run->database);
        run_answer_use(run, "");
        return true;
    }
    struct client_handle *handle = client_take(run->client, run->database, keyspace, run->error, sizeof run->error, &st);
    if (!handle) {
        run_fail(run, st, run->error);
        return true;
    }
    client_use(run->client, handle);
    run_answer_use(run, wr_keyspace(handle->db));
    client_give(run->client, handle);
    return true;
}
