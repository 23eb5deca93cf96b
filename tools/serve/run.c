#include "run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"
#include "stopwatch.h"

enum { BOUND_KEPT_MAX = 1 << 20 };

void run_init(struct run *run, unsigned number)
{
    *run = (struct run){ .number = number };
    answer_init(&run->answer);
    awaited_init(&run->awaited);
}

void run_release(struct run *run)
{
    answer_release(&run->answer);
    request_values_release(&run->values);
    awaited_release(&run->awaited);
}

/* ---- failing ---- */

void run_fail(struct run *run, enum wr_status status, const char *message)
{
    answer_failure(&run->answer, run->client->version, status, message, &(struct wr_failure){ 0 });
}

void run_fail_protocol(struct run *run, const char *message)
{
    answer_error(&run->answer, ERROR_PROTOCOL, "%s", message);
}

void run_fail_handle(struct run *run, wr_db *db, enum wr_status status)
{
    struct wr_failure failure;
    wr_failure(db, &failure);
    answer_failure(&run->answer, run->client->version, status, wr_error(db), &failure);
}

void run_fail_stmt(struct run *run, const wr_stmt *stmt, enum wr_status status)
{
    struct wr_failure failure;
    wr_stmt_failure(stmt, &failure);
    answer_failure(&run->answer, run->client->version, status, wr_stmt_error(stmt), &failure);
}

/* ---- binding ---- */

static bool bind_one(wr_stmt *stmt, int i, struct wire_bytes bytes)
{
    static const uint8_t empty[1];
    if (bytes.len == WIRE_NULL)
        return wr_bind_null(stmt, i) == WR_OK;
    if (bytes.len == WIRE_UNSET)
        return wr_bind_unset(stmt, i) == WR_OK;
    return wr_bind_value(stmt, i, bytes.len ? bytes.data : empty, (size_t)bytes.len) == WR_OK;
}

static int compare_name(const struct request_value *value, const char *name, size_t len)
{
    size_t has = (size_t)value->name.len;
    return has != len ? (has < len ? -1 : 1) : memcmp(value->name.data, name, len);
}

static int compare_values(const void *a, const void *b)
{
    const struct request_value *x = *(const struct request_value *const *)a, *y = *(const struct request_value *const *)b;
    int c = compare_name(x, (const char *)y->name.data, (size_t)y->name.len);
    return c ? c : x < y ? -1 : x > y;
}

/* In order of their names, those of one as they were sent; NULL: they are few, or there is no memory. */
static const struct request_value **sort_values(const struct request_values *values)
{
    enum { FEW = 64 };
    const struct request_value **sorted = values->count > FEW ? malloc(values->count * sizeof *sorted) : NULL;
    for (uint32_t i = 0; sorted && i < values->count; i++)
        sorted[i] = &values->list[i];
    if (sorted)
        qsort(sorted, values->count, sizeof *sorted, compare_values);
    return sorted;
}

/* The first of that name; NULL: none. */
static const struct request_value *value_named(const struct request_values *values, const struct request_value *const *sorted,
                                               const char *name, size_t len)
{
    uint32_t low = 0, high = values->count;
    for (; !sorted && low < high; low++)
        if (compare_name(&values->list[low], name, len) == 0)
            return &values->list[low];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_name(sorted[middle], name, len) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return sorted && low < values->count && compare_name(sorted[low], name, len) == 0 ? sorted[low] : NULL;
}

/* Cassandra's OptionsWithNames: each marker takes the first value of its name; names that no marker has are passed over. */
static int bind_by_name(struct run *run, wr_stmt *stmt)
{
    const struct request_value **sorted = sort_values(&run->values);
    int bound = 0;
    for (int i = 0; i < wr_marker_count(stmt) && bound >= 0; i++) {
        size_t len;
        const char *name = wr_marker_name(stmt, i, &len);
        const struct request_value *value = value_named(&run->values, sorted, name, len);
        bound = value && !bind_one(stmt, i, value->bytes) ? -1 : bound + (value != NULL);
    }
    free(sorted);
    return bound;
}

static int bind_by_place(struct run *run, wr_stmt *stmt)
{
    int count = (int)run->values.count;
    for (int i = 0; count == wr_marker_count(stmt) && i < count; i++)
        if (!bind_one(stmt, i, run->values.list[i].bytes))
            return -1;
    return count;
}

bool run_bind(struct run *run, wr_stmt *stmt, const char *message, bool counted)
{
    int bound = run->values.named ? bind_by_name(run, stmt) : bind_by_place(run, stmt);
    if (bound == wr_marker_count(stmt))
        return true;
    if (bound < 0) {
        run_fail_stmt(run, stmt, wr_stmt_status(stmt));
        return false;
    }
    snprintf(run->error, sizeof run->error, "%s", message);
    if (counted)
        snprintf(run->error, sizeof run->error, "%s %d markers(?) in CQL but %d bound variables", message, wr_marker_count(stmt), bound);
    run_fail(run, WR_INVALID, run->error);
    return false;
}

static bool binds_much(const struct run *run)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < run->values.count; i++)
        bytes += run->values.list[i].bytes.len > 0 ? (size_t)run->values.list[i].bytes.len : 0;
    return bytes > BOUND_KEPT_MAX;
}

/* ---- running ---- */

/* QueryProcessor.processStatement: permissions, then what is validated, then that level, which the run refuses. */
static bool is_valid(struct run *run, wr_stmt *stmt, const struct request_options *options)
{
    if (options->consistency != WR_CL_NODE_LOCAL)
        return true;
    enum wr_status st = wr_stmt_validate(stmt, true);
    if (st != WR_OK)
        run_fail_stmt(run, stmt, st);
    return st == WR_OK;
}

/* QueryMessage and ExecuteMessage ask that; of a batch nobody does. */
static bool has_page_size(struct run *run, const struct request_options *options)
{
    bool has = !(options->flags & REQUEST_PAGE_SIZE) || options->page_size != 0;
    if (!has)
        run_fail_protocol(run, "The page size cannot be 0");
    return has;
}

enum wr_consistency run_serial_level(const struct request_options *options)
{
    return options->flags & REQUEST_SERIAL ? (enum wr_consistency)options->serial_consistency : WR_CL_SERIAL;
}

static enum wr_status set_options(wr_stmt *stmt, const struct request_options *options)
{
    const struct wire_bytes *state = &options->page_state;
    wr_set_consistency(stmt, (enum wr_consistency)options->consistency);
    wr_set_serial_consistency(stmt, run_serial_level(options));
    wr_set_timestamp(stmt, options->timestamp_us);
    wr_set_now(stmt, options->now_s);
    wr_set_page_size(stmt, options->page_size);
    return wr_set_page_state(stmt, state->len > 0 ? state->data : NULL, state->len > 0 ? (size_t)state->len : 0);
}

static void put_row(struct wire_out *out, const wr_stmt *stmt, int columns)
{
    for (int i = 0; i < columns; i++) {
        wr_value value = wr_column_value(stmt, i);
        wire_put_bytes(out, value.data, value.len);
    }
}

void run_answer_rows(struct run *run, wr_stmt *stmt, enum wr_status first, struct run_metadata metadata)
{
    struct answer *answer = &run->answer;
    enum wr_status st = first;
    uint32_t count = 0;
    int columns = wr_column_count(stmt);
    wire_put_u32(&answer->rows, 0);
    for (; st == WR_ROW && !answer->rows.failed; st = wr_step(stmt), count++) {
        put_row(&answer->rows, stmt, columns);
        if (run_leaves_rows(run, stmt, count))
            return;
    }
    if (answer->rows.failed) {
        wr_reset(stmt);
        run_fail(run, WR_SERVER_ERROR, answer->rows.full ? "The result is too large for one answer; ask for it in pages" : "out of memory");
        return;
    }
    if (st != WR_DONE) {
        run_fail_stmt(run, stmt, st);
        return;
    }
    wire_set_u32(&answer->rows, 0, count);
    struct metadata_rows rows = { .skip = metadata.skip, .changed_id = metadata.changed_id };
    rows.page_state = wr_page_state(stmt, &rows.page_state_len);
    answer_result(answer, RESULT_ROWS);
    metadata_put_rows(&answer->head, run->client->version, stmt, &rows);
}

static void put_arguments(struct wire_out *out, const wr_stmt *stmt)
{
    uint16_t count = 0;
    while (wr_stmt_schema_change_argument(stmt, count))
        count++;
    wire_put_u16(out, count);
    for (uint16_t i = 0; i < count; i++)
        wire_put_string(out, wr_stmt_schema_change_argument(stmt, i));
}

static void answer_schema_change(struct run *run, const wr_stmt *stmt)
{
    struct wr_schema_change change = { 0 };
    struct wire_out *out = &run->answer.head;
    wr_stmt_schema_change(stmt, &change.change, &change.target, &change.keyspace, &change.name);
    if (!change.change) { /* IF [NOT] EXISTS, and there was nothing to do */
        answer_void(&run->answer);
        return;
    }
    answer_result(&run->answer, RESULT_SCHEMA_CHANGE);
    if (answer_put_schema_change(out, run->client->version, &change))
        put_arguments(out, stmt);
    if (wr_stmt_status(stmt) == WR_NOMEM) /* for a name */
        out->failed = true;
}

/* What is so quick that the loop runs it is over before anybody goes. */
static bool is_abandoned(struct run *run, wr_stmt *stmt)
{
    bool may_be = run->length != RUN_QUICK && wr_stmt_flags(stmt) & WR_STMT_SELECT;
    if (!may_be || awaited_read(&run->awaited, stmt))
        return false;
    run_fail(run, WR_INTERRUPTED, "nobody waits for it");
    return true;
}

/* As a server's ReadTimeoutException, where no replica has answered. */
static void fail_late(struct run *run, const struct request_options *options)
{
    struct wr_failure failure = { .consistency = options->consistency, .required = 1 };
    answer_failure(&run->answer, run->client->version, WR_READ_TIMEOUT, "Operation timed out - received only 0 responses.", &failure);
}

/* Runs a statement that has been bound, to its end. handle: what it was prepared on; NULL: of a prepared one. */
static void run_statement(struct run *run, wr_stmt *stmt, const struct request_options *options, const struct client_handle *handle,
                          struct run_metadata metadata)
{
    unsigned flags = wr_stmt_flags(stmt);
    if (!is_valid(run, stmt, options) || is_abandoned(run, stmt))
        return;
    trace_values(&run->trace, stmt, &run->values);
    trace_follow(&run->trace, stmt);
    enum wr_status st = set_options(stmt, options);
    if (st == WR_OK)
        st = wr_step(stmt);
    if (st != WR_ROW && st != WR_DONE) {
        run_fail_stmt(run, stmt, st);
    } else if (flags & WR_STMT_USE && handle) {
        client_use(run->client, handle);
        run_answer_use(run, wr_keyspace(handle->db));
    } else if (flags & WR_STMT_SCHEMA) {
        answer_schema_change(run, stmt);
    } else if (metadata.told && !prepared_is_as_told(run->prepared, metadata.told, stmt)) {
        answer_unprepared(&run->answer, metadata.told->id, DIGEST_LEN); /* as an instant later */
    } else if (flags & (WR_STMT_ROWS | WR_STMT_CONDITIONAL) && wr_column_count(stmt)) { /* a LIST without rows has no result */
        run_answer_rows(run, stmt, st, metadata);
    } else {
        answer_void(&run->answer);
    }
    if (run->length != RUN_QUICK)
        awaited_end_read(&run->awaited);
    if (wr_stmt_status(stmt) == WR_INTERRUPTED && awaited_is_late(&run->awaited))
        fail_late(run, options);
    answer_warnings_of(&run->answer, stmt);
    trace_leave(&run->trace, stmt);
}

/* DESCRIBE and LIST look up the connection's keyspace when they run, whichever their request names or they were prepared in: QueryProcessor
 * hands them the connection's ClientState. */
static bool looks_up_keyspace(unsigned flags)
{
    return flags & WR_STMT_ROWS && !(flags & WR_STMT_SELECT);
}

/* The same statement in the connection's keyspace. */
static enum wr_status prepare_in_current(struct run *run, struct client_handle *handle, struct wire_bytes text, wr_stmt **stmt)
{
    char *current = client_keyspace(run->client, run->database);
    wr_finalize(*stmt);
    *stmt = NULL;
    enum wr_status st = wr_prepare_in(handle->db, current, (const char *)text.data, text.len, stmt);
    free(current);
    return st;
}

/* The statement of a text on a handle of its own, with the values that were read. */
static void run_text(struct run *run, struct wire_bytes text, const struct request_options *options)
{
    enum wr_status st;
    wr_stmt *stmt;
    uint64_t from = stopwatch_us();
    struct client_handle *handle = client_take(run->client, run->database, options->keyspace, run->error, sizeof run->error, &st);
    if (!handle) {
        run_fail(run, st, run->error);
        return;
    }
    trace_request(&run->trace, "Execute CQL3 query", (const char *)text.data, (size_t)text.len);
    trace_options(&run->trace, options);
    trace_parsing(&run->trace, (const char *)text.data, (size_t)text.len);
    st = wr_prepare(handle->db, (const char *)text.data, text.len, &stmt);
    if (st != WR_SYNTAX)
        trace_note(&run->trace, "Preparing statement");
    if (st == WR_OK && options->keyspace.data && looks_up_keyspace(wr_stmt_flags(stmt)))
        st = prepare_in_current(run, handle, text, &stmt);
    if (st != WR_OK)
        run_fail_handle(run, handle->db, st);
    else if (!run_leaves_stmt(run, stmt) && !run_use_elsewhere(run, stmt) && run_bind(run, stmt, "Invalid amount of bind variables", false)) {
        run_statement(run, stmt, options, handle, (struct run_metadata){ .skip = options->flags & REQUEST_SKIP_METADATA });
        if (wr_stmt_flags(stmt) & WR_STMT_BOUNDED)
            run_note_pace(run, database_pace(run->database, wr_stmt_flags(stmt) & WR_STMT_SELECT), from);
    }
    wr_finalize(stmt);
    client_give(run->client, handle);
}

static void run_query(struct run *run, struct wire_in *in)
{
    struct request_options options;
    struct wire_bytes text = request_query(in);
    request_options_read(in, run->client->version, &options, &run->values);
    if (in->failed)
        run_fail_protocol(run, in->error);
    else if (has_page_size(run, &options) && !run_leaves_text(run, text, &options) && run_enter(run, &options.keyspace))
        run_text(run, text, &options);
}

/* ---- prepared statements ---- */

/* Cassandra's ClientState.warnAboutUseWithPreparedStatements. */
static void warn_of_use(struct run *run, const struct prepared *entry, const char *used, const char *prepared_in)
{
    char id[2 * DIGEST_LEN + 1], text[768];
    for (int i = 0; i < DIGEST_LEN; i++)
        snprintf(id + 2 * i, 3, "%02x", entry->id[i]);
    snprintf(text, sizeof text,
             "`USE <keyspace>` with prepared statements is considered to be an anti-pattern due to ambiguity in non-qualified table names. "
             "Please consider removing instances of `Session#setKeyspace(<keyspace>)`, `Session#execute(\"USE <keyspace>\")` and "
             "`cluster.newSession(<keyspace>)` from your code, and always use fully qualified table names (e.g. <keyspace>.<table>). "
             "Keyspace used: %s, statement keyspace: %s, statement id: %s",
             used ? used : "null", prepared_in ? prepared_in : "null", id);
    answer_warn(&run->answer, text);
}

/* ExecuteMessage warns where a name without a keyspace means another one by now, but for batches. Of what is no QualifiedStatement it is not
 * known in which keyspace it was prepared. */
static void warn_of_another(struct run *run, const struct prepared *entry)
{
    bool unknown = entry->flags & (WR_STMT_USE | WR_STMT_SCHEMA) || looks_up_keyspace(entry->flags);
    const char *prepared_in = unknown ? NULL : entry->keyspace;
    if (entry->flags & (WR_STMT_QUALIFIED | WR_STMT_BATCH) || !client_warns_of_another(run->client, run->database, prepared_in))
        return;
    char *current = client_keyspace(run->client, run->database);
    warn_of_use(run, entry, current, prepared_in);
    free(current);
}

/* False: the entry has been let go meanwhile. */
static bool answer_prepared(struct run *run, struct prepared *entry)
{
    enum wr_status st;
    const struct version *version = run->client->version;
    wr_stmt *stmt = prepared_instance(run->prepared, entry, run_error(run), &st);
    if (!stmt) {
        run_fail(run, st, run->error);
        return true;
    }
    if (!prepared_is_as_told(run->prepared, entry, stmt)) {
        prepared_instance_give(run->prepared, entry, stmt, false);
        return false;
    }
    struct wire_out *out = &run->answer.head;
    answer_result(&run->answer, RESULT_PREPARED);
    wire_put_short_bytes(out, entry->id, DIGEST_LEN);
    if (version->metadata_ids)
        wire_put_short_bytes(out, entry->metadata_id, DIGEST_LEN);
    metadata_put_markers(out, version, stmt);
    metadata_put_prepared_columns(out, version, stmt);
    prepared_instance_give(run->prepared, entry, stmt, true);
    return true;
}

/* Whether a keyspace that a request names is there; false: the answer is an error. */
static bool has_keyspace(struct run *run, struct wire_bytes keyspace)
{
    enum wr_status st;
    struct client_handle *handle = client_take(run->client, run->database, keyspace, run->error, sizeof run->error, &st);
    if (!handle)
        run_fail(run, st, run->error);
    client_give(run->client, handle);
    return handle != NULL;
}

static void run_prepare(struct run *run, struct wire_in *in)
{
    struct wire_bytes text = request_query(in), named = request_prepare_keyspace(in, run->client->version);
    if (in->failed) {
        run_fail_protocol(run, in->error);
        return;
    }
    if (!run_enter(run, &named))
        return;
    bool made;
    struct prepared *entry;
    trace_request(&run->trace, "Preparing CQL3 query", (const char *)text.data, (size_t)text.len);
    if (named.data && !has_keyspace(run, named))
        return;
    char *current = client_keyspace(run->client, run->database);
    char *keyspace = named.data ? strndup((const char *)named.data, (size_t)named.len) : current;
    struct prepared_text asked = { text, keyspace, client_role(run->client, run->database) };
    enum wr_status st = WR_OK;
    for (bool answered = false; !answered && (st = prepared_make(run->prepared, &asked, &entry, &made, run_error(run))) == WR_OK;) {
        bool ambiguous = !(entry->flags & WR_STMT_QUALIFIED) && (made || !keyspace);
        answered = answer_prepared(run, entry);
        /* with a keyspace of its own a request has a state of its own, that has not warned (ClientState.cloneWithKeyspaceIfSet) */
        if (answered && ambiguous && (named.data || client_warns_of_use(run->client)))
            warn_of_use(run, entry, keyspace, keyspace);
        prepared_give(run->prepared, entry);
    }
    if (st != WR_OK)
        run_fail(run, st, run->error);
    if (keyspace != current)
        free(keyspace);
    free(current);
}

/* What a DESCRIBE or a LIST gives is not told when it is prepared. */
static const uint8_t *answer_metadata_id(struct run *run, const struct prepared *entry, const wr_stmt *stmt)
{
    return looks_up_keyspace(entry->flags) && metadata_id(stmt, false, run->metadata_id) ? run->metadata_id : entry->metadata_id;
}

/* Cassandra's ExecuteMessage. From v5 on the client tells which metadata it has; what has conditions differs from run to run. */
static struct run_metadata execute_metadata(struct run *run, struct prepared *entry, const wr_stmt *stmt,
                                            const struct request_options *options, struct wire_bytes known)
{
    bool skips = options->flags & REQUEST_SKIP_METADATA;
    if (entry->flags & WR_STMT_CONDITIONAL)
        return (struct run_metadata){ 0 };
    if (!run->client->version->metadata_ids)
        return (struct run_metadata){ .skip = skips && entry->flags & WR_STMT_SELECT, .told = entry };
    const uint8_t *id = answer_metadata_id(run, entry, stmt);
    bool same = known.len == DIGEST_LEN && memcmp(known.data, id, DIGEST_LEN) == 0;
    return (struct run_metadata){ .skip = skips, .changed_id = same ? NULL : id, .told = entry };
}

/* A prepared statement belongs to no connection. */
static bool run_as_client(struct run *run, wr_stmt *stmt)
{
    enum wr_status st = wr_stmt_set_role(stmt, client_role(run->client, run->database));
    if (st != WR_OK)
        run_fail_stmt(run, stmt, st);
    return st == WR_OK;
}

static void run_entry(struct run *run, struct prepared *entry, const struct request_options *options, struct wire_bytes known)
{
    enum wr_status st;
    wr_stmt *stmt = prepared_instance(run->prepared, entry, run_error(run), &st);
    if (!stmt) {
        run_fail(run, st, run->error);
        return;
    }
    uint64_t from = stopwatch_us();
    trace_request(&run->trace, "Execute CQL3 prepared query", entry->text, entry->text_len);
    trace_options(&run->trace, options);
    if (run_as_client(run, stmt) && run_bind(run, stmt, "there were", true))
        run_statement(run, stmt, options, NULL, execute_metadata(run, entry, stmt, options, known));
    run_note_pace(run, &entry->pace, from);
    prepared_instance_give(run->prepared, entry, stmt, !binds_much(run));
}

/* What the connection's keyspace counts for when it runs, or is changed by it, runs on a handle of the connection and not on the store's. */
static void run_in_current(struct run *run, struct prepared *entry, const struct request_options *options, struct wire_bytes known)
{
    enum wr_status st;
    wr_stmt *stmt;
    struct client_handle *handle = client_take(run->client, run->database, options->keyspace, run->error, sizeof run->error, &st);
    if (!handle) {
        run_fail(run, st, run->error);
        return;
    }
    trace_request(&run->trace, "Execute CQL3 prepared query", entry->text, entry->text_len);
    trace_options(&run->trace, options);
    st = wr_prepare(handle->db, entry->text, entry->text_len, &stmt);
    if (st != WR_OK)
        run_fail_handle(run, handle->db, st);
    else if (run_bind(run, stmt, "there were", true) && !run_use_elsewhere(run, stmt))
        run_statement(run, stmt, options, handle, execute_metadata(run, entry, stmt, options, known));
    wr_finalize(stmt);
    client_give(run->client, handle);
}

static void run_prepared(struct run *run, struct prepared *entry, const struct request_options *options, struct wire_bytes known)
{
    if (entry->flags & WR_STMT_USE || looks_up_keyspace(entry->flags))
        run_in_current(run, entry, options, known);
    else
        run_entry(run, entry, options, known);
}

static void run_execute(struct run *run, struct wire_in *in)
{
    const struct version *version = run->client->version;
    struct request_options options;
    struct wire_bytes id = wire_short_bytes(in), known = { NULL, WIRE_NULL };
    if (version->metadata_ids)
        known = wire_short_bytes(in);
    request_options_read(in, version, &options, &run->values);
    if (in->failed) {
        run_fail_protocol(run, in->error);
        return;
    }
    struct prepared *entry = prepared_take(run->prepared, id.data, (size_t)id.len);
    if (!entry) {
        answer_unprepared(&run->answer, id.data, (size_t)id.len);
        return;
    }
    options.keyspace = (struct wire_bytes){ NULL, WIRE_NULL }; /* the statement has one already: ExecuteMessage does not look at it */
    if (!run_leaves_entry(run, entry)) {
        warn_of_another(run, entry);
        if (has_page_size(run, &options))
            run_prepared(run, entry, &options, known);
    }
    prepared_give(run->prepared, entry);
}

/* ---- who it is ---- */

/* Who sends the token: checked, where there are passwords. */
static bool log_in(struct run *run, struct wire_bytes token)
{
    struct client *client = run->client;
    char *user = client->asked ? auth_check(run->db, token, run->error, sizeof run->error) : auth_name(token, run->error, sizeof run->error);
    bool done = false;
    if (!user)
        answer_error(&run->answer, ERROR_CREDENTIALS, "%s", run->error);
    else if (databases_per(client->databases) != WR_SERVE_PER_USER || run_choose_user(run, user)) {
        done = client_log_in(client, user);
        if (!done)
            run_fail(run, WR_NOMEM, "out of memory");
    }
    free(user);
    return done;
}

/* AUTH_RESPONSE, also of one who has been let in, and logs in again; from one who has not been asked it is taken as it is. */
static void run_auth(struct run *run, struct wire_in *in)
{
    struct client *client = run->client;
    struct wire_bytes token = wire_bytes(in);
    if (in->failed)
        run_fail_protocol(run, in->error);
    else if (token.len < 0) /* AuthResponse.codec */
        run_fail(run, WR_SERVER_ERROR, "java.lang.NullPointerException: Cannot invoke \"java.nio.ByteBuffer.remaining()\" because \"b\" is null");
    else if ((atomic_load(&client->stage) != CLIENT_AUTHENTICATING && !client->asked) || log_in(run, token)) {
        atomic_store(&client->stage, CLIENT_READY);
        run->answer.opcode = OP_AUTH_SUCCESS;
        wire_put_bytes(&run->answer.head, NULL, 0);
    }
}

/* ---- the table ---- */

static const struct {
    uint8_t opcode;
    void (*run)(struct run *run, struct wire_in *in);
} requests[] = {
    { OP_QUERY, run_query },
    { OP_PREPARE, run_prepare },
    { OP_EXECUTE, run_execute },
    { OP_BATCH, run_batch },
    { OP_AUTH_RESPONSE, run_auth },
};

bool run_takes(unsigned opcode)
{
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (requests[i].opcode == opcode)
            return true;
    return false;
}

static void write_trace(struct run *run)
{
    enum wr_status st;
    struct wire_bytes own = { NULL, WIRE_NULL };
    struct client_handle *handle = run->answer.traced ? client_take(run->client, run->database, own, run->error, sizeof run->error, &st) : NULL;
    if (handle)
        wr_set_role(handle->db, NULL); /* traces are the server's, whoever asks for them */
    trace_end(&run->trace, handle ? handle->db : NULL, run->client->address);
    client_give(run->client, handle);
}

void run_request(struct run *run, struct client *client, const struct frame_header *header, const uint8_t *body, size_t len)
{
    struct wire_in in = wire_in_of(body, len);
    run->client = client;
    answer_clear(&run->answer);
    bool greets = header->opcode == OP_AUTH_RESPONSE; /* as a Cassandra's, asks no database for anything that could be traced */
    if (!run_choose(run, !greets))
        return;
    if (header->flags & FRAME_TRACING && !greets) {
        trace_begin(&run->trace, run->db, run->number);
        run->answer.traced = true;
        memcpy(run->answer.trace_id, run->trace.id, sizeof run->trace.id);
    }
    if (header->flags & FRAME_PAYLOAD)
        request_payload(&in);
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++)
        if (requests[i].opcode == header->opcode)
            requests[i].run(run, &in);
    run->answer.traced &= !in.failed; /* what cannot be read is refused before there is anything to trace */
    write_trace(run);
}
