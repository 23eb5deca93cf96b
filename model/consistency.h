/*
 * consistency.h - consistency levels as a cluster answers them whose nodes are all healthy and hold everything.
 *
 * 1. Of a keyspace's replicas as many are alive as there are nodes (wr_set_nodes). A level that waits for more is WR_UNAVAILABLE,
 *    with required and alive as Cassandra computes them (Replicas.assureSufficientLiveReplicas).
 * 2. A run that was given no level asks for nothing: any schema runs, whatever its replication.
 * 3. Each check stands where Cassandra makes it: what a kind of statement refuses before its values are looked at, nodes after.
 */
#ifndef WR_MODEL_CONSISTENCY_H
#define WR_MODEL_CONSISTENCY_H

#include "model/plan.h"

/* What a SELECT or a single INSERT, UPDATE or DELETE refuses of levels: ANY, SERIAL, LOCAL_SERIAL. WR_INVALID. */
enum wr_status consistency_check(struct exec *exec, const struct plan *plan);

/* In a run. keys_at_once: of so many partitions by their keys, which a serial read asks a quorum of, and no more than one; 0: of a range. */
enum wr_status consistency_check_read(struct exec *exec, const struct table *table, uint32_t keys_at_once);
/* Of a search of neighbours, which asks one replica: the level of the run becomes that, with a warning; serial ones are refused. */
enum wr_status consistency_lower_nearest(struct exec *exec);
/* Of a write to so many partitions that looks at lists first (ModificationStatement.readRequiredLists); there have to be some. */
enum wr_status consistency_check_required_read(struct exec *exec, const struct table *table, uint32_t key_count);
enum wr_status consistency_check_write(struct exec *exec, const struct table *table); /* also what an LWT commits */
/* Before the conditions of an LWT are looked at: its levels must be of the kinds it takes, and Paxos needs a quorum. */
enum wr_status consistency_check_conditional(struct exec *exec, const struct table *table);

/* How many bytes the level's name has in a counter's mutation; that of who asks for none is what drivers ask for. */
size_t consistency_name_size(const struct exec *exec);

#endif
