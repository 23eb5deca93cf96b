/* KillrChat (document 001 of the seeds): users, rooms, messages, and the races between them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "killrchat.h"

/* A timeuuid of a given time: the loader's and the demo's messages have times of their own. */
static void make_id(int64_t time_us, unsigned sequence, uint8_t out[16])
{
    uint64_t ticks = ((uint64_t)time_us + UINT64_C(12219292800000000)) * 10;
    uint8_t id[16] = {
        (uint8_t)(ticks >> 24), (uint8_t)(ticks >> 16), (uint8_t)(ticks >> 8), (uint8_t)ticks, (uint8_t)(ticks >> 40), (uint8_t)(ticks >> 32),
        (uint8_t)(0x10 | (ticks >> 56 & 15)), (uint8_t)(ticks >> 48), (uint8_t)(0x80 | (sequence >> 8 & 0x3f)), (uint8_t)sequence,
        0x5b, 0x1c, 0x2d, 0x3e, 0x4f, 0x60,
    };
    memcpy(out, id, 16);
}

static void print_line(void *arg, int64_t time_us, const char *author, const char *content)
{
    (void)arg;
    int minutes = (int)(time_us / 60000000 % 1440);
    printf("  %02d:%02d  <%s> %s\n", minutes / 60, minutes % 60, author, content);
}

static const int64_t midnight_us = INT64_C(1416355200000000); /* 2014-11-19 */

static void people_and_rooms(struct chat *chat)
{
    chat_create_user(chat, "jdoe", "John", "DOE");
    chat_create_user(chat, "hsue", "Helen", "SUE");
    chat_create_room(chat, "games", "jdoe", "Let us play");
    chat_join(chat, "games", "hsue");
}

/* Twenty messages around midnight: ten of one day, ten of the next. */
static void talk(struct chat *chat, bool bucketed)
{
    for (int i = 0; i < 20; i++) {
        uint8_t id[16];
        char text[64];
        make_id(midnight_us + (i - 10) * INT64_C(60000000), 1, id);
        snprintf(text, sizeof text, "message %d of the night", i + 1);
        (bucketed ? chat_say_bucketed : chat_say)(chat, "games", i % 2 ? "hsue" : "jdoe", id, text);
    }
}

struct reading {
    char texts[64][64];
    int count;
};

static void keep_line(void *arg, int64_t time_us, const char *author, const char *content)
{
    struct reading *r = arg;
    (void)time_us, (void)author;
    snprintf(r->texts[r->count++ % 64], sizeof r->texts[0], "%s", content);
}

typedef int page_fn(struct chat *, const char *, const uint8_t *, int, uint8_t[16], chat_line_fn *, void *);

static void check_pages(struct chat *chat, page_fn *page, const char *which)
{
    struct reading r = { .count = 0 };
    uint8_t last[16];
    int sizes[4];
    sizes[0] = page(chat, "games", NULL, 7, last, keep_line, &r);
    for (int i = 1; i < 4; i++)
        sizes[i] = page(chat, "games", last, 7, last, keep_line, &r);
    printf("%s\n", which);
    check(sizes[0] == 7 && sizes[1] == 7 && sizes[2] == 6 && sizes[3] == 0, "twenty messages are pages of 7, 7, 6 and none");
    check(strcmp(r.texts[0], "message 20 of the night") == 0, "the newest comes first");
    check(strcmp(r.texts[19], "message 1 of the night") == 0, "the oldest last");
    for (int i = 0; i < 20; i++) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "message %d of the night", 20 - i);
        if (strcmp(r.texts[i], wanted) != 0) {
            check(false, "each follows the one before");
            return;
        }
    }
    check(true, "each follows the one before");
}

static void check_all(struct example *e, struct chat *chat)
{
    check(!chat_create_user(chat, "jdoe", "Jane", "DOE"), "a login is given once");
    check(!chat_create_room(chat, "games", "hsue", "mine"), "a room name is given once");
    check(chat_participants(chat, "games") == 2, "two are in the room");
    check(chat_user_has_room(chat, "hsue", "games"), "who joins has the room in her list");
    check(!chat_join(chat, "nosuch", "hsue") && !chat_room_exists(chat, "nosuch"), "joining a room that is gone makes none");
    chat_leave(chat, "games", "hsue");
    check(chat_participants(chat, "games") == 1 && !chat_user_has_room(chat, "hsue", "games"), "leaving takes both sides back");
    chat_leave(chat, "games", "hsue");
    check(chat_participants(chat, "games") == 1, "leaving twice is leaving once");
    chat_join(chat, "games", "hsue");
    check(!chat_remove(chat, "games", "hsue"), "only the creator removes a room");
    check_pages(chat, chat_page, "one partition a room");
    check_pages(chat, chat_page_bucketed, "a partition a day");
    wr_clock_set(e->db, wr_clock_now(e->db));
    wr_clock_step(e->db, (int64_t)(CHAT_TTL_S + 1) * 1000000);
    uint8_t last[16];
    check(chat_page(chat, "games", NULL, 50, last, NULL, NULL) == 0, "messages are gone after their TTL");
    check(chat_page_bucketed(chat, "games", NULL, 50, last, NULL, NULL) == 20, "those without one stay");
    wr_clock_release(e->db);
    check(chat_remove(chat, "games", "jdoe"), "the creator removes his room");
    check(!chat_room_exists(chat, "games") && !chat_user_has_room(chat, "hsue", "games") && !chat_user_has_room(chat, "jdoe", "games"),
          "and it is gone from everybody's list");
    chat_races(e->db, e->races);
}

/* ---- a log of real messages: room, microseconds, author, text, tab between ---- */

struct loading {
    struct chat *chat;
    FILE *file;
    char *line;
    size_t room;
    long count, from; /* lines done; where the next are in the file */
    char last_room[64];
};

enum { LINES_A_COMMIT = 1000 };

static enum wr_status load_some(void *arg)
{
    struct loading *l = arg;
    fseek(l->file, l->from, SEEK_SET); /* it may be run again from the start */
    chat_forget_buckets(l->chat);
    for (int i = 0; i < LINES_A_COMMIT && getline(&l->line, &l->room, l->file) > 0; i++) {
        char *save = NULL, *room = strtok_r(l->line, "\t", &save), *time = strtok_r(NULL, "\t", &save);
        char *author = strtok_r(NULL, "\t", &save), *text = strtok_r(NULL, "\n", &save);
        uint8_t id[16];
        if (!text)
            continue;
        make_id(strtoll(time, NULL, 10), (unsigned)(l->count + i), id);
        chat_say_bucketed(l->chat, room, author, id, text);
        snprintf(l->last_room, sizeof l->last_room, "%s", room);
    }
    return WR_OK;
}

static void load(struct example *e, struct chat *chat)
{
    struct loading l = { .chat = chat, .file = fopen(e->load, "r") };
    if (!l.file) {
        perror(e->load);
        exit(1);
    }
    int64_t t = tick();
    while (!feof(l.file)) {
        must(e->db, wr_atomically(e->db, load_some, &l));
        l.from = ftell(l.file);
        l.count += LINES_A_COMMIT;
    }
    t = tick() - t;
    free(l.line);
    fclose(l.file);
    printf("about %ld messages loaded in %.2f s\nthe last of %s\n", l.count, (double)t / 1e9, l.last_room);
    uint8_t last[16];
    t = tick();
    chat_page_bucketed(chat, l.last_room, NULL, 10, last, print_line, NULL);
    tell_time("page", tick() - t);
}

int main(int argc, char **argv)
{
    struct example e;
    uint8_t last[16];
    example_begin(&e, argc, argv, EXAMPLE_FOLDER "/schema.cql");
    struct chat *chat = chat_open(e.db);
    people_and_rooms(chat);
    talk(chat, false);
    talk(chat, true);
    if (e.check) {
        check_all(&e, chat);
    } else if (e.load) {
        load(&e, chat);
    } else {
        printf("KillrChat: the room games, %d participants, the newest 5 messages\n", chat_participants(chat, "games"));
        int64_t t = tick();
        chat_page(chat, "games", NULL, 5, last, print_line, NULL);
        tell_time("page", tick() - t);
        printf("the page before, and by days, across midnight\n");
        t = tick();
        chat_page(chat, "games", last, 3, last, print_line, NULL);
        tell_time("page", tick() - t);
        chat_page_bucketed(chat, "games", NULL, 8, last, NULL, NULL);
        t = tick();
        chat_page_bucketed(chat, "games", last, 5, last, print_line, NULL);
        tell_time("page over two buckets", tick() - t);
    }
    chat_close(chat);
    return example_end(&e);
}
