/*
 * type_parts.h - what types built of others have in common: parts of a value in order.
 *
 * Only type_*.c, clustering.c, json_value.c and recompose.c include it.
 */
#ifndef WR_MODEL_TYPE_PARTS_H
#define WR_MODEL_TYPE_PARTS_H

#include "engine/coding.h"
#include "model/type.h"

enum { PART_END = 1, PART_NULL, PART_EMPTY, PART_VALUE }; /* marks before parts, and behind the last of a collection */

/* type_compare, the other way around of a reversed type, and null before all. */
int part_cmp(const struct type *type, struct slice a, struct slice b);

struct slice inet_unmapped(struct slice value); /* an IPv4 address, where it is one that stands as an IPv6 one */

bool vector_is_fixed(const struct type *type); /* elements lie end to end, without lengths */
struct slice vector_read(const struct type *type, struct reader *r);
void vector_put(struct buf *buf, const struct type *type, struct slice element);

#endif
