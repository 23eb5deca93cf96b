/*
 * The column families of document 002 (it counts seven and describes six): USER, FRIENDS, FOLLOWERS, TWEET, TIMELINE, USERLINE.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "twissandra.h"

enum family { USER, FRIENDS, FOLLOWERS, TWEET, TIMELINE, USERLINE, FAMILIES };

static const struct {
    const char *name, *comparator, *key, *value;
} definitions[FAMILIES] = {
    [USER] = { "USER", "UTF8Type", "UTF8Type", "UTF8Type" },              /* username => { password, ... } */
    [FRIENDS] = { "FRIENDS", "UTF8Type", "UTF8Type", "LongType" },        /* username => { friend: since } */
    [FOLLOWERS] = { "FOLLOWERS", "UTF8Type", "UTF8Type", "LongType" },    /* username => { follower: since } */
    [TWEET] = { "TWEET", "UTF8Type", "TimeUUIDType", "UTF8Type" },        /* tweet id => { username, body } */
    [TIMELINE] = { "TIMELINE", "TimeUUIDType", "UTF8Type", "TimeUUIDType" }, /* username => { time: tweet id } */
    [USERLINE] = { "USERLINE", "TimeUUIDType", "UTF8Type", "TimeUUIDType" }, /* the same, of one's own; and the public one */
};

struct state {
    wr_db *db;
    wr_cf *cf[FAMILIES];
};

static struct wr_bytes text(const char *s)
{
    return (struct wr_bytes){ s, strlen(s) };
}

static struct wr_bytes id_bytes(const uint8_t id[16])
{
    return (struct wr_bytes){ id, 16 };
}

static void must_cf(wr_cf *cf, enum wr_status st)
{
    if (st == WR_OK)
        return;
    fprintf(stderr, "%s: %s\n", wr_status_name(st), wr_cf_error(cf));
    exit(1);
}

static void *open_families(wr_db *db)
{
    struct state *s = calloc(1, sizeof *s);
    s->db = db;
    for (int i = 0; i < FAMILIES; i++) {
        struct wr_cf_def def = {
            "twissandra", definitions[i].name, definitions[i].comparator, definitions[i].key, definitions[i].value, NULL, -1,
        };
        must(db, wr_cf_create(db, &def));
        must(db, wr_cf_open(db, "twissandra", definitions[i].name, &s->cf[i]));
        must_cf(s->cf[i], wr_cf_truncate(s->cf[i]));
    }
    return s;
}

static void close_families(void *t)
{
    struct state *s = t;
    for (int i = 0; i < FAMILIES; i++)
        wr_cf_close(s->cf[i]);
    free(s);
}

static struct wr_cf_mutation put(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, struct wr_bytes value)
{
    return (struct wr_cf_mutation){ cf, WR_CF_INSERT, key, { .name = name, .value = value, .timestamp_us = INT64_MIN } };
}

static struct wr_cf_mutation take(wr_cf *cf, struct wr_bytes key, struct wr_bytes name)
{
    return (struct wr_cf_mutation){ cf, WR_CF_REMOVE, key, { .name = name, .timestamp_us = INT64_MIN } };
}

/* ---- users ---- */

static void create_user(void *t, const char *name, const char *password)
{
    struct state *s = t;
    struct wr_cf_mutation m = put(s->cf[USER], text(name), text("password"), text(password));
    must(s->db, wr_cf_batch_mutate(s->db, &m, 1));
}

static void copy_text(char *out, size_t size, struct wr_bytes from)
{
    snprintf(out, size, "%.*s", (int)from.len, (const char *)from.data);
}

static void get_users(void *t, const char *const *names, int count, struct users *out)
{
    struct state *s = t;
    struct wr_bytes keys[NAMES_MAX];
    wr_cf_result *r;
    out->count = 0;
    for (int i = 0; i < count; i++)
        keys[i] = text(names[i]);
    must_cf(s->cf[USER], wr_cf_multiget_slice(s->cf[USER], keys, (size_t)count, NULL, &r));
    for (size_t i = 0; i < wr_cf_result_rows(r); i++) {
        if (!wr_cf_result_columns(r, i))
            continue;
        copy_text(out->names[out->count], NAME_LEN, wr_cf_result_key(r, i));
        copy_text(out->passwords[out->count++], NAME_LEN, wr_cf_result_column(r, i, 0)->value);
    }
    wr_cf_result_free(r);
}

static bool get_user(void *t, const char *name, struct users *out)
{
    get_users(t, &name, 1, out);
    return out->count == 1;
}

/* ---- friends: two sets of writes, as one batch ---- */

static void add_friend(void *t, const char *name, const char *friend)
{
    struct state *s = t;
    uint8_t since[8];
    int64_t now = wr_clock_now(s->db);
    for (int i = 0; i < 8; i++)
        since[i] = (uint8_t)((uint64_t)now >> (56 - 8 * i));
    struct wr_bytes value = { since, 8 };
    struct wr_cf_mutation m[] = {
        put(s->cf[FRIENDS], text(name), text(friend), value),
        put(s->cf[FOLLOWERS], text(friend), text(name), value),
    };
    must(s->db, wr_cf_batch_mutate(s->db, m, 2));
}

static void remove_friend(void *t, const char *name, const char *friend)
{
    struct state *s = t;
    struct wr_cf_mutation m[] = {
        take(s->cf[FRIENDS], text(name), text(friend)),
        take(s->cf[FOLLOWERS], text(friend), text(name)),
    };
    must(s->db, wr_cf_batch_mutate(s->db, m, 2));
}

static void column_names(wr_cf *cf, const char *key, struct users *out)
{
    struct wr_cf_predicate all = { .count = NAMES_MAX };
    wr_cf_result *r;
    must_cf(cf, wr_cf_get_slice(cf, text(key), &all, &r));
    out->count = (int)wr_cf_result_columns(r, 0);
    for (int i = 0; i < out->count; i++)
        copy_text(out->names[i], NAME_LEN, wr_cf_result_column(r, 0, (size_t)i)->name);
    wr_cf_result_free(r);
}

static void friend_names(void *t, const char *name, struct users *out)
{
    column_names(((struct state *)t)->cf[FRIENDS], name, out);
}

static void follower_names(void *t, const char *name, struct users *out)
{
    column_names(((struct state *)t)->cf[FOLLOWERS], name, out);
}

/* ---- tweets ---- */

static void create_tweet(void *t, const uint8_t id[16], const char *author, const char *body)
{
    struct state *s = t;
    struct users followers;
    struct wr_cf_mutation m[4 + NAMES_MAX];
    size_t n = 0;
    follower_names(t, author, &followers);
    m[n++] = put(s->cf[TWEET], id_bytes(id), text("username"), text(author));
    m[n++] = put(s->cf[TWEET], id_bytes(id), text("body"), text(body));
    m[n++] = put(s->cf[USERLINE], text(author), id_bytes(id), id_bytes(id));
    m[n++] = put(s->cf[USERLINE], text(PUBLIC_USERLINE_KEY), id_bytes(id), id_bytes(id));
    for (int i = 0; i < followers.count; i++)
        m[n++] = put(s->cf[TIMELINE], text(followers.names[i]), id_bytes(id), id_bytes(id));
    must(s->db, wr_cf_batch_mutate(s->db, m, n));
}

/* The two multigets: the tweets of these ids, then the records of their authors. */
static void get_tweets(struct state *s, const struct wr_bytes *ids, int count, struct tweets *out)
{
    const char *authors[NAMES_MAX];
    static struct users records; /* large; one thread */
    wr_cf_result *r;
    out->count = 0;
    must_cf(s->cf[TWEET], wr_cf_multiget_slice(s->cf[TWEET], ids, (size_t)count, NULL, &r));
    for (size_t i = 0; i < wr_cf_result_rows(r); i++) {
        if (wr_cf_result_columns(r, i) != 2)
            continue;
        int at = out->count++;
        memcpy(out->ids[at], wr_cf_result_key(r, i).data, 16);
        copy_text(out->bodies[at], BODY_LEN, wr_cf_result_column(r, i, 0)->value); /* body sorts before username */
        copy_text(out->authors[at], NAME_LEN, wr_cf_result_column(r, i, 1)->value);
        authors[at] = out->authors[at];
        out->author_passwords[at][0] = 0;
    }
    wr_cf_result_free(r);
    get_users(s, authors, out->count, &records);
    for (int i = 0; i < out->count; i++)
        for (int k = 0; k < records.count; k++)
            if (strcmp(out->authors[i], records.names[k]) == 0)
                snprintf(out->author_passwords[i], NAME_LEN, "%s", records.passwords[k]);
}

static bool get_tweet(void *t, const uint8_t id[16], struct tweets *out)
{
    struct wr_bytes key = id_bytes(id);
    get_tweets(t, &key, 1, out);
    return out->count == 1;
}

static void line_of(struct state *s, enum family family, const char *name, int most, struct tweets *out)
{
    struct wr_cf_predicate newest = { .reversed = true, .count = (uint32_t)most };
    struct wr_bytes ids[NAMES_MAX];
    wr_cf_result *r;
    must_cf(s->cf[family], wr_cf_get_slice(s->cf[family], text(name), &newest, &r));
    int count = (int)wr_cf_result_columns(r, 0);
    for (int i = 0; i < count; i++)
        ids[i] = wr_cf_result_column(r, 0, (size_t)i)->value;
    get_tweets(s, ids, count, out);
    wr_cf_result_free(r);
}

static void timeline(void *t, const char *name, int most, struct tweets *out)
{
    line_of(t, TIMELINE, name, most, out);
}

static void userline(void *t, const char *name, int most, struct tweets *out)
{
    line_of(t, USERLINE, name, most, out);
}

const struct twissandra twissandra_families = {
    "column families", open_families, close_families, create_user, get_user, get_users, add_friend, remove_friend, friend_names, follower_names,
    create_tweet, get_tweet, timeline, userline,
};
