/* I: messages by their author, by an index: of authors of few and of many, all of them and the first 50. */
#include <stdio.h>
#include <string.h>

#include "workload.h"

enum { ROOMS = 1000, PAGE_ROWS = 50, KINDS = 4 };

/* A quarter of the messages is by authors of one each, a quarter by those of ten, and so on. */
static const uint32_t messages_each[KINDS] = { 1, 10, 100, 1000 };

static uint64_t messages_of(const struct run *run)
{
    return 10 * scaled_thousands(run, 10000);
}

static uint64_t authors_of(const struct run *run, unsigned kind)
{
    uint64_t n = messages_of(run) / KINDS / messages_each[kind];
    return n ? n : 1;
}

/* Number and kind. */
static struct name author_name(uint64_t n, unsigned kind)
{
    struct name name = data_user((uint32_t)n);
    name.bytes[name.len++] = (char)('a' + kind);
    return name;
}

static struct text text_of(const struct name *name)
{
    return (struct text){ name->bytes, name->len };
}

/* Message i is by an author of kind i % KINDS, each of which has one after the other; its room has nothing to do with that. */
static void load_authors(struct run *run)
{
    const uint64_t count = messages_of(run);
    struct message m;
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, true);
    run->store->index_authors(h);
    for (uint64_t i = 0; i < count; i++) {
        unsigned kind = i % KINDS;
        struct name author = author_name(i / KINDS % authors_of(run, kind), kind);
        data_message(i, ROOMS, &m);
        m.room = data_room((uint32_t)(data_mix(i) % ROOMS));
        m.author = text_of(&author);
        run->store->insert(h, &m);
    }
    run->store->close(h);
}

static const struct dataset data = { "authors", load_authors };

static bool finds_authors(const struct store *store)
{
    return store->insert && store->index_authors && store->by_author;
}

struct reads {
    struct run *run;
    void *h;
    unsigned kind, most;
    uint64_t rows, sum;
};

/* Authors in an order that looks random. Of the first 50 each store gives those that it comes to first: no sum is the same. */
static void read_authors(struct reads *r, uint64_t count)
{
    uint64_t rows, authors = authors_of(r->run, r->kind);
    for (uint64_t i = 0; i < count; i++) {
        struct name author = author_name(data_mix(i) % authors, r->kind);
        uint64_t sum = r->run->store->by_author(r->h, text_of(&author), r->most, &rows);
        r->sum += r->most ? rows : sum;
        r->rows += rows;
    }
}

static void run_authors(struct run *run)
{
    unsigned figure = 0;
    void *h = run->store->open(run->folder, SAFE_PROCESS_CRASH, false);
    for (unsigned most = 0; most <= PAGE_ROWS; most += PAGE_ROWS)
        for (unsigned kind = 0; kind < KINDS; kind++) {
            const uint32_t each = most && most < messages_each[kind] ? most : messages_each[kind];
            struct reads reads = { .run = run, .h = h, .kind = kind, .most = most };
            if (most > messages_each[kind])
                continue;
            read_authors(&reads, authors_of(run, kind));
            reads.rows = 0;
            struct watch start = watch_start();
            read_authors(&reads, scaled(run, 400000) / (each + 3) + 1);
            give_rate(run, figure++, reads.rows, watch_stop(start));
            run->sum += reads.sum;
        }
    run->store->close(h);
}

static const struct figure figures[] = {
    { "I.1", "messages by an author of one, by an index", "rows/s", false, { { "sqlite", 1.5, 2 } } },
    { "I.10", "messages by an author of ten", "rows/s", false, { { "sqlite", 1.5, 2 } } },
    { "I.100", "messages by an author of a hundred", "rows/s", false, { { "sqlite", 1.5, 2 } } },
    { "I.1000", "messages by an author of a thousand", "rows/s", false, { { "sqlite", 1.5, 2 } } },
    { "I.100.50", "the first 50 of a hundred", "rows/s", false, { { "sqlite", 1.5, 2 } } },
    { "I.1000.50", "the first 50 of a thousand", "rows/s", false, { { "sqlite", 1.5, 2 } } },
};
const struct workload work_authors = { "I", FIGURES(figures), run_authors, finds_authors, &data, 0, false };
