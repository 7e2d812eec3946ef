/* SPDX-License-Identifier: MIT */
/* Setting up the subspace technique: what its tables promise, and what it refuses. */
#include <math.h>

#include "mochi_flesh.h"
#include "supple/io/file.h"
#include "supple/io/pool.h"
#include "train/subspace/subspace_parts.h"

/* ---- Functions and clusters ------------------------------------------------------------------ */

typedef struct Parts {
  SubspaceBody body;
  SubspaceFunctions functions;
  uint32_t *labels, clusters;
  SubspaceTables tables;
} Parts;

static Parts find_parts(Flesh *f) {
  Parts p = {.body = {.def = &f->def}};
  SupFillReport fill;
  SupAttachReport attach;
  SupError error;
  uint32_t poses = 0;
  SupResult result = sup_subspace_body(&f->arena, &p.body, &fill, &attach, &error);
  if (!result) result = sup_subspace_basis(&f->arena, &p.body, &p.functions, &poses, &error);
  p.labels = SUP_ALLOC(&f->arena, uint32_t, p.body.volume.body.mesh.tet_count);
  if (!result) result = sup_subspace_clusters(&f->arena, &p.body, p.labels, &p.clusters, &error);
  if (!result) {
    result = sup_subspace_tables(&f->arena, &p.body, &p.functions, p.labels, p.clusters, &p.tables,
                                 &error);
  }
  if (result) fail_msg("%s", error.text);
  assert_int_equal(poses, f->def.pose_count);
  return p;
}

/* Mass-orthonormal, the quadratic term diagonal. */
static void check_functions(const Parts *p) {
  const SupElastic *elastic = &p->body.volume.body;
  const size_t rows = elastic->free_count, count = p->functions.count;
  double *applied = malloc(rows * sizeof *applied), largest = p->functions.elastic[count - 1];
  for (size_t k = 0; k < count; k++) {
    memset(applied, 0, rows * sizeof *applied);
    sup_subspace_apply(&p->body, p->functions.values + k * rows, applied);
    for (size_t j = 0; j <= k; j++) {
      double mass = 0, form = 0;
      for (size_t i = 0; i < rows; i++) {
        const double f = p->functions.values[j * rows + i];
        mass += elastic->masses[elastic->free_nodes[i]] * f * p->functions.values[k * rows + i];
        form += f * applied[i];
      }
      assert_true(fabs(mass - (j == k)) < 1e-6);
      assert_true(fabs(form - (j == k ? p->functions.elastic[k] : 0)) < 1e-6 * largest);
    }
  }
  free(applied);
}

/* Every element that counts has a cluster; the clusters hold all of the stiffness. */
static void check_clusters(const Flesh *f, const Parts *p) {
  double all = 0, held = 0;
  for (uint32_t t = 0; t < p->body.volume.body.mesh.tet_count; t++) {
    all += p->body.shear[t];
    assert_true((p->labels[t] == SUP_NONE) == (p->body.shear[t] == 0));
    if (p->labels[t] != SUP_NONE) assert_true(p->labels[t] < p->clusters);
  }
  for (uint32_t c = 0; c < p->clusters; c++) {
    assert_true(p->tables.shear[c] > 0);
    held += p->tables.shear[c];
  }
  assert_true(p->clusters <= f->def.cluster_count && p->clusters > f->def.cluster_count / 2);
  assert_true(fabs(held - all) < 1e-9 * all);
}

/* All bones by one map: gradients are that map's, and no function is pulled at. */
static void check_bones(const Parts *p) {
  const SubspaceTables *t = &p->tables;
  const double scale = p->body.volume.scale;
  for (uint32_t c = 0; c < t->clusters; c++) {
    for (int f = 0; f < 4; f++) {
      for (int axis = 0; axis < 3; axis++) {
        double sum = 0;
        for (uint32_t b = 0; b < t->fours / 4; b++) {
          sum +=
              t->bone_gradients[3 * ((size_t)c * t->fours + 4 * b + (uint32_t)f) + (uint32_t)axis];
        }
        assert_true(fabs(sum - (f == axis ? 1 / scale : 0)) < 1e-5);
      }
    }
  }
  for (uint32_t k = 0; k < t->functions; k++) {
    for (uint32_t f = 0; f < 4; f++) {
      double pull = 0, mass = 0, size = 0;
      for (uint32_t b = 0; b < t->fours / 4; b++) {
        pull += t->elastic_bones[(size_t)k * t->fours + 4 * b + f];
        size += fabs(t->elastic_bones[(size_t)k * t->fours + 4 * b + f]);
        mass += t->inertia_bones[(size_t)k * t->fours + 4 * b + f];
      }
      assert_true(fabs(pull) < 1e-5 * (size + 1));
      if (f == 3) assert_true(fabs(mass - t->weight[k]) < 1e-5 * p->body.mass);
    }
  }
}

static void test_parts(void **state) {
  (void)state;
  Flesh *f = flesh_open(700);
  const Parts p = find_parts(f);
  check_functions(&p);
  check_clusters(f, &p);
  check_bones(&p);
  flesh_free(f);
}

/* ---- Reports --------------------------------------------------------------------------------- */

static void test_report(void **state) {
  Flesh *f = *state;
  const SupSubspaceTrainReport *r = &f->report;
  assert_true(fabs(r->frequencies[0] - 4) < 1e-9);
  double mean = 0;
  for (int k = 0; k < 10; k++) mean += log(r->reduced[k] / r->frequencies[k]) / 10;
  assert_true(fabs(mean) < 1e-9); /* what the correction is for */
  /* Few functions can only stiffen the body, mean gradients of clusters only soften it. */
  assert_true(r->correction > 0.5 && r->correction < 2);
  /* 0.1, less (omega h)^3 / 4 of the steps' own. */
  const double first = 2 * SUP_PI * 4, own = pow(first / 60, 3) / 4;
  assert_true(fabs(r->damping * first / 2 - (0.1 - own)) < 1e-6);
  assert_true(r->mass > 0 && r->size > 0);
  assert_int_equal(r->function_count, 40);
}

/* Functions are 0 on skin that is locked. */
static void test_lock(void **state) {
  (void)state;
  Flesh *f = flesh_open(700);
  const uint32_t vertices = f->character.body.vertex_count;
  float *lock = calloc(vertices, sizeof *lock);
  uint32_t locked = 0;
  for (uint32_t v = 0; v < vertices; v++) {
    if (f->character.body.positions[v].y < 0.5f) lock[v] = 1, locked++;
  }
  assert_true(locked > 10 && locked < vertices - 10);
  f->def.attach.lock = lock;
  flesh_train(f);
  flesh_pose(f, 1, 0.4);
  sup_subspace_step(&f->view, f->state, f->view.h, f->palette, (SupVec3){0, -9.81f, 0});
  assert_true(flesh_offsets(f) > 0);
  for (uint32_t v = 0; v < vertices; v++) {
    if (lock[v] == 1) assert_true(sup_vec3_length(f->offsets[v]) == 0);
  }
  free(lock);
  flesh_free(f);
}

/* The same bits with threads. */
static void test_threads(void **state) {
  Flesh *one = *state, *many = flesh_open(700);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  assert_non_null(pool);
  const SupJobs jobs = sup_pool_jobs(pool);
  many->def.jobs = &jobs;
  flesh_train(many);
  const SupSubspaceView *a = &one->view, *b = &many->view;
  assert_int_equal(a->function_count, b->function_count);
  assert_memory_equal(a->gradients, b->gradients,
                      sizeof(float) * a->block_count * a->function_count * 48);
  assert_memory_equal(a->helper_map, b->helper_map,
                      sizeof(float) * 4 * a->helper_count * a->function_count);
  flesh_free(many);
  sup_pool_destroy(pool);
}

/* ---- Refusals -------------------------------------------------------------------------------- */

static void refuses(Flesh *f, const char *part) {
  SupError error;
  SupSubspaceView view = {.function_count = 7};
  SupSubspaceTrainReport report = {.node_count = 7};
  assert_int_not_equal(sup_subspace_train(&f->arena, &f->def, &view, &report, &error), SUP_OK);
  if (!strstr(error.text, part)) fail_msg("'%s' does not say '%s'", error.text, part);
  assert_int_equal(view.function_count, 7);
  assert_int_equal(report.node_count, 7);
  f->def = sup_subspace_train_def(&f->character);
  f->def.fill.tet_target = 500;
}

static void test_refusals(void **state) {
  (void)state;
  Flesh *f = flesh_open(500);
  f->def.cookie = 0;
  refuses(f, "sup_subspace_train_def");
  f->def.function_count = 0;
  refuses(f, "0 functions");
  f->def.function_count = 513;
  refuses(f, "1 to 512");
  f->def.cluster_count = 0;
  refuses(f, "at least one");
  f->def.influence_count = 5;
  refuses(f, "not 5");
  f->def.rho = NAN;
  refuses(f, "rho");
  f->def.h = 1;
  refuses(f, "0.001 and 0.1");
  f->def.material.young = -1;
  refuses(f, "Young");
  float *lock = malloc(f->character.body.vertex_count * sizeof *lock);
  for (uint32_t v = 0; v < f->character.body.vertex_count; v++) lock[v] = 1;
  f->def.attach.lock = lock;
  refuses(f, "");
  free(lock);
  f->character.skeleton.bone_count = 0;
  refuses(f, "no skin");
  flesh_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_parts),   cmocka_unit_test(test_report),   cmocka_unit_test(test_lock),
      cmocka_unit_test(test_threads), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests(tests, flesh_make, flesh_unmake);
}
