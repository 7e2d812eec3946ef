/* SPDX-License-Identifier: MIT */
/* What is asked of chunks that cannot be: it is said, and nothing goes wrong on the way. */
#include "supple/train/patch_map.h"
#include "train/chunks/chunks_work.h"
#include "trained.h"

static const SupVec3 unit = {1, 1, 1};

static Flesh *limbs(void) {
  SupVec3d places[3];
  for (uint32_t k = 0; k < 3; k++) places[k] = limb_joint(k, 0);
  return make_flesh(limb_body(2, limb_cylinder, 0), 3, places, true);
}

static Flesh *ball(void) {
  const SupVec3d places[3] = {{0, 0, -0.2}, {0, 0, 0.2}, {0, 0, 0.4}};
  return make_flesh(patch_ball(4, 0, unit, 0, 1), 3, places, false);
}

static void refused(Flesh *f, const SupChunksTrainDef *def, const char *sentence) {
  SupChunksTrained trained;
  SupError error = {{0}};
  assert_int_not_equal(sup_chunks_train(&f->body->arena, def, &trained, &error), SUP_OK);
  if (!strstr(error.text, sentence)) print_error("%s\n  is not\n%s\n", error.text, sentence);
  assert_non_null(strstr(error.text, sentence));
}

static SupChunksTrained train(Flesh *f, const SupChunksTrainDef *def) {
  SupChunksTrained trained;
  SupError error = {{0}};
  const SupResult result = sup_chunks_train(&f->body->arena, def, &trained, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  check_trained(&f->character, &trained);
  return trained;
}

/* ---- Names ----------------------------------------------------------------------------------- */

/* Chunks that there are not, which would be asked for in vain: rings beyond the last one, and
 * patches of limbs, whose chunks are called after their zone. */
static void names_of_no_chunk(void **state) {
  (void)state;
  Flesh *f = limbs();
  SupChunksTrainDef def = flesh_def(f);
  SupChunksOption option = sup_chunks_option("zone0-2");
  def.option_count = 1;
  def.options = &option;
  refused(f, &def, "there is no chunk 'zone0-2': zone 'zone0' has 1 ring of patches");
  option.name = "zone0-2nd";
  refused(f, &def, "there is no zone or chunk 'zone0-2nd'");
  option.name = f->patches.patches[0].name;
  refused(f, &def, "there is no zone or chunk");
  assert_int_equal(sup_chunks_ring_number("arm", "arm-12"), 12);
  assert_int_equal(sup_chunks_ring_number("arm", "arm-2"), 2);
  assert_int_equal(sup_chunks_ring_number("arm", "arm-1"), 0);
  assert_int_equal(sup_chunks_ring_number("arm", "arm-02"), 0);
  assert_int_equal(sup_chunks_ring_number("arm", "arm"), 0);
  assert_int_equal(sup_chunks_ring_number("arm", "leg-2"), 0);
  free_flesh(f);
  /* Above the shell it is the patch that has a name, its zone has no rings. */
  f = ball();
  def = flesh_def(f);
  def.option_count = 1;
  def.options = &option;
  option.name = "zone0-2";
  refused(f, &def, "there is no zone or chunk 'zone0-2'");
  option.name = f->patches.patches[3].name;
  option.slices = 6;
  const SupChunksTrained t = train(f, &def);
  assert_int_equal(t.report.pieces[3].slice_count, 6);
  assert_int_equal(t.report.pieces[2].slice_count, 4);
  free_flesh(f);
}

/* A bulge below skin that no chunk moves raises nothing, and a note says so. */
static void bulges_without_a_chunk(void **state) {
  (void)state;
  Flesh *f = limbs();
  SupChunksTrainDef def = flesh_def(f);
  SupChunksTrainBulge bulge = sup_chunks_train_bulge(f->patches.patches[0].name, true);
  SupChunksOption option = sup_chunks_option(f->patches.patches[0].zone);
  def.bulge_count = 1;
  def.bulges = &bulge;
  assert_int_equal(train(f, &def).report.note_count, 0);
  option.skinned = true;
  def.option_count = 1;
  def.options = &option;
  const SupChunksTrained t = train(f, &def);
  assert_int_equal(t.report.note_count, 1);
  assert_non_null(strstr(t.report.notes[0], bulge.patch));
  assert_non_null(strstr(t.report.notes[0], "raises nothing"));
  free_flesh(f);
}

/* ---- Shells ---------------------------------------------------------------------------------- */

/* A shell that is given and crosses itself below a chunk that had been refused before. */
static void crossed_below_a_refused_chunk(void **state) {
  (void)state;
  Flesh *f = ball();
  uint32_t *bones = (uint32_t *)f->character.skin.bones;
  SupPatchShellPoint point = {.feature = "up", .placed = true};
  uint32_t feature = 0;
  while (strcmp(f->body->def.features[feature].name, "up") != 0) feature++;
  const SupVec3d up = sup_skin_point_place(&f->body->mesh, f->body->def.features[feature].at);
  for (uint32_t v = 0; v < f->body->mesh.vertex_count; v++) {
    const SupVec3 at = f->body->mesh.positions[v];
    const double least = 0.2, x = (double)at.x, y = (double)at.y, z = (double)at.z;
    const bool inside = x * x > least * least && y * y > least * least && z * z > least * least;
    bones[v] = inside && sup_vec3d_dot(sup_vec3_to_double(at), up) < 0 ? 2 : 0;
  }
  /* Below the middle of a face of the lower half, beyond it. */
  point.position = (SupVec3d){0.8, 0.8, 0.8};
  const double high = sup_vec3d_dot(point.position, up);
  point.position = sup_vec3d_add_scaled(point.position, up, -2 * high / sup_vec3d_dot(up, up));
  f->said[0].shell = &point;
  f->said[0].shell_count = 1;
  SupChunksTrainDef def = flesh_def(f);
  refused(f, &def, "plan.json, line 1: zone 'zone0': its shell crosses itself below patches");
  free_flesh(f);
}

/* A depth that nothing can have: every vertex is brought nearer, and counts once. */
static void vertices_are_raised_once(void **state) {
  (void)state;
  Flesh *f = ball();
  f->said[0].depth = 5;
  SupChunksTrainDef def = flesh_def(f);
  const SupChunksTrained t = train(f, &def);
  assert_int_equal(t.report.shell_vertex_count, 6);
  assert_int_equal(t.report.raised_count, 6);
  /* Where the file has a depth nothing is raised, whatever the zone asks for. */
  SupPatchShellPoint point = {.feature = "up", .depth = 0.2};
  f->said[0].shell = &point;
  f->said[0].shell_count = 1;
  assert_int_equal(train(f, &def).report.raised_count, 5);
  free_flesh(f);
}

/* A clip that scales flesh away: columns keep their length, so chunks would show what is hidden. */
static void flesh_that_bones_scale(void **state) {
  (void)state;
  static const float times[2] = {0, 1}, sizes[4] = {0, 0.001F, 0.7F, 3};
  for (uint32_t k = 0; k < 4; k++) {
    Flesh *f = ball();
    uint32_t *bones = (uint32_t *)f->character.skin.bones;
    const float values[6] = {1, 1, 1, sizes[k], sizes[k], sizes[k]};
    const SupTrack track = {.target = 1,
                            .channel = SUP_CHANNEL_SCALE,
                            .width = 3,
                            .key_count = 2,
                            .times = times,
                            .values = values};
    const SupClip clip = {"shrink", 1, 1, &track};
    for (uint32_t v = 0; v < f->body->mesh.vertex_count; v++) bones[v] = v ? 1 : 0;
    f->character.clip_count = 1;
    f->character.clips = &clip;
    SupChunksTrainDef def = flesh_def(f);
    if (k == 2) {
      assert_int_equal(train(f, &def).def.piece_count, 8);
    } else {
      refused(f, &def, "bones scale it by more than 2, or to less than 1/2, in clip 'shrink'");
    }
    free_flesh(f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_of_no_chunk), cmocka_unit_test(bulges_without_a_chunk),
      cmocka_unit_test(crossed_below_a_refused_chunk), cmocka_unit_test(vertices_are_raised_once),
      cmocka_unit_test(flesh_that_bones_scale)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
