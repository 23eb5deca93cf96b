/*
 * tls.h - TLS over memory: encrypted bytes in and out on one side, plain ones on the other. It knows no socket. A connection is one thread's at
 * a time: that of the loop, but for the handshake (net.c).
 */
#ifndef WR_SERVE_TLS_H
#define WR_SERVE_TLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tls_context; /* of a server */
struct tls;         /* of a connection */

struct tls_files {
    const char *certificate, *key; /* PEM; the certificate with its chain */
    const char *client_ca;         /* NULL: clients are not asked for a certificate */
};

struct tls_context *tls_context_open(const struct tls_files *files, char *error, size_t error_room); /* NULL: see error */
void tls_context_close(struct tls_context *context); /* NULL is fine */

struct tls *tls_open(struct tls_context *context); /* NULL: no memory */
void tls_close(struct tls *tls);                   /* NULL is fine */

bool tls_put(struct tls *tls, const uint8_t *data, size_t len); /* encrypted bytes that have come in */
bool tls_shake(struct tls *tls); /* goes on with the handshake, as far as those do; false: the other side is not to be talked to */
/* With the handshake over: plain bytes of those; 0: there are no more for now; -1: the other side has ended it, or is not to be talked to. */
int tls_read(struct tls *tls, uint8_t *data, size_t room);
bool tls_is_ready(const struct tls *tls);                         /* the handshake is over */
bool tls_write(struct tls *tls, const uint8_t *data, size_t len); /* plain bytes to go out, once it is ready */
void tls_finish(struct tls *tls);                                 /* tells the other side that no more comes; once */

/* Encrypted bytes to go out, which the caller frees; NULL: none. */
uint8_t *tls_take(struct tls *tls, size_t *len);

const char *tls_protocol(const struct tls *tls); /* "TLSv1.3"; static */
const char *tls_cipher(const struct tls *tls);   /* "TLS_AES_256_GCM_SHA384"; static */

#endif
