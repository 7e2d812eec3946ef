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
 *   MODEL_FLAGS, MODEL_TIED, MODEL_NUMBER(i)  of its first words; i is a constant, of a float
 *   PALETTE(i)         float of the palette: 12 per bone, column-major
 *   HISTORY(i) PUT_HISTORY(i, v)  vec4
 *   RECORD(set, half, lane)  uvec4, an lvalue: x y z dx; dy dz and the rotation
 *   STEP(i)            float: push x y z, wind, feed, number of colliders
 *   COLLIDER(i)        float: 11 per collider
 *   NOW(k, r) MOVED(k, r) MOVED_LAST(k, r) BONE_SCALE(k)   rows r of bone k,
 *   SEGMENT(i) ENTRY_A(i) ENTRY_B(i) ENTRY_C(i)            shared by the threads: lvalues
 *
 * A thread does tile_raw_own, tile_raw_halo and tile_bones, meets the others of its tile (t.scaled:
 * did tile_bones give true for one of them?), does tile_own and tile_entries, meets them again, and
 * does tile_solve. The equations are those of
 * surface.kernel.c; what differs:
 *  - goals are linear blend skinning of the palette, so no goal is kept: how far it moved is the
 *    blend of what the palette moved;
 *  - rest edges are differences of rest positions, so none is kept either;
 *  - weights have 24 bits, alpha .. eta 16 bits of their range, the rotation, which only starts the
 *    Newton step, 16 bits;
 *  - compilers may fuse multiply and add.
 */

#define FLAG_BONE_ROTATION 1u
#define FLAG_ABSOLUTE 2u
#define FLAG_BACK_STOP 4u
#define WEIGHT_UNIT 5.960464832810452e-8f /* 1 / (2^24 - 1) */

#include "runtime/tiles_rotation.h"

/* ---- Packing ------------------------------------------------------------------------------------
 */

FUN uint pack_two(float a, float b) {
  int low = to_int(floor1(a * 32767.0f + 0.5f)), high = to_int(floor1(b * 32767.0f + 0.5f));
  return (to_uint(low) & 65535u) | (to_uint(high) << 16);
}

FUN float unpack_low(uint word) {
  int value = (to_signed(word << 16)) >> 16;
  return to_float(value);
}

FUN float unpack_high(uint word) {
  int value = to_signed(word) >> 16;
  return to_float(value);
}

FUN vec4 unpack_rotation(uint xy, uint zw) {
  float x = unpack_low(xy), y = unpack_high(xy), z = unpack_low(zw), w = unpack_high(zw);
  float square = x * x + y * y + z * z + w * w;
  if (!(square > 1.0f)) return V4(0.0f, 0.0f, 0.0f, 1.0f);
  float scale = inverse_root(square);
  return V4(x * scale, y * scale, z * scale, w * scale);
}

FUN float weight_of(uint word) { return to_float_u(word >> 8) * WEIGHT_UNIT; }

/* ---- Bones --------------------------------------------------------------------------------------
 */

BEGIN_STRUCT(Tile)
uint first, lanes, halo, bones, segments, extras, eta, history, flags;
uint records, numbers, halos;     /* offsets, tiles_layout.h */
uint slots, slots_end, slots_all; /* rows of the thread's warp, and of all */
uint spokes, spokes_end, spokes_all;
uint set, fresh; /* the records that are read; goals to take over */
bool scaled;     /* some bone is larger or smaller than at rest */
END_STRUCT(Tile)

/* Half k of 16-bit numbers from a word on. */
FUN uint half_at(CTX_ONLY uint word, uint k) {
  return (MODEL(word + k / 2u) >> (16u * (k & 1u))) & 65535u;
}

FUN Tile tile_open(CTX_ONLY uint index, uint word, uint thread) {
  Tile t;
  uint header = uint(TILES_HEADERS) + uint(TILE_WORDS) * index, warp = thread / 32u;
  uvec4 a = MODEL4(header), b = MODEL4(header + 4u);
  uint slots = header + uint(TILE_SLOTS), spokes = header + uint(TILE_SPOKES);
  t.first = a.x;
  t.lanes = a.y & 65535u;
  t.halo = a.y >> 16;
  t.bones = a.z & 65535u;
  t.segments = a.z >> 16;
  t.extras = a.w & 65535u;
  t.eta = a.w >> 16;
  t.history = b.y;
  t.flags = MODEL_FLAGS;
  t.slots = warp > 0u ? half_at(PASS_ONLY slots, warp - 1u) : 0u;
  t.slots_end = half_at(PASS_ONLY slots, warp);
  t.slots_all = half_at(PASS_ONLY slots, 7u);
  t.spokes = warp > 0u ? half_at(PASS_ONLY spokes, warp - 1u) : 0u;
  t.spokes_end = half_at(PASS_ONLY spokes, warp);
  t.spokes_all = half_at(PASS_ONLY spokes, 7u);
  t.scaled = true;
  t.records = b.x;
  t.numbers = t.records + TILES_ROUND(8u * (t.lanes + t.halo), 32u);
  t.halos = t.numbers + 4u * t.lanes + 32u * (t.slots_all + t.spokes_all);
  t.set = word & TILES_ODD;
  t.fresh = word >> TILES_FRESH;
  return t;
}

/* Further parts of a tile. */
FUN uint bones_at(Tile t) { return t.halos + t.halo; }
FUN uint segments_at(Tile t) { return TILES_ROUND(bones_at(t) + t.bones, 4u); }
FUN uint more_at(Tile t) { return segments_at(t) + 8u * t.segments; }
FUN uint stops_at(Tile t) { return TILES_ROUND(more_at(t) + t.extras * (t.lanes + t.halo), 4u); }
FUN uint fans_at(Tile t) {
  return TILES_ROUND(stops_at(t) + ((t.flags & FLAG_BACK_STOP) != 0u ? 4u * t.lanes : 0u), 32u);
}

/* Words from t.numbers to the halos. */
FUN uint staged_words(Tile t) { return t.halos - t.numbers; }

/* The character's turn, which tile_open takes from the tile's word of the state. */
FUN Tile tile_turn(Tile t, uint word) {
  t.set = word & TILES_ODD;
  t.fresh = word >> TILES_FRESH;
  return t;
}

/* What the tile's word becomes. */
FUN uint tile_next_word(Tile t) {
  return (1u - t.set) | ((t.fresh > 0u ? t.fresh - 1u : 0u) << TILES_FRESH);
}

/* The cube root of the determinant; what rounding does to a rotation is not a scale. */
FUN float rows_scale(vec4 a, vec4 b, vec4 c) {
  float det =
      a.x * (b.y * c.z - b.z * c.y) - a.y * (b.x * c.z - b.z * c.x) + a.z * (b.x * c.y - b.y * c.x);
  float size = det < 0.0f ? -det : det;
  if (!(size > 1e-30f)) return 0.0f;
  float scale = size > 0.999f && size < 1.001f ? 1.0f : cube_root(size);
  return det < 0.0f ? -scale : scale;
}

/* One bone of the tile: its rows now, how far they moved, and how far the step before. */
FUN bool tile_bone(CTX_TILE uint k) {
  uint bone = 12u * MODEL(bones_at(t) + k);
  uint past = t.history + 6u * k;
  vec4 rows[3];
  for (uint r = 0u; r < 3u; r++) {
    vec4 now = V4(PALETTE(bone + r), PALETTE(bone + 3u + r), PALETTE(bone + 6u + r),
                  PALETTE(bone + 9u + r));
    vec4 last = HISTORY(past + r), before = HISTORY(past + 3u + r);
    vec4 moved = V4(now.x - last.x, now.y - last.y, now.z - last.z, now.w - last.w);
    if (t.fresh > 1u) moved = V4(0.0f, 0.0f, 0.0f, 0.0f);
    NOW(k, r) = now;
    MOVED(k, r) = moved;
    MOVED_LAST(k, r) = before;
    PUT_HISTORY(past + r, now);
    PUT_HISTORY(past + 3u + r, moved);
    rows[r] = now;
  }
  float scale = rows_scale(rows[0], rows[1], rows[2]);
  BONE_SCALE(k) = scale;
  return scale != 1.0f;
}

FUN bool tile_bones(CTX_TILE uint thread, uint threads) {
  bool scaled = false;
  for (uint k = thread; k < t.bones; k += threads) scaled = tile_bone(PASS_TILE k) || scaled;
  return scaled;
}

/* ---- Skinning -----------------------------------------------------------------------------------
 */

FUN float row_point(vec4 row, vec3 v) {
  return row.x * v.x + (row.y * v.y + (row.z * v.z + row.w));
}

/* Influence k, 4 or more. */
FUN uint further(CTX_TILE uint entry, uint k) {
  return MODEL(more_at(t) + (k - 4u) * (t.lanes + t.halo) + entry);
}

FUN uint influence(CTX_TILE uint entry, uvec4 first, uint k) {
  if (k < 4u || t.extras == 0u) {
    return k == 0u ? first.x : k == 1u ? first.y : k == 2u ? first.z : first.w;
  }
  return further(PASS_TILE entry, k);
}

/* sum += w_k M_k v: one of the three sets of rows. Missing influences have weight zero. */
#define ADD_POINT(sum, ROWS, word, v)                                                     \
  sum = mad3(sum,                                                                         \
             V3(row_point(ROWS(word & 255u, 0u), v), row_point(ROWS(word & 255u, 1u), v), \
                row_point(ROWS(word & 255u, 2u), v)),                                     \
             weight_of(word))

FUN vec3 blend_moved(CTX_TILE uint entry, uvec4 first, uint count, vec3 v) {
  vec3 sum = V3(0.0f, 0.0f, 0.0f);
  ADD_POINT(sum, MOVED, first.x, v);
  ADD_POINT(sum, MOVED, first.y, v);
  ADD_POINT(sum, MOVED, first.z, v);
  ADD_POINT(sum, MOVED, first.w, v);
  for (uint k = 4u; t.extras > 0u && k < count; k++) {
    uint word = further(PASS_TILE entry, k);
    ADD_POINT(sum, MOVED, word, v);
  }
  return sum;
}

FUN vec3 blend_moved_last(CTX_TILE uint entry, uvec4 first, uint count, vec3 v) {
  vec3 sum = V3(0.0f, 0.0f, 0.0f);
  for (uint k = 0u; k < count; k++) {
    uint word = influence(PASS_TILE entry, first, k);
    ADD_POINT(sum, MOVED_LAST, word, v);
  }
  return sum;
}

/* Goal and its step of one lane. */
BEGIN_STRUCT(Skinned)
vec3 goal, step;
END_STRUCT(Skinned)

FUN Skinned add_bone(CTX_ONLY Skinned s, uint word, vec3 v) {
  ADD_POINT(s.goal, NOW, word, v);
  ADD_POINT(s.step, MOVED, word, v);
  return s;
}

FUN Skinned blend_all(CTX_TILE uint entry, uvec4 first, uint count, vec3 v) {
  Skinned s;
  s.goal = V3(0.0f, 0.0f, 0.0f);
  s.step = s.goal;
  s = add_bone(PASS_ONLY s, first.x, v);
  s = add_bone(PASS_ONLY s, first.y, v);
  s = add_bone(PASS_ONLY s, first.z, v);
  s = add_bone(PASS_ONLY s, first.w, v);
  for (uint k = 4u; t.extras > 0u && k < count; k++)
    s = add_bone(PASS_ONLY s, further(PASS_TILE entry, k), v);
  return s;
}

/* How much larger than at rest the flesh of a lane is; negative where it is mirrored. */
FUN float blend_scale(CTX_TILE uint entry, uvec4 first, uint count) {
  float sum = 0.0f;
  for (uint k = 0u; k < count; k++) {
    uint word = influence(PASS_TILE entry, first, k);
    sum = sum + weight_of(word) * BONE_SCALE(word & 255u);
  }
  return sum;
}

/* What a thread reads of a lane before anything is computed. */
BEGIN_STRUCT(Raw)
uvec4 rest, influences; /* of the model's record */
uvec4 x, dx;            /* of the state's */
END_STRUCT(Raw)

/* What does not change from step to step, and what does. */
FUN Raw tile_raw_model(CTX_TILE uint entry) {
  Raw raw;
  uint at = t.records + 4u * entry;
  raw.rest = MODEL4(at);
  raw.influences = MODEL4(at + 4u * (t.lanes + t.halo));
  raw.x = raw.rest;
  raw.dx = raw.rest;
  return raw;
}

FUN Raw tile_raw_state(CTX_TILE Raw raw, uint lane) {
  raw.x = RECORD(t.set, 0u, lane);
  raw.dx = RECORD(t.set, 1u, lane);
  return raw;
}

FUN Raw tile_raw_own(CTX_TILE uint thread) {
  uint i = smaller_uint(thread, t.lanes - 1u);
  return tile_raw_state(PASS_TILE tile_raw_model(PASS_TILE i), t.first + i);
}

/* Entry k of the halo; the last for those beyond it. */
FUN Raw tile_raw_halo(CTX_TILE uint k) {
  uint i = smaller_uint(k, t.halo > 0u ? t.halo - 1u : 0u);
  uint lane = t.halo > 0u ? MODEL(t.halos + i) : t.first;
  return tile_raw_state(PASS_TILE tile_raw_model(PASS_TILE t.halo > 0u ? t.lanes + i : 0u), lane);
}

FUN vec3 raw_rest(Raw r) { return V3(as_float(r.rest.x), as_float(r.rest.y), as_float(r.rest.z)); }
FUN vec3 raw_x(Raw r) { return V3(as_float(r.x.x), as_float(r.x.y), as_float(r.x.z)); }
FUN vec3 raw_dx(Raw r) { return V3(as_float(r.x.w), as_float(r.dx.x), as_float(r.dx.y)); }

/* What a thread keeps of its lane. */
BEGIN_STRUCT(Own)
vec3 x, dx, rest, goal, step;
uvec4 influences;
uint counts, q_xy, q_zw;
float scale;
END_STRUCT(Own)

FUN Own tile_own(CTX_TILE Raw raw, uint thread) {
  Own o;
  uint i = smaller_uint(thread, t.lanes - 1u);
  o.rest = raw_rest(raw);
  o.influences = raw.influences;
  o.counts = raw.rest.w;
  o.x = raw_x(raw);
  o.dx = raw_dx(raw);
  o.q_xy = raw.dx.z;
  o.q_zw = raw.dx.w;
  uint count = o.counts & 65535u;
  Skinned s = blend_all(PASS_TILE i, o.influences, count, o.rest);
  o.goal = s.goal;
  o.step = s.step;
  o.scale = t.scaled ? blend_scale(PASS_TILE i, o.influences, count) : 1.0f;
  return o;
}

/* What is damped: the velocity less the goal's, unless the model says otherwise. */
FUN vec3 damped(Tile t, Own o) {
  return (t.flags & FLAG_ABSOLUTE) != 0u ? o.dx : sub3(o.dx, o.step);
}

FUN void put_entry(CTX_ONLY uint entry, vec3 x, vec3 w, vec3 rest) {
  ENTRY_A(entry) = V4(x.x, x.y, x.z, w.x);
  ENTRY_B(entry) = V4(w.y, w.z, rest.x, rest.y);
  ENTRY_C(entry) = rest.z;
}

FUN void tile_halo_entry(CTX_TILE Raw raw, uint k) {
  uint entry = t.lanes + k;
  vec3 rest = raw_rest(raw), w = raw_dx(raw);
  if ((t.flags & FLAG_ABSOLUTE) == 0u) {
    w = sub3(w, blend_moved(PASS_TILE entry, raw.influences, raw.rest.w & 65535u, rest));
  }
  put_entry(PASS_ONLY entry, raw_x(raw), w, rest);
}

/* Segment k of the tile where it is now: a and 1 / |d|^2, then d. */
FUN void tile_segment(CTX_TILE uint k) {
  uint at = segments_at(t) + 8u * k;
  uvec4 m0 = MODEL4(at), m1 = MODEL4(at + 4u);
  vec3 a = V3(as_float(m0.y), as_float(m0.z), as_float(m0.w));
  vec3 b = V3(as_float(m1.x), as_float(m1.y), as_float(m1.z));
  vec4 r0 = NOW(m0.x, 0u), r1 = NOW(m0.x, 1u), r2 = NOW(m0.x, 2u);
  vec3 pa = V3(row_point(r0, a), row_point(r1, a), row_point(r2, a));
  vec3 pb = V3(row_point(r0, b), row_point(r1, b), row_point(r2, b));
  vec3 d = sub3(pb, pa);
  float square = dot3(d, d);
  SEGMENT(2u * k) = V4(pa.x, pa.y, pa.z, square > 0.0f ? 1.0f / square : 0.0f);
  SEGMENT(2u * k + 1u) = V4(d.x, d.y, d.z, 0.0f);
}

FUN void tile_entries(CTX_TILE Own own, Raw halo, uint thread, uint threads) {
  if (thread < t.lanes) put_entry(PASS_ONLY thread, own.x, damped(t, own), own.rest);
  for (uint k = threads - 1u - thread; k < t.segments; k += threads) tile_segment(PASS_TILE k);
  if (t.fresh > 0u) return;
  if (thread < t.halo) tile_halo_entry(PASS_TILE halo, thread);
  for (uint k = thread + threads; k < t.halo; k += threads) {
    tile_halo_entry(PASS_TILE tile_raw_halo(PASS_TILE k), k);
  }
}

/* ---- Forces -------------------------------------------------------------------------------------
 */

BEGIN_STRUCT(Ring)
vec3 x, w, edge; /* sums over the neighbours; w over all slots */
Mat a;
float slots;
END_STRUCT(Ring)

FUN Ring ring_add(CTX_ONLY Ring ring, uint j, vec3 x, vec3 rest) {
  vec4 p = ENTRY_A(j), q = ENTRY_B(j);
  vec3 e = V3(p.x - x.x, p.y - x.y, p.z - x.z);
  vec3 r = V3(q.z - rest.x, q.w - rest.y, ENTRY_C(j) - rest.z);
  ring.x = add3(ring.x, e);
  ring.w = V3(ring.w.x + p.w, ring.w.y + q.x, ring.w.z + q.y);
  ring.edge = add3(ring.edge, r);
  ring.a.x = mad3(ring.a.x, e, r.x);
  ring.a.y = mad3(ring.a.y, e, r.y);
  ring.a.z = mad3(ring.a.z, e, r.z);
  return ring;
}

/* Lanes with fewer neighbours than others of their warp meet themselves. */
FUN Ring tile_ring(CTX_TILE uint thread, vec3 x, vec3 rest) {
  Ring ring;
  ring.x = V3(0.0f, 0.0f, 0.0f);
  ring.w = ring.x;
  ring.edge = ring.x;
  ring.a.x = ring.x;
  ring.a.y = ring.x;
  ring.a.z = ring.x;
  uint slots = 4u * t.lanes + thread % 32u;
  ring.slots = to_float_u(2u * (t.slots_end - t.slots));
  for (uint row = t.slots; row < t.slots_end; row++) {
    uint two = STAGED(slots + 32u * row);
    ring = ring_add(PASS_ONLY ring, two & 65535u, x, rest);
    ring = ring_add(PASS_ONLY ring, two >> 16, x, rest);
  }
  return ring;
}

/* One spring from a bone's segment to the skin; `unit` is the length of a word's unit. */
FUN vec3 add_spoke(CTX_ONLY vec3 sum, vec3 x, uint word, float weight, float unit, float least) {
  float rest_length = to_float_u(word >> 8) * unit;
  uint segment = 2u * (word & 255u) % uint(2 * TILES_SEGMENTS);
  vec4 a = SEGMENT(segment), b = SEGMENT(segment + 1u);
  vec3 p = V3(x.x - a.x, x.y - a.y, x.z - a.z);
  float f = (p.x * b.x + p.y * b.y + p.z * b.z) * a.w;
  f = smaller(larger(f, 0.0f), 1.0f);
  vec3 s = V3(p.x - f * b.x, p.y - f * b.y, p.z - f * b.z);
  float shortest = 0.1f * rest_length;
  float square = larger(larger(dot3(s, s), shortest * shortest), least);
  float force = weight * (rest_length * inverse_root(square) - 1.0f);
  return mad3(sum, s, word == TILES_NO_SPOKE ? 0.0f : force);
}

FUN vec3 tile_spokes(CTX_TILE uint thread, Own o, float size) {
  float tiny = 1e-9f * MODEL_NUMBER(TILES_SIZE);
  float least = tiny * tiny + 1e-30f;
  float unit = WEIGHT_UNIT * MODEL_NUMBER(TILES_LONGEST) * size;
  uint spokes = 4u * t.lanes + 32u * t.slots_all + thread % 32u;
  uint rows = t.spokes_end - t.spokes;
  spokes += 32u * t.spokes;
  vec3 sum = V3(0.0f, 0.0f, 0.0f);
  if (MODEL_TIED == 0u) {
    for (uint k = 0u; k < rows; k += 2u) {
      uint word = STAGED(spokes + 32u * k), weight = STAGED(spokes + 32u * k + 32u);
      sum = add_spoke(PASS_ONLY sum, o.x, word, weight_of(weight), unit, least);
    }
    return sum;
  }
#define SPOKE(k, heavy) \
  if (rows > k)         \
  sum = add_spoke(PASS_ONLY sum, o.x, STAGED(spokes + 32u * k), weight_of(heavy), unit, least)
  SPOKE(0u, o.influences.x);
  SPOKE(1u, o.influences.y);
  SPOKE(2u, o.influences.z);
  SPOKE(3u, o.influences.w);
#undef SPOKE
  for (uint k = 4u; t.extras > 0u && k < rows; k++) {
    sum = add_spoke(PASS_ONLY sum, o.x, STAGED(spokes + 32u * k),
                    weight_of(further(PASS_TILE thread, k)), unit, least);
  }
  return sum;
}

/* The linear part of the blended bones, as columns. */
FUN Mat blended_rows(CTX_TILE uint entry, uvec4 first, uint count) {
  Mat m; /* rows first */
  m.x = V3(0.0f, 0.0f, 0.0f);
  m.y = m.x;
  m.z = m.x;
  for (uint k = 0u; k < count; k++) {
    uint word = influence(PASS_TILE entry, first, k);
    uint bone = word & 255u;
    float weight = weight_of(word);
    vec4 r0 = NOW(bone, 0u), r1 = NOW(bone, 1u), r2 = NOW(bone, 2u);
    m.x = mad3(m.x, V3(r0.x, r0.y, r0.z), weight);
    m.y = mad3(m.y, V3(r1.x, r1.y, r1.z), weight);
    m.z = mad3(m.z, V3(r2.x, r2.y, r2.z), weight);
  }
  Mat c;
  c.x = V3(m.x.x, m.y.x, m.z.x);
  c.y = V3(m.x.y, m.y.y, m.z.y);
  c.z = V3(m.x.z, m.y.z, m.z.z);
  return c;
}

/* A mirrored neighbourhood is minus a turned one. */
FUN Mat unmirrored(Mat m, float scale) {
  if (scale >= 0.0f) return m;
  m.x = scale3(m.x, -1.0f);
  m.y = scale3(m.y, -1.0f);
  m.z = scale3(m.z, -1.0f);
  return m;
}

FUN vec3 turned(vec4 q, vec3 v) {
  vec3 axis = V3(q.x, q.y, q.z);
  vec3 c = scale3(cross3(axis, v), 2.0f);
  return add3(mad3(v, c, q.w), cross3(axis, c));
}

/* ---- Limits -------------------------------------------------------------------------------------
 */

BEGIN_STRUCT(Motion)
vec3 x, dx;
END_STRUCT(Motion)

FUN Motion out_of_collider(CTX_ONLY Motion m, uint k) {
  uint at = 11u * k;
  vec3 a = V3(COLLIDER(at), COLLIDER(at + 1u), COLLIDER(at + 2u));
  vec3 d = sub3(V3(COLLIDER(at + 3u), COLLIDER(at + 4u), COLLIDER(at + 5u)), a);
  vec3 motion = V3(COLLIDER(at + 6u), COLLIDER(at + 7u), COLLIDER(at + 8u));
  float radius = COLLIDER(at + 9u), restitution = COLLIDER(at + 10u);
  float square = dot3(d, d), inverse_square = square > 0.0f ? 1.0f / square : 0.0f;
  vec3 p = sub3(m.x, a);
  float f = smaller(larger(dot3(p, d) * inverse_square, 0.0f), 1.0f);
  vec3 s = mad3(p, d, -f);
  float reach = dot3(s, s);
  if (!(reach < radius * radius && 0.0f < reach)) return m;
  float length_s = root(reach);
  vec3 n = scale3(s, 1.0f / length_s);
  float inwards = smaller(dot3(sub3(m.dx, motion), n), 0.0f);
  m.dx = mad3(m.dx, n, -inwards * (1.0f + restitution));
  m.x = mad3(m.x, n, radius - length_s);
  return m;
}

FUN vec3 above_stop(CTX_TILE uint thread, Own o, float size, vec3 offset) {
  uvec4 words = MODEL4(stops_at(t) + 4u * thread);
  vec3 rest = V3(as_float(words.x), as_float(words.y), as_float(words.z));
  Mat m = blended_rows(PASS_TILE thread, o.influences, o.counts & 65535u);
  vec3 n = mad3(mad3(scale3(m.x, rest.x), m.y, rest.y), m.z, rest.z);
  float square = dot3(n, n);
  if (!(1e-20f < square)) return offset;
  float depth = dot3(offset, n) + as_float(words.w) * size * root(square);
  return mad3(offset, n, -smaller(depth, 0.0f) / square);
}

FUN bool same3(vec3 a, vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

FUN void put_record(CTX_ONLY uint set, uint lane, vec3 x, vec3 dx, vec4 q) {
  RECORD(set, 0u, lane) = U4(as_uint(x.x), as_uint(x.y), as_uint(x.z), as_uint(dx.x));
  RECORD(set, 1u, lane) = U4(as_uint(dx.y), as_uint(dx.z), pack_two(q.x, q.y), pack_two(q.z, q.w));
}

/* ---- The step -----------------------------------------------------------------------------------
 */

/* Onto the goal, moving as it does. Nobody reads either set while a character starts. */
FUN void tile_start(CTX_TILE Own o, uint thread) {
  uint lane = t.first + thread;
  Mat m = blended_rows(PASS_TILE thread, o.influences, o.counts & 65535u);
  vec4 q = fit_rotation(unmirrored(m, o.scale), 8u, V4(0.0f, 0.0f, 0.0f, 1.0f));
  put_record(PASS_ONLY 1u - t.set, lane, add3(o.goal, o.step), o.step, q);
  put_record(PASS_ONLY t.set, lane, o.goal, o.step, q);
}

FUN void tile_move(CTX_TILE Own o, uint thread) {
  float size = o.scale < 0.0f ? -o.scale : o.scale;
  uvec4 words = STAGED4(4u * thread);
  vec3 volume = tile_spokes(PASS_TILE thread, o, size);
  Ring ring = tile_ring(PASS_TILE thread, o.x, o.rest);
  vec4 q = unpack_rotation(o.q_xy, o.q_zw);
  if ((t.flags & FLAG_BONE_ROTATION) == 0u) {
    q = fit_rotation_once(unmirrored(ring.a, o.scale), q);
  } else {
    Mat m = blended_rows(PASS_TILE thread, o.influences, o.counts & 65535u);
    q = fit_rotation(unmirrored(m, o.scale), 1u, q);
  }
  vec3 bend = V3(0.0f, 0.0f, 0.0f), w = damped(t, o);
  if (t.eta != 0u || STEP(4) > 0.0f) {
    bend =
        sub3(o.step, blend_moved_last(PASS_TILE thread, o.influences, o.counts & 65535u, o.rest));
  }
  uint neighbours = o.counts >> 16;
  float share = neighbours > 0u ? 1.0f / to_float_u(neighbours) : 0.0f;
  vec3 edge = turned(q, scale3(ring.edge, share * o.scale));
  vec3 detail = sub3(scale3(ring.x, share), edge);
  vec3 damping = scale3(mad3(ring.w, w, -ring.slots), share);
#define NUMBER(i, half) \
  (MODEL_NUMBER(TILES_LOW + i) + to_float_u(half) * MODEL_NUMBER(TILES_STEP + i))
  vec3 next = V3(o.dx.x + STEP(0), o.dx.y + STEP(1), o.dx.z + STEP(2));
  next = mad3(next, o.dx, -STEP(3));
  next = mad3(next, sub3(o.goal, o.x), NUMBER(0, words.x & 65535u));
  next = mad3(next, detail, NUMBER(1, words.x >> 16));
  next = mad3(next, volume, NUMBER(2, words.y & 65535u));
  next = mad3(next, damping, NUMBER(3, words.y >> 16));
  next = mad3(next, w, -(NUMBER(4, words.z & 65535u)));
  next = mad3(next, bend, larger(NUMBER(5, words.z >> 16), STEP(4)));
#undef NUMBER
  Motion m;
  m.x = add3(o.x, next);
  m.dx = next;
  uint colliders = to_uint_f(STEP(5));
  for (uint k = 0u; k < colliders; k++) m = out_of_collider(PASS_ONLY m, k);
  vec3 ahead = mad3(add3(o.goal, o.step), bend, larger(STEP(4), 0.0f));
  vec3 offset = sub3(m.x, ahead), kept = offset;
  if ((t.flags & FLAG_BACK_STOP) != 0u) kept = above_stop(PASS_TILE thread, o, size, kept);
  float reach = as_float(words.w) * size, square = dot3(kept, kept);
  if (reach * reach < square) kept = scale3(kept, reach * inverse_root(square));
  if (!same3(kept, offset)) {
    m.x = add3(ahead, kept);
    m.dx = sub3(m.x, o.x);
  }
  float probe = m.x.x + m.x.y + m.x.z + (m.dx.x + m.dx.y + m.dx.z);
  if (!is_finite(probe)) { /* such a number never enters the state */
    m.x = ahead;
    m.dx = o.step;
  }
  put_record(PASS_ONLY 1u - t.set, t.first + thread, m.x, m.dx, q);
}

FUN void tile_solve(CTX_TILE Own own, uint thread) {
  if (thread >= t.lanes) return;
  if (t.fresh > 0u) {
    tile_start(PASS_TILE own, thread);
  } else {
    tile_move(PASS_TILE own, thread);
  }
}

/* ---- What is shown ------------------------------------------------------------------------------
 */

/* The positions of the last step, for normals: x is in the set that the next step writes. */
FUN vec3 shown_x(CTX_TILE uint lane) {
  uvec4 r = RECORD(1u - t.set, 0u, lane);
  return V3(as_float(r.x), as_float(r.y), as_float(r.z));
}

FUN void tile_shown(CTX_TILE uint thread, uint threads) {
  for (uint k = thread; k < t.lanes + t.halo; k += threads) {
    uint lane = k < t.lanes ? t.first + k : MODEL(t.halos + k - t.lanes);
    vec3 x = shown_x(PASS_TILE lane);
    ENTRY_A(k) = V4(x.x, x.y, x.z, 0.0f);
  }
}

/* Of the triangles around a lane, weighted by area, unit length; zero where there are none. */
FUN vec3 tile_normal(CTX_TILE uint thread) {
  uint fans = fans_at(t), warp = thread / 32u;
  uint begin = warp > 0u ? MODEL(fans + warp - 1u) : 0u, end = MODEL(fans + warp);
  vec4 own = ENTRY_A(thread);
  vec3 x = V3(own.x, own.y, own.z), sum = V3(0.0f, 0.0f, 0.0f);
  for (uint row = begin; row < end; row++) {
    uint two = MODEL(fans + 32u + 32u * row + thread % 32u);
    vec4 a = ENTRY_A(two & 65535u), b = ENTRY_A(two >> 16);
    sum = add3(sum, cross3(sub3(V3(a.x, a.y, a.z), x), sub3(V3(b.x, b.y, b.z), x)));
  }
  float square = dot3(sum, sum);
  return square > 0.0f ? scale3(sum, inverse_root(square)) : sum;
}
