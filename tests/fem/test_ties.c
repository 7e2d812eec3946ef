/* SPDX-License-Identifier: MIT */
/* Ties between bones and flesh: found whatever the lattice, exact derivatives, and where a point
 * is. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "fem/locate.h"
#include "fem/ties.h"
#include "sim/boxes.h"
#include "supple/author/builtin.h"
#include "supple/geom/bounds.h"
#include "supple/io/file.h"

/* ---- Where a point is ----------------------------------------------------------------------- */

static void points_are_located(void **state) {
  (void)state;
  SupArena arena;
  SupLocator locator;
  SupError error;
  SupRng rng = sup_rng(1, 5);
  Box box = box_create((int[3]){5, 3, 4}, (double[3]){2, 1, 0.7});
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_locator_create(&arena, &box.mesh, 0.3, &locator, &error), SUP_OK);
  for (int k = 0; k < 2000; k++) {
    const SupVec3d p = {2.4 * sup_rng_double(&rng) - 0.2, 1.4 * sup_rng_double(&rng) - 0.2,
                        1.1 * sup_rng_double(&rng) - 0.2};
    uint32_t found[8], count = sup_locate(&locator, p, 8, found), expected = 0;
    for (uint32_t t = 0; t < box.mesh.tet_count; t++) {
      double c[4];
      sup_tet_coordinates(&box.mesh, t, p, c);
      if (fmin(fmin(c[0], c[1]), fmin(c[2], c[3])) < -1e-9) continue;
      assert_true(expected < count && found[expected] == t);
      SupVec3d back = {0, 0, 0};
      for (size_t a = 0; a < 4; a++) {
        back = sup_vec3d_add_scaled(back, box.nodes[box.tets[4 * t + a]], c[a]);
      }
      assert_true(sup_vec3d_distance(back, p) < 1e-12);
      expected++;
    }
    assert_int_equal(count, expected);
  }
  sup_arena_free(&arena);
  box_free(&box);
}

/* ---- Springs -------------------------------------------------------------------------------- */

static SupVec3d noise_of(SupRng *rng, double size) {
  return (SupVec3d){size * (sup_rng_double(rng) - 0.5), size * (sup_rng_double(rng) - 0.5),
                    size * (sup_rng_double(rng) - 0.5)};
}

/* Gradient and second derivative against differences; the energy is quadratic, so they are exact
 * but for rounding. */
static void derivatives_are_exact(void **state) {
  (void)state;
  enum { TIES = 9 };
  SupRng rng = sup_rng(2, 5);
  Box box = box_create((int[3]){1, 1, 1}, (double[3]){1, 1, 1});
  const uint32_t nodes = box.mesh.node_count, tets = box.mesh.tet_count;
  SupTie ties[TIES] = {{0}};
  double stiffness[TIES];
  SupVec3d targets[TIES], *x = calloc(nodes, sizeof *x), *gradient = calloc(nodes, sizeof *x);
  SupVec3d *other = calloc(nodes, sizeof *x);
  double *blocks = calloc(144 * (size_t)tets, sizeof *blocks);
  assert_true(x && gradient && other && blocks);
  for (uint32_t k = 0; k < TIES; k++) {
    ties[k].tet = k % tets;
    for (int a = 0; a < 4; a++) ties[k].corners[a] = sup_rng_double(&rng);
    stiffness[k] = 1 + sup_rng_double(&rng);
    targets[k] = noise_of(&rng, 2);
  }
  for (uint32_t n = 0; n < nodes; n++) x[n] = noise_of(&rng, 2);
  const SupTies all = {TIES, ties, stiffness, NULL, targets};
  sup_ties_add(&all, &box.mesh, x, gradient, blocks);
  for (uint32_t n = 0; n < nodes; n++) {
    for (int e = 0; e < 3; e++) {
      double *at = e == 0 ? &x[n].x : e == 1 ? &x[n].y : &x[n].z, old = *at, step = 1e-3;
      *at = old + step;
      memset(other, 0, nodes * sizeof *other);
      double high = sup_ties_add(&all, &box.mesh, x, other, NULL);
      *at = old - step;
      memset(gradient, 0, nodes * sizeof *gradient);
      double low = sup_ties_add(&all, &box.mesh, x, gradient, NULL);
      *at = old;
      memset(gradient, 0, nodes * sizeof *gradient);
      sup_ties_add(&all, &box.mesh, x, gradient, NULL);
      const double slope = e == 0 ? gradient[n].x : e == 1 ? gradient[n].y : gradient[n].z;
      assert_true(fabs((high - low) / (2 * step) - slope) < 1e-9);
      /* Column n, e of the second derivative, gathered from the blocks. */
      for (uint32_t m = 0; m < nodes; m++) {
        double sum = 0;
        for (uint32_t t = 0; t < tets; t++) {
          for (size_t p = 0; p < 16; p++) {
            if (box.tets[4 * t + p / 4] != m || box.tets[4 * t + p % 4] != n) continue;
            sum += blocks[144 * t + 12 * (3 * (p / 4) + (size_t)e) + 3 * (p % 4) + (size_t)e];
          }
        }
        const SupVec3d moved = sup_vec3d_scale(sup_vec3d_sub(other[m], gradient[m]), 1 / step);
        assert_true(fabs((e == 0 ? moved.x : e == 1 ? moved.y : moved.z) - sum) < 1e-9);
      }
    }
  }
  free(x);
  free(gradient);
  free(other);
  free(blocks);
  box_free(&box);
}

/* ---- Found ---------------------------------------------------------------------------------- */

static SupAttachReport attach(SupArena *arena, const SupCharacter *character, uint32_t tets,
                              SupFill *fill, SupAttachment *attachment) {
  SupFillDef def = {.tet_target = tets};
  SupAttachDef how = {0};
  SupFillReport filled;
  SupAttachReport report = {0};
  SupError error;
  SupResult result = sup_fill(arena, &character->body, &def, fill, &filled, &error);
  if (result == SUP_OK) {
    result = sup_attach(arena, character, fill, &how, attachment, &report, &error);
  }
  if (result != SUP_OK) fail_msg("%s", error.text);
  return report;
}

/* Every bone holds flesh, with any lattice; ties are where they say, and what they stand for in all
 * does not depend on the lattice where parts are thick. */
static void every_bone_holds(void **state) {
  (void)state;
  static const char *const names[] = {"mochi", "leg", "tube"};
  for (int k = 0; k < 3; k++) {
    SupArena arena;
    SupCharacter character;
    SupError error;
    double before = 0;
    sup_arena_init(&arena, sup_heap_allocator(), 0);
    const SupBuiltinDef def = {.name = names[k], .vertices = 1000};
    assert_int_equal(sup_builtin_character(&arena, &def, &character, &error), SUP_OK);
    for (uint32_t tets = 300; tets < 6000; tets *= 4) {
      SupFill fill;
      SupAttachment attachment;
      const SupAttachReport report = attach(&arena, &character, tets, &fill, &attachment);
      double lengths = 0;
      assert_int_equal(report.bone_count, report.weighted_count);
      assert_true(report.bone_count > 0 && (report.held_count == 0 || report.thin_area > 0));
      for (uint32_t i = 0; i < attachment.tie_count; i++) {
        const SupTie *tie = &attachment.ties[i];
        SupVec3d at = {0, 0, 0};
        float sum = 0;
        for (size_t a = 0; a < 4; a++) {
          const uint32_t node = fill.mesh.tets[4 * (size_t)tie->tet + a];
          at = sup_vec3d_add_scaled(at, fill.mesh.nodes[node], tie->corners[a]);
        }
        assert_true(sup_vec3d_distance(at, tie->point) < 1e-5);
        for (int b = 0; b < SUP_ATTACH_BONES; b++) sum += tie->weights[b];
        assert_true(fabsf(sum - 1) < 1e-5f && tie->length > 0);
        if (tie->weights[0] == 1) lengths += tie->length;
      }
      print_message("%s, %u tetrahedra: %u ties, %.3f of bone, %u of %u bones by their middle\n",
                    names[k], fill.mesh.tet_count, attachment.tie_count, lengths, report.core_count,
                    report.bone_count);
      if (report.thin_area == 0 && before > 0) assert_true(fabs(lengths / before - 1) < 0.1);
      if (report.thin_area == 0) before = lengths;
    }
    sup_arena_free(&arena);
  }
}

/* The tube with a knob at the side of one bone, as a heel is at a foot: skin that is pulled out to
 * four times the radius. Every vertex follows one bone. */
static void grow_knob(SupArena *arena, SupCharacter *c, uint32_t bone) {
  const uint32_t count = c->skin.vertex_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, count + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, count);
  float *weights = SUP_ALLOC(arena, float, count);
  SupVec3 *positions = SUP_COPY(arena, SupVec3, c->body.positions, count);
  assert_true(offsets && bones && weights && positions);
  const SupVec3 *p = c->body.positions;
  const SupBounds box = sup_bounds(p, count);
  const float radius = (box.high.z - box.low.z) / 2;
  float low = INFINITY, high = -INFINITY;
  for (uint32_t v = 0; v < count; v++) {
    uint32_t best = c->skin.offsets[v];
    for (uint32_t k = best; k < c->skin.offsets[v + 1]; k++) {
      if (c->skin.weights[k] > c->skin.weights[best]) best = k;
    }
    offsets[v + 1] = v + 1;
    bones[v] = c->skin.bones[best];
    weights[v] = 1;
    if (bones[v] != bone) continue;
    low = fminf(low, p[v].y);
    high = fmaxf(high, p[v].y);
  }
  for (uint32_t v = 0; v < count; v++) {
    const float x = p[v].x / radius, y = (p[v].y - (low + high) / 2) / radius;
    if (p[v].z <= 0) continue;
    const double square = (double)(x * x + y * y);
    positions[v].z += 3 * radius * (float)sup_exp(-2 * square * square);
  }
  c->skin.offsets = offsets;
  c->skin.bones = bones;
  c->skin.weights = weights;
  c->body.positions = positions;
}

/* How far out of the bone's axis it holds flesh, of how far its skin is. */
static double held_outwards(const SupCharacter *c, uint32_t bone) {
  SupArena arena;
  SupFill fill;
  SupAttachment attachment;
  double held = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  attach(&arena, c, 8000, &fill, &attachment);
  for (uint32_t k = 0; k < attachment.tie_count; k++) {
    const SupTie *tie = &attachment.ties[k];
    if (tie->bones[0] == bone && tie->weights[0] == 1) held = fmax(held, tie->point.z);
  }
  sup_arena_free(&arena);
  return held / (double)sup_bounds(c->body.positions, c->body.vertex_count).high.z;
}

static void flesh_beside_a_bone_is_held(void **state) {
  (void)state;
  SupArena arena;
  SupCharacter character;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = 4000};
  assert_int_equal(sup_builtin_character(&arena, &def, &character, &error), SUP_OK);
  const uint32_t bone = character.skeleton.bone_count / 2;
  const double round = held_outwards(&character, bone);
  grow_knob(&arena, &character, bone);
  const double knob = held_outwards(&character, bone);
  print_message("flesh is held up to %.2f of the way out of a tube, %.2f of a knob at its side\n",
                round, knob);
  assert_true(round < 0.5); /* the rest of a limb is free to swing */
  assert_true(knob > 0.5);
  sup_arena_free(&arena);
}

/* Bends the skin of the tube away from its bones where two of them meet, as a neck bends below its
 * joints: around the joint the two share the skin by halves, and its middle third of theirs lies
 * six radii beside them. Returns how far out it lies. */
static float bend_away(SupArena *arena, SupCharacter *c, uint32_t bone) {
  const uint32_t count = c->skin.vertex_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, count + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, 2 * (size_t)count);
  float *weights = SUP_ALLOC(arena, float, 2 * (size_t)count);
  SupVec3 *positions = SUP_COPY(arena, SupVec3, c->body.positions, count);
  assert_true(offsets && bones && weights && positions);
  const SupBounds box = sup_bounds(positions, count);
  const float radius = (box.high.z - box.low.z) / 2, length = box.high.y - box.low.y;
  const float middle = (box.high.y + box.low.y) / 2;
  for (uint32_t v = 0; v < count; v++) {
    const float y = (positions[v].y - middle) / length;
    const bool shared = fabsf(y)<0.25f, upper = y> 0;
    offsets[v + 1] = 2 * (v + 1);
    bones[2 * (size_t)v] = upper ? bone + 1 : bone;
    bones[2 * (size_t)v + 1] = upper ? bone : bone + 1;
    weights[2 * (size_t)v] = shared ? 0.5f : 1;
    weights[2 * (size_t)v + 1] = shared ? 0.5f : 0;
    positions[v].z += 6 * radius * (float)sup_exp(-300 * (double)(y * y * y * y));
  }
  c->skin.offsets = offsets;
  c->skin.bones = bones;
  c->skin.weights = weights;
  c->body.positions = positions;
  return 6 * radius;
}

static void flesh_between_bones_is_held(void **state) {
  (void)state;
  SupArena arena;
  SupCharacter character;
  SupError error;
  SupFill fill;
  SupAttachment attachment;
  uint32_t found = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = 2000};
  assert_int_equal(sup_builtin_character(&arena, &def, &character, &error), SUP_OK);
  const uint32_t bone = character.skeleton.bone_count / 2 - 1;
  const float out = bend_away(&arena, &character, bone);
  attach(&arena, &character, 4000, &fill, &attachment);
  for (uint32_t k = 0; k < attachment.tie_count; k++) {
    const SupTie *tie = &attachment.ties[k];
    if (tie->point.z < 0.7 * (double)out) continue;
    assert_true(tie->weights[0] == 0.5f && tie->weights[1] == 0.5f);
    found++;
  }
  print_message("%u ties where the skin lies beside its bones\n", found);
  assert_true(found > 300); /* a few of skin that is too thin are there anyway */
  sup_arena_free(&arena);
}

/* Ties of the tube's skin, with so many tetrahedra: of each vertex how thin, and how much tied. */
static void thin_ties(SupArena *arena, uint32_t tets, SupCharacter *c, const float **out_thin,
                      double *out_lengths) {
  SupFill fill;
  SupAttachment attachment;
  attach(arena, c, tets, &fill, &attachment);
  *out_thin = attachment.thin;
  for (uint32_t k = 0; k < attachment.tie_count; k++) {
    for (uint32_t v = 0; v < c->body.vertex_count; v++) {
      const SupVec3d place = sup_vec3_to_double(c->body.positions[v]);
      if (sup_vec3d_distance(attachment.ties[k].point, place) > 0) continue;
      out_lengths[v] = attachment.ties[k].length;
    }
  }
}

/* What is held in part is held in part: a spring s / (1 - s) as stiff as the flesh around it takes
 * the share s of the way. How thin skin is changes with the lattice, what it stands for does not.
 */
static void thin_in_part_is_held_in_part(void **state) {
  (void)state;
  SupArena arena;
  SupCharacter character;
  SupError error;
  const float *coarse, *fine;
  uint32_t compared = 0;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = 500};
  assert_int_equal(sup_builtin_character(&arena, &def, &character, &error), SUP_OK);
  const uint32_t count = character.body.vertex_count;
  double *one = SUP_ALLOC(&arena, double, count), *two = SUP_ALLOC(&arena, double, count);
  assert_true(one && two);
  thin_ties(&arena, 100, &character, &coarse, one);
  thin_ties(&arena, 130, &character, &fine, two);
  for (uint32_t v = 0; v < count; v++) {
    const double s = (double)coarse[v], t = (double)fine[v];
    if (s < 0.02 || s > 0.9 || t < 0.02 || t > 0.9) continue;
    assert_true(fabs(one[v] / two[v] * (t / (1 - t)) / (s / (1 - s)) - 1) < 1e-3);
    compared++;
  }
  print_message("%u of %u vertices\n", compared, count);
  assert_true(compared > 20);
  sup_arena_free(&arena);
}

/* Flesh none of which is shown goes with its bones, inside too: here the upper half of a tube. */
static void flesh_that_is_not_shown_is_held(void **state) {
  (void)state;
  SupArena arena;
  SupCharacter character;
  SupFill fill;
  SupFillReport filled;
  SupAttachment attachment;
  SupAttachReport report;
  SupError error;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  const SupBuiltinDef def = {.name = "tube", .vertices = 2000};
  assert_int_equal(sup_builtin_character(&arena, &def, &character, &error), SUP_OK);
  const SupMesh *body = &character.body;
  const SupBounds box = sup_bounds(body->positions, body->vertex_count);
  const float middle = (box.low.y + box.high.y) / 2;
  float *lock = SUP_ALLOC(&arena, float, body->vertex_count);
  assert_true(lock);
  for (uint32_t v = 0; v < body->vertex_count; v++) lock[v] = body->positions[v].y > middle;
  const SupFillDef how = {.tet_target = 12000};
  const SupAttachDef with = {.lock = lock};
  assert_int_equal(sup_fill(&arena, body, &how, &fill, &filled, &error), SUP_OK);
  assert_int_equal(sup_attach(&arena, &character, &fill, &with, &attachment, &report, &error),
                   SUP_OK);
  uint32_t held = 0;
  for (uint32_t n = 0; n < fill.mesh.node_count; n++) {
    const double y = (fill.mesh.nodes[n].y - (double)middle) / fill.spacing;
    if (y > 4) assert_true(attachment.held[n]);
    if (y < -1) assert_false(attachment.held[n]);
    held += attachment.held[n] != SUP_HELD_NOT;
  }
  print_message("%u of %u nodes are held\n", held, fill.mesh.node_count);
  sup_arena_free(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_are_located),
      cmocka_unit_test(derivatives_are_exact),
      cmocka_unit_test(every_bone_holds),
      cmocka_unit_test(flesh_beside_a_bone_is_held),
      cmocka_unit_test(flesh_between_bones_is_held),
      cmocka_unit_test(thin_in_part_is_held_in_part),
      cmocka_unit_test(flesh_that_is_not_shown_is_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
