/* SPDX-License-Identifier: MIT */
/* What the files of libsupple_cuda share: errors as sentences, memory, the functions of the table.
 */
#ifndef SUP_SRC_CUDA_DEVICE_H
#define SUP_SRC_CUDA_DEVICE_H

#include <cuda_runtime.h>

#include "supple/batch.h"

/* SUP_OK, or what CUDA says about `code` behind "cuda: what: ". */
SupResult sup_cuda_check(cudaError_t code, const char *what, SupError *error);

/* Memory of the GPU with a copy of from[bytes] (zero if NULL); NULL with a sentence. */
void *sup_cuda_copy(const void *from, size_t bytes, const char *what, SupError *error);

/* Within the GPU's memory. */
cudaError_t sup_cuda_copy_within(void *to, const void *from, size_t bytes, cudaStream_t stream);

SupResult sup_cuda_surface_make(const SupBackend *backend, const SupBatchDef *def,
                                SupSurfaceBatch **out, SupError *error);
void sup_cuda_surface_free(SupSurfaceBatch *batch);
void sup_cuda_surface_reset(SupSurfaceBatch *batch, uint32_t first, uint32_t count,
                            SupStream stream);
void sup_cuda_surface_step(SupSurfaceBatch *batch, const SupAffine *palettes,
                           const SupBatchForces *forces, SupStream stream);
void sup_cuda_surface_show(SupSurfaceBatch *batch, SupBatchOutput positions, SupBatchOutput normals,
                           SupStream stream);
SupResult sup_cuda_surface_get(SupSurfaceBatch *batch, uint32_t character,
                               SupSurfaceState *io_state, SupStream stream, SupError *error);
SupResult sup_cuda_surface_put(SupSurfaceBatch *batch, uint32_t character,
                               const SupSurfaceState *state, const SupAffine *palettes,
                               SupStream stream, SupError *error);

SupResult sup_cuda_modes_make(const SupBackend *backend, const SupBatchDef *def,
                              SupModesBatch **out, SupError *error);
void sup_cuda_modes_free(SupModesBatch *batch);
void sup_cuda_modes_reset(SupModesBatch *batch, uint32_t first, uint32_t count, SupStream stream);
void sup_cuda_modes_step(SupModesBatch *batch, float dt, const SupAffine *palettes, SupVec3 gravity,
                         SupStream stream);
void sup_cuda_modes_weights(SupModesBatch *batch, float level, float fade, float *weights,
                            SupStream stream);
SupResult sup_cuda_modes_get(SupModesBatch *batch, uint32_t character, SupModesState *io_state,
                             SupStream stream, SupError *error);
SupResult sup_cuda_modes_put(SupModesBatch *batch, uint32_t character, const SupModesState *state,
                             SupStream stream, SupError *error);

SupResult sup_cuda_skin_make(const SupBackend *backend, const SupBatchDef *def, SupSkinBatch **out,
                             SupError *error);
void sup_cuda_skin_free(SupSkinBatch *batch);
void sup_cuda_skin_lbs(SupSkinBatch *batch, const SupAffine *palettes, const float *weights,
                       SupBatchOutput positions, SupBatchOutput normals, SupStream stream);

#endif
