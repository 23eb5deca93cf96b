/*
 * complete.h - completion of keywords and of the schema's names, for the shell's line editor.
 */
#ifndef WR_TOOLS_COMPLETE_H
#define WR_TOOLS_COMPLETE_H

#include <stdbool.h>

#include "widerow.h"

void complete_begin(wr_db *db); /* the line editor knows one completer at a time: this one, until complete_end */
void complete_end(void);

#endif
