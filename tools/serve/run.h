/*
 * run.h - requests that run statements, QUERY, PREPARE, EXECUTE and BATCH, or a slow check, AUTH_RESPONSE. Each fills the answer,
 * whatever happens.
 *
 * A struct run belongs to one worker thread; its memory is used again from request to request.
 */
#ifndef WR_SERVE_RUN_H
#define WR_SERVE_RUN_H

#include "answer.h"
#include "awaited.h"
#include "client.h"
#include "prepared.h"
#include "request.h"
#include "trace.h"

/* RUN_QUICK: not as long as waking a thread takes. RUN_SHORT: some hundred rows, and nothing is waited for. */
enum run_length { RUN_WHOLE, RUN_SHORT, RUN_QUICK };

struct run {
    unsigned number;        /* of the thread, from 1 on */
    struct answer answer;
    struct request_values values;
    char error[ERROR_TEXT_ROOM];
    struct client *client;  /* of the request that is being run */
    struct database *database; /* that it is run on */
    wr_db *db;              /* the database's */
    struct prepared_store *prepared; /* likewise */
    uint8_t metadata_id[DIGEST_LEN]; /* of the answer, where it is not that of what was prepared */
    struct trace trace;
    enum run_length length; /* what it may take */
    bool left;              /* it has turned out to take more */
    struct awaited awaited; /* of a thread's */
};

void run_init(struct run *run, unsigned number);
void run_release(struct run *run);

/* Whether the opcode is one of these. */
bool run_takes(unsigned opcode);
void run_request(struct run *run, struct client *client, const struct frame_header *header, const uint8_t *body, size_t len);

/* ---- shared by run.c and run_batch.c ---- */

void run_fail(struct run *run, enum wr_status status, const char *message); /* a failure without details */
void run_fail_protocol(struct run *run, const char *message);
void run_fail_handle(struct run *run, wr_db *db, enum wr_status status);
void run_fail_stmt(struct run *run, const wr_stmt *stmt, enum wr_status status);

/* Where the store's messages go. */
static inline struct prepared_error run_error(struct run *run)
{
    return (struct prepared_error){ run->error, sizeof run->error };
}

/* Binds the values that were read; false: the answer is an error. Too few or too many: the message, counted: with both numbers. */
bool run_bind(struct run *run, wr_stmt *stmt, const char *message, bool counted);
/* The rows of a statement that is at its first (first == WR_ROW) or has none. */
struct run_metadata {
    bool skip;
    const uint8_t *changed_id;
    struct prepared *told; /* what the client was told of before; NULL: nothing */
};
void run_answer_rows(struct run *run, wr_stmt *stmt, enum wr_status first, struct run_metadata metadata);
enum wr_consistency run_serial_level(const struct request_options *options); /* SERIAL where the request says none */

void run_batch(struct run *run, struct wire_in *in);

/* ---- run_brief.c: what the loop runs itself, and which requests need not wait for others that take long ---- */

/* Runs a request that takes no more than that; false: it is none, or has turned out to be none, and nothing has happened. */
bool run_briefly(struct run *run, enum run_length length, struct client *client, const struct frame_header *header, const uint8_t *body,
                 size_t len);

/* Whether a request may be tried with RUN_QUICK: it is of a kind that can be quick, and its database is there. */
bool run_may_be_quick(const struct client *client, const struct frame_header *header, size_t len);

/* What is to be thought of a request that another thread is to run. */
struct run_outlook {
    bool is_short; /* it had better be tried with run_briefly first */
    bool holds;    /* it may keep other writers waiting for long */
    bool reads;    /* nothing is lost where it is not run and nobody waits for it */
};
struct run_outlook run_outlook(struct client *client, const struct frame_header *header, const uint8_t *body, size_t len);

/* Within run_briefly, true: it is none. An entry; a text by its look; a statement of one; a batch, of so many; a result that has more rows than
 * it was thought to have. */
bool run_leaves_entry(struct run *run, const struct prepared *entry);
bool run_leaves_text(struct run *run, struct wire_bytes text, const struct request_options *options);
bool run_leaves_stmt(struct run *run, const wr_stmt *stmt);
bool run_leaves_batch(struct run *run, uint32_t members, const struct request_options *options);
bool run_leaves_rows(struct run *run, const wr_stmt *stmt, uint32_t rows);
/* A run has ended that began then; or was given up. */
void run_note_pace(struct run *run, struct pace *pace, uint64_t from_us);
void run_note_batch(struct run *run, uint32_t members, uint64_t from_us);

/* ---- run_database.c: which database a request is run on; false of the first three: the answer is an error ---- */

bool run_choose(struct run *run, bool greeted); /* the client's; of one that has not been greeted the first */
bool run_choose_user(struct run *run, const char *user); /* that of its name, or the first, from now on the client's */
/* The keyspace that a request names (data NULL: none): one of another database is left with the name that it has there. */
bool run_enter(struct run *run, struct wire_bytes *keyspace);

/* Runs a USE that names a keyspace of another database, and answers it; false: it is no such. */
bool run_use_elsewhere(struct run *run, const wr_stmt *stmt);
void run_answer_use(struct run *run, const char *keyspace); /* of the run's database */

#endif
