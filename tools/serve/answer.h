/*
 * answer.h - one answer while it is made: its pieces are filled in any order and go out as one frame.
 *
 * A result's rows come before what stands in front of them is known (is there another page?), so they have a buffer of their own.
 */
#ifndef WR_SERVE_ANSWER_H
#define WR_SERVE_ANSWER_H

#include "frame.h"
#include "widerow.h"

struct answer {
    uint8_t opcode;
    bool traced;
    uint8_t trace_id[16];
    struct wire_out warnings; /* a [string list] behind its count */
    uint16_t warning_count;
    struct wire_out head, rows;
    struct wire_out plain;    /* the body before it is packed or put in segments */
};

enum { ANSWER_MAX = 256 << 20 }; /* rows of one answer, in bytes: more is an error, which asks for pages */
enum { ERROR_TEXT_ROOM = 4096 + 64 }; /* for a text as the library has it, uncut, and some words before it */

void answer_init(struct answer *answer);
void answer_release(struct answer *answer);
void answer_clear(struct answer *answer); /* for the next request */

/* How a connection wants its frames. */
struct wire_format {
    const struct version *version;
    const struct compression *compression; /* NULL: none */
    bool segments;
};

/* The whole as bytes for the socket; false, and out has failed: there was no memory. */
bool answer_frame(struct wire_out *out, struct answer *answer, struct wire_format format, int16_t stream);

/* Codes of errors that are the server's own; those of the library come with their status. */
enum error_code {
    ERROR_SERVER = 0x0000, ERROR_PROTOCOL = 0x000a, ERROR_CREDENTIALS = 0x0100, ERROR_OVERLOADED = 0x1001, ERROR_INVALID = 0x2200,
    ERROR_UNPREPARED = 0x2500
};

void answer_warn(struct answer *answer, const char *text);
void answer_warnings_of(struct answer *answer, const wr_stmt *stmt);

/* ERROR in place of what was there. */
void answer_error(struct answer *answer, unsigned code, const char *format, ...) __attribute__((format(printf, 3, 4)));
void answer_unprepared(struct answer *answer, const uint8_t *id, size_t len);
/* A failure of the library with its message and what belongs to its class. */
void answer_failure(struct answer *answer, const struct version *version, enum wr_status status, const char *message,
                    const struct wr_failure *failure);

void answer_void(struct answer *answer);
void answer_keyspace(struct answer *answer, const char *keyspace);

/* A change of the schema: the end of an event and of a result. true: the arguments' types are still to come, their number before them.
 * Who speaks a version that does not know of functions is told that the keyspace is another. */
bool answer_put_schema_change(struct wire_out *out, const struct version *version, const struct wr_schema_change *change);

enum result_kind { RESULT_VOID = 1, RESULT_ROWS = 2, RESULT_SET_KEYSPACE = 3, RESULT_PREPARED = 4, RESULT_SCHEMA_CHANGE = 5 };
void answer_result(struct answer *answer, enum result_kind kind);

#endif
