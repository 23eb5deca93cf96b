#include "answer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void answer_init(struct answer *answer)
{
    *answer = (struct answer){ .rows = { .most = ANSWER_MAX } };
}

void answer_release(struct answer *answer)
{
    wire_out_release(&answer->warnings);
    wire_out_release(&answer->head);
    wire_out_release(&answer->rows);
    wire_out_release(&answer->plain);
}

void answer_clear(struct answer *answer)
{
    answer->traced = false;
    answer->warning_count = 0;
    wire_out_clear(&answer->warnings);
    wire_out_clear(&answer->head);
    wire_out_clear(&answer->rows);
    wire_out_clear(&answer->plain);
}

/* ---- framing ---- */

static size_t body_len(const struct answer *answer, bool warnings)
{
    return (answer->traced ? sizeof answer->trace_id : 0) + (warnings ? 2 + answer->warnings.len : 0) + answer->head.len + answer->rows.len;
}

static void put_body(struct wire_out *out, const struct answer *answer, bool warnings)
{
    if (answer->traced)
        wire_put(out, answer->trace_id, sizeof answer->trace_id);
    if (warnings) {
        wire_put_u16(out, answer->warning_count);
        wire_put(out, answer->warnings.data, answer->warnings.len);
    }
    wire_put(out, answer->head.data, answer->head.len);
    wire_put(out, answer->rows.data, answer->rows.len);
}

static bool put_in_segments(struct wire_out *out, struct answer *answer, const struct frame_header *header, bool warnings, bool packed)
{
    struct wire_out *plain = &answer->plain;
    frame_header_put(plain, header);
    put_body(plain, answer, warnings);
    if (!plain->failed)
        segment_put(out, plain->data, plain->len, packed);
    return !plain->failed && !out->failed;
}

static bool put_packed(struct wire_out *out, struct answer *answer, struct frame_header *header, bool warnings,
                       const struct compression *compression)
{
    struct wire_out *plain = &answer->plain;
    size_t start = out->len;
    header->flags |= FRAME_COMPRESSED;
    wire_reserve(plain, 1); /* so that there is a place also where the body is empty */
    plain->len = 0;
    put_body(plain, answer, warnings);
    frame_header_put(out, header);
    if (plain->failed || !compression->pack(out, plain->data, plain->len))
        return false;
    wire_set_u32(out, start + FRAME_HEADER_LEN - 4, (uint32_t)(out->len - start - FRAME_HEADER_LEN));
    return !out->failed;
}

static bool put_frame(struct wire_out *out, struct answer *answer, struct wire_format format, int16_t stream)
{
    bool warnings = answer->warning_count && format.version->notes;
    if (answer->warnings.failed || answer->head.failed || answer->rows.failed)
        return false;
    struct frame_header header = {
        .version = 0x80 | format.version->number,
        .flags = (answer->traced ? FRAME_TRACING : 0) | (warnings ? FRAME_WARNINGS : 0) | (format.version->beta ? FRAME_BETA : 0),
        .stream = stream,
        .opcode = answer->opcode,
        .length = (uint32_t)body_len(answer, warnings),
    };
    wire_out_clear(&answer->plain);
    if (format.segments)
        return put_in_segments(out, answer, &header, warnings, format.compression != NULL);
    if (format.compression && !format.version->segments) /* else it is of segments, which begin behind the answer to STARTUP */
        return put_packed(out, answer, &header, warnings, format.compression);
    frame_header_put(out, &header);
    put_body(out, answer, warnings);
    return !out->failed;
}

bool answer_frame(struct wire_out *out, struct answer *answer, struct wire_format format, int16_t stream)
{
    if (!put_frame(out, answer, format, stream))
        out->failed = true; /* also where it was the answer that found no room: who waits for it is not to wait for ever */
    return !out->failed;
}

/* ---- warnings ---- */

void answer_warn(struct answer *answer, const char *text)
{
    if (answer->warning_count == UINT16_MAX)
        return;
    wire_put_message(&answer->warnings, text);
    answer->warning_count++;
}

void answer_warnings_of(struct answer *answer, const wr_stmt *stmt)
{
    const char *text;
    for (unsigned i = 0; (text = wr_stmt_warning(stmt, i)); i++)
        answer_warn(answer, text);
}

/* ---- errors ---- */

static void begin_error(struct answer *answer, unsigned code, const char *text)
{
    wire_out_clear(&answer->head);
    wire_out_clear(&answer->rows);
    answer->opcode = OP_ERROR;
    wire_put_u32(&answer->head, code);
    wire_put_message(&answer->head, text);
}

void answer_error(struct answer *answer, unsigned code, const char *format, ...)
{
    char text[ERROR_TEXT_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    begin_error(answer, code, text);
}

void answer_unprepared(struct answer *answer, const uint8_t *id, size_t len)
{
    char hex[2 * 64 + 1] = "";
    for (size_t i = 0; i < len && i < 64; i++)
        snprintf(hex + 2 * i, 3, "%02x", id[i]);
    answer_error(answer, ERROR_UNPREPARED,
                 "Prepared query with ID %s not found (either the query was not prepared on this host (maybe the host has been restarted?) "
                 "or you have prepared too many queries and it has been evicted from the internal cache)",
                 hex);
    wire_put_short_bytes(&answer->head, id, len);
}

/* What stands behind the message, by class. */
static void put_unavailable(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    (void)version;
    wire_put_u16(out, (uint16_t)f->consistency);
    wire_put_u32(out, f->required);
    wire_put_u32(out, f->alive);
}

static void put_counts(struct wire_out *out, const struct wr_failure *f)
{
    wire_put_u16(out, (uint16_t)f->consistency);
    wire_put_u32(out, f->alive);
    wire_put_u32(out, f->required);
}

static void put_failures(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    static const uint8_t loopback[] = { 4, 127, 0, 0, 1 };
    wire_put_u32(out, f->failures);
    for (uint32_t i = 0; version->failure_reasons && i < f->failures; i++) { /* v5: a map from address to reason */
        wire_put(out, loopback, sizeof loopback);
        wire_put_u16(out, (uint16_t)f->reason);
    }
}

static void put_read_timeout(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    (void)version;
    put_counts(out, f);
    wire_put_u8(out, f->data_present);
}

static void put_write_timeout(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    put_counts(out, f);
    wire_put_string(out, f->write_type);
    if (version->failure_reasons && f->write_type && strcmp(f->write_type, "CAS") == 0)
        wire_put_u16(out, 0); /* contentions */
}

static void put_read_failure(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    put_counts(out, f);
    put_failures(out, version, f);
    wire_put_u8(out, f->data_present);
}

static void put_write_failure(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    put_counts(out, f);
    put_failures(out, version, f);
    wire_put_string(out, f->write_type);
}

static void put_function_failure(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    (void)version;
    wire_put_string(out, f->keyspace);
    wire_put_string(out, f->name);
    wire_put_u16(out, (uint16_t)f->argument_count);
    for (uint32_t i = 0; i < f->argument_count; i++)
        wire_put_string(out, f->argument_types[i]);
}

static void put_already_exists(struct wire_out *out, const struct version *version, const struct wr_failure *f)
{
    (void)version;
    wire_put_string(out, f->keyspace);
    wire_put_string(out, f->name);
}

static const struct {
    enum wr_status status;
    void (*put)(struct wire_out *out, const struct version *version, const struct wr_failure *f);
} error_bodies[] = {
    { WR_UNAVAILABLE, put_unavailable },
    { WR_READ_TIMEOUT, put_read_timeout },
    { WR_WRITE_TIMEOUT, put_write_timeout },
    { WR_READ_FAILURE, put_read_failure },
    { WR_WRITE_FAILURE, put_write_failure },
    { WR_FUNCTION_FAILURE, put_function_failure },
    { WR_ALREADY_EXISTS, put_already_exists },
};

/* ErrorMessage.getBackwardsCompatibleMessage: what a client is told that has not heard of failures. Its text goes to room. */
static enum wr_status older_error(enum wr_status status, const char **message, const struct wr_failure *failure, char *room)
{
    const char *of_failure = *message;
    if (status != WR_READ_FAILURE && status != WR_WRITE_FAILURE && status != WR_FUNCTION_FAILURE)
        return status;
    *message = room;
    if (status == WR_FUNCTION_FAILURE) {
        snprintf(room, ERROR_TEXT_ROOM, "ERROR FUNCTION_FAILURE: %s", of_failure);
        return WR_INVALID;
    }
    snprintf(room, ERROR_TEXT_ROOM, "Operation timed out - received only %u responses.", (unsigned)failure->alive);
    return status == WR_READ_FAILURE ? WR_READ_TIMEOUT : WR_WRITE_TIMEOUT;
}

void answer_failure(struct answer *answer, const struct version *version, enum wr_status status, const char *message,
                    const struct wr_failure *failure)
{
    char room[ERROR_TEXT_ROOM];
    if (!version->failures)
        status = older_error(status, &message, failure, room);
    begin_error(answer, wr_status_code(status), message);
    for (size_t i = 0; i < sizeof error_bodies / sizeof error_bodies[0]; i++)
        if (error_bodies[i].status == status)
            error_bodies[i].put(&answer->head, version, failure);
}

/* ---- results ---- */

void answer_result(struct answer *answer, enum result_kind kind)
{
    answer->opcode = OP_RESULT;
    wire_put_u32(&answer->head, kind);
}

void answer_void(struct answer *answer)
{
    answer_result(answer, RESULT_VOID);
}

void answer_keyspace(struct answer *answer, const char *keyspace)
{
    answer_result(answer, RESULT_SET_KEYSPACE);
    wire_put_string(&answer->head, keyspace);
}

bool answer_put_schema_change(struct wire_out *out, const struct version *version, const struct wr_schema_change *change)
{
    bool callable = strcmp(change->target, "FUNCTION") == 0 || strcmp(change->target, "AGGREGATE") == 0;
    bool known = !callable || version->functions;
    wire_put_string(out, known ? change->change : "UPDATED");
    wire_put_string(out, known ? change->target : "KEYSPACE");
    wire_put_string(out, change->keyspace);
    if (change->name)
        wire_put_message(out, known ? change->name : "");
    return callable && known;
}
