/*
 * random_snapshots - what a read gives is what there was when it began.     random_snapshots [HISTORIES] [SEED]
 *
 * Many reads are open at once, each at a snapshot of its own, and are stepped a little at a time, in either direction, within bounds, by keys, by an index, in
 * pages and by aggregates, by this thread and others, while rows are written, deleted and swept, also in transactions that read what they have written and are
 * undone, the map grows and the database is opened anew. A copy of all rows, kept by each read, says what it has to give. In half of the histories inserts are
 * put off wherever they may be (engine/backlog.h). At the end the database is checked. Prints its seed.
 */
#include <unistd.h>

#include "engine/rig.h"
#include "tests/random/readers.h"

enum { STEPS = 600 };

static char folder[256];
static bool in_memory;

/* ---- writes ---- */

static const char *const write_texts[] = {
    "INSERT INTO k.t (p, c, v, w) VALUES (?, ?, ?, ?) USING TTL ?",
    "UPDATE k.t USING TTL ? SET v = ? WHERE p = ? AND c = ?",
    "DELETE FROM k.t WHERE p = ? AND c = ?",
    "DELETE FROM k.t WHERE p = ? AND c >= ? AND c < ?",
    "DELETE FROM k.t WHERE p = ?",
    "UPDATE k.t USING TTL ? SET s = ? WHERE p = ?",
    "DELETE s FROM k.t WHERE p = ?",
};
enum { INSERT, UPDATE, DELETE_ROW, DELETE_RANGE, DELETE_PARTITION, PUT_STATIC, DELETE_STATIC, WRITES };

static wr_stmt *writes[WRITES];

static void prepare_writes(void)
{
    for (int i = 0; i < WRITES; i++)
        must(wr_prepare(db, write_texts[i], -1, &writes[i]), write_texts[i]);
}

static void finalize_writes(void)
{
    for (int i = 0; i < WRITES; i++)
        wr_finalize(writes[i]);
}

static unsigned some_length(void)
{
    static const unsigned around[] = { 1, 100, 1380, 2020, 4060, 8150, 16300, 65500 };

    switch (below(10)) {
    case 0: return 0;
    case 1: return below(VALUE_MOST / 20);
    case 2: return around[below(8)] + below(60);
    default: return below(60);
    }
}

static wr_batch *batch; /* that writes go into; NULL: each is run at once */

static enum wr_status run(int which)
{
    enum wr_status st = batch ? wr_batch_add(batch, writes[which]) : wr_step(writes[which]);

    if (st == WR_DONE)
        st = WR_OK;
    if (st != WR_OK && st != WR_FULL)
        failed(write_texts[which], batch ? wr_batch_error(batch) : wr_stmt_error(writes[which]));
    return st;
}

static void bind_place(wr_stmt *s, int at, int p, int c)
{
    wr_bind_int(s, at, p);
    if (c >= 0)
        wr_bind_blob(s, at + 1, clusterings[c], clustering_lens[c]);
}

static enum wr_status insert(int p, int c)
{
    static uint8_t bytes[VALUE_MOST];
    struct row_state *row = &now.rows[p][c];
    wr_stmt *s = writes[INSERT];
    unsigned len = batch ? below(2000) : some_length(), ttl = one_in(6) ? 1 + below(40) : 0;
    bool no_v = one_in(6), no_w = one_in(6);
    int v = (int)below(VALUES);
    uint8_t byte = (uint8_t)next_random();

    memset(bytes, byte, len);
    bind_place(s, 0, p, c);
    no_v ? wr_bind_null(s, 2) : wr_bind_int(s, 2, v);
    no_w ? wr_bind_null(s, 3) : wr_bind_blob(s, 3, bytes, len);
    wr_bind_int(s, 4, ttl);
    enum wr_status st = run(INSERT);
    int64_t until = ttl ? clock_s + ttl : FOR_EVER;
    if (st == WR_OK)
        *row = (struct row_state){ until, no_v ? 0 : until, no_w ? 0 : until, v, len, byte };
    return st;
}

static enum wr_status update(int p, int c)
{
    wr_stmt *s = writes[UPDATE];
    unsigned ttl = one_in(3) ? 1 + below(40) : 0;
    bool none = one_in(4);
    int v = (int)below(VALUES);

    wr_bind_int(s, 0, ttl);
    none ? wr_bind_null(s, 1) : wr_bind_int(s, 1, v);
    bind_place(s, 2, p, c);
    enum wr_status st = run(UPDATE);
    if (st == WR_OK) {
        now.rows[p][c].v = none ? 0 : ttl ? clock_s + ttl : FOR_EVER;
        now.rows[p][c].v_value = v;
    }
    return st;
}

static enum wr_status delete_some(int p, int from, int to)
{
    wr_stmt *s = writes[DELETE_RANGE];

    bind_place(s, 0, p, from);
    wr_bind_blob(s, 2, clusterings[to], clustering_lens[to]);
    enum wr_status st = run(DELETE_RANGE);
    for (int c = from; st == WR_OK && c < to; c++)
        now.rows[p][c] = (struct row_state){ 0 };
    return st;
}

static enum wr_status delete_row(int p, int c)
{
    bind_place(writes[DELETE_ROW], 0, p, c);
    enum wr_status st = run(DELETE_ROW);
    if (st == WR_OK)
        now.rows[p][c] = (struct row_state){ 0 };
    return st;
}

static enum wr_status delete_partition(int p)
{
    bind_place(writes[DELETE_PARTITION], 0, p, -1);
    enum wr_status st = run(DELETE_PARTITION);
    if (st == WR_OK) {
        memset(now.rows[p], 0, sizeof now.rows[p]);
        now.statics[p] = 0;
    }
    return st;
}

static enum wr_status write_static(int p)
{
    unsigned ttl = one_in(3) ? 1 + below(40) : 0;
    int v = (int)below(100);

    if (one_in(3)) {
        wr_bind_int(writes[DELETE_STATIC], 0, p);
        enum wr_status st = run(DELETE_STATIC);
        if (st == WR_OK)
            now.statics[p] = 0;
        return st;
    }
    wr_bind_int(writes[PUT_STATIC], 0, ttl);
    wr_bind_int(writes[PUT_STATIC], 1, v);
    wr_bind_int(writes[PUT_STATIC], 2, p);
    enum wr_status st = run(PUT_STATIC);
    if (st == WR_OK) {
        now.statics[p] = ttl ? clock_s + ttl : FOR_EVER;
        now.static_values[p] = v;
    }
    return st;
}

static enum wr_status write_one(void)
{
    int p = (int)below(PARTITIONS), c = (int)below(CLUSTERINGS), to = c + (int)below((unsigned)(CLUSTERINGS - c));

    switch (below(24)) {
    case 0: case 1: return delete_row(p, c);
    case 2: return delete_some(p, c, to);
    case 3: return one_in(4) ? delete_partition(p) : delete_row(p, c);
    case 4: return write_static(p);
    case 5: case 6: return update(p, c);
    default: return insert(p, c);
    }
}

/* A run of a partition, in order or its reverse. */
static enum wr_status write_run(void)
{
    int p = (int)below(PARTITIONS);
    bool back = one_in(2), away = one_in(4);
    enum wr_status st = WR_OK;

    for (int i = 0; st == WR_OK && i < CLUSTERINGS; i++) {
        int c = back ? CLUSTERINGS - 1 - i : i;
        st = away ? delete_row(p, c) : insert(p, c);
    }
    return st;
}

static enum wr_status write_batch(void)
{
    struct state before = now;
    enum wr_status st = WR_OK;

    must(wr_batch_new(db, WR_BATCH_UNLOGGED, &batch), "a batch");
    for (unsigned n = 1 + below(10); n; n--) { /* of one time: each row but once */
        int p = (int)below(PARTITIONS), c = (int)below(CLUSTERINGS);
        if (memcmp(&before.rows[p][c], &now.rows[p][c], sizeof before.rows[p][c]) == 0)
            st = insert(p, c);
    }
    st = wr_batch_run(batch, NULL);
    if (st != WR_OK) {
        if (st != WR_FULL)
            failed("a batch", wr_batch_error(batch));
        now = before;
    }
    wr_batch_free(batch);
    batch = NULL;
    return st;
}

/* ---- reads amid writes of their own transaction ---- */

/* Rows that have been alive since a read began have to be given, and whatever is, as it is at that moment, or was when the read began: a brief one has read
 * all by then. */
struct amid {
    bool steady[PARTITIONS][CLUSTERINGS], given[PARTITIONS][CLUSTERINGS];
    int last_place, last_c;
};

static int place_of(const struct reader *r, int p)
{
    int place = 0;

    if (r->kind != ALL) /* by keys */
        return p;
    while (order[place] != p)
        place++;
    return place;
}

static void note_dead(struct amid *a)
{
    for (int p = 0; p < PARTITIONS; p++)
        for (int c = 0; c < CLUSTERINGS; c++)
            a->steady[p][c] &= is_alive(&now.rows[p][c], clock_s);
}

static bool is_as_in(const struct reader *r, const struct state *state, int p, int c)
{
    return is_alive(&state->rows[p][c], clock_s) && has_values(r->stmt, &state->rows[p][c], clock_s);
}

static void check_amid(const struct reader *r, struct amid *a)
{
    int p = (int)wr_column_int(r->stmt, 0), place = place_of(r, p), c = 0;
    size_t len;
    const uint8_t *bytes = wr_column_bytes(r->stmt, 1, &len);

    if (wr_column_is_null(r->stmt, 1))
        return;
    while (c < CLUSTERINGS && bytes_cmp(bytes, len, clusterings[c], clustering_lens[c]) != 0)
        c++;
    if (c == CLUSTERINGS || (!is_as_in(r, &r->state, p, c) && !is_as_in(r, &now, p, c)))
        failed(texts[r->kind], "gave a row that is not there");
    if (place < a->last_place || (place == a->last_place && (is_back(r->kind) ? c >= a->last_c : c <= a->last_c)))
        failed(texts[r->kind], "went back");
    a->given[p][c] = true;
    a->last_place = place;
    a->last_c = c;
}

static enum wr_status read_amid_writes(void)
{
    static struct reader r;
    static struct amid a;
    enum wr_status st = WR_OK;

    do
        reader_bind(&r);
    while ((r.kind > SOME || r.page) && (reader_close(&r), true));
    a = (struct amid){ .last_place = -1 };
    for (int i = 0; i < r.count; i++)
        if (r.rows[i].c >= 0)
            a.steady[r.rows[i].p][r.rows[i].c] = true;
    while (st == WR_OK && (st = wr_step(r.stmt)) == WR_ROW) {
        check_amid(&r, &a);
        for (st = WR_OK; st == WR_OK && one_in(2); note_dead(&a))
            st = write_one();
    }
    if (st != WR_DONE && st != WR_FULL)
        failed(texts[r.kind], wr_stmt_error(r.stmt));
    for (int p = 0; st == WR_DONE && p < PARTITIONS; p++)
        for (int c = 0; c < CLUSTERINGS; c++)
            if (a.steady[p][c] && !a.given[p][c])
                failed(texts[r.kind], "has passed over a row");
    reader_close(&r);
    return st == WR_DONE ? WR_OK : st;
}

struct whole {
    struct state before;
    bool undone;
};

static enum wr_status transaction(void *arg)
{
    struct whole *whole = arg;
    unsigned kind = below(8), count = kind == 0 ? 1500 : 1 + below(30);
    enum wr_status st = WR_OK;

    now = whole->before;
    for (unsigned i = 0; st == WR_OK && i < count; i++) {
        if (count < 100 ? one_in(3) : one_in(60))
            st = read_whole();
        if (one_in(4))
            go_on_reading();
        if (st == WR_OK && one_in(count < 100 ? 40 : 500))
            st = read_amid_writes();
        if (st == WR_OK)
            st = write_one();
    }
    return st != WR_OK ? st : whole->undone ? WR_INVALID : WR_OK;
}

static enum wr_status write_whole(void)
{
    static struct whole whole;

    whole.before = now;
    whole.undone = one_in(3);
    enum wr_status st = wr_atomically(db, transaction, &whole);
    if (st != WR_OK)
        now = whole.before;
    if (st != WR_OK && st != WR_FULL && !(whole.undone && st == WR_INVALID))
        failed("a transaction", wr_error(db));
    return whole.undone && st == WR_INVALID ? WR_OK : st;
}

static void open_database(void)
{
    struct wr_options options = WR_OPTIONS_INIT;

    options.map_bytes = map_bytes;
    options.clock_us = clock_s * 1000000;
    options.durability = below(3);
    if (in_memory)
        must(wr_open(NULL, &options, &db), "a database in memory");
    else
        must(wr_open(folder, &options, &db), folder);
}

static void close_database(void)
{
    close_readers();
    finalize_writes();
    must(wr_close(db), "closing");
}

static void tell_finding(void *arg, const char *finding)
{
    (void)arg;
    fprintf(stderr, "%s\n", finding);
}

static void check(void)
{
    uint64_t findings;
    must(wr_check(db, tell_finding, NULL, &findings), "a check");
    if (findings)
        failed("a check", "found something");
}

static void write_some(void)
{
    enum wr_status st;

    if (map_bytes) /* who reads keeps a full map where it is */
        close_readers();
    switch (below(30)) {
    case 0: case 1: st = write_batch(); break;
    case 2: st = write_run(); break;
    case 3: case 4: st = write_whole(); break;
    default: st = write_one();
    }
    must(st, "a write");
}

static void look_after(void)
{
    switch (below(12)) {
    case 0: must(wr_sync(db), "a sync"); break;
    case 1: must(wr_sweep(db, below(3)), "a sweep"); break;
    case 2: case 3:
        wr_clock_step(db, INT64_C(1000000) * (1 + below(20)));
        clock_s = wr_clock_now(db) / 1000000;
        break;
    case 4:
        if (one_in(4)) {
            must(wr_exec(db, "TRUNCATE k.t", NULL, NULL), "TRUNCATE");
            memset(&now, 0, sizeof now);
        }
        break;
    case 5:
        if (one_in(10)) {
            wr_clock_step(db, INT64_C(1000000) * 1000000);
            clock_s = wr_clock_now(db) / 1000000;
        }
        break;
    case 6:
        if (!in_memory && one_in(4)) {
            close_database();
            open_database();
            prepare_writes();
        }
        break;
    default: break;
    }
}

static bool take_order(void *arg, wr_stmt *row)
{
    order[(*(int *)arg)++] = (int)wr_column_int(row, 0);
    return true;
}

static void learn_order(void)
{
    char cql[100];
    int n = 0;

    must(wr_exec(db, "CREATE TABLE k.o (p int PRIMARY KEY)", NULL, NULL), "a table");
    for (int p = 0; p < PARTITIONS; p++) {
        snprintf(cql, sizeof cql, "INSERT INTO k.o (p) VALUES (%d)", p);
        must(wr_exec(db, cql, NULL, NULL), cql);
    }
    must(wr_exec(db, "SELECT p FROM k.o", take_order, &n), "an order");
    assert(n == PARTITIONS);
}

static void remove_all(void)
{
    char command[300];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        failed(folder, "cannot be removed");
}

static void run_history(void)
{
    in_memory = one_in(3);
    map_bytes = one_in(4) ? 1 << 20 : 0;
    clock_s = 1700000000;
    is_indexed = one_in(3);
    rig.backlog_when = one_in(2) ? BACKLOG_ALWAYS : BACKLOG_WHERE_IT_PAYS;
    memset(&now, 0, sizeof now);
    make_clusterings();
    snprintf(folder, sizeof folder, "%s/random_snapshots-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder))
        failed(folder, "cannot be made");
    open_database();
    must(wr_exec(db, "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}", NULL, NULL), "a keyspace");
    must(wr_exec(db, "CREATE TABLE k.t (p int, c blob, s int static, v int, w blob, PRIMARY KEY (p, c)) WITH gc_grace_seconds = 100", NULL, NULL), "a table");
    if (is_indexed)
        must(wr_exec(db, "CREATE INDEX ON k.t (v)", NULL, NULL), "an index");
    learn_order();
    prepare_writes();
    for (unsigned i = below(3) ? 0 : 2000; i; i--)
        write_some();
    for (int i = 0; i < STEPS; i++) {
        for (unsigned n = below(4); n; n--)
            write_some();
        read_some(&readers[below(READERS)]);
        if (one_in(10))
            look_after();
    }
    close_readers();
    check();
    finalize_writes();
    must(wr_close(db), "closing");
    remove_all();
}

int main(int argc, char **argv)
{
    return run_histories(argc, argv, "random_snapshots", 100, run_history);
}
