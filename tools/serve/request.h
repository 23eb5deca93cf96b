/*
 * request.h - the bodies of requests, read. Pure; what comes out borrows from the body.
 *
 * Where a body cannot be read, the wire_in has failed and tells why.
 */
#ifndef WR_SERVE_REQUEST_H
#define WR_SERVE_REQUEST_H

#include "version.h"
#include "wire.h"

/* Values of one statement, by place or by name. */
struct request_values {
    struct request_value {
        struct wire_bytes name; /* data NULL: by place */
        struct wire_bytes bytes;
    } *list;
    uint32_t count, room;
    bool named;
};
void request_values_release(struct request_values *values);

enum request_flags {
    REQUEST_VALUES = 0x01, REQUEST_SKIP_METADATA = 0x02, REQUEST_PAGE_SIZE = 0x04, REQUEST_PAGE_STATE = 0x08, REQUEST_SERIAL = 0x10,
    REQUEST_TIMESTAMP = 0x20, REQUEST_NAMES = 0x40, REQUEST_KEYSPACE = 0x80, REQUEST_NOW = 0x100
};

/* How a QUERY, an EXECUTE or a BATCH is to be run. */
struct request_options {
    uint16_t consistency, serial_consistency;
    uint32_t flags;
    int32_t page_size;            /* 0: none */
    struct wire_bytes page_state; /* len WIRE_NULL: none */
    int64_t timestamp_us;         /* INT64_MIN: none */
    struct wire_bytes keyspace;   /* data NULL: none */
    int64_t now_s;                /* INT64_MIN: none */
};

struct wire_bytes request_query(struct wire_in *in); /* QUERY, PREPARE: the text */

/* Consistency, flags, values and the rest of a QUERY or EXECUTE, and what stands behind the statements of a BATCH (QueryOptions.codec, which reads
 * there as well what a batch has no use for). */
void request_options_read(struct wire_in *in, const struct version *version, struct request_options *out, struct request_values *values);

/* PREPARE behind its text: the keyspace it names (data NULL: none). */
struct wire_bytes request_prepare_keyspace(struct wire_in *in, const struct version *version);

/* BATCH: its kind and how many statements; then one after the other; then options as above; in the end Cassandra looks at the kind. */
struct request_entry {
    bool prepared;
    struct wire_bytes text, id;
};
uint8_t request_batch_begin(struct wire_in *in, uint16_t *count);
void request_batch_entry(struct wire_in *in, const struct version *version, struct request_entry *out, struct request_values *values);
void request_batch_end(struct wire_in *in, uint8_t kind);

/* STARTUP: an option, by name, the last where there are several (len WIRE_NULL: not there). The map is read from the start each time. */
struct wire_bytes request_startup_option(const uint8_t *body, size_t len, const char *name);
/* Walks a [string map]: false at its end. *left is set by the first call, which is made with 0 in *begun. */
struct request_map_walk {
    struct wire_in in;
    uint16_t left;
};
struct request_map_walk request_map(const uint8_t *body, size_t len);
bool request_map_next(struct request_map_walk *walk, struct wire_bytes *name, struct wire_bytes *value);

/* REGISTER: a bit (1 << enum request_event) for each kind. */
enum request_event { EVENT_TOPOLOGY_CHANGE, EVENT_STATUS_CHANGE, EVENT_SCHEMA_CHANGE,
                     EVENT_TRACE_COMPLETE /* may be asked for and, as from a Cassandra, never comes */ };
unsigned request_events(struct wire_in *in, const struct version *version);

/* The custom payload in front of a body: read over. */
void request_payload(struct wire_in *in);

#endif
