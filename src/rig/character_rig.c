/* SPDX-License-Identifier: MIT */
/* The rig of a character: made from its description, asked, differentiated. */
#include "supple/rig/character_rig.h"

#include <string.h>

#include "base/scratch.h"
#include "rig/character_parts.h"
#include "rig/rig_names.h"
#include "supple/geom/bounds.h"
#include "supple/rig/rig.h"

/* ---- Answers -------------------------------------------------------------------------------- */

void sup_rig_channels(const SupCharacterRig *rig, const double *parameters, double *out_channels) {
  memcpy(out_channels, rig->neutral, rig->channel_count * sizeof *out_channels);
  for (uint32_t k = 0; k < rig->rig.parameter_count; k++) {
    const double change = parameters[k] - rig->parameters[k].rest;
    for (uint32_t d = rig->first_drives[k]; d < rig->first_drives[k + 1]; d++) {
      out_channels[rig->drives[d].channel] += rig->drives[d].factor * change;
    }
  }
}

static void set_rates(const SupCharacterRig *rig, uint32_t column, double *out_rates) {
  memset(out_rates, 0, rig->channel_count * sizeof *out_rates);
  for (uint32_t d = rig->first_drives[column]; d < rig->first_drives[column + 1]; d++) {
    out_rates[rig->drives[d].channel] += rig->drives[d].factor;
  }
}

static void apply_layers(const SupCharacterRig *rig, bool after, SupRigEvaluation *evaluation) {
  for (uint32_t k = 0; k < rig->def->layer_count; k++) {
    const SupRigBoundLayer *layer = &rig->layers[k];
    if (layer->def->after_skinning != after) continue;
    if (layer->def->kind == SUP_RIG_WIRE) {
      sup_rig_wire_apply(&layer->wire, evaluation);
    } else {
      sup_rig_lattice_apply(&layer->lattice, evaluation);
    }
  }
}

/* Channels and rates are set, x and dx say where the result goes. */
static void carry(const SupCharacterRig *rig, SupRigEvaluation *evaluation) {
  const size_t count = rig->rig.vertex_count;
  memcpy(evaluation->x, rig->rest, count * sizeof *evaluation->x);
  if (evaluation->moving) memset(evaluation->dx, 0, count * sizeof *evaluation->dx);
  sup_rig_morphs_apply(&rig->morphs, evaluation);
  apply_layers(rig, false, evaluation);
  sup_rig_joints_pose(&rig->joints, evaluation);
  sup_rig_joints_skin(&rig->joints, evaluation);
  apply_layers(rig, true, evaluation);
}

typedef struct Batch {
  const SupCharacterRig *rig;
  const double *parameters; /* of the first vector; of all columns */
  const uint32_t *columns;  /* NULL: vectors */
  SupVec3d *out;
} Batch;

static void run_vector(void *user, SupRange range) {
  const Batch *batch = user;
  const SupCharacterRig *rig = batch->rig;
  SupRigEvaluation evaluation = rig->slots[range.first];
  evaluation.x = &batch->out[(size_t)range.first * rig->rig.vertex_count];
  sup_rig_channels(rig, &batch->parameters[(size_t)range.first * rig->rig.parameter_count],
                   evaluation.channels);
  carry(rig, &evaluation);
}

static void run_column(void *user, SupRange range) {
  const Batch *batch = user;
  const SupCharacterRig *rig = batch->rig;
  SupRigEvaluation evaluation = rig->slots[range.first];
  evaluation.moving = true;
  evaluation.x = rig->spare[range.first];
  evaluation.dx = &batch->out[(size_t)range.first * rig->rig.vertex_count];
  sup_rig_channels(rig, batch->parameters, evaluation.channels);
  set_rates(rig, batch->columns[range.first], evaluation.rates);
  carry(rig, &evaluation);
}

static SupResult evaluate(void *user, uint32_t count, const double *parameters,
                          SupVec3d *out_vertices, SupError *error) {
  const SupCharacterRig *rig = user;
  (void)error;
  for (uint32_t first = 0; first < count; first += SUP_RIG_SLOTS) {
    Batch batch = {rig, &parameters[(size_t)first * rig->rig.parameter_count], NULL,
                   &out_vertices[(size_t)first * rig->rig.vertex_count]};
    const uint32_t left = count - first;
    sup_parallel_for(rig->jobs, left < SUP_RIG_SLOTS ? left : SUP_RIG_SLOTS, 1, run_vector, &batch);
  }
  return SUP_OK;
}

static SupResult jacobian(void *user, const double *parameters, uint32_t column_count,
                          const uint32_t *columns, SupVec3d *out_columns, SupError *error) {
  const SupCharacterRig *rig = user;
  (void)error;
  for (uint32_t first = 0; first < column_count; first += SUP_RIG_SLOTS) {
    Batch batch = {rig, parameters, &columns[first],
                   &out_columns[(size_t)first * rig->rig.vertex_count]};
    const uint32_t left = column_count - first;
    sup_parallel_for(rig->jobs, left < SUP_RIG_SLOTS ? left : SUP_RIG_SLOTS, 1, run_column, &batch);
  }
  return SUP_OK;
}

/* ---- Creation ------------------------------------------------------------------------------- */

static SupResult take_vertices(SupArena *arena, const SupCharacterRigDef *def, SupCharacterRig *rig,
                               SupError *error) {
  const SupMesh *body = &def->character->body;
  const uint32_t count = def->vertex_count ? def->vertex_count : body->vertex_count;
  const uint32_t *vertices = NULL;
  if (def->vertex_count) {
    vertices = SUP_COPY(arena, uint32_t, def->vertices, count);
    if (!vertices) return sup_fail_memory(error, "the rig");
  }
  rig->rest = SUP_ALLOC(arena, SupVec3d, count);
  if (!rig->rest) return sup_fail_memory(error, "the rig");
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t v = vertices ? vertices[i] : i;
    if (v >= body->vertex_count) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "the body has %u vertices, so no vertex %u",
                      body->vertex_count, v);
    }
    rig->rest[i] = sup_vec3_to_double(body->positions[v]);
  }
  rig->rig.vertex_count = rig->joints.vertex_count = rig->morphs.vertex_count = count;
  rig->joints.vertices = rig->morphs.vertices = vertices;
  rig->morphs.morph_count = def->character->morph_count;
  rig->morphs.morphs = def->character->morphs;
  return SUP_OK;
}

static SupResult refuse_layer(const SupRigLayer *layer, SupError *error, const char *what) {
  char where[32];
  return sup_fail(error, SUP_ERROR_FORMAT, "%s '%s'%s: %s",
                  layer->kind == SUP_RIG_WIRE ? "wire" : "lattice", layer->name,
                  sup_rig_line(where, sizeof where, layer->line), what);
}

/* Names and order; the numbers are checked by the layers themselves. */
static SupResult check_layers(const SupRigDef *def, SupError *error) {
  for (uint32_t k = 0; k < def->layer_count; k++) {
    const SupRigLayer *layer = &def->layers[k];
    if (!layer->name || !layer->name[0]) {
      return sup_fail(error, SUP_ERROR_FORMAT, "layer %u of the rig has no name", k);
    }
    for (uint32_t i = 0; i < k; i++) {
      if (strcmp(def->layers[i].name, layer->name) == 0) {
        return refuse_layer(layer, error, "another layer has the same name");
      }
    }
    if (layer->kind == SUP_RIG_WIRE
            ? layer->curve_count < 2 || layer->curve_count > 64
            : layer->points[0] > 16 || layer->points[1] > 16 || layer->points[2] > 16) {
      return refuse_layer(layer, error, "it has too few or too many points");
    }
    if (!layer->after_skinning && layer->joint) {
      return refuse_layer(layer, error, "a joint can carry it after skinning only");
    }
    if (k > 0 && !layer->after_skinning && def->layers[k - 1].after_skinning) {
      return refuse_layer(layer, error, "layers before skinning come first");
    }
  }
  for (uint32_t z = 0; z < def->zone_count; z++) {
    for (uint32_t i = 0; i < z; i++) {
      if (strcmp(def->zones[i].name, def->zones[z].name) != 0) continue;
      char where[32];
      return sup_fail(error, SUP_ERROR_FORMAT, "zone '%s'%s: there is another one of this name",
                      def->zones[z].name, sup_rig_line(where, sizeof where, def->zones[z].line));
    }
  }
  return SUP_OK;
}

/* The bone that carries a layer. */
static SupResult find_carrier(const SupCharacterRig *rig, const SupRigLayer *layer,
                              int64_t *out_bone, SupError *error) {
  const SupSkeleton *skeleton = &rig->joints.skeleton;
  *out_bone = -1;
  if (!layer->joint) return SUP_OK;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (strcmp(skeleton->names[j], layer->joint) != 0) continue;
    *out_bone = sup_rig_joint_bone(&rig->joints, j);
    if (*out_bone >= 0) return SUP_OK;
    return refuse_layer(layer, error, "the joint that carries it moves no vertex of the skin");
  }
  char hint[96], what[256];
  const char *nearest = sup_nearest_name(layer->joint, skeleton->names, skeleton->joint_count);
  sup_format(what, sizeof what, "there is no joint '%s'%s", layer->joint,
             sup_did_you_mean(hint, sizeof hint, nearest));
  return refuse_layer(layer, error, what);
}

/* Which control points of a lattice something drives. */
static void mark_driven(const SupCharacterRig *rig, const SupRigBoundLayer *layer, uint32_t points,
                        uint8_t *out_driven) {
  const uint32_t drives = rig->first_drives[rig->rig.parameter_count];
  for (uint32_t d = 0; d < drives; d++) {
    const uint32_t channel = rig->drives[d].channel;
    if (channel < layer->first_channel || channel >= layer->first_channel + 3 * points) continue;
    out_driven[(channel - layer->first_channel) / 3] = 1;
  }
}

static SupResult bind_layer(SupArena *arena, SupCharacterRig *rig, SupRigBoundLayer *layer,
                            SupError *error) {
  int64_t bone;
  const SupRigLayer *def = layer->def;
  SupResult result = find_carrier(rig, def, &bone, error);
  if (result != SUP_OK) return result;
  if (def->kind == SUP_RIG_WIRE) {
    layer->wire.bone = bone;
    layer->wire.first_channel = layer->first_channel;
    result = sup_rig_wire_create(arena, def, rig->rig.vertex_count, rig->rest, &layer->wire, error);
    if (result != SUP_OK || layer->wire.bound_count > 0 || rig->joints.vertices) return result;
    return refuse_layer(def, error, "it reaches no vertex; move its points or widen its radius");
  }
  const uint32_t points = def->points[0] * def->points[1] * def->points[2];
  SupArena scratch = sup_scratch(arena);
  uint8_t *driven = SUP_ALLOC(&scratch, uint8_t, points);
  layer->lattice.bone = bone;
  layer->lattice.first_channel = layer->first_channel;
  if (driven) {
    mark_driven(rig, layer, points, driven);
    result = sup_rig_lattice_create(arena, def, rig->rig.vertex_count, rig->rest, driven,
                                    &layer->lattice, error);
  } else {
    result = sup_fail_memory(error, "the rig");
  }
  sup_arena_free(&scratch);
  /* Of some of the vertices it may well reach none. */
  if (result != SUP_OK || layer->lattice.bound_count > 0 || rig->joints.vertices) return result;
  return refuse_layer(def, error, "no vertex lies inside its box");
}

static bool create_slots(SupArena *arena, SupCharacterRig *rig) {
  uint32_t longest = 0;
  for (uint32_t k = 0; k < rig->def->layer_count; k++) {
    const SupRigLayer *layer = &rig->def->layers[k];
    if (layer->kind == SUP_RIG_WIRE && layer->curve_count > longest) longest = layer->curve_count;
  }
  for (uint32_t s = 0; s < SUP_RIG_SLOTS; s++) {
    SupRigEvaluation *slot = &rig->slots[s];
    slot->channels = SUP_ALLOC(arena, double, rig->channel_count);
    slot->rates = SUP_ALLOC(arena, double, rig->channel_count);
    slot->globals = SUP_ALLOC(arena, SupDualAffine, rig->joints.skeleton.joint_count);
    slot->turns = SUP_ALLOC(arena, uint8_t, rig->joints.skeleton.joint_count);
    slot->palette = SUP_ALLOC(arena, SupDualAffine, rig->joints.skeleton.bone_count);
    slot->posed = SUP_ALLOC(arena, SupDual3, 2 * (size_t)longest);
    rig->spare[s] = SUP_ALLOC(arena, SupVec3d, rig->rig.vertex_count);
    if (!slot->channels || !slot->rates || !slot->globals || !slot->turns || !slot->palette ||
        !slot->posed || !rig->spare[s]) {
      return false;
    }
  }
  return true;
}

SupResult sup_character_rig_create(SupArena *arena, const SupCharacterRigDef *def,
                                   const SupCharacterRig **out_rig, SupError *error) {
  SupCharacterRig *rig = SUP_ALLOC(arena, SupCharacterRig, 1);
  if (!rig) return sup_fail_memory(error, "the rig");
  rig->character = def->character;
  rig->def = def->rig;
  rig->jobs = def->jobs;
  const SupBounds box =
      sup_bounds(def->character->body.positions, def->character->body.vertex_count);
  rig->size = sup_vec3d_distance(sup_vec3_to_double(box.low), sup_vec3_to_double(box.high));
  rig->rig.user = rig;
  rig->rig.evaluate = evaluate;
  rig->rig.jacobian = jacobian;
  rig->layers = SUP_ALLOC(arena, SupRigBoundLayer, def->rig->layer_count);
  if (!rig->layers) return sup_fail_memory(error, "the rig");
  for (uint32_t k = 0; k < def->rig->layer_count; k++) rig->layers[k].def = &def->rig->layers[k];
  SupResult result = check_layers(def->rig, error);
  if (result == SUP_OK) {
    result = sup_rig_joints_create(arena, def->character, def->rig, &rig->joints, error);
  }
  if (result == SUP_OK) result = take_vertices(arena, def, rig, error);
  if (result == SUP_OK) result = sup_rig_lay_channels(arena, rig, error);
  if (result == SUP_OK) result = sup_rig_bind_controls(arena, rig, error);
  if (result == SUP_OK) result = sup_rig_check(arena, &rig->rig, error);
  for (uint32_t k = 0; result == SUP_OK && k < def->rig->layer_count; k++) {
    result = bind_layer(arena, rig, &rig->layers[k], error);
  }
  if (result == SUP_OK && !create_slots(arena, rig)) result = sup_fail_memory(error, "the rig");
  if (result == SUP_OK) *out_rig = rig;
  return result;
}

const SupRig *sup_character_rig(const SupCharacterRig *rig) { return &rig->rig; }
