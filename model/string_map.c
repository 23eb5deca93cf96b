#include "model/string_map.h"

#include <stdlib.h>

struct map_entry {
    struct slice key, value;
};

static int entry_cmp(const void *a, const void *b)
{
    return slice_cmp(((const struct map_entry *)a)->key, ((const struct map_entry *)b)->key);
}

static enum wr_status from_entries(struct ctx *ctx, const struct map_entry *entries, uint32_t count, const struct slice *written,
                                   uint32_t written_count, struct string_map *out)
{
    struct slice *keys = NEW_ARRAY(ctx, struct slice, count);
    struct slice *values = NEW_ARRAY(ctx, struct slice, count);
    if (!keys || !values)
        return WR_NOMEM;
    for (uint32_t i = 0; i < count; i++) {
        keys[i] = entries[i].key;
        values[i] = entries[i].value;
    }
    *out = (struct string_map){ .keys = keys, .values = values, .count = count, .written = written, .written_count = written_count };
    return WR_OK;
}

enum wr_status string_map_from_pairs(struct ctx *ctx, const struct ast_pair *pairs, struct string_map *out)
{
    uint32_t count = 0;
    for (const struct ast_pair *p = pairs; p; p = p->next)
        count++;
    struct map_entry *entries = NEW_ARRAY(ctx, struct map_entry, count);
    struct slice *written = NEW_ARRAY(ctx, struct slice, count);
    if (!entries || !written)
        return WR_NOMEM;
    count = 0;
    for (const struct ast_pair *p = pairs; p; p = p->next) {
        written[count] = p->key;
        entries[count++] = (struct map_entry){ p->key, p->value };
    }
    if (count)
        qsort(entries, count, sizeof *entries, entry_cmp);
    return from_entries(ctx, entries, count, written, count, out);
}

/* Its place, or the map's count. */
static uint32_t place_of(const struct string_map *map, struct slice key)
{
    const struct slice *found = map->count ? bsearch(&key, map->keys, map->count, sizeof key, slices_cmp) : NULL;
    return found ? (uint32_t)(found - map->keys) : map->count;
}

struct slice string_map_get(const struct string_map *map, struct slice key)
{
    uint32_t i = place_of(map, key);
    return i < map->count ? map->values[i] : SLICE_NULL;
}

enum wr_status string_map_written(struct ctx *ctx, const struct string_map *map, struct slice **out)
{
    bool *is_out = NEW_ARRAY(ctx, bool, map->count);
    uint32_t n = 0;

    *out = NEW_ARRAY(ctx, struct slice, map->count);
    if (!*out || !is_out)
        return WR_NOMEM;
    for (uint32_t k = 0; k < map->written_count; k++) {
        uint32_t i = place_of(map, map->written[k]);
        if (i == map->count || is_out[i])
            continue;
        is_out[i] = true;
        (*out)[n++] = map->keys[i];
    }
    for (uint32_t i = 0; i < map->count; i++)
        if (!is_out[i])
            (*out)[n++] = map->keys[i];
    return WR_OK;
}

enum wr_status string_map_set(struct ctx *ctx, const struct string_map *map, struct slice key, struct slice value,
                              struct string_map *out)
{
    struct map_entry *entries = NEW_ARRAY(ctx, struct map_entry, map->count + 1);
    uint32_t n = 0;
    bool placed = false;
    if (!entries)
        return WR_NOMEM;
    for (uint32_t i = 0; i < map->count; i++) {
        int c = slice_cmp(map->keys[i], key);
        if (c >= 0 && !placed) {
            entries[n++] = (struct map_entry){ key, value };
            placed = true;
        }
        if (c != 0)
            entries[n++] = (struct map_entry){ map->keys[i], map->values[i] };
    }
    if (!placed)
        entries[n++] = (struct map_entry){ key, value };
    return from_entries(ctx, entries, n, map->written, map->written_count, out);
}

/* Without those whose key, or value, is the text. */
static enum wr_status without(struct ctx *ctx, const struct string_map *map, const struct slice *looked_at, struct slice text, struct string_map *out)
{
    struct map_entry *entries = NEW_ARRAY(ctx, struct map_entry, map->count);
    uint32_t n = 0;
    if (!entries)
        return WR_NOMEM;
    for (uint32_t i = 0; i < map->count; i++)
        if (!slice_eq(looked_at[i], text))
            entries[n++] = (struct map_entry){ map->keys[i], map->values[i] };
    return from_entries(ctx, entries, n, map->written, map->written_count, out);
}

enum wr_status string_map_without(struct ctx *ctx, const struct string_map *map, struct slice key, struct string_map *out)
{
    return without(ctx, map, map->keys, key, out);
}

enum wr_status string_map_without_value(struct ctx *ctx, const struct string_map *map, struct slice value, struct string_map *out)
{
    return without(ctx, map, map->values, value, out);
}

bool string_map_eq(const struct string_map *a, const struct string_map *b)
{
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!slice_eq(a->keys[i], b->keys[i]) || !slice_eq(a->values[i], b->values[i]))
            return false;
    return true;
}

const char *string_map_key_list(struct ctx *ctx, const struct slice *keys, uint32_t count)
{
    struct buf buf;
    buf_init(&buf, ctx->arena);
    buf_put_u8(&buf, '[');
    for (uint32_t i = 0; i < count; i++) {
        buf_put_str(&buf, i ? ", " : "");
        buf_put_slice(&buf, keys[i]);
    }
    buf_put(&buf, "]", 2);
    return buf.failed ? "[]" : (const char *)buf.data;
}

void cql_put_string(struct buf *buf, struct slice text)
{
    buf_put_u8(buf, '\'');
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '\'')
            buf_put_u8(buf, '\'');
        buf_put_u8(buf, text.data[i]);
    }
    buf_put_u8(buf, '\'');
}

void string_map_print(struct buf *buf, const struct string_map *map)
{
    buf_put_u8(buf, '{');
    for (uint32_t i = 0; i < map->count; i++) {
        if (i)
            buf_put_str(buf, ", ");
        cql_put_string(buf, map->keys[i]);
        buf_put_str(buf, ": ");
        cql_put_string(buf, map->values[i]);
    }
    buf_put_u8(buf, '}');
}
