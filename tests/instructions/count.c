/*
 * instructions_count WORKLOAD FOLDER
 *
 * A workload of the bench on Widerow, small and always the same, for callgrind: what is counted happens in counted(), OPERATIONS times, on
 * a database that is warm. It says how many those were, the allocations, and a sum. tests/instructions/check runs it.
 */
#include <stdio.h>
#include <string.h>

#include "bench/cql.h"

enum { ROOMS = 100, PAGE_ROWS = 50, USERS = 1000, MESSAGES = 20000, MAILS = 5000, OPERATIONS = 2000 };

static const struct store *const store = &store_widerow;
static uint64_t sum;

static void insert(void *h, uint64_t i)
{
    struct message m;
    data_message(i, ROOMS, &m);
    store->insert(h, &m);
}

static void page(void *h, uint64_t i)
{
    sum += store->page(h, (uint32_t)(data_mix(i) % ROOMS), PAGE_ROWS);
}

static void by_author(void *h, uint64_t i)
{
    struct message m;
    uint64_t rows;
    data_message(data_mix(i) % MESSAGES, ROOMS, &m);
    sum += store->by_author(h, m.author, 0, &rows);
}

static void mail(void *h, uint64_t i)
{
    uint8_t id[16];
    data_mail_id(data_mix(i) % MAILS, id);
    sum += store->get_mail(h, id);
}

static void count(void *h, uint64_t i)
{
    store->count(h, data_user((uint32_t)(data_mix(i) % USERS)), i % 10);
}

static void claim(void *h, uint64_t i)
{
    sum += store->claim(h, data_user((uint32_t)(i * 7919 % 1000000)));
}

static void fan_out(void *h, uint64_t i)
{
    struct post post;
    data_post(i, USERS, &post);
    store->fan_out(h, &post);
}

static void timeline(void *h, uint64_t i)
{
    sum += store->timeline(h, data_user((uint32_t)(data_mix(i) % USERS)), 40);
}

static void load_messages(void *h)
{
    store->insert_many(h, 0, MESSAGES, ROOMS);
}

static void load_indexed(void *h)
{
    store->index_authors(h);
    load_messages(h);
}

static void load_mails(void *h)
{
    store->put_mails(h, 0, MAILS);
}

static void load_posts(void *h)
{
    for (uint64_t i = 0; i < 200; i++)
        fan_out(h, i);
}

static const struct workload {
    const char *name;
    void (*load)(void *h);
    void (*run)(void *h, uint64_t i);
    uint64_t first, warm, count;
} workloads[] = {
    { "A1", load_messages, insert, MESSAGES, 2000, OPERATIONS },
    { "B", load_messages, page, 0, ROOMS, OPERATIONS },
    { "I", load_indexed, by_author, 0, OPERATIONS, OPERATIONS },
    { "C", load_mails, mail, 0, 3 * MAILS, OPERATIONS },
    { "D", NULL, count, 0, 4000, OPERATIONS },
    { "E", NULL, claim, 0, 2000, OPERATIONS },
    { "F", load_posts, fan_out, 200, 20, 50 },
    { "F2", load_posts, timeline, 0, USERS, OPERATIONS / 4 },
};

/* Allocations of Widerow's own code in this thread, while it matters: the linker puts these in place of the calls (--wrap). */
static _Thread_local bool counting;
static uint64_t allocations;

#define WRAPPED(name, parameters, arguments)                                                                                             \
    void *__real_##name parameters;                                                                                                      \
    void *__wrap_##name parameters;                                                                                                      \
    void *__wrap_##name parameters                                                                                                       \
    {                                                                                                                                    \
        allocations += counting;                                                                                                         \
        return __real_##name arguments;                                                                                                  \
    }
WRAPPED(malloc, (size_t size), (size))
WRAPPED(calloc, (size_t count, size_t size), (count, size))
WRAPPED(realloc, (void *p, size_t size), (p, size))

void counted(const struct workload *w, void *h);
__attribute__((noinline)) void counted(const struct workload *w, void *h)
{
    for (uint64_t i = w->first + w->warm; i < w->first + w->warm + w->count; i++)
        w->run(h, i);
}

int main(int argc, char **argv)
{
    data_load("");
    cql_map_bytes = (uint64_t)1 << 30; /* valgrind has no room for the default */
    for (size_t i = 0; argc == 3 && i < sizeof workloads / sizeof workloads[0]; i++) {
        const struct workload *w = &workloads[i];
        if (strcmp(w->name, argv[1]) != 0)
            continue;
        void *h = store->open(argv[2], SAFE_PROCESS_CRASH, true);
        if (w->load)
            w->load(h);
        for (uint64_t n = w->first; n < w->first + w->warm; n++)
            w->run(h, n);
        counting = true;
        counted(w, h);
        counting = false;
        store->close(h);
        printf("%llu %llu %llx\n", (unsigned long long)w->count, (unsigned long long)allocations, (unsigned long long)sum);
        return 0;
    }
    fputs("usage: instructions_count A1|B|C|D|E|F|F2|I FOLDER\n", stderr);
    return 2;
}
