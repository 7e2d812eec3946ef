/* SPDX-License-Identifier: MIT */
/* Envelopes as blocks: packed, unpacked, bound again, damaged, described; mistakes in definitions.
 */
#include "sewn.h"
#include "supple/author/model_pack.h"
#include "supple/author/packers.h"
#include "supple/technique.h"

static void packs_and_unpacks(void **unused) {
  PatchworkDef def = sewn_def();
  (void)unused;
  for (int k = 0; k < 2; k++) {
    def.fields = k ? 0 : 3;
    Sewn *s = sewn_create(&def);
    SupEnvelopeDef parts;
    SupModel *again;
    SupError error;
    assert_int_equal(sup_envelope_unpack(&s->arena, s->model, &parts, &error), SUP_OK);
    assert_int_equal(sup_envelope_pack(&s->arena, &s->patchwork.character, &parts, &again, &error),
                     SUP_OK);
    assert_int_equal(s->model->bytes, again->bytes);
    assert_memory_equal(s->model, again, (size_t)again->bytes);
    sewn_free(s);
  }
}

/* ---- Binding again ----------------------------------------------------------------------------
 */

/* The vertices in reverse, the rest space half as large and elsewhere: x_then = 2 x + offset. */
static void touch(Sewn *s, const SupRestSpace *space, SupCharacter *out) {
  const SupCharacter *then = &s->patchwork.character;
  const uint32_t n = s->count;
  SupVec3 *positions = sewn_room(s);
  uint32_t *triangles =
      SUP_COPY(&s->arena, uint32_t, then->body.triangles, 3 * (size_t)then->body.triangle_count);
  uint32_t *bones = SUP_ALLOC(&s->arena, uint32_t, 2 * n);
  float *weights = SUP_ALLOC(&s->arena, float, 2 * n);
  SupAffine *bind = SUP_ALLOC(&s->arena, SupAffine, PATCHWORK_JOINTS);
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

/* Bound to the mesh as another tool has left it, every vertex goes where it went. */
static void binds_again(void **unused) {
  const PatchworkDef def = sewn_def();
  const SupRestSpace space = {2, {0.5, -1, 0.25}};
  Sewn *s = sewn_create(&def);
  SupVec3 *before = sewn_room(s), *after = sewn_room(s);
  uint32_t *then = SUP_ALLOC(&s->arena, uint32_t, s->count);
  SupCharacter touched;
  SupError error;
  (void)unused;
  sewn_shape(s, sewn_root(1), 1.2f, 0.4f, NULL, before);
  touch(s, &space, &touched);
  for (uint32_t v = 0; v < s->count; v++) then[v] = s->count - 1 - v;
  const SupRebinding binding = {.then = then, .space = space};
  const SupPacker *packer = sup_packer_find(SUP_ENVELOPE_KIND);
  assert_non_null(packer);
  if (packer->rebind(&s->arena, &touched, s->model, &binding, &s->model, &error)) {
    fail_msg("%s", error.text);
  }
  s->patchwork.character = touched;
  s->view = sup_envelope_view(s->model);
  sup_envelope_init(&s->view, s->state);
  sewn_shape(s, sewn_root(1), 1.2f, 0.4f, NULL, after);
  for (uint32_t v = 0; v < s->count; v++) {
    assert_true(sup_vec3_distance(before[s->count - 1 - v], after[v]) < 5e-6f);
  }
  sewn_free(s);
}

/* ---- Damage -----------------------------------------------------------------------------------
 */

typedef struct Harm {
  const void *at;
  uint32_t value;
} Harm;

#define INFINITE 0x7f800000u
#define NOT_A_NUMBER 0x7fc00000u
#define HUGE_NUMBER 0x7149f2cau /* 1e30 */

static void assert_refused(Sewn *s, SupModel *copy, const void *at, uint32_t value) {
  SupError error = {{0}};
  memcpy(copy, s->model, (size_t)s->model->bytes);
  memcpy((char *)copy + ((const char *)at - (const char *)s->model), &value, 4);
  sup_model_seal(copy);
  const SupResult result = sup_model_check(copy, (size_t)copy->bytes, NULL, &error);
  if (result == SUP_OK) {
    fail_msg("byte %zu may be %x", (size_t)((const char *)at - (const char *)s->model), value);
  }
  assert_true(error.text[0] != 0);
}

typedef struct Harms {
  Sewn *sewn;
  SupModel *copy;
} Harms;

static Harms harms_create(void) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  return (Harms){s, (SupModel *)sup_arena_alloc(&s->arena, 1, (size_t)s->model->bytes)};
}

static void assert_all_refused(const Harms *h, const Harm *harms, size_t count) {
  for (size_t k = 0; k < count; k++) {
    assert_refused(h->sewn, h->copy, harms[k].at, harms[k].value);
  }
}

/* Every number and index that a step would trust is looked at: angles, blends, the control mesh. */
static void damaged_controls_are_refused(void **unused) {
  const Harms h = harms_create();
  const SupEnvelopeView *v = &h.sewn->view;
  uint32_t revised = 0;
  while (v->revisions[revised].bone == SUP_ENVELOPE_NONE) revised++;
  const SupEnvelopeRevision *revision = &v->revisions[revised];
  const Harm harms[] = {
      {&v->angles[1].joint, v->joint_count},
      {&v->angles[0].rest.w, INFINITE},
      {&v->angles[0].axis.x, 0x40000000u},
      {&v->angles[0].low, 0x3f000000u},
      {&v->angles[0].high, 0xbf000000u},
      {&v->angles[0].high, NOT_A_NUMBER},
      {&v->blends[1].angle_count, 1},
      {&v->blends[0].centre_count, 0},
      {&v->blends[1].centre_count, PATCHWORK_SHAPES + 1},
      {&v->blends[1].first_angle, 0},
      {&v->blends[1].first_centre, 2},
      {&v->blends[1].first_cardinal, 11},
      {&v->blends[1].inverse_sigma, INFINITE},
      {v->blend_angles + 1, v->angle_count},
      {v->centres + 2, NOT_A_NUMBER},
      {(const char *)(v->cardinal + 3) + 4, INFINITE | 0x00f00000u},
      {v->shape_centres + 1, 3},
      {v->shape_shares + 2, 0x41000000u},
      {v->control_blends + 3, v->blend_count},
      {v->influence_first, 1},
      {v->influence_first + 2, 2},
      {v->influence_first + v->control_count, 1000},
      {&v->influences[4].bone, v->skin.bone_count},
      {&v->influences[4].weight, HUGE_NUMBER},
      {&v->points[9].y, HUGE_NUMBER},
      {&revision->bone, v->skin.bone_count},
      {&revision->centre.z, INFINITE},
      {&revision->axis.z, 0},
      {&revision->angle, v->angle_count},
      {&revision->strength, 0x40000000u},
      {&revision->most, 0x3f000000u},
      {&v->revision_points[revised].x, NOT_A_NUMBER},
      {v->revision_angles + revised, HUGE_NUMBER},
  };
  (void)unused;
  assert_all_refused(&h, harms, sizeof harms / sizeof *harms);
  sewn_free(h.sewn);
}

/* Seams, patches and what hangs on them. */
static void damaged_patches_are_refused(void **unused) {
  const Harms h = harms_create();
  const SupEnvelopeView *v = &h.sewn->view;
  const SupEnvelopeFace *face = &v->faces[1];
  const Harm harms[] = {
      {&v->seams[7].a, v->skin.vertex_count},
      {&v->seams[7].b, v->skin.vertex_count},
      {&v->seams[7].ratio, 0x40000000u},
      {&v->seams[7].open, 2},
      {&face->corner_count, 2},
      {&face->corner_count, SUP_ENVELOPE_CORNERS + 1},
      {&face->border_count, 0},
      {&face->border_count, UINT32_MAX},
      {&face->interior_count, face->interior_count + 16},
      {&face->interior_count, UINT32_MAX},
      {&face->field_count, 0},
      {&face->field_count, UINT32_MAX},
      {&face->angle_count, 0},
      {&face->angle_count, 4},
      {&face->angles[0], v->angle_count},
      {&face->angles[1], 1},
      {&face->samples[0], 3},
      {&face->samples[0], UINT32_MAX},
      {&face->samples[2], 4},
      {&face->first_corner, 5},
      {&face->first_border, 0},
      {&face->first_block, 0},
      {&face->first_value, 0},
      {&face->reserved, 1},
      {&face->first_weight, 16},
      {&face->first_spread, 16},
      {&face->first_field, 16},
      {&face->first_table, 16},
      {(const char *)&face->first_table + 4, 1},
      {v->names + SUP_ENVELOPE_NAME - 4, 0x61616161u},
      {v->corners + 5, v->control_count},
      {v->borders + 5, v->seam_count},
      {v->weights + 40, HUGE_NUMBER},
      {v->offsets + 40, HUGE_NUMBER},
      {v->spread + 40, NOT_A_NUMBER},
      {v->fields + 40, HUGE_NUMBER},
      {v->tables + 7, HUGE_NUMBER},
      {v->strengths + 2, 0xbf800000u},
      {v->strengths + 2, 0x41000000u},
      {v->sources + 60, 16 * v->block_count},
      {v->lanes + 2, v->lanes[3]},
      {v->lanes + 2, v->skin.vertex_count},
      {v->ring_first + 1, 0xffffu},
      {v->rings + 33, 16 * v->skin.block_count},
      {v->skin.order, v->skin.vertex_count},
  };
  (void)unused;
  assert_all_refused(&h, harms, sizeof harms / sizeof *harms);
  sewn_free(h.sewn);
}

static void damaged_counts_are_refused(void **unused) {
  const Harms h = harms_create();
  uint64_t count;
  const uint32_t *counts =
      (const uint32_t *)sup_model_section(h.sewn->model, SUP_SECTION_ENVELOPE_COUNTS, 4, &count);
  (void)unused;
  assert_int_equal(count, 11);
  for (uint64_t k = 0; k < count; k++) {
    if (k == 1) continue; /* joints of the skeleton: more of them harm nobody */
    assert_refused(h.sewn, h.copy, counts + k, UINT32_MAX);
    if (k != 2) assert_refused(h.sewn, h.copy, counts + k, counts[k] + 1); /* another root */
  }
  sewn_free(h.sewn);
}

/* No section may be missing. */
static void sections_are_needed(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  const SupModelSection *sections = (const SupModelSection *)(const void *)(s->model + 1);
  SupModel *copy = (SupModel *)sup_arena_alloc(&s->arena, 1, (size_t)s->model->bytes);
  uint32_t tried = 0;
  (void)unused;
  for (uint32_t k = 0; k < s->model->section_count; k++) {
    if (sections[k].id == SUP_SECTION_REST) continue;
    assert_refused(s, copy, &sections[k].id, SUP_FOURCC('N', 'O', 'N', 'E'));
    tried++;
  }
  assert_int_equal(tried, SUP_ENVELOPE_SECTION_COUNT + SUP_SKIN_SECTION_COUNT);
  sewn_free(s);
}

/* ---- Definitions ------------------------------------------------------------------------------
 */

static void assert_says(Sewn *s, const SupEnvelopeDef *def, const char *words) {
  SupError error = {{0}};
  SupModel *model = NULL;
  assert_int_equal(sup_envelope_pack(&s->arena, &s->patchwork.character, def, &model, &error),
                   SUP_ERROR_ARGUMENT);
  assert_null(model);
  if (!strstr(error.text, words)) fail_msg("\"%s\" is not in: %s", words, error.text);
}

static void mistakes_have_sentences(void **unused) {
  const PatchworkDef plan = sewn_def();
  Sewn *s = sewn_create(&plan);
  SupEnvelopeDef def = s->patchwork.def;
  SupEnvelopePatch patches[6];
  uint32_t vertices[128];
  (void)unused;
  def.cookie = 0;
  assert_says(s, &def, "sup_envelope_def");
  def = s->patchwork.def;
  def.patch_count = 0;
  assert_says(s, &def, "0 patches");
  def = s->patchwork.def;
  def.revision_angles = NULL;
  assert_says(s, &def, "revisions need");
  memcpy(patches, s->patchwork.def.patches, sizeof patches);
  def = s->patchwork.def;
  def.patches = patches;
  patches[1].corner_count = 2;
  assert_says(s, &def, "2 corners");
  patches[1] = s->patchwork.def.patches[1];
  patches[1].border_count = patches[1].vertex_count + 1;
  assert_says(s, &def, "are its border");
  patches[1] = s->patchwork.def.patches[1];
  patches[1].field_count = SUP_ENVELOPE_FIELDS + 1;
  assert_says(s, &def, "257 fields");
  patches[1] = s->patchwork.def.patches[1];
  const uint32_t few[2] = {3, 3};
  patches[1].samples = few;
  assert_says(s, &def, "3 samples");
  patches[1] = s->patchwork.def.patches[1];
  patches[1].vertices = vertices;
  const size_t bytes = patches[1].vertex_count * sizeof *vertices;
  const uint32_t inside = patches[1].border_count;
  assert_true(bytes <= sizeof vertices);
  memcpy(vertices, s->patchwork.def.patches[1].vertices, bytes);
  vertices[inside] = s->count;
  assert_says(s, &def, "the body has");
  vertices[inside] = s->patchwork.def.patches[0].vertices[inside];
  assert_says(s, &def, "in another one too");
  vertices[inside] = s->patchwork.def.patches[0].vertices[0];
  assert_says(s, &def, "in another one too");
  vertices[inside] = vertices[inside + 1];
  assert_says(s, &def, "in another one too");
  memcpy(vertices, s->patchwork.def.patches[1].vertices, bytes);
  vertices[0] = SUP_ENVELOPE_NONE;
  assert_says(s, &def, "is not where its seam");
  sewn_free(s);
}

/* Memory that fails, at every call: a sentence, and everything given back. */
static void memory_may_fail(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  CountingHeap heap = {0};
  size_t refused = 0;
  (void)unused;
  for (size_t k = 1;; k++) {
    SupArena arena;
    SupModel *model = NULL;
    SupEnvelopeDef parts;
    SupError error = {{0}};
    heap.calls = 0;
    heap.fail_at = k;
    sup_arena_init(&arena, counting_allocator(&heap), 0);
    SupResult result =
        sup_envelope_pack(&arena, &s->patchwork.character, &s->patchwork.def, &model, &error);
    if (!result) result = sup_envelope_unpack(&arena, model, &parts, &error);
    sup_arena_free(&arena);
    assert_int_equal(heap.live_blocks, 0);
    if (result == SUP_OK) break;
    assert_int_equal(result, SUP_ERROR_MEMORY);
    assert_true(error.text[0] != 0);
    refused++;
  }
  assert_true(refused >= 2);
  sewn_free(s);
}

/* ---- What it says -----------------------------------------------------------------------------
 */

typedef struct Heard {
  double patches, controls, shapes, covered;
  uint32_t names;
} Heard;

static void hear_line(void *user, const char *label, const char *text) {
  (void)user, (void)label;
  assert_true(text[0] != 0);
}
static void hear_number(void *user, const char *key, double value) {
  Heard *heard = (Heard *)user;
  if (!strcmp(key, "patches")) heard->patches = value;
  if (!strcmp(key, "control_vertices")) heard->controls = value;
  if (!strcmp(key, "shapes")) heard->shapes = value;
  if (!strcmp(key, "covered_vertices")) heard->covered = value;
}
static void hear_flag(void *user, const char *key, bool value) {
  (void)user, (void)key, (void)value;
}
static void hear_text(void *user, const char *key, const char *value) {
  if (!key) ((Heard *)user)->names += !strcmp(value, "odd") || !strcmp(value, "even");
}
static void hear_open(void *user, const char *key, bool array) {
  (void)user, (void)key, (void)array;
}
static void hear_close(void *user) { (void)user; }

static void is_described(void **unused) {
  const PatchworkDef def = sewn_def();
  Sewn *s = sewn_create(&def);
  Heard heard = {0};
  const SupFacts facts = {&heard,    hear_line, hear_number, hear_flag,
                          hear_text, hear_open, hear_close};
  SupError error;
  (void)unused;
  assert_int_equal(sup_model_describe(s->model, NULL, &facts, &error), SUP_OK);
  assert_true(heard.patches == 6 && heard.controls == 9 && heard.shapes == 4 && heard.names == 6);
  assert_true(heard.covered == 15 * 11); /* columns times rows that patches have */
  sewn_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(packs_and_unpacks),
      cmocka_unit_test(binds_again),
      cmocka_unit_test(damaged_controls_are_refused),
      cmocka_unit_test(damaged_patches_are_refused),
      cmocka_unit_test(damaged_counts_are_refused),
      cmocka_unit_test(sections_are_needed),
      cmocka_unit_test(mistakes_have_sentences),
      cmocka_unit_test(memory_may_fail),
      cmocka_unit_test(is_described),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
