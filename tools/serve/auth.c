#include "auth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *fail(char *error, size_t room, const char *message)
{
    snprintf(error, room, "%s", message);
    return NULL;
}

static char *part(const uint8_t *nul, const uint8_t *end)
{
    return strndup((const char *)nul + 1, (size_t)(end - nul - 1));
}

/* Cassandra's PasswordAuthenticator.decodeCredentials: from the end, each part up to a NUL. What it gives is to be freed. */
static char *split(struct wire_bytes token, char **password, char *error, size_t room)
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
    char *user = part(nuls[1], nuls[0]);
    *password = part(nuls[0], end);
    if (user && *password)
        return user;
    free(user);
    free(*password);
    return fail(error, room, "out of memory");
}

static void forget(char *password)
{
    explicit_bzero(password, strlen(password));
    free(password);
}

char *auth_name(struct wire_bytes token, char *error, size_t error_room)
{
    char *password, *user = split(token, &password, error, error_room);
    if (user)
        forget(password);
    return user;
}

static bool is_right(wr_db *db, const char *user, const char *password, char *error, size_t error_room)
{
    wr_db *own; /* the message of a failure lies with its handle */
    if (wr_attach(db, &own) != WR_OK) {
        fail(error, error_room, "out of memory");
        return false;
    }
    bool right = wr_login(own, user, password) == WR_OK;
    if (!right)
        fail(error, error_room, wr_error(own));
    wr_close(own);
    return right;
}

char *auth_check(wr_db *db, struct wire_bytes token, char *error, size_t error_room)
{
    char *password, *user = split(token, &password, error, error_room);
    if (!user)
        return NULL;
    bool right = is_right(db, user, password, error, error_room);
    forget(password);
    if (right)
        return user;
    free(user);
    return NULL;
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
