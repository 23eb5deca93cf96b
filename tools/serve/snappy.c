/* The one file that includes snappy-c.h. */
#include <snappy-c.h>

#include "compress.h"

bool snappy_pack(struct wire_out *out, const uint8_t *data, size_t len)
{
    size_t before = out->len, packed = snappy_max_compressed_length(len);
    uint8_t *at = wire_reserve(out, packed);
    if (!at || snappy_compress((const char *)data, len, (char *)at, &packed) != SNAPPY_OK)
        return false;
    out->len = before + packed;
    return true;
}

size_t snappy_unpacked_len(const uint8_t *data, size_t len)
{
    size_t unpacked;
    return snappy_uncompressed_length((const char *)data, len, &unpacked) == SNAPPY_OK ? unpacked : 0;
}

bool snappy_unpack(struct wire_out *out, const uint8_t *data, size_t len, size_t most)
{
    size_t unpacked;
    if (snappy_uncompressed_length((const char *)data, len, &unpacked) != SNAPPY_OK || unpacked > most)
        return false;
    uint8_t *at = wire_reserve(out, unpacked);
    return at && snappy_uncompress((const char *)data, len, (char *)at, &unpacked) == SNAPPY_OK;
}
