/* The one file that includes crypt.h. */
#include "model/password.h"

#include <crypt.h>
#include <stdio.h>
#include <string.h>

#include "engine/clock.h"

#define METHOD "$2a$"
enum { ROUNDS = 10, ROUNDS_MIN = 4, ROUNDS_MAX = 30, SALT_BYTES = 16, SALT_CHARS = 22 };
enum { SETTING_CHARS = 7 + SALT_CHARS }; /* $2a$10$ before the salt */
enum { KEY_MAX = 72 }; /* bytes of a password that count in bcrypt; crypt_r refuses those of hundreds */

static enum wr_status run(struct ctx *ctx, struct slice password, const char *setting, const char **out)
{
    struct crypt_data *data = NEW(ctx, struct crypt_data);
    struct slice key = slice_of(password.data, password.len < KEY_MAX ? password.len : KEY_MAX);
    char *text = ctx_string(ctx, key);
    if (!data || !text)
        return WR_NOMEM;
    *out = crypt_r(text, setting, data);
    explicit_bzero(text, key.len);
    return WR_OK;
}

/* bcrypt's base 64, which has an order of letters of its own. */
static void put_salt(char *out, const uint8_t random[SALT_BYTES])
{
    static const char letters[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";

    for (unsigned i = 0; i < SALT_CHARS; i++) {
        unsigned at = 6 * i / 8, shift = 6 * i % 8;
        unsigned two = (unsigned)random[at] << 8 | (at + 1 < SALT_BYTES ? random[at + 1] : 0);
        out[i] = letters[two >> (10 - shift) & 63];
    }
    out[SALT_CHARS] = '\0';
}

enum wr_status password_hash(struct ctx *ctx, struct slice password, struct slice *out)
{
    uint8_t random[SALT_BYTES];
    char setting[SETTING_CHARS + 1];
    const char *made;
    clock_random(random, sizeof random);
    put_salt(setting + snprintf(setting, sizeof setting, METHOD "%02d$", ROUNDS), random);
    TRY(run(ctx, password, setting, &made));
    if (!made || made[0] == '*')
        return fail(ctx, WR_SERVER_ERROR, "the password could not be hashed");
    *out = slice_str(made);
    return WR_OK;
}

enum wr_status password_is(struct ctx *ctx, struct slice password, struct slice hash, bool *out)
{
    char *setting = ctx_string(ctx, hash);
    const char *made;
    *out = false;
    if (!setting)
        return WR_NOMEM;
    if (!password_is_hash(hash))
        return WR_OK;
    TRY(run(ctx, password, setting, &made));
    size_t len = made ? strlen(made) : 0;
    unsigned differs = len != hash.len;
    for (size_t i = 0; i < len && i < hash.len; i++)
        differs |= (unsigned)(hash.data[i] ^ (uint8_t)made[i]);
    *out = !differs;
    return WR_OK;
}

static bool is_salt_char(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '.' && c <= '9');
}

/* BCrypt.hashpw: $2$ or $2a$, two digits of rounds and a salt; what stands behind is the hash, of any form. */
bool password_is_hash(struct slice hash)
{
    size_t at = slice_has_prefix(hash, SLICE_LIT(METHOD)) ? 4 : slice_has_prefix(hash, SLICE_LIT("$2$")) ? 3 : 0;
    if (!at || hash.len < at + 3 + SALT_CHARS || hash.data[at + 2] > '$')
        return false;
    int tens = hash.data[at] - '0', ones = hash.data[at + 1] - '0';
    int rounds = 10 * tens + ones;
    for (size_t i = 0; i < SALT_CHARS; i++)
        if (!is_salt_char(hash.data[at + 3 + i]))
            return false;
    return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 && rounds >= ROUNDS_MIN && rounds <= ROUNDS_MAX;
}
