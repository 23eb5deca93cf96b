#include "compress.h"

static const struct compression compressions[] = {
    { "snappy", false, snappy_pack, snappy_unpacked_len, snappy_unpack },
    { "lz4", true, lz4_pack, lz4_unpacked_len, lz4_unpack },
};

const struct compression *compression_of(struct wire_bytes name)
{
    for (size_t i = 0; i < sizeof compressions / sizeof compressions[0]; i++)
        if (wire_is_name(name, compressions[i].name))
            return &compressions[i];
    return NULL;
}
