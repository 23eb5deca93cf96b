/*
 * permission.h - what a role may be allowed to do, in Cassandra's order (Permission), and sets of it.
 */
#ifndef WR_MODEL_PERMISSION_H
#define WR_MODEL_PERMISSION_H

#include <stdbool.h>

#include "engine/slice.h"

enum permission {
    PERMISSION_CREATE, PERMISSION_ALTER, PERMISSION_DROP,
    PERMISSION_SELECT, PERMISSION_MODIFY,
    PERMISSION_AUTHORIZE, PERMISSION_DESCRIBE,
    PERMISSION_EXECUTE,
    PERMISSION_UNMASK, PERMISSION_SELECT_MASKED,
    PERMISSION_COUNT
};

typedef uint16_t permissions; /* bit p: permission p */

enum { PERMISSIONS_NONE = 0, PERMISSIONS_ALL = (1 << PERMISSION_COUNT) - 1 };

static inline permissions permission_bit(enum permission p)
{
    return (permissions)(1u << p);
}

static inline bool permissions_have(permissions set, enum permission p)
{
    return set >> p & 1;
}

const char *permission_name(enum permission p);
permissions permission_of_name(struct slice name); /* as a set; PERMISSIONS_NONE: no such permission */

#endif
