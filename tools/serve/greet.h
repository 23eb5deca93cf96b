/*
 * greet.h - requests that are about the connection itself: OPTIONS, STARTUP, REGISTER. They run on the loop's thread, in order.
 */
#ifndef WR_SERVE_GREET_H
#define WR_SERVE_GREET_H

#include "session.h"

void greet_request(struct session *session, const struct frame_header *header, const uint8_t *body, size_t len);

/* The value of an option that the client gave with STARTUP; NULL: it did not. */
const char *greet_option(const struct session *session, const char *name);

#endif
