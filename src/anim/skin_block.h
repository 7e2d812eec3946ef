/* SPDX-License-Identifier: MIT */
/*
 * The inner part of skinning, for kernels: a group of SUP_WIDTH vertices of one block at a time.
 *
 * The blended matrix is kept in twelve named members, so that it lives in registers: arrays of
 * vectors end up in memory with both compilers. The sum runs over the bones of the block's union
 * in their order, with weight zero where a vertex does not use a bone: a fixed order for every
 * width, and the matrix elements are broadcast instead of gathered.
 */
#ifndef SUP_SRC_ANIM_SKIN_BLOCK_H
#define SUP_SRC_ANIM_SKIN_BLOCK_H

#include "anim/real.h"

/* Element (row r, column c) is named c then r: x y z are the columns of the linear part. */
typedef struct SkinBlend {
  sup_vf xx, xy, xz, yx, yy, yz, zx, zy, zz, tx, ty, tz;
} SkinBlend;

typedef struct SkinVector {
  sup_vf x, y, z;
} SkinVector;

/* Where one block's arrays are. */
typedef struct SkinBlock {
  uint32_t bone_count;
  const uint32_t *bones;
  const sup_real *rest;     /* [48] */
  const sup_real *normals;  /* [48] or what follows */
  const sup_real *tangents; /* [64] or what follows */
  const sup_real *weights;  /* [16 * bone_count] */
} SkinBlock;

SUP_INLINE SkinBlock skin_block(const RealSkinView *skin, uint32_t block) {
  const uint32_t *first = skin->bone_first + block;
  size_t rows = sup_skin_record_rows(skin->flags);
  const sup_real *record = skin->records + SUP_BLOCK * (rows * block + first[0]);
  SkinBlock b;
  b.bone_count = first[1] - first[0];
  b.bones = skin->bones + first[0];
  b.rest = record;
  b.normals = record + 3 * SUP_BLOCK;
  b.tangents = b.normals + (skin->flags & SUP_SKIN_NORMALS ? 3 * SUP_BLOCK : 0);
  b.weights = record + SUP_BLOCK * rows;
  return b;
}

/* sum_k w_k M_k for the lanes lane .. lane + SUP_WIDTH - 1. A block has at least one bone. */
SUP_INLINE SkinBlend skin_blend(const SkinBlock *b, const RealAffine *palette, int lane) {
  const sup_real *m = palette[b->bones[0]].m;
  sup_vf w = sup_vf_load(b->weights + lane);
  SkinBlend t;
  t.xx = w * m[0], t.xy = w * m[1], t.xz = w * m[2];
  t.yx = w * m[3], t.yy = w * m[4], t.yz = w * m[5];
  t.zx = w * m[6], t.zy = w * m[7], t.zz = w * m[8];
  t.tx = w * m[9], t.ty = w * m[10], t.tz = w * m[11];
  const sup_real *row = b->weights + SUP_BLOCK + lane;
  const uint32_t *end = b->bones + b->bone_count;
  for (const uint32_t *bone = b->bones + 1; bone < end; bone++, row += SUP_BLOCK) {
    m = palette[*bone].m;
    w = sup_vf_load(row);
    t.xx += w * m[0], t.xy += w * m[1], t.xz += w * m[2];
    t.yx += w * m[3], t.yy += w * m[4], t.yz += w * m[5];
    t.zx += w * m[6], t.zy += w * m[7], t.zz += w * m[8];
    t.tx += w * m[9], t.ty += w * m[10], t.tz += w * m[11];
  }
  return t;
}

SUP_INLINE SkinVector skin_load(const sup_real *rows, int lane) {
  SkinVector v = {sup_vf_load(rows + lane), sup_vf_load(rows + SUP_BLOCK + lane),
                  sup_vf_load(rows + 2 * SUP_BLOCK + lane)};
  return v;
}

SUP_INLINE void skin_store(sup_real *rows, int lane, SkinVector v) {
  sup_vf_store(rows + lane, v.x);
  sup_vf_store(rows + SUP_BLOCK + lane, v.y);
  sup_vf_store(rows + 2 * SUP_BLOCK + lane, v.z);
}

SUP_INLINE SkinVector skin_direction(const SkinBlend *t, SkinVector v) {
  SkinVector r;
  r.x = t->xx * v.x + t->yx * v.y + t->zx * v.z;
  r.y = t->xy * v.x + t->yy * v.y + t->zy * v.z;
  r.z = t->xz * v.x + t->yz * v.y + t->zz * v.z;
  return r;
}

SUP_INLINE SkinVector skin_point(const SkinBlend *t, SkinVector v) {
  SkinVector r = skin_direction(t, v);
  r.x += t->tx, r.y += t->ty, r.z += t->tz;
  return r;
}

/* Length 1, or zero where it was zero (or too short to say). */
SUP_INLINE SkinVector skin_unit(SkinVector v) {
  sup_vf square = v.x * v.x + v.y * v.y + v.z * v.z;
  sup_vf scale = sup_select(sup_lt(SUP_C(0), square), SUP_C(1) / sup_vf_sqrt(square), SUP_C(0));
  SkinVector r = {v.x * scale, v.y * scale, v.z * scale};
  return r;
}

#endif
