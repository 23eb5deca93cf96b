#include <string.h>

#include "records.h"

const char *const record_names[RECORD_KINDS] = { "messages", "mails", "counters", "users", "posts", "timelines", "vectors" };

static size_t put(uint8_t *out, size_t at, const void *bytes, size_t len)
{
    memcpy(out + at, bytes, len);
    return at + len;
}

size_t record_row_key(struct name partition, const uint8_t id[16], uint8_t *out)
{
    size_t n = put(out, 0, partition.bytes, partition.len);
    out[n++] = 0;
    if (!id)
        return n;
    data_time_order(id, out + n);
    return n + 16;
}

size_t record_counter_key(struct name user, uint32_t folder, uint8_t *out)
{
    size_t n = put(out, 0, user.bytes, user.len);
    out[n++] = 0;
    struct name label = data_room(folder);
    return put(out, n, label.bytes, label.len);
}

size_t record_message(const struct message *m, uint8_t *out)
{
    out[0] = m->system;
    out[1] = (uint8_t)m->author.len;
    size_t n = put(out, 2, m->author.bytes, m->author.len);
    return put(out, n, m->text.bytes, m->text.len);
}

size_t record_mail(const struct mail *m, uint8_t *out)
{
    out[0] = (uint8_t)m->from.len;
    out[1] = (uint8_t)m->subject.len;
    size_t n = put(out, 2, m->from.bytes, m->from.len);
    n = put(out, n, m->subject.bytes, m->subject.len);
    return put(out, n, m->body.bytes, m->body.len);
}

size_t record_post(const struct post *p, uint8_t *out)
{
    out[0] = (uint8_t)p->author.len;
    size_t n = put(out, 1, p->author.bytes, p->author.len);
    return put(out, n, p->body.bytes, p->body.len);
}

uint64_t record_sum_message(const uint8_t time[16], struct bytes value, uint64_t seed)
{
    uint8_t id[16];
    size_t author = value.data[1];
    data_time_id(time, id);
    seed = data_sum(id, 16, seed);
    seed = data_sum(value.data + 2, author, seed);
    seed = data_sum(value.data + 2 + author, value.len - 2 - author, seed);
    return data_sum(value.data, 1, seed);
}

uint64_t record_sum_scanned(struct bytes key, struct bytes value)
{
    return record_sum_message(key.data + key.len - 16, value, data_sum(key.data, key.len - 17, SUM_SEED));
}

uint64_t record_sum_mail(struct bytes value)
{
    size_t from = value.data[0], subject = value.data[1];
    uint64_t sum = data_sum(value.data + 2, from, SUM_SEED);
    sum = data_sum(value.data + 2 + from, subject, sum);
    return data_sum(value.data + 2 + from + subject, value.len - 2 - from - subject, sum);
}

uint64_t record_sum_post(const uint8_t id[16], struct bytes value)
{
    size_t author = value.data[0];
    uint64_t sum = data_sum(id, 16, SUM_SEED);
    sum = data_sum(value.data + 1, author, sum);
    return data_sum(value.data + 1 + author, value.len - 1 - author, sum);
}
