/* SPDX-License-Identifier: MIT */
/*
 * Lattices before skinning in a document: they are linear in their control points, so every
 * coordinate of one that moves becomes a morph target, exactly. A weight of 1 is the farthest that
 * the parameters let it go.
 */
#include <math.h>
#include <string.h>

#include "app/curves_parts.h"
#include "supple/rig/rig.h"

/* The factor with which a control drives a coordinate; 0: it does not. */
static double drives(const CurvesJob *job, const SupRigControl *control,
                     const CurvesColumn *column) {
  double factor = 0;
  for (uint32_t t = 0; t < control->target_count; t++) {
    const SupRigTarget *target = &control->targets[t];
    if (target->kind == SUP_RIG_LATTICE_POINT && target->axis == column->point[3] &&
        memcmp(target->point, column->point, sizeof target->point) == 0 &&
        strcmp(target->name, job->description.layers[column->layer].name) == 0) {
      factor += target->factor;
    }
  }
  return factor;
}

double sup_curves_column_weight(const CurvesJob *job, const CurvesColumn *column,
                                const double *parameters) {
  const SupRig *rig = sup_character_rig(job->rig);
  double value = 0;
  for (uint32_t k = 0; k < job->description.control_count; k++) {
    const double factor = drives(job, &job->description.controls[k], column);
    if (factor == 0) continue;
    const int64_t n = sup_rig_find(rig, job->description.controls[k].base.name);
    value += factor * (parameters[n] - rig->parameters[n].rest);
  }
  return value / column->reach;
}

/* How far the parameters that are written let a coordinate go, and how exact its keys are. */
static void measure(const CurvesJob *job, CurvesColumn *column) {
  const SupRig *rig = sup_character_rig(job->rig);
  for (uint32_t k = 0; k < job->description.control_count; k++) {
    const SupRigControl *control = &job->description.controls[k];
    const double factor = fabs(drives(job, control, column));
    const int64_t n = factor > 0 ? sup_curves_shown(job, control) : -1;
    if (n < 0) continue;
    const SupRigParameter *p = &rig->parameters[n];
    column->reach += factor * fmax(sup_rig_high(p) - p->rest, p->rest - sup_rig_low(p));
    const double tolerance = job->def->tolerance * p->scale * factor;
    if (!(column->tolerance > 0) || tolerance < column->tolerance) column->tolerance = tolerance;
  }
  if (column->reach > 0) column->tolerance /= column->reach;
}

SupResult sup_curves_columns(const CurvesJob *job, uint32_t *out_count, CurvesColumn **out_columns,
                             SupError *error) {
  const SupRigDef *def = &job->description;
  uint32_t most = 0, count = 0;
  for (uint32_t k = 0; k < def->layer_count; k++) {
    most += sup_character_rig_lattice_column(job->skin, k, UINT32_MAX, NULL, NULL);
  }
  CurvesColumn *columns = SUP_ALLOC(job->app->arena, CurvesColumn, most);
  if (!columns) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < def->layer_count; k++) {
    const uint32_t all = sup_character_rig_lattice_column(job->skin, k, UINT32_MAX, NULL, NULL);
    for (uint32_t c = 0; c < all; c++) {
      CurvesColumn column = {.layer = k, .number = c};
      sup_character_rig_lattice_column(job->skin, k, c, column.point, NULL);
      measure(job, &column);
      if (column.reach > 0) columns[count++] = column;
    }
  }
  *out_count = count;
  *out_columns = columns;
  return SUP_OK;
}

static SupResult make_morph(const CurvesJob *job, const CurvesColumn *column, SupVec3d *scratch,
                            SupGltfMorph *out, SupError *error) {
  const SupRender *render = &job->file->character->render;
  SupVec3 *offsets = SUP_ALLOC(job->app->arena, SupVec3, render->vertex_count);
  char name[200];
  uint32_t point[4];
  sup_character_rig_lattice_column(job->skin, column->layer, column->number, point, scratch);
  sup_format(name, sizeof name, "%s.%u%u%u.%c", job->description.layers[column->layer].name,
             point[0], point[1], point[2], "xyz"[point[3]]);
  out->name = sup_arena_string(job->app->arena, name, strlen(name));
  if (!offsets || !out->name) return sup_fail_memory(error, NULL);
  for (uint32_t v = 0; v < render->vertex_count; v++) {
    offsets[v] = sup_vec3d_to_float(sup_vec3d_scale(scratch[render->to_body[v]], column->reach));
  }
  out->offsets = offsets;
  return SUP_OK;
}

SupResult sup_curves_add_columns(const CurvesJob *job, uint32_t count, const CurvesColumn *columns,
                                 const SupGltfCharacter **io_now, SupError *error) {
  const SupAppContext *app = job->app;
  SupGltfCharacter *characters;
  uint32_t found;
  SupGltfMorph *morphs = SUP_ALLOC(app->arena, SupGltfMorph, count);
  SupVec3d *scratch = SUP_ALLOC(app->arena, SupVec3d, job->file->character->body.vertex_count);
  SupResult result = morphs && scratch ? SUP_OK : sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = make_morph(job, &columns[k], scratch, &morphs[k], error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_add_morphs(job->file->document, *io_now, count, morphs, error);
  }
  if (result == SUP_OK) {
    result = sup_gltf_characters(job->file->document, app->arena, &found, &characters, error);
  }
  for (uint32_t k = 0; result == SUP_OK && k < found; k++) {
    if (characters[k].skins[0] == job->file->found->skins[0]) *io_now = &characters[k];
  }
  return result;
}
