/* SPDX-License-Identifier: MIT */
/*
 * The envelope technique, 16 vertices of a patch at a time.
 *
 *   d^1 + sum_k field_k value_k          displace, only where values have changed
 *   q = sum_k alpha_k c_k, p = q + M d   hang
 *   s_r = F^-1 H s_b, p += s             sewn_stitch
 *
 * Everything is stored in the order in which it is read: fields by block, then field.
 */
#include "runtime/envelope/envelope_kernel.h"

#include "runtime/envelope/envelope_sections.h"
#include "runtime/sewn/sewn_block.h"

#define ROWS (3 * (size_t)SUP_BLOCK)

static uint32_t blocks_of(const SupEnvelopeFace *face) {
  return sup_envelope_blocks(face->border_count) + sup_envelope_blocks(face->interior_count);
}

SUP_INLINE SkinVector add_scaled(SkinVector sum, SkinVector v, sup_real s) {
  sum.x += v.x * s, sum.y += v.y * s, sum.z += v.z * s;
  return sum;
}

/* ---- Hanging on the face ----------------------------------------------------------------------
 */

SUP_INLINE SkinVector displace(const SupEnvelopePatchesCall *call, const SupEnvelopeFace *face,
                               uint32_t block, int lane) {
  const float *fields = call->model->fields + face->first_field + ROWS * block * face->field_count;
  const float *values = call->values + face->first_value;
  SkinVector d = skin_load(call->model->offsets + ROWS * (face->first_block + block), lane);
  for (uint32_t k = 0; k < face->field_count; k++) {
    d = add_scaled(d, skin_load(fields + ROWS * k, lane), values[k]);
  }
  return d;
}

SUP_INLINE SkinVector on_face(const SupEnvelopePatchesCall *call, const SupEnvelopeFace *face,
                              uint32_t block, int lane) {
  const uint32_t *corners = call->model->corners + face->first_corner;
  const float *weights =
      call->model->weights + face->first_weight + (size_t)SUP_BLOCK * block * face->corner_count;
  SkinVector q = {SUP_C(0), SUP_C(0), SUP_C(0)};
  for (uint32_t k = 0; k < face->corner_count; k++) {
    const SupVec3 c = call->controls[corners[k]];
    const sup_vf w = sup_vf_load(weights + (size_t)SUP_BLOCK * k + lane);
    q.x += w * c.x, q.y += w * c.y, q.z += w * c.z;
  }
  return q;
}

SUP_INLINE void hang(const SupEnvelopePatchesCall *call, const SupEnvelopeFace *face,
                     const SupMat3 *turn, bool changed, uint32_t block, int lane) {
  const size_t at = ROWS * (face->first_block + block);
  SkinVector d;
  if (changed) {
    d = displace(call, face, block, lane);
    skin_store(call->shaped + at, lane, d);
  } else {
    d = skin_load(call->shaped + at, lane);
  }
  const SkinVector q = on_face(call, face, block, lane);
  const float *m = turn->m;
  const SkinVector p = {q.x + (d.x * m[0] + d.y * m[3] + d.z * m[6]),
                        q.y + (d.x * m[1] + d.y * m[4] + d.z * m[7]),
                        q.z + (d.x * m[2] + d.y * m[5] + d.z * m[8])};
  skin_store(call->rows + at, lane, p);
}

void SUP_KERNEL(envelope_hang)(const SupEnvelopePatchesCall *call, SupRange patches) {
  for (uint32_t p = patches.first; p < patches.first + patches.count; p++) {
    const SupEnvelopeFace *face = &call->model->faces[p];
    const SupMat3 turn = call->turns[p];
    const bool changed = call->changed[p] != 0;
    for (uint32_t block = 0; block < blocks_of(face); block++) {
      for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
        hang(call, face, &turn, changed, block, lane);
      }
    }
  }
}

/* ---- Stitching --------------------------------------------------------------------------------
 */

void SUP_KERNEL(envelope_spread)(const SupEnvelopePatchesCall *call, SupRange patches) {
  for (uint32_t p = patches.first; p < patches.first + patches.count; p++) {
    const SupEnvelopeFace *face = &call->model->faces[p];
    const SewnPatch patch = {face->border_count,
                             face->interior_count,
                             call->model->borders + face->first_border,
                             call->model->spread + face->first_spread,
                             call->seams,
                             call->rows + ROWS * face->first_block};
    sewn_stitch(&patch);
  }
}

/* ---- Frames -----------------------------------------------------------------------------------
 */

void SUP_KERNEL(envelope_frames)(const SupEnvelopeFramesCall *call, SupRange blocks) {
  for (uint32_t block = blocks.first; block < blocks.first + blocks.count; block++) {
    const SkinBlock b = skin_block(call->skin, block);
    float *rows = call->frames + 3 * ROWS * block;
    for (int lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      const SkinBlend t = skin_blend(&b, call->palette, lane);
      skin_store(rows, lane, (SkinVector){t.xx, t.xy, t.xz});
      skin_store(rows + ROWS, lane, (SkinVector){t.yx, t.yy, t.yz});
      skin_store(rows + 2 * ROWS, lane, (SkinVector){t.zx, t.zy, t.zz});
    }
  }
}
