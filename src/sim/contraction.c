/* SPDX-License-Identifier: MIT */
/*
 * Directions and strengths of muscles.
 *
 * A direction has no sign, so directions are averaged as tensors d d^T and the axis of the mean is
 * its strongest eigenvector (axis_of). Along the bones: every influence of an element's nodes gives
 * the nearest segment of its bone, and the muscle is a belly between its ends: pulling alike all
 * along a bone that holds still would move nothing. From samples: weights 1 / distance^4 (Shepard).
 */
#include "sim/contraction.h"

#include <math.h>

#include "fem/harmonic_field.h"
#include "supple/author/segments.h"
#include "supple/quantity.h"

/* A sum of w d d^T: xx, yy, zz, xy, xz, yz. */
typedef struct Tensor {
  double m[6];
} Tensor;

static void add_axis(Tensor *tensor, SupVec3d d, double weight) {
  double square = sup_vec3d_dot(d, d);
  if (!(square > 0)) return;
  double w = weight / square;
  const double products[6] = {d.x * d.x, d.y * d.y, d.z * d.z, d.x * d.y, d.x * d.z, d.y * d.z};
  for (int k = 0; k < 6; k++) tensor->m[k] += w * products[k];
}

static SupVec3d times(const Tensor *t, SupVec3d d) {
  return (SupVec3d){t->m[0] * d.x + t->m[3] * d.y + t->m[4] * d.z,
                    t->m[3] * d.x + t->m[1] * d.y + t->m[5] * d.z,
                    t->m[4] * d.x + t->m[5] * d.y + t->m[2] * d.z};
}

/* The strongest eigenvector, by squaring the matrix: columns of its 64th power all lie along it. */
static SupVec3d axis_of(Tensor t) {
  for (int round = 0; round < 6; round++) {
    double trace = t.m[0] + t.m[1] + t.m[2];
    if (!(trace > 0)) return (SupVec3d){0, 1, 0};
    for (int k = 0; k < 6; k++) t.m[k] /= trace;
    SupVec3d x = times(&t, (SupVec3d){t.m[0], t.m[3], t.m[4]});
    SupVec3d y = times(&t, (SupVec3d){t.m[3], t.m[1], t.m[5]});
    SupVec3d z = times(&t, (SupVec3d){t.m[4], t.m[5], t.m[2]});
    t = (Tensor){{x.x, y.y, z.z, x.y, x.z, y.z}};
  }
  SupVec3d columns[3] = {
      {t.m[0], t.m[3], t.m[4]}, {t.m[3], t.m[1], t.m[5]}, {t.m[4], t.m[5], t.m[2]}};
  int longest = t.m[0] >= t.m[1] && t.m[0] >= t.m[2] ? 0 : t.m[1] >= t.m[2] ? 1 : 2;
  return sup_vec3d_normalise(columns[longest]);
}

/* ---- Directions ----------------------------------------------------------------------------- */

static SupVec3d centre_of(const SupTetMesh *mesh, uint32_t t) {
  SupVec3d sum = {0, 0, 0};
  for (size_t a = 0; a < 4; a++) {
    sum = sup_vec3d_add_scaled(sum, mesh->nodes[mesh->tets[4 * (size_t)t + a]], 0.25);
  }
  return sum;
}

/* The segments of each bone, in one list by rising bone. */
typedef struct Bones {
  const SupSegment *segments;
  uint32_t segment_count;
  uint32_t *first; /* [bone_count + 1] */
} Bones;

static SupResult list_bones(SupArena *arena, const SupCharacter *character, Bones *out_bones,
                            SupError *error) {
  uint32_t count = character->skeleton.bone_count;
  Bones bones = {.first = SUP_ALLOC(arena, uint32_t, (size_t)count + 1)};
  if (!bones.first) return sup_fail_memory(error, "muscles");
  SupResult result =
      sup_segments_create(arena, character, &bones.segments, &bones.segment_count, error);
  if (result != SUP_OK) return result;
  for (uint32_t s = 0; s < bones.segment_count; s++) bones.first[bones.segments[s].bone + 1]++;
  for (uint32_t b = 0; b < count; b++) bones.first[b + 1] += bones.first[b];
  *out_bones = bones;
  return SUP_OK;
}

/* The segment of a bone that is nearest to a place; NULL where the bone has none. */
static const SupSegment *nearest_segment(const Bones *bones, uint32_t bone, SupVec3 place) {
  const SupSegment *best = NULL;
  float nearest = INFINITY;
  for (uint32_t s = bones->first[bone]; s < bones->first[bone + 1]; s++) {
    const SupSegment *segment = &bones->segments[s];
    float distance = sup_vec3_distance(place, sup_segment_foot(segment, place));
    if (distance >= nearest) continue;
    nearest = distance;
    best = segment;
  }
  return best;
}

/* How thick a belly is beside a place on its bone: none at the joints, all of it between. */
static double belly_at(const SupSegment *segment, SupVec3 place) {
  float length = sup_vec3_distance(segment->a, segment->b);
  if (!(length > 0)) return 0;
  float t = sup_vec3_distance(segment->a, sup_segment_foot(segment, place)) / length;
  return (double)(4 * t * (1 - t));
}

/* Direction of the fibres along the bones, and how much of a belly is there. */
static SupVec3d along_bones(const Bones *bones, const SupFill *fill,
                            const SupAttachment *attachment, uint32_t t, double *out_belly) {
  Tensor sum = {{0}};
  double belly = 0, total = 0;
  SupVec3 centre = sup_vec3d_to_float(centre_of(&fill->mesh, t));
  for (size_t a = 0; a < 4; a++) {
    size_t at = SUP_ATTACH_BONES * (size_t)fill->mesh.tets[4 * (size_t)t + a];
    for (size_t k = at; k < at + SUP_ATTACH_BONES; k++) {
      double weight = (double)attachment->weights[k];
      const SupSegment *segment =
          weight > 0 ? nearest_segment(bones, attachment->bones[k], centre) : NULL;
      if (!segment) continue;
      add_axis(&sum, sup_vec3_to_double(sup_vec3_sub(segment->b, segment->a)), weight);
      belly += weight * belly_at(segment, centre);
      total += weight;
    }
  }
  *out_belly = total > 0 ? belly / total : 0;
  return axis_of(sum);
}

static SupVec3d among_samples(const SupMuscleDef *def, SupVec3d place) {
  Tensor sum = {{0}};
  for (uint32_t k = 0; k < def->fibre_count; k++) {
    SupVec3d gap = sup_vec3d_sub(def->fibres[k].place, place);
    double square = sup_vec3d_dot(gap, gap);
    add_axis(&sum, def->fibres[k].direction, 1 / (square * square + 1e-24));
  }
  return axis_of(sum);
}

static SupResult find_directions(SupArena *arena, const SupMuscleDef *def,
                                 const SupCharacter *character, const SupFill *fill,
                                 const SupAttachment *attachment, SupMuscles *out,
                                 SupError *error) {
  Bones bones = {0};
  if (def->fibre_count == 0) {
    SupResult result = list_bones(arena, character, &bones, error);
    if (result != SUP_OK) return result;
  }
  for (uint32_t k = 0; k < def->fibre_count; k++) {
    double length = sup_vec3d_length(def->fibres[k].direction);
    if (!(length > 0) || !isfinite(length)) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "fibre %u has no direction", k + 1);
    }
  }
  for (uint32_t t = 0; t < fill->mesh.tet_count; t++) {
    out->tension[t] = def->tension;
    if (def->fibre_count) {
      out->directions[t] = among_samples(def, centre_of(&fill->mesh, t));
      continue;
    }
    double belly;
    out->directions[t] = along_bones(&bones, fill, attachment, t, &belly);
    out->tension[t] *= belly;
  }
  return SUP_OK;
}

/* ---- Strengths ------------------------------------------------------------------------------ */

typedef struct Fractions {
  const SupMuscleDef *def;
  const SupSkin *skin;
} Fractions;

static void fraction_row(const void *user, uint32_t v, float fraction, float *row) {
  const Fractions *fractions = (const Fractions *)user;
  const SupSkin *skin = fractions->skin;
  float value = fractions->def->vertex_fraction ? fractions->def->vertex_fraction[v] : 1;
  if (fractions->def->bone_fraction) {
    float mean = 0;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      mean += skin->weights[k] * fractions->def->bone_fraction[skin->bones[k]];
    }
    value *= mean;
  }
  row[0] += fraction * value;
}

/* Scales tensions by the fractions that people gave. */
static SupResult scale_tensions(SupArena *arena, const SupMuscleDef *def,
                                const SupCharacter *character, const SupFill *fill, double *tension,
                                SupError *error) {
  const SupTetMesh *mesh = &fill->mesh;
  float *rows = SUP_ALLOC(arena, float, mesh->node_count);
  if (!rows) return sup_fail_memory(error, "muscles");
  const Fractions fractions = {def, &character->skin};
  SupResult result = sup_harmonic_field(arena, fill, 1, fraction_row, &fractions, rows, error);
  if (result != SUP_OK) return result;
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    double sum = 0;
    for (size_t a = 0; a < 4; a++) sum += (double)rows[mesh->tets[4 * (size_t)t + a]];
    tension[t] *= fmin(fmax(sum / 4, 0), 1);
  }
  return SUP_OK;
}

SupResult sup_muscles_create(SupArena *arena, const SupMuscleDef *def,
                             const SupCharacter *character, const SupFill *fill,
                             const SupAttachment *attachment, SupMuscles *out_muscles,
                             SupError *error) {
  *out_muscles = (SupMuscles){0};
  if (def->tension == 0) return SUP_OK;
  if (!(def->tension > 0 && def->tension < 1e12)) {
    return sup_fail(
        error, SUP_ERROR_ARGUMENT,
        "a muscle's tension of %s is out of range; it is usually close to Young's modulus",
        sup_pressure_text(def->tension).text);
  }
  SupMuscles muscles = {.directions = SUP_ALLOC(arena, SupVec3d, fill->mesh.tet_count),
                        .tension = SUP_ALLOC(arena, double, fill->mesh.tet_count)};
  if (!muscles.directions || !muscles.tension) {
    return sup_fail_memory(error, "muscles");
  }
  SupResult result = find_directions(arena, def, character, fill, attachment, &muscles, error);
  if (result == SUP_OK) {
    result = scale_tensions(arena, def, character, fill, muscles.tension, error);
  }
  if (result == SUP_OK) *out_muscles = muscles;
  return result;
}
