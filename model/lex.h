/*
 * lex.h - CQL text to tokens, by hand, with the reading of Cassandra's own lexer.
 *
 * Pure: no memory, no names looked up in a schema. A token is a kind and a place in the text; token_text gives what it means.
 * 1. White space and comments are skipped; a `--` or `//` comment must end in a newline, or it is an error.
 * 2. `-1`, `-1.5`, `-NaN`, `-3h` are one token, whatever stands before; `- 1` is two.
 * 3. `1..2` is an integer, a range, an integer; `1.` is a float.
 * 4. What starts like a uuid, -NaN or -Infinity must go on as one: `5a`, `deadbeef-1` and `-n` are errors.
 * 5. After LEX_ERROR the lexer stays where it was: the error is the end of the text.
 */
#ifndef WR_MODEL_LEX_H
#define WR_MODEL_LEX_H

#include "engine/ctx.h"

/* What a word may be besides itself. */
enum word_class {
    WORD_NONE,     /* not a word */
    WORD_RESERVED, /* itself only */
    WORD_FREE,     /* any name */
    WORD_NATIVE,   /* any name but a user type's: the name of a native type */
    WORD_SPECIAL,  /* any name but a user type's or a function's (KEY may name a type too) */
};

/* Kind, Cassandra's name of it in messages. Words are spelled as their kind is, in any case; further spellings: lex.c. */
#define LEX_MARKS(X)                                                                                                   \
    X(END, "EOF") X(IDENT, "IDENT") X(QUOTED, "QUOTED_NAME") X(EMPTY_QUOTED, "EMPTY_QUOTED_NAME")                      \
    X(STRING, "STRING_LITERAL") X(INTEGER, "INTEGER") X(FLOATING, "FLOAT") X(TRUTH, "BOOLEAN")                         \
    X(UUID_VALUE, "UUID") X(HEX, "HEXNUMBER") X(PERIOD, "DURATION") X(NAN, "K_POSITIVE_NAN")                           \
    X(NEGATIVE_NAN, "K_NEGATIVE_NAN") X(INFINITY, "K_POSITIVE_INFINITY") X(NEGATIVE_INFINITY, "K_NEGATIVE_INFINITY")   \
    X(QMARK, "QMARK") X(COLON, "':'") X(SEMICOLON, "';'") X(COMMA, "','") X(DOT, "'.'") X(RANGE, "RANGE")              \
    X(LP, "'('") X(RP, "')'") X(LB, "'['") X(RB, "']'") X(LC, "'{'") X(RC, "'}'")                                      \
    X(EQ, "'='") X(NEQ, "'!='") X(LT, "'<'") X(LTE, "'<='") X(GT, "'>'") X(GTE, "'>='")                                \
    X(PLUS, "'+'") X(MINUS, "'-'") X(STAR, "'*'") X(SLASH, "'/'") X(PERCENT, "'%'")                                    \
    X(PLUS_EQ, "'+='") X(MINUS_EQ, "'-='") X(EXPR_LP, "'expr('")

/* In alphabetical order. */
#define LEX_WORDS(X)                                                                                                   \
    X(ACCESS, FREE) X(ADD, RESERVED) X(AGGREGATE, FREE) X(AGGREGATES, FREE) X(ALL, FREE) X(ALLOW, RESERVED)            \
    X(ALTER, RESERVED) X(AND, RESERVED) X(ANN, FREE) X(APPLY, RESERVED) X(AS, FREE) X(ASC, RESERVED)                   \
    X(ASCII, NATIVE) X(AUTHORIZE, RESERVED) X(BATCH, RESERVED) X(BEGIN, RESERVED) X(BIGINT, NATIVE) X(BLOB, NATIVE)    \
    X(BOOLEAN, NATIVE) X(BY, RESERVED) X(CALLED, FREE) X(CAST, SPECIAL) X(CIDRS, FREE) X(CLUSTER, FREE)                \
    X(CLUSTERING, FREE) X(COLUMNFAMILY, RESERVED) X(COMPACT, FREE) X(CONTAINS, FREE) X(COUNT, SPECIAL)                 \
    X(COUNTER, NATIVE) X(CREATE, RESERVED) X(CUSTOM, FREE) X(DATACENTERS, FREE) X(DATE, NATIVE) X(DECIMAL, NATIVE)     \
    X(DEFAULT, FREE) X(DELETE, RESERVED) X(DESC, RESERVED) X(DESCRIBE, RESERVED) X(DISTINCT, SPECIAL)                  \
    X(DOUBLE, NATIVE) X(DROP, RESERVED) X(DURATION, NATIVE) X(ENTRIES, RESERVED) X(EXECUTE, RESERVED) X(EXISTS, FREE)  \
    X(FILTERING, FREE) X(FINALFUNC, FREE) X(FLOAT, NATIVE) X(FROM, RESERVED) X(FROZEN, FREE) X(FULL, RESERVED)         \
    X(FUNCTION, FREE) X(FUNCTIONS, FREE) X(GRANT, RESERVED) X(GROUP, FREE) X(HASHED, FREE) X(IDENTITY, FREE)           \
    X(IF, RESERVED) X(IN, RESERVED) X(INDEX, RESERVED) X(INET, NATIVE) X(INITCOND, FREE) X(INPUT, FREE)                \
    X(INSERT, RESERVED) X(INT, NATIVE) X(INTERNALS, FREE) X(INTO, RESERVED) X(IS, RESERVED) X(JSON, SPECIAL)           \
    X(KEY, SPECIAL) X(KEYS, FREE) X(KEYSPACE, RESERVED) X(KEYSPACES, FREE) X(LANGUAGE, FREE) X(LIKE, FREE)             \
    X(LIMIT, RESERVED) X(LIST, FREE) X(LOGIN, FREE) X(MAP, FREE) X(MASKED, FREE) X(MATERIALIZED, RESERVED)             \
    X(MAXWRITETIME, SPECIAL) X(MBEAN, FREE) X(MBEANS, FREE) X(MODIFY, RESERVED) X(NOLOGIN, FREE)                       \
    X(NORECURSIVE, RESERVED) X(NOSUPERUSER, FREE) X(NOT, RESERVED) X(NULL, RESERVED) X(OF, RESERVED) X(ON, RESERVED)   \
    X(ONLY, FREE) X(OPTIONS, FREE) X(OR, RESERVED) X(ORDER, RESERVED) X(PARTITION, FREE) X(PASSWORD, FREE)             \
    X(PER, FREE) X(PERMISSION, FREE) X(PERMISSIONS, FREE) X(PRIMARY, RESERVED) X(RENAME, RESERVED) X(REPLACE, FREE)    \
    X(RETURNS, FREE) X(REVOKE, RESERVED) X(ROLE, FREE) X(ROLES, FREE) X(SCHEMA, RESERVED) X(SELECT, RESERVED)          \
    X(SELECT_MASKED, FREE) X(SET, RESERVED) X(SFUNC, FREE) X(SMALLINT, NATIVE) X(STATIC, FREE) X(STORAGE, FREE)        \
    X(STYPE, FREE) X(SUPERUSER, FREE) X(TABLES, FREE) X(TEXT, NATIVE) X(TIME, NATIVE) X(TIMESTAMP, NATIVE)             \
    X(TIMEUUID, NATIVE) X(TINYINT, NATIVE) X(TO, RESERVED) X(TOKEN, RESERVED) X(TRIGGER, FREE) X(TRUNCATE, RESERVED)   \
    X(TTL, SPECIAL) X(TUPLE, FREE) X(TYPE, FREE) X(TYPES, FREE) X(UNLOGGED, RESERVED) X(UNMASK, FREE) X(UNSET, FREE)   \
    X(UPDATE, RESERVED) X(USE, RESERVED) X(USER, FREE) X(USERS, FREE) X(USING, RESERVED) X(UUID, NATIVE)               \
    X(VALUES, FREE) X(VARCHAR, NATIVE) X(VARINT, NATIVE) X(VECTOR, FREE) X(VIEW, RESERVED) X(WHERE, RESERVED)          \
    X(WITH, RESERVED) X(WRITETIME, SPECIAL)

enum lex_kind {
#define LEX_MARK(name, text) LEX_##name,
#define LEX_WORD(name, class) LEX_##name,
    LEX_MARKS(LEX_MARK) LEX_WORDS(LEX_WORD) LEX_ERROR
#undef LEX_MARK
#undef LEX_WORD
};

struct token {
    uint32_t offset, len; /* in the text, quotes included */
    uint16_t kind;        /* enum lex_kind */
};

/* Why a text ends in LEX_ERROR; the place is where Cassandra's lexer gives up. Its words: "<problem> character <c>", and
 * " expecting <expecting>" where that is not NULL. */
struct lex_error {
    size_t offset;
    const char *problem, *expecting;
    bool ahead; /* told by looking ahead: nothing of the token was taken */
    bool unclosed;        /* the text ends inside a string, a quoted name or a comment of several lines */
    bool in_line_comment; /* ... in a `--` or `//` comment without a newline */
};

struct lexer {
    struct slice text; /* borrowed; shorter than 4 GiB */
    size_t at;
    struct lex_error error; /* after LEX_ERROR */
};

void lex_init(struct lexer *lexer, struct slice text);
struct token lex_next(struct lexer *lexer); /* LEX_END again and again at the end, LEX_ERROR likewise */

/* On behind what is no token and the character that it fails at (two where it could be of either case), where Cassandra's lexer reads on; false:
 * the text ends in it. */
bool lex_recover(struct lexer *lexer);

const char *lex_name(enum lex_kind kind); /* as Cassandra's messages say it: K_FROM, ')', IDENT */
enum word_class lex_class(enum lex_kind kind);
bool lex_is_name(enum lex_kind kind); /* one may stand for a column: a bare word that is not reserved, or a quoted name */
enum lex_kind lex_word(struct slice word); /* the kind of a bare word, any case; LEX_IDENT: no keyword */

/* What a token means: names folded to lower case or unquoted, strings without their quotes, everything else as written.
 * Borrows from the text where nothing has to change. */
enum wr_status token_text(struct ctx *ctx, struct slice text, struct token token, struct slice *out);

#endif
