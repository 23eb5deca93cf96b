/*
 * frame.h - messages in frames, and in protocol v5 frames in segments. Pure: bytes in, bytes out.
 *
 *   frame            version u8 (0x80: an answer) | flags u8 | stream i16 | opcode u8 | length u32 | body
 *   segment          17 bits length, 1 bit "holds whole frames" (little-endian, 3 bytes) | CRC24 (3) | payload | CRC32 (4)
 *   packed segment   17 bits length, 17 bits length unpacked (0: is not packed), 1 bit (5 bytes) | CRC24 (3) | payload | CRC32 (4)
 */
#ifndef WR_SERVE_FRAME_H
#define WR_SERVE_FRAME_H

#include "compress.h"
#include "version.h"
#include "wire.h"

enum {
    FRAME_HEADER_LEN = 9,
    FRAME_BODY_MAX = 16 << 20,         /* of a request, as Cassandra's native_transport_max_frame_size */
    SEGMENT_PAYLOAD_MAX = (1 << 17) - 1,
    SEGMENT_MAX = SEGMENT_PAYLOAD_MAX + 12
};

enum frame_flags { FRAME_COMPRESSED = 1, FRAME_TRACING = 2, FRAME_PAYLOAD = 4, FRAME_WARNINGS = 8, FRAME_BETA = 16 };

enum opcode {
    OP_ERROR = 0x00, OP_STARTUP = 0x01, OP_READY = 0x02, OP_AUTHENTICATE = 0x03, OP_CREDENTIALS = 0x04, OP_OPTIONS = 0x05, OP_SUPPORTED = 0x06,
    OP_QUERY = 0x07, OP_RESULT = 0x08, OP_PREPARE = 0x09, OP_EXECUTE = 0x0a, OP_REGISTER = 0x0b, OP_EVENT = 0x0c,
    OP_BATCH = 0x0d, OP_AUTH_CHALLENGE = 0x0e, OP_AUTH_RESPONSE = 0x0f, OP_AUTH_SUCCESS = 0x10
};

/* Cassandra's name of a message ("QUERY"); NULL: there is no such opcode. *request: clients send it. */
const char *opcode_name(unsigned opcode, bool *request);

struct frame_header {
    uint8_t version; /* as sent, with the direction's bit */
    uint8_t flags;
    int16_t stream;
    uint8_t opcode;
    uint32_t length;
};

struct frame_header frame_header_read(const uint8_t bytes[FRAME_HEADER_LEN]);
void frame_header_put(struct wire_out *out, const struct frame_header *header);

/* ---- segments ---- */

struct segment {
    const uint8_t *payload;
    size_t payload_len;
    size_t unpacked_len;          /* 0: the payload is as it is */
    size_t len;                   /* of the whole segment */
    uint32_t read, computed;      /* checksums, where they differ */
};
enum segment_state { SEGMENT_WHOLE, SEGMENT_CUT, SEGMENT_BAD_HEADER, SEGMENT_BAD_PAYLOAD };

/* The segment that the bytes begin with. */
enum segment_state segment_read(const uint8_t *data, size_t len, bool packed, struct segment *out);

/* The bytes of a frame as one segment, or several where they are too many. */
void segment_put(struct wire_out *out, const uint8_t *frame, size_t len, bool packed);

#endif
