#include "intake.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "server.h"

enum { BODY_ROOM_FIRST = 4096 };

/* ---- frames to requests ---- */

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
    const struct frame_header *header = &session->intake.too_big;
    if (session->client.version->segments)
        session_refuse(session, header->stream, ERROR_INVALID, "CQL Message of size %u bytes exceeds allowed maximum of %d bytes", header->length,
                       FRAME_BODY_MAX);
    else
        session_refuse(session, header->stream, ERROR_INVALID, "Request is too big: length %" PRIu64 " exceeds maximum allowed length %d.",
                       (uint64_t)header->length + FRAME_HEADER_LEN, FRAME_BODY_MAX);
    session->intake.too_big.length = 0;
}

/* Answers what is wrong with a frame by its header alone; its body is then skipped. */
static bool is_refused(struct session *session, const struct frame_header *header)
{
    enum { RESPONSE_BIT = 0x80 };
    bool request = false, answer = header->version & RESPONSE_BIT;
    const char *name = opcode_name(header->opcode, &request);
    unsigned number = header->version & ~RESPONSE_BIT;
    if (!name)
        session_refuse(session, header->stream, ERROR_PROTOCOL, "Unknown opcode %u", header->opcode);
    else if (answer || !request)
        session_refuse(session, header->stream, ERROR_PROTOCOL, "Wrong protocol direction (expected %s, got %s) for opcode %u (%s)",
                       request ? "REQUEST" : "RESPONSE", answer ? "RESPONSE" : "REQUEST", header->opcode, name);
    else if (is_started(session) && number != session->client.version->number)
        session_refuse(session, header->stream, ERROR_PROTOCOL,
                       "Invalid message version. Got %s but previous%smessages on this connection had version %s", version_of(number)->name,
                       session->client.version->segments ? "" : " ", session->client.version->name);
    else if (is_started(session) && header->opcode == OP_CREDENTIALS)
        session_refuse(session, header->stream, ERROR_PROTOCOL, "Unsupported message");
    else if (header->flags & FRAME_PAYLOAD && !session->client.version->notes)
        session_refuse(session, header->stream, ERROR_PROTOCOL, "Received frame with CUSTOM_PAYLOAD flag for native protocol version < 4");
    else
        return false;
    return true;
}

static void begin_frame(struct session *session)
{
    struct frame_header header = frame_header_read(session->intake.head);
    if (header.length > INT32_MAX && session->format.segments) { /* elsewhere the length has no sign */
        session_refuse(session, header.stream, ERROR_PROTOCOL, "Invalid value for envelope header body length field: %d", (int)header.length);
        session_end(session);
        return;
    }
    if (!is_started(session)) {
        session->client.version = version_of(header.version & 0x7f);
        session->format.version = NULL;
    }
    if (is_refused(session, &header)) {
        session->intake.skip = header.length;
        if (session->intake.refused && session->format.segments)
            session_end(session);
        session->intake.refused = true;
        return;
    }
    session->intake.refused = false;
    session->format.version = session->client.version;
    if (is_too_big(session, &header)) {
        session->intake.skip = header.length;
        session->intake.too_big = header;
        return;
    }
    struct session_job *job = calloc(1, sizeof *job);
    if (!job) {
        session_refuse(session, header.stream, ERROR_SERVER, "out of memory");
        session_end(session);
        return;
    }
    job->session = session;
    job->header = header;
    session->intake.coming = job;
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
    unsigned number = session->intake.head[0] & 0x7f;
    const struct version *version = version_of(number);
    bool wanted = version && (!version->beta || session->intake.head_len < 2 || session->intake.head[1] & FRAME_BETA);
    if (wanted)
        return true;
    bool known = session->format.segments && session->intake.head_len == FRAME_HEADER_LEN; /* CQLMessageHandler has read the rest of the header */
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
    answer_frame(&frame, answer, format, known ? frame_header_read(session->intake.head).stream : 0);
    if (!frame.failed && !format.segments && (number == 1 || number == 2)) { /* the header of those: the stream is one byte */
        frame.data[0] = 0x80 | (uint8_t)number;
        memmove(frame.data + 3, frame.data + 4, frame.len - 4);
        frame.len = frame.len - FRAME_HEADER_LEN + OLD_HEADER_LEN;
    }
    session_send_own(session, &frame);
    return false;
}

/* A request that has come whole needs no memory of its own while it is run; how long it was, 0: it was not to be run at once. */
static size_t run_whole(struct session *session, const uint8_t *data, size_t len)
{
    if (len < FRAME_HEADER_LEN || atomic_load(&session->client.stage) != CLIENT_READY)
        return 0;
    struct frame_header header = frame_header_read(data);
    if (header.opcode != OP_EXECUTE || header.flags || header.version != session->client.version->number || is_too_big(session, &header) ||
        header.length > len - FRAME_HEADER_LEN || !session_run_here(session, &header, data + FRAME_HEADER_LEN, header.length))
        return 0;
    atomic_fetch_add(&session->request_count, 1);
    return FRAME_HEADER_LEN + header.length;
}

/* Bytes of frames, cut anywhere. */
static void take_frames(struct session *session, const uint8_t *data, size_t len)
{
    while (len && !session->deaf) {
        size_t n;
        if (session->intake.skip) {
            n = len < session->intake.skip ? len : session->intake.skip;
            session->intake.skip -= n;
            if (!session->intake.skip && session->intake.too_big.length)
                refuse_too_big(session);
        } else if (!session->intake.coming && !session->intake.head_len && (n = run_whole(session, data, len))) {
            /* nothing is left of it */
        } else if (!session->intake.coming) {
            n = FRAME_HEADER_LEN - session->intake.head_len < len ? FRAME_HEADER_LEN - session->intake.head_len : len;
            memcpy(session->intake.head + session->intake.head_len, data, n);
            session->intake.head_len += n;
            if (!is_spoken(session)) {
                session->intake.head_len = 0;
                return;
            }
            if (session->intake.head_len < FRAME_HEADER_LEN)
                return;
            session->intake.head_len = 0;
            begin_frame(session);
        } else {
            size_t left = session->intake.coming->header.length - session->intake.coming->len;
            n = left < len ? left : len;
            if (!body_put(session->intake.coming, data, n)) {
                session_refuse(session, session->intake.coming->header.stream, ERROR_SERVER, "out of memory");
                session_end(session);
                return;
            }
        }
        data += n;
        len -= n;
        struct session_job *job = session->intake.coming;
        if (job && job->len == job->header.length) {
            session->intake.coming = NULL;
            session_take(session, job);
        }
    }
}

/* ---- segments to frames ---- */

static void take_payload(struct session *session, const struct segment *segment)
{
    struct wire_out plain = { 0 };
    session->intake.refused = false;
    if (!segment->unpacked_len) {
        take_frames(session, segment->payload, segment->payload_len);
        return;
    }
    if (lz4_unpack_block(&plain, segment->payload, segment->payload_len, segment->unpacked_len)) {
        take_frames(session, plain.data, plain.len);
    } else {
        session_refuse(session, 0, ERROR_PROTOCOL, "The compressed payload of the segment cannot be read");
        session_end(session);
    }
    wire_out_release(&plain);
}

static void take_damage(struct session *session, const struct segment *segment, const char *where)
{
    session_refuse(session, 0, ERROR_PROTOCOL, "00000000 invalid, unrecoverable CRC mismatch detected in frame %s. Read %d, Computed %d", where,
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

static void take_cut_segments(struct session *session, const uint8_t *data, size_t len)
{
    struct wire_out *cut = &session->intake.cut;
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

void intake_bytes(struct session *session, const uint8_t *data, size_t len)
{
    (session->format.segments ? take_cut_segments : take_frames)(session, data, len);
}

void intake_release(struct intake *intake)
{
    session_job_free(intake->coming);
    wire_out_release(&intake->cut);
    *intake = (struct intake){ 0 };
}
