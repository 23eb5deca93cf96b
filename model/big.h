/*
 * big.h - integers of any size: libtommath, wrapped. Only this header and big.c include it.
 *
 * A mp_int owns memory of the library's: whoever inits one clears it, through a single `out:`. Everything the library
 * can fail in is memory; big_ok turns that into a status for TRY_OUT.
 */
#ifndef WR_MODEL_BIG_H
#define WR_MODEL_BIG_H

#include <tommath.h>

#include "engine/buf.h"

/* More decimal places than this are never added to a number (BigInteger, too, has a limit, if a later one). */
enum { BIG_POW10_MAX = 400000 };

enum wr_status big_ok(struct ctx *ctx, mp_err err);

mp_err big_from_bytes(mp_int *n, struct slice two_complement); /* an initialized n; zero bytes are 0 */
mp_err big_from_digits(mp_int *n, const uint8_t *digits, size_t count);
mp_err big_times_pow10(mp_int *n, uint32_t power);

size_t big_len(const mp_int *n); /* bytes of big_put_bytes (one less, at times, for a negative power of two) */

/* The least two's complement bytes, as BigInteger.toByteArray. */
void big_put_bytes(struct buf *buf, const mp_int *n);

/* The digits of the magnitude, at least one. MP_MEM where the buf or the library has no memory. */
mp_err big_put_digits(struct buf *buf, const mp_int *n);

#endif
