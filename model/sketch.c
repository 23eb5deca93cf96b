#include "model/sketch.h"

#include <math.h>

#include "engine/coding.h"
#include "model/lanes.h"
#include "model/real.h"

enum { AT_SCALE = 0, AT_LENGTH = 4, AT_REST = 8, AT_CODES = 12, CODE_MOST = 127 };
static const float LENGTH_MIN = 1E-10f; /* of shorter ones the squares of the rests would be lost for smallness */

/* ---- making ---- */

/* Those behind the last whole lanes stand in lanes of their own, zeros behind them. */
LANES_INLINE void read_floats(struct slice vector, uint32_t n, uint32_t from, lanes *out)
{
    *out = (lanes){ 0 };
    if (from + LANES <= n)
        lanes_read(vector.data + sizeof(float) * from, out);
    else
        for (uint32_t i = from; i < n; i++)
            (*out)[i - from] = float_of(read_u32(vector.data + sizeof(float) * i));
}

LANES_INLINE float greatest_of(struct slice vector, uint32_t n, float *squares)
{
    lanes most = { 0 }, sums = { 0 }, v;
    float all = 0;

    for (uint32_t i = 0; i < n; i += LANES) {
        read_floats(vector, n, i, &v);
        lanes size = (lanes)((lane_bits)v & 0x7FFFFFFF);
        lane_ints greater = size > most;
        most = (lanes)(((lane_ints)size & greater) | ((lane_ints)most & ~greater));
        sums += v * v;
    }
    for (int l = 0; l < LANES; l++)
        all = most[l] > all ? most[l] : all;
    *squares = lanes_sum(&sums);
    return all;
}

/* The codes; gives the square of the length of what is left. */
LANES_INLINE float put_codes_of(struct slice vector, uint32_t n, float scale, uint8_t *out)
{
    static const float ROUND = 0x1.8p23f; /* floats from there on have no fractions */
    const float inverse = 1 / scale;
    lanes rests = { 0 }, v;

    for (uint32_t i = 0; i < n; i += LANES) {
        read_floats(vector, n, i, &v);
        lanes whole = v * inverse + ROUND;
        lane_bytes codes = __builtin_convertvector((lane_ints)whole, lane_bytes); /* the last bits of which are the number's */
        lanes rest = v - (whole - ROUND) * scale;
        rests += rest * rest;
        memcpy(out + i, &codes, n - i < LANES ? n - i : LANES);
    }
    return lanes_sum(&rests);
}

struct maker {
    float (*greatest)(struct slice vector, uint32_t n, float *squares);
    float (*put_codes)(struct slice vector, uint32_t n, float scale, uint8_t *out);
};

static float greatest(struct slice vector, uint32_t n, float *squares)
{
    return greatest_of(vector, n, squares);
}

static float put_codes(struct slice vector, uint32_t n, float scale, uint8_t *out)
{
    return put_codes_of(vector, n, scale, out);
}

#ifdef __x86_64__
static __attribute__((target("avx2"))) float greatest_avx2(struct slice vector, uint32_t n, float *squares)
{
    return greatest_of(vector, n, squares);
}

static __attribute__((target("avx2"))) float put_codes_avx2(struct slice vector, uint32_t n, float scale, uint8_t *out)
{
    return put_codes_of(vector, n, scale, out);
}
#endif

static struct maker maker_there_is(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        return (struct maker){ greatest_avx2, put_codes_avx2 };
#endif
    return (struct maker){ greatest, put_codes };
}

/* Of a vector's rest, by the sum of its squares: more than what floats were rounded by. */
static float rest_at_most(float squares, float length)
{
    return sqrtf(squares) * 1.001f + length * 0x1p-21f;
}

enum wr_status sketch_make(struct ctx *ctx, struct slice vector, uint32_t n, struct slice *out)
{
    const struct maker maker = maker_there_is();
    float squares;
    uint8_t *bytes;

    *out = SLICE_EMPTY;
    if (vector.len != sizeof(float) * n)
        return WR_OK;
    const float most = maker.greatest(vector, n, &squares);
    if (!similarity_squares_are_usual(squares) || sqrtf(squares) < LENGTH_MIN)
        return WR_OK;
    if (!(bytes = ctx_alloc(ctx, AT_CODES + n)))
        return WR_NOMEM;
    float scale = most / CODE_MOST, length = sqrtf(squares), rests = maker.put_codes(vector, n, scale, bytes + AT_CODES);
    put_u32(bytes + AT_SCALE, float_bits(scale));
    put_u32(bytes + AT_LENGTH, float_bits(length));
    put_u32(bytes + AT_REST, float_bits(rest_at_most(rests, length)));
    *out = slice_of(bytes, AT_CODES + n);
    return WR_OK;
}

/* ---- reading ---- */

enum { WANTED_MOST = 32767, BLOCK = 512 /* products of both that 32 bits hold the sum of */ };

LANES_INLINE int64_t sum_products(const int8_t *codes, const int16_t *wanted, uint32_t n)
{
    int64_t all = 0;

    for (uint32_t from = 0; from < n; from += BLOCK) {
        uint32_t end = n - from < BLOCK ? n : from + BLOCK;
        int32_t sum = 0;
        for (uint32_t i = from; i < end; i++)
            sum += codes[i] * wanted[i];
        all += sum;
    }
    return all;
}

static int64_t sum(const int8_t *codes, const int16_t *wanted, uint32_t n)
{
    return sum_products(codes, wanted, n);
}

#ifdef __x86_64__
static __attribute__((target("avx2"))) int64_t sum_avx2(const int8_t *codes, const int16_t *wanted, uint32_t n)
{
    return sum_products(codes, wanted, n);
}
#endif

enum wr_status sketch_bound_init(struct ctx *ctx, const struct similarity_bound *of, struct sketch_bound *out)
{
    int16_t *wanted = NEW_ARRAY(ctx, int16_t, of->n);
    float most = 0, rests = 0;

    *out = (struct sketch_bound){ .of = of, .sum = sum };
    if (!wanted)
        return WR_NOMEM;
    if (!of->wanted || of->wanted_length < LENGTH_MIN)
        return WR_OK;
    for (uint32_t i = 0; i < of->n; i++)
        most = fmaxf(most, fabsf(of->wanted[i]));
    out->scale = most / WANTED_MOST;
    for (uint32_t i = 0; i < of->n; i++) {
        wanted[i] = (int16_t)lrintf(of->wanted[i] / out->scale);
        float rest = of->wanted[i] - wanted[i] * out->scale;
        rests += rest * rest;
    }
    out->wanted = wanted;
    out->rest = rest_at_most(rests, of->wanted_length);
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2"))
        out->sum = sum_avx2;
#endif
    return WR_OK;
}

static float told(struct slice sketch, size_t at)
{
    return float_of(read_u32(sketch.data + at));
}

/* The product of both vectors is that of what their codes say, and of each one's rest with the other. */
float sketch_at_most(const struct sketch_bound *bound, struct slice sketch)
{
    const struct similarity_bound *of = bound->of;

    if (!bound->wanted || sketch.len != AT_CODES + of->n)
        return INFINITY;
    float length = told(sketch, AT_LENGTH), rest = told(sketch, AT_REST), lengths = length * of->wanted_length;
    double codes = (double)bound->sum((const int8_t *)sketch.data + AT_CODES, bound->wanted, of->n) * (double)told(sketch, AT_SCALE) * (double)bound->scale;
    float both = (float)codes + rest * of->wanted_length + bound->rest * (length + rest);
    if (of->similarity == SIMILARITY_COSINE)
        return (1 + both / lengths) / 2 + of->slack;
    if (of->similarity == SIMILARITY_DOT_PRODUCT)
        return (1 + both) / 2 + of->slack * (1 + lengths);
    float squares = length * length + of->wanted_length * of->wanted_length;
    return 1 / (1 + fmaxf(squares * (1 - of->slack) - 2 * both, 0)) * (1 + of->slack);
}
