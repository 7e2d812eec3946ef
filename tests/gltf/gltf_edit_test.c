/* SPDX-License-Identifier: MIT */
/* Writing into a document: what was written is read back, what was not is untouched. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "gltf_compare.h"
#include "gltf_fixtures.h"
#include "gltf_groups.h"
#include "supple/io/file.h"

static SupArena arena;
static SupGltf *document;
static SupError error;

static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  document = NULL;
  return 0;
}

static int end(void **state) {
  (void)state;
  sup_gltf_close(document);
  sup_arena_free(&arena);
  return 0;
}

static void check(SupResult result) {
  if (result != SUP_OK) fail_msg("%s", error.text);
}

/* Saves, opens what was saved in place of `document`, and gives the size of the file. */
static size_t reopen(void) {
  const uint8_t *data;
  size_t bytes;
  SupGltf *again;
  check(sup_gltf_save_memory(document, &arena, &data, &bytes, &error));
  check(sup_gltf_open_memory(data, bytes, NULL, NULL, &again, &error));
  sup_gltf_close(document);
  document = again;
  return bytes;
}

static SupGltfCharacter character(void) { return fixture_character(document, &arena); }

static void maps_are_written(void **state) {
  (void)state;
  static const unsigned kinds[] = {FIX_PLAIN, FIX_NO_INDICES, FIX_TEXT, FIX_STRIP, FIX_TWO_SKINS};
  for (int kind = 0; kind < 5; kind++) {
    document = fixture_open(kinds[kind]);
    SupGltfCharacter c = character();
    float values[TUBE_VERTICES];
    for (uint32_t v = 0; v < TUBE_VERTICES; v++) values[v] = 3.0f + (float)v;
    check(sup_gltf_put_map(document, &c, "damping", values, &error));
    for (uint32_t v = 0; v < TUBE_VERTICES; v++) values[v] = 0.5f * (float)v;
    check(sup_gltf_put_map(document, &c, "damping", values, &error));
    check(sup_gltf_put_map(document, &c, "mask_2", values, &error));
    check(sup_gltf_remove_map(document, &c, "mask_2", &error));
    reopen();
    SupGltfCharacter again = character();
    assert_int_equal(again.character.map_count, 1);
    assert_string_equal(again.character.maps[0].name, "damping");
    assert_memory_equal(again.character.maps[0].values, values, sizeof values);
    assert_memory_equal(again.character.body.positions, c.character.body.positions,
                        sizeof(SupVec3) * TUBE_VERTICES);
    end(NULL);
    begin(NULL);
  }
  document = fixture_open(FIX_PLAIN);
  SupGltfCharacter c = character();
  float values[TUBE_VERTICES] = {0};
  assert_int_equal(sup_gltf_put_map(document, &c, "Bad Name", values, &error), SUP_ERROR_ARGUMENT);
}

static void joints_and_weights_are_written(void **state) {
  (void)state;
  static const unsigned kinds[] = {FIX_PLAIN, FIX_TWO_SKINS, FIX_QUANTISED, FIX_TEXT, FIX_JOINTS_1};
  for (int kind = 0; kind < 5; kind++) {
    document = fixture_open(kinds[kind]);
    SupGltfCharacter c = character();
    SupGltfJoint joints[2] = {{"helper", 2, sup_transform_identity(), {{0}}},
                              {"helper_end", 4, sup_transform_identity(), {{0}}}};
    joints[0].rest.translation = (SupVec3){0.5f, 0, 0};
    joints[0].inverse_bind = c.character.skeleton.inverse_bind[1];
    joints[1].inverse_bind = c.character.skeleton.inverse_bind[2];
    uint32_t nodes[2];
    check(sup_gltf_add_joints(document, &c, 2, joints, nodes, &error));
    SupGltfCharacter more = character();
    assert_int_equal(more.character.skeleton.joint_count, 6);
    assert_int_equal(more.character.skeleton.bone_count, 5);
    /* All weight to the last new bone, and a little to the first. */
    uint32_t helper = more.skin_bones[0][3], tail = more.skin_bones[0][4];
    uint32_t n = more.character.body.vertex_count;
    uint32_t *offsets = SUP_ALLOC(&arena, uint32_t, n + 1),
             *bones = SUP_ALLOC(&arena, uint32_t, 5 * n);
    float *weights = SUP_ALLOC(&arena, float, 5 * n);
    for (uint32_t v = 0; v < n; v++) {
      const float given[5] = {0.5f, 0.25f, 0.125f, 0.0625f, 0.0625f};
      const uint32_t on[5] = {tail, helper, 0, 1, 2};
      uint32_t count = v % 2 ? 5 : 1;
      for (uint32_t k = 0; k < count; k++) {
        bones[offsets[v] + k] = on[k];
        weights[offsets[v] + k] = count == 1 ? 1 : given[k];
      }
      offsets[v + 1] = offsets[v] + count;
    }
    SupSkin skin = {n, 5, offsets, bones, weights};
    check(sup_gltf_put_skin(document, &more, &skin, &error));
    reopen();
    SupGltfCharacter again = character();
    assert_string_equal(again.character.skeleton.names[again.character.skeleton.bone_joints[tail]],
                        "helper_end");
    assert_memory_equal(again.character.skin.offsets, offsets, (n + 1) * sizeof(uint32_t));
    for (uint32_t k = 0; k < offsets[n]; k++) {
      assert_true(fabsf(again.character.skin.weights[k] - weights[k]) < 1e-6f);
    }
    assert_int_equal(again.character.skin.bones[0], tail);
    for (int k = 0; k < 12; k++) {
      float a = again.character.skeleton.inverse_bind[tail].m[k], b = joints[1].inverse_bind.m[k];
      assert_true(fabsf(a - b) <= 1e-6f * fmaxf(1, fabsf(b)));
    }
    end(NULL);
    begin(NULL);
  }
}

/* A part may follow bones that only another part's skin has; its own skin gets them. */
static void skins_get_bones_they_lack(void **state) {
  (void)state;
  enum { MOST = 2 * TUBE_VERTICES };
  uint32_t offsets[MOST + 1], bones[MOST];
  float weights[MOST];
  document = fixture_open(FIX_TWO_SKINS | FIX_NO_TIP);
  const SupGltfCharacter c = character();
  const uint32_t n = c.character.body.vertex_count;
  assert_in_range(n, TUBE_VERTICES + 1, MOST);
  assert_int_equal(c.character.skeleton.bone_count, 3);
  assert_int_equal(c.skin_joint_counts[1], 2);
  for (uint32_t v = 0; v <= n; v++) offsets[v] = v;
  for (uint32_t v = 0; v < n; v++) {
    bones[v] = v % 3;
    weights[v] = 1;
  }
  SupSkin skin = {n, 1, offsets, bones, weights};
  check(sup_gltf_put_skin(document, &c, &skin, &error));
  reopen();
  const SupGltfCharacter again = character();
  assert_int_equal(again.character.skeleton.bone_count, 3);
  assert_int_equal(again.skin_joint_counts[0], 3);
  assert_int_equal(again.skin_joint_counts[1], 3);
  assert_int_equal(again.skin_bones[1][2], again.skin_bones[0][2]);
  const SupRender *render = &again.character.render;
  for (uint32_t v = 0; v < render->vertex_count; v++) {
    const uint32_t at = again.character.skin.offsets[render->to_body[v]];
    assert_int_equal(again.character.skin.bones[at], bones[c.character.render.to_body[v]]);
  }
  bones[0] = 3;
  assert_int_equal(sup_gltf_put_skin(document, &c, &skin, &error), SUP_ERROR_ARGUMENT);
}

/* What the file says of the skin before, up to the end of it; in the arena. */
static const char *skin_before(void) {
  const uint8_t *data;
  size_t bytes;
  check(sup_gltf_save_memory(document, &arena, &data, &bytes, &error));
  const char *text = sup_arena_string(&arena, (const char *)data + 20, bytes - 20);
  const char *found = text ? strstr(text, "\"SUPPLE_original_skin\":{") : NULL;
  return found ? sup_arena_string(&arena, found, strcspn(found, "}")) : NULL;
}

/* Weights that helpers replace stay beside the new ones, however often they are replaced. */
static void the_skin_before_is_kept(void **state) {
  (void)state;
  document = fixture_open(FIX_PLAIN);
  SupGltfCharacter c = character();
  assert_null(skin_before());
  check(sup_gltf_keep_skin(document, &c, &error));
  check(sup_gltf_put_skin(document, &c, &c.character.skin, &error));
  reopen();
  const char *first = skin_before();
  assert_non_null(first);
  assert_non_null(strstr(first, "\"JOINTS_0\""));
  assert_non_null(strstr(first, "\"WEIGHTS_0\""));
  const SupGltfCharacter again = character();
  assert_int_equal(again.character.skin.vertex_count, c.character.skin.vertex_count);
  check(sup_gltf_keep_skin(document, &again, &error));
  check(sup_gltf_put_skin(document, &again, &again.character.skin, &error));
  reopen();
  const char *second = skin_before();
  assert_non_null(second);
  assert_string_equal(first, second);
  (void)character();
}

static SupClip make_clip(const char *name, uint32_t joint, float *values) {
  static SupTrack tracks[2];
  static const float times[3] = {0, 0.5f, 1};
  for (uint32_t i = 0; i < 3; i++) {
    const float q[4] = {0, 0.6f, 0, 0.8f};
    memcpy(values + 4 * i, q, sizeof q);
    for (int k = 0; k < 3; k++) values[12 + 3 * i + (uint32_t)k] = (float)i;
  }
  tracks[0] = (SupTrack){joint, SUP_CHANNEL_ROTATION, SUP_INTERPOLATE_LINEAR, 4, 3, times, values};
  tracks[1] =
      (SupTrack){joint, SUP_CHANNEL_TRANSLATION, SUP_INTERPOLATE_STEP, 3, 3, times, values + 12};
  return (SupClip){name, 1, 2, tracks};
}

static void clips_are_written_replaced_and_removed(void **state) {
  (void)state;
  document = fixture_open(FIX_MATRIX | FIX_MORPHS);
  SupGltfCharacter c = character();
  float values[21];
  SupClip clip = make_clip("wave", 1, values);
  size_t first = 0;
  for (int repeat = 0; repeat < 8; repeat++) {
    check(sup_gltf_put_clip(document, &c, &clip, &error));
    size_t bytes = reopen();
    if (repeat == 1) first = bytes;
    if (repeat > 1) assert_true(bytes == first); /* the place is used again */
  }
  SupGltfCharacter again = character();
  assert_int_equal(again.character.clip_count, 2);
  assert_string_equal(again.character.clips[1].name, "wave");
  assert_int_equal(again.character.clips[1].track_count, 2);
  assert_memory_equal(again.character.clips[1].tracks[0].values, values, 12 * sizeof(float));
  /* Replacing a clip of the file takes its channels out, all of them ours. */
  clip.name = "clip_0";
  check(sup_gltf_put_clip(document, &c, &clip, &error));
  again = character();
  assert_int_equal(again.character.clips[0].track_count, 2);
  check(sup_gltf_remove_clip(document, &again, "wave", &error));
  assert_int_equal(sup_gltf_remove_clip(document, &again, "wave", &error), SUP_ERROR_ARGUMENT);
  reopen();
  again = character();
  assert_int_equal(again.character.clip_count, 1);
  clip.tracks = &(SupTrack){9, SUP_CHANNEL_SCALE, SUP_INTERPOLATE_LINEAR, 3, 3, values, values};
  assert_int_equal(sup_gltf_put_clip(document, &again, &clip, &error), SUP_ERROR_ARGUMENT);
}

static void morph_targets_are_added(void **state) {
  (void)state;
  static const unsigned kinds[] = {FIX_PLAIN, FIX_MORPHS, FIX_TWO_SKINS, FIX_UNKNOWN | FIX_TEXT,
                                   FIX_MORPHS | FIX_CUBIC};
  for (int kind = 0; kind < 5; kind++) {
    document = fixture_open(kinds[kind]);
    SupGltfCharacter c = character();
    uint32_t n = c.character.render.vertex_count, old = c.character.morph_count;
    SupVec3 *offsets = SUP_ALLOC(&arena, SupVec3, n);
    for (uint32_t v = 0; v < n; v++) {
      offsets[v] = (SupVec3){0.125f, 0, 0.25f * (float)c.character.render.to_body[v]};
    }
    SupVec3 *zeros = SUP_ALLOC(&arena, SupVec3, n);
    SupGltfMorph morphs[2] = {{"lift", 0.5f, offsets, NULL}, {"still", 0, zeros, zeros}};
    check(sup_gltf_add_morphs(document, &c, 2, morphs, &error));
    reopen();
    SupGltfCharacter again = character();
    uint32_t meshes = kinds[kind] == FIX_TWO_SKINS ? 2 : 1;
    assert_int_equal(again.character.morph_count, old + 2 * meshes);
    const SupMorph *lift = &again.character.morphs[old];
    assert_string_equal(lift->name, "lift");
    assert_true(lift->weight == 0.5f);
    for (uint32_t v = 0; v < again.character.body.vertex_count; v++) {
      assert_true(fabsf(lift->offsets[v].z - 0.25f * (float)v) < 1e-5f);
      assert_true(lift->offsets[v].x == 0.125f);
    }
    if (old) { /* the animation was widened by the new default */
      const SupTrack *track = &again.character.clips[0].tracks[3];
      assert_int_equal(track->width, 4);
      size_t row = kinds[kind] & FIX_CUBIC ? 3 * 3 + 1 : 3; /* tangents before and behind */
      assert_true(track->values[4 * row + 1] == 1.25f && track->values[4 * row + 2] == 0.5f);
      if (kinds[kind] & FIX_CUBIC) assert_true(track->values[4 * (row - 1) + 2] == 0);
      assert_string_equal(again.character.morphs[1].name, "zigzag");
    }
    end(NULL);
    begin(NULL);
  }
}

static void model_blocks_are_kept(void **state) {
  (void)state;
  document = fixture_open(FIX_UNKNOWN);
  uint8_t block[1000];
  for (size_t k = 0; k < sizeof block; k++) block[k] = (uint8_t)(k * 7);
  size_t first = 0;
  for (int repeat = 0; repeat < 5; repeat++) {
    SupGltfCharacter c = character();
    SupGltfModel models[2] = {{"modes", block, 333}, {"surface", block + 100, 900}};
    block[100] = (uint8_t)repeat;
    check(sup_gltf_put_models(document, &c, 2, models, &error));
    size_t bytes = reopen();
    if (repeat == 0) first = bytes;
    assert_int_equal(bytes, first);
  }
  SupGltfCharacter c = character();
  SupGltfModel *models;
  uint32_t count;
  check(sup_gltf_models(document, &c, &arena, &count, &models, &error));
  assert_int_equal(count, 2);
  assert_string_equal(models[0].kind, "modes");
  assert_int_equal(models[1].bytes, 900);
  assert_memory_equal(models[1].data, block + 100, 900);
  assert_int_equal((uintptr_t)models[1].data % 4, 0);
  SupGltfContents contents;
  check(sup_gltf_contents(document, &arena, &contents, &error));
  assert_int_equal(contents.model_count, 2);
  assert_int_equal(contents.extension_count, 2);
  /* The document's own data, in another order; then none. */
  SupGltfModel turned[2] = {models[1], models[0]};
  check(sup_gltf_put_models(document, &c, 2, turned, &error));
  check(sup_gltf_models(document, &c, &arena, &count, &models, &error));
  assert_string_equal(models[0].kind, "surface");
  assert_memory_equal(models[0].data, block + 100, 900);
  assert_memory_equal(models[1].data, block, 333 < 100 ? 333 : 100);
  check(sup_gltf_put_models(document, &c, 0, NULL, &error));
  check(sup_gltf_contents(document, &arena, &contents, &error));
  assert_int_equal(contents.model_count, 0);
  assert_int_equal(contents.extension_count, 1);
}

/* Everything else in the file is untouched by edits: JSON members, and all bytes of the buffer. */
static void edits_leave_the_rest_alone(void **state) {
  (void)state;
  Fixture fixture = fixture_make(FIX_UNKNOWN);
  document = fixture_open(FIX_UNKNOWN);
  SupGltfCharacter c = character();
  float values[TUBE_VERTICES] = {0};
  check(sup_gltf_put_map(document, &c, "lock", values, &error));
  const uint8_t *data;
  size_t bytes;
  check(sup_gltf_save_memory(document, &arena, &data, &bytes, &error));
  size_t json_bytes = (size_t)data[12] | (size_t)data[13] << 8 | (size_t)data[14] << 16;
  assert_memory_equal(data + 20 + json_bytes + 8, fixture.bin, fixture.bin_bytes);
  char *json = malloc(json_bytes + 1);
  memcpy(json, data + 20, json_bytes);
  json[json_bytes] = 0;
  static const char *const pieces[] = {
      "\"rain\":[1e-7,0.10,-0,12.50,1E+2,18446744073709551616,1e400,123456789.123456789]",
      "\"znear\":1.0E-2},\"extras\":null}",
      "\"deep\":{\"b\":true,\"a\":{\"z\":[],\"y\":{}},\"text\":",
      "\"extras\":[{\"last\":1},\"first\",3.0]",
  };
  for (int k = 0; k < 4; k++) {
    if (!strstr(json, pieces[k])) fail_msg("lost: %s", pieces[k]);
  }
  free(json);
  fixture_free(&fixture);
}

/* The fixture as text with `added` behind the first `place`. */
static SupGltf *open_with(unsigned flags, const char *place, const char *added) {
  Fixture fixture = fixture_make(flags | FIX_TEXT);
  size_t size = fixture.bytes + strlen(added);
  char *text = calloc(size + 1, 1), *at;
  memcpy(text, fixture.file, fixture.bytes);
  at = strstr(text, place);
  if (!at) fail_msg("no %s in %.3000s", place, text);
  at += strlen(place);
  memmove(at + strlen(added), at, strlen(at));
  memcpy(at, added, strlen(added));
  SupGltf *opened = NULL;
  check(sup_gltf_open_memory(text, size, NULL, NULL, &opened, &error));
  free(text);
  fixture_free(&fixture);
  return opened;
}

/* What the document would be saved as, in `arena`. */
static const uint8_t *saved(size_t *out_bytes) {
  const uint8_t *data;
  check(sup_gltf_save_memory(document, &arena, &data, out_bytes, &error));
  return data;
}

/* Damage beside this character is told as what it is, and nothing has been changed by then. */
static void failed_edits_change_nothing(void **state) {
  (void)state;
  size_t before_bytes, after_bytes;
  document = open_with(FIX_PLAIN, "\"channels\":[",
                       "{\"sampler\":99,\"target\":{\"node\":4,\"path\":\"translation\"}},");
  SupGltfCharacter c = character();
  const uint8_t *before = saved(&before_bytes);
  const SupClip *clip = &c.character.clips[0];
  assert_int_equal(sup_gltf_put_clip(document, &c, clip, &error), SUP_ERROR_FORMAT);
  assert_non_null(strstr(error.text, "channel 0"));
  assert_int_equal(sup_gltf_remove_clip(document, &c, clip->name, &error), SUP_ERROR_FORMAT);
  const uint8_t *after = saved(&after_bytes);
  assert_int_equal(before_bytes, after_bytes);
  assert_memory_equal(before, after, before_bytes);
  sup_gltf_close(document);
  /* The weights are animated by a sampler that is not there. */
  document = open_with(FIX_MORPHS, "\"animations\":[",
                       "{\"name\":\"broken\",\"channels\":[{\"sampler\":0,\"target\":{\"node\":4,"
                       "\"path\":\"weights\"}}],\"samplers\":[]},");
  SupArena other;
  sup_arena_init(&other, sup_heap_allocator(), 0);
  SupGltf *whole = fixture_open(FIX_MORPHS | FIX_TEXT); /* the same places without the damage */
  c = fixture_character(whole, &other);
  before = saved(&before_bytes);
  SupVec3 offsets[TUBE_VERTICES] = {{1, 2, 3}};
  SupGltfMorph morph = {"lift", 0, offsets, NULL};
  assert_int_equal(sup_gltf_add_morphs(document, &c, 1, &morph, &error), SUP_ERROR_FORMAT);
  after = saved(&after_bytes);
  assert_int_equal(before_bytes, after_bytes);
  assert_memory_equal(before, after, before_bytes);
  sup_gltf_close(whole);
  sup_arena_free(&other);
}

static void characters_become_fresh_documents(void **state) {
  (void)state;
  static const unsigned kinds[] = {FIX_PLAIN, FIX_MORPHS | FIX_MAPS, FIX_JOINTS_1, FIX_CUBIC,
                                   FIX_FAN | FIX_NEGATIVE};
  for (int kind = 0; kind < 5; kind++) {
    document = fixture_open(kinds[kind]);
    SupGltfCharacter c = character();
    sup_gltf_close(document);
    SupMaterial material = {"clay", {0.5f, 0.25f, 0.125f, 1}, 0, 0.75f, {0, 0, 0}};
    c.character.material_count = 1;
    c.character.materials = &material;
    check(sup_gltf_from_character(&c.character, NULL, &document, &error));
    reopen();
    SupGltfCharacter again = character();
    assert_int_equal(again.character.body.vertex_count, c.character.body.vertex_count);
    assert_memory_equal(again.character.body.positions, c.character.body.positions,
                        sizeof(SupVec3) * TUBE_VERTICES);
    assert_int_equal(again.character.body.triangle_count, c.character.body.triangle_count);
    assert_memory_equal(again.character.skin.weights, c.character.skin.weights,
                        sizeof(float) * c.character.skin.offsets[TUBE_VERTICES]);
    assert_int_equal(again.character.morph_count,
                     c.character.morph_count * (c.character.morph_count ? 1 : 0));
    assert_int_equal(again.character.map_count, c.character.map_count);
    assert_int_equal(again.character.clip_count, 1);
    assert_int_equal(again.character.clips[0].track_count, c.character.clips[0].track_count);
    assert_int_equal(again.character.skeleton.joint_count, 4);
    end(NULL);
    begin(NULL);
  }
}

int run_gltf_edit_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(maps_are_written, begin, end),
      cmocka_unit_test_setup_teardown(joints_and_weights_are_written, begin, end),
      cmocka_unit_test_setup_teardown(skins_get_bones_they_lack, begin, end),
      cmocka_unit_test_setup_teardown(the_skin_before_is_kept, begin, end),
      cmocka_unit_test_setup_teardown(clips_are_written_replaced_and_removed, begin, end),
      cmocka_unit_test_setup_teardown(morph_targets_are_added, begin, end),
      cmocka_unit_test_setup_teardown(model_blocks_are_kept, begin, end),
      cmocka_unit_test_setup_teardown(edits_leave_the_rest_alone, begin, end),
      cmocka_unit_test_setup_teardown(failed_edits_change_nothing, begin, end),
      cmocka_unit_test_setup_teardown(characters_become_fresh_documents, begin, end),
  };
  return cmocka_run_group_tests_name("gltf editing", tests, NULL, NULL);
}
