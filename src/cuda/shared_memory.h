/* SPDX-License-Identifier: MIT */
/* How much shared memory blocks of a kernel may ask for. */
#ifndef SUPPLE_CUDA_SHARED_MEMORY_H
#define SUPPLE_CUDA_SHARED_MEMORY_H

#include <cuda_runtime.h>

/* The limit belongs to the kernel, not to a batch: it is only ever raised, so that a batch of small
 * models does not take it from one of large models. */
static inline cudaError_t cuda_allow_shared(const void *kernel, size_t bytes) {
  cudaFuncAttributes now;
  const cudaError_t code = cudaFuncGetAttributes(&now, kernel);
  if (code != cudaSuccess || (size_t)now.maxDynamicSharedSizeBytes >= bytes) return code;
  return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

#endif
