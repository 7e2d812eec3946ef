/* SPDX-License-Identifier: MIT */
/* A finer control mesh: patches divided through their charts, on both characters alike. */
#include "app/envelope_job.h"
#include "supple/author/patch_split.h"
#include "supple/train/patch_map.h"

SupResult sup_envelope_lay_like(const SupAppContext *app, const SupPatchCharacter *target,
                                const SupPatchCharacter *primary, SupPatchCharts *out_charts,
                                SupError *error) {
  uint32_t *matches = SUP_ALLOC(app->arena, uint32_t, target->patches.patch_count);
  if (!matches) return sup_fail_memory(error, NULL);
  sup_patches_match(&target->def, &target->patches, &primary->def, &primary->patches, matches);
  const SupPatchMapDef def = {.def = &target->def,
                              .patches = &target->patches,
                              .like = &primary->charts,
                              .like_charts = matches};
  return sup_patch_charts(app->arena, &def, out_charts, error);
}

static SupPatchSplitDef split_def(const SupPatchCharacter *c) {
  return (SupPatchSplitDef){.def = &c->def, .patches = &c->patches, .charts = &c->charts};
}

static SupResult find_room(const SupAppContext *app, const SupPatchCharacter *c, bool **out_can,
                           SupError *error) {
  const SupPatchSplitDef def = split_def(c);
  *out_can = SUP_ALLOC(app->arena, bool, c->patches.patch_count);
  if (!*out_can) return sup_fail_memory(error, NULL);
  return sup_patches_can_split(app->arena, &def, *out_can, error);
}

/* What one of two partners has no room for, the other does not get either. */
static SupResult agree(const SupAppContext *app, const SupPatchCharacter *first,
                       const SupPatchCharacter *other, bool *io_first, bool *io_other,
                       SupError *error) {
  uint32_t *partners = SUP_ALLOC(app->arena, uint32_t, other->patches.patch_count);
  if (!partners) return sup_fail_memory(error, NULL);
  sup_patches_match(&other->def, &other->patches, &first->def, &first->patches, partners);
  for (uint32_t p = 0; p < other->patches.patch_count; p++) {
    bool *partner = &io_first[partners[p]];
    *partner = io_other[p] = *partner && io_other[p];
  }
  return SUP_OK;
}

static SupResult split(const SupAppContext *app, const bool *which, SupPatchCharacter *io,
                       SupError *error) {
  const SupPatchSplitDef def = split_def(io);
  SupPatchesDef made;
  SupPatches patches;
  SupResult result = sup_patches_split(app->arena, &def, which, &made, &patches, error);
  if (result != SUP_OK) return result;
  io->def = made;
  io->patches = patches;
  return SUP_OK;
}

static SupResult lay_both(const SupAppContext *app, SupPatchCharacter *io_first,
                          SupPatchCharacter *io_other, SupError *error) {
  const SupPatchMapDef def = {.def = &io_first->def, .patches = &io_first->patches};
  SupResult result = sup_patch_charts(app->arena, &def, &io_first->charts, error);
  if (result != SUP_OK || !io_other) return result;
  return sup_envelope_lay_like(app, io_other, io_first, &io_other->charts, error);
}

static SupResult divide_once(const SupAppContext *app, SupPatchCharacter *io_first,
                             SupPatchCharacter *io_other, uint32_t *out_whole, SupError *error) {
  bool *first = NULL, *other = NULL;
  SupResult result = find_room(app, io_first, &first, error);
  if (result == SUP_OK && io_other) result = find_room(app, io_other, &other, error);
  if (result == SUP_OK && io_other) result = agree(app, io_first, io_other, first, other, error);
  if (result != SUP_OK) return result;
  *out_whole = 0;
  for (uint32_t p = 0; p < io_first->patches.patch_count; p++) *out_whole += !first[p];
  result = split(app, first, io_first, error);
  if (result == SUP_OK && io_other) result = split(app, other, io_other, error);
  return result == SUP_OK ? lay_both(app, io_first, io_other, error) : result;
}

SupResult sup_envelope_subdivide(const SupAppContext *app, uint32_t times,
                                 SupPatchCharacter *io_first, SupPatchCharacter *io_other,
                                 uint32_t *out_whole, SupError *error) {
  SupResult result = SUP_OK;
  *out_whole = 0;
  if (times > 0 && io_other) {
    result = sup_envelope_lay_like(app, io_other, io_first, &io_other->charts, error);
  }
  for (uint32_t k = 0; k < times && result == SUP_OK; k++) {
    result = divide_once(app, io_first, io_other, out_whole, error);
  }
  return result;
}
