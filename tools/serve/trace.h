/*
 * trace.h - what a traced request did and when, for system_traces, as cqlsh's TRACING and drivers read it.
 *
 * Of a request that is not traced every call is nothing. What is told is what happened here (wr_set_trace): there is no other node and no
 * sstable, so a trace is shorter than a cluster's. Rows live for a day, as Cassandra's.
 */
#ifndef WR_SERVE_TRACE_H
#define WR_SERVE_TRACE_H

#include "request.h"
#include "widerow.h"

enum { TRACE_EVENTS_MAX = 4096 };

struct trace {
    bool on;
    wr_db *db;           /* whose clock it goes by */
    unsigned worker;     /* number of the thread, from 1 on */
    uint8_t id[16];
    int64_t started_us;  /* the database's clock */
    uint64_t from_us;    /* of a clock that only counts */
    const char *request; /* "Execute CQL3 query"; static */
    struct trace_parameter {
        char name[64];
        char *value;
    } *parameters;
    uint32_t parameter_count;
    struct trace_event {
        uint32_t elapsed_us;
        uint8_t id[16];
        char *activity;
    } *events;
    uint32_t event_count, event_room;
};

void trace_begin(struct trace *trace, wr_db *db, unsigned worker);
void trace_request(struct trace *trace, const char *request, const char *query, size_t query_len); /* query NULL: several */
void trace_options(struct trace *trace, const struct request_options *options);
void trace_values(struct trace *trace, const wr_stmt *stmt, const struct request_values *values); /* those bound by place */
void trace_note(struct trace *trace, const char *activity);
void trace_parsing(struct trace *trace, const char *text, size_t len);

/* What a run of the statement does is noted until trace_leave. */
void trace_follow(struct trace *trace, wr_stmt *stmt);
void trace_leave(struct trace *trace, wr_stmt *stmt);
void trace_follow_batch(struct trace *trace, wr_batch *batch);

/* Writes the rows and forgets them. client: the address of the other side. Where they cannot be written (db NULL, or read-only) nothing is kept. */
void trace_end(struct trace *trace, wr_db *db, const char *client);

#endif
