/*
 * subject.h - the engine that random_histories puts to the test: its table with two indexes, the statement's memory, and what stops the
 * program where a promise is not kept.
 */
#ifndef WR_TESTS_SUBJECT_H
#define WR_TESTS_SUBJECT_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/coding.h"
#include "engine/engine.h"
#include "engine/scan.h"
#include "tests/random/shown.h"

static struct arena arena;
static struct ctx ctx;
static struct engine *engine;
static struct engine_options options;
static struct table_shape table;
static struct index_shape indexes[2];
static uint64_t seed;
static uint64_t history_number;
static struct scan *scan;
static struct partitions *partitions;
static struct index_scan *hits;

static _Noreturn void failed(const char *what)
{
    fprintf(stderr, "FAILED: %s (seed %" PRIu64 ", history %" PRIu64 ") %s\n", what, seed, history_number, ctx.error);
    abort();
}

static void must(enum wr_status st, const char *what)
{
    if (st != WR_OK)
        failed(what);
}

#define MUST(call) must((call), #call)
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            failed(#condition);                                                                                        \
    } while (0)

static const struct table_shape *look_up(void *arg, uint64_t table_id)
{
    (void)arg;
    return table_id == table.table_id ? &table : NULL;
}

/* Terms: every value of column A with an 'A' before it, every path of the map with an 'M', and the clustering with a 'C'; their
 * length too, so that none is another's prefix. In memory that the next one takes. */
enum { TERM_HEAD = 3 };

static struct slice make_term(char prefix, struct slice s)
{
    static uint8_t room[2048];
    room[0] = (uint8_t)prefix;
    put_u16(room + 1, (uint16_t)s.len);
    if (s.len)
        memcpy(room + TERM_HEAD, s.data, s.len);
    return slice_of(room, s.len + TERM_HEAD);
}

static enum wr_status terms_of_row(struct ctx *c, void *arg, struct slice partition_key, struct slice clustering,
                                   const struct row *row, enum wr_status (*emit)(void *, struct slice), void *emit_arg)
{
    (void)c, (void)arg, (void)partition_key;
    TRY(emit(emit_arg, make_term('C', clustering)));
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct cell *cell = &row->cells[i];
        CHECK(!(cell->flags & CELL_SPILLED) && !slice_is_null(cell->value));
        if (cell->column == COLUMN_A)
            TRY(emit(emit_arg, make_term('A', cell->value)));
        if (cell->column == COLUMN_BIG)
            TRY(emit(emit_arg, make_term('B', cell->value)));
        if (cell->column == COLUMN_MAP)
            TRY(emit(emit_arg, make_term('M', cell->path)));
    }
    return WR_OK;
}

static enum wr_status terms_of_static(struct ctx *c, void *arg, struct slice partition_key, struct slice clustering,
                                      const struct row *row, enum wr_status (*emit)(void *, struct slice), void *emit_arg)
{
    (void)c, (void)arg, (void)partition_key;
    CHECK(clustering.len == 0);
    for (uint32_t i = 0; i < row->cell_count; i++)
        if (row->cells[i].column == COLUMN_STATIC)
            TRY(emit(emit_arg, make_term('S', row->cells[i].value)));
    return WR_OK;
}

static void refresh(const struct history *h)
{
    arena_reset(&arena);
    ctx_init(&ctx, &arena);
    ctx.now_s = h->now_s;
}

static void sweep_later(void *arg) /* sweeps come between writes, whoever wants one */
{
    (void)arg;
}

static void open_engine(void)
{
    MUST(engine_open(&ctx, &options, &engine));
    engine_set_sweep_hook(engine, sweep_later, NULL);
    engine_set_table_lookup(engine, look_up, NULL);
    clock_set(engine_clock(engine), (int64_t)NOW_S * 1000000);
}

#endif
