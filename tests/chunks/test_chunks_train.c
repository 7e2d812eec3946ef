/* SPDX-License-Identifier: MIT */
/* Chunks of planted characters: what is made, that skin is where it was bound, what is refused. */
#include "fem/wedge_condense.h"
#include "supple/io/pool.h"
#include "train/chunks/chunk_register.h"
#include "train/chunks/chunks_work.h"
#include "trained.h"

static const SupVec3 unit = {1, 1, 1};

static Flesh *limbs(uint32_t count, LimbRadius *radius, double bend) {
  SupVec3d places[8];
  for (uint32_t k = 0; k <= count; k++) places[k] = limb_joint(k, bend);
  return make_flesh(limb_body(count, radius, bend), count + 1, places, true);
}

static Flesh *ball(void) {
  const SupVec3d places[2] = {{0, 0, -0.2}, {0, 0, 0.2}};
  return make_flesh(patch_ball(4, 0, unit, 0, 1), 2, places, false);
}

static SupChunksTrained train(Flesh *f, const SupChunksTrainDef *def) {
  SupChunksTrained trained;
  SupError error = {{0}};
  const SupResult result = sup_chunks_train(&f->body->arena, def, &trained, &error);
  if (result != SUP_OK) print_error("%s\n", error.text);
  assert_int_equal(result, SUP_OK);
  check_trained(&f->character, &trained);
  return trained;
}

static void refused(Flesh *f, const SupChunksTrainDef *def, const char *sentence) {
  SupChunksTrained trained;
  SupError error = {{0}};
  assert_int_not_equal(sup_chunks_train(&f->body->arena, def, &trained, &error), SUP_OK);
  if (!strstr(error.text, sentence)) print_error("%s\n  is not\n%s\n", error.text, sentence);
  assert_non_null(strstr(error.text, sentence));
}

/* ---- What is made ---------------------------------------------------------------------------- */

/* Two limbs, straight and bound bent: chunks that meet at a joint, and bare limbs beyond. */
static void two_limbs(void **state) {
  (void)state;
  for (uint32_t bent = 0; bent < 2; bent++) {
    Flesh *f = limbs(2, limb_waist, bent ? 0.6 : 0);
    SupChunksTrainDef def = flesh_def(f);
    const SupChunksTrained t = train(f, &def);
    assert_int_equal(t.def.piece_count, 2);
    assert_int_equal(t.report.refusal_count, 0);
    assert_int_equal(t.def.patch_count, 8);
    assert_int_equal(t.report.moved_count, f->body->mesh.vertex_count);
    /* The first begins at nothing: its joint is the root. The last has a bare limb beyond. */
    assert_int_equal(t.def.limb_count, 3);
    assert_int_equal(t.def.limb_joint_count, 2);
    assert_int_equal(t.def.pieces[0].ends[0], SUP_CHUNKS_END_OWN);
    assert_int_equal(t.def.pieces[0].ends[1], SUP_CHUNKS_END_JOINT);
    assert_int_equal(t.def.pieces[1].ends[0], SUP_CHUNKS_END_JOINT);
    assert_int_equal(t.report.pieces[0].column_count, 12 + 4);
    assert_int_equal(t.report.pieces[1].column_count, 24 + 4);
    assert_string_equal(t.report.pieces[1].name, "zone1");
    assert_int_equal(t.report.seam_count - t.report.open_count,
                     t.report.seam_count); /* open borders of the skin are no open seams */
    free_flesh(f);
  }
}

/* Flesh follows a small turn about the bone; and a bulge raises skin. */
static void limbs_follow(void **state) {
  (void)state;
  Flesh *f = limbs(2, limb_waist, 0);
  SupChunksTrainDef def = flesh_def(f);
  def.poisson = 0.3;
  const SupChunksTrained t = train(f, &def);
  const SupAffined map = {{1, 0.2, 0, -0.2, 1, 0, 0, 0, 1, 0, 0, 0}};
  assert_int_equal(t.def.pieces[1].ends[0], SUP_CHUNKS_END_JOINT);
  assert_true(turn_error(&t.def, 1, map) < 1e-5);
  const SupChunksPieceDef *piece = &t.def.pieces[1];
  const uint32_t columns = t.report.pieces[1].column_count;
  for (uint32_t b = 0; b < 4; b++) {
    double outwards = 0;
    for (uint32_t i = 0; i < piece->free_count; i++) {
      const float *m = piece->matrix + 3 * (size_t)i * columns + columns - 4 + b;
      const SupVec3 at = piece->nodes[i];
      outwards += (double)(m[0] * at.x + m[columns] * at.y);
    }
    assert_true(outwards > 0);
  }
  free_flesh(f);
}

/* Half of a ball is below 0.206 of its radius; flesh above follows small turns of the shell. */
static void flesh_of_a_ball(void **state) {
  (void)state;
  Flesh *f = ball();
  SupChunksTrainDef def = flesh_def(f);
  const SupChunksTrained t = train(f, &def);
  const SupAffined map = {{1, 0.2, -0.3, -0.2, 1, 0.15, 0.3, -0.15, 1, 0.3, -0.2, 0.1}};
  assert_int_equal(t.def.piece_count, 8);
  assert_int_equal(t.report.refusal_count + t.report.open_count + t.report.raised_count, 0);
  assert_int_equal(t.def.vertex_count, 6);
  assert_int_equal(t.report.pieces[0].node_count, 4 * (1 + 3 * 4 * 5 / 2));
  /* The octahedron of the corners, whose volume is halved. */
  assert_true(t.report.depth > 0.2062 && t.report.depth < 0.2064);
  for (uint32_t p = 0; p < 8; p++) assert_true(turn_error(&t.def, p, map) < 1e-5);
  free_flesh(f);
}

/* What is asked for, by zone, by chunk, and by the file; bulges of all drivers. */
static void settings(void **state) {
  (void)state;
  Flesh *f = limbs(2, limb_cylinder, 0);
  SupChunksTrainDef def = flesh_def(f);
  SupChunksOption options[2] = {sup_chunks_option("zone0"), sup_chunks_option("zone1")};
  SupChunksTrainBulge bulge = sup_chunks_train_bulge(f->patches.patches[0].name, true);
  f->said[1].slices = 9;
  f->said[1].poisson = 0.2;
  options[0].slices = 5;
  options[0].levels = 1;
  options[1].poisson = 0.49;
  bulge.driver = SUP_CHUNKS_BY_ANGLE;
  bulge.joint = "joint1";
  bulge.axis = (SupVec3){2, 0, 0};
  bulge.to = -1;
  bulge.height = 0.3;
  def.option_count = 2;
  def.options = options;
  def.bulge_count = 1;
  def.bulges = &bulge;
  const SupChunksTrained t = train(f, &def);
  assert_int_equal(t.report.pieces[0].slice_count, 5);
  assert_int_equal(t.report.pieces[0].levels, 1);
  assert_int_equal(t.report.pieces[1].slice_count, 9);
  assert_true(t.report.pieces[1].poisson == 0.49);
  assert_int_equal(t.def.angle_count, 1);
  assert_true(t.def.angles[0].low == -1 && t.def.angles[0].high == 0 &&
              t.def.angles[0].axis.x == 1);
  uint32_t raised = 0;
  for (uint32_t p = 0; p < 2; p++) {
    for (uint32_t b = 0; b < 4; b++) {
      const SupChunksBulgeDef *d = &t.def.pieces[p].bulges[b];
      if (d->driver != SUP_CHUNKS_BY_ANGLE) continue;
      assert_string_equal(d->name, bulge.patch);
      assert_true(d->curve[0] == 0.3F && d->curve[d->sample_count - 1] == 0);
      raised++;
    }
  }
  assert_int_equal(raised, 1);
  free_flesh(f);
}

/* A stiffness map changes what comes to rest where, an even one does not. */
static void stiffness(void **state) {
  (void)state;
  Flesh *f = limbs(1, limb_waist, 0);
  SupChunksTrainDef def = flesh_def(f);
  float *map = SUP_ALLOC(&f->body->arena, float, f->body->mesh.vertex_count);
  const SupChunksTrained plain = train(f, &def);
  const size_t count =
      3 * (size_t)plain.def.pieces[0].free_count * plain.report.pieces[0].column_count;
  double change[2] = {0, 0};
  def.stiffness = map;
  for (uint32_t uneven = 0; uneven < 2; uneven++) {
    for (uint32_t v = 0; v < f->body->mesh.vertex_count; v++) {
      map[v] = uneven && f->body->mesh.positions[v].x > 0 ? 10 : 7;
    }
    const SupChunksTrained t = train(f, &def);
    for (size_t k = 0; k < count; k++) {
      const double d = (double)(t.def.pieces[0].matrix[k] - plain.def.pieces[0].matrix[k]);
      if (d * d > change[uneven]) change[uneven] = d * d;
    }
  }
  assert_true(change[0] < 1e-12 && change[1] > 1e-6);
  free_flesh(f);
}

/* ---- The shell ------------------------------------------------------------------------------- */

/* Depths and places from the file are taken exactly; a shell that crosses itself there is refused,
 * with zone and line. */
static void shells_by_hand(void **state) {
  (void)state;
  Flesh *f = ball();
  SupPatchShellPoint points[2] = {{.feature = "up", .depth = 0.5},
                                  {.feature = "left", .placed = true, .position = {-0.6, 0.1, 0}}};
  SupChunksTrainDef def = flesh_def(f);
  f->said[0].shell = points;
  f->said[0].shell_count = 2;
  const SupVec3d left = sup_skin_point_place(&f->body->mesh, f->body->features[2].at);
  points[1].position = sup_vec3d_scale(left, 0.6);
  const SupChunksTrained t = train(f, &def);
  uint32_t exact = 0, deep = 0;
  for (uint32_t v = 0; v < t.def.vertex_count; v++) {
    const SupVec3d at = sup_vec3_to_double(t.def.points[v]);
    exact += sup_vec3d_distance(at, points[1].position) < 1e-6;
    deep += sup_vec3d_length(at) > 0.49 && sup_vec3d_length(at) < 0.51;
  }
  assert_true(exact == 1 && deep == 1);
  /* Through the middle and out at the other side. */
  points[1].position = sup_vec3d_scale(left, -1.5);
  refused(f, &def, "plan.json, line 1: zone 'zone0': its shell is given: chunk");
  free_flesh(f);
}

typedef struct Pairs {
  uint32_t count, a[8], b[8];
} Pairs;

static void take_pair(void *context, uint32_t a, uint32_t b) {
  Pairs *pairs = context;
  pairs->a[pairs->count] = a;
  pairs->b[pairs->count++] = b;
}

/* Two triangles apart, then one through the other; neighbours never count. */
static void crossings(void **state) {
  (void)state;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  static const uint32_t offsets[4] = {0, 3, 6, 9}, corners[9] = {0, 1, 2, 2, 1, 3, 4, 5, 6};
  SupVec3d at[7] = {{0, 0, 0}, {2, 0, 0},   {0, 2, 0},  {2, 2, 0},
                    {1, 1, 5}, {1.5, 1, 6}, {1, 1.5, 6}};
  SupShell shell;
  Pairs pairs = {0};
  assert_int_equal(sup_shell_create(&arena, 7, 3, offsets, corners, &shell, NULL), SUP_OK);
  assert_int_equal(sup_shell_crossings(&arena, &shell, at, take_pair, &pairs, NULL), SUP_OK);
  assert_int_equal(pairs.count, 0);
  at[4].z = -1;
  at[5].z = at[6].z = 1;
  at[4].x = at[4].y = 1.4;
  assert_int_equal(sup_shell_crossings(&arena, &shell, at, take_pair, &pairs, NULL), SUP_OK);
  assert_int_equal(pairs.count, 1);
  assert_true(pairs.a[0] == 1 && pairs.b[0] == 2);
  sup_arena_free(&arena);
}

/* ---- Places of skin -------------------------------------------------------------------------- */

/* Random convex quadrilaterals, parallelograms and trapezia too: there and back. */
static void bilinear(void **state) {
  (void)state;
  SupRng rng = sup_rng(7, 0);
  for (uint32_t round = 0; round < 20000; round++) {
    double angles[4], c[4][2], at[2] = {0, 0}, found[2];
    const double *corners[4];
    for (uint32_t k = 0; k < 4; k++) {
      angles[k] = SUP_PI / 2 * (k + 0.9 * sup_rng_double(&rng));
      if (round % 4 == 0) angles[k] = SUP_PI / 2 * k + (k % 2 ? 0.3 : 0);
      if (round % 4 == 1) angles[k] = (k < 2 ? k : 5 - k) * 0.7 + (k < 2 ? 0 : 1.3);
      corners[k] = c[k];
    }
    for (uint32_t k = 0; k < 4; k++) {
      c[k][0] = sup_cos(angles[round % 4 == 1 && k > 1 ? 5 - k : k]);
      c[k][1] = sup_sin(angles[round % 4 == 1 && k > 1 ? 5 - k : k]);
    }
    const double s = round % 5 ? sup_rng_double(&rng) : 1, t = round % 7 ? sup_rng_double(&rng) : 0;
    const double w[4] = {(1 - s) * (1 - t), s * (1 - t), s * t, (1 - s) * t};
    for (uint32_t k = 0; k < 4; k++) {
      at[0] += w[k] * c[k][0];
      at[1] += w[k] * c[k][1];
    }
    sup_inverse_bilinear(corners, at, found);
    assert_true(found[0] - s < 1e-9 && s - found[0] < 1e-9);
    assert_true(found[1] - t < 1e-9 && t - found[1] < 1e-9);
  }
}

/* ---- What is refused ------------------------------------------------------------------------- */

static void sentences(void **state) {
  (void)state;
  Flesh *f = limbs(2, limb_cylinder, 0);
  SupChunksTrainDef def = flesh_def(f);
  SupChunksTrainDef wrong = def;
  wrong.cookie = 0;
  refused(f, &wrong, "start from sup_chunks_train_def");
  wrong = def;
  wrong.poisson = 0.5;
  refused(f, &wrong, "Poisson's ratio is above 0 and below 0.5");
  f->said[1].bone[0] = f->said[1].bone[1] = NULL;
  refused(f, &def, "plan.json, line 2: zone 'zone1' is solid and needs a \"bone\"");
  f->said[1].bone[0] = "joint1";
  f->said[1].bone[1] = "elbow";
  refused(f, &def, "plan.json, line 2: zone 'zone1': there is no joint 'elbow'");
  f->said[1].bone[1] = "joint2";
  SupChunksOption option = sup_chunks_option("zone7");
  def.option_count = 1;
  def.options = &option;
  refused(f, &def, "there is no zone or chunk 'zone7'");
  option = sup_chunks_option("zone1");
  option.slices = 2;
  refused(f, &def, "'zone1' has slices outside 3 to 256");
  option.slices = 0;
  SupChunksTrainBulge bulge = sup_chunks_train_bulge("nowhere", true);
  def.bulge_count = 1;
  def.bulges = &bulge;
  refused(f, &def, "there is no patch 'nowhere' to bulge");
  bulge.patch = f->patches.patches[0].name;
  bulge.driver = SUP_CHUNKS_BY_AREA;
  refused(f, &def, "but lies around a bone");
  bulge.driver = SUP_CHUNKS_BY_ANGLE;
  refused(f, &def, "needs the joint whose turn raises it");
  bulge.joint = "joint1";
  bulge.from = -0.5;
  bulge.to = 1;
  refused(f, &def, "is not 0 in the bind pose");
  bulge.from = 0;
  refused(f, &def, "needs an axis: no clip turns its joint");
  /* Nothing left: all is skinned. */
  def.bulge_count = 0;
  SupChunksOption none[2] = {sup_chunks_option("zone0"), sup_chunks_option("zone1")};
  none[0].skinned = none[1].skinned = true;
  def.option_count = 2;
  def.options = none;
  refused(f, &def, "nothing is to be made");
  /* One skinned: the other is beside flesh without a chunk. */
  none[1].skinned = false;
  const SupChunksTrained t = train(f, &def);
  assert_int_equal(t.def.piece_count, 1);
  assert_int_equal(t.report.open_count, 32);
  free_flesh(f);
}

/* A bone beside its flesh inverts wedges however few slices there are: the limb stays skinned. */
static void refused_limbs(void **state) {
  (void)state;
  SupVec3d places[3] = {{0, 0, 0}, {0, 0, LIMB_LENGTH}, {0, 0, 2 * LIMB_LENGTH}};
  Flesh *f = make_flesh(limb_body(2, limb_cylinder, 0), 3, places, true);
  /* A ring drawn the wrong way round: its patches lie far from where the other's are. */
  SupVec3 *moved =
      SUP_COPY(&f->body->arena, SupVec3, f->body->mesh.positions, f->body->mesh.vertex_count);
  for (uint32_t v = 0; v < f->body->mesh.vertex_count; v++) {
    if ((double)moved[v].z > LIMB_LENGTH + 0.5) moved[v].x = -moved[v].x;
  }
  f->character.body.positions = moved;
  SupChunksTrainDef def = flesh_def(f);
  SupChunksTrained t;
  assert_int_equal(sup_chunks_train(&f->body->arena, &def, &t, NULL), SUP_OK);
  check_trained(&f->character, &t);
  assert_int_equal(t.report.refusal_count, 1);
  assert_string_equal(t.report.refusals[0].zone, "zone1");
  assert_non_null(strstr(t.report.refusals[0].reason, "flat or inverted"));
  free_flesh(f);
}

/* A joint beside the bone that moves skin between the rims: a fin on a limb. One on the bone is a
 * twist, and belongs to it. */
static void joints_that_nobody_knows(void **state) {
  (void)state;
  for (uint32_t beside = 0; beside < 2; beside++) {
    const SupVec3d places[3] = {
        {0, 0, 0}, {0, 0, LIMB_LENGTH}, {beside ? 3 : 0, 0, LIMB_LENGTH / 2}};
    Flesh *f = make_flesh(limb_body(1, limb_cylinder, 0), 3, places, true);
    uint32_t *bones = (uint32_t *)f->character.skin.bones;
    for (uint32_t v = 0; v < f->body->mesh.vertex_count; v++) {
      const SupVec3 at = f->body->mesh.positions[v];
      const bool fin = (double)at.x > 0.5 && (double)at.z > 1 && (double)at.z < LIMB_LENGTH - 1;
      bones[v] = fin ? 2 : 0;
    }
    for (uint32_t p = 0; p < f->patches.patch_count; p++) {
      ((SupPatch *)f->patches.patches)[p].zone = "zone0";
    }
    f->plan.zone_count = 1;
    SupChunksTrainDef def = flesh_def(f);
    if (beside) {
      refused(f, &def, "joint 'joint2' moves skin of it");
    } else {
      train(f, &def);
    }
    free_flesh(f);
  }
}

/* A clip that turns the upper half of a ball over: the shell across its middle turns over, too. */
static void shells_that_turn_over(void **state) {
  (void)state;
  static const float times[2] = {0, 1};
  for (uint32_t far = 0; far < 2; far++) {
    Flesh *f = ball();
    uint32_t *bones = (uint32_t *)f->character.skin.bones;
    const SupQuat turn = sup_quat_from_axis_angle((SupVec3){0, 1, 0}, far ? 3 : 0.2f);
    const float values[8] = {0, 0, 0, 1, turn.x, turn.y, turn.z, turn.w};
    const SupTrack track = {.target = 1,
                            .channel = SUP_CHANNEL_ROTATION,
                            .width = 4,
                            .key_count = 2,
                            .times = times,
                            .values = values};
    const SupClip clip = {"flip", 1, 1, &track};
    for (uint32_t v = 0; v < f->body->mesh.vertex_count; v++) {
      const SupVec3 at = f->body->mesh.positions[v];
      bones[v] = at.x + at.z > 0.3F;
    }
    f->said[0].depth = 0.7;
    f->character.clip_count = 1;
    f->character.clips = &clip;
    SupChunksTrainDef def = flesh_def(f);
    if (far) {
      refused(f, &def, "turns over in clip 'flip'");
    } else {
      assert_int_equal(train(f, &def).def.piece_count, 8);
    }
    free_flesh(f);
  }
}

/* The same bits again, with threads, too; and a sentence wherever memory ends. */
static void again_and_memory(void **state) {
  (void)state;
  Flesh *f = limbs(1, limb_waist, 0);
  SupChunksTrainDef def = flesh_def(f);
  SupPool *pool = sup_pool_create(sup_heap_allocator(), 3);
  const SupJobs jobs = sup_pool_jobs(pool);
  const SupChunksTrained a = train(f, &def);
  def.jobs = &jobs;
  const SupChunksTrained b = train(f, &def);
  def.jobs = NULL;
  sup_pool_destroy(pool);
  for (uint32_t p = 0; p < a.def.patch_count; p++) {
    const uint32_t all = a.def.patches[p].vertex_count;
    assert_memory_equal(a.def.patches[p].residuals, b.def.patches[p].residuals,
                        all * sizeof(SupVec3));
    assert_memory_equal(a.def.patches[p].weights, b.def.patches[p].weights,
                        4 * all * sizeof(float));
  }
  const size_t count = 3 * (size_t)a.def.pieces[0].free_count * a.report.pieces[0].column_count;
  assert_memory_equal(a.def.pieces[0].matrix, b.def.pieces[0].matrix, count * sizeof(float));
  uint32_t failed = 0;
  for (size_t limit = 4096; limit < (size_t)1 << 26; limit = limit * 3 / 2) {
    SupArena arena;
    SupChunksTrained t;
    SupError error = {{0}};
    sup_arena_init(&arena, sup_heap_allocator(), limit);
    const SupResult result = sup_chunks_train(&arena, &def, &t, &error);
    if (result != SUP_OK) assert_int_equal(result, SUP_ERROR_MEMORY);
    failed += result != SUP_OK;
    sup_arena_free(&arena);
    if (result == SUP_OK) break;
  }
  assert_true(failed > 3);
  free_flesh(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(two_limbs),
                                     cmocka_unit_test(limbs_follow),
                                     cmocka_unit_test(flesh_of_a_ball),
                                     cmocka_unit_test(settings),
                                     cmocka_unit_test(stiffness),
                                     cmocka_unit_test(shells_by_hand),
                                     cmocka_unit_test(crossings),
                                     cmocka_unit_test(bilinear),
                                     cmocka_unit_test(sentences),
                                     cmocka_unit_test(refused_limbs),
                                     cmocka_unit_test(joints_that_nobody_knows),
                                     cmocka_unit_test(shells_that_turn_over),
                                     cmocka_unit_test(again_and_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
