#include "model/permission.h"

static const char *const names[PERMISSION_COUNT] = {
    [PERMISSION_CREATE] = "CREATE",     [PERMISSION_ALTER] = "ALTER",
    [PERMISSION_DROP] = "DROP",         [PERMISSION_SELECT] = "SELECT",
    [PERMISSION_MODIFY] = "MODIFY",     [PERMISSION_AUTHORIZE] = "AUTHORIZE",
    [PERMISSION_DESCRIBE] = "DESCRIBE", [PERMISSION_EXECUTE] = "EXECUTE",
    [PERMISSION_UNMASK] = "UNMASK",     [PERMISSION_SELECT_MASKED] = "SELECT_MASKED",
};

const char *permission_name(enum permission p)
{
    return names[p];
}

permissions permission_of_name(struct slice name)
{
    for (int p = 0; p < PERMISSION_COUNT; p++)
        if (slice_eq_str(name, names[p]))
            return permission_bit((enum permission)p);
    return PERMISSIONS_NONE;
}
