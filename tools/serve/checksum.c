#include "checksum.h"

#include <pthread.h>

enum { CRC24_FIRST = 0x875060, CRC24_POLYNOMIAL = 0x1974f0b, SLICES = 8 };
#define CRC32_POLYNOMIAL UINT32_C(0xedb88320)

uint32_t checksum_crc24(const uint8_t *data, size_t len)
{
    uint32_t crc = CRC24_FIRST;
    for (size_t i = 0; i < len; i++) {
        crc ^= (uint32_t)data[i] << 16;
        for (int bit = 0; bit < 8; bit++) {
            crc <<= 1;
            if (crc & 0x1000000)
                crc ^= CRC24_POLYNOMIAL;
        }
    }
    return crc & 0xffffff;
}

/* Eight bytes a turn: slices[s][b] is the effect of byte b, s bytes before the end of the turn. */
static uint32_t slices[SLICES][256];
static pthread_once_t slices_made = PTHREAD_ONCE_INIT;

static void make_slices(void)
{
    for (uint32_t b = 0; b < 256; b++) {
        uint32_t crc = b;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ CRC32_POLYNOMIAL : crc >> 1;
        slices[0][b] = crc;
    }
    for (uint32_t b = 0; b < 256; b++)
        for (int s = 1; s < SLICES; s++)
            slices[s][b] = slices[s - 1][b] >> 8 ^ slices[0][slices[s - 1][b] & 0xff];
}

static uint32_t update(uint32_t crc, const uint8_t *data, size_t len)
{
    for (; len >= SLICES; data += SLICES, len -= SLICES) {
        uint32_t low = crc ^ ((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24);
        crc = slices[7][low & 0xff] ^ slices[6][low >> 8 & 0xff] ^ slices[5][low >> 16 & 0xff] ^ slices[4][low >> 24] ^
              slices[3][data[4]] ^ slices[2][data[5]] ^ slices[1][data[6]] ^ slices[0][data[7]];
    }
    for (; len; data++, len--)
        crc = crc >> 8 ^ slices[0][(crc ^ *data) & 0xff];
    return crc;
}

uint32_t checksum_crc32(const uint8_t *data, size_t len)
{
    static const uint8_t first[] = { 0xfa, 0x2d, 0x55, 0xca };
    pthread_once(&slices_made, make_slices);
    return ~update(update(UINT32_MAX, first, sizeof first), data, len);
}
