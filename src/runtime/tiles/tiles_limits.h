/* SPDX-License-Identifier: MIT */
/* Colliders, normals, backstops, and the record, in the language of tiles_body.h, which includes
 * it. */

BEGIN_STRUCT(Motion)
vec3 x, dx;
END_STRUCT(Motion)

FUN Motion out_of_collider(CTX_ONLY Motion m, uint k) {
  uint at = 11u * k;
  vec3 a = V3(COLLIDER(at), COLLIDER(at + 1u), COLLIDER(at + 2u));
  vec3 d = sub3(V3(COLLIDER(at + 3u), COLLIDER(at + 4u), COLLIDER(at + 5u)), a);
  vec3 motion = V3(COLLIDER(at + 6u), COLLIDER(at + 7u), COLLIDER(at + 8u));
  float radius = COLLIDER(at + 9u), restitution = COLLIDER(at + 10u);
  float square = dot3(d, d), inverse_square = square > 0.0f ? one_over(square) : 0.0f;
  vec3 p = sub3(m.x, a);
  float f = clamp01(dot3(p, d) * inverse_square);
  vec3 s = mad3(p, d, -f);
  float reach = dot3(s, s);
  if (!(reach < radius * radius && 0.0f < reach)) return m;
  float length_s = root(reach);
  vec3 n = scale3(s, one_over(length_s));
  float inwards = smaller(dot3(sub3(m.dx, motion), n), 0.0f);
  m.dx = mad3(m.dx, n, -inwards * (1.0f + restitution));
  m.x = mad3(m.x, n, radius - length_s);
  return m;
}

FUN Motion out_of_colliders(CTX_ONLY Motion m) {
  uint count = to_uint_f(STEP(5));
  for (uint k = 0u; k < count; k++) m = out_of_collider(PASS_ONLY m, k);
  return m;
}

/* The goal's normal, of any length. */
FUN vec3 goal_normal(CTX_TILE uint thread, Lane l) {
  uvec4 words = MODEL4(stops_at(t) + 4u * thread);
  vec3 rest = V3(as_float(words.x), as_float(words.y), as_float(words.z));
  Mat m = blended_rows(PASS_TILE thread, l);
  return mad3(mad3(scale3(m.x, rest.x), m.y, rest.y), m.z, rest.z);
}

/* What stiffness and drag along the normal add to those that act everywhere alike. */
FUN vec3 along_normal(CTX_TILE uint thread, vec3 n, float alpha, float delta, vec3 pull, vec3 w) {
  float square = dot3(n, n);
  if (!(1e-20f < square)) return V3(0.0f, 0.0f, 0.0f);
  uint word = MODEL(stiffs_at(t) + thread);
  float force = (NUMBER(6, word & 65535u) - alpha) * dot3(n, pull) -
                (NUMBER(7, word >> 16) - delta) * dot3(n, w);
  return scale3(n, force * one_over(square));
}

FUN vec3 above_stop(CTX_TILE uint thread, vec3 n, float size, vec3 offset) {
  float square = dot3(n, n), stop = as_float(MODEL(stops_at(t) + 4u * thread + 3u));
  if (!(1e-20f < square)) return offset;
  float depth = dot3(offset, n) + stop * size * root(square);
  return mad3(offset, n, -smaller(depth, 0.0f) * one_over(square));
}

FUN bool same3(vec3 a, vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

FUN void put_record(CTX_ONLY uint set, uint lane, vec3 x, vec3 dx, vec4 q) {
  RECORD(set, 0u, lane) = U4(as_uint(x.x), as_uint(x.y), as_uint(x.z), as_uint(dx.x));
  RECORD(set, 1u, lane) =
      U4(as_uint(dx.y), as_uint(dx.z), two_halves(q.x, q.y), two_halves(q.z, q.w));
}

FUN void put_shown(CTX_ONLY uint lane, vec3 x) {
  RECORD(TILES_SHOWN, 0u, lane) = U4(as_uint(x.x), as_uint(x.y), as_uint(x.z), 0u);
}
