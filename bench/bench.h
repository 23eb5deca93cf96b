/*
 * bench.h - chat messages on several stores, measured alike.
 *
 * A store keeps messages by room and time: (room, id) -> (author, text, system). Every store gets the same messages in the same order and
 * must give back the same pages: `sum` of a page proves it.
 */
#ifndef WIDEROW_BENCH_H
#define WIDEROW_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct message {
    uint32_t room;
    uint8_t id[16]; /* a timeuuid */
    char author[16];
    char text[256];
    bool system;
};

/* The i-th message of a run: the same for every store. */
void message_make(uint64_t i, uint32_t rooms, struct message *out);
uint64_t room_name(uint32_t room, char out[24]); /* its length */
uint64_t bytes_sum(const void *bytes, size_t len, uint64_t seed); /* FNV-1a, going on from seed */

/* What a page must sum up to, column by column: id, author, text, system. */
#define SUM_SEED 0xcbf29ce484222325u

enum safety { SAFE_PROCESS_CRASH, SAFE_POWER_LOSS };

struct store {
    const char *name;
    void *(*open)(const char *folder, enum safety safety);
    void (*insert)(void *store, const struct message *message);                       /* a commit of its own */
    void (*insert_many)(void *store, uint64_t from, uint64_t count, uint32_t rooms); /* messages of those numbers, in one commit */
    uint64_t (*page)(void *store, uint32_t room, unsigned rows); /* the newest; every column read; returns the sum */
    void (*close)(void *store);
};

extern const struct store store_widerow, store_lmdb, store_sqlite;

#endif
