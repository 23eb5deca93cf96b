#include "version.h"

#include <stddef.h>

static const struct version versions[] = {
    { 3, "3/v3", false, false, false, false, false, false, false, false, false, false },
    { 4, "4/v4", false, false, false, true, true, true, false, true, false, true },
    { 5, "5/v5", false, true, true, true, true, true, true, true, true, true },
    { 6, "6/v6-beta", true, true, true, true, true, true, true, true, true, true },
};

const struct version *version_of(unsigned number)
{
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++)
        if (versions[i].number == number)
            return &versions[i];
    return NULL;
}
