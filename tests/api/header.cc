#include "widerow.h"
#include "widerow_serve.h"

int header_compiles_as_cxx();

int header_compiles_as_cxx()
{
    wr_options options = WR_OPTIONS_INIT;
    return options.size == sizeof options;
}
