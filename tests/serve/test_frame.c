/* tools/serve/frame.h, compress.h and checksum.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tools/serve/checksum.h"
#include "tools/serve/frame.h"

static void fill(uint8_t *data, size_t len, bool random)
{
    uint32_t seed = 7;
    for (size_t i = 0; i < len; i++) {
        seed = seed * 1664525 + 1013904223;
        data[i] = random ? (uint8_t)(seed >> 24) : (uint8_t)(i / 100);
    }
}

static void test_crc32_is_the_same_by_eight_bytes_and_by_bits(void **state)
{
    (void)state;
    static const uint8_t fox[] = "The quick brown fox jumps over the lazy dog";
    for (size_t len = 0; len < sizeof fox; len++) { /* the turns of eight bytes and the rest agree with one byte at a time */
        uint32_t crc = UINT32_MAX;
        static const uint8_t first[] = { 0xfa, 0x2d, 0x55, 0xca };
        for (size_t i = 0; i < 4 + len; i++) {
            crc ^= i < 4 ? first[i] : fox[i - 4];
            for (int bit = 0; bit < 8; bit++)
                crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
        }
        assert_int_equal(checksum_crc32(fox, len), ~crc);
    }
}

static void test_headers_there_and_back(void **state)
{
    (void)state;
    struct frame_header header = { .version = 0x85, .flags = 0x0b, .stream = -2, .opcode = OP_RESULT, .length = 0x01020304 };
    struct wire_out out = { 0 };
    frame_header_put(&out, &header);
    assert_int_equal(out.len, FRAME_HEADER_LEN);
    struct frame_header read = frame_header_read(out.data);
    assert_int_equal(read.version, header.version);
    assert_int_equal(read.flags, header.flags);
    assert_int_equal(read.stream, header.stream);
    assert_int_equal(read.opcode, header.opcode);
    assert_int_equal(read.length, header.length);
    wire_out_release(&out);
}

/* All that the segments hold, unpacked. */
static void read_all(const struct wire_out *segments, bool packed, struct wire_out *out)
{
    for (size_t at = 0; at < segments->len;) {
        struct segment segment;
        assert_int_equal(segment_read(segments->data + at, segments->len - at, packed, &segment), SEGMENT_WHOLE);
        if (segment.unpacked_len)
            assert_true(lz4_unpack_block(out, segment.payload, segment.payload_len, segment.unpacked_len));
        else
            wire_put(out, segment.payload, segment.payload_len);
        at += segment.len;
    }
}

static void test_segments_there_and_back(void **state)
{
    (void)state;
    static const size_t lens[] = { 1, 9, 100, SEGMENT_PAYLOAD_MAX - 1, SEGMENT_PAYLOAD_MAX, SEGMENT_PAYLOAD_MAX + 1, 500000 };
    for (size_t i = 0; i < 4 * sizeof lens / sizeof lens[0]; i++) {
        size_t len = lens[i / 4];
        bool packed = i & 1;
        uint8_t *data = malloc(len);
        struct wire_out segments = { 0 }, read = { 0 };
        fill(data, len, i & 2);
        segment_put(&segments, data, len, packed);
        assert_false(segments.failed);
        read_all(&segments, packed, &read);
        assert_int_equal(read.len, len);
        assert_memory_equal(read.data, data, len);
        wire_out_release(&segments);
        wire_out_release(&read);
        free(data);
    }
}

static void test_a_cut_segment_waits_for_more(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        struct wire_out out = { 0 };
        struct segment segment;
        segment_put(&out, (const uint8_t *)"0123456789", 10, packed);
        for (size_t len = 0; len < out.len; len++)
            assert_int_equal(segment_read(out.data, len, packed, &segment), SEGMENT_CUT);
        assert_int_equal(segment_read(out.data, out.len, packed, &segment), SEGMENT_WHOLE);
        wire_out_release(&out);
    }
}

static void test_a_flipped_bit_is_noticed(void **state)
{
    (void)state;
    for (int packed = 0; packed < 2; packed++) {
        struct wire_out out = { 0 };
        struct segment segment;
        segment_put(&out, (const uint8_t *)"0123456789", 10, packed);
        size_t header = packed ? 8 : 6;
        for (size_t bit = 0; bit < 8 * out.len; bit++) {
            out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
            assert_int_equal(segment_read(out.data, out.len, packed, &segment), bit / 8 < header ? SEGMENT_BAD_HEADER : SEGMENT_BAD_PAYLOAD);
            out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        }
        wire_out_release(&out);
    }
}

static const struct compression *named(const char *name)
{
    return compression_of((struct wire_bytes){ (const uint8_t *)name, (int32_t)strlen(name) });
}

static void test_compressions_there_and_back(void **state)
{
    (void)state;
    static const char *const names[] = { "lz4", "snappy" };
    static const size_t lens[] = { 0, 1, 1000, 1000000 };
    uint8_t *data = malloc(1000000);
    fill(data, 1000000, false);
    for (size_t n = 0; n < 2; n++) {
        const struct compression *compression = named(names[n]);
        for (size_t i = 0; i < sizeof lens / sizeof lens[0]; i++) {
            struct wire_out packed = { 0 }, plain = { 0 };
            assert_true(compression->pack(&packed, data, lens[i]));
            assert_int_equal(compression->unpacked_len(packed.data, packed.len), lens[i]);
            assert_true(compression->unpack(&plain, packed.data, packed.len, 1000000));
            assert_int_equal(plain.len, lens[i]);
            assert_memory_equal(plain.data ? plain.data : data, data, lens[i]);
            wire_out_release(&plain);
            if (lens[i] > 1)
                assert_false(compression->unpack(&plain, packed.data, packed.len, lens[i] - 1)); /* more than is allowed */
            wire_out_release(&plain);
            for (size_t cut = 0; cut < packed.len && cut < 100; cut++) {
                compression->unpack(&plain, packed.data, cut, 1000000); /* whatever it says, it stays within bounds */
                wire_out_release(&plain);
            }
            wire_out_release(&packed);
        }
    }
    assert_null(named("deflate"));
    free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crc32_is_the_same_by_eight_bytes_and_by_bits), cmocka_unit_test(test_headers_there_and_back),
        cmocka_unit_test(test_segments_there_and_back),      cmocka_unit_test(test_a_cut_segment_waits_for_more),
        cmocka_unit_test(test_a_flipped_bit_is_noticed),     cmocka_unit_test(test_compressions_there_and_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
