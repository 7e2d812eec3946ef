/* SPDX-License-Identifier: MIT */
/*
 * Supple: skinning, linear blend and dual quaternion.
 *
 * A packed skin holds the vertices of a character in blocks of 16 that share few bones, each block
 * with the union of its bones and a weight per bone and vertex. libsupple_author packs it
 * (supple/author/skin_pack.h), for the body's vertices or for the render vertices.
 * docs/skinning.md has the equations and the layout.
 *
 * One call skins one character: it allocates nothing, keeps nothing, and gives the same bits for
 * every number of threads and every instruction set.
 */
#ifndef SUPPLE_SKIN_H
#define SUPPLE_SKIN_H

#include "supple/backend.h"
#include "supple/math.h"
#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_SKIN_BLOCK 16
#define SUP_SKIN_MORPHS 65536 /* most morph targets, so that a damaged count asks for no memory */

/* What a skin holds besides positions and weights. */
#define SUP_SKIN_NORMALS 1u
#define SUP_SKIN_TANGENTS 2u

/* A packed skin: pointers into the block that holds it, aligned to SUP_ALIGNMENT. B stands for
 * block_count. */
typedef struct SupSkinView {
  uint32_t flags;
  uint32_t vertex_count;
  uint32_t block_count; /* vertex_count / 16, rounded up */
  uint32_t bone_count;
  uint32_t morph_count;
  const uint32_t *order;      /* [16 B] vertex of each lane; spare lanes repeat one of the block */
  const uint32_t *bone_first; /* [B + 1] into bones; at least one bone per block */
  const uint32_t *bones;      /* [bone_first[B]] rising within a block */
  const float *records;       /* rows of 16, see sup_skin_record_rows */
  const float *pivots;        /* [16 B] place in the block's union of each vertex's heaviest bone */
  const uint32_t *morph_first;   /* [B + 1] into morph_targets */
  const uint32_t *morph_targets; /* [morph_first[B]] rising within a block */
  const float *morph_offsets;    /* [48 * morph_first[B]] x, y, z rows of the block's vertices */
  /* Morph targets from turn_first on also turn the flesh that they move: a second set of rows,
   * radians per unit of weight about x, y, z; or NULL. See SupSkinCall. */
  const float *morph_turns;
  uint32_t turn_first;
} SupSkinView;

/* Rows of 16 numbers in a block's record before its weights: rest position x y z, then normal
 * x y z and tangent x y z w where the flags say so; then one row of weights per bone of the
 * block. The record of block b starts at row b * rows + bone_first[b]. */
static inline uint32_t sup_skin_record_rows(uint32_t flags) {
  return 3u + (flags & SUP_SKIN_NORMALS ? 3u : 0u) + (flags & SUP_SKIN_TANGENTS ? 4u : 0u);
}

/* ---- As a model block ------------------------------------------------------------------------ */

/* A skin by itself. Other kinds of model may hold the same sections beside their own. */
#define SUP_SKIN_KIND SUP_FOURCC('S', 'K', 'I', 'N')
#define SUP_SKIN_VERSION 1u

/* The sections, in the order of SupSkinView's fields. Items of 4 bytes. */
#define SUP_SECTION_SKIN_COUNTS SUP_FOURCC('S', 'K', 'N', 'C') /* flags .. morph_count */
#define SUP_SECTION_SKIN_ORDER SUP_FOURCC('S', 'K', 'O', 'R')
#define SUP_SECTION_SKIN_BONE_FIRST SUP_FOURCC('S', 'K', 'B', 'F')
#define SUP_SECTION_SKIN_BONES SUP_FOURCC('S', 'K', 'B', 'N')
#define SUP_SECTION_SKIN_RECORDS SUP_FOURCC('S', 'K', 'R', 'C')
#define SUP_SECTION_SKIN_PIVOTS SUP_FOURCC('S', 'K', 'P', 'V')
#define SUP_SECTION_SKIN_MORPH_FIRST SUP_FOURCC('S', 'K', 'M', 'F')
#define SUP_SECTION_SKIN_MORPHS SUP_FOURCC('S', 'K', 'M', 'T')
#define SUP_SECTION_SKIN_OFFSETS SUP_FOURCC('S', 'K', 'M', 'O')
#define SUP_SKIN_SECTION_COUNT 9

/* Checks the skin sections of a model whose container is sound: sizes, every index, every number.
 * The check of SUP_SKIN_KIND, and part of the check of every kind that holds a skin. */
SupResult sup_skin_check(const SupModel *model, SupError *error);

/* The skin of a checked model; it points into the model. */
SupSkinView sup_skin_view(const SupModel *model);

/* ---- Skinning -------------------------------------------------------------------------------- */

/* Where one attribute goes. */
typedef struct SupSkinOutput {
  float *data; /* NULL: not wanted. Normals and tangents need a skin that holds them. */
  /* 0: blocks (component k of item i at [(i / 16 * components + k) * 16 + i % 16], items in the
   * skin's order, aligned to SUP_ALIGNMENT, 16 * block_count items). Otherwise vertex v lies at
   * data[v * stride], in the vertex order of the mesh that was packed; at least 3 (tangents 4). */
  uint32_t stride;
} SupSkinOutput;

/* A bone for dual quaternion skinning: x -> rotation and translation of (stretch * x). */
typedef struct SupDualBone {
  SupQuat real;    /* unit rotation */
  SupQuat dual;    /* half the translation times the rotation */
  SupMat3 stretch; /* what the linear part holds besides the rotation: scale and shear */
} SupDualBone;

/* More morph targets for the same vertices: those of another skin with the same lanes (block_count
 * and order), added after the skin's own. */
typedef struct SupSkinLayer {
  const SupSkinView *skin; /* only its morph targets are read */
  const float *weights;    /* [morph_count of it] */
  const float *fractions;  /* [16 * block_count] how much of the sum each lane gets, and then its
                           targets do not turn flesh; NULL: all */
} SupSkinLayer;

/* One character's skinning. Inputs and outputs may not overlap.
 *
 * Where the skin has morph_turns, the offsets of those targets add up to u and their turns to w,
 * and what is added to the rest position is the integral of the rotation by t w over t from 0 to 1,
 * applied to u (modal warping: Choi and Ko 2005): flesh that swings far goes along an arc. */
typedef struct SupSkinCall {
  const SupSkinView *skin;
  const SupAffine *palette;   /* [bone_count] for sup_skin_lbs: bind space -> scene space */
  const SupDualBone *duals;   /* [bone_count] for sup_skin_dqs */
  bool stretched;             /* what sup_skin_duals returned */
  bool unit;                  /* give normals and tangents length 1; a zero vector stays zero */
  const float *morph_weights; /* [morph_count], or NULL for none */
  uint32_t layer_count;
  const SupSkinLayer *layers; /* [layer_count] */
  SupSkinOutput positions;    /* 3 components */
  SupSkinOutput normals;      /* 3 components */
  SupSkinOutput tangents;     /* 4 components: x y z and the handedness, copied */
} SupSkinCall;

/* Linear blend skinning: position = sum_k w_k (M_k rest), normals and tangents by the linear part
 * of the same blended matrix (as three.js and glTF viewers do, not its inverse transpose).
 * `jobs` may be NULL. */
void sup_skin_lbs(const SupBackend *backend, const SupJobs *jobs, const SupSkinCall *call);

/* Dual quaternion skinning (Kavan et al. 2008), the stretch of the bones blended linearly before
 * it; signs are taken relative to each vertex's heaviest bone. */
void sup_skin_dqs(const SupBackend *backend, const SupJobs *jobs, const SupSkinCall *call);

/* Splits palette[bone_count] into rotations and stretches (polar decomposition; a mirroring goes
 * into the stretch). Returns false when all bones are rigid within 1e-5, in which case the kernel
 * skips the stretch. */
bool sup_skin_duals(uint32_t bone_count, const SupAffine *palette, SupDualBone *out_duals);

/* ---- Double precision (libsupple_train), for learning and for tests -------------------------- */

typedef struct SupSkinViewd {
  uint32_t flags, vertex_count, block_count, bone_count, morph_count;
  const uint32_t *order, *bone_first, *bones;
  const double *records, *pivots;
  const uint32_t *morph_first, *morph_targets;
  const double *morph_offsets, *morph_turns;
  uint32_t turn_first;
} SupSkinViewd;

typedef struct SupSkinOutputd {
  double *data;
  uint32_t stride;
} SupSkinOutputd;

typedef struct SupDualBoned {
  SupQuatd real;
  SupQuatd dual;
  SupMat3d stretch;
} SupDualBoned;

typedef struct SupSkinLayerd {
  const SupSkinViewd *skin;
  const double *weights;
  const double *fractions;
} SupSkinLayerd;

typedef struct SupSkinCalld {
  const SupSkinViewd *skin;
  const SupAffined *palette;
  const SupDualBoned *duals;
  bool stretched;
  bool unit;
  const double *morph_weights;
  uint32_t layer_count;
  const SupSkinLayerd *layers;
  SupSkinOutputd positions;
  SupSkinOutputd normals;
  SupSkinOutputd tangents;
} SupSkinCalld;

/* The bytes that the numbers of a skin take in double precision, and the double-precision copy of
 * the skin: its numbers go into out_block (aligned to SUP_ALIGNMENT), its indices stay where they
 * are. */
size_t sup_skin_to_double_bytes(const SupSkinView *skin);
void sup_skin_to_double(const SupSkinView *skin, void *out_block, SupSkinViewd *out_skin);

void sup_skin_lbs_f64(const SupJobs *jobs, const SupSkinCalld *call);
void sup_skin_dqs_f64(const SupJobs *jobs, const SupSkinCalld *call);
bool sup_skin_duals_f64(uint32_t bone_count, const SupAffined *palette, SupDualBoned *out_duals);

#ifdef __cplusplus
}
#endif
#endif
