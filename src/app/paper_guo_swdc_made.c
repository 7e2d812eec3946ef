/* SPDX-License-Identifier: MIT */
/*
 * Bodies of the thesis's sizes, made of tubes side by side: a trunk in strata and limbs of solid
 * zones, all along z. Only their numbers matter: chunks, nodes and vertices.
 */
#include <string.h>

#include "app/paper_guo_swdc_parts.h"

#define BLEND 0.15 /* of a bone's length, to each side of a joint */

/* Arrays of a character and its plan while tubes are added. */
typedef struct Making {
  SupArena *arena;
  const SupSwdcMade *made;
  SupVec3 *places;
  uint32_t *triangles, *offsets, *bones;
  float *weights;
  int32_t *parents;
  SupTransform *rest;
  const char **names;
  uint32_t *bone_joints;
  SupAffine *unbind;
  SupVec3d *at; /* of joints */
  SupPatchPlanFeature *features;
  SupPatchPlanBoundary *boundaries;
  SupPatchName *patches;
  SupPatchZone *zones;
  uint32_t vertex_count, triangle_count, influence_count, joint_count;
  uint32_t feature_count, boundary_count, patch_count, zone_count;
} Making;

static bool allocate(Making *m) {
  size_t vertices = 0, features = 0, joints = 0;
  for (uint32_t k = 0; k < m->made->part_count; k++) {
    const SupSwdcPart *p = &m->made->parts[k];
    vertices += (size_t)p->sides * p->steps * (p->rings + 1);
    features += (size_t)p->sides * (p->rows + 1);
    joints += p->limb ? p->rows + 1 : 3;
  }
  m->places = SUP_ALLOC(m->arena, SupVec3, vertices);
  m->triangles = SUP_ALLOC(m->arena, uint32_t, 6 * vertices);
  m->offsets = SUP_ALLOC(m->arena, uint32_t, vertices + 1);
  m->bones = SUP_ALLOC(m->arena, uint32_t, 2 * vertices);
  m->weights = SUP_ALLOC(m->arena, float, 2 * vertices);
  m->parents = SUP_ALLOC(m->arena, int32_t, joints);
  m->rest = SUP_ALLOC(m->arena, SupTransform, joints);
  m->names = SUP_ALLOC(m->arena, const char *, joints);
  m->bone_joints = SUP_ALLOC(m->arena, uint32_t, joints);
  m->unbind = SUP_ALLOC(m->arena, SupAffine, joints);
  m->at = SUP_ALLOC(m->arena, SupVec3d, joints);
  m->features = SUP_ALLOC(m->arena, SupPatchPlanFeature, features);
  m->boundaries = SUP_ALLOC(m->arena, SupPatchPlanBoundary, 2 * features);
  m->patches = SUP_ALLOC(m->arena, SupPatchName, features);
  m->zones = SUP_ALLOC(m->arena, SupPatchZone, joints);
  return m->places && m->triangles && m->offsets && m->bones && m->weights && m->parents &&
         m->rest && m->at && m->names && m->bone_joints && m->unbind && m->features &&
         m->boundaries && m->patches && m->zones;
}

static const char *name_of(const Making *m, const char *kind, uint32_t part, uint32_t k) {
  char text[40];
  const size_t length = sup_format(text, sizeof text, "%s%u.%u", kind, part, k);
  return sup_arena_string(m->arena, text, length);
}

/* ---- Skeleton ------------------------------------------------------------------------------- */

/* Bones of the tube; a limb has a joint at its end, too. */
static uint32_t bones_of(const SupSwdcPart *part) { return part->limb ? part->rows : 3; }

static void add_joints(Making *m, uint32_t part) {
  const SupSwdcPart *p = &m->made->parts[part];
  for (uint32_t k = 0; k < bones_of(p) + p->limb; k++) {
    const uint32_t j = m->joint_count++;
    const SupVec3d at = {p->at.x, p->at.y, p->at.z + p->length * k / bones_of(p)};
    const int32_t parent = k ? (int32_t)j - 1 : part ? 0 : -1;
    const SupVec3d from = parent < 0 ? (SupVec3d){0, 0, 0} : m->at[parent];
    m->at[j] = at;
    m->parents[j] = parent;
    m->names[j] = name_of(m, "joint", part, k);
    m->bone_joints[j] = j;
    m->rest[j] = sup_transform_identity();
    m->rest[j].translation = sup_vec3d_to_float(sup_vec3d_sub(at, from));
    m->unbind[j] = sup_affine_identity();
    m->unbind[j].m[9] = (float)-at.x;
    m->unbind[j].m[10] = (float)-at.y;
    m->unbind[j].m[11] = (float)-at.z;
  }
}

/* The bone a vertex is nearest to, and near a joint the one beyond it. */
static void add_weights(Making *m, uint32_t first_joint, uint32_t bones, double along) {
  const double place = along * bones;
  uint32_t bone = (uint32_t)place;
  if (bone >= bones) bone = bones - 1;
  const double inside = place - bone;
  uint32_t other = bone;
  double part = 0;
  if (inside < BLEND && bone > 0) other = bone - 1, part = 0.5 - inside / (2 * BLEND);
  if (inside > 1 - BLEND && bone + 1 < bones) {
    other = bone + 1;
    part = 0.5 - (1 - inside) / (2 * BLEND);
  }
  const bool swap = part == 0.5 && other < bone; /* equal ones by number */
  m->bones[m->influence_count] = first_joint + (swap ? other : bone);
  m->weights[m->influence_count++] = (float)(1 - part);
  if (part > 0) {
    m->bones[m->influence_count] = first_joint + (swap ? bone : other);
    m->weights[m->influence_count++] = (float)part;
  }
  m->offsets[m->vertex_count] = m->influence_count;
}

/* ---- Skin ----------------------------------------------------------------------------------- */

static void add_skin(Making *m, const SupSwdcPart *p, uint32_t first_joint) {
  const uint32_t around = p->sides * p->steps, first = m->vertex_count;
  for (uint32_t k = 0; k < around * (p->rings + 1); k++) {
    const uint32_t v = first + k, ring = k / around;
    const double u = (double)ring / p->rings, angle = 2 * SUP_PI * (k % around) / around;
    double s, c;
    sup_sincos(angle, &s, &c);
    m->places[v] = (SupVec3){(float)(p->at.x + p->radius * c), (float)(p->at.y + p->radius * s),
                             (float)(p->at.z + p->length * u)};
    m->vertex_count++;
    add_weights(m, first_joint, bones_of(p), u);
    if (ring == p->rings) continue;
    const uint32_t next = k % around == around - 1 ? v + 1 - around : v + 1;
    const uint32_t quad[6] = {v, next, next + around, v, next + around, v + around};
    memcpy(m->triangles + 3 * (size_t)m->triangle_count, quad, sizeof quad);
    m->triangle_count += 2;
  }
}

/* ---- Patches -------------------------------------------------------------------------------- */

/* Features and boundaries of a tube come row by row: around, then along, for each. */
static uint32_t around_at(const SupSwdcPart *p, uint32_t row, uint32_t side) {
  return row * 2 * p->sides + (row < p->rows ? 2 : 1) * side;
}

static void add_boundary(Making *m, uint32_t part, uint32_t from, uint32_t to) {
  m->boundaries[m->boundary_count] = (SupPatchPlanBoundary){
      .name = name_of(m, "b", part, m->boundary_count), .from = from, .to = to};
  m->boundary_count++;
}

static void add_features(Making *m, uint32_t part, uint32_t first_vertex) {
  const SupSwdcPart *p = &m->made->parts[part];
  const uint32_t around = p->sides * p->steps, first = m->feature_count;
  for (uint32_t k = 0; k < p->sides * (p->rows + 1); k++) {
    const uint32_t row = k / p->sides, side = k % p->sides;
    const uint32_t vertex = first_vertex + row * (p->rings / p->rows) * around + side * p->steps;
    m->features[m->feature_count++] =
        (SupPatchPlanFeature){.name = name_of(m, "f", part, k),
                              .place = SUP_PATCH_AT_VERTEX,
                              .vertex = vertex,
                              .position = sup_vec3_to_double(m->places[vertex])};
    add_boundary(m, part, first + k, first + row * p->sides + (side + 1) % p->sides);
    if (row < p->rows) add_boundary(m, part, first + k, first + k + p->sides);
  }
}

static bool add_patch(Making *m, uint32_t part, uint32_t row, uint32_t side, uint32_t first,
                      const char *zone) {
  const SupSwdcPart *p = &m->made->parts[part];
  uint32_t *four = SUP_ALLOC(m->arena, uint32_t, 4);
  if (!four) return false;
  four[0] = first + around_at(p, row, side);
  four[1] = first + around_at(p, row, (side + 1) % p->sides) + 1;
  four[2] = first + around_at(p, row + 1, side);
  four[3] = first + around_at(p, row, side) + 1;
  m->patches[m->patch_count] = (SupPatchName){.name = name_of(m, "patch", part, m->patch_count),
                                              .zone = zone,
                                              .boundary_count = 4,
                                              .boundaries = four};
  m->patch_count++;
  return true;
}

/* A limb has a zone per row, a trunk one for all. */
static bool add_zones(Making *m, uint32_t part, uint32_t first_joint, uint32_t first_boundary) {
  const SupSwdcPart *p = &m->made->parts[part];
  for (uint32_t row = 0; row < p->rows; row++) {
    if (row == 0 || p->limb) {
      SupPatchFlesh *flesh = SUP_ALLOC(m->arena, SupPatchFlesh, 1);
      if (!flesh) return false;
      *flesh = sup_patch_flesh();
      flesh->slices = p->slices;
      flesh->levels = p->levels;
      if (p->limb) {
        flesh->bone[0] = m->names[first_joint + row];
        flesh->bone[1] = m->names[first_joint + row + 1];
      }
      m->zones[m->zone_count++] =
          (SupPatchZone){.name = name_of(m, "zone", part, row),
                         .kind = p->limb ? SUP_PATCH_ZONE_SOLID : SUP_PATCH_ZONE_STRATUM,
                         .flesh = flesh};
    }
    for (uint32_t side = 0; side < p->sides; side++) {
      if (!add_patch(m, part, row, side, first_boundary, m->zones[m->zone_count - 1].name)) {
        return false;
      }
    }
  }
  return true;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static void finish(const Making *m, SupCharacter *out, SupPatchPlan *out_plan) {
  *out = (SupCharacter){.name = m->made->name,
                        .skeleton = {m->joint_count, m->joint_count, m->parents, m->rest, m->names,
                                     m->bone_joints, m->unbind},
                        .body = {m->vertex_count, m->triangle_count, m->places, m->triangles},
                        .skin = {m->vertex_count, 2, m->offsets, m->bones, m->weights}};
  *out_plan = (SupPatchPlan){.source = m->made->name,
                             .feature_count = m->feature_count,
                             .boundary_count = m->boundary_count,
                             .name_count = m->patch_count,
                             .zone_count = m->zone_count,
                             .features = m->features,
                             .boundaries = m->boundaries,
                             .names = m->patches,
                             .zones = m->zones,
                             .vertex_count = m->vertex_count};
}

SupResult sup_swdc_make(SupArena *arena, const SupSwdcMade *made, SupCharacter *out_character,
                        SupPatchPlan *out_plan, SupError *error) {
  Making m = {.arena = arena, .made = made};
  if (!allocate(&m)) return sup_fail_memory(error, NULL);
  m.offsets[0] = 0;
  for (uint32_t part = 0; part < made->part_count; part++) {
    const uint32_t joint = m.joint_count, vertex = m.vertex_count, boundary = m.boundary_count;
    add_joints(&m, part);
    add_skin(&m, &made->parts[part], joint);
    add_features(&m, part, vertex);
    if (!add_zones(&m, part, joint, boundary)) return sup_fail_memory(error, NULL);
  }
  finish(&m, out_character, out_plan);
  return SUP_OK;
}
