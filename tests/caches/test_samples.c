/* SPDX-License-Identifier: MIT */
/* Orders, units, axes, and matching somebody else's cache. */
#include "check.h"

#include <math.h>
#include <string.h>

#include "supple/author/samples.h"
#include "supple/io/file.h"

/* A grid of SIDE x SIDE body vertices whose middle column is a seam: its render vertices come
 * twice, and the render order runs backwards. */
enum { SIDE = 9, BODY = SIDE * SIDE, RENDER = BODY + SIDE };

typedef struct Plain {
  SupVec3 body[BODY];
  SupVec3 render[RENDER];
  uint32_t to_body[RENDER];
  SupCharacter character;
} Plain;

static void make_plain(Plain *plain) {
  for (uint32_t v = 0; v < BODY; v++) {
    uint32_t x = v % SIDE, y = v / SIDE;
    plain->body[v] = (SupVec3){(float)x, (float)y, 0.1f * (float)(x * x + 3 * y)};
  }
  uint32_t r = 0;
  for (uint32_t v = BODY; v-- > 0;) {
    plain->to_body[r++] = v;
    if (v % SIDE == SIDE / 2) plain->to_body[r++] = v;
  }
  assert_int_equal(r, RENDER);
  for (r = 0; r < RENDER; r++) plain->render[r] = plain->body[plain->to_body[r]];
  plain->character = (SupCharacter){
      .body = {.vertex_count = BODY, .positions = plain->body},
      .render = {.vertex_count = RENDER, .to_body = plain->to_body, .positions = plain->render},
  };
}

static void orders_lead_both_ways(void **state) {
  (void)state;
  Plain plain;
  make_plain(&plain);
  SupVec3 render[RENDER], body[BODY];
  sup_positions_gather(plain.body, plain.to_body, RENDER, render);
  assert_memory_equal(render, plain.render, sizeof render);
  uint32_t first[BODY];
  sup_render_first(&plain.character.render, BODY, first);
  sup_positions_gather(plain.render, first, BODY, body);
  assert_memory_equal(body, plain.body, sizeof body);
  for (uint32_t r = 0; r < RENDER; r++) assert_true(first[plain.to_body[r]] <= r);
}

static void axes_turn_and_return(void **state) {
  (void)state;
  /* In Blender up is +Z and a face looks along -Y; in glTF up is +Y and it looks along +Z. */
  SupVec3 p[2] = {{0, 0, 1}, {0, -1, 0}};
  sup_positions_convert(p, 2, 0.01f, SUP_UP_Z, SUP_UP_Y);
  assert_true(p[0].x == 0 && p[0].y == 0.01f && p[0].z == 0);
  assert_true(p[1].x == 0 && p[1].y == 0 && p[1].z == 0.01f);
  SupVec3 q = {1, 2, 3};
  sup_positions_convert(&q, 1, 4, SUP_UP_Y, SUP_UP_Z);
  assert_true(q.x == 4 && q.y == -12 && q.z == 8);
  sup_positions_convert(&q, 1, 0.25f, SUP_UP_Z, SUP_UP_Y);
  assert_true(q.x == 1 && q.y == 2 && q.z == 3);
  sup_positions_convert(&q, 1, 2, SUP_UP_Z, SUP_UP_Z);
  assert_true(q.x == 2 && q.y == 4 && q.z == 6);
}

/* Matches positions[count]; if `lies`, every body vertex must get a sample that lies on it. */
static SupMatch match_of(const Plain *plain, const SupVec3 *positions, uint32_t count,
                         SupSampleOrder order, bool lies) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSamples samples = {
      .fps = 30, .frame_count = 1, .vertex_count = count, .order = order, .positions = positions};
  SupMatchDef def = {0};
  SupMatch match = {0};
  SupError error;
  assert_int_equal(sup_samples_match(&arena, &plain->character, &samples, &def, &match, &error),
                   SUP_OK);
  for (uint32_t v = 0; v < BODY && lies; v++) {
    SupVec3 p = positions[match.source[v]];
    assert_true(fabsf(p.x - plain->body[v].x) + fabsf(p.y - plain->body[v].y) < 2e-3f);
  }
  sup_arena_free(&arena);
  match.source = NULL;
  return match;
}

static void own_orders_are_recognised(void **state) {
  (void)state;
  Plain plain;
  make_plain(&plain);
  SupMatch match = match_of(&plain, plain.body, BODY, SUP_ORDER_UNKNOWN, true);
  assert_int_equal(match.kind, SUP_MATCH_BODY);
  assert_true(match.certain && match.distance == 0);
  match = match_of(&plain, plain.render, RENDER, SUP_ORDER_UNKNOWN, true);
  assert_int_equal(match.kind, SUP_MATCH_RENDER);
  assert_true(match.certain);
  assert_string_equal(sup_match_text(&match), "in the file's vertex order");
  match = match_of(&plain, plain.render, RENDER, SUP_ORDER_RENDER, true);
  assert_int_equal(match.kind, SUP_MATCH_RENDER);
}

static void foreign_orders_are_found_by_position(void **state) {
  (void)state;
  Plain plain;
  make_plain(&plain);
  SupRng rng = sup_rng(7, 7);
  /* Body vertices, shuffled, with noise below the tolerance (diagonal ~ 14: 0.014). */
  SupVec3 shuffled[BODY + 5];
  for (uint32_t v = 0; v < BODY; v++) {
    uint32_t k = sup_rng_below(&rng, v + 1);
    if (k != v) shuffled[v] = shuffled[k];
    shuffled[k] = plain.body[v];
  }
  for (uint32_t v = 0; v < BODY; v++) shuffled[v].x += 1e-3f * sup_rng_float(&rng);
  SupMatch match = match_of(&plain, shuffled, BODY, SUP_ORDER_UNKNOWN, true);
  assert_int_equal(match.kind, SUP_MATCH_POSITION);
  assert_true(match.certain && match.distance > 0 && match.distance < 1.1e-3f);
  /* More points than anybody has: an object that was joined to it. */
  for (uint32_t v = BODY; v < BODY + 5; v++) shuffled[v] = (SupVec3){100, 0, (float)v};
  match = match_of(&plain, shuffled, BODY + 5, SUP_ORDER_UNKNOWN, true);
  assert_int_equal(match.kind, SUP_MATCH_POSITION);
}

/* ---- Many within the tolerance --------------------------------------------------------------- */

enum { MANY = 40, CROWD = 2 * MANY * MANY };

/* Two sheets at the same place, and with `far` one vertex so far away that the tolerance, a
 * fraction of the diagonal, reaches over everything else. */
typedef struct Crowd {
  uint32_t count, order[CROWD + 1];
  SupVec3 body[CROWD + 1], samples[CROWD + 1];
  SupCharacter character;
} Crowd;

static void make_crowd(Crowd *crowd, uint32_t layers, bool far) {
  uint32_t layer = MANY * MANY, count = layers * layer;
  for (uint32_t v = 0; v < count; v++) {
    uint32_t k = v % layer;
    crowd->body[v] = (SupVec3){(float)(k % MANY), (float)(k / MANY), 0};
  }
  if (far) crowd->body[count++] = (SupVec3){1e5f, 0, 0};
  crowd->count = count;
  SupRng rng = sup_rng(5, 5);
  for (uint32_t v = 0; v < count; v++) crowd->order[v] = v;
  for (uint32_t v = count; v > 1; v--) {
    uint32_t k = sup_rng_below(&rng, v), held = crowd->order[v - 1];
    crowd->order[v - 1] = crowd->order[k];
    crowd->order[k] = held;
  }
  for (uint32_t v = 0; v < count; v++) crowd->samples[crowd->order[v]] = crowd->body[v];
  crowd->character = (SupCharacter){.body = {.vertex_count = count, .positions = crowd->body}};
}

/* Matches the first sample_count samples; source[count] is what was found. */
static SupResult match_crowd(const Crowd *crowd, uint32_t sample_count, SupMatch *out_match,
                             uint32_t *source, SupError *error) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSamples samples = {.fps = 30,
                        .frame_count = 1,
                        .vertex_count = sample_count,
                        .order = SUP_ORDER_UNKNOWN,
                        .positions = crowd->samples};
  SupMatchDef def = {.tolerance = crowd->body[crowd->count - 1].x > 1e4f ? 0 : 0.05f};
  SupResult result = sup_samples_match(&arena, &crowd->character, &samples, &def, out_match, error);
  if (result == SUP_OK) memcpy(source, out_match->source, crowd->count * sizeof *source);
  sup_arena_free(&arena);
  return result;
}

static void the_nearest_of_many_is_taken(void **state) {
  (void)state;
  static Crowd crowd;
  static uint32_t source[CROWD + 1];
  SupMatch match;
  SupError error;
  make_crowd(&crowd, 1, true);
  assert_int_equal(match_crowd(&crowd, crowd.count, &match, source, &error), SUP_OK);
  assert_int_equal(match.kind, SUP_MATCH_POSITION);
  assert_true(match.distance == 0);
  assert_memory_equal(source, crowd.order, crowd.count * sizeof *source);
}

static void vertices_at_one_place_take_one_sample_each(void **state) {
  (void)state;
  static Crowd crowd;
  static uint32_t source[CROWD + 1];
  static bool used[CROWD];
  SupMatch match;
  SupError error;
  make_crowd(&crowd, 2, false);
  assert_int_equal(match_crowd(&crowd, crowd.count, &match, source, &error), SUP_OK);
  assert_true(match.kind == SUP_MATCH_POSITION && match.distance == 0);
  for (uint32_t v = 0; v < crowd.count; v++) {
    assert_false(used[source[v]]);
    used[source[v]] = true;
  }
  /* Welded by somebody: both layers have the same samples. */
  for (uint32_t v = 0; v < CROWD / 2; v++) crowd.samples[v] = crowd.body[(7 * v) % (CROWD / 2)];
  assert_int_equal(match_crowd(&crowd, CROWD / 2, &match, source, &error), SUP_OK);
  assert_true(match.kind == SUP_MATCH_POSITION && match.distance == 0);
}

static void a_guess_is_not_a_match(void **state) {
  (void)state;
  static Crowd crowd;
  static uint32_t source[CROWD + 1];
  SupMatch match;
  SupError error;
  make_crowd(&crowd, 1, false);
  /* In body order, but the middle has slid over several edges: most are nearest to others. */
  for (uint32_t v = 0; v < crowd.count; v++) {
    crowd.samples[v] = crowd.body[v];
    crowd.samples[v].x += 3.7f * sinf(3.14159f * crowd.body[v].x / (MANY - 1));
  }
  assert_int_equal(match_crowd(&crowd, crowd.count, &match, source, &error), SUP_OK);
  assert_int_equal(match.kind, SUP_MATCH_BODY);
  for (uint32_t v = 0; v < crowd.count; v++) assert_int_equal(source[v], v);
  /* With a point more the order is not known either. */
  crowd.samples[crowd.count] = (SupVec3){0, 0, 50};
  assert_int_equal(match_crowd(&crowd, crowd.count + 1, &match, source, &error),
                   SUP_ERROR_UNSUPPORTED);
}

static void another_pose_is_matched_by_count(void **state) {
  (void)state;
  Plain plain;
  make_plain(&plain);
  SupVec3 bent[RENDER];
  for (uint32_t r = 0; r < RENDER; r++) {
    bent[r] = (SupVec3){plain.render[r].y, -plain.render[r].x + 3, plain.render[r].z};
  }
  SupMatch match = match_of(&plain, bent, RENDER, SUP_ORDER_UNKNOWN, false);
  assert_int_equal(match.kind, SUP_MATCH_RENDER);
  assert_false(match.certain);
  assert_true(match.distance > 1);
  assert_non_null(strstr(sup_match_text(&match), "counts agree"));
}

static void strangers_are_refused(void **state) {
  (void)state;
  Plain plain;
  make_plain(&plain);
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupSamples samples = {.fps = 30,
                        .frame_count = 1,
                        .vertex_count = BODY - 1,
                        .order = SUP_ORDER_UNKNOWN,
                        .positions = plain.body};
  SupMatchDef def = {0};
  SupMatch match;
  SupError error;
  assert_int_equal(sup_samples_match(&arena, &plain.character, &samples, &def, &match, &error),
                   SUP_ERROR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "80 points"));
  assert_non_null(strstr(error.text, "90 vertices"));
  samples.order = SUP_ORDER_BODY;
  assert_int_equal(sup_samples_match(&arena, &plain.character, &samples, &def, &match, &error),
                   SUP_ERROR_UNSUPPORTED);
  def.frame = 1;
  assert_int_equal(sup_samples_match(&arena, &plain.character, &samples, &def, &match, &error),
                   SUP_ERROR_ARGUMENT);
  assert_non_null(strstr(error.text, "1 frames"));
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_lead_both_ways),
      cmocka_unit_test(axes_turn_and_return),
      cmocka_unit_test(own_orders_are_recognised),
      cmocka_unit_test(foreign_orders_are_found_by_position),
      cmocka_unit_test(the_nearest_of_many_is_taken),
      cmocka_unit_test(vertices_at_one_place_take_one_sample_each),
      cmocka_unit_test(a_guess_is_not_a_match),
      cmocka_unit_test(another_pose_is_matched_by_count),
      cmocka_unit_test(strangers_are_refused),
  };
  return cmocka_run_group_tests_name("samples", tests, NULL, NULL);
}
