/* SPDX-License-Identifier: MIT */
/* Bones, goals, and what the threads of a tile share, in the language of tiles_body.h, which
 * includes it. */

/* ---- Bones --------------------------------------------------------------------------------------
 */

/* The cube root of the determinant; what rounding does to a rotation is not a scale. */
FUN float rows_scale(vec3 a, vec3 b, vec3 c) {
  float det = dot3(a, cross3(b, c));
  float size = det < 0.0f ? -det : det;
  if (!(size > 1e-30f)) return 0.0f;
  float scale = size > 0.999f && size < 1.001f ? 1.0f : cube_root(size);
  return det < 0.0f ? -scale : scale;
}

FUN vec4 palette_row(CTX_ONLY uint bone, uint r) {
  uint at = 12u * bone + r;
  return V4(PALETTE(at), PALETTE(at + 3u), PALETTE(at + 6u), PALETTE(at + 9u));
}

FUN vec4 row_moved(Tile t, vec4 now, vec4 last) {
  if (t.fresh > 1u) return V4(0.0f, 0.0f, 0.0f, 0.0f);
  return V4(now.x - last.x, now.y - last.y, now.z - last.z, now.w - last.w);
}

/* Row i % 3 of bone i / 3 of the tile: now, how far it moved, and how far the step before. */
FUN uint row_bone(CTX_TILE uint i) { return MODEL(bones_at(t) + i / 3u); }
FUN uint row_past(CTX_ONLY uint set, uint bone, uint i) {
  return 6u * (set * MODEL_BONES + bone) + i % 3u;
}

FUN void put_row(CTX_TILE uint i, uint bone, vec4 now, vec4 last) {
  uint k = i / 3u, r = i % 3u;
  NOW(k, r) = now;
  MOVED(k, r) = row_moved(t, now, last);
  if (TILE_BENDS) MOVED_LAST(k, r) = HISTORY(row_past(PASS_ONLY t.set, bone, i) + 3u);
}

FUN void tile_row(CTX_TILE uint i) {
  uint bone = row_bone(PASS_TILE i);
  put_row(PASS_TILE i, bone, palette_row(PASS_ONLY bone, i % 3u),
          HISTORY(row_past(PASS_ONLY t.set, bone, i)));
}

/* Tile 0 writes the rows of all bones down. */
FUN void tile_keep_row(CTX_TILE uint i) {
  uint bone = i / 3u;
  vec4 now = palette_row(PASS_ONLY bone, i % 3u);
  vec4 moved = row_moved(t, now, HISTORY(row_past(PASS_ONLY t.set, bone, i)));
  uint to = row_past(PASS_ONLY 1u - t.set, bone, i);
  PUT_HISTORY(to, now);
  PUT_HISTORY(to + 3u, moved);
}

FUN void tile_keep(CTX_TILE uint thread, uint threads) {
  if (t.first != 0u) return;
  for (uint i = thread; i < 3u * MODEL_BONES; i += threads) tile_keep_row(PASS_TILE i);
}

/* Bone k of the tile. */
FUN bool put_scale(CTX_ONLY uint k, uint bone) {
  uint at = 12u * bone;
  float scale = rows_scale(V3(PALETTE(at), PALETTE(at + 1u), PALETTE(at + 2u)),
                           V3(PALETTE(at + 3u), PALETTE(at + 4u), PALETTE(at + 5u)),
                           V3(PALETTE(at + 6u), PALETTE(at + 7u), PALETTE(at + 8u)));
  BONE_SCALE(k) = scale;
  return scale != 1.0f;
}

/* Rows from `first` on; are some bones larger or smaller than at rest? */
FUN bool tile_bones(CTX_TILE uint first, uint thread, uint threads) {
  bool scaled = false;
  for (uint i = first + thread; i < 3u * t.bones; i += threads) tile_row(PASS_TILE i);
  for (uint k = first + threads - 1u - thread; k < t.bones; k += threads) {
    scaled = put_scale(PASS_ONLY k, MODEL(bones_at(t) + k)) || scaled;
  }
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

/* sum += W_k M_k v: one of the three sets of rows; W in 2^32. Missing influences have weight zero.
 */
#define ADD_POINT(sum, ROWS, word, v)                                                     \
  sum = mad3(sum,                                                                         \
             V3(row_point(ROWS(word & 255u, 0u), v), row_point(ROWS(word & 255u, 1u), v), \
                row_point(ROWS(word & 255u, 2u), v)),                                     \
             to_float_u(word))

FUN vec3 blend_moved(CTX_TILE uint entry, Lane l) {
  vec3 sum = V3(0.0f, 0.0f, 0.0f);
  ADD_POINT(sum, MOVED, l.influences.x, l.rest);
  ADD_POINT(sum, MOVED, l.influences.y, l.rest);
  ADD_POINT(sum, MOVED, l.influences.z, l.rest);
  ADD_POINT(sum, MOVED, l.influences.w, l.rest);
  for (uint k = 4u; t.extras > 0u && k < (l.counts & 65535u); k++) {
    uint word = further(PASS_TILE entry, k);
    ADD_POINT(sum, MOVED, word, l.rest);
  }
  return scale3(sum, TILES_WEIGHT_UNIT);
}

FUN vec3 blend_now(CTX_TILE uint entry, Lane l) {
  vec3 sum = V3(0.0f, 0.0f, 0.0f);
  ADD_POINT(sum, NOW, l.influences.x, l.rest);
  ADD_POINT(sum, NOW, l.influences.y, l.rest);
  ADD_POINT(sum, NOW, l.influences.z, l.rest);
  ADD_POINT(sum, NOW, l.influences.w, l.rest);
  for (uint k = 4u; t.extras > 0u && k < (l.counts & 65535u); k++) {
    uint word = further(PASS_TILE entry, k);
    ADD_POINT(sum, NOW, word, l.rest);
  }
  return scale3(sum, TILES_WEIGHT_UNIT);
}

FUN vec3 blend_moved_last(CTX_TILE uint entry, Lane l) {
  vec3 sum = V3(0.0f, 0.0f, 0.0f);
  for (uint k = 0u; k < (l.counts & 65535u); k++) {
    uint word = influence(PASS_TILE entry, l.influences, k);
    ADD_POINT(sum, MOVED_LAST, word, l.rest);
  }
  return scale3(sum, TILES_WEIGHT_UNIT);
}

/* How much larger than at rest the flesh of a lane is; negative where it is mirrored. */
FUN float blend_scale(CTX_TILE uint entry, Lane l) {
  float sum = 0.0f;
  for (uint k = 0u; k < (l.counts & 65535u); k++) {
    uint word = influence(PASS_TILE entry, l.influences, k);
    sum = sum + weight_of(word) * BONE_SCALE(word & 255u);
  }
  return sum;
}

/* The linear part of the blended bones, as columns. */
FUN Mat blended_rows(CTX_TILE uint entry, Lane l) {
  Mat m; /* rows first */
  m.x = V3(0.0f, 0.0f, 0.0f);
  m.y = m.x;
  m.z = m.x;
  for (uint k = 0u; k < (l.counts & 65535u); k++) {
    uint word = influence(PASS_TILE entry, l.influences, k);
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

/* ---- Entries ------------------------------------------------------------------------------------
 */

/* Where a lane should be, and what moved it there. */
BEGIN_STRUCT(Goal)
vec3 at, step;
float scale;
END_STRUCT(Goal)

FUN Goal tile_goal(CTX_TILE uint entry, Lane l) {
  Goal g;
  g.at = blend_now(PASS_TILE entry, l);
  g.step = blend_moved(PASS_TILE entry, l);
  g.scale = 1.0f;
  if (t.scaled) g.scale = blend_scale(PASS_TILE entry, l);
  return g;
}

/* What is damped: the velocity less the goal's, unless the model says otherwise. */
FUN vec3 damped(Tile t, vec3 dx, vec3 step) {
  return (t.flags & FLAG_ABSOLUTE) != 0u ? dx : sub3(dx, step);
}

FUN void put_entry(CTX_ONLY uint entry, vec3 x, vec3 w, vec3 rest) {
  ENTRY_A(entry) = V4(x.x, x.y, x.z, w.x);
  ENTRY_B(entry) = V4(w.y, w.z, rest.x, rest.y);
  ENTRY_C(entry) = rest.z;
}

FUN void tile_halo_entry(CTX_TILE uint k, Lane l, Flesh f) {
  uint entry = t.lanes + k;
  vec3 w = f.dx;
  if ((t.flags & FLAG_ABSOLUTE) == 0u) w = sub3(w, blend_moved(PASS_TILE entry, l));
  put_entry(PASS_ONLY entry, f.x, w, l.rest);
}

/* Segment k of the tile where it is now: a and 1 / |d|^2, then d. */
FUN void tile_segment(CTX_TILE uint k) {
  uint at = t.segments_at + 8u * k;
  uvec4 m0 = MODEL4(at), m1 = MODEL4(at + 4u);
  vec3 a = V3(as_float(m0.y), as_float(m0.z), as_float(m0.w));
  vec3 b = V3(as_float(m1.x), as_float(m1.y), as_float(m1.z));
  vec4 r0 = NOW(m0.x, 0u), r1 = NOW(m0.x, 1u), r2 = NOW(m0.x, 2u);
  vec3 pa = V3(row_point(r0, a), row_point(r1, a), row_point(r2, a));
  vec3 pb = V3(row_point(r0, b), row_point(r1, b), row_point(r2, b));
  vec3 d = sub3(pb, pa);
  float square = dot3(d, d);
  SEGMENT(2u * k) = V4(pa.x, pa.y, pa.z, square > 0.0f ? one_over(square) : 0.0f);
  SEGMENT(2u * k + 1u) = V4(d.x, d.y, d.z, 0.0f);
}

FUN void tile_segments(CTX_TILE uint thread, uint threads) {
  for (uint k = threads - 1u - thread; k < t.segments; k += threads) tile_segment(PASS_TILE k);
}

FUN void tile_own_entry(CTX_TILE uint thread, Lane l, Flesh f, Goal g) {
  if (thread < t.lanes) put_entry(PASS_ONLY thread, f.x, damped(t, f.dx, g.step), l.rest);
}

/* The halo from entry `first` on; while a character starts nobody reads it. */
FUN void tile_halo(CTX_TILE uint first, uint thread, uint threads) {
  if (t.fresh > 0u) return;
  for (uint k = first + thread; k < t.halo; k += threads) {
    tile_halo_entry(PASS_TILE k, tile_lane(PASS_TILE t.lanes + k),
                    tile_flesh(PASS_TILE MODEL(t.halos + k)));
  }
}
