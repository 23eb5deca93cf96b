#include "widerow.h"
#include "widerow_serve.h"

int header_compiles_as_c(void);

int header_compiles_as_c(void)
{
    struct wr_options options = WR_OPTIONS_INIT;
    return options.size == sizeof options;
}
