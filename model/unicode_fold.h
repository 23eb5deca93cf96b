/*
 * unicode_fold.h - characters to their nearest ASCII, as Lucene has it.
 */
#ifndef WR_MODEL_UNICODE_FOLD_H
#define WR_MODEL_UNICODE_FOLD_H

#include <stddef.h>
#include <stdint.h>

/* One to four ASCII characters; NULL: it stays as it is. */
const char *unicode_fold(int32_t character);

#endif
