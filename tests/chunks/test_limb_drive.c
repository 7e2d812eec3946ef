/* SPDX-License-Identifier: MIT */
/* Limbs in motion: slices, joints, bulges. GUO-T12, T13, T16 and T18. */
#include <math.h>

#include "chunk_bodies.h"
#include "train/chunks/chunk_bulge.h"
#include "train/chunks/chunk_holds.h"

#define DEGREE (SUP_PI / 180)

/* A limb ready to move. */
typedef struct Limb {
  SupChunk chunk;
  SupLimbHolds holds;
  SupWedgeBody body;
  double *numbers, *displacements;
  SupVec3d *places; /* [mesh.node_count] in the scene */
} Limb;

static void begin(Limb *limb, PatchBody *body, const SupChunkDef *def, uint32_t k, double bend,
                  const SupLimbEnd ends[2]) {
  static const SupLimbBulge bulges[4] = {{0.5, 0.2}, {0.5, 0.4}, {0.3, 0.2}, {0.5, 0.2}};
  limb->chunk = limb_chunk(body, def, k, bend);
  const SupChunk *c = &limb->chunk;
  const SupWedgeBodyDef flesh = {def->name, c->mesh, 0.4, NULL, c->held};
  assert_int_equal(sup_chunk_limb_holds(&body->arena, c, ends, bulges, &limb->holds, NULL), SUP_OK);
  assert_int_equal(sup_wedge_body_create(&body->arena, &flesh, &limb->body, NULL), SUP_OK);
  const SupHolds *h = &limb->holds.holds;
  limb->numbers = SUP_ALLOC(&body->arena, double, h->columns[h->group_count]);
  limb->displacements = SUP_ALLOC(&body->arena, double, 3 * c->mesh.node_count);
  limb->places = SUP_ALLOC(&body->arena, SupVec3d, c->mesh.node_count);
  assert_true(limb->numbers && limb->displacements && limb->places);
}

static SupVec3d displacement(const Limb *limb, uint32_t v) {
  const double *d = limb->displacements + 3 * v;
  return (SupVec3d){d[0], d[1], d[2]};
}

/* Everything where it comes to rest. Returns the largest displacement of what is held. */
static double move(PatchBody *body, Limb *limb, const SupLimbDrive *drive) {
  const SupChunk *c = &limb->chunk;
  double most = 0;
  sup_chunk_limb_numbers(c, &limb->holds, drive, limb->numbers);
  sup_holds_move(&limb->holds.holds, c->mesh.node_count, limb->numbers, limb->displacements);
  for (uint32_t v = 0; v < c->mesh.node_count; v++) {
    most = fmax(most, sup_vec3d_length(displacement(limb, v)));
  }
  assert_int_equal(sup_wedge_settle(&body->arena, &limb->body, NULL, limb->displacements, NULL),
                   SUP_OK);
  for (uint32_t v = 0; v < c->mesh.node_count; v++) {
    const double u = sup_chunk_depth(c, v / c->slice.node_count);
    limb->places[v] =
        sup_limb_place(&drive->pose, c->length, u, c->mesh.nodes[v], displacement(limb, v));
  }
  return most;
}

static const SupLimbEnd slices[2] = {SUP_LIMB_END_SLICE, SUP_LIMB_END_SLICE};
static const double no_bulge[4] = {0, 0, 0, 0};

static SupAffined bone_motion(SupQuatd turn, SupVec3d shift, SupAffined rest) {
  return sup_affined_mul(sup_affined_from_parts(sup_mat3d_from_quat(turn), shift), rest);
}

static SupQuatd any_turn(SupRng *rng) {
  SupQuatd q = {2 * sup_rng_double(rng) - 1, 2 * sup_rng_double(rng) - 1,
                2 * sup_rng_double(rng) - 1, 2 * sup_rng_double(rng) - 1};
  return sup_quatd_normalise(q);
}

/* One limb, its end tilted and twisted, no displacements: what slices alone do. */
static void slices_keep_the_volume(void **state) {
  (void)state;
  static const double rows[5][4] = {/* twist, tilt, volume, least determinant */
                                    {90, 0, 0.9986, 0.999},
                                    {0, 45, 1, 0.764},
                                    {0, 60, 1, 0.591},
                                    {90, 60, 0.9986, 0.588},
                                    {180, 60, 0.9943, 0.585}};
  PatchBody *body = limb_body(1, limb_cylinder, 0);
  const SupPatchCharts charts = body_charts(body);
  SupChunkDef def = body_def(body, &charts, 2, 18);
  def.relaxations = 0;
  Limb limb;
  begin(&limb, body, &def, 0, 0, slices);
  const double whole = sup_wedge_mesh_size(&limb.chunk.mesh, limb.chunk.mesh.nodes).volume;
  for (int k = 0; k < 5; k++) {
    SupLimbDrive drive = {.pose = sup_limb_straight(limb.chunk.frame), .heights = no_bulge};
    drive.pose.turns[1] = rows[k][0] * DEGREE;
    drive.pose.slopes[1][1] = tan(rows[k][1] * DEGREE);
    assert_true(move(body, &limb, &drive) == 0);
    const SupWedgeSize size = sup_wedge_mesh_size(&limb.chunk.mesh, limb.places);
    print_message("twist %3.0f tilt %2.0f: volume %.4f, least det %.3f\n", rows[k][0], rows[k][1],
                  size.volume / whole, size.least);
    assert_true(fabs(size.volume / whole - rows[k][2]) < 1e-4);
    assert_true(fabs(size.least - rows[k][3]) < 2e-3);
  }
  sup_wedge_body_free(&limb.body);
  patch_body_free(body);
}

/* The thesis's way, for comparison: linear displacements of both ends in one frame. */
static void one_frame_does_not(void **state) {
  (void)state;
  PatchBody *body = limb_body(1, limb_cylinder, 0);
  const SupPatchCharts charts = body_charts(body);
  SupChunkDef def = body_def(body, &charts, 2, 18);
  def.relaxations = 0;
  Limb limb;
  begin(&limb, body, &def, 0, 0, slices);
  const SupChunk *c = &limb.chunk;
  const double whole = sup_wedge_mesh_size(&c->mesh, c->mesh.nodes).volume;
  for (int k = 0; k < 3; k++) {
    const double angle = (k == 0 ? 45 : k == 1 ? 40 : 45) * DEGREE; /* twist both ends, tilt one */
    memset(limb.displacements, 0, 3 * c->mesh.node_count * sizeof(double));
    for (uint32_t v = 0; v < c->mesh.node_count; v++) {
      const uint32_t j = v / c->slice.node_count;
      if (j != 17 && (j || k)) continue;
      const SupVec3d o = {0, 0, c->length * (j == 17)}, axis = {k != 0, 0, k == 0};
      const SupQuatd q = sup_quatd_from_axis_angle(axis, j ? angle : -angle);
      const SupVec3d arm = sup_vec3d_sub(c->mesh.nodes[v], o);
      const SupVec3d d = sup_vec3d_sub(sup_quatd_rotate(q, arm), arm);
      memcpy(limb.displacements + 3 * v, &d, sizeof d);
    }
    assert_int_equal(sup_wedge_settle(&body->arena, &limb.body, NULL, limb.displacements, NULL),
                     SUP_OK);
    for (uint32_t v = 0; v < c->mesh.node_count; v++) {
      limb.places[v] = sup_vec3d_add(c->mesh.nodes[v], displacement(&limb, v));
    }
    const SupWedgeSize size = sup_wedge_mesh_size(&c->mesh, limb.places);
    print_message("one frame, %s: volume %.3f, least det %.2f\n",
                  k == 0   ? "twist 90"
                  : k == 1 ? "tilt 40"
                           : "tilt 45",
                  size.volume / whole, size.least);
    if (k == 0) assert_true(fabs(size.volume / whole - 1.168) < 2e-3);
    if (k == 1) assert_true(size.least > 0);
    if (k == 2) assert_true(size.least < 0);
  }
  sup_wedge_body_free(&limb.body);
  patch_body_free(body);
}

/* GUO-T13: as bound, also under rigid motions of everything; hourglasses and bent limbs too. */
static void rest_is_rest(void **state) {
  (void)state;
  SupRng rng = sup_rng(3, 3);
  for (int round = 0; round < 4; round++) {
    const double bend = round < 2 ? 0 : 0.5;
    PatchBody *body = limb_body(2, round % 2 ? limb_hourglass : limb_cylinder, bend);
    const SupPatchCharts charts = body_charts(body);
    const SupChunkDef def = body_def(body, &charts, 2, 8);
    Limb limbs[2];
    SupLimbDrive drives[2];
    SupAffined rest[2];
    for (uint32_t k = 0; k < 2; k++) {
      begin(&limbs[k], body, &def, k, bend, slices);
      rest[k] = limbs[k].chunk.frame;
    }
    for (int moved = 0; moved < 3; moved++) {
      const SupQuatd turn = moved ? any_turn(&rng) : sup_quatd_identity();
      const SupVec3d shift = {moved * 2.0, moved, -moved * 3.0};
      for (uint32_t k = 0; k < 2; k++) {
        drives[k] = (SupLimbDrive){.heights = no_bulge,
                                   .pose = sup_limb_straight(bone_motion(turn, shift, rest[k]))};
      }
      sup_limb_join(rest, &drives[0].pose, &drives[1].pose);
      const SupAffined shared =
          sup_limb_shared_map(rest, &drives[0].pose, limbs[0].chunk.length, &drives[1].pose);
      drives[0].maps[1] = drives[1].maps[0] = &shared;
      for (uint32_t k = 0; k < 2; k++) {
        assert_true(move(body, &limbs[k], &drives[k]) < 1e-12);
        for (uint32_t v = 0; v < limbs[k].chunk.mesh.node_count; v++) {
          const SupVec3d at = sup_affined_point(rest[k], limbs[k].chunk.mesh.nodes[v]);
          const SupVec3d to = sup_vec3d_add(sup_quatd_rotate(turn, at), shift);
          assert_true(sup_vec3d_distance(limbs[k].places[v], to) < 1e-11);
        }
      }
    }
    for (uint32_t k = 0; k < 2; k++) sup_wedge_body_free(&limbs[k].body);
    patch_body_free(body);
  }
}

static SupVec3d between(const SupAffined *a, const SupAffined *b) {
  const SupVec3d p = sup_mat3d_column(sup_affined_linear(*a), 2);
  return sup_vec3d_normalise(sup_vec3d_add(p, sup_mat3d_column(sup_affined_linear(*b), 2)));
}

/* What lies between the bones at rest lies between them now, by either limb. */
static void check_planes(const SupAffined rest[2], const SupLimbDrive drives[2], const Limb *first,
                         SupVec3d joint) {
  const SupAffined *now[2] = {&drives[0].pose.frame, &drives[1].pose.frame};
  const SupVec3d before = between(&rest[0], &rest[1]), after = between(now[0], now[1]);
  for (uint32_t k = 0; k < 2; k++) {
    const SupAffined map =
        sup_limb_slice_map(&drives[k].pose, rest[k], k ? 0 : first->chunk.length, k ? 0 : 1);
    assert_true(sup_vec3d_distance(sup_affined_point(map, joint), joint) < 1e-6);
    for (uint32_t i = 0; i < 2; i++) {
      const SupVec3d any = {i, 1, 0.3};
      const SupVec3d flat = sup_vec3d_add_scaled(any, before, -sup_vec3d_dot(any, before));
      assert_true(fabs(sup_vec3d_dot(sup_affined_direction(map, flat), after)) < 1e-9);
    }
  }
}

/* GUO-T18 and the volume, over poses of a joint: bound straight, both slices are the same without
 * any displacement; bound bent, by the shared map. */
static void joints_are_shared(void **state) {
  (void)state;
  SupRng rng = sup_rng(5, 3);
  double least = 1;
  for (int round = 0; round < 2; round++) {
    const double bend = round ? 0.5 : 0;
    PatchBody *body = limb_body(2, limb_cylinder, bend);
    const SupPatchCharts charts = body_charts(body);
    const SupChunkDef def = body_def(body, &charts, 2, 18), other = body_def(body, &charts, 2, 8);
    Limb limbs[2];
    SupAffined rest[2];
    double whole[2];
    for (uint32_t k = 0; k < 2; k++) {
      begin(&limbs[k], body, k ? &other : &def, k, bend, slices);
      rest[k] = limbs[k].chunk.frame;
      whole[k] = sup_wedge_mesh_size(&limbs[k].chunk.mesh, limbs[k].chunk.mesh.nodes).volume;
    }
    for (int pose = 0; pose < 12; pose++) {
      /* Bent by up to 120 degrees about any axis across, twisted by up to 180. */
      const double bent = pose == 0 ? 119.9 : 110 * sup_rng_double(&rng),
                   about = 7 * sup_rng_double(&rng);
      const double twist = pose == 0 ? 179.9 : 340 * sup_rng_double(&rng) - 170;
      const SupVec3d axis = {cos(about), sin(about), 0};
      const SupQuatd swing = sup_quatd_from_axis_angle(axis, bent * DEGREE);
      const SupQuatd turn = sup_quatd_from_axis_angle((SupVec3d){0, 0, 1}, twist * DEGREE);
      const SupQuatd from_first = sup_quatd_mul(swing, turn);
      const SupVec3d joint = limb_joint(1, bend);
      SupLimbDrive drives[2] = {{.heights = no_bulge}, {.heights = no_bulge}};
      drives[0].pose = sup_limb_straight(rest[0]);
      /* The second bone turns about the joint; the first lies along z. */
      const SupVec3d shift = sup_vec3d_sub(joint, sup_quatd_rotate(from_first, joint));
      drives[1].pose = sup_limb_straight(bone_motion(from_first, shift, rest[1]));
      sup_limb_join(rest, &drives[0].pose, &drives[1].pose);
      if (!round) {
        assert_true(fabs(drives[0].pose.turns[1] - twist / 2 * DEGREE) < 1e-9);
        assert_true(fabs(drives[1].pose.turns[0] + twist / 2 * DEGREE) < 1e-9);
        assert_true(fabs(hypot(drives[0].pose.slopes[1][0], drives[0].pose.slopes[1][1]) -
                         tan(bent / 2 * DEGREE)) < 1e-6);
      }
      if (bent + bend / DEGREE < 115) check_planes(rest, drives, &limbs[0], joint);
      const SupAffined shared =
          sup_limb_shared_map(rest, &drives[0].pose, limbs[0].chunk.length, &drives[1].pose);
      drives[0].maps[1] = drives[1].maps[0] = &shared;
      for (uint32_t k = 0; k < 2; k++) {
        const double held = move(body, &limbs[k], &drives[k]);
        if (!round) assert_true(held < 1e-6);
        const SupWedgeSize size = sup_wedge_mesh_size(&limbs[k].chunk.mesh, limbs[k].places);
        if (!round) assert_true(fabs(size.volume / whole[k] - 1) < 0.012);
        if (!round) least = fmin(least, size.least);
      }
      const SupChunk *a = &limbs[0].chunk, *b = &limbs[1].chunk;
      uint32_t met = 0;
      for (uint32_t i = 0; i < a->slice.node_count; i++) {
        for (uint32_t k = 0; k < b->slice.node_count; k++) {
          const uint32_t v = sup_chunk_node(a, 17, i), w = sup_chunk_node(b, 0, k);
          const SupVec3d p = sup_affined_point(a->frame, a->mesh.nodes[v]);
          const SupVec3d q = sup_affined_point(b->frame, b->mesh.nodes[w]);
          if (sup_vec3d_distance(p, q) > 1e-9) continue;
          assert_true(sup_vec3d_distance(limbs[0].places[v], limbs[1].places[w]) < 1e-12);
          met++;
        }
      }
      assert_true(met >= a->slice.node_count);
    }
    for (uint32_t k = 0; k < 2; k++) sup_wedge_body_free(&limbs[k].body);
    patch_body_free(body);
  }
  print_message("two limbs, any bend to 120 and twist to 180 degrees: least det %.3f\n", least);
  assert_true(least > 0.57);
}

/* What an eased pose leaves to the flesh: ends stay where the joint has them, so neighbours agree,
 * and bends of 120 degrees with twists of 170 invert nothing. */
static void eased_limbs_bend_near_their_joint(void **state) {
  (void)state;
  PatchBody *body = limb_body(1, limb_cylinder, 0);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 2, 18);
  Limb limb;
  begin(&limb, body, &def, 0, 0, slices);
  const SupChunk *c = &limb.chunk;
  const double whole = sup_wedge_mesh_size(&c->mesh, c->mesh.nodes).volume;
  for (int k = 0; k <= 12; k++) {
    SupLimbPose pose = sup_limb_straight(c->frame);
    pose.slopes[1][0] = 0.6 * tan(5 * k * DEGREE);
    pose.slopes[1][1] = 0.8 * tan(5 * k * DEGREE);
    pose.turns[1] = k % 3 * 85 * DEGREE;
    const SupAffined map = sup_limb_slice_map(&pose, c->frame, c->length, 1);
    SupLimbDrive drive = {.pose = pose, .maps = {NULL, &map}, .heights = no_bulge};
    sup_limb_ease(&drive.pose);
    const double left = pow(sin(5 * k * DEGREE), 2);
    for (int i = 0; i < 2; i++) {
      assert_true(fabs(drive.pose.slopes[1][i] - left * pose.slopes[1][i]) < 1e-12);
    }
    move(body, &limb, &drive);
    double middle = 0, near = 0;
    for (uint32_t v = 0; v < c->mesh.node_count; v++) {
      const uint32_t j = v / c->slice.node_count;
      const SupVec3d at = sup_affined_point(c->frame, c->mesh.nodes[v]);
      if (j == 17) {
        assert_true(sup_vec3d_distance(limb.places[v], sup_affined_point(map, at)) < 1e-9);
      }
      const double far = fabs(limb.places[v].z - at.z);
      if (j == 8) middle = fmax(middle, far);
      if (j == 16) near = fmax(near, far);
    }
    const SupWedgeSize size = sup_wedge_mesh_size(&c->mesh, limb.places);
    assert_true(fabs(size.volume / whole - 1) < 0.01);
    assert_true(size.least > 0.3);
    /* Slices alone rise there half as far as at the end. */
    if (k > 0 && k <= 6) assert_true(middle < 0.25 * near);
  }
  sup_wedge_body_free(&limb.body);
  patch_body_free(body);
}

/* GUO-T16. */
static void bulges_grow_and_flatten(void **state) {
  (void)state;
  PatchBody *body = limb_body(1, limb_cylinder, 0);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 2, 18);
  Limb limb;
  begin(&limb, body, &def, 0, 0, slices);
  const SupChunk *c = &limb.chunk;
  double before = 0, evenness[2] = {0, 0}, shape[18];
  sup_bulge_along(c, 0.3, 1e6, shape);
  for (uint32_t j = 0; j < 18; j++) {
    const double u = j / 17.0, t = fmin(1, 4 * fmin(u, 1 - u));
    assert_true(fabs(shape[j] - t * t * (3 - 2 * t)) < 1e-9);
  }
  for (int k = 0; k < 6; k++) {
    /* Side 0 higher and higher, then the wider one of side 1. */
    const uint32_t side = k == 5;
    double heights[4] = {0, 0, 0, 0}, most = 0;
    heights[side] = k == 5 ? 0.3 : 0.1 * k;
    SupLimbDrive drive = {.pose = sup_limb_straight(c->frame), .heights = heights};
    assert_true(fabs(move(body, &limb, &drive) - heights[side]) < 1e-15);
    const SupVec3d out = limb.holds.directions[side];
    double along[18] = {0};
    for (uint32_t i = 0; i < c->kept_count; i++) {
      const uint32_t j = c->kept[i] / c->slice.node_count;
      const double far = sup_vec3d_dot(displacement(&limb, c->kept[i]), out);
      along[j] = fmax(along[j], far);
      most = fmax(most, far);
    }
    if (k && k < 5) assert_true(most > before + 0.05);
    if (k == 3 || k == 5) evenness[k == 5] = along[5] / most;
    before = most;
    assert_true(most <= heights[side] + 1e-12);
  }
  print_message("bulge, width 0.2 and 0.4: at slice 6 %.2f and %.2f of the highest\n", evenness[0],
                evenness[1]);
  assert_true(evenness[1] > 1.2 * evenness[0]);
  /* The patch below which it grows rises; the one opposite does not. */
  const double heights[4] = {0.3, 0, 0, 0};
  SupLimbDrive drive = {.pose = sup_limb_straight(c->frame), .heights = heights};
  move(body, &limb, &drive);
  for (uint32_t side = 0; side < 4; side += 2) {
    const uint32_t v = sup_chunk_node(c, 9, c->slice.rim[side * 4 + 2]);
    const double far = sup_vec3d_length(displacement(&limb, v));
    assert_true(side ? far < 0.02 : far > 0.1);
  }
  sup_wedge_body_free(&limb.body);
  patch_body_free(body);
}

/* An end beside ordinary chunks has its rim where they have it, its centre on the bone. The matrix
 * gives what the solver gives. */
static void rims_are_followed(void **state) {
  (void)state;
  static const SupLimbEnd ends[2] = {SUP_LIMB_END_RIM, SUP_LIMB_END_SLICE};
  PatchBody *body = limb_body(1, limb_cylinder, 0);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 2, 8);
  SupRng rng = sup_rng(6, 3);
  Limb limb;
  begin(&limb, body, &def, 0, 0, ends);
  const SupChunk *c = &limb.chunk;
  const double heights[4] = {0.1, 0, 0.2, 0};
  SupVec3d rim[16], kept[1024];
  SupLimbDrive drive = {.heights = heights, .rims = {rim, NULL}};
  drive.pose = sup_limb_straight(bone_motion(any_turn(&rng), (SupVec3d){1, 2, 3}, c->frame));
  drive.pose.turns[1] = 0.7;
  drive.pose.slopes[0][0] = 0.3;
  for (uint32_t i = 0; i < 16; i++) {
    const SupVec3d stray = {0.1 * sup_rng_double(&rng), 0.1 * sup_rng_double(&rng), 0.1};
    const SupVec3d at = c->mesh.nodes[c->slice.rim[i]];
    rim[i] = sup_limb_place(&drive.pose, c->length, 0, at, stray);
  }
  move(body, &limb, &drive);
  for (uint32_t i = 0; i < 16; i++) {
    assert_true(sup_vec3d_distance(limb.places[c->slice.rim[i]], rim[i]) < 1e-12);
  }
  for (uint32_t k = 0; k < c->slice.node_count; k++) {
    const SupSectorPlace at = sup_slice_sector_place(&c->slice, k);
    const SupVec3d a = displacement(&limb, c->slice.rim[at.rim[0]]);
    const SupVec3d b = displacement(&limb, c->slice.rim[at.rim[1]]);
    const SupVec3d expected = sup_vec3d_scale(sup_vec3d_lerp(a, b, at.t), at.radius);
    assert_true(sup_vec3d_distance(displacement(&limb, k), expected) < 1e-14);
  }
  SupCondensed condensed;
  assert_int_equal(sup_wedge_condense(&body->arena, &limb.body, &limb.holds.holds, c->kept_count,
                                      c->kept, &condensed, NULL),
                   SUP_OK);
  assert_int_equal(condensed.column_count, 16 * 3 + 12 + 4 * 3);
  sup_condensed_move(&condensed, limb.numbers, kept);
  for (uint32_t i = 0; i < c->kept_count; i++) {
    assert_true(sup_vec3d_distance(kept[i], displacement(&limb, c->kept[i])) < 1e-12);
  }
  sup_wedge_body_free(&limb.body);
  patch_body_free(body);
}

/* Whose memory runs out says so. */
static void memory_may_run_out(void **state) {
  (void)state;
  static const SupLimbBulge bulges[4] = {{0.5, 0.2}, {0.5, 0.2}, {0.5, 0.2}, {0.5, 0.2}};
  PatchBody *body = limb_body(1, limb_cylinder, 0);
  const SupPatchCharts charts = body_charts(body);
  const SupChunkDef def = body_def(body, &charts, 1, 4);
  const SupChunk chunk = limb_chunk(body, &def, 0, 0);
  bool done = false;
  for (size_t limit = 100; !done; limit += 100) {
    SupArena arena;
    SupLimbHolds holds = {.first_groups = {9, 9, 9}};
    sup_arena_init(&arena, sup_heap_allocator(), limit);
    SupResult result = sup_chunk_limb_holds(&arena, &chunk, slices, bulges, &holds, NULL);
    done = result == SUP_OK;
    assert_true(done || result == SUP_ERROR_MEMORY);
    assert_int_equal(holds.first_groups[0], done ? 0 : 9);
    sup_arena_free(&arena);
  }
  patch_body_free(body);
}

/* Slices stay finite and within their steepness however far bones are folded. */
static void folded_limbs_stay_finite(void **state) {
  (void)state;
  const SupAffined rest[2] = {sup_affined_identity(), sup_affined_identity()};
  for (int k = 0; k <= 36; k++) {
    const SupQuatd turn = sup_quatd_from_axis_angle((SupVec3d){1, 0, 0}, k * 10 * DEGREE);
    SupLimbPose a = sup_limb_straight(rest[0]), b = sup_limb_straight(rest[1]);
    b.frame = bone_motion(turn, (SupVec3d){0, 0, 1}, rest[1]);
    sup_limb_join(rest, &a, &b);
    const double steep = hypot(a.slopes[1][0], a.slopes[1][1]);
    assert_true(steep <= SUP_LIMB_STEEPEST + 1e-12 && isfinite(a.turns[1]));
    if (k <= 12) assert_true(fabs(steep - tan(k * 5 * DEGREE)) < 1e-9);
    assert_true(fabs(sup_mat3d_determinant(sup_limb_shear(&a, 0.7)) - 1) < 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_keep_the_volume),
      cmocka_unit_test(one_frame_does_not),
      cmocka_unit_test(rest_is_rest),
      cmocka_unit_test(joints_are_shared),
      cmocka_unit_test(eased_limbs_bend_near_their_joint),
      cmocka_unit_test(bulges_grow_and_flatten),
      cmocka_unit_test(rims_are_followed),
      cmocka_unit_test(folded_limbs_stay_finite),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
