/* The mailbox (document 004 of the seeds): Q1 to Q4, counters, overflow labels, attachments in chunks, and a real mbox file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mailbox.h"

static const char user[] = "joe@example.com";
static const int64_t start_us = INT64_C(1436832000000000); /* 2015-07-14 */

enum { ATTACHMENT_BYTES = 2416 * 1024, ROOM = 4096 };

static uint8_t *make_attachment(void)
{
    uint8_t *bytes = malloc(ATTACHMENT_BYTES);
    if (!bytes)
        abort();
    for (size_t i = 0; i < ATTACHMENT_BYTES; i++)
        bytes[i] = (uint8_t)(i * 31 + i / 1000);
    return bytes;
}

static void fill(wr_db *db, uint8_t first_id[16])
{
    static const char *const mails[][2] = {
        { "ann@example.com", "The report" }, { "bob@example.com", "Lunch?" }, { "ann@example.com", "Re: The report" }, { "kate@example.com", "Istanbul" },
    };
    uint8_t *attachment = make_attachment();
    mail_create_folder(db, user, "inbox", "blue");
    mail_create_folder(db, user, "archive", "green");
    mail_create_folder(db, user, "sent", "red");
    for (int i = 0; i < 4; i++) {
        struct email email = { .from = mails[i][0], .subject = mails[i][1], .body = "see you there" };
        mail_make_id(start_us + i * INT64_C(3600000000), 1, email.id);
        if (i == 0)
            memcpy(first_id, email.id, 16);
        mail_deliver(db, user, "inbox", &email);
    }
    mail_attach(db, first_id, "report.pdf", "application/pdf", attachment, ATTACHMENT_BYTES);
    free(attachment);
}

static void show_folders(wr_db *db)
{
    struct folder folders[64];
    int64_t t = tick();
    int count = mail_folders(db, user, folders, 64);
    t = tick() - t;
    for (int i = 0; i < count; i++)
        printf("  %-24s %-6s %5lld unread\n", folders[i].label, folders[i].color, (long long)folders[i].unread);
    tell_time("Q1, folders with counts", t);
}

static void show_list(wr_db *db, const char *label, int most)
{
    static struct entry entries[ROOM];
    int64_t t = tick();
    int count = mail_list(db, user, label, entries, most);
    t = tick() - t;
    for (int i = 0; i < count; i++) {
        char when[32];
        time_t s = (time_t)(entries[i].time_us / 1000000);
        struct tm tm;
        strftime(when, sizeof when, "%Y-%m-%d %H:%M", gmtime_r(&s, &tm));
        printf("  %s %s %-24.24s %s\n", entries[i].is_read ? " " : "*", when, entries[i].from, entries[i].subject);
    }
    tell_time("Q2, a folder", t);
}

static void show(wr_db *db, const uint8_t id[16])
{
    static uint8_t chunk[CHUNK_BYTES];
    char body[256];
    int attachments = 0;
    printf("Mailbox: the folders of %s\n", user);
    show_folders(db);
    printf("the inbox\n");
    show_list(db, "inbox", 20);
    int64_t t = tick();
    mail_read(db, id, body, sizeof body, &attachments);
    t = tick() - t;
    printf("the first e-mail: \"%s\", %d attachment\n", body, attachments);
    tell_time("Q3, an e-mail", t);
    t = tick();
    size_t len = mail_chunk(db, id, "report.pdf", 3, chunk, sizeof chunk);
    t = tick() - t;
    printf("the third chunk of report.pdf: %zu KB of 2416\n", len / 1024);
    tell_time("Q4, a chunk", t);
}

static void check_all(wr_db *db, const uint8_t first_id[16])
{
    static struct entry entries[ROOM];
    static uint8_t chunk[CHUNK_BYTES];
    struct folder folders[16];
    char body[256];
    int attachments = 0;
    check(mail_folders(db, user, folders, 16) == 3 && strcmp(folders[1].label, "inbox") == 0 && folders[1].unread == 4,
          "Q1: three folders, four unread in the inbox");
    int count = mail_list(db, user, "inbox", entries, ROOM);
    check(count == 4 && strcmp(entries[0].subject, "Istanbul") == 0, "Q2: the newest first");
    check(entries[3].time_us == start_us, "the time comes from the id");
    mail_mark_read(db, user, "inbox", first_id);
    mail_mark_read(db, user, "inbox", first_id);
    mail_folders(db, user, folders, 16);
    check(folders[1].unread == 3, "reading an e-mail twice counts once");
    mail_list(db, user, "inbox", entries, ROOM);
    check(entries[3].is_read && !entries[0].is_read, "and it is marked");
    check(mail_read(db, first_id, body, sizeof body, &attachments) && strcmp(body, "see you there") == 0 && attachments == 1, "Q3: an e-mail");
    uint8_t *attachment = make_attachment();
    size_t total = 0;
    bool same = true;
    for (int i = 1; i <= 3; i++) {
        size_t len = mail_chunk(db, first_id, "report.pdf", i, chunk, sizeof chunk);
        same = same && memcmp(chunk, attachment + total, len) == 0;
        total += len;
    }
    check(same && total == ATTACHMENT_BYTES, "Q4: three chunks make the file");
    check(mail_chunk(db, first_id, "report.pdf", 4, chunk, sizeof chunk) == 0, "and there is no fourth");
    uint8_t small[] = "530 KB or less is one";
    check(mail_attach(db, first_id, "small.txt", "text/plain", small, sizeof small) == 1, "a small file is one chunk");
    free(attachment);
    for (int i = 0; i < OVERFLOW_AFTER + 50; i++) {
        struct email email = { .from = "list@example.com", .subject = "news", .body = "" };
        mail_make_id(start_us + i, 2, email.id);
        mail_deliver(db, user, "archive", &email);
    }
    count = mail_list(db, user, "archive", entries, ROOM);
    check(count == OVERFLOW_AFTER + 50, "a folder that overflows is one folder to its reader");
    bool ordered = true;
    for (int i = 1; i < count; i++)
        ordered = ordered && entries[i].time_us < entries[i - 1].time_us;
    check(ordered, "newest first across its labels");
    check(mail_list(db, user, "archive", entries, 10) == 10, "a page is a page");
    mail_mark_read(db, user, "archive", entries[0].id);
    mail_folders(db, user, folders, 16);
    check(folders[0].unread == OVERFLOW_AFTER + 49, "an e-mail in the overflow is marked read like any other");
}

int main(int argc, char **argv)
{
    struct example e;
    uint8_t first_id[16];
    example_begin(&e, argc, argv, EXAMPLE_FOLDER "/schema.cql");
    if (e.load) {
        int64_t t = tick();
        int count = mail_load_mbox(e.db, user, e.load);
        printf("%d e-mails loaded in %.2f s\n", count, (double)(tick() - t) / 1e9);
        show_folders(e.db);
        show_list(e.db, "inbox", 5);
    } else {
        static const char *const tables[] = { "folders_by_user", "unread_email_stats", "emails_by_user_folder", "emails", "attachments" };
        for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
            char text[64];
            snprintf(text, sizeof text, "TRUNCATE mailbox.%s", tables[i]);
            must(e.db, wr_exec(e.db, text, NULL, NULL));
        }
        fill(e.db, first_id);
        if (e.check)
            check_all(e.db, first_id);
        else
            show(e.db, first_id);
    }
    return example_end(&e);
}
