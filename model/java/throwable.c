/* What can be thrown. */
#include "model/java/lib.h"
#include "model/java/object_ops.h"

JAVA_CALL(throwable_new)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, (enum java_kind)self->i)))
        return false;
    struct java_object *cause = method->args[1] == J_THROWABLE   ? args[1].o
                                : method->args[0] == J_THROWABLE ? args[0].o
                                                                 : NULL;
    out->o->thrown.cause = cause;
    if (method->args[0] == J_STRING)
        out->o->thrown.message = args[0].o;
    else if (method->args[0] == J_OBJECT) /* AssertionError's */
        return java_print_to(run, args[0].o, &out->o->thrown.message);
    else if (cause)
        return java_print_to(run, cause, &out->o->thrown.message);
    return true;
}

JAVA_CALL(parse_new)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, J_PARSE_EXCEPTION)))
        return false;
    out->o->thrown.message = args[0].o;
    out->o->thrown.index = (int32_t)args[1].i;
    return true;
}

bool java_throw_parse(struct java_run *run, struct java_object *text, uint32_t at, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = ctx_vformat(run->ctx, format, args);
    va_end(args);
    if (!java_ok(run, message ? WR_OK : WR_NOMEM))
        return false;
    (void)java_throw(run, J_DATE_TIME_PARSE, "%s", message);
    if (run->thrown && run->thrown->kind == J_DATE_TIME_PARSE) {
        run->thrown->thrown.pattern_text = text;
        run->thrown->thrown.index = (int32_t)at;
    }
    return false;
}

/* DateTimeParseException(message, text, index) */
JAVA_CALL(time_parse_new)
{
    JAVA_UNUSED;
    if (!java_check_read(run, args[1].o, "invoke \"java.lang.CharSequence.toString()\"", "parsedData") || !(out->o = java_new(run, J_DATE_TIME_PARSE)))
        return false;
    out->o->thrown.message = args[0].o;
    out->o->thrown.pattern_text = args[1].o;
    out->o->thrown.index = (int32_t)args[2].i;
    return true;
}

JAVA_CALL(time_parsed_text)
{
    JAVA_UNUSED;
    return java_print_to(run, self->o->thrown.pattern_text, &out->o);
}

JAVA_CALL(parse_offset)
{
    JAVA_UNUSED;
    out->i = self->o->thrown.index;
    return true;
}

JAVA_CALL(throwable_cause)
{
    JAVA_UNUSED;
    out->o = self->o->thrown.cause;
    return true;
}

JAVA_CALL(throwable_message)
{
    JAVA_UNUSED;
    out->o = self->o->thrown.message;
    return true;
}

JAVA_CALL(throwable_trace) /* to a log that is not there */
{
    JAVA_UNUSED;
    (void)out;
    return true;
}

static bool throwable_print(struct java_run *run, struct buf *utf16, const struct java_object *o)
{
    const char *name = java_class_full_name(o->kind);
    java_put_ascii(utf16, name, strlen(name));
    if (!o->thrown.message)
        return true;
    java_put_ascii(utf16, ": ", 2);
    return java_print(run, utf16, o->thrown.message);
}

const struct java_object_ops java_throwable_ops = { .print = throwable_print };

#define PLAIN(kind)                     { kind, "<init>", kind, { 0 }, 0, throwable_new, 0 }
#define OF_TEXT(kind)                   { kind, "<init>", kind, { J_STRING }, 0, throwable_new, 0 }
#define OF_CAUSE(kind)                  { kind, "<init>", kind, { J_THROWABLE }, 0, throwable_new, 0 }
#define OF_BOTH(kind)                   { kind, "<init>", kind, { J_STRING, J_THROWABLE }, 0, throwable_new, 0 }
#define THROWABLE(kind)                 PLAIN(kind), OF_TEXT(kind)
#define THROWABLE_OF_CAUSE(kind)        THROWABLE(kind), OF_CAUSE(kind), OF_BOTH(kind)

const struct java_method java_throwable_methods[] = {
    THROWABLE_OF_CAUSE(J_THROWABLE),
    THROWABLE_OF_CAUSE(J_EXCEPTION),
    THROWABLE_OF_CAUSE(J_RUNTIME_EXCEPTION),
    THROWABLE(J_ARITHMETIC),
    THROWABLE_OF_CAUSE(J_ILLEGAL_ARGUMENT),
    THROWABLE_OF_CAUSE(J_ILLEGAL_STATE),
    THROWABLE(J_NUMBER_FORMAT),
    THROWABLE(J_NULL_POINTER),
    THROWABLE(J_INDEX),
    THROWABLE(J_ARRAY_INDEX),
    THROWABLE(J_ARRAY_STORE),
    THROWABLE(J_STRING_INDEX),
    THROWABLE(J_CLASS_CAST),
    THROWABLE_OF_CAUSE(J_UNSUPPORTED),
    THROWABLE_OF_CAUSE(J_NO_SUCH_ELEMENT),
    THROWABLE(J_INPUT_MISMATCH),
    THROWABLE_OF_CAUSE(J_CONCURRENT_CHANGE),
    PLAIN(J_EMPTY_STACK),
    { J_MISSING_RESOURCE, "<init>", J_MISSING_RESOURCE, { J_STRING, J_STRING, J_STRING }, 0, throwable_new, 0 },
    THROWABLE_OF_CAUSE(J_SECURITY),
    THROWABLE(J_ILLEGAL_MONITOR),
    OF_TEXT(J_DATE_TIME),
    OF_BOTH(J_DATE_TIME),
    OF_TEXT(J_UNSUPPORTED_TEMPORAL),
    OF_BOTH(J_UNSUPPORTED_TEMPORAL),
    { J_DATE_TIME_PARSE, "<init>", J_DATE_TIME_PARSE, { J_STRING, J_CHAR_SEQUENCE, J_INT }, 0, time_parse_new, 0 },
    { J_DATE_TIME_PARSE, "getParsedString", J_STRING, { 0 }, 0, time_parsed_text, 0 },
    { J_DATE_TIME_PARSE, "getErrorIndex", J_INT, { 0 }, 0, parse_offset, 0 },
    THROWABLE_OF_CAUSE(J_REFLECTIVE),
    THROWABLE(J_CLASS_NOT_FOUND),
    OF_BOTH(J_CLASS_NOT_FOUND),
    THROWABLE(J_INSTANTIATION),
    THROWABLE(J_ILLEGAL_ACCESS),
    THROWABLE(J_NO_SUCH_FIELD),
    THROWABLE(J_NO_SUCH_METHOD),
    THROWABLE(J_CLONE_NOT_SUPPORTED),
    THROWABLE(J_INTERRUPTED),
    THROWABLE_OF_CAUSE(J_IO),
    THROWABLE(J_UNKNOWN_HOST),
    { J_PARSE_EXCEPTION, "<init>", J_PARSE_EXCEPTION, { J_STRING, J_INT }, 0, parse_new, 0 },
    THROWABLE_OF_CAUSE(J_JAVA_ERROR),
    THROWABLE(J_OUT_OF_MEMORY),
    THROWABLE(J_STACK_OVERFLOW),
    THROWABLE_OF_CAUSE(J_INTERNAL_ERROR),
    THROWABLE(J_UNKNOWN_ERROR),
    PLAIN(J_ASSERTION),
    OF_BOTH(J_ASSERTION),
    { J_ASSERTION, "<init>", J_ASSERTION, { J_OBJECT }, 0, throwable_new, 0 },
    THROWABLE(J_LINKAGE),
    OF_BOTH(J_LINKAGE),
    { J_PARSE_EXCEPTION, "getErrorOffset", J_INT, { 0 }, 0, parse_offset, 0 },
    { J_THROWABLE, "getMessage", J_STRING, { 0 }, 0, throwable_message, 0 },
    { J_THROWABLE, "getLocalizedMessage", J_STRING, { 0 }, 0, throwable_message, 0 },
    { J_THROWABLE, "printStackTrace", J_VOID, { 0 }, 0, throwable_trace, 0 },
    { J_THROWABLE, "getCause", J_THROWABLE, { 0 }, 0, throwable_cause, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
