/*
 * metadata.h - columns and markers as drivers are told of them: names, tables, types, ids.
 */
#ifndef WR_SERVE_METADATA_H
#define WR_SERVE_METADATA_H

#include "digest.h"
#include "version.h"
#include "widerow.h"
#include "wire.h"

/* What the columns of a result are in front of its rows. */
struct metadata_rows {
    bool skip;                 /* the client has them: flags and count only */
    const uint8_t *changed_id; /* the client has others: the new id, and everything; NULL: no */
    const void *page_state;    /* NULL: there is no further page */
    size_t page_state_len;
};
void metadata_put_rows(struct wire_out *out, const struct version *version, const wr_stmt *stmt, const struct metadata_rows *rows);

/* Of a prepared statement: its markers; then the columns it will give, where it is a SELECT. */
void metadata_put_markers(struct wire_out *out, const struct version *version, const wr_stmt *stmt);
void metadata_put_prepared_columns(struct wire_out *out, const struct version *version, const wr_stmt *stmt);

/* The id of a result's metadata, of the names and types of its columns; `none`: of a result without columns. */
bool metadata_id(const wr_stmt *stmt, bool none, uint8_t out[DIGEST_LEN]);

#endif
