/* SPDX-License-Identifier: MIT */
/*
 * Skinning of blocks of 16 vertices, one pass: morph targets, blending, positions, normals,
 * tangents. Compiled once per instruction set and once in double precision.
 *
 *   linear blend      x = sum_k w_k M_k (rest + sum_m u_m offset_m)          skin_blend
 *   dual quaternion   Kavan, Collins, Zara, O'Sullivan 2008, "Geometric skinning with approximate
 *                     dual quaternion blending": eq. of section 4 (blend, normalise) dual_blend,
 *                     the rotation and translation without a matrix (algorithm 1)  dual_turn,
 *                     the two-phase treatment of scale and shear (section 4.2)  stretch_blend
 *
 *   modal warping     Choi and Ko 2005, "Modal warping: real-time simulation of large rotational
 *                     deformation and manipulation": eq. 20  skin_warp
 *
 * Departures from the paper: signs are chosen relative to each vertex's heaviest bone (not its
 * first), and normals go through the stretch itself (not its inverse transpose), as in linear
 * blending.
 */
#include "anim/skin_block.h"
#include "anim/skin_kernel.h"
#include "math/elementary.h"

/* A place for each attribute of the block being done: the caller's own rows, or a small buffer
 * that is scattered to the caller's vertices when the block is complete. */
typedef struct SkinTargets {
  sup_real *positions, *normals, *tangents; /* NULL where not wanted */
  _Alignas(64) sup_real buffer[10 * SUP_BLOCK];
} SkinTargets;

SUP_INLINE sup_real *skin_target(RealSkinOutput output, uint32_t components, uint32_t block,
                                 sup_real *buffer) {
  if (!output.data) return 0;
  return output.stride ? buffer : output.data + (size_t)components * SUP_BLOCK * block;
}

SUP_INLINE void skin_targets(const RealSkinCall *call, uint32_t block, SkinTargets *targets) {
  targets->positions = skin_target(call->positions, 3, block, targets->buffer);
  targets->normals = skin_target(call->normals, 3, block, targets->buffer + 3 * SUP_BLOCK);
  targets->tangents = skin_target(call->tangents, 4, block, targets->buffer + 6 * SUP_BLOCK);
}

SUP_INLINE void skin_scatter(RealSkinOutput output, int components, const uint32_t *order,
                             const sup_real *rows) {
  if (!output.data || !output.stride) return;
  for (int lane = 0; lane < SUP_BLOCK; lane++) {
    sup_real *vertex = output.data + (size_t)output.stride * order[lane];
    for (int k = 0; k < components; k++) vertex[k] = rows[k * SUP_BLOCK + lane];
  }
}

SUP_INLINE void skin_finish(const RealSkinCall *call, uint32_t block, const SkinTargets *targets) {
  const uint32_t *order = call->skin->order + (size_t)SUP_BLOCK * block;
  skin_scatter(call->positions, 3, order, targets->positions);
  skin_scatter(call->normals, 3, order, targets->normals);
  skin_scatter(call->tangents, 4, order, targets->tangents);
}

SUP_INLINE SkinVector skin_cross(SkinVector a, SkinVector b) {
  SkinVector r = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
  return r;
}

/* Whatever the weights are, what comes out is finite. */
SUP_INLINE sup_vf skin_within(sup_vf x) { return sup_max(SUP_C(-1e6), sup_min(x, SUP_C(1e6))); }

/* u + a w x u + b w x (w x u), a = (1 - cos t) / t^2, b = (t - sin t) / t^3, t = |w|: the mean over
 * the turns from none to w, applied to u. It never lengthens u. One copy for all loops. */
static __attribute__((noinline)) void skin_warp(const SkinVector *turn, SkinVector *io_offset) {
  SkinVector w = *turn, u = *io_offset;
  w.x = skin_within(w.x), w.y = skin_within(w.y), w.z = skin_within(w.z);
  const sup_vf z = w.x * w.x + w.y * w.y + w.z * w.z, t = sup_vf_sqrt(z);
  const sup_vi small = sup_lt(z, SUP_C(1));
  const sup_vf safe = sup_select(small, SUP_C(1), t);
  sup_vf sine, cosine;
  sup_vf_sincos(safe, &sine, &cosine);
  /* Series below one radian, where the differences would cancel. */
  sup_vf a = SUP_C(1.0 / 20922789888000.0), b = SUP_C(1.0 / 355687428096000.0);
  a = a * -z + SUP_C(1.0 / 87178291200.0), b = b * -z + SUP_C(1.0 / 1307674368000.0);
  a = a * -z + SUP_C(1.0 / 479001600.0), b = b * -z + SUP_C(1.0 / 6227020800.0);
  a = a * -z + SUP_C(1.0 / 3628800.0), b = b * -z + SUP_C(1.0 / 39916800.0);
  a = a * -z + SUP_C(1.0 / 40320.0), b = b * -z + SUP_C(1.0 / 362880.0);
  a = a * -z + SUP_C(1.0 / 720.0), b = b * -z + SUP_C(1.0 / 5040.0);
  a = a * -z + SUP_C(1.0 / 24.0), b = b * -z + SUP_C(1.0 / 120.0);
  a = a * -z + SUP_C(0.5), b = b * -z + SUP_C(1.0 / 6.0);
  const sup_vf square = safe * safe;
  a = sup_select(small, a, (SUP_C(1) - cosine) / square);
  b = sup_select(small, b, (safe - sine) / square / safe);
  const SkinVector once = skin_cross(w, u), twice = skin_cross(w, once);
  SkinVector r;
  r.x = u.x + (a * once.x + b * twice.x);
  r.y = u.y + (a * once.y + b * twice.y);
  r.z = u.z + (a * once.z + b * twice.z);
  *io_offset = r;
}

SUP_INLINE void skin_add_rows(const sup_real *rows, int lane, sup_real weight, SkinVector *sum) {
  const SkinVector row = skin_load(rows, lane);
  sum->x += row.x * weight, sum->y += row.y * weight, sum->z += row.z * weight;
}

/* The morph targets that turn what they move, from slot s of the block on. */
SUP_INLINE SkinVector skin_turned(const RealSkinView *skin, const sup_real *weights, uint32_t s,
                                  uint32_t end, int lane) {
  SkinVector u = {SUP_C(0), SUP_C(0), SUP_C(0)}, w = u;
  for (; s < end; s++) {
    const sup_real weight = weights[skin->morph_targets[s]];
    skin_add_rows(skin->morph_offsets + (size_t)(3 * SUP_BLOCK) * s, lane, weight, &u);
    skin_add_rows(skin->morph_turns + (size_t)(3 * SUP_BLOCK) * s, lane, weight, &w);
  }
  skin_warp(&w, &u);
  return u;
}

/* Adds the morph targets of a skin that move this block. */
SUP_INLINE SkinVector skin_morph(const RealSkinView *skin, const sup_real *weights, uint32_t block,
                                 int lane, SkinVector rest) {
  const uint32_t end = skin->morph_first[block + 1];
  for (uint32_t s = skin->morph_first[block]; s < end; s++) {
    if (skin->morph_turns && skin->morph_targets[s] >= skin->turn_first) {
      const SkinVector u = skin_turned(skin, weights, s, end, lane);
      rest.x += u.x, rest.y += u.y, rest.z += u.z;
      break;
    }
    const sup_real weight = weights[skin->morph_targets[s]];
    skin_add_rows(skin->morph_offsets + (size_t)(3 * SUP_BLOCK) * s, lane, weight, &rest);
  }
  return rest;
}

/* Adds a fraction of a layer's morph targets; those do not turn what they move. */
SUP_INLINE SkinVector skin_shared(const RealSkinLayer *layer, uint32_t block, int lane,
                                  SkinVector rest) {
  const RealSkinView *skin = layer->skin;
  SkinVector u = {SUP_C(0), SUP_C(0), SUP_C(0)};
  for (uint32_t s = skin->morph_first[block]; s < skin->morph_first[block + 1]; s++) {
    const sup_real weight = layer->weights[skin->morph_targets[s]];
    skin_add_rows(skin->morph_offsets + (size_t)(3 * SUP_BLOCK) * s, lane, weight, &u);
  }
  const sup_vf fraction = sup_vf_load(layer->fractions + (size_t)SUP_BLOCK * block + lane);
  rest.x += fraction * u.x, rest.y += fraction * u.y, rest.z += fraction * u.z;
  return rest;
}

/* The rest position with the morph targets: the skin's, then those of the layers. */
SUP_INLINE SkinVector skin_goal(const RealSkinCall *call, const SkinBlock *b, uint32_t block,
                                int lane) {
  SkinVector rest = skin_load(b->rest, lane);
  for (uint32_t k = 0; k <= call->layer_count; k++) {
    const RealSkinLayer *layer = k ? &call->layers[k - 1] : NULL;
    const sup_real *weights = layer ? layer->weights : call->morph_weights;
    if (layer && layer->fractions) {
      rest = skin_shared(layer, block, lane, rest);
    } else if (weights) {
      rest = skin_morph(layer ? layer->skin : call->skin, weights, block, lane, rest);
    }
  }
  return rest;
}

SUP_INLINE void skin_store_direction(const RealSkinCall *call, sup_real *rows, int lane,
                                     SkinVector v) {
  if (call->unit) v = skin_unit(v);
  skin_store(rows, lane, v);
}

SUP_INLINE void skin_copy_handedness(const SkinBlock *b, const SkinTargets *targets, int lane) {
  sup_vf_store(targets->tangents + 3 * SUP_BLOCK + lane,
               sup_vf_load(b->tangents + 3 * SUP_BLOCK + lane));
}

/* ---- Linear blend ---------------------------------------------------------------------------- */

/* What a call asks for, as constants: each combination below becomes its own loop. */
#define WANT_NORMALS 1u
#define WANT_THE_REST 2u /* tangents, morph targets, unit length, vertex order, no positions */

SUP_INLINE void lbs_lanes(const RealSkinCall *call, const SkinBlock *b, uint32_t block,
                          const SkinTargets *targets, int lane, unsigned want) {
  SkinBlend t = skin_blend(b, call->palette, lane);
  if (!(want & WANT_THE_REST)) {
    skin_store(targets->positions, lane, skin_point(&t, skin_load(b->rest, lane)));
  } else if (targets->positions) {
    skin_store(targets->positions, lane, skin_point(&t, skin_goal(call, b, block, lane)));
  }
  if (want & WANT_NORMALS) {
    SkinVector n = skin_direction(&t, skin_load(b->normals, lane));
    if (want & WANT_THE_REST && call->unit) n = skin_unit(n);
    skin_store(targets->normals, lane, n);
  }
  if (want & WANT_THE_REST && targets->tangents) {
    SkinVector n = skin_direction(&t, skin_load(b->tangents, lane));
    skin_store_direction(call, targets->tangents, lane, n);
    skin_copy_handedness(b, targets, lane);
  }
}

SUP_INLINE void lbs_blocks(const RealSkinCall *given, SupRange range, unsigned want) {
  /* Copies that no store can change: the compiler keeps them in registers. */
  const RealSkinView skin = *given->skin;
  RealSkinCall call = *given;
  call.skin = &skin;
  SkinTargets targets;
  for (uint32_t block = range.first; block < range.first + range.count; block++) {
    SkinBlock b = skin_block(&skin, block);
    skin_targets(&call, block, &targets);
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      lbs_lanes(&call, &b, block, &targets, lane, want);
    }
    if (want & WANT_THE_REST) skin_finish(&call, block, &targets);
  }
}

void SUP_KERNEL(skin_lbs_blocks)(const RealSkinCall *call, SupRange range) {
  bool normals = call->normals.data != NULL;
  bool rest = !call->positions.data || call->tangents.data || call->morph_weights ||
              call->layer_count || call->unit || call->positions.stride || call->normals.stride;
  if (rest) {
    lbs_blocks(call, range, normals ? WANT_NORMALS | WANT_THE_REST : WANT_THE_REST);
  } else if (normals) {
    lbs_blocks(call, range, WANT_NORMALS);
  } else {
    lbs_blocks(call, range, 0);
  }
}

/* ---- Dual quaternions ------------------------------------------------------------------------ */

/* A unit dual quaternion per lane, after dual_blend. */
typedef struct SkinDual {
  sup_vf rx, ry, rz, rw, dx, dy, dz, dw;
} SkinDual;

SUP_INLINE SkinBlend stretch_blend(const SkinBlock *b, const RealDualBone *duals, int lane) {
  SkinBlend t = {0};
  for (uint32_t k = 0; k < b->bone_count; k++) {
    const sup_real *m = duals[b->bones[k]].stretch.m;
    sup_vf w = sup_vf_load(b->weights + SUP_BLOCK * k + lane);
    t.xx += w * m[0], t.xy += w * m[1], t.xz += w * m[2];
    t.yx += w * m[3], t.yy += w * m[4], t.yz += w * m[5];
    t.zx += w * m[6], t.zy += w * m[7], t.zz += w * m[8];
  }
  return t;
}

SUP_INLINE SkinDual dual_blend(const SkinBlock *b, const RealDualBone *duals,
                               const sup_real *pivots, int lane) {
  sup_vf pivot = sup_vf_load(pivots + lane);
  sup_vf px = SUP_C(0), py = px, pz = px, pw = px;
  for (uint32_t k = 0; k < b->bone_count; k++) {
    const RealQuat q = duals[b->bones[k]].real;
    sup_vi here = sup_eq(pivot, SUP_C(k));
    px = sup_select(here, sup_vf_splat(q.x), px), py = sup_select(here, sup_vf_splat(q.y), py);
    pz = sup_select(here, sup_vf_splat(q.z), pz), pw = sup_select(here, sup_vf_splat(q.w), pw);
  }
  SkinDual s = {0};
  for (uint32_t k = 0; k < b->bone_count; k++) {
    const RealQuat q = duals[b->bones[k]].real, d = duals[b->bones[k]].dual;
    sup_vf w = sup_vf_load(b->weights + SUP_BLOCK * k + lane);
    sup_vf dot = px * q.x + py * q.y + pz * q.z + pw * q.w;
    w = sup_select(sup_lt(dot, SUP_C(0)), -w, w);
    s.rx += w * q.x, s.ry += w * q.y, s.rz += w * q.z, s.rw += w * q.w;
    s.dx += w * d.x, s.dy += w * d.y, s.dz += w * d.z, s.dw += w * d.w;
  }
  /* The heaviest bone's own share cannot cancel, so the length is never zero. */
  sup_vf length = sup_vf_sqrt(s.rx * s.rx + s.ry * s.ry + s.rz * s.rz + s.rw * s.rw);
  sup_vf scale = SUP_C(1) / length;
  s.rx *= scale, s.ry *= scale, s.rz *= scale, s.rw *= scale;
  s.dx *= scale, s.dy *= scale, s.dz *= scale, s.dw *= scale;
  return s;
}

/* v + 2 r x (r x v + rw v) */
SUP_INLINE SkinVector dual_turn(const SkinDual *s, SkinVector v) {
  sup_vf ax = s->ry * v.z - s->rz * v.y + s->rw * v.x;
  sup_vf ay = s->rz * v.x - s->rx * v.z + s->rw * v.y;
  sup_vf az = s->rx * v.y - s->ry * v.x + s->rw * v.z;
  SkinVector r;
  r.x = v.x + SUP_C(2) * (s->ry * az - s->rz * ay);
  r.y = v.y + SUP_C(2) * (s->rz * ax - s->rx * az);
  r.z = v.z + SUP_C(2) * (s->rx * ay - s->ry * ax);
  return r;
}

/* The rotation, then the translation 2 (rw d - dw r + r x d). */
SUP_INLINE SkinVector dual_move(const SkinDual *s, SkinVector v) {
  SkinVector r = dual_turn(s, v);
  r.x += SUP_C(2) * (s->rw * s->dx - s->dw * s->rx + (s->ry * s->dz - s->rz * s->dy));
  r.y += SUP_C(2) * (s->rw * s->dy - s->dw * s->ry + (s->rz * s->dx - s->rx * s->dz));
  r.z += SUP_C(2) * (s->rw * s->dz - s->dw * s->rz + (s->rx * s->dy - s->ry * s->dx));
  return r;
}

SUP_INLINE void dqs_lanes(const RealSkinCall *call, const SkinBlock *b, uint32_t block,
                          const SkinTargets *targets, int lane) {
  const sup_real *pivots = call->skin->pivots + (size_t)SUP_BLOCK * block;
  SkinVector p = skin_goal(call, b, block, lane), n = p, g = p;
  if (targets->normals) n = skin_load(b->normals, lane);
  if (targets->tangents) g = skin_load(b->tangents, lane);
  if (call->stretched) {
    SkinBlend t = stretch_blend(b, call->duals, lane);
    p = skin_direction(&t, p);
    n = skin_direction(&t, n);
    g = skin_direction(&t, g);
  }
  SkinDual s = dual_blend(b, call->duals, pivots, lane);
  if (targets->positions) skin_store(targets->positions, lane, dual_move(&s, p));
  if (targets->normals) skin_store_direction(call, targets->normals, lane, dual_turn(&s, n));
  if (targets->tangents) {
    skin_store_direction(call, targets->tangents, lane, dual_turn(&s, g));
    skin_copy_handedness(b, targets, lane);
  }
}

void SUP_KERNEL(skin_dqs_blocks)(const RealSkinCall *given, SupRange range) {
  const RealSkinView skin = *given->skin; /* copies, as in lbs_blocks */
  RealSkinCall call = *given;
  call.skin = &skin;
  SkinTargets targets;
  for (uint32_t block = range.first; block < range.first + range.count; block++) {
    SkinBlock b = skin_block(&skin, block);
    skin_targets(&call, block, &targets);
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      dqs_lanes(&call, &b, block, &targets, lane);
    }
    skin_finish(&call, block, &targets);
  }
}
