/* SPDX-License-Identifier: MIT */
/* Goals, and what the threads of a tile share, in the language of tiles_body.h, which includes it.
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

/* Puts right what the last step could not know of its goal, which moved by `step`: the fraction
 * `eta` of the flesh does as the goal did. */
FUN Flesh caught_up(CTX_TILE uint entry, Lane l, Flesh f, vec3 step, uint eta) {
  vec3 bend = sub3(step, blend_moved_last(PASS_TILE entry, l));
  Motion m;
  m.x = mad3(f.x, bend, NUMBER(5, eta));
  m.dx = mad3(f.dx, bend, NUMBER(5, eta));
  m = out_of_colliders(PASS_ONLY m);
  f.x = m.x;
  f.dx = m.dx;
  return f;
}

FUN Flesh tile_caught_up(CTX_TILE uint entry, Lane l, Flesh f, Goal g) {
  if (!TILE_CATCHES_UP) return f;
  return caught_up(PASS_TILE entry, l, f, g.step, STAGED(4u * entry + 2u) >> 16);
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
  vec3 step = V3(0.0f, 0.0f, 0.0f);
  if ((t.flags & FLAG_ABSOLUTE) == 0u || TILE_CATCHES_UP) step = blend_moved(PASS_TILE entry, l);
  if (TILE_CATCHES_UP) f = caught_up(PASS_TILE entry, l, f, step, l.counts >> 16);
  put_entry(PASS_ONLY entry, f.x, damped(t, f.dx, step), l.rest);
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
