/* SPDX-License-Identifier: MIT */
/* Neighbours and spokes of a lane, in the language of tiles_body.h, which includes it. */

BEGIN_STRUCT(Ring)
vec3 x, w, edge; /* sums over the neighbours; w over all slots */
Mat a;
END_STRUCT(Ring)

/* What one neighbour adds; `at` is 16 times its entry. */
FUN Ring ring_first(CTX_ONLY uint at, vec3 x, vec3 rest) {
  Ring ring;
  vec4 p = AT_A(at), q = AT_B(at);
  vec3 r = V3(q.z - rest.x, q.w - rest.y, AT_C(at) - rest.z);
  ring.x = V3(p.x - x.x, p.y - x.y, p.z - x.z);
  ring.w = V3(p.w, q.x, q.y);
  ring.edge = r;
  ring.a.x = scale3(ring.x, r.x);
  ring.a.y = scale3(ring.x, r.y);
  ring.a.z = scale3(ring.x, r.z);
  return ring;
}

FUN Ring ring_add(CTX_ONLY Ring ring, uint at, vec3 x, vec3 rest) {
  vec4 p = AT_A(at), q = AT_B(at);
  vec3 e = V3(p.x - x.x, p.y - x.y, p.z - x.z);
  vec3 r = V3(q.z - rest.x, q.w - rest.y, AT_C(at) - rest.z);
  ring.x = add3(ring.x, e);
  ring.w = V3(ring.w.x + p.w, ring.w.y + q.x, ring.w.z + q.y);
  ring.edge = add3(ring.edge, r);
  ring.a.x = mad3(ring.a.x, e, r.x);
  ring.a.y = mad3(ring.a.y, e, r.y);
  ring.a.z = mad3(ring.a.z, e, r.z);
  return ring;
}

/* Lanes with fewer neighbours than others of their warp meet themselves. */
FUN Ring tile_ring(CTX_TILE vec3 x, vec3 rest) {
  uint two = STAGED(t.slots);
  Ring ring = ring_first(PASS_ONLY two & 65535u, x, rest);
  ring = ring_add(PASS_ONLY ring, two >> 16, x, rest);
  NOT_UNROLLED
  for (uint row = 1u; row < t.slot_rows; row++) {
    two = STAGED(t.slots + 32u * row);
    ring = ring_add(PASS_ONLY ring, two & 65535u, x, rest);
    ring = ring_add(PASS_ONLY ring, two >> 16, x, rest);
  }
  return ring;
}

/* One spring from a bone's segment to the skin, times 2^32. `unit` is the length of a word's unit.
 */
FUN vec3 add_spoke(CTX_ONLY vec3 sum, vec3 x, uint word, uint heavy, float unit, float least) {
  float rest_length = to_float_u(word) * unit;
  uint segment = 2u * (word & 255u);
  vec4 a = SEGMENT(segment), b = SEGMENT(segment + 1u);
  vec3 p = V3(x.x - a.x, x.y - a.y, x.z - a.z);
  float f = clamp01((p.x * b.x + p.y * b.y + p.z * b.z) * a.w);
  vec3 s = V3(p.x - f * b.x, p.y - f * b.y, p.z - f * b.z);
  float shortest = 0.1f * rest_length;
  float square = larger(larger(dot3(s, s), shortest * shortest), least);
  float force = to_float_u(heavy) * (rest_length * inverse_root(square) - 1.0f);
  if (MODEL_WHOLE == 0u) force = word == TILES_NO_SPOKE ? 0.0f : force;
  return mad3(sum, s, force);
}

FUN vec3 tile_spokes(CTX_TILE uint thread, Lane l, vec3 x, float size) {
  float tiny = 1e-9f * MODEL_NUMBER(TILES_SIZE);
  float least = tiny * tiny + 1e-30f;
  float unit = TILES_WEIGHT_UNIT * MODEL_NUMBER(TILES_LONGEST) * size;
  vec3 sum = V3(0.0f, 0.0f, 0.0f);
  if (MODEL_TIED == 0u) {
    for (uint k = 0u; k < t.spoke_rows; k += 2u) {
      uint word = STAGED(t.spokes + 32u * k), weight = STAGED(t.spokes + 32u * k + 32u);
      sum = add_spoke(PASS_ONLY sum, x, word, weight, unit, least);
    }
    return scale3(sum, TILES_WEIGHT_UNIT);
  }
#define SPOKE(k, heavy) \
  sum = add_spoke(PASS_ONLY sum, x, STAGED(t.spokes + 32u * k), heavy, unit, least)
  if (MODEL_WHOLE != 0u) {
    if (t.spoke_rows == 0u) return sum;
    SPOKE(0u, l.influences.x);
    SPOKE(1u, l.influences.y);
    SPOKE(2u, l.influences.z);
    SPOKE(3u, l.influences.w);
  } else {
    if (t.spoke_rows > 0u) SPOKE(0u, l.influences.x);
    if (t.spoke_rows > 1u) SPOKE(1u, l.influences.y);
    if (t.spoke_rows > 2u) SPOKE(2u, l.influences.z);
    if (t.spoke_rows > 3u) SPOKE(3u, l.influences.w);
  }
#undef SPOKE
  for (uint k = 4u; t.extras > 0u && k < t.spoke_rows; k++) {
    uint heavy = k < (l.counts & 65535u) ? further(PASS_TILE thread, k) : 0u;
    sum = add_spoke(PASS_ONLY sum, x, STAGED(t.spokes + 32u * k), heavy, unit, least);
  }
  return scale3(sum, TILES_WEIGHT_UNIT);
}
