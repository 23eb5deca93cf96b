#include "engine/findings.h"

#include <stdarg.h>
#include <stddef.h>

#include "engine/format.h"

void findings_add(struct findings *f, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    format_message(text, sizeof text, format, args);
    va_end(args);
    f->count++;
    if (f->report)
        f->report(f->arg, text);
}
