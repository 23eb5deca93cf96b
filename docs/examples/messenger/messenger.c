/*
 * A messenger on two column families (document 000 of the seeds: "facebook style messenger").
 *
 *   TalkMessages      "2249:9111" => { time: JSON of a message, ... }          names are LongType, so in order of time
 *   TalkLastMessages  "2249"      => { partner's uid: JSON of the last state }  one row is the whole main view of a user
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "example.h"

struct messenger {
    struct example e;
    wr_cf *messages, *last;
};

static void must_cf(wr_cf *cf, enum wr_status st)
{
    if (st == WR_OK)
        return;
    fprintf(stderr, "%s: %s\n", wr_status_name(st), wr_cf_error(cf));
    exit(1);
}

static struct wr_bytes text_bytes(const char *text)
{
    return (struct wr_bytes){ text, strlen(text) };
}

static struct wr_bytes long_bytes(int64_t n, uint8_t out[8])
{
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)((uint64_t)n >> (56 - 8 * i));
    return (struct wr_bytes){ out, 8 };
}

static int64_t long_of(struct wr_bytes b)
{
    uint64_t n = 0;
    for (size_t i = 0; i < b.len && i < 8; i++)
        n = n << 8 | ((const uint8_t *)b.data)[i];
    return (int64_t)n;
}

/* "$smaller_uid:$bigger_uid" */
static struct wr_bytes talk_key(int a, int b, char out[32])
{
    snprintf(out, 32, "%d:%d", a < b ? a : b, a < b ? b : a);
    return text_bytes(out);
}

static struct wr_bytes uid_bytes(int uid, char out[16])
{
    snprintf(out, 16, "%d", uid);
    return text_bytes(out);
}

static cJSON *parse_json(struct wr_bytes b)
{
    cJSON *json = cJSON_ParseWithLength(b.data, b.len);
    return json ? json : cJSON_CreateObject();
}

static double number(const cJSON *json, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(json, name);
    return item ? item->valuedouble : 0;
}

static const char *string(const cJSON *json, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(json, name));
    return text ? text : "";
}

static void set_number(cJSON *json, const char *name, double n)
{
    cJSON_DeleteItemFromObject(json, name);
    cJSON_AddNumberToObject(json, name, n);
}

static void set_string(cJSON *json, const char *name, const char *text)
{
    cJSON_DeleteItemFromObject(json, name);
    cJSON_AddStringToObject(json, name, text);
}

static enum wr_status put_json(wr_cf *cf, struct wr_bytes key, struct wr_bytes name, const cJSON *json)
{
    char *text = cJSON_PrintUnformatted(json);
    if (!text)
        return WR_NOMEM;
    struct wr_cf_column column = { .name = name, .value = text_bytes(text), .timestamp_us = INT64_MIN };
    enum wr_status st = wr_cf_insert(cf, key, &column);
    free(text);
    return st;
}

/* ---- sending: the message, and both users' last states, as one ---- */

struct sending {
    struct messenger *m;
    int sender, target;
    const char *text;
    int64_t time_us;
};

/* Fetch the column, change its JSON, insert it back. */
static enum wr_status touch_last(struct sending *s, int owner, int partner, bool received)
{
    char key[16], name[16];
    struct wr_cf_column column = { 0 };
    enum wr_status st = wr_cf_get(s->m->last, uid_bytes(owner, key), uid_bytes(partner, name), &column);
    if (st != WR_OK && st != WR_NOT_FOUND)
        return st;
    cJSON *json = st == WR_OK ? parse_json(column.value) : cJSON_CreateObject();
    if (received && number(json, "unread") == 0)
        set_number(json, "unread_timestamp", (double)s->time_us);
    set_number(json, "unread", number(json, "unread") + received);
    set_number(json, "last_message_timestamp", (double)s->time_us);
    set_string(json, "last_message", s->text);
    st = put_json(s->m->last, uid_bytes(owner, key), uid_bytes(partner, name), json);
    cJSON_Delete(json);
    return st;
}

static enum wr_status send_all(void *arg)
{
    struct sending *s = arg;
    char key[32];
    uint8_t time[8];
    cJSON *json = cJSON_CreateObject();
    cJSON_AddNumberToObject(json, "sender_uid", s->sender);
    cJSON_AddNumberToObject(json, "target_uid", s->target);
    cJSON_AddStringToObject(json, "msg", s->text);
    enum wr_status st = put_json(s->m->messages, talk_key(s->sender, s->target, key), long_bytes(s->time_us, time), json);
    cJSON_Delete(json);
    if (st == WR_OK)
        st = touch_last(s, s->target, s->sender, true);
    return st == WR_OK ? touch_last(s, s->sender, s->target, false) : st;
}

static void send_message(struct messenger *m, int sender, int target, const char *text)
{
    struct sending s = { m, sender, target, text, wr_clock_now(m->e.db) };
    wr_clock_step(m->e.db, 1000000); /* the demo's conversation takes a second a message */
    must(m->e.db, wr_atomically(m->e.db, send_all, &s));
}

/* ---- reading the messages: mark as read ---- */

struct marking {
    struct messenger *m;
    int reader, sender;
};

static enum wr_status mark_read(void *arg)
{
    struct marking *k = arg;
    char key[16], name[16];
    struct wr_cf_column column;
    enum wr_status st = wr_cf_get(k->m->last, uid_bytes(k->reader, key), uid_bytes(k->sender, name), &column);
    if (st != WR_OK)
        return st == WR_NOT_FOUND ? WR_OK : st;
    cJSON *json = parse_json(column.value);
    set_number(json, "unread", 0);
    st = put_json(k->m->last, uid_bytes(k->reader, key), uid_bytes(k->sender, name), json);
    cJSON_Delete(json);
    return st;
}

static void mark_as_read(struct messenger *m, int reader, int sender)
{
    struct marking k = { m, reader, sender };
    must(m->e.db, wr_atomically(m->e.db, mark_read, &k));
}

/* ---- the two views ---- */

/* All columns of the user's row: every partner with one query. */
static int main_view(struct messenger *m, int uid, bool show, int *unread)
{
    char key[16];
    struct wr_cf_predicate all = { .count = 1000 };
    wr_cf_result *r;
    int64_t t = tick();
    must_cf(m->last, wr_cf_get_slice(m->last, uid_bytes(uid, key), &all, &r));
    t = tick() - t;
    int partners = (int)wr_cf_result_columns(r, 0);
    *unread = 0;
    for (int i = 0; i < partners; i++) {
        const struct wr_cf_column *c = wr_cf_result_column(r, 0, (size_t)i);
        cJSON *json = parse_json(c->value);
        *unread += (int)number(json, "unread");
        if (show)
            printf("  %-6.*s %2.0f unread   %s\n", (int)c->name.len, (const char *)c->name.data, number(json, "unread"),
                   string(json, "last_message"));
        cJSON_Delete(json);
    }
    if (show)
        tell_time("main view", t);
    wr_cf_result_free(r);
    return partners;
}

/* The last n messages between two users, oldest of them first. */
static int history(struct messenger *m, int a, int b, uint32_t n, bool show, char newest[128])
{
    char key[32];
    struct wr_cf_predicate last = { .reversed = true, .count = n };
    wr_cf_result *r;
    int64_t t = tick();
    must_cf(m->messages, wr_cf_get_slice(m->messages, talk_key(a, b, key), &last, &r));
    t = tick() - t;
    int count = (int)wr_cf_result_columns(r, 0);
    for (int i = count; i-- > 0;) {
        const struct wr_cf_column *c = wr_cf_result_column(r, 0, (size_t)i);
        cJSON *json = parse_json(c->value);
        if (show)
            printf("  %lld  %4.0f: %s\n", (long long)(long_of(c->name) / 1000000), number(json, "sender_uid"), string(json, "msg"));
        if (i == 0)
            snprintf(newest, 128, "%s", string(json, "msg"));
        cJSON_Delete(json);
    }
    if (show)
        tell_time("history", t);
    wr_cf_result_free(r);
    return count;
}

static void check_all(struct messenger *m)
{
    char newest[128];
    int unread;
    check(main_view(m, 9111, false, &unread) == 2 && unread == 3, "9111 has two partners and three unread messages");
    check(history(m, 9111, 2249, 100, false, newest) == 3, "2249 and 9111 have exchanged three messages");
    check(strcmp(newest, "Are you there?") == 0, "the newest message comes last");
    check(history(m, 2249, 9111, 2, false, newest) == 2, "the last two are two, whoever asks");
    mark_as_read(m, 9111, 2249);
    check(main_view(m, 9111, false, &unread) == 2 && unread == 1, "reading one partner's messages leaves the other's unread");
    mark_as_read(m, 9111, 4711);
    check(main_view(m, 4711, false, &unread) == 0, "marking what does not exist makes nothing");
    check(main_view(m, 2249, false, &unread) == 1 && unread == 1, "2249 has one unread answer");
}

int main(int argc, char **argv)
{
    struct messenger m;
    struct wr_cf_def messages = { "messenger", "TalkMessages", "LongType", "UTF8Type", "UTF8Type", "messages of two users", -1 };
    struct wr_cf_def last = { "messenger", "TalkLastMessages", "UTF8Type", "UTF8Type", "UTF8Type", "partners of a user", -1 };
    char newest[128];
    int unread;
    example_begin(&m.e, argc, argv, NULL);
    must(m.e.db, wr_cf_create(m.e.db, &messages));
    must(m.e.db, wr_cf_create(m.e.db, &last));
    must(m.e.db, wr_cf_open(m.e.db, "messenger", "TalkMessages", &m.messages));
    must(m.e.db, wr_cf_open(m.e.db, "messenger", "TalkLastMessages", &m.last));
    must_cf(m.messages, wr_cf_truncate(m.messages));
    must_cf(m.last, wr_cf_truncate(m.last));

    send_message(&m, 2249, 9111, "Hello, how are you?");
    send_message(&m, 9111, 2249, "I'm fine, thanks");
    send_message(&m, 2249, 9111, "Are you there?");
    send_message(&m, 1234, 9111, "Lunch?");
    if (m.e.check) {
        check_all(&m);
    } else {
        printf("Messenger: the main view of 9111\n");
        main_view(&m, 9111, true, &unread);
        printf("the last 50 messages between 2249 and 9111\n");
        history(&m, 2249, 9111, 50, true, newest);
        mark_as_read(&m, 9111, 2249);
        printf("after reading them\n");
        main_view(&m, 9111, true, &unread);
    }
    wr_cf_close(m.messages);
    wr_cf_close(m.last);
    return example_end(&m.e);
}
