/* SPDX-License-Identifier: MIT */
/* What is not flesh: bodies made of boxes with planted signs. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/author/build.h"
#include "supple/author/hard_parts.h"
#include "supple/io/file.h"

enum { SIDE = 5, BOX_VERTICES = 6 * SIDE * SIDE, BOX_TRIANGLES = 12 * (SIDE - 1) * (SIDE - 1) };
enum { BOXES = 8, HIPS = 0, CHEST = 1, HEAD = 2, HAND = 3, BONES = 4 };
#define BENDS UINT32_MAX          /* a box on hips and chest, bending between */
#define SLIGHTLY (UINT32_MAX - 1) /* half as much */

typedef struct Box {
  const char *node, *mesh, *material;
  SupVec3 middle;
  float half;    /* of its sides */
  uint32_t bone; /* or BENDS */
  float metallic, roughness, transmission;
} Box;

typedef struct Toy {
  SupArena arena;
  SupError error;
  uint32_t box_count;
  Box boxes[BOXES];
  const char *bones[BONES];
  SupVec3 positions[BOXES][BOX_VERTICES];
  uint32_t triangles[BOXES][3 * BOX_TRIANGLES];
  uint32_t influences[BOXES][BOX_VERTICES][2];
  float weights[BOXES][BOX_VERTICES][2];
  SupRawPart parts[BOXES];
  SupPartSigns signs[BOXES];
  SupCharacter character;
  SupHardPartsDef def;
  SupHardParts found;
} Toy;

static Toy toy;

static void put(const Box *box) { toy.boxes[toy.box_count++] = *box; }

/* A body of bending flesh, alone. */
static void begin(void) {
  toy = (Toy){.bones = {"hips", "chest", "head", "hand"}};
  sup_arena_init(&toy.arena, sup_heap_allocator(), 0);
  put(&(Box){"Body", "Cube", "Skin", {0, 0, 0}, 1, BENDS, 0, 1, 0});
}

static void end(void) { sup_arena_free(&toy.arena); }

static void make_box(uint32_t b) {
  const Box *box = &toy.boxes[b];
  uint32_t triangle = 0;
  for (uint32_t face = 0; face < 6; face++) {
    for (uint32_t k = 0; k < SIDE * SIDE; k++) {
      const float u = 2 * (float)(k % SIDE) / (SIDE - 1) - 1,
                  w = 2 * (float)(k / SIDE) / (SIDE - 1) - 1;
      const float side = face % 2 ? 1.0f : -1.0f, axes[3] = {side, u * side, w};
      const uint32_t turn = face / 2, v = face * SIDE * SIDE + k;
      const SupVec3 at = {axes[(3 - turn) % 3], axes[(4 - turn) % 3], axes[(5 - turn) % 3]};
      toy.positions[b][v] = sup_vec3_add_scaled(box->middle, at, box->half);
      const bool bends = box->bone >= SLIGHTLY;
      const float up = (at.y * (box->bone == BENDS ? 1 : 0.5f) + 1) / 2;
      toy.influences[b][v][0] = bends ? HIPS : box->bone;
      toy.influences[b][v][1] = bends ? CHEST : (box->bone + 1) % BONES;
      toy.weights[b][v][0] = bends ? 1 - up : 1;
      toy.weights[b][v][1] = bends ? up : 0;
      if (k % SIDE == SIDE - 1 || k / SIDE == SIDE - 1) continue;
      const uint32_t quad[6] = {v, v + 1, v + SIDE + 1, v, v + SIDE + 1, v + SIDE};
      memcpy(toy.triangles[b] + 3 * (size_t)triangle, quad, sizeof quad);
      triangle += 2;
    }
  }
  assert_int_equal(triangle, BOX_TRIANGLES);
  toy.parts[b] = (SupRawPart){.name = box->node,
                              .node = b,
                              .mesh = b,
                              .material = b,
                              .vertex_count = BOX_VERTICES,
                              .triangle_count = BOX_TRIANGLES,
                              .positions = toy.positions[b],
                              .triangles = toy.triangles[b],
                              .influence_count = 2,
                              .bones = &toy.influences[b][0][0],
                              .weights = &toy.weights[b][0][0]};
  toy.signs[b] =
      (SupPartSigns){box->material, box->mesh, box->metallic, box->roughness, box->transmission};
}

static void build(void) {
  static const int32_t parents[BONES] = {-1, 0, 1, 1};
  static const uint32_t joints[BONES] = {0, 1, 2, 3};
  SupTransform rest[BONES];
  SupAffine inverse[BONES];
  for (int k = 0; k < BONES; k++) {
    rest[k] = sup_transform_identity();
    inverse[k] = sup_affine_identity();
  }
  for (uint32_t b = 0; b < toy.box_count; b++) make_box(b);
  const SupRawCharacter raw = {
      .name = "toy",
      .skeleton = {BONES, BONES, parents, rest, toy.bones, joints, inverse},
      .part_count = toy.box_count,
      .parts = toy.parts};
  if (sup_character_build(&toy.arena, &raw, &toy.character, &toy.error))
    fail_msg("%s", toy.error.text);
  toy.def = sup_hard_parts_def(&toy.character);
  toy.def.parts = toy.signs;
}

static void find(void) {
  if (sup_hard_parts(&toy.arena, &toy.def, &toy.found, &toy.error)) fail_msg("%s", toy.error.text);
}

/* The lock of a box: of all its vertices, which must agree. */
static float lock_of(uint32_t b) {
  const SupPart *part = &toy.character.render.parts[b];
  const uint32_t *to_body = toy.character.render.to_body + part->first_vertex;
  if (!toy.found.lock) return 0;
  const float lock = toy.found.lock[to_body[0]];
  for (uint32_t v = 1; v < part->vertex_count; v++) {
    if (toy.found.lock[to_body[v]] != lock) return -1;
  }
  return lock;
}

static const SupHardFinding *finding(SupHardKind kind, bool dismissed) {
  for (uint32_t k = 0; k < toy.found.finding_count; k++) {
    const SupHardFinding *f = &toy.found.findings[k];
    if (f->kind == kind && f->dismissed == dismissed) return f;
  }
  return NULL;
}

static void test_named_parts(void **state) {
  (void)state;
  begin();
  put(&(Box){"a", "b", "Eyes_Black", {3, 0, 0}, 0.4f, BENDS, 0, 1, 0});
  put(&(Box){"a", "Teeth.001", "c", {5, 0, 0}, 0.4f, BENDS, 0, 1, 0});
  put(&(Box){"LeftHorn", "b", "c", {7, 0, 0}, 0.4f, BENDS, 0, 1, 0});
  put(&(Box){"a", "b", "Hair", {9, 0, 0}, 0.4f, BENDS, 0, 1, 0});
  build();
  find();
  const float expected[] = {0, 1, 1, 1, 0};
  for (uint32_t b = 0; b < 5; b++) assert_true(lock_of(b) == expected[b]);
  assert_int_equal(finding(SUP_HARD_EYES, false)->sign, SUP_SIGN_MATERIAL);
  assert_string_equal(finding(SUP_HARD_EYES, false)->name, "Eyes_Black");
  assert_int_equal(finding(SUP_HARD_TEETH, false)->sign, SUP_SIGN_MESH);
  assert_int_equal(finding(SUP_HARD_HORNS, false)->sign, SUP_SIGN_NODE);
  /* Three boxes of 0.16 beside the body's 1 and one more of 0.16. */
  assert_true(fabs(toy.found.area - 3 * 0.16 / 1.64) < 1e-6);
  assert_true(fabs(finding(SUP_HARD_EYES, false)->area - 0.16 / 1.64) < 1e-6);
  assert_int_equal(finding(SUP_HARD_EYES, false)->count, 1);
  end();
}

/* A word that everything has is the character's, but others still count. */
static void test_common_words(void **state) {
  (void)state;
  begin();
  toy.boxes[0].material = "Armor_Mat";
  build();
  find();
  assert_null(toy.found.lock);
  assert_true(toy.found.area == 0);
  assert_non_null(finding(SUP_HARD_ARMOUR, true));
  assert_null(finding(SUP_HARD_ARMOUR, false));
  end();
  begin();
  toy.boxes[0].node = "StoneGolem_Body";
  put(&(Box){"StoneGolem_Eye", "b", "c", {3, 0, 0}, 0.3f, BENDS, 0, 1, 0});
  build();
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1);
  assert_non_null(finding(SUP_HARD_METAL, true));
  assert_non_null(finding(SUP_HARD_EYES, false));
  end();
}

/* Most of the body is not hard by its name alone; a second sign settles it. */
static void test_main_body(void **state) {
  (void)state;
  for (int metal = 0; metal < 2; metal++) {
    begin();
    put(&(Box){"Suit", "b", "c", {3, 0, 0}, 1.6f, BENDS, metal ? 1 : 0, 0.2f, 0});
    build();
    find();
    assert_true(lock_of(0) == 0 && lock_of(1) == (float)metal);
    assert_true((finding(SUP_HARD_CLOTHES, !metal) != NULL) && !finding(SUP_HARD_CLOTHES, metal));
    end();
  }
  /* Names of many parts that together are nearly everything: eyes stay hard. */
  begin();
  toy.boxes[0].half = 0.4f;
  put(&(Box){"Dress", "b", "c", {3, 0, 0}, 1, BENDS, 0, 1, 0});
  put(&(Box){"Coat", "b", "c", {6, 0, 0}, 1, BENDS, 0, 1, 0});
  put(&(Box){"Eye", "b", "c", {9, 0, 0}, 0.2f, BENDS, 0, 1, 0});
  build();
  find();
  assert_true(lock_of(1) == 0 && lock_of(2) == 0 && lock_of(3) == 1);
  assert_non_null(finding(SUP_HARD_CLOTHES, true));
  end();
}

static void test_looks(void **state) {
  (void)state;
  begin();
  put(&(Box){"a", "b", "chrome look", {3, 0, 0}, 0.5f, BENDS, 1, 0.3f, 0});
  put(&(Box){"a", "b", "rough", {5, 0, 0}, 0.5f, BENDS, 1, 1, 0}); /* an exporter's default */
  put(&(Box){"a", "b", "clear", {7, 0, 0}, 0.5f, BENDS, 0, 0.1f, 0.9f});
  put(&(Box){"a", "b", "skin", {9, 0, 0}, 0.5f, BENDS, 0.4f, 0.4f, 0.1f});
  toy.boxes[1].material = "shiny";
  build();
  find();
  const float expected[] = {0, 1, 0, 1, 0};
  for (uint32_t b = 0; b < 5; b++) assert_true(lock_of(b) == expected[b]);
  assert_int_equal(finding(SUP_HARD_METAL, false)->sign, SUP_SIGN_LOOK);
  assert_string_equal(finding(SUP_HARD_METAL, false)->name, "shiny");
  assert_non_null(finding(SUP_HARD_GLASS, false));
  end();
  /* A robot of metal, and a slime that is clear. */
  for (int clear = 0; clear < 2; clear++) {
    begin();
    toy.boxes[0].metallic = clear ? 0 : 1;
    toy.boxes[0].roughness = 0.3f;
    toy.boxes[0].transmission = clear ? 0.8f : 0;
    put(&toy.boxes[0]);
    toy.boxes[1].middle.x = 4;
    build();
    find();
    assert_null(toy.found.lock);
    assert_non_null(finding(clear ? SUP_HARD_GLASS : SUP_HARD_METAL, true));
    end();
  }
}

static void test_solids(void **state) {
  (void)state;
  begin();
  put(&(Box){"a", "b", "c", {3, 0, 0}, 0.2f, HEAD, 0, 1, 0});
  put(&(Box){"a", "b", "c", {5, 0, 0}, 0.3f, HAND, 0, 1, 0});
  put(&(Box){"a", "b", "c", {8, 0, 0}, 0.9f, HEAD, 0, 1, 0}); /* a head is not small */
  put(&(Box){"a", "b", "c", {11, 0, 0}, 0.2f, BENDS, 0, 1, 0});
  put(&(Box){"a", "b", "c", {13, 0, 0}, 0.2f, SLIGHTLY, 0, 1, 0});
  build();
  find();
  const float expected[] = {0, 1, 1, 0, 0, 0};
  for (uint32_t b = 0; b < 6; b++) assert_true(lock_of(b) == expected[b]);
  assert_int_equal(finding(SUP_HARD_SOLID, false)->count, 2);
  end();
  /* Every piece on one bone: then that is how this character moves. */
  begin();
  toy.boxes[0].bone = HIPS;
  put(&(Box){"a", "b", "c", {3, 0, 0}, 0.2f, HEAD, 0, 1, 0});
  build();
  find();
  assert_null(toy.found.lock);
  assert_non_null(finding(SUP_HARD_SOLID, true));
  end();
  /* One piece on one bone: there is nothing to say. */
  begin();
  toy.boxes[0].bone = HIPS;
  build();
  find();
  assert_null(toy.found.lock);
  assert_int_equal(toy.found.finding_count, 0);
  end();
}

/* Hair is hard where it moves like a solid, whatever its size; and a girl called Iris is no eye. */
static void test_hair(void **state) {
  (void)state;
  begin();
  put(&(Box){"a", "b", "Hair", {3, 0, 0}, 0.9f, HEAD, 0, 1, 0});
  put(&(Box){"a", "b", "Hair", {6, 0, 0}, 0.9f, BENDS, 0, 1, 0});
  put(&(Box){"a", "b", "Head", {9, 0, 0}, 0.9f, HEAD, 0, 1, 0});
  build();
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1 && lock_of(2) == 0 && lock_of(3) == 0);
  assert_int_equal(finding(SUP_HARD_HAIR, false)->sign, SUP_SIGN_MATERIAL);
  end();
  begin();
  toy.boxes[0].node = "Iris";
  put(&(Box){"Skirt", "b", "c", {3, 0, 0}, 0.9f, BENDS, 0, 1, 0});
  put(&(Box){"Pupil", "b", "c", {6, 0, 0}, 0.2f, BENDS, 0, 1, 0});
  build();
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1 && lock_of(2) == 1);
  assert_non_null(finding(SUP_HARD_EYES, true));
  end();
}

/* Horns that are one with the skin have bones of their own. */
static void test_bones(void **state) {
  (void)state;
  begin();
  toy.bones[HEAD] = "horn_base.L";
  put(&(Box){"a", "b", "c", {3, 0, 0}, 0.9f, HEAD, 0, 1, 0});
  build();
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1);
  assert_int_equal(finding(SUP_HARD_HORNS, false)->sign, SUP_SIGN_BONE);
  assert_string_equal(finding(SUP_HARD_HORNS, false)->name, "horn_base.L");
  assert_int_equal(finding(SUP_HARD_HORNS, false)->count, 1);
  end();
  /* In part, where a vertex follows such a bone in part. */
  begin();
  toy.bones[CHEST] = "shell";
  toy.boxes[0].half = 0.5f;
  put(&(Box){"a", "b", "c", {3, 0, 0}, 1, HIPS, 0, 1, 0});
  build();
  find();
  for (uint32_t v = 0; v < toy.character.body.vertex_count; v++) {
    const SupVec3 at = toy.character.body.positions[v];
    const float up = at.x > 1 ? 0 : at.y + 0.5f;
    assert_true(fabsf(toy.found.lock[v] - up) < 1e-5f);
  }
  end();
  /* Bones are also named after rigs and places of flesh. */
  static const char *const flesh[] = {"ribbon_arm_L_01", "tail_chain_01", "Bras_G", "belly_button"};
  for (size_t k = 0; k < sizeof flesh / sizeof *flesh; k++) {
    begin();
    toy.bones[HEAD] = flesh[k];
    put(&(Box){"a", "b", "c", {3, 0, 0}, 0.9f, HEAD, 0, 1, 0});
    build();
    find();
    assert_null(toy.found.lock);
    end();
  }
  /* A word that most bones have is the character's name. */
  begin();
  for (int k = 0; k < BONES; k++) toy.bones[k] = k == HEAD ? "EyeBot_tooth" : "EyeBot_x";
  put(&(Box){"a", "b", "c", {3, 0, 0}, 0.9f, HEAD, 0, 1, 0});
  build();
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1);
  assert_non_null(finding(SUP_HARD_EYES, true));
  assert_non_null(finding(SUP_HARD_TEETH, false));
  end();
}

static void lock(const char *pattern) {
  static const char *list[1];
  list[0] = pattern;
  toy.def.lock.count = pattern ? 1 : 0;
  toy.def.lock.patterns = list;
}

static void unlock(const char *pattern) {
  static const char *list[1];
  list[0] = pattern;
  toy.def.unlock.count = pattern ? 1 : 0;
  toy.def.unlock.patterns = list;
}

static void expect(const char *locked, const char *unlocked, float a, float b, float c) {
  const float expected[] = {a, b, c};
  lock(locked);
  unlock(unlocked);
  find();
  for (uint32_t k = 0; k < 3; k++) {
    if (lock_of(k) != expected[k]) {
      fail_msg("--lock %s --unlock %s: box %u has %g", locked ? locked : "",
               unlocked ? unlocked : "", k, (double)lock_of(k));
    }
  }
}

static void test_patterns(void **state) {
  (void)state;
  begin();
  put(&(Box){"Crown", "Cylinder.005", "M_Gold", {3, 0, 0}, 0.6f, HEAD, 0, 1, 0});
  put(&(Box){"Belly", "Sphere", "M_Skin", {6, 0, 0}, 0.6f, HAND, 0, 1, 0});
  build();
  expect(NULL, NULL, 0, 1, 0);
  expect("belly", NULL, 0, 1, 1);  /* a node, without regard to capitals */
  expect("SPHERE", NULL, 0, 1, 1); /* a mesh */
  expect("m_skin", NULL, 0, 1, 1); /* a material */
  expect("hand", NULL, 0, 1, 1);   /* a bone */
  expect("spher", NULL, 0, 1, 1);  /* a part of a name, since none is called so */
  expect("*kin", NULL, 1, 1, 1);   /* two materials */
  expect("S?in", NULL, 1, 1, 0);   /* one of them */
  expect("skin", NULL, 1, 1, 0);   /* the whole name alone, though others contain it */
  expect("hips", NULL, 1, 1, 1);   /* a bone with all below it */
  expect(NULL, "crown", 0, 0, 0);
  expect(NULL, "things", 0, 1, 0); /* of another kind than its material */
  expect(NULL, "metal", 0, 0, 0);  /* its kind */
  expect(NULL, "head", 0, 0, 0);
  expect(NULL, "*", 0, 0, 0);
  expect("*", "cr*n", 1, 0, 1); /* unlocking comes last */
  const SupHardFinding *f = finding(SUP_HARD_LOCKED, false);
  assert_non_null(f);
  assert_int_equal(f->sign, SUP_SIGN_PATTERN);
  assert_string_equal(f->name, "*");
  /* What fits nothing is refused, and changes nothing. */
  const SupHardParts before = toy.found;
  const char *slips[] = {"crwon", "hadn", "nobody*", "", "??"};
  for (size_t k = 0; k < sizeof slips / sizeof *slips; k++) {
    lock(k % 2 ? NULL : slips[k]);
    unlock(k % 2 ? slips[k] : NULL);
    assert_int_equal(sup_hard_parts(&toy.arena, &toy.def, &toy.found, &toy.error),
                     SUP_ERROR_ARGUMENT);
    assert_non_null(strstr(toy.error.text, k % 2 ? "--unlock: no bone" : "--lock: no bone"));
    assert_non_null(strstr(toy.error.text, slips[k]));
    if (k == 0) assert_non_null(strstr(toy.error.text, "did you mean 'Crown'"));
    if (k == 1) assert_non_null(strstr(toy.error.text, "did you mean 'hand'"));
  }
  assert_memory_equal(&before, &toy.found, sizeof before);
  toy.def.cookie++;
  assert_int_equal(sup_hard_parts(&toy.arena, &toy.def, &toy.found, &toy.error),
                   SUP_ERROR_ARGUMENT);
  end();
}

/* Flesh right below a plate that moves with it is held; below one that does not, it is free. */
static void test_covered(void **state) {
  (void)state;
  for (int apart = 0; apart < 2; apart++) {
    begin();
    put(&(Box){"Plate", "b", "c", {0, 0, 1.55f}, 0.5f, apart ? HAND : HIPS, 0, 1, 0});
    build();
    find();
    assert_true(lock_of(1) == 1);
    uint32_t below = 0, others = 0, plate = 0;
    for (uint32_t v = 0; v < toy.character.body.vertex_count; v++) {
      const SupVec3 at = toy.character.body.positions[v];
      if (at.z > 1.01f)
        plate++;
      else if (toy.found.lock[v] > 0 && at.z > 0.99f)
        below++;
      else
        others += toy.found.lock[v] > 0;
    }
    assert_int_equal(plate, 98); /* of a box: 5 a side */
    /* The face below is 5 by 5; the plate covers its middle 3 by 3 as far as hips hold a quarter.
     */
    assert_int_equal(below, apart ? 0 : 9);
    assert_int_equal(others, 0);
    assert_true((finding(SUP_HARD_COVERED, false) != NULL) == !apart);
    end();
  }
  begin();
  put(&(Box){"Plate", "b", "c", {0, 0, 1.55f}, 0.5f, HIPS, 0, 1, 0});
  build();
  unlock("covered");
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1);
  unlock("plate");
  find();
  assert_null(toy.found.lock);
  unlock("body"); /* flesh by name stays free below it */
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1);
  end();
}

/* The shine in an eye: a part that only touches the eye. */
static void test_enclosed(void **state) {
  (void)state;
  begin();
  put(&(Box){"a", "b", "eye", {3, 0, 0}, 0.5f, BENDS, 0, 1, 0});
  build();
  /* The eye's last face becomes a part of its own. */
  SupRender *render = &toy.character.render;
  SupPart parts[3] = {render->parts[0], render->parts[1], render->parts[1]};
  SupPartSigns signs[3] = {toy.signs[0], toy.signs[1], toy.signs[1]};
  parts[1].vertex_count -= SIDE * SIDE;
  parts[1].triangle_count -= BOX_TRIANGLES / 6;
  parts[2].first_vertex += parts[1].vertex_count;
  parts[2].first_triangle += parts[1].triangle_count;
  parts[2].vertex_count = SIDE * SIDE;
  parts[2].triangle_count = BOX_TRIANGLES / 6;
  signs[2].material = "shine";
  render->part_count = 3;
  render->parts = parts;
  toy.def.parts = signs;
  find();
  assert_true(lock_of(0) == 0 && lock_of(1) == 1 && lock_of(2) == 1);
  bool enclosed = false;
  for (uint32_t k = 0; k < toy.found.finding_count; k++) {
    const SupHardFinding *f = &toy.found.findings[k];
    enclosed |= f->sign == SUP_SIGN_ENCLOSED && f->kind == SUP_HARD_EYES;
  }
  assert_true(enclosed);
  end();
}

/* A map of the file counts instead of what would be found; patterns come on top of it. */
static void test_painted(void **state) {
  (void)state;
  begin();
  put(&(Box){"a", "b", "eye", {3, 0, 0}, 0.5f, BENDS, 0, 1, 0});
  put(&(Box){"Belly", "b", "c", {6, 0, 0}, 0.5f, BENDS, 0, 1, 0});
  build();
  const uint32_t count = toy.character.body.vertex_count;
  float *painted = SUP_ALLOC(&toy.arena, float, count);
  for (uint32_t v = 0; v < count; v++)
    painted[v] = toy.character.body.positions[v].x < 2 ? 7.0f : -1;
  const SupMap map = {"lock", painted};
  toy.character.map_count = 1;
  toy.character.maps = &map;
  expect(NULL, NULL, 1, 0, 0);
  assert_true(toy.found.painted);
  assert_int_equal(toy.found.finding_count, 1);
  assert_int_equal(toy.found.findings[0].sign, SUP_SIGN_PAINTED);
  expect("belly", "body", 0, 0, 1);
  end();
}

/* Memory that ends at any moment is a result. */
static void test_memory(void **state) {
  (void)state;
  begin();
  put(&(Box){"Plate", "b", "eye", {0, 0, 1.55f}, 0.5f, HIPS, 0, 1, 0});
  build();
  lock("chest");
  SupResult result = SUP_ERROR_MEMORY;
  for (size_t limit = 64; result != SUP_OK && limit < 1 << 24; limit += limit / 8) {
    SupArena small;
    sup_arena_init(&small, sup_heap_allocator(), limit);
    result = sup_hard_parts(&small, &toy.def, &toy.found, &toy.error);
    assert_true(result == SUP_OK || result == SUP_ERROR_MEMORY);
    sup_arena_free(&small);
  }
  assert_int_equal(result, SUP_OK);
  end();
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_named_parts), cmocka_unit_test(test_common_words),
      cmocka_unit_test(test_main_body),   cmocka_unit_test(test_looks),
      cmocka_unit_test(test_solids),      cmocka_unit_test(test_hair),
      cmocka_unit_test(test_bones),       cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_covered),     cmocka_unit_test(test_enclosed),
      cmocka_unit_test(test_painted),     cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
