/*
 * journal.h - what a transaction writes to the trees, as bytes, so that it can be done again.
 *
 *     change  tree and kind u8 (tree << 1 | put) | key length varint | key | [value length varint | value]
 *
 * Marks (store_put_marks) have no key: most records have them.
 *
 * 1. The changes of a journal, done in their order on the state it began with, give the state it ended with.
 * 2. Bytes that did not come from journal_put and its kin are refused, and nothing outside them is read.
 */
#ifndef WR_ENGINE_JOURNAL_H
#define WR_ENGINE_JOURNAL_H

#include "engine/slice.h"

struct journal {
    uint8_t *bytes; /* the owner's, `room` of them */
    size_t start, len, room; /* what was written lies between start and len */
    bool grows;              /* bytes are mem_realloc's, and become more where there is no room */
    bool overflow;            /* there was no room for something: what is here is not all */
    uint64_t changes_left;    /* so many may follow */
    const uint8_t *reserved;  /* a value that is filled in the tree after it was announced; NULL: none */
    size_t reserved_len;      /* it belongs at the end of what is here */
    void (*abandon)(void *arg); /* what txn_abort calls instead of ending the transaction, which is the owner's */
    void *arg;
};

void journal_put(struct journal *j, unsigned tree, struct slice key, struct slice value);
/* A put whose value is filled in later at `value`, until the next call. */
void journal_reserve(struct journal *j, unsigned tree, struct slice key, const uint8_t *value, size_t len);
void journal_delete(struct journal *j, unsigned tree, struct slice key);
void journal_settle(struct journal *j); /* takes over a reserved value; before the tree is written to again */

struct journal_entry {
    unsigned tree;
    bool put;
    struct slice key, value;
};
/* The next change at the front of *rest, which is advanced; false: there is none, or (*failed) no sound one. */
bool journal_next(struct slice *rest, struct journal_entry *out, bool *failed);

#endif
