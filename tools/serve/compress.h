/*
 * compress.h - the compressions a client may choose, as a table. lz4.c and snappy.c wrap a library each.
 *
 * A packed body tells its own length where the protocol wants that (v3 and v4); a segment of v5 has it in its header.
 */
#ifndef WR_SERVE_COMPRESS_H
#define WR_SERVE_COMPRESS_H

#include "wire.h"

struct compression {
    const char *name;
    bool for_segments;                                                     /* may be chosen in v5 too */
    bool (*pack)(struct wire_out *out, const uint8_t *data, size_t len);   /* false: the library or memory failed */
    size_t (*unpacked_len)(const uint8_t *data, size_t len);               /* what a packed body says; 0: of nothing, or it cannot be read */
    bool (*unpack)(struct wire_out *out, const uint8_t *data, size_t len, size_t most);
};

const struct compression *compression_of(struct wire_bytes name); /* NULL: unknown */

bool lz4_pack(struct wire_out *out, const uint8_t *data, size_t len);
size_t lz4_unpacked_len(const uint8_t *data, size_t len);
bool lz4_unpack(struct wire_out *out, const uint8_t *data, size_t len, size_t most);
bool lz4_pack_block(struct wire_out *out, const uint8_t *data, size_t len); /* without the length */
bool lz4_unpack_block(struct wire_out *out, const uint8_t *data, size_t len, size_t unpacked_len);
bool snappy_pack(struct wire_out *out, const uint8_t *data, size_t len);
size_t snappy_unpacked_len(const uint8_t *data, size_t len);
bool snappy_unpack(struct wire_out *out, const uint8_t *data, size_t len, size_t most);

#endif
