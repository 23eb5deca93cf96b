/*
 * random_damage - reads of files that are damaged, and writes.     random_damage [ROUNDS] [SEED]
 *
 * A database with all that may lie in a file (rows in chunks, statics, large values and collections, counters, tombstones, indexes, a view) is closed. In each
 * round some pages of its data file are overwritten: bytes anywhere, bytes of their heads and places, all of them, another page in their place. Then it is
 * opened for reading and read all over, and checked; and opened for writing, and written to all over. Whatever comes out, nothing may end the process or go on
 * for ever; and the sound file must read as it did. Prints its seed.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/random/chance.h"
#include "widerow.h"

enum { PAGE = 4096, PARTITIONS = 80, PAGES_MOST = 4, SECONDS_MOST = 120, ROWS_MOST = 20000, WRITES = 60, SLOTS_BYTES = 8192 };
static const int64_t LATER_US = INT64_C(3000000000000);
#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const char *const schema[] = {
    "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 1}",
    "CREATE TABLE k.t (p int, c int, v text, s text static, w int, e set<int>, PRIMARY KEY (p, c)) WITH CLUSTERING ORDER BY (c DESC)",
    "CREATE TABLE k.o (p text PRIMARY KEY, v blob, m map<text, int>)",
    "CREATE TABLE k.n (p int PRIMARY KEY, n counter)",
    "CREATE INDEX ON k.t (w)",
    "CREATE INDEX ON k.t (v) USING 'sai'",
    "CREATE MATERIALIZED VIEW k.by_w AS SELECT p, c, w, v FROM k.t WHERE p IS NOT NULL AND c IS NOT NULL AND w IS NOT NULL PRIMARY KEY (w, p, c)",
};

/* With a marker each, to which a partition's number is bound; in the first ones 0, so that all rows are read. */
enum { READS_OF_ALL = 2 };
static const char *const reads[] = {
    "SELECT count(*), max(c) FROM k.t WHERE w >= ? ALLOW FILTERING",
    "SELECT * FROM k.t WHERE p >= ? ALLOW FILTERING",
    "SELECT * FROM k.t WHERE p = ?",
    "SELECT * FROM k.t WHERE p = ? ORDER BY c ASC LIMIT 7",
    "SELECT c, v FROM k.t WHERE p = ? AND c < 900 AND c > 30",
    "SELECT * FROM k.t WHERE p = ? AND c = 123",
    "SELECT p, c, v FROM k.t WHERE p IN (1, 2, 3, 4, 5, 6, ?) PER PARTITION LIMIT 1",
    "SELECT * FROM k.t WHERE w = ?",
    "SELECT p, c FROM k.t WHERE w >= ? LIMIT 40 ALLOW FILTERING",
    "SELECT * FROM k.t WHERE v = 'text 5' AND p = ?",
    "SELECT DISTINCT p, s FROM k.t WHERE token(p) > token(?)",
    "SELECT * FROM k.by_w WHERE w = ?",
    "SELECT p, m, v FROM k.o WHERE p = 'key 3' AND token(p) > token(?) ALLOW FILTERING",
    "SELECT * FROM k.n WHERE p > ? ALLOW FILTERING",
    "SELECT JSON * FROM system_schema.columns WHERE keyspace_name = 'k' AND position >= ? ALLOW FILTERING",
};

static uint64_t seed;

static _Noreturn void fail(const char *what, const char *why)
{
    fprintf(stderr, "FAILED: %s: %s (seed %" PRIu64 ")\n", what, why, seed);
    exit(1);
}

/* ---- what is read ---- */

struct reading {
    uint64_t sum, rows;
    uint32_t told; /* statements that told of damage */
};

/* Of the rounds. */
struct outcomes {
    unsigned long told, refused; /* reads, and writes, were told of damage */
    unsigned long given_twice;
};

static uint64_t mixed(uint64_t sum, const void *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static void read_columns(wr_stmt *s, struct reading *r)
{
    for (int i = 0; i < wr_column_count(s); i++) {
        wr_value value = wr_column_value(s, i);
        const char *text = wr_column_text(s, i);
        if (value.data)
            r->sum = mixed(r->sum, value.data, value.len);
        if (text)
            r->sum = mixed(r->sum, text, strlen(text));
    }
}

static void read_one(wr_db *db, const char *cql, int number, struct reading *r)
{
    wr_stmt *s = NULL;
    enum wr_status st = wr_prepare(db, cql, -1, &s);
    if (st == WR_OK)
        st = wr_bind_int(s, 0, number);
    for (uint32_t rows = 0; st == WR_OK && (st = wr_step(s)) == WR_ROW && rows < ROWS_MOST; rows++, st = WR_OK) {
        read_columns(s, r);
        r->rows++;
    }
    r->told += st == WR_CORRUPT;
    wr_finalize(s);
}

static void ignore(void *arg, const char *finding)
{
    (void)arg, (void)finding;
}

/* Opened for reading, all that there is, with the same numbers for the same sound. */
static struct reading read_all(const char *folder, uint64_t sound, bool check)
{
    struct wr_options options = WR_OPTIONS_INIT;
    struct reading r = { 0 };
    wr_db *db = NULL;

    options.read_only = true;
    rng = sound;
    if (wr_open(folder, &options, &db) == WR_OK) {
        for (size_t i = 0; i < COUNT(reads); i++)
            read_one(db, reads[i], i < READS_OF_ALL ? 0 : (int)below(PARTITIONS), &r);
        if (check)
            wr_check(db, ignore, NULL, &(uint64_t){ 0 });
    } else {
        r.told++;
    }
    wr_close(db);
    return r;
}

/* ---- what is written ---- */

/* With a marker each, as above. */
static const char *const writes[] = {
    "UPDATE k.t SET v = 'another' WHERE p = ? AND c = 17",
    "UPDATE k.t SET s = 'another' WHERE p = ?",
    "UPDATE k.t SET e = e + {10, 11, 12} WHERE p = ? AND c = 400",
    "INSERT INTO k.t (p, c, v, w) VALUES (?, 1001, 'text 5', 5)",
    "INSERT INTO k.t (p, c, v, w) VALUES (?, 5, 'text 51', 6) USING TTL 1",
    "INSERT INTO k.t (p, c, v) VALUES (?, 500, 'once') IF NOT EXISTS",
    "DELETE FROM k.t WHERE p = ? AND c = 30",
    "DELETE FROM k.t WHERE p = ? AND c > 600",
    "DELETE e FROM k.t WHERE p = ? AND c = 123",
    "DELETE FROM k.t WHERE p = ?",
    "UPDATE k.o SET m = m + {'a': ?, 'b': 2} WHERE p = 'key 3'",
    "DELETE m['k7'] FROM k.o WHERE p = 'key 5' IF m['k7'] = ?",
    "INSERT INTO k.o (p, v, m) VALUES ('key 7', 0xabcd, {'k': ?})",
    "UPDATE k.n SET n = n + 1 WHERE p = ?",
    "DELETE FROM k.n WHERE p = ?",
};

static enum wr_status write_one(wr_db *db)
{
    wr_stmt *s = NULL;
    enum wr_status st = wr_prepare(db, writes[below(COUNT(writes))], -1, &s);
    if (st == WR_OK)
        st = wr_bind_int(s, 0, (int)below(PARTITIONS));
    if (st == WR_OK)
        st = wr_step(s);
    wr_finalize(s);
    return st;
}

/* Opened for writing; what has expired is swept. How many writes were told of damage. */
static uint32_t write_all(const char *folder)
{
    struct reading r = { 0 };
    wr_db *db = NULL;

    if (wr_open(folder, NULL, &db) == WR_OK) {
        for (int i = 0; i < WRITES; i++)
            r.told += write_one(db) == WR_CORRUPT;
        read_one(db, reads[below(COUNT(reads))], (int)below(PARTITIONS), &r);
        wr_clock_step(db, LATER_US); /* behind all TTLs and gc grace */
        wr_sweep(db, 100);
        if (one_in(20))
            wr_exec(db, one_in(2) ? "TRUNCATE k.t" : "DROP TABLE k.o", NULL, NULL);
    } else {
        r.told++;
    }
    wr_close(db);
    return r.told;
}

/* In a process of its own. What LMDB still may end it by, seldom, is its assertion that it gives no page out twice, as it does where a value says that it has
 * pages which are another's (docs/decisions.md). */
static void write_apart(const char *folder, struct outcomes *o)
{
    enum { SOUND = 10, TOLD };
    char said[4096] = "";
    size_t len = 0;
    ssize_t n;
    int ends[2], status;

    fflush(NULL);
    if (pipe(ends) != 0)
        fail("write", "a pipe");
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        alarm(SECONDS_MOST);
        _exit(write_all(folder) > 0 ? TOLD : SOUND);
    }
    close(ends[1]);
    while (len < sizeof said - 1 && (n = read(ends[0], said + len, sizeof said - 1 - len)) > 0)
        len += (size_t)n;
    close(ends[0]);
    if (child < 0 || waitpid(child, &status, 0) != child)
        fail("write", "a process");
    said[len] = '\0';
    o->given_twice += WIFSIGNALED(status) && strstr(said, "failed in mdb_page_dirty");
    o->refused += WIFEXITED(status) && WEXITSTATUS(status) == TOLD;
    if (strstr(said, "failed in mdb_page_dirty") || (WIFEXITED(status) && WEXITSTATUS(status) >= SOUND))
        return;
    fputs(said, stderr);
    fail("write", "a process was ended");
}

/* ---- the file ---- */

static void run(wr_db *db, const char *cql)
{
    if (wr_exec(db, cql, NULL, NULL) != WR_OK)
        fail(cql, wr_error(db));
}

static enum wr_status fill(void *arg)
{
    wr_db *db = arg;
    char cql[40000];

    for (int i = 0; i < 4000; i++) {
        snprintf(cql, sizeof cql, "INSERT INTO k.t (p, c, v, s, w, e) VALUES (%u, %u, 'text %u', 'static', %u, {%u, %u}) USING TTL %u", below(PARTITIONS),
                 below(1000), below(50), below(PARTITIONS), below(9), below(9), one_in(9) ? 1000000 : 0);
        run(db, cql);
        if (one_in(12)) {
            snprintf(cql, sizeof cql, "DELETE FROM k.t WHERE p = %u AND c %s %u", below(PARTITIONS), one_in(5) ? "<" : "=", below(300));
            run(db, cql);
        }
        if (one_in(20)) {
            snprintf(cql, sizeof cql, "UPDATE k.n SET n = n + 1 WHERE p = %u", below(PARTITIONS));
            run(db, cql);
        }
        if (one_in(40)) {
            size_t len = (size_t)snprintf(cql, sizeof cql, "INSERT INTO k.o (p, v, m) VALUES ('key %u', 0x", below(PARTITIONS));
            for (unsigned left = below(2) ? below(60) : below(9000); left--; len += 2)
                memcpy(cql + len, "ab", 2);
            len += (size_t)snprintf(cql + len, sizeof cql - len, ", {'': 0");
            for (unsigned n = below(3) ? below(20) : below(300); n--;)
                len += (size_t)snprintf(cql + len, sizeof cql - len, ", 'k%u': %u", n, n);
            snprintf(cql + len, sizeof cql - len, "})");
            run(db, cql);
        }
    }
    return WR_OK;
}

static void make(const char *folder)
{
    wr_db *db;

    if (wr_open(folder, NULL, &db) != WR_OK)
        fail("open", folder);
    for (size_t i = 0; i < COUNT(schema); i++)
        run(db, schema[i]);
    if (wr_atomically(db, fill, db) != WR_OK)
        fail("fill", wr_error(db));
    if (wr_close(db) != WR_OK)
        fail("close", folder);
}

static void write_page(int fd, uint32_t number, const uint8_t *page)
{
    if (pwrite(fd, page, PAGE, (off_t)number * PAGE) != PAGE)
        fail("write", "a page");
}

/* Not of the meta pages, which are looked at before anything else. */
static void damage(int fd, const uint8_t *sound, uint32_t pages, uint32_t number)
{
    uint8_t page[PAGE];
    enum { ANYWHERE, HEAD, ALL, ANOTHER, KINDS } kind = below(KINDS);
    unsigned bytes = kind == ALL ? PAGE : kind == ANOTHER ? 0 : 1 + below(8);

    memcpy(page, sound + (size_t)(kind == ANOTHER ? 2 + below(pages - 2) : number) * PAGE, PAGE);
    while (bytes--)
        page[kind == ALL ? bytes : below(kind == HEAD ? 64 : PAGE)] = (uint8_t)next_random();
    write_page(fd, number, page);
}

/* As it was, with nothing of what was written since. */
static void restore(int fd, const char *folder, const uint8_t *sound, uint32_t pages, const uint8_t slots[SLOTS_BYTES])
{
    static const char *const later[] = { "widerow.log", "widerow.undo" };
    char path[300];

    for (size_t i = 0; i < COUNT(later); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, later[i]);
        unlink(path);
    }
    if (pwrite(fd, sound, (size_t)pages * PAGE, 0) != (ssize_t)((size_t)pages * PAGE) || ftruncate(fd, (off_t)pages * PAGE) != 0)
        fail("write", "the data file");
    snprintf(path, sizeof path, "%s/widerow.sync", folder);
    int slots_fd = open(path, O_RDWR | O_CLOEXEC);
    if (pwrite(slots_fd, slots, SLOTS_BYTES, 0) != SLOTS_BYTES)
        fail("write", path);
    close(slots_fd);
}

static void load_slots(const char *folder, uint8_t slots[SLOTS_BYTES])
{
    char path[300];

    snprintf(path, sizeof path, "%s/widerow.sync", folder);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (pread(fd, slots, SLOTS_BYTES, 0) != SLOTS_BYTES)
        fail("read", path);
    close(fd);
}

static uint8_t *load(int fd, uint32_t *pages)
{
    struct stat stat;
    uint8_t *bytes = fstat(fd, &stat) == 0 ? malloc((size_t)stat.st_size) : NULL;

    if (!bytes || pread(fd, bytes, (size_t)stat.st_size, 0) != stat.st_size)
        fail("read", "the data file");
    *pages = (uint32_t)(stat.st_size / PAGE);
    return bytes;
}

int main(int argc, char **argv)
{
    const unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 300;
    char folder[256], path[300];
    uint8_t slots[SLOTS_BYTES];
    uint32_t pages;
    struct outcomes o = { 0 };

    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : (uint64_t)time(NULL);
    printf("random_damage: %lu rounds, seed %" PRIu64 "\n", rounds, seed);
    fflush(stdout);
    rng = seed;
    snprintf(folder, sizeof folder, "%s/random_damage-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(folder))
        fail("folder", folder);
    make(folder);
    snprintf(path, sizeof path, "%s/widerow.db", folder);
    int fd = open(path, O_RDWR | O_CLOEXEC);
    uint8_t *sound = load(fd, &pages);
    load_slots(folder, slots);
    const struct reading before = read_all(folder, seed, false);
    if (before.told || before.rows < 1000)
        fail("read", "the sound file");
    for (unsigned long i = 0; i < rounds; i++) {
        rng = seed + i;
        const unsigned count = 1 + below(PAGES_MOST);
        for (unsigned n = 0; n < count; n++)
            damage(fd, sound, pages, 2 + below(pages - 2));
        alarm(SECONDS_MOST); /* which ends the process */
        o.told += read_all(folder, seed, one_in(4)).told > 0;
        alarm(0);
        rng = seed + i;
        write_apart(folder, &o);
        restore(fd, folder, sound, pages, slots);
    }
    const struct reading after = read_all(folder, seed, false);
    if (after.told || after.sum != before.sum || after.rows != before.rows)
        fail("read", "the sound file reads otherwise than it did");
    if (rounds >= 100 && (o.told < rounds / 4 || o.refused < rounds / 10))
        fail("read", "hardly any damage was told");
    if (o.given_twice > 1 + rounds / 500)
        fail("write", "a page is given out twice more often than seldom");
    close(fd);
    free(sound);
    static const char *const files[] = { "widerow.db", "widerow.db-lock", "widerow.lock", "widerow.sync" };
    for (size_t i = 0; i < COUNT(files); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    printf("%lu rounds told of damage, %lu where they wrote; %lu gave a page out twice\n1 passed, 0 failed\n", o.told, o.refused, o.given_twice);
    return 0;
}
