/*
 * recompose.h - a bound list, set or map as Cassandra keeps it.
 *
 * It reads the elements of a bound collection and writes them anew (Terms, MultiElements: compose, then decompose), so that what
 * two byte strings can say in common has one: sets and maps are sorted and lose their doubles, a true is 1, a varint has no more bytes than
 * it needs, an IPv4 address in an IPv6 one is four bytes, and an element of a list that reads as null is null. It goes on within lists, sets and maps, and
 * stops at tuples, user-defined types and vectors, whose bytes are taken as they are; so are values that are no collection's.
 * Nests as deep as types do (TYPE_DEPTH_MAX).
 */
#ifndef WR_MODEL_RECOMPOSE_H
#define WR_MODEL_RECOMPOSE_H

#include "model/type.h"

/* A value that has been validated, of any type; *out borrows from it where there is nothing to change. */
enum wr_status value_recompose(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out);

/* The same of a value that is an element of a collection, which has but one form whatever its type. */
enum wr_status element_recompose(struct ctx *ctx, const struct type *type, struct slice value, struct slice *out);

#endif
