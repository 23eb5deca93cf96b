/*
 * mailbox.h - the mailbox's actions and its four queries.
 */
#ifndef MAILBOX_H
#define MAILBOX_H

#include <stddef.h>

#include "example.h"

enum { CHUNK_BYTES = 1000 * 1024, OVERFLOW_AFTER = 1000, SUBJECT_LEN = 128, ADDRESS_LEN = 96 };

struct email {
    uint8_t id[16];
    const char *from, *subject, *body;
};

struct entry { /* a line of a folder */
    uint8_t id[16];
    int64_t time_us; /* from the id */
    char from[ADDRESS_LEN], subject[SUBJECT_LEN];
    bool is_read;
};

struct folder {
    char label[64], color[16];
    int64_t unread;
};

void mail_create_folder(wr_db *db, const char *user, const char *label, const char *color);
/* Into the user's folder, unread; a folder that is full goes on in "label-overflow-N", which no reader sees. */
void mail_deliver(wr_db *db, const char *user, const char *label, const struct email *email);
void mail_forget_labels(void); /* what it remembers of full folders: after a transaction that may have been undone */
void mail_mark_read(wr_db *db, const char *user, const char *label, const uint8_t id[16]);
int mail_attach(wr_db *db, const uint8_t id[16], const char *filename, const char *type, const void *bytes, size_t len); /* chunks */

int mail_folders(wr_db *db, const char *user, struct folder *out, int room);                           /* Q1 */
int mail_list(wr_db *db, const char *user, const char *label, struct entry *out, int room);            /* Q2: newest first */
bool mail_read(wr_db *db, const uint8_t id[16], char *body, size_t size, int *attachments);            /* Q3 */
size_t mail_chunk(wr_db *db, const uint8_t id[16], const char *filename, int number, void *out, size_t room); /* Q4: its bytes */

/* ---- mbox.c: a real mbox file into folders by X-Folder; returns how many ---- */
int mail_load_mbox(wr_db *db, const char *user, const char *path);

/* A timeuuid of a time that is not now. */
void mail_make_id(int64_t time_us, unsigned sequence, uint8_t out[16]);

#endif
