/* Answers engine/token.h: tokens are Cassandra's, for keys of every length and bytes above 0x7f. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "engine/token.h"
#include "tests/engine/token_vectors.h"

static size_t unhex(const char *hex, uint8_t *out, size_t room)
{
    size_t n = 0;
    for (unsigned byte; n < room && sscanf(hex + 2 * n, "%2x", &byte) == 1; n++)
        out[n] = (uint8_t)byte;
    return n;
}

static void test_recorded(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof token_vectors / sizeof *token_vectors; i++) {
        uint8_t key[1024];
        size_t len = unhex(token_vectors[i].key_hex, key, sizeof key);
        assert_int_equal(len, strlen(token_vectors[i].key_hex) / 2);
        assert_true(token_of(slice_of(key, len)) == token_vectors[i].token);
    }
}

static void test_empty(void **state)
{
    (void)state;
    assert_true(token_of(SLICE_EMPTY) == INT64_MIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_recorded), cmocka_unit_test(test_empty) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
