/*
 * host.h - the functions that scripts define: where a server compiles a CREATE FUNCTION, the runner registers one in C
 * that does the same. `-- host: NAME` before the statement says which of host.c's table it is.
 */
#ifndef TESTS_CONFORMANCE_HOST_H
#define TESTS_CONFORMANCE_HOST_H

#include "widerow.h"

/* Registers what `CREATE FUNCTION keyspace.name(a int, ...) CALLED ON NULL INPUT RETURNS int ...` says. WR_MISUSE: not
 * so written. */
enum wr_status host_register(wr_db *db, const char *name, const char *statement);

#endif
