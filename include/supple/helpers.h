/* SPDX-License-Identifier: MIT */
/*
 * Supple: the helpers technique (after Mukai and Kuriyama 2016): secondary motion that needs
 * nothing but bones.
 *
 * Helper joints hang below the joints of a skeleton. Each has a controller: a polynomial of joint
 * rotations says where it stands in a pose, a small linear system driven by the motion of bones
 * says how it swings. A step reads the pose and writes the local transforms of the helpers;
 * skinning is the engine's own. The cost is fixed, nothing iterates. docs/techniques/helpers.md has
 * the equations.
 *
 *   q = static(u) + y,   z' = A z + B u,  y = C z + D u
 *   local transform of the helper = rest, moved by the first three of q and turned by the others
 */
#ifndef SUPPLE_HELPERS_H
#define SUPPLE_HELPERS_H

#include "supple/pose.h"
#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The model ------------------------------------------------------------------------------- */

#define SUP_HELPERS_KIND SUP_FOURCC('H', 'E', 'L', 'P')
#define SUP_HELPERS_VERSION 1u
#define SUP_HELPERS_MOST 256u       /* helpers in one model */
#define SUP_HELPERS_STATES 58u      /* of one helper */
#define SUP_HELPERS_INPUTS 256u     /* turns, frames: of each at most so many in a model */
#define SUP_HELPERS_FEATURES 65536u /* products of turns in a model */
#define SUP_HELPERS_OUTPUTS 6u      /* translation, then rotation vector */
#define SUP_HELPERS_LIMIT 1.5f      /* swings never go farther than in learning, times this */
#define SUP_HELPERS_MATERIALS 8u    /* in one model */
#define SUP_HELPERS_NAME 63u        /* bytes of a material's name, at most; no '=' and no ',' */

/* The sections besides the skin's (supple/skin.h), in the order of SupHelpersView. */
#define SUP_SECTION_HELPERS_COUNTS SUP_FOURCC('H', 'P', 'C', 'N')
#define SUP_SECTION_HELPERS_TURNS SUP_FOURCC('H', 'P', 'T', 'R')
#define SUP_SECTION_HELPERS_REST SUP_FOURCC('H', 'P', 'R', 'S')
#define SUP_SECTION_HELPERS_FRAMES SUP_FOURCC('H', 'P', 'F', 'R')
#define SUP_SECTION_HELPERS_BOX SUP_FOURCC('H', 'P', 'B', 'X')
#define SUP_SECTION_HELPERS_FEATURES SUP_FOURCC('H', 'P', 'F', 'T')
#define SUP_SECTION_HELPERS_BONES SUP_FOURCC('H', 'P', 'B', 'N')
#define SUP_SECTION_HELPERS_LISTS SUP_FOURCC('H', 'P', 'L', 'S')
#define SUP_SECTION_HELPERS_MATRICES SUP_FOURCC('H', 'P', 'M', 'X')
#define SUP_HELPERS_SECTION_COUNT 9

/* The sections of a model with several materials. */
#define SUP_SECTION_HELPERS_NAMES SUP_FOURCC('H', 'P', 'M', 'N')
#define SUP_SECTION_HELPERS_FRACTIONS SUP_FOURCC('H', 'P', 'M', 'S')
#define SUP_SECTION_HELPERS_PARTS SUP_FOURCC('H', 'P', 'M', 'P')
#define SUP_SECTION_HELPERS_BLENDS SUP_FOURCC('H', 'P', 'M', 'B')

/* A place that moves with a joint. */
typedef struct SupHelpersFrame {
  uint32_t joint;
  SupVec3 point; /* in the joint's space */
} SupHelpersFrame;

/* What a frame gives, twelve numbers in the axes of the joint. */
typedef enum SupHelpersRow {
  SUP_HELPERS_SPEED = 0, /* velocity of the point, units of the scene per second */
  SUP_HELPERS_SPIN = 3,  /* angular velocity, radians per second */
  SUP_HELPERS_PUSH = 6,  /* acceleration of the point less gravity */
  SUP_HELPERS_WHIRL = 9, /* angular acceleration */
  SUP_HELPERS_ROWS = 12
} SupHelpersRow;

/* One helper. Offsets count items of `lists` or `matrices`. */
typedef struct SupHelpersBone {
  uint32_t joint;  /* whose local transform it writes */
  uint32_t states; /* of its linear system */
  uint32_t state_first;
  uint32_t inputs, inputs_at;     /* the inputs that drive it: lists */
  uint32_t features, features_at; /* the features that pose it: lists */
  uint32_t dynamic_at; /* [states + inputs + 1 columns][16 * rows]: y, then the next states */
  uint32_t static_at;  /* [1 + features columns][16]: six numbers of q */
  uint32_t settle_at;  /* [states * (inputs + 1)] by rows: the state in balance with inputs */
  uint32_t range_at;   /* [12] least and greatest of each y while it was learned */
  SupTransform rest;   /* local, where it stands when its parent's flesh is at rest */
} SupHelpersBone;

/* What one material does to one helper: some of its states, and what they and the inputs make of
 * it. From blend_at on, n states, w = inputs + 1, f = 1 + features: C [n][6], D [w][6], static
 * [f][6], range [12], A [n * n] and B [n * w] by rows. */
typedef struct SupHelpersPart {
  uint32_t states, state_first; /* among the helper's own */
  uint32_t blend_at;
  uint32_t reserved; /* 0 */
} SupHelpersPart;

/* A packed model. Pointers into the block that holds it.
 *
 * Inputs: number c of turn t is input c * turn_pad + t (the rotation vector of the joint's rotation
 * from rest); number r of frame f is input 3 * turn_pad + r * frame_pad + f; the last input,
 * input_count - 1, is 1. Pads are counts rounded up to 16. */
typedef struct SupHelpersView {
  SupSkinView skin; /* of the body with all bones, helpers included */
  uint32_t flags;   /* 0 */
  uint32_t joint_count;
  uint32_t helper_count;
  uint32_t turn_count, turn_pad;
  uint32_t frame_count, frame_pad;
  uint32_t feature_count;
  uint32_t state_count; /* of all helpers */
  uint32_t input_count;
  float h;                       /* seconds of one step */
  const uint32_t *turns;         /* [turn_count] joints */
  const float *rest;             /* [4 * turn_pad] their rest rotations, by component */
  const SupHelpersFrame *frames; /* [frame_count] */
  const float *box;              /* [2 * input_count] least of all inputs, then greatest */
  const uint32_t *features;      /* [3 * feature_count] products of three inputs */
  const SupHelpersBone *bones;   /* [helper_count] parents before children */
  const uint32_t *lists;
  const float *matrices;
  /* Several materials; 0 and nothing: one, without a name. */
  uint32_t material_count;
  const char *names;           /* of the materials, each ended by a zero */
  const float *fractions;      /* [material_count] fractions of which `matrices` are, and with
                               which a state begins; then [material_count] frequencies */
  const SupHelpersPart *parts; /* [material_count * helper_count] by material */
  const float *blends;
} SupHelpersView;

/* Rows of 16 that the outputs and states of a helper take. */
static inline uint32_t sup_helpers_rows(const SupHelpersBone *bone) {
  return (SUP_HELPERS_OUTPUTS + bone->states + SUP_SKIN_BLOCK - 1) / SUP_SKIN_BLOCK;
}

/* Checks the sections of a model whose container is sound, the skin's included: sizes, every
 * index, every number. */
SupResult sup_helpers_check(const SupModel *model, SupError *error);

/* A checked model; it points into the block. */
SupHelpersView sup_helpers_view(const SupModel *model);

/* The same controllers for steps of h seconds: A' = A^r, B' = (A^r - I)(A - I)^-1 B with r = h over
 * the model's own. The new block is in `arena`. Fails when an A has no real power (an eigenvalue on
 * the negative axis). For a character that is stepped at the frame rate of a game: after loading.
 */
SupResult sup_helpers_convert(SupArena *arena, const SupModel *model, float h, SupModel **out_model,
                              SupError *error);

/* ---- Several materials ----------------------------------------------------------------------- */

/* A model may hold what one set of helpers does when the body is made of several materials. Each
 * state has its own blend of them (sup_helpers_blend), so instances of one model can differ and the
 * model is never written. The linear systems of all materials always run, so that a state goes on
 * when its fractions change: a slider can be dragged while a character moves, without a jump. */

/* The name of a material; NULL where there is none. */
const char *sup_helpers_material(const SupHelpersView *model, uint32_t material);

/* ---- One character --------------------------------------------------------------------------- */

/* How much is shown, from far to near. */
typedef enum SupHelpersLod {
  SUP_HELPERS_OFF,    /* helpers stand still below their parents */
  SUP_HELPERS_STATIC, /* they follow the pose */
  SUP_HELPERS_FULL    /* they swing too */
} SupHelpersLod;

/* What a step is told besides the pose. Start from sup_helpers_controls. */
typedef struct SupHelpersControls {
  SupHelpersLod lod;
  float fade_seconds;         /* of a change of level; 0.2 */
  float exaggerate;           /* what swings, times this; 1 */
  const float *exaggerations; /* [6 * helper_count] the same by number, on top; or NULL */
  float
      range; /* exaggerated swings go this many times as far as in learning, at most; 0: no limit */
  SupVec3 gravity; /* units of the scene per s^2; zero where none was there in learning */
} SupHelpersControls;

SupHelpersControls sup_helpers_controls(void);

/* One block of sup_helpers_bytes, aligned to SUP_ALIGNMENT, offsets instead of pointers. Copying
 * the bytes copies the state. */
typedef struct SupHelpersState {
  uint64_t bytes;
  uint32_t seen;      /* poses since the reset, at most 2; 3: velocities start again */
  float shown_static; /* fractions that are shown at present */
  float shown_dynamic;
  uint32_t uses;                                         /* which inputs any helper looks at */
  uint64_t places, past, u, z, limits, rotations, moves; /* offsets in the block */
  uint64_t fractions, matrices; /* the same, of several materials: [material_count], and the
                                   controllers of that blend where the model has its own; or 0 */
  uint32_t blended;             /* 0: the controllers are the model's */
  uint32_t reserved;            /* 0 */
} SupHelpersState;

/* A state of several materials has room for the controllers of its blend, about the size of the
 * model's `matrices`. It begins with the model's own fractions: the first material alone. */
size_t sup_helpers_bytes(const SupHelpersView *model);
SupHelpersState *sup_helpers_init(const SupHelpersView *model, void *block);

/* Makes one character a blend of the model's materials: fractions[material_count] from -0.25 to
 * 1.25, which goes a little beyond what was learned, with a sum of 1.
 *
 *   q = sum_k m_k static_k + sum_k m_k / r_k^2 y_k,   r_k = p / p_k,   log p = sum_k m_k log p_k
 *
 * p_k is the natural frequency of a material relative to the first, y_k the swings of its own
 * system with time going r_k times as fast: all materials swing at the frequency of the blend.
 * Where frequencies are alike that is the mean of what the materials do.
 *
 * Between two steps; a reset keeps the blend, sup_helpers_init starts with the model's. `scratch`
 * is for a moment and is given back. Fails on other fractions, a model of one material, and a
 * controller that has no form at that pace; then the state stays as it is. */
SupResult sup_helpers_blend(SupArena *scratch, const SupHelpersView *model,
                            SupHelpersState *io_state, const float *fractions, SupError *error);

/* The fractions of a state, [material_count]; NULL where the model has one material. */
const float *sup_helpers_fractions(const SupHelpersState *state);

/* The next pose starts in balance: after a cut or a teleport. */
void sup_helpers_reset(SupHelpersState *state);

/* One step of the model's h. `pose` has the model's joints; globals[joint_count] are the joints of
 * the skeleton in the scene (sup_pose_globals; those of helpers are not read). Writes the local
 * transforms of the helpers into io_joints[joint_count], which may be the pose's own. */
void sup_helpers_step(const SupHelpersView *model, SupHelpersState *state,
                      const SupBackend *backend, const SupHelpersControls *controls,
                      const SupPose *pose, const SupAffine *globals, SupTransform *io_joints);

/* Between two steps: what is shown `part` (0..1) of a step after the last one, at this pose. The
 * state stays as it is. */
void sup_helpers_peek(const SupHelpersView *model, SupHelpersState *state,
                      const SupBackend *backend, const SupHelpersControls *controls,
                      const SupPose *pose, const SupAffine *globals, float part,
                      SupTransform *io_joints);

/* What the last step or peek showed: [6 * helper_count] q by helper. For tests and pages. */
const float *sup_helpers_moves(const SupHelpersState *state);

/* ---- A crowd of one kind --------------------------------------------------------------------- */

/* Many characters of one model in one block: rows of 16 characters. The same bits as one by one. */
typedef struct SupHelpersBatch {
  uint64_t bytes;
  uint32_t count, block_count;
  uint32_t rows;        /* of 16 numbers, in one block of characters */
  uint32_t full, posed; /* slots that swing; slots that swing or stand */
  uint32_t changing;    /* characters that fade, or start afresh */
  uint32_t uses;        /* which inputs any helper looks at */
  uint32_t blended;     /* as in SupHelpersState */
  uint64_t slots, owners, lods, seen, list, listed, lanes, features, data; /* offsets */
  uint64_t fractions, matrices;                                            /* likewise, or 0 */
} SupHelpersBatch;

/* Of a batch of so many. 0: more than the machine can address. */
size_t sup_helpers_batch_bytes(const SupHelpersView *model, uint32_t count);
SupHelpersBatch *sup_helpers_batch_init(const SupHelpersView *model, uint32_t count, void *block);

/* Of one character: how much of it is shown; where it is (pose and globals as above; after the
 * level, since what that does not need is not copied); a cut. */
void sup_helpers_batch_lod(SupHelpersBatch *batch, uint32_t instance, SupHelpersLod lod);
void sup_helpers_batch_pose(const SupHelpersView *model, SupHelpersBatch *batch, uint32_t instance,
                            const SupPose *pose, const SupAffine *globals);
void sup_helpers_batch_reset(SupHelpersBatch *batch, uint32_t instance);

/* Makes all characters of the batch one blend, as sup_helpers_blend does one; those that should
 * differ belong into batches of their own. */
SupResult sup_helpers_batch_blend(SupArena *scratch, const SupHelpersView *model,
                                  SupHelpersBatch *io_batch, const float *fractions,
                                  SupError *error);

/* One step of all. `controls` as above, but for its level. */
void sup_helpers_batch_step(const SupHelpersView *model, SupHelpersBatch *batch,
                            const SupBackend *backend, const SupJobs *jobs,
                            const SupHelpersControls *controls);

/* The helpers of one character after a step, into io_joints[joint_count]: for those drawn. */
void sup_helpers_batch_read(const SupHelpersView *model, const SupHelpersBatch *batch,
                            uint32_t instance, SupTransform *io_joints);

#ifdef __cplusplus
}
#endif
#endif
