/* Matcher's state: where it has come to in its text, what the last match was, where the next is looked for. */
#include "model/java/regex.h"

bool regex_matcher_use(struct java_run *run, struct regex_matcher *m, const struct regex *regex)
{
    size_t places = m->text->string.len / 64 + 1u;

    m->regex = regex;
    m->groups = java_alloc(run, 2 * regex->group_count * sizeof *m->groups);
    m->locals = java_alloc(run, (regex->local_count + 1) * sizeof *m->locals);
    m->failed = java_alloc(run, (regex->memory_count + 1) * sizeof *m->failed);
    if (!m->groups || !m->locals || !m->failed)
        return false;
    memset(m->groups, -1, 2 * regex->group_count * sizeof *m->groups);
    memset(m->locals, -1, (regex->local_count + 1) * sizeof *m->locals);
    for (uint32_t i = 0; i < regex->memory_count; i++)
        if (!(m->failed[i] = java_alloc(run, places * sizeof **m->failed)))
            return false;
    return true;
}

void regex_matcher_reset(struct regex_matcher *m)
{
    m->from = 0;
    m->to = (int32_t)m->text->string.len;
    m->first = -1;
    m->last = 0;
    m->before = -1;
    m->appended = 0;
    memset(m->groups, -1, 2 * m->regex->group_count * sizeof *m->groups);
}

bool regex_matcher_init(struct java_run *run, struct regex_matcher *m, const struct regex *regex,
                        const struct java_object *text)
{
    m->text = text;
    m->units = text->string.units;
    if (!regex_matcher_use(run, m, regex))
        return false;
    regex_matcher_reset(m);
    return true;
}

static void begin_match(struct regex_matcher *m, int32_t from)
{
    size_t places = m->text->string.len / 64 + 1u;
    m->before = m->before < 0 ? from : m->before;
    memset(m->groups, -1, 2 * m->regex->group_count * sizeof *m->groups);
    for (uint32_t i = 0; i < m->regex->memory_count; i++)
        memset(m->failed[i], 0, places * sizeof **m->failed);
}

/* *is: from that place on there is a match. */
static bool match_at(struct java_run *run, struct regex_matcher *m, int32_t place, bool whole, bool *is)
{
    if (!java_spend(run, 1) || !regex_walk(run, m, place, whole, is))
        return false;
    if (*is) {
        m->first = m->groups[0] = place;
        m->groups[1] = m->last;
    }
    return true;
}

static bool end_match(struct regex_matcher *m, bool is)
{
    if (!is)
        m->first = -1;
    m->before = m->last;
    return true;
}

bool regex_match(struct java_run *run, struct regex_matcher *m, int32_t from, enum regex_extent extent, bool *is)
{
    from = from < 0 ? 0 : from;
    begin_match(m, from);
    return java_spend(run, m->text->string.len / 64) && match_at(run, m, from, extent == REGEX_WHOLE, is) &&
           end_match(m, *is);
}

bool regex_search(struct java_run *run, struct regex_matcher *m, int32_t from, bool *is)
{
    int64_t end = (int64_t)m->to - (m->regex->least > 0 && m->regex->first->op != RN_BEGIN ? m->regex->least : 0);

    *is = false;
    from = from < 0 ? 0 : from;
    begin_match(m, from);
    for (int32_t i = from; i <= end && !*is; i++) {
        if (!match_at(run, m, i, false, is))
            return false;
        if (m->regex->first->op == RN_BEGIN)
            break;
        if (m->regex->pairs && i + 1 < m->to && (m->text->string.units[i] & 0xfc00) == 0xd800 &&
            (m->text->string.units[i + 1] & 0xfc00) == 0xdc00)
            i++;
    }
    return end_match(m, *is);
}

bool regex_find(struct java_run *run, struct regex_matcher *m, bool *is)
{
    int32_t from = m->last;
    if (from == m->first)
        from++;
    from = from < m->from ? m->from : from;
    if (from > m->to) {
        *is = false;
        memset(m->groups, -1, 2 * m->regex->group_count * sizeof *m->groups);
        return true;
    }
    return regex_search(run, m, from, is);
}
