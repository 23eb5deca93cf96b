/*
 * clock_functions.h - CQL functions by which clients move their database's clock, for suites that would have to wait
 * for a TTL:
 *
 *     SELECT widerow.clock_step(3600) FROM system.local            so many seconds on (or back)
 *     SELECT widerow.clock_set('2026-01-01 00:00Z') FROM ..        stands there
 *     SELECT widerow.clock_release() FROM ..                       the machine's again
 *
 * Each gives the time that it is from then on.
 */
#ifndef WR_SERVE_CLOCK_FUNCTIONS_H
#define WR_SERVE_CLOCK_FUNCTIONS_H

#include "widerow.h"

enum wr_status clock_functions_register(wr_db *db); /* until that handle is closed, it must be the last one to be */

#endif
