/* How long what a graph matches is, and whether there is one way only to match it. */
#include "model/java/regex_read.h"

static int32_t wrap(int64_t v)
{
    return (int32_t)(uint32_t)(uint64_t)v;
}

const struct regex_study regex_nothing_known = { 0, 0, true, true };

/* From the node to the end of the graph; s: what is known of what stands before. */
struct regex_study regex_study(struct regex_parser *p, const struct regex_node *node, struct regex_study s)
{
    struct regex_study before = regex_nothing_known, inner;
    bool branched = false;

    for (; node && !p->failed; node = node->next) {
        if (!java_spend(p->run, 1))
            regex_stop(p);
        switch (node->op) {
        case RN_CLASS:
            s.least = wrap(s.least + INT64_C(1));
            s.most = wrap(s.most + INT64_C(1));
            break;
        case RN_SLICE:
            s.least = wrap(s.least + (int64_t)node->character_count);
            s.most = wrap(s.most + (int64_t)node->character_count);
            break;
        case RN_LINE_ENDING:
            s.least = wrap(s.least + INT64_C(1));
            s.most = wrap(s.most + INT64_C(2));
            break;
        case RN_REFERENCE:
            s.bounded = false;
            break;
        case RN_OPTION:
            inner = regex_study(p, node->body, s);
            inner.least = node->greed == RG_INDEPENDENT ? inner.least : s.least;
            inner.single &= node->greed == RG_INDEPENDENT;
            s = inner;
            break;
        case RN_REPEAT:
        case RN_GROUP: {
            inner = regex_study(p, node->body, regex_nothing_known);
            int32_t least = wrap((int64_t)wrap((int64_t)inner.least * node->least) + s.least);
            int32_t most = wrap((int64_t)wrap((int64_t)inner.most * node->most) + s.most);
            bool wraps = node->op == RN_REPEAT && node->body->op == RN_CLASS && node->greed == RG_GREEDY &&
                         node->most == REGEX_REPEATED_MAX;
            s.bounded &= inner.bounded && (wraps || most >= s.most);
            s.least = least < s.least ? 0xfffffff : least;
            s.most = s.bounded ? most : s.most;
            s.single &= inner.single && node->least == node->most;
            break;
        }
        case RN_BRANCH: {
            int32_t least = INT32_MAX, most = -1;
            for (uint32_t i = 0; i < node->branch_count; i++) {
                inner =
                    node->branches[i] ? regex_study(p, node->branches[i], regex_nothing_known) : regex_nothing_known;
                least = inner.least < least ? inner.least : least;
                most = inner.most > most ? inner.most : most;
                s.bounded &= inner.bounded;
            }
            before.least = wrap((int64_t)before.least + s.least + least);
            before.most = wrap((int64_t)before.most + s.most + most);
            before.bounded &= s.bounded;
            branched = true;
            s = regex_nothing_known;
            break;
        }
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
        if (node->op == RN_BRANCH)
            node = node->body; /* what its branches end in */
    }
    s.least = wrap((int64_t)s.least + before.least);
    s.most = wrap((int64_t)s.most + before.most);
    s.bounded &= before.bounded;
    s.single &= !branched;
    return s;
}
