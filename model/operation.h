/*
 * operation.h - what SET, DELETE and the VALUES of an INSERT do to a column, and how its cells lie in a row.
 *
 * Layout, read back by rowvalues.h:
 *     simple column    one cell without path
 *     list             path: 16 bytes of listid.h; value: the element
 *     set              path: comparable bytes of the element; value: the element where its order is lossy, else empty
 *     map              path: comparable bytes of the key; value: the value, or where the key's order is lossy
 *                      [u32 key length][key][value]
 *     non-frozen UDT   path: number of the field u16; value: the field
 *     counter          one cell without path, CELL_COUNTER; in a mutation the increment
 *
 * 1. Setting a whole multicell column puts a complex deletion one microsecond before its cells; deleting one puts it at
 * the statement's timestamp. So two overwrites at the same timestamp merge, as in Cassandra.
 * 2. An unset value does nothing, a null one deletes; l[i], l -= and arithmetic on plain columns look at the row as it
 * is, with what the operations before them have written.
 * 3. Binding writes every message that does not depend on values, in Cassandra's order of checks.
 */
#ifndef WR_MODEL_OPERATION_H
#define WR_MODEL_OPERATION_H

#include "engine/scan.h"
#include "model/expr.h"
#include "model/write.h"

enum operation_kind { /* the order of operation.c's table */
    OPERATION_SET,            /* c = value, of a column of one cell */
    OPERATION_SET_TUPLE,      /* c = (..), of a user type: refused when it is run */
    OPERATION_SET_EMPTY,      /* the hidden value of a compact table of keys alone */
    OPERATION_OVERWRITE,      /* c = value, multicell */
    OPERATION_APPEND,         /* l + value, s + value, m + value */
    OPERATION_PREPEND,        /* value + l */
    OPERATION_DISCARD,        /* s - value, m - keys */
    OPERATION_LIST_DISCARD,   /* l - value */
    OPERATION_SET_INDEX,      /* l[i] = value */
    OPERATION_DELETE_INDEX,   /* DELETE l[i] */
    OPERATION_SET_KEY,        /* m[k] = value */
    OPERATION_DELETE_KEY,     /* DELETE m[k] */
    OPERATION_DELETE_ELEMENT, /* DELETE s[e] */
    OPERATION_SET_FIELD,      /* u.f = value */
    OPERATION_DELETE_FIELD,   /* DELETE u.f */
    OPERATION_COUNT_UP,       /* n + value */
    OPERATION_COUNT_DOWN,     /* n - value */
    OPERATION_ARITHMETIC,     /* c + value of a number or a text */
    OPERATION_DELETE,         /* DELETE c, of a column of one cell */
    OPERATION_DELETE_COMPLEX  /* DELETE c, multicell */
};

struct func;

struct operation {
    enum operation_kind kind;
    bool lossy;                 /* set, map: the order of its keys is */
    const struct column *column;
    const struct expr *value;   /* NULL: of INSERT JSON, from those of the JSON; of a deletion, nothing */
    const struct expr *element; /* the index or key of c[element] */
    const struct func *func;    /* arithmetic on a plain column */
    uint32_t field;             /* c.field */
    uint32_t slot;              /* the place of its cell where every operation of the row makes one cell at most */
};

/* Operations of one kind of row (static or regular), in the order of the statement. */
struct operations {
    struct operation *list;
    uint32_t count;
    bool slotted; /* each makes one cell at most, and slots are set: cells come out in order without sorting */
    struct columns read; /* those of which some operation looks at what is there */
};

/* can_read: in a statement with conditions, where SET c = c + 1 is taken for numbers and texts too. */
enum wr_status operation_bind_set(struct bind *bind, const struct column *column, const struct ast_expr *value,
                                  struct operation *out);
enum wr_status operation_bind_assignment(struct bind *bind, const struct column *column,
                                         const struct ast_assignment *ast, bool can_read, struct operation *out);
enum wr_status operation_bind_deletion(struct bind *bind, const struct column *column, const struct ast_deletion *ast,
                                       struct operation *out);

/* SET column = its value in an INSERT JSON. */
void operation_bind_json(const struct column *column, struct operation *out);

/* The cell that stands for a row of a compact table without declared values. */
void operation_bind_empty(const struct column *column, struct operation *out);

/* Once all are there: sets slots and the flags. */
enum wr_status operations_finish(struct ctx *ctx, struct operations *operations);

/* ---- in a run ---- */

struct write_times { /* what the cells of a statement have in common */
    int64_t timestamp_us;
    uint32_t now_s;
    uint32_t ttl_s;      /* 0: none */
    uint32_t expires_s;
};

/* Runs them all and puts cells and deletions into row (whose other parts are left alone). json: the values of INSERT
 * JSON by ordinal, or NULL. current: the row's live cells of the columns in operations->read, NULL where there is no row. */
enum wr_status operations_run(struct write *write, const struct operations *operations, const struct write_times *times,
                              const struct slice *json, const struct row *current, struct row *row);

static inline struct deletion write_deletion(const struct write_times *times)
{
    return (struct deletion){ times->timestamp_us, times->now_s };
}

#endif
