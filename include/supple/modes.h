/* SPDX-License-Identifier: MIT */
/*
 * Supple: the modes technique (after James and Pai 2002): flesh as a few oscillators.
 *
 * The lowest vibration modes of a character's elastic volume, bones held, are morph targets whose
 * weights q swing by themselves: q'' + 2 decay q' + stiffness q = force. The bones drive them by
 * their accelerations; a fixed table says how, so that a character costs some small products and
 * one closed-form step per mode, whatever its number of vertices and whatever the time step.
 * docs/techniques/modes.md has the equations.
 *
 * Offsets live in rest space under the blend of the bones, like morph targets: skinning the view's
 * own skin with the weights of sup_modes_weights shows them, along arcs where the model is warped.
 */
#ifndef SUPPLE_MODES_H
#define SUPPLE_MODES_H

#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The model --------------------------------------------------------------------------------
 */

#define SUP_MODES_KIND SUP_FOURCC('M', 'O', 'D', 'E')
#define SUP_MODES_VERSION 1u
#define SUP_MODES_MOST 1024u /* modes in one model */

/* SupModesView.flags */
#define SUP_MODES_WARP 1u      /* the modes also turn flesh: skin.morph_turns */
#define SUP_MODES_ONE_RINGS 2u /* the triangles around each vertex are there, for normals */

/* The rows of a block of 16 oscillators. */
typedef enum SupModesRow {
  SUP_MODES_STIFFNESS,  /* square of the undamped angular frequency, 1/s^2, in [1e-6, 1e12); 1 in
                           spare  lanes */
  SUP_MODES_DECAY,      /* 1/s, in [0, 1e9): damping ratio times angular frequency */
  SUP_MODES_GAIN,       /* on what is shown; 1 unless it was fitted */
  SUP_MODES_MAX_WEIGHT, /* greatest weight that is shown, in (0, 1e15] */
  SUP_MODES_ROWS
} SupModesRow;

/* The sections besides the skin's (supple/skin.h), in the order of SupModesView. */
#define SUP_SECTION_MODES_COUNTS                                                                  \
  SUP_FOURCC('M', 'D', 'C', 'N')                                 /* flags, mode_count, pair_count \
                                                                  */
#define SUP_SECTION_MODES_NUMBERS SUP_FOURCC('M', 'D', 'N', 'M') /* scale, worst */
#define SUP_SECTION_MODES_LANES SUP_FOURCC('M', 'D', 'L', 'N')
#define SUP_SECTION_MODES_OSCILLATORS SUP_FOURCC('M', 'D', 'O', 'S')
#define SUP_SECTION_MODES_PAIRS SUP_FOURCC('M', 'D', 'P', 'R')
#define SUP_SECTION_MODES_DRIVE SUP_FOURCC('M', 'D', 'D', 'R')
#define SUP_MODES_SECTION_COUNT 6
#define SUP_SECTION_MODES_TURNS SUP_FOURCC('M', 'D', 'T', 'N') /* only with SUP_MODES_WARP */
#define SUP_SECTION_MODES_ONE_RING_FIRST \
  SUP_FOURCC('M', 'D', 'F', 'F') /* only with SUP_MODES_ONE_RINGS */
#define SUP_SECTION_MODES_ONE_RINGS SUP_FOURCC('M', 'D', 'F', 'N')

/* A packed model. Pointers into the block that holds it. */
typedef struct SupModesView {
  SupSkinView skin; /* of the body; its last mode_count morph targets are the modes */
  uint32_t flags;   /* SUP_MODES_WARP | SUP_MODES_ONE_RINGS */
  uint32_t mode_count;
  uint32_t block_count; /* mode_count / 16, rounded up */
  uint32_t pair_count;
  float h;                  /* seconds: longer steps are worth dividing where poses can be asked */
  float scale;              /* metres per unit of body space that the drive was made for */
  float worst;              /* metres that a vertex can move per m/s^2 of peak acceleration */
  const uint32_t *lanes;    /* [vertex_count] lane of each vertex: skin.order[lanes[v]] is v */
  const float *oscillators; /* [blocks of SUP_MODES_ROWS] */
  const uint32_t *pairs;    /* [2 * pair_count] bones c <= b that share flesh, rising */
  const float *drive;       /* [16 * 12 * pair_count per block of modes] see sup_modes_drive */
  const uint32_t *one_ring_first; /* [skin.block_count + 1] rows of one_rings; or NULL */
  const uint32_t *one_rings; /* [rows of 2 * 16] the two other corners of a triangle, as lanes */
} SupModesView;

/* Checks the sections of a model whose container is sound, the skin's included: sizes, every
 * index, every number. */
SupResult sup_modes_check(const SupModel *model, SupError *error);

/* A checked model; it points into the block. */
SupModesView sup_modes_view(const SupModel *model);

/* ---- One oscillator ---------------------------------------------------------------------------
 */

/* What dt seconds do to q'' + 2 decay q' + stiffness q = f with f(t) = sum_j f_j (t / dt)^j, j < 4,
 * exactly:
 *   q1 = q[0] q0 + q[1] v0 + sum_j force_q[j] f_j
 *   v1 = v[0] q0 + v[1] v0 + sum_j force_v[j] f_j */
typedef struct SupModesTransition {
  double q[2], v[2];
  double force_q[4], force_v[4];
} SupModesTransition;

/* One formula for weak, critical and strong damping. stiffness >= 0, decay >= 0, dt >= 0. */
SupModesTransition sup_modes_transition(double stiffness, double decay, double dt);

/* ---- State ------------------------------------------------------------------------------------
 */

/* One character's oscillators: one block of sup_modes_bytes, aligned to SUP_ALIGNMENT, offsets
 * instead of pointers. Copying the bytes copies the state; equal states have equal hashes. */
typedef struct SupModesState {
  uint64_t bytes; /* of the whole block */
  uint32_t block_count, bone_count;
  uint32_t fresh; /* palettes to come that are taken over without a push: 2 after reset */
  float dt;       /* of the transitions that are kept */
  uint64_t q, v, force, transitions, palette, velocity, change, next;
  uint32_t balanced; /* what the forces of the last step do in balance is not shown */
  uint32_t pad;
  uint64_t reserved[4];
} SupModesState;

size_t sup_modes_bytes(const SupModesView *model);

/* Lays a state out in block[sup_modes_bytes]; it starts at the next palette. */
SupModesState *sup_modes_init(const SupModesView *model, void *block);

/* The next two palettes only say where the bones are and how they move; flesh starts in balance
 * with the forces. */
void sup_modes_reset(SupModesState *state);

/* Amplitudes and their velocities, [16 * block_count]; may be written. */
float *sup_modes_amplitudes(SupModesState *state);
float *sup_modes_velocities(SupModesState *state);

/* Somebody pulls at a vertex. */
typedef struct SupModesPull {
  uint32_t vertex; /* of the body; others are ignored */
  SupVec3 force;   /* N, in the space of the palette */
} SupModesPull;

typedef struct SupModesForces {
  SupVec3 gravity; /* m/s^2, in the space of the palette; zero where the pose already shows it */
  uint32_t pull_count;
  const SupModesPull *pulls;
  /* The skin already shows the body in balance with these forces: only swings about it are shown,
   * those that changing forces cause included. */
  bool balanced;
  const float *modal; /* [16 * block_count] forces on the modes themselves, or NULL */
} SupModesForces;

/* dt seconds on, to palette[bone_count]: bones move evenly in between, and forces change linearly
 * from the last call's. `forces` may be NULL. Steps of no or negative length do nothing. */
void sup_modes_step(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                    float dt, const SupAffine *palette, const SupModesForces *forces);

/* dt seconds on with forces that are known as polynomials: forces[4 rows of 16 * block_count],
 * f(t) = sum_j forces_j (t / dt)^j. The bones do not move. */
void sup_modes_advance(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                       float dt, const float *forces);

/* What is shown: out_weights[mode_count], for the last morph targets of the skin. `level` modes
 * are shown, the next one by the fraction (a level of detail that fades; INFINITY or mode_count:
 * all), everything times `fade`. */
void sup_modes_weights(const SupModesView *model, const SupModesState *state, float lod, float fade,
                       float *out_weights);

/* What a frame of a stack tells the modes. */
typedef struct SupModesControls {
  float lod; /* modes shown, fractions fade; 0: all */
} SupModesControls;

/* out[16 * block_count] = sum over bones c, b of the drive table's <D_cb, L_c^T a_b>: how hard
 * accelerations (or jumps of velocity) a[bone_count] of the bones push the modes when the bones
 * are at palette. The force on the modes is minus this. */
void sup_modes_drive(const SupModesView *model, const SupBackend *backend, const SupAffine *palette,
                     const SupAffine *accelerations, float *out);

/* ---- What linearity gives ---------------------------------------------------------------------
 */

/* Seconds after which no more than `tolerance` of any oscillation is left; INFINITY without
 * damping. */
double sup_modes_memory(const SupModesView *model, double tolerance);

/* A motion whose bones are known at every time. */
typedef struct SupModesMotion {
  void (*palette)(void *user, double time, SupAffine *out_palette); /* [bone_count] */
  void *user;
  double start;                 /* seconds: where it begins */
  double step;                  /* seconds between looks at the bones, > 0 */
  const SupModesForces *forces; /* constant, or NULL */
} SupModesMotion;

/* The state that playing from motion->start would have reached at `time`, but for `tolerance`:
 * only the flesh's memory is looked at, so the cost does not grow with the time. */
void sup_modes_seek(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                    const SupModesMotion *motion, double time, double tolerance);

/* The state at the start of a motion that repeats every `period` seconds for ever: one round and
 * one small solve. The bones at start + period are those at start. */
void sup_modes_loop(const SupModesView *model, SupModesState *state, const SupBackend *backend,
                    const SupModesMotion *motion, double period);

#ifdef __cplusplus
}
#endif
#endif
