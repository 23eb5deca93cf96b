#include "killrchat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum query {
    CREATE_USER, USER_NAMES, USER_ROOMS, USER_ADD_ROOM, USER_REMOVE_ROOM,
    CREATE_ROOM, ROOM, JOIN, LEAVE, REMOVE,
    SAY, PAGE, PAGE_BEFORE, SAY_BUCKETED, NOTE_BUCKET, BUCKETS, BUCKETS_FROM, PAGE_BUCKETED, PAGE_BUCKETED_BEFORE,
    QUERY_COUNT
};

static const char *const queries[QUERY_COUNT] = {
    [CREATE_USER] = "INSERT INTO killrchat.users (login, pass, firstname, lastname) VALUES (?, ?, ?, ?) IF NOT EXISTS",
    [USER_NAMES] = "SELECT firstname, lastname FROM killrchat.users WHERE login = ?",
    [USER_ROOMS] = "SELECT chat_rooms FROM killrchat.users WHERE login = ?",
    [USER_ADD_ROOM] = "UPDATE killrchat.users SET chat_rooms = chat_rooms + ? WHERE login = ?",
    [USER_REMOVE_ROOM] = "UPDATE killrchat.users SET chat_rooms = chat_rooms - ? WHERE login = ?",
    [CREATE_ROOM] = "INSERT INTO killrchat.chat_rooms (room_name, creation_date, banner, creator, creator_login, participants) "
                    "VALUES (?, ?, ?, ?, ?, ?) IF NOT EXISTS",
    [ROOM] = "SELECT creator_login, participants FROM killrchat.chat_rooms WHERE room_name = ?",
    [JOIN] = "UPDATE killrchat.chat_rooms SET participants = participants + ? WHERE room_name = ? IF EXISTS",
    [LEAVE] = "UPDATE killrchat.chat_rooms SET participants = participants - ? WHERE room_name = ?",
    [REMOVE] = "DELETE FROM killrchat.chat_rooms WHERE room_name = ? IF creator_login = ? AND participants = ?",
    [SAY] = "INSERT INTO killrchat.chat_room_messages (room_name, message_id, content, author, system_message) VALUES (?, ?, ?, ?, false) "
            "USING TTL ?",
    [PAGE] = "SELECT message_id, content, author.login FROM killrchat.chat_room_messages WHERE room_name = ? LIMIT ?",
    [PAGE_BEFORE] = "SELECT message_id, content, author.login FROM killrchat.chat_room_messages WHERE room_name = ? AND message_id < ? LIMIT ?",
    [SAY_BUCKETED] = "INSERT INTO killrchat.chat_room_messages_by_day (room_name, time_bucket, message_id, content, author, system_message) "
                     "VALUES (?, ?, ?, ?, ?, false)",
    [NOTE_BUCKET] = "INSERT INTO killrchat.messages_bucket (room_name, time_bucket) VALUES (?, ?)",
    [BUCKETS] = "SELECT time_bucket FROM killrchat.messages_bucket WHERE room_name = ?",
    [BUCKETS_FROM] = "SELECT time_bucket FROM killrchat.messages_bucket WHERE room_name = ? AND time_bucket <= ?",
    [PAGE_BUCKETED] = "SELECT message_id, content, author.login FROM killrchat.chat_room_messages_by_day WHERE room_name = ? AND time_bucket = ? "
                      "LIMIT ?",
    [PAGE_BUCKETED_BEFORE] = "SELECT message_id, content, author.login FROM killrchat.chat_room_messages_by_day WHERE room_name = ? AND "
                             "time_bucket = ? AND message_id < ? LIMIT ?",
};

struct chat {
    wr_db *db;
    wr_stmt *statements[QUERY_COUNT];
    char last_room[64]; /* the bucket noted last, so that not every message notes it again */
    int last_bucket;
};

struct chat *chat_open(wr_db *db)
{
    struct chat *chat = calloc(1, sizeof *chat);
    if (!chat)
        abort();
    must(db, wr_attach(db, &chat->db));
    for (int i = 0; i < QUERY_COUNT; i++)
        must(chat->db, wr_prepare(chat->db, queries[i], -1, &chat->statements[i]));
    return chat;
}

void chat_close(struct chat *chat)
{
    for (int i = 0; i < QUERY_COUNT; i++)
        wr_finalize(chat->statements[i]);
    must(chat->db, wr_close(chat->db));
    free(chat);
}

static wr_stmt *query(struct chat *chat, enum query q)
{
    wr_reset(chat->statements[q]);
    return chat->statements[q];
}

/* ---- values ---- */

struct names {
    char first[64], last[64];
};

static void read_names(struct chat *chat, const char *login, struct names *out)
{
    wr_stmt *s = bind(query(chat, USER_NAMES), "s", login);
    enum wr_status st = wr_step(s);
    must_step(s, st);
    bool found = st == WR_ROW;
    snprintf(out->first, sizeof out->first, "%s", found && wr_column_text(s, 0) ? wr_column_text(s, 0) : "");
    snprintf(out->last, sizeof out->last, "%s", found && wr_column_text(s, 1) ? wr_column_text(s, 1) : "");
    wr_reset(s);
}

/* A user, as the type of that name: into marker i, or (WR_ELEMENT) into an open set. */
static void bind_user(wr_stmt *s, int i, const char *login, const struct names *names)
{
    must_step(s, wr_bind_open(s, i));
    must_step(s, wr_bind_text(s, WR_ELEMENT, login, -1));
    must_step(s, wr_bind_text(s, WR_ELEMENT, names->first, -1));
    must_step(s, wr_bind_text(s, WR_ELEMENT, names->last, -1));
    must_step(s, wr_bind_close(s));
}

static void bind_user_set(wr_stmt *s, int i, const char *login, const struct names *names)
{
    must_step(s, wr_bind_open(s, i));
    bind_user(s, WR_ELEMENT, login, names);
    must_step(s, wr_bind_close(s));
}

static void change_user_rooms(struct chat *chat, enum query q, const char *login, const char *room)
{
    wr_stmt *s = query(chat, q);
    must_step(s, wr_bind_open(s, 0));
    must_step(s, wr_bind_text(s, WR_ELEMENT, room, -1));
    must_step(s, wr_bind_close(s));
    must_step(s, wr_bind_text(s, 1, login, -1));
    run(s);
}

/* ---- users ---- */

bool chat_create_user(struct chat *chat, const char *login, const char *firstname, const char *lastname)
{
    return run_applied(bind(query(chat, CREATE_USER), "ssss", login, "secret", firstname, lastname));
}

bool chat_user_has_room(struct chat *chat, const char *login, const char *room)
{
    wr_stmt *s = bind(query(chat, USER_ROOMS), "s", login);
    bool found = false;
    if (wr_step(s) == WR_ROW) {
        struct wr_elements rooms = wr_elements_of(wr_column_value(s, 0));
        wr_value one;
        while (wr_elements_next(&rooms, &one))
            found = found || (one.len == strlen(room) && memcmp(one.data, room, one.len) == 0);
    }
    wr_reset(s);
    return found;
}

/* ---- rooms ---- */

bool chat_create_room(struct chat *chat, const char *room, const char *creator, const char *banner)
{
    struct names names;
    read_names(chat, creator, &names);
    wr_stmt *s = query(chat, CREATE_ROOM);
    must_step(s, wr_bind_text(s, 0, room, -1));
    must_step(s, wr_bind_int(s, 1, wr_clock_now(chat->db) / 1000));
    must_step(s, wr_bind_text(s, 2, banner, -1));
    bind_user(s, 3, creator, &names);
    must_step(s, wr_bind_text(s, 4, creator, -1));
    bind_user_set(s, 5, creator, &names);
    if (!run_applied(s))
        return false;
    change_user_rooms(chat, USER_ADD_ROOM, creator, room);
    return true;
}

/* IF EXISTS: or a room that has just been removed would come back as a row with one participant and nothing else. */
bool chat_join(struct chat *chat, const char *room, const char *login)
{
    struct names names;
    read_names(chat, login, &names);
    wr_stmt *s = query(chat, JOIN);
    bind_user_set(s, 0, login, &names);
    must_step(s, wr_bind_text(s, 1, room, -1));
    if (!run_applied(s))
        return false;
    change_user_rooms(chat, USER_ADD_ROOM, login, room);
    return true;
}

/* Removing is a tombstone, in whatever order it meets the removal of the room: no condition is needed. */
void chat_leave(struct chat *chat, const char *room, const char *login)
{
    struct names names;
    read_names(chat, login, &names);
    wr_stmt *s = query(chat, LEAVE);
    bind_user_set(s, 0, login, &names);
    must_step(s, wr_bind_text(s, 1, room, -1));
    run(s);
    change_user_rooms(chat, USER_REMOVE_ROOM, login, room);
}

enum { LOGINS_MAX = 64, VALUE_MAX = 16384 };

/* A room's participants as they are seen now: the value itself for the condition, and their logins. */
struct seen {
    char logins[LOGINS_MAX][64];
    int count;
    uint8_t value[VALUE_MAX];
    size_t len;
    bool exists, has_creator;
};

static void look(struct chat *chat, const char *room, struct seen *seen)
{
    wr_stmt *s = bind(query(chat, ROOM), "s", room);
    wr_value user, login;
    memset(seen, 0, sizeof *seen);
    if (wr_step(s) == WR_ROW) {
        wr_value set = wr_column_value(s, 1);
        struct wr_elements users = wr_elements_of(set);
        seen->exists = true;
        seen->has_creator = !wr_column_is_null(s, 0);
        seen->len = set.len < VALUE_MAX ? set.len : 0;
        if (seen->len)
            memcpy(seen->value, set.data, seen->len);
        while (wr_elements_next(&users, &user) && seen->count < LOGINS_MAX) {
            struct wr_elements fields = wr_elements_of(user);
            if (wr_elements_next(&fields, &login))
                snprintf(seen->logins[seen->count++], sizeof seen->logins[0], "%.*s", (int)login.len, (const char *)login.data);
        }
    }
    wr_reset(s);
}

/* Only the creator, and only with the participants as they were seen: whoever joins meanwhile makes it be tried again. */
bool chat_remove(struct chat *chat, const char *room, const char *login)
{
    struct seen *seen = malloc(sizeof *seen);
    bool removed = false;
    if (!seen)
        abort();
    for (;;) {
        look(chat, room, seen);
        wr_stmt *s = query(chat, REMOVE);
        must_step(s, wr_bind_text(s, 0, room, -1));
        must_step(s, wr_bind_text(s, 1, login, -1));
        must_step(s, wr_bind_value(s, 2, seen->len ? seen->value : NULL, seen->len));
        enum wr_status st = wr_step(s);
        must_step(s, st);
        removed = st == WR_ROW && wr_column_bool(s, 0);
        int creator = wr_column_index(s, "creator_login");
        const char *owner = removed || creator < 0 ? NULL : wr_column_text(s, creator);
        bool again = owner && strcmp(owner, login) == 0; /* ours, but somebody has come or gone */
        wr_reset(s);
        if (!again)
            break;
    }
    for (int i = 0; removed && i < seen->count; i++)
        change_user_rooms(chat, USER_REMOVE_ROOM, seen->logins[i], room);
    free(seen);
    return removed;
}

bool chat_room_exists(struct chat *chat, const char *room)
{
    wr_stmt *s = bind(query(chat, ROOM), "s", room);
    bool exists = wr_step(s) == WR_ROW;
    wr_reset(s);
    return exists;
}

bool chat_room_is_whole(struct chat *chat, const char *room)
{
    struct seen *seen = malloc(sizeof *seen);
    if (!seen)
        abort();
    look(chat, room, seen);
    bool whole = !seen->exists || seen->has_creator;
    free(seen);
    return whole;
}

int chat_participants(struct chat *chat, const char *room)
{
    wr_stmt *s = bind(query(chat, ROOM), "s", room);
    int count = wr_step(s) == WR_ROW ? (int)wr_value_count(wr_column_value(s, 1)) : 0;
    wr_reset(s);
    return count;
}

/* ---- messages ---- */

static const struct names no_names; /* lines loaded from a log know a nick alone */

void chat_say(struct chat *chat, const char *room, const char *author, const uint8_t id[16], const char *content)
{
    wr_stmt *s = query(chat, SAY);
    must_step(s, wr_bind_text(s, 0, room, -1));
    must_step(s, wr_bind_uuid(s, 1, id));
    must_step(s, wr_bind_text(s, 2, content, -1));
    bind_user(s, 3, author, &no_names);
    must_step(s, wr_bind_int(s, 4, CHAT_TTL_S));
    run(s);
}

static int take_rows(wr_stmt *s, uint8_t last[16], chat_line_fn *line, void *arg)
{
    int rows = 0;
    enum wr_status st;
    while ((st = wr_step(s)) == WR_ROW) {
        wr_column_uuid(s, 0, last);
        if (line)
            line(arg, wr_timeuuid_us(last), wr_column_text(s, 2), wr_column_text(s, 1));
        rows++;
    }
    must_step(s, st);
    return rows;
}

int chat_page(struct chat *chat, const char *room, const uint8_t *before, int rows, uint8_t last[16], chat_line_fn *line, void *arg)
{
    wr_stmt *s = before ? bind(query(chat, PAGE_BEFORE), "sui", room, before, (int64_t)rows)
                        : bind(query(chat, PAGE), "si", room, (int64_t)rows);
    return take_rows(s, last, line, arg);
}

static int bucket_of(const uint8_t id[16])
{
    struct tm tm;
    time_t t = (time_t)(wr_timeuuid_us(id) / 1000000);
    gmtime_r(&t, &tm);
    return (tm.tm_year + 1900) * 10000 + (tm.tm_mon + 1) * 100 + tm.tm_mday;
}

void chat_forget_buckets(struct chat *chat)
{
    chat->last_bucket = 0;
}

void chat_say_bucketed(struct chat *chat, const char *room, const char *author, const uint8_t id[16], const char *content)
{
    int bucket = bucket_of(id);
    if (bucket != chat->last_bucket || strcmp(chat->last_room, room) != 0) {
        run(bind(query(chat, NOTE_BUCKET), "si", room, (int64_t)bucket));
        chat->last_bucket = bucket;
        snprintf(chat->last_room, sizeof chat->last_room, "%s", room);
    }
    wr_stmt *s = query(chat, SAY_BUCKETED);
    must_step(s, wr_bind_text(s, 0, room, -1));
    must_step(s, wr_bind_int(s, 1, bucket));
    must_step(s, wr_bind_uuid(s, 2, id));
    must_step(s, wr_bind_text(s, 3, content, -1));
    bind_user(s, 4, author, &no_names);
    run(s);
}

/* Goes on in the next older bucket where one does not fill the page. */
int chat_page_bucketed(struct chat *chat, const char *room, const uint8_t *before, int rows, uint8_t last[16], chat_line_fn *line, void *arg)
{
    wr_stmt *buckets = before ? bind(query(chat, BUCKETS_FROM), "si", room, (int64_t)bucket_of(before)) : bind(query(chat, BUCKETS), "s", room);
    int got = 0;
    enum wr_status st = WR_DONE;
    while (got < rows && (st = wr_step(buckets)) == WR_ROW) {
        int64_t bucket = wr_column_int(buckets, 0);
        wr_stmt *s = before ? bind(query(chat, PAGE_BUCKETED_BEFORE), "siui", room, bucket, before, (int64_t)(rows - got))
                            : bind(query(chat, PAGE_BUCKETED), "sii", room, bucket, (int64_t)(rows - got));
        got += take_rows(s, last, line, arg);
    }
    must_step(buckets, st);
    wr_reset(buckets);
    return got;
}
