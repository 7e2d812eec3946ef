/* SPDX-License-Identifier: MIT */
/* Chunks of real characters, found without asking, and played: $SUPPLE_TEST_DATA. */
#include "fleshed.h"
#include "supple/author/patch_auto.h"
#include "supple/clip.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/train/patch_map.h"
#include "trained.h"

typedef struct Real {
  SupArena arena;
  SupGltf *document;
  const SupCharacter *character;
  SupPatchAuto found;
  SupPatchCharts charts;
} Real;

static bool open_real(Real *r, const char *name) {
  const char *data = getenv("SUPPLE_TEST_DATA");
  char path[600];
  SupGltfCharacter *characters;
  uint32_t count;
  if (!data) return false;
  snprintf(path, sizeof path, "%s/%s.glb", data, name);
  sup_arena_init(&r->arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_gltf_open(path, NULL, &r->document, NULL), SUP_OK);
  assert_int_equal(sup_gltf_characters(r->document, &r->arena, &count, &characters, NULL), SUP_OK);
  r->character = &characters[0].character;
  SupPatchAutoDef def = sup_patch_auto_def(r->character);
  assert_int_equal(
      sup_gltf_part_signs(r->document, &characters[0], &r->arena, &def.hard.parts, NULL), SUP_OK);
  assert_int_equal(sup_patch_auto(&r->arena, &def, &r->found, NULL), SUP_OK);
  const SupPatchMapDef map = {.def = &r->found.def, .patches = &r->found.patches};
  assert_int_equal(sup_patch_charts(&r->arena, &map, &r->charts, NULL), SUP_OK);
  return true;
}

/* How far chunks are from plain skinning at most, in sizes of the body as it is skinned. */
static double from_skinning(Fleshed *f, const SupPose *pose) {
  SupVec3 *shown = fleshed_room(f), *skinned = fleshed_room(f);
  SupVec3d *wanted = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  double size = 0;
  fleshed_shape(f, pose, NULL, shown);
  fleshed_skin(f, pose, skinned);
  for (uint32_t v = 0; v < f->count; v++) {
    const double far = (double)sup_vec3_distance(skinned[0], skinned[v]);
    size = far > size ? far : size;
    wanted[v] = sup_vec3_to_double(skinned[v]);
  }
  return fleshed_distance(f, shown, wanted) / size;
}

/* GUO-T18: held nodes of two chunks that lie at one place at rest do so in every pose. Returns how
 * many pairs there are; the farthest apart in sizes. */
static uint32_t nodes_apart(const Fleshed *f, double *io_most) {
  const SupChunksPackDef *def = &f->def;
  uint32_t pairs = 0;
  for (uint32_t a = 0; a < def->piece_count; a++) {
    const SupChunksPieceDef *p = &def->pieces[a];
    const float *now_a = sup_chunks_nodes(&f->view, f->state, a);
    for (uint32_t b = 0; b < a; b++) {
      const SupChunksPieceDef *q = &def->pieces[b];
      const float *now_b = sup_chunks_nodes(&f->view, f->state, b);
      for (uint32_t i = p->free_count; i < p->free_count + p->held_count; i++) {
        const SupVec3d at = sup_affined_point(p->rest, sup_vec3_to_double(p->nodes[i]));
        for (uint32_t j = q->free_count; j < q->free_count + q->held_count; j++) {
          const SupVec3d other = sup_affined_point(q->rest, sup_vec3_to_double(q->nodes[j]));
          if (sup_vec3d_distance(at, other) > 1e-5) continue;
          const float *x = now_a + 16 * (size_t)i + 9, *y = now_b + 16 * (size_t)j + 9;
          const SupVec3d apart = {(double)(x[0] - y[0]), (double)(x[1] - y[1]),
                                  (double)(x[2] - y[2])};
          const double far = sup_vec3d_length(apart);
          if (!(far <= *io_most)) *io_most = far;
          pairs++;
        }
      }
    }
  }
  return pairs;
}

/* In the rest pose, and the most in the clips; nodes apart, and how many of them. */
static void play_real(const SupCharacter *c, const SupChunksTrained *t, double out[4]) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  Fleshed *f = fleshed_of(arena, c, &t->def);
  SupTransform *joints = SUP_ALLOC(&f->arena, SupTransform, c->skeleton.joint_count);
  SupPose pose = {c->skeleton.joint_count, sup_transform_identity(), joints};
  sup_pose_rest(&c->skeleton, &pose);
  out[0] = from_skinning(f, &pose);
  out[1] = out[2] = out[3] = 0;
  for (uint32_t k = 0; k < c->clip_count; k++) {
    for (uint32_t i = 0; i < 4; i++) {
      const float time = c->clips[k].duration * (float)(i + 1) / 5;
      sup_pose_rest(&c->skeleton, &pose);
      sup_clip_sample(&c->clips[k], time, false, NULL, &pose, NULL);
      const double far = from_skinning(f, &pose);
      if (!(far <= out[1])) out[1] = far; /* what is no number counts */
      if (i == 2) out[3] = nodes_apart(f, &out[2]);
    }
  }
  fleshed_free(f);
}

typedef struct Trained {
  SupChunksTrainReport report;
  double rest, clips; /* from skinning */
  double apart;       /* nodes that two chunks share */
  uint32_t pairs;
} Trained;

static Trained train_real(const char *name) {
  Real r;
  SupChunksTrained t;
  SupError error = {{0}};
  if (!open_real(&r, name)) skip();
  SupChunksTrainDef def = sup_chunks_train_def(r.character);
  def.plan = &r.found.plan;
  def.patches_def = &r.found.def;
  def.patches = &r.found.patches;
  def.charts = &r.charts;
  const SupResult result = sup_chunks_train(&r.arena, &def, &t, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  check_trained(r.character, &t);
  print_message("  %s: %u chunks, %u refused, %u nodes, %u columns, %u of %u vertices\n", name,
                t.report.piece_count, t.report.refusal_count, t.report.node_count,
                t.report.column_count, t.report.moved_count, r.character->body.vertex_count);
  double far[4];
  play_real(r.character, &t, far);
  print_message(
      "    from skinning: at rest %.2g, in clips %.3f of the size; %.0f shared nodes "
      "within %.2g\n",
      far[0], far[1], far[3], far[2]);
  const Trained report = {t.report, far[0], far[1], far[2], (uint32_t)far[3]};
  sup_gltf_close(r.document);
  sup_arena_free(&r.arena);
  return report;
}

/* Bound in their rest pose: there nothing moves. */
static void men(void **state) {
  (void)state;
  static const char *const names[2] = {"mh_muscular_man", "mh_old_man"};
  for (uint32_t k = 0; k < 2; k++) {
    const Trained t = train_real(names[k]);
    assert_int_equal(t.report.piece_count, 37);
    assert_int_equal(t.report.refusal_count, 0);
    assert_true(t.rest < 1e-6 && t.clips < 0.15);
    assert_true(t.pairs > 500 && t.apart < 1e-5);
  }
}

static void quadruped(void **state) {
  (void)state;
  const Trained t = train_real("shiba_inu");
  assert_true(t.report.piece_count >= 18);
  assert_true(t.clips < 0.2);
}

/* Whatever the body: chunks somewhere, and nothing flies off. */
static void others(void **state) {
  (void)state;
  static const char *const names[9] = {"apatosaurus", "big_buck_bunny", "cesium_man", "dragon",
                                       "fox",         "kaykit_mage",    "mannequiny", "tentacle",
                                       "yeti"};
  uint32_t made = 0, refused = 0;
  for (uint32_t k = 0; k < 9; k++) {
    const Trained t = train_real(names[k]);
    made += t.report.piece_count;
    refused += t.report.refusal_count;
    assert_true(t.clips < 0.3);
  }
  print_message("  %u chunks, %u refused\n", made, refused);
  assert_true(made > 200 && refused < 0.3 * (made + refused));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(men), cmocka_unit_test(quadruped),
                                     cmocka_unit_test(others)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
