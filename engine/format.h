/*
 * format.h - texts made as printf makes them, which hold slices as they are.
 *
 * 1. Conversions, flags and results are printf's, but for `%.*s`: it stands for exactly that many bytes (SLICE_ARG), and where printf would
 *    end it at a NUL, the NUL is in the text.
 * 2. A message is a NUL-terminated text all the way to whoever shows it, so a NUL in it is C0 80 (NUL_IN_MESSAGE), as in Java's modified
 *    UTF-8; no other text has these bytes. A server sends it as the NUL that it is.
 * 3. A message that has no room ends with a whole character.
 */
#ifndef WR_ENGINE_FORMAT_H
#define WR_ENGINE_FORMAT_H

#include <stdarg.h>

#include "engine/slice.h"

#define NUL_IN_MESSAGE "\xc0\x80"

/* As vsnprintf: at most room bytes with the NUL at the end, and how long the whole text is. */
size_t format_message(char *out, size_t room, const char *format, va_list args);
/* The same with each NUL as it is. */
size_t format_bytes(char *out, size_t room, const char *format, va_list args);

#endif
