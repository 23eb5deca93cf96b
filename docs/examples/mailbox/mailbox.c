#include "mailbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void mail_make_id(int64_t time_us, unsigned sequence, uint8_t out[16])
{
    uint64_t ticks = ((uint64_t)time_us + UINT64_C(12219292800000000)) * 10;
    uint8_t id[16] = {
        (uint8_t)(ticks >> 24), (uint8_t)(ticks >> 16), (uint8_t)(ticks >> 8), (uint8_t)ticks, (uint8_t)(ticks >> 40), (uint8_t)(ticks >> 32),
        (uint8_t)(0x10 | (ticks >> 56 & 15)), (uint8_t)(ticks >> 48), (uint8_t)(0x80 | (sequence >> 8 & 0x3f)), (uint8_t)sequence,
        0x5b, 0x1c, 0x2d, 0x3e, 0x4f, 0x60,
    };
    memcpy(out, id, 16);
}

void mail_create_folder(wr_db *db, const char *user, const char *label, const char *color)
{
    run(bind(prepare(db, "INSERT INTO mailbox.folders_by_user (username, label, color) VALUES (?, ?, ?)"), "sss", user, label, color));
}

/* ---- overflow labels: "inbox", then "inbox-overflow-1", ... ---- */

static void overflow_label(const char *label, int number, char *out, size_t size)
{
    if (number)
        snprintf(out, size, "%s-overflow-%d", label, number);
    else
        snprintf(out, size, "%s", label);
}

static int64_t count_in(wr_db *db, const char *user, const char *label)
{
    return run_int(bind(prepare(db, "SELECT count(*) FROM mailbox.emails_by_user_folder WHERE username = ? AND label = ?"), "ss", user, label), 0);
}

/* The last answer of current_label, since folders fill slowly. */
static struct {
    char user[64], label[64], current[96];
    int number;
    int64_t count;
} last;

void mail_forget_labels(void)
{
    last.label[0] = 0;
}

/* The label that new e-mails of the folder go to. */
static const char *current_label(wr_db *db, const char *user, const char *label)
{
    if (strcmp(last.user, user) != 0 || strcmp(last.label, label) != 0) {
        snprintf(last.user, sizeof last.user, "%s", user);
        snprintf(last.label, sizeof last.label, "%s", label);
        for (last.number = 0;; last.number++) {
            overflow_label(label, last.number, last.current, sizeof last.current);
            if ((last.count = count_in(db, user, last.current)) < OVERFLOW_AFTER)
                break;
        }
    } else if (last.count >= OVERFLOW_AFTER) {
        overflow_label(label, ++last.number, last.current, sizeof last.current);
        last.count = 0;
    }
    last.count++;
    return last.current;
}

/* ---- writing ---- */

void mail_deliver(wr_db *db, const char *user, const char *label, const struct email *email)
{
    wr_batch *batch;
    wr_stmt *mail = prepare(db, "INSERT INTO mailbox.emails (id, \"to\", \"from\", subject, body) VALUES (?, ?, ?, ?, ?)");
    wr_stmt *line = prepare(db, "INSERT INTO mailbox.emails_by_user_folder (username, label, id, \"from\", subject, is_read) VALUES (?, ?, ?, ?, ?, "
                                "false)");
    must_step(mail, wr_bind_uuid(mail, 0, email->id));
    must_step(mail, wr_bind_open(mail, 1));
    must_step(mail, wr_bind_text(mail, WR_ELEMENT, user, -1));
    must_step(mail, wr_bind_close(mail));
    must_step(mail, wr_bind_text(mail, 2, email->from, -1));
    must_step(mail, wr_bind_text(mail, 3, email->subject, -1));
    must_step(mail, wr_bind_text(mail, 4, email->body, -1));
    must(db, wr_batch_new(db, WR_BATCH_UNLOGGED, &batch));
    must(db, wr_batch_add(batch, mail));
    must(db, wr_batch_add(batch, bind(line, "ssuss", user, current_label(db, user, label), email->id, email->from, email->subject)));
    enum wr_status st = wr_batch_run(batch, NULL);
    if (st != WR_OK) {
        fprintf(stderr, "%s\n", wr_batch_error(batch));
        exit(1);
    }
    wr_batch_free(batch);
    run(bind(prepare(db, "UPDATE mailbox.unread_email_stats SET num_unread = num_unread + 1 WHERE username = ? AND label = ?"), "ss", user, label));
}

/* The line may be in an overflow label: in the one where it is unread, it becomes read, and the count goes down once. */
void mail_mark_read(wr_db *db, const char *user, const char *label, const uint8_t id[16])
{
    char current[96];
    for (int number = 0;; number++) {
        overflow_label(label, number, current, sizeof current);
        wr_stmt *s = prepare(db, "UPDATE mailbox.emails_by_user_folder SET is_read = true WHERE username = ? AND label = ? AND id = ? IF is_read = false");
        if (run_applied(bind(s, "ssu", user, current, id))) {
            run(bind(prepare(db, "UPDATE mailbox.unread_email_stats SET num_unread = num_unread - 1 WHERE username = ? AND label = ?"), "ss", user, label));
            return;
        }
        if (count_in(db, user, current) < OVERFLOW_AFTER)
            return;
    }
}

int mail_attach(wr_db *db, const uint8_t id[16], const char *filename, const char *type, const void *bytes, size_t len)
{
    wr_stmt *s = prepare(db, "INSERT INTO mailbox.attachments (email_id, filename, chunk_number, type, value) VALUES (?, ?, ?, ?, ?)");
    int chunks = 0;
    for (size_t at = 0; at < len || !chunks; at += CHUNK_BYTES) {
        size_t n = len - at < CHUNK_BYTES ? len - at : CHUNK_BYTES;
        run(bind(s, "usisv", id, filename, (int64_t)++chunks, type, len ? (const void *)((const char *)bytes + at) : "", n));
    }
    wr_stmt *m = prepare(db, "UPDATE mailbox.emails SET attachments[?] = ? WHERE id = ?");
    run(bind(m, "siu", filename, (int64_t)chunks, id));
    return chunks;
}

/* ---- Q1 to Q4 ---- */

int mail_folders(wr_db *db, const char *user, struct folder *out, int room)
{
    wr_stmt *s = bind(prepare(db, "SELECT label, color FROM mailbox.folders_by_user WHERE username = ?"), "s", user);
    enum wr_status st;
    int count = 0;
    while ((st = wr_step(s)) == WR_ROW && count < room) {
        snprintf(out[count].label, sizeof out->label, "%s", wr_column_text(s, 0));
        snprintf(out[count].color, sizeof out->color, "%s", wr_column_text(s, 1) ? wr_column_text(s, 1) : "");
        out[count++].unread = 0;
    }
    must_step(s, st);
    wr_reset(s);
    s = bind(prepare(db, "SELECT label, num_unread FROM mailbox.unread_email_stats WHERE username = ?"), "s", user);
    while ((st = wr_step(s)) == WR_ROW)
        for (int i = 0; i < count; i++)
            if (strcmp(out[i].label, wr_column_text(s, 0)) == 0)
                out[i].unread = wr_column_int(s, 1);
    must_step(s, st);
    return count;
}

int mail_list(wr_db *db, const char *user, const char *label, struct entry *out, int room)
{
    char current[96];
    int count = 0, newest = 0;
    for (;; newest++) { /* which overflow labels there are: the newest e-mails are in the last one */
        overflow_label(label, newest + 1, current, sizeof current);
        wr_stmt *s = bind(prepare(db, "SELECT id FROM mailbox.emails_by_user_folder WHERE username = ? AND label = ? LIMIT 1"), "ss", user, current);
        bool more = wr_step(s) == WR_ROW;
        wr_reset(s);
        if (!more)
            break;
    }
    for (int number = newest; number >= 0 && count < room; number--) {
        overflow_label(label, number, current, sizeof current);
        wr_stmt *s = bind(prepare(db, "SELECT id, \"from\", subject, is_read FROM mailbox.emails_by_user_folder WHERE username = ? AND label = ? LIMIT ?"),
                          "ssi", user, current, (int64_t)(room - count));
        enum wr_status st;
        while ((st = wr_step(s)) == WR_ROW) {
            struct entry *e = &out[count++];
            wr_column_uuid(s, 0, e->id);
            e->time_us = wr_timeuuid_us(e->id);
            snprintf(e->from, sizeof e->from, "%s", wr_column_text(s, 1));
            snprintf(e->subject, sizeof e->subject, "%s", wr_column_text(s, 2));
            e->is_read = wr_column_bool(s, 3);
        }
        must_step(s, st);
    }
    return count;
}

bool mail_read(wr_db *db, const uint8_t id[16], char *body, size_t size, int *attachments)
{
    wr_stmt *s = bind(prepare(db, "SELECT \"to\", \"from\", subject, body, attachments FROM mailbox.emails WHERE id = ?"), "u", id);
    bool found = wr_step(s) == WR_ROW;
    if (found) {
        snprintf(body, size, "%s", wr_column_text(s, 3) ? wr_column_text(s, 3) : "");
        *attachments = (int)wr_value_count(wr_column_value(s, 4));
    }
    wr_reset(s);
    return found;
}

size_t mail_chunk(wr_db *db, const uint8_t id[16], const char *filename, int number, void *out, size_t room)
{
    wr_stmt *s = bind(prepare(db, "SELECT value FROM mailbox.attachments WHERE email_id = ? AND filename = ? AND chunk_number = ?"), "usi", id, filename,
                      (int64_t)number);
    size_t len = 0;
    if (wr_step(s) == WR_ROW) {
        const void *bytes = wr_column_bytes(s, 0, &len);
        if (len <= room)
            memcpy(out, bytes, len);
    }
    wr_reset(s);
    return len;
}
