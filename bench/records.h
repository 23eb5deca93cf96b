/*
 * records.h - keys and values as somebody would write them by hand for a store of bytes: LMDB and RocksDB.
 *
 *   message   [room][0][time, high bits first]     [system][author length][author][text]
 *   mail      [id]                                 [from length][subject length][from][subject][body]
 *   counter   [user][0][folder]                    u64, little-endian
 *   user      [name]                               [password]
 *   post      [id]                                 [author length][author][body]
 *   timeline  [user][0][time, high bits first]     nothing
 *   vector    [number]                             floats as the machine has them
 */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include "data.h"

enum record_kind { MESSAGES, MAILS, COUNTERS, USERS, POSTS, TIMELINES, VECTORS, RECORD_KINDS };
extern const char *const record_names[RECORD_KINDS];

struct bytes {
    const uint8_t *data;
    size_t len;
};

/* Keys go into `out`, at most RECORD_KEY_MAX bytes; values at most RECORD_VALUE_MAX. Both give their length. */
enum { RECORD_KEY_MAX = 64, RECORD_VALUE_MAX = 4096 };
size_t record_row_key(struct name partition, const uint8_t id[16], uint8_t *out); /* message, timeline; id NULL: the prefix of all */
size_t record_counter_key(struct name user, uint32_t folder, uint8_t *out);
size_t record_message(const struct message *m, uint8_t *out);
size_t record_mail(const struct mail *m, uint8_t *out);
size_t record_post(const struct post *p, uint8_t *out);

/* What stores sum of what they read. */
uint64_t record_sum_message(const uint8_t time[16], struct bytes value, uint64_t seed); /* id, author, text, system */
uint64_t record_sum_scanned(struct bytes key, struct bytes value);                      /* the room before them */
uint64_t record_sum_mail(struct bytes value);
uint64_t record_sum_post(const uint8_t id[16], struct bytes value);

#endif
