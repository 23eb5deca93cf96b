#include "engine/rig.h"

struct rig rig = {
    .mem_fail_after = -1,
    .store_fail_after = -1,
    .store_fail_with = WR_IO,
    .trust_whole_leaves = 256,
    .gather_after = 16,
    .gather_session_ms = 250,
    .backlog_when = BACKLOG_WHERE_IT_PAYS,
    .backlog_idle_ms = 1000,
    .build_batch_bytes = 8 << 20,
    .build_part_bytes = 16 << 20,
};
