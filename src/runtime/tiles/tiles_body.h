/* SPDX-License-Identifier: MIT */
/*
 * One step of the surface technique over a tile: skinning and solve in one go, for any GPU.
 *
 * One description for three compilers: C (tests), CUDA (src/cuda) and GLSL (web and graphics APIs).
 * It is written in what these have in common: no pointers, no operators on vectors. Whoever
 * includes it has defined the types uint, vec3, vec4, uvec4, the functions in tiles_c.h, and where
 * things are:
 *
 *   FUN, FUN_RARE      before a function, and before one that is seldom called
 *   CTX_ONLY, CTX_TILE, PASS_ONLY, PASS_TILE  first parameters and arguments: the context, a tile
 *   MODEL(i) MODEL4(i) a word of the model, and four from a multiple of four
 *   STAGED(i) STAGED4(i)  the same from t.numbers on: the numbers, slots and spokes of the tile
 *   MODEL_FLAGS, MODEL_TIED, MODEL_WHOLE, MODEL_BONES, MODEL_NUMBER(i)  of its first words; i is a
 *                      constant, of a float
 *   PALETTE(i)         float of the palette: 12 per bone, column-major
 *   HISTORY(i) PUT_HISTORY(i, v)  vec4
 *   RECORD(set, half, lane)  uvec4, an lvalue: x y z dx; dy dz and the rotation
 *   STEP(i)            float: push x y z, wind, feed, number of colliders
 *   COLLIDER(i)        float: 11 per collider
 *   NOW(k, r) MOVED(k, r) MOVED_LAST(k, r) BONE_SCALE(k)   rows r of bone k,
 *   SEGMENT(i) ENTRY_A(i) ENTRY_B(i) ENTRY_C(i)            shared by the threads: lvalues
 *   AT_A(o) AT_B(o) AT_C(o)  entry o / 16
 *   NOT_UNROLLED       before a loop that is short as a rule
 *
 * A thread does tile_lane, tile_flesh and tile_bones, meets the others of its tile (t.scaled: did
 * tile_bones give true for one of them?), does tile_goal, tile_caught_up (with UNDELAYED it reads
 * the numbers), tile_own_entry, tile_segments and tile_halo, meets them again, and does tile_solve
 * and tile_keep; then the tile has tile_next_word. The equations are those of surface.kernel.c;
 * what differs:
 *  - goals are linear blend skinning of the palette, so no goal is kept: how far it moved is the
 *    blend of what the palette moved;
 *  - rest edges are differences of rest positions, so none is kept either;
 *  - weights have 24 bits, alpha .. eta and the normal's numbers 16 bits of their range;
 *  - the rotation, which only starts the Newton step, has half precision;
 *  - compilers may fuse multiply and add.
 */
#define FLAG_BONE_ROTATION 1u
#define FLAG_ABSOLUTE 2u
#define FLAG_BACKSTOPS 4u
#define FLAG_NORMAL 8u
#define FLAG_UNDELAYED 16u

/* In this order. */
#include "runtime/tiles/tiles_open.h"

#include "runtime/tiles/tiles_rotation.h"

#include "runtime/tiles/tiles_skin.h"

#include "runtime/tiles/tiles_limits.h"

#include "runtime/tiles/tiles_entries.h"

#include "runtime/tiles/tiles_ring.h"

#include "runtime/tiles/tiles_step.h"
