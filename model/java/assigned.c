/* Which locals have a value, on all ways of a run and on any of them (the JLS's definite assignment). */
#include "model/java/body.h"

enum { WORDS = JAVA_LOCALS_MAX / 64 };

struct java_flow java_flow_never(void)
{
    struct java_flow flow = { 0 };
    memset(&flow.assigned, 0xff, sizeof flow.assigned);
    return flow;
}

void java_flow_join(struct java_flow *flow, const struct java_flow *other)
{
    for (size_t i = 0; i < WORDS; i++)
        flow->assigned.words[i] &= other->assigned.words[i];
    java_set_add(&flow->touched, &other->touched);
}

static void put(struct java_set *set, uint32_t local, bool in)
{
    uint64_t bit = UINT64_C(1) << local % 64, *word = &set->words[local / 64 % WORDS];
    *word = in ? *word | bit : *word & ~bit;
}

void java_flow_assign(struct java_flow *flow, uint32_t local)
{
    put(&flow->assigned, local, true);
    put(&flow->touched, local, true);
}

void java_flow_declare(struct java_flow *flow, uint32_t local, bool assigned)
{
    put(&flow->assigned, local, assigned);
    put(&flow->touched, local, false);
}

void java_set_add(struct java_set *set, const struct java_set *other)
{
    for (size_t i = 0; i < WORDS; i++)
        set->words[i] |= other->words[i];
}

bool java_set_has(const struct java_set *set, uint32_t local)
{
    return set->words[local / 64 % WORDS] >> local % 64 & 1;
}

void java_branch(struct java_checker *c, const struct java_node *condition, struct java_flow *yes, struct java_flow *no)
{
    bool constant = condition->constant && condition->type->kind == J_BOOLEAN;
    *yes = c->split ? c->yes : c->flow;
    *no = c->split ? c->no : c->flow;
    if (constant)
        *(condition->value.i ? no : yes) = java_flow_never();
    c->split = false;
}

void java_split(struct java_checker *c, const struct java_flow *yes, const struct java_flow *no)
{
    c->yes = *yes;
    c->no = *no;
    c->flow = *yes;
    java_flow_join(&c->flow, no);
    c->split = true;
}
