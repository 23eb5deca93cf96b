/* A real mbox file (mboxrd): each e-mail into the folder its X-Folder header names, at the time its Date header tells. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "mailbox.h"

enum { EMAILS_A_COMMIT = 200, FOLDERS_MAX = 64 };

struct loading {
    wr_db *db;
    const char *user;
    const char *at, *next, *end; /* text of the file: where this commit begins, and where the next does */
    int count;
};

/* The value of a header in [text, end), folded lines joined, bytes that are not ASCII as '?'. */
static void header(const char *text, const char *end, const char *name, char *out, size_t size)
{
    size_t n = strlen(name), len = 0;
    out[0] = 0;
    for (const char *line = text; line < end && *line != '\n';) {
        const char *line_end = memchr(line, '\n', (size_t)(end - line));
        if (!line_end)
            line_end = end;
        bool matches = (size_t)(line_end - line) > n && strncasecmp(line, name, n) == 0 && line[n] == ':';
        for (const char *from = matches ? line + n + 1 : line_end; matches;) {
            while (from < line_end && isspace((unsigned char)*from))
                from++;
            for (; from < line_end && len + 1 < size; from++)
                out[len++] = isascii((unsigned char)*from) && isprint((unsigned char)*from) ? *from : '?';
            out[len] = 0;
            if (line_end + 1 >= end || (line_end[1] != ' ' && line_end[1] != '\t'))
                return;
            from = line_end + 1;
            line_end = memchr(from, '\n', (size_t)(end - from));
            if (!line_end)
                line_end = end;
            if (len + 1 < size)
                out[len++] = ' ';
        }
        line = line_end + 1;
    }
}

/* "Thu, 22 Aug 2002 12:36:23 +0100"; 0 where it cannot be read. */
static int64_t date_us(const char *date)
{
    struct tm tm = { 0 };
    const char *comma = strchr(date, ',');
    const char *rest = strptime(comma ? comma + 1 : date, " %d %b %Y %H:%M:%S", &tm);
    int offset = rest ? atoi(rest) : 0;
    if (!rest)
        return 0;
    int64_t minutes = offset / 100 * 60 + offset % 100;
    return ((int64_t)timegm(&tm) - minutes * 60) * 1000000;
}

/* Bodies may be in any charset: what is not UTF-8 would be refused, so other bytes become '?'. */
static char *body_text(const char *text, const char *end)
{
    char *out = malloc((size_t)(end - text) + 1), *to = out;
    if (!out)
        abort();
    for (; text < end; text++)
        *to++ = isascii((unsigned char)*text) && *text ? *text : '?';
    *to = 0;
    return out;
}

static const char *email_end(const char *at, const char *end)
{
    for (const char *p = at; (p = memchr(p, '\n', (size_t)(end - p)));) {
        p++;
        if (end - p >= 5 && memcmp(p, "From ", 5) == 0)
            return p;
    }
    return end;
}

static void load_one(struct loading *l, const char *at, const char *end, unsigned number)
{
    char folder[64], from[ADDRESS_LEN], subject[SUBJECT_LEN], date[64];
    const char *line = memchr(at, '\n', (size_t)(end - at)), *headers = line ? line + 1 : end, *body = strstr(headers, "\n\n");
    struct email email = { .from = from, .subject = subject };
    header(headers, end, "X-Folder", folder, sizeof folder);
    header(headers, end, "From", from, sizeof from);
    header(headers, end, "Subject", subject, sizeof subject);
    header(headers, end, "Date", date, sizeof date);
    mail_make_id(date_us(date), number, email.id);
    char *text = body_text(body && body + 2 < end ? body + 2 : end, end);
    email.body = text;
    mail_create_folder(l->db, l->user, *folder ? folder : "inbox", "");
    mail_deliver(l->db, l->user, *folder ? folder : "inbox", &email);
    free(text);
}

static enum wr_status load_some(void *arg)
{
    struct loading *l = arg;
    const char *at = l->at;
    int n = 0;
    mail_forget_labels(); /* it may be run again from the start */
    for (; n < EMAILS_A_COMMIT && at < l->end; n++) {
        const char *end = email_end(at, l->end);
        load_one(l, at, end, (unsigned)(l->count + n));
        at = end;
    }
    l->next = at;
    return WR_OK;
}

int mail_load_mbox(wr_db *db, const char *user, const char *path)
{
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size = 0;
    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET) || !(text = malloc((size_t)size + 1))) {
        perror(path);
        exit(1);
    }
    size = (long)fread(text, 1, (size_t)size, f);
    fclose(f);
    text[size] = 0;
    struct loading l = { .db = db, .user = user, .at = text, .end = text + size };
    while (l.at < l.end) {
        must(db, wr_atomically(db, load_some, &l));
        for (const char *p = l.at; p < l.next; p = email_end(p, l.next))
            l.count++;
        l.at = l.next;
    }
    free(text);
    return l.count;
}
