/* SPDX-License-Identifier: MIT */
/*
 * Setting up the modes technique.
 *
 *   K phi = omega^2 M phi, bones held        modes_volume.c
 *   D_cb, the drive by the bones             modes_pairs.c
 *   modes of zones                           modes_zones.c
 *   how modes turn flesh                     modes_turns.c
 *   the worst case                           modes_worst.c
 *   the skin's rows and the model            here and author/pack/modes_pack.c
 */
#include <math.h>

#include "base/scratch.h"
#include "supple/author/modes_pack.h"
#include "train/modes/modes_volume.h"

#define COOKIE SUP_FOURCC('m', 'd', 't', 'r')
/* Offsets below this fraction of a mode's largest are left out: blocks that a mode does not move
 * cost nothing. */
#define NEGLIGIBLE 1e-4

SupModesTrainDef sup_modes_train_def(const SupCharacter *character) {
  const SupModesDef pack = sup_modes_def();
  SupModesTrainDef def = {.cookie = COOKIE,
                          .character = character,
                          .mode_count = 15,
                          .unit = 1,
                          .fill = {.tet_target = SUP_FILL_USUAL},
                          .h = pack.h,
                          .max_distance = pack.max_distance};
  sup_material_preset("fat", &def.material, NULL);
  return def;
}

static SupResult check(const SupModesTrainDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "modes: start from sup_modes_train_def()");
  }
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (def->mode_count == 0 || def->mode_count > SUP_MODES_MOST) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "%u modes; a model has 1 to %u", def->mode_count,
                    SUP_MODES_MOST);
  }
  return sup_material_check(&def->material, error);
}

/* The rows of the skin, in body units: out_rows[mode_count * vertex_count]. */
static void skin_rows(const ModesVolume *volume, SupVec3 *out_rows) {
  const uint32_t count = volume->character->body.vertex_count;
  for (uint32_t k = 0; k < volume->mode_count; k++) {
    SupVec3 *rows = out_rows + (size_t)k * count;
    float longest = 0;
    for (uint32_t v = 0; v < count; v++) {
      rows[v] =
          sup_vec3d_to_float(sup_vec3d_scale(sup_modes_at_vertex(volume, k, v), 1 / volume->scale));
      longest = fmaxf(longest, sup_vec3_length(rows[v]));
    }
    for (uint32_t v = 0; v < count; v++) {
      if (sup_vec3_length(rows[v]) < (float)NEGLIGIBLE * longest) rows[v] = (SupVec3){0, 0, 0};
    }
  }
}

/* The rows of turns, radians: out_rows[mode_count * vertex_count]. */
static bool turn_rows(SupArena *scratch, const ModesVolume *volume, SupVec3 *out_rows) {
  const uint32_t count = volume->character->body.vertex_count;
  SupVec3d *turns = SUP_ALLOC(scratch, SupVec3d, volume->fill.mesh.node_count);
  for (uint32_t k = 0; turns && k < volume->mode_count; k++) {
    sup_modes_turns(volume, k, turns);
    for (uint32_t v = 0; v < count; v++) {
      out_rows[(size_t)k * count + v] =
          sup_vec3d_to_float(sup_modes_turn_at_vertex(volume, turns, v));
    }
  }
  return turns != NULL;
}

/* How much of a push on the whole body the modes take up: effective masses, summed over the axes.
 */
static void measure_mass(const ModesVolume *volume, double *out_shares,
                         SupModesTrainReport *report) {
  const SupElastic *body = &volume->body;
  double taken = 0;
  for (uint32_t i = 0; i < body->free_count; i++) {
    report->mass += body->masses[body->free_nodes[i]];
  }
  for (uint32_t k = 0; k < volume->mode_count; k++) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t i = 0; i < body->free_count; i++) {
      sum =
          sup_vec3d_add_scaled(sum, modes_at_node(volume, k, i), body->masses[body->free_nodes[i]]);
    }
    out_shares[k] = sup_vec3d_dot(sum, sum) / (3 * report->mass);
    taken += sup_vec3d_dot(sum, sum);
  }
  report->covered = taken / (3 * report->mass);
}

static SupResult fill_report(SupArena *arena, const ModesVolume *volume, SupArena *scratch,
                             SupModesTrainReport *report, SupError *error) {
  const uint32_t count = volume->mode_count;
  double *frequencies = SUP_ALLOC(arena, double, count), *ratios = SUP_ALLOC(arena, double, count);
  double *peaks = SUP_ALLOC(arena, double, count), *shares = SUP_ALLOC(arena, double, count);
  double *seen = SUP_ALLOC(arena, double, count);
  if (!frequencies || !ratios || !peaks || !shares || !seen) {
    return sup_fail_memory(error, "modes");
  }
  for (uint32_t k = 0; k < count; k++) {
    const double omega = sqrt(volume->stiffness[k]);
    frequencies[k] = omega / (2 * SUP_PI);
    ratios[k] = volume->decay[k] / omega;
    seen[k] = sup_modes_seen(volume, k);
  }
  report->node_count = volume->fill.mesh.node_count;
  report->tet_count = volume->fill.mesh.tet_count;
  report->free_count = volume->body.free_count;
  report->mode_count = count;
  report->zone_count = volume->zone_count;
  if (volume->zones) {
    report->zones = SUP_COPY(arena, uint32_t, volume->zones, count);
    if (!report->zones) return sup_fail_memory(error, "modes");
  }
  report->scale = volume->scale;
  report->frequencies = frequencies;
  report->damping_ratio = ratios;
  report->peaks = peaks;
  report->shares = shares;
  report->seen = seen;
  measure_mass(volume, shares, report);
  return sup_modes_worst(scratch, volume, &report->worst, &report->worst_vertex, peaks, error);
}

/* A vertex that is locked follows its bones, and one that is locked in part does so in part, also
 * where a node beside it is free. */
static void hold_locked(const SupModesTrainDef *def, uint32_t mode_count, SupVec3 *io_rows) {
  const uint32_t n = def->character->body.vertex_count;
  for (size_t k = 0; def->attach.lock && io_rows && k < (size_t)mode_count * n; k++) {
    const float lock = def->attach.lock[k % n];
    io_rows[k] = sup_vec3_scale(io_rows[k], lock > 1 ? 0 : lock > 0 ? 1 - lock : 1);
  }
}

static SupResult pack(SupArena *arena, SupArena *scratch, const SupModesTrainDef *def,
                      const ModesVolume *volume, const ModesDrive *drive,
                      const SupModesTrainReport *report, SupModel **out_model, SupError *error) {
  SupVec3 *rows =
      SUP_ALLOC(scratch, SupVec3, (size_t)volume->mode_count * def->character->body.vertex_count);
  SupVec3 *turns = def->warp
                       ? SUP_ALLOC(scratch, SupVec3,
                                   (size_t)volume->mode_count * def->character->body.vertex_count)
                       : NULL;
  if (!rows || (def->warp && !(turns && turn_rows(scratch, volume, turns)))) {
    return sup_fail_memory(error, "modes");
  }
  skin_rows(volume, rows);
  hold_locked(def, volume->mode_count, rows);
  hold_locked(def, volume->mode_count, turns);
  SupModesDef model = sup_modes_def();
  model.mode_count = volume->mode_count;
  model.shapes = rows;
  model.turns = turns;
  model.stiffness = volume->stiffness;
  model.decay = volume->decay;
  model.pair_count = drive->pair_count;
  model.pairs = drive->pairs;
  model.drive = drive->tensors;
  model.h = def->h;
  model.scale = volume->scale;
  model.worst = isfinite(report->worst) ? report->worst : 0;
  model.max_distance = def->max_distance;
  return sup_modes_pack(arena, def->character, &model, out_model, error);
}

SupResult sup_modes_train(SupArena *arena, const SupModesTrainDef *def, SupModel **out_model,
                          SupModesTrainReport *out_report, SupError *error) {
  SupResult result = check(def, error);
  if (result) return result;
  SupArena scratch;
  ModesVolume volume;
  ModesDrive drive;
  SupModesTrainReport report = {0};
  SupModel *model;
  scratch = sup_scratch(arena);
  result = sup_modes_volume(&scratch, def, &volume, &report, error);
  if (!result) result = sup_modes_pairs(&scratch, &volume, &drive, error);
  if (!result) {
    report.pair_count = drive.pair_count;
    result = fill_report(arena, &volume, &scratch, &report, error);
  }
  if (!result) result = pack(arena, &scratch, def, &volume, &drive, &report, &model, error);
  if (!result) {
    *out_model = model;
    *out_report = report;
  }
  sup_arena_free(&scratch);
  return result;
}
