/*
 * password.h - salted hashes of passwords: bcrypt, in jBCrypt's form ($2a$10$...), as system_auth.roles has them.
 */
#ifndef WR_MODEL_PASSWORD_H
#define WR_MODEL_PASSWORD_H

#include "engine/ctx.h"

/* With a new salt. Slow by intent. */
enum wr_status password_hash(struct ctx *ctx, struct slice password, struct slice *out);

/* Takes as long for a near miss as for a far one. Nothing is the password of what is no hash. */
enum wr_status password_is(struct ctx *ctx, struct slice password, struct slice hash, bool *out);

bool password_is_hash(struct slice hash); /* what BCrypt.checkpw takes */

#endif
