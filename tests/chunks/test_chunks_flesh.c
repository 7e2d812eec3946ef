/* SPDX-License-Identifier: MIT */
/*
 * Real chunks, played. The run time beside what trains them, in double precision:
 * sup_chunk_limb_numbers, sup_chunk_shell_numbers, sup_condensed_move.
 */
#include <math.h>

#include "flesh_scene.h"

/* ---- Poses ----------------------------------------------------------------------------------- */

typedef struct Posed {
  SupTransform joints[4];
  SupPose pose;
  SupAffined still[4];
} Posed;

/* The chest leans, the lower arm bends and twists. */
static void put_pose(const Scene *s, Posed *p, SupTransform root, float lean, float bend,
                     float twist) {
  SupAffine globals[4], palette[4];
  memcpy(p->joints, s->character.skeleton.rest, sizeof p->joints);
  p->joints[1].rotation = sup_quat_from_axis_angle((SupVec3){0, 0, 1}, lean);
  p->joints[2].rotation = sup_quat_from_axis_angle((SupVec3){0, 1, 0}, lean);
  p->joints[3].rotation = sup_quat_mul(sup_quat_from_axis_angle((SupVec3){1, 0, 0}, bend),
                                       sup_quat_from_axis_angle((SupVec3){0, 0, 1}, twist));
  p->pose = (SupPose){4, root, p->joints};
  sup_pose_evaluate(&s->character.skeleton, &p->pose, globals, palette);
  const SupAffine back = sup_affine_inverse(palette[0]);
  for (int b = 0; b < 4; b++) {
    const SupAffine still = sup_affine_mul(back, palette[b]);
    for (int k = 0; k < 12; k++) p->still[b].m[k] = (double)still.m[k];
  }
}

/* out[count]: the surface of a chunk from its numbers, by what trains it. */
static void place_surface(const Flesh *f, const double *numbers, const SupAffined *face,
                          const SupLimbPose *pose, SupVec3d *out) {
  const SupChunk *c = &f->chunk;
  double *held = calloc(3 * c->mesh.node_count, sizeof *held);
  assert_non_null(held);
  sup_holds_move(f->holds, c->mesh.node_count, numbers, held);
  sup_condensed_move(&f->condensed, numbers, out);
  for (uint32_t i = 0; i < f->count; i++) {
    const uint32_t v = f->surface[i];
    const double *d = held + 3 * v;
    if (i >= f->free_count) out[i] = (SupVec3d){d[0], d[1], d[2]};
    out[i] = face ? sup_affined_point(*face, sup_vec3d_add(c->mesh.nodes[v], out[i]))
                  : sup_limb_place(pose, c->length, sup_chunk_depth(c, v / c->slice.node_count),
                                   c->mesh.nodes[v], out[i]);
  }
  free(held);
}

static void place_ball(const Scene *s, const Posed *p, const float *heights,
                       SupVec3d (*out)[MOST]) {
  SupVec3d now[6];
  SupAffined maps[12];
  double numbers[MOST];
  for (uint32_t v = 0; v < s->shell.vertex_count; v++) {
    const SupChunksInfluence *in = s->def.influences + 2 * v;
    now[v] = sup_vec3d_scale(sup_affined_point(p->still[0], s->rest[v]), (double)in[0].weight);
    now[v] = sup_vec3d_add_scaled(now[v], sup_affined_point(p->still[1], s->rest[v]),
                                  (double)in[1].weight);
  }
  sup_shell_edge_maps(&s->shell, s->rest, now, maps);
  const SupShellDrive drive = {&s->shell, s->rest, now, maps};
  for (uint32_t k = 0; k < ORDINARY; k++) {
    const Flesh *f = &s->flesh[k];
    const SupAffined face =
        sup_chunk_shell_numbers(&f->chunk, &f->shell, &drive, (double)heights[k], numbers);
    place_surface(f, numbers, &face, NULL, out[k]);
  }
}

static void place_limbs(const Scene *s, const Posed *p, const float *heights,
                        SupVec3d (*out)[MOST]) {
  const SupAffined rest[2] = {s->flesh[8].chunk.frame, s->flesh[9].chunk.frame};
  SupLimbDrive drives[2];
  SupVec3d rim[64];
  double numbers[MOST], high[2][4];
  for (uint32_t k = 0; k < LIMBS; k++) {
    for (uint32_t b = 0; b < 4; b++) high[k][b] = (double)heights[ORDINARY + 4 * k + b];
    drives[k] = (SupLimbDrive){.pose = sup_limb_straight(sup_affined_mul(p->still[2 + k], rest[k])),
                               .heights = high[k]};
  }
  sup_limb_join(rest, &drives[0].pose, &drives[1].pose);
  const SupAffined shared =
      sup_limb_shared_map(rest, &drives[0].pose, s->flesh[8].chunk.length, &drives[1].pose);
  drives[0].maps[1] = drives[1].maps[0] = &shared;
  for (uint32_t k = 0; k < LIMBS; k++) sup_limb_ease(&drives[k].pose);
  /* Each node of the rim moves, in the limb's space, as its node of the ball does there. */
  const SupChunk *c = &s->flesh[8].chunk;
  for (uint32_t i = 0; i < s->rim; i++) {
    const SupVec3d at = sup_affined_point(sup_affined_inverse(rest[0]), scene_ball_rest(s, i));
    const SupVec3d move =
        sup_limb_displacement(&drives[0].pose, c->length, 0, at, out[0][i % s->flesh[0].count]);
    rim[i] = sup_limb_place(&drives[0].pose, c->length, 0, c->mesh.nodes[c->slice.rim[i]], move);
  }
  drives[0].rims[0] = rim;
  for (uint32_t k = 0; k < LIMBS; k++) {
    const Flesh *f = &s->flesh[ORDINARY + k];
    sup_chunk_limb_numbers(&f->chunk, &f->limb, &drives[k], numbers);
    place_surface(f, numbers, NULL, &drives[k].pose, out[ORDINARY + k]);
  }
}

static SupVec3d node_now(const Scene *s, uint32_t piece, uint32_t i) {
  const float *at = sup_chunks_nodes(&s->play->view, s->play->state, piece) + 16 * (size_t)i + 9;
  return (SupVec3d){(double)at[0], (double)at[1], (double)at[2]};
}

/* The run time puts every node where training does, and the skin where the law says. */
static void plays_what_was_trained(void **unused) {
  static SupVec3d wanted[PIECES][MOST];
  Scene *s = scene_create();
  Fleshed *f = s->play;
  SupVec3 *shown = fleshed_room(f);
  SupVec3d *law = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  float heights[ORDINARY + 4 * LIMBS];
  const SupChunksControls controls = {.bulge_heights = heights};
  SupRng rng = sup_rng(4, 4);
  double most = 0, off_law = 0;
  (void)unused;
  assert_int_equal(f->view.bulge_count, ORDINARY + 4 * LIMBS);
  for (int round = 0; round < 12; round++) {
    Posed p;
    for (int b = 0; b < ORDINARY + 4 * LIMBS; b++) heights[b] = 0.2f * sup_rng_float(&rng);
    put_pose(s, &p, fleshed_root(1), sup_rng_float(&rng) - 0.5f, 2 * sup_rng_float(&rng) - 0.5f,
             4 * sup_rng_float(&rng) - 2);
    fleshed_shape(f, &p.pose, &controls, shown);
    place_ball(s, &p, heights, wanted);
    place_limbs(s, &p, heights, wanted);
    for (uint32_t k = 0; k < PIECES; k++) {
      for (uint32_t i = 0; i < s->flesh[k].count; i++) {
        most = fmax(most, sup_vec3d_distance(node_now(s, k, i), wanted[k][i]));
      }
    }
    fleshed_law(f, &p.pose, &controls, law, NULL);
    off_law = fmax(off_law, fleshed_distance(f, shown, law));
  }
  print_message("nodes %.2g from those of training, skin %.2g from the law\n", most, off_law);
  assert_true(most < 1e-5 && off_law < 2e-5);
  scene_free(s);
}

/* GUO-T13 for the skin: bound on an irregular ball and on bent hourglasses, under any root. */
static void bound_is_bound(void **unused) {
  Scene *s = scene_create();
  Fleshed *f = s->play;
  SupVec3 *shown = fleshed_room(f);
  (void)unused;
  for (int round = 0; round < 3; round++) {
    const SupTransform root =
        round ? fleshed_root(round == 1 ? 1 : 2.5f) : sup_transform_identity();
    const SupAffine by = sup_affine_compose(root);
    Posed p;
    double most = 0;
    put_pose(s, &p, root, 0, 0, 0);
    fleshed_shape(f, &p.pose, NULL, shown);
    for (uint32_t v = 0; v < f->count; v++) {
      const SupVec3 to = sup_affine_point(by, s->character.body.positions[v]);
      most = fmax(most, (double)sup_vec3_distance(shown[v], to));
    }
    print_message("GUO-T13, root %d: %.2g\n", round, most);
    assert_true(most < 2e-5); /* of a body 8 long, in floats */
  }
  scene_free(s);
}

/* GUO-T18: nodes that two chunks share at rest they share in every pose. */
static void neighbours_agree(void **unused) {
  Scene *s = scene_create();
  SupVec3 *shown = fleshed_room(s->play);
  uint32_t met[2] = {0, 0};
  double most = 0;
  (void)unused;
  for (int round = 0; round < 6; round++) {
    Posed p;
    put_pose(s, &p, fleshed_root(1), 0.15f * (float)round - 0.4f, 0.4f * (float)round - 0.4f,
             0.6f * (float)round - 1.5f);
    fleshed_shape(s->play, &p.pose, NULL, shown);
    for (uint32_t a = 0; a < PIECES; a++) {
      for (uint32_t b = a + 1; b < PIECES; b++) {
        if ((a < ORDINARY) != (b < ORDINARY)) continue;
        const Flesh *fa = &s->flesh[a], *fb = &s->flesh[b];
        for (uint32_t i = fa->free_count; i < fa->count; i++) {
          for (uint32_t k = fb->free_count; k < fb->count; k++) {
            const SupVec3d x =
                sup_affined_point(fa->chunk.frame, fa->chunk.mesh.nodes[fa->surface[i]]);
            const SupVec3d y =
                sup_affined_point(fb->chunk.frame, fb->chunk.mesh.nodes[fb->surface[k]]);
            if (sup_vec3d_distance(x, y) > 1e-9) continue;
            most = fmax(most, sup_vec3d_distance(node_now(s, a, i), node_now(s, b, k)));
            met[a >= ORDINARY]++;
          }
        }
      }
    }
  }
  print_message("GUO-T18: %.2g apart at %u and %u nodes\n", most, met[0], met[1]);
  assert_true(most < 5e-6 && met[0] >= 6 * 12 * 3 && met[1] == 6 * 16);
  scene_free(s);
}

/* GUO-T16 on the skin: every bulge lifts it, the more the higher, and no more than itself. */
static void bulges_lift_the_skin(void **unused) {
  Scene *s = scene_create();
  Fleshed *f = s->play;
  SupVec3 *flat = fleshed_room(f), *shown = fleshed_room(f);
  float heights[ORDINARY + 4 * LIMBS] = {0};
  const SupChunksControls controls = {.bulge_heights = heights};
  Posed p;
  (void)unused;
  put_pose(s, &p, sup_transform_identity(), 0.2f, 0.7f, 0.5f);
  fleshed_shape(f, &p.pose, &controls, flat);
  for (int b = 0; b < ORDINARY + 4 * LIMBS; b++) {
    double before = 0;
    for (int step = 1; step <= 3; step++) {
      double most = 0;
      heights[b] = 0.05f * (float)step;
      fleshed_shape(f, &p.pose, &controls, shown);
      for (uint32_t v = 0; v < f->count; v++) {
        most = fmax(most, (double)sup_vec3_distance(shown[v], flat[v]));
      }
      assert_true(most > before + 0.001 && most <= 1.25 * (double)heights[b]);
      before = most;
    }
    heights[b] = 0;
  }
  scene_free(s);
}

/* ---- Seams ------------------------------------------------------------------------------------
 */

/* How far the displacements from skinning of seam vertices are from the mean of their neighbours,
 * root mean square. */
static double crease(const Fleshed *f, const SupVec3d *moved) {
  const SupMesh *mesh = &f->character.body;
  double squares = 0, number = 0;
  for (uint32_t s = 0; s < f->def.seam_count; s++) {
    const uint32_t v = f->def.seams[s].a;
    SupVec3d sum = {0, 0, 0};
    double count = 0;
    for (uint32_t c = 0; c < 3 * mesh->triangle_count && f->def.seams[s].b == v; c++) {
      if (mesh->triangles[c] != v) continue;
      for (uint32_t k = c - c % 3; k < c - c % 3 + 3; k++) {
        if (k == c) continue;
        sum = sup_vec3d_add(sum, sup_vec3d_sub(moved[mesh->triangles[k]], moved[v]));
        count += 1;
      }
    }
    if (count > 0) squares += sup_vec3d_dot(sum, sum) / (count * count), number += 1;
  }
  assert_true(number > 10);
  return sqrt(squares / number);
}

/* Chunks meet smoothly; what is farther from the seams, on either side, stays where it was. */
static void seams_are_smooth(void **unused) {
  Scene *s = scene_create();
  Fleshed *f = s->play;
  SupVec3 *shown = fleshed_room(f), *skinned = fleshed_room(f);
  SupVec3d *before = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  SupVec3d *after = SUP_ALLOC(&f->arena, SupVec3d, f->count);
  (void)unused;
  for (int round = 0; round < 4; round++) {
    uint32_t kept = 0, moved = 0;
    Posed p;
    put_pose(s, &p, fleshed_root(1), 0.2f * (float)round - 0.3f, 0.3f + 0.3f * (float)round, 0.5f);
    fleshed_law_creased(f, &p.pose, NULL, before, NULL);
    fleshed_shape(f, &p.pose, NULL, shown);
    fleshed_skin(f, &p.pose, skinned);
    for (uint32_t v = 0; v < f->count; v++) {
      const double by = sup_vec3d_distance(before[v], sup_vec3_to_double(shown[v]));
      kept += by<2e-5, moved += by> 1e-3;
      after[v] = sup_vec3_to_double(sup_vec3_sub(shown[v], skinned[v]));
      before[v] = sup_vec3d_sub(before[v], sup_vec3_to_double(skinned[v]));
    }
    const double creased = crease(f, before), smooth = crease(f, after);
    print_message("crease %.2g, smooth %.2g; %u moved, %u kept\n", creased, smooth, moved, kept);
    assert_true(smooth < 0.5 * creased && moved > 10 && kept > 10);
  }
  scene_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plays_what_was_trained), cmocka_unit_test(bound_is_bound),
      cmocka_unit_test(neighbours_agree),       cmocka_unit_test(bulges_lift_the_skin),
      cmocka_unit_test(seams_are_smooth),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
