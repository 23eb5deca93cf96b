/* java.util.Base64. */
#include "model/java/lib.h"

enum { BASE64_URL = 1, BASE64_BARE = 2 }; /* of an encoder or decoder: - and _ for + and /; without = at the end */

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char digit_of(unsigned v, int64_t flags)
{
    return v == 62 && (flags & BASE64_URL) ? '-' : v == 63 && (flags & BASE64_URL) ? '_' : alphabet[v];
}

/* -1: none. */
static int value_of(uint8_t c, int64_t flags)
{
    const char *at = c ? strchr(alphabet, c) : NULL;
    if (flags & BASE64_URL)
        return c == '-' ? 62 : c == '_' ? 63 : at && at - alphabet < 62 ? (int)(at - alphabet) : -1;
    return at ? (int)(at - alphabet) : -1;
}

JAVA_CALL(base64_make)
{
    JAVA_UNUSED;
    if (!(out->o = java_new(run, (enum java_kind)method->result)))
        return false;
    out->o->value.i = method->of == J_BASE64 ? method->variant : self->o->value.i | BASE64_BARE;
    return true;
}

JAVA_CALL(base64_encode)
{
    const struct java_object *array = args[0].o;
    int64_t flags = self->o->value.i;
    uint32_t len;
    size_t n = 0;
    char *text;
    JAVA_UNUSED;

    if (!java_check_read(run, array, JAVA_READ_LENGTH, "src") || !java_spend(run, (len = array->array.count)) ||
        !(text = java_alloc(run, ((size_t)len + 2) / 3 * 4)))
        return false;
    for (uint32_t i = 0; i < len; i += 3) {
        uint32_t left = len - i, v = 0;
        for (uint32_t k = 0; k < 3; k++)
            v = v << 8 | (k < left ? (uint8_t)array->array.items[i + k].i : 0);
        for (uint32_t k = 0; k < 4; k++)
            if (k <= left)
                text[n++] = digit_of(v >> (18 - 6 * k) & 63, flags);
            else if (!(flags & BASE64_BARE))
                text[n++] = '=';
    }
    struct slice made = slice_of((const uint8_t *)text, n);
    return method->result == J_STRING ? java_string_of_utf8(run, made, &out->o) : java_new_bytes(run, made, &out->o);
}

/* As Base64.Decoder.decode0, with its failures. */
static bool decode(struct java_run *run, const uint8_t *text, size_t len, int64_t flags, struct java_object **out)
{
    uint8_t *bytes = java_alloc(run, len);
    uint32_t bits = 0;
    size_t n = 0, at = 0;
    int shift = 18;

    if (!bytes)
        return false;
    if (len == 1)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Input byte[] should at least have 2 bytes for base64 bytes");
    while (at < len) {
        uint8_t c = text[at++];
        if (c == '=') {
            if ((shift == 6 && (at == len || text[at++] != '=')) || shift == 18)
                return java_throw(run, J_ILLEGAL_ARGUMENT, "Input byte array has wrong 4-byte ending unit");
            break;
        }
        int v = value_of(c, flags);
        if (v < 0)
            return java_throw(run, J_ILLEGAL_ARGUMENT, "Illegal base64 character %s%x", c < 0x80 ? "" : "-", c < 0x80 ? c : 0x100 - c);
        bits |= (uint32_t)v << shift;
        if ((shift -= 6) < 0) {
            for (int k = 16; k >= 0; k -= 8)
                bytes[n++] = (uint8_t)(bits >> k);
            shift = 18;
            bits = 0;
        }
    }
    if (shift == 12)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Last unit does not have enough valid bits");
    if (shift == 6 || shift == 0)
        bytes[n++] = (uint8_t)(bits >> 16);
    if (shift == 0)
        bytes[n++] = (uint8_t)(bits >> 8);
    if (at < len)
        return java_throw(run, J_ILLEGAL_ARGUMENT, "Input byte array has incorrect ending byte at %zu", at);
    return java_new_bytes(run, slice_of(bytes, n), out);
}

JAVA_CALL(base64_decode)
{
    const struct java_object *from = args[0].o;
    bool is_text = method->args[0] == J_STRING;
    JAVA_UNUSED;
    if (!from && is_text)
        return java_throw(run, J_NULL_POINTER, "Cannot invoke \"String.getBytes(java.nio.charset.Charset)\" because \"src\" is null");
    if (!java_check_read(run, from, JAVA_READ_LENGTH, "src"))
        return false;
    uint32_t len = is_text ? from->string.len : from->array.count;
    uint8_t *text = java_alloc(run, len);
    if (!text || !java_spend(run, len))
        return false;
    for (uint32_t i = 0; i < len; i++)
        text[i] = is_text ? from->string.units[i] < 256 ? (uint8_t)from->string.units[i] : '?' : (uint8_t)from->array.items[i].i;
    return decode(run, text, len, self->o->value.i, &out->o);
}

const struct java_method java_base64_methods[] = {
    { J_BASE64, "getEncoder", J_BASE64_ENCODER, { 0 }, JAVA_STATIC, base64_make, 0 },
    { J_BASE64, "getUrlEncoder", J_BASE64_ENCODER, { 0 }, JAVA_STATIC, base64_make, BASE64_URL },
    { J_BASE64, "getDecoder", J_BASE64_DECODER, { 0 }, JAVA_STATIC, base64_make, 0 },
    { J_BASE64, "getUrlDecoder", J_BASE64_DECODER, { 0 }, JAVA_STATIC, base64_make, BASE64_URL },
    { J_BASE64_ENCODER, "withoutPadding", J_BASE64_ENCODER, { 0 }, 0, base64_make, 0 },
    { J_BASE64_ENCODER, "encodeToString", J_STRING, { JX_BYTES }, 0, base64_encode, 0 },
    { J_BASE64_ENCODER, "encode", JX_BYTES, { JX_BYTES }, 0, base64_encode, 0 },
    { J_BASE64_DECODER, "decode", JX_BYTES, { J_STRING }, 0, base64_decode, 0 },
    { J_BASE64_DECODER, "decode", JX_BYTES, { JX_BYTES }, 0, base64_decode, 0 },
    { J_ERROR, NULL, 0, { 0 }, 0, NULL, 0 },
};
