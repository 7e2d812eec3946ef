/* SPDX-License-Identifier: MIT */
/*
 * Supple: the subspace technique (after Benchekroun et al. 2023): the elastic body itself, reduced.
 *
 * Flesh is where skinning puts it plus a sum of K fixed scalar functions, each times a vector that
 * moves by itself: the amplitudes. They follow from the body's own energy, mass and damping, one
 * implicit step after the other, so that statics and swing come from one model that has seen no
 * motion. The energy is that of a few hundred clusters of tetrahedra; the cost does not depend on
 * the number of vertices. docs/techniques/subspace.md has the equations.
 *
 * Offsets and amplitudes are in the space of the palette, metres. A model is plain arrays so far.
 */
#ifndef SUPPLE_SUBSPACE_H
#define SUPPLE_SUBSPACE_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_SUBSPACE_LANES 16        /* clusters in a block */
#define SUP_SUBSPACE_MOST 512u       /* functions in a model */
#define SUP_SUBSPACE_HISTORY 8       /* pairs that the minimiser remembers */
#define SUP_SUBSPACE_LONGEST 0.25f   /* seconds in a call; beyond, flesh starts afresh */
#define SUP_SUBSPACE_FARTHEST 1e6f   /* metres that a bone may be away; */
#define SUP_SUBSPACE_STRONGEST 1e2f  /* its linear part, in multiples of a metre's worth; */
#define SUP_SUBSPACE_HEAVIEST 1000.f /* m/s^2 of gravity; what is beyond is not believed */

/* ---- The model --------------------------------------------------------------------------------
 */

/* What the step needs and what shows it. Functions are mass-orthonormal; bones' functions are the
 * weights of a bone times x, y, z, 1 of the bind pose, body units. Energies in J. */
typedef struct SupSubspaceView {
  uint32_t function_count; /* K */
  uint32_t bone_count;     /* of the palette */
  uint32_t cluster_count;
  uint32_t block_count; /* of 16 clusters; lanes that are over have stiffness 0 */
  uint32_t iterations;  /* of the minimiser per step */
  uint32_t settle;      /* the same where flesh starts afresh */
  float h;              /* seconds of a step */
  float damping;        /* seconds: of the strain */
  float drag;           /* 1/s: of motion relative to the bones */
  float stiffening;     /* as in SupMaterialDef */
  float rho;            /* how much strain within a cluster counts, 0..1 */
  float limit;          /* of the length of all amplitudes, kg^1/2 m */
  float scale;          /* metres per body unit that the palette is expected to bring along */
  SupVec3 centre;       /* of the body in the bind pose, body units: where numbers are small */
  const float *weight;  /* [K] integral of each function over the mass, kg^1/2 */
  const float *elastic; /* [K] 1/s^2: quadratic term, within clusters and of ties */
  const float *preconditioner; /* [K] 1/s^2: about the second derivative of the elastic energy */
  const float *inertia_bones;  /* [K * 4 bone_count] mass between functions and bones' functions */
  const float *elastic_bones;  /* [K * 4 bone_count] of the quadratic term, less the clusters' */
  const float *gradients; /* [block_count * K * 3 * 16] mean gradient of each function, 1/m kg^1/2
                           */
  const float *stiffness; /* [block_count * 16] shear modulus times volume, J */
  const float *ratio;     /* [block_count * 16] neo-Hookean lambda / mu, > 1 */
  const uint32_t *bone_first;  /* [block_count + 1] rows of `bones` */
  const uint32_t *bones;       /* bones that move the clusters of a block */
  const float *bone_gradients; /* [rows * 12 * 16] mean gradients of a bone's four functions */
  /* What is shown. */
  uint32_t vertex_count;
  uint32_t helper_count;    /* 0: none */
  uint32_t influence_count; /* helpers of a vertex: 4 or 8 */
  /* What the bones do to a vertex that its own skin weights do not: it is carried by nodes, which
   * have weights of their own. Rows of 4: a point of the bind pose times weight, and weight. */
  const uint32_t *vertex_bone_first; /* [vertex_count + 1] */
  const uint32_t *vertex_bones;      /* [rows] */
  const float *vertex_bone_rows;     /* [4 * rows] */
  const float *vertex_functions;     /* [vertex_count * K] */
  const uint32_t *vertex_helpers;    /* [vertex_count * influence_count] */
  const float *vertex_weights;       /* [vertex_count * influence_count] sum at most 1 */
  const float *helper_map;           /* [helper_count * 4 * K] */
} SupSubspaceView;

/* ---- State ------------------------------------------------------------------------------------
 */

/* One character's flesh: one block of sup_subspace_bytes, aligned to SUP_ALIGNMENT, offsets instead
 * of pointers. Copying the bytes copies the state. */
typedef struct SupSubspaceState {
  uint64_t bytes; /* of the whole block */
  uint32_t function_count, bone_count, block_count;
  uint32_t fresh;     /* palettes to come that are taken over without a push: 2 after reset */
  uint32_t pairs;     /* of the minimiser's memory */
  uint32_t fallbacks; /* steps so far that did not decrease the energy as the first try wanted */
  float ahead;        /* seconds since the last step of h */
  uint32_t pad;
  uint64_t last; /* [bone_count] SupAffine: the frame before */
  /* Present and one step before, doubles: amplitudes [3 K], bones [12 bone_count]. */
  uint64_t amplitudes[2], velocities[2], bones[2], bone_velocities[2];
  /* Floats by block of clusters. */
  uint64_t changes[2];              /* [9 * 16] gradient of the amplitudes' part */
  uint64_t turns;                   /* [9 * 16] rotation */
  uint64_t steps, yields, products; /* doubles: the minimiser's memory, [8 * 3 K], [8] */
  uint64_t work;                    /* what a step needs only while it runs */
  uint64_t reserved[11];
} SupSubspaceState;

size_t sup_subspace_bytes(const SupSubspaceView *model);

/* Lays a state out in block[sup_subspace_bytes]; it starts at the next palette. */
SupSubspaceState *sup_subspace_init(const SupSubspaceView *model, void *block);

/* The next palette is where flesh starts, in balance; the one after it says how the bones move. */
void sup_subspace_reset(SupSubspaceState *state);

/* All of the scene moves by a rigid map: flesh goes on swinging as if nothing had happened. The
 * next palette has moved as well. */
void sup_subspace_teleport(SupSubspaceState *state, const SupAffine *move);

/* dt seconds on, to palette[bone_count]. Bones move evenly in between; steps are of h whatever dt
 * is. Steps of no or negative length do nothing. A palette that is not finite, or out of the ranges
 * above, changes nothing, and flesh starts afresh behind it; so it does after a call of more than
 * SUP_SUBSPACE_LONGEST. gravity: m/s^2 in the space of the palette. */
void sup_subspace_step(const SupSubspaceView *model, SupSubspaceState *state, float dt,
                       const SupAffine *palette, SupVec3 gravity);

/* Amplitudes and their velocities at the last step, [3 * K] by axis, then function; may be
 * written. */
double *sup_subspace_amplitudes(SupSubspaceState *state);
double *sup_subspace_velocities(SupSubspaceState *state);

/* Energy in J at the last step, of the bones as they are: elastic and of gravity, and kinetic
 * energy of the motion relative to the bones. For tests and reports. */
double sup_subspace_energy(const SupSubspaceView *model, SupSubspaceState *state, SupVec3 gravity);

/* ---- What is shown ----------------------------------------------------------------------------
 */

/* Amplitudes at the last frame, out[3 * K]: between two steps they go on at their velocity. */
void sup_subspace_shown(const SupSubspaceView *model, SupSubspaceState *state, float *out);

/* Offsets from plain skinning in full, out_offsets[vertex_count], from shown[3 * K] and where the
 * bones are: what the volume's own skinning does, and the functions. */
void sup_subspace_offsets(const SupSubspaceView *model, const float *shown,
                          const SupAffine *palette, SupVec3 *out_offsets);

/* The functions' part through helpers: out_helpers[helper_count] maps from the bind pose to an
 * offset. That of vertex v is the sum of its weights times its helpers' maps of its place in the
 * bind pose. */
void sup_subspace_helpers(const SupSubspaceView *model, const float *shown, SupAffine *out_helpers);

#ifdef __cplusplus
}
#endif
#endif
