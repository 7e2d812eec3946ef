/* SPDX-License-Identifier: MIT */
#include "lesson.h"

#include <math.h>

#include "supple/author/segments.h"

/* 0: lively for two seconds, then at rest; 1: another one; 2: small, with jerks at two times. */
static SupAffined motion_at(int motion, double s) {
  const double fade = s < 2 ? 1 : s < 2.5 ? 0.5 + 0.5 * cos(2 * SUP_PI * (s - 2)) : 0;
  double angle = fade * (motion ? 0.5 * sin(3 * s) : 0.3 * sin(6 * s));
  SupVec3d t = motion ? (SupVec3d){0, 0.2 * fade * sin(4 * s), 0}
                      : (SupVec3d){0.06 * fade * sin(7 * s), 0.12 * fade * sin(9 * s),
                                   0.1 * fade * sin(5 * s)};
  if (motion == 2) {
    angle = s < 2.33 ? 0.1 * sin(6 * s) : 0;
    t = (SupVec3d){0.02 * sin(7 * s), s < 2 ? 0.05 * sin(9 * s) : 0, 0.04 * sin(5 * s)};
  }
  const SupQuatd a = {0, 0, sin(angle / 2), cos(angle / 2)};
  const SupQuatd b = {sin(0.4 * angle), 0, 0, cos(0.4 * angle)};
  return rigid(sup_quatd_mul(a, b), t);
}

static void make_truth(Lesson *l) {
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_MAPS; k++) {
    const bool normal = k >= SUP_SURFACE_MAPS && l->flags & SUP_SURFACE_NORMAL;
    const bool eta = k == SUP_SURFACE_ETA && l->flags & SUP_SURFACE_UNDELAYED;
    if (k < 5 || eta || normal) l->truth[k] = SUP_ALLOC(l->arena, float, l->n);
  }
  for (uint32_t v = 0; v < l->n; v++) {
    const SupVec3d p = sup_vec3_to_double(l->tube.body.positions[v]);
    l->truth[0][v] = (float)(0.25 + 0.15 * sin(2 * p.y));
    l->truth[1][v] = (float)(0.3 + 0.2 * cos(3 * p.y));
    l->truth[2][v] = (float)(0.2 + 0.1 * p.x);
    l->truth[3][v] = (float)(0.15 + 0.1 * cos(p.y));
    l->truth[4][v] = l->flags & SUP_SURFACE_ABSOLUTE ? 0 : (float)(0.06 + 0.03 * sin(3 * p.y));
    if (l->truth[SUP_SURFACE_ETA]) l->truth[SUP_SURFACE_ETA][v] = (float)(0.4 + 0.3 * cos(4 * p.y));
    if (!(l->flags & SUP_SURFACE_NORMAL)) continue;
    l->truth[SUP_SURFACE_MAP_NORMAL_ALPHA][v] = (float)(0.3 - 0.15 * sin(2 * p.y + p.x));
    l->truth[SUP_SURFACE_MAP_NORMAL_DELTA][v] = (float)(0.12 + 0.05 * cos(2 * p.y));
  }
}

static void make_flesh(Lesson *l, Flesh *out) {
  SupSurfaceDef def = sup_surface_def();
  const SupSegment *segments;
  assert_int_equal(sup_segments_create(l->arena, &l->tube, &segments, &def.segment_count, NULL),
                   SUP_OK);
  SupSurfaceSegment *copies = SUP_ALLOC(l->arena, SupSurfaceSegment, def.segment_count);
  for (uint32_t s = 0; s < def.segment_count; s++) {
    copies[s] = (SupSurfaceSegment){segments[s].bone, segments[s].a, segments[s].b};
  }
  def.segments = copies;
  def.flags = l->flags;
  def.h = LESSON_H;
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_MAPS; k++) def.maps[k] = l->truth[k];
  flesh_make(l->arena, &l->tube, &def, out);
  out->rotation_steps = 12;
}

/* The run time's beginning: two goals taken over, and on from there. */
static void record(Lesson *l, int motion) {
  Flesh f;
  const uint32_t frames = l->example.frame_count;
  SupAffined *palettes = SUP_ALLOC(l->arena, SupAffined, 2 * frames);
  make_flesh(l, &f);
  for (uint32_t t = 0; t < frames; t++) {
    const SupAffined whole = motion_at(motion, t * (double)LESSON_H);
    const double bend = motion ? 0.1 * (motion == 1) : 0.2 * sin(8 * t * (double)LESSON_H);
    f.palette[0] = whole;
    f.palette[1] =
        sup_affined_mul(whole, sup_affined_mul(rigid((SupQuatd){0, 0, 0, 1}, (SupVec3d){0, 1, 0}),
                                               rigid((SupQuatd){sin(bend / 2), 0, 0, cos(bend / 2)},
                                                     (SupVec3d){0, -cos(bend), -sin(bend)})));
    palettes[2 * t] = f.palette[0], palettes[2 * t + 1] = f.palette[1];
    flesh_goal(&f);
    if (t < 2) {
      for (uint32_t v = 0; v < l->n; v++) {
        l->positions[(size_t)t * l->n + v] = flesh_get(f.next_goal, f.view.lanes[v]);
      }
    }
    if (t == 0) flesh_start(&f);
    if (t == 1) {
      for (uint32_t lane = 0; lane < f.lanes; lane++) {
        const SupVec3d goal = flesh_get(f.next_goal, lane);
        const SupVec3d step = sup_vec3d_sub(goal, flesh_get(f.goal, lane));
        flesh_set(f.x, lane, sup_vec3d_add(goal, step));
        flesh_set(f.dx, lane, step);
        flesh_set(f.goal, lane, goal);
        flesh_set(f.goal_step, lane, step);
      }
    }
    if (t < 2) continue;
    flesh_step(&f, NULL);
    for (uint32_t v = 0; v < l->n; v++) { /* what that step began with, and frames show */
      const double *x = f.records + (size_t)8 * f.view.lanes[v];
      l->positions[(size_t)t * l->n + v] = (SupVec3d){x[0], x[1], x[2]};
    }
  }
  l->example.exact_palettes = palettes;
  l->example.exact_positions = l->positions;
}

void lesson_make(SupArena *arena, uint32_t around, uint32_t along, uint32_t frames, int motion,
                 uint32_t flags, Lesson *out) {
  *out = (Lesson){.arena = arena, .flags = flags};
  tube_make(arena, around, along, NULL, &out->tube);
  out->n = out->tube.body.vertex_count;
  out->example = (SupSurfaceExample){.name = motion ? "other" : "lively", .frame_count = frames};
  out->positions = SUP_ALLOC(arena, SupVec3d, (size_t)frames * out->n);
  make_truth(out);
  record(out, motion);
}

void lesson_play(const Lesson *l, const SupSurfaceMaps *maps, int motion, Lesson *out) {
  *out = *l;
  out->positions = SUP_ALLOC(l->arena, SupVec3d, (size_t)l->example.frame_count * l->n);
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_MAPS; k++) {
    if (l->truth[k]) out->truth[k] = maps->rows[k];
  }
  record(out, motion);
}

void lesson_noise(Lesson *l, double fraction, uint64_t seed) {
  SupRng rng = sup_rng(seed, 3);
  Flesh f;
  double most = 0;
  make_flesh(l, &f);
  for (uint32_t t = 0; t < l->example.frame_count; t++) {
    f.palette[0] = l->example.exact_palettes[2 * t];
    f.palette[1] = l->example.exact_palettes[2 * t + 1];
    flesh_goal(&f);
    for (uint32_t v = 0; v < l->n; v++) {
      const SupVec3d goal = flesh_get(f.next_goal, f.view.lanes[v]);
      most = fmax(most, sup_vec3d_distance(goal, l->positions[(size_t)t * l->n + v]));
    }
  }
  for (size_t i = 0; i < (size_t)l->example.frame_count * l->n; i++) {
    /* The sum of twelve: nearly Gaussian, of variance 1. */
    double g[3] = {-6, -6, -6};
    for (int k = 0; k < 36; k++) g[k % 3] += sup_rng_double(&rng);
    const SupVec3d noise = {g[0], g[1], g[2]};
    l->positions[i] = sup_vec3d_add_scaled(l->positions[i], noise, fraction * most);
  }
}

void lesson_calm(Lesson *l, double fraction) {
  Flesh f;
  make_flesh(l, &f);
  for (uint32_t t = 0; t < l->example.frame_count; t++) {
    f.palette[0] = l->example.exact_palettes[2 * t];
    f.palette[1] = l->example.exact_palettes[2 * t + 1];
    flesh_goal(&f);
    for (uint32_t v = 0; v < l->n; v++) {
      SupVec3d *x = &l->positions[(size_t)t * l->n + v];
      *x = sup_vec3d_lerp(flesh_get(f.next_goal, f.view.lanes[v]), *x, fraction);
    }
  }
}

SupSurfaceTrainDef lesson_def(const Lesson *l) {
  SupSurfaceTrainDef def = sup_surface_train_def(&l->tube);
  def.example_count = 1;
  def.examples = &l->example;
  def.h = LESSON_H;
  def.flags = l->flags;
  def.smooth = 0;
  def.outlier = 0;
  def.inertia_gain = 1;
  def.rotation_steps = 4;
  return def;
}

double lesson_distance(const Lesson *l, const SupSurfaceMaps *maps) {
  double most = 0;
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_MAPS; k++) {
    for (uint32_t v = 0; v < l->n && l->truth[k]; v++) {
      most = fmax(most, fabs((double)maps->rows[k][v] - (double)l->truth[k][v]));
    }
  }
  return most;
}
