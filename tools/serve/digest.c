/* The one file that includes openssl/evp.h and openssl/crypto.h. */
#include "digest.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

void digest_begin(void)
{
    OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL);
}

bool digest_md5(uint8_t out[DIGEST_LEN], const void *first, size_t first_len, const void *second, size_t second_len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = ctx && EVP_DigestInit_ex(ctx, EVP_md5(), NULL) && EVP_DigestUpdate(ctx, first, first_len) &&
              EVP_DigestUpdate(ctx, second, second_len) && EVP_DigestFinal_ex(ctx, out, NULL);
    EVP_MD_CTX_free(ctx);
    return ok;
}
