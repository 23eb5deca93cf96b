#include "frame.h"

#include "checksum.h"

/* ---- opcodes ---- */

static const struct {
    const char *name;
    bool request;
} opcodes[] = {
    [OP_ERROR] = { "ERROR", false },
    [OP_STARTUP] = { "STARTUP", true },
    [OP_READY] = { "READY", false },
    [OP_AUTHENTICATE] = { "AUTHENTICATE", false },
    [OP_CREDENTIALS] = { "CREDENTIALS", true },
    [OP_OPTIONS] = { "OPTIONS", true },
    [OP_SUPPORTED] = { "SUPPORTED", false },
    [OP_QUERY] = { "QUERY", true },
    [OP_RESULT] = { "RESULT", false },
    [OP_PREPARE] = { "PREPARE", true },
    [OP_EXECUTE] = { "EXECUTE", true },
    [OP_REGISTER] = { "REGISTER", true },
    [OP_EVENT] = { "EVENT", false },
    [OP_BATCH] = { "BATCH", true },
    [OP_AUTH_CHALLENGE] = { "AUTH_CHALLENGE", false },
    [OP_AUTH_RESPONSE] = { "AUTH_RESPONSE", true },
    [OP_AUTH_SUCCESS] = { "AUTH_SUCCESS", false },
};

const char *opcode_name(unsigned opcode, bool *request)
{
    if (opcode >= sizeof opcodes / sizeof opcodes[0])
        return NULL;
    *request = opcodes[opcode].request;
    return opcodes[opcode].name;
}

/* ---- frames ---- */

struct frame_header frame_header_read(const uint8_t bytes[FRAME_HEADER_LEN])
{
    struct wire_in in = wire_in_of(bytes, FRAME_HEADER_LEN);
    struct frame_header header;
    header.version = wire_u8(&in);
    header.flags = wire_u8(&in);
    header.stream = (int16_t)wire_u16(&in);
    header.opcode = wire_u8(&in);
    header.length = wire_u32(&in);
    return header;
}

void frame_header_put(struct wire_out *out, const struct frame_header *header)
{
    wire_put_u8(out, header->version);
    wire_put_u8(out, header->flags);
    wire_put_u16(out, (uint16_t)header->stream);
    wire_put_u8(out, header->opcode);
    wire_put_u32(out, header->length);
}

/* ---- segments ---- */

enum { CRC24_LEN = 3, CRC32_LEN = 4, PLAIN_HEADER_LEN = 3, PACKED_HEADER_LEN = 5, LENGTH_BITS = 17, LENGTH_MASK = SEGMENT_PAYLOAD_MAX };

static uint64_t read_little(const uint8_t *data, size_t len)
{
    uint64_t n = 0;
    for (size_t i = len; i > 0; i--)
        n = n << 8 | data[i - 1];
    return n;
}

static void put_little(struct wire_out *out, uint64_t n, size_t len)
{
    for (size_t i = 0; i < len; i++)
        wire_put_u8(out, (uint8_t)(n >> 8 * i));
}

enum segment_state segment_read(const uint8_t *data, size_t len, bool packed, struct segment *out)
{
    size_t header_len = packed ? PACKED_HEADER_LEN : PLAIN_HEADER_LEN;
    if (len < header_len + CRC24_LEN)
        return SEGMENT_CUT;
    out->read = (uint32_t)read_little(data + header_len, CRC24_LEN);
    out->computed = checksum_crc24(data, header_len);
    if (out->read != out->computed)
        return SEGMENT_BAD_HEADER;
    uint64_t header = read_little(data, header_len);
    out->payload = data + header_len + CRC24_LEN;
    out->payload_len = header & LENGTH_MASK;
    out->unpacked_len = packed ? header >> LENGTH_BITS & LENGTH_MASK : 0;
    out->len = header_len + CRC24_LEN + out->payload_len + CRC32_LEN;
    if (len < out->len)
        return SEGMENT_CUT;
    out->read = (uint32_t)read_little(out->payload + out->payload_len, CRC32_LEN);
    out->computed = checksum_crc32(out->payload, out->payload_len);
    return out->read == out->computed ? SEGMENT_WHOLE : SEGMENT_BAD_PAYLOAD;
}

static void put_header(struct wire_out *out, size_t payload_len, size_t unpacked_len, bool whole, bool packed)
{
    size_t len = packed ? PACKED_HEADER_LEN : PLAIN_HEADER_LEN, at = out->len;
    uint64_t header = payload_len | (uint64_t)unpacked_len << LENGTH_BITS | (uint64_t)whole << LENGTH_BITS * (packed ? 2 : 1);
    put_little(out, header, len);
    if (!out->failed)
        put_little(out, checksum_crc24(out->data + at, len), CRC24_LEN);
}

static void put_checksum(struct wire_out *out, size_t payload_at)
{
    if (!out->failed)
        put_little(out, checksum_crc32(out->data + payload_at, out->len - payload_at), CRC32_LEN);
}

static void put_plain(struct wire_out *out, const uint8_t *payload, size_t len, bool whole, bool packed)
{
    put_header(out, len, 0, whole, packed);
    size_t at = out->len;
    wire_put(out, payload, len);
    put_checksum(out, at);
}

static void put_packed(struct wire_out *out, const uint8_t *payload, size_t len, bool whole)
{
    size_t start = out->len, at = start + PACKED_HEADER_LEN + CRC24_LEN;
    wire_reserve(out, PACKED_HEADER_LEN + CRC24_LEN);
    bool ok = lz4_pack_block(out, payload, len);
    size_t end = out->len;
    if (out->failed)
        return;
    out->len = start;
    if (!ok || end - at >= len) {
        put_plain(out, payload, len, whole, true);
        return;
    }
    put_header(out, end - at, len, whole, true);
    out->len = end;
    put_checksum(out, at);
}

void segment_put(struct wire_out *out, const uint8_t *frame, size_t len, bool packed)
{
    bool whole = len <= SEGMENT_PAYLOAD_MAX;
    for (size_t at = 0; at < len; at += SEGMENT_PAYLOAD_MAX) {
        size_t part = len - at < SEGMENT_PAYLOAD_MAX ? len - at : SEGMENT_PAYLOAD_MAX;
        if (packed)
            put_packed(out, frame + at, part, whole);
        else
            put_plain(out, frame + at, part, whole, false);
    }
}
