/* SPDX-License-Identifier: MIT */
/*
 * Supple: the surface technique (Shi et al. 2008), a layer of flesh on any goal.
 *
 * Every vertex is pulled to its goal (stiffness alpha), to the shape of its neighbourhood (detail
 * beta), to its distance from the bones (volume gamma), and its velocity to its neighbours'
 * (damping lambda) and to the goal's (drag delta). docs/techniques/surface.md has the equations.
 *
 * This header is one step at the model's own h, on goals that somebody else supplies. SupStack
 * (supple/stack.h) makes the goals, keeps the time, and is what an engine calls; the functions here
 * are for it, for learning and for tests.
 *
 * The vertices are the body's, in the order of the model's skin: lane i is vertex skin.order[i].
 */
#ifndef SUPPLE_SURFACE_H
#define SUPPLE_SURFACE_H

#include "supple/external_forces.h"
#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The model --------------------------------------------------------------------------------
 */

#define SUP_SURFACE_KIND SUP_FOURCC('S', 'U', 'R', 'F')
#define SUP_SURFACE_VERSION 3u /* the least that the flags ask for is written */

/* The least h of a model, seconds: a frame must not take for ever. */
#define SUP_SURFACE_SHORTEST_STEP 1e-4f

/* Flags. */
#define SUP_SURFACE_BONE_ROTATION 1u /* neighbourhoods turn with the bones, not by themselves */
#define SUP_SURFACE_ABSOLUTE 2u      /* lambda and delta see absolute velocities, as published */
#define SUP_SURFACE_BACKSTOPS 4u     /* some vertex has a backstop: goals need normals */
#define SUP_SURFACE_NORMAL 8u        /* other stiffness and drag along the goal's normals */
#define SUP_SURFACE_UNDELAYED 16u    /* eta hands on the goal's acceleration when it happens */
/* Inertia is felt although a layer below accounts for it (SUP_TRAIT_INERTIA): the model was learned
 * from what that layer leaves, or its author wants both. Only a stack reads it. */
#define SUP_SURFACE_OWN_INERTIA 32u

/* What readers of version 2 do not know. */
#define SUP_SURFACE_VERSION_3_FLAGS SUP_SURFACE_OWN_INERTIA
/* What readers of version 1 do not know either. */
#define SUP_SURFACE_VERSION_2_FLAGS (SUP_SURFACE_NORMAL | SUP_SURFACE_UNDELAYED)

/* The rows of parameters of a block: 16 numbers each. */
typedef enum SupSurfaceRow {
  SUP_SURFACE_ALPHA,        /* stiffness [0, 1]: fraction of the way to the goal, per step */
  SUP_SURFACE_BETA,         /* detail [0, 1] */
  SUP_SURFACE_GAMMA,        /* volume [0, 1] */
  SUP_SURFACE_LAMBDA,       /* damping [0, 0.5] */
  SUP_SURFACE_DELTA,        /* drag [0, 1] */
  SUP_SURFACE_ETA,          /* fraction of the goal's acceleration that is handed on, [0, 1] */
  SUP_SURFACE_MAX_DISTANCE, /* greatest distance from the goal, metres, > 0 */
  SUP_SURFACE_STOP,         /* greatest depth below the goal, along its normal, metres, >= 0 */
  SUP_SURFACE_RING_WEIGHT,  /* 1 / number of neighbours, 0 for none */
  SUP_SURFACE_EDGE_X,       /* mean rest edge */
  SUP_SURFACE_EDGE_Y,
  SUP_SURFACE_EDGE_Z,
  SUP_SURFACE_ROWS
} SupSurfaceRow;

/* The parameters that are maps: the first rows. */
#define SUP_SURFACE_TERMS 6 /* alpha, beta, gamma, lambda, delta, eta */
#define SUP_SURFACE_MAPS 8  /* and maximum distance, stop */

/* With SUP_SURFACE_NORMAL the rows ALPHA and DELTA are those along the skin, and these, in a
 * section of their own, 16 numbers each, belong to the direction of the goal's normal. */
typedef enum SupSurfaceNormalRow {
  SUP_SURFACE_NORMAL_ALPHA, /* stiffness [0, 1] */
  SUP_SURFACE_NORMAL_DELTA, /* drag [0, 1] */
  SUP_SURFACE_NORMAL_ROWS
} SupSurfaceNormalRow;

/* Their maps come behind the other eight, their terms behind the other six. */
#define SUP_SURFACE_MAP_NORMAL_ALPHA 8
#define SUP_SURFACE_MAP_NORMAL_DELTA 9
#define SUP_SURFACE_ALL_MAPS 10
#define SUP_SURFACE_TERM_NORMAL_ALPHA 6
#define SUP_SURFACE_TERM_NORMAL_DELTA 7
#define SUP_SURFACE_ALL_TERMS 8

/* A straight piece of bone, in bind space. Spokes run from it to the skin. */
typedef struct SupSurfaceSegment {
  uint32_t bone;
  SupVec3 a, b;
} SupSurfaceSegment;

/* The sections besides the skin's (supple/skin.h), in the order of SupSurfaceView. */
#define SUP_SECTION_SURFACE_COUNTS SUP_FOURCC('S', 'F', 'C', 'N') /* flags, segment_count */
#define SUP_SECTION_SURFACE_LANES SUP_FOURCC('S', 'F', 'L', 'N')
#define SUP_SECTION_SURFACE_PARAMETERS SUP_FOURCC('S', 'F', 'P', 'R')
#define SUP_SECTION_SURFACE_SLOT_FIRST SUP_FOURCC('S', 'F', 'N', 'F')
#define SUP_SECTION_SURFACE_SLOTS SUP_FOURCC('S', 'F', 'N', 'B')
#define SUP_SECTION_SURFACE_EDGES SUP_FOURCC('S', 'F', 'E', 'D')
#define SUP_SECTION_SURFACE_SPOKE_FIRST SUP_FOURCC('S', 'F', 'S', 'F')
#define SUP_SECTION_SURFACE_SPOKES SUP_FOURCC('S', 'F', 'S', 'P')
#define SUP_SECTION_SURFACE_SPOKE_ROWS SUP_FOURCC('S', 'F', 'S', 'R')
#define SUP_SECTION_SURFACE_ONE_RING_FIRST SUP_FOURCC('S', 'F', 'F', 'F')
#define SUP_SECTION_SURFACE_ONE_RINGS SUP_FOURCC('S', 'F', 'F', 'N')
#define SUP_SECTION_SURFACE_SEGMENTS SUP_FOURCC('S', 'F', 'S', 'G') /* 28 bytes each */
#define SUP_SURFACE_SECTION_COUNT 12
#define SUP_SECTION_SURFACE_NORMAL                               \
  SUP_FOURCC('S', 'F', 'N', 'R') /* with SUP_SURFACE_NORMAL only \
                                  */

#define SUP_REAL float
#define SUP_TYPE(name) Sup##name
#define SUP_SURFACE_TYPE(name) SupSurface##name
#include "supple/surface_types.inl"

#define SUP_REAL double
#define SUP_TYPE(name) Sup##name##d
#define SUP_SURFACE_TYPE(name) SupSurface##name##d
#include "supple/surface_types.inl"

/* Checks the sections of a model whose container is sound, the skin's included: sizes, every index,
 * every number. Stability is the author layer's business, not asked here. */
SupResult sup_surface_check(const SupModel *model, SupError *error);

/* Whether the goals of a model need normals. */
static inline bool sup_surface_wants_normals(uint32_t flags) {
  return (flags & (SUP_SURFACE_BACKSTOPS | SUP_SURFACE_NORMAL)) != 0;
}

/* The frequency (Hz) and damping ratio of a vertex with stiffness alpha and drag delta in steps of
 * h seconds; one that does not swing has the frequency of its undamped spring. */
void sup_surface_tuning(float alpha, float delta, float h, float *out_frequency,
                        float *out_damping);

/* A checked model; it points into the block. */
SupSurfaceView sup_surface_view(const SupModel *model);

/* ---- State -------------------------------------------------------------------------------------
 */

/* One character's flesh: one block of sup_surface_bytes, aligned to SUP_ALIGNMENT, offsets instead
 * of pointers. Copying the bytes copies the state. Padding and spare lanes have fixed values, so
 * equal states have equal hashes. */
typedef struct SupSurfaceState {
  uint64_t bytes; /* of the whole block */
  uint32_t block_count, segment_count;
  uint32_t fresh; /* goals to come that are taken over without dynamics: 2 after reset */
  uint32_t owed;  /* 1: x lacks eta times what the goal's step will change by (UNDELAYED) */
  uint64_t x, dx, goal, goal_step, rotation, records, next_goal, normals, forces, segments;
  uint64_t scales; /* [bone_count] as in SupSurfaceCall */
  uint64_t reserved[2];
} SupSurfaceState;

/* Bytes per lane of a state, besides the header, 32 bytes per segment and 4 per bone. */
#define SUP_SURFACE_STATE_BYTES 132u

size_t sup_surface_bytes(const SupSurfaceView *model);

/* Lays a state out in block[sup_surface_bytes]; the next step starts it at its goal. */
SupSurfaceState *sup_surface_init(const SupSurfaceView *model, void *block);

/* The next two steps put the vertices onto their goals, moving as the goal does: nothing jerks. */
void sup_surface_reset(SupSurfaceState *state);

/* Where goals go: fill goal rows (and normals, if sup_surface_wants_normals) before each step. */
float *sup_surface_next_goal(SupSurfaceState *state);    /* [blocks of 3] */
float *sup_surface_next_normals(SupSurfaceState *state); /* [blocks of 3] */

/* Blows, at once; they show from the next step on. `space` as in SupExternalForces. */
void sup_surface_strike(const SupSurfaceView *model, SupSurfaceState *state,
                        const SupImpulse *impulses, uint32_t count, const SupAffine *space);

/* How much larger than at rest each bone makes its flesh: the cube root of its determinant,
 * negative where it mirrors, 1 where it does neither. False if all are 1. */
bool sup_surface_scales(uint32_t bone_count, const SupAffine *palette, float *out_scales);

/* Before a step whose goal answers for inertia itself (with modes, say): the surface must not
 * answer again and is handed the whole acceleration of its goal (feed_forward 1). A step knows the
 * goal's change (bend) up to its own time and has to take the last one for the next; what that was
 * wrong by is put right here, a step later, before anybody has seen it. The distance from the goal
 * then does not feel the goal's motion at all. bends[blocks of 3] is the caller's, kept from step
 * to step. */
void sup_surface_hand_on(SupSurfaceState *state, float *bends);

/* One step of h on the goals that were filled in. palette[bone_count] carries the bones' segments
 * to the same space as the goals; `forces` and `jobs` may be NULL. Afterwards the state holds the
 * goal of this step, the vertices at its time (records) and one step later (x). Finite input gives
 * finite state. */
void sup_surface_step(const SupSurfaceView *model, SupSurfaceState *state,
                      const SupBackend *backend, const SupJobs *jobs, const SupAffine *palette,
                      const SupExternalForces *forces);

/* The vertices between two steps: `part` in [0, 1) of a step after the last goal. */
typedef struct SupSurfaceShow {
  bool between; /* since the last step a goal was put into sup_surface_next_goal: that of now */
  float part;   /* 0 unless `between` */
  float fade;   /* fraction of the offset to show, in [0, 1] */
  uint32_t pull_count;
  const SupPull *pulls;   /* shown exactly where they are held, if strength is 1 or more */
  const SupAffine *space; /* of the pulls, as in SupExternalForces */
  const float *scales;    /* of the bones now (sup_surface_scales), or NULL: none is scaled */
} SupSurfaceShow;

/* out_pairs[8 per lane]: shown position x y z 0, goal x y z 0. At a step these are the positions
 * that the step used; between steps they are interpolated so that the goal's own curve is kept
 * (docs/techniques/surface.md, "Between steps"). No vertex is farther from its goal than its
 * maximum distance, times the scale that its bones have. */
void sup_surface_show(const SupSurfaceView *model, const SupSurfaceState *state,
                      const SupBackend *backend, const SupJobs *jobs, const SupSurfaceShow *show,
                      float *out_pairs);

/* ---- Kernels by themselves (float through the backend, double in libsupple_train) -------------
 * In double a backend stands for its instruction set, as wide as that is in double; where there is
 * no such copy, and with NULL, a lane at a time. The same bits in any case. */

/* Places the model's segments: out_placed[segment_count]. */
void sup_surface_place(const SupSurfaceView *model, const SupAffine *palette,
                       SupSurfacePlaced *out_placed);
void sup_surface_place_f64(const SupSurfaceViewd *model, const SupAffined *palette,
                           SupSurfacePlacedd *out_placed);

/* Vertices onto next_goal with dx = goal_step = 0, or what next_goal differs from `goal` if
 * `moving`; rotations from the bones. */
void sup_surface_start(const SupBackend *backend, const SupJobs *jobs, const SupSurfaceCall *call,
                       bool moving);
void sup_surface_start_f64(const SupBackend *backend, const SupJobs *jobs,
                           const SupSurfaceCalld *call, bool moving);

/* prepare, then solve, over all blocks. */
void sup_surface_solve(const SupBackend *backend, const SupJobs *jobs, const SupSurfaceCall *call);
void sup_surface_solve_f64(const SupBackend *backend, const SupJobs *jobs,
                           const SupSurfaceCalld *call);

/* The bytes that the numbers of a model take in double precision, and the double-precision copy of
 * the model: its numbers go into out_block (aligned to SUP_ALIGNMENT), its indices stay where they
 * are. */
size_t sup_surface_to_double_bytes(const SupSurfaceView *model);
void sup_surface_to_double(const SupSurfaceView *model, void *out_block,
                           SupSurfaceViewd *out_model);

#ifdef __cplusplus
}
#endif
#endif
