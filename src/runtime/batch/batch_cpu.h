/* SPDX-License-Identifier: MIT */
/* Batches on the processor: one file per technique, and how their characters are counted. */
#ifndef SUP_SRC_RUNTIME_BATCH_CPU_H
#define SUP_SRC_RUNTIME_BATCH_CPU_H

#include "supple/batch.h"

/* The characters of one group. */
typedef struct BatchSpan {
  uint32_t first, count;         /* characters */
  uint64_t bone, vertex, weight; /* of its first character, counted through all groups */
} BatchSpan;

/* Takes the next group's place behind *io_end and moves that on. */
BatchSpan sup_batch_span(BatchSpan *io_end, uint32_t count, uint32_t bones, uint32_t vertices,
                         uint32_t weights);

/* The characters of one model: their single states one after the other. */
typedef struct BatchGroup {
  BatchSpan span;
  char *states;
  size_t state_bytes;
} BatchGroup;

/* What batches of states have in common, and begin with. */
typedef struct Batch {
  SupArena arena; /* holds the batch itself */
  const SupBackend *backend;
  const SupJobs *jobs;
  uint32_t group_count;
  BatchSpan end; /* behind all groups: end.first characters */
  BatchGroup *groups;
} Batch;

/* A batch of `bytes` that begins with a Batch, without groups; NULL: no memory. */
Batch *sup_batch_open(const SupBackend *backend, const SupBatchDef *def, size_t bytes);
void sup_batch_close(Batch *batch); /* may be NULL */

/* The next group: room for its states, which the caller starts; NULL: no memory. */
BatchGroup *sup_batch_add(Batch *b, uint32_t count, uint32_t bones, uint32_t vertices,
                          uint32_t weights, size_t state_bytes);

/* Which group a character is of, and its state. */
uint32_t sup_batch_group(const Batch *b, uint32_t character);
void *sup_batch_state(const Batch *b, uint32_t character);

/* A state out of the batch and into it. */
void sup_batch_get(const Batch *b, uint32_t character, void *state);
void sup_batch_put(const Batch *b, uint32_t character, const void *state);

SupResult sup_cpu_surface_make(const SupBackend *backend, const SupBatchDef *def,
                               SupSurfaceBatch **out, SupError *error);
void sup_cpu_surface_free(SupSurfaceBatch *batch);
void sup_cpu_surface_reset(SupSurfaceBatch *batch, uint32_t first, uint32_t count,
                           SupStream stream);
void sup_cpu_surface_step(SupSurfaceBatch *batch, const SupAffine *palettes,
                          const SupBatchForces *forces, SupStream stream);
void sup_cpu_surface_show(SupSurfaceBatch *batch, SupBatchOutput positions, SupBatchOutput normals,
                          SupStream stream);
SupResult sup_cpu_surface_get(SupSurfaceBatch *batch, uint32_t character, SupSurfaceState *io_state,
                              SupStream stream, SupError *error);
SupResult sup_cpu_surface_put(SupSurfaceBatch *batch, uint32_t character,
                              const SupSurfaceState *state, const SupAffine *palettes,
                              SupStream stream, SupError *error);

SupResult sup_cpu_modes_make(const SupBackend *backend, const SupBatchDef *def, SupModesBatch **out,
                             SupError *error);
void sup_cpu_modes_free(SupModesBatch *batch);
void sup_cpu_modes_reset(SupModesBatch *batch, uint32_t first, uint32_t count, SupStream stream);
void sup_cpu_modes_step(SupModesBatch *batch, float dt, const SupAffine *palettes, SupVec3 gravity,
                        SupStream stream);
void sup_cpu_modes_weights(SupModesBatch *batch, float lod, float fade, float *weights,
                           SupStream stream);
SupResult sup_cpu_modes_get(SupModesBatch *batch, uint32_t character, SupModesState *io_state,
                            SupStream stream, SupError *error);
SupResult sup_cpu_modes_put(SupModesBatch *batch, uint32_t character, const SupModesState *state,
                            SupStream stream, SupError *error);

SupResult sup_cpu_helpers_make(const SupBackend *backend, const SupBatchDef *def,
                               SupHelpersCrowd **out, SupError *error);
void sup_cpu_helpers_free(SupHelpersCrowd *batch);
void sup_cpu_helpers_reset(SupHelpersCrowd *batch, uint32_t first, uint32_t count,
                           SupStream stream);
void sup_cpu_helpers_step(SupHelpersCrowd *batch, const SupHelpersControls *controls,
                          const SupAffine *globals, SupTransform *io_joints, SupStream stream);
void sup_cpu_helpers_lods(SupHelpersCrowd *batch, uint32_t first, uint32_t count,
                          const uint8_t *lods, SupStream stream);
SupResult sup_cpu_helpers_blend(SupHelpersCrowd *batch, uint32_t group, const float *fractions,
                                SupStream stream, SupError *error);

SupResult sup_cpu_skin_make(const SupBackend *backend, const SupBatchDef *def, SupSkinBatch **out,
                            SupError *error);
void sup_cpu_skin_free(SupSkinBatch *batch);
void sup_cpu_skin_lbs(SupSkinBatch *batch, const SupAffine *palettes, const float *weights,
                      SupBatchOutput positions, SupBatchOutput normals, SupStream stream);

#endif
