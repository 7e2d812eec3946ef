/* SPDX-License-Identifier: MIT */
/*
 * An envelope as morph targets that angles drive. Its offsets from plain skinning, in rest space,
 * are taken for a sum of functions of one angle each:
 *
 *   f(pose) ~ sum_a f_a(theta_a),  f_a(theta) = f(pose in which only angle a is not 0)
 *   f_a is sampled; f_a = sum_k target_k weight_k(theta_a) by its singular vectors
 *
 * Those that add most, in the samples and in the character's clips, are kept. What several angles
 * do together is then met as well as the same weights can, by refitting the targets M to poses of
 * the clips, with a pull towards what they were:
 *
 *   min sum_t |f_t - W_t M|^2 + PULL sum_k energy_k^2 |M_k - M_k^0|^2
 *
 * Weights are 0 in the dress pose until they are brought within 0 .. 1, so that nothing moves
 * there.
 */
#include "train/bake/drive.h"
#include "base/scratch.h"
#include "numerics/dense.h"
#include "supple/clip.h"
#include "supple/geom/bounds.h"
#include "supple/pose.h"
#include "train/rest_offsets.h"

#define COOKIE SUP_FOURCC('d', 'r', 'i', 'v')
#define LANES 16
#define PARTS 16       /* of the range of an angle */
#define PART_MORPHS 6  /* targets of one angle, at most */
#define STILL 0.02f    /* radians: an angle that goes no farther drives nothing */
#define LEAST 1e-5     /* of the body's diagonal: what adds less is left out */
#define CLIP_RATE 10   /* poses of clips per second */
#define CLIP_POSES 600 /* of all clips, about */
#define PULL 0.1

typedef struct Driving {
  SupArena *arena;
  const SupDriveDef *def;
  const SupCharacter *character;
  SupEnvelopeView view;
  uint32_t angle_count;
  SupEnvelopeAngle *angles;
  SupError *error;
  uint32_t row; /* 3 * vertices */
  float *roots; /* [vertices] of the areas, sum of squares 1 */
  SupEnvelopeState *state;
  SupPose pose;
  SupAffine *globals, *palette;
  float *lanes;
  SupVec3 *positions, *rest;
  SupDrivenMorph *found;                         /* [found_count]; weights in metres, from 0 */
  float **targets;                               /* [found_count] rows, unit length */
  uint32_t found_count, sample_count, clip_step; /* every so many poses of clips */
  double least;
} Driving;

SupDriveDef sup_drive_def(const SupCharacter *character, const SupModel *envelope) {
  return (SupDriveDef){
      .cookie = COOKIE, .character = character, .envelope = envelope, .morph_count = 64};
}

static SupResult no_memory(const Driving *d) {
  return sup_fail_memory(d->error, "driven morph targets");
}

static SupResult allocate(Driving *d) {
  const SupSkeleton *s = &d->character->skeleton;
  const uint32_t n = d->character->body.vertex_count;
  const size_t most = (size_t)PART_MORPHS * d->angle_count;
  void *block = sup_arena_alloc(d->arena, 1, sup_envelope_bytes(&d->view));
  double *areas = SUP_ALLOC(d->arena, double, n);
  d->row = 3 * n;
  d->roots = SUP_ALLOC(d->arena, float, n);
  d->pose = (SupPose){s->joint_count, sup_transform_identity(),
                      SUP_ALLOC(d->arena, SupTransform, s->joint_count)};
  d->globals = SUP_ALLOC(d->arena, SupAffine, s->joint_count);
  d->palette = SUP_ALLOC(d->arena, SupAffine, s->bone_count);
  d->lanes = SUP_ALLOC(d->arena, float, 3 * LANES * (size_t)d->view.skin.block_count);
  d->positions = SUP_ALLOC(d->arena, SupVec3, n);
  d->rest = SUP_ALLOC(d->arena, SupVec3, n);
  d->found = SUP_ALLOC(d->arena, SupDrivenMorph, most);
  d->targets = SUP_ALLOC(d->arena, float *, most);
  if (!block || !areas || !d->roots || !d->pose.joints || !d->globals || !d->palette || !d->lanes ||
      !d->positions || !d->rest || !d->found || !d->targets) {
    return no_memory(d);
  }
  d->state = sup_envelope_init(&d->view, block);
  sup_vertex_fractions(&d->character->body, areas);
  for (uint32_t v = 0; v < n; v++) d->roots[v] = (float)sup_sqrt(areas[v]);
  return SUP_OK;
}

/* ---- One pose ---------------------------------------------------------------------------------
 */

/* out_row[3 * vertices]: offsets in d->pose, times the roots of the areas. */
static void play(Driving *d, float *out_row) {
  const uint32_t n = d->character->body.vertex_count;
  sup_pose_evaluate(&d->character->skeleton, &d->pose, d->globals, d->palette);
  const SupEnvelopeCall call = {.pose = &d->pose, .palette = d->palette, .positions = d->lanes};
  sup_envelope_shape(&d->view, d->state, sup_backend_cpu(), d->def->jobs, &call);
  for (uint32_t v = 0; v < n; v++) {
    const uint32_t lane = d->view.lanes[v];
    const float *at = d->lanes + 3 * LANES * (size_t)(lane / LANES) + lane % LANES;
    d->positions[v] = (SupVec3){at[0], at[LANES], at[2 * LANES]};
  }
  sup_rest_offsets(d->character, d->palette, d->positions, d->def->jobs, d->rest);
  for (uint32_t v = 0; v < n; v++) {
    const SupVec3 u = sup_vec3_scale(d->rest[v], d->roots[v]);
    out_row[3 * v] = u.x, out_row[3 * v + 1] = u.y, out_row[3 * v + 2] = u.z;
  }
  d->sample_count++;
}

/* ---- One angle --------------------------------------------------------------------------------
 */

/* Target k of an angle: weights are what each sample has of it. */
static SupResult keep(Driving *d, uint32_t angle, uint32_t count, const float *at,
                      const float *rows, const double *vector, double value) {
  float *target = SUP_ALLOC(d->arena, float, d->row);
  float *weights = SUP_ALLOC(d->arena, float, count);
  if (!target || !weights) return no_memory(d);
  const double size = sup_sqrt(value);
  for (uint32_t t = 0; t < count; t++) {
    const float fraction = (float)(vector[t] / size), *row = rows + (size_t)t * d->row;
    weights[t] = at[t] == 0 ? 0 : (float)(vector[t] * size);
    for (uint32_t c = 0; c < d->row; c++) target[c] += fraction * row[c];
  }
  d->targets[d->found_count] = target;
  d->found[d->found_count++] = (SupDrivenMorph){.angle = angle,
                                                .count = count,
                                                .at = at,
                                                .weights = weights,
                                                .energy = sup_sqrt(value / count)};
  return SUP_OK;
}

static SupResult analyse(Driving *d, SupArena *scratch, uint32_t angle, uint32_t count,
                         const float *at, const float *rows) {
  float *products = SUP_ALLOC(scratch, float, (size_t)count *count);
  double *gram = SUP_ALLOC(scratch, double, (size_t)count *count);
  double *values = SUP_ALLOC(scratch, double, count);
  if (!products || !gram || !values) return no_memory(d);
  const SupProduct square = {.b_transposed = true,
                             .rows = (int)count,
                             .columns = (int)count,
                             .inner = (int)d->row,
                             .a_stride = (int)d->row,
                             .b_stride = (int)d->row,
                             .out_stride = (int)count};
  sup_dense_product_f32(&square, rows, rows, products);
  for (size_t k = 0; k < (size_t)count * count; k++) gram[k] = (double)products[k];
  SupResult result = sup_dense_eig_symmetric((int)count, gram, values, d->error);
  for (uint32_t k = 0; k < PART_MORPHS && k < count && result == SUP_OK; k++) {
    const double value = values[count - 1 - k];
    if (!(value > d->least * d->least * count)) break;
    result = keep(d, angle, count, at, rows, gram + (size_t)(count - 1 - k) * count, value);
  }
  return result;
}

static SupResult add_angle(Driving *d, SupArena *scratch, uint32_t angle) {
  const SupEnvelopeAngle *wide = &d->angles[angle];
  const SupEnvelopeAngle *box = angle < d->view.angle_count ? &d->view.angles[angle] : wide;
  if (wide->high - wide->low < STILL) return SUP_OK;
  float *at = SUP_ALLOC(d->arena, float, PARTS + 5);
  float *rows = SUP_ALLOC(scratch, float, (size_t)(PARTS + 5) * d->row);
  if (!at || !rows) return no_memory(d);
  const uint32_t count = sup_drive_places(wide, box, PARTS, at);
  for (uint32_t k = 0; k < count; k++) {
    sup_drive_pose(d->character, d->angle_count, d->angles, angle, at[k], &d->pose);
    play(d, rows + (size_t)k * d->row);
  }
  return analyse(d, scratch, angle, count, at, rows);
}

static SupResult add_angles(Driving *d) {
  SupResult result = SUP_OK;
  for (uint32_t a = 0; a < d->angle_count && result == SUP_OK; a++) {
    SupArena scratch = sup_scratch(d->arena);
    const size_t limit = sup_scratch_charge(d->arena, &scratch);
    result = add_angle(d, &scratch, a);
    d->arena->limit = limit;
    sup_arena_free(&scratch);
  }
  return result;
}

/* ---- The clips --------------------------------------------------------------------------------
 */

typedef struct Visit {
  Driving *d;
  void (*pose)(struct Visit *visit, const float *weights); /* of d->pose */
  uint32_t count;                                          /* poses so far */
  float *weights;                                          /* [found_count] */
  double *sums;                                            /* [found_count] squares of weights */
  double *products, *sides; /* [found_count^2] W^T W, [found_count * row] W^T (f - W M) */
  float *row;
} Visit;

static uint32_t clip_poses(const SupClip *clip) {
  return (uint32_t)(clip->duration * CLIP_RATE) + 1;
}

static void visit_clips(Visit *visit) {
  Driving *d = visit->d;
  const SupDrivenMorphs all = {.angle_count = d->angle_count,
                               .angles = d->angles,
                               .morph_count = d->found_count,
                               .morphs = d->found};
  for (uint32_t k = 0; k < d->character->clip_count; k++) {
    const SupClip *clip = &d->character->clips[k];
    for (uint32_t t = 0; t < clip_poses(clip); t += d->clip_step, visit->count++) {
      sup_pose_rest(&d->character->skeleton, &d->pose);
      sup_clip_sample(clip, (float)t / CLIP_RATE, false, NULL, &d->pose, NULL);
      sup_driven_weights(&all, &d->pose, visit->weights);
      visit->pose(visit, visit->weights);
    }
  }
}

static void add_squares(Visit *visit, const float *weights) {
  for (uint32_t m = 0; m < visit->d->found_count; m++) {
    visit->sums[m] += (double)weights[m] * (double)weights[m];
  }
}

/* Half by what targets add to the samples, half by what they add to the clips. */
static SupResult weigh(Driving *d) {
  Visit visit = {.d = d, .pose = add_squares};
  visit.weights = SUP_ALLOC(d->arena, float, d->found_count);
  visit.sums = SUP_ALLOC(d->arena, double, d->found_count);
  if (!visit.weights || !visit.sums) return no_memory(d);
  uint32_t poses = 0;
  for (uint32_t k = 0; k < d->character->clip_count; k++) {
    poses += clip_poses(&d->character->clips[k]);
  }
  d->clip_step = poses > CLIP_POSES ? (poses + CLIP_POSES - 1) / CLIP_POSES : 1;
  visit_clips(&visit);
  for (uint32_t m = 0; m < d->found_count && visit.count; m++) {
    const double own = d->found[m].energy * d->found[m].energy;
    d->found[m].energy = sup_sqrt((own + visit.sums[m] / visit.count) / 2);
  }
  return SUP_OK;
}

/* The strongest first; of equals the one that was found first. */
static void sort_found(Driving *d) {
  for (uint32_t k = 1; k < d->found_count; k++) {
    const SupDrivenMorph moved = d->found[k];
    float *target = d->targets[k];
    uint32_t at = k;
    for (; at > 0 && d->found[at - 1].energy < moved.energy; at--) {
      d->found[at] = d->found[at - 1];
      d->targets[at] = d->targets[at - 1];
    }
    d->found[at] = moved;
    d->targets[at] = target;
  }
}

/* ---- Targets that meet the clips --------------------------------------------------------------
 */

static void add_pose(Visit *visit, const float *weights) {
  Driving *d = visit->d;
  const uint32_t count = d->found_count, row = d->row;
  play(d, visit->row);
  for (uint32_t m = 0; m < count; m++) {
    for (uint32_t c = 0; c < row && weights[m] != 0; c++) {
      visit->row[c] -= weights[m] * d->targets[m][c];
    }
  }
  for (uint32_t m = 0; m < count; m++) {
    const double w = (double)weights[m];
    double *side = visit->sides + (size_t)m * row;
    for (uint32_t l = 0; l < count; l++) visit->products[m * count + l] += w * (double)weights[l];
    for (uint32_t c = 0; c < row && w != 0; c++) side[c] += w * (double)visit->row[c];
  }
}

/* M += (W^T W + PULL)^-1 W^T (f - W M). */
static SupResult correct(Driving *d, Visit *visit) {
  const uint32_t count = d->found_count;
  double *inverse = SUP_ALLOC(d->arena, double, (size_t)count *count);
  if (!inverse) return no_memory(d);
  for (uint32_t m = 0; m < count; m++) {
    const double energy = d->found[m].energy;
    visit->products[m * count + m] += PULL * visit->count * energy * energy;
    inverse[m * count + m] = 1;
  }
  SupResult result =
      sup_dense_solve_definite((int)count, (int)count, visit->products, inverse, d->error);
  for (uint32_t m = 0; m < count && result == SUP_OK; m++) {
    for (uint32_t l = 0; l < count; l++) {
      const double factor = inverse[(size_t)m * count + l];
      const double *side = visit->sides + (size_t)l * d->row;
      for (uint32_t c = 0; c < d->row; c++) d->targets[m][c] += (float)(factor * side[c]);
    }
  }
  return result;
}

static SupResult meet_clips(Driving *d) {
  const uint32_t count = d->found_count;
  SupArena scratch = sup_scratch(d->arena);
  Visit visit = {.d = d, .pose = add_pose};
  visit.weights = SUP_ALLOC(&scratch, float, count);
  visit.row = SUP_ALLOC(&scratch, float, d->row);
  visit.products = SUP_ALLOC(&scratch, double, (size_t)count *count);
  visit.sides = SUP_ALLOC(&scratch, double, (size_t)count * d->row);
  const bool whole = visit.weights && visit.row && visit.products && visit.sides;
  SupResult result = whole ? SUP_OK : no_memory(d);
  if (whole) visit_clips(&visit);
  if (whole && visit.count) result = correct(d, &visit);
  sup_arena_free(&scratch);
  return result;
}

/* ---- What comes out ---------------------------------------------------------------------------
 */

static SupVec3 offset_of(const Driving *d, const float *target, uint32_t v) {
  const float scale = d->roots[v] > 0 ? 1 / d->roots[v] : 0;
  const float *u = target + 3 * (size_t)v;
  return (SupVec3){scale * u[0], scale * u[1], scale * u[2]};
}

/* Weights from 0 to 1; the least of them goes into the constant target. */
static SupResult bring_within(Driving *d, uint32_t m, SupVec3 *io_constant, SupDrivenMorph *out) {
  const SupDrivenMorph *from = &d->found[m];
  const uint32_t n = d->character->body.vertex_count;
  SupVec3 *offsets = SUP_ALLOC(d->arena, SupVec3, n);
  float *weights = SUP_ALLOC(d->arena, float, from->count);
  float least = from->weights[0], most = least;
  if (!offsets || !weights) return no_memory(d);
  for (uint32_t k = 1; k < from->count; k++) {
    least = from->weights[k] < least ? from->weights[k] : least;
    most = from->weights[k] > most ? from->weights[k] : most;
  }
  const float way = most > least ? most - least : 1;
  for (uint32_t k = 0; k < from->count; k++) weights[k] = (from->weights[k] - least) / way;
  for (uint32_t v = 0; v < n; v++) {
    const SupVec3 offset = offset_of(d, d->targets[m], v);
    offsets[v] = sup_vec3_scale(offset, way);
    io_constant[v] = sup_vec3_add_scaled(io_constant[v], offset, least);
  }
  *out = *from;
  out->offsets = offsets;
  out->weights = weights;
  return SUP_OK;
}

static SupResult finish(Driving *d, SupDrivenMorphs *out) {
  SupVec3 *constant = SUP_ALLOC(d->arena, SupVec3, d->character->body.vertex_count);
  SupDrivenMorph *morphs = SUP_ALLOC(d->arena, SupDrivenMorph, d->found_count + 1);
  if (!constant || !morphs) return no_memory(d);
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < d->found_count && result == SUP_OK; k++) {
    result = bring_within(d, k, constant, &morphs[k + 1]);
  }
  morphs[0] = (SupDrivenMorph){.offsets = constant, .angle = SUP_NONE};
  *out = (SupDrivenMorphs){.angle_count = d->angle_count,
                           .angles = d->angles,
                           .morph_count = d->found_count + 1,
                           .morphs = morphs,
                           .sample_count = d->sample_count};
  return result;
}

SupResult sup_drive_morphs(SupArena *arena, const SupDriveDef *def, SupDrivenMorphs *out,
                           SupError *error) {
  Driving d = {.arena = arena, .def = def, .character = def->character, .error = error};
  if (def->cookie != COOKIE || !def->envelope || def->morph_count < 2) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "driven morph targets: start from sup_drive_def(), with at least two targets");
  }
  const SupMesh *body = &def->character->body;
  d.view = sup_envelope_view(def->envelope);
  d.least = LEAST * (double)sup_bounds_diagonal(sup_bounds(body->positions, body->vertex_count));
  sup_dense_one_thread();
  SupResult result =
      sup_drive_angles(arena, def->character, &d.view, &d.angle_count, &d.angles, error);
  if (result == SUP_OK) result = allocate(&d);
  if (result == SUP_OK) result = add_angles(&d);
  if (result == SUP_OK) result = weigh(&d);
  if (result != SUP_OK) return result;
  sort_found(&d);
  if (d.found_count > def->morph_count - 1) d.found_count = def->morph_count - 1;
  result = d.found_count ? meet_clips(&d) : SUP_OK;
  return result == SUP_OK ? finish(&d, out) : result;
}
