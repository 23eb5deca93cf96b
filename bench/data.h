/*
 * data.h - what is put into every store: chat messages, e-mails, posts, users and counters.
 *
 * 1. The i-th thing is the same in every store, round and run (of the same data).
 * 2. Making one costs little beside any store: no formatting, no copies of texts.
 * 3. Texts and authors are made up, as long and as often as in chats; data_load takes real ones (a folder with chat.tsv.gz, posts.tsv.gz and
 *    mail.mbox.gz) in their place.
 */
#ifndef BENCH_DATA_H
#define BENCH_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    const char *bytes;
    size_t len;
};

struct name { /* of a room, a user, a folder of e-mails */
    char bytes[24];
    size_t len;
};

struct message {
    struct name room;
    uint8_t id[16]; /* a timeuuid, newer with each message */
    struct text author, text;
    bool system;
};

struct mail {
    uint8_t id[16]; /* a timeuuid in no order */
    struct text from, subject, body;
};

enum { FOLLOWERS = 200 };
struct post { /* and in whose timelines it comes */
    uint8_t id[16];
    struct name author;
    struct text body;
    uint32_t first_follower, users; /* follower k of FOLLOWERS: data_follower */
};

const char *data_load(const char *folder); /* NULL, or what went wrong; once, before anything else; "" is no folder */

struct name data_room(uint32_t room);
struct name data_user(uint32_t user);
void data_message(uint64_t i, uint32_t rooms, struct message *out);
void data_message_scattered(uint64_t i, uint32_t rooms, struct message *out); /* with times in no order */
uint64_t data_message_bytes(const struct message *m);                         /* what a user would say it has */
void data_mail_id(uint64_t i, uint8_t out[16]);
void data_mail(uint64_t i, struct mail *out);
void data_post(uint64_t i, uint32_t users, struct post *out);
struct name data_follower(const struct post *post, unsigned k);

/* Of what somebody has written, as models of language make them: those of one subject lie closer to one another. */
enum { VECTOR_DIMENSION = 384 };
struct vector {
    float at[VECTOR_DIMENSION];
};
void data_vector(uint64_t i, struct vector *out);

uint64_t data_mix(uint64_t x); /* a number to one that looks random */

/* Sums that prove what was read: going on from seed, over the bytes and their length. */
#define SUM_SEED 0xcbf29ce484222325u
uint64_t data_sum(const void *bytes, size_t len, uint64_t seed);

/* The bytes of a timeuuid in the order of time, and back. */
void data_time_order(const uint8_t id[16], uint8_t out[16]);
void data_time_id(const uint8_t order[16], uint8_t out[16]);

#endif
