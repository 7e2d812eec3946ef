/* SPDX-License-Identifier: MIT */
/*
 * Ties between bones and flesh.
 *
 * 1. Where the skin is thinner than the lattice can show                     (find_thin)
 * 2. Bone segments are sampled finely; each place that is inside its own part gives a point on the
 *    bone and a ring around it                                               (tie_cores)
 * 3. Skin thinner than a cell, or locked, is pulled to its skin weights      (tie_thin_skin)
 * 4. A bone that got nothing, or not where its skin is, holds the flesh under its own skin
 *                                                                            (tie_own_skin)
 * 5. ... and what lies beside the bone, as a heel does                       (tie_lumps)
 * 6. Flesh of several bones, none of which is near                           (tie_between)
 * What a tie stands for (`length`) does not depend on the lattice; how firmly it holds does, so
 * that flesh does not swing faster for it                                            (firmness_in)
 */
#include "fem/find_ties.h"

#include <math.h>

#include "fem/locate.h"
#include "fem/tet_faces.h"
#include "fem/ties.h"
#include "supple/author/segments.h"
#include "supple/geom/bounds.h"

#define RADIUS 0.35    /* of the half thickness: where no other is asked for */
#define PLACES 150     /* along the longest side of the body */
#define SPOKES 8       /* across a bone */
#define RING 6         /* points of a place, around the one on the bone */
#define MAIN 0.5f      /* a bone's weight where it runs through its own part */
#define SHARED 0.1f    /* ... where it shares flesh with others */
#define FOREIGN 1e-3   /* ... where flesh does not follow it at all */
#define OWN 0.9f       /* weight of skin that is a bone's own */
#define THIN_FROM 0.4  /* half thickness, in spacings, at which skin only follows */
#define THIN_UNTIL 0.7 /* ... and from which on it is flesh */
#define ENOUGH 3       /* spacings: how thick it is beyond does not matter */
#define LUMP 1.0       /* half thicknesses away from its bone: flesh beside it, not around it */
#define ALONE 2.0      /* ... near no bone that moves it */
#define COPIES 16      /* tetrahedra looked at around a point */
#define FIRMNESS 30    /* bone holds as if it were this many times stiffer than flesh */
#define COARSEST 2     /* usual spacings: beyond, a bone holds no more loosely */

typedef struct Finder {
  SupArena *arena;
  const SupTiesDef *def;
  SupLocator locator;
  uint32_t bone_count;
  double size;    /* longest side of the body */
  double spacing; /* of the lattice */
  SupThickness skin;
  float *thin; /* [vertex_count] */
  SupTie *ties;
  uint32_t count, room;
  SupVec3 *places; /* of bones that are tied along their middle */
  uint32_t *place_bones;
  uint32_t place_count;
  uint8_t *tied;           /* [bone_count] 1: along its middle, 2: by its skin */
  const SupSegment **only; /* [bone_count] the segment of a bone that is a point, or NULL */
} Finder;

/* ---- 1. The skin ---------------------------------------------------------------------------- */

static double smooth_step(double x, double from, double until) {
  const double t = fmin(fmax((x - from) / (until - from), 0), 1);
  return t * t * (3 - 2 * t);
}

/* Where the skin is too thin for the lattice. */
static SupResult find_thin(Finder *f, SupAttachReport *report, SupError *error) {
  const SupMesh *body = &f->def->character->body;
  const SupFill *fill = f->def->fill;
  uint8_t *hinged;
  SupResult result = sup_tet_hinged(f->arena, &fill->mesh, &hinged, error);
  if (result != SUP_OK) return result;
  f->thin = SUP_ALLOC(f->arena, float, body->vertex_count);
  if (!f->thin) return sup_fail_memory(error, "attaching");
  double all = 0, thin = 0;
  for (uint32_t v = 0; v < body->vertex_count; v++) {
    if (!f->def->thin_flesh) {
      const double half = f->skin.halves[v] / f->spacing;
      f->thin[v] = (float)(1 - smooth_step(half, THIN_FROM, THIN_UNTIL));
    }
    if (hinged[fill->embedding.tets[v]]) f->thin[v] = 1;
    all += f->skin.areas[v];
    thin += (double)f->thin[v] * f->skin.areas[v];
    if (f->def->lock) {
      f->thin[v] = fmaxf(f->thin[v], (float)smooth_step((double)f->def->lock[v], 0.5, 1));
    }
  }
  report->thin_area = all > 0 ? thin / all : 0;
  return SUP_OK;
}

/* ---- Ties ----------------------------------------------------------------------------------- */

/* How firmly a tie holds. An element with a tie in it goes with the bone, so a bone holds the more
 * flesh the wider the lattice is; and points hold the less the narrower it is, as flesh gives way
 * around them. Springs that are as much looser or firmer make up for both: flesh on bones swings
 * as fast as it does with the usual lattice. No penalty that is to go to infinity. */
static double firmness_in(const SupFill *fill) {
  return fill->usual > 0 ? FIRMNESS * fmax(fill->usual / fill->spacing, 1.0 / COARSEST) : FIRMNESS;
}

static double weight_at(const Finder *f, const SupTie *tie, uint32_t bone) {
  const uint32_t *nodes = f->def->fill->mesh.tets + 4 * (size_t)tie->tet;
  double sum = 0;
  for (int a = 0; a < 4; a++) {
    sum += tie->corners[a] * (double)f->def->field[(size_t)nodes[a] * f->bone_count + bone];
  }
  return sum;
}

/* Finds the tetrahedron of a point; of several copies of a cell the one with most weight for the
 * bone. False where there is no flesh that follows it. */
static bool locate(const Finder *f, SupVec3d point, uint32_t bone, SupTie *io_tie) {
  uint32_t tets[COPIES];
  const uint32_t count = sup_locate(&f->locator, point, COPIES, tets);
  double best = FOREIGN;
  for (uint32_t k = 0; k < count; k++) {
    SupTie trial = *io_tie;
    trial.tet = tets[k];
    sup_tet_coordinates(&f->locator.mesh, tets[k], point, trial.corners);
    const double weight = weight_at(f, &trial, bone);
    if (weight <= best) continue;
    best = weight;
    *io_tie = trial;
  }
  return best > FOREIGN;
}

static void tie_to_bone(Finder *f, SupVec3 point, uint32_t bone, double length) {
  SupTie tie = {.point = sup_vec3_to_double(point), .length = length, .bones = {bone}};
  tie.weights[0] = 1;
  if (f->count < f->room && locate(f, tie.point, bone, &tie)) f->ties[f->count++] = tie;
}

/* The strongest weights of a skin vertex. */
static void take_weights(const SupSkin *skin, uint32_t v, SupTie *tie) {
  float sum = 0;
  for (int k = 0; k < SUP_ATTACH_BONES; k++) {
    uint32_t best = SUP_NONE;
    for (uint32_t i = skin->offsets[v]; i < skin->offsets[v + 1]; i++) {
      bool taken = false;
      for (int m = 0; m < k; m++) taken |= tie->bones[m] == skin->bones[i];
      if (!taken && (best == SUP_NONE || skin->weights[i] > skin->weights[best])) best = i;
    }
    tie->bones[k] = best == SUP_NONE ? tie->bones[0] : skin->bones[best];
    tie->weights[k] = best == SUP_NONE ? 0 : skin->weights[best];
    sum += tie->weights[k];
  }
  for (int k = 0; k < SUP_ATTACH_BONES; k++) tie->weights[k] /= sum > 0 ? sum : 1;
}

static float weight_of(const SupSkin *skin, uint32_t v, uint32_t bone) {
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    if (skin->bones[k] == bone) return skin->weights[k];
  }
  return 0;
}

/* What a vertex of skin stands for when it is held: the area around it, and how deep flesh is. */
static double skin_length(const Finder *f, uint32_t v) {
  return f->skin.areas[v] / (6.283185307179586 * fmax(f->skin.halves[v], 0.05 * f->spacing));
}

/* ---- 2. Cores ------------------------------------------------------------------------------- */

/* A leaf points to the middle of its own skin: the direction of its parent may lead out of it. A
 * bone that is all there is stays a point: what hangs on it is flesh. */
static void mend_leaf(const Finder *f, SupSegment *segment) {
  const SupCharacter *c = f->def->character;
  SupVec3 mean = {0, 0, 0};
  float all = 0, most = 0;
  for (uint32_t v = 0; v < c->skin.vertex_count; v++) {
    const float weight = weight_of(&c->skin, v, segment->bone) * (float)f->skin.areas[v];
    if (weight < MAIN * (float)f->skin.areas[v]) continue;
    mean = sup_vec3_add_scaled(mean, c->body.positions[v], weight);
    all += weight;
  }
  if (!(all > 0)) return;
  const SupVec3 way = sup_vec3_sub(sup_vec3_scale(mean, 1 / all), segment->a);
  const float length = sup_vec3_length(way);
  if (!(length > 1e-3f * (float)f->size)) return;
  const SupVec3 axis = sup_vec3_scale(way, 1 / length);
  for (uint32_t v = 0; v < c->skin.vertex_count; v++) {
    if (weight_of(&c->skin, v, segment->bone) < MAIN) continue;
    most = fmaxf(most, sup_vec3_dot(sup_vec3_sub(c->body.positions[v], segment->a), axis));
  }
  segment->b = sup_vec3_add_scaled(segment->a, axis, most);
}

static bool is_leaf(const SupSkeleton *skeleton, uint32_t bone) {
  const uint32_t joint = skeleton->bone_joints[bone];
  if (skeleton->parents[joint] < 0) return false;
  for (uint32_t j = joint + 1; j < skeleton->joint_count; j++) {
    if (skeleton->parents[j] == (int32_t)joint) return false;
  }
  return true;
}

static uint32_t places_of(const Finder *f, const SupSegment *segment) {
  const double length = (double)sup_vec3_distance(segment->a, segment->b);
  if (!(length > 1e-4 * f->size)) return 1; /* a point */
  /* A joint that lies far outside, as targets of controls do, holds nothing out there. */
  return (uint32_t)fmin(fmax(4, ceil(length * PLACES / f->size)), 4 * PLACES);
}

/* Across how much of its part a bone holds flesh, which reaches `half` from it. */
static double radius_in(const Finder *f, double half) {
  if (f->def->radius > 0) return f->def->radius;
  return half * (f->def->radius_fraction > 0 ? f->def->radius_fraction : RADIUS);
}

static void keep_place(Finder *f, uint32_t bone, SupVec3 place) {
  f->places[f->place_count] = place;
  f->place_bones[f->place_count++] = bone;
  f->tied[bone] = 1;
}

static const SupInside *inside_of(const Finder *f, uint32_t bone) {
  return &f->def->insides[sup_group_of_bone(f->def->groups, bone)];
}

/* Whether a place of a bone is inside its part, where the bone has the weight `main` at least. */
static bool runs_through(const Finder *f, uint32_t bone, SupVec3 place, float main) {
  SupTie probe = {0};
  return sup_inside(inside_of(f, bone), sup_vec3_to_double(place)) &&
         locate(f, sup_vec3_to_double(place), bone, &probe) &&
         weight_at(f, &probe, bone) >= (double)main;
}

/* A bone that is a point: ties it and what is around it in six directions. */
static void tie_point(Finder *f, const SupSegment *segment, float main) {
  const SupVec3 place = segment->a;
  if (!runs_through(f, segment->bone, place, main)) return;
  const SupNearest nearest = sup_bvh_nearest(inside_of(f, segment->bone)->bvh, place, INFINITY);
  const double radius = radius_in(f, (double)nearest.distance);
  tie_to_bone(f, place, segment->bone, 2 * radius / (RING + 1));
  for (int k = 0; k < RING; k++) {
    const float way = (float)(k % 2 ? radius : -radius);
    const SupVec3 aside = {k / 2 == 0 ? way : 0, k / 2 == 1 ? way : 0, k / 2 == 2 ? way : 0};
    tie_to_bone(f, sup_vec3_add(place, aside), segment->bone, 2 * radius / (RING + 1));
  }
  keep_place(f, segment->bone, place);
}

/* A place on a bone: ties it and a ring around it. The ring narrows towards the ends, so that the
 * rings of two bones do not meet where the joint bends. `main` is what weight the bone needs. */
static void tie_place(Finder *f, const SupSegment *segment, SupVec3 place, double piece,
                      float main) {
  const SupVec3 axis = sup_vec3_normalise(sup_vec3_sub(segment->b, segment->a));
  float spokes[SPOKES], sorted[SPOKES];
  const SupInside *inside = inside_of(f, segment->bone);
  SupVec3 u, v;
  if (!runs_through(f, segment->bone, place, main)) return;
  sup_across(axis, &u, &v);
  for (int k = 0; k < SPOKES; k++) {
    const SupVec3 way = sup_around(u, v, k, SPOKES);
    spokes[k] = sorted[k] =
        sup_reach(inside, place, way, (float)(1e-4 * f->size), (float)(ENOUGH * f->spacing));
  }
  const double ends = fmin((double)sup_vec3_distance(segment->a, place),
                           (double)sup_vec3_distance(segment->b, place));
  const double radius = fmin(radius_in(f, (double)sup_median(sorted, SPOKES)), ends);
  tie_to_bone(f, place, segment->bone, piece / (RING + 1));
  for (int k = 0; k < RING; k++) {
    const double at = (double)k * SPOKES / RING;
    const int low = (int)at;
    const double open = (double)spokes[low % SPOKES] * (low + 1 - at) +
                        (double)spokes[(low + 1) % SPOKES] * (at - low);
    const SupVec3 way = sup_around(u, v, k, RING);
    tie_to_bone(f, sup_vec3_add_scaled(place, way, (float)fmin(radius, 0.7 * open)), segment->bone,
                piece / (RING + 1));
  }
  keep_place(f, segment->bone, place);
}

static void tie_segment(Finder *f, const SupSegment *segment, float main) {
  const uint32_t count = places_of(f, segment);
  if (sup_group_of_bone(f->def->groups, segment->bone) == SUP_NONE) return; /* no skin */
  if (count == 1) {
    f->only[segment->bone] = segment;
    tie_point(f, segment, main);
    return;
  }
  const double piece = (double)sup_vec3_distance(segment->a, segment->b) / count;
  for (uint32_t k = 0; k < count; k++) {
    const float at = ((float)k + 0.5f) / (float)count;
    tie_place(f, segment, sup_vec3_lerp(segment->a, segment->b, at), piece, main);
  }
}

static SupResult tie_cores(Finder *f, SupError *error) {
  const SupCharacter *c = f->def->character;
  const SupSegment *found;
  uint32_t count;
  SupResult result = sup_segments_create(f->arena, c, &found, &count, error);
  if (result != SUP_OK) return result;
  SupSegment *segments = SUP_COPY(f->arena, SupSegment, found, count);
  if (!segments) return sup_fail_memory(error, "attaching");
  size_t places = 0;
  for (uint32_t s = 0; s < count; s++) {
    if (is_leaf(&c->skeleton, segments[s].bone)) mend_leaf(f, &segments[s]);
    places += places_of(f, &segments[s]);
  }
  f->room = (uint32_t)((RING + 1) * places + 2 * (size_t)c->body.vertex_count);
  f->ties = SUP_ALLOC(f->arena, SupTie, f->room);
  f->places = SUP_ALLOC(f->arena, SupVec3, places);
  f->place_bones = SUP_ALLOC(f->arena, uint32_t, places);
  if (!f->ties || !f->places || !f->place_bones) return sup_fail_memory(error, "attaching");
  for (uint32_t s = 0; s < count; s++) tie_segment(f, &segments[s], MAIN);
  /* Short bones of a long spine share every place with their neighbours. */
  for (uint32_t s = 0; s < count; s++) {
    if (!f->tied[segments[s].bone]) tie_segment(f, &segments[s], MAIN / 2);
  }
  return SUP_OK;
}

/* ---- 3. and 4. Skin ------------------------------------------------------------------------- */

/* Puts a tie at a vertex. */
static void tie_at_skin(const Finder *f, uint32_t v, SupTie *io_tie) {
  const SupEmbedding *embedding = &f->def->fill->embedding;
  io_tie->tet = embedding->tets[v];
  io_tie->point = sup_vec3_to_double(f->def->character->body.positions[v]);
  for (size_t a = 0; a < 4; a++) io_tie->corners[a] = embedding->weights[4 * (size_t)v + a];
}

/* How firmly a spring holds that takes flesh the share `thin` of the way, in parts of bone. What is
 * held in part must not be held like bone: the few vertices of a part that is hardly too thin would
 * hold all flesh around them, and next to those that just are not it would swing freely. */
static double share_of_bone(double thin, double firmness) {
  return thin < 1 ? fmin(thin / (1 - thin) / firmness, 1) : 1;
}

static void tie_thin_skin(Finder *f) {
  const SupCharacter *c = f->def->character;
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    if (f->thin[v] < 0.01f || f->skin.areas[v] == 0 || f->count == f->room) continue;
    const double share = share_of_bone((double)f->thin[v], firmness_in(f->def->fill));
    SupTie tie = {.length = share * skin_length(f, v)};
    tie_at_skin(f, v, &tie);
    take_weights(&c->skin, v, &tie);
    for (int k = 0; k < SUP_ATTACH_BONES && f->thin[v] > 0.5f; k++) {
      if (tie.weights[k] > MAIN && !f->tied[tie.bones[k]]) f->tied[tie.bones[k]] = 2;
    }
    f->ties[f->count++] = tie;
  }
}

/* Whether no place of the bone's middle is near the flesh under a vertex. */
static bool far_from_core(const Finder *f, uint32_t bone, uint32_t v, double distance) {
  const double limit = distance + 0.25 * f->spacing;
  for (uint32_t k = 0; k < f->place_count; k++) {
    if (f->place_bones[k] != bone) continue;
    if ((double)sup_vec3_distance(f->places[k], f->skin.middle[v]) <= limit) return false;
  }
  return true;
}

/* How far from a bone that is a point its own skin is held: its nearest tenth; all of it from other
 * bones. */
static float near_enough(const Finder *f, uint32_t bone, float own) {
  const SupCharacter *c = f->def->character;
  float least = INFINITY, most = 0;
  if (!f->only[bone]) return INFINITY;
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    if (weight_of(&c->skin, v, bone) <= own) continue;
    const float distance = sup_vec3_distance(c->body.positions[v], f->only[bone]->a);
    least = fminf(least, distance);
    most = fmaxf(most, distance);
  }
  return least + 0.1f * (most - least);
}

/* Ties the flesh under a bone's own skin, `own` being what weight that has, where most of it is far
 * from the bone's middle. Whether that was so. */
static bool tie_own_skin(Finder *f, uint32_t bone, float own) {
  const SupCharacter *c = f->def->character;
  uint32_t all = 0, far = 0;
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    if (weight_of(&c->skin, v, bone) <= own) continue;
    all++;
    far += far_from_core(f, bone, v, 2 * f->skin.halves[v]);
  }
  if (2 * far < all || far == 0 || (f->only[bone] && f->tied[bone])) return false;
  const float near = near_enough(f, bone, own);
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    if (weight_of(&c->skin, v, bone) <= own || !far_from_core(f, bone, v, 2 * f->skin.halves[v]))
      continue;
    if (f->only[bone] && sup_vec3_distance(c->body.positions[v], f->only[bone]->a) > near) continue;
    const uint32_t before = f->count;
    const SupVec3 out = sup_vec3_sub(c->body.positions[v], f->skin.middle[v]);
    tie_to_bone(f, sup_vec3_add_scaled(f->skin.middle[v], out, (float)RADIUS), bone,
                skin_length(f, v));
    if (f->count > before && !f->tied[bone]) f->tied[bone] = 2;
  }
  return true;
}

/* Flesh under a bone's own skin that is a lump beside it, as a heel is: its middle is farther from
 * the bone than it is thick. What surrounds the bone, like a belly, is not. */
static void tie_lumps(Finder *f, uint32_t bone) {
  const SupCharacter *c = f->def->character;
  if (f->tied[bone] != 1 || f->only[bone]) return;
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    if (weight_of(&c->skin, v, bone) <= OWN) continue;
    if (f->thin[v] > 0.5f || !far_from_core(f, bone, v, LUMP * f->skin.halves[v])) continue;
    const SupVec3 out = sup_vec3_sub(c->body.positions[v], f->skin.middle[v]);
    const SupVec3 place = sup_vec3_add_scaled(f->skin.middle[v], out, (float)RADIUS);
    if (!runs_through(f, bone, place, OWN)) continue; /* flesh of another bone below */
    tie_to_bone(f, place, bone, skin_length(f, v));
  }
}

/* A bone that nothing holds although it moves some skin: the flesh under the skin that it moves
 * most is tied to where all its bones take it. */
static void tie_shared_skin(Finder *f, uint32_t bone) {
  const SupCharacter *c = f->def->character;
  float most = 0;
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    most = fmaxf(most, weight_of(&c->skin, v, bone));
  }
  for (uint32_t v = 0; v < c->body.vertex_count && most > 0; v++) {
    if (weight_of(&c->skin, v, bone) < OWN * most || f->count == f->room) continue;
    const SupVec3 out = sup_vec3_sub(c->body.positions[v], f->skin.middle[v]);
    const SupVec3 point = sup_vec3_add_scaled(f->skin.middle[v], out, (float)RADIUS);
    SupTie tie = {.point = sup_vec3_to_double(point), .length = skin_length(f, v)};
    take_weights(&c->skin, v, &tie);
    bool led = false;
    for (int k = 0; k < SUP_ATTACH_BONES; k++) led |= tie.bones[k] == bone && tie.weights[k] > 0;
    if (!led || !(tie.length > 0)) continue;
    if (!locate(f, tie.point, tie.bones[0], &tie)) tie_at_skin(f, v, &tie);
    f->ties[f->count++] = tie;
    f->tied[bone] = 2;
  }
}

/* Whether no tied place of the bones that move it is near the flesh under a vertex. */
static bool far_from_all_cores(const Finder *f, uint32_t v, double distance) {
  const SupSkin *skin = &f->def->character->skin;
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    if (skin->weights[k] >= SHARED && !far_from_core(f, skin->bones[k], v, distance)) return false;
  }
  return true;
}

/* How thick flesh is at most around a vertex: what sits on a thick part, as a sucker does on an
 * arm, belongs to it. */
static double half_around(const Finder *f, uint32_t v) {
  const SupMesh *body = &f->def->character->body;
  double most = f->skin.halves[v];
  for (uint32_t n = 0; n < body->vertex_count; n++) {
    const double distance = (double)sup_vec3_distance(body->positions[n], body->positions[v]);
    if (distance < ALONE * f->skin.halves[v]) most = fmax(most, f->skin.halves[n]);
  }
  return most;
}

/* Flesh that bones share and none of them runs through, as where a neck bends below its bone: it
 * would swing between those who hold the two ends. It is tied to where they take it together. */
static void tie_between(Finder *f) {
  const SupCharacter *c = f->def->character;
  for (uint32_t v = 0; v < c->body.vertex_count && f->count < f->room; v++) {
    if (f->thin[v] > 0.5f || !(f->skin.areas[v] > 0)) continue;
    SupTie tie = {.length = skin_length(f, v)};
    take_weights(&c->skin, v, &tie);
    if (tie.weights[0] > OWN || f->tied[tie.bones[0]] != 1) continue;
    if (!far_from_all_cores(f, v, ALONE * f->skin.halves[v])) continue;
    if (!far_from_all_cores(f, v, ALONE * half_around(f, v))) continue;
    const SupVec3 out = sup_vec3_sub(c->body.positions[v], f->skin.middle[v]);
    const SupVec3 place = sup_vec3_add_scaled(f->skin.middle[v], out, (float)RADIUS);
    tie.point = sup_vec3_to_double(place);
    if (!locate(f, tie.point, tie.bones[0], &tie)) continue;
    f->ties[f->count++] = tie;
  }
}

static void count_bones(const Finder *f, SupAttachReport *report) {
  const SupSkin *skin = &f->def->character->skin;
  uint8_t *weighted = SUP_ALLOC(f->arena, uint8_t, f->bone_count);
  for (uint32_t k = 0; weighted && k < skin->offsets[skin->vertex_count]; k++) {
    if (skin->weights[k] > 0) weighted[skin->bones[k]] = 1;
  }
  for (uint32_t b = 0; weighted && b < f->bone_count; b++) {
    report->weighted_count += weighted[b];
    report->bone_count += weighted[b] && f->tied[b];
    report->core_count += weighted[b] && f->tied[b] == 1;
  }
}

SupResult sup_find_ties(SupArena *arena, const SupTiesDef *def, SupAttachment *io_attachment,
                        SupAttachReport *io_report, SupError *error) {
  const SupMesh *body = &def->character->body;
  const SupBounds box = sup_bounds(body->positions, body->vertex_count);
  Finder f = {.arena = arena, .def = def, .spacing = def->fill->spacing};
  f.bone_count = def->character->skeleton.bone_count;
  f.size =
      (double)fmaxf(box.high.x - box.low.x, fmaxf(box.high.y - box.low.y, box.high.z - box.low.z));
  f.tied = SUP_ALLOC(arena, uint8_t, f.bone_count);
  f.only = SUP_ALLOC(arena, const SupSegment *, f.bone_count);
  if (!f.tied || !f.only) return sup_fail_memory(error, "attaching");
  SupResult result =
      sup_locator_create(arena, &def->fill->mesh, def->fill->spacing, &f.locator, error);
  if (result == SUP_OK) {
    result = sup_thickness_measure(arena, body, def->groups, def->insides, f.size,
                                   ENOUGH * f.spacing, &f.skin, error);
  }
  if (result == SUP_OK) result = find_thin(&f, io_report, error);
  if (result == SUP_OK) result = tie_cores(&f, error);
  if (result != SUP_OK) return result;
  tie_thin_skin(&f);
  for (uint32_t b = 0; b < f.bone_count; b++) {
    const bool own = tie_own_skin(&f, b, OWN);
    if (!f.tied[b]) tie_own_skin(&f, b, MAIN);
    if (!f.tied[b]) tie_own_skin(&f, b, MAIN / 2);
    if (!f.tied[b]) tie_shared_skin(&f, b);
    if (!own) tie_lumps(&f, b);
  }
  tie_between(&f);
  count_bones(&f, io_report);
  io_attachment->tie_count = f.count;
  io_attachment->ties = f.ties;
  io_attachment->firmness = firmness_in(def->fill);
  io_attachment->thin = f.thin;
  return SUP_OK;
}
