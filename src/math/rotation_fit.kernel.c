/* SPDX-License-Identifier: MIT */
/* The rotation fit over blocks of 16 matrices. */
#include "math/rotation_fit.h"
#include "math/math_kernels.h"

void SUP_KERNEL(rotation_fit)(const sup_real *matrices, size_t block_count, uint32_t iterations,
                              sup_real *io_rotations) {
  for (size_t block = 0; block < block_count; block++) {
    for (size_t lane = 0; lane < SUP_BLOCK; lane += SUP_WIDTH) {
      const sup_real *matrix = matrices + block * 9 * SUP_BLOCK + lane;
      sup_real *rotation = io_rotations + block * 4 * SUP_BLOCK + lane;
      sup_vf a[9];
      for (int k = 0; k < 9; k++) a[k] = sup_vf_load(matrix + k * SUP_BLOCK);
      sup_vquat q = {sup_vf_load(rotation), sup_vf_load(rotation + SUP_BLOCK),
                     sup_vf_load(rotation + 2 * SUP_BLOCK), sup_vf_load(rotation + 3 * SUP_BLOCK)};
      q = sup_vf_rotation_fit(a, iterations, q);
      sup_vf_store(rotation, q.x);
      sup_vf_store(rotation + SUP_BLOCK, q.y);
      sup_vf_store(rotation + 2 * SUP_BLOCK, q.z);
      sup_vf_store(rotation + 3 * SUP_BLOCK, q.w);
    }
  }
}
