/*
 * driver_type.h - a type's name as drivers see it: by its class, where the protocol has no number for it (a timeuuid that a function gives is one of its own
 * to them), be it within another.
 */
#ifndef WR_TESTS_DRIVER_TYPE_H
#define WR_TESTS_DRIVER_TYPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "widerow.h"

enum driver_class { DRIVER_CLASS_QUOTED, DRIVER_CLASS_SHORT }; /* 'org.apache...Type'; Type */

static inline bool driver_type_is_class(const struct wr_type_info *type)
{
    return wr_type_kind(type) == WR_TYPE_CUSTOM;
}

/* Whether its name in CQL does not tell all: of a user type the fields are not looked at. */
static inline bool driver_type_has_class(const struct wr_type_info *type)
{
    bool has = driver_type_is_class(type);
    for (uint32_t i = 0; !has && wr_type_kind(type) != WR_TYPE_UDT && i < wr_type_part_count(type); i++)
        has = driver_type_has_class(wr_type_part(type, i));
    return has;
}

static inline void driver_type_append(char *out, size_t room, const char *text, const char *behind)
{
    size_t len = strlen(out);
    snprintf(out + len, room - len, "%s%s", text, behind);
}

/* Appends to the text in `out`, as far as there is room; false: there is no memory. */
static inline bool driver_type_put(char *out, size_t room, const struct wr_type_info *type, enum driver_class how)
{
    static const char package[] = "org.apache.cassandra.db.marshal.";
    bool is_class = driver_type_is_class(type), has_parts = !is_class && driver_type_has_class(type), known = true;
    char name[2048], *shown = name;

    if (wr_type_format(type, is_class ? WR_TYPE_JAVA : WR_TYPE_CQL, name, sizeof name) == SIZE_MAX)
        return false;
    if (is_class && how == DRIVER_CLASS_SHORT && strncmp(name, package, sizeof package - 1) == 0)
        shown += sizeof package - 1;
    if (!has_parts) {
        driver_type_append(out, room, is_class && how == DRIVER_CLASS_QUOTED ? "'" : "", "");
        driver_type_append(out, room, shown, is_class && how == DRIVER_CLASS_QUOTED ? "'" : "");
        return true;
    }
    if (strncmp(shown, "frozen<", strlen("frozen<")) == 0)
        shown += strlen("frozen<");
    shown[strcspn(shown, "<")] = '\0';
    driver_type_append(out, room, shown, "<");
    for (uint32_t i = 0; known && i < wr_type_part_count(type); i++) {
        driver_type_append(out, room, i ? ", " : "", "");
        known = driver_type_put(out, room, wr_type_part(type, i), how);
    }
    if (wr_type_kind(type) == WR_TYPE_VECTOR) {
        snprintf(name, sizeof name, ", %u", wr_type_dimension(type));
        driver_type_append(out, room, name, "");
    }
    driver_type_append(out, room, ">", "");
    return known;
}

#endif
