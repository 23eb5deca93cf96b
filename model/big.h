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
enum wr_status big_fail_overflow(struct ctx *ctx); /* BigInteger's */

/* A zero in room that is not its own, for so many of the library's digits, which are zeroes: it is not cleared, and must not become larger. Whatever is
 * done to it then needs no memory. */
void big_borrow(mp_int *n, mp_digit *room, int digits);
/* Digits for a number of so many bytes, and for what a step or two adds. */
static inline int big_room(size_t bytes)
{
    return (int)(bytes * 8 / MP_DIGIT_BIT) + 3;
}

mp_err big_from_bytes(mp_int *n, struct slice two_complement); /* an initialized n; zero bytes are 0 */
mp_err big_from_digits(mp_int *n, const uint8_t *digits, size_t count);
enum { BIG_POW10_AT_ONCE = MP_DIGIT_BIT >= 60 ? 17 : 7 }; /* a step */
mp_err big_times_pow10(mp_int *n, uint32_t power);

size_t big_len(const mp_int *n); /* bytes of big_put_bytes (one less, at times, for a negative power of two) */

/* The least two's complement bytes, as BigInteger.toByteArray. */
void big_put_bytes(struct buf *buf, const mp_int *n);

/* The digits of the magnitude, at least one. MP_MEM where the buf or the library has no memory. */
mp_err big_put_digits(struct buf *buf, const mp_int *n);

#endif
