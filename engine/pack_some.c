/* Several entries at once, in a read: each step is taken for all of them before the next, so that they wait for memory together. For pack.h's trees. */
#include "engine/descent.h"
#include "engine/look.h"
#include "engine/pack.h"

_Static_assert(STORE_SOME <= 32, "a bit for each");

/* ---- in their chunks ---- */

/* An entry that is looked for in a chunk: it is none before `low`, nor from `high` on. */
struct search {
    struct chunk chunk; /* of no entry: none is its */
    uint32_t low, high;
};

static uint32_t middle_of(const struct search *s)
{
    return s->low + (s->high - s->low) / 2;
}

/* False: damaged. */
static bool halve(struct search *s, struct wanted_entry *wanted)
{
    uint32_t middle = middle_of(s);
    struct slice there, value;

    if (!chunk_entry(&s->chunk, middle, &there, &value))
        return false;
    int order = slice_cmp(there, wanted->piece);
    if (order < 0)
        s->low = middle + 1;
    else
        s->high = order ? middle : s->low;
    if (order == 0) {
        wanted->value = value;
        for (size_t at = LINE_BYTES; at < value.len && at < 4 * LINE_BYTES; at += LINE_BYTES)
            __builtin_prefetch(value.data + at);
    }
    return true;
}

static int search_some(struct search *searches, struct wanted_entry *wanted, uint32_t count)
{
    for (bool more = true; more;) {
        more = false;
        for (uint32_t i = 0; i < count; i++)
            if (searches[i].low < searches[i].high)
                chunk_expect(&searches[i].chunk, middle_of(&searches[i]));
        for (uint32_t i = 0; i < count; i++) {
            if (searches[i].low == searches[i].high)
                continue;
            if (!halve(&searches[i], &wanted[i]))
                return MDB_CORRUPTED;
            more = true;
        }
    }
    return 0;
}

/* ---- their chunks ---- */

enum { DESCENT_LEAST = 4 }; /* fewer are as soon found by a cursor */

/* Where they lead without a cursor; false: it cannot be told of any. */
static bool go_down(struct txn *txn, enum tree tree, struct way *ways, uint32_t count)
{
    struct descent descent;

    if (count < DESCENT_LEAST || !descent_open(txn, tree, &descent))
        return false;
    descend(&descent, ways, count);
    return true;
}

static bool is_of_id(const struct way *way)
{
    return !slice_is_null(way->at) && read_u64(way->at.data) == way->id;
}

/* The chunks that are told without a cursor; *told: a bit for each. */
static int open_told(struct txn *txn, enum tree tree, const struct wanted_entry *wanted, uint32_t count, struct search *searches, uint32_t *told)
{
    struct way ways[STORE_SOME];

    *told = 0;
    for (uint32_t i = 0; i < count; i++)
        ways[i] = (struct way){ .id = wanted[i].id, .piece = wanted[i].piece };
    if (!go_down(txn, tree, ways, count))
        return 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_of_id(&ways[i])) {
            *told |= UINT32_C(1) << i;
            __builtin_prefetch(ways[i].value.data + LINE_BYTES);
        }
    for (uint32_t i = 0; i < count; i++)
        if ((*told >> i & 1) && !chunk_open(ways[i].value, &searches[i].chunk))
            return MDB_CORRUPTED;
    return 0;
}

static int find_chunk(struct cursor *c, const struct wanted_entry *wanted, struct chunk *out)
{
    uint8_t key[STORE_KEY_MAX];
    struct found found;

    put_u64(key, wanted->id);
    if (wanted->piece.len)
        memcpy(key + ID_BYTES, wanted->piece.data, wanted->piece.len);
    int code = pack_find_by(c, slice_of(key, ID_BYTES + wanted->piece.len), &found);
    if (!code)
        *out = found.chunk;
    return code == MDB_NOTFOUND ? 0 : code;
}

static int find_others(struct txn *txn, enum tree tree, const struct wanted_entry *wanted, uint32_t count, struct search *searches, uint32_t told)
{
    struct cursor c;

    if (told == (uint32_t)((UINT64_C(1) << count) - 1))
        return 0;
    int code = look_open(txn, tree, &c);
    if (code)
        return code;
    for (uint32_t i = 0; !code && i < count; i++)
        if (!(told >> i & 1))
            code = find_chunk(&c, &wanted[i], &searches[i].chunk);
    look_close(&c);
    return code;
}

int pack_get_some(struct txn *txn, enum tree tree, struct wanted_entry *wanted, uint32_t count)
{
    struct search searches[STORE_SOME];
    uint32_t told;

    for (uint32_t i = 0; i < count; i++) {
        searches[i] = (struct search){ 0 };
        wanted[i].value = SLICE_NULL;
    }
    int code = open_told(txn, tree, wanted, count, searches, &told);
    if (!code)
        code = find_others(txn, tree, wanted, count, searches, told);
    if (code)
        return code;
    for (uint32_t i = 0; i < count; i++)
        searches[i].high = searches[i].chunk.count;
    return search_some(searches, wanted, count);
}

/* The last chunk of an id is the only one if its bound is the least there is, and the first one is if another id's is behind it. */
static struct known_chunk known(const struct way *way, bool last)
{
    bool alone = last ? way->at.len == ID_BYTES : way->behind && way->behind != way->id;
    return (struct known_chunk){ .key = way->at, .bytes = way->value, .is_last = last, .alone = alone };
}

void pack_expect(struct txn *txn, enum tree tree, const uint64_t *ids, uint32_t count, bool last, struct known_chunk *chunks)
{
    struct way ways[STORE_SOME];
    uint8_t behind_all[STORE_KEY_MAX - ID_BYTES];

    memset(behind_all, 0xFF, last ? sizeof behind_all : 0);
    for (uint32_t i = 0; i < count; i++)
        ways[i] = (struct way){ .id = ids[i], .piece = last ? slice_of(behind_all, sizeof behind_all) : SLICE_EMPTY };
    bool told = go_down(txn, tree, ways, count);
    for (uint32_t i = 0; i < count; i++) {
        chunks[i] = (struct known_chunk){ .bytes = SLICE_NULL };
        if (!told || !is_of_id(&ways[i]))
            continue;
        chunks[i] = known(&ways[i], last);
        pack_fetch(chunks[i].bytes, last);
    }
}
