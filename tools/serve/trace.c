#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stopwatch.h"

enum { VALUE_MAX = 1000, TTL_S = 86400, COORDINATOR_PORT = 7000, ADDRESS_MAX = 16 };

void trace_begin(struct trace *trace, wr_db *db, unsigned worker)
{
    *trace = (struct trace){ .on = true, .db = db, .worker = worker, .started_us = wr_clock_now(db), .from_us = stopwatch_us(), .request = "" };
    wr_timeuuid(db, trace->id);
}

/* ---- noting ---- */

static void put_parameter(struct trace *trace, const char *name, char *value)
{
    struct trace_parameter *grown = value ? realloc(trace->parameters, (trace->parameter_count + 1) * sizeof *grown) : NULL;
    if (!grown) { /* a trace is no reason to fail */
        free(value);
        return;
    }
    trace->parameters = grown;
    snprintf(grown[trace->parameter_count].name, sizeof grown->name, "%s", name);
    grown[trace->parameter_count++].value = value;
}

void trace_request(struct trace *trace, const char *request, const char *query, size_t query_len)
{
    if (!trace->on)
        return;
    trace->request = request;
    if (query)
        put_parameter(trace, "query", strndup(query, query_len));
}

void trace_options(struct trace *trace, const struct request_options *options)
{
    static const char *const levels[] = { "ANY", "ONE", "TWO", "THREE", "QUORUM", "ALL", "LOCAL_QUORUM", "EACH_QUORUM", "SERIAL", "LOCAL_SERIAL",
                                          "LOCAL_ONE", "NODE_LOCAL" };
    char number[16];
    if (!trace->on)
        return;
    put_parameter(trace, "consistency_level", strdup(levels[options->consistency]));
    put_parameter(trace, "serial_consistency_level",
                  strdup(levels[options->flags & REQUEST_SERIAL ? options->serial_consistency : WR_CL_SERIAL]));
    if (options->page_size <= 0)
        return;
    snprintf(number, sizeof number, "%d", options->page_size);
    put_parameter(trace, "page_size", strdup(number));
}

void trace_values(struct trace *trace, const wr_stmt *stmt, const struct request_values *values)
{
    if (!trace->on || values->named)
        return;
    for (uint32_t i = 0; i < values->count && (int)i < wr_marker_count(stmt); i++) {
        struct wire_bytes bytes = values->list[i].bytes;
        char name[64], text[VALUE_MAX];
        size_t len = 0;
        const char *column = wr_marker_name(stmt, (int)i, &len);
        wr_value value = { bytes.len < 0 ? NULL : bytes.data, bytes.len < 0 ? 0 : (size_t)bytes.len, wr_marker_type_info(stmt, (int)i) };
        snprintf(name, sizeof name, "bound_var_%u_%.*s", i, (int)len, column ? column : "");
        wr_value_format(value, WR_LITERAL, text, sizeof text);
        put_parameter(trace, name, strdup(bytes.len == WIRE_UNSET ? "unset" : text));
    }
}

static bool make_room(struct trace *trace)
{
    if (trace->event_count < trace->event_room)
        return true;
    uint32_t room = trace->event_room ? 2 * trace->event_room : 16;
    struct trace_event *grown = room <= TRACE_EVENTS_MAX ? realloc(trace->events, room * sizeof *grown) : NULL;
    if (!grown)
        return false;
    trace->events = grown;
    trace->event_room = room;
    return true;
}

void trace_note(struct trace *trace, const char *activity)
{
    if (!trace->on || !make_room(trace))
        return;
    struct trace_event *event = &trace->events[trace->event_count++];
    event->elapsed_us = (uint32_t)(stopwatch_us() - trace->from_us);
    event->activity = strdup(activity);
    wr_timeuuid(trace->db, event->id);
}

void trace_parsing(struct trace *trace, const char *text, size_t len)
{
    static const char word[] = "Parsing ";
    char *activity = trace->on ? malloc(sizeof word + len) : NULL;
    if (!activity)
        return;
    memcpy(activity, word, sizeof word - 1);
    memcpy(activity + sizeof word - 1, text, len);
    activity[sizeof word - 1 + len] = '\0';
    trace_note(trace, activity);
    free(activity);
}

static void hear(void *arg, const char *activity)
{
    trace_note(arg, activity);
}

void trace_follow(struct trace *trace, wr_stmt *stmt)
{
    if (trace->on)
        wr_set_trace(stmt, hear, trace);
}

void trace_leave(struct trace *trace, wr_stmt *stmt)
{
    if (trace->on)
        wr_set_trace(stmt, NULL, NULL);
}

void trace_follow_batch(struct trace *trace, wr_batch *batch)
{
    if (trace->on)
        wr_batch_set_trace(batch, hear, trace);
}

/* ---- writing ---- */

/* What is written when the trace is over. */
struct ended {
    const struct trace *trace;
    wr_db *db;
    const char *client;
    uint64_t duration_us;
    uint8_t address[ADDRESS_MAX]; /* of this node, as an inet */
    size_t address_len;
};

static void read_address(struct ended *ended)
{
    wr_stmt *stmt;
    if (wr_prepare(ended->db, "SELECT broadcast_address FROM system.local", -1, &stmt) != WR_OK)
        return;
    if (wr_step(stmt) == WR_ROW) {
        wr_value value = wr_column_value(stmt, 0);
        if (value.data && value.len <= sizeof ended->address)
            memcpy(ended->address, value.data, ended->address_len = value.len);
    }
    wr_finalize(stmt);
}

static void write_session(const struct ended *ended)
{
    const struct trace *trace = ended->trace;
    wr_db *db = ended->db;
    wr_stmt *stmt;
    if (wr_prepare(db,
                   "INSERT INTO system_traces.sessions (session_id, client, command, coordinator, coordinator_port, duration, parameters, "
                   "request, started_at) VALUES (?, ?, 'QUERY', ?, ?, ?, ?, ?, ?) USING TTL ?",
                   -1, &stmt) != WR_OK)
        return;
    wr_bind_uuid(stmt, 0, trace->id);
    wr_bind_text(stmt, 1, ended->client, -1);
    wr_bind_value(stmt, 2, ended->address, ended->address_len);
    wr_bind_int(stmt, 3, COORDINATOR_PORT);
    wr_bind_int(stmt, 4, (int64_t)ended->duration_us);
    wr_bind_open(stmt, 5);
    for (uint32_t i = 0; i < trace->parameter_count; i++) {
        wr_bind_text(stmt, WR_ELEMENT, trace->parameters[i].name, -1);
        wr_bind_text(stmt, WR_ELEMENT, trace->parameters[i].value, -1);
    }
    wr_bind_close(stmt);
    wr_bind_text(stmt, 6, trace->request, -1);
    wr_bind_int(stmt, 7, trace->started_us / 1000);
    wr_bind_int(stmt, 8, TTL_S);
    wr_step(stmt);
    wr_finalize(stmt);
}

static void write_events(const struct ended *ended)
{
    const struct trace *trace = ended->trace;
    wr_db *db = ended->db;
    char thread[48];
    wr_stmt *stmt;
    snprintf(thread, sizeof thread, "Native-Transport-Requests-%u", trace->worker);
    if (wr_prepare(db,
                   "INSERT INTO system_traces.events (session_id, event_id, activity, source, source_elapsed, source_port, thread) "
                   "VALUES (?, ?, ?, ?, ?, ?, ?) USING TTL ?",
                   -1, &stmt) != WR_OK)
        return;
    for (uint32_t i = 0; i < trace->event_count; i++) {
        const struct trace_event *event = &trace->events[i];
        wr_bind_uuid(stmt, 0, trace->id);
        wr_bind_uuid(stmt, 1, event->id);
        wr_bind_text(stmt, 2, event->activity ? event->activity : "", -1);
        wr_bind_value(stmt, 3, ended->address, ended->address_len);
        wr_bind_int(stmt, 4, event->elapsed_us);
        wr_bind_int(stmt, 5, COORDINATOR_PORT);
        wr_bind_text(stmt, 6, thread, -1);
        wr_bind_int(stmt, 7, TTL_S);
        wr_step(stmt);
    }
    wr_finalize(stmt);
}

static enum wr_status write_all(void *arg)
{
    struct ended *ended = arg;
    read_address(ended);
    write_events(ended);
    write_session(ended);
    return WR_OK;
}

void trace_end(struct trace *trace, wr_db *db, const char *client)
{
    if (!trace->on)
        return;
    struct ended ended = { .trace = trace, .db = db, .client = client, .duration_us = stopwatch_us() - trace->from_us };
    if (db)
        wr_atomically(db, write_all, &ended); /* clients take the session's row as the sign that the trace is whole */
    for (uint32_t i = 0; i < trace->parameter_count; i++)
        free(trace->parameters[i].value);
    for (uint32_t i = 0; i < trace->event_count; i++)
        free(trace->events[i].activity);
    free(trace->parameters);
    free(trace->events);
    *trace = (struct trace){ 0 };
}
