/* SPDX-License-Identifier: MIT */
/*
 * Supple: batches, many characters in one call, on the processor or on a GPU.
 *
 * A backend (supple/backend.h) has a table of batch functions, SupBackend.batch. One program runs
 * on both: it makes a batch of characters of one or several models, gives it palettes that lie in
 * the backend's memory, and steps all of them in one call. On a GPU such a call starts a few
 * kernels (one for each group or length of step) on the caller's stream and returns; nothing is
 * allocated and nobody waits, so a frame can be captured into a graph. On the processor it is done
 * when it returns, and streams are ignored.
 *
 * Models are the blocks that supple/model.h describes, checked. Single states go into a batch and
 * come out of it. What makes a batch is given the backend itself. Groups follow each other:
 * characters are counted through all groups, and so are palettes, weights and vertices.
 *
 * Values that are not finite never enter a state and never come out. In what acts on all, nothing
 * acts for that step; a dt that is not finite is no step. In the pose of one character, that
 * character (on a GPU at least the bones, turns and frames concerned) stays as it was for that
 * step; modes begin again with the next one. Skins remember nothing: such a bone is at rest, such a
 * morph target is not there. Other characters have the bits that they would have had.
 *
 * Functions that return a SupResult fail with SUP_ERROR_MEMORY when the backend has no room, and
 * with SUP_ERROR_UNSUPPORTED or SUP_ERROR_NUMERIC when the GPU refuses; `error` may be NULL.
 */
#ifndef SUPPLE_BATCH_H
#define SUPPLE_BATCH_H

#include "supple/helpers.h"
#include "supple/modes.h"
#include "supple/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Characters of one model. */
typedef struct SupBatchGroup {
  const SupModel *model; /* checked; must live as long as the batch */
  uint32_t count;
} SupBatchGroup;

typedef struct SupBatchDef {
  SupAllocator allocator; /* for what lies in the processor's memory */
  const SupJobs *jobs;    /* the processor's; may be NULL */
  uint32_t group_count;
  const SupBatchGroup *groups; /* read by make alone */
  uint32_t tile_lanes;         /* a GPU's: lanes per tile (supple/tiles.h); 0: its own choice */
} SupBatchDef;

/* Where an attribute of all vertices goes: vertex v (counted through all characters, in the order
 * of the body) at data[v * stride], in the backend's memory; data may be NULL. stride >= 3. */
typedef struct SupBatchOutput {
  float *data;
  uint32_t stride;
} SupBatchOutput;

/* What acts on all characters alike, in the space of the palettes. */
typedef struct SupBatchForces {
  SupVec3 acceleration; /* m/s^2 */
  SupVec3 wind;         /* m/s */
  float wind_drag;      /* 1/s */
  float feed_forward;   /* as in SupExternalForces */
  uint32_t collider_count;
  const SupCollider *colliders; /* at most SUP_COLLIDERS, in ordinary memory */
} SupBatchForces;

/* Opaque: each backend has its own. */
typedef struct SupSurfaceBatch SupSurfaceBatch;
typedef struct SupModesBatch SupModesBatch;
typedef struct SupHelpersCrowd SupHelpersCrowd; /* of several models; SupHelpersBatch is of one */
typedef struct SupSkinBatch SupSkinBatch;

/* A stream of the backend, a cudaStream_t on CUDA; NULL is its default stream. */
typedef void *SupStream;

typedef struct SupBatchTable {
  /* ---- The backend's memory, and its streams ---- */
  void *(*allocate)(const SupAllocator *allocator, size_t bytes); /* NULL: no room */
  void (*release)(const SupAllocator *allocator, void *memory, size_t bytes);
  SupResult (*upload)(void *to, const void *from, size_t bytes, SupStream stream, SupError *error);
  SupResult (*download)(void *to, const void *from, size_t bytes, SupStream stream,
                        SupError *error);
  /* Within the backend's memory. */
  SupResult (*copy)(void *to, const void *from, size_t bytes, SupStream stream, SupError *error);
  /* Waits until everything that was put on the stream is done, and says if it went wrong. */
  SupResult (*wait)(SupStream stream, SupError *error);
  SupStream (*stream_make)(void);
  void (*stream_free)(SupStream stream);
  /* What is put on the stream between begin and end is not done but recorded; a recording can be
   * played any number of times. NULL where a backend cannot (the processor). */
  SupResult (*record_begin)(SupStream stream, SupError *error);
  void *(*record_end)(SupStream stream, SupError *error);
  void (*play)(void *recording, SupStream stream);
  void (*recording_free)(void *recording);
  /* Seconds that `count` plays of a recording take, by the GPU's own clock. NULL as above. */
  double (*play_seconds)(void *recording, uint32_t count, SupStream stream);

  /* ---- The surface technique on linear blend skinning ---- */
  SupResult (*surface_make)(const SupBackend *backend, const SupBatchDef *def,
                            SupSurfaceBatch **out, SupError *error);
  void (*surface_free)(SupSurfaceBatch *batch);
  /* Characters first .. first + count - 1 start again at their next goals. */
  void (*surface_reset)(SupSurfaceBatch *batch, uint32_t first, uint32_t count, SupStream stream);
  /* One step of the models' h: palettes of all characters one after the other, `forces` or NULL. */
  void (*surface_step)(SupSurfaceBatch *batch, const SupAffine *palettes,
                       const SupBatchForces *forces, SupStream stream);
  /* The positions of the last step, and their unit normals (area-weighted). */
  void (*surface_show)(SupSurfaceBatch *batch, SupBatchOutput positions, SupBatchOutput normals,
                       SupStream stream);
  /* One character's state, out of the batch and into it; waits for the stream. palettes[2 * bones]
   * are those of the last step and the one before, in ordinary memory. */
  SupResult (*surface_get)(SupSurfaceBatch *batch, uint32_t character, SupSurfaceState *io_state,
                           SupStream stream, SupError *error);
  SupResult (*surface_put)(SupSurfaceBatch *batch, uint32_t character, const SupSurfaceState *state,
                           const SupAffine *palettes, SupStream stream, SupError *error);

  /* ---- The modes technique ---- */
  SupResult (*modes_make)(const SupBackend *backend, const SupBatchDef *def, SupModesBatch **out,
                          SupError *error);
  void (*modes_free)(SupModesBatch *batch);
  void (*modes_reset)(SupModesBatch *batch, uint32_t first, uint32_t count, SupStream stream);
  /* dt seconds on, to these palettes; gravity as in SupModesForces. */
  void (*modes_step)(SupModesBatch *batch, float dt, const SupAffine *palettes, SupVec3 gravity,
                     SupStream stream);
  /* weights[mode_count of each character, one after the other] of sup_modes_weights. */
  void (*modes_weights)(SupModesBatch *batch, float lod, float fade, float *weights,
                        SupStream stream);
  SupResult (*modes_get)(SupModesBatch *batch, uint32_t character, SupModesState *io_state,
                         SupStream stream, SupError *error);
  SupResult (*modes_put)(SupModesBatch *batch, uint32_t character, const SupModesState *state,
                         SupStream stream, SupError *error);

  /* ---- The helpers technique ---- */
  SupResult (*helpers_make)(const SupBackend *backend, const SupBatchDef *def,
                            SupHelpersCrowd **out, SupError *error);
  void (*helpers_free)(SupHelpersCrowd *batch);
  /* The next pose of these characters starts in balance; they keep their levels. */
  void (*helpers_reset)(SupHelpersCrowd *batch, uint32_t first, uint32_t count, SupStream stream);
  /* One step of the models' h. Joints of all characters one after the other: globals as
   * sup_helpers_step has them; io_joints are the poses, and get the local transforms of the
   * helpers. `controls` for all alike (but see helpers_lods); its exaggerations are not looked
   * at. */
  void (*helpers_step)(SupHelpersCrowd *batch, const SupHelpersControls *controls,
                       const SupAffine *globals, SupTransform *io_joints, SupStream stream);
  /* The levels of these characters from now on: levels[count], SupHelpersLod each, in the
   * backend's memory. All begin with SUP_HELPERS_FULL; a step shows no more than the level of its
   * controls. `levels` must stay until the call is done: on the processor when it returns, on a GPU
   * when the stream has come there; if recorded, as long as the recording is played. */
  void (*helpers_lods)(SupHelpersCrowd *batch, uint32_t first, uint32_t count, const uint8_t *lods,
                       SupStream stream);

  /* Makes the characters of one group (its index in SupBatchDef.groups) a blend of the model's
   * materials, as sup_helpers_blend does one character; groups of one model may differ. Waits for
   * the stream, so it cannot be recorded. Where it fails the batch stays as it is. */
  SupResult (*helpers_blend)(SupHelpersCrowd *batch, uint32_t group, const float *fractions,
                             SupStream stream, SupError *error);

  /* ---- Skinning ---- */
  /* Models that hold a skin: of any kind. */
  SupResult (*skin_make)(const SupBackend *backend, const SupBatchDef *def, SupSkinBatch **out,
                         SupError *error);
  void (*skin_free)(SupSkinBatch *batch);
  /* Linear blend skinning of all characters; weights[morph_count of each, one after the other] or
   * NULL; normals need skins that hold them and come out as sup_skin_lbs gives them. */
  void (*skin_lbs)(SupSkinBatch *batch, const SupAffine *palettes, const float *weights,
                   SupBatchOutput positions, SupBatchOutput normals, SupStream stream);
} SupBatchTable;

#ifdef __cplusplus
}
#endif
#endif
