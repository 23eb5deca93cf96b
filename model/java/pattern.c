/* java.util.regex: Pattern, Matcher, PatternSyntaxException; and what String has of them. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"
#include "model/java/regex.h"

/* ---- texts ---- */

/* What a CharSequence has now, as a String. */
static bool text_of(struct java_run *run, struct java_object *sequence, const struct java_object **out)
{
    struct java_object *copy;
    if (!java_check_argument(run, sequence))
        return false;
    *out = sequence;
    if (sequence->kind == J_STRING)
        return true;
    if (!java_string(run, sequence->string.units, sequence->string.len, &copy))
        return false;
    *out = copy;
    return true;
}

static bool give_part(struct java_run *run, const struct java_object *text, int32_t from, int32_t to,
                      union java_value *out)
{
    return java_string(run, text->string.units + from, (size_t)(to - from), &out->o);
}

static void put_part(struct buf *utf16, const struct java_object *text, int32_t from, int32_t to)
{
    if (to > from)
        buf_put(utf16, text->string.units + from, (size_t)(to - from) * sizeof(uint16_t));
}

static bool compile(struct java_run *run, const struct java_object *pattern, int64_t flags, struct regex **out)
{
    if (!pattern)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.isEmpty()\" because \"this.pattern\" is null");
    if (flags & ~(int64_t)REGEX_FLAGS)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Unknown flag 0x%x", (unsigned)flags);
    return regex_compile(run, pattern, (unsigned)flags, out);
}

static bool new_matcher(struct java_run *run, const struct regex *regex, struct java_object *sequence,
                        struct regex_matcher **out)
{
    const struct java_object *text;
    if (!sequence)
        return java_throw(run, J_NULL_POINTER,
                          "Cannot invoke \"java.lang.CharSequence.length()\" because \"this.text\" is null");
    return text_of(run, sequence, &text) && (*out = java_alloc(run, sizeof **out)) &&
           regex_matcher_init(run, *out, regex, text);
}

/* ---- parts, replacements: what Pattern, Matcher and String share ---- */

static bool find_next(struct java_run *run, struct regex_matcher *m, bool *is)
{
    return java_spend(run, 1) && regex_find(run, m, is);
}

static bool add_part(struct java_run *run, struct java_list *list, const struct java_object *text, int32_t from,
                     int32_t to)
{
    union java_value part;
    return give_part(run, text, from, to, &part) && java_list_add(run, list, list->count, part.o);
}

/* limit 0: empty parts at the end are left out. Below: all are there. */
static bool split(struct java_run *run, struct regex_matcher *m, int64_t limit, union java_value *out)
{
    struct java_list list = { 0 };
    int32_t at = 0;
    bool is;

    for (;;) {
        if (!find_next(run, m, &is))
            return false;
        if (!is || (limit > 0 && list.count + 1 >= limit))
            break;
        if (m->groups[1] == 0) /* nothing, in front of all */
            continue;
        if (!add_part(run, &list, m->text, at, m->groups[0]))
            return false;
        at = m->groups[1];
    }
    if (!add_part(run, &list, m->text, at, (int32_t)m->text->string.len))
        return false;
    while (limit == 0 && at && list.count && !list.items[list.count - 1]->string.len)
        list.count--;
    return java_array_of_items(run, J_STRING, list.items, list.count, &out->o);
}

static bool bad_replacement(struct java_run *run, const char *what)
{
    return java_throw(run, J_ILLEGAL_ARGUMENT, "%s", what);
}

static bool is_name(uint16_t c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* The group that ${name} means, the cursor behind its brace. */
static bool named_group(struct java_run *run, const struct regex_matcher *m, const struct java_object *r, uint32_t *at,
                        uint32_t *group)
{
    struct buf name;
    buf_init(&name, run->ctx->arena);
    while (*at < r->string.len && is_name(r->string.units[*at]))
        buf_put_u8(&name, (uint8_t)r->string.units[(*at)++]);
    if (name.failed)
        return java_ok(run, fail_nomem(run->ctx));
    if (!name.len)
        return bad_replacement(run, "named capturing group has 0 length name");
    if (*at == r->string.len || r->string.units[*at] != '}')
        return bad_replacement(run, "named capturing group is missing trailing '}'");
    if (name.data[0] <= '9')
        return java_throw(run, J_ILLEGAL_ARGUMENT, "capturing group name {%.*s} starts with digit character",
                          SLICE_ARG(buf_slice(&name)));
    const struct regex_name *n = regex_find_name(m->regex, buf_slice(&name));
    if (!n)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "No group with name {%.*s}", SLICE_ARG(buf_slice(&name)));
    ++*at;
    *group = n->group;
    return true;
}

/* The group that $1 means: as many digits as make one that is there. */
static bool numbered_group(struct java_run *run, const struct regex_matcher *m, const struct java_object *r,
                           uint32_t *at, uint32_t *group)
{
    *group = r->string.units[(*at)++] - (uint32_t)'0';
    if (*group > 9)
        return bad_replacement(run, "Illegal group reference");
    for (; *at < r->string.len; ++*at) {
        uint32_t digit = r->string.units[*at] - (uint32_t)'0';
        if (digit > 9 || *group * 10 + digit >= m->regex->group_count)
            break;
        *group = *group * 10 + digit;
    }
    return *group < m->regex->group_count || java_throw(run, J_INDEX, "No group %u", *group);
}

/* A replacement with what its $1, ${name} and \ stand for. */
static bool put_replacement(struct java_run *run, const struct regex_matcher *m, const struct java_object *r,
                            struct buf *utf16)
{
    uint32_t group = 0;

    for (uint32_t at = 0; at < r->string.len;) {
        uint16_t c = r->string.units[at++];
        if (c != '\\' && c != '$') {
            buf_put(utf16, &c, sizeof c);
            continue;
        }
        if (at == r->string.len)
            return bad_replacement(run, c == '$' ? "Illegal group reference: group index is missing"
                                                 : "character to be escaped is missing");
        if (c == '\\') {
            buf_put(utf16, &r->string.units[at++], sizeof c);
            continue;
        }
        bool named = r->string.units[at] == '{';
        at += named;
        if (named ? !named_group(run, m, r, &at, &group) : !numbered_group(run, m, r, &at, &group))
            return false;
        put_part(utf16, m->text, m->groups[2 * group], m->groups[2 * group + 1]);
        if (!java_check_text(run, utf16))
            return false;
    }
    return true;
}

/* What lies between the match before and this one, and the replacement. */
static bool append_replacement(struct java_run *run, struct regex_matcher *m, const struct java_object *r,
                               struct buf *utf16)
{
    put_part(utf16, m->text, m->appended, m->groups[0]);
    if (!java_spend(run, (r->string.len + (uint32_t)(m->groups[0] - m->appended)) / JAVA_COMPARED_AT_ONCE) ||
        !java_check_text(run, utf16) || !put_replacement(run, m, r, utf16))
        return false;
    m->appended = m->groups[1];
    return true;
}

static bool replace(struct java_run *run, struct regex_matcher *m, const struct java_object *by, bool all,
                    union java_value *out)
{
    struct buf text;
    bool is;

    if (!by && !all)
        return java_throw(run, J_NULL_POINTER, "replacement");
    regex_matcher_reset(m);
    buf_init(&text, run->ctx->arena);
    if (!find_next(run, m, &is))
        return false;
    if (!is) {
        out->o = (struct java_object *)m->text;
        return true;
    }
    if (!by)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"replacement\" is null");
    while (is)
        if (!append_replacement(run, m, by, &text) || !(all ? find_next(run, m, &is) : !(is = false)))
            return false;
    put_part(&text, m->text, m->appended, (int32_t)m->text->string.len);
    return java_check_text(run, &text) && java_give_text(run, &text, out);
}

/* ---- String ---- */

/* A pattern of this call only, over a String. */
static bool use_once(struct java_run *run, const struct java_object *pattern, struct java_object *text,
                     struct regex_matcher **out)
{
    struct regex *regex;
    return compile(run, pattern, 0, &regex) && new_matcher(run, regex, text, out);
}

JAVA_CALL(string_matches)
{
    struct regex_matcher *m = NULL;
    bool is;
    JAVA_UNUSED;
    if (!use_once(run, args[0].o, self->o, &m) || !regex_match(run, m, 0, REGEX_WHOLE, &is))
        return false;
    out->i = is;
    return true;
}

enum { REPLACE_FIRST, REPLACE_ALL };

JAVA_CALL(string_replace_matches)
{
    struct regex_matcher *m = NULL;
    JAVA_UNUSED;
    return use_once(run, args[0].o, self->o, &m) && replace(run, m, args[1].o, method->variant == REPLACE_ALL, out);
}

JAVA_CALL(string_split)
{
    struct regex_matcher *m = NULL;
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"regex\" is null");
    return use_once(run, args[0].o, self->o, &m) && split(run, m, method->args[1] ? args[1].i : 0, out);
}

/* ---- Pattern ---- */

JAVA_CALL(pattern_compile)
{
    struct regex *regex;
    JAVA_UNUSED;
    if (!compile(run, args[0].o, method->args[1] ? args[1].i : 0, &regex) || !(out->o = java_new(run, J_PATTERN)))
        return false;
    out->o->regex = regex;
    return true;
}

JAVA_CALL(pattern_matches)
{
    struct java_object *text = args[1].o;
    struct regex_matcher *m = NULL;
    bool is;
    JAVA_UNUSED;
    if (!use_once(run, args[0].o, text, &m) || !regex_match(run, m, 0, REGEX_WHOLE, &is))
        return false;
    out->i = is;
    return true;
}

JAVA_CALL(pattern_matcher)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_MATCHER)))
        return false;
    return new_matcher(run, self->o->regex, args[0].o, &out->o->matcher);
}

JAVA_CALL(pattern_split)
{
    struct regex_matcher *m = NULL;
    JAVA_UNUSED;
    return new_matcher(run, self->o->regex, args[0].o, &m) && split(run, m, method->args[1] ? args[1].i : 0, out);
}

JAVA_CALL(pattern_text)
{
    JAVA_UNUSED;
    out->o = (struct java_object *)self->o->regex->pattern;
    return true;
}

JAVA_CALL(pattern_flags)
{
    JAVA_UNUSED;
    out->i = self->o->regex->flags;
    return true;
}

JAVA_CALL(pattern_quote)
{
    static const char end[] = "\\E\\\\E\\Q";
    const struct java_object *s = args[0].o;
    struct buf text;
    JAVA_UNUSED;

    if (!s)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.indexOf(String)\" because \"s\" is null");
    buf_init(&text, run->ctx->arena);
    java_put_ascii(&text, "\\Q", 2);
    for (uint32_t i = 0; i < s->string.len; i++) {
        if (s->string.units[i] == '\\' && i + 1 < s->string.len && s->string.units[i + 1] == 'E') {
            java_put_ascii(&text, end, sizeof end - 1);
            i++;
        } else {
            buf_put(&text, &s->string.units[i], sizeof(uint16_t));
        }
    }
    java_put_ascii(&text, "\\E", 2);
    return java_spend(run, s->string.len / JAVA_COMPARED_AT_ONCE) && java_give_text(run, &text, out);
}

/* ---- Matcher ---- */

enum { MATCH_ALL, MATCH_FRONT, MATCH_NEXT, MATCH_FROM };

JAVA_CALL(matcher_match)
{
    struct regex_matcher *m = self->o->matcher;
    bool is, done;
    JAVA_UNUSED;
    switch (method->variant) {
    case MATCH_NEXT:
        done = find_next(run, m, &is);
        break;
    case MATCH_FROM:
        if (args[0].i < 0 || args[0].i > m->text->string.len)
            return java_throw(run, J_INDEX, "Illegal start index");
        regex_matcher_reset(m);
        done = regex_search(run, m, (int32_t)args[0].i, &is);
        break;
    default:
        done = regex_match(run, m, m->from, method->variant == MATCH_ALL ? REGEX_WHOLE : REGEX_PREFIX, &is);
        break;
    }
    if (done)
        out->i = is;
    return done;
}

enum { GROUP_TEXT, GROUP_START, GROUP_END };

/* By its number, its name or, without arguments, the whole. live: not of a MatchResult. */
static bool group_argument(struct java_run *run, const struct java_method *method, bool live,
                           const struct regex_matcher *m, const union java_value *args, uint32_t *group)
{
    struct slice name;

    if (method->args[0] == J_STRING && !args[0].o)
        return java_throw(run, J_NULL_POINTER, "Group name");
    if (m->first < 0)
        return java_throw(run, J_ILLEGAL_STATE,
                          live && method->variant != GROUP_TEXT && method->args[0] != J_STRING ? "No match available"
                                                                                               : "No match found");
    *group = 0;
    if (method->args[0] == J_INT) {
        if (args[0].i < 0 || args[0].i >= m->regex->group_count)
            return java_throw(run, J_INDEX, "No group %d", (int)args[0].i);
        *group = (uint32_t)args[0].i;
    } else if (method->args[0]) {
        if (!java_utf8(run, args[0].o, &name))
            return false;
        const struct regex_name *n = regex_find_name(m->regex, name);
        if (!n)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "No group with name <%.*s>", SLICE_ARG(name));
        *group = n->group;
    }
    return true;
}

JAVA_CALL(matcher_group)
{
    const struct regex_matcher *m = self->o->matcher;
    uint32_t group;
    JAVA_UNUSED;
    if (!group_argument(run, method, self->o->kind == J_MATCHER, m, args, &group))
        return false;
    int32_t from = m->groups[2 * group], to = m->groups[2 * group + 1];
    if (method->variant != GROUP_TEXT) {
        out->i = method->variant == GROUP_START ? from : to;
        return true;
    }
    out->o = NULL;
    return from < 0 || give_part(run, m->text, from, to, out);
}

JAVA_CALL(matcher_group_count)
{
    JAVA_UNUSED;
    out->i = self->o->matcher->regex->group_count - 1;
    return true;
}

JAVA_CALL(matcher_reset)
{
    struct regex_matcher *m = self->o->matcher;
    JAVA_UNUSED;
    out->o = self->o;
    if (method->args[0])
        return args[0].o ? new_matcher(run, m->regex, args[0].o, &self->o->matcher)
                         : new_matcher(run, m->regex, NULL, &m);
    regex_matcher_reset(m);
    return true;
}

JAVA_CALL(matcher_replace)
{
    JAVA_UNUSED;
    return replace(run, self->o->matcher, args[0].o, method->variant == REPLACE_ALL, out);
}

static bool check_builder(struct java_run *run, const struct java_method *method, const struct java_object *to)
{
    return java_check_read(run, to,
                           method->args[0] == J_STRING_BUFFER ? "invoke \"java.lang.StringBuffer.append(java.lang.CharSequence, int, int)\""
                                                              : "invoke \"java.lang.StringBuilder.append(java.lang.CharSequence, int, int)\"",
                           "sb");
}

JAVA_CALL(matcher_append)
{
    struct regex_matcher *m = self->o->matcher;
    struct java_object *to = args[0].o;
    struct buf text;
    JAVA_UNUSED;

    if (m->first < 0)
        return java_throw(run, J_ILLEGAL_STATE, "No match available");
    if (!args[1].o)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.length()\" because \"replacement\" is null");
    if (!check_builder(run, method, to))
        return false;
    buf_init(&text, run->ctx->arena);
    out->o = self->o;
    return append_replacement(run, m, args[1].o, &text) && java_builder_put(run, to, to->string.len, &text);
}

JAVA_CALL(matcher_append_tail)
{
    const struct regex_matcher *m = self->o->matcher;
    struct java_object *to = args[0].o;
    struct buf text;
    JAVA_UNUSED;

    if (!check_builder(run, method, to))
        return false;
    buf_init(&text, run->ctx->arena);
    put_part(&text, m->text, m->appended, (int32_t)m->text->string.len);
    out->o = to;
    return java_builder_put(run, to, to->string.len, &text);
}

JAVA_CALL(matcher_pattern)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_PATTERN)))
        return false;
    out->o->regex = self->o->matcher->regex;
    return true;
}

JAVA_CALL(matcher_use_pattern)
{
    JAVA_UNUSED;
    if (!args[0].o)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Pattern cannot be null");
    out->o = self->o;
    return regex_matcher_use(run, self->o->matcher, args[0].o->regex);
}

/* What the match is now, whatever the matcher does later. */
JAVA_CALL(matcher_result)
{
    const struct regex_matcher *m = self->o->matcher;
    struct regex_matcher *copy;
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_MATCH_RESULT)) || !(copy = java_alloc(run, sizeof *copy)) ||
        !regex_matcher_init(run, copy, m->regex, m->text))
        return false;
    memcpy(copy->groups, m->groups, 2 * m->regex->group_count * sizeof *copy->groups);
    copy->first = m->first;
    out->o->matcher = copy;
    return true;
}

JAVA_CALL(matcher_region)
{
    struct regex_matcher *m = self->o->matcher;
    int64_t from = args[0].i, to = args[1].i, len = m->text->string.len;
    JAVA_UNUSED;
    if (from < 0 || from > len || to < 0 || to > len || from > to)
        return java_throw(run, J_INDEX, "%s",
                          from < 0 || from > len ? "start"
                          : from <= to || to < 0 ? "end"
                                                 : "start > end");
    regex_matcher_reset(m);
    m->from = (int32_t)from;
    m->to = (int32_t)to;
    out->o = self->o;
    return true;
}

enum { REGION_START, REGION_END };

JAVA_CALL(matcher_region_bound)
{
    JAVA_UNUSED;
    out->i = method->variant == REGION_START ? self->o->matcher->from : self->o->matcher->to;
    return true;
}

JAVA_CALL(matcher_quote)
{
    const struct java_object *s = args[0].o;
    struct buf text;
    JAVA_UNUSED;

    if (!s)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.indexOf(int)\" because \"s\" is null");
    buf_init(&text, run->ctx->arena);
    for (uint32_t i = 0; i < s->string.len; i++) {
        if (s->string.units[i] == '\\' || s->string.units[i] == '$')
            java_put_ascii(&text, "\\", 1);
        buf_put(&text, &s->string.units[i], sizeof(uint16_t));
    }
    return java_spend(run, s->string.len / JAVA_COMPARED_AT_ONCE) && java_give_text(run, &text, out);
}

/* ---- as objects ---- */

static bool pattern_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    const struct java_object *pattern = o->regex->pattern;
    (void)run;
    put_part(utf16, pattern, 0, (int32_t)pattern->string.len);
    return true;
}

static bool matcher_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    const struct java_object *pattern = o->matcher->regex->pattern;
    static const char opening[] = "java.util.regex.Matcher[pattern=";
    const struct regex_matcher *m = o->matcher;
    struct buf region;

    (void)run;
    java_put_ascii(utf16, opening, sizeof opening - 1);
    put_part(utf16, pattern, 0, (int32_t)pattern->string.len);
    buf_init(&region, utf16->arena);
    buf_printf(&region, " region=%d,%d lastmatch=", m->from, m->to);
    java_put_buf(utf16, &region);
    if (m->first >= 0)
        put_part(utf16, m->text, m->groups[0], m->groups[1]);
    java_put_ascii(utf16, "]", 1);
    return true;
}

const struct java_object_ops java_pattern_ops = { .print = pattern_print };
const struct java_object_ops java_matcher_ops = { .print = matcher_print };

/* ---- PatternSyntaxException ---- */

JAVA_CALL(syntax_new)
{
    JAVA_UNUSED;
    return regex_syntax_error(run, args[0].o, args[1].o, (int32_t)args[2].i, &out->o);
}

enum { SYNTAX_DESCRIPTION, SYNTAX_PATTERN, SYNTAX_INDEX };

JAVA_CALL(syntax_part)
{
    JAVA_UNUSED;
    if (method->variant == SYNTAX_INDEX)
        out->i = self->o->thrown.index;
    else
        out->o = method->variant == SYNTAX_PATTERN ? self->o->thrown.pattern_text : self->o->thrown.description;
    return true;
}

/* ---- the tables ---- */

#define GROUP(name, type, which)                                                                                       \
    { J_MATCH_RESULT, name, type, { 0 }, 0, matcher_group, which },                                                    \
        { J_MATCH_RESULT, name, type, { J_INT }, 0, matcher_group, which },                                            \
    {                                                                                                                  \
        J_MATCHER, name, type, { J_STRING }, 0, matcher_group, which                                                   \
    }
#define APPEND(builder)                                                                                                \
    { J_MATCHER, "appendReplacement", J_MATCHER, { builder, J_STRING }, 0, matcher_append, 0 },                        \
        { J_MATCHER, "appendTail", builder, { builder }, 0, matcher_append_tail, 0 }

const struct java_method java_pattern_methods[] = {
    { J_STRING, "matches", J_BOOLEAN, { J_STRING }, 0, string_matches, 0 },
    { J_STRING, "replaceAll", J_STRING, { J_STRING, J_STRING }, 0, string_replace_matches, REPLACE_ALL },
    { J_STRING, "replaceFirst", J_STRING, { J_STRING, J_STRING }, 0, string_replace_matches, REPLACE_FIRST },
    { J_STRING, "split", JX_STRINGS, { J_STRING }, 0, string_split, 0 },
    { J_STRING, "split", JX_STRINGS, { J_STRING, J_INT }, 0, string_split, 0 },
    { J_PATTERN, "compile", J_PATTERN, { J_STRING }, JAVA_STATIC, pattern_compile, 0 },
    { J_PATTERN, "compile", J_PATTERN, { J_STRING, J_INT }, JAVA_STATIC, pattern_compile, 0 },
    { J_PATTERN, "matches", J_BOOLEAN, { J_STRING, J_CHAR_SEQUENCE }, JAVA_STATIC, pattern_matches, 0 },
    { J_PATTERN, "quote", J_STRING, { J_STRING }, JAVA_STATIC, pattern_quote, 0 },
    { J_PATTERN, "matcher", J_MATCHER, { J_CHAR_SEQUENCE }, 0, pattern_matcher, 0 },
    { J_PATTERN, "pattern", J_STRING, { 0 }, 0, pattern_text, 0 },
    { J_PATTERN, "flags", J_INT, { 0 }, 0, pattern_flags, 0 },
    { J_PATTERN, "split", JX_STRINGS, { J_CHAR_SEQUENCE }, 0, pattern_split, 0 },
    { J_PATTERN, "split", JX_STRINGS, { J_CHAR_SEQUENCE, J_INT }, 0, pattern_split, 0 },
    { J_MATCHER, "matches", J_BOOLEAN, { 0 }, 0, matcher_match, MATCH_ALL },
    { J_MATCHER, "lookingAt", J_BOOLEAN, { 0 }, 0, matcher_match, MATCH_FRONT },
    { J_MATCHER, "find", J_BOOLEAN, { 0 }, 0, matcher_match, MATCH_NEXT },
    { J_MATCHER, "find", J_BOOLEAN, { J_INT }, 0, matcher_match, MATCH_FROM },
    GROUP("group", J_STRING, GROUP_TEXT),
    GROUP("start", J_INT, GROUP_START),
    GROUP("end", J_INT, GROUP_END),
    { J_MATCH_RESULT, "groupCount", J_INT, { 0 }, 0, matcher_group_count, 0 },
    { J_MATCHER, "reset", J_MATCHER, { 0 }, 0, matcher_reset, 0 },
    { J_MATCHER, "reset", J_MATCHER, { J_CHAR_SEQUENCE }, 0, matcher_reset, 0 },
    { J_MATCHER, "replaceAll", J_STRING, { J_STRING }, 0, matcher_replace, REPLACE_ALL },
    { J_MATCHER, "replaceFirst", J_STRING, { J_STRING }, 0, matcher_replace, REPLACE_FIRST },
    APPEND(J_STRING_BUILDER),
    APPEND(J_STRING_BUFFER),
    { J_MATCHER, "pattern", J_PATTERN, { 0 }, 0, matcher_pattern, 0 },
    { J_MATCHER, "usePattern", J_MATCHER, { J_PATTERN }, 0, matcher_use_pattern, 0 },
    { J_MATCHER, "toMatchResult", J_MATCH_RESULT, { 0 }, 0, matcher_result, 0 },
    { J_MATCHER, "region", J_MATCHER, { J_INT, J_INT }, 0, matcher_region, 0 },
    { J_MATCHER, "regionStart", J_INT, { 0 }, 0, matcher_region_bound, REGION_START },
    { J_MATCHER, "regionEnd", J_INT, { 0 }, 0, matcher_region_bound, REGION_END },
    { J_MATCHER, "quoteReplacement", J_STRING, { J_STRING }, JAVA_STATIC, matcher_quote, 0 },
    { J_PATTERN_SYNTAX, "<init>", J_PATTERN_SYNTAX, { J_STRING, J_STRING, J_INT }, 0, syntax_new, 0 },
    { J_PATTERN_SYNTAX, "getDescription", J_STRING, { 0 }, 0, syntax_part, SYNTAX_DESCRIPTION },
    { J_PATTERN_SYNTAX, "getPattern", J_STRING, { 0 }, 0, syntax_part, SYNTAX_PATTERN },
    { J_PATTERN_SYNTAX, "getIndex", J_INT, { 0 }, 0, syntax_part, SYNTAX_INDEX },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};

#define FLAG(name, flag) { J_PATTERN, name, J_INT, { .i = flag }, NULL }

const struct java_constant java_pattern_constants[] = {
    FLAG("UNIX_LINES", REGEX_UNIX_LINES),
    FLAG("CASE_INSENSITIVE", REGEX_CASE_INSENSITIVE),
    FLAG("COMMENTS", REGEX_COMMENTS),
    FLAG("MULTILINE", REGEX_MULTILINE),
    FLAG("LITERAL", REGEX_LITERAL),
    FLAG("DOTALL", REGEX_DOTALL),
    FLAG("UNICODE_CASE", REGEX_UNICODE_CASE),
    FLAG("CANON_EQ", REGEX_CANON_EQ),
    FLAG("UNICODE_CHARACTER_CLASS", REGEX_UNICODE_CLASS),
    { J_ERROR, NULL, J_ERROR, { .i = 0 }, NULL },
};
