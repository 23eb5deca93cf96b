/*
 * regex_read.h - what the rooms that read patterns share: regex_read.c has the text and the errors, regex_escape.c
 * classes and escapes, regex_study.c what is known of a graph before it is walked, regex.c all else.
 *
 * The parser remembers its first error and then reads nothing but the end, so that what it builds has no checks in it.
 * Its cursor goes as Java's does, for messages tell where it stood.
 */
#ifndef WR_MODEL_JAVA_REGEX_READ_H
#define WR_MODEL_JAVA_REGEX_READ_H

#include "model/java/regex.h"

struct regex_parser {
    struct java_run *run;
    struct regex *re;
    uint32_t *text; /* code points; zeroes behind */
    uint32_t len, room, cursor;
    unsigned flags, depth, depth_most;
    struct regex_node *tail; /* of what was read last */
    struct regex_node accept, spare;
    struct buf terms; /* of the class that is being read */
    struct buf loops; /* those that no repetition is around: they may remember places */
    bool referring;   /* a group is referred to */
    bool failed;      /* or thrown already, where error is empty */
    char error[160];
    int32_t error_at;
};

enum { REGEX_NO_NAME = 1 }; /* in an error: a zero, which a text of C cannot have */

/* ---- failing ---- */

void regex_stop(struct regex_parser *p);
void regex_fail_syntax(struct regex_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
void regex_fail_unsupported(struct regex_parser *p, const char *what);
void *regex_allocate(struct regex_parser *p, size_t bytes);
struct regex_node *regex_new_node(struct regex_parser *p,
                                  enum regex_op op); /* once it failed, one that nobody looks at */
bool regex_enter(struct regex_parser *p);            /* one level deeper; who leaves counts depth down */

/* ---- the text ---- */

bool regex_flag(const struct regex_parser *p, unsigned flag);
uint32_t regex_at(const struct regex_parser *p, uint32_t i);
/* The cursor passes over comments where (?x) holds: then what it stands on; the same, one further; what it stood on. */
uint32_t regex_peek(struct regex_parser *p);
uint32_t regex_next(struct regex_parser *p);
uint32_t regex_take(struct regex_parser *p);
uint32_t regex_next_plain(struct regex_parser *p); /* as regex_next, comments or not */
uint32_t regex_skip(struct regex_parser *p);       /* what is behind the cursor's; goes on behind that */
bool regex_is_digit(uint32_t c);
bool regex_is_octal(uint32_t c);
bool regex_is_letter(uint32_t c);
int regex_hex_digit(uint32_t c);
bool regex_is_supplementary(uint32_t c);
void regex_unquote(struct regex_parser *p); /* \Q...\E */

/* ---- classes and escapes ---- */

void regex_put_term(struct regex_parser *p, struct regex_term term);
void regex_put_operator(struct regex_parser *p, enum regex_term_op op);
size_t regex_terms_read(const struct regex_parser *p);
/* Terms are read into p->terms; a node takes those from `first` on away. */
struct regex_term regex_single(const struct regex_parser *p, uint32_t c);
struct regex_node *regex_class_node(struct regex_parser *p, size_t first);
struct regex_node *regex_term_node(struct regex_parser *p, struct regex_term term);
struct regex_node *regex_plain_node(struct regex_parser *p, enum regex_op op); /* with the flags that hold */
void regex_read_property(struct regex_parser *p);
/* [...], the cursor on its bracket; consume false: what is between && and the end. */
void regex_read_class(struct regex_parser *p, bool consume);
/* A character; -1: it is p->tail or, in a class, terms. */
int64_t regex_read_escape(struct regex_parser *p, bool in_class, bool create, bool in_range);
struct slice regex_read_name(struct regex_parser *p, uint32_t c); /* a group's, which begins with c */

/* ---- graphs ---- */

struct regex_study {
    int32_t least, most;  /* characters; they wrap round as Java's do */
    bool bounded, single; /* there is a most; there is one way to match */
};
extern const struct regex_study regex_nothing_known;
/* From the node to the end of the graph; s: what is known of what stands before. */
struct regex_study regex_study(struct regex_parser *p, const struct regex_node *node, struct regex_study s);

#endif
