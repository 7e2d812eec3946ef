/* SPDX-License-Identifier: MIT */
/* The techniques of this build. A new one adds its line, in the order in which those of one stage
 * run. */
#include "runtime/techniques.h"

static const SupTechnique *const techniques[] = {
    &sup_skin_technique,
    &sup_correctives_technique,
    &sup_helpers_technique,
    &sup_modes_technique,
    &sup_popping_technique,
    &sup_surface_technique,
    NULL,
};

const SupTechnique *const *sup_techniques(void) { return techniques; }

const SupTechnique *sup_technique_find(const SupTechnique *const *list, uint32_t kind) {
  for (list = list ? list : techniques; *list; list++) {
    if ((*list)->kind == kind) return *list;
  }
  return NULL;
}
