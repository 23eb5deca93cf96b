/*
 * widerow.h - Widerow, an embedded wide-row database: Cassandra's data model and CQL in one process, in one folder.
 *
 * If you know sqlite3.h you know the shape: open a database, prepare a statement, bind, step, read columns, reset, finalize.
 * If you know Cassandra you know the rest: statements, types, order, timestamps, TTLs, lightweight transactions, errors and
 * their texts are those of Apache Cassandra 5.0.6 (docs/cql.md lists where they are not).
 *
 * Conventions of the whole header
 *   Results     Every call that can fail returns enum wr_status; WR_OK is 0. wr_step() returns WR_ROW and WR_DONE too. The text of
 *               a failure is with the handle it happened on: wr_error(db), wr_stmt_error(stmt), until that handle's next failing call.
 *   Threads     Any thread may use any wr_db at any time. A wr_stmt, wr_batch, wr_cf or wr_cf_result belongs to one thread at a time.
 *               Writes wait their turn. A read waits for a short write at most, or for pending ones to be committed. In a database larger
 *               than an eighth of the memory inserts are put off (docs/operations.md): a read of such waits until they have been applied,
 *               which has its turn with the writes. A thread sees its own writes and everybody's acknowledged ones.
 *   Lengths     Lengths are bytes. Where a length is `int` or ptrdiff_t, -1 means "up to the NUL".
 *   Text        is UTF-8. Strings that come out are NUL-terminated, unless the function says "bytes". A NUL in the name of a column, type or
 *               function that a result or a schema change has is the two bytes C0 80, as in a message.
 *   Time        Timestamps are microseconds since 1970 (UTC), TTLs seconds.
 *   NULL        is taken where the function says so, and as a statement (WR_MISUSE, or nothing to tell: no columns, no markers, NULL, 0), but not to
 *               read a row of; elsewhere a pointer must lead somewhere.
 *   Ownership   Handles are yours to close. Everything else that comes out is borrowed: each function says until when. Everything that
 *               goes in is copied before the call returns, unless the function says otherwise. "As long as the statement" is until
 *               wr_finalize, or until its next run after a change of the schema, which binds it anew.
 */
#ifndef WIDEROW_H
#define WIDEROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wr_status.h"

#ifdef __cplusplus
extern "C" {
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow" /* wr_failure, wr_table_stats and wr_db_stats fill the structs of their names, whose constructors they hide */
#endif
#endif

#if defined(__GNUC__)
#define WR_API __attribute__((visibility("default")))
#else
#define WR_API
#endif

#define WR_VERSION_MAJOR 0
#define WR_VERSION_MINOR 1
#define WR_VERSION_PATCH 0
#define WR_VERSION_TEXT "0.1.0"

WR_API const char *wr_version(void);                                  /* of the library linked, "0.1.0"; static */
WR_API const char *wr_status_name(enum wr_status status);             /* "InvalidRequest"; static; "unknown status" otherwise */
WR_API unsigned wr_status_code(enum wr_status status);                /* the native protocol's, 0x2200; 0 where it has none */

typedef struct wr_db wr_db;
typedef struct wr_stmt wr_stmt;
typedef struct wr_batch wr_batch;

/* ------------------------------------------------------------------------------------------------ opening and closing */

enum wr_durability {
    WR_DURABILITY_PERIODIC, /* the default, as in Cassandra: a write survives a crash of the process at once, and power loss after the next
                    sync (options.sync_interval_ms); the database is never corrupt */
    WR_DURABILITY_FULL,     /* a write survives power loss once it has returned; writers that wait together share one sync */
    WR_DURABILITY_NONE      /* synced at wr_close and wr_sync only; after a loss of power between them wr_open is WR_CORRUPT, and the data are lost */
};

/* Zero-fill it (WR_OPTIONS_INIT) and set what you need. `size` lets later versions add members. */
struct wr_options {
    uint32_t size; /* sizeof(struct wr_options) */
    enum wr_durability durability;
    uint32_t sync_interval_ms; /* WR_DURABILITY_PERIODIC; 0: 1000 */
    bool read_only;            /* other processes may have it open for writing, unless the file system is read-only here: then it is WR_BUSY */
    bool must_exist;           /* a missing folder is an error instead of a new database */
    uint64_t map_bytes;        /* address space to begin with; 0: chosen. Doubled when it is full and no read is open: else the write that needs it is WR_FULL after some seconds */
    int64_t clock_us;          /* not 0: the database's clock stands at that time from the start (wr_clock_set) */
};
#define WR_OPTIONS_INIT { sizeof(struct wr_options), WR_DURABILITY_PERIODIC, 0, false, false, 0, 0 }

/* Opens a database in a folder, which is made if it is missing; path NULL or ":memory:": a private one in memory, gone with its
 * last handle. options NULL: the defaults. One process at a time may have a folder open for writing, by one wr_open: a second
 * is WR_BUSY (use wr_attach). Others may open it read-only.
 * Also on failure *out is a handle whose wr_error() tells why and which must be closed; NULL only when there is no memory. Its clock is 0
 * and does not move (wr_clock_*), wr_timeuuid gives zeroes, and other calls on it are WR_MISUSE.
 * WR_NOT_A_DATABASE, WR_VERSION (another format), WR_CORRUPT, WR_BUSY, WR_IO, WR_FULL, WR_READONLY, WR_NOMEM; WR_MISUSE: the options are of another size, or
 * their durability is none of these. */
WR_API enum wr_status wr_open(const char *path, const struct wr_options *options, wr_db **out);

/* Another handle on the same open database, with a current keyspace and an error text of its own: one a thread or a connection.
 * Costs next to nothing. The database closes with its last handle. */
WR_API enum wr_status wr_attach(wr_db *db, wr_db **out);

/* Dynamic data masking, as dynamic_data_masking_enabled of a server: off until it is turned on, for all handles. While it is off MASKED
 * WITH is refused, and masks that the schema has do nothing. wr_serve_start turns it on. */
WR_API void wr_set_masking(wr_db *db, bool enabled);

/* Whether a handle without a role sees what masked columns hold, as with the permission UNMASK: every handle does until it is told not to. Without, they
 * are masked in select lists; as on a server, WHERE and IF compare what they hold, and a refused condition shows it. */
WR_API void wr_set_unmask(wr_db *db, bool unmask);

/* Roles. Where nobody has logged in, everything is allowed, as with a server's AllowAllAuthenticator. Statements and batches made on a handle
 * that has a role do what that role's permissions allow, as with CassandraAuthorizer: looked at anew with each run, so what is granted, revoked
 * or dropped counts at once. A new database has the role cassandra, a superuser whose password is cassandra. Column families (wr_cf_*) and
 * what a C program asks for itself (wr_table_cells, ...) are not asked about.
 *
 * wr_login: WR_BAD_CREDENTIALS, with a server's text, where the password is another's or the role may not log in; the handle's role is as it was. Takes
 * long (bcrypt). wr_set_role: without a password; NULL: nobody. WR_MISUSE, WR_NOMEM. */
WR_API enum wr_status wr_login(wr_db *db, const char *role, const char *password);
WR_API enum wr_status wr_set_role(wr_db *db, const char *role);
/* Who runs this statement from now on, whatever its handle's role is: of one that several share. NULL: nobody. */
WR_API enum wr_status wr_stmt_set_role(wr_stmt *stmt, const char *role);

/* Closes a handle; NULL is fine. Its statements must have been finalized: otherwise WR_MISUSE and nothing happens. In a child that was forked the database
 * stays the parent's: to close and finalize what it has of it is all that can be done there, what else is called on it is WR_MISUSE. */
WR_API enum wr_status wr_close(wr_db *db);

/* Text of the last failure on this handle, "" when there was none. A NUL character of a value or name that it shows is the two bytes C0 80 in it,
 * as in Java's modified UTF-8; so too in warnings. Good until the handle's next failing call; give each thread
 * a handle of its own (wr_attach) where that matters. */
WR_API const char *wr_error(wr_db *db);

/* Where in the text given to wr_exec or wr_prepare the last failure lies, in bytes from its start; -1: not known. Of wr_exec it is at least where
 * the statement begins that failed. */
WR_API ptrdiff_t wr_error_offset(wr_db *db);

/* The current keyspace, as USE set it; NULL: none. Good until the next USE on the handle. */
WR_API const char *wr_keyspace(wr_db *db);

/* ------------------------------------------------------------------------------------------------ running CQL */

/* Called for every row; read it with wr_column_*. Returning false ends the call with WR_OK. */
typedef bool (*wr_row_fn)(void *arg, wr_stmt *row);

/* Runs CQL text: any number of statements, each ended by a semicolon (the last one's may be missing). Stops at the first that
 * fails; those before it have been done. on_row may be NULL. */
WR_API enum wr_status wr_exec(wr_db *db, const char *cql, wr_row_fn on_row, void *arg);

/* Prepares one statement. len -1: up to the NUL. On failure *out is NULL and wr_error(db) tells. To bind, set, step or add to a batch what is NULL
 * is WR_MISUSE; it has no markers and no columns (values of a row are not to be read: there is none). The statement outlives schema changes: it is
 * bound again by itself, and fails with Cassandra's message where it no longer can be. */
WR_API enum wr_status wr_prepare(wr_db *db, const char *cql, ptrdiff_t len, wr_stmt **out);

/* Where the first statement of a script ends (behind its semicolon), strings, comments, $$ and batches understood; *complete
 * false: it is not ended yet; *blank: there is nothing but white space and comments. Any may be NULL but text. */
WR_API size_t wr_statement_end(const char *text, size_t len, bool *complete, bool *blank);

WR_API void wr_finalize(wr_stmt *stmt); /* NULL is fine */

/* Runs a statement: WR_ROW once for each row, then WR_DONE (a write: WR_DONE at once); after WR_DONE or a failure the next wr_step
 * runs it anew. A read holds one snapshot from its first step to WR_DONE or wr_reset; do not keep it open for long. */
WR_API enum wr_status wr_step(wr_stmt *stmt);

/* Ends a run early and lets go of its snapshot and rows. Bound values stay. NULL is fine. */
WR_API void wr_reset(wr_stmt *stmt);

/* Ends early, with WR_INTERRUPTED, what runs on this handle at that moment:
 *   statements and batches, and the rest of a wr_exec. A read that is between two wr_steps ends in one of the next: rows that have been found already come first.
 *   wr_cf_* calls, wr_check, wr_sweep, wr_table_stats, wr_table_cells, wr_table_export. The copying of wr_backup goes on.
 *   a wr_atomically: all that it still runs on this handle, and so the whole.
 * A write that is interrupted has changed nothing. What is about to end ends as if nothing had been; what begins later is not affected. It takes
 * microseconds, the next step of a walk, but not while a call waits for other writers, for the disk, or for an application's own function.
 * From any thread, and from a signal handler; the handle must not be closed at the same time. */
WR_API void wr_interrupt(wr_db *db);

/* The same for the run of one statement, as far as that is: others of its handle go on. From any thread, and from a signal handler; the statement must not be
 * finalized at the same time. NULL is fine. */
WR_API void wr_stmt_interrupt(wr_stmt *stmt);

WR_API const char *wr_stmt_error(const wr_stmt *stmt); /* as wr_error, of this statement; "" when it has begun to run, until it fails */
/* Of the last step, until a value is bound, or wr_reset. Where there is no memory for a text that a statement tells of itself or of a row (wr_column_text, the
 * type of a column, what a schema change did), that is "", this is WR_NOMEM, and so is the next wr_step of a run. */
WR_API enum wr_status wr_stmt_status(const wr_stmt *stmt);
WR_API const char *wr_stmt_cql(const wr_stmt *stmt);   /* its text */
WR_API wr_db *wr_stmt_db(const wr_stmt *stmt);

/* Warnings of the last run or of preparing (Cassandra's: large batches, aggregation without partition key, ...), i from 0; NULL
 * behind the last. Good until the next run. */
WR_API const char *wr_stmt_warning(const wr_stmt *stmt, unsigned i);

/* What a schema change did, as drivers are told: "CREATED", "TABLE", keyspace, name. All NULL when it changed nothing or was none.
 * Any pointer may be NULL. Good until the next run. */
WR_API void wr_stmt_schema_change(const wr_stmt *stmt, const char **change, const char **target, const char **keyspace,
                                  const char **name);

/* Of a change of a function or aggregate: the types of its arguments, i from 0; NULL behind the last. */
WR_API const char *wr_stmt_schema_change_argument(const wr_stmt *stmt, unsigned i);

enum wr_consistency {
    WR_CL_ANY = 0, WR_CL_ONE = 1, WR_CL_TWO = 2, WR_CL_THREE = 3, WR_CL_QUORUM = 4, WR_CL_ALL = 5, WR_CL_LOCAL_QUORUM = 6,
    WR_CL_EACH_QUORUM = 7, WR_CL_SERIAL = 8, WR_CL_LOCAL_SERIAL = 9, WR_CL_LOCAL_ONE = 10,
    WR_CL_NODE_LOCAL = 11 /* for debugging a cluster: refused but of a wr_batch whose conditions do not hold */
};

/* From then on wr_step answers as a cluster of one node would (or of more: wr_set_nodes): WR_UNAVAILABLE for TWO, or for QUORUM where the
 * keyspace is replicated three times, and so on. A statement that was never given one runs, whatever the replication. WR_PROTOCOL: no such level. */
WR_API enum wr_status wr_set_consistency(wr_stmt *stmt, enum wr_consistency consistency);
/* Of writes without USING TIMESTAMP: microseconds; INT64_MIN: the database's clock (the default). Stays until changed. Like the level it is
 * taken when a run begins: one that is open goes on as it is. */
WR_API enum wr_status wr_set_timestamp(wr_stmt *stmt, int64_t timestamp_us);

/* Paging. With a page size (rows <= 0: no pages) wr_step gives WR_DONE after that many rows. wr_page_state then has the place to go on from, good until
 * the next run; NULL (*len 0): that was all. Hand it to wr_set_page_state of this or an equal statement, now or after a restart; NULL starts
 * at the front. One run uses it up. In the midst of a run wr_set_page_state is WR_MISUSE. A run that needs no pages (none are asked for, or LIMIT
 * is not above their size) takes no notice of a state, as on a server. */
WR_API enum wr_status wr_set_page_size(wr_stmt *stmt, int rows);
WR_API enum wr_status wr_set_page_state(wr_stmt *stmt, const void *state, size_t len);
WR_API const void *wr_page_state(const wr_stmt *stmt, size_t *len);
WR_API bool wr_is_page_state(const void *state, size_t len); /* as wr_page_state gives them; a run refuses others (WR_PROTOCOL) */

/* ------------------------------------------------------------------------------------------------ types and values */

/* Numbers are the native protocol's option ids; those above 0xff have none there. */
enum wr_type {
    WR_TYPE_CUSTOM = 0x00, WR_TYPE_ASCII = 0x01, WR_TYPE_BIGINT = 0x02, WR_TYPE_BLOB = 0x03, WR_TYPE_BOOLEAN = 0x04,
    WR_TYPE_COUNTER = 0x05, WR_TYPE_DECIMAL = 0x06, WR_TYPE_DOUBLE = 0x07, WR_TYPE_FLOAT = 0x08, WR_TYPE_INT = 0x09,
    WR_TYPE_TIMESTAMP = 0x0b, WR_TYPE_UUID = 0x0c, WR_TYPE_TEXT = 0x0d, WR_TYPE_VARINT = 0x0e, WR_TYPE_TIMEUUID = 0x0f,
    WR_TYPE_INET = 0x10, WR_TYPE_DATE = 0x11, WR_TYPE_TIME = 0x12, WR_TYPE_SMALLINT = 0x13, WR_TYPE_TINYINT = 0x14,
    WR_TYPE_DURATION = 0x15, WR_TYPE_LIST = 0x20, WR_TYPE_MAP = 0x21, WR_TYPE_SET = 0x22, WR_TYPE_UDT = 0x30,
    WR_TYPE_TUPLE = 0x31, WR_TYPE_EMPTY = 0x100, WR_TYPE_VECTOR = 0x101
};

/* A value as it lies in the database: the native protocol's bytes and their type. Borrowed; a null has data NULL. Pass it by value. */
struct wr_type_info;
typedef struct wr_value {
    const void *data;
    size_t len;
    const struct wr_type_info *type; /* opaque; good as long as the statement */
} wr_value;

WR_API enum wr_type wr_value_type(wr_value value);
WR_API bool wr_value_is_null(wr_value value);

/* The value as a C one. Of another type than fits: 0, false, 0.0 (check wr_value_type where it is not known). Integers: tinyint,
 * smallint, int, bigint, counter, varint and decimal where they fit, date (days since 1970), time (ns), timestamp (ms), boolean. */
WR_API int64_t wr_value_int(wr_value value);
WR_API double wr_value_double(wr_value value);   /* any number */
WR_API bool wr_value_bool(wr_value value);
WR_API bool wr_value_uuid(wr_value value, uint8_t out[16]); /* false: not a uuid or timeuuid */

/* Writes the value's text into buf as snprintf does: at most size bytes with the NUL; returns the length it has in full.
 * STRING: bare, as cast(x as text) (of what has parts: as LITERAL); LITERAL: as CQL takes it, quoted; JSON: as SELECT JSON. Another number
 * is STRING. A null gives "null". SIZE_MAX, and an empty text: there was no memory. */
enum wr_format { WR_STRING, WR_LITERAL, WR_JSON };
WR_API size_t wr_value_format(wr_value value, enum wr_format format, char *buf, size_t size);

/* Walks a list, set, vector (elements), map (key, value, key, value ...), tuple or UDT (fields; missing ones are null). Zero-cost:
 * elements borrow from the value. `struct wr_elements e = wr_elements_of(value); while (wr_elements_next(&e, &element)) ...` */
struct wr_elements {
    wr_value value; /* the whole */
    const void *at_; /* the rest is private */
    uint32_t index_, count_;
};
WR_API struct wr_elements wr_elements_of(wr_value value);
WR_API bool wr_elements_next(struct wr_elements *elements, wr_value *out);
WR_API uint32_t wr_value_count(wr_value value); /* elements, pairs or fields; 0 of anything else */
WR_API const char *wr_value_field_name(wr_value value, uint32_t i, size_t *len); /* of a UDT: bytes, not terminated; NULL otherwise */

/* ------------------------------------------------------------------------------------------------ binding markers */

#define WR_ELEMENT (-1) /* as index: the next element of the value opened with wr_bind_open */

WR_API int wr_marker_count(const wr_stmt *stmt);
WR_API int wr_marker_index(const wr_stmt *stmt, const char *name); /* the first with that name (`:name`, or the column's); -1: none */
WR_API const char *wr_marker_name(const wr_stmt *stmt, int i, size_t *len); /* bytes; good as long as the statement */
WR_API const char *wr_marker_type_name(wr_stmt *stmt, int i); /* `set<text>`, "": no such marker; good until the next call */
/* The markers that make up the whole partition key, in its order, as drivers route by; 0 where they do not. indexes NULL: count only. */
WR_API int wr_marker_routing(const wr_stmt *stmt, uint16_t *indexes, int room);

/* Values are copied and stay bound until bound again or wr_clear_bindings. i counts from 0. WR_INVALID where the value does not
 * suit the marker's type, why in wr_stmt_error, in Cassandra's words where it has some; WR_MISUSE for an index that is not there or while a run is open.
 * A marker never bound is an error at wr_step. */
WR_API enum wr_status wr_bind_null(wr_stmt *stmt, int i);
WR_API enum wr_status wr_bind_unset(wr_stmt *stmt, int i);                  /* as if the column were not mentioned */
WR_API enum wr_status wr_bind_bool(wr_stmt *stmt, int i, bool value);       /* boolean, and 0 or 1 of a number */
WR_API enum wr_status wr_bind_int(wr_stmt *stmt, int i, int64_t value);     /* every integer type in its range, varint, decimal, date (days since
                                                                               1970), time (ns), timestamp (ms), float, double */
WR_API enum wr_status wr_bind_double(wr_stmt *stmt, int i, double value);   /* float, double, decimal */
WR_API enum wr_status wr_bind_text(wr_stmt *stmt, int i, const char *text, ptrdiff_t len); /* text and ascii as they are; any other type is read
                                                                               from its text ('2020-01-31', a uuid, 1.5, a blob's hex digits without
                                                                               0x). Not a collection, tuple, UDT or vector: wr_bind_literal */
WR_API enum wr_status wr_bind_blob(wr_stmt *stmt, int i, const void *bytes, size_t len);   /* blob, and types that CQL has no name for */
WR_API enum wr_status wr_bind_uuid(wr_stmt *stmt, int i, const uint8_t uuid[16]);          /* uuid, timeuuid */
WR_API enum wr_status wr_bind_value(wr_stmt *stmt, int i, const void *bytes, size_t len);  /* the native protocol's bytes of any type, checked by wr_step; NULL: null */
WR_API enum wr_status wr_bind_literal(wr_stmt *stmt, int i, const char *literal, ptrdiff_t len); /* as CQL text has it: {'a', 'b'} */

/* A collection, tuple, UDT or vector built up: open, bind the parts in order with index WR_ELEMENT (a map's keys and values in turn;
 * a tuple's and UDT's fields in order, those left out are null), close. Opens nest, 32 deep. Sets and maps may come in any order. Until it is closed
 * the marker is what it was before: unbound, or of the value that a run before has had. wr_clear_bindings gives up what is open. */
WR_API enum wr_status wr_bind_open(wr_stmt *stmt, int i);
WR_API enum wr_status wr_bind_close(wr_stmt *stmt);

WR_API void wr_clear_bindings(wr_stmt *stmt);

/* ------------------------------------------------------------------------------------------------ reading rows */

/* Columns of the result: known after wr_prepare, for a lightweight transaction after its wr_step. i counts from 0; an index that is not
 * there, and any value while there is no row, reads as null. What comes out is good until the next wr_step or wr_reset. */
WR_API int wr_column_count(const wr_stmt *stmt);
WR_API const char *wr_column_name(const wr_stmt *stmt, int i); /* good as long as the statement; NULL: no such column */
WR_API int wr_column_index(const wr_stmt *stmt, const char *name); /* -1: none */
WR_API enum wr_type wr_column_type(const wr_stmt *stmt, int i);
WR_API const char *wr_column_type_name(wr_stmt *stmt, int i); /* `map<text, int>`, "": no such column; until the next call */
WR_API void wr_column_table(const wr_stmt *stmt, int i, const char **keyspace, const char **table); /* "": of no table. Neither may be NULL */

WR_API wr_value wr_column_value(const wr_stmt *stmt, int i);
WR_API bool wr_column_is_null(const wr_stmt *stmt, int i);
WR_API int64_t wr_column_int(const wr_stmt *stmt, int i);
WR_API double wr_column_double(const wr_stmt *stmt, int i);
WR_API bool wr_column_bool(const wr_stmt *stmt, int i);
WR_API const void *wr_column_bytes(const wr_stmt *stmt, int i, size_t *len); /* the value's own bytes, in place; text and blobs: their content */
WR_API const char *wr_column_text(wr_stmt *stmt, int i); /* as WR_STRING, terminated; NULL for a null */
WR_API bool wr_column_uuid(const wr_stmt *stmt, int i, uint8_t out[16]);

/* ------------------------------------------------------------------------------------------------ batches */

enum wr_batch_kind { WR_BATCH_LOGGED = 0, WR_BATCH_UNLOGGED = 1, WR_BATCH_COUNTER = 2 };

/* A batch of prepared INSERT, UPDATE and DELETE statements, atomic and isolated. Adding copies the statement's bound values; the
 * statement itself must live until the batch has run. wr_batch_new: WR_MISUSE (of a handle that is not open), WR_NOMEM. wr_batch_add: WR_INVALID (another
 * statement, or a marker that is not bound), WR_MISUSE (of another database), WR_NOMEM. */
WR_API enum wr_status wr_batch_new(wr_db *db, enum wr_batch_kind kind, wr_batch **out);
WR_API enum wr_status wr_batch_add(wr_batch *batch, wr_stmt *stmt);
/* Of the next run's writes without USING TIMESTAMP, as a driver's default timestamp; conditional batches take no notice of it. */
WR_API enum wr_status wr_batch_set_timestamp(wr_batch *batch, int64_t timestamp_us);
/* Runs it. *result (may be NULL) gets a statement to read the rows of a conditional batch from (`[applied]` ...) with wr_step; owned by
 * the batch, good until its next call. The batch is empty afterwards, also where that failed, and may be filled again; an empty one is WR_OK. Fails as its
 * statements' wr_step would. */
WR_API enum wr_status wr_batch_run(wr_batch *batch, wr_stmt **result);
WR_API const char *wr_batch_error(const wr_batch *batch);
WR_API void wr_batch_free(wr_batch *batch); /* NULL is fine */

/* ------------------------------------------------------------------------------------------------ many statements as one */

/* What the calling thread does to this database in body, by any handle, statement or column family, is one transaction: for read-modify-writes, and
 * for loading many rows at the speed of one commit.
 *   What it reads stays as it is until what it wrote has been committed, whatever other threads do.
 *   What body returns is passed on; anything but WR_OK undoes all that it wrote. So does a write that fails when it is run, whatever body returns (a
 *   refused condition is no failure).
 *   body runs under the one writer: keep it short. It may run more than once: let it start from nothing.
 *   Schema changes, TRUNCATE, wr_sync, wr_sweep and wr_check are refused in it (WR_MISUSE).
 *   One inside another is part of it, and fails the whole if it fails.
 *   A read that was begun in it ends with it: its next wr_step is WR_MISUSE, unless it was reset.
 *   wr_backup, wr_table_stats, wr_table_cells and wr_table_export show what has been committed.
 *   Where inserts of a table are put off, the last three of these are WR_BUSY in it, and another thread's read of them waits for its end: five seconds
 *   at most, then that is WR_BUSY. */
WR_API enum wr_status wr_atomically(wr_db *db, enum wr_status (*body)(void *arg), void *arg);

/* ------------------------------------------------------------------------------------------------ time */

/* The database's own clock: write timestamps, now(), TTLs, gc grace. All handles of a database share it. */
WR_API int64_t wr_clock_now(wr_db *db);
WR_API void wr_clock_set(wr_db *db, int64_t now_us);  /* it stands there until set, stepped or released */
WR_API void wr_clock_step(wr_db *db, int64_t by_us);  /* a standing clock moves, a running one is shifted */
WR_API void wr_clock_release(wr_db *db);              /* back to the wall clock */
/* A new timeuuid at the clock's time, as now() makes them: unique and increasing. */
WR_API void wr_timeuuid(wr_db *db, uint8_t out[16]);
WR_API int64_t wr_timeuuid_us(const uint8_t uuid[16]); /* microseconds since 1970 in a version 1 uuid */

/* ------------------------------------------------------------------------------------------------ functions of the host */

/*
 * C functions that CQL calls like its own: in select lists, on right sides, as SFUNC and FINALFUNC of CREATE AGGREGATE. They belong to
 * this open database, not to its file: register them after each wr_open. An aggregate whose function is not registered is an error
 * when it is called.
 *
 * A callback runs on the thread that runs the statement, on several at once where several do, and inside the statement: it must
 * not use the database, but for its clock. It says what it gives with one of wr_return_*; with none it gives null. What wr_call_* gives is good
 * until it returns, as is the call itself.
 */
typedef struct wr_call wr_call;
typedef void (*wr_function_fn)(wr_call *call, void *arg);

enum wr_function_flags {
    WR_FUNCTION_CALLED_ON_NULL = 1, /* CALLED ON NULL INPUT. Otherwise a null argument gives null without a call */
    WR_FUNCTION_DETERMINISTIC = 2,  /* the same arguments always give the same: calls on constants may be made once, while preparing */
    WR_FUNCTION_MONOTONIC = 4       /* may close a GROUP BY, as floor() */
};

struct wr_function {
    const char *keyspace, *name; /* as stored: not folded to lower case. The keyspace need not be there yet */
    const char *arguments;       /* types: "int, frozen<list<text>>"; "" or NULL: none. Functions of one name differ in them */
    const char *returns;         /* a type */
    unsigned flags;              /* enum wr_function_flags */
    wr_function_fn call;         /* NULL: takes back the one of these arguments; arg and destroy are not looked at */
    void *arg;                   /* for the callback */
    void (*destroy)(void *arg);  /* called when the database closes, also of one that was replaced since; NULL: nothing to do. Not
                                    called where registering fails */
};

/* Registers a function, in place of one with the same arguments, and in front of one of CREATE FUNCTION. Statements prepared before are bound again; one that
 * is running goes on with what it had. It shows in system_schema.functions (language `native`) and DESCRIBE until the database closes.
 * WR_INVALID: a type that is none; WR_MISUSE: within wr_atomically, or something is missing. Of a database opened read-only only
 * statements prepared afterwards know it. */
WR_API enum wr_status wr_function_register(wr_db *db, const struct wr_function *function);

WR_API unsigned wr_call_count(const wr_call *call);
WR_API wr_value wr_call_arg(const wr_call *call, unsigned i); /* of the declared type; null behind the last */

/* The result, copied. The last call counts. What does not fit the declared type, as by wr_bind_*, fails the statement. */
WR_API void wr_return_null(wr_call *call);
WR_API void wr_return_bool(wr_call *call, bool value);
WR_API void wr_return_int(wr_call *call, int64_t value);
WR_API void wr_return_double(wr_call *call, double value);
WR_API void wr_return_text(wr_call *call, const char *text, ptrdiff_t len);  /* text, ascii; any other type is read from it */
WR_API void wr_return_bytes(wr_call *call, const void *bytes, size_t len);   /* the value's own: of a blob, a uuid, or any type */
WR_API void wr_return_value(wr_call *call, wr_value value);                  /* an argument, or a part of one */
WR_API void wr_return_literal(wr_call *call, const char *cql, ptrdiff_t len); /* as CQL has it: {'a': [1, 2]} */
/* Fails the statement: WR_FUNCTION_FAILURE (0x1400) with this text, as a server's with that of a Java exception. */
WR_API void wr_return_error(wr_call *call, const char *text);

/* ------------------------------------------------------------------------------------------------ column families */

/*
 * Data modelled before CQL: rows of columns, each (name, value, timestamp[, TTL]), names ordered by the family's comparator. The same
 * data is a COMPACT STORAGE table to CQL: (key, column1, ..., value). Names, keys and values are bytes in Cassandra's serialized form
 * (LongType: 8 bytes big-endian, ...; CompositeType: [u16 length][bytes][end-of-component byte] each).
 */
typedef struct wr_cf wr_cf;
typedef struct wr_cf_result wr_cf_result;

struct wr_cf_def {
    const char *keyspace, *name;
    const char *comparator;         /* NULL: BytesType. A class as a cluster reads it: UTF8Type, LongType, TimeUUIDType, ..., CompositeType(A, B);
                                       ReversedType(A), A(reversed=true): in descending order, also as a component */
    const char *key_validator;      /* NULL: BytesType */
    const char *default_validator;  /* of values; NULL: BytesType; CounterColumnType: a counter family */
    const char *comment;            /* NULL: none */
    int32_t gc_grace_s;             /* -1: the default */
};

struct wr_bytes {
    const void *data;
    size_t len;
};

struct wr_cf_column {
    struct wr_bytes name, value;
    int64_t timestamp_us; /* in: INT64_MIN: the database's clock */
    int32_t ttl_s;        /* 0: none */
    int64_t counter;      /* out, of a counter family: the total */
};

/* Which columns: the names given, in that order, or (names NULL) those from start to finish, both included, at most count of them. Empty start or
 * finish: open. reversed: from the end; start is then the higher bound. */
struct wr_cf_predicate {
    const struct wr_bytes *names;
    size_t name_count;
    struct wr_bytes start, finish;
    bool reversed;
    uint32_t count; /* 0: 100, as Thrift had it */
};

/* The keyspace is made (SimpleStrategy, replication factor 1) where it is missing. An equal family that exists is WR_OK, another is
 * WR_ALREADY_EXISTS. */
WR_API enum wr_status wr_cf_create(wr_db *db, const struct wr_cf_def *def);
/* WR_INVALID: none such; WR_MISUSE: within wr_atomically. */
WR_API enum wr_status wr_cf_drop(wr_db *db, const char *keyspace, const char *name);
WR_API enum wr_status wr_cf_open(wr_db *db, const char *keyspace, const char *name, wr_cf **out); /* WR_INVALID: none such */
WR_API void wr_cf_close(wr_cf *cf); /* NULL is fine; before its database handle is closed */
WR_API const char *wr_cf_error(const wr_cf *cf); /* of its last read or write; "" when that was done */

/* Writes. WR_INVALID: a name, value or key that is none of the family's types, a name or key of more than 65,535 bytes, a TTL below 0, increments of a family
 * without counters and other writes of one with; what any write may meet: WR_FULL, WR_IO, WR_READONLY, WR_NOMEM. */
WR_API enum wr_status wr_cf_insert(wr_cf *cf, struct wr_bytes key, const struct wr_cf_column *column);
/* Removes a column (name) or, with name.data NULL, the whole row, at the timestamp (INT64_MIN: the clock's). */
WR_API enum wr_status wr_cf_remove(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, int64_t timestamp_us);
WR_API enum wr_status wr_cf_add(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, int64_t by); /* counters */
WR_API enum wr_status wr_cf_truncate(wr_cf *cf);

/* One column; WR_NOT_FOUND where it is not there. What *column points to is good until the next call on cf. */
WR_API enum wr_status wr_cf_get(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, struct wr_cf_column *column);
/* predicate NULL, here and below: the first 100 columns. A count, too, is of predicate->count columns at most. */
WR_API enum wr_status wr_cf_get_count(wr_cf *cf, struct wr_bytes key, const struct wr_cf_predicate *predicate, uint64_t *count);
/* A result holds one row a key asked for (get_slice: one), in that order, rows without columns too; of range slices: rows in token order
 * that have columns. Free it. */
WR_API enum wr_status wr_cf_get_slice(wr_cf *cf, struct wr_bytes key, const struct wr_cf_predicate *predicate,
                                      wr_cf_result **out);
WR_API enum wr_status wr_cf_multiget_slice(wr_cf *cf, const struct wr_bytes *keys, size_t key_count,
                                           const struct wr_cf_predicate *predicate, wr_cf_result **out);
/* Rows from start_key to end_key in token order (both included; empty: open), at most row_count (0: 100). */
WR_API enum wr_status wr_cf_get_range_slices(wr_cf *cf, struct wr_bytes start_key, struct wr_bytes end_key, uint32_t row_count,
                                             const struct wr_cf_predicate *predicate, wr_cf_result **out);

WR_API size_t wr_cf_result_rows(const wr_cf_result *result);
/* What these point to is good until the result is freed; a row that is none has no bytes and no columns, a column that is none is NULL. */
WR_API struct wr_bytes wr_cf_result_key(const wr_cf_result *result, size_t row);
WR_API size_t wr_cf_result_columns(const wr_cf_result *result, size_t row);
WR_API const struct wr_cf_column *wr_cf_result_column(const wr_cf_result *result, size_t row, size_t column);
WR_API void wr_cf_result_free(wr_cf_result *result); /* NULL is fine */

/* Several changes as one, atomic across rows and families of one database. Fails as the writes above do, and then none is done; WR_MISUSE: a family is of
 * another database, or there is no such change; increments and other writes may be of one. */
enum wr_cf_change { WR_CF_INSERT, WR_CF_REMOVE, WR_CF_ADD };
struct wr_cf_mutation {
    wr_cf *cf;
    enum wr_cf_change change;
    struct wr_bytes key;
    struct wr_cf_column column; /* REMOVE: name (data NULL: the row) and timestamp; ADD: name and counter (the increment) */
};
WR_API enum wr_status wr_cf_batch_mutate(wr_db *db, const struct wr_cf_mutation *mutations, size_t count);

/* ------------------------------------------------------------------------------------------------ what a server tells its clients */

/* Types as drivers are told of them: a kind and its parts. Good as long as the statement they came from. */
WR_API const struct wr_type_info *wr_column_type_info(const wr_stmt *stmt, int i); /* NULL: no such column */
WR_API bool wr_column_is_reversed(const wr_stmt *stmt, int i); /* a ReversedType to a server: a clustering column in descending order, as it is */
WR_API const struct wr_type_info *wr_marker_type_info(const wr_stmt *stmt, int i); /* NULL: no such marker */
WR_API void wr_marker_table(const wr_stmt *stmt, int i, const char **keyspace, const char **table); /* either out may be NULL; good until
                                                                               the next call; NULL: of no table */
WR_API enum wr_type wr_type_kind(const struct wr_type_info *type);
WR_API uint32_t wr_type_part_count(const struct wr_type_info *type); /* list, set, vector: 1; map: 2; tuple and UDT: fields; else 0 */
WR_API const struct wr_type_info *wr_type_part(const struct wr_type_info *type, uint32_t i); /* NULL: no such part */
WR_API uint32_t wr_type_dimension(const struct wr_type_info *type); /* of a vector; else 0 */
/* Of a UDT, bytes without an end; NULL of anything else. */
WR_API const char *wr_type_udt_keyspace(const struct wr_type_info *type, size_t *len);
WR_API const char *wr_type_udt_name(const struct wr_type_info *type, size_t *len);
WR_API const char *wr_type_field_name(const struct wr_type_info *type, uint32_t i, size_t *len);
/* The type as CQL writes it (`frozen<list<int>>`) or as the Java class that drivers get for what the protocol has no id for
 * (`org.apache.cassandra.db.marshal.VectorType(org.apache.cassandra.db.marshal.FloatType , 3)`); another number is CQL. As snprintf, and SIZE_MAX
 * where there was no memory. */
enum wr_type_form { WR_TYPE_CQL, WR_TYPE_JAVA };
WR_API size_t wr_type_format(const struct wr_type_info *type, enum wr_type_form form, char *buf, size_t size);

/* What a statement is: fixed when it is prepared. */
enum wr_stmt_flags {
    WR_STMT_ROWS = 1,        /* gives rows (also none): SELECT, DESCRIBE, LIST */
    WR_STMT_WRITE = 2,       /* INSERT, UPDATE, DELETE: what a batch may hold */
    WR_STMT_CONDITIONAL = 4, /* a lightweight transaction, batch or not: gives rows whose columns are known after its wr_step */
    WR_STMT_COUNTER = 8,     /* writes counters */
    WR_STMT_SCHEMA = 16,     /* CREATE, ALTER, DROP; TRUNCATE is none */
    WR_STMT_USE = 32,
    WR_STMT_BATCH = 64,      /* BEGIN ... APPLY BATCH */
    WR_STMT_QUALIFIED = 128, /* its prepared id is of the text alone, not of keyspace and text: SELECT, INSERT, UPDATE, DELETE, TRUNCATE that name
                                their keyspace, a batch of such; never schema changes, USE and DESCRIBE, whatever they name */
    WR_STMT_SELECT = 256,    /* SELECT: a server tells its columns already when it is prepared */
    WR_STMT_BOUNDED = 512    /* a run costs what the rows cost that it gives or writes, however many are stored: reads of one partition as it lies
                                there, writes of one row; no filter, group, sort, IN, deleted range, and no function of users. Also reads of
                                tables that tell of the schema and the server, which cost what the schema has */
};
WR_API unsigned wr_stmt_flags(const wr_stmt *stmt);

/* Of which schema its markers and columns are: a number that every change makes greater. A run binds the statement to that of its moment. */
WR_API uint64_t wr_stmt_schema(const wr_stmt *stmt);

/* What Cassandra looks at before it keeps a prepared statement, and again in each run: a TRUNCATE's table, the values of a table's properties,
 * roles and who has logged in. wr_prepare leaves it to the run. authorize: what a run asks of permissions first, too. Needs no values, and changes
 * nothing. Fails as a run would; WR_MISUSE: it is running. */
WR_API enum wr_status wr_stmt_validate(wr_stmt *stmt, bool authorize);

/* Of a USE: the keyspace it names, there or not; NULL: it is another statement. *len without the NUL it does not have; good until wr_finalize. */
WR_API const char *wr_stmt_use(const wr_stmt *stmt, size_t *len);

/* The table, or view, of a SELECT, INSERT, UPDATE or DELETE, or of the i-th such in a batch. False: there is none, or the statement is another one. The
 * names are good until the next call. */
WR_API bool wr_stmt_table(const wr_stmt *stmt, unsigned i, const char **keyspace, const char **table);

/* The i-th function or aggregate that the statement calls and that is not Cassandra's own; with an aggregate those that it is made of. One may come more
 * than once. False: there is none. The names are good until the next call. */
WR_API bool wr_stmt_function(const wr_stmt *stmt, unsigned i, const char **keyspace, const char **name);

enum wr_failure_reason { WR_REASON_UNKNOWN = 0, WR_REASON_TOMBSTONES = 1 }; /* RequestFailureReason, as the native protocol numbers them */

/* What drivers get beside the text of a failure; what does not belong to the status is zero or NULL. */
struct wr_failure {
    enum wr_status status;
    const char *keyspace, *name;           /* ALREADY_EXISTS: table "" of a keyspace; FUNCTION_FAILURE: the function */
    const char *const *argument_types;     /* FUNCTION_FAILURE, as CQL names them */
    uint32_t argument_count;
    int consistency;                       /* UNAVAILABLE, READ_FAILURE, WRITE_FAILURE, the TIMEOUTs: enum wr_consistency */
    uint32_t required, alive;              /* UNAVAILABLE: nodes; failures and timeouts: answers waited for, answers had */
    uint32_t failures;                     /* READ_FAILURE, WRITE_FAILURE: nodes that failed, */
    enum wr_failure_reason reason;         /* each for this */
    bool data_present;                     /* READ_*: */
    const char *write_type;                /* WRITE_*: "SIMPLE", "BATCH", "UNLOGGED_BATCH", "COUNTER", "CAS" */
};
/* Of the last failure on the handle, statement or batch; good until its next call. */
WR_API void wr_failure(wr_db *db, struct wr_failure *out);
WR_API void wr_stmt_failure(const wr_stmt *stmt, struct wr_failure *out);
WR_API void wr_batch_failure(const wr_batch *batch, struct wr_failure *out);

/* A change of the schema, told to every listener on the thread that made it, after it has been committed and before wr_step returns; one
 * call each, in Cassandra's order: DROP KEYSPACE tells of each table and type first, ALTER TYPE of the types and tables made of it. The
 * pointers are good during the call. In it, read and write; to change the schema or the listeners is WR_MISUSE. */
struct wr_schema_change {
    const char *change;                    /* "CREATED", "UPDATED", "DROPPED" */
    const char *target;                    /* "KEYSPACE", "TABLE" (views and indexes too), "TYPE", "FUNCTION", "AGGREGATE" */
    const char *keyspace, *name;           /* name NULL: the keyspace itself */
    const char *const *argument_types;     /* of functions and aggregates */
    uint32_t argument_count;
};
/* A listener of the database (all its handles); fn NULL takes away the one registered with that arg, which is in no call then and gets no
 * more. WR_NOMEM; WR_MISUSE: within a listener. */
WR_API enum wr_status wr_on_schema_change(wr_db *db, void (*fn)(void *arg, const struct wr_schema_change *change), void *arg);

/* USE, without a statement: WR_INVALID where there is no such keyspace. NULL: none. */
WR_API enum wr_status wr_use(wr_db *db, const char *keyspace);
/* The handle's current keyspace, be it there or not: a USE outlives its keyspace. WR_NOMEM. */
WR_API enum wr_status wr_set_keyspace(wr_db *db, const char *keyspace);
/* wr_prepare, for which this keyspace, be it there or not, is the current one, and not the handle's. NULL: none is. */
WR_API enum wr_status wr_prepare_in(wr_db *db, const char *keyspace, const char *cql, ptrdiff_t len, wr_stmt **out);

/* The clock of one statement's next runs, in seconds since 1970, for TTLs and what has expired (protocol v5's now_in_seconds); INT64_MIN: the
 * database's (the default). Stays until changed. WR_MISUSE: 32 bits do not hold it. */
WR_API enum wr_status wr_set_now(wr_stmt *stmt, int64_t now_s);
/* Of lightweight transactions: WR_CL_SERIAL or WR_CL_LOCAL_SERIAL; anything else fails at wr_step as in Cassandra. */
WR_API enum wr_status wr_set_serial_consistency(wr_stmt *stmt, enum wr_consistency consistency);
/* Of a batch; they stay until changed. */
WR_API enum wr_status wr_batch_set_consistency(wr_batch *batch, enum wr_consistency consistency);
WR_API enum wr_status wr_batch_set_serial_consistency(wr_batch *batch, enum wr_consistency consistency);
WR_API enum wr_status wr_batch_set_now(wr_batch *batch, int64_t now_s);
/* What a statement's next runs do, told as they do it in the words of Cassandra's traces ("Executing single-partition query on t"), on the thread that
 * runs it and inside the statement: the callback must not use the database, but for wr_clock_now and wr_timeuuid. fn NULL: no more. Stays until
 * changed. */
typedef void (*wr_trace_fn)(void *arg, const char *activity);
WR_API void wr_set_trace(wr_stmt *stmt, wr_trace_fn fn, void *arg);
WR_API void wr_batch_set_trace(wr_batch *batch, wr_trace_fn fn, void *arg);
WR_API const char *wr_batch_warning(const wr_batch *batch, unsigned i); /* as wr_stmt_warning, of the last wr_batch_run */

/* The cluster that consistency levels are checked against: so many healthy nodes in the one datacenter, of which each keyspace's replicas are
 * the first. 1 at first; 0 is WR_MISUSE. */
WR_API enum wr_status wr_set_nodes(wr_db *db, uint32_t nodes);

/* A SELECT that would meet more tombstones than `warned` on a cluster warns of it in Cassandra's words, and one that would meet more than
 * `refused` is WR_READ_FAILURE (a server's settings are 1000 and 100000); 0: never, as it is at first. For all handles. Tombstones are those of
 * cells (a null that was written is one), expired cells, deleted rows, and the ends of deleted ranges, until gc grace has passed and they have been
 * purged. Reads here pass none of them; to count them costs about as much as they would. */
WR_API void wr_set_tombstone_thresholds(wr_db *db, uint32_t warned, uint32_t refused);

/* What a run writes to one partition key of a keyspace may be so large at most, as a server writes it into its commit log: more is WR_INVALID ("Rejected an
 * oversized mutation ..."). A server's max_mutation_size, 16 MiB (16777216) as it is installed; 0: whatever fits, as it is at first. For all handles. */
WR_API void wr_set_max_mutation_size(wr_db *db, uint64_t bytes);

/* Where this database is served, as system.local tells it: address as text ("127.0.0.1"), port. Until it is opened the next time.
 * WR_INVALID: no address; WR_READONLY. */
WR_API enum wr_status wr_set_address(wr_db *db, const char *address, uint16_t port);

/* A connected client, for system_views.clients. Strings are good until the next call of the source; NULL: null. */
struct wr_client {
    const char *address, *hostname, *username, *connection_stage, *driver_name, *driver_version, *keyspace;
    const char *ssl_protocol, *ssl_cipher_suite;
    uint16_t port;
    int protocol_version;
    int64_t request_count;
    bool ssl_enabled;
    const char *const *options;            /* name, value, name, value ... */
    uint32_t option_count;                 /* pairs */
};
/* Who can tell them: next is called with i from 0 until it returns false, while a statement reads the table, one reader at a time; in it, do not
 * call wr_set_clients. Once this returns, the source before is in no call. NULL: nobody. */
WR_API enum wr_status wr_set_clients(wr_db *db, bool (*next)(void *arg, uint32_t i, struct wr_client *out), void *arg);

/* ------------------------------------------------------------------------------------------------ looking after a database */

/* Returns when everything acknowledged before is on the disk, in any durability mode; in memory, and read-only, at once. WR_IO; WR_MISUSE: within
 * wr_atomically. */
WR_API enum wr_status wr_sync(wr_db *db);
/* A consistent copy into a folder that is empty or missing, while others write; inserts that are put off it has applied first, where that can be done.
 * WR_MISUSE: there is a database already; WR_BUSY: it is this one's own; WR_NOT_A_DATABASE: it holds other files; WR_IO, WR_FULL: of that folder;
 * WR_CORRUPT: all pages are looked at first, and one of this database is damaged. */
WR_API enum wr_status wr_backup(wr_db *db, const char *path);
/* Removes what is past its gc grace or dropped, and makes tombstones of what has expired (gone gc grace later), at most `steps` bounded steps (0: until
 * nothing is due), and applies inserts that were put off (docs/operations.md) where none has come for a second. It happens by itself too, a little with each
 * write, and the latter in the background. */
WR_API enum wr_status wr_sweep(wr_db *db, unsigned steps);

/* Walks the whole database and checks every promise of the file format, and every materialized view against its table. on_finding (may be
 * NULL) is called for each violation. *findings (may be NULL): how many. WR_OK also when there are some. The file's pages come first, and where one is
 * damaged nothing is read by way of them: what else may be wrong is not told then. */
WR_API enum wr_status wr_check(wr_db *db, void (*on_finding)(void *arg, const char *finding), void *arg, uint64_t *findings);

struct wr_table_stats {
    uint64_t partitions, rows, cells, tombstones; /* cells that have expired are tombstones; deletions of whole collections (m = {...}) are not counted */
    uint64_t bytes; /* as stored: keys, tombstones and large values included, indexes not; a view is a table of its own */
    uint64_t widest_partition_rows, widest_partition_bytes;
};
/* WR_INVALID: there is no such table. Reads all of it. */
WR_API enum wr_status wr_table_stats(wr_db *db, const char *keyspace, const char *table, struct wr_table_stats *out);

struct wr_db_stats {
    uint64_t file_bytes, used_bytes, free_bytes; /* free: pages of the file that writes use before it grows */
    uint64_t entries; /* of all of its trees */
    uint64_t commits; /* in the file's life; one may hold many writes */
    uint64_t syncs;   /* since it was opened */
    int64_t last_timestamp_us; /* the last write timestamp that its clock has given to what has been committed: what it gives later is above (wr_table_export) */
};
/* WR_IO, WR_CORRUPT; does not read the data. */
WR_API enum wr_status wr_db_stats(wr_db *db, struct wr_db_stats *out);

/* One stored cell, tombstones too, for looking at a partition as it lies on disk. Pointers are good during the call. A NUL of a value or name is C0 80
 * in them, as in wr_error. */
struct wr_cell {
    const char *partition_key, *clustering; /* literals, comma between; clustering NULL: of the static row or the whole
                                               partition, "": the one row of a table without clustering columns */
    const char *column;                     /* "" for the row marker and for deletions of a row or partition */
    const char *element;                    /* map key, set element, list id, field; NULL: not of a collection */
    const char *value;                      /* a literal; NULL: none (marker, tombstone) */
    const char *kind;                       /* "cell", "expiring", "tombstone", "marker", "row deletion", "partition deletion",
                                               "range deletion", "collection deletion", "counter" */
    int64_t timestamp_us;
    uint32_t ttl_s, local_s;                /* 0: none; local_s: expires or was deleted at, seconds since 1970 */
};
/* The cells of a table's partitions: of the one whose key is given as CQL literals ("'games'", "'a', 7"), or NULL for all. Ends early when
 * on_cell returns false. */
WR_API enum wr_status wr_table_cells(wr_db *db, const char *keyspace, const char *table, const char *partition_key,
                                     bool (*on_cell)(void *arg, const struct wr_cell *cell), void *arg);

/* The statements that make the schema again, in an order in which they can be run (DESCRIBE's, SchemaElement.NAME_COMPARATOR): of all keyspaces but the
 * system's (keyspace NULL), of one with all that is in it, or (table, with its keyspace) of a table with its indexes and views, or of a view. Names are
 * as they are stored, without quotes. Of options they have those whose values are not a new table's, where DESCRIBE prints all: clusters of other releases, and
 * Scylla, refuse options that they do not know. COMPACT STORAGE as far as CQL can say it; of virtual tables and of functions in C there are none.
 * A statement has several lines and no semicolon behind it, is NUL-terminated, and good during the call; a comment of a table may have a NUL among its bytes
 * (len). Ends early when on_statement returns false. One snapshot of the schema; it waits for nobody.
 * WR_INVALID: no such keyspace or table; WR_MISUSE: a table without its keyspace. */
WR_API enum wr_status wr_schema_export(wr_db *db, const char *keyspace, const char *table,
                                       bool (*on_statement)(void *arg, const char *cql, size_t len), void *arg);

/* The statements that write a table's data again, in a database or on a cluster where the table is as it is here and empty: INSERT, UPDATE and DELETE
 * with the timestamps of what is stored, deletions too, and with the TTLs that are left as it is made. A statement is one line without
 * control characters and without a semicolon, NUL-terminated, good during the call. Those of one partition must be run in order. They do not say where
 * in a counter's life its total was reached, nor which elements a list once had. Of a view there are none. Ends early when on_statement returns
 * false. One snapshot of the table.
 * batch_bytes: statements of one partition that come together are one `BEGIN UNLOGGED BATCH ...; ... APPLY BATCH` of at most so many bytes, 1 MiB at most
 * (one that is longer comes by itself, and so do those of counters): fewer requests, so a fraction of the time. A cluster takes a batch of one partition as one
 * write and does not ask how large it is (BatchStatement.verifyBatchSize); 16,384 is a good number. 0: no batches.
 * since_us: only what has a later write timestamp, for a copy that has all up to then (wr_db_stats has told the time, before that was exported); INT64_MIN:
 * all. To tell a copy of something again changes nothing. A list that has changed is told of as a whole, its elements with a timestamp of now. Of counters
 * there is nothing, since a total is not told by what was added. It reads all of the table. */
WR_API enum wr_status wr_table_export(wr_db *db, const char *keyspace, const char *table, int64_t since_us, size_t batch_bytes,
                                      bool (*on_statement)(void *arg, const char *cql, size_t len), void *arg);

#ifdef __cplusplus
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif
}
#endif

#endif
