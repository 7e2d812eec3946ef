/* SPDX-License-Identifier: MIT */
/*
 * One value that is no finite number in a batch, in the pose of one character or in what acts on
 * all: what is shown is finite at once, soon that of a twin who never saw it, and characters who
 * were not meant have the bits of their twins.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "batch_check.h"

enum {
  HIT = 1,
  LATE = 30,
  SETTLED = 400,
  MODES_A = 16,
  MODES_B = 23,
  HELPERS_A = 4,
  HELPERS_B = 7
};

typedef enum Where { NOWHERE, IN_PLACE, IN_AXES, IN_TURN, IN_FORCES, IN_COLLIDER, IN_TIME } Where;

typedef struct Fault {
  Where where;
  float value;
  uint32_t frame;
} Fault;

/* A batch that plays: `shown` has the numbers of character k from first[k] on. */
typedef struct Run {
  Crowd c;
  const struct Kind *kind;
  void *batch;
  float *shown, *device, *weights, *mixed;
  SupTransform *joints;
  SupAffine *places;
  size_t first[CHARACTERS + 1];
} Run;

/* What is played. Without memory, the next frame is as if nothing had been. */
typedef struct Kind {
  const char *name;
  void (*open)(Run *r, SupArena *arena, const SupBackend *backend);
  void (*step)(Run *r, uint32_t frame, Fault fault, bool afresh);
  void (*close)(Run *r);
  uint32_t where; /* bits of Where */
  uint32_t flags;
  bool remembers;
} Kind;

static void room_for(Run *r, size_t a, size_t b) {
  for (uint32_t k = 0; k < CHARACTERS; k++) r->first[k + 1] = r->first[k] + (k < 3 ? a : b);
  const size_t bytes = r->first[CHARACTERS] * sizeof(float);
  r->shown = sup_arena_alloc(&r->c.arena, 1, bytes);
  r->device = r->c.table->allocate(&r->c.def.allocator, bytes);
}

static void fetch(Run *r) {
  SupError error;
  const size_t bytes = r->first[CHARACTERS] * sizeof(float);
  must(r->c.table->download(r->shown, r->device, bytes, r->c.stream, &error), &error);
}

static void bad_pose(Run *r, uint32_t frame, Fault fault) {
  SupError error;
  Crowd *c = &r->c;
  pose(c, frame, false);
  float *bone = c->host[(size_t)CROWD_BONES * HIT + 5].m;
  if (fault.where == IN_PLACE) bone[10] = fault.value;
  if (fault.where == IN_AXES) bone[3] = fault.value;
  if (fault.where != IN_PLACE && fault.where != IN_AXES) return;
  must(c->table->upload(c->palettes, c->host, c->palette_bytes, c->stream, &error), &error);
  must(c->table->wait(c->stream, &error), &error);
}

/* ---- Surface ------------------------------------------------------------------------------------
 */

static void surface_open(Run *r, SupArena *arena, const SupBackend *backend) {
  SupError error;
  SupSurfaceBatch *batch;
  const CrowdModel a = crowd_model(arena, 700, r->kind->flags, true);
  const CrowdModel b = crowd_model(arena, 494, r->kind->flags, false);
  crowd_open(&r->c, backend, a.model, b.model);
  must(r->c.table->surface_make(backend, &r->c.def, &batch, &error), &error);
  r->batch = batch;
  room_for(r, (size_t)6 * 700, (size_t)6 * 494);
  r->mixed = sup_arena_alloc(&r->c.arena, r->first[CHARACTERS], sizeof(float));
}

static void surface_step(Run *r, uint32_t frame, Fault fault, bool afresh) {
  SupCollider ball = forces.colliders[0];
  SupBatchForces acting = forces;
  const size_t vertices = r->first[CHARACTERS] / 6;
  acting.colliders = &ball;
  acting.collider_count = fault.where == IN_COLLIDER;
  if (fault.where == IN_COLLIDER) ball.a.y = fault.value;
  if (fault.where == IN_FORCES) acting.acceleration.y = fault.value;
  bad_pose(r, frame, fault);
  if (afresh) r->c.table->surface_reset(r->batch, 0, CHARACTERS, r->c.stream);
  r->c.table->surface_step(r->batch, r->c.palettes, &acting, r->c.stream);
  r->c.table->surface_show(r->batch, (SupBatchOutput){r->device, 3},
                           (SupBatchOutput){r->device + 3 * vertices, 3}, r->c.stream);
  fetch(r);
  /* By character: positions, normals. */
  memcpy(r->mixed, r->shown, 6 * vertices * sizeof(float));
  for (uint32_t k = 0; k < CHARACTERS; k++) {
    const size_t half = (r->first[k + 1] - r->first[k]) / 2;
    memcpy(r->shown + r->first[k], r->mixed + r->first[k] / 2, half * sizeof(float));
    memcpy(r->shown + r->first[k] + half, r->mixed + 3 * vertices + r->first[k] / 2,
           half * sizeof(float));
  }
}

static void surface_close(Run *r) { r->c.table->surface_free(r->batch); }

/* ---- Modes --------------------------------------------------------------------------------------
 */

static void modes_open(Run *r, SupArena *arena, const SupBackend *backend) {
  SupError error;
  SupModesBatch *batch;
  crowd_open(&r->c, backend, crowd_modes(arena, 494, MODES_A), crowd_modes(arena, 300, MODES_B));
  must(r->c.table->modes_make(backend, &r->c.def, &batch, &error), &error);
  r->batch = batch;
  room_for(r, MODES_A, MODES_B);
}

static void modes_step(Run *r, uint32_t frame, Fault fault, bool afresh) {
  const SupVec3 gravity = {0, fault.where == IN_FORCES ? fault.value : -9.81f, 0};
  bad_pose(r, frame, fault);
  if (afresh) r->c.table->modes_reset(r->batch, 0, CHARACTERS, r->c.stream);
  r->c.table->modes_step(r->batch, fault.where == IN_TIME ? fault.value : 1.0f / 60, r->c.palettes,
                         gravity, r->c.stream);
  r->c.table->modes_weights(r->batch, 1000, 1, r->device, r->c.stream);
  fetch(r);
}

static void modes_close(Run *r) { r->c.table->modes_free(r->batch); }

/* ---- Skins --------------------------------------------------------------------------------------
 */

static void skin_open(Run *r, SupArena *arena, const SupBackend *backend) {
  SupSkinBatch *batch;
  SupError error;
  crowd_open(&r->c, backend, crowd_modes(arena, 494, MODES_A), crowd_modes(arena, 300, MODES_B));
  must(r->c.table->skin_make(backend, &r->c.def, &batch, &error), &error);
  r->batch = batch;
  room_for(r, (size_t)3 * 494, (size_t)3 * 300);
  r->weights =
      r->c.table->allocate(&r->c.def.allocator, (3 * MODES_A + 2 * MODES_B) * sizeof(float));
}

static void skin_step(Run *r, uint32_t frame, Fault fault, bool afresh) {
  SupError error;
  float weights[3 * MODES_A + 2 * MODES_B];
  for (uint32_t k = 0; k < sizeof weights / sizeof *weights; k++) {
    weights[k] = afresh ? 0 : 0.1f * sinf((float)(frame + k));
  }
  if (fault.where == IN_FORCES) weights[HIT * MODES_A + 3] = fault.value;
  bad_pose(r, frame, fault);
  must(r->c.table->upload(r->weights, weights, sizeof weights, r->c.stream, &error), &error);
  r->c.table->skin_lbs(r->batch, r->c.palettes, r->weights, (SupBatchOutput){r->device, 3},
                       (SupBatchOutput){NULL, 0}, r->c.stream);
  fetch(r);
}

static void skin_close(Run *r) {
  r->c.table->release(&r->c.def.allocator, r->weights, (3 * MODES_A + 2 * MODES_B) * sizeof(float));
  r->c.table->skin_free(r->batch);
}

/* ---- Helpers ------------------------------------------------------------------------------------
 */

enum { JOINTS_A = CROWD_JOINTS + HELPERS_A, JOINTS_B = CROWD_JOINTS + HELPERS_B };
enum { ALL_JOINTS = 3 * JOINTS_A + 2 * JOINTS_B };

static void helpers_open(Run *r, SupArena *arena, const SupBackend *backend) {
  SupError error;
  SupHelpersCrowd *batch;
  crowd_open(&r->c, backend, crowd_helpers(arena, HELPERS_A, 10),
             crowd_helpers_two(arena, HELPERS_B, 3));
  must(r->c.table->helpers_make(backend, &r->c.def, &batch, &error), &error);
  r->batch = batch;
  room_for(r, (size_t)10 * HELPERS_A, (size_t)10 * HELPERS_B);
  r->joints = r->c.table->allocate(&r->c.def.allocator, ALL_JOINTS * sizeof(SupTransform));
  r->places = r->c.table->allocate(&r->c.def.allocator, ALL_JOINTS * sizeof(SupAffine));
}

static void helpers_step(Run *r, uint32_t frame, Fault fault, bool afresh) {
  static SupTransform joints[ALL_JOINTS];
  static SupAffine places[ALL_JOINTS];
  const SupBatchTable *table = r->c.table;
  SupError error;
  SupHelpersControls controls = sup_helpers_controls();
  controls.gravity = (SupVec3){0, fault.where == IN_FORCES ? fault.value : -9.81f, 0};
  for (uint32_t k = 0, at = 0; k < CHARACTERS; k++) {
    const uint32_t count = k < 3 ? JOINTS_A : JOINTS_B;
    crowd_joints(k, frame / 60.0, count, joints + at, places + at);
    for (uint32_t j = 0; k == HIT && j < CROWD_JOINTS; j++) { /* whichever the helpers look at */
      if (fault.where == IN_PLACE) places[at + j].m[10] = fault.value;
      if (fault.where == IN_AXES) places[at + j].m[4] = fault.value;
      if (fault.where == IN_TURN) joints[at + j].rotation.y = fault.value;
    }
    at += count;
  }
  must(table->upload(r->joints, joints, sizeof joints, r->c.stream, &error), &error);
  must(table->upload(r->places, places, sizeof places, r->c.stream, &error), &error);
  if (afresh) table->helpers_reset(r->batch, 0, CHARACTERS, r->c.stream);
  table->helpers_step(r->batch, &controls, r->places, r->joints, r->c.stream);
  must(table->download(joints, r->joints, sizeof joints, r->c.stream, &error), &error);
  for (uint32_t k = 0, at = 0; k < CHARACTERS; k++) {
    memcpy(r->shown + r->first[k], joints + at + CROWD_JOINTS,
           (r->first[k + 1] - r->first[k]) * sizeof(float));
    at += k < 3 ? JOINTS_A : JOINTS_B;
  }
}

static void helpers_close(Run *r) {
  r->c.table->release(&r->c.def.allocator, r->joints, ALL_JOINTS * sizeof(SupTransform));
  r->c.table->release(&r->c.def.allocator, r->places, ALL_JOINTS * sizeof(SupAffine));
  r->c.table->helpers_free(r->batch);
}

/* ---- The check ----------------------------------------------------------------------------------
 */

static double apart(const Run *a, const Run *b, uint32_t k) {
  double most = 0;
  for (size_t i = a->first[k]; i < a->first[k + 1]; i++) {
    const double d = fabs((double)a->shown[i] - (double)b->shown[i]);
    most = d <= most ? most : d < 1e9 ? d : 1e9;
  }
  return most;
}

static bool finite(const Run *r) {
  for (size_t i = 0; i < r->first[CHARACTERS]; i++) {
    if (!isfinite(r->shown[i])) return false;
  }
  return true;
}

static bool same_bits(const Run *a, const Run *b, uint32_t k) {
  return memcmp(a->shown + a->first[k], b->shown + b->first[k],
                (a->first[k + 1] - a->first[k]) * sizeof(float)) == 0;
}

static void play_fault(const SupBackend *backend, const Kind *kind, Fault fault) {
  SupArena arena = crowd_arena();
  static Run runs[3]; /* hit, twin, and one without a past */
  const uint32_t frames = kind->remembers ? SETTLED : LATE + 5;
  uint32_t unfit = 0, touched = 0;
  double motion = 0, worst = 0, farthest = 0;
  const bool everybody =
      fault.where == IN_COLLIDER || fault.where == IN_TIME ||
      (fault.where == IN_FORCES && kind->remembers); /* a skin's weights are a character's own */
  memset(runs, 0, sizeof runs);
  for (int k = 0; k < 3; k++) {
    runs[k].kind = kind;
    kind->open(&runs[k], &arena, backend);
  }
  for (uint32_t frame = 0; frame < frames; frame++) {
    const Fault none = {NOWHERE, 0, 0};
    for (int k = 0; k < 3; k++) {
      kind->step(&runs[k], frame, k == 0 && frame == fault.frame ? fault : none, k == 2);
    }
    unfit += !finite(&runs[0]);
    worst = 0;
    for (uint32_t k = 0; k < CHARACTERS; k++) {
      motion = fmax(motion, apart(&runs[1], &runs[2], k));
      worst = fmax(worst, apart(&runs[0], &runs[1], k));
      farthest = fmax(farthest, frame > 0 ? worst : 0);
      touched += !everybody && k != HIT && !same_bits(&runs[0], &runs[1], k);
    }
  }
  if (unfit || touched || !(worst <= 0.01 * motion) || !(farthest < 3 * motion)) {
    printf(
        "%s, fault %d (%g) at %u: %u frames not finite, %u of others touched, %g off, then %g, of "
        "%g\n",
        kind->name, (int)fault.where, (double)fault.value, fault.frame, unfit, touched, farthest,
        worst, motion);
    expect(false, "faults: finite, settled, alone");
  }
  for (int k = 0; k < 3; k++) {
    const size_t bytes = runs[k].first[CHARACTERS] * sizeof(float);
    kind->close(&runs[k]);
    runs[k].c.table->release(&runs[k].c.def.allocator, runs[k].device, bytes);
    crowd_free(&runs[k].c);
  }
  sup_arena_free(&arena);
}

void check_faults(const SupBackend *backend) {
  enum { POSE = 1 << IN_PLACE | 1 << IN_AXES };
  static const Kind kinds[] = {
      {"modes", modes_open, modes_step, modes_close, POSE | 1 << IN_FORCES | 1 << IN_TIME, 0, true},
      {"surface", surface_open, surface_step, surface_close,
       POSE | 1 << IN_FORCES | 1 << IN_COLLIDER, 0, true},
      {"learned surface", surface_open, surface_step, surface_close, POSE,
       SUP_SURFACE_UNDELAYED | SUP_SURFACE_NORMAL | SUP_SURFACE_BACKSTOPS, true},
      {"helpers", helpers_open, helpers_step, helpers_close, POSE | 1 << IN_TURN | 1 << IN_FORCES,
       0, true},
      {"skin", skin_open, skin_step, skin_close, POSE | 1 << IN_FORCES, 0, false}};
  uint32_t count = 0;
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    for (Where where = IN_PLACE; where <= IN_TIME; where++) {
      if (!(kinds[i].where >> where & 1)) continue;
      play_fault(backend, &kinds[i], (Fault){where, NAN, LATE});
      play_fault(backend, &kinds[i], (Fault){where, where % 2 ? INFINITY : -INFINITY, LATE});
      play_fault(backend, &kinds[i], (Fault){where, NAN, 0}); /* with nothing to hold on to */
      count += 3;
    }
  }
  printf("faults: %u played\n", count);
}
