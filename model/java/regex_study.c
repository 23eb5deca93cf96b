/* How long what a graph matches is, and whether there is one way only to match it. */
#include "model/java/regex_read.h"

static int32_t wrap(int64_t v)
{
    return (int32_t)(uint32_t)(uint64_t)v;
}

const struct regex_study regex_nothing_known = { 0, 0, true, true };

static struct regex_study longer(struct regex_study s, int64_t least, int64_t most)
{
    s.least = wrap(s.least + least);
    s.most = wrap(s.most + most);
    return s;
}

static struct regex_study study_option(struct regex_parser *p, const struct regex_node *node, struct regex_study s)
{
    struct regex_study inner = regex_study(p, node->body, s);
    if (node->greed != RG_INDEPENDENT) {
        inner.least = s.least;
        inner.single = false;
    }
    return inner;
}

static struct regex_study study_repeat(struct regex_parser *p, const struct regex_node *node, struct regex_study s)
{
    struct regex_study inner = regex_study(p, node->body, regex_nothing_known);
    struct regex_study all = longer(s, wrap((int64_t)inner.least * node->least), wrap((int64_t)inner.most * node->most));
    bool wraps = node->op == RN_REPEAT && node->body->op == RN_CLASS && node->greed == RG_GREEDY && node->most == REGEX_REPEATED_MAX;

    s.bounded &= inner.bounded && (wraps || all.most >= s.most);
    s.least = all.least < s.least ? 0xfffffff : all.least;
    s.most = s.bounded ? all.most : s.most;
    s.single &= inner.single && node->least == node->most;
    return s;
}

static struct regex_study study_branches(struct regex_parser *p, const struct regex_node *node)
{
    struct regex_study all = { INT32_MAX, -1, true, false };

    for (uint32_t i = 0; i < node->branch_count; i++) {
        struct regex_study one = node->branches[i] ? regex_study(p, node->branches[i], regex_nothing_known) : regex_nothing_known;
        all.least = one.least < all.least ? one.least : all.least;
        all.most = one.most > all.most ? one.most : all.most;
        all.bounded &= one.bounded;
    }
    return all;
}

static struct regex_study behind(struct regex_study before, struct regex_study s)
{
    s = longer(s, before.least, before.most);
    s.bounded &= before.bounded;
    s.single &= before.single;
    return s;
}

/* From the node to the end of the graph; s: what is known of what stands before. */
struct regex_study regex_study(struct regex_parser *p, const struct regex_node *node, struct regex_study s)
{
    struct regex_study before = regex_nothing_known; /* up to the last branches */

    for (; node && !p->failed; node = node->next) {
        if (!java_spend(p->run, 1))
            regex_stop(p);
        switch (node->op) {
        case RN_CLASS:
            s = longer(s, 1, 1);
            break;
        case RN_SLICE:
            s = longer(s, node->character_count, node->character_count);
            break;
        case RN_LINE_ENDING:
            s = longer(s, 1, 2);
            break;
        case RN_REFERENCE:
            s.bounded = false;
            break;
        case RN_OPTION:
            s = study_option(p, node, s);
            break;
        case RN_REPEAT:
        case RN_GROUP:
            s = study_repeat(p, node, s);
            break;
        case RN_BRANCH:
            before = behind(before, behind(s, study_branches(p, node)));
            s = regex_nothing_known;
            node = node->body; /* what its branches end in */
            break;
        case RN_PROLOG:
        case RN_LOOP:
            s.bounded = s.single = false;
            node = &p->accept;
            break;
        case RN_BRANCH_END: /* what is behind it is looked at once, for all branches */
            node = &p->accept;
            break;
        default:
            break;
        }
    }
    return behind(before, s);
}
