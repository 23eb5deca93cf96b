/*
 * unicode.h - what a text is to Unicode: its case, its normal form, its words. The one room that includes utf8proc.
 *
 * Texts are valid UTF-8 (type.h has seen to it); what comes out is in ctx's memory, or the text itself.
 * 1. Case is Java's String.toLowerCase and toUpperCase in the root locale, sigma at the end of a word included; capitals of
 *    several characters may come decomposed, which unicode_nfc puts right.
 */
#ifndef WR_MODEL_UNICODE_H
#define WR_MODEL_UNICODE_H

#include "engine/buf.h"
#include "engine/ctx.h"

enum wr_status unicode_lower(struct ctx *ctx, struct slice text, struct slice *out);
bool unicode_is_lower(struct slice text); /* unicode_lower gives it back */
enum wr_status unicode_upper(struct ctx *ctx, struct slice text, struct slice *out);
enum wr_status unicode_nfc(struct ctx *ctx, struct slice text, struct slice *out);
/* The digit that a text, which is not empty, begins with, and the text goes on behind it; -1: it begins with none. Of all scripts, as below. */
int unicode_digit(struct slice *text);
/* Decimal digits of all scripts as 0 to 9, as numbers in Java's texts may have them; not those whom Java has in two halves. */
enum wr_status unicode_digits(struct ctx *ctx, struct slice text, struct slice *out);
enum wr_status unicode_ascii(struct ctx *ctx, struct slice text, struct slice *out); /* ASCIIFoldingFilter */

/* The bytes of the first character where it may begin a Java identifier, or (begins false) go on in one; 0: it may not. None does whom Java has
 * in two halves. */
size_t unicode_java_part(struct slice text, bool begins);

enum unicode_class { UNICODE_OTHER, UNICODE_UPPER, UNICODE_LOWER, UNICODE_LETTER, UNICODE_DIGIT, UNICODE_SPACE };
enum unicode_class unicode_class(uint32_t character); /* letters without case are UNICODE_LETTER; a space that is a separator (Zs) */
unsigned unicode_category(uint32_t character); /* the general one, numbered as utf8proc does: 0 Cn, 1 Lu, 2 Ll, ... 29 Co */
int unicode_char_digit(uint32_t character);     /* the decimal digit that one UTF-16 unit is, in whatever script; -1: none */
uint32_t unicode_char_lower(uint32_t character); /* Character.toLowerCase: of one character, to one */
uint32_t unicode_char_upper(uint32_t character);

void unicode_put(struct buf *buf, uint32_t character);
size_t unicode_length(struct slice text); /* in characters */
size_t unicode_java_length(struct slice text); /* in UTF-16 units */
bool unicode_is_ascii(struct slice text);

/* The next word of *rest, which goes on behind it: letters and digits as Unicode's word boundaries (UAX 29) keep them together, an
 * ideograph or a hiragana by itself. False: there is none. */
bool unicode_word(struct slice *rest, struct slice *word);

/* What a message of Java's shows of the character at the beginning: half of a pair of surrogates, which is ?, of what has one. */
struct slice unicode_java_char(struct slice text);

#endif
