/*
 * tree.h - a body of Java as a tree: what the parser makes of the text, and what the compiler (check.c) makes of that,
 * in place: each expression gets its type, each name its meaning, and conversions stand as nodes of their own, so that
 * running it asks for no type.
 */
#ifndef WR_MODEL_JAVA_TREE_H
#define WR_MODEL_JAVA_TREE_H

#include "model/java/class.h"

struct java_object;
struct java_method; /* lib.h */

/* Integers, chars and booleans in i, float and double in d, references in o (NULL: null). */
union java_value {
    int64_t i;
    double d;
    struct java_object *o;
};

enum java_op {
    /* expressions as they are written */
    JE_LITERAL,
    JE_NAME,
    JE_FIELD,
    JE_CALL,
    JE_NEW,
    JE_NEW_ARRAY,
    JE_ARRAY,
    JE_INDEX,
    JE_UNARY,
    JE_BINARY,
    JE_ASSIGN,
    JE_STEP,
    JE_CONDITION,
    JE_CAST,
    JE_INSTANCE,
    /* as they are known */
    JE_LOCAL,
    JE_CLASS,
    JE_LENGTH,
    JE_CONVERT,
    JE_CONCAT,
    JE_TAKEN, /* what was in the place of a compound assignment */
    JE_DONE,
    /* statements */
    JS_BLOCK,
    JS_LOCAL,
    JS_EXPRESSION,
    JS_IF,
    JS_WHILE,
    JS_DO,
    JS_FOR,
    JS_EACH,
    JS_RETURN,
    JS_BREAK,
    JS_CONTINUE,
    JS_THROW,
    JS_TRY,
    JS_CATCH,
    JS_SWITCH,
    JS_CASE,
    JS_LABEL,
    JS_ASSERT,
    JS_SYNCHRONIZED,
    JS_EMPTY,
};

/* Operators of JE_UNARY, JE_BINARY, and of JE_ASSIGN beside '='. */
enum java_operator {
    JO_NONE,
    JO_ADD,
    JO_SUBTRACT,
    JO_MULTIPLY,
    JO_DIVIDE,
    JO_REMAINDER,
    JO_SHIFT_LEFT,
    JO_SHIFT_RIGHT,
    JO_SHIFT_UNSIGNED,
    JO_AND,
    JO_OR,
    JO_XOR,
    JO_LESS,
    JO_LESS_EQUAL,
    JO_GREATER,
    JO_GREATER_EQUAL,
    JO_EQUAL,
    JO_NOT_EQUAL,
    JO_BOTH,
    JO_EITHER,
    JO_NOT,
    JO_COMPLEMENT,
    JO_NEGATE,
    JO_PLUS,
};

struct java_node {
    enum java_op op;
    enum java_operator operator;
    uint32_t line, at; /* where it begins: the line, the first is 1, and the byte */
    const struct java_type
        *type; /* of an expression once checked; before: of a cast, a declaration, what is made. NULL: `var` */
    struct java_node *next;      /* in a list: arguments, statements, declarators, cases */
    struct java_node *a, *b, *c; /* what each op has: see parse.c */
    struct java_node *body;
    struct slice name;
    union java_value value; /* JE_LITERAL */
    bool constant, parameter, postfix, is_final;
    bool reached;   /* of a class that is caught: something of it is thrown */
    uint32_t slot;  /* JE_LOCAL and declarations: its place in the frame */
    uint32_t place; /* the number that the machine gives it: of a parameter its position, of another local its slot */
    uint32_t count; /* of a list in a */
    const struct java_method *method;
    const struct java_type *given[2]; /* of a call a.<T>b(): T; NULL: none */
};

#define JAVA_ERROR_LIST "Java source compilation failed:\n"

/* What is wrong with a body whose syntax is right, in any order of finding. */
struct java_error {
    struct java_error *next;
    uint32_t line, at;
    bool flow; /* of the way that a run may take, which is looked at where all types are right */
    const char *text;
};
struct java_errors {
    struct ctx *ctx;
    struct java_error *first;
    bool failed; /* out of memory */
};
void java_error(struct java_errors *errors, const struct java_node *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void java_flow_error(struct java_errors *errors, const struct java_node *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

enum { JAVA_DEPTH_MAX = 400, JAVA_LEVEL_BYTES = 1024 }; /* of nested expressions and statements; what one takes of the stack at most */

/* WR_INVALID with the compiler's text where the syntax is wrong; types that are none go to errors. *out: the body's
 * statements, as a JS_BLOCK. */
enum wr_status java_parse(struct ctx *ctx, struct slice body, struct java_errors *errors, struct java_node **out);

#endif
