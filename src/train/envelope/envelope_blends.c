/* SPDX-License-Identifier: MIT */
/*
 * Which angles blend the shapes of each control vertex, and which joint it is kept off.
 *
 * Cardinal functions with a constant: [R 1; 1^T 0] a_i = e_i, so that they add up to 1 everywhere.
 * Multiquadrics sqrt(d^2 + sigma^2), which between poses change nearly as evenly as lines and need
 * no width; with a sigma, Gaussian functions as in the thesis (which divides by their sum). Shapes
 * whose angles are the same are merged before: R would be singular.
 */
#include "numerics/dense.h"
#include "train/envelope/envelope_work.h"

#define ROUND 1.0       /* of the widest gap: multiquadrics are round so far around a centre */
#define LEAST 0.25      /* of the nearest distance: multiquadrics are no sharper */
#define BENDS 0.6       /* cosine between axis and bone from which on a turn is a twist */
#define MOST_FACTOR 1e5 /* of a cardinal function */
#define MOST_OFF 1e-6   /* of a cardinal function at an example */
#define MOST_BETWEEN 2  /* of a shape half way between two examples */
#define AT_A_JOINT 0.1  /* s (1 - s), s the part that the joint carries */

/* ---- Off a joint ----------------------------------------------------------------------------- */

static bool below(const SupSkeleton *s, uint32_t joint, uint32_t above) {
  int32_t j = (int32_t)joint;
  while (j > (int32_t)above) j = s->parents[j];
  return j == (int32_t)above;
}

/* The part of a control vertex that a joint and all below it carry. */
static double part_of(const SupEnvelopeLearned *l, uint32_t vertex, uint32_t joint) {
  const SupSkeleton *s = &l->figure.character->skeleton;
  const EnvelopeControl *c = &l->control;
  double sum = 0;
  for (uint32_t k = c->offsets[vertex]; k < c->offsets[vertex + 1]; k++) {
    if (below(s, s->bone_joints[c->bones[k]], joint)) sum += c->weights[k];
  }
  return sum;
}

/* The way from a joint to the middle of its children, or from its parent; bind space. */
static SupVec3d bone_direction(const EnvelopeFigure *f, uint32_t joint) {
  const SupSkeleton *s = &f->character->skeleton;
  const SupVec3d at = sup_affined_translation(f->binds[joint]);
  SupVec3d sum = {0, 0, 0};
  for (uint32_t j = joint + 1; j < s->joint_count; j++) {
    if (s->parents[j] != (int32_t)joint) continue;
    sum = sup_vec3d_add(sum, sup_vec3d_sub(sup_affined_translation(f->binds[j]), at));
  }
  if (!(sup_vec3d_length(sum) > 1e-6 * f->size) && s->parents[joint] >= 0) {
    sum = sup_vec3d_sub(at, sup_affined_translation(f->binds[s->parents[joint]]));
  }
  return sup_vec3d_normalise(sum);
}

static EnvelopeRevision revision_of(const SupEnvelopeLearned *l, uint32_t vertex) {
  EnvelopeRevision best = {.bone = SUP_NONE};
  double most = AT_A_JOINT, widest = 0;
  for (uint32_t a = 0; a < l->angles.count; a++) {
    const EnvelopeAngle *angle = &l->angles.angles[a];
    const uint32_t bone = angle->joint == SUP_NONE ? SUP_NONE : l->figure.bones[angle->joint];
    if (bone == SUP_NONE) continue;
    const double part = part_of(l, vertex, angle->joint), ring = part * (1 - part);
    const double wide = angle->high - angle->low;
    if (ring < most || (ring <= most && wide <= widest)) continue;
    const SupAffined bind = l->figure.binds[angle->joint];
    const SupVec3d axis =
        sup_vec3d_normalise(sup_affined_direction(bind, sup_vec3_to_double(angle->axis)));
    const double along = sup_vec3d_dot(axis, bone_direction(&l->figure, angle->joint));
    most = ring, widest = wide;
    best = (EnvelopeRevision){bone, sup_affined_translation(bind), axis, a, 0};
    if (along < BENDS && along > -BENDS) best.strength = l->settings.revision * 4 * ring;
  }
  return best;
}

SupResult sup_envelope_revise(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  EnvelopeControl *c = &l->control;
  c->revisions = SUP_ALLOC(w->arena, EnvelopeRevision, c->count);
  if (!c->revisions) return sup_fail_memory(w->error, "envelope");
  for (uint32_t v = 0; v < c->count; v++) {
    c->revisions[v] = l->settings.revise ? revision_of(l, v) : (EnvelopeRevision){.bone = SUP_NONE};
  }
  return SUP_OK;
}

/* ---- One blend ------------------------------------------------------------------------------- */

static double apart(const void *user, uint32_t i, uint32_t j) {
  const EnvelopeBlend *b = user;
  double square = 0;
  for (uint32_t k = 0; k < b->angle_count; k++) {
    const double d = b->centres[i * b->angle_count + k] - b->centres[j * b->angle_count + k];
    square += d * d;
  }
  return sup_sqrt(square);
}

static double nearest_distance(const EnvelopeBlend *b, double most) {
  double least = most;
  for (uint32_t i = 0; i < b->centre_count; i++) {
    for (uint32_t j = 0; j < i; j++) {
      const double distance = apart(b, i, j);
      if (distance < least) least = distance;
    }
  }
  return least;
}

static SupResult solve_cardinal(EnvelopeWork *w, EnvelopeBlend *b) {
  const size_t n = b->centre_count, size = n + 1;
  double *a = SUP_ALLOC(w->scratch, double, size *size);
  double *x = SUP_ALLOC(w->scratch, double, size *n);
  if (!a || !x) return sup_fail_memory(w->error, "envelope");
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t j = i; j < n; j++) {
      const double distance = apart(b, i, j);
      a[i * size + j] = sup_envelope_near(b, distance * distance);
    }
    a[i * size + n] = 1;
    x[i * size + i] = 1;
  }
  const SupResult result = sup_dense_solve_symmetric(w->scratch, (int)size, (int)n, a, x, w->error);
  /* x has function i in column i: by function, as it is kept. */
  if (result == SUP_OK) sup_copy(b->cardinal, x, n * size * sizeof *x);
  return result;
}

/* Whether the functions are 1 at their own examples and 0 at the others, and do not owe that to
 * factors that cancel: such functions swing far out between the examples. */
static bool is_cardinal(const EnvelopeBlend *b) {
  const uint32_t n = b->centre_count;
  double omegas[SUP_ENVELOPE_EXAMPLES_MAX + 1];
  for (size_t k = 0; k < (size_t)n * (n + 1); k++) {
    if (!(b->cardinal[k] < MOST_FACTOR && b->cardinal[k] > -MOST_FACTOR)) return false;
  }
  for (uint32_t j = 0; j < n; j++) {
    sup_envelope_blend_weights(b, b->centres + (size_t)j * b->angle_count, omegas);
    for (uint32_t i = 0; i < n; i++) {
      const double off = omegas[i] - (i == j);
      if (!(off < MOST_OFF && off > -MOST_OFF)) return false;
    }
  }
  return true;
}

/* Whether no shape counts for much more than itself half way between two centres. */
static bool is_calm(const EnvelopeBlend *b) {
  const uint32_t n = b->centre_count, m = b->angle_count;
  double omegas[SUP_ENVELOPE_EXAMPLES_MAX + 1], middle[SUP_ENVELOPE_TURNS_MAX];
  for (uint32_t pair = 0; pair < n * n; pair++) {
    const double *one = b->centres + (size_t)(pair / n) * m;
    const double *other = b->centres + (size_t)(pair % n) * m;
    if (pair / n <= pair % n) continue;
    for (uint32_t k = 0; k < m; k++) middle[k] = (one[k] + other[k]) / 2;
    sup_envelope_blend_weights(b, middle, omegas);
    for (uint32_t i = 0; i < n; i++) {
      if (!(omegas[i] < MOST_BETWEEN && omegas[i] > -MOST_BETWEEN)) return false;
    }
  }
  return true;
}

/* A sigma as the run time has it: the inverse of a float. */
static double playable(double sigma) { return 1 / (double)(float)(1 / sigma); }

/* Wide functions of many examples are nearly the same function: halves sigma until they can be told
 * apart. Round multiquadrics swing out in a gap beside examples that are close together: the same.
 */
static SupResult fit_cardinal(EnvelopeWork *w, EnvelopeBlend *b) {
  const bool gaussian = b->sigma > 0;
  const double wanted = gaussian ? b->sigma : -b->sigma;
  const double least = (gaussian ? 1 : LEAST) * nearest_distance(b, wanted);
  const size_t n = b->centre_count;
  b->cardinal = SUP_ALLOC(w->arena, double, n *(n + 1));
  if (!b->cardinal) return sup_fail_memory(w->error, "envelope");
  for (double sigma = wanted;; sigma = sigma / 2 > least ? sigma / 2 : least) {
    b->sigma = playable(gaussian ? sigma : -sigma);
    const SupResult result = solve_cardinal(w, b);
    b->narrowed = gaussian && sigma < wanted;
    if (sigma <= least || result == SUP_ERROR_MEMORY) return result;
    if (result == SUP_OK && is_cardinal(b) && (gaussian || is_calm(b))) return SUP_OK;
  }
}

/* The dress shape keeps its posture to itself; other shapes of one posture share it. */
static void share_out(EnvelopeBlend *b, uint32_t shape_count, const uint32_t *first) {
  for (uint32_t i = 0; i < shape_count; i++) {
    uint32_t alike = 0;
    for (uint32_t j = 0; j < shape_count; j++) {
      alike += b->centre_of_shape[j] == b->centre_of_shape[i];
    }
    const bool dress = first[b->centre_of_shape[i]] == 0;
    b->share_of_shape[i] = dress ? (i == 0) : 1.0 / alike;
  }
}

static SupResult make_blend(EnvelopeWork *w, uint32_t count, const uint32_t *chosen,
                            EnvelopeBlend *b) {
  SupEnvelopeLearned *l = w->learned;
  const uint32_t shapes = l->figure.shape_count;
  uint8_t used[SUP_ENVELOPE_EXAMPLES_MAX + 1];
  uint32_t first[SUP_ENVELOPE_EXAMPLES_MAX + 1];
  *b = (EnvelopeBlend){.angle_count = count};
  for (uint32_t k = 0; k < count; k++) b->angles[k] = chosen[k];
  for (uint32_t i = 0; i < shapes; i++) used[i] = 1;
  b->centre_of_shape = SUP_ALLOC(w->arena, uint32_t, shapes);
  b->share_of_shape = SUP_ALLOC(w->arena, double, shapes);
  b->centres = SUP_ALLOC(w->arena, double, (size_t)shapes *(count ? count : 1));
  if (!b->centre_of_shape || !b->share_of_shape || !b->centres) {
    return sup_fail_memory(w->error, "envelope");
  }
  b->centre_count =
      sup_envelope_postures(&l->angles, shapes, used, count, chosen, b->centre_of_shape, first);
  for (uint32_t i = 0; i < b->centre_count; i++) {
    for (uint32_t k = 0; k < count; k++) {
      b->centres[i * count + k] = (double)(float)l->angles.angles[chosen[k]].values[first[i]];
    }
  }
  share_out(b, shapes, first);
  const double gap = sup_envelope_widest_gap(b->centre_count, apart, b);
  b->sigma = l->settings.sigma > 0 ? l->settings.sigma : -ROUND * (gap > 0 ? gap : 1);
  return fit_cardinal(w, b);
}

/* ---- All of them ----------------------------------------------------------------------------- */

typedef struct Choosing {
  EnvelopeWork *work;
  double *weights; /* [bone_count] */
  double *moves;   /* [shape_count] */
  uint8_t *used;
  uint32_t *pairs; /* [shape_count * shape_count] control vertices that two shapes look alike to */
} Choosing;

static uint32_t choose(const Choosing *c, uint32_t vertex, uint32_t *out_angles) {
  const SupEnvelopeLearned *l = c->work->learned;
  const EnvelopeControl *mesh = &l->control;
  const uint32_t shapes = l->figure.shape_count;
  double most = 0;
  for (uint32_t b = 0; b < l->figure.character->skeleton.bone_count; b++) c->weights[b] = 0;
  for (uint32_t k = mesh->offsets[vertex]; k < mesh->offsets[vertex + 1]; k++) {
    c->weights[mesh->bones[k]] = mesh->weights[k];
  }
  for (uint32_t i = 1; i < shapes; i++) {
    const SupVec3d plain = sup_envelope_revised(l, vertex, 0, i);
    c->moves[i] = sup_vec3d_distance(plain, mesh->shapes[(size_t)i * mesh->count + vertex]);
    if (c->moves[i] > most) most = c->moves[i];
  }
  const double least = ENVELOPE_SLIGHT * most, still = ENVELOPE_STILL * l->figure.size;
  for (uint32_t i = 1; i < shapes; i++) {
    if (!(c->moves[i] > least && c->moves[i] > still)) c->moves[i] = 0;
  }
  const EnvelopeChoice choice = {&l->figure, &l->angles, c->weights, c->moves, c->used};
  return sup_envelope_choose(c->work->scratch, &choice, out_angles);
}

static void count_alike(const Choosing *c, const EnvelopeBlend *b) {
  const uint32_t shapes = c->work->learned->figure.shape_count;
  for (uint32_t i = 1; i < shapes; i++) {
    for (uint32_t j = 0; j < i && c->moves[i] > 0; j++) {
      if (b->centre_of_shape[i] == b->centre_of_shape[j]) c->pairs[i * shapes + j]++;
    }
  }
}

static void tell_alike(const Choosing *c) {
  const SupEnvelopeLearned *l = c->work->learned;
  const uint32_t shapes = l->figure.shape_count;
  for (uint32_t i = 1; i < shapes; i++) {
    for (uint32_t j = 0; j < i; j++) {
      const uint32_t count = c->pairs[i * shapes + j];
      const char *name = l->settings.examples[i - 1].name;
      if (count && j == 0) {
        sup_envelope_note(c->work,
                          "example '%s' has the dress pose for %u of %u control vertices and does "
                          "not count there",
                          name, count, l->control.count);
      } else if (count) {
        sup_envelope_note(c->work,
                          "examples '%s' and '%s' have one pose for %u of %u control vertices and "
                          "are averaged there",
                          l->settings.examples[j - 1].name, name, count, l->control.count);
      }
    }
  }
}

static void tell_narrowed(EnvelopeWork *w) {
  const EnvelopeControl *c = &w->learned->control;
  const EnvelopeBlend *narrowest = NULL;
  for (uint32_t b = 0; b < c->blend_count; b++) {
    if (!c->list[b].narrowed) continue;
    if (!narrowest || c->list[b].sigma < narrowest->sigma) narrowest = &c->list[b];
  }
  if (!narrowest) return;
  sup_envelope_note(w,
                    "%u poses are so near to each other that they are blended with a smaller sigma "
                    "than the given one: down to %.3g",
                    narrowest->centre_count, narrowest->sigma);
}

static bool same_angles(const EnvelopeBlend *b, uint32_t count, const uint32_t *chosen) {
  if (b->angle_count != count) return false;
  for (uint32_t k = 0; k < count; k++) {
    if (b->angles[k] != chosen[k]) return false;
  }
  return true;
}

static void sort_angles(uint32_t count, uint32_t *io) {
  for (uint32_t i = 1; i < count; i++) {
    for (uint32_t k = i; k > 0 && io[k] < io[k - 1]; k--) {
      const uint32_t swapped = io[k];
      io[k] = io[k - 1], io[k - 1] = swapped;
    }
  }
}

static SupResult prepare(EnvelopeWork *w, Choosing *out) {
  const SupEnvelopeLearned *l = w->learned;
  const uint32_t shapes = l->figure.shape_count;
  *out = (Choosing){w, SUP_ALLOC(w->scratch, double, l->figure.character->skeleton.bone_count),
                    SUP_ALLOC(w->scratch, double, shapes), SUP_ALLOC(w->scratch, uint8_t, shapes),
                    SUP_ALLOC(w->scratch, uint32_t, (size_t)shapes * shapes)};
  if (!out->weights || !out->moves || !out->used || !out->pairs) {
    return sup_fail_memory(w->error, "envelope");
  }
  for (uint32_t i = 0; i < shapes; i++) out->used[i] = 1;
  return SUP_OK;
}

/* The blend of a vertex: one of the list, or a new one in its place behind them. */
static SupResult blend_vertex(const Choosing *choosing, uint32_t v) {
  EnvelopeWork *w = choosing->work;
  EnvelopeControl *c = &w->learned->control;
  uint32_t chosen[SUP_ENVELOPE_TURNS_MAX], b = 0;
  const uint32_t count = choose(choosing, v, chosen);
  if (count == SUP_NONE) return sup_fail_memory(w->error, "envelope");
  sort_angles(count, chosen);
  while (b < c->blend_count && !same_angles(&c->list[b], count, chosen)) b++;
  if (b == c->blend_count) {
    SupResult result = make_blend(w, count, chosen, &c->list[b]);
    if (result != SUP_OK) return result;
    c->blend_count++;
  }
  c->blends[v] = b;
  count_alike(choosing, &c->list[b]);
  return SUP_OK;
}

SupResult sup_envelope_blends(EnvelopeWork *w) {
  EnvelopeControl *c = &w->learned->control;
  Choosing choosing;
  SupResult result = prepare(w, &choosing);
  c->blends = SUP_ALLOC(w->arena, uint32_t, c->count);
  c->list = SUP_ALLOC(w->arena, EnvelopeBlend, c->count);
  if (!c->blends || !c->list) return sup_fail_memory(w->error, "envelope");
  for (uint32_t v = 0; v < c->count && result == SUP_OK; v++) result = blend_vertex(&choosing, v);
  if (result != SUP_OK) return result;
  tell_alike(&choosing);
  tell_narrowed(w);
  return SUP_OK;
}

SupResult sup_envelope_blend_edited(EnvelopeWork *w, uint32_t count, const uint32_t *vertices) {
  Choosing choosing;
  SupResult result = prepare(w, &choosing);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = blend_vertex(&choosing, vertices[k]);
  }
  return result;
}
