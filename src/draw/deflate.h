/* SPDX-License-Identifier: MIT */
/* Deflate, RFC 1951: what PNG is packed with. */
#ifndef SUP_DRAW_DEFLATE_H
#define SUP_DRAW_DEFLATE_H

#include "supple/base.h"

/* Packs data[bytes] as a zlib stream (RFC 1950), in the arena: one block with the fixed codes,
 * matches found by a hash of three bytes. NULL when memory is short. */
uint8_t *sup_deflate(SupArena *arena, const uint8_t *data, size_t bytes, size_t *out_bytes);

/* Unpacks a zlib stream into out[room]. False if it is damaged or gives another number of bytes.
 * The checksum at its end is not looked at. */
bool sup_inflate(const uint8_t *data, size_t bytes, uint8_t *out, size_t room);

/* CRC-32 of PNG's chunks, `crc` that of what came before, 0 at the beginning. */
uint32_t sup_crc32(uint32_t crc, const uint8_t *data, size_t bytes);

#endif
