/*
 * random_kills - processes that write and are killed.     random_kills [ROUNDS] [SEED] [FOLDER]
 *
 * A process opens a database and writes by several threads, each into partitions and a table of its own: rows, large values, batches over tables,
 * deletions, counters, conditions, what a view and indexes follow, schema changes, TRUNCATE. It is killed at some moment, the opening included. The next
 * process must find all of what was acknowledged, the write that was under way whole or not at all, in the view what is in its table, and a check without
 * findings; it closes the database or just ends, and the next one writes. Prints its seed, by which each thread's writes are the same; the moments are not.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/rig.h"
#include "tests/random/chance.h"
#include "widerow.h"

enum {
    WRITERS = 4,
    ROWS = 8,
    PLAIN = 40,
    COUNTERS = 3,
    ELEMENTS = 8,
    GROUPS = 5,        /* of the view */
    TEXT_MOST = 1500000,
    CQL_MOST = TEXT_MOST + 1000,
    KILLS_A_DATABASE = 40,
};

/* What there is of a writer: numbers are those of the writes that have put it, 0 is nothing. */
struct state {
    uint32_t rows[ROWS], fixed, elements; /* elements: bits */
    uint32_t plain[PLAIN];
    uint32_t counters[COUNTERS];
    uint32_t single;
    uint32_t own, own_column, own_index, own_rows; /* a table; own_rows: bits */
};

struct writer {
    struct state state; /* behind write number `from` */
    uint32_t from;
    _Atomic uint32_t begun, acknowledged;
};

/* What outlives the processes. */
static struct shared {
    struct writer writers[WRITERS];
    _Atomic uint32_t acknowledged; /* of all */
} * shared;

static uint64_t seed;
static pid_t killer;
static char folder[200];

static _Noreturn void is_wrong(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fprintf(stderr, "FAILED (seed %" PRIu64 ", %s): ", seed, folder);
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    _exit(1);
}

static void nap(unsigned microseconds)
{
    nanosleep(&(struct timespec){ .tv_nsec = microseconds * 1000L }, NULL);
}

/* ---- writes ---- */

/* A statement as it is made; bytes NULL: nobody wants it. */
struct text {
    char *bytes;
    size_t len;
};

static void say(struct text *t, const char *format, ...)
{
    va_list args;

    if (!t->bytes)
        return;
    va_start(args, format);
    t->len += (size_t)vsnprintf(t->bytes + t->len, CQL_MOST - t->len, format, args);
    va_end(args);
}

/* Of the row that write number n puts. */
static size_t text_len(uint32_t n)
{
    return n % 97 == 0 ? n * 7919u % TEXT_MOST : n % 13 == 0 ? n * 7919u % 20000 : n % 300;
}

static char text_at(uint32_t n, size_t i)
{
    return (char)('a' + (n + i / 1000) % 26);
}

static void put_row(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned c = below(ROWS);

    s->rows[c] = n;
    say(t, "INSERT INTO k.t (p, c, n, w, v) VALUES (%u, %u, %u, %u, '", w, c, n, n % GROUPS);
    for (size_t i = 0; t->bytes && i < text_len(n); i++)
        t->bytes[t->len++] = text_at(n, i);
    say(t, "')");
}

static void delete_row(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned c = below(ROWS);
    (void)n;

    s->rows[c] = 0;
    say(t, "DELETE FROM k.t WHERE p = %u AND c = %u", w, c);
}

static void delete_rows(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned from = below(ROWS), to = from + below(ROWS - from);
    (void)n;

    for (unsigned c = from; c <= to; c++)
        s->rows[c] = 0;
    say(t, "DELETE FROM k.t WHERE p = %u AND c >= %u AND c <= %u", w, from, to);
}

static void delete_partition(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    (void)n;

    memset(s->rows, 0, sizeof s->rows);
    s->fixed = s->elements = 0;
    say(t, "DELETE FROM k.t WHERE p = %u", w);
}

static void take_element(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned e = below(ELEMENTS);
    (void)n;

    s->elements &= ~(1u << e);
    say(t, "UPDATE k.t SET s = s - {%u} WHERE p = %u", e, w);
}

static void put_plain(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned i = below(PLAIN);

    s->plain[i] = n;
    say(t, "INSERT INTO k.b (p, c, n) VALUES (%u, %u, %u)", w * PLAIN + i, w, n);
}

static void put_batch(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned e = below(ELEMENTS);

    say(t, "BEGIN BATCH ");
    delete_rows(s, t, w, n);
    say(t, "; UPDATE k.t SET st = %u, s = s + {%u} WHERE p = %u; ", n, e, w);
    s->fixed = n;
    s->elements |= 1u << e;
    put_plain(s, t, w, n);
    say(t, "; ");
    put_plain(s, t, w, n);
    say(t, "; APPLY BATCH");
}

static void count_one(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned c = below(COUNTERS);
    (void)n;

    s->counters[c]++;
    say(t, "UPDATE k.n SET n = n + 1 WHERE p = %u AND c = %u", w, c);
}

static void put_on_condition(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    if (!s->single)
        say(t, "INSERT INTO k.l (p, n) VALUES (%u, %u) IF NOT EXISTS", w, n);
    else if (n % 4)
        say(t, "UPDATE k.l SET n = %u WHERE p = %u IF n = %u", n, w, s->single);
    else
        say(t, "DELETE FROM k.l WHERE p = %u IF n = %u", w, s->single);
    s->single = s->single && n % 4 == 0 ? 0 : n;
}

static void fill_own(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    unsigned p = below(ROWS);

    if (!s->own) {
        s->own = 1;
        say(t, "CREATE TABLE k.o%u (p int PRIMARY KEY, v int)", w);
        return;
    }
    s->own_rows |= 1u << p;
    say(t, "INSERT INTO k.o%u (p, v) VALUES (%u, %u)", w, p, n);
}

static void change_own(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    if (!s->own) {
        fill_own(s, t, w, n);
        return;
    }
    switch (below(4)) {
    case 0:
        s->own = s->own_column = s->own_index = s->own_rows = 0;
        say(t, "DROP TABLE k.o%u", w);
        break;
    case 1:
        s->own_rows = 0;
        say(t, "TRUNCATE k.o%u", w);
        break;
    case 2:
        s->own_column = !s->own_column;
        say(t, s->own_column ? "ALTER TABLE k.o%u ADD z int" : "ALTER TABLE k.o%u DROP z", w);
        break;
    default:
        s->own_index = !s->own_index;
        say(t, s->own_index ? "CREATE INDEX oi%u ON k.o%u (v)" : "DROP INDEX k.oi%u", w, w);
    }
}

static void (*const writes[])(struct state *s, struct text *t, uint32_t w, uint32_t n) = {
    put_row, put_row, put_row, put_row, put_row, put_plain, put_plain, put_plain, put_batch, put_batch, delete_row, delete_rows,
    take_element, count_one, count_one, put_on_condition, put_on_condition, fill_own, fill_own, change_own,
};

/* Write number n of writer w: what it says, and what comes of it. */
static void make_write(struct state *s, struct text *t, uint32_t w, uint32_t n)
{
    rng = seed + w * UINT64_C(1000003) + n * UINT64_C(0x9e3779b97f4a7c15);
    t->len = 0;
    if (one_in(100))
        delete_partition(s, t, w, n);
    else
        writes[below(sizeof writes / sizeof *writes)](s, t, w, n);
}

/* ---- the process that writes ---- */

static const char *const schema[] = {
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE TABLE k.t (p int, c int, n int, w int, v text, st int static, s set<int> static, PRIMARY KEY (p, c))",
    "CREATE INDEX tn ON k.t (n)",
    "CREATE CUSTOM INDEX tw ON k.t (w) USING 'StorageAttachedIndex'",
    "CREATE MATERIALIZED VIEW k.tv AS SELECT p, c, n, w FROM k.t WHERE w IS NOT NULL AND p IS NOT NULL AND c IS NOT NULL PRIMARY KEY (w, p, c)",
    "CREATE TABLE k.b (p int, c int, n int, PRIMARY KEY (p, c))",
    "CREATE TABLE k.n (p int, c int, n counter, PRIMARY KEY (p, c))",
    "CREATE TABLE k.l (p int PRIMARY KEY, n int)",
};

static wr_db *open_database(bool put_off)
{
    struct wr_options options = WR_OPTIONS_INIT;
    wr_db *db;

    rig.backlog_when = put_off ? BACKLOG_ALWAYS : BACKLOG_WHERE_IT_PAYS;
    rig.build_batch_bytes = rig.build_part_bytes = 100; /* an index of a few rows is committed in parts, too */
    options.durability = one_in(3) ? WR_DURABILITY_FULL : WR_DURABILITY_PERIODIC;
    options.sync_interval_ms = 1 + below(100);
    if (wr_open(folder, &options, &db) != WR_OK)
        is_wrong("open: %s", wr_error(db));
    return db;
}

static bool is_applied(void *arg, wr_stmt *row)
{
    if (!wr_column_bool(row, 0))
        is_wrong("not applied: %s", (const char *)arg);
    return true;
}

struct thread {
    uint32_t number;
    wr_db *db; /* a handle of its own */
    pthread_t id;
};

static void *run_writer(void *arg)
{
    const struct thread *thread = arg;
    struct writer *w = &shared->writers[thread->number];
    struct state s = w->state;
    struct text t = { malloc(CQL_MOST), 0 };

    for (uint32_t n = w->from + 1;; n++) {
        make_write(&s, &t, thread->number, n);
        atomic_store(&w->begun, n);
        if (wr_exec(thread->db, t.bytes, is_applied, t.bytes) != WR_OK)
            is_wrong("%.200s: %s", t.bytes, wr_error(thread->db));
        atomic_store(&w->acknowledged, n);
        atomic_fetch_add(&shared->acknowledged, 1);
        if (one_in(50) && (one_in(2) ? wr_sync(thread->db) : wr_sweep(thread->db, 10)) != WR_OK)
            is_wrong("sync or sweep: %s", wr_error(thread->db));
    }
    return NULL;
}

static _Noreturn void write_until_killed(bool put_off)
{
    struct thread threads[WRITERS];
    wr_db *db = open_database(put_off);

    for (uint32_t i = 0; i < WRITERS; i++) {
        threads[i].number = i;
        if (wr_attach(db, &threads[i].db) != WR_OK || pthread_create(&threads[i].id, NULL, run_writer, &threads[i]) != 0)
            is_wrong("no thread");
    }
    while (getppid() == killer)
        nap(100000);
    _exit(1); /* who was to kill it has ended */
}

/* ---- the process that looks at what there is ---- */

struct look {
    struct state s;
    uint32_t of_view[ROWS];
    uint32_t w;
};

static void ask(wr_db *db, struct look *look, wr_row_fn on_row, const char *format, ...)
{
    char cql[200];
    va_list args;

    va_start(args, format);
    vsnprintf(cql, sizeof cql, format, args);
    va_end(args);
    if (wr_exec(db, cql, on_row, look) != WR_OK)
        is_wrong("%s: %s", cql, wr_error(db));
}

static void check_text(wr_stmt *row, int column, uint32_t n)
{
    size_t len;
    const char *text = wr_column_bytes(row, column, &len);

    if (len != text_len(n))
        is_wrong("the text of %" PRIu32 " has %zu bytes", n, len);
    for (size_t i = 0; i < len; i++)
        if (text[i] != text_at(n, i))
            is_wrong("the text of %" PRIu32 " is another at %zu", n, i);
}

static bool see_row(void *arg, wr_stmt *row)
{
    struct look *look = arg;
    const char *elements = wr_column_text(row, 4);

    look->s.fixed = (uint32_t)wr_column_int(row, 3);
    for (int e = 0; elements && e < ELEMENTS; e++)
        look->s.elements |= strchr(elements, '0' + e) ? 1u << e : 0;
    if (wr_column_is_null(row, 0)) /* only what is static */
        return true;
    uint32_t n = (uint32_t)wr_column_int(row, 1);
    look->s.rows[wr_column_int(row, 0)] = n;
    check_text(row, 2, n);
    return true;
}

static bool see_of_view(void *arg, wr_stmt *row)
{
    ((struct look *)arg)->of_view[wr_column_int(row, 0)] = (uint32_t)wr_column_int(row, 1);
    return true;
}

static bool see_plain(void *arg, wr_stmt *row)
{
    struct look *look = arg;

    if (wr_column_int(row, 1) == look->w)
        look->s.plain[wr_column_int(row, 0) - look->w * PLAIN] = (uint32_t)wr_column_int(row, 2);
    return true;
}

static bool see_counter(void *arg, wr_stmt *row)
{
    ((struct look *)arg)->s.counters[wr_column_int(row, 0)] = (uint32_t)wr_column_int(row, 1);
    return true;
}

static bool see_single(void *arg, wr_stmt *row)
{
    ((struct look *)arg)->s.single = (uint32_t)wr_column_int(row, 0);
    return true;
}

static bool see_own(void *arg, wr_stmt *row)
{
    (void)row;
    ((struct look *)arg)->s.own = 1;
    return true;
}

static bool see_own_column(void *arg, wr_stmt *row)
{
    (void)row;
    ((struct look *)arg)->s.own_column = 1;
    return true;
}

static bool see_own_index(void *arg, wr_stmt *row)
{
    (void)row;
    ((struct look *)arg)->s.own_index = 1;
    return true;
}

static bool see_own_row(void *arg, wr_stmt *row)
{
    ((struct look *)arg)->s.own_rows |= 1u << wr_column_int(row, 0);
    return true;
}

/* By the table, by the view and by an index. */
static void look_at_rows(wr_db *db, struct look *look)
{
    static const char *const ways[] = { "SELECT c, n FROM k.tv WHERE w = %u AND p = %u", "SELECT c, n FROM k.t WHERE w = %u AND p = %u" };

    ask(db, look, see_row, "SELECT c, n, v, st, s FROM k.t WHERE p = %u", look->w);
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        memset(look->of_view, 0, sizeof look->of_view);
        for (unsigned group = 0; group < GROUPS; group++)
            ask(db, look, see_of_view, ways[way], group, look->w);
        if (memcmp(look->of_view, look->s.rows, sizeof look->of_view) != 0)
            is_wrong("the %s of writer %" PRIu32 " has other rows than the table", way ? "index" : "view", look->w);
    }
}

static void look_at(wr_db *db, struct look *look)
{
    const unsigned w = look->w;

    look_at_rows(db, look);
    ask(db, look, see_plain, "SELECT p, c, n FROM k.b");
    ask(db, look, see_counter, "SELECT c, n FROM k.n WHERE p = %u", w);
    ask(db, look, see_single, "SELECT n FROM k.l WHERE p = %u", w);
    ask(db, look, see_own, "SELECT id FROM system_schema.tables WHERE keyspace_name = 'k' AND table_name = 'o%u'", w);
    ask(db, look, see_own_column, "SELECT type FROM system_schema.columns WHERE keyspace_name = 'k' AND table_name = 'o%u' AND column_name = 'z'", w);
    ask(db, look, see_own_index, "SELECT kind FROM system_schema.indexes WHERE keyspace_name = 'k' AND table_name = 'o%u'", w);
    if (look->s.own)
        ask(db, look, see_own_row, "SELECT p FROM k.o%u", w);
}

/* As behind the last write that was acknowledged, or the one that was under way. Begins anew from there. */
static void check_writer(wr_db *db, uint32_t number)
{
    struct writer *w = &shared->writers[number];
    const uint32_t acknowledged = atomic_load(&w->acknowledged), begun = atomic_load(&w->begun);
    struct look look = { .w = number };
    struct text nobody = { NULL, 0 };

    look_at(db, &look);
    for (uint32_t n = w->from + 1; n <= acknowledged; n++)
        make_write(&w->state, &nobody, number, n);
    w->from = acknowledged;
    if (memcmp(&look.s, &w->state, sizeof look.s) == 0)
        return;
    if (begun > acknowledged)
        make_write(&w->state, &nobody, number, begun);
    w->from = begun;
    if (memcmp(&look.s, &w->state, sizeof look.s) != 0)
        is_wrong("writer %" PRIu32 ": what there is is neither behind write %" PRIu32 " nor behind %" PRIu32, number, acknowledged, begun);
    atomic_store(&w->acknowledged, begun);
}

static void found(void *arg, const char *finding)
{
    (void)arg;
    is_wrong("%s", finding);
}

static _Noreturn void check(bool put_off)
{
    wr_db *db = open_database(put_off);
    const bool closes = one_in(2);

    if (one_in(2) && wr_check(db, found, NULL, NULL) != WR_OK)
        is_wrong("check: %s", wr_error(db));
    for (uint32_t i = 0; i < WRITERS; i++)
        check_writer(db, i);
    if (wr_check(db, found, NULL, NULL) != WR_OK)
        is_wrong("check: %s", wr_error(db));
    if (closes && wr_close(db) != WR_OK)
        is_wrong("close: %s", wr_error(db));
    _exit(0);
}

static _Noreturn void make_schema(bool put_off)
{
    wr_db *db = open_database(put_off);

    for (size_t i = 0; i < sizeof schema / sizeof *schema; i++)
        if (wr_exec(db, schema[i], NULL, NULL) != WR_OK)
            is_wrong("%s: %s", schema[i], wr_error(db));
    _exit(0);
}

/* ---- the process that kills ---- */

static pid_t begin(void (*body)(bool put_off), bool put_off)
{
    pid_t child = fork();

    if (child == 0)
        body(put_off);
    if (child < 0)
        is_wrong("no process: %s", strerror(errno));
    return child;
}

static void end(pid_t child, int signal)
{
    int status;

    if (waitpid(child, &status, 0) != child)
        is_wrong("lost a process: %s", strerror(errno));
    if (status != signal) /* of one that has ended by itself: 0 */
        is_wrong("a process ended with status 0x%x", (unsigned)status);
}

/* It stays to be waited for. */
static bool has_ended(pid_t child)
{
    siginfo_t info = { .si_pid = 0 };

    return waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == child;
}

/* Behind some writes, or at any moment from its beginning. */
static void let_it_write_and_kill_it(bool put_off)
{
    const uint32_t until = atomic_load(&shared->acknowledged) + below(one_in(10) ? 2000 : 200);
    const bool early = one_in(5);
    const unsigned rest = below(early ? 20000 : 1000);
    pid_t child = begin(write_until_killed, put_off);

    while (!early && atomic_load(&shared->acknowledged) < until && !has_ended(child))
        nap(200);
    nap(rest);
    kill(child, SIGKILL);
    end(child, SIGKILL);
}

static void remove_database(void)
{
    char command[220];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        is_wrong("it cannot be removed");
}

static void run_database(uint64_t kills)
{
    const bool put_off = one_in(2);

    memset(shared, 0, sizeof *shared);
    end(begin(make_schema, put_off), 0);
    for (uint64_t i = 0; i < kills; i++) {
        let_it_write_and_kill_it(put_off);
        end(begin(check, put_off), 0);
        next_random();
    }
    remove_database();
}

int main(int argc, char **argv)
{
    uint64_t rounds = argc > 1 ? strtoull(argv[1], NULL, 10) : 40, acknowledged = 0;

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    snprintf(folder, sizeof folder, "%s/random_kills-%ld", argc > 3 ? argv[3] : getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp", (long)getpid());
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        is_wrong("no memory");
    printf("random_kills: %" PRIu64 " kills of %d threads, seed %" PRIu64 "\n", rounds, WRITERS, seed);
    fflush(stdout);
    rng = seed;
    killer = getpid();
    for (uint64_t done = 0; done < rounds; seed++) {
        const uint64_t kills = rounds - done < KILLS_A_DATABASE ? rounds - done : KILLS_A_DATABASE;
        run_database(kills);
        done += kills;
        acknowledged += atomic_load(&shared->acknowledged);
    }
    printf("%" PRIu64 " writes were acknowledged\n1 passed, 0 failed\n", acknowledged);
    return 0;
}
