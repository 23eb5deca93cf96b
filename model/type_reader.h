/*
 * type_reader.h - what the two notations of types share, CQL's (type_name.c) and that of Java's classes (type_class.c), one of which may stand in the other.
 *
 * Only type_reader.c, type_name.c and type_class.c include it.
 */
#ifndef WR_MODEL_TYPE_READER_H
#define WR_MODEL_TYPE_READER_H

#include "model/type.h"

struct type_reader {
    struct ctx *ctx;
    struct slice text, rest, keyspace;
    const struct type *(*lookup)(void *arg, struct slice keyspace, struct slice name);
    void *arg;
    uint32_t depth, depth_most;
};

typedef enum wr_status type_read(struct type_reader *p, const struct type **out);

struct type_reader type_reader_of(struct ctx *ctx, struct slice text);

enum wr_status type_read_fail(struct type_reader *p);
void type_read_blanks(struct type_reader *p);
bool type_read_accept(struct type_reader *p, char c);                   /* behind blanks */
bool type_read_accept_next(struct type_reader *p, char c);              /* where it stands */
struct slice type_read_word(struct type_reader *p, const char *also);   /* behind blanks: letters, digits, _ and these; may be empty */
enum wr_status type_read_deeper(struct type_reader *p, type_read *read, const struct type **out); /* one level of nesting further down */
static inline enum wr_status type_made(const struct type *type, const struct type **out)
{
    *out = type;
    return type ? WR_OK : WR_NOMEM;
}

/* ---- arguments ---- */

struct type_args {
    const struct type **at;
    struct slice *names; /* of a user type's fields */
    uint32_t count, room;
};
enum wr_status type_args_add(struct type_reader *p, struct type_args *args, const struct type *type, struct slice name);

struct type_notation {
    type_read *read;
    char end;
    bool of_classes; /* blanks part what is inside, too, which is frozen without saying so */
};

/* Commas part the arguments; in the brackets of classes blanks do, too, and a comma may stand before the first and behind the last
 * (TypeParser.skipBlankAndComma). */
bool type_read_has_next(struct type_reader *p, const struct type_notation *notation);
enum wr_status type_read_arguments(struct type_reader *p, const struct type_notation *notation, enum type_kind kind,
                                   const struct type **out); /* behind the bracket, and the closing one */

type_read type_read_class; /* of a Java class, where its name begins */

#endif
