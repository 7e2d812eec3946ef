/* SPDX-License-Identifier: MIT */
/*
 * Materials by bone: an element is made of what the bone that moves it most has.
 */
#include "sim/tissue.h"

#include "fem/rest_flesh.h"

/* The bone with the greatest weight over the four nodes. */
static uint32_t main_bone(const SupFill *fill, const SupAttachment *attachment, uint32_t t) {
  uint32_t best = 0;
  float most = -1;
  const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)t;
  for (size_t i = 0; i < 4 * SUP_ATTACH_BONES; i++) {
    uint32_t bone =
        attachment
            ->bones[SUP_ATTACH_BONES * (size_t)nodes[i / SUP_ATTACH_BONES] + i % SUP_ATTACH_BONES];
    float sum = 0;
    for (size_t a = 0; a < 4; a++) {
      size_t at = SUP_ATTACH_BONES * (size_t)nodes[a];
      for (size_t k = at; k < at + SUP_ATTACH_BONES; k++) {
        if (attachment->bones[k] == bone) sum += attachment->weights[k];
      }
    }
    if (sum > most || (sum == most && bone < best)) {
      most = sum;
      best = bone;
    }
  }
  return best;
}

SupResult sup_tissue_create(SupArena *arena, const SupSimDef *def, const SupFill *fill,
                            const SupAttachment *attachment, SupTissue *out_tissue,
                            SupError *error) {
  SupTissue tissue = {.materials = &def->material, .material_count = 1};
  if (def->bone_materials) {
    tissue.materials = def->bone_materials;
    tissue.material_count = def->character->skeleton.bone_count;
    tissue.material_of = SUP_ALLOC(arena, uint32_t, fill->mesh.tet_count);
    if (!tissue.material_of) return sup_fail(error, SUP_ERROR_MEMORY, "simulating: out of memory");
    for (uint32_t t = 0; t < fill->mesh.tet_count; t++) {
      tissue.material_of[t] = main_bone(fill, attachment, t);
    }
  }
  SupResult result = sup_rest_stiffness(arena, def->character, fill, def->vertex_stiffness,
                                        def->bone_stiffness, &tissue.factors, error);
  if (result == SUP_OK) *out_tissue = tissue;
  return result;
}
