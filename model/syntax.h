/*
 * syntax.h - why a text is no CQL, in Cassandra's own words.
 *
 * Called for a text the grammar refused; a cold path that may take its time, but a bounded one.
 */
#ifndef WR_MODEL_SYNTAX_H
#define WR_MODEL_SYNTAX_H

#include "engine/ctx.h"

/* WR_SYNTAX with the message; at: where our own grammar gave up, for a text in which nothing is found to complain about. */
enum wr_status syntax_explain(struct ctx *ctx, struct slice text, size_t at);

/* For a text with something else wrong at offset: WR_SYNTAX with the message if Cassandra's parser stumbles before it gets there.
 * WR_OK leaves ctx's message as it was. */
enum wr_status syntax_check_before(struct ctx *ctx, struct slice text, size_t offset);

#endif
