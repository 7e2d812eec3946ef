/* SPDX-License-Identifier: MIT */
/* Characters out of raw arrays: two squares with a seam, everything about them planted. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/author/build.h"
#include "supple/io/file.h"

enum { VERTICES = 6 };

/* Part 0, node 7: the square 0..1 x 0..1. Part 1, node 7: the square 1..2 x 0..1, whose first two
 * vertices lie on part 0's last two. */
typedef struct Planted {
  SupVec3 positions[2][4];
  uint32_t triangles[2][6];
  uint32_t bones[2][4][2];
  float weights[2][4][2];
  float map[2][4];
  SupVec3 offsets[2][4];
  const SupVec3 *morph_lists[2][1];
  const float *map_lists[2][1];
  SupRawPart parts[2];
  int32_t parents[2];
  SupTransform rest[2];
  const char *names[2];
  uint32_t bone_joints[2];
  SupAffine inverse_bind[2];
  float times[3], keys[9];
  SupTrack track;
  SupClip clip;
  SupRawMorph morph;
  const char *map_names[1];
  SupRawCharacter raw;
} Planted;

static void plant_part(Planted *p, int s) {
  static const uint32_t corners[6] = {0, 2, 1, 1, 2, 3};
  for (uint32_t v = 0; v < 4; v++) {
    p->positions[s][v] = (SupVec3){(float)s + (float)(v / 2), (float)(v % 2), 0};
    p->bones[s][v][0] = 0;
    p->bones[s][v][1] = 1;
    p->weights[s][v][0] = 0.25f;
    p->weights[s][v][1] = 0.75f;
    p->map[s][v] = (float)v;
    p->offsets[s][v] = (SupVec3){0, 0, p->positions[s][v].x};
  }
  memcpy(p->triangles[s], corners, sizeof corners);
  p->morph_lists[s][0] = p->offsets[s];
  p->map_lists[s][0] = p->map[s];
  p->parts[s] = (SupRawPart){.name = "square",
                             .node = 7,
                             .primitive = (uint32_t)s,
                             .material = SUP_NONE,
                             .vertex_count = 4,
                             .triangle_count = 2,
                             .positions = p->positions[s],
                             .triangles = p->triangles[s],
                             .influence_count = 2,
                             .bones = &p->bones[s][0][0],
                             .weights = &p->weights[s][0][0],
                             .morph_offsets = p->morph_lists[s],
                             .map_values = p->map_lists[s]};
}

static void plant(Planted *p) {
  memset(p, 0, sizeof *p);
  for (int s = 0; s < 2; s++) {
    plant_part(p, s);
    p->parents[s] = s - 1;
    p->rest[s] = sup_transform_identity();
    p->bone_joints[s] = (uint32_t)s;
    p->inverse_bind[s] = sup_affine_identity();
  }
  p->names[0] = "root";
  p->names[1] = "tip";
  p->times[1] = 1;
  p->times[2] = 2;
  p->track = (SupTrack){1, SUP_CHANNEL_SCALE, SUP_INTERPOLATE_LINEAR, 3, 3, p->times, p->keys};
  p->clip = (SupClip){"walk", 0, 1, &p->track};
  p->morph = (SupRawMorph){"smile", 0.5f};
  p->map_names[0] = "lock";
  SupSkeleton skeleton = {2, 2, p->parents, p->rest, p->names, p->bone_joints, p->inverse_bind};
  p->raw = (SupRawCharacter){.name = "squares",
                             .skeleton = skeleton,
                             .part_count = 2,
                             .parts = p->parts,
                             .clip_count = 1,
                             .clips = &p->clip,
                             .morph_count = 1,
                             .morphs = &p->morph,
                             .map_count = 1,
                             .map_names = p->map_names};
}

static SupArena arena;
static Planted planted;

static int begin(void **state) {
  (void)state;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  plant(&planted);
  return 0;
}

static int end(void **state) {
  (void)state;
  sup_arena_free(&arena);
  return 0;
}

static SupCharacter build(void) {
  SupCharacter character;
  SupError error = {""};
  if (sup_character_build(&arena, &planted.raw, &character, &error)) fail_msg("%s", error.text);
  return character;
}

/* The body vertex at a place. */
static uint32_t vertex_at(const SupCharacter *character, float x, float y) {
  for (uint32_t v = 0; v < character->body.vertex_count; v++) {
    SupVec3 p = character->body.positions[v];
    if (p.x == x && p.y == y) return v;
  }
  fail_msg("no vertex at %g %g", (double)x, (double)y);
  return 0;
}

static float weight_of(const SupCharacter *character, uint32_t v, uint32_t bone) {
  for (uint32_t k = character->skin.offsets[v]; k < character->skin.offsets[v + 1]; k++) {
    if (character->skin.bones[k] == bone) return character->skin.weights[k];
  }
  return 0;
}

static void seams_are_welded(void **state) {
  (void)state;
  SupCharacter c = build();
  assert_int_equal(c.body.vertex_count, VERTICES);
  assert_int_equal(c.body.triangle_count, 4);
  assert_int_equal(c.weld.vertices_merged, 2);
  assert_int_equal(c.weld.weights_averaged, 0);
  assert_int_equal(c.render.skin.vertex_count, 0);
  assert_int_equal(c.render.vertex_count, 8);
  for (uint32_t v = 0; v < 8; v++) {
    SupVec3 at = c.body.positions[c.render.to_body[v]];
    assert_memory_equal(&at, &c.render.positions[v], sizeof at);
  }
  assert_int_equal(c.render.parts[1].first_vertex, 4);
  assert_int_equal(c.render.triangles[6], 4);
  assert_true(c.clips[0].duration == 2);
  assert_int_equal(c.skin.influence_max, 2);
  assert_int_equal(c.skin.bones[0], 1); /* the larger weight first */
}

static void the_result_is_a_copy(void **state) {
  (void)state;
  SupCharacter c = build();
  SupVec3 old = c.body.positions[3];
  memset(&planted, 0xEE, sizeof planted);
  assert_memory_equal(&c.body.positions[3], &old, sizeof old);
  assert_string_equal(c.name, "squares");
  assert_string_equal(c.skeleton.names[1], "tip");
  assert_string_equal(c.clips[0].name, "walk");
  assert_true(c.clips[0].tracks[0].times[1] == 1);
  assert_string_equal(c.morphs[0].name, "smile");
  assert_string_equal(c.maps[0].name, "lock");
  assert_string_equal(c.render.parts[0].name, "square");
}

static void unequal_duplicates_are_averaged(void **state) {
  (void)state;
  planted.weights[1][0][0] = 0.75f; /* at (1, 0), which part 0 has at 0.25 */
  planted.weights[1][0][1] = 0.25f;
  planted.map[1][0] = 10;      /* part 0 has 2 there */
  planted.offsets[1][0].z = 3; /* part 0 has 1 */
  SupCharacter c = build();
  uint32_t v = vertex_at(&c, 1, 0);
  assert_int_equal(c.weld.weights_averaged, 1);
  assert_true(weight_of(&c, v, 0) == 0.5f && weight_of(&c, v, 1) == 0.5f);
  assert_int_equal(c.skin.bones[c.skin.offsets[v]], 0); /* equal weights: the lower bone first */
  assert_true(c.maps[0].values[v] == 6);
  assert_true(c.morphs[0].offsets[v].z == 2);
  assert_true(c.maps[0].values[vertex_at(&c, 2, 1)] == 3);
  /* The render vertices keep theirs: 0.25 in part 0, 0.75 in part 1, heavier bone first. */
  const SupSkin *own = &c.render.skin;
  assert_int_equal(own->vertex_count, c.render.vertex_count);
  for (uint32_t r = 0, part = 0; r < c.render.vertex_count; r++) {
    if (c.render.to_body[r] != v) continue;
    assert_int_equal(own->offsets[r + 1] - own->offsets[r], 2);
    assert_int_equal(own->bones[own->offsets[r]], part == 0 ? 1 : 0);
    assert_true(own->weights[own->offsets[r]] == 0.75f);
    part++;
  }
}

static void weights_are_normalised_as_three_js_does(void **state) {
  (void)state;
  float(*w)[2] = planted.weights[0];
  w[0][0] = 1; /* sum 4 */
  w[0][1] = 3;
  w[1][0] = 0; /* none: all to the first slot's bone */
  w[1][1] = 0;
  planted.bones[0][1][0] = 1;
  w[2][0] = -1; /* negative: as if it were zero */
  w[2][1] = 0.5f;
  planted.weights[1][0][0] = 0; /* its duplicate agrees */
  planted.weights[1][0][1] = 1;
  planted.bones[0][3][0] = 1; /* the same bone twice */
  SupCharacter c = build();
  assert_true(weight_of(&c, vertex_at(&c, 0, 0), 0) == 0.25f);
  assert_true(weight_of(&c, vertex_at(&c, 0, 1), 1) == 1);
  assert_true(weight_of(&c, vertex_at(&c, 1, 0), 1) == 1);
  assert_int_equal(c.weld.weights_normalised, 2);
  assert_int_equal(c.weld.weights_missing, 1);
  assert_int_equal(c.weld.weights_averaged, 1); /* at (1, 1): once all on bone 1, once 1/4, 3/4 */
  assert_true(weight_of(&c, vertex_at(&c, 1, 1), 1) == 0.875f);
}

static void meshes_weld_only_where_weights_agree(void **state) {
  (void)state;
  planted.parts[1].node = 8;
  assert_int_equal(build().body.vertex_count, VERTICES);
  planted.weights[1][1][0] = 0.26f;
  planted.weights[1][1][1] = 0.74f;
  assert_int_equal(build().body.vertex_count, VERTICES + 1);
  planted.parts[1].node = 7;
  assert_int_equal(build().body.vertex_count, VERTICES);
}

static void triangles_are_cleaned_and_turned(void **state) {
  (void)state;
  SupCharacter c = build();
  uint32_t second = c.body.triangles[7];
  planted.parts[1].mirrored = true;
  c = build();
  assert_int_equal(c.body.triangles[8], second); /* part 1's first triangle is turned over */
  assert_int_equal(c.render.triangles[7], 6);    /* the file's own order stays */
  planted.triangles[0][1] = 0;                   /* two equal corners */
  memcpy(planted.triangles[1] + 3, planted.triangles[1], 12);
  c = build();
  assert_int_equal(c.body.triangle_count, 2);
  assert_int_equal(c.weld.triangles_degenerate, 1);
  assert_int_equal(c.weld.triangles_duplicate, 1);
}

static void parts_without_something_get_nothing(void **state) {
  (void)state;
  planted.parts[1].morph_offsets = NULL;
  planted.map_lists[1][0] = NULL;
  planted.parts[1].influence_count = 0;
  SupVec3 normals[4] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  planted.parts[0].normals = normals;
  SupCharacter c = build();
  uint32_t far = vertex_at(&c, 2, 0), seam = vertex_at(&c, 1, 0);
  assert_true(c.morphs[0].offsets[far].z == 0 && c.morphs[0].offsets[seam].z == 1);
  assert_true(c.maps[0].values[far] == 0 && c.maps[0].values[seam] == 2);
  assert_true(weight_of(&c, far, 0) == 1); /* no weights at all: bone 0 */
  assert_int_equal(c.weld.weights_missing, 4);
  assert_true(c.render.normals[3].z == 1 && c.render.normals[4].z == 0);
  assert_null(c.render.tangents);
  assert_null(c.render.uvs);
}

static void refuse(const char *part) {
  SupCharacter character = {.name = "untouched"};
  SupError error = {""};
  assert_int_equal(sup_character_build(&arena, &planted.raw, &character, &error), SUP_ERROR_FORMAT);
  assert_string_equal(character.name, "untouched");
  if (!strstr(error.text, part)) fail_msg("`%s` does not say `%s`", error.text, part);
  plant(&planted);
}

static void mistakes_are_named(void **state) {
  (void)state;
  planted.parents[1] = 1;
  refuse("joint 1");
  planted.parents[0] = -2;
  refuse("joint 0");
  planted.rest[1].scale.y = NAN;
  refuse("joint 1");
  planted.bone_joints[1] = 2;
  refuse("bone 1: there is no joint 2");
  planted.inverse_bind[0].m[11] = INFINITY;
  refuse("bone 0");
  planted.triangles[1][4] = 4;
  refuse("part 1 (square), triangle 1: there is no vertex 4");
  planted.bones[0][2][1] = 9;
  refuse("part 0 (square), vertex 2: there is no bone 9");
  planted.weights[1][3][0] = NAN;
  refuse("part 1 (square): a weight");
  planted.positions[1][0].z = -INFINITY;
  refuse("part 1 (square)");
  planted.offsets[0][0].x = NAN;
  refuse("part 0 (square)");
  planted.map[1][2] = NAN;
  refuse("part 1 (square)");
  planted.times[2] = 1;
  refuse("clip walk, track 0: key 2");
  planted.times[0] = -1;
  refuse("clip walk, track 0");
  planted.keys[8] = NAN;
  refuse("clip walk, track 0");
  planted.track.target = 2;
  refuse("clip walk, track 0: target 2 of width");
  planted.track.width = 4;
  refuse("clip walk, track 0");
  planted.track = (SupTrack){0, SUP_CHANNEL_WEIGHTS, 0, 2, 3, planted.times, planted.keys};
  refuse("clip walk, track 0");
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (size_t k = 1;; k++) {
    CountingHeap heap = {.fail_at = k};
    SupArena small;
    sup_arena_init(&small, counting_allocator(&heap), 0);
    SupCharacter character;
    SupError error = {""};
    SupResult result = sup_character_build(&small, &planted.raw, &character, &error);
    sup_arena_free(&small);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) {
      assert_true(k > 1 && heap.calls < k);
      break;
    }
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(error.text[0] != 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(seams_are_welded, begin, end),
      cmocka_unit_test_setup_teardown(the_result_is_a_copy, begin, end),
      cmocka_unit_test_setup_teardown(unequal_duplicates_are_averaged, begin, end),
      cmocka_unit_test_setup_teardown(weights_are_normalised_as_three_js_does, begin, end),
      cmocka_unit_test_setup_teardown(meshes_weld_only_where_weights_agree, begin, end),
      cmocka_unit_test_setup_teardown(triangles_are_cleaned_and_turned, begin, end),
      cmocka_unit_test_setup_teardown(parts_without_something_get_nothing, begin, end),
      cmocka_unit_test_setup_teardown(mistakes_are_named, begin, end),
      cmocka_unit_test_setup_teardown(every_allocation_may_fail, begin, end),
  };
  return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
