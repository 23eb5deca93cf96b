#include "widerow.h"

int header_compiles_as_c(void);

int header_compiles_as_c(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    return options.size == sizeof options;
}
