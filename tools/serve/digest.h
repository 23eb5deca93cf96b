/*
 * digest.h - MD5, which ids of statements and of metadata are made of, as drivers know them.
 */
#ifndef WR_SERVE_DIGEST_H
#define WR_SERVE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DIGEST_LEN = 16 };

/* Before anything else of OpenSSL: it is not taken down by exit(), which a program may call while threads of a server are answering. */
void digest_begin(void);

/* Of the parts one after the other; false: the library failed. */
bool digest_md5(uint8_t out[DIGEST_LEN], const void *first, size_t first_len, const void *second, size_t second_len);

#endif
