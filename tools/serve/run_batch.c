/* BATCH: statements by text and by id, as one write. */
#include <stdlib.h>
#include <string.h>

#include "run.h"
#include "stopwatch.h"

/* A statement of the batch; of a prepared one there is one instance, however often its id stands in the batch. */
struct member {
    wr_stmt *stmt;
    struct prepared *entry; /* NULL: by text */
};

struct members {
    struct member *list;
    uint32_t *slots; /* twice the room, by id: numbers of prepared members from 1 on; 0: free */
    uint32_t count, room;
    struct client_handle *handle;
    struct wire_bytes keyspace; /* that the request names; data NULL: none */
    wr_batch *batch;
};

/* Where an id stands among the slots, or may be put. */
static uint32_t *slot_of(const struct members *members, const uint8_t id[DIGEST_LEN])
{
    uint32_t mask = 2 * members->room - 1, at;

    memcpy(&at, id, sizeof at); /* a digest's bytes are as good as a hash */
    for (at &= mask; members->slots[at]; at = (at + 1) & mask)
        if (memcmp(members->list[members->slots[at] - 1].entry->id, id, DIGEST_LEN) == 0)
            break;
    return &members->slots[at];
}

static bool grow(struct run *run, struct members *members)
{
    uint32_t room = members->room ? members->room * 2 : 16;
    struct member *list = realloc(members->list, room * sizeof *list);
    uint32_t *slots = calloc(2 * (size_t)room, sizeof *slots);

    if (list)
        members->list = list;
    if (!list || !slots) {
        free(slots);
        run_fail(run, WR_NOMEM, "out of memory");
        return false;
    }
    free(members->slots);
    members->slots = slots;
    members->room = room;
    for (uint32_t i = 0; i < members->count; i++)
        if (list[i].entry)
            *slot_of(members, list[i].entry->id) = i + 1;
    return true;
}

static bool add_member(struct run *run, struct members *members, wr_stmt *stmt, struct prepared *entry)
{
    if (members->count == members->room && !grow(run, members))
        return false;
    if (entry)
        *slot_of(members, entry->id) = members->count + 1;
    members->list[members->count++] = (struct member){ stmt, entry };
    return true;
}

/* The keyspace that the request names has to be there for each of its texts, and for all together (ClientState.cloneWithKeyspaceIfSet). */
static bool enter_keyspace(struct run *run, const struct members *members)
{
    enum wr_status st = members->keyspace.data ? client_handle_enter(members->handle, members->keyspace) : WR_OK;
    if (st != WR_OK)
        run_fail_handle(run, members->handle->db, st);
    return st == WR_OK;
}

/* QueryProcessor.parseAndPrepare. */
static wr_stmt *member_of_text(struct run *run, struct members *members, struct wire_bytes text)
{
    wr_stmt *stmt;
    if (!enter_keyspace(run, members))
        return NULL;
    enum wr_status st = wr_prepare(members->handle->db, (const char *)text.data, text.len, &stmt);
    if (st != WR_OK) {
        run_fail_handle(run, members->handle->db, st);
        return NULL;
    }
    if ((st = wr_stmt_validate(stmt, false)) != WR_OK)
        run_fail_stmt(run, stmt, st);
    else if (add_member(run, members, stmt, NULL))
        return stmt;
    wr_finalize(stmt);
    return NULL;
}

static wr_stmt *member_of_id(struct run *run, struct members *members, struct wire_bytes id)
{
    enum wr_status st;
    uint32_t number = members->room && id.len == DIGEST_LEN ? *slot_of(members, id.data) : 0;
    if (number)
        return members->list[number - 1].stmt;
    struct prepared *entry = prepared_take(run->prepared, id.data, (size_t)id.len);
    if (!entry) {
        answer_unprepared(&run->answer, id.data, (size_t)id.len);
        return NULL;
    }
    wr_stmt *stmt = prepared_instance(run->prepared, entry, run_error(run), &st);
    if (stmt && add_member(run, members, stmt, entry))
        return stmt;
    if (stmt)
        prepared_instance_give(run->prepared, entry, stmt, true);
    else
        run_fail(run, st, run->error);
    prepared_give(run->prepared, entry);
    return NULL;
}

static void fail_batch(struct run *run, const wr_batch *batch, enum wr_status status)
{
    struct wr_failure failure;
    wr_batch_failure(batch, &failure);
    answer_failure(&run->answer, run->client->version, status, wr_batch_error(batch), &failure);
}

/* BatchMessage prepares and counts the values of all before it asks whether they may be in a batch. */
static bool add_entries(struct run *run, struct wire_in *in, uint16_t count, struct members *members)
{
    enum wr_status st = WR_OK;
    for (uint16_t i = 0; i < count; i++) {
        struct request_entry entry;
        request_batch_entry(in, run->client->version, &entry, &run->values);
        wr_stmt *stmt = entry.prepared ? member_of_id(run, members, entry.id) : member_of_text(run, members, entry.text);
        if (!stmt || run_leaves_stmt(run, stmt) || !run_bind(run, stmt, "There were", true))
            return false;
        if (st == WR_OK)
            st = wr_batch_add(members->batch, stmt);
    }
    if (st != WR_OK)
        fail_batch(run, members->batch, st);
    return st == WR_OK;
}

static void set_options(wr_batch *batch, const struct request_options *options)
{
    wr_batch_set_consistency(batch, (enum wr_consistency)options->consistency);
    wr_batch_set_serial_consistency(batch, run_serial_level(options));
    if (options->flags & REQUEST_TIMESTAMP)
        wr_batch_set_timestamp(batch, options->timestamp_us);
    wr_batch_set_now(batch, options->now_s);
}

static void run_members(struct run *run, struct members *members, const struct request_options *options)
{
    wr_stmt *result;
    const char *warning;
    set_options(members->batch, options);
    trace_follow_batch(&run->trace, members->batch);
    enum wr_status st = wr_batch_run(members->batch, &result);
    if (st != WR_OK)
        fail_batch(run, members->batch, st);
    else if (wr_column_count(result))
        run_answer_rows(run, result, wr_step(result), (struct run_metadata){ 0 });
    else
        answer_void(&run->answer);
    for (unsigned i = 0; (warning = wr_batch_warning(members->batch, i)); i++)
        answer_warn(&run->answer, warning);
}

static void release(struct run *run, struct members *members)
{
    wr_batch_free(members->batch);
    for (uint32_t i = 0; i < members->count; i++) {
        struct member *member = &members->list[i];
        if (!member->entry) {
            wr_finalize(member->stmt);
            continue;
        }
        prepared_instance_give(run->prepared, member->entry, member->stmt, true);
        prepared_give(run->prepared, member->entry);
    }
    free(members->list);
    free(members->slots);
    client_give(run->client, members->handle);
}

void run_batch(struct run *run, struct wire_in *in)
{
    struct request_options options;
    struct request_entry entry;
    struct members members = { 0 };
    uint16_t count;
    enum wr_status st;
    uint64_t from = stopwatch_us();
    uint8_t kind = request_batch_begin(in, &count);
    struct wire_in entries = wire_in_of(in->at, (size_t)(in->end - in->at)); /* read twice: what stands behind them says what keyspace their texts mean */
    for (uint16_t i = 0; i < count && !in->failed; i++)
        request_batch_entry(in, run->client->version, &entry, &run->values);
    request_options_read(in, run->client->version, &options, &run->values);
    request_batch_end(in, kind);
    if (in->failed) {
        run_fail_protocol(run, in->error);
        return;
    }
    if (run_leaves_batch(run, count, &options) || !run_enter(run, &options.keyspace))
        return;
    trace_request(&run->trace, "Execute batch of CQL3 queries", NULL, 0);
    trace_options(&run->trace, &options);
    members.keyspace = options.keyspace;
    if (!(members.handle = client_take(run->client, run->database, (struct wire_bytes){ NULL, WIRE_NULL }, run->error, sizeof run->error, &st))) {
        run_fail(run, st, run->error);
        return;
    }
    if ((st = wr_batch_new(members.handle->db, (enum wr_batch_kind)kind, &members.batch)) != WR_OK)
        run_fail_handle(run, members.handle->db, st);
    else if (add_entries(run, &entries, count, &members) && enter_keyspace(run, &members)) {
        run_members(run, &members, &options);
        run_note_batch(run, count, from);
    }
    release(run, &members);
}
