/* SPDX-License-Identifier: MIT */
/* Every fixture holds the same tube: what is read must be that tube. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "gltf_compare.h"
#include "gltf_fixtures.h"
#include "gltf_groups.h"
#include "supple/io/file.h"

static SupArena arena;
static SupGltf *document;

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

static SupGltfCharacter load(unsigned flags) {
  document = fixture_open(flags);
  return fixture_character(document, &arena);
}

/* A body position as the truth would have it. */
static SupVec3 unit_position(unsigned flags, SupVec3 p) {
  float scale = flags & FIX_QUANTISED ? 1.0f / 4096 : 1;
  return (SupVec3){p.x * scale, p.y * scale, p.z * scale};
}

static float tolerance(unsigned flags) { return flags & FIX_QUANTISED ? 2.5e-4f : 1e-6f; }

static void check_skeleton(const SupSkeleton *skeleton) {
  static const char *const names[] = {"holder", "root", "mid", "tip"};
  assert_int_equal(skeleton->joint_count, 4);
  for (uint32_t j = 0; j < 4; j++) {
    assert_string_equal(skeleton->names[j], names[j]);
    assert_int_equal(skeleton->parents[j], (int)j - 1);
    assert_true(skeleton->rest[j].translation.y == (j >= 2 ? 1.0f : 0.0f));
  }
  assert_int_equal(skeleton->bone_count, TUBE_JOINTS);
  for (uint32_t b = 0; b < TUBE_JOINTS; b++) assert_int_equal(skeleton->bone_joints[b], b + 1);
}

static void check_weights(unsigned flags, const SupCharacter *character) {
  float allowed = flags & FIX_BYTES ? 3e-3f : 1e-6f;
  for (uint32_t v = 0; v < character->body.vertex_count; v++) {
    uint32_t truth =
        tube_find(unit_position(flags, character->body.positions[v]), tolerance(flags));
    float found[TUBE_JOINTS] = {0}, sum = 0;
    for (uint32_t k = character->skin.offsets[v]; k < character->skin.offsets[v + 1]; k++) {
      found[character->skin.bones[k]] = character->skin.weights[k];
      sum += character->skin.weights[k];
      if (k > character->skin.offsets[v]) {
        assert_true(character->skin.weights[k] <= character->skin.weights[k - 1]);
      }
    }
    assert_true(fabsf(sum - 1) < 1e-6f);
    for (uint32_t j = 0; j < TUBE_JOINTS; j++) {
      assert_true(fabsf(found[j] - tube_weight(truth, j)) <= allowed);
    }
  }
}

/* Every triangle of the tube once, the same way round. */
static void check_triangles(unsigned flags, const SupCharacter *character) {
  const SupMesh *body = &character->body;
  assert_int_equal(body->vertex_count, TUBE_VERTICES);
  uint32_t extra = flags & FIX_FAN ? TUBE_SIDES - 2 : 0;
  assert_int_equal(body->triangle_count, TUBE_TRIANGLES + extra);
  bool seen[TUBE_VERTICES][TUBE_VERTICES] = {{false}};
  for (uint32_t f = 0; f < body->triangle_count; f++) {
    SupVec3 p[3];
    for (int c = 0; c < 3; c++) {
      p[c] = unit_position(flags, body->positions[body->triangles[3 * f + (uint32_t)c]]);
    }
    uint32_t t[3];
    for (int c = 0; c < 3; c++) t[c] = tube_find(p[c], tolerance(flags));
    for (int c = 0; c < 3; c++) {
      assert_false(seen[t[c]][t[(c + 1) % 3]]); /* a directed edge has one triangle */
      seen[t[c]][t[(c + 1) % 3]] = true;
    }
    if (f >= TUBE_TRIANGLES) continue;
    double nx = (double)(p[1].y - p[0].y) * (double)(p[2].z - p[0].z) -
                (double)(p[1].z - p[0].z) * (double)(p[2].y - p[0].y);
    double nz = (double)(p[1].x - p[0].x) * (double)(p[2].y - p[0].y) -
                (double)(p[1].y - p[0].y) * (double)(p[2].x - p[0].x);
    double x = (double)(p[0].x + p[1].x + p[2].x), z = (double)(p[0].z + p[1].z + p[2].z);
    assert_true(nx * x + nz * z > 0); /* outwards */
  }
}

/* Skinning in the rest pose, with arithmetic of our own: holder * sum w T(j) IBM(j) x = holder x.
 */
static void check_rest_pose(unsigned flags, const SupCharacter *character) {
  double mirror = flags & FIX_NEGATIVE ? -1 : 1;
  for (uint32_t v = 0; v < character->body.vertex_count; v++) {
    SupVec3 p = character->body.positions[v];
    SupVec3 truth = tube_position(tube_find(unit_position(flags, p), tolerance(flags)));
    double scene[3] = {0};
    for (uint32_t k = character->skin.offsets[v]; k < character->skin.offsets[v + 1]; k++) {
      uint32_t b = character->skin.bones[k];
      const float *m = character->skeleton.inverse_bind[b].m;
      double w = (double)character->skin.weights[k];
      for (int r = 0; r < 3; r++) {
        double x = (double)m[r] * (double)p.x + (double)m[3 + r] * (double)p.y +
                   (double)m[6 + r] * (double)p.z + (double)m[9 + r];
        scene[r] += w * (x + (r == 1 ? (double)(character->skeleton.bone_joints[b] - 1) : 0));
      }
    }
    double allowed = (double)tolerance(flags) * 2;
    assert_true(fabs(scene[0] * mirror - mirror * (double)truth.x) < allowed);
    assert_true(fabs(scene[1] - (double)truth.y) < allowed);
    assert_true(fabs(scene[2] - (double)truth.z) < allowed);
    if (flags & FIX_NEGATIVE) assert_true(character->skeleton.rest[0].scale.x == -1);
  }
}

static void every_fixture_holds_the_tube(void **state) {
  (void)state;
  for (const unsigned *flags = fixture_list; *flags != FIXTURE_END; flags++) {
    SupGltfCharacter c = load(*flags);
    print_message("  %s\n", fixture_name(*flags));
    check_skeleton(&c.character.skeleton);
    check_triangles(*flags, &c.character);
    check_weights(*flags, &c.character);
    check_rest_pose(*flags, &c.character);
    assert_int_equal(c.report.primitives_ignored, *flags & FIX_UNKNOWN ? 1 : 0);
    assert_int_equal(c.character.weld.weights_normalised, 0);
    assert_int_equal(c.character.weld.weights_missing, 0);
    for (uint32_t j = 0; j < 4; j++) assert_int_equal(c.joint_nodes[j], j);
    end(NULL);
    begin(NULL);
  }
}

static const SupTrack *find_track(const SupCharacter *c, SupChannel channel) {
  for (uint32_t t = 0; t < c->clips[0].track_count; t++) {
    if (c->clips[0].tracks[t].channel == channel) return &c->clips[0].tracks[t];
  }
  return NULL;
}

static void clips_have_the_planted_keys(void **state) {
  (void)state;
  static const unsigned kinds[] = {FIX_PLAIN, FIX_CUBIC, FIX_BYTES, FIX_MORPHS, FIX_FILTERS};
  for (int kind = 0; kind < 5; kind++) {
    SupGltfCharacter c = load(kinds[kind]);
    assert_int_equal(c.character.clip_count, 1);
    assert_string_equal(c.character.clips[0].name, "clip_0");
    assert_true(c.character.clips[0].duration == 1.5f);
    const SupTrack *rotation = find_track(&c.character, SUP_CHANNEL_ROTATION);
    assert_int_equal(rotation->target, 2);
    assert_int_equal(rotation->key_count, TUBE_KEYS);
    assert_memory_equal(rotation->times, tube_times, sizeof tube_times);
    bool cubic = kinds[kind] == FIX_CUBIC;
    assert_int_equal(rotation->interpolation,
                     cubic ? SUP_INTERPOLATE_CUBIC : SUP_INTERPOLATE_LINEAR);
    for (uint32_t i = 0; i < TUBE_KEYS; i++) {
      SupQuat q = tube_rotation(i);
      const float *value = rotation->values + (cubic ? 12 * i + 4 : 4 * i);
      float allowed = kinds[kind] == FIX_BYTES     ? 1.0f / 127
                      : kinds[kind] == FIX_FILTERS ? 1e-4f
                                                   : 0;
      assert_true(fabsf(value[2] - q.z) <= allowed && fabsf(value[3] - q.w) <= allowed);
      double length = 0;
      for (int k = 0; k < 4; k++) length += (double)value[k] * (double)value[k];
      assert_true(fabs(length - 1) < 1e-6);
      if (cubic) assert_true(rotation->values[12 * i + 2] == 0.125f);
      if (cubic) assert_true(rotation->values[12 * i + 10] == 0.25f);
    }
    const SupTrack *step = find_track(&c.character, SUP_CHANNEL_TRANSLATION);
    assert_int_equal(step->target, 0); /* the holder: no joint of the skin */
    assert_int_equal(step->interpolation, SUP_INTERPOLATE_STEP);
    assert_true(step->values[3 * 2 + 1] == 3);
    const SupTrack *scale = find_track(&c.character, SUP_CHANNEL_SCALE);
    assert_int_equal(scale->target, 3);
    assert_true(scale->values[3 * 3] == 1.75f);
    end(NULL);
    begin(NULL);
  }
}

static void morph_targets_are_read(void **state) {
  (void)state;
  SupGltfCharacter c = load(FIX_MORPHS | FIX_NO_INDICES);
  assert_int_equal(c.character.morph_count, 2);
  assert_string_equal(c.character.morphs[0].name, "fat");
  assert_string_equal(c.character.morphs[1].name, "zigzag");
  assert_true(c.character.morphs[0].weight == 0.25f);
  assert_true(c.character.morphs[1].weight == 0.5f); /* the node's, not the mesh's */
  for (uint32_t v = 0; v < c.character.body.vertex_count; v++) {
    uint32_t truth = tube_find(c.character.body.positions[v], 1e-6f);
    for (uint32_t m = 0; m < 2; m++) {
      SupVec3 expected = tube_morph(m, truth);
      assert_memory_equal(&c.character.morphs[m].offsets[v], &expected, sizeof expected);
    }
  }
  const SupTrack *weights = find_track(&c.character, SUP_CHANNEL_WEIGHTS);
  assert_int_equal(weights->width, 2);
  assert_int_equal(weights->target, 0);
  assert_true(weights->values[2 * 3 + 1] == 1.25f);
  assert_int_equal(c.morph_nodes[1], 4);
  assert_int_equal(c.morph_targets[1], 1);
}

static void filtered_normals_are_read(void **state) {
  (void)state;
  SupGltfCharacter c = load(FIX_FILTERS);
  for (uint32_t v = 0; v < c.character.render.vertex_count; v++) {
    SupVec3 n = c.character.render.normals[v], p = c.character.render.positions[v];
    assert_true(fabsf(n.x - p.x / 0.3f) < 0.02f && fabsf(n.y) < 0.02f);
    assert_true(fabsf(n.z - p.z / 0.3f) < 0.02f);
  }
}

static void maps_are_read(void **state) {
  (void)state;
  SupGltfCharacter c = load(FIX_MAPS | FIX_NO_INDICES);
  assert_int_equal(c.character.map_count, 1);
  assert_string_equal(c.character.maps[0].name, "stiffness");
  for (uint32_t v = 0; v < c.character.body.vertex_count; v++) {
    uint32_t truth = tube_find(c.character.body.positions[v], 1e-6f);
    assert_true(c.character.maps[0].values[v] == tube_stiffness(truth));
  }
}

/* Only when asked, and only where no attribute says it. */
static void colours_stand_in_for_maps(void **state) {
  (void)state;
  assert_int_equal(load(FIX_COLORS).character.map_count, 0);
  static const unsigned kinds[] = {FIX_COLORS, FIX_COLORS | FIX_MAPS,
                                   FIX_COLORS | FIX_MAPS | FIX_NO_INDICES};
  static const char *const names[] = {"lock", "stiffness", "lock"};
  for (int kind = 0; kind < 3; kind++) {
    Fixture fixture = fixture_make(kinds[kind]);
    SupGltfOptions options = sup_gltf_options();
    options.color_map = names[kind];
    SupGltf *opened;
    SupError error;
    if (sup_gltf_open_memory(fixture.file, fixture.bytes, NULL, &options, &opened, &error)) {
      fail_msg("%s", error.text);
    }
    SupCharacter c = fixture_character(opened, &arena).character;
    assert_int_equal(c.map_count, kind == 2 ? 2 : 1);
    const SupMap *map = &c.maps[c.map_count - 1];
    assert_string_equal(map->name, names[kind]);
    for (uint32_t v = 0; v < c.body.vertex_count; v++) {
      uint32_t truth = tube_find(c.body.positions[v], 1e-6f);
      float expected = kind == 1 ? tube_stiffness(truth) : (float)tube_red(truth) / 255;
      assert_true(fabsf(map->values[v] - expected) < 1e-6f);
    }
    sup_gltf_close(opened);
    fixture_free(&fixture);
  }
}

/* The second skin is bound at ten times the size: brought to the first one's space it is the same
 * tube, welds onto it and shares its bones. */
static void skins_in_other_bind_spaces_are_moved(void **state) {
  (void)state;
  SupGltfCharacter c = load(FIX_TWO_SKINS);
  assert_int_equal(c.skin_count, 2);
  assert_int_equal(c.report.skins_moved, 1);
  assert_int_equal(c.report.skins_apart, 0);
  assert_int_equal(c.character.render.vertex_count, 2 * TUBE_VERTICES);
  assert_int_equal(c.character.weld.vertices_merged, TUBE_VERTICES);
  assert_int_equal(c.character.weld.triangles_duplicate, TUBE_TRIANGLES);
  assert_true(fabsf(c.skin_to_body[1].m[0] - 0.1f) < 1e-6f);
  assert_int_equal(c.skin_bones[1][2], c.skin_bones[0][2]);
}

static void contents_are_told(void **state) {
  (void)state;
  SupGltfContents contents;
  SupError error;
  document = fixture_open(FIX_UNKNOWN | FIX_MORPHS);
  assert_int_equal(sup_gltf_contents(document, &arena, &contents, &error), SUP_OK);
  assert_string_equal(contents.generator, "fixture");
  assert_true(contents.binary);
  assert_int_equal(contents.node_count, 5);
  assert_int_equal(contents.primitive_count, 2);
  assert_int_equal(contents.line_or_point_primitives, 1);
  assert_int_equal(contents.skinned_node_count, 1);
  assert_int_equal(contents.morph_target_count, 2);
  assert_int_equal(contents.image_bytes, fixture_png_bytes);
  assert_int_equal(contents.extension_count, 1);
  assert_string_equal(contents.extensions[0], "ACME_weather");
  assert_int_equal(contents.springs, SUP_SPRINGS_NONE);
}

static void open_text(const char *text, SupResult expected, const char *part) {
  SupGltf *made = NULL;
  SupError error = {""};
  SupResult result = sup_gltf_open_memory(text, strlen(text), NULL, NULL, &made, &error);
  if (result == SUP_OK) {
    uint32_t count;
    SupGltfCharacter *characters;
    result = sup_gltf_characters(made, &arena, &count, &characters, &error);
  }
  sup_gltf_close(made);
  assert_int_equal(result, expected);
  if (!strstr(error.text, part)) fail_msg("`%s` does not say `%s`", error.text, part);
}

#define ASSET "\"asset\":{\"version\":\"2.0\"}"

static void sentences_say_what_is_wrong(void **state) {
  (void)state;
  open_text("Kaydara FBX Binary  ", SUP_ERROR_UNSUPPORTED, "Blender");
  open_text("hello", SUP_ERROR_UNSUPPORTED, "neither .glb nor .gltf");
  open_text("{\"a\":1,\"a\":2}", SUP_ERROR_FORMAT, "duplicate");
  open_text("{\"a\":1,}", SUP_ERROR_FORMAT, "line 1");
  open_text("{}", SUP_ERROR_FORMAT, "asset.version");
  open_text("{\"asset\":{\"version\":\"1.0\"}}", SUP_ERROR_UNSUPPORTED, "glTF 1.0");
  open_text("{" ASSET "}", SUP_ERROR_UNSUPPORTED, "no skinned mesh");
  open_text("{" ASSET ",\"nodes\":{}}", SUP_ERROR_FORMAT, "`nodes` must be an array");
  open_text("{" ASSET ",\"nodes\":[{\"children\":[0]}]}", SUP_ERROR_FORMAT, "cycle");
  open_text("{" ASSET ",\"nodes\":[{\"children\":[2]},{\"children\":[2]},{}]}", SUP_ERROR_FORMAT,
            "node 2 is a child of both");
  open_text("{" ASSET ",\"nodes\":[{\"children\":[7]}]}", SUP_ERROR_FORMAT, "node 0: `children`");
  open_text("{" ASSET ",\"nodes\":[{\"rotation\":[1,2]}]}", SUP_ERROR_FORMAT,
            "node 0: `rotation` must be an array of 4");
  open_text("{" ASSET ",\"nodes\":[{}],\"skins\":[{\"joints\":[]}]}", SUP_ERROR_FORMAT,
            "skin 0 has no joints");
  open_text("{" ASSET ",\"extensionsRequired\":[\"KHR_draco_mesh_compression\"]}",
            SUP_ERROR_UNSUPPORTED, "gltf-transform");
  open_text("{" ASSET ",\"extensionsRequired\":[\"ACME_holograms\"]}", SUP_ERROR_UNSUPPORTED,
            "`ACME_holograms`");
  open_text("{" ASSET ",\"buffers\":[{\"byteLength\":9,\"uri\":\"data:;base64,AAAA\"}]}",
            SUP_ERROR_FORMAT, "buffer 0 should have 9 bytes");
  open_text("{" ASSET ",\"buffers\":[{\"byteLength\":1,\"uri\":\"data:;base64,A*==\"}]}",
            SUP_ERROR_FORMAT, "base64");
}

static void spring_bones_are_counted(void **state) {
  (void)state;
  static const char vrm1[] =
      "{" ASSET
      ",\"extensions\":{\"VRMC_springBone\":{\"springs\":[{\"joints\":[{},{}]},"
      "{\"joints\":[{}]}]}}}";
  static const char vrm0[] = "{" ASSET
                             ",\"extensions\":{\"VRM\":{\"secondaryAnimation\":{\"boneGroups\":"
                             "[{\"bones\":[1,2,3]}]}}}}";
  SupGltfContents contents;
  SupError error;
  assert_int_equal(sup_gltf_open_memory(vrm1, strlen(vrm1), NULL, NULL, &document, &error), 0);
  assert_int_equal(sup_gltf_contents(document, &arena, &contents, &error), SUP_OK);
  assert_int_equal(contents.springs, SUP_SPRINGS_VRM1);
  assert_int_equal(contents.spring_count, 2);
  assert_int_equal(contents.spring_joint_count, 3);
  sup_gltf_close(document);
  assert_int_equal(sup_gltf_open_memory(vrm0, strlen(vrm0), NULL, NULL, &document, &error), 0);
  assert_int_equal(sup_gltf_contents(document, &arena, &contents, &error), SUP_OK);
  assert_int_equal(contents.springs, SUP_SPRINGS_VRM0);
  assert_int_equal(contents.spring_joint_count, 3);
}

int run_gltf_read_tests(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_fixture_holds_the_tube, begin, end),
      cmocka_unit_test_setup_teardown(clips_have_the_planted_keys, begin, end),
      cmocka_unit_test_setup_teardown(morph_targets_are_read, begin, end),
      cmocka_unit_test_setup_teardown(filtered_normals_are_read, begin, end),
      cmocka_unit_test_setup_teardown(maps_are_read, begin, end),
      cmocka_unit_test_setup_teardown(colours_stand_in_for_maps, begin, end),
      cmocka_unit_test_setup_teardown(skins_in_other_bind_spaces_are_moved, begin, end),
      cmocka_unit_test_setup_teardown(contents_are_told, begin, end),
      cmocka_unit_test_setup_teardown(sentences_say_what_is_wrong, begin, end),
      cmocka_unit_test_setup_teardown(spring_bones_are_counted, begin, end),
  };
  return cmocka_run_group_tests_name("gltf reading", tests, NULL, NULL);
}
