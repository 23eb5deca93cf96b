#include "request.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "widerow.h"

/* ---- values ---- */

void request_values_release(struct request_values *values)
{
    free(values->list);
    *values = (struct request_values){ 0 };
}

static void read_values(struct wire_in *in, const struct version *version, struct request_values *values, bool named)
{
    uint16_t count = wire_u16(in);
    values->count = 0;
    values->named = named;
    if (count > values->room) {
        struct request_value *list = realloc(values->list, count * sizeof *list);
        if (!list) {
            wire_fail(in, "out of memory");
            return;
        }
        values->list = list;
        values->room = count;
    }
    for (uint16_t i = 0; i < count && !in->failed; i++) {
        values->list[i].name = named ? wire_string(in) : (struct wire_bytes){ NULL, WIRE_NULL };
        values->list[i].bytes = wire_value(in, version->unset);
    }
    values->count = in->failed ? 0 : count;
}

/* ---- options ---- */

enum { CONSISTENCY_MAX = 0x0b };

static uint16_t read_consistency(struct wire_in *in)
{
    uint16_t code = wire_u16(in);
    if (code > CONSISTENCY_MAX)
        wire_fail(in, "Unknown code %u for a consistency level", code);
    return code;
}

static uint32_t read_flags(struct wire_in *in, const struct version *version)
{
    return version->wide_flags ? wire_u32(in) : wire_u8(in);
}

static void read_rest(struct wire_in *in, struct request_options *out)
{
    uint32_t flags = out->flags;
    if (flags & REQUEST_SERIAL)
        out->serial_consistency = read_consistency(in);
    if (flags & REQUEST_TIMESTAMP) {
        out->timestamp_us = wire_i64(in);
        if (!in->failed && out->timestamp_us == INT64_MIN)
            wire_fail(in, "Out of bound timestamp, must be in [%" PRId64 ", %" PRId64 "] (got %" PRId64 ")", INT64_MIN + 1, INT64_MAX,
                      INT64_MIN);
    }
    if (flags & REQUEST_KEYSPACE) /* of v5, but Cassandra reads it in all */
        out->keyspace = wire_string(in);
    if (flags & REQUEST_NOW) /* never in the one byte of v3 and v4 */
        out->now_s = wire_u32(in);
}

static struct request_options options_none(void)
{
    return (struct request_options){ .page_state = { NULL, WIRE_NULL }, .timestamp_us = INT64_MIN, .now_s = INT64_MIN };
}

void request_options_read(struct wire_in *in, const struct version *version, struct request_options *out, struct request_values *values)
{
    *out = options_none();
    out->consistency = read_consistency(in);
    out->flags = read_flags(in, version);
    values->count = 0;
    values->named = false;
    if (out->flags & REQUEST_VALUES)
        read_values(in, version, values, out->flags & REQUEST_NAMES);
    if (out->flags & REQUEST_PAGE_SIZE)
        out->page_size = (int32_t)wire_u32(in);
    if (out->flags & REQUEST_PAGE_STATE)
        out->page_state = wire_value(in, false);
    if (!in->failed && out->page_state.len >= 0 && !wr_is_page_state(out->page_state.data, (size_t)out->page_state.len))
        wire_fail(in, "Invalid value for the paging state");
    read_rest(in, out);
}

struct wire_bytes request_query(struct wire_in *in)
{
    return wire_long_string(in);
}

struct wire_bytes request_prepare_keyspace(struct wire_in *in, const struct version *version)
{
    struct wire_bytes none = { NULL, WIRE_NULL };
    return version->metadata_ids && wire_u32(in) & 1 ? wire_string(in) : none;
}

/* ---- batches ---- */

uint8_t request_batch_begin(struct wire_in *in, uint16_t *count)
{
    uint8_t kind = wire_u8(in);
    *count = wire_u16(in);
    return kind;
}

void request_batch_end(struct wire_in *in, uint8_t kind)
{
    if (!in->failed && kind > 2)
        wire_fail(in, "Invalid BATCH message type %d", (int8_t)kind);
}

void request_batch_entry(struct wire_in *in, const struct version *version, struct request_entry *out, struct request_values *values)
{
    uint8_t kind = wire_u8(in);
    *out = (struct request_entry){ .prepared = kind == 1 };
    if (!in->failed && kind > 1)
        wire_fail(in, "Invalid query kind in BATCH messages. Must be 0 or 1 but got %d", (int8_t)kind);
    if (out->prepared)
        out->id = wire_short_bytes(in);
    else
        out->text = wire_long_string(in);
    read_values(in, version, values, false);
}

/* ---- maps, lists ---- */

struct request_map_walk request_map(const uint8_t *body, size_t len)
{
    struct request_map_walk walk = { .in = wire_in_of(body, len) };
    walk.left = wire_u16(&walk.in);
    return walk;
}

bool request_map_next(struct request_map_walk *walk, struct wire_bytes *name, struct wire_bytes *value)
{
    if (!walk->left)
        return false;
    walk->left--;
    *name = wire_string(&walk->in);
    *value = wire_string(&walk->in);
    return !walk->in.failed;
}

struct wire_bytes request_startup_option(const uint8_t *body, size_t len, const char *name)
{
    struct request_map_walk walk = request_map(body, len);
    struct wire_bytes key, value, last = { NULL, WIRE_NULL };
    while (request_map_next(&walk, &key, &value))
        if (wire_is_name(key, name))
            last = value;
    return last;
}

static const struct {
    const char *name;
    uint8_t version_min;
} events[] = {
    [EVENT_TOPOLOGY_CHANGE] = { "TOPOLOGY_CHANGE", 3 },
    [EVENT_STATUS_CHANGE] = { "STATUS_CHANGE", 3 },
    [EVENT_SCHEMA_CHANGE] = { "SCHEMA_CHANGE", 3 },
    [EVENT_TRACE_COMPLETE] = { "TRACE_COMPLETE", 4 },
};

static unsigned read_event(struct wire_in *in)
{
    struct wire_bytes name = wire_string(in);
    for (unsigned e = 0; !in->failed && e < sizeof events / sizeof events[0]; e++)
        if (wire_is_name(name, events[e].name))
            return e;
    wire_fail(in, "Invalid value '%.*s' for Type", (int)name.len, name.data ? (const char *)name.data : "");
    return 0;
}

unsigned request_events(struct wire_in *in, const struct version *version)
{
    uint16_t count = wire_u16(in);
    unsigned asked = 0;
    for (uint16_t i = 0; i < count && !in->failed; i++)
        asked |= 1u << read_event(in);
    for (unsigned e = 0; !in->failed && e < sizeof events / sizeof events[0]; e++)
        if (asked & 1u << e && version->number < events[e].version_min)
            wire_fail(in, "Event %s not valid for protocol version %s", events[e].name, version->name);
    return in->failed ? 0 : asked;
}

void request_payload(struct wire_in *in)
{
    uint16_t count = wire_u16(in);
    for (uint16_t i = 0; i < count && !in->failed; i++) {
        wire_string(in);
        wire_bytes(in);
    }
}
