/* SPDX-License-Identifier: MIT */
/* A box of flesh on a rig with known motions. */
#ifndef SUP_TESTS_RIGSPACE_BOXED_RIG_H
#define SUP_TESTS_RIGSPACE_BOXED_RIG_H

#include "check.h"

#include <math.h>

#include "sim/boxes.h"
#include "supple/io/file.h"
#include "supple/rig/rig.h"
#include "supple/train/rigspace.h"
#include "train/rigspace/rigspace_parts.h"

enum { SHIFT, TURN, SCRIPTED, MODES = 4, PARAMETERS = SCRIPTED + MODES };

typedef struct Lab {
  SupArena arena;
  Box box;
  SupDrivenVolume volume;
  bool bends;   /* the last mode is nonlinear */
  double still; /* nothing below this height moves */
  uint32_t calls;
  SupRigParameter parameters[PARAMETERS];
  SupRig rig;
  SupMaterialDef material;
} Lab;

/* Displacement of X by the free parameters; the bottom stays. */
static inline SupVec3d deform(const Lab *lab, SupVec3d x, const double *f) {
  const double y = fmax(x.y - lab->still, 0);
  SupVec3d out = x;
  out.x += f[0] * y * y + f[1] * (x.x - 0.2) * y * (1.2 - y);
  out.y += f[2] * y * (0.3 + x.x);
  out.z += f[1] * (x.z - 0.2) * y * (1.2 - y);
  if (!lab->bends) {
    out.z += f[3] * y * y * (1 + x.x);
    return out;
  }
  /* A bend about z: the angle grows along y. */
  const double angle = f[3] * out.y, c = cos(angle), s = sin(angle), r = out.x - 1;
  return (SupVec3d){1 + c * r + s * 0.5 * out.y, c * out.y - s * r, out.z};
}

static inline SupResult lab_evaluate(void *user, uint32_t count, const double *p, SupVec3d *out,
                                     SupError *error) {
  Lab *lab = (Lab *)user;
  (void)error;
  lab->calls += count;
  for (uint32_t k = 0; k < count; k++, p += PARAMETERS) {
    const SupQuatd turn = sup_quatd_exp((SupVec3d){0, 0, p[TURN]});
    for (uint32_t v = 0; v < lab->volume.skin_count; v++) {
      const SupVec3d x = deform(lab, lab->volume.mesh.nodes[v], p + SCRIPTED);
      *out = sup_quatd_rotate(turn, x);
      out++->x += p[SHIFT];
    }
  }
  return SUP_OK;
}

/* Surface nodes first; the skin's vertices are these nodes. */
static inline void lab_volume(Lab *lab, const int cells[3], const double size[3]) {
  lab->box = box_create(cells, size);
  const uint32_t nodes = lab->box.mesh.node_count, tets = lab->box.mesh.tet_count;
  uint32_t *number = SUP_ALLOC(&lab->arena, uint32_t, nodes), count = 0, surface = 0;
  SupVec3d *at = SUP_ALLOC(&lab->arena, SupVec3d, nodes);
  for (int inside = 0; inside < 2; inside++) {
    for (uint32_t n = 0; n < nodes; n++) {
      const SupVec3d x = lab->box.nodes[n];
      const double e = 1e-9;
      const bool deep = x.x > e && x.y > e && x.z > e && x.x < size[0] - e && x.y < size[1] - e &&
                        x.z < size[2] - e;
      if (deep != (inside == 1)) continue;
      at[count] = x;
      number[n] = count++;
    }
    if (!inside) surface = count;
  }
  uint32_t *corners = SUP_ALLOC(&lab->arena, uint32_t, 4 * tets), *skin, *ties;
  double *weights = SUP_ALLOC(&lab->arena, double, 3 * surface);
  for (uint32_t k = 0; k < 4 * tets; k++) corners[k] = number[lab->box.tets[k]];
  skin = SUP_ALLOC(&lab->arena, uint32_t, surface);
  ties = SUP_ALLOC(&lab->arena, uint32_t, 3 * surface);
  for (uint32_t n = 0; n < surface; n++) {
    skin[n] = ties[3 * n] = ties[3 * n + 1] = ties[3 * n + 2] = n;
    weights[3 * n] = 1;
  }
  double *fractions = SUP_ALLOC(&lab->arena, double, tets);
  for (uint32_t t = 0; t < tets; t++) fractions[t] = 1;
  lab->volume = (SupDrivenVolume){
      {nodes, tets, at, corners}, surface, surface, skin, ties, weights, fractions};
}

static inline Lab *lab_create(const int cells[3], const double size[3], bool bends) {
  Lab *lab = (Lab *)calloc(1, sizeof *lab);
  assert_non_null(lab);
  sup_arena_init(&lab->arena, sup_heap_allocator(), 0);
  lab->bends = bends;
  lab_volume(lab, cells, size);
  static const char *const names[] = {"shift", "turn", "lean", "bulge", "rise", "bend"};
  for (int k = 0; k < PARAMETERS; k++) {
    lab->parameters[k] = (SupRigParameter){
        names[k], "", 0, -1, 1, 2, k < SCRIPTED ? SUP_RIG_SCRIPTED : SUP_RIG_FREE, 0};
  }
  lab->parameters[SHIFT].low = -INFINITY;
  lab->parameters[SHIFT].high = INFINITY;
  lab->rig = (SupRig){.parameter_count = PARAMETERS,
                      .parameters = lab->parameters,
                      .vertex_count = lab->volume.skin_count,
                      .user = lab,
                      .evaluate = lab_evaluate};
  lab->material = (SupMaterialDef){SUP_MATERIAL_NEO_HOOKEAN, 8e4, 0.4, 1000, 0.003, 0.1, 0};
  return lab;
}

static inline void lab_free(Lab *lab) {
  box_free(&lab->box);
  sup_arena_free(&lab->arena);
  free(lab);
}

static inline SupRigspaceDef lab_def(const Lab *lab, SupRigspaceInside inside) {
  SupRigspaceDef def = sup_rigspace_def(&lab->rig, &lab->volume);
  def.materials = &lab->material;
  def.material_count = 1;
  def.inside = inside;
  def.tolerance = 1e-11;
  return def;
}

static inline SupRigspace *lab_rigspace(Lab *lab, const SupRigspaceDef *def) {
  SupRigspace *rs = NULL;
  SupError error = {""};
  SupResult result = sup_rigspace_create(&lab->arena, def, &rs, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  return rs;
}

/* A script that shoves and turns the box. */
static inline void script(double t, double *out) {
  memset(out, 0, PARAMETERS * sizeof *out);
  out[SHIFT] = 0.05 * sin(9 * t) + 0.2 * t;
  out[TURN] = 0.4 * sin(5 * t);
}

/* What a run gave: free parameters of every step. */
typedef struct Run {
  double p[200][MODES];
  SupRigspaceReport sum; /* of the counts; the largest linearity error */
} Run;

static inline void add_report(SupRigspaceReport *sum, const SupRigspaceReport *one) {
  sum->iterations += one->iterations;
  sum->kept_moves += one->kept_moves;
  sum->rig_calls += one->rig_calls;
  sum->jacobians += one->jacobians;
  sum->foreseen += one->foreseen;
  sum->roll_backs += one->roll_backs;
  sum->linearity_error = fmax(sum->linearity_error, one->linearity_error);
}

static inline void take_steps(SupRigspace *rs, int first, int count, SupVec3d gravity,
                              void (*moves)(double, double *), Run *run) {
  const double h = 0.01;
  double next[PARAMETERS];
  for (int k = first; k < first + count; k++) {
    SupRigspaceReport report;
    SupError error = {""};
    moves(h * (k + 1), next);
    SupResult result = sup_rigspace_step(rs, next, h, gravity, &report, &error);
    if (result != SUP_OK) print_error("%s\n", error.text);
    assert_int_equal(result, SUP_OK);
    if (!report.converged) print_error("step %d did not converge\n", k);
    assert_true(report.converged);
    memcpy(run->p[k], sup_rigspace_parameters(rs) + SCRIPTED, sizeof run->p[k]);
    add_report(&run->sum, &report);
  }
}

static inline void begin(SupRigspace *rs, SupVec3d gravity, void (*moves)(double, double *)) {
  double now[PARAMETERS], before[PARAMETERS];
  SupRigspaceReport report;
  SupError error = {""};
  moves(0, now);
  moves(-0.01, before);
  SupResult result = sup_rigspace_start(rs, now, before, 0.01, gravity, &report, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  assert_true(report.converged);
}

static inline double run_difference(const Run *a, const Run *b, int count) {
  double most = 0;
  for (int k = 0; k < count; k++) {
    for (int i = 0; i < MODES; i++) most = fmax(most, fabs(a->p[k][i] - b->p[k][i]));
  }
  return most;
}

static inline double run_size(const Run *a, int count) {
  static const Run zero;
  return run_difference(a, &zero, count);
}

#endif
