#include "session.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "greet.h"
#include "run.h"
#include "server.h"

enum { RUNNING_MAX = 32, WAITING_MAX = 512, IN_BYTES_MAX = FRAME_BODY_MAX, OUT_BYTES_MAX = 4 << 20, EVENT_BYTES_MAX = 256 << 10,
       BODY_ROOM_FIRST = 4096, READY_MAX = 64 << 10 };

struct session *session_new(struct server *server, struct net_conn *conn, const struct net_address *address)
{
    struct session *session = calloc(1, sizeof *session);
    if (!session)
        return NULL;
    session->server = server;
    session->conn = conn;
    session->address = *address;
    session->socket = net_conn_socket(conn);
    atomic_init(&session->references, 1);
    pthread_mutex_init(&session->lock, NULL);
    client_init(&session->client, server->databases);
    session->client.asked = server->authenticates;
    session->client.address = session->address.text;
    return session;
}

static void job_free(struct session_job *job)
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
    chunk_free_all(session->out);
    client_release(&session->client);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

/* ---- out ---- */

/* Under the lock, so that the socket stays open and answers keep their order. */
static size_t write_now(struct session *session, const uint8_t *data, size_t len)
{
    return session->socket < 0 || session->out || session->loop_writes ? 0 : net_write_now(session->socket, data, len);
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
    *(session->out ? &session->out_last->next : &session->out) = chunk;
    session->out_last = chunk;
    session->out_bytes += chunk->len - chunk->written;
}

/* What a frame is to the bounds of what waits. */
enum sent_as { SENT_ANYHOW, SENT_AS_ANSWER, SENT_AS_EVENT };

/* Under the lock: whether the frame may wait with what waits. */
static bool may_wait(struct session *session, size_t len, enum sent_as as)
{
    if (!session->out_bytes)
        session->event_bytes = 0;
    if (as == SENT_AS_EVENT)
        return (session->event_bytes += len) <= EVENT_BYTES_MAX;
    return as != SENT_AS_ANSWER || !session->out_bytes || session->out_bytes + len <= SESSION_OUT_MAX;
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

/* The loop shall close it: something that the other side waits for cannot be sent. */
static void cut_off(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    session->overrun = true;
    pthread_mutex_unlock(&session->lock);
    mark_dirty(session);
}

static bool enqueue_out(struct session *session, struct wire_out *frame, enum sent_as as)
{
    struct chunk *chunk = frame->failed ? NULL : malloc(sizeof *chunk);
    if (!chunk) {
        wire_out_release(frame);
        cut_off(session);
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
    cut_off(session);
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
    session->overrun |= waits && !rest; /* there is no memory, and the other side would wait for ever */
    pthread_mutex_unlock(&session->lock);
    wire_out_clear(ready);
    if (waits)
        mark_dirty(session);
}

/* Loop: a frame of its own, with the others that it has for the connection it is at. */
static void send_from_loop(struct session *session, struct wire_out *frame)
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
        cut_off(session);
    }
    wire_out_release(frame);
    if (ready->len > READY_MAX)
        send_ready(session);
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
    job_free(job);
    session_release(session);
}

struct chunk *session_outgoing(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    struct chunk *out = session->out;
    session->out = session->out_last = NULL;
    session->loop_writes = out != NULL;
    pthread_mutex_unlock(&session->lock);
    return out;
}

static size_t out_bytes(struct session *session)
{
    pthread_mutex_lock(&session->lock);
    size_t bytes = session->out_bytes;
    pthread_mutex_unlock(&session->lock);
    return bytes;
}

void session_written(struct session *session, size_t len)
{
    pthread_mutex_lock(&session->lock);
    session->out_bytes -= len;
    bool low = session->out_bytes < OUT_BYTES_MAX && session->out_bytes + len >= OUT_BYTES_MAX;
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
    send_from_loop(session, &frame);
}

static void refuse(struct session *session, int16_t stream, unsigned code, const char *format, ...) __attribute__((format(printf, 4, 5)));

static void refuse(struct session *session, int16_t stream, unsigned code, const char *format, ...)
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
    bool idle = !session->out_bytes && session->running == session->done && !session->waiting;
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
    bool overrun = session->overrun;
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

/* ---- frames to requests ---- */

static bool unpack(struct session *session, struct session_job *job)
{
    struct wire_out plain = { 0 };
    if (!(job->header.flags & FRAME_COMPRESSED) || !session->format.compression || session->format.segments)
        return true;
    if (!session->format.compression->unpack(&plain, job->body ? job->body : (const uint8_t *)"", job->len, FRAME_BODY_MAX) || plain.failed) {
        wire_out_release(&plain);
        return false;
    }
    free(job->body);
    job->body = plain.data;
    job->len = plain.len;
    return true;
}

/* Runs a request at once, if that can be. */
static bool run_here(struct session *session, const struct frame_header *header, const uint8_t *body, size_t len)
{
    struct server *server = session->server;
    if (session->waiting || out_bytes(session) >= OUT_BYTES_MAX || !server_run_here(server, session, header, body, len))
        return false;
    if (server->ready.len > READY_MAX)
        send_ready(session);
    return true;
}

/* A whole request. */
static void take_request(struct session *session, struct session_job *job)
{
    const struct frame_header *header = &job->header;
    bool known, runs = run_takes(header->opcode);
    int stage = atomic_load(&session->client.stage);
    atomic_fetch_add(&session->request_count, 1);
    if (!unpack(session, job)) {
        refuse(session, header->stream, ERROR_PROTOCOL, "The compressed body of the message cannot be read");
    } else if (stage == CLIENT_NEW && header->opcode != OP_STARTUP && header->opcode != OP_OPTIONS) {
        refuse(session, 0, ERROR_PROTOCOL, "Unexpected message %s, expecting STARTUP or OPTIONS", opcode_name(header->opcode, &known));
    } else if (stage == CLIENT_AUTHENTICATING && header->opcode != OP_AUTH_RESPONSE) {
        refuse(session, header->stream, ERROR_PROTOCOL, "Unexpected message %s, expecting SASL_RESPONSE", opcode_name(header->opcode, &known));
    } else if (runs && !(stage == CLIENT_READY && run_here(session, header, job->body, job->len))) {
        enqueue(session, job);
        return;
    } else if (!runs) {
        greet_request(session, header, job->body, job->len);
    }
    job_free(job);
}

static bool is_started(struct session *session)
{
    return atomic_load(&session->client.stage) != CLIENT_NEW;
}

/* The limit is one of bodies in segments, and of whole frames elsewhere. */
static bool is_too_big(const struct session *session, const struct frame_header *header)
{
    return header->length > FRAME_BODY_MAX - (session->client.version->segments ? 0u : (uint32_t)FRAME_HEADER_LEN);
}

/* When all of it has come: a driver that hears of it while it still sends takes the connection for busy. */
static void refuse_too_big(struct session *session)
{
    const struct frame_header *header = &session->too_big;
    if (session->client.version->segments)
        refuse(session, header->stream, ERROR_INVALID, "CQL Message of size %u bytes exceeds allowed maximum of %d bytes", header->length,
               FRAME_BODY_MAX);
    else
        refuse(session, header->stream, ERROR_INVALID, "Request is too big: length %u exceeds maximum allowed length %d.",
               header->length + FRAME_HEADER_LEN, FRAME_BODY_MAX);
    session->too_big.length = 0;
}

/* Answers what is wrong with a frame by its header alone; its body is then skipped. */
static bool is_refused(struct session *session, const struct frame_header *header)
{
    enum { RESPONSE_BIT = 0x80 };
    bool request = false, answer = header->version & RESPONSE_BIT;
    const char *name = opcode_name(header->opcode, &request);
    unsigned number = header->version & ~RESPONSE_BIT;
    if (!name)
        refuse(session, header->stream, ERROR_PROTOCOL, "Unknown opcode %u", header->opcode);
    else if (answer || !request)
        refuse(session, header->stream, ERROR_PROTOCOL, "Wrong protocol direction (expected %s, got %s) for opcode %u (%s)",
               request ? "REQUEST" : "RESPONSE", answer ? "RESPONSE" : "REQUEST", header->opcode, name);
    else if (is_started(session) && number != session->client.version->number)
        refuse(session, header->stream, ERROR_PROTOCOL,
               "Invalid message version. Got %s but previous%smessages on this connection had version %s", version_of(number)->name,
               session->client.version->segments ? "" : " ", session->client.version->name);
    else if (is_started(session) && header->opcode == OP_CREDENTIALS)
        refuse(session, header->stream, ERROR_PROTOCOL, "Unsupported message");
    else if (header->flags & FRAME_PAYLOAD && !session->client.version->notes)
        refuse(session, header->stream, ERROR_PROTOCOL, "Received frame with CUSTOM_PAYLOAD flag for native protocol version < 4");
    else
        return false;
    return true;
}

static void begin_frame(struct session *session)
{
    struct frame_header header = frame_header_read(session->head);
    if (header.length > INT32_MAX) {
        refuse(session, header.stream, ERROR_PROTOCOL, "A message cannot have a negative length: %d", (int)header.length);
        session_end(session);
        return;
    }
    if (!is_started(session)) {
        session->client.version = version_of(header.version & 0x7f);
        session->format.version = NULL;
    }
    if (is_refused(session, &header)) {
        session->skip = header.length;
        return;
    }
    session->format.version = session->client.version;
    if (is_too_big(session, &header)) {
        session->skip = header.length;
        session->too_big = header;
        return;
    }
    struct session_job *job = calloc(1, sizeof *job);
    if (!job) {
        refuse(session, header.stream, ERROR_SERVER, "out of memory");
        session_end(session);
        return;
    }
    job->session = session;
    job->header = header;
    session->coming = job;
}

/* Room grows with what has come, not with what was announced: ten thousand announcements cost nothing. */
static bool body_put(struct session_job *job, const uint8_t *data, size_t len)
{
    if (job->room - job->len < len) {
        size_t room = job->room ? job->room * 2 : BODY_ROOM_FIRST;
        while (room - job->len < len)
            room *= 2;
        if (room > job->header.length)
            room = job->header.length;
        uint8_t *body = realloc(job->body, room);
        if (!body)
            return false;
        job->body = body;
        job->room = room;
    }
    if (len)
        memcpy(job->body + job->len, data, len);
    job->len += len;
    return true;
}

/* Versions that are not spoken: the answer tells those that are, and what else has come is thrown away, as Cassandra's Envelope.Decoder
 * does. */
static bool is_spoken(struct session *session)
{
    enum { OLD_HEADER_LEN = 8 };
    unsigned number = session->head[0] & 0x7f;
    const struct version *version = version_of(number);
    bool wanted = version && (!version->beta || session->head_len < 2 || session->head[1] & FRAME_BETA);
    if (wanted)
        return true;
    bool known = session->format.segments && session->head_len == FRAME_HEADER_LEN; /* CQLMessageHandler has read the rest of the header */
    struct answer *answer = &session->server->answer;
    struct wire_out frame = { 0 };
    answer_clear(answer);
    if (version)
        answer_error(answer, ERROR_PROTOCOL, "Beta version of the protocol used (%s), but USE_BETA flag is unset", version->name);
    else
        answer_error(answer, ERROR_PROTOCOL,
                     "Invalid or unsupported protocol version (%u); supported versions are (" VERSIONS_SUPPORTED ")", number);
    struct wire_format format = session->format;
    format.version = version ? version : is_started(session) ? session->client.version : version_of(5);
    answer_frame(&frame, answer, format, known ? frame_header_read(session->head).stream : 0);
    if (!frame.failed && !format.segments && (number == 1 || number == 2)) { /* the header of those: the stream is one byte */
        frame.data[0] = 0x80 | (uint8_t)number;
        memmove(frame.data + 3, frame.data + 4, frame.len - 4);
        frame.len = frame.len - FRAME_HEADER_LEN + OLD_HEADER_LEN;
    }
    send_from_loop(session, &frame);
    return false;
}

/* A request that has come whole needs no memory of its own while it is run; how long it was, 0: it was not to be run at once. */
static size_t run_whole(struct session *session, const uint8_t *data, size_t len)
{
    if (len < FRAME_HEADER_LEN || atomic_load(&session->client.stage) != CLIENT_READY)
        return 0;
    struct frame_header header = frame_header_read(data);
    if (header.opcode != OP_EXECUTE || header.flags || header.version != session->client.version->number || is_too_big(session, &header) ||
        header.length > len - FRAME_HEADER_LEN || !run_here(session, &header, data + FRAME_HEADER_LEN, header.length))
        return 0;
    atomic_fetch_add(&session->request_count, 1);
    return FRAME_HEADER_LEN + header.length;
}

/* Bytes of frames, cut anywhere. */
static void take_frames(struct session *session, const uint8_t *data, size_t len)
{
    while (len && !session->deaf) {
        size_t n;
        if (session->skip) {
            n = len < session->skip ? len : session->skip;
            session->skip -= n;
            if (!session->skip && session->too_big.length)
                refuse_too_big(session);
        } else if (!session->coming && !session->head_len && (n = run_whole(session, data, len))) {
            /* nothing is left of it */
        } else if (!session->coming) {
            n = FRAME_HEADER_LEN - session->head_len < len ? FRAME_HEADER_LEN - session->head_len : len;
            memcpy(session->head + session->head_len, data, n);
            session->head_len += n;
            if (!is_spoken(session)) {
                session->head_len = 0;
                return;
            }
            if (session->head_len < FRAME_HEADER_LEN)
                return;
            session->head_len = 0;
            begin_frame(session);
        } else {
            size_t left = session->coming->header.length - session->coming->len;
            n = left < len ? left : len;
            if (!body_put(session->coming, data, n)) {
                refuse(session, session->coming->header.stream, ERROR_SERVER, "out of memory");
                session_end(session);
                return;
            }
        }
        data += n;
        len -= n;
        struct session_job *job = session->coming;
        if (job && job->len == job->header.length) {
            session->coming = NULL;
            take_request(session, job);
        }
    }
}

/* ---- segments to frames ---- */

static void take_payload(struct session *session, const struct segment *segment)
{
    struct wire_out plain = { 0 };
    if (!segment->unpacked_len) {
        take_frames(session, segment->payload, segment->payload_len);
        return;
    }
    if (lz4_unpack_block(&plain, segment->payload, segment->payload_len, segment->unpacked_len)) {
        take_frames(session, plain.data, plain.len);
    } else {
        refuse(session, 0, ERROR_PROTOCOL, "The compressed payload of the segment cannot be read");
        session_end(session);
    }
    wire_out_release(&plain);
}

static void take_damage(struct session *session, const struct segment *segment, const char *where)
{
    refuse(session, 0, ERROR_PROTOCOL, "00000000 invalid, unrecoverable CRC mismatch detected in frame %s. Read %d, Computed %d", where,
           (int)segment->read, (int)segment->computed);
    session_end(session);
}

/* The segments that the bytes hold whole; how many bytes they were. */
static size_t take_segments(struct session *session, const uint8_t *data, size_t len)
{
    size_t at = 0;
    while (at < len && !session->deaf) {
        struct segment segment;
        switch (segment_read(data + at, len - at, session->format.compression != NULL, &segment)) {
        case SEGMENT_CUT:
            return at;
        case SEGMENT_BAD_HEADER:
            take_damage(session, &segment, "header");
            return len;
        case SEGMENT_BAD_PAYLOAD:
            take_damage(session, &segment, "body");
            return len;
        case SEGMENT_WHOLE:
            take_payload(session, &segment);
            at += segment.len;
        }
    }
    return at;
}

static void receive_segments(struct session *session, const uint8_t *data, size_t len)
{
    struct wire_out *cut = &session->cut;
    if (!cut->len) {
        size_t used = take_segments(session, data, len);
        wire_put(cut, data + used, len - used);
    } else {
        wire_put(cut, data, len);
        size_t used = cut->failed ? 0 : take_segments(session, cut->data, cut->len);
        if (used)
            memmove(cut->data, cut->data + used, cut->len - used);
        cut->len -= used;
    }
    if (cut->failed)
        session_end(session);
    else if (!cut->len) /* an idle connection holds nothing */
        wire_out_release(cut);
}

void session_received(struct session *session, const uint8_t *data, size_t len)
{
    if (session->deaf)
        return;
    session->idle_ticks = 0;
    session->server->receiving = session;
    if (session->format.segments)
        receive_segments(session, data, len);
    else
        take_frames(session, data, len);
    send_ready(session);
    session->server->receiving = NULL;
    session_pump(session);
}

void session_tick(struct session *session, uint32_t idle_max)
{
    if (!idle_max || session->deaf || !session_is_idle(session) || session->idle_ticks++ < idle_max)
        return;
    refuse(session, -1, ERROR_SERVER, "The connection has been idle for %u seconds and is closed", idle_max);
    session_end(session);
}

void session_closed(struct session *session)
{
    session->conn = NULL;
    session->deaf = true;
    pthread_mutex_lock(&session->lock);
    session->closed = true;
    session->socket = -1;
    struct chunk *out = session->out;
    session->out = session->out_last = NULL;
    pthread_mutex_unlock(&session->lock);
    chunk_free_all(out);
    while (session->waiting) {
        struct session_job *job = session->waiting;
        session->waiting = (struct session_job *)job->job.next;
        job_free(job);
    }
    job_free(session->coming);
    session->coming = NULL;
    wire_out_release(&session->cut);
    session_release(session);
}
