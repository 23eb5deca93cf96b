/* Answers engine/own.h: what is known of chunks, and for how long. */
#include "engine/own.h"
#include "tests/engine/database.h"

static void a_last_chunk_is_known_until_the_end_or_until_pages_may_have_moved(void **state)
{
    static struct own own;
    uint8_t one[1], other[1];
    (void)state;

    own_note_last(&own, 7, one);
    assert_ptr_equal(own_last(&own, 7), one);
    assert_null(own_last(&own, 7 + OWN_CHUNKS));
    own_note_last(&own, 7 + OWN_CHUNKS, NULL); /* which has not been known */
    assert_ptr_equal(own_last(&own, 7), one);
    own_note_last(&own, 7 + OWN_CHUNKS, other);
    assert_null(own_last(&own, 7));
    own_note_last(&own, 7 + OWN_CHUNKS, NULL);
    assert_null(own_last(&own, 7 + OWN_CHUNKS));

    own_note_last(&own, 7, one);
    for (int i = 0; i < OWN_PAGES_MOST / OWN_PAGES_A_CHANGE; i++)
        own_count(&own, 0);
    assert_ptr_equal(own_last(&own, 7), one);
    own_count(&own, 0);
    assert_null(own_last(&own, 7));
    own_clear(&own);
    assert_null(own_last(&own, 7));
    assert_int_equal(own.changes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_last_chunk_is_known_until_the_end_or_until_pages_may_have_moved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
