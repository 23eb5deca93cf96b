/* Made up from the number of each thing; texts from a corpus, which data_load may replace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"

/* Lines of texts and authors, and one long text that bodies of e-mails are cut from. */
static struct corpus {
    struct text *texts, *authors, *posts;
    size_t text_count, post_count;
    struct text mail;
} corpus;

static const char words[] = "hello how do I get this to work again thanks for the answer maybe you should look at the manual it says nothing of "
                            "that kind and yet everybody does it so I would try once more and see what comes out of it in the end ";

uint64_t data_mix(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t data_sum(const void *bytes, size_t len, uint64_t seed)
{
    const uint64_t prime = 0x100000001b3u;
    const uint8_t *p = bytes, *end = p + len;
    uint64_t word = 0;
    uint32_t low, high;
    seed = (seed ^ len) * prime;
    /* Eight at a time, the last eight over again what was read: the sum must not be what is measured. */
    for (; end - p > 8; p += 8) {
        memcpy(&word, p, 8);
        seed = (seed ^ word) * prime;
    }
    if (len >= 8) {
        memcpy(&word, end - 8, 8);
    } else if (len >= 4) {
        memcpy(&low, bytes, 4);
        memcpy(&high, end - 4, 4);
        word = (uint64_t)high << 32 | low;
    } else if (len) {
        p = bytes;
        word = (uint64_t)p[0] << 16 | (uint64_t)p[len / 2] << 8 | p[len - 1];
    }
    return (seed ^ word) * prime;
}

static struct name numbered(const char *prefix, uint32_t number)
{
    struct name n;
    n.len = strlen(prefix);
    memcpy(n.bytes, prefix, n.len);
    for (size_t i = 6; i--; number /= 10)
        n.bytes[n.len + i] = (char)('0' + number % 10);
    n.len += 6;
    return n;
}

struct name data_room(uint32_t room)
{
    return numbered("#room", room);
}

struct name data_user(uint32_t user)
{
    return numbered("user", user);
}

static void made_up(void)
{
    enum { TEXTS = 4096, AUTHORS = 4096, MAIL = 1 << 20 };
    corpus.texts = calloc(TEXTS, sizeof *corpus.texts);
    corpus.authors = calloc(AUTHORS, sizeof *corpus.authors);
    char *names = calloc(AUTHORS, sizeof(struct name)), *mail = malloc(MAIL);
    if (!corpus.texts || !corpus.authors || !names || !mail)
        abort();
    for (size_t i = 0; i < TEXTS; i++) {
        uint64_t r = data_mix(i);
        struct name author = numbered("nick", (uint32_t)i * 3 + 1);
        corpus.texts[i] = (struct text){ words + (r >> 40) % (sizeof words - 130), 20 + (r >> 20) % 100 };
        corpus.authors[i] = (struct text){ memcpy(names + i * sizeof author, author.bytes, author.len), author.len };
    }
    for (size_t i = 0; i < MAIL; i++)
        mail[i] = words[data_mix(i / 16) % 8 * 16 + i % 16];
    corpus.mail = (struct text){ mail, MAIL };
    corpus.posts = corpus.texts;
    corpus.text_count = corpus.post_count = TEXTS;
}

/* All of a gzip file; bytes above ASCII of e-mails are in many charsets, so they are masked where told. */
static struct text unpacked(const char *folder, const char *file, bool ascii)
{
    char command[4200];
    size_t room = 1 << 20, len = 0, n;
    char *bytes = malloc(room);
    snprintf(command, sizeof command, "gzip -dc '%s/%s'", folder, file);
    FILE *f = popen(command, "r");
    if (!f || !bytes)
        abort();
    while ((n = fread(bytes + len, 1, room - len, f)) > 0) {
        len += n;
        if (len == room && !(bytes = realloc(bytes, room *= 2)))
            abort();
    }
    if (pclose(f) != 0)
        len = 0;
    for (size_t i = 0; ascii && i < len; i++)
        if (bytes[i] & 0x80 || bytes[i] == 0)
            bytes[i] = '?';
    return (struct text){ bytes, len };
}

/* One field of each line of a file, tabs between fields. */
static struct text *field(struct text file, int which, size_t *count)
{
    size_t room = 1024;
    struct text *out = malloc(room * sizeof *out);
    const char *p = file.bytes, *end = p + file.len, *stop;
    *count = 0;
    for (; p < end && (stop = memchr(p, '\n', (size_t)(end - p))); p = stop + 1) {
        const char *tab = NULL;
        for (int f = 0; f <= which && p <= stop; f++, p = tab + 1) {
            tab = memchr(p, '\t', (size_t)(stop - p));
            if (!tab)
                tab = stop;
            if (f < which)
                continue;
            if (*count == room)
                out = realloc(out, (room *= 2) * sizeof *out);
            if (!out)
                abort();
            out[(*count)++] = (struct text){ p, (size_t)(tab - p) };
        }
    }
    return out;
}

const char *data_load(const char *folder)
{
    size_t authors = 0;
    made_up();
    if (!*folder)
        return NULL;
    struct text chat = unpacked(folder, "chat.tsv.gz", false), posts = unpacked(folder, "posts.tsv.gz", false);
    struct text mail = unpacked(folder, "mail.mbox.gz", true);
    if (!chat.len || !posts.len || mail.len < 1 << 20)
        return "chat.tsv.gz, posts.tsv.gz or mail.mbox.gz cannot be read";
    corpus.authors = field(chat, 2, &authors);
    corpus.texts = field(chat, 3, &corpus.text_count);
    corpus.posts = field(posts, 2, &corpus.post_count);
    corpus.mail = mail;
    return authors == corpus.text_count && corpus.post_count ? NULL : "chat.tsv.gz or posts.tsv.gz has lines of other fields";
}

/* A version 1 uuid of a time in 100 ns since 1582. */
static void make_id(uint64_t ticks, uint64_t node, uint8_t out[16])
{
    uint8_t order[16] = { 0x10 | (ticks >> 56 & 0x0f) };
    for (int i = 1; i < 8; i++)
        order[i] = (uint8_t)(ticks >> (56 - 8 * i));
    memcpy(order + 8, &node, 8);
    order[8] = 0x80;
    data_time_id(order, out);
}

void data_time_order(const uint8_t id[16], uint8_t out[16])
{
    memcpy(out, id + 6, 2);
    memcpy(out + 2, id + 4, 2);
    memcpy(out + 4, id, 4);
    memcpy(out + 8, id + 8, 8);
}

void data_time_id(const uint8_t order[16], uint8_t out[16])
{
    memcpy(out, order + 4, 4);
    memcpy(out + 4, order + 2, 2);
    memcpy(out + 6, order, 2);
    memcpy(out + 8, order + 8, 8);
}

#define TICKS_FIRST 0x1e5000000000000u

static void message_at(uint64_t i, uint64_t ticks, uint32_t rooms, struct message *out)
{
    uint64_t r = data_mix(i);
    size_t line = (r >> 32) % corpus.text_count;
    out->room = data_room((uint32_t)(r % rooms));
    make_id(ticks, 0x0605040302010080u, out->id);
    out->author = corpus.authors[line];
    out->text = corpus.texts[line];
    out->system = (r >> 60) == 0;
}

void data_message(uint64_t i, uint32_t rooms, struct message *out)
{
    message_at(i, TICKS_FIRST + i * 10007, rooms, out);
}

void data_message_scattered(uint64_t i, uint32_t rooms, struct message *out)
{
    message_at(i, TICKS_FIRST + (data_mix(~i) >> 12), rooms, out);
}

uint64_t data_message_bytes(const struct message *m)
{
    return m->room.len + sizeof m->id + m->author.len + m->text.len + 1;
}

void data_mail_id(uint64_t i, uint8_t out[16])
{
    make_id(data_mix(i), data_mix(i ^ 0x5555), out);
}

void data_mail(uint64_t i, struct mail *out)
{
    enum { SUBJECT = 40, BODY = 940 };
    uint64_t at = data_mix(i) % (corpus.mail.len - SUBJECT - BODY);
    data_mail_id(i, out->id);
    out->from = corpus.authors[i % corpus.text_count];
    out->subject = (struct text){ corpus.mail.bytes + at, SUBJECT };
    out->body = (struct text){ corpus.mail.bytes + at + SUBJECT, BODY };
}

void data_post(uint64_t i, uint32_t users, struct post *out)
{
    uint64_t r = data_mix(i ^ 0xabcdef);
    make_id(TICKS_FIRST + i * 10007, 0x0605040302010080u, out->id);
    out->author = data_user((uint32_t)(r % users));
    out->body = corpus.posts[(r >> 32) % corpus.post_count];
    out->first_follower = (uint32_t)(r >> 16) % users;
    out->users = users;
}

struct name data_follower(const struct post *post, unsigned k)
{
    return data_user((uint32_t)((post->first_follower + (uint64_t)k * 7919) % post->users)); /* a prime: all are different */
}

static float small_number(uint64_t x)
{
    return (float)(data_mix(x) >> 40) * 0x1p-23f - 1;
}

void data_vector(uint64_t i, struct vector *out)
{
    enum { SUBJECTS = 500 };
    uint64_t subject = ~(data_mix(i) % SUBJECTS) * VECTOR_DIMENSION, own = i * VECTOR_DIMENSION;
    for (unsigned k = 0; k < VECTOR_DIMENSION; k++)
        out->at[k] = small_number(subject + k) + small_number(own + k);
}
