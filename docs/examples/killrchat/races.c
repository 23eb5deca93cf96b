/* The document's races, with real threads: join against removal, two creators, leave against removal. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "killrchat.h"

enum race { JOIN_AGAINST_REMOVAL, TWO_CREATORS, LEAVE_AGAINST_REMOVAL, RACES };

struct racer {
    struct chat *chat;
    pthread_barrier_t *start, *end;
    int rounds, side;
    bool won[RACES];
};

static void race_once(struct racer *r, enum race race)
{
    bool *won = &r->won[race];
    switch (race) {
    case JOIN_AGAINST_REMOVAL:
        *won = r->side ? chat_join(r->chat, "arena", "guest") : chat_remove(r->chat, "arena", "host");
        break;
    case TWO_CREATORS:
        *won = chat_create_room(r->chat, "contested", r->side ? "guest" : "host", "mine");
        break;
    case LEAVE_AGAINST_REMOVAL:
        if (r->side)
            chat_leave(r->chat, "exit", "guest");
        else
            *won = chat_remove(r->chat, "exit", "host");
        break;
    case RACES:
        break;
    }
}

static void *racer_main(void *arg)
{
    struct racer *r = arg;
    for (int i = 0; i < r->rounds; i++) {
        pthread_barrier_wait(r->start);
        for (enum race race = 0; race < RACES; race++)
            race_once(r, race);
        pthread_barrier_wait(r->end);
    }
    return NULL;
}

struct tally {
    int join_first, half_rooms, lost_rooms, two_owners, no_owner, not_removed, stale_lists;
};

static void judge(struct chat *chat, struct racer *sides, struct tally *t)
{
    bool removed = sides[0].won[JOIN_AGAINST_REMOVAL], joined = sides[1].won[JOIN_AGAINST_REMOVAL];
    t->join_first += joined;
    t->half_rooms += !chat_room_is_whole(chat, "arena") || !chat_room_is_whole(chat, "exit");
    t->lost_rooms += !removed || chat_room_exists(chat, "arena");
    t->two_owners += sides[0].won[TWO_CREATORS] && sides[1].won[TWO_CREATORS];
    t->no_owner += !sides[0].won[TWO_CREATORS] && !sides[1].won[TWO_CREATORS];
    t->not_removed += !sides[0].won[LEAVE_AGAINST_REMOVAL] || chat_room_exists(chat, "exit");
    t->stale_lists += chat_user_has_room(chat, "host", "arena") || chat_user_has_room(chat, "guest", "exit");
}

void chat_races(wr_db *db, int rounds)
{
    struct chat *judge_chat = chat_open(db);
    struct racer sides[2];
    pthread_t threads[2];
    pthread_barrier_t start, end;
    struct tally t = { 0 };
    pthread_barrier_init(&start, NULL, 3);
    pthread_barrier_init(&end, NULL, 3);
    chat_create_user(judge_chat, "host", "Hugo", "HOST");
    chat_create_user(judge_chat, "guest", "Gwen", "GUEST");
    for (int i = 0; i < 2; i++) {
        sides[i] = (struct racer){ .chat = chat_open(db), .start = &start, .end = &end, .rounds = rounds, .side = i };
        pthread_create(&threads[i], NULL, racer_main, &sides[i]);
    }
    for (int i = 0; i < rounds; i++) {
        chat_create_room(judge_chat, "arena", "host", "a race");
        chat_create_room(judge_chat, "exit", "host", "a race");
        chat_join(judge_chat, "exit", "guest");
        pthread_barrier_wait(&start);
        pthread_barrier_wait(&end);
        judge(judge_chat, sides, &t);
        chat_remove(judge_chat, "contested", sides[1].won[TWO_CREATORS] ? "guest" : "host");
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        chat_close(sides[i].chat);
    }
    pthread_barrier_destroy(&start);
    pthread_barrier_destroy(&end);
    chat_close(judge_chat);
    check(t.half_rooms == 0, "no room is left with participants and nothing else");
    check(t.lost_rooms == 0, "the creator removes his room whoever joins meanwhile");
    check(t.two_owners == 0, "of two creators one is refused");
    check(t.no_owner == 0, "of two creators one is not");
    check(t.not_removed == 0, "a room that somebody leaves is removed all the same");
    check(t.stale_lists == 0, "no list names a room that was removed while its owner was in it");
    printf("%d rounds of three races; the join came first %d times\n", rounds, t.join_first);
}
