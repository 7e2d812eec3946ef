/* SPDX-License-Identifier: MIT */
/* A copy within the GPU's memory at the speed of that memory, which the driver's own does not reach
 * in a recording. */
#include <cuda_runtime.h>

#include <stdint.h>

#define UNROLL 4

__global__ void __launch_bounds__(256) copy_quads(float4 *to, const float4 *from, size_t count) {
  size_t i = (size_t)blockIdx.x * (256 * UNROLL) + threadIdx.x;
  float4 held[UNROLL];
#pragma unroll
  for (int k = 0; k < UNROLL; k++) {
    if (i + 256 * k < count) held[k] = __ldcs(from + i + 256 * k);
  }
#pragma unroll
  for (int k = 0; k < UNROLL; k++) {
    if (i + 256 * k < count) __stcs(to + i + 256 * k, held[k]);
  }
}

extern "C" cudaError_t sup_cuda_copy_within(void *to, const void *from, size_t bytes,
                                            cudaStream_t stream) {
  if (((uintptr_t)to | (uintptr_t)from | bytes) % 16 || bytes == 0) {
    return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
  }
  const size_t count = bytes / 16;
  copy_quads<<<(unsigned)((count + 256 * UNROLL - 1) / (256 * UNROLL)), 256, 0, stream>>>(
      (float4 *)to, (const float4 *)from, count);
  return cudaGetLastError();
}
