/*
 * rig.h - what tests arrange of the engine: which call fails, and that what takes much or long else comes soon. Nobody else sets any of it.
 */
#ifndef WR_ENGINE_RIG_H
#define WR_ENGINE_RIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wr_status.h"

enum backlog_when { BACKLOG_WHERE_IT_PAYS, BACKLOG_ALWAYS, BACKLOG_NEVER };

struct rig {
    _Atomic long mem_fail_after;     /* the n-th coming call for the system's memory fails; -1: none */
    bool mem_blocks_apart;           /* each allocation in an arena is one of the system's, and may fail */
    _Atomic long store_fail_after;   /* the n-th coming store call that can fail returns store_fail_with; -1: none */
    enum wr_status store_fail_with;  /* WR_IO, or WR_FULL */
    uint64_t store_memory_bytes;     /* that the process may have (readahead.h); 0: as the system tells */
    int trust_whole_leaves;          /* how many leaves a tree may have that is looked at whole (trust.h) */
    int gather_after;                /* so many writes in a row without a read (mode full: a quarter of them in all) make the next ones gathered; with brief
                                        reads between them, more; INT_MAX: never */
    int gather_session_ms;           /* until what is acknowledged is in the data file with nobody asking for it */
    enum backlog_when backlog_when;  /* rows are put off */
    int backlog_idle_ms;             /* without a row put off, until the sweep applies what is */
    size_t build_batch_bytes;        /* how much of a table txn_build_index and txn_build_derived hold in memory at a time, besides one row */
    size_t build_part_bytes;         /* and how much of what is new they commit at a time */
};
extern struct rig rig;

#endif
