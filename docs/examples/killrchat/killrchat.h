/*
 * killrchat.h - KillrChat's actions, each on a handle of its own: one for each thread.
 */
#ifndef KILLRCHAT_H
#define KILLRCHAT_H

#include "example.h"

struct chat; /* a handle: statements prepared once, used by one thread at a time */

struct chat *chat_open(wr_db *db);
void chat_close(struct chat *chat);

/* ---- users ---- */
bool chat_create_user(struct chat *chat, const char *login, const char *firstname, const char *lastname); /* false: the login is taken */
bool chat_user_has_room(struct chat *chat, const char *login, const char *room);

/* ---- rooms ---- */
bool chat_create_room(struct chat *chat, const char *room, const char *creator, const char *banner); /* false: there is one already */
bool chat_join(struct chat *chat, const char *room, const char *login);   /* false: the room is gone */
void chat_leave(struct chat *chat, const char *room, const char *login);
bool chat_remove(struct chat *chat, const char *room, const char *login); /* only its creator can; false: not the creator, or no such room */
bool chat_room_exists(struct chat *chat, const char *room);
bool chat_room_is_whole(struct chat *chat, const char *room); /* gone altogether, or there with its creator */
int chat_participants(struct chat *chat, const char *room);

/* ---- messages: newest first; `before` NULL is the first page, and each page leaves its last message's id in `last` ---- */
enum { CHAT_TTL_S = 30 * 24 * 3600 };
typedef void chat_line_fn(void *arg, int64_t time_us, const char *author, const char *content);
void chat_say(struct chat *chat, const char *room, const char *author, const uint8_t id[16], const char *content);
int chat_page(struct chat *chat, const char *room, const uint8_t *before, int rows, uint8_t last[16], chat_line_fn *line, void *arg);
void chat_forget_buckets(struct chat *chat); /* what it remembers of buckets noted: after a transaction that may have been undone */
void chat_say_bucketed(struct chat *chat, const char *room, const char *author, const uint8_t id[16], const char *content);
int chat_page_bucketed(struct chat *chat, const char *room, const uint8_t *before, int rows, uint8_t last[16], chat_line_fn *line, void *arg);

/* ---- races.c ---- */
void chat_races(wr_db *db, int rounds);

#endif
