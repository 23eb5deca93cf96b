/* What is thrown, and which catch it comes to; what a server's verifier refuses besides. */
#include "model/java/body.h"

/* Who throws it has to say so, or to catch it. */
static bool is_checked(enum java_kind kind)
{
    return java_kind_extends(kind, J_THROWABLE) && !java_kind_extends(kind, J_RUNTIME_EXCEPTION) && !java_kind_extends(kind, J_JAVA_ERROR);
}

/* What a catch of the outside has caught, and is thrown on: who throws nothing that is to be declared needs no more. */
static bool is_thrown_on(struct java_checker *c, const struct java_node *node)
{
    const struct java_local *l = node->op == JE_LOCAL ? java_find_local(c, node->name) : NULL;
    return l && l->unchecked;
}

void java_throws(struct java_checker *c, const struct java_node *node, const struct java_node *of, enum java_kind kind)
{
    if (!is_checked(kind) || (of && is_thrown_on(c, of)))
        return;
    for (struct java_handler *h = c->handlers; h; h = h->outer) {
        h->throws = true;
        for (struct java_node *n = h->catches; n; n = n->next)
            for (struct java_node *type = n->a; type; type = type->next) {
                bool all = java_kind_extends(kind, type->type->kind);
                type->reached |= all || java_kind_extends(type->type->kind, kind);
                if (all)
                    return;
            }
    }
    java_flow_error(c->errors, node, "Unhandled exception type %s", java_type_text(c, java_simple(kind)));
}

void java_check_caught(struct java_checker *c, const struct java_node *first, const struct java_node *catch,
                         const struct java_node *type)
{
    if (type->type->kind != J_ERROR && !java_kind_extends(type->type->kind, J_THROWABLE)) {
        java_error(c->errors, type,
                   "No exception of type %s can be thrown; an exception type must be a subclass of Throwable",
                   java_type_text(c, type->type));
        return;
    }
    for (const struct java_node *n = first; n != catch; n = n->next)
        for (const struct java_node *before = n->a; before; before = before->next)
            if (type->type->kind != J_ERROR && java_kind_extends(type->type->kind, before->type->kind)) {
                java_error(c->errors, type,
                           "Unreachable catch block for %s. It is already handled by the catch block for %s",
                           java_type_text(c, type->type), java_type_text(c, before->type));
                return;
            }
    bool behind = false; /* of two that are the same, the second is told of */
    for (const struct java_node *n = catch->a; n; n = n->next) {
        behind |= n == type;
        if (n != type && n->type->kind != J_ERROR && java_kind_extends(type->type->kind, n->type->kind) &&
            !(behind && n->type->kind == type->type->kind)) {
            java_error(c->errors, type, "The exception %s is already caught by the alternative %s",
                       java_type_text(c, type->type), java_type_text(c, n->type));
            return;
        }
    }
    if (is_checked(type->type->kind) && type->type->kind != J_THROWABLE && type->type->kind != J_EXCEPTION && !type->reached)
        java_flow_error(c->errors, type, "Unreachable catch block for %s. This exception is never thrown from the try statement body",
                        java_type_text(c, type->type));
}

enum wr_status java_refuse(struct java_checker *c, const char *what)
{
    struct java_refusal **at = &c->body->refusals, *r;

    while (*at && strcmp((*at)->what, what) < 0)
        at = &(*at)->next;
    if (*at && strcmp((*at)->what, what) == 0)
        return WR_OK;
    if (!(r = NEW(c->ctx, struct java_refusal)))
        return WR_NOMEM;
    *r = (struct java_refusal){ *at, what };
    *at = r;
    return WR_OK;
}
