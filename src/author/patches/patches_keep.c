/* SPDX-License-Identifier: MIT */
/* Some of the patches of a skin. */
#include "supple/author/patches.h"

SupResult sup_patches_keep(SupArena *arena, const SupPatches *patches, const bool *keep,
                           SupPatches *out_patches, SupError *error) {
  const uint32_t triangles = patches->mesh.triangle_count;
  uint32_t *regions = SUP_ALLOC(arena, uint32_t, triangles);
  uint32_t *places = SUP_ALLOC(arena, uint32_t, patches->patch_count);
  SupPatch *kept = SUP_ALLOC(arena, SupPatch, patches->patch_count);
  if (!regions || !places || !kept) return sup_fail_memory(error, NULL);
  SupPatches out = *patches;
  out.patch_count = 0;
  for (uint32_t p = 0; p < patches->patch_count; p++) {
    places[p] = keep[p] ? out.patch_count : SUP_NONE;
    if (keep[p]) {
      kept[out.patch_count++] = patches->patches[p];
    } else {
      out.left_out_count++;
      out.left_out_area += patches->patches[p].area;
      out.euler--;
    }
  }
  for (uint32_t t = 0; t < triangles; t++) {
    const uint32_t p = patches->regions[t];
    regions[t] = p == SUP_NONE ? SUP_NONE : places[p];
  }
  out.regions = regions;
  out.patches = kept;
  *out_patches = out;
  return SUP_OK;
}
