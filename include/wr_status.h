/*
 * wr_status.h - every outcome of a call, in one table.
 *
 * Errors that Cassandra has carry its class: wr_status_code() gives the code of the native protocol. The others belong to
 * an embedded database (a folder, a disk, a caller) and map to ServerError (0x0000) for a client of a server.
 * Numbers are part of the ABI: a new status goes at the end of its group's gap.
 */
#ifndef WR_STATUS_H
#define WR_STATUS_H

/*      name               number  native   Cassandra's class, or ours  */
#define WR_STATUS_TABLE(X)                                                                                             \
    X(WR_OK,                  0, 0x0000, "ok")                                                                         \
    X(WR_ROW,                 1, 0x0000, "row")                                                                        \
    X(WR_DONE,                2, 0x0000, "done")                                                                       \
    X(WR_SERVER_ERROR,       10, 0x0000, "ServerError")                                                                \
    X(WR_PROTOCOL,           11, 0x000A, "ProtocolError")                                                              \
    X(WR_UNAVAILABLE,        12, 0x1000, "Unavailable")                                                                \
    X(WR_OVERLOADED,         13, 0x1001, "Overloaded")                                                                 \
    X(WR_TRUNCATE_ERROR,     14, 0x1003, "TruncateError")                                                              \
    X(WR_WRITE_TIMEOUT,      15, 0x1100, "WriteTimeout")                                                               \
    X(WR_READ_TIMEOUT,       16, 0x1200, "ReadTimeout")                                                                \
    X(WR_READ_FAILURE,       17, 0x1300, "ReadFailure")                                                                \
    X(WR_FUNCTION_FAILURE,   18, 0x1400, "FunctionFailure")                                                            \
    X(WR_WRITE_FAILURE,      19, 0x1500, "WriteFailure")                                                               \
    X(WR_SYNTAX,             20, 0x2000, "SyntaxException")                                                            \
    X(WR_UNAUTHORIZED,       21, 0x2100, "Unauthorized")                                                               \
    X(WR_INVALID,            22, 0x2200, "InvalidRequest")                                                             \
    X(WR_CONFIG,             23, 0x2300, "ConfigurationException")                                                     \
    X(WR_ALREADY_EXISTS,     24, 0x2400, "AlreadyExists")                                                              \
    X(WR_UNPREPARED,         25, 0x2500, "Unprepared")                                                                 \
    X(WR_BAD_CREDENTIALS,    26, 0x0100, "AuthenticationException")                                                    \
    X(WR_NOMEM,              40, 0x0000, "OutOfMemory")                                                                \
    X(WR_IO,                 41, 0x0000, "IoError")                                                                    \
    X(WR_FULL,               42, 0x0000, "StorageFull")                                                                \
    X(WR_CORRUPT,            43, 0x0000, "Corrupt")                                                                    \
    X(WR_NOT_A_DATABASE,     44, 0x0000, "NotADatabase")                                                               \
    X(WR_VERSION,            45, 0x0000, "FormatVersion")                                                              \
    X(WR_READONLY,           46, 0x0000, "ReadOnly")                                                                   \
    X(WR_BUSY,               47, 0x0000, "Busy")                                                                       \
    X(WR_MISUSE,             48, 0x0000, "Misuse")                                                                     \
    X(WR_NOT_FOUND,          49, 0x0000, "NotFound")                                                                   \
    X(WR_INTERRUPTED,        50, 0x0000, "Interrupted")

enum wr_status {
#define WR_STATUS_ENUM(name, number, native, text) name = number,
    WR_STATUS_TABLE(WR_STATUS_ENUM)
#undef WR_STATUS_ENUM
};

#endif
