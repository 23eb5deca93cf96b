/*
 * checksum.h - the two checksums of protocol v5's segments.
 */
#ifndef WR_SERVE_CHECKSUM_H
#define WR_SERVE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

uint32_t checksum_crc24(const uint8_t *data, size_t len); /* of a segment's header */
uint32_t checksum_crc32(const uint8_t *data, size_t len); /* of its payload: CRC-32 that began with the bytes fa 2d 55 ca */

#endif
