/*
 * prepared.h - the statements that clients have prepared, by id, for all connections of a server.
 *
 * 1. An id is the MD5 of the text, behind the name of the keyspace it was prepared in where the text does not say which it means: what
 *    Cassandra computes, so an id that a client got elsewhere is found once the text has been prepared here.
 * 2. A statement is let go when what it stands on changes (clients are told UNPREPARED and prepare again), or when it was used least recently
 *    and there are too many.
 *    A run is of the schema of its moment, which may be newer than the entry and not told of yet: prepared_is_as_told sees that.
 * 3. An entry that was taken stays good until it is given back, also when it has been let go meanwhile.
 * 4. Runs are by instances: a wr_stmt belongs to one thread at a time, so an entry keeps one for each thread that has needed it.
 *
 * Any thread may call anything here.
 */
#ifndef WR_SERVE_PREPARED_H
#define WR_SERVE_PREPARED_H

#include "digest.h"
#include "pace.h"
#include "widerow.h"
#include "wire.h"

struct prepared_store;

struct prepared {
    uint8_t id[DIGEST_LEN], metadata_id[DIGEST_LEN];
    const char *text;
    size_t text_len;
    const char *keyspace;   /* current when it was prepared; NULL: none */
    unsigned flags;         /* wr_stmt_flags */
    _Atomic uint64_t schema; /* the last one (wr_stmt_schema) whose columns were seen to be these */
    struct pace pace;       /* of its runs */
};

struct prepared_store *prepared_open(wr_db *db, uint32_t entries_max); /* NULL: no memory */
void prepared_close(struct prepared_store *store);                     /* nothing may be taken any more; NULL is fine */

/* The entry of an id; NULL: there is none. */
struct prepared *prepared_take(struct prepared_store *store, const uint8_t *id, size_t id_len);

/* Where a message goes. */
struct prepared_error {
    char *text;
    size_t room;
};

/* What is to be prepared. */
struct prepared_text {
    struct wire_bytes text;
    const char *keyspace; /* current; NULL: none */
    const char *role;     /* who asks; NULL: nobody has logged in */
};

/* The entry of a text, made and validated where it is missing (*made). On failure *out is NULL. */
enum wr_status prepared_make(struct prepared_store *store, const struct prepared_text *asked, struct prepared **out, bool *made,
                             struct prepared_error error);

void prepared_give(struct prepared_store *store, struct prepared *entry);

/* A statement of the entry for the calling thread alone, without bindings; NULL: the text cannot be prepared any more, see error. */
wr_stmt *prepared_instance(struct prepared_store *store, struct prepared *entry, struct prepared_error error, enum wr_status *status);
/* keep false: it holds more memory than is worth keeping. */
void prepared_instance_give(struct prepared_store *store, struct prepared *entry, wr_stmt *stmt, bool keep);

/* Whether an instance gives the columns that clients were told of; false: it is of another schema, and the entry has been let go. */
bool prepared_is_as_told(struct prepared_store *store, struct prepared *entry, const wr_stmt *stmt);

/* The schema has changed. */
void prepared_schema_change(struct prepared_store *store, const struct wr_schema_change *change);

#endif
