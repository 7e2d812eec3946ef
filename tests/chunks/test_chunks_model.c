/* SPDX-License-Identifier: MIT */
/* Chunks as blocks: packed, unpacked, bound again, described; mistakes in definitions. */
#include "fleshed.h"
#include "supple/author/model_pack.h"
#include "supple/author/packers.h"
#include "supple/technique.h"

static void packs_and_unpacks(void **unused) {
  Fleshed *f = fleshed_create();
  SupChunksPackDef parts;
  SupModel *again;
  SupError error;
  (void)unused;
  assert_int_equal(sup_chunks_unpack(&f->arena, f->model, &parts, &error), SUP_OK);
  assert_int_equal(sup_chunks_pack(&f->arena, &f->character, &parts, &again, &error), SUP_OK);
  assert_int_equal(f->model->bytes, again->bytes);
  assert_memory_equal(f->model, again, (size_t)again->bytes);
  fleshed_free(f);
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

/* The vertices in reverse, the rest space half as large and elsewhere: x_then = 2 x + offset. */
static void touch(Fleshed *f, const SupRestSpace *space, SupCharacter *out) {
  const SupCharacter *then = &f->character;
  const uint32_t n = f->count;
  SupVec3 *positions = fleshed_room(f);
  uint32_t *triangles =
      SUP_COPY(&f->arena, uint32_t, then->body.triangles, 3 * (size_t)then->body.triangle_count);
  uint32_t *bones = SUP_ALLOC(&f->arena, uint32_t, 2 * n);
  float *weights = SUP_ALLOC(&f->arena, float, 2 * n);
  SupAffine *bind = SUP_ALLOC(&f->arena, SupAffine, PATCHWORK_JOINTS);
  const float scale = (float)space->scale;
  const SupAffine to_then = {{scale, 0, 0, 0, scale, 0, 0, 0, scale, (float)space->offset.x,
                              (float)space->offset.y, (float)space->offset.z}};
  for (uint32_t v = 0; v < n; v++) {
    const uint32_t old = n - 1 - v;
    positions[v] = sup_affine_point(sup_affine_inverse(to_then), then->body.positions[old]);
    for (uint32_t k = 0; k < 2; k++) {
      bones[2 * v + k] = then->skin.bones[2 * old + k];
      weights[2 * v + k] = then->skin.weights[2 * old + k];
    }
  }
  for (uint32_t c = 0; c < 3 * then->body.triangle_count; c++) triangles[c] = n - 1 - triangles[c];
  for (int k = 0; k < PATCHWORK_JOINTS; k++) {
    bind[k] = sup_affine_mul(then->skeleton.inverse_bind[k], to_then);
  }
  *out = *then;
  out->skeleton.inverse_bind = bind;
  out->body.positions = positions;
  out->body.triangles = triangles;
  out->skin.bones = bones;
  out->skin.weights = weights;
}

/* Bound to the mesh as another tool has left it, every vertex goes where it went, bulges too. */
static void binds_again(void **unused) {
  const SupRestSpace space = {2, {0.5, -1, 0.25}};
  Fleshed *f = fleshed_create();
  SupVec3 *before = fleshed_room(f), *after = fleshed_room(f);
  uint32_t *then = SUP_ALLOC(&f->arena, uint32_t, f->count);
  SupTransform joints[PATCHWORK_JOINTS];
  SupCharacter touched;
  SupError error;
  (void)unused;
  const SupPose pose = fleshed_pose(f, fleshed_root(1), 1.2f, 0.4f, joints);
  fleshed_shape(f, &pose, NULL, before);
  touch(f, &space, &touched);
  for (uint32_t v = 0; v < f->count; v++) then[v] = f->count - 1 - v;
  const SupRebinding binding = {.then = then, .space = space};
  const SupPacker *packer = sup_packer_find(SUP_CHUNKS_KIND);
  assert_non_null(packer);
  if (packer->rebind(&f->arena, &touched, f->model, &binding, &f->model, &error)) {
    fail_msg("%s", error.text);
  }
  f->character = touched;
  f->view = sup_chunks_view(f->model);
  f->state = sup_chunks_init(&f->view, sup_arena_alloc(&f->arena, sup_chunks_bytes(&f->view), 1));
  fleshed_shape(f, &pose, NULL, after);
  for (uint32_t v = 0; v < f->count; v++) {
    assert_true(sup_vec3_distance(before[f->count - 1 - v], after[v]) < 5e-6f);
  }
  fleshed_free(f);
}

/* ---- Definitions ------------------------------------------------------------------------------
 */

static void assert_says(Fleshed *f, const SupChunksPackDef *def, const char *words) {
  SupError error = {{0}};
  SupModel *model = NULL;
  assert_int_equal(sup_chunks_pack(&f->arena, &f->character, def, &model, &error),
                   SUP_ERROR_ARGUMENT);
  assert_null(model);
  if (!strstr(error.text, words)) fail_msg("\"%s\" is not in: %s", words, error.text);
}

static void mistakes_in_chunks_have_sentences(void **unused) {
  Fleshed *f = fleshed_create();
  SupChunksPackDef def = f->def;
  SupChunksPieceDef pieces[64];
  SupChunksBulgeDef bulge = f->def.pieces[0].bulges[0];
  const uint32_t last = f->def.piece_count - 1;
  uint32_t corners[256];
  (void)unused;
  def.cookie = 0;
  assert_says(f, &def, "sup_chunks_pack_def");
  def = f->def;
  def.piece_count = 0;
  assert_says(f, &def, "0 chunks");
  def = f->def;
  def.vertex_count = def.point_count + 1;
  assert_says(f, &def, "not among the");
  def = f->def;
  memcpy(corners, def.corners, 4 * def.face_count * sizeof *corners);
  corners[5] = def.vertex_count;
  def.corners = corners;
  assert_says(f, &def, "face 1 of the shell has vertex");
  def = f->def;
  def.pieces = pieces;
#define WITH(index, change, words)                            \
  memcpy(pieces, f->def.pieces, (last + 1) * sizeof *pieces); \
  pieces[index].change;                                       \
  assert_says(f, &def, words)
  WITH(0, face = def.face_count, "above face");
  WITH(1, slice_count = 1, "1 slices");
  WITH(1, free_count = SUP_CHUNKS_NODES + 1, "surface nodes");
  WITH(last, limb = def.limb_count, "is of limb");
  WITH(last, place_counts[1] = 0, "has 0 places");
  WITH(last, ends[1] = SUP_CHUNKS_END_JOINT, "has 12 places");
  WITH(last - 3, ends[0] = SUP_CHUNKS_END_JOINT, "at a joint that there is not");
  bulge.most = 0;
  WITH(0, bulges = &bulge, "greatest height");
  bulge.most = 1;
  bulge.driver = SUP_CHUNKS_BY_ANGLE;
  bulge.sample_count = 1;
  WITH(0, bulges = &bulge, "1 samples");
  bulge.driver = SUP_CHUNKS_BY_AREA;
  bulge.face = def.face_count;
  WITH(0, bulges = &bulge, "follows face");
  memcpy(pieces, f->def.pieces, (last + 1) * sizeof *pieces);
  pieces[last] = f->def.pieces[0];
  assert_says(f, &def, "comes after one of a limb");
#undef WITH
  fleshed_free(f);
}

static void mistakes_in_patches_have_sentences(void **unused) {
  Fleshed *f = fleshed_create();
  SupChunksPackDef def = f->def;
  SupChunksPatchDef patches[32];
  uint32_t vertices[256];
  (void)unused;
  memcpy(patches, f->def.patches, def.patch_count * sizeof *patches);
  def.patches = patches;
  patches[1].piece = def.piece_count;
  assert_says(f, &def, "follows chunk");
  patches[1] = f->def.patches[1];
  patches[1].border_count = patches[1].vertex_count + 1;
  assert_says(f, &def, "its border");
  patches[1] = f->def.patches[1];
  patches[1].vertices = vertices;
  const uint32_t inside = patches[1].border_count;
  memcpy(vertices, f->def.patches[1].vertices, patches[1].vertex_count * sizeof *vertices);
  vertices[inside] = f->count;
  assert_says(f, &def, "the body has");
  vertices[inside] = f->def.patches[0].vertices[f->def.patches[0].border_count];
  assert_says(f, &def, "in another one too");
  memcpy(vertices, f->def.patches[1].vertices, patches[1].vertex_count * sizeof *vertices);
  vertices[0] = SUP_CHUNKS_NONE;
  assert_says(f, &def, "is not where its seam");
  fleshed_free(f);
}

/* Memory that fails, at every call: a sentence, and everything given back. */
static void memory_may_fail(void **unused) {
  Fleshed *f = fleshed_create();
  CountingHeap heap = {0};
  size_t refused = 0;
  (void)unused;
  for (size_t k = 1;; k++) {
    SupArena arena;
    SupModel *model = NULL;
    SupChunksPackDef parts;
    SupError error = {{0}};
    heap.calls = 0;
    heap.fail_at = k;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result = sup_chunks_pack(&arena, &f->character, &f->def, &model, &error);
    if (!result) result = sup_chunks_unpack(&arena, model, &parts, &error);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(error.text[0] != 0);
    refused++;
  }
  assert_true(refused >= 2);
  fleshed_free(f);
}

/* ---- What it says -----------------------------------------------------------------------------
 */

typedef struct Heard {
  double chunks, limbs, patches, covered;
  uint32_t names, depth;
} Heard;

static void hear_line(void *user, const char *label, const char *text) {
  (void)user, (void)label;
  assert_true(text[0] != 0);
}
static void hear_number(void *user, const char *key, double value) {
  Heard *heard = (Heard *)user;
  if (!strcmp(key, "chunks")) heard->chunks = value;
  if (!strcmp(key, "limbs")) heard->limbs = value;
  if (!strcmp(key, "patches")) heard->patches = value;
  if (!strcmp(key, "covered_vertices")) heard->covered = value;
}
static void hear_flag(void *user, const char *key, bool value) {
  (void)user, (void)key, (void)value;
}
static void hear_text(void *user, const char *key, const char *value) {
  if (key) ((Heard *)user)->names += !strcmp(value, "flesh") || !strcmp(value, "limb");
}
static void hear_open(void *user, const char *key, bool array) {
  (void)key, (void)array;
  ((Heard *)user)->depth++;
}
static void hear_close(void *user) { ((Heard *)user)->depth--; }

static void is_described(void **unused) {
  Fleshed *f = fleshed_create();
  Heard heard = {0};
  const SupFacts facts = {&heard,    hear_line, hear_number, hear_flag,
                          hear_text, hear_open, hear_close};
  SupError error;
  (void)unused;
  assert_int_equal(sup_model_describe(f->model, NULL, &facts, &error), SUP_OK);
  assert_true(heard.chunks == 10 && heard.limbs == 4 && heard.patches == 18 && heard.depth == 0);
  assert_true(heard.names == 10 && heard.covered == 12 * 25); /* columns times rows of patches */
  fleshed_free(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packs_and_unpacks),
      cmocka_unit_test(binds_again),
      cmocka_unit_test(mistakes_in_chunks_have_sentences),
      cmocka_unit_test(mistakes_in_patches_have_sentences),
      cmocka_unit_test(memory_may_fail),
      cmocka_unit_test(is_described),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
