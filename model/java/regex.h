/*
 * regex.h - java.util.regex: a pattern compiled to a graph of nodes (regex.c, regex_class.c), and a matcher
 * (regex_matcher.c) that walks it over UTF-16 with a stack of its own (regex_match.c, regex_place.c), so that neither a
 * pattern nor a text drives C's.
 *
 * What matches is what Java's own walk finds, its oddities included: which of a repetition's captures stay when it
 * steps back, what is tried once only (what is repeated and has one way to match; what is in (?>...) and around it).
 * Time and memory are of the run: java_spend, java_charge.
 */
#ifndef WR_MODEL_JAVA_REGEX_H
#define WR_MODEL_JAVA_REGEX_H

#include "model/java/object.h"

/* Pattern's. */
enum {
    REGEX_UNIX_LINES = 1,
    REGEX_CASE_INSENSITIVE = 2,
    REGEX_COMMENTS = 4,
    REGEX_MULTILINE = 8,
    REGEX_LITERAL = 16,
    REGEX_DOTALL = 32,
    REGEX_UNICODE_CASE = 64,
    REGEX_CANON_EQ = 128,
    REGEX_UNICODE_CLASS = 256,
    REGEX_FLAGS = 511,

    REGEX_REPEATED_MAX = INT32_MAX, /* what * and + stand for */
    REGEX_DEPTH_MAX = 400,          /* of groups and classes in one another */
    REGEX_LEVEL_BYTES = 1024,       /* what one takes of the stack at most */
};

/* ---- classes of characters ---- */

enum regex_term_op {
    RT_RANGE,
    RT_RANGE_ASCII_CASE, /* as it is or in the other case of ASCII */
    RT_RANGE_CASE,
    RT_BITS,
    RT_CATEGORIES, /* from: a set of unicode_category's */
    RT_ASCII,      /* from: a set of enum regex_ascii */
    RT_NAMED,      /* from: enum regex_named */
    RT_OR,
    RT_AND,
    RT_NOT,
};

/* A class is what its terms reckon, the operators behind their operands. */
struct regex_term {
    enum regex_term_op op;
    uint32_t from, to;
    const uint8_t *bits; /* of characters below 256 */
};

struct regex_class {
    const struct regex_term *terms;
    uint32_t count;
    uint8_t known[32], has[32]; /* of characters below 256 that were asked for */
};

bool regex_class_has(struct regex_class *class, uint32_t c);
/* The term that a name of \p{...} stands for; false: none. *unsupported: Java has it. */
bool regex_property(struct slice name, unsigned flags, struct regex_term *out, bool *unsupported);
/* The predefined class of a letter: d, h, s, v or w. */
struct regex_term regex_predefined(char letter, unsigned flags);
bool regex_is_word(uint32_t c, bool unicode); /* to \b */
bool regex_is_mark(uint32_t c);
uint32_t regex_fold(uint32_t c, bool unicode); /* what is the same in either case: of ASCII, or of all */

/* ---- the graph ---- */

enum regex_op {
    RN_ACCEPT, /* the end of what is matched within a node */
    RN_LAST,   /* of all */
    RN_CLASS,
    RN_SLICE,
    RN_BEGIN,
    RN_END,
    RN_CARET,
    RN_DOLLAR,
    RN_BOUND,
    RN_LAST_MATCH,
    RN_LINE_ENDING,
    RN_REFERENCE,
    RN_GROUP_HEAD,
    RN_GROUP_TAIL,
    RN_BRANCH,
    RN_BRANCH_END,
    RN_OPTION, /* ? of what is no group; (?>...) */
    RN_REPEAT, /* of what is no group, or possessive */
    RN_GROUP,  /* a repeated group that has one way to match only */
    RN_PROLOG, /* of a loop */
    RN_LOOP,   /* any other repeated group */
    RN_AHEAD,
    RN_BEHIND,
    RN_BEHIND_END,
};

enum regex_greed { RG_GREEDY, RG_LAZY, RG_POSSESSIVE, RG_INDEPENDENT };

struct regex_node {
    enum regex_op op;
    enum regex_greed greed;
    bool negative; /* AHEAD, BEHIND, BOUND */
    bool multiline, unix_lines, unicode, fold, supplementary, captures;
    struct regex_node *next;
    struct regex_node *body;      /* of what repeats or looks */
    struct regex_node **branches; /* NULL in it: an empty one */
    uint32_t branch_count;
    int32_t least, most; /* repetitions; BEHIND: characters */
    uint32_t group;
    uint32_t begin, count; /* locals: where the group began, how often the loop went round */
    int32_t memory;        /* LOOP: its set of places that failed; -1: none */
    struct regex_class *class;
    const uint32_t *characters; /* SLICE */
    uint32_t character_count;
};

struct regex_name {
    struct regex_name *next;
    struct slice name;
    uint32_t group;
};

struct regex {
    const struct java_object *pattern; /* a String */
    unsigned flags, given;             /* given: without those that the pattern sets */
    struct regex_node *first;
    struct regex_name *names;
    uint32_t group_count; /* the whole is one */
    uint32_t local_count, memory_count;
    int32_t least; /* units that every match has */
    bool pairs;    /* a search does not begin within a pair of halves */
};

const struct regex_name *regex_find_name(const struct regex *re, struct slice name); /* NULL: none */

/* false: thrown, as PatternSyntaxException where the pattern is wrong. */
bool regex_compile(struct java_run *run, const struct java_object *pattern, unsigned flags, struct regex **out);

/* A new PatternSyntaxException: what is wrong, where, the pattern, and a mark below the place. index -1: nowhere. */
bool regex_syntax_error(struct java_run *run, struct java_object *what, const struct java_object *pattern,
                        int32_t index, struct java_object **out);

/* ---- matching ---- */

struct regex_frame;

struct regex_matcher {
    const struct regex *regex;
    const struct java_object *text; /* a String, which nobody changes */
    const uint16_t *units;          /* its */
    int32_t from, to;               /* the region */
    int32_t first, last, before;    /* first: -1 without a match; before: the end of the match before this */
    int32_t appended;
    int32_t *groups; /* where each begins and ends; -1: it took no part */
    int32_t *locals;
    uint64_t **failed; /* places, by loop */
    struct regex_frame *stack;
    uint32_t depth, room;
};

/* regex_place.c, of a place within the region */
uint32_t regex_character_before(const struct regex_matcher *m, int32_t i,
                                int32_t *len); /* there is one; of how many units */
bool regex_is_line_end(uint16_t c);
bool regex_holds(const struct regex_matcher *m, const struct regex_node *node, int32_t place); /* a node of no width */
/* The place behind what the node takes; -1: it does not match. */
int32_t regex_take_class(const struct regex_matcher *m, const struct regex_node *node, int32_t i);
int32_t regex_take_slice(const struct regex_matcher *m, const struct regex_node *node, int32_t i);
int32_t regex_take_reference(const struct regex_matcher *m, const struct regex_node *node, int32_t i);

bool regex_matcher_init(struct java_run *run, struct regex_matcher *m, const struct regex *regex,
                        const struct java_object *text);
bool regex_matcher_use(struct java_run *run, struct regex_matcher *m, const struct regex *regex); /* another pattern */
void regex_matcher_reset(struct regex_matcher *m);

/* Whether there is a match from that place on; where it ends and its groups are in the matcher then (regex_match.c). */
bool regex_walk(struct java_run *run, struct regex_matcher *m, int32_t place, bool whole, bool *found);

enum regex_extent { REGEX_PREFIX, REGEX_WHOLE };
/* From one place; *is: whether there is a match. */
bool regex_match(struct java_run *run, struct regex_matcher *m, int32_t from, enum regex_extent extent, bool *is);
bool regex_search(struct java_run *run, struct regex_matcher *m, int32_t from, bool *is); /* from there on */
bool regex_find(struct java_run *run, struct regex_matcher *m, bool *is);                 /* the next one */

#endif
