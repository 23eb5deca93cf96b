/* What the loop runs itself, what is left to the threads, and what takes long. */
#include "run.h"

#include <string.h>

#include "ascii.h"
#include "stopwatch.h"

enum { BODY_MAX = 64 << 10, TEXT_MAX = 4096, MEMBERS_MAX = 50, ROWS_MAX = 1000, ROW_BYTES_MAX = 256 << 10 };

/* ---- by what is known before anything has been done ---- */

/* Statements that may be brief, by their first word: to be sure, they have to be prepared. */
static bool begins_with(struct wire_bytes text, const char *word)
{
    size_t len = strlen(word);
    return (size_t)text.len > len && ascii_same((const char *)text.data, word, len);
}

static bool may_be_brief(struct wire_bytes text)
{
    static const char *const words[] = { "SELECT ", "INSERT ", "UPDATE ", "DELETE " };
    for (size_t i = 0; text.len <= TEXT_MAX && i < sizeof words / sizeof words[0]; i++)
        if (begins_with(text, words[i]))
            return true;
    return false;
}

struct run_outlook run_outlook(struct client *client, const struct frame_header *header, const uint8_t *body, size_t len)
{
    struct wire_in in = wire_in_of(body, len);
    struct database *database = atomic_load(&client->database);
    bool is_select = header->opcode == OP_QUERY && begins_with(request_query(&in), "SELECT ");
    if (header->opcode == OP_AUTH_RESPONSE) /* a password's hash takes long on purpose */
        return (struct run_outlook){ .is_short = false };
    if (header->flags & (FRAME_PAYLOAD | FRAME_TRACING) || !database || len > BODY_MAX)
        return (struct run_outlook){ .holds = header->opcode != OP_PREPARE, .reads = is_select };
    if (header->opcode != OP_EXECUTE)
        return (struct run_outlook){ is_select || header->opcode == OP_PREPARE, !is_select && header->opcode != OP_PREPARE, is_select };
    struct wire_bytes id = wire_short_bytes(&in);
    struct prepared *entry = in.failed ? NULL : prepared_take(database->prepared, id.data, (size_t)id.len);
    if (!entry)
        return (struct run_outlook){ .is_short = true };
    bool bounded = entry->flags & WR_STMT_BOUNDED, reads = entry->flags & WR_STMT_SELECT;
    struct run_outlook outlook = { reads && bounded && !pace_is_long(&entry->pace), !reads && !(bounded && pace_is_quick(&entry->pace)), reads };
    prepared_give(database->prepared, entry);
    return outlook;
}

bool run_briefly(struct run *run, enum run_length length, struct client *client, const struct frame_header *header, const uint8_t *body,
                 size_t len)
{
    run->length = length;
    run_request(run, client, header, body, len);
    bool left = run->left;
    run->length = RUN_WHOLE;
    run->left = false;
    return !left;
}

bool run_may_be_quick(const struct client *client, const struct frame_header *header, size_t len)
{
    bool takes = header->opcode == OP_EXECUTE || header->opcode == OP_QUERY || header->opcode == OP_BATCH;
    return takes && len <= BODY_MAX && !(header->flags & (FRAME_PAYLOAD | FRAME_TRACING)) && atomic_load(&client->database);
}

/* ---- while it is run ---- */

bool run_leaves_entry(struct run *run, const struct prepared *entry)
{
    run->left = (run->length && !(entry->flags & WR_STMT_BOUNDED)) || (run->length == RUN_QUICK && !pace_is_quick(&entry->pace));
    return run->left;
}

bool run_leaves_text(struct run *run, struct wire_bytes text, const struct request_options *options)
{
    bool quick = run->length != RUN_QUICK || pace_is_quick(database_pace(run->database, begins_with(text, "SELECT ")));
    run->left = run->length && (!may_be_brief(text) || !quick || options->keyspace.data); /* which may be of a database that is to be opened */
    return run->left;
}

bool run_leaves_stmt(struct run *run, const wr_stmt *stmt)
{
    run->left = run->length && !(wr_stmt_flags(stmt) & WR_STMT_BOUNDED);
    return run->left;
}

bool run_leaves_batch(struct run *run, uint32_t members, const struct request_options *options)
{
    run->left = run->length && (members > MEMBERS_MAX || options->keyspace.data || !pace_is_quick(&run->database->writes));
    return run->left;
}

/* A driver that connects reads these whole, and gives up where that waits for scans: what a schema has is never too many for a thread. */
static bool is_schema_for_thread(const struct run *run, const wr_stmt *stmt)
{
    const char *keyspace, *table;
    wr_column_table(stmt, 0, &keyspace, &table);
    return run->length == RUN_SHORT && (strcmp(keyspace, "system_schema") == 0 || strcmp(keyspace, "system_virtual_schema") == 0);
}

/* A write has been done by then, and a connection is told a warning once: those go on. */
bool run_leaves_rows(struct run *run, const wr_stmt *stmt, uint32_t rows)
{
    run->left = run->length && (rows == ROWS_MAX || run->answer.rows.len > ROW_BYTES_MAX) && !run->answer.warning_count &&
                wr_stmt_flags(stmt) & WR_STMT_SELECT && !is_schema_for_thread(run, stmt);
    return run->left;
}

void run_note_pace(struct run *run, struct pace *pace, uint64_t from_us)
{
    if (run->left)
        pace_set_long(pace);
    else
        pace_took(pace, (uint32_t)(stopwatch_us() - from_us));
}

void run_note_batch(struct run *run, uint32_t members, uint64_t from_us)
{
    if (members <= MEMBERS_MAX)
        run_note_pace(run, &run->database->writes, from_us);
}
