/* SPDX-License-Identifier: MIT */
/* The packers of this build. A new technique adds its line. */
#include "author/pack/packer_list.h"

static const SupPacker *const packers[] = {
    &sup_chunks_packer, &sup_correctives_packer, &sup_envelope_packer, &sup_helpers_packer,
    &sup_modes_packer,  &sup_popping_packer,     &sup_skin_packer,
};

const SupPacker *sup_packer_find(uint32_t kind) {
  for (size_t k = 0; k < sizeof packers / sizeof *packers; k++) {
    if (packers[k]->kind == kind) return packers[k];
  }
  return NULL;
}
