/* SPDX-License-Identifier: MIT */
/* Is a number of the GPU finite? */
#ifndef SUPPLE_CUDA_DEVICE_FINITE_H
#define SUPPLE_CUDA_DEVICE_FINITE_H

#include <cuda_runtime.h>

static __device__ __forceinline__ bool cuda_finite(float x) {
  return (__float_as_uint(x) & 0x7f800000u) != 0x7f800000u;
}

static __device__ __forceinline__ bool cuda_finite3(float x, float y, float z) {
  return cuda_finite(x) && cuda_finite(y) && cuda_finite(z);
}

#endif
