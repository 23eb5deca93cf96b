/* The one file that includes crypt.h. */
#include "auth.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crypt.h>

enum { PASSWORD_MAX = 256 };

static bool fail(char *error, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));

static bool fail(char *error, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, room, format, arguments);
    va_end(arguments);
    return false;
}

/* Cassandra's PasswordAuthenticator.decodeCredentials: from the end, each part up to a NUL. */
static bool split(struct wire_bytes token, char user[AUTH_USER_MAX], char password[PASSWORD_MAX], char *error, size_t room)
{
    const uint8_t *end = token.data + (token.len > 0 ? token.len : 0), *first = NULL, *second = NULL;
    for (const uint8_t *at = token.data; at && at < end; at++) {
        if (*at)
            continue;
        first = second;
        second = at;
    }
    if (!second || second + 1 == end)
        return fail(error, room, "Password must not be null");
    if (!first || first + 1 == second)
        return fail(error, room, "Authentication ID must not be null");
    if (second - first > AUTH_USER_MAX || end - second > PASSWORD_MAX)
        return fail(error, room, "The name or the password is too long");
    snprintf(user, AUTH_USER_MAX, "%.*s", (int)(second - first - 1), first + 1);
    snprintf(password, PASSWORD_MAX, "%.*s", (int)(end - second - 1), second + 1);
    return true;
}

bool auth_name(struct wire_bytes token, char user[AUTH_USER_MAX], char *error, size_t error_room)
{
    char password[PASSWORD_MAX];
    bool ok = split(token, user, password, error, error_room);
    explicit_bzero(password, sizeof password);
    return ok;
}

static bool is_hash_of(const char *hash, const char *password)
{
    struct crypt_data *data = calloc(1, sizeof *data);
    const char *made = data ? crypt_r(password, hash, data) : NULL;
    size_t len = strlen(hash), made_len = made ? strlen(made) : 0;
    unsigned differs = made_len != len;
    for (size_t i = 0; i < len && i < made_len; i++) /* as long for a near miss as for a far one */
        differs |= (unsigned)(hash[i] ^ made[i]);
    free(data);
    return !differs;
}

bool auth_check(wr_db *db, struct wire_bytes token, char user[AUTH_USER_MAX], char *error, size_t error_room)
{
    char password[PASSWORD_MAX];
    wr_stmt *stmt;
    if (!split(token, user, password, error, error_room))
        return false;
    if (wr_prepare(db, "SELECT salted_hash, can_login FROM system_auth.roles WHERE role = ?", -1, &stmt) != WR_OK)
        return fail(error, error_room, "%s", wr_error(db));
    wr_bind_text(stmt, 0, user, -1);
    bool found = wr_step(stmt) == WR_ROW;
    const char *hash = found ? wr_column_text(stmt, 0) : NULL;
    bool right = hash && is_hash_of(hash, password), may = found && wr_column_bool(stmt, 1);
    wr_finalize(stmt);
    explicit_bzero(password, sizeof password);
    if (!right)
        return fail(error, error_room, "Provided username %s and/or password are incorrect", user);
    return may || fail(error, error_room, "%s is not permitted to log in", user);
}
