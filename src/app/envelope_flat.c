/* SPDX-License-Identifier: MIT */
/*
 * Patches that an envelope cannot use: a hand with all its fingers in one chart lies there with
 * whole fingertips in one point, and shapes learned on it crumple. Their vertices are skinned.
 */
#include "app/envelope_job.h"
#include "supple/train/patch_map.h"

/* Areas in a chart against those on the skin: a mean beyond the first, or one triangle beyond the
 * second, is no patch to learn on (hands of one patch: 60 and 3e6; the worst others: 15 and 9e3).
 */
#define AREAS 20.0
#define AREAS_WORST 1e5

static bool is_flat(const SupPatchChart *chart) {
  return chart->distortion.areas <= AREAS && chart->distortion.areas_worst <= AREAS_WORST;
}

static SupResult keep(const SupAppContext *app, const bool *kept, SupPatchCharacter *io,
                      SupError *error) {
  SupResult result = sup_patches_keep(app->arena, &io->patches, kept, &io->patches, error);
  if (result != SUP_OK) return result;
  const SupPatchMapDef def = {.def = &io->def, .patches = &io->patches};
  return sup_patch_charts(app->arena, &def, &io->charts, error);
}

/* Those of `other` whose partner is kept. */
static SupResult keep_partners(const SupAppContext *app, const SupPatchCharacter *first,
                               SupPatchCharacter *io_other, SupError *error) {
  const uint32_t count = io_other->patches.patch_count;
  uint32_t *partners = SUP_ALLOC(app->arena, uint32_t, count);
  bool *kept = SUP_ALLOC(app->arena, bool, count);
  if (!partners || !kept) return sup_fail_memory(error, NULL);
  sup_patches_match(&io_other->def, &io_other->patches, &first->def, &first->patches, partners);
  for (uint32_t p = 0; p < count; p++) kept[p] = partners[p] != SUP_NONE;
  return keep(app, kept, io_other, error);
}

SupResult sup_envelope_leave_out(const SupAppContext *app, SupPatchCharacter *io_first,
                                 SupPatchCharacter *io_other, EnvelopeLeftOut *out,
                                 SupError *error) {
  const uint32_t count = io_first->patches.patch_count;
  uint32_t *partners = SUP_ALLOC(app->arena, uint32_t, count);
  bool *kept = SUP_ALLOC(app->arena, bool, count);
  if (!partners || !kept) return sup_fail_memory(error, NULL);
  if (io_other) {
    sup_patches_match(&io_first->def, &io_first->patches, &io_other->def, &io_other->patches,
                      partners);
  }
  *out = (EnvelopeLeftOut){0};
  for (uint32_t p = 0; p < count; p++) {
    kept[p] = is_flat(&io_first->charts.charts[p]) &&
              (!io_other || is_flat(&io_other->charts.charts[partners[p]]));
    if (kept[p]) continue;
    if (!out->count++) out->first = io_first->patches.patches[p].name;
  }
  if (out->count == 0) return SUP_OK;
  if (out->count == count) {
    return sup_fail(error, SUP_ERROR_NUMERIC,
                    "%s: no patch can be laid flat well enough to learn shapes on it ('%s' first)",
                    io_first->def.source, out->first);
  }
  SupResult result = keep(app, kept, io_first, error);
  if (result == SUP_OK && io_other) result = keep_partners(app, io_first, io_other, error);
  return result;
}
