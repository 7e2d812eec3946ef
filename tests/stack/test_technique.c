/* SPDX-License-Identifier: MIT */
/* A technique that only this test knows runs in a stack, is packed, saved, read, described and
 * fuzzed, alone and with techniques of the library; and so does a goal provider. */
#include "check.h"

#include <math.h>

#include "breath.h"
#include "supple/author/builtin.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/stack.h"
#include "supple/surface.h"
#include "surface/tube.h"

enum { MOST = 512 };

typedef struct World {
  SupArena arena;
  SupCharacter tube;
  SupModel *breath, *twice;
  SupTransform joints[2];
  SupPose pose;
  float positions[3 * MOST], normals[3 * MOST];
} World;

static const SupVec3 way = {0, 0, 0.5f};

static World *begin(void) {
  static World w;
  SupError error = {{0}};
  sup_arena_init(&w.arena, sup_heap_allocator(), 0);
  tube_make(&w.arena, 12, 9, NULL, &w.tube);
  assert_true(w.tube.body.vertex_count <= MOST);
  w.breath = breath_pack(&w.arena, &w.tube, 2, 0.25f, way, &error);
  w.twice = twice_pack(&w.arena, &w.tube, &error);
  if (!w.breath || !w.twice) fail_msg("%s", error.text);
  w.pose = (SupPose){2, sup_transform_identity(), w.joints};
  sup_pose_rest(&w.tube.skeleton, &w.pose);
  return &w;
}

static void end(World *w) { sup_arena_free(&w->arena); }

static SupStackState *start(World *w, uint32_t count, const SupModel *const *models,
                            SupStack *out_stack) {
  SupStackDef def = sup_stack_def();
  SupError error = {{0}};
  def.skeleton = &w->tube.skeleton;
  def.model_count = count;
  def.models = models;
  def.techniques = breath_techniques();
  if (sup_stack_make(&def, out_stack, &error)) fail_msg("%s", error.text);
  return sup_stack_init(out_stack, sup_arena_alloc(&w->arena, sup_stack_bytes(out_stack), 1));
}

static void frame(World *w, const SupStack *stack, SupStackState *state, double dt) {
  const SupStackFrame now = {.dt = (float)dt,
                             .pose = &w->pose,
                             .positions = {w->positions, 3},
                             .normals = {w->normals, 3}};
  sup_stack_step(stack, state, sup_backend_cpu(), NULL, &now);
}

/* How far the vertices are from `scale` times the rest shape, all moved by scale * breath * way. */
static double distance(const World *w, double scale, double breath) {
  double most = 0;
  for (uint32_t v = 0; v < w->tube.body.vertex_count; v++) {
    const SupVec3 rest = w->tube.body.positions[v];
    const double z = (double)rest.z + breath * (double)way.z;
    most = fmax(most, fabs((double)w->positions[3 * v] - scale * (double)rest.x));
    most = fmax(most, fabs((double)w->positions[3 * v + 1] - scale * (double)rest.y));
    most = fmax(most, fabs((double)w->positions[3 * v + 2] - scale * z));
  }
  return most;
}

static double breath_at(double time) { return 0.25 * sin(2 * SUP_PI * 2 * time); }

/* Its own step, at any frame rate. */
static void runs(void **unused) {
  World *w = begin();
  const SupModel *models[] = {w->breath};
  const double rates[3] = {0.01, 1.0 / 60, 0.11};
  (void)unused;
  for (int r = 0; r < 3; r++) {
    SupStack stack;
    SupStackState *state = start(w, 1, models, &stack);
    for (int i = 0; i < 40; i++) {
      frame(w, &stack, state, i ? rates[r] : 0);
      assert_true(distance(w, 1, breath_at(i * rates[r])) < 1e-5);
    }
    sup_stack_reset(state);
    frame(w, &stack, state, 0.01);
    assert_true(distance(w, 1, 0) < 1e-6);
  }
  end(w);
}

/* Over a goal that is not skinning, the breath is as large as the goal's frames say. */
static void goal_is_provided(void **unused) {
  World *w = begin();
  const SupModel *models[] = {w->breath, w->twice}; /* in any order */
  SupStack stack;
  SupStackState *state = start(w, 2, models, &stack);
  (void)unused;
  assert_int_equal(stack.layers[stack.provider].technique->kind, TWICE_KIND);
  assert_int_equal(stack.layers[stack.base].technique->kind, BREATH_KIND);
  for (int i = 0; i < 30; i++) {
    frame(w, &stack, state, i ? 0.02 : 0);
    assert_true(distance(w, 2, breath_at(i * 0.02)) < 2e-5);
  }
  for (uint32_t v = 0; v < w->tube.body.vertex_count; v++) {
    const float *n = w->normals + 3 * v;
    assert_true(fabs(sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])) - 1) < 1e-5);
  }
  end(w);
}

static SupModel *make_surface(World *w) {
  SupSurfaceDef def = sup_surface_def();
  SupError error = {{0}};
  SupModel *model;
  for (int k = 0; k < 5; k++) def.values[k] = 0; /* no detail, no volume: any goal will do */
  def.values[SUP_SURFACE_ALPHA] = 0.3f;
  def.values[SUP_SURFACE_DELTA] = 0.3f;
  def.segment_count = 2;
  def.segments = tube_segments;
  if (sup_surface_pack(&w->arena, &w->tube, &def, &model, &error)) fail_msg("%s", error.text);
  return model;
}

/* A surface follows the breath of a provided goal: it comes to rest where the goal does, and lags
 * while that moves. */
static void surface_follows(void **unused) {
  World *w = begin();
  const SupModel *models[] = {make_surface(w), w->twice};
  SupStack stack;
  SupStackState *state = start(w, 2, models, &stack);
  (void)unused;
  for (int i = 0; i < 20; i++) frame(w, &stack, state, 1.0 / 60);
  assert_true(distance(w, 2, 0) < 1e-4);
  double lag = 0;
  for (int i = 0; i < 30; i++) {
    w->pose.root.translation.z = 0.02f * (float)i;
    frame(w, &stack, state, 1.0 / 60);
    for (uint32_t v = 0; v < w->tube.body.vertex_count; v++) {
      const double goal = 2 * (double)w->tube.body.positions[v].z + 0.02 * i;
      lag = fmax(lag, fabs((double)w->positions[3 * v + 2] - goal));
    }
  }
  assert_true(lag > 1e-3 && lag < 1);
  const SupModel *three[] = {models[0], w->breath, w->twice};
  state = start(w, 3, three, &stack);
  w->pose.root.translation.z = 0;
  for (int i = 0; i < 90; i++) frame(w, &stack, state, 1.0 / 60);
  assert_true(distance(w, 2, 0) > 0.01 && distance(w, 2, 0) < 1);
  end(w);
}

/* Two that give the goal are refused, and so is a kind that the list does not have. */
static void refusals(void **unused) {
  World *w = begin();
  static SupTechnique thrice;
  thrice = twice_technique;
  thrice.kind = SUP_FOURCC('T', 'H', 'R', 'C');
  thrice.name = "thrice";
  const SupTechnique *const list[] = {&twice_technique, &thrice, NULL};
  SupModel *other = (SupModel *)sup_arena_copy(&w->arena, w->twice, (size_t)w->twice->bytes, 1);
  other->kind = thrice.kind;
  sup_model_seal(other);
  const SupModel *models[] = {w->twice, other};
  SupStackDef def = sup_stack_def();
  SupStack stack;
  SupError error = {{0}};
  (void)unused;
  def.skeleton = &w->tube.skeleton;
  def.model_count = 2;
  def.models = models;
  def.techniques = list;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "both provide the goal"));
  def.techniques = NULL;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "TWCE"));
  end(w);
}

static SupSurfaceView bare_view;
static void offer_no_rings(const void *view, SupLayerOffer *out) {
  bare_view = *(const SupSurfaceView *)view;
  out->lanes = bare_view.lanes;
}

/* A follower that knows no triangles: normals turn with the bones, or with the provider's frames.
 */
static void follower_without_rings(void **unused) {
  World *w = begin();
  const SupTechnique *const surface = sup_technique_find(NULL, SUP_SURFACE_KIND);
  SupTechnique bare = *surface;
  const SupTechnique *const list[] = {&twice_technique, &bare, NULL};
  const SupModel *models[] = {make_surface(w), w->twice};
  SupStackDef def = sup_stack_def();
  SupStack stack;
  SupError error = {{0}};
  (void)unused;
  bare.offer = offer_no_rings;
  for (uint32_t count = 1; count <= 2; count++) {
    def.skeleton = &w->tube.skeleton;
    def.model_count = count;
    def.models = models;
    def.techniques = list;
    if (sup_stack_make(&def, &stack, &error)) fail_msg("%s", error.text);
    SupStackState *state =
        sup_stack_init(&stack, sup_arena_alloc(&w->arena, sup_stack_bytes(&stack), 1));
    for (int i = 0; i < 4; i++) frame(w, &stack, state, 0.02);
    for (uint32_t v = 0; v < w->tube.body.vertex_count; v++) {
      const float *n = w->normals + 3 * v;
      assert_true(fabs(sqrt((double)(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])) - 1) < 1e-5);
    }
  }
  end(w);
}

/* A skin of render vertices is no body, and a model is of the mesh that it names. */
static void models_of_other_vertices(void **unused) {
  World *w = begin();
  SupModel *copy = (SupModel *)sup_arena_copy(&w->arena, w->twice, (size_t)w->twice->bytes, 1);
  SupStackDef def = sup_stack_def();
  SupStack stack;
  SupError error = {{0}};
  const SupModel *models[] = {copy};
  (void)unused;
  copy->mesh.vertex_count--; /* as a skin of more render than body vertices has it */
  copy->kind = SUP_SKIN_KIND;
  sup_model_seal(copy);
  def.skeleton = &w->tube.skeleton;
  def.model_count = 1;
  def.models = models;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "render vertices"));
  SupModel *surface = make_surface(w);
  surface->mesh.vertex_count--;
  sup_model_seal(surface);
  assert_int_not_equal(sup_model_check(surface, (size_t)surface->bytes, NULL, &error), SUP_OK);
  end(w);
}

/* Half an entry is refused. */
static void half_entries(void **unused) {
  World *w = begin();
  SupTechnique half = *sup_technique_find(NULL, SUP_SURFACE_KIND);
  const SupTechnique *const list[] = {&half, NULL};
  const SupModel *models[] = {make_surface(w)};
  SupStackDef def = sup_stack_def();
  SupStack stack;
  SupError error = {{0}};
  (void)unused;
  half.show = NULL;
  def.skeleton = &w->tube.skeleton;
  def.model_count = 1;
  def.models = models;
  def.techniques = list;
  assert_int_equal(sup_stack_make(&def, &stack, &error), SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "surface lacks a function"));
  end(w);
}

/* ---- Files ------------------------------------------------------------------------------------
 */

typedef struct Told {
  char lines[4][160];
  uint32_t line_count, depth;
  double frequency;
} Told;

static void tell_line(void *user, const char *label, const char *text) {
  Told *told = user;
  snprintf(told->lines[told->line_count++ % 4], 160, "%s: %s", label, text);
}
static void tell_number(void *user, const char *key, double value) {
  if (strcmp(key, "frequency") == 0) ((Told *)user)->frequency = value;
}
static void tell_flag(void *user, const char *key, bool value) {
  (void)user, (void)key, (void)value;
}
static void tell_text(void *user, const char *key, const char *value) {
  (void)user, (void)key, (void)value;
}
static void tell_open(void *user, const char *key, bool array) {
  (void)key, (void)array;
  ((Told *)user)->depth++;
}
static void tell_close(void *user) { ((Told *)user)->depth--; }

/* Saved in a .glb, read again, checked and described by the entry; another build refuses it. */
static void saved_and_read(void **unused) {
  World *w = begin();
  SupGltf *document, *again;
  SupGltfCharacter *found;
  SupGltfModel *stored;
  SupError error = {{0}};
  uint32_t count;
  const uint8_t *data;
  size_t bytes;
  Told told = {0};
  const SupFacts facts = {&told,     tell_line, tell_number, tell_flag,
                          tell_text, tell_open, tell_close};
  const SupBuiltinDef def = {"mochi", 500, NULL};
  SupCharacter mochi;
  (void)unused;
  assert_int_equal(sup_builtin_character(&w->arena, &def, &mochi, &error), SUP_OK);
  const SupModel *packed = breath_pack(&w->arena, &mochi, 2, 0.25f, way, &error);
  assert_non_null(packed);
  const SupGltfModel model = {"breath", (const uint8_t *)packed, (size_t)packed->bytes};
  assert_int_equal(sup_gltf_from_character(&mochi, NULL, &document, &error), SUP_OK);
  assert_int_equal(sup_gltf_characters(document, &w->arena, &count, &found, &error), SUP_OK);
  assert_int_equal(sup_gltf_put_models(document, &found[0], 1, &model, &error), SUP_OK);
  assert_int_equal(sup_gltf_save_memory(document, &w->arena, &data, &bytes, &error), SUP_OK);
  assert_int_equal(sup_gltf_open_memory(data, bytes, NULL, NULL, &again, &error), SUP_OK);
  assert_int_equal(sup_gltf_characters(again, &w->arena, &count, &found, &error), SUP_OK);
  assert_int_equal(sup_gltf_models(again, &found[0], &w->arena, &count, &stored, &error), SUP_OK);
  assert_int_equal(count, 1);
  const SupModel *read = sup_arena_copy(&w->arena, stored->data, stored->bytes, 1);
  assert_int_equal(sup_model_check(read, stored->bytes, breath_techniques(), &error), SUP_OK);
  assert_memory_equal(read, packed, (size_t)packed->bytes);
  assert_int_equal(sup_model_describe(read, breath_techniques(), &facts, &error), SUP_OK);
  assert_non_null(strstr(told.lines[0], "model: breath, version 1"));
  assert_string_equal(told.lines[1], "breath: in and out");
  assert_true(told.frequency == 2 && told.depth == 0);
  assert_int_equal(sup_model_describe(read, NULL, &facts, &error), SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "BRTH"));
  sup_gltf_close(document);
  sup_gltf_close(again);
  end(w);
}

/* ---- Every technique of the build, and these --------------------------------------------------
 */

/* What every entry has to have, so that loops over entries can trust it. */
static void entries_are_whole(void **unused) {
  (void)unused;
  uint32_t count = 0;
  for (const SupTechnique *const *t = breath_techniques(); *t; t++, count++) {
    const SupTechnique *e = *t;
    assert_true(e->kind && e->name && e->name[0] && e->version && e->check && e->open && e->skin);
    assert_true(e->stage < SUP_STAGE_COUNT && e->view_bytes <= SUP_LAYER_VIEW && e->skin_rank);
    assert_true(!e->follow == !e->target && !e->follow == !e->show && !e->follow == !e->strike &&
                !e->follow == !e->deviation);
    assert_true(!e->move_joints == !e->fill_joints && (!e->init || e->bytes));
    assert_true(!e->advance || e->reset);
    for (const SupTechnique *const *o = breath_techniques(); o != t; o++) {
      assert_true((*o)->kind != e->kind && strcmp((*o)->name, e->name) != 0);
    }
  }
  assert_true(count >= 8);
}

/* Damaged models are refused with a sentence, or run and stay finite. */
static void fuzzed(void **unused) {
  World *w = begin();
  const SupModel *sound[] = {w->breath, w->twice};
  SupRng rng = sup_rng(3, 5);
  uint32_t ran = 0;
  (void)unused;
  for (int k = 0; k < 2000; k++) {
    const SupModel *from = sound[k % 2];
    const size_t bytes = (size_t)from->bytes;
    SupArena arena;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    SupModel *model = (SupModel *)sup_arena_copy(&arena, from, bytes, 1);
    for (uint32_t i = 0; i < 1 + sup_rng_below(&rng, 3); i++) {
      const size_t at =
          sizeof(SupModel) + sup_rng_below(&rng, (uint32_t)(bytes - sizeof(SupModel)));
      ((unsigned char *)model)[at] = (unsigned char)sup_rng_u32(&rng);
    }
    sup_model_seal(model);
    SupError error = {{0}};
    const SupResult result = sup_model_check(model, bytes, breath_techniques(), &error);
    if (result) {
      assert_true(error.text[0] != 0);
    } else {
      const SupModel *models[] = {model};
      SupStack stack;
      SupStackDef def = sup_stack_def();
      def.skeleton = &w->tube.skeleton;
      def.model_count = 1;
      def.models = models;
      def.techniques = breath_techniques();
      if (sup_stack_make(&def, &stack, &error) == SUP_OK) {
        SupStackState *state =
            sup_stack_init(&stack, sup_arena_alloc(&arena, sup_stack_bytes(&stack), 1));
        for (int i = 0; i < 3; i++) frame(w, &stack, state, 0.02);
        for (uint32_t i = 0; i < 3 * w->tube.body.vertex_count; i++) {
          assert_true(isfinite(w->positions[i]));
        }
        ran++;
      }
    }
    sup_arena_free(&arena);
  }
  assert_true(ran > 100);
  end(w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(runs),
      cmocka_unit_test(goal_is_provided),
      cmocka_unit_test(surface_follows),
      cmocka_unit_test(refusals),
      cmocka_unit_test(saved_and_read),
      cmocka_unit_test(entries_are_whole),
      cmocka_unit_test(fuzzed),
      cmocka_unit_test(follower_without_rings),
      cmocka_unit_test(models_of_other_vertices),
      cmocka_unit_test(half_entries),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
