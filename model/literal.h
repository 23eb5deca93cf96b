/*
 * literal.h - constants as they stand in CQL text to the bytes of a type, with Cassandra's rules and messages.
 */
#ifndef WR_MODEL_LITERAL_H
#define WR_MODEL_LITERAL_H

#include "model/type.h"

enum literal_kind {
    LITERAL_STRING, LITERAL_INTEGER, LITERAL_FLOAT, LITERAL_BOOLEAN, LITERAL_UUID, LITERAL_HEX, LITERAL_DURATION,
    LITERAL_NULL
};

/* text: of a string its content (quotes off, '' folded), else as written. `column` is the receiver's name for messages
 * (Invalid STRING constant (a) for "v" of type int). */
enum wr_status literal_parse(struct ctx *ctx, enum literal_kind kind, struct slice text, const struct type *type,
                             struct slice column, struct slice *out);

/* Whether a constant of that kind may be given to the type at all (Constants.Literal.testAssignment). Whether exactly depends on
 * its text: ASSIGN_EXACT is for the caller, where literal_natural_type is the type. */
enum assignment { ASSIGN_NO, ASSIGN_WEAK, ASSIGN_EXACT };
enum assignment literal_assignable(enum literal_kind kind, const struct type *type);

/* The type a constant has by itself where nothing else tells (selection clause, arithmetic); NULL: null has none, nor a float
 * too large for a double (1e400), which the server refuses while parsing (NumberFormatException). */
enum wr_status literal_natural_type(struct ctx *ctx, enum literal_kind kind, struct slice text, const struct type **out);

/* Whether some constant of that kind has that type by itself: for others the text need not be looked at. */
bool literal_may_be(enum literal_kind kind, const struct type *type);

/* From a plain string, as AbstractType.fromString: dates, uuids, numbers, inet, blobs without 0x, ... Used for JSON strings,
 * wr_cf and the shell. WR_INVALID with the marshalling message. */
enum wr_status literal_from_string(struct ctx *ctx, const struct type *type, struct slice text, struct slice *out);

#endif
