#include "auth.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
    const uint8_t *end = token.data + (token.len > 0 ? token.len : 0), *nuls[2] = { NULL, NULL };
    int count = 0;
    for (const uint8_t *at = end; token.len > 0 && at-- > token.data;) {
        if (*at)
            continue;
        if (count == 2)
            return fail(error, room, "Credential format error: username or password is empty or contains NUL(\\0) character");
        nuls[count++] = at;
    }
    if (!nuls[0] || nuls[0] + 1 == end)
        return fail(error, room, "Password must not be null");
    if (!nuls[1] || nuls[1] + 1 == nuls[0])
        return fail(error, room, "Authentication ID must not be null");
    if (nuls[0] - nuls[1] > AUTH_USER_MAX || end - nuls[0] > PASSWORD_MAX)
        return fail(error, room, "The name or the password is too long");
    snprintf(user, AUTH_USER_MAX, "%.*s", (int)(nuls[0] - nuls[1] - 1), nuls[1] + 1);
    snprintf(password, PASSWORD_MAX, "%.*s", (int)(end - nuls[0] - 1), nuls[0] + 1);
    return true;
}

bool auth_name(struct wire_bytes token, char user[AUTH_USER_MAX], char *error, size_t error_room)
{
    char password[PASSWORD_MAX];
    bool ok = split(token, user, password, error, error_room);
    explicit_bzero(password, sizeof password);
    return ok;
}

bool auth_check(wr_db *db, struct wire_bytes token, char user[AUTH_USER_MAX], char *error, size_t error_room)
{
    char password[PASSWORD_MAX];
    wr_db *own; /* the message of a failure lies with its handle */
    if (!split(token, user, password, error, error_room))
        return false;
    if (wr_attach(db, &own) != WR_OK)
        return fail(error, error_room, "out of memory");
    bool right = wr_login(own, user, password) == WR_OK;
    if (!right)
        snprintf(error, error_room, "%s", wr_error(own));
    explicit_bzero(password, sizeof password);
    wr_close(own);
    return right;
}

bool auth_is_super(wr_db *db, const char *user)
{
    wr_db *own;
    wr_stmt *stmt = NULL;
    bool is_super = false;
    if (wr_attach(db, &own) != WR_OK)
        return false;
    if (wr_prepare(own, "SELECT is_superuser FROM system_auth.roles WHERE role = ?", -1, &stmt) == WR_OK && wr_bind_text(stmt, 0, user, -1) == WR_OK &&
        wr_step(stmt) == WR_ROW)
        is_super = wr_column_bool(stmt, 0);
    wr_finalize(stmt);
    wr_close(own);
    return is_super;
}
