#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "greet.h"
#include "run.h"
#include "server.h"

enum { RUNNING_MAX = 32, WAITING_MAX = 512, IN_BYTES_MAX = FRAME_BODY_MAX, OUT_BYTES_MAX = 4 << 20, EVENT_BYTES_MAX = 256 << 10,
       READY_MAX = 64 << 10 };

struct session *session_new(struct server *server, struct net_conn *conn, const struct net_address *address)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    session->server = server;
    session->conn = conn;
    session->address = *address;
    session->out.socket = net_conn_socket(conn);
    atomic_init(&session->references, 1);
    pthread_mutex_init(&session->lock, NULL);
    client_init(&session->client, server->databases);
    session->client.asked = server->authenticates;
    session->client.address = session->address.text;
    return session;
}

void session_job_free(struct session_job *job)
{
    if (!job)
        return;
    free(job->body);
    free(job);
}

void session_release(struct session *session)
{
    if (atomic_fetch_sub(&session->references, 1) != 1)
        return;
    for (uint32_t i = 0; i < 2 * session->option_count; i++)
        free(session->options[i]);
    free(session->options);
    chunk_free_all(session->out.first);
    client_release(&session->client);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

/* ---- out ---- */

/* Under the lock, so that the socket stays open and answers keep their order. */
static size_t write_now(struct session *session, const uint8_t *data, size_t len)
{
    return session->out.socket < 0 || session->out.first || session->out.loop_writes ? 0 : net_write_now(session->out.socket, data, len);
}

/* The same; true: nothing of the chunk is left. Where more answers are to come, they had better go out together, which the loop does. */
static bool write_chunk_now(struct session *session, struct chunk *chunk)
{
    chunk->written = atomic_load(&session->in_flight) > 1 ? 0 : write_now(session, chunk->data, chunk->len);
    return chunk->written == chunk->len;
}

/* Under the lock. */
static void append_out(struct session *session, struct chunk *chunk)
{
    *(session->out.first ? &session->out.last->next : &session->out.first) = chunk;
    session->out.last = chunk;
    session->out.bytes += chunk->len - chunk->written;
}

/* What a frame is to the bounds of what waits. */
enum sent_as { SENT_ANYHOW, SENT_AS_ANSWER, SENT_AS_EVENT };

/* Under the lock: whether the frame may wait with what waits. */
static bool may_wait(struct session *session, size_t len, enum sent_as as)
{
    if (!session->out.bytes)
        session->out.event_bytes = 0;
    if (as == SENT_AS_EVENT)
        return (session->out.event_bytes += len) <= EVENT_BYTES_MAX;
    return as != SENT_AS_ANSWER || !session->out.bytes || session->out.bytes + len <= SESSION_OUT_MAX;
}

/* The loop shall look at the session also where nothing is to be sent. */
static void mark_dirty(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    bool wake = !session->closed && !session->is_dirty;
    session->is_dirty = session->is_dirty || wake;
    pthread_mutex_unlock(&session->lock);
    if (wake)
        server_dirty(session->server, session);
}

void session_cut_off(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    session->out.overrun = true;
    pthread_mutex_unlock(&session->lock);
    mark_dirty(session);
}

static bool enqueue_out(struct session *session, struct wire_out *frame, enum sent_as as)
{
    struct chunk *chunk = frame->failed ? NULL : malloc(sizeof *chunk);
    if (!chunk) {
        wire_out_release(frame);
        session_cut_off(session);
        return true;
    }
    *chunk = (struct chunk){ .data = frame->data, .len = frame->len };
    pthread_mutex_lock(&session->lock);
    bool fits = session->closed || may_wait(session, frame->len, as);
    bool gone = !fits || session->closed || write_chunk_now(session, chunk), wake = !gone && !session->is_dirty;
    if (!gone) {
        append_out(session, chunk);
        session->is_dirty = true;
    }
    pthread_mutex_unlock(&session->lock);
    if (!fits) {
        free(chunk);
        return false;
    }
    *frame = (struct wire_out){ 0 };
    if (gone)
        chunk_free_all(chunk);
    if (wake)
        server_dirty(session->server, session);
    return true;
}

void session_send(struct session *session, struct wire_out *frame)
{
    enqueue_out(session, frame, SENT_ANYHOW);
}

bool session_send_answer(struct session *session, struct wire_out *frame)
{
    return enqueue_out(session, frame, SENT_AS_ANSWER);
}

void session_push(struct session *session, struct wire_out *frame)
{
    if (enqueue_out(session, frame, SENT_AS_EVENT))
        return;
    wire_out_release(frame);
    session_cut_off(session);
}

static struct chunk *chunk_of(const uint8_t *data, size_t len)
{
    struct chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk || !(chunk->data = malloc(len))) {
        free(chunk);
        return NULL;
    }
    memcpy(chunk->data, data, len);
    chunk->len = len;
    return chunk;
}

/* Loop: sends what it has answered itself. */
static void send_ready(struct session *session)
{
    struct wire_out *ready = &session->server->ready;
    if (!ready->len)
        return;
    pthread_mutex_lock(&session->lock);
    size_t sent = write_now(session, ready->data, ready->len);
    struct chunk *rest = sent < ready->len ? chunk_of(ready->data + sent, ready->len - sent) : NULL;
    if (rest)
        append_out(session, rest);
    bool waits = sent < ready->len;
    session->out.overrun |= waits && !rest; /* there is no memory, and the other side would wait for ever */
    pthread_mutex_unlock(&session->lock);
    wire_out_clear(ready);
    if (waits)
        mark_dirty(session);
}

/* Loop: a frame of its own, with the others that it has for the connection it is at. */
void session_send_own(struct session *session, struct wire_out *frame)
{
    struct wire_out *ready = &session->server->ready;
    size_t before = ready->len;
    if (session->server->receiving != session) {
        session_send(session, frame);
        return;
    }
    if (!frame->failed)
        wire_put(ready, frame->data, frame->len);
    if (frame->failed || ready->failed) {
        ready->len = before;
        ready->failed = false;
        session_cut_off(session);
    }
    wire_out_release(frame);
    if (ready->len > READY_MAX)
        send_ready(session);
}

bool session_has_closed(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    bool closed = session->closed;
    pthread_mutex_unlock(&session->lock);
    return closed;
}

void session_done(struct session_job *job)
{
    struct session *session = job->session;
    atomic_fetch_sub(&session->in_bytes, job->len);
    atomic_fetch_sub(&session->in_flight, 1);
    pthread_mutex_lock(&session->lock);
    session->done++;
    bool heard = session->wants_done;
    pthread_mutex_unlock(&session->lock);
    if (heard)
        mark_dirty(session);
    session_job_free(job);
    session_release(session);
}

struct chunk *session_outgoing(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    struct chunk *out = session->out.first;
    session->out.first = session->out.last = NULL;
    session->out.loop_writes = out != NULL;
    pthread_mutex_unlock(&session->lock);
    return out;
}

static size_t out_bytes(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    size_t bytes = session->out.bytes;
    pthread_mutex_unlock(&session->lock);
    return bytes;
}

void session_written(struct session *session, size_t len)
{
    pthread_mutex_lock(&session->lock);
    session->out.bytes -= len;
    bool low = session->out.bytes < OUT_BYTES_MAX && session->out.bytes + len >= OUT_BYTES_MAX;
    pthread_mutex_unlock(&session->lock);
    if (low)
        session_pump(session);
}

void session_answer(struct session *session, int16_t stream)
{
    struct wire_out frame = { 0 };
    struct wire_format format = session->format;
    if (!format.version)
        format.version = version_of(5);
    answer_frame(&frame, &session->server->answer, format, stream);
    session_send_own(session, &frame);
}

void session_refuse(struct session *session, int16_t stream, unsigned code, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    answer_clear(&session->server->answer);
    answer_error(&session->server->answer, code, "%s", text);
    session_answer(session, stream);
}

void session_end(struct session *session)
{
    session->deaf = true;
    net_conn_finish(session->conn);
    mark_dirty(session);
}

/* ---- requests to threads ---- */

bool session_is_idle(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    bool idle = !session->out.bytes && session->running == session->done && !session->waiting;
    pthread_mutex_unlock(&session->lock);
    return idle;
}

static void collect_done(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    session->running -= session->done;
    session->done = 0;
    pthread_mutex_unlock(&session->lock);
}

void session_pump(struct session *session)
{
    collect_done(session);
    if (!session->conn)
        return;
    bool drinks = out_bytes(session) < OUT_BYTES_MAX;
    unsigned running_max = atomic_load(&session->client.stage) == CLIENT_READY ? RUNNING_MAX : 1; /* who it is, is said one at a time */
    while (drinks && session->waiting && session->running < running_max) {
        struct session_job *job = session->waiting;
        session->waiting = (struct session_job *)job->job.next;
        session->waiting_count--;
        session->running++;
        atomic_fetch_add(&session->in_flight, 1);
        atomic_fetch_add(&session->references, 1);
        server_run(session->server, job);
    }
    bool full = session->waiting_count >= WAITING_MAX || atomic_load(&session->in_bytes) >= IN_BYTES_MAX;
    pthread_mutex_lock(&session->lock);
    session->wants_done = session->waiting || session->deaf || full;
    bool missed = session->wants_done && session->done;
    pthread_mutex_unlock(&session->lock);
    net_conn_read(session->conn, drinks && !full && !session->deaf);
    if (missed)
        mark_dirty(session);
}

void session_look(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    session->is_dirty = false;
    bool overrun = session->out.overrun;
    pthread_mutex_unlock(&session->lock);
    if (session->conn && overrun)
        net_conn_close(session->conn);
    if (session->conn)
        net_conn_write(session->conn);
    session_pump(session);
}

static void enqueue(struct session *session, struct session_job *job)
{
    job->job.next = NULL;
    if (session->waiting)
        session->waiting_last->job.next = &job->job;
    else
        session->waiting = job;
    session->waiting_last = job;
    session->waiting_count++;
    atomic_fetch_add(&session->in_bytes, job->len);
}

/* ---- whole requests ---- */

/* False: that has been answered. What is too big only when it is unpacked is the request's mistake and not the connection's, as elsewhere. */
static bool unpack(struct session *session, struct session_job *job)
{
    const struct compression *compression = session->format.compression;
    const uint8_t *packed = job->body ? job->body : (const uint8_t *)"";
    struct wire_out plain = { 0 };
    if (!(job->header.flags & FRAME_COMPRESSED) || !compression || session->format.segments)
        return true;
    size_t len = compression->unpacked_len(packed, job->len);
    if (len > FRAME_BODY_MAX) {
        session_refuse(session, job->header.stream, ERROR_INVALID, "Request is too big: length %zu exceeds maximum allowed length %d.",
                       len + FRAME_HEADER_LEN, FRAME_BODY_MAX);
        return false;
    }
    if (!compression->unpack(&plain, packed, job->len, FRAME_BODY_MAX) || plain.failed) {
        session_refuse(session, job->header.stream, ERROR_PROTOCOL, "The compressed body of the message cannot be read");
        wire_out_release(&plain);
        return false;
    }
    free(job->body);
    job->body = plain.data;
    job->len = plain.len;
    return true;
}

/* Runs a request at once, if that can be. */
bool session_run_here(struct session *session, const struct frame_header *header, const uint8_t *body, size_t len)
{
    struct server *server = session->server;
    if (session->waiting || out_bytes(session) >= OUT_BYTES_MAX || !server_run_here(server, session, header, body, len))
        return false;
    if (server->ready.len > READY_MAX)
        send_ready(session);
    return true;
}

/* A whole request. */
void session_take(struct session *session, struct session_job *job)
{
    const struct frame_header *header = &job->header;
    bool known, runs = run_takes(header->opcode);
    int stage = atomic_load(&session->client.stage);
    atomic_fetch_add(&session->request_count, 1);
    if (!unpack(session, job)) {
        session_job_free(job);
        return;
    }
    if (stage == CLIENT_NEW && header->opcode != OP_STARTUP && header->opcode != OP_OPTIONS) {
        session_refuse(session, 0, ERROR_PROTOCOL, "Unexpected message %s, expecting STARTUP or OPTIONS", opcode_name(header->opcode, &known));
    } else if (stage == CLIENT_AUTHENTICATING && header->opcode != OP_AUTH_RESPONSE) {
        session_refuse(session, header->stream, ERROR_PROTOCOL, "Unexpected message %s, expecting SASL_RESPONSE", opcode_name(header->opcode, &known));
    } else if (runs && !(stage == CLIENT_READY && session_run_here(session, header, job->body, job->len))) {
        enqueue(session, job);
        return;
    } else if (!runs) {
        greet_request(session, header, job->body, job->len);
    }
    session_job_free(job);
}

void session_received(struct session *session, const uint8_t *data, size_t len)
{
    if (session->deaf)
        return;
    session->idle_ticks = 0;
    session->server->receiving = session;
    intake_bytes(session, data, len);
    send_ready(session);
    session->server->receiving = NULL;
    session_pump(session);
}

void session_tick(struct session *session, uint32_t idle_max)
{
    if (!idle_max || session->deaf || !session_is_idle(session) || session->idle_ticks++ < idle_max)
        return;
    session_refuse(session, -1, ERROR_SERVER, "The connection has been idle for %u seconds and is closed", idle_max);
    session_end(session);
}

void session_closed(struct session *session)
{
    session->conn = NULL;
    session->deaf = true;
    pthread_mutex_lock(&session->lock);
    session->closed = true;
    session->out.socket = -1;
    struct chunk *out = session->out.first;
    session->out.first = session->out.last = NULL;
    bool runs = session->running > session->done;
    pthread_mutex_unlock(&session->lock);
    chunk_free_all(out);
    if (runs)
        server_leave(session->server, session);
    while (session->waiting) {
        struct session_job *job = session->waiting;
        session->waiting = (struct session_job *)job->job.next;
        session_job_free(job);
    }
    intake_release(&session->intake);
    session_release(session);
}
