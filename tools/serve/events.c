#include "events.h"

#include <arpa/inet.h>

#include "request.h"

/* database NULL: whichever they have. other: for those whose version does not know of functions; NULL: the same. */
static void push(struct server *server, struct answer *event, struct answer *other, enum request_event kind, const struct database *database)
{
    pthread_mutex_lock(&server->sessions_lock);
    for (uint32_t i = 0; i < server->session_count; i++) {
        struct session *session = server->sessions[i];
        struct wire_out frame = { 0 };
        if (!(atomic_load(&session->events) & 1u << kind) || (database && atomic_load(&session->client.database) != database))
            continue;
        answer_frame(&frame, other && !session->client.version->functions ? other : event, session->format, -1);
        session_push(session, &frame);
    }
    pthread_mutex_unlock(&server->sessions_lock);
}

static void begin(struct answer *event, const char *kind)
{
    answer_init(event);
    event->opcode = OP_EVENT;
    wire_put_string(&event->head, kind);
}

static void make_schema_change(struct answer *event, unsigned version, const struct wr_schema_change *change)
{
    begin(event, "SCHEMA_CHANGE");
    if (!answer_put_schema_change(&event->head, version_of(version), change))
        return;
    wire_put_u16(&event->head, (uint16_t)change->argument_count);
    for (uint32_t i = 0; i < change->argument_count; i++)
        wire_put_string(&event->head, change->argument_types[i]);
}

void events_schema_change(const struct database *database, const struct wr_schema_change *change)
{
    enum { WITH_FUNCTIONS = 4, WITHOUT = 3 };
    struct answer event, other;
    make_schema_change(&event, WITH_FUNCTIONS, change);
    make_schema_change(&other, WITHOUT, change);
    push(database->server, &event, &other, EVENT_SCHEMA_CHANGE, database);
    answer_release(&event);
    answer_release(&other);
}

/* An [inet]. */
static void put_address(struct wire_out *out, const struct net_address *address)
{
    uint8_t bytes[sizeof(struct in6_addr)];
    uint8_t len = inet_pton(AF_INET6, address->text, bytes) == 1 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
    if (len == sizeof(struct in_addr))
        inet_pton(AF_INET, address->text, bytes);
    wire_put_u8(out, len);
    wire_put(out, bytes, len);
    wire_put_u32(out, address->port);
}

void events_down(struct server *server)
{
    struct answer event;
    struct net_address address = net_address(server->net);
    if (!address.port) /* a socket of the file system: drivers know nodes by their addresses */
        return;
    begin(&event, "STATUS_CHANGE");
    wire_put_string(&event.head, "DOWN");
    put_address(&event.head, &address);
    push(server, &event, NULL, EVENT_STATUS_CHANGE, NULL);
    answer_release(&event);
}
