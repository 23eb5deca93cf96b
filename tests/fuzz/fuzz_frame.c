/* Bytes as a client may send them: segments, compressed bodies, and the bodies of all requests. Nothing may be read beyond its end. */
#include <stddef.h>
#include <stdint.h>

#include "tools/serve/frame.h"
#include "tools/serve/request.h"

static void read_segments(const uint8_t *data, size_t size, bool packed)
{
    struct segment segment;
    struct wire_out plain = { 0 };
    for (size_t at = 0; segment_read(data + at, size - at, packed, &segment) == SEGMENT_WHOLE; at += segment.len)
        if (segment.unpacked_len)
            lz4_unpack_block(&plain, segment.payload, segment.payload_len, segment.unpacked_len);
    wire_out_release(&plain);
}

static void unpack(const uint8_t *data, size_t size, const char *name)
{
    struct wire_bytes wanted = { (const uint8_t *)name, 0 };
    while (name[wanted.len])
        wanted.len++;
    struct wire_out plain = { 0 };
    compression_of(wanted)->unpack(&plain, data, size, 1 << 20);
    wire_out_release(&plain);
}

static void read_bodies(const uint8_t *data, size_t size, const struct version *version, struct request_values *values)
{
    struct request_options options;
    struct request_entry entry;
    struct request_map_walk walk = request_map(data, size);
    struct wire_bytes name, value;
    uint16_t count;
    struct wire_in in = wire_in_of(data, size);
    request_payload(&in);
    request_query(&in);
    request_options_read(&in, version, &options, values);
    in = wire_in_of(data, size);
    request_query(&in);
    request_prepare_keyspace(&in, version);
    in = wire_in_of(data, size);
    request_events(&in, version);
    while (request_map_next(&walk, &name, &value))
        ;
    in = wire_in_of(data, size);
    request_batch_begin(&in, &count);
    for (uint16_t i = 0; i < count && !in.failed; i++)
        request_batch_entry(&in, version, &entry, values);
    request_options_read(&in, version, &options, values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct request_values values = { 0 };
    read_segments(data, size, false);
    read_segments(data, size, true);
    unpack(data, size, "lz4");
    unpack(data, size, "snappy");
    for (unsigned number = 3; number <= 5; number++)
        read_bodies(data, size, version_of(number), &values);
    request_values_release(&values);
    return 0;
}
