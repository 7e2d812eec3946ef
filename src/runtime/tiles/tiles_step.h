/* SPDX-License-Identifier: MIT */
/* The step of a lane, and what is shown of it, in the language of tiles_body.h, which includes it.
 */

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

/* Onto the goal, moving as it does. Nobody reads either set while a character starts. */
FUN void tile_start(CTX_TILE uint thread, Lane l, Goal g) {
  uint lane = t.first + thread;
  Mat m = blended_rows(PASS_TILE thread, l);
  vec4 q = fit_rotation(unmirrored(m, g.scale), 8u, V4(0.0f, 0.0f, 0.0f, 1.0f));
  put_record(PASS_ONLY 1u - t.set, lane, add3(g.at, g.step), g.step, q);
  put_record(PASS_ONLY t.set, lane, g.at, g.step, q);
  if ((t.flags & FLAG_UNDELAYED) != 0u) put_shown(PASS_ONLY lane, g.at);
}

/* The rotation of a lane's flesh. */
FUN vec4 tile_turning(CTX_TILE uint thread, Lane l, Flesh f, float scale, Mat a) {
  vec4 q = V4(low_half(f.q_xy), high_half(f.q_xy), low_half(f.q_zw), high_half(f.q_zw));
  if ((t.flags & FLAG_BONE_ROTATION) == 0u) {
    return fit_rotation_once(t.scaled ? unmirrored(a, scale) : a, q);
  }
  return fit_rotation(unmirrored(blended_rows(PASS_TILE thread, l), scale), 1u, q);
}

/* Back within the maximum distance of the goal, above the backstop; a number that is not finite
 * never enters. */
FUN Motion tile_limited(CTX_TILE uint thread, vec3 n, vec3 x, vec3 step, vec3 ahead, float size,
                        float most, Motion m) {
  vec3 offset = sub3(m.x, ahead), kept = offset;
  if ((t.flags & FLAG_BACKSTOPS) != 0u) kept = above_stop(PASS_TILE thread, n, size, kept);
  float max_distance = most * size, square = dot3(kept, kept);
  if (max_distance * max_distance < square)
    kept = scale3(kept, max_distance * inverse_root(square));
  if (!same3(kept, offset)) {
    m.x = add3(ahead, kept);
    m.dx = sub3(m.x, x);
  }
  float probe = m.x.x + m.x.y + m.x.z + (m.dx.x + m.dx.y + m.dx.z);
  if (!is_finite(probe)) {
    m.x = ahead;
    m.dx = step;
  }
  return m;
}

/* What neighbours do to a lane: its rotation, detail and damping. */
BEGIN_STRUCT(Inner)
vec4 q;
vec3 detail, damping;
END_STRUCT(Inner)

FUN Inner tile_inner(CTX_TILE uint thread, Lane l, Flesh f, Goal g) {
  Inner i;
  Ring ring = tile_ring(PASS_TILE f.x, l.rest);
  i.q = tile_turning(PASS_TILE thread, l, f, g.scale, ring.a);
  uint neighbours = l.counts >> 16;
  float fraction = neighbours > 0u ? one_over(to_float_u(neighbours)) : 0.0f;
  vec3 edge = turned(i.q, scale3(ring.edge, fraction * g.scale)), w = damped(t, f.dx, g.step);
  i.detail = sub3(scale3(ring.x, fraction), edge);
  i.damping = scale3(mad3(ring.w, w, -to_float_u(2u * t.slot_rows)), fraction);
  return i;
}

FUN float size_of(Goal g) { return g.scale < 0.0f ? -g.scale : g.scale; }

/* Everything together, `volume` of the spokes. */
FUN void tile_outer(CTX_TILE uint thread, Lane l, Flesh f, Goal g, Inner i, vec3 volume) {
  vec3 bend = V3(0.0f, 0.0f, 0.0f), n = bend, w = damped(t, f.dx, g.step);
  if (TILE_BENDS) bend = sub3(g.step, blend_moved_last(PASS_TILE thread, l));
  uvec4 words = STAGED4(4u * thread);
  vec3 next = V3(f.dx.x + STEP(0), f.dx.y + STEP(1), f.dx.z + STEP(2));
  next = mad3(next, f.dx, -STEP(3));
  next = mad3(next, sub3(g.at, f.x), NUMBER(0, words.x & 65535u));
  next = mad3(next, i.detail, NUMBER(1, words.x >> 16));
  next = mad3(next, volume, NUMBER(2, words.y & 65535u));
  next = mad3(next, i.damping, NUMBER(3, words.y >> 16));
  next = mad3(next, w, -(NUMBER(4, words.z & 65535u)));
  if (TILE_BENDS) next = mad3(next, bend, larger(NUMBER(5, words.z >> 16), STEP(4)));
  if ((t.flags & (FLAG_BACKSTOPS | FLAG_NORMAL)) != 0u) n = goal_normal(PASS_TILE thread, l);
  if ((t.flags & FLAG_NORMAL) != 0u) {
    next = add3(next, along_normal(PASS_TILE thread, n, NUMBER(0, words.x & 65535u),
                                   NUMBER(4, words.z & 65535u), sub3(g.at, f.x), w));
  }
  Motion m;
  m.x = add3(f.x, next);
  m.dx = next;
  m = out_of_colliders(PASS_ONLY m);
  vec3 ahead = mad3(add3(g.at, g.step), bend, larger(STEP(4), 0.0f));
  m = tile_limited(PASS_TILE thread, n, f.x, g.step, ahead, size_of(g), as_float(words.w), m);
  put_record(PASS_ONLY 1u - t.set, t.first + thread, m.x, m.dx, i.q);
  if ((t.flags & FLAG_UNDELAYED) != 0u) put_shown(PASS_ONLY t.first + thread, f.x);
}

FUN void tile_move(CTX_TILE uint thread, Lane l, Flesh f, Goal g) {
  vec3 volume = tile_spokes(PASS_TILE thread, l, f.x, size_of(g));
  Inner i = tile_inner(PASS_TILE thread, l, f, g);
  tile_outer(PASS_TILE thread, l, f, g, i, volume);
}

FUN void tile_solve(CTX_TILE uint thread, Lane l, Flesh f, Goal g) {
  if (thread >= t.lanes) return;
  if (t.fresh > 0u) {
    tile_start(PASS_TILE thread, l, g);
  } else {
    tile_move(PASS_TILE thread, l, f, g);
  }
}

/* ---- What is shown ------------------------------------------------------------------------------
 */

/* The positions of the last step, for normals: x is in the set that the next step writes, or where
 * steps that hand on undelayed put it. */
FUN vec3 shown_x(CTX_TILE uint lane) {
  uvec4 r = RECORD((t.flags & FLAG_UNDELAYED) != 0u ? TILES_SHOWN : 1u - t.set, 0u, lane);
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
  uint one_rings = one_rings_at(t), warp = thread / 32u;
  uint begin = warp > 0u ? MODEL(one_rings + warp - 1u) : 0u, end = MODEL(one_rings + warp);
  vec4 own = ENTRY_A(thread);
  vec3 x = V3(own.x, own.y, own.z), sum = V3(0.0f, 0.0f, 0.0f);
  for (uint row = begin; row < end; row++) {
    uint two = MODEL(one_rings + 32u + 32u * row + thread % 32u);
    vec4 a = ENTRY_A(two & 65535u), b = ENTRY_A(two >> 16);
    sum = add3(sum, cross3(sub3(V3(a.x, a.y, a.z), x), sub3(V3(b.x, b.y, b.z), x)));
  }
  float square = dot3(sum, sum);
  return square > 0.0f ? scale3(sum, inverse_root(square)) : sum;
}
