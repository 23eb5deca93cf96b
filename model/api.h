/*
 * api.h - what stands behind the handles of widerow.h, shared by the api_*.c rooms. Each checks its arguments, calls, and hands
 * over the message; what a statement means is decided elsewhere.
 */
#ifndef WR_MODEL_API_H
#define WR_MODEL_API_H

#include "model/database.h"
#include "model/tracing.h"
#include "widerow.h"

struct wr_db {
    struct database *database;    /* NULL: wr_open failed, and the handle only tells why */
    pthread_mutex_t lock;         /* of what follows: handles may be shared */
    char *keyspace;               /* current; NULL: none */
    char *role;                   /* of statements to be made; NULL: nobody has logged in */
    wr_stmt *spare;               /* one that was finalized, in whose memory the next is made; NULL: none */
    _Atomic bool masked;          /* it sees masked columns masked: it has no UNMASK */
    struct arena arena;
    struct ctx ctx;               /* error of the last failing call */
    _Atomic uint32_t interrupts;  /* how often what runs on it has been wanted to end */
    _Atomic bool holds;           /* it is in wr_atomically, whose thread alone uses what follows */
    uint32_t interrupts_at_hold;  /* when that began */
    _Atomic uint32_t open_handles; /* statements, batches, families and runs of wr_atomically that stand on this handle */
};

/* Writes the failure on the handle and returns its status. The second: WR_NOMEM where there is none for the details. */
enum wr_status db_fail(wr_db *db, enum wr_status status, const char *text);
enum wr_status db_fail_as(wr_db *db, enum wr_status status, const struct ctx *ctx, size_t offset); /* the last failure of ctx, details too */

enum wr_status db_check_open(wr_db *db); /* WR_MISUSE: wr_open failed, or the database is the parent's */

/* How often the handle had been interrupted when what this thread is in began: its wr_atomically, or what begins now. */
static inline uint32_t db_interrupts_before(const wr_db *db)
{
    bool holds = atomic_load_explicit(&db->holds, memory_order_relaxed) && database_held(db->database);
    return holds ? db->interrupts_at_hold : atomic_load_explicit(&db->interrupts, memory_order_relaxed);
}

/* What is done with ctx from now on ends early where the handle is interrupted. */
static inline void db_let_interrupt(const wr_db *db, struct ctx *ctx)
{
    ctx->interrupts = &db->interrupts;
    atomic_store_explicit(&ctx->interrupts_before, db_interrupts_before(db), memory_order_relaxed);
}

/* What a call needs that is no statement's: memory, and a place for its error until work_end puts that on the handle. */
struct work {
    struct arena arena;
    struct ctx ctx;
};

enum wr_status work_begin(struct work *work, wr_db *db); /* WR_MISUSE: the database is not open, and there is nothing to end */
enum wr_status work_end(struct work *work, wr_db *db, enum wr_status st); /* returns st */

/* Makes it the current keyspace; null: none. WR_NOMEM. */
enum wr_status db_use(wr_db *db, struct slice keyspace);

/* A value bound to a marker, in memory of the statement that is used again. */
struct bound_value {
    uint8_t *bytes;
    size_t room;
    bool is_set;
};

struct builder; /* api_bind.c: values opened with wr_bind_open */
void builder_free(struct builder *builder); /* NULL is fine */
void builder_abandon(struct builder *builder); /* what is open is not put together: its types may be gone. NULL is fine */
bool builder_is_open(const struct builder *builder);

/*
 * What turned out to be no brief read (plan.h) is read by a snapshot, and so are its next runs: one, and twice as many each time that it is found again,
 * for it may have been the processor that was taken away.
 */
enum { BRIEF_REST_MOST = 64 };
struct brief_trial {
    uint32_t rest, last; /* runs left that are not tried; and of those how many there were */
};

static inline bool brief_is_tried(struct brief_trial *t)
{
    if (t->rest)
        return t->rest--, false;
    return true;
}

static inline void brief_was(struct brief_trial *t, bool brief)
{
    t->last = brief ? 0 : !t->last ? 1 : t->last < BRIEF_REST_MOST ? t->last * 2 : t->last;
    t->rest = t->last;
}

/* api_brief.c: a read that was all done when it was started. */
struct brief {
    bool done;            /* of this run; where its rows are to be taken from */
    uint32_t count;       /* rows that have not been taken */
    struct slice *rows;   /* of values in the order of the result's columns */
    size_t room;
    struct arena arena;   /* their bytes */
    size_t bytes;
    struct brief_trial trial;
};

struct stmt_markers {
    uint32_t count;         /* of the text, so it never changes */
    struct slice *values;   /* one a marker; see bound */
    struct bound_value *bound;
    bool *sound;            /* values that have been found to be of their markers' types; none are when the plan is made anew */
    struct builder *builder;
    bool failed;            /* the last conversion of a value; before: the run's memory before it */
    struct arena_mark before;
};

struct stmt_result { /* what a run shows */
    const struct column_spec *columns; /* the plan's; an LWT's own, known after its start and good until the next */
    uint32_t column_count;
    const uint32_t *places;   /* where in a row their values are */
    const uint32_t *in_order; /* the places of values that come in the order of the plan's columns */
    char **names;             /* NUL-terminated, in the plan's arena; of LWT results in the run's */
    uint32_t name_count;
    const struct slice *row;  /* the current one; NULL: none */
    uint32_t shown;           /* columns of it; 0 without one */
};

struct stmt_settings { /* of the next runs */
    struct levels levels;
    struct tracer tracer; /* note NULL: nobody is told */
    int64_t timestamp_us;
    int64_t now_s; /* INT64_MIN: the database's */
    int page_size;
};

struct stmt_page { /* where the next run is to begin */
    uint8_t *state;
    size_t len, room;
    bool given;
};

struct wr_stmt {
    wr_db *db;
    char *cql;
    size_t cql_len;
    char *keyspace;              /* current when it was prepared */
    struct arena plan_arena, run_arena;
    struct arena notes_arena;    /* warnings of the run */
    struct schema *schema;       /* the snapshot the plan was bound to */
    struct plan *plan;           /* NULL: binding again failed; tried at each step */
    uint32_t plans;              /* how many it has had */
    struct stmt_markers markers;
    char *role;                  /* who runs it; NULL: nobody has logged in */
    bool hides;                  /* masked columns are masked for that role */
    bool masks;                  /* the plan masks columns */
    struct exec exec;
    bool running;
    bool of_script;              /* wr_exec's: it began when the script did, as interrupts are counted */
    bool cut_short;              /* its run has ended with the wr_atomically it was begun in, which the next step says */
    struct held_read held_read;
    struct stmt_result result;
    enum wr_status status;
    struct warning *prepare_warnings;
    unsigned flags;              /* enum wr_stmt_flags */
    struct stmt_settings settings;
    struct tracer traced;        /* of the run */
    struct stmt_page page;
    struct brief brief;
    wr_batch *batch;             /* the result of a wr_batch has no text: what it runs are the batch's statements */
    struct ctx ctx;              /* of runs, and of everything that fails on this statement; last, as its text is not cleared with the rest */
};

enum wr_status stmt_fail(wr_stmt *stmt, enum wr_status status, const char *text);
/* A text for the caller that has been made in the run's memory: "" where that lacked any, which is then the statement's status and that of the next step. */
const char *stmt_made(const wr_stmt *stmt, const char *text);
const char *stmt_text(const wr_stmt *stmt, struct slice text);

/* api_prepare.c. Brings the plan up to the current schema. On failure the statement has no plan, and the message is in its ctx. */
enum wr_status stmt_rebind(wr_stmt *stmt);
enum wr_status stmt_ensure_plan(wr_stmt *stmt); /* before whatever is done with the database. WR_MISUSE: that is the parent's */
enum wr_status stmt_lay_out_columns(struct ctx *ctx, wr_stmt *stmt, const struct column_spec *columns, uint32_t count, const uint32_t **in_order);
static inline void stmt_show_columns(wr_stmt *stmt, const struct plan *plan)
{
    stmt->result.columns = plan->columns;
    stmt->result.column_count = plan->column_count;
    stmt->result.places = plan->places;
}

void stmt_init(wr_stmt *stmt, wr_db *db);  /* an empty one, to be released */
void stmt_release(wr_stmt *stmt);
void stmt_free_spare(wr_stmt *stmt); /* NULL is fine */

enum wr_status batch_rebind(wr_batch *batch, struct schema *schema); /* api_batch.c: the same for all of a batch */

unsigned stmt_flags(const struct plan *plan); /* api_server.c: enum wr_stmt_flags of a statement */

void stmt_prepare_exec(wr_stmt *stmt); /* its exec and columns are as a run finds them; what the run before had in memory is gone */
void stmt_forget_attempt(wr_stmt *stmt); /* the run begins once more */
enum wr_status stmt_authorize(wr_stmt *stmt); /* api_role.c: may its role run the plan? Binds it anew where that changes what is masked */
enum wr_status stmt_take_role(wr_stmt *stmt); /* api_role.c: its handle's */

bool brief_may_be(wr_stmt *stmt);
bool brief_read(wr_stmt *stmt); /* in the shared transaction of its exec, which it ends; false: it was more than that, or failed, and is to be run as any other */
const struct slice *brief_next(wr_stmt *stmt); /* NULL: no more */

enum wr_status stmt_start(wr_stmt *stmt); /* begins a run as wr_step does, without the first row */

/* Whether a handle sees masked columns masked. */
static inline bool db_masks(wr_db *db)
{
    return atomic_load_explicit(&db->masked, memory_order_relaxed) &&
           atomic_load_explicit(&db->database->masking, memory_order_relaxed);
}

static inline bool stmt_has_to_mask(const wr_stmt *stmt)
{
    return stmt->role ? stmt->hides : db_masks(stmt->db);
}

/* Copies what was printed as snprintf does, and gives its length in full. */
size_t text_out(const struct buf *buf, char *text, size_t size);

enum wr_type type_number(const struct type *type); /* as the public header numbers them */

static inline const struct type *type_of_info(const struct wr_type_info *info)
{
    return (const struct type *)(const void *)info;
}

static inline const struct wr_type_info *info_of_type(const struct type *type)
{
    return (const struct wr_type_info *)(const void *)type;
}

static inline wr_value value_of(const struct type *type, struct slice value)
{
    return (wr_value){ value.data, value.len, info_of_type(type) };
}

static inline const struct type *value_type_of(wr_value value)
{
    return type_of_info(value.type);
}

#endif
