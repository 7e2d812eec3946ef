/* SPDX-License-Identifier: MIT */
/* From the controls of a description to channels: names, numbers, defaults. */
#include <math.h>
#include <string.h>

#include "rig/character_parts.h"
#include "rig/rig_names.h"

/* ---- Channels ------------------------------------------------------------------------------- */

static uint32_t layer_channels(const SupRigLayer *layer) {
  if (layer->kind == SUP_RIG_WIRE) return SUP_RIG_WIRE_CHANNELS * layer->curve_count;
  return 3 * layer->points[0] * layer->points[1] * layer->points[2];
}

SupResult sup_rig_lay_channels(SupArena *arena, SupCharacterRig *rig, SupError *error) {
  uint32_t count = SUP_RIG_JOINT_CHANNELS * rig->joints.skeleton.joint_count;
  rig->morphs.first_channel = count;
  count += rig->character->morph_count;
  for (uint32_t k = 0; k < rig->def->layer_count; k++) {
    rig->layers[k].first_channel = count;
    count += layer_channels(&rig->def->layers[k]);
  }
  rig->channel_count = count;
  rig->neutral = SUP_ALLOC(arena, double, count);
  if (!rig->neutral) return sup_fail_memory(error, "the rig");
  for (uint32_t j = 0; j < rig->joints.skeleton.joint_count; j++) {
    for (uint32_t axis = 0; axis < 3; axis++) {
      rig->neutral[sup_rig_joint_channel(rig, j, SUP_RIG_JOINT_SCALE, axis)] = 1;
    }
  }
  for (uint32_t m = 0; m < rig->character->morph_count; m++) {
    rig->neutral[rig->morphs.first_channel + m] = (double)rig->character->morphs[m].weight;
  }
  for (uint32_t k = 0; k < rig->def->layer_count; k++) {
    const SupRigLayer *layer = &rig->def->layers[k];
    for (uint32_t p = 0; layer->kind == SUP_RIG_WIRE && p < layer->curve_count; p++) {
      rig->neutral[rig->layers[k].first_channel + SUP_RIG_WIRE_CHANNELS * p + 4] = 1;
    }
  }
  return SUP_OK;
}

/* ---- Targets -------------------------------------------------------------------------------- */

static SupResult refuse(const SupRigControl *control, SupError *error, const char *what,
                        const char *name, const char *hint) {
  char where[32];
  return sup_fail(error, SUP_ERROR_FORMAT, "parameter '%s'%s: %s '%s'%s", control->base.name,
                  sup_rig_line(where, sizeof where, control->base.line), what, name, hint);
}

static SupResult find_joint(const SupCharacterRig *rig, const SupRigControl *control,
                            const char *name, uint32_t *out_joint, SupError *error) {
  const SupSkeleton *skeleton = &rig->joints.skeleton;
  uint32_t found = 0;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (strcmp(skeleton->names[j], name) != 0) continue;
    if (found++ == 0) *out_joint = j;
  }
  if (found == 1) return SUP_OK;
  if (found > 1) return refuse(control, error, "the skeleton has several joints", name, "");
  char hint[96];
  const char *nearest = sup_nearest_name(name, skeleton->names, skeleton->joint_count);
  return refuse(control, error, "there is no joint", name,
                sup_did_you_mean(hint, sizeof hint, nearest));
}

static SupResult find_morph(const SupCharacterRig *rig, const SupRigControl *control,
                            const char *name, uint32_t *out_channel, SupError *error) {
  const SupCharacter *character = rig->character;
  for (uint32_t m = 0; m < character->morph_count; m++) {
    if (strcmp(character->morphs[m].name, name) != 0) continue;
    *out_channel = rig->morphs.first_channel + m;
    return SUP_OK;
  }
  char hint[96];
  const char *nearest = character->morph_count
                            ? sup_nearest_member(name, &character->morphs[0].name, sizeof(SupMorph),
                                                 character->morph_count)
                            : NULL;
  return refuse(control, error, "there is no morph target", name,
                sup_did_you_mean(hint, sizeof hint, nearest));
}

static SupResult find_point(const SupCharacterRig *rig, const SupRigControl *control,
                            const SupRigTarget *target, uint32_t *out_channel, SupError *error) {
  const bool lattice = target->kind == SUP_RIG_LATTICE_POINT;
  const SupRigDef *def = rig->def;
  for (uint32_t k = 0; k < def->layer_count; k++) {
    const SupRigLayer *layer = &def->layers[k];
    if (strcmp(layer->name, target->name) != 0) continue;
    if ((layer->kind == SUP_RIG_LATTICE) != lattice) {
      return refuse(control, error,
                    lattice ? "this is no lattice:" : "this is no wire:", target->name, "");
    }
    const uint32_t *n = target->point;
    if (lattice) {
      if (n[0] >= layer->points[0] || n[1] >= layer->points[1] || n[2] >= layer->points[2]) {
        return refuse(control, error, "it names a point beyond the last one of", layer->name, "");
      }
      const uint32_t point = n[0] + layer->points[0] * (n[1] + layer->points[1] * n[2]);
      *out_channel = rig->layers[k].first_channel + 3 * point + target->axis;
      return SUP_OK;
    }
    if (n[0] >= layer->curve_count) {
      return refuse(control, error, "it names a point beyond the last one of", layer->name, "");
    }
    *out_channel = rig->layers[k].first_channel + SUP_RIG_WIRE_CHANNELS * n[0] +
                   (target->kind == SUP_RIG_WIRE_TWIST    ? 3
                    : target->kind == SUP_RIG_WIRE_RADIUS ? 4
                                                          : target->axis);
    return SUP_OK;
  }
  char hint[96];
  const char *nearest = def->layer_count ? sup_nearest_member(target->name, &def->layers[0].name,
                                                              sizeof(SupRigLayer), def->layer_count)
                                         : NULL;
  return refuse(control, error, lattice ? "there is no lattice" : "there is no wire", target->name,
                sup_did_you_mean(hint, sizeof hint, nearest));
}

static SupResult find_target(const SupCharacterRig *rig, const SupRigControl *control,
                             const SupRigTarget *target, uint32_t *out_channel, SupError *error) {
  if (!isfinite(target->factor) || target->factor == 0) {
    return refuse(control, error, "the factor must be a finite number other than 0 for",
                  target->name, "");
  }
  if (target->axis > 2) return refuse(control, error, "there is no such axis of", target->name, "");
  switch (target->kind) {
    case SUP_RIG_JOINT_TRANSLATION:
    case SUP_RIG_JOINT_ROTATION:
    case SUP_RIG_JOINT_TURN:
    case SUP_RIG_JOINT_SCALE: {
      uint32_t joint = 0;
      SupResult result = find_joint(rig, control, target->name, &joint, error);
      if (result == SUP_OK) {
        *out_channel = sup_rig_joint_channel(rig, joint, target->kind, target->axis);
      }
      return result;
    }
    case SUP_RIG_MORPH: return find_morph(rig, control, target->name, out_channel, error);
    default: return find_point(rig, control, target, out_channel, error);
  }
}

/* ---- Parameters ----------------------------------------------------------------------------- */

/* How far a channel of this kind goes from its neutral value when nobody says. */
static void default_reach(SupRigTargetKind kind, double size, double neutral, double out[2]) {
  switch (kind) {
    case SUP_RIG_JOINT_ROTATION:
    case SUP_RIG_JOINT_TURN: out[1] = 1.5; break;
    case SUP_RIG_WIRE_TWIST: out[1] = SUP_PI; break;
    case SUP_RIG_JOINT_SCALE:
    case SUP_RIG_WIRE_RADIUS: /* half to double */
      out[0] = -0.5;
      out[1] = 1;
      return;
    case SUP_RIG_MORPH: /* 0 to 1, and the default weight in any case */
      out[0] = fmin(0, neutral) - neutral;
      out[1] = fmax(1, neutral) - neutral;
      return;
    default: out[1] = 0.25 * size; break;
  }
  out[0] = -out[1];
}

static void fill_defaults(const SupCharacterRig *rig, const SupRigControl *control,
                          const SupRigDrive *drive, SupRigParameter *p) {
  const double neutral = rig->neutral[drive->channel];
  double reach[2];
  default_reach(control->targets[0].kind, rig->size, neutral, reach);
  const double a = reach[0] / drive->factor, b = reach[1] / drive->factor;
  if (isnan(p->rest)) p->rest = neutral;
  if (isnan(p->low)) p->low = p->rest + fmin(a, b);
  if (isnan(p->high)) p->high = p->rest + fmax(a, b);
  if (isnan(p->scale)) {
    p->scale = isfinite(p->high - p->low) ? p->high - p->low : fabs(b - a);
  }
}

static SupResult find_role(const SupRigDef *def, const SupRigControl *control, SupRigRole *out_role,
                           SupError *error) {
  const SupRigParameter *p = &control->base;
  SupRigRole zone_role = SUP_RIG_FREE;
  bool found = def->zone_count == 0 || !p->zone[0];
  for (uint32_t z = 0; z < def->zone_count; z++) {
    if (strcmp(def->zones[z].name, p->zone) != 0) continue;
    found = true;
    zone_role = def->zones[z].role;
  }
  if (!found) {
    char hint[96];
    const char *nearest =
        sup_nearest_member(p->zone, &def->zones[0].name, sizeof(SupRigZone), def->zone_count);
    return refuse(control, error, "there is no zone", p->zone,
                  sup_did_you_mean(hint, sizeof hint, nearest));
  }
  *out_role = p->role == SUP_RIG_BY_ZONE ? zone_role : p->role;
  return SUP_OK;
}

/* Control k as parameter k, its drives from `drives` on; marks the channels. */
static SupResult bind_control(SupCharacterRig *rig, uint32_t k, uint8_t *driven, SupError *error) {
  const SupRigControl *control = &rig->def->controls[k];
  SupRigParameter *p = &rig->parameters[k];
  const uint32_t first = rig->first_drives[k];
  *p = control->base;
  if (!p->name || !p->name[0]) {
    char where[32];
    return sup_fail(error, SUP_ERROR_FORMAT, "parameter %u of the rig%s has no name", k,
                    sup_rig_line(where, sizeof where, p->line));
  }
  if (!p->zone) p->zone = "";
  if (control->target_count == 0)
    return refuse(control, error, "nothing is driven by", p->name, "");
  SupResult result = find_role(rig->def, control, &p->role, error);
  for (uint32_t t = 0; result == SUP_OK && t < control->target_count; t++) {
    SupRigDrive *drive = &rig->drives[first + t];
    drive->factor = control->targets[t].factor;
    result = find_target(rig, control, &control->targets[t], &drive->channel, error);
    if (result == SUP_OK) driven[drive->channel] = 1;
  }
  if (result == SUP_OK) fill_defaults(rig, control, &rig->drives[first], p);
  rig->first_drives[k + 1] = first + control->target_count;
  return result;
}

/* ---- The scripted rest ---------------------------------------------------------------------- */

/* A scripted parameter for a channel that nothing drives. */
static bool add_scripted(SupArena *arena, SupCharacterRig *rig, uint32_t channel, const char *name,
                         double scale) {
  const uint32_t k = rig->rig.parameter_count++;
  char *copy = sup_arena_string(arena, name, strlen(name));
  if (!copy) return false;
  rig->parameters[k] = (SupRigParameter){.name = copy,
                                         .zone = "",
                                         .rest = rig->neutral[channel],
                                         .low = -INFINITY,
                                         .high = INFINITY,
                                         .scale = scale,
                                         .role = SUP_RIG_SCRIPTED};
  rig->drives[rig->first_drives[k]] = (SupRigDrive){channel, 1};
  rig->first_drives[k + 1] = rig->first_drives[k] + 1;
  return true;
}

/* The name of a joint or morph target, and its number where that is not enough. */
static void tell_apart(const char *name, bool unique, uint32_t number, const char *behind,
                       char *buffer, size_t size) {
  if (unique && name[0]) {
    sup_format(buffer, size, "%s%s", name, behind);
  } else {
    sup_format(buffer, size, "%s#%u%s", name, number, behind);
  }
}

static bool script_joint(SupArena *arena, SupCharacterRig *rig, uint32_t j, const uint8_t *driven) {
  static const struct {
    SupRigTargetKind kind;
    const char *name;
  } kinds[] = {{SUP_RIG_JOINT_TRANSLATION, "translation"},
               {SUP_RIG_JOINT_ROTATION, "rotation"},
               {SUP_RIG_JOINT_SCALE, "scale"}};
  const SupSkeleton *skeleton = &rig->joints.skeleton;
  uint32_t equal = 0;
  for (uint32_t i = 0; i < skeleton->joint_count; i++) {
    equal += strcmp(skeleton->names[i], skeleton->names[j]) == 0;
  }
  for (size_t k = 0; k < 3; k++) {
    for (uint32_t axis = 0; axis < 3; axis++) {
      const uint32_t channel = sup_rig_joint_channel(rig, j, kinds[k].kind, axis);
      char behind[32], name[256];
      if (driven[channel]) continue;
      sup_format(behind, sizeof behind, ".%s.%c", kinds[k].name, "xyz"[axis]);
      tell_apart(skeleton->names[j], equal == 1, j, behind, name, sizeof name);
      if (!add_scripted(arena, rig, channel, name, k == 0 ? 0.5 * rig->size : 1)) return false;
    }
  }
  return true;
}

static bool script_rest(SupArena *arena, SupCharacterRig *rig, const uint8_t *driven) {
  for (uint32_t j = 0; j < rig->character->skeleton.joint_count; j++) {
    if (!script_joint(arena, rig, j, driven)) return false;
  }
  for (uint32_t m = 0; m < rig->character->morph_count; m++) {
    char name[256];
    if (driven[rig->morphs.first_channel + m]) continue;
    tell_apart(rig->character->morphs[m].name, false, m, ".weight", name, sizeof name);
    if (!add_scripted(arena, rig, rig->morphs.first_channel + m, name, 1)) return false;
  }
  return true;
}

SupResult sup_rig_bind_controls(SupArena *arena, SupCharacterRig *rig, SupError *error) {
  const SupRigDef *def = rig->def;
  size_t targets = 0, most = def->control_count;
  for (uint32_t k = 0; k < def->control_count; k++) targets += def->controls[k].target_count;
  if (def->script_rest) {
    const size_t rest =
        9 * (size_t)rig->character->skeleton.joint_count + rig->character->morph_count;
    most += rest;
    targets += rest;
  }
  rig->parameters = SUP_ALLOC(arena, SupRigParameter, most);
  rig->first_drives = SUP_ALLOC(arena, uint32_t, most + 1);
  rig->drives = SUP_ALLOC(arena, SupRigDrive, targets);
  uint8_t *driven = SUP_ALLOC(arena, uint8_t, rig->channel_count);
  if (!rig->parameters || !rig->first_drives || !rig->drives || !driven) {
    return sup_fail_memory(error, "the rig");
  }
  for (uint32_t k = 0; k < def->control_count; k++) {
    SupResult result = bind_control(rig, k, driven, error);
    if (result != SUP_OK) return result;
  }
  rig->rig.parameter_count = def->control_count;
  rig->rig.parameters = rig->parameters;
  if (def->script_rest && !script_rest(arena, rig, driven)) {
    return sup_fail_memory(error, "the rig");
  }
  return SUP_OK;
}
