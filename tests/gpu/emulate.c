/* SPDX-License-Identifier: MIT */
#include "emulate.h"

#include <math.h>

#include "runtime/tiles/tiles_float16.h"

typedef struct Ctx Ctx;
#define TILES_FUN __attribute__((unused)) static
#include "runtime/tiles/tiles_c.h"

struct Ctx {
  const uint32_t *model;
  const float *palette, *step, *collider;
  vec4 *history;
  uvec4 *records;
  uint lanes;
  vec4 now[3 * TILES_BONES], moved[3 * TILES_BONES], moved_last[3 * TILES_BONES];
  float bone_scale[TILES_BONES];
  vec4 segment[2 * TILES_SEGMENTS], a[TILES_ENTRIES], b[TILES_ENTRIES];
  float c[TILES_ENTRIES];
};

static float as_float(uint u) {
  union {
    uint u;
    float f;
  } both = {.u = u};
  return both.f;
}
static uint as_uint(float f) {
  union {
    float f;
    uint u;
  } both = {.f = f};
  return both.u;
}
static float root(float a) { return sqrtf(a); }
static float inverse_root(float a) { return 1 / sqrtf(a); }
static float cube_root(float a) { return cbrtf(a); }
static float low_half(uint word) { return tiles_float16_value(word & 65535u); }
static float high_half(uint word) { return tiles_float16_value(word >> 16); }
static uint two_halves(float low, float high) {
  return tiles_float16_bits(low) | tiles_float16_bits(high) << 16;
}
static uvec4 four_words(const uint32_t *w) { return U4(w[0], w[1], w[2], w[3]); }

#define CTX_ONLY Ctx *ctx,
#define CTX_TILE Ctx *ctx, Tile t,
#define PASS_ONLY ctx,
#define PASS_TILE ctx, t,
#define MODEL(i) ctx->model[i]
#define MODEL4(i) four_words(ctx->model + (i))
#define STAGED(i) MODEL(t.numbers + (i))
#define STAGED4(i) MODEL4(t.numbers + (i))
#define MODEL_FLAGS ctx->model[TILES_FLAGS]
#define MODEL_TIED ctx->model[TILES_TIED]
#define MODEL_WHOLE ctx->model[TILES_WHOLE]
#define MODEL_BONES ctx->model[TILES_BONE_ALL]
#define MODEL_NUMBER(i) as_float(ctx->model[i])
#define PALETTE(i) ctx->palette[i]
#define HISTORY(i) ctx->history[i]
#define PUT_HISTORY(i, v) ctx->history[i] = v
#define RECORD(set, half, lane) ctx->records[((size_t)2 * (set) + (half)) * ctx->lanes + (lane)]
#define STEP(i) ctx->step[i]
#define COLLIDER(i) ctx->collider[i]
#define NOW(k, r) ctx->now[3 * (k) + (r)]
#define MOVED(k, r) ctx->moved[3 * (k) + (r)]
#define MOVED_LAST(k, r) ctx->moved_last[3 * (k) + (r)]
#define BONE_SCALE(i) ctx->bone_scale[i]
#define SEGMENT(i) ctx->segment[i]
#define ENTRY_A(i) ctx->a[i]
#define ENTRY_B(i) ctx->b[i]
#define ENTRY_C(i) ctx->c[i]
#define AT_A(o) ctx->a[(o) / 16]
#define AT_B(o) ctx->b[(o) / 16]
#define AT_C(o) ctx->c[(o) / 16]
#define NOT_UNROLLED
#include "runtime/tiles/tiles_body.h"

static void emulate_tile(Ctx *ctx, uint32_t index, uint32_t *io_word) {
  static Tile t[TILES_MOST];
  static Lane lanes[TILES_MOST];
  static Flesh flesh[TILES_MOST];
  static Goal goals[TILES_MOST];
  bool scaled = false;
  for (uint i = 0; i < TILES_MOST; i++) {
    t[i] = tile_turn(tile_open(ctx, index, i), *io_word);
    lanes[i] = tile_lane(ctx, t[i], own_entry(t[i], i));
    flesh[i] = tile_flesh(ctx, t[i], t[i].first + own_entry(t[i], i));
    scaled = tile_bones(ctx, t[i], 0, i, TILES_MOST) || scaled;
    tile_keep(ctx, t[i], i, TILES_MOST);
  }
  for (uint i = 0; i < TILES_MOST; i++) {
    t[i].scaled = scaled;
    goals[i] = tile_goal(ctx, t[i], own_entry(t[i], i), lanes[i]);
    flesh[i] = tile_caught_up(ctx, t[i], own_entry(t[i], i), lanes[i], flesh[i], goals[i]);
    tile_own_entry(ctx, t[i], i, lanes[i], flesh[i], goals[i]);
    tile_segments(ctx, t[i], i, TILES_MOST);
    tile_halo(ctx, t[i], 0, i, TILES_MOST);
  }
  for (uint i = 0; i < TILES_MOST; i++) {
    tile_solve(ctx, t[i], i, lanes[i], flesh[i], goals[i]);
  }
  *io_word = tile_next_word(t[0], ctx->step[4]);
}

void emulate_step(const SupTiles *tiles, void *state, const SupAffine *palette, const float *step,
                  const SupCollider *colliders) {
  static Ctx ctx;
  uint32_t *words = state;
  char *block = state;
  ctx.model = tiles->words;
  ctx.palette = (const float *)palette;
  ctx.step = step;
  ctx.collider = (const float *)(const void *)colliders;
  ctx.history = (vec4 *)(void *)(block + tiles->history);
  ctx.records = (uvec4 *)(void *)(block + tiles->records);
  ctx.lanes = tiles->lane_count;
  for (uint32_t k = 0; k < tiles->tile_count; k++) emulate_tile(&ctx, k, &words[k]);
}
