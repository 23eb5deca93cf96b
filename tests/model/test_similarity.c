/* model/similarity_bound.h, model/sketch.h: never below the score, and not far above it. */
#include "tests/model/recorded.h"

#include <math.h>

#include "engine/coding.h"
#include "model/sketch.h"
#include "tests/ok.h"
#include "tests/random/chance.h"

static const uint32_t dimensions[] = { 1, 2, 3, 7, 8, 15, 16, 17, 31, 33, 100, 384, 1000, 1536, 4096 };
static const float sizes[] = { 1, 1, 1, 1E-3f, 1E3f, 1E-9f, 1E-14f, 1E-17f, 1E-25f, 1E9f, 1E16f, 9E16f };

enum { DIMENSION_MOST = 4096, KINDS = 7 };
struct vector {
    float at[DIMENSION_MOST];
    uint8_t bytes[4 * DIMENSION_MOST];
};

static float between(float least, float most)
{
    return least + (most - least) * (float)(next_random() >> 40) * 0x1p-24f;
}

static struct slice laid_out(struct vector *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &v->at[i], sizeof bits);
        put_u32(v->bytes + 4 * (size_t)i, bits);
    }
    return slice_of(v->bytes, 4 * (size_t)n);
}

/* Like b, or not at all like it. */
static void make(struct vector *v, const struct vector *b, uint32_t n)
{
    unsigned kind = below(KINDS);
    float size = sizes[below(sizeof sizes / sizeof *sizes)], little = one_in(2) ? 1E-7f : 1E-3f;

    for (uint32_t i = 0; i < n; i++)
        switch (kind) {
        case 0: v->at[i] = b->at[i]; break;
        case 1: v->at[i] = -b->at[i]; break;
        case 2: v->at[i] = b->at[i] * (1 + between(-little, little)); break;
        case 3: v->at[i] = one_in(16) ? between(-size, size) : 0; break;
        case 4: v->at[i] = between(-1, 1) * sizes[below(sizeof sizes / sizeof *sizes)]; break;
        case 5: v->at[i] = between(0, size); break; /* sums that only grow */
        default: v->at[i] = between(-size, size); break;
        }
}

/* Of what has a sketch, and is not at odds with itself: no less than the score, and no more above it than codes of a byte leave open. */
static void check_sketch(struct work *work, const struct similarity_bound *bound, struct slice row, struct slice wanted)
{
    struct sketch_bound codes;
    struct slice sketch;

    OK(&work->ctx, sketch_make(&work->ctx, row, bound->n, &sketch));
    OK(&work->ctx, sketch_bound_init(&work->ctx, bound, &codes));
    float score = similarity_score(bound->similarity, row, wanted, bound->n), most = sketch_at_most(&codes, sketch);
    if (!(most >= score) && !isnan(score))
        print_message("%d of %u: %.9g, by its sketch at most %.9g\n", (int)bound->similarity, bound->n, (double)score, (double)most);
    assert_true(isnan(score) || most >= score);
    assert_true(sketch.len || isinf(most));
    if (bound->similarity == SIMILARITY_COSINE && !isinf(most))
        assert_true(most - score <= sqrtf((float)bound->n) / 127 + 16 * bound->slack);
}

static void one_pair(struct work *work, uint32_t *told)
{
    static struct vector a, b;
    uint32_t n = dimensions[below(sizeof dimensions / sizeof *dimensions)];

    make(&b, &b, n);
    make(&a, &b, n);
    struct slice row = laid_out(&a, n), wanted = laid_out(&b, n);
    for (enum similarity s = 0; s < SIMILARITIES; s++) {
        struct similarity_bound bound;
        OK(&work->ctx, similarity_bound_init(&work->ctx, s, wanted, n, &bound));
        check_sketch(work, &bound, row, wanted);
        float score = similarity_score(s, row, wanted, n), most = similarity_at_most(&bound, row);
        if (!vector_is_indexable(s, row, n)) {
            assert_true(isinf(most));
            continue;
        }
        if (!(most >= score) && !isnan(score))
            print_message("%d of %u: %.9g, at most %.9g\n", (int)s, n, (double)score, (double)most);
        assert_true(isnan(score) || most >= score);
        if (isinf(most))
            continue;
        float lengths = s == SIMILARITY_DOT_PRODUCT ? 1 + sqrtf(similarity_score(s, row, row, n)) * sqrtf(similarity_score(s, wanted, wanted, n)) : 1;
        assert_true(most - score <= 8 * bound.slack * lengths);
        ++*told;
    }
    arena_reset(work->ctx.arena);
}

static void no_score_is_above(void **state)
{
    uint32_t told = 0;

    rng = 1;
    for (int i = 0; i < 20000; i++)
        one_pair(*state, &told);
    assert_true(told > 20000);
}

static void one_like_none(void **state)
{
    static const float odd[] = { NAN, -NAN, INFINITY, -INFINITY, 2E17f, -2E17f };
    struct work *work = *state;
    static struct vector a, b;
    enum { N = 100 };

    for (uint32_t i = 0; i < N; i++)
        a.at[i] = b.at[i] = (float)i;
    struct slice wanted = laid_out(&b, N);
    for (size_t o = 0; o < sizeof odd / sizeof *odd; o++)
        for (uint32_t i = 0; i < N; i++) {
            a.at[i] = odd[o];
            for (enum similarity s = 0; s < SIMILARITIES; s++) {
                struct similarity_bound bound;
                struct slice row = laid_out(&a, N);
                OK(&work->ctx, similarity_bound_init(&work->ctx, s, wanted, N, &bound));
                assert_true(isinf(similarity_at_most(&bound, row)));
                OK(&work->ctx, similarity_bound_init(&work->ctx, s, row, N, &bound)); /* nor is anything said of what is like it */
                assert_true(isinf(similarity_at_most(&bound, wanted)));
            }
            a.at[i] = (float)i;
        }
}

static void of_other_lengths_there_is_no_sketch(void **state)
{
    struct work *work = *state;
    static struct vector v;
    enum { N = 20 };

    make(&v, &v, N);
    const struct slice vector = laid_out(&v, N);
    for (uint32_t len = 0; len <= vector.len; len++) {
        struct slice sketch;
        OK(&work->ctx, sketch_make(&work->ctx, slice_of(vector.data, len), N + (len == vector.len), &sketch));
        assert_int_equal(sketch.len, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_score_is_above, work_open, work_close),
        cmocka_unit_test_setup_teardown(one_like_none, work_open, work_close),
        cmocka_unit_test_setup_teardown(of_other_lengths_there_is_no_sketch, work_open, work_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
