/* The one file that includes lz4.h. */
#include <lz4.h>

#include "compress.h"

bool lz4_pack_block(struct wire_out *out, const uint8_t *data, size_t len)
{
    size_t before = out->len;
    int bound = LZ4_compressBound((int)len);
    uint8_t *at = bound > 0 ? wire_reserve(out, (size_t)bound) : NULL;
    int packed = at ? LZ4_compress_default((const char *)data, (char *)at, (int)len, bound) : 0;
    out->len = before + (packed > 0 ? (size_t)packed : 0);
    return packed > 0;
}

bool lz4_unpack_block(struct wire_out *out, const uint8_t *data, size_t len, size_t unpacked_len)
{
    uint8_t *at = wire_reserve(out, unpacked_len);
    return at && LZ4_decompress_safe((const char *)data, (char *)at, (int)len, (int)unpacked_len) == (int)unpacked_len;
}

bool lz4_pack(struct wire_out *out, const uint8_t *data, size_t len)
{
    wire_put_u32(out, (uint32_t)len);
    return lz4_pack_block(out, data, len);
}

size_t lz4_unpacked_len(const uint8_t *data, size_t len)
{
    struct wire_in in = wire_in_of(data, len);
    uint32_t unpacked_len = wire_u32(&in);
    return in.failed || unpacked_len > INT32_MAX ? 0 : unpacked_len;
}

bool lz4_unpack(struct wire_out *out, const uint8_t *data, size_t len, size_t most)
{
    struct wire_in in = wire_in_of(data, len);
    uint32_t unpacked_len = wire_u32(&in);
    if (in.failed || unpacked_len > most)
        return false;
    return lz4_unpack_block(out, in.at, (size_t)(in.end - in.at), unpacked_len);
}
