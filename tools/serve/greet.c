#include "greet.h"

#include <stdlib.h>
#include <string.h>

#include "ascii.h"
#include "request.h"
#include "server.h"

static void put_list(struct wire_out *out, const char *name, const char *const *values, size_t count)
{
    wire_put_string(out, name);
    wire_put_u16(out, (uint16_t)count);
    for (size_t i = 0; i < count; i++)
        wire_put_string(out, values[i]);
}

/* NOBODY: whose request it was could not be told, the answer has no stream of its own; BADLY: the connection ends. */
enum greeted { GREETED, GREETED_NOBODY, GREETED_BADLY };

static enum greeted answer_options(struct session *session, struct answer *answer, const uint8_t *body, size_t len)
{
    static const char *const versions[] = { "3/v3", "4/v4", "5/v5", "6/v6-beta" }, *const compressions[] = { "snappy", "lz4" };
    static const char *const cql[] = { "3.4.7" };
    (void)session, (void)body, (void)len;
    answer->opcode = OP_SUPPORTED;
    wire_put_u16(&answer->head, 3);
    put_list(&answer->head, "PROTOCOL_VERSIONS", versions, 4);
    put_list(&answer->head, "COMPRESSION", compressions, 2);
    put_list(&answer->head, "CQL_VERSION", cql, 1);
    return GREETED;
}

/* ---- STARTUP ---- */

/* Behind the letters, digits, '_' and characters of `also` that begin at a place. */
static int32_t word_end(struct wire_bytes text, int32_t at, const char *also)
{
    while (at < text.len && text.data[at] && (ascii_is_letter_or_digit((char)text.data[at]) || strchr(also, text.data[at])))
        at++;
    return at;
}

/* [-prerelease][(.|+)build] */
static bool is_version_suffix(struct wire_bytes text, int32_t at)
{
    if (at < text.len && text.data[at] == '-') {
        int32_t end = word_end(text, at + 1, "_-.");
        if (end == at + 1)
            return false;
        at = end;
    }
    return at == text.len || ((text.data[at] == '.' || text.data[at] == '+') && at + 1 < text.len && word_end(text, at + 1, "_.") == text.len);
}

/* A Java int, or -1. */
static int number_of(struct wire_bytes text, int32_t at, int32_t end)
{
    int64_t number = 0;
    for (; at < end; at++) {
        if (!ascii_is_digit((char)text.data[at]) || (number = number * 10 + (text.data[at] - '0')) > INT32_MAX)
            return -1;
    }
    return (int)number;
}

/* Cassandra's CassandraVersion: major.minor[.patch[.hotfix]] and a suffix, which takes a word that leaves none; the major number, or -1. */
static int major_version(struct wire_bytes text)
{
    enum { NUMBERS_MIN = 2, NUMBERS_MAX = 4 };
    int32_t begins[NUMBERS_MAX + 1] = { 0 }; /* of the words, each one behind the dot that ends the one before */
    int words = 0;
    while (words < NUMBERS_MAX) {
        int32_t end = word_end(text, begins[words], "_");
        if (end == begins[words])
            break;
        begins[++words] = end + 1;
        if (end == text.len || text.data[end] != '.')
            break;
    }
    while (words >= NUMBERS_MIN && !is_version_suffix(text, begins[words] - 1))
        words--;
    if (words < NUMBERS_MIN)
        return -1;
    for (int i = 1; i < words; i++) {
        if (number_of(text, begins[i], begins[i + 1] - 1) < 0)
            return -1;
    }
    return number_of(text, 0, begins[1] - 1);
}

static bool check_cql_version(struct answer *answer, const uint8_t *body, size_t len)
{
    enum { CQL_MAJOR_MIN = 3 };
    struct wire_bytes version = request_startup_option(body, len, "CQL_VERSION");
    int major = version.len < 0 ? 0 : major_version(version);
    if (version.len < 0)
        answer_error(answer, ERROR_PROTOCOL, "Missing value CQL_VERSION in STARTUP message");
    else if (major < 0)
        answer_error(answer, ERROR_PROTOCOL, "Invalid version value: %.*s", (int)version.len, (const char *)version.data);
    else if (major < CQL_MAJOR_MIN)
        answer_error(answer, ERROR_PROTOCOL, "CQL version %.*s is not supported by the binary protocol (supported version are >= 3.0.0)",
                     (int)version.len, (const char *)version.data);
    else
        return true;
    return false;
}

static void refuse_compression(struct answer *answer, struct wire_bytes name)
{
    char shown[64]; /* as StartupMessage has made it */
    int len = 0;
    for (; len < name.len && len < (int)sizeof shown; len++)
        shown[len] = ascii_lower((char)name.data[len]);
    answer_error(answer, ERROR_PROTOCOL, "Unknown compression algorithm: %.*s", len, shown);
}

static bool choose_compression(struct session *session, struct answer *answer, const uint8_t *body, size_t len)
{
    struct wire_bytes name = request_startup_option(body, len, "COMPRESSION");
    if (name.len < 0)
        return true;
    const struct compression *compression = compression_of(name);
    if (!compression)
        refuse_compression(answer, name);
    else if (session->client.version->segments && !compression->for_segments)
        answer_error(answer, ERROR_PROTOCOL, "Snappy compression is not supported in protocol V5");
    else
        session->format.compression = compression;
    return session->format.compression != NULL;
}

/* What is told of them (system_views.clients) is not more: a greeting is anybody's, and may be as long as a request. */
enum { OPTIONS_KEPT_MAX = 64, OPTION_LEN_MAX = 256 };

static size_t kept_len(struct wire_bytes text)
{
    return text.len < OPTION_LEN_MAX ? (size_t)text.len : OPTION_LEN_MAX;
}

static char *upper_case(struct wire_bytes name)
{
    char *copy = strndup((const char *)name.data, kept_len(name));
    for (char *at = copy; at && *at; at++)
        *at = ascii_upper(*at);
    return copy;
}

static bool keep_options(struct session *session, const uint8_t *body, size_t len)
{
    struct request_map_walk walk = request_map(body, len);
    struct wire_bytes name, value;
    uint32_t count = 0, most = walk.left < OPTIONS_KEPT_MAX ? walk.left : OPTIONS_KEPT_MAX;
    char **options = calloc(2 * (size_t)most, sizeof *options); /* there is one at least: CQL_VERSION */
    bool ok = options != NULL;
    while (ok && count < most && request_map_next(&walk, &name, &value)) {
        options[2 * count] = upper_case(name); /* StartupMessage.upperCaseKeys */
        options[2 * count + 1] = strndup((const char *)value.data, kept_len(value));
        ok = options[2 * count] && options[2 * count + 1];
        count++;
    }
    session->options = options;
    session->option_count = count;
    return ok;
}

const char *greet_option(const struct session *session, const char *name)
{
    for (uint32_t i = 0; i < session->option_count; i++)
        if (strcmp(session->options[2 * i], name) == 0)
            return session->options[2 * i + 1];
    return NULL;
}

static enum greeted answer_startup(struct session *session, struct answer *answer, const uint8_t *body, size_t len)
{
    struct request_map_walk walk = request_map(body, len);
    struct wire_bytes name, value;
    bool first = atomic_load(&session->client.stage) == CLIENT_NEW;
    while (request_map_next(&walk, &name, &value))
        ;
    if (walk.in.failed) {
        answer_error(answer, ERROR_PROTOCOL, "%s", walk.in.error);
        return first && (session->client.version->segments || !session->has_greeted) ? GREETED_NOBODY : GREETED;
    }
    if (!first) {
        answer_error(answer, ERROR_PROTOCOL, "Unexpected message STARTUP, the connection is already initialized");
        return GREETED;
    }
    session->has_greeted = true;
    if (!check_cql_version(answer, body, len))
        return GREETED_BADLY;
    if (!choose_compression(session, answer, body, len))
        return GREETED;
    if (!keep_options(session, body, len)) {
        answer_error(answer, ERROR_SERVER, "out of memory");
        return GREETED_BADLY;
    }
    bool asks = session->server->authenticates || databases_per(session->server->databases) == WR_SERVE_PER_USER;
    answer->opcode = asks ? OP_AUTHENTICATE : OP_READY;
    if (asks)
        wire_put_string(&answer->head, AUTH_CLASS);
    atomic_store(&session->client.stage, asks ? CLIENT_AUTHENTICATING : CLIENT_READY);
    return GREETED;
}

/* ---- REGISTER ---- */

static enum greeted answer_register(struct session *session, struct answer *answer, const uint8_t *body, size_t len)
{
    struct wire_in in = wire_in_of(body, len);
    unsigned events = request_events(&in, session->client.version);
    if (in.failed) {
        answer_error(answer, ERROR_PROTOCOL, "%s", in.error);
        return GREETED;
    }
    atomic_fetch_or(&session->events, events);
    answer->opcode = OP_READY;
    return GREETED;
}

/* ---- the table ---- */

static const struct {
    uint8_t opcode;
    enum greeted (*answer)(struct session *session, struct answer *answer, const uint8_t *body, size_t len);
} greetings[] = {
    { OP_OPTIONS, answer_options },
    { OP_STARTUP, answer_startup },
    { OP_REGISTER, answer_register },
};

void greet_request(struct session *session, const struct frame_header *header, const uint8_t *body, size_t len)
{
    struct answer *answer = &session->server->answer;
    struct wire_in in = wire_in_of(body, len);
    int before = atomic_load(&session->client.stage);
    enum greeted greeted = GREETED;
    answer_clear(answer);
    if (header->flags & FRAME_PAYLOAD)
        request_payload(&in);
    for (size_t i = 0; i < sizeof greetings / sizeof greetings[0]; i++)
        if (greetings[i].opcode == header->opcode)
            greeted = greetings[i].answer(session, answer, in.at, (size_t)(in.end - in.at));
    session_answer(session, greeted == GREETED_NOBODY ? 0 : header->stream);
    if (before == CLIENT_NEW && atomic_load(&session->client.stage) != CLIENT_NEW) /* this answer was the last outside of segments */
        session->format.segments = session->client.version->segments;
    if (greeted == GREETED_BADLY && session->client.version->segments)
        session_end(session); /* as Cassandra does from v5 on */
}
