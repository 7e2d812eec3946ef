/* SPDX-License-Identifier: MIT */
/* Writes what check_subspace.py checks: a model, the bones of a motion, and the offsets that the
 * steps gave.
 *
 *   dump_subspace OUTPUT */
#include "mochi_flesh.h"

enum { FRAMES = 8 };
static const SupVec3 GRAVITY = {1, -9.81f, 2};

static void write_floats(FILE *file, const char *name, const float *numbers, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  for (size_t i = 0; i < count; i++) {
    const double number = (double)numbers[i];
    fwrite(&number, sizeof number, 1, file);
  }
}

static void write_counts(FILE *file, const char *name, const uint32_t *numbers, size_t count) {
  fprintf(file, "%s %zu\n", name, count);
  for (size_t i = 0; i < count; i++) {
    const double number = numbers[i];
    fwrite(&number, sizeof number, 1, file);
  }
}

static void write_model(FILE *file, const SupSubspaceView *v) {
  const size_t k = v->function_count, lanes = (size_t)SUP_SUBSPACE_LANES * v->block_count;
  const size_t rows = v->bone_first[v->block_count];
  const uint32_t counts[] = {v->function_count, v->bone_count, v->block_count, v->vertex_count};
  const float numbers[] = {v->h,      v->damping,  v->drag,     v->stiffening,
                           v->rho,    v->centre.x, v->centre.y, v->centre.z,
                           GRAVITY.x, GRAVITY.y,   GRAVITY.z};
  write_counts(file, "counts", counts, 4);
  write_floats(file, "numbers", numbers, 11);
  write_floats(file, "weight", v->weight, k);
  write_floats(file, "elastic", v->elastic, k);
  write_floats(file, "inertia_bones", v->inertia_bones, 4 * k * v->bone_count);
  write_floats(file, "elastic_bones", v->elastic_bones, 4 * k * v->bone_count);
  write_floats(file, "gradients", v->gradients, 3 * k * lanes);
  write_floats(file, "stiffness", v->stiffness, lanes);
  write_floats(file, "ratio", v->ratio, lanes);
  write_counts(file, "bone_first", v->bone_first, v->block_count + 1);
  write_counts(file, "bones", v->bones, rows);
  write_floats(file, "bone_gradients", v->bone_gradients, 12 * SUP_SUBSPACE_LANES * rows);
  write_floats(file, "vertex_functions", v->vertex_functions, k * v->vertex_count);
}

int main(int argc, char **argv) {
  if (argc < 2) return 2;
  Flesh *f = flesh_open(500);
  f->def.function_count = 24;
  f->def.cluster_count = 60;
  f->def.affine_count = 2;
  f->def.material.drag = 2;
  f->def.damping_ratio = 0; /* so that the material's own damping and drag count */
  flesh_train(f);
  f->view.iterations = 300;
  f->view.settle = 600;
  const size_t bones = f->view.bone_count, vertices = f->view.vertex_count;
  float *palettes = malloc(FRAMES * 12 * bones * sizeof *palettes);
  float *offsets = malloc(FRAMES * 3 * vertices * sizeof *offsets);
  for (size_t i = 0; i < FRAMES; i++) {
    flesh_motion(f, 5, 0.1 + (double)i / 60, 0.4, 0.2);
    sup_subspace_step(&f->view, f->state, f->view.h, f->palette, GRAVITY);
    flesh_offsets(f);
    memcpy(palettes + 12 * bones * i, f->palette, 12 * bones * sizeof *palettes);
    memcpy(offsets + 3 * vertices * i, f->offsets, 3 * vertices * sizeof *offsets);
  }
  FILE *file = fopen(argv[1], "wb");
  assert_non_null(file);
  write_model(file, &f->view);
  write_floats(file, "palettes", palettes, FRAMES * 12 * bones);
  write_floats(file, "offsets", offsets, FRAMES * 3 * vertices);
  fclose(file);
  free(palettes);
  free(offsets);
  flesh_free(f);
  return 0;
}
