#include "clients.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "greet.h"
#include "server.h"

enum { TEXT_MAX = 128, OPTIONS_MAX = 16 };

/* A session may end while its row is being made, so the row's strings are copied; longer ones are cut. */
static _Thread_local struct copies {
    char address[TEXT_MAX], user[TEXT_MAX], keyspace[TEXT_MAX], driver_name[TEXT_MAX], driver_version[TEXT_MAX];
    char options[2 * OPTIONS_MAX][TEXT_MAX];
    const char *option_list[2 * OPTIONS_MAX];
} copies;

static const char *copy(char to[TEXT_MAX], const char *text)
{
    if (!text)
        return NULL;
    snprintf(to, TEXT_MAX, "%s", text);
    return to;
}

static void fill(struct session *session, const struct database *database, struct wr_client *out)
{
    const char *address = session->address.text;
    char *keyspace = client_keyspace(&session->client, database);
    const char *user = atomic_load(&session->client.user);
    bool ready = atomic_load(&session->client.stage) == CLIENT_READY; /* who is still being asked has no name */
    *out = (struct wr_client){
        .address = copy(copies.address, address),
        .hostname = strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ? "localhost" : copies.address,
        .port = session->address.port,
        .username = !ready ? NULL : copy(copies.user, user ? user : "anonymous"),
        .connection_stage = ready ? "ready" : "authenticating",
        .keyspace = copy(copies.keyspace, keyspace),
        .driver_name = copy(copies.driver_name, greet_option(session, "DRIVER_NAME")),
        .driver_version = copy(copies.driver_version, greet_option(session, "DRIVER_VERSION")),
        .protocol_version = session->client.version->number,
        .request_count = atomic_load(&session->request_count),
        .options = copies.option_list,
        .ssl_enabled = atomic_load(&session->tls_protocol) != NULL,
        .ssl_protocol = atomic_load(&session->tls_protocol),
        .ssl_cipher_suite = atomic_load(&session->tls_cipher),
        .option_count = session->option_count < OPTIONS_MAX ? session->option_count : OPTIONS_MAX,
    };
    free(keyspace);
    for (uint32_t i = 0; i < 2 * out->option_count; i++)
        copies.option_list[i] = copy(copies.options[i], session->options[i]);
}

bool clients_next(void *arg, uint32_t i, struct wr_client *out)
{
    struct database *database = arg;
    struct server *server = database->server;
    uint32_t greeted = 0;
    bool found = false;
    pthread_mutex_lock(&server->sessions_lock);
    for (uint32_t s = 0; s < server->session_count && !found; s++) {
        struct session *session = server->sessions[s];
        if (atomic_load(&session->client.stage) == CLIENT_NEW || atomic_load(&session->client.database) != database || greeted++ != i)
            continue;
        fill(session, database, out);
        found = true;
    }
    pthread_mutex_unlock(&server->sessions_lock);
    return found;
}
