/*
 * shape.h - what statements depend on in a table, as a digest: its columns with their types and masks, what it shows of them, and its
 * indexes.
 *
 * Cassandra keeps statements prepared over changes that leave these as they are (ALTER TABLE ... WITH): TableMetadata.changeAffectsPreparedStatements.
 */
#ifndef WR_SERVE_SHAPE_H
#define WR_SERVE_SHAPE_H

#include "digest.h"
#include "widerow.h"

/* False: it cannot be told. A table that is not there has a shape too: that of nothing. */
bool shape_of_table(wr_db *db, const char *keyspace, const char *table, uint8_t out[DIGEST_LEN]);

/* What of a keyspace has a type of it, be it within another type: tables and views in a column, functions in what they take or give. Names, each
 * with its NUL, and one NUL more; NULL: it cannot be told. */
struct shape_users {
    char *tables, *functions;
};

struct shape_users shape_users_of_type(wr_db *db, const char *keyspace, const char *type);
void shape_users_release(struct shape_users *users);

#endif
