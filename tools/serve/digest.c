/* The one file that includes openssl/evp.h. */
#include "digest.h"

#include <openssl/evp.h>

bool digest_md5(uint8_t out[DIGEST_LEN], const void *first, size_t first_len, const void *second, size_t second_len)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    bool ok = ctx && EVP_DigestInit_ex(ctx, EVP_md5(), NULL) && EVP_DigestUpdate(ctx, first, first_len) &&
              EVP_DigestUpdate(ctx, second, second_len) && EVP_DigestFinal_ex(ctx, out, NULL);
    EVP_MD_CTX_free(ctx);
    return ok;
}
