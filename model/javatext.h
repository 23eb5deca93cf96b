/*
 * javatext.h - texts as the JDK and Commons treat them where options are read: numbers, case, names of classes.
 * Cassandra's options are Java's, down to what is a number.
 */
#ifndef WR_MODEL_JAVATEXT_H
#define WR_MODEL_JAVATEXT_H

#include "engine/ctx.h"

struct slice java_trim(struct slice text); /* String.trim */

/* Digits of all scripts, as Character.digit knows them. */
bool java_int(struct slice text, int32_t *out); /* Integer.parseInt */
bool java_long(struct slice text, int64_t *out);
bool java_is_numeric(struct slice text); /* StringUtils.isNumeric: digits, and at least one */

const char *java_no_double(struct ctx *ctx, struct slice text); /* what Double.parseDouble says of what is none */

/* Letters of ASCII: no name that options know has others. */
bool java_equals_fold(struct slice text, const char *word); /* equalsIgnoreCase */
enum wr_status java_upper(struct ctx *ctx, struct slice text, struct slice *out);

/* A class named without a package is of this one (FBUtilities.classForName's callers). */
enum wr_status java_class_name(struct ctx *ctx, struct slice name, const char *package, struct slice *out);

/* The order in which a HashMap or HashSet of such names (ByteBuffers) gives them, as places in names[0..count); messages and DESCRIBE
 * show it. The map was made for the first `copied` at once and then given the others one by one. */
enum wr_status java_map_order(struct ctx *ctx, const struct slice *names, uint32_t count, uint32_t copied, uint32_t *order);
enum wr_status java_set_order(struct ctx *ctx, const struct slice *names, uint32_t count, uint32_t copied, uint32_t *order); /* of Strings (ASCII) */
enum wr_status java_set_sort(struct ctx *ctx, struct slice *names, uint32_t count, uint32_t copied); /* the same, the names themselves */
/* The same of whatever has these hashes. */
enum wr_status java_hash_order(struct ctx *ctx, const uint32_t *hashes, uint32_t count, uint32_t copied, uint32_t *order);
uint32_t java_concurrent_bucket(struct slice name, uint32_t count); /* where a ConcurrentHashMap of so many Strings has that one: it grows sooner */
uint32_t java_hash(struct slice bytes);          /* ByteBuffer.hashCode */
uint32_t java_string_hash(struct slice text);   /* String.hashCode, of ASCII */
int java_cmp(struct slice a, struct slice b); /* ByteBuffer.compareTo: bytes have signs, and what it gives is by how much they differ */

#endif
