/* SPDX-License-Identifier: MIT */
/* Bones and their blends, in the language of tiles_body.h, which includes it. */

/* ---- Bones --------------------------------------------------------------------------------------
 */

/* The cube root of the determinant; what rounding does to a rotation is not a scale. */
FUN float rows_scale(vec3 a, vec3 b, vec3 c) {
  float det = dot3(a, cross3(b, c));
  float size = det < 0.0f ? -det : det;
  if (!is_finite(det)) return 1.0f; /* the rows are held, see row_held */
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

/* Row r of a palette that is not finite stays as it was, or is that of the rest pose: a number that
 * is not finite never enters. */
FUN vec4 row_held(Tile t, vec4 now, vec4 last, uint r) {
  if (is_finite(now.x + now.y + (now.z + now.w))) return now;
  if (t.fresh < 2u) return last;
  return V4(r == 0u ? 1.0f : 0.0f, r == 1u ? 1.0f : 0.0f, r == 2u ? 1.0f : 0.0f, 0.0f);
}

/* Row i % 3 of bone i / 3 of the tile: now, how far it moved, and how far the step before. */
FUN uint row_bone(CTX_TILE uint i) { return MODEL(bones_at(t) + i / 3u); }
FUN uint row_past(CTX_ONLY uint set, uint bone, uint i) {
  return 6u * (set * MODEL_BONES + bone) + i % 3u;
}

/* `before`: how far it moved in the last step, if the tile looks back. */
FUN void put_row(CTX_TILE uint i, vec4 now, vec4 last, vec4 before) {
  uint k = i / 3u, r = i % 3u;
  now = row_held(t, now, last, r);
  NOW(k, r) = now;
  MOVED(k, r) = row_moved(t, now, last);
  if (TILE_LOOKS_BACK) MOVED_LAST(k, r) = before;
}

FUN void tile_row(CTX_TILE uint i) {
  uint bone = row_bone(PASS_TILE i), past = row_past(PASS_ONLY t.set, bone, i);
  vec4 last = HISTORY(past), before = last;
  if (TILE_LOOKS_BACK) before = HISTORY(past + 3u);
  put_row(PASS_TILE i, palette_row(PASS_ONLY bone, i % 3u), last, before);
}

/* Tile 0 writes the rows of all bones down. */
FUN void tile_keep_row(CTX_TILE uint i) {
  uint bone = i / 3u;
  vec4 last = HISTORY(row_past(PASS_ONLY t.set, bone, i));
  vec4 now = row_held(t, palette_row(PASS_ONLY bone, i % 3u), last, i % 3u);
  vec4 moved = row_moved(t, now, last);
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

#define DEFINE_BLEND(name, ROWS)                                       \
  FUN vec3 name(CTX_TILE uint entry, Lane l) {                         \
    vec3 sum = V3(0.0f, 0.0f, 0.0f);                                   \
    ADD_POINT(sum, ROWS, l.influences.x, l.rest);                      \
    ADD_POINT(sum, ROWS, l.influences.y, l.rest);                      \
    ADD_POINT(sum, ROWS, l.influences.z, l.rest);                      \
    ADD_POINT(sum, ROWS, l.influences.w, l.rest);                      \
    for (uint k = 4u; t.extras > 0u && k < (l.counts & 65535u); k++) { \
      uint word = further(PASS_TILE entry, k);                         \
      ADD_POINT(sum, ROWS, word, l.rest);                              \
    }                                                                  \
    return scale3(sum, TILES_WEIGHT_UNIT);                             \
  }
DEFINE_BLEND(blend_now, NOW)
DEFINE_BLEND(blend_moved, MOVED)
DEFINE_BLEND(blend_moved_last, MOVED_LAST)
#undef DEFINE_BLEND

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
