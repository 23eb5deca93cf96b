/* Every workload, in the order they run; those of one dataset stand together, for it goes with the last. */
#include "workload.h"

extern const struct workload work_insert, work_insert_many, work_insert_synced, work_insert_memory, work_insert_writers, work_long, work_pages, work_mixed,
    work_scan, work_scan_rooms, work_newest, work_readers, work_authors, work_vector, work_open, work_kill, work_mail, work_counter, work_claim, work_fan_out, work_timeline, work_schema, work_limits, grow_partition,
    grow_deleted, grow_set, grow_large, grow_partitions, grow_tables, grow_truncate, grow_clustering, grow_memory;

const struct workload *const workloads[] = {
    &work_insert, &work_insert_many, &work_insert_synced, &work_insert_memory, &work_insert_writers, &work_long,
    &work_pages, &work_scan, &work_readers, &work_open, &work_kill, &work_scan_rooms, &work_newest,
    &work_mixed, &work_authors, &work_vector, &work_mail, &work_counter, &work_claim, &work_fan_out, &work_timeline, &work_schema, &work_limits,
    &grow_partition, &grow_deleted, &grow_set, &grow_large, &grow_partitions, &grow_tables, &grow_truncate, &grow_clustering,
    &grow_memory,
};
const unsigned workload_count = sizeof workloads / sizeof workloads[0];
