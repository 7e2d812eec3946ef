/* SPDX-License-Identifier: MIT */
/*
 * Popping from pairs of shapes, after Son and Han, "Dynamic Skinning for Popping Dance".
 *
 *   both shapes of a pair in rest space, by undoing the bones     unpose
 *   between poses: cardinal weights w_k, w_k(pose i) = 1 for i = k and 0 otherwise, of radial
 *     functions 1 / (1 + (d / width)^2) and a constant            interpolate
 *   alpha = 1 + (softest - 1) distance / largest distance (Eq. 3) find_swing
 *
 * The sum of the weights is 1 in every pose. Departures: with several pairs the largest distance
 * of a vertex over all of them counts; where nothing bulges (a division by zero as printed) alpha
 * is 1.
 */
#include "supple/train/popping.h"

#include <math.h>

#include "base/scratch.h"
#include "numerics/dense.h"
#include "supple/geom/bounds.h"
#include "supple/pose.h"
#include "train/drivers.h"
#include "train/rest_offsets.h"

#define COOKIE SUP_FOURCC('p', 'p', 't', 'r')
#define RATE 60.0     /* steps per second that alpha means */
#define STIFFEST 0.99 /* damping ratio where nothing bulges, with a frequency */
#define BEYOND 0.5f   /* how far weights go beyond 0 and 1 */
#define LONGEST 1.5   /* an offset at most, in lengths of what was seen of it */

typedef struct Job {
  const SupPoppingTrainDef *def;
  SupArena *arena;  /* scratch */
  SupSamples poses; /* the poses of the pairs */
  SupCorrectivesView reader;
  SupVec3 *relaxed, *bulges; /* [pairs * B] rest space */
  double *matrix;
  float *centres, *limits;
  double *keep, *pull; /* [B] */
  double *sizes;       /* [B] how far each vertex bulges at most, in its pose */
  SupPoppingTrainReport report;
} Job;

SupPoppingTrainDef sup_popping_train_def(const SupCharacter *character) {
  SupPoppingTimes times = sup_popping_def().times;
  times.still = 0;
  return (SupPoppingTrainDef){.cookie = COOKIE,
                              .character = character,
                              .softest = 0.25,
                              .damping = 0.15,
                              .h = 1 / RATE,
                              .times = times};
}

static SupResult check(const SupPoppingTrainDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "popping: start from sup_popping_train_def()");
  }
  if (def->character->skeleton.bone_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "the character has no skin; bind it to a skeleton first");
  }
  if (def->pair_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "popping: no pair of shapes to build from");
  }
  if (!(def->softest > 0 && def->softest <= 1 && def->frequency >= 0 && def->damping > 0 &&
        def->damping < 1 && def->h > 0 && def->h <= 0.1)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "popping: a setting is out of range");
  }
  if (def->frequency * def->h >= 0.4) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%g Hz is too fast for %g steps per second; give a higher rate", def->frequency,
                    1 / def->h);
  }
  const uint32_t n = def->character->body.vertex_count;
  for (uint32_t k = 0; k < def->pair_count; k++) {
    const SupVec3 *shapes[2] = {def->pairs[k].relaxed, def->pairs[k].clenched};
    for (int s = 0; s < 2; s++) {
      for (uint32_t v = 0; shapes[s] && v < n; v++) {
        const SupVec3 p = shapes[s][v];
        if (isfinite(p.x) && isfinite(p.y) && isfinite(p.z)) continue;
        return sup_fail(error, SUP_ERROR_FORMAT,
                        "popping: the position of vertex %u in pair %u is not finite", v, k + 1);
      }
    }
  }
  return SUP_OK;
}

/* ---- Rest space -------------------------------------------------------------------------------
 */

static SupResult list_poses(Job *job, SupError *error) {
  const SupPoppingTrainDef *def = job->def;
  const SupSkeleton *skeleton = &def->character->skeleton;
  const uint32_t joints = skeleton->joint_count;
  SupTransform *poses = SUP_ALLOC(job->arena, SupTransform, (size_t)def->pair_count * joints);
  if (!poses) return sup_fail_memory(error, "popping");
  for (uint32_t k = 0; k < def->pair_count; k++) {
    const SupTransform *from = def->pairs[k].pose ? def->pairs[k].pose : skeleton->rest;
    for (uint32_t j = 0; j < joints; j++) poses[(size_t)k * joints + j] = from[j];
  }
  job->poses =
      (SupSamples){.fps = 1, .frame_count = def->pair_count, .joint_count = joints, .poses = poses};
  return SUP_OK;
}

static SupPose pair_pose(const Job *job, uint32_t k) {
  const SupTransform *joints = job->poses.poses + (size_t)k * job->poses.joint_count;
  return (SupPose){job->poses.joint_count, sup_transform_identity(),
                   (SupTransform *)(uintptr_t)joints};
}

/* Where an offset takes a vertex, and how far that is from where it should be. */
static double miss(const SupCharacter *character, const SupAffine *palette, uint32_t v,
                   SupVec3 offset, SupVec3 wanted) {
  const SupSkin *skin = &character->skin;
  const SupVec3d rest = sup_vec3_to_double(sup_vec3_add(character->body.positions[v], offset));
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    SupAffined m;
    for (int i = 0; i < 12; i++) m.m[i] = (double)palette[skin->bones[k]].m[i];
    sum = sup_vec3d_add_scaled(sum, sup_affined_point(m, rest), (double)skin->weights[k]);
  }
  return sup_vec3d_distance(sum, sup_vec3_to_double(wanted));
}

static void unpose_shape(Job *job, const SupAffine *palette, const SupVec3 *shape, bool offsets,
                         SupVec3 *out) {
  const SupCharacter *character = job->def->character;
  const uint32_t n = character->body.vertex_count;
  if (!shape || offsets) {
    const SupVec3 none = {0, 0, 0};
    for (uint32_t v = 0; v < n; v++) out[v] = shape ? shape[v] : none;
    return;
  }
  sup_rest_offsets(character, palette, shape, job->def->jobs, out);
  for (uint32_t v = 0; v < n; v++) {
    job->report.left = fmax(job->report.left, miss(character, palette, v, out[v], shape[v]));
  }
}

/* How much of a vertex is muscle. */
static double muscle_at(const SupPoppingTrainDef *def, uint32_t v) {
  double sum = def->group_count ? 0 : 1;
  for (uint32_t g = 0; g < def->group_count; g++) {
    const float *values = def->groups[g].values;
    sum += values ? (double)values[v] : 1;
  }
  return fmin(1, sum);
}

/* How much longer than in rest space the bones make an offset that they only turn. */
static double size_of(const SupCharacter *character, const SupAffine *palette, uint32_t v) {
  const SupSkin *skin = &character->skin;
  uint32_t heaviest = skin->offsets[v];
  for (uint32_t k = heaviest; k < skin->offsets[v + 1]; k++) {
    if (skin->weights[k] > skin->weights[heaviest]) heaviest = k;
  }
  SupMat3d linear;
  for (int i = 0; i < 9; i++) linear.m[i] = (double)palette[skin->bones[heaviest]].m[i];
  return cbrt(fabs(sup_mat3d_determinant(linear)));
}

/* Where blended bones have all but folded, undoing them makes a long offset out of a small bulge,
 * which another pose would show: no offset is much longer than what was seen of it. Returns how
 * far the vertex was seen to move, in body units. */
static double tame(double seen, double size, SupVec3 *io_bulge) {
  const double length = sup_vec3d_length(sup_vec3_to_double(*io_bulge));
  if (!(size > 0)) return length;
  const double most = LONGEST * seen / size;
  if (length > most) *io_bulge = sup_vec3_scale(*io_bulge, (float)(most / length));
  return seen / size;
}

static SupResult unpose(Job *job, SupError *error) {
  const SupPoppingTrainDef *def = job->def;
  const SupSkeleton *skeleton = &def->character->skeleton;
  const size_t n = def->character->body.vertex_count;
  SupAffine *globals = SUP_ALLOC(job->arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(job->arena, SupAffine, skeleton->bone_count);
  job->relaxed = SUP_ALLOC(job->arena, SupVec3, def->pair_count * n);
  job->bulges = SUP_ALLOC(job->arena, SupVec3, def->pair_count * n);
  job->sizes = SUP_ALLOC(job->arena, double, n);
  if (!globals || !palette || !job->relaxed || !job->bulges || !job->sizes) {
    return sup_fail_memory(error, "popping");
  }
  for (uint32_t k = 0; k < def->pair_count; k++) {
    const SupPoppingPair *pair = &def->pairs[k];
    const SupPose pose = pair_pose(job, k);
    SupVec3 *relaxed = job->relaxed + k * n, *bulge = job->bulges + k * n;
    sup_pose_evaluate(skeleton, &pose, globals, palette);
    unpose_shape(job, palette, pair->relaxed, pair->offsets, relaxed);
    unpose_shape(job, palette, pair->clenched, pair->offsets, bulge);
    for (uint32_t v = 0; v < n; v++) {
      bulge[v] = sup_vec3_sub(bulge[v], relaxed[v]);
      double seen = sup_vec3d_length(sup_vec3_to_double(bulge[v]));
      if (!pair->offsets && pair->relaxed) {
        seen = tame((double)sup_vec3_distance(pair->clenched[v], pair->relaxed[v]),
                    size_of(def->character, palette, v), &bulge[v]);
      }
      job->sizes[v] = fmax(job->sizes[v], seen * muscle_at(def, v));
    }
  }
  return SUP_OK;
}

/* ---- Between poses -------------------------------------------------------------------------
 */

static double distance(const float *a, const float *b, uint32_t width) {
  double sum = 0;
  for (uint32_t i = 0; i < width; i++) {
    const double d = (double)a[i] - (double)b[i];
    sum += d * d;
  }
  return sqrt(sum);
}

/* The joints' numbers of every pose, and as wide as it is far to the next one, twice. */
static SupResult place_centres(Job *job, SupError *error) {
  const uint32_t count = job->def->pair_count, width = 9 * job->reader.driver_count;
  float *row = SUP_ALLOC(job->arena, float, (size_t)1 + width + count);
  job->centres = SUP_ALLOC(job->arena, float, (size_t)count *(1 + width));
  if (!row || !job->centres) return sup_fail_memory(error, "popping");
  SupCorrectivesView reader = job->reader;
  reader.centre_count = 0;
  for (uint32_t k = 0; k < count; k++) {
    const SupPose pose = pair_pose(job, k);
    sup_correctives_read(&reader, &pose, NULL, (SupVec3){0, 0, 0}, row);
    for (uint32_t i = 0; i < width; i++) job->centres[(size_t)k * (1 + width) + 1 + i] = row[1 + i];
  }
  for (uint32_t k = 0; k < count; k++) {
    float *centre = job->centres + (size_t)k * (1 + width);
    double near = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
      const float *other = job->centres + (size_t)i * (1 + width);
      if (i != k) near = fmin(near, distance(centre + 1, other + 1, width));
    }
    if (near < 1e-3) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "popping: pair %u shows the pose of another pair; give every pose once",
                      k + 1);
    }
    centre[0] = (float)(0.5 / near);
  }
  job->reader.centre_count = count;
  job->reader.centres = job->centres;
  return SUP_OK;
}

/* One row per pair: the constant, nothing of the joints themselves, the radial functions. */
static SupResult solve_weights(Job *job, SupError *error) {
  const uint32_t count = job->def->pair_count, n = count + 1;
  const uint32_t features = sup_correctives_features(&job->reader), first = features - count;
  double *a = SUP_ALLOC(job->arena, double, (size_t)n *n);
  double *b = SUP_ALLOC(job->arena, double, (size_t)n *count);
  float *row = SUP_ALLOC(job->arena, float, features);
  if (!a || !b || !row) return sup_fail_memory(error, "popping");
  for (uint32_t i = 0; i < count; i++) {
    const SupPose pose = pair_pose(job, i);
    sup_correctives_read(&job->reader, &pose, NULL, (SupVec3){0, 0, 0}, row);
    for (uint32_t k = 0; k < count; k++) a[(size_t)k * n + i] = (double)row[first + k];
    a[(size_t)i * n + count] = a[(size_t)count * n + i] = 1;
    b[(size_t)i * n + i] = 1;
  }
  SupResult result = sup_dense_solve(job->arena, (int)n, (int)count, a, b, error);
  if (result) return result;
  for (uint32_t k = 0; k < count; k++) {
    double *to = job->matrix + (size_t)k * features;
    to[0] = b[(size_t)k * n + count];
    for (uint32_t i = 0; i < count; i++) to[first + i] = b[(size_t)k * n + i];
    job->limits[2 * k] = -BEYOND;
    job->limits[2 * k + 1] = 1 + BEYOND;
  }
  return SUP_OK;
}

static SupResult interpolate(Job *job, SupError *error) {
  const SupCharacter *character = job->def->character;
  const uint32_t count = job->def->pair_count;
  uint32_t *drivers, driver_count;
  SupQuat *rest;
  SupResult result = sup_find_drivers(job->arena, character, 1, &job->poses, &drivers, &rest,
                                      &driver_count, error);
  if (result) return result;
  job->reader = (SupCorrectivesView){.component_count = count,
                                     .joint_count = character->skeleton.joint_count,
                                     .driver_count = driver_count,
                                     .drivers = drivers,
                                     .rest = rest};
  job->report.driver_count = driver_count;
  job->matrix = SUP_ALLOC(job->arena, double, (size_t)count *(1 + 9 * driver_count + count));
  job->limits = SUP_ALLOC(job->arena, float, 2 * (size_t)count);
  if (!job->matrix || !job->limits) return sup_fail_memory(error, "popping");
  if (count == 1) {
    job->matrix[0] = 1;
    job->limits[0] = job->limits[1] = 1;
    job->reader.driver_count = job->report.driver_count = 0;
    return SUP_OK;
  }
  result = place_centres(job, error);
  return result ? result : solve_weights(job, error);
}

/* ---- Swing ------------------------------------------------------------------------------------
 */

static SupPoppingSwing swing_of(const SupPoppingTrainDef *def, uint32_t v, double fraction) {
  if (def->frequency > 0) {
    return sup_popping_swing_hz(def->frequency, STIFFEST + (def->damping - STIFFEST) * fraction,
                                def->h);
  }
  double alpha = 1 + (def->softest - 1) * fraction;
  if (def->stiff) alpha = fmin(1, fmax(0.01, (double)def->stiff[v]));
  return sup_popping_swing_rate(sup_popping_swing_stiff(alpha), def->h * RATE);
}

static SupResult find_swing(Job *job, SupError *error) {
  const SupPoppingTrainDef *def = job->def;
  const size_t n = def->character->body.vertex_count;
  job->keep = SUP_ALLOC(job->arena, double, n);
  job->pull = SUP_ALLOC(job->arena, double, n);
  if (!job->keep || !job->pull) return sup_fail_memory(error, "popping");
  double most = 0;
  size_t belly = 0;
  for (size_t v = 0; v < n; v++) {
    if (job->sizes[v] > most) belly = v;
    most = fmax(most, job->sizes[v]);
  }
  for (uint32_t v = 0; v < n; v++) {
    const double fraction = most > 0 ? job->sizes[v] / most : 0;
    const SupPoppingSwing swing = swing_of(def, v, fraction);
    job->keep[v] = swing.keep;
    job->pull[v] = swing.pull;
    job->report.moving += fraction > 1e-3;
  }
  job->report.bulge = most;
  sup_popping_swing_read((SupPoppingSwing){job->keep[belly], job->pull[belly]}, def->h,
                         &job->report.frequency, &job->report.damping);
  return SUP_OK;
}

/* The contraction that no longer shows: a ten-thousandth of the height, as a fraction. */
static float still_fraction(const Job *job) {
  const SupMesh *body = &job->def->character->body;
  const SupBounds box = sup_bounds(body->positions, body->vertex_count);
  const double height = (double)sup_bounds_diagonal(box) / sqrt(3.0);
  const double fraction = job->report.bulge > 0 ? 1e-4 * height / job->report.bulge : 1;
  return (float)fmin(0.05, fmax(1e-4, fraction));
}

/* ---- All together ---------------------------------------------------------------------------- */

static SupResult pack(SupArena *arena, Job *job, SupModel **out_model, SupError *error) {
  const SupPoppingTrainDef *def = job->def;
  SupPoppingDef to = sup_popping_def();
  to.poses.component_count = def->pair_count;
  to.poses.shapes = job->relaxed;
  to.poses.driver_count = job->reader.driver_count;
  to.poses.drivers = job->reader.drivers;
  to.poses.centre_count = job->reader.centre_count;
  to.poses.centres = job->reader.centres;
  to.poses.matrix = job->matrix;
  to.poses.limits = job->limits;
  to.bulges = job->bulges;
  to.keep = job->keep;
  to.pull = job->pull;
  to.h = def->h;
  to.times = def->times;
  if (!(to.times.still > 0)) to.times.still = still_fraction(job);
  to.group_count = def->group_count;
  to.groups = def->groups;
  return sup_popping_pack(arena, def->character, &to, out_model, error);
}

SupResult sup_popping_train(SupArena *arena, const SupPoppingTrainDef *def, SupModel **out_model,
                            SupPoppingTrainReport *out_report, SupError *error) {
  SupResult result = check(def, error);
  if (result) return result;
  SupArena scratch = sup_scratch(arena);
  Job job = {.def = def, .arena = &scratch};
  job.report.pair_count = def->pair_count;
  job.report.group_count = def->group_count ? def->group_count : 1;
  sup_dense_one_thread();
  result = list_poses(&job, error);
  if (!result) result = unpose(&job, error);
  if (!result) result = interpolate(&job, error);
  if (!result) result = find_swing(&job, error);
  if (!result) result = pack(arena, &job, out_model, error);
  if (!result) *out_report = job.report;
  sup_arena_free(&scratch);
  return result;
}
