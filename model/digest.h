/*
 * digest.h - message digests by the names Java gives them: MD5, SHA-1 and the SHA-2 and SHA-3 families.
 *
 * For mask_hash alone: nothing here is meant to keep a secret.
 */
#ifndef WR_MODEL_DIGEST_H
#define WR_MODEL_DIGEST_H

#include "engine/slice.h"

enum { DIGEST_BYTES_MAX = 64 };

struct digest;

const struct digest *digest_find(struct slice name); /* case does not count; NULL: not known */
size_t digest_bytes(const struct digest *digest);
void digest_of(const struct digest *digest, struct slice message, uint8_t *out); /* digest_bytes of them */

#endif
