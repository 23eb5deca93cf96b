/*
 * json.h - CQL's JSON: rows and values from JSON text and back, where no number loses a digit and every quirk is Cassandra's.
 */
#ifndef WR_MODEL_JSON_H
#define WR_MODEL_JSON_H

#include "model/type.h"

/* A parsed document; strings unescaped, numbers as their text. In ctx's memory. */
enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_INTEGER, JSON_FLOAT, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
struct json {
    enum json_kind kind;
    struct slice text;       /* string content or number text */
    struct slice key;        /* of a member of an object */
    size_t lone, key_lone;   /* the bytes up to and with the question mark that stands for half a pair alone, the first; 0: none does */
    const struct json *next; /* sibling */
    const struct json *first; /* child */
    uint32_t count;          /* children */
};

/* WR_INVALID: "Could not decode JSON string as a map: ... (String was: ...)" for `INSERT JSON`; depth is bounded. */
enum wr_status json_parse_map(struct ctx *ctx, struct slice text, const struct json **out);
/* What is no JSON: the words of Java's parser, behind the name of its exception (named) or "Error decoding JSON string". */
enum wr_status json_parse(struct ctx *ctx, struct slice text, bool named, const struct json **out);

/* A JSON value as a value of the type (Json.java, AbstractType.fromJSONObject); null gives null. Messages without the column's
 * prefix ("Expected an int value, but got a Double: 1.5"); who knows the column puts "Error decoding JSON value for v: " before. */
enum wr_status json_to_value(struct ctx *ctx, const struct type *type, const struct json *json, struct slice *out);

/* Of a vector with an empty element: JSON has been read by then, whoever uses the value fails (MultiElements.DelayedValue). */
enum wr_status json_fail_vector(struct ctx *ctx);

/* The members of an object, each at the place that its name has (in quotes of its own as it is, else in lower case:
 * JsonUtils.handleCaseSensitivity); *stray: the first name that has none (place is below 0), or null. Names that had to be changed come
 * after the others, as in Cassandra's map: {"V": 1, "v": 2} means 1. */
enum wr_status json_match_members(struct ctx *ctx, const struct json *object, int64_t (*place)(const void *arg, struct slice name),
                                  const void *arg, const struct json **members, struct slice *stray);

/* A JSON string with quotes and escapes (JsonUtils.quoteAsJsonString). */
void json_put_string(struct buf *buf, struct slice text);
void json_put_name(struct buf *buf, struct slice name); /* as a string: one that is not all lower case in quotes within it, so that it reads back */
void json_put_escaped(struct buf *buf, struct slice text); /* without the quotes */

#endif
