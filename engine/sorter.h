/*
 * sorter.h - entries put in the order of their keys, of which there may be more than memory is to hold: what is held is sorted and written into a file
 * without a name, run behind run, and all runs are merged as they are read.
 *
 * One thread. Keys are compared as bytes; equal ones come in any order.
 */
#ifndef WR_ENGINE_SORTER_H
#define WR_ENGINE_SORTER_H

#include "engine/folder.h"

struct sorter;

/* About so many bytes are held. folder: where the file may lie; it stays open as long as the sorter. NULL: nowhere. */
enum wr_status sorter_new(struct ctx *ctx, const struct folder *folder, size_t most_bytes, struct sorter **out);
void sorter_free(struct sorter *sorter); /* NULL is fine */

/* Copies the key; *value has room for value_len bytes, to be filled before the next call. Not while they are read. */
enum wr_status sorter_add(struct ctx *ctx, struct sorter *sorter, struct slice key, size_t value_len, uint8_t **value);
bool sorter_is_full(const struct sorter *sorter);

/* Writes what is held into the file; false: it could not (there is none, or no space), and all is still there to be read. */
bool sorter_spill(struct sorter *sorter);

/* The next of all that has been added, good until the next call; a null key: that was the last, and more may be added. After a failure it can only be freed. */
enum wr_status sorter_next(struct ctx *ctx, struct sorter *sorter, struct slice *key, struct slice *value);

#endif
