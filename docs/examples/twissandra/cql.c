/* The same thirteen actions in CQL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "twissandra.h"

static void *open_cql(wr_db *db)
{
    static const char *const tables[] = { "users", "friends", "followers", "tweets", "userline", "timeline" };
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "TRUNCATE twissandra_cql.%s", tables[i]);
        must(db, wr_exec(db, text, NULL, NULL));
    }
    return db;
}

static void close_cql(void *t)
{
    (void)t; /* statements are kept by example.c, the handle is the program's */
}

static void create_user(void *t, const char *name, const char *password)
{
    run(bind(prepare(t, "INSERT INTO twissandra_cql.users (username, password) VALUES (?, ?)"), "ss", name, password));
}

static void bind_names(wr_stmt *s, int marker, const char *const *names, int count)
{
    must_step(s, wr_bind_open(s, marker));
    for (int i = 0; i < count; i++)
        must_step(s, wr_bind_text(s, WR_ELEMENT, names[i], -1));
    must_step(s, wr_bind_close(s));
}

static void get_users(void *t, const char *const *names, int count, struct users *out)
{
    wr_stmt *s = prepare(t, "SELECT username, password FROM twissandra_cql.users WHERE username IN ?");
    enum wr_status st;
    bind_names(s, 0, names, count);
    for (out->count = 0; (st = wr_step(s)) == WR_ROW; out->count++) {
        snprintf(out->names[out->count], NAME_LEN, "%s", wr_column_text(s, 0));
        snprintf(out->passwords[out->count], NAME_LEN, "%s", wr_column_text(s, 1));
    }
    must_step(s, st);
}

static bool get_user(void *t, const char *name, struct users *out)
{
    get_users(t, &name, 1, out);
    return out->count == 1;
}

/* Two writes as one logged batch: either both sides know, or none. */
static void both_sides(wr_db *db, const char *first, const char *second, const char *a, const char *b, int64_t since_ms)
{
    wr_batch *batch;
    wr_stmt *one = prepare(db, first), *other = prepare(db, second);
    must(db, wr_batch_new(db, WR_BATCH_LOGGED, &batch));
    must(db, wr_batch_add(batch, since_ms < 0 ? bind(one, "ss", a, b) : bind(one, "ssi", a, b, since_ms)));
    must(db, wr_batch_add(batch, since_ms < 0 ? bind(other, "ss", b, a) : bind(other, "ssi", b, a, since_ms)));
    must(db, wr_batch_run(batch, NULL));
    wr_batch_free(batch);
}

static void add_friend(void *t, const char *name, const char *friend)
{
    both_sides(t, "INSERT INTO twissandra_cql.friends (username, friend, since) VALUES (?, ?, ?)",
               "INSERT INTO twissandra_cql.followers (username, follower, since) VALUES (?, ?, ?)", name, friend, wr_clock_now(t) / 1000);
}

static void remove_friend(void *t, const char *name, const char *friend)
{
    both_sides(t, "DELETE FROM twissandra_cql.friends WHERE username = ? AND friend = ?",
               "DELETE FROM twissandra_cql.followers WHERE username = ? AND follower = ?", name, friend, -1);
}

static void read_names(wr_stmt *s, struct users *out)
{
    enum wr_status st;
    for (out->count = 0; (st = wr_step(s)) == WR_ROW && out->count < NAMES_MAX; out->count++)
        snprintf(out->names[out->count], NAME_LEN, "%s", wr_column_text(s, 0));
    must_step(s, st);
    wr_reset(s);
}

static void friend_names(void *t, const char *name, struct users *out)
{
    read_names(bind(prepare(t, "SELECT friend FROM twissandra_cql.friends WHERE username = ?"), "s", name), out);
}

static void follower_names(void *t, const char *name, struct users *out)
{
    read_names(bind(prepare(t, "SELECT follower FROM twissandra_cql.followers WHERE username = ?"), "s", name), out);
}

static void create_tweet(void *t, const uint8_t id[16], const char *author, const char *body)
{
    static struct users followers; /* large; one thread */
    wr_stmt *userline = prepare(t, "INSERT INTO twissandra_cql.userline (username, time) VALUES (?, ?)");
    wr_stmt *timeline = prepare(t, "INSERT INTO twissandra_cql.timeline (username, time) VALUES (?, ?)");
    wr_batch *batch;
    follower_names(t, author, &followers);
    must(t, wr_batch_new(t, WR_BATCH_LOGGED, &batch));
    wr_stmt *tweet = prepare(t, "INSERT INTO twissandra_cql.tweets (tweet_id, username, body) VALUES (?, ?, ?)");
    must(t, wr_batch_add(batch, bind(tweet, "uss", id, author, body)));
    must(t, wr_batch_add(batch, bind(userline, "su", author, id)));
    must(t, wr_batch_add(batch, bind(userline, "su", PUBLIC_USERLINE_KEY, id)));
    for (int i = 0; i < followers.count; i++)
        must(t, wr_batch_add(batch, bind(timeline, "su", followers.names[i], id)));
    must(t, wr_batch_run(batch, NULL));
    wr_batch_free(batch);
}

static void get_tweets(wr_db *db, uint8_t (*ids)[16], int count, struct tweets *out)
{
    const char *authors[NAMES_MAX];
    static struct users records;
    wr_stmt *s = prepare(db, "SELECT tweet_id, username, body FROM twissandra_cql.tweets WHERE tweet_id IN ?");
    enum wr_status st;
    int found = 0;
    must_step(s, wr_bind_open(s, 0));
    for (int i = 0; i < count; i++)
        must_step(s, wr_bind_uuid(s, WR_ELEMENT, ids[i]));
    must_step(s, wr_bind_close(s));
    /* IN gives partitions in order of their keys; the line's order is wanted */
    for (int i = 0; i < count; i++)
        memcpy(out->ids[i], ids[i], 16);
    while ((st = wr_step(s)) == WR_ROW) {
        uint8_t id[16];
        wr_column_uuid(s, 0, id);
        for (int i = 0; i < count; i++)
            if (memcmp(out->ids[i], id, 16) == 0) {
                snprintf(out->authors[i], NAME_LEN, "%s", wr_column_text(s, 1));
                snprintf(out->bodies[i], BODY_LEN, "%s", wr_column_text(s, 2));
                out->author_passwords[i][0] = 0;
                authors[found++] = out->authors[i];
            }
    }
    must_step(s, st);
    out->count = found;
    get_users(db, authors, found, &records);
    for (int i = 0; i < found; i++)
        for (int k = 0; k < records.count; k++)
            if (strcmp(out->authors[i], records.names[k]) == 0)
                snprintf(out->author_passwords[i], NAME_LEN, "%s", records.passwords[k]);
}

static bool get_tweet(void *t, const uint8_t id[16], struct tweets *out)
{
    uint8_t ids[1][16];
    memcpy(ids[0], id, 16);
    get_tweets(t, ids, 1, out);
    return out->count == 1;
}

static void line_of(wr_db *db, const char *cql, const char *name, int most, struct tweets *out)
{
    uint8_t ids[NAMES_MAX][16];
    wr_stmt *s = bind(prepare(db, cql), "si", name, (int64_t)most);
    enum wr_status st;
    int count = 0;
    while ((st = wr_step(s)) == WR_ROW && count < NAMES_MAX)
        wr_column_uuid(s, 0, ids[count++]);
    must_step(s, st);
    wr_reset(s);
    get_tweets(db, ids, count, out);
}

static void timeline(void *t, const char *name, int most, struct tweets *out)
{
    line_of(t, "SELECT time FROM twissandra_cql.timeline WHERE username = ? LIMIT ?", name, most, out);
}

static void userline(void *t, const char *name, int most, struct tweets *out)
{
    line_of(t, "SELECT time FROM twissandra_cql.userline WHERE username = ? LIMIT ?", name, most, out);
}

const struct twissandra twissandra_cql = {
    "CQL", open_cql, close_cql, create_user, get_user, get_users, add_friend, remove_friend, friend_names, follower_names,
    create_tweet, get_tweet, timeline, userline,
};
