/* The one file that includes openssl/ssl.h. */
#include "tls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/err.h>
#include <openssl/ssl.h>

struct tls_context {
    SSL_CTX *ctx;
};

struct tls {
    SSL *ssl;
    BIO *in, *out; /* the ssl's */
    bool finished;
};

static bool load(SSL_CTX *ctx, const struct tls_files *files, const char **at)
{
    *at = files->certificate;
    if (SSL_CTX_use_certificate_chain_file(ctx, files->certificate) != 1)
        return false;
    *at = files->key;
    if (SSL_CTX_use_PrivateKey_file(ctx, files->key, SSL_FILETYPE_PEM) != 1 || SSL_CTX_check_private_key(ctx) != 1)
        return false;
    if (!files->client_ca)
        return true;
    *at = files->client_ca;
    STACK_OF(X509_NAME) *names = SSL_load_client_CA_file(files->client_ca);
    SSL_CTX_set_client_CA_list(ctx, names); /* takes them over */
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    /* without a context of its own, OpenSSL refuses a session that a client with a certificate resumes, as those of Java and .NET do */
    static const unsigned char sessions_of[] = "widerow";
    if (SSL_CTX_set_session_id_context(ctx, sessions_of, sizeof sessions_of - 1) != 1)
        return false;
    return names && SSL_CTX_load_verify_locations(ctx, files->client_ca, NULL) == 1;
}

static bool restrict_to(SSL_CTX *ctx, int version_min)
{
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION); /* a client of TLS 1.2 could ask for one handshake after the other */
    return SSL_CTX_set_min_proto_version(ctx, version_min) == 1;
}

struct tls_context *tls_context_open(const struct tls_files *files, char *error, size_t error_room)
{
    struct tls_context *context = calloc(1, sizeof *context);
    const char *at = "OpenSSL";
    if (context && (context->ctx = SSL_CTX_new(TLS_server_method())) && restrict_to(context->ctx, TLS1_2_VERSION) && load(context->ctx, files, &at))
        return context;
    unsigned long code = ERR_peek_error(); /* the first: those behind it tell who met it */
    const char *reason = ERR_GET_LIB(code) == ERR_LIB_SYS ? strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);
    snprintf(error, error_room, "TLS cannot be set up from %s: %s", at, reason ? reason : "no reason is known");
    ERR_clear_error();
    tls_context_close(context);
    return NULL;
}

void tls_context_close(struct tls_context *context)
{
    if (context)
        SSL_CTX_free(context->ctx);
    free(context);
}

struct tls *tls_open(struct tls_context *context)
{
    struct tls *tls = calloc(1, sizeof *tls);
    if (!tls || !(tls->ssl = SSL_new(context->ctx))) {
        free(tls);
        return NULL;
    }
    tls->in = BIO_new(BIO_s_mem());
    tls->out = BIO_new(BIO_s_mem());
    if (!tls->in || !tls->out) {
        BIO_free(tls->in);
        BIO_free(tls->out);
        SSL_free(tls->ssl);
        free(tls);
        return NULL;
    }
    SSL_set_bio(tls->ssl, tls->in, tls->out);
    SSL_set_accept_state(tls->ssl);
    return tls;
}

void tls_close(struct tls *tls)
{
    if (tls)
        SSL_free(tls->ssl); /* and its BIOs */
    free(tls);
}

bool tls_put(struct tls *tls, const uint8_t *data, size_t len)
{
    return BIO_write(tls->in, data, (int)len) == (int)len;
}

/* Nothing worse has happened than that more is to come. */
static bool waits_for_more(const struct tls *tls, int result)
{
    return SSL_get_error(tls->ssl, result) == SSL_ERROR_WANT_READ;
}

bool tls_shake(struct tls *tls)
{
    ERR_clear_error();
    int done = SSL_do_handshake(tls->ssl);
    return done == 1 || waits_for_more(tls, done);
}

int tls_read(struct tls *tls, uint8_t *data, size_t room)
{
    ERR_clear_error();
    int n = SSL_read(tls->ssl, data, (int)room);
    return n > 0 ? n : waits_for_more(tls, n) ? 0 : -1;
}

bool tls_is_ready(const struct tls *tls)
{
    return SSL_is_init_finished(tls->ssl);
}

bool tls_write(struct tls *tls, const uint8_t *data, size_t len)
{
    ERR_clear_error();
    return !len || SSL_write(tls->ssl, data, (int)len) == (int)len;
}

void tls_finish(struct tls *tls)
{
    if (!tls->finished && tls_is_ready(tls))
        SSL_shutdown(tls->ssl);
    tls->finished = true;
}

uint8_t *tls_take(struct tls *tls, size_t *len)
{
    *len = BIO_ctrl_pending(tls->out);
    uint8_t *data = *len ? malloc(*len) : NULL;
    if (data)
        BIO_read(tls->out, data, (int)*len);
    return data;
}

const char *tls_protocol(const struct tls *tls)
{
    return SSL_get_version(tls->ssl);
}

const char *tls_cipher(const struct tls *tls)
{
    return SSL_CIPHER_standard_name(SSL_get_current_cipher(tls->ssl));
}
