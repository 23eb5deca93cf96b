/*
 * wire.h - the primitives of the native protocol: numbers, strings, bytes, in and out.
 *
 * 1. A reader never runs past its end: behind its first failure everything reads as zero or null, and `error` has what Cassandra would say
 *    (its CBUtil).
 * 2. A writer remembers its first failure (no memory, or more than `most` bytes), so an encoder is straight lines with one check at the end.
 *
 * What is read is borrowed from the bytes given to wire_in_of.
 */
#ifndef WR_SERVE_WIRE_H
#define WR_SERVE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes with a length of the protocol's: WIRE_NULL and WIRE_UNSET have none. */
struct wire_bytes {
    const uint8_t *data;
    int32_t len;
};
enum { WIRE_NULL = -1, WIRE_UNSET = -2 };

enum { WIRE_ERROR_ROOM = 4096 }; /* as much as the library's texts have */

struct wire_in {
    const uint8_t *at, *end;
    bool failed;
    char error[WIRE_ERROR_ROOM]; /* not copied with the rest of it where another reads on: wire_in_of */
};

struct wire_in wire_in_of(const uint8_t *data, size_t len);
void wire_fail(struct wire_in *in, const char *format, ...) __attribute__((format(printf, 2, 3))); /* the first stays */

uint8_t wire_u8(struct wire_in *in);
uint16_t wire_u16(struct wire_in *in);
uint32_t wire_u32(struct wire_in *in);
int64_t wire_i64(struct wire_in *in);
struct wire_bytes wire_string(struct wire_in *in);      /* [string]: UTF-8, checked */
struct wire_bytes wire_long_string(struct wire_in *in); /* [long string] */
struct wire_bytes wire_short_bytes(struct wire_in *in);
struct wire_bytes wire_bytes(struct wire_in *in);       /* [bytes]: any negative length is null */
/* [value]: null and unset; in versions without unset (before 4) any negative length is null, in others a lower one fails. */
struct wire_bytes wire_value(struct wire_in *in, bool has_unset);

bool wire_is_name(struct wire_bytes bytes, const char *name); /* of an option, an algorithm, an event: whatever its case */

struct wire_out {
    uint8_t *data;
    size_t len, room;
    size_t most; /* 0: no limit */
    bool failed;
    bool full; /* it failed because of that limit, else for want of memory */
};

void wire_out_release(struct wire_out *out);
void wire_out_clear(struct wire_out *out); /* empty; gives memory back that was larger than usual */

void wire_put(struct wire_out *out, const void *data, size_t len);
void wire_put_u8(struct wire_out *out, uint8_t n);
void wire_put_u16(struct wire_out *out, uint16_t n);
void wire_put_u32(struct wire_out *out, uint32_t n);
void wire_put_string(struct wire_out *out, const char *text);                  /* [string]; cut where it is too long for one */
void wire_put_message(struct wire_out *out, const char *text);                 /* the same of text that may be cut within a character, or hold what a
                                                                                  client sent: bytes that are no UTF-8 become U+FFFD, as Java has it */
void wire_put_message_text(struct wire_out *out, const char *text);            /* without its length in front */
void wire_put_string_of(struct wire_out *out, const char *text, size_t len);
void wire_put_short_bytes(struct wire_out *out, const void *data, size_t len);
void wire_put_bytes(struct wire_out *out, const void *data, size_t len);       /* [bytes]; data NULL: null */
void wire_set_u32(struct wire_out *out, size_t at, uint32_t n);                /* over what was put there */

/* len bytes to be written by the caller; NULL after a failure. */
uint8_t *wire_reserve(struct wire_out *out, size_t len);

#endif
