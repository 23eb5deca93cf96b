/*
 * writers.h - for tests: threads whose work can be told from its end. Each counts, keeps its last SLOTS numbers twice, and adds one to a
 * total of all.
 */
#ifndef WR_TESTS_WRITERS_H
#define WR_TESTS_WRITERS_H

#include "tests/engine/power.h"

#include <sched.h>

#include "engine/log.h"

enum { WRITERS = 4, SLOTS = 8, SIZE_MOST = 24000 };

struct writer_of_test {
    struct engine *engine;
    uint32_t number;
    uint32_t until;
    uint32_t size_most;  /* of a value */
    bool only_gathered;  /* else a few are whole transactions, held, larger than the log has room for, given up, or followed by a read or a sync */
    uint64_t seed;
    bool may_fail;       /* then what has failed is tried again, until it is told to stop */
    _Atomic uint32_t begun, acknowledged, seen; /* how far it is; seen: by a read of it */
    atomic_bool stop;
    pthread_t thread;
};
static struct writer_of_test writers[WRITERS];

static inline struct slice key_of(uint8_t bytes[12], uint32_t kind, uint32_t writer, uint32_t slot)
{
    put_u32(bytes, kind);
    put_u32(bytes + 4, writer);
    put_u32(bytes + 8, slot);
    return slice_of(bytes, 12);
}
enum { KEY_LAST = 1, KEY_TOTAL, KEY_FIRST_OF_PAIR, KEY_SECOND_OF_PAIR };

static inline enum wr_status get_number(struct ctx *ctx, struct txn *txn, struct slice key, uint32_t *out)
{
    struct slice value;
    TRY(store_get(ctx, txn, TREE_ROWS, key, &value));
    *out = slice_is_null(value) ? 0 : read_u32(value.data);
    return WR_OK;
}

static inline uint32_t number_at(struct ctx *ctx, struct txn *txn, struct slice key)
{
    uint32_t n = 0;
    OK(ctx, get_number(ctx, txn, key, &n));
    return n;
}

struct one_write {
    uint32_t writer, n, bytes;
};

static inline enum wr_status put_number(struct ctx *ctx, struct txn *txn, struct slice key, uint32_t n, uint32_t bytes)
{
    static const uint8_t filler[LOG_HALF_BYTES];
    uint8_t *value;

    TRY(store_reserve(ctx, txn, TREE_ROWS, key, 4 + bytes, &value));
    memcpy(value + 4, filler, bytes);
    put_u32(value, n);
    return WR_OK;
}

static inline enum wr_status write_one(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct one_write *one = arg;
    uint8_t key[12];
    uint32_t last, total;

    TRY(get_number(ctx, txn, key_of(key, KEY_LAST, one->writer, 0), &last));
    TRY(put_number(ctx, txn, key_of(key, KEY_LAST, one->writer, 0), one->n, 0));
    TRY(put_number(ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, one->writer, one->n % SLOTS), one->n, one->bytes));
    TRY(get_number(ctx, txn, key_of(key, KEY_TOTAL, 0, 0), &total));
    TRY(put_number(ctx, txn, key_of(key, KEY_TOTAL, 0, 0), total + (one->n != last), 0)); /* one whose sync has failed may be there */
    return put_number(ctx, txn, key_of(key, KEY_SECOND_OF_PAIR, one->writer, one->n % SLOTS), one->n, 10);
}

/* The same as a held write, in two parts; an odd one reads in between. */
static inline enum wr_status write_in_parts(struct ctx *ctx, struct txn *txn, void *arg)
{
    const struct one_write *one = arg;
    uint8_t key[12];

    TRY(txn_resume(ctx, txn));
    enum wr_status st = put_number(ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, one->writer, one->n % SLOTS), one->n, 0);
    txn_pause(ctx, txn, st);
    TRY(st);
    sched_yield();
    if (one->n % 2)
        TRY(txn_keep(ctx, txn));
    TRY(txn_resume(ctx, txn));
    st = write_one(ctx, txn, arg);
    txn_pause(ctx, txn, st);
    return st;
}

static inline bool is_done(struct ctx *ctx, const struct writer_of_test *w, enum wr_status st)
{
    if (!w->may_fail)
        OK(ctx, st);
    return st == WR_OK;
}

static inline void give_up_one(struct ctx *ctx, struct writer_of_test *w, const struct one_write *one)
{
    struct txn *txn = NULL;
    struct one_write wrong = { one->writer, one->n + 1000000, 100 };
    if (is_done(ctx, w, txn_begin_gathered(ctx, w->engine, &txn)))
        is_done(ctx, w, write_one(ctx, txn, &wrong));
    txn_abort(&txn);
}

static inline void see(struct ctx *ctx, struct writer_of_test *w)
{
    uint8_t key[12];
    struct txn *txn = NULL;
    const struct writer_of_test *other = &writers[(w->number + 1) % WRITERS];

    if (!is_done(ctx, w, (w->acknowledged % 2 ? txn_begin_brief : txn_begin_read)(ctx, w->engine, &txn)))
        return;
    uint32_t last = number_at(ctx, txn, key_of(key, KEY_LAST, w->number, 0));
    assert_in_range(last, atomic_load(&w->acknowledged), atomic_load(w->may_fail ? &w->begun : &w->acknowledged));
    uint32_t of_other = number_at(ctx, txn, key_of(key, KEY_LAST, other->number, 0));
    txn_abort(&txn);
    if (atomic_load(&power.has_failed)) /* then what could not be synced is read, too */
        return;
    if (other->engine && of_other > atomic_load(&other->seen)) /* nobody else looks at this one */
        atomic_store(&writers[other->number].seen, of_other);
}

static inline void *run_writer(void *arg)
{
    struct writer_of_test *w = arg;
    uint64_t seed = w->number + 77 + w->seed;
    struct arena arena;
    struct ctx ctx;

    arena_init(&arena);
    ctx_init(&ctx, &arena);
    for (uint32_t n = 1; n <= w->until && !atomic_load(&w->stop); n += atomic_load(&w->acknowledged) == n) {
        struct one_write one = { w->number, n, (uint32_t)random_below(&seed, w->size_most) };
        uint64_t what = w->only_gathered ? 99 : random_below(&seed, 100);
        if (what == 0)
            one.bytes = LOG_HALF_BYTES - 500 + (uint32_t)random_below(&seed, 400);
        atomic_store(&w->begun, n);
        if (what == 1)
            give_up_one(&ctx, w, &one);
        if (is_done(&ctx, w, what >= 12 && what < 25 ? engine_write_held(&ctx, w->engine, write_in_parts, &one)
                             : what == 2             ? engine_write(&ctx, w->engine, write_one, &one)
                                                     : engine_write_gathered(&ctx, w->engine, write_one, &one)))
            atomic_store(&w->acknowledged, n);
        else
            sched_yield();
        if (what == 3)
            is_done(&ctx, w, engine_sync(&ctx, w->engine));
        if (what >= 4 && what < 12)
            see(&ctx, w);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

/* like: until, size_most and how. */
static inline void start_writers(struct engine *engine, int count, struct writer_of_test like)
{
    for (int i = 0; i < WRITERS; i++) {
        writers[i] = i < count ? like : (struct writer_of_test){ 0 };
        writers[i].engine = i < count ? engine : NULL;
        writers[i].number = (uint32_t)i;
    }
    for (int i = 0; i < count; i++)
        assert_int_equal(pthread_create(&writers[i].thread, NULL, run_writer, &writers[i]), 0);
}

static inline void stop_writers(int count)
{
    for (int i = 0; i < count; i++)
        atomic_store(&writers[i].stop, true);
    for (int i = 0; i < count; i++)
        pthread_join(writers[i].thread, NULL);
}

/* Every write up to `least` is there, none after `most`, each whole, and each counted once. */
static inline void check_work(struct database *db, const uint32_t least[WRITERS], const uint32_t most[WRITERS])
{
    uint8_t key[12];
    struct txn *txn = NULL;
    uint32_t sum = 0;

    OK(&db->ctx, txn_begin_read(&db->ctx, db->engine, &txn));
    for (uint32_t w = 0; w < WRITERS; w++) {
        uint32_t last = number_at(&db->ctx, txn, key_of(key, KEY_LAST, w, 0));
        if (last < least[w] || last > most[w])
            print_message("writer %u: %u is not in %u to %u\n", w, last, least[w], most[w]);
        assert_in_range(last, least[w], most[w]);
        sum += last;
        for (uint32_t n = last > SLOTS ? last - SLOTS + 1 : 1; n <= last; n++) {
            assert_int_equal(number_at(&db->ctx, txn, key_of(key, KEY_FIRST_OF_PAIR, w, n % SLOTS)), n);
            assert_int_equal(number_at(&db->ctx, txn, key_of(key, KEY_SECOND_OF_PAIR, w, n % SLOTS)), n);
        }
    }
    assert_int_equal(number_at(&db->ctx, txn, key_of(key, KEY_TOTAL, 0, 0)), sum);
    txn_abort(&txn);
}

static uint32_t least_at_cut[WRITERS], most_at_cut[WRITERS];

static inline void note_least(void)
{
    for (int i = 0; i < WRITERS; i++) {
        uint32_t seen = atomic_load(&writers[i].seen);
        least_at_cut[i] = atomic_load(&writers[i].acknowledged);
        if (seen > least_at_cut[i]) /* what somebody has been told is as good as acknowledged */
            least_at_cut[i] = seen;
    }
}

static inline void note_most(void)
{
    for (int i = 0; i < WRITERS; i++)
        most_at_cut[i] = atomic_load(&writers[i].begun);
}

static inline void note_at_cut(void)
{
    note_least();
    note_most();
}

#endif
