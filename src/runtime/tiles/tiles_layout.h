/* SPDX-License-Identifier: MIT */
/*
 * The words of a surface model in tiles: numbers only, so that C, CUDA and GLSL read this file.
 *
 * A tile is a run of lanes that one group of threads steps together, and the halo: the neighbours
 * that lie in other tiles. Words are 32 bits; offsets are in words from the start of the block.
 */
#ifndef SUP_SRC_RUNTIME_TILES_LAYOUT_H
#define SUP_SRC_RUNTIME_TILES_LAYOUT_H

#define TILES_WARP 32      /* lanes that share rows of slots and spokes */
#define TILES_MOST 256     /* lanes of a tile */
#define TILES_ENTRIES 640  /* lanes and halo of a tile */
#define TILES_BONES 64     /* bones of a tile */
#define TILES_SEGMENTS 128 /* bone segments of a tile */

/* The block's first words. */
#define TILES_FLAGS 0    /* SUP_SURFACE_... */
#define TILES_COUNT 1    /* tiles */
#define TILES_LANES 2    /* of the character, a multiple of 16 */
#define TILES_BONE_ALL 3 /* bones of the character */
#define TILES_SIZE 4     /* float: diagonal of the rest shape */
#define TILES_WHOLE                                                                              \
  5                  /* 1: tied; where there is a gamma no influence lacks its spoke; warps have \
                        none or at least 4 rows of them */
#define TILES_TIED 6 /* 1: spoke k of a lane has the weight of influence k */
#define TILES_LONGEST 7  /* float: the longest spoke */
#define TILES_LOW 8      /* 8 floats: least alpha .. eta, alpha and delta along the normal */
#define TILES_STEP 16    /* 8 floats: (greatest - least) / 65535 */
#define TILES_HEADERS 64 /* the tiles' headers begin here */

/* A tile's header: six quadruples of words. Offsets are in words from the start of the block. */
#define TILE_WORDS 24
#define TILE_FIRST 0    /* first lane; lanes are those of the tiles, SupTiles.order */
#define TILE_LANES 1    /* lanes, a multiple of 16 | entries of the halo << 16 */
#define TILE_BONES 2    /* bones | segments << 16 */
#define TILE_MORE 3     /* rows of influences beyond four | 1 << 16 where some lane has an eta */
#define TILE_BASE 4     /* its words begin here, at a multiple of 32, with the records */
#define TILE_NUMBERS 5  /* of the numbers */
#define TILE_HALOS 6    /* of the halos */
#define TILE_SEGMENTS 7 /* of the segments */
#define TILE_WARPS                                                               \
  8 /* two words per warp: its slots, its spokes: first row of 32 words, counted \
       from the numbers on | rows << 16 */

/* What follows from the base, in this order (n entries, a multiple of 32 words before the numbers):
 *
 *   records    4 words per entry, lanes first, then the halo; then 4 more of each; see below
 *   numbers    4 words per lane: alpha beta, gamma lambda, delta eta in 16 bits each; maximum
 * distance (float) slots      rows of 32 words, warp by warp, at least one: a lane's neighbours,
 * two per word, each 16 times its entry in 16 bits spokes     rows of 32 words, warp by warp; if
 * not tied, a row of weights behind each halos      the lane of each entry of the halo bones of the
 * character segments   8 words each from a multiple of 4: bone of the tile, a, b (floats), 0 more
 * rows of further influences, one word per entry each stops      4 floats per lane from a multiple
 * of 4: rest normal, backstop; with BACKSTOPS or NORMAL only stiffs     1 word per lane: alpha and
 * delta along the normal in 16 bits each; with NORMAL only one-rings  from a multiple of 32: 8
 * counts of rows up to each warp in 32 words, then rows of 32 words: two 16-bit entries per
 * triangle
 */
#define TILES_ROUND(n, m) (((n) + (m)-1u) / (m) * (m))
#define TILES_NO_SPOKE 0xffffff00u
#define TILES_WEIGHT_UNIT 2.3283064365386963e-10f /* 1 / 2^32 */

/* An entry's record: rest position; influences | neighbours << 16 (in the halo: influences | eta <<
 * 16, as in the numbers); four influences, by bone. One word holds the bone of the tile in its low
 * 8 bits, and is the weight in 1 / 2^32: what the bone's number adds to it is less than rounding.
 * Likewise a spoke: a segment of the tile, and the rest length in parts of the longest.
 *
 * A character's state: one word per tile (TILES_ODD, TILES_OWED, TILES_FRESH); then two sets of 6
 * quadruples of floats per bone (the rows of the last palette, and what it was more than the one
 * before); then two sets of records: 4 words per lane, x y z dx (floats), then 4 more of each, dy
 * dz and the rotation in four float16. Tile 0 writes the bones. With UNDELAYED x is known only
 * when the next step has begun: what was shown lies behind, 4 words per lane, x y z and nothing. */
#define TILES_ODD 1u
#define TILES_OWED 2u  /* x and dx lack what is handed on undelayed */
#define TILES_FRESH 2  /* shift: goals to come that are taken over without dynamics */
#define TILES_SHOWN 2u /* the set of what was shown */

#endif
