#include "prepared.h"

#include "ascii.h"
#include "metadata.h"
#include "shape.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 1024, IDLE_MAX = 64 };

/* A table that a statement is of. */
struct footing {
    char *keyspace, *table;
    uint8_t shape[DIGEST_LEN];
};

/* A function or an aggregate that a statement calls. */
struct callee {
    char *keyspace, *name;
};

struct entry {
    struct prepared it; /* first: what users hold */
    wr_stmt **idle;
    uint32_t idle_count, idle_room;
    uint32_t taken;
    bool gone;          /* no longer found; freed when it is no longer taken */
    struct footing *footings;
    uint32_t footing_count;
    struct callee *callees;
    uint32_t callee_count;
    struct entry *next; /* in its bucket */
    struct entry *newer, *older;
};

struct prepared_store {
    wr_db *db;
    wr_db *maker;           /* of all instances: a handle for each entry would keep the memory of a statement each */
    pthread_mutex_t lock;   /* of all that follows, and of entries but what never changes */
    pthread_mutex_t making; /* while an instance is made: the message of a failure lies with the maker */
    struct entry *buckets[BUCKETS];
    struct entry *newest, *oldest;
    uint32_t count, most;
    uint64_t changes;       /* of the schema, so far */
};

struct prepared_store *prepared_open(wr_db *db, uint32_t entries_max)
{
    struct prepared_store *store = calloc(1, sizeof *store);
    if (!store)
        return NULL;
    store->db = db;
    store->most = entries_max;
    if (wr_attach(db, &store->maker) != WR_OK) {
        free(store);
        return NULL;
    }
    pthread_mutex_init(&store->lock, NULL);
    pthread_mutex_init(&store->making, NULL);
    return store;
}

/* ---- entries ---- */

static void entry_free(struct entry *entry)
{
    for (uint32_t i = 0; i < entry->idle_count; i++)
        wr_finalize(entry->idle[i]);
    free(entry->idle);
    free((char *)entry->it.text);
    free((char *)entry->it.keyspace);
    for (uint32_t i = 0; i < entry->footing_count; i++) {
        free(entry->footings[i].keyspace);
        free(entry->footings[i].table);
    }
    free(entry->footings);
    for (uint32_t i = 0; i < entry->callee_count; i++) {
        free(entry->callees[i].keyspace);
        free(entry->callees[i].name);
    }
    free(entry->callees);
    free(entry);
}

static struct entry **bucket_of(struct prepared_store *store, const uint8_t *id)
{
    return &store->buckets[(id[0] | id[1] << 8) % BUCKETS];
}

static void unlink_use(struct prepared_store *store, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &store->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &store->oldest) = entry->newer;
    entry->newer = entry->older = NULL;
}

static void link_newest(struct prepared_store *store, struct entry *entry)
{
    entry->older = store->newest;
    *(store->newest ? &store->newest->newer : &store->oldest) = entry;
    store->newest = entry;
}

/* Under the lock. What nobody has taken goes onto *garbage, to be freed outside. */
static void let_go(struct prepared_store *store, struct entry *entry, struct entry **garbage)
{
    struct entry **at = bucket_of(store, entry->it.id);
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    unlink_use(store, entry);
    store->count--;
    entry->gone = true;
    if (!entry->taken) {
        entry->next = *garbage;
        *garbage = entry;
    }
}

static void free_garbage(struct entry *garbage)
{
    while (garbage) {
        struct entry *next = garbage->next;
        entry_free(garbage);
        garbage = next;
    }
}

void prepared_close(struct prepared_store *store)
{
    struct entry *garbage = NULL;
    if (!store)
        return;
    while (store->newest)
        let_go(store, store->newest, &garbage);
    free_garbage(garbage);
    wr_close(store->maker);
    pthread_mutex_destroy(&store->making);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

/* ---- taking ---- */

/* Under the lock. */
static struct entry *find(struct prepared_store *store, const uint8_t id[DIGEST_LEN])
{
    struct entry *entry = *bucket_of(store, id);
    while (entry && memcmp(entry->it.id, id, DIGEST_LEN) != 0)
        entry = entry->next;
    return entry;
}

static struct entry *take(struct prepared_store *store, struct entry *entry)
{
    entry->taken++;
    if (store->newest != entry) {
        unlink_use(store, entry);
        link_newest(store, entry);
    }
    return entry;
}

struct prepared *prepared_take(struct prepared_store *store, const uint8_t *id, size_t id_len)
{
    if (id_len != DIGEST_LEN)
        return NULL;
    pthread_mutex_lock(&store->lock);
    struct entry *entry = find(store, id);
    if (entry)
        take(store, entry);
    pthread_mutex_unlock(&store->lock);
    return entry ? &entry->it : NULL;
}

void prepared_give(struct prepared_store *store, struct prepared *prepared)
{
    struct entry *entry = (struct entry *)prepared;
    pthread_mutex_lock(&store->lock);
    bool last = --entry->taken == 0 && entry->gone;
    pthread_mutex_unlock(&store->lock);
    if (last)
        entry_free(entry);
}

/* ---- making ---- */

static enum wr_status tell(struct prepared_error error, enum wr_status status, const char *text)
{
    snprintf(error.text, error.room, "%s", text);
    return status;
}

static bool same_text(const struct prepared *it, struct wire_bytes text)
{
    return it->text_len == (size_t)text.len && memcmp(it->text, text.data, it->text_len) == 0;
}

/* One that has been prepared already, with or without the keyspace in its id. What is not qualified is prepared, and validated, anew where there is no
 * keyspace: QueryProcessor.prepare. */
static struct prepared *take_made(struct prepared_store *store, struct wire_bytes text, const uint8_t plain[DIGEST_LEN],
                                  const uint8_t within[DIGEST_LEN])
{
    struct prepared *it = prepared_take(store, plain, DIGEST_LEN);
    bool suits = it && same_text(it, text) && it->flags & WR_STMT_QUALIFIED;
    if (it && !suits) {
        prepared_give(store, it);
        it = NULL;
    }
    if (it || memcmp(plain, within, DIGEST_LEN) == 0)
        return it;
    it = prepared_take(store, within, DIGEST_LEN);
    if (it && !same_text(it, text)) {
        prepared_give(store, it);
        it = NULL;
    }
    return it;
}

static char *copy_of(const char *text, size_t len)
{
    char *copy = malloc(len + 1);
    if (copy) {
        memcpy(copy, text, len);
        copy[len] = '\0';
    }
    return copy;
}

static bool stands_on(const struct entry *entry, const char *keyspace, const char *table)
{
    for (uint32_t i = 0; i < entry->footing_count; i++)
        if (strcmp(entry->footings[i].keyspace, keyspace) == 0 && strcmp(entry->footings[i].table, table) == 0)
            return true;
    return false;
}

static bool note_table(const struct prepared_store *store, struct entry *entry, const char *keyspace, const char *table)
{
    struct footing *more = realloc(entry->footings, (entry->footing_count + 1) * sizeof *more);
    if (!more)
        return false;
    entry->footings = more;
    struct footing *footing = &more[entry->footing_count++];
    *footing = (struct footing){ .keyspace = copy_of(keyspace, strlen(keyspace)), .table = copy_of(table, strlen(table)) };
    return footing->keyspace && footing->table && shape_of_table(store->db, footing->keyspace, footing->table, footing->shape);
}

static bool note_tables(const struct prepared_store *store, struct entry *entry, const wr_stmt *stmt)
{
    const char *keyspace, *table;
    for (unsigned i = 0; wr_stmt_table(stmt, i, &keyspace, &table); i++)
        if (!stands_on(entry, keyspace, table) && !note_table(store, entry, keyspace, table))
            return false;
    return true;
}

static bool calls(const struct entry *entry, const char *keyspace, const char *name)
{
    for (uint32_t i = 0; i < entry->callee_count; i++)
        if (strcmp(entry->callees[i].keyspace, keyspace) == 0 && strcmp(entry->callees[i].name, name) == 0)
            return true;
    return false;
}

static bool note_function(struct entry *entry, const char *keyspace, const char *name)
{
    struct callee *more = realloc(entry->callees, (entry->callee_count + 1) * sizeof *more);
    if (!more)
        return false;
    entry->callees = more;
    struct callee *callee = &more[entry->callee_count++];
    *callee = (struct callee){ copy_of(keyspace, strlen(keyspace)), copy_of(name, strlen(name)) };
    return callee->keyspace && callee->name;
}

static bool note_functions(struct entry *entry, const wr_stmt *stmt)
{
    const char *keyspace, *name;
    for (unsigned i = 0; wr_stmt_function(stmt, i, &keyspace, &name); i++)
        if (!calls(entry, keyspace, name) && !note_function(entry, keyspace, name))
            return false;
    return true;
}

static enum wr_status make_instance(struct prepared_store *store, const struct entry *entry, wr_stmt **out, struct prepared_error error)
{
    const struct prepared *it = &entry->it;
    pthread_mutex_lock(&store->making);
    enum wr_status st = wr_prepare_in(store->maker, it->keyspace, it->text, (ptrdiff_t)it->text_len, out);
    if (st != WR_OK)
        tell(error, st, wr_error(store->maker));
    pthread_mutex_unlock(&store->making);
    return st;
}

/* A message counts its values in 16 bits. */
static enum wr_status check_markers(const wr_stmt *stmt, struct prepared_error error)
{
    char text[100];
    if (wr_marker_count(stmt) <= UINT16_MAX)
        return WR_OK;
    snprintf(text, sizeof text, "Too many markers(?). %d markers exceed the allowed maximum of %d", wr_marker_count(stmt), UINT16_MAX);
    return tell(error, WR_INVALID, text);
}

/* QueryProcessor.parseAndPrepare, then prepare: what cannot be validated is not kept. */
static enum wr_status validate(wr_stmt *stmt, const char *role, struct prepared_error error)
{
    enum wr_status st = wr_stmt_set_role(stmt, role);
    if (st == WR_OK)
        st = wr_stmt_validate(stmt, false);
    return st == WR_OK ? check_markers(stmt, error) : tell(error, st, wr_stmt_error(stmt));
}

static enum wr_status fill(struct prepared_store *store, struct entry *entry, const struct prepared_text *asked,
                           const uint8_t plain[DIGEST_LEN], const uint8_t within[DIGEST_LEN], struct prepared_error error)
{
    wr_stmt *stmt;
    const char *keyspace = asked->keyspace;
    struct wire_bytes text = asked->text;
    if (!(entry->it.text = copy_of((const char *)text.data, (size_t)text.len)) ||
        (keyspace && !(entry->it.keyspace = copy_of(keyspace, strlen(keyspace)))))
        return tell(error, WR_NOMEM, "out of memory");
    entry->it.text_len = (size_t)text.len;
    pace_set_unknown(&entry->it.pace);
    enum wr_status st = make_instance(store, entry, &stmt, error);
    if (st != WR_OK)
        return st;
    if ((st = validate(stmt, asked->role, error)) != WR_OK) {
        wr_finalize(stmt);
        return st;
    }
    entry->it.flags = wr_stmt_flags(stmt);
    memcpy(entry->it.id, entry->it.flags & WR_STMT_QUALIFIED ? plain : within, DIGEST_LEN);
    bool none = !(entry->it.flags & WR_STMT_SELECT);
    entry->idle = malloc(sizeof *entry->idle);
    if (!entry->idle || !note_tables(store, entry, stmt) || !note_functions(entry, stmt) || !metadata_id(stmt, none, entry->it.metadata_id)) {
        wr_finalize(stmt);
        return tell(error, WR_NOMEM, "out of memory");
    }
    atomic_init(&entry->it.schema, wr_stmt_schema(stmt));
    entry->idle[0] = stmt;
    entry->idle_count = entry->idle_room = 1;
    return WR_OK;
}

/* Puts a new entry in its place, or takes the one that another thread has put there meanwhile. *stale: the schema has changed since. */
static struct entry *settle(struct prepared_store *store, struct entry *made, uint64_t changes, bool *stale)
{
    struct entry *garbage = NULL, *entry = NULL;
    pthread_mutex_lock(&store->lock);
    *stale = store->changes != changes;
    if (!*stale && !(entry = find(store, made->it.id))) {
        while (store->count >= store->most)
            let_go(store, store->oldest, &garbage);
        struct entry **bucket = bucket_of(store, made->it.id);
        made->next = *bucket;
        *bucket = made;
        link_newest(store, made);
        store->count++;
        entry = made;
    }
    if (entry)
        take(store, entry);
    pthread_mutex_unlock(&store->lock);
    free_garbage(garbage);
    if (entry != made)
        entry_free(made);
    return entry;
}

enum wr_status prepared_make(struct prepared_store *store, const struct prepared_text *asked, struct prepared **out, bool *made,
                             struct prepared_error error)
{
    const char *keyspace = asked->keyspace;
    struct wire_bytes text = asked->text;
    uint8_t plain[DIGEST_LEN], within[DIGEST_LEN];
    *out = NULL;
    *made = false;
    if (!digest_md5(plain, text.data, (size_t)text.len, NULL, 0) ||
        !digest_md5(within, keyspace, keyspace ? strlen(keyspace) : 0, text.data, (size_t)text.len))
        return tell(error, WR_NOMEM, "out of memory");
    if ((*out = take_made(store, text, plain, within)))
        return WR_OK;
    for (;;) {
        bool stale;
        pthread_mutex_lock(&store->lock);
        uint64_t changes = store->changes;
        pthread_mutex_unlock(&store->lock);
        struct entry *fresh = calloc(1, sizeof *fresh);
        if (!fresh)
            return tell(error, WR_NOMEM, "out of memory");
        enum wr_status st = fill(store, fresh, asked, plain, within, error);
        if (st != WR_OK) {
            entry_free(fresh);
            return st;
        }
        struct entry *entry = settle(store, fresh, changes, &stale);
        if (stale)
            continue;
        *made = entry == fresh;
        *out = &entry->it;
        return WR_OK;
    }
}

/* ---- instances ---- */

wr_stmt *prepared_instance(struct prepared_store *store, struct prepared *prepared, struct prepared_error error, enum wr_status *status)
{
    struct entry *entry = (struct entry *)prepared;
    wr_stmt *stmt = NULL;
    *status = WR_OK;
    pthread_mutex_lock(&store->lock);
    if (entry->idle_count)
        stmt = entry->idle[--entry->idle_count];
    pthread_mutex_unlock(&store->lock);
    if (!stmt)
        *status = make_instance(store, entry, &stmt, error);
    return stmt;
}

void prepared_instance_give(struct prepared_store *store, struct prepared *prepared, wr_stmt *stmt, bool keep)
{
    struct entry *entry = (struct entry *)prepared;
    if (keep) {
        wr_reset(stmt);
        wr_clear_bindings(stmt);
    }
    pthread_mutex_lock(&store->lock);
    if (keep && !entry->gone && entry->idle_count == entry->idle_room && entry->idle_room < IDLE_MAX) {
        wr_stmt **idle = realloc(entry->idle, (entry->idle_room + 1) * sizeof *idle);
        if (idle) {
            entry->idle = idle;
            entry->idle_room++;
        }
    }
    keep = keep && !entry->gone && entry->idle_count < entry->idle_room;
    if (keep)
        entry->idle[entry->idle_count++] = stmt;
    pthread_mutex_unlock(&store->lock);
    if (!keep)
        wr_finalize(stmt);
}

/* ---- letting go ---- */

bool prepared_is_as_told(struct prepared_store *store, struct prepared *prepared, const wr_stmt *stmt)
{
    struct entry *entry = (struct entry *)prepared, *garbage = NULL;
    uint8_t id[DIGEST_LEN];
    uint64_t schema = wr_stmt_schema(stmt);
    if (!(prepared->flags & WR_STMT_SELECT) || atomic_load_explicit(&prepared->schema, memory_order_relaxed) == schema)
        return true;
    if (metadata_id(stmt, false, id) && memcmp(id, prepared->metadata_id, DIGEST_LEN) == 0) {
        atomic_store_explicit(&prepared->schema, schema, memory_order_relaxed);
        return true;
    }
    pthread_mutex_lock(&store->lock);
    if (!entry->gone)
        let_go(store, entry, &garbage); /* whoever asks has taken it, so it is none */
    pthread_mutex_unlock(&store->lock);
    return false;
}

static bool is_of_function(const struct wr_schema_change *change)
{
    return strcmp(change->target, "FUNCTION") == 0 || strcmp(change->target, "AGGREGATE") == 0;
}

static bool is_of_altered_type(const struct wr_schema_change *change)
{
    return strcmp(change->target, "TYPE") == 0 && strcmp(change->change, "UPDATED") == 0;
}

/* A change, and what it has left. */
struct shaking {
    const struct wr_schema_change *change;
    const uint8_t *shape;     /* of the table that was changed; NULL: not known */
    struct shape_users users; /* of the type that was altered; NULL: not known */
};

static bool is_among(const char *names, const char *name)
{
    while (*names && strcmp(names, name) != 0)
        names += strlen(names) + 1;
    return *names != '\0';
}

/* A type that could be dropped was in no table. */
static bool is_shaken(const struct footing *footing, const struct shaking *shaking)
{
    const struct wr_schema_change *change = shaking->change;
    if (strcmp(footing->keyspace, change->keyspace) != 0)
        return false;
    if (strcmp(change->target, "TABLE") == 0)
        return strcmp(footing->table, change->name) == 0 && !(shaking->shape && memcmp(shaking->shape, footing->shape, DIGEST_LEN) == 0);
    if (strcmp(change->change, "DROPPED") == 0)
        return strcmp(change->target, "KEYSPACE") == 0;
    return strcmp(change->target, "TYPE") == 0 && (!shaking->users.tables || is_among(shaking->users.tables, footing->table));
}

/* Whether it may mean what is new, instead of a server's own of that name: there a statement stays with what it had found. */
static bool may_call(const struct entry *entry, const struct wr_schema_change *change)
{
    bool at_home = ascii_has_word(entry->it.text, change->keyspace);
    for (uint32_t i = 0; i < entry->footing_count && !at_home; i++)
        at_home = strcmp(entry->footings[i].keyspace, change->keyspace) == 0;
    return at_home && ascii_has_word(entry->it.text, change->name);
}

/* By a hint, or as what a function takes or gives. */
static bool may_have_type(const struct entry *entry, const struct shaking *shaking)
{
    const struct wr_schema_change *change = shaking->change;
    const char *functions = shaking->users.functions;
    bool within = false;
    for (uint32_t i = 0; i < entry->callee_count; i++)
        within |= strcmp(entry->callees[i].keyspace, change->keyspace) == 0 && (!functions || is_among(functions, entry->callees[i].name));
    return within || ascii_has_word(entry->it.text, change->name);
}

/* Cassandra's QueryProcessor.StatementInvalidatingListener. What is new shakes nothing, but an overload; and changes of the schema, DESCRIBE and their like
 * look for what they name when they run. */
static bool is_affected(const struct entry *entry, const struct shaking *shaking)
{
    const struct wr_schema_change *change = shaking->change;
    bool created = strcmp(change->change, "CREATED") == 0;
    if (!(entry->it.flags & (WR_STMT_SELECT | WR_STMT_WRITE | WR_STMT_BATCH)))
        return false;
    if (is_of_function(change))
        return calls(entry, change->keyspace, change->name) || (created && may_call(entry, change));
    if (created)
        return false;
    for (uint32_t i = 0; i < entry->footing_count; i++)
        if (is_shaken(&entry->footings[i], shaking))
            return true;
    return is_of_altered_type(change) && may_have_type(entry, shaking);
}

/*
 * Under the lock. A statement holds the schema that it was made of, all of it: what nobody runs any more would hold one for ever. The next run makes
 * another, which costs little more than to bind this one anew. They go onto *garbage within an entry that has nothing else.
 */
static void let_go_of_idle(struct entry *entry, struct entry **garbage)
{
    struct entry *shell = entry->idle_count ? calloc(1, sizeof *shell) : NULL;
    if (!shell)
        return;
    shell->idle = entry->idle;
    shell->idle_count = entry->idle_count;
    entry->idle = NULL;
    entry->idle_count = entry->idle_room = 0;
    shell->next = *garbage;
    *garbage = shell;
}

void prepared_schema_change(struct prepared_store *store, const struct wr_schema_change *change)
{
    struct entry *garbage = NULL;
    uint8_t shape[DIGEST_LEN];
    bool table = strcmp(change->target, "TABLE") == 0 && shape_of_table(store->db, change->keyspace, change->name, shape);
    struct shaking shaking = { .change = change, .shape = table ? shape : NULL };
    if (is_of_altered_type(change))
        shaking.users = shape_users_of_type(store->db, change->keyspace, change->name);
    pthread_mutex_lock(&store->lock);
    store->changes++;
    for (struct entry *entry = store->newest, *older; entry; entry = older) {
        older = entry->older;
        if (is_affected(entry, &shaking))
            let_go(store, entry, &garbage);
        else
            let_go_of_idle(entry, &garbage);
    }
    pthread_mutex_unlock(&store->lock);
    free_garbage(garbage);
    shape_users_release(&shaking.users);
}
