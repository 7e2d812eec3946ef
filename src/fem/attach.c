/* SPDX-License-Identifier: MIT */
/*
 * Nodes near a bone follow it.
 *
 * Skin weights reach the nodes through the volume (harmonic_field.h), so that those of one thigh
 * never leak into the other. Held nodes use them sharpened: bone is stiffer than skin.
 */
#include "supple/fem/attach.h"

#include <math.h>
#include <stdlib.h>

#include "base/union_find.h"
#include "fem/harmonic_field.h"
#include "fem/inside.h"
#include "fem/release_conflicts.h"
#include "supple/author/segments.h"

/* Power that sharpens the weights of held nodes. */
#define SHARPEN 2.5f
/* The least radius, in spacings. Every point of space is within sqrt(5) / 4 = 0.56 of a lattice
 * point, so no bone is missed; and a bone along a line of nodes reaches the next lines, sqrt(1/2)
 * away, without which it could not turn the flesh about itself. */
#define LEAST 0.75
/* Where the skin is nearer to the bone than this, in spacings, the lattice cannot show how flesh
 * moves: all of it is held. */
#define THIN 0.8

typedef struct Work {
  SupArena *arena;
  const SupCharacter *character;
  const SupFill *fill;
  const SupSegment *segments;
  uint32_t segment_count;
  SupInside inside;
  uint32_t bone_count;
  float *field;  /* [node_count * bone_count] weights, dense */
  uint8_t *held; /* [node_count] how */
} Work;

/* A skin vertex's weights as a dense row. */
static void weights_row(const void *user, uint32_t v, float fraction, float *row) {
  const SupSkin *skin = (const SupSkin *)user;
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    row[skin->bones[k]] += fraction * skin->weights[k];
  }
}

/* ---- Which nodes are held ------------------------------------------------------------------- */

/* How far the skin is from a place on a bone; the bone may run outside the skin. */
static double thickness_at(const Work *w, SupVec3 foot) {
  SupNearest nearest = sup_bvh_nearest(w->inside.bvh, foot, INFINITY);
  if (nearest.triangle == SUP_NONE || !sup_inside(&w->inside, sup_vec3_to_double(foot))) return 0;
  return (double)nearest.distance;
}

/* A node is of thin parts when their bones have this much of its weight: an elbow is, an armpit,
 * where the arm meets the torso, is not. */
#define OWN 0.85f
/* A bone holds nodes that are mainly its own: where several meet, in a shoulder, flesh is between
 * them. */
#define MAIN 0.5f
/* Around a joint the nodes of two bones would run into each other when it bends: a node is held by
 * a bone only where it is farther from its ends than from the bone, less this many spacings. */
#define JOINT_SLACK 0.1
/* Directions across a bone in which its part of the body is measured. */
#define SPOKES 8

static int compare_floats(const void *left, const void *right) {
  float a = *(const float *)left, b = *(const float *)right;
  return a < b ? -1 : a > b;
}

/* How thick the part around a bone is: the median distance to the skin across the bone. A collar
 * bone lies just under the skin, but it is no thin part that it lies in. */
static double part_thickness(const Work *w, const SupSegment *segment, SupVec3 foot) {
  SupVec3 axis = sup_vec3_sub(segment->b, segment->a);
  if (!(sup_vec3_dot(axis, axis) > 0)) return thickness_at(w, foot);
  axis = sup_vec3_normalise(axis);
  SupVec3 other = fabsf(axis.x) < 0.7f ? (SupVec3){1, 0, 0} : (SupVec3){0, 1, 0};
  SupVec3 u = sup_vec3_normalise(sup_vec3_cross(axis, other)), v = sup_vec3_cross(axis, u);
  float reach[SPOKES];
  for (int k = 0; k < SPOKES; k++) {
    double angle = 6.283185307179586 * k / SPOKES;
    SupVec3 way = sup_vec3_add_scaled(sup_vec3_scale(u, (float)cos(angle)), v, (float)sin(angle));
    SupRayHit hit = sup_bvh_ray(w->inside.bvh, foot, way, INFINITY);
    reach[k] = hit.triangle == SUP_NONE ? 0 : hit.t;
  }
  qsort(reach, SPOKES, sizeof *reach, compare_floats);
  return (double)(reach[SPOKES / 2 - 1] + reach[SPOKES / 2]) / 2;
}

/* How far a place on a segment is from the nearer of its ends. */
static double from_ends(const SupSegment *segment, SupVec3 foot) {
  return fmin((double)sup_vec3_distance(segment->a, foot),
              (double)sup_vec3_distance(segment->b, foot));
}

/* Whether a segment holds a node at `distance` from its foot point, and how. */
static uint8_t hold_by(const Work *w, const SupAttachDef *def, const SupSegment *segment,
                       SupVec3 foot, double distance) {
  double spacing = w->fill->spacing,
         fraction = def->radius_fraction > 0 ? def->radius_fraction : 0.35;
  double radius = def->radius;
  if (!(radius > 0)) {
    double thickness = thickness_at(w, foot);
    if (thickness < THIN * spacing && distance <= thickness + spacing &&
        part_thickness(w, segment, foot) < THIN * spacing) {
      return SUP_HELD_AS_SKIN;
    }
    radius = fraction * thickness;
  }
  if (distance > fmax(radius, LEAST * spacing)) return SUP_HELD_NOT;
  return distance <= from_ends(segment, foot) + JOINT_SLACK * spacing ? SUP_HELD_BY_BONE
                                                                      : SUP_HELD_NOT;
}

static uint8_t hold_node(const Work *w, const SupAttachDef *def, uint32_t n) {
  SupVec3 point = sup_vec3d_to_float(w->fill->mesh.nodes[n]);
  const float *row = w->field + (size_t)n * w->bone_count;
  float thin = 0;
  uint32_t counted = SUP_NONE; /* segments come by rising bone */
  for (uint32_t s = 0; s < w->segment_count; s++) {
    const SupSegment *segment = &w->segments[s];
    if (row[segment->bone] < 0.05f) continue; /* another part's bone */
    SupVec3 foot = sup_segment_foot(segment, point);
    uint8_t held = hold_by(w, def, segment, foot, (double)sup_vec3_distance(point, foot));
    if (held == SUP_HELD_BY_BONE && row[segment->bone] >= MAIN) return held;
    if (held == SUP_HELD_AS_SKIN && segment->bone != counted) {
      counted = segment->bone;
      thin += row[counted];
    }
  }
  return thin >= OWN ? SUP_HELD_AS_SKIN : SUP_HELD_NOT;
}

static void hold_near_bones(Work *w, const SupAttachDef *def) {
  for (uint32_t n = 0; n < w->fill->mesh.node_count; n++) w->held[n] = hold_node(w, def, n);
}

/* A loose node half of whose neighbours go with the skin has no flesh to be: in a hand, say,
 * that is as large as a cell. */
static bool hold_surrounded(Work *w) {
  const SupTetMesh *mesh = &w->fill->mesh;
  uint32_t *around = SUP_ALLOC(w->arena, uint32_t, mesh->node_count);
  uint32_t *fixed = SUP_ALLOC(w->arena, uint32_t, mesh->node_count);
  if (!around || !fixed) return false;
  for (size_t k = 0; k < 4 * (size_t)mesh->tet_count; k++) {
    const uint32_t *corners = mesh->tets + k / 4 * 4;
    for (int a = 0; a < 4; a++) {
      if (corners[a] == mesh->tets[k]) continue;
      around[mesh->tets[k]]++;
      fixed[mesh->tets[k]] += w->held[corners[a]] == SUP_HELD_AS_SKIN;
    }
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    if (w->held[n] == SUP_HELD_NOT && 2 * fixed[n] >= around[n]) w->held[n] = SUP_HELD_AS_SKIN;
  }
  return true;
}

/* Nodes most of whose skin is locked: at its border flesh begins. */
static bool hold_locked(Work *w, const float *lock) {
  const SupFill *fill = w->fill;
  uint32_t *all = SUP_ALLOC(w->arena, uint32_t, fill->mesh.node_count);
  uint32_t *locked = SUP_ALLOC(w->arena, uint32_t, fill->mesh.node_count);
  if (!all || !locked) return false;
  for (uint32_t v = 0; v < w->character->body.vertex_count; v++) {
    const uint32_t *nodes = fill->mesh.tets + 4 * (size_t)fill->embedding.tets[v];
    for (int a = 0; a < 4; a++) {
      all[nodes[a]]++;
      locked[nodes[a]] += lock[v] > 0.5f;
    }
  }
  for (uint32_t n = 0; n < fill->mesh.node_count; n++) {
    if (4 * locked[n] > 3 * all[n]) w->held[n] = SUP_HELD_LOCKED;
  }
  return true;
}

/* A piece that no bone passes would fall: it is held whole. */
static bool hold_loose_pieces(Work *w, uint32_t *out_pieces) {
  const SupTetMesh *mesh = &w->fill->mesh;
  uint32_t *parents = SUP_ALLOC(w->arena, uint32_t, mesh->node_count);
  uint8_t *safe = SUP_ALLOC(w->arena, uint8_t, mesh->node_count);
  if (!parents || !safe) return false;
  sup_union_find_init(parents, mesh->node_count);
  for (uint32_t t = 0; t < mesh->tet_count; t++) {
    for (uint32_t a = 1; a < 4; a++) {
      sup_union_find_join(parents, mesh->tets[4 * (size_t)t], mesh->tets[4 * (size_t)t + a]);
    }
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    if (w->held[n]) safe[sup_union_find_root(parents, n)] = 1;
  }
  for (uint32_t n = 0; n < mesh->node_count; n++) {
    uint32_t root = sup_union_find_root(parents, n);
    if (safe[root]) continue;
    w->held[n] = SUP_HELD_LOCKED;
    *out_pieces += n == root;
  }
  return true;
}

/* ---- The result ----------------------------------------------------------------------------- */

/* The largest entries of a row, sharpened where the node is held. */
static void pick_bones(const float *row, uint32_t bone_count, bool sharpen, uint32_t *out_bones,
                       float *out_weights) {
  float sum = 0;
  for (uint32_t k = 0; k < SUP_ATTACH_BONES; k++) {
    uint32_t best = SUP_NONE;
    for (uint32_t b = 0; b < bone_count; b++) {
      bool taken = false;
      for (uint32_t i = 0; i < k; i++) taken |= out_bones[i] == b;
      if (!taken && (best == SUP_NONE || row[b] > row[best])) best = b;
    }
    out_bones[k] = best == SUP_NONE ? 0 : best;
    float weight = best == SUP_NONE ? 0 : row[best];
    out_weights[k] = sharpen ? powf(weight, SHARPEN) : weight;
    sum += out_weights[k];
  }
  for (uint32_t k = 0; k < SUP_ATTACH_BONES; k++) {
    out_weights[k] = sum > 0 ? out_weights[k] / sum : (k == 0 ? 1.0f : 0.0f);
  }
}

/* Weights for all nodes; then those that bones would drive into each other go free. */
static SupResult finish(Work *w, SupAttachment *out, SupAttachReport *report, SupError *error) {
  uint32_t nodes = w->fill->mesh.node_count;
  uint32_t *bones = SUP_ALLOC(w->arena, uint32_t, SUP_ATTACH_BONES * (size_t)nodes);
  float *weights = SUP_ALLOC(w->arena, float, SUP_ATTACH_BONES *(size_t)nodes);
  uint8_t *holds = SUP_ALLOC(w->arena, uint8_t, w->bone_count);
  uint8_t *keep = SUP_ALLOC(w->arena, uint8_t, nodes);
  if (!bones || !weights || !holds || !keep) return sup_fail_memory(error, "attaching");
  for (uint32_t n = 0; n < nodes; n++) {
    size_t at = SUP_ATTACH_BONES * (size_t)n;
    pick_bones(w->field + (size_t)n * w->bone_count, w->bone_count, w->held[n] == SUP_HELD_BY_BONE,
               bones + at, weights + at);
    keep[n] = w->held[n] == SUP_HELD_LOCKED;
  }
  SupResult result = sup_release_conflicts(w->arena, w->character, &w->fill->mesh, bones, weights,
                                           keep, w->held, &report->released_count, error);
  if (result != SUP_OK) return result;
  for (uint32_t n = 0; n < nodes; n++) {
    report->held_count += w->held[n] != SUP_HELD_NOT;
    if (w->held[n]) holds[bones[SUP_ATTACH_BONES * (size_t)n]] = 1;
  }
  for (uint32_t b = 0; b < w->bone_count; b++) report->bone_count += holds[b];
  *out = (SupAttachment){nodes, w->held, bones, weights};
  return SUP_OK;
}

SupResult sup_attach(SupArena *arena, const SupCharacter *character, const SupFill *fill,
                     const SupAttachDef *def, SupAttachment *out_attachment,
                     SupAttachReport *out_report, SupError *error) {
  if (character->skeleton.bone_count == 0 || character->skin.vertex_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  uint32_t nodes = fill->mesh.node_count;
  Work w = {.arena = arena, .character = character, .fill = fill};
  w.bone_count = character->skeleton.bone_count;
  w.field = SUP_ALLOC(arena, float, (size_t)nodes *w.bone_count);
  w.held = SUP_ALLOC(arena, uint8_t, nodes);
  if (!w.field || !w.held) return sup_fail_memory(error, "attaching");
  SupResult result = sup_segments_create(arena, character, &w.segments, &w.segment_count, error);
  if (result == SUP_OK) result = sup_inside_create(arena, &character->body, &w.inside, error);
  if (result == SUP_OK) {
    result = sup_harmonic_field(arena, fill, w.bone_count, weights_row, &character->skin, w.field,
                                error);
  }
  if (result != SUP_OK) return result;
  hold_near_bones(&w, def);
  if (!hold_surrounded(&w)) return sup_fail_memory(error, "attaching");
  if (def->lock && !hold_locked(&w, def->lock)) return sup_fail_memory(error, "attaching");
  SupAttachReport report = {0};
  SupAttachment attachment;
  if (!hold_loose_pieces(&w, &report.loose_pieces)) return sup_fail_memory(error, "attaching");
  result = finish(&w, &attachment, &report, error);
  if (result != SUP_OK) return result;
  *out_attachment = attachment;
  *out_report = report;
  return SUP_OK;
}
