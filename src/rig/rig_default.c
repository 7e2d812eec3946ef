/* SPDX-License-Identifier: MIT */
/* A rig for any character: helpers at the thickest flesh, from the thickest on, each out of reach
 * of those before. */
#include "supple/rig/rig_default.h"

#include <math.h>
#include <string.h>

#include "supple/author/thickness.h"

#define USUAL_HELPERS 12u
#define USUAL_BONES 4u /* per vertex */
#define THICK 0.4      /* of what a tenth of the skin exceeds: thinner flesh gets no helper */
#define WIDE 1.5       /* radius over thickness */
#define APART 0.9      /* of the radius: helpers are farther from each other */
#define CELLS 2.5      /* of the volume's spacing: the least radius */
#define REACH 0.5      /* of the thickness: how far it may go */
#define PARENT 0.35f   /* least weight of the joint that carries a helper */

typedef struct Maker {
  SupArena *arena;
  const SupRigDefaultDef *def;
  float *thickness; /* [body.vertex_count] */
  double least;     /* thickness */
  uint32_t count;
  SupRigHelper *helpers; /* [helper_max] */
  double *reaches;       /* [helper_max] units of the parent */
  SupRigControl *controls;
  SupRigTarget *targets; /* [3 * helper_max] each */
} Maker;

static SupResult prepare(Maker *m, SupError *error) {
  const SupRigDefaultDef *def = m->def;
  const uint32_t most = def->helper_max ? def->helper_max : USUAL_HELPERS;
  SupThicknessDef thick = {.character = def->character, .jobs = def->jobs};
  m->thickness = SUP_ALLOC(m->arena, float, def->character->body.vertex_count);
  m->helpers = SUP_ALLOC(m->arena, SupRigHelper, most);
  m->reaches = SUP_ALLOC(m->arena, double, most);
  m->controls = SUP_ALLOC(m->arena, SupRigControl, 3 * (size_t)most);
  m->targets = SUP_ALLOC(m->arena, SupRigTarget, 3 * (size_t)most);
  if (!m->thickness || !m->helpers || !m->reaches || !m->controls || !m->targets) {
    return sup_fail_memory(error, "the rig");
  }
  SupResult result =
      sup_segments_create(m->arena, def->character, &thick.segments, &thick.segment_count, error);
  if (result == SUP_OK) result = sup_thickness(m->arena, &thick, m->thickness, error);
  if (result != SUP_OK) return result;
  m->least = THICK * (double)sup_area_quantile(&def->character->body, m->thickness, 0.9f);
  return SUP_OK;
}

static uint32_t times_named(const SupSkeleton *skeleton, const char *name) {
  uint32_t count = 0;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    count += strcmp(skeleton->names[j], name) == 0;
  }
  return count;
}

/* The bone that moves a vertex most, if it can carry a helper: a joint of the character's own with
 * a name that no other has. */
static uint32_t carrier(const SupCharacter *character, uint32_t v) {
  const SupSkin *skin = &character->skin;
  if (skin->offsets[v + 1] == skin->offsets[v]) return SUP_NONE;
  const uint32_t bone = skin->bones[skin->offsets[v]];
  const uint32_t joint = character->skeleton.bone_joints[bone];
  const char *name = character->skeleton.names[joint];
  if (skin->weights[skin->offsets[v]] < PARENT || !sup_own_joint(character, joint) || !name[0] ||
      times_named(&character->skeleton, name) != 1) {
    return SUP_NONE;
  }
  return bone;
}

static double radius_of(const Maker *m, uint32_t v) {
  return fmax(WIDE * (double)m->thickness[v], CELLS * m->def->spacing);
}

static bool is_apart(const Maker *m, uint32_t v) {
  const SupVec3d at = sup_vec3_to_double(m->def->character->body.positions[v]);
  for (uint32_t h = 0; h < m->count; h++) {
    if (sup_vec3d_distance(at, m->helpers[h].at) < APART * m->helpers[h].radius) return false;
  }
  return true;
}

/* The thickest flesh that no helper reaches yet; SUP_NONE: there is none. */
static uint32_t next_place(const Maker *m) {
  const SupRigDefaultDef *def = m->def;
  uint32_t best = SUP_NONE;
  for (uint32_t i = 0; i < def->vertex_count; i++) {
    const uint32_t v = def->vertices[i];
    if ((double)m->thickness[v] < m->least || (def->lock && def->lock[v] > 0.5f)) continue;
    if (best != SUP_NONE && m->thickness[v] <= m->thickness[best]) continue;
    if (carrier(def->character, v) != SUP_NONE && is_apart(m, v)) best = v;
  }
  return best;
}

/* JOINT_flesh, JOINT_flesh_2, ...: the first that nobody has. */
static const char *free_name(const Maker *m, const char *joint) {
  char name[256];
  for (uint32_t number = 1;; number++) {
    bool taken = false;
    if (number == 1) sup_format(name, sizeof name, "%s_flesh", joint);
    if (number > 1) sup_format(name, sizeof name, "%s_flesh_%u", joint, number);
    for (uint32_t h = 0; h < m->count; h++) taken |= strcmp(m->helpers[h].name, name) == 0;
    if (!taken && !times_named(&m->def->character->skeleton, name)) break;
  }
  return sup_arena_string(m->arena, name, strlen(name));
}

/* How long a unit of bind space is in the space of a bone's joint. */
static double unit_of(const SupAffine *inverse_bind) {
  const SupAffined a = sup_affine_to_double(*inverse_bind);
  const SupVec3d x = {a.m[0], a.m[1], a.m[2]}, y = {a.m[3], a.m[4], a.m[5]};
  const SupVec3d z = {a.m[6], a.m[7], a.m[8]};
  return cbrt(fabs(sup_vec3d_dot(x, sup_vec3d_cross(y, z))));
}

static bool add_helper(Maker *m, uint32_t v) {
  const SupCharacter *character = m->def->character;
  const uint32_t bone = carrier(character, v);
  const char *joint = character->skeleton.names[character->skeleton.bone_joints[bone]];
  const char *name = free_name(m, joint);
  if (!name) return false;
  m->helpers[m->count] = (SupRigHelper){.name = name,
                                        .parent = joint,
                                        .at = sup_vec3_to_double(character->body.positions[v]),
                                        .radius = radius_of(m, v)};
  m->reaches[m->count++] =
      REACH * (double)m->thickness[v] * unit_of(&character->skeleton.inverse_bind[bone]);
  return true;
}

static bool add_controls(Maker *m) {
  for (uint32_t k = 0; k < 3 * m->count; k++) {
    const SupRigHelper *helper = &m->helpers[k / 3];
    const double reach = m->reaches[k / 3];
    char name[300];
    sup_format(name, sizeof name, "%s.translation.%c", helper->name, "xyz"[k % 3]);
    m->targets[k] = (SupRigTarget){
        .kind = SUP_RIG_JOINT_TRANSLATION, .name = helper->name, .axis = k % 3, .factor = 1};
    m->controls[k] =
        (SupRigControl){.base = {.name = sup_arena_string(m->arena, name, strlen(name)),
                                 .zone = helper->parent,
                                 .low = -reach,
                                 .high = reach,
                                 .scale = 2 * reach,
                                 .role = SUP_RIG_FREE},
                        .target_count = 1,
                        .targets = &m->targets[k]};
    if (!m->controls[k].base.name) return false;
  }
  return true;
}

SupResult sup_rig_default(SupArena *arena, const SupRigDefaultDef *def, SupRigDef *out_def,
                          SupError *error) {
  Maker m = {.arena = arena, .def = def};
  const uint32_t most = def->helper_max ? def->helper_max : USUAL_HELPERS;
  SupResult result = prepare(&m, error);
  if (result != SUP_OK) return result;
  while (m.count < most) {
    const uint32_t v = next_place(&m);
    if (v == SUP_NONE) break;
    if (!add_helper(&m, v)) return sup_fail_memory(error, "the rig");
  }
  if (m.count == 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "no flesh was found that could get helper joints; give a rig of your own "
                    "(--rig), or say what is flesh");
  }
  if (!add_controls(&m)) return sup_fail_memory(error, "the rig");
  *out_def = (SupRigDef){.name = "default",
                         .about = "Helper joints where the flesh is thick.",
                         .helper_count = m.count,
                         .helpers = m.helpers,
                         .control_count = 3 * m.count,
                         .controls = m.controls,
                         .script_rest = true,
                         .influence_max = def->influence_max ? def->influence_max : USUAL_BONES};
  return SUP_OK;
}
