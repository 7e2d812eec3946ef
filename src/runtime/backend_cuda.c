/* SPDX-License-Identifier: MIT */
/* In a build without libsupple_cuda. */
#include "supple/backend.h"

const SupBackend *sup_backend_cuda(const char **out_why) {
  if (out_why) *out_why = "this build has no CUDA: configure it with -DSUPPLE_CUDA=ON";
  return NULL;
}
