/* SPDX-License-Identifier: MIT */
/*
 * Materials by bone: an element is made of what the bone that moves it most has.
 */
#include "sim/tissue.h"

#include "fem/rest_volume.h"

SupResult sup_tissue_create(SupArena *arena, const SupSimDef *def, const SupFill *fill,
                            const SupAttachment *attachment, SupTissue *out_tissue,
                            SupError *error) {
  SupTissue tissue = {.materials = &def->material, .material_count = 1};
  SupResult result = SUP_OK;
  if (def->bone_materials) {
    tissue.materials = def->bone_materials;
    tissue.material_count = def->character->skeleton.bone_count;
    result = sup_rest_bones(arena, fill, attachment, &tissue.material_of, error);
  }
  if (result == SUP_OK) {
    result = sup_rest_stiffness(arena, def->character, fill, def->vertex_stiffness,
                                def->bone_stiffness, &tissue.factors, error);
  }
  if (result == SUP_OK) *out_tissue = tissue;
  return result;
}
