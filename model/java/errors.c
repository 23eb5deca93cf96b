#include "model/java/tree.h"

static void add_error(struct java_errors *errors, const struct java_node *where, bool flow, const char *format,
                      va_list args)
{
    struct java_error *e = NEW(errors->ctx, struct java_error), **at = &errors->first;

    if (!e || !(e->text = ctx_vformat(errors->ctx, format, args))) {
        errors->failed = true;
        return;
    }
    e->line = where->line;
    e->at = where->at;
    e->flow = flow;
    while (*at && (*at)->at <= e->at)
        at = &(*at)->next;
    e->next = *at;
    *at = e;
}

void java_error(struct java_errors *errors, const struct java_node *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_error(errors, where, false, format, args);
    va_end(args);
}

void java_flow_error(struct java_errors *errors, const struct java_node *where, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add_error(errors, where, true, format, args);
    va_end(args);
}
