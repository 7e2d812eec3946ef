/* SPDX-License-Identifier: MIT */
/*
 * The residual functions: what the examples have beside the layered model, over the place in the
 * chart and a few angles.
 *
 *   d_i^j = Mrot_j^T (p_i^j - q_i^j)   with the control mesh of the layered model in posture j
 *   psi(uv_i, xi^j) = d_i^j - d_i^1                                    (Guo 2007, 3.20 to 3.22)
 *
 * psi is r^2 ln r (3.9) or r^3 with a linear polynomial over (u, v, levels). Levels are the angles
 * in the affine hull of the examples, times a scale: in directions that the examples do not span
 * the polynomial would have no coefficient. With d^1 in place of the printed d^l, which counts psi
 * twice (GUO-E13).
 */
#include "numerics/dense.h"
#include "train/envelope/envelope_work.h"

#define MOST_CENTRES 12000u /* a dense system of 1.1 GB */
#define SPANNED 0.005       /* singular value, radians, of a direction in which postures differ */
#define CONTRADICTION 8     /* times the median change per radian */

/* How many patches cannot tell two shapes apart, and the first of them. */
typedef struct Alike {
  uint32_t count;
  const char *patch;
} Alike;

typedef struct Fitting {
  EnvelopeWork *work;
  const SupVec3d *controls; /* [shape_count * control count] of the layered model */
  double *weights;          /* [bone_count] */
  double *moves;            /* [shape_count] RMS displacement */
  uint8_t *used;            /* [shape_count] */
  double *shifts;           /* [shape_count * 3 count] of the present patch */
  Alike *alike;             /* [shape_count * shape_count] */
} Fitting;

static const char *shape_name(const SupEnvelopeLearned *l, uint32_t shape) {
  return shape ? l->settings.examples[shape - 1].name : "the dress shape";
}

/* ---- What the layered model leaves ----------------------------------------------------------- */

static double measure(const Fitting *f, EnvelopePatch *p, uint32_t shape) {
  const SupEnvelopeLearned *l = f->work->learned;
  const SupVec3d *control = f->controls + (size_t)shape * l->control.count;
  const SupMat3d back = sup_mat3d_transpose(sup_envelope_face_frame(p, control));
  double *to = f->shifts + (size_t)shape * 3 * p->count, sum = 0;
  for (uint32_t v = 0; v < p->count; v++) {
    const SupVec3d from = sup_envelope_on_face(p, control, v);
    const SupVec3d at = sup_envelope_place(&l->figure, shape, p->points[v]);
    const SupVec3d d =
        sup_vec3d_sub(sup_mat3d_mul_vec3(back, sup_vec3d_sub(at, from)), p->offsets[v]);
    const double length = sup_vec3d_length(d);
    to[3 * v] = d.x, to[3 * v + 1] = d.y, to[3 * v + 2] = d.z;
    sum += length * length;
    if (length > p->report.residual) p->report.residual = length;
  }
  return sup_sqrt(sum / p->count);
}

static void weigh(const Fitting *f, const EnvelopePatch *p) {
  const SupCharacter *character = f->work->learned->figure.character;
  const SupSkin *skin = &character->skin;
  for (uint32_t b = 0; b < character->skeleton.bone_count; b++) f->weights[b] = 0;
  for (uint32_t v = 0; v < p->count; v++) {
    const uint32_t a = p->points[v].a;
    for (uint32_t k = skin->offsets[a]; k < skin->offsets[a + 1]; k++) {
      f->weights[skin->bones[k]] += (double)skin->weights[k] / p->count;
    }
  }
}

static void choose_examples(const Fitting *f, const SupEnvelopePatchOption *option) {
  const uint32_t shapes = f->work->learned->figure.shape_count;
  const bool chosen = option && option->chosen_examples;
  for (uint32_t i = 0; i < shapes; i++) f->used[i] = i == 0 || !chosen;
  for (uint32_t k = 0; chosen && k < option->example_count; k++)
    f->used[option->examples[k] + 1] = 1;
}

/* ---- Angles ---------------------------------------------------------------------------------- */

static SupResult choose_angles(const Fitting *f, EnvelopePatch *p,
                               const SupEnvelopePatchOption *option) {
  EnvelopeWork *w = f->work;
  SupEnvelopeLearned *l = w->learned;
  EnvelopeResidual *r = &p->residual;
  for (uint32_t k = 0; option && k < option->turn_count; k++) {
    uint32_t angle;
    SupResult result = sup_envelope_named_angle(w->arena, &l->figure, &l->angles, &option->turns[k],
                                                &angle, w->error);
    if (result != SUP_OK) return result;
    bool known = false;
    for (uint32_t m = 0; m < r->angle_count; m++) known = known || r->angles[m] == angle;
    if (!known) r->angles[r->angle_count++] = angle;
  }
  if (r->angle_count) return SUP_OK;
  const EnvelopeChoice choice = {&l->figure, &l->angles, f->weights, f->moves, f->used};
  r->angle_count = sup_envelope_choose(w->scratch, &choice, r->angles);
  return r->angle_count == SUP_NONE ? sup_fail_memory(w->error, "envelope") : SUP_OK;
}

/* Shapes of one posture are averaged; those of the dress pose are not looked at. */
static void merge(const Fitting *f, EnvelopePatch *p) {
  const SupEnvelopeLearned *l = f->work->learned;
  EnvelopeResidual *r = &p->residual;
  const uint32_t shapes = l->figure.shape_count;
  const size_t numbers = 3 * (size_t)p->count;
  for (uint32_t i = 1; i < shapes; i++) {
    const uint32_t centre = r->centre_of_shape[i];
    if (centre == SUP_NONE) continue;
    const uint32_t first = r->first[centre];
    if (first != i && (f->moves[i] > 0 || f->moves[first] > 0)) {
      Alike *pair = &f->alike[i * shapes + first];
      if (!pair->count++) pair->patch = p->name;
    }
    uint32_t alike = 0;
    for (uint32_t k = 1; k < shapes; k++) alike += r->centre_of_shape[k] == centre;
    for (size_t k = 0; centre && k < numbers; k++) {
      r->values[centre * numbers + k] += f->shifts[i * numbers + k] / alike;
    }
  }
}

/* ---- Levels ---------------------------------------------------------------------------------- */

void sup_envelope_levels(const EnvelopeResidual *r, const double *angles, double *out) {
  for (uint32_t k = 0; k < r->rank; k++) {
    out[k] = 0;
    for (uint32_t a = 0; a < r->angle_count; a++) {
      out[k] += r->scale * r->axes[k][a] * (angles[a] - r->middle[a]);
    }
  }
}

static double centre_angle(const SupEnvelopeLearned *l, const EnvelopeResidual *r, uint32_t centre,
                           uint32_t angle) {
  return l->angles.angles[r->angles[angle]].values[r->first[centre]];
}

static double median(uint32_t count, double *io) {
  for (uint32_t i = 1; i < count; i++) {
    for (uint32_t k = i; k > 0 && io[k] < io[k - 1]; k--) {
      const double swapped = io[k];
      io[k] = io[k - 1], io[k - 1] = swapped;
    }
  }
  return count ? (io[count / 2] + io[(count - 1) / 2]) / 2 : 0;
}

typedef struct Postures {
  const SupEnvelopeLearned *learned;
  const EnvelopeResidual *residual;
} Postures;

static double postures_apart(const void *user, uint32_t a, uint32_t b) {
  const Postures *p = user;
  const EnvelopeResidual *r = p->residual;
  return sup_envelope_apart(&p->learned->angles, r->angle_count, r->angles, r->first[a],
                            r->first[b]);
}

/* The directions in which the postures differ, by the singular values of their angles. */
static SupResult find_hull(EnvelopeWork *w, EnvelopePatch *p) {
  const SupEnvelopeLearned *l = w->learned;
  EnvelopeResidual *r = &p->residual;
  const uint32_t n = r->centre_count, m = r->angle_count, k = n < m ? n : m;
  double *a = SUP_ALLOC(w->scratch, double, (size_t)n *m), singular[SUP_ENVELOPE_TURNS_MAX];
  double *u = SUP_ALLOC(w->scratch, double, (size_t)n *k);
  double *vt = SUP_ALLOC(w->scratch, double, (size_t)k *m);
  r->levels = SUP_ALLOC(w->arena, double, (size_t)n *m);
  if (!a || !u || !vt || !r->levels) return sup_fail_memory(w->error, "envelope");
  for (uint32_t c = 0; c < m; c++) {
    for (uint32_t i = 0; i < n; i++) r->middle[c] += centre_angle(l, r, i, c) / n;
    for (uint32_t i = 0; i < n; i++) a[c * n + i] = centre_angle(l, r, i, c) - r->middle[c];
  }
  SupResult result = sup_dense_svd(w->scratch, (int)n, (int)m, a, singular, u, vt, w->error);
  if (result != SUP_OK) return result;
  for (uint32_t d = 0; d < k && singular[d] > SPANNED; d++) {
    for (uint32_t c = 0; c < m; c++) r->axes[d][c] = vt[c * k + d];
    r->rank = d + 1;
  }
  /* A shorter unit would lay wide gaps so far apart that the function swings out in them. */
  const Postures postures = {l, r};
  r->scale = l->settings.ease / sup_envelope_widest_gap(n, postures_apart, &postures);
  for (uint32_t i = 0; i < n; i++) {
    double angles[SUP_ENVELOPE_TURNS_MAX];
    for (uint32_t c = 0; c < m; c++) angles[c] = centre_angle(l, r, i, c);
    sup_envelope_levels(r, angles, r->levels + (size_t)i * r->rank);
  }
  return SUP_OK;
}

/* ---- Confusing examples ---------------------------------------------------------------------- */

static void look_for_contradictions(EnvelopeWork *w, EnvelopePatch *p) {
  const SupEnvelopeLearned *l = w->learned;
  const EnvelopeResidual *r = &p->residual;
  const size_t numbers = 3 * (size_t)p->count;
  const uint32_t n = r->centre_count;
  double *slopes = SUP_ALLOC(w->scratch, double, (size_t)n *n), most = 0;
  uint32_t used = 0, worst[2] = {0, 0};
  for (uint32_t i = 0; slopes && n > 2 && i < n; i++) {
    for (uint32_t j = 0; j < i; j++) {
      double sum = 0;
      for (size_t k = 0; k < numbers; k++) {
        const double d = r->values[i * numbers + k] - r->values[j * numbers + k];
        sum += d * d;
      }
      const double apart =
          sup_envelope_apart(&l->angles, r->angle_count, r->angles, r->first[i], r->first[j]);
      slopes[used] = sup_sqrt(sum / p->count) / apart;
      if (slopes[used] > most) most = slopes[used], worst[0] = r->first[j], worst[1] = r->first[i];
      used++;
    }
  }
  if (!used) return;
  const double middle = median(used, slopes);
  p->report.contradiction = middle > 0 ? most / middle : 0;
  p->worst[0] = worst[0], p->worst[1] = worst[1];
}

/* One sentence for all patches, about the worst. */
static void tell_contradictions(EnvelopeWork *w) {
  const SupEnvelopeLearned *l = w->learned;
  const EnvelopePatch *p = NULL;
  uint32_t count = 0;
  for (uint32_t k = 0; k < l->patch_count; k++) {
    const EnvelopePatch *face = &l->faces[k];
    if (face->report.contradiction <= CONTRADICTION) continue;
    if (!p || face->report.contradiction > p->report.contradiction) p = face;
    count++;
  }
  if (!p) return;
  sup_envelope_note(w,
                    "%u of %u patches may have examples that contradict each other, '%s' most: "
                    "between '%s' and '%s' its shape changes %.2g times as fast as between others "
                    "(a ridge smooths)",
                    count, l->patch_count, p->name, shape_name(l, p->worst[0]),
                    shape_name(l, p->worst[1]), p->report.contradiction);
}

/* ---- The functions --------------------------------------------------------------------------- */

/* Centres (place, level) by posture, then by vertex. */
static double *place_centres(EnvelopeWork *w, const EnvelopePatch *p) {
  const EnvelopeResidual *r = &p->residual;
  const uint32_t d = 2 + r->rank;
  double *centres = SUP_ALLOC(w->arena, double, (size_t)r->centre_count * p->count * d),
         *to = centres;
  for (uint32_t c = 0; centres && c < r->centre_count; c++) {
    for (uint32_t v = 0; v < p->count; v++, to += d) {
      to[0] = p->uv[v][0], to[1] = p->uv[v][1];
      for (uint32_t k = 0; k < r->rank; k++) to[2 + k] = r->levels[(size_t)c * r->rank + k];
    }
  }
  return centres;
}

static SupResult fit_place(EnvelopeWork *w, EnvelopePatch *p) {
  EnvelopeResidual *r = &p->residual;
  const bool cubic = w->learned->settings.residual == SUP_ENVELOPE_CUBIC;
  SupRbfDef def = {.kernel = cubic ? SUP_RBF_CUBIC : SUP_RBF_THIN_PLATE,
                   .dimension_count = 2 + r->rank,
                   .centre_count = r->centre_count * p->count,
                   .value_count = 3,
                   .centres = place_centres(w, p),
                   .values = r->values,
                   .ridge = w->learned->settings.ridge};
  if (!def.centres) return sup_fail_memory(w->error, "envelope");
  return sup_rbf_fit(w->arena, &def, &r->place, w->error);
}

/* Shapes apart: each over the place, and how much there is of each over the levels. */
static SupResult fit_shapes(EnvelopeWork *w, EnvelopePatch *p) {
  EnvelopeResidual *r = &p->residual;
  const uint32_t n = r->centre_count, values = 3 * n;
  double *by_vertex = SUP_ALLOC(w->scratch, double, (size_t)p->count *values);
  double *own = SUP_ALLOC(w->scratch, double, (size_t)n *n);
  if (!by_vertex || !own) return sup_fail_memory(w->error, "envelope");
  for (uint32_t c = 0; c < n; c++) {
    own[(size_t)c * n + c] = 1;
    for (uint32_t v = 0; v < p->count; v++) {
      for (uint32_t k = 0; k < 3; k++) {
        by_vertex[(size_t)v * values + 3 * c + k] = r->values[3 * ((size_t)c * p->count + v) + k];
      }
    }
  }
  const SupRbfDef places = {.dimension_count = 2,
                            .centre_count = p->count,
                            .value_count = values,
                            .centres = p->uv[0],
                            .values = by_vertex};
  const SupRbfDef levels = {.dimension_count = r->rank,
                            .centre_count = n,
                            .value_count = n,
                            .centres = r->levels,
                            .values = own,
                            .ridge = w->learned->settings.ridge};
  SupResult result = sup_rbf_fit(w->arena, &places, &r->place, w->error);
  return result == SUP_OK ? sup_rbf_fit(w->arena, &levels, &r->level, w->error) : result;
}

void sup_envelope_residual_at(const EnvelopePatch *p, const double uv[2], uint32_t count,
                              const double *levels, double *squares, double *out) {
  const EnvelopeResidual *r = &p->residual;
  if (!r->level.factors) {
    sup_rbf_at_levels(&r->place, p->count, uv, count, levels, squares, out);
    return;
  }
  double share[SUP_ENVELOPE_EXAMPLES_MAX + 1];
  sup_rbf_at(&r->place, uv, squares);
  for (uint32_t s = 0; s < count; s++) {
    sup_rbf_at(&r->level, levels + (size_t)s * r->rank, share);
    for (uint32_t k = 0; k < 3; k++) {
      out[3 * s + k] = 0;
      for (uint32_t c = 0; c < r->centre_count; c++)
        out[3 * s + k] += share[c] * squares[3 * c + k];
    }
  }
}

/* ---- One patch ------------------------------------------------------------------------------- */

/* Whether examples move the patch at all: moves of others become 0. */
static bool find_moves(const Fitting *f, EnvelopePatch *p) {
  const SupEnvelopeLearned *l = f->work->learned;
  double most = 0;
  for (uint32_t i = 1; i < l->figure.shape_count; i++) {
    f->moves[i] = f->used[i] ? measure(f, p, i) : 0;
    if (f->moves[i] > most) most = f->moves[i];
  }
  const double still = ENVELOPE_STILL * l->figure.size, least = ENVELOPE_SLIGHT * most;
  for (uint32_t i = 1; i < l->figure.shape_count; i++) {
    if (!(f->moves[i] > least)) f->moves[i] = 0;
  }
  return most > still;
}

static SupResult fit_patch(const Fitting *f, EnvelopePatch *p) {
  EnvelopeWork *w = f->work;
  const SupEnvelopeLearned *l = w->learned;
  const SupEnvelopePatchOption *option = sup_envelope_option(l, p->name);
  EnvelopeResidual *r = &p->residual;
  const uint32_t shapes = l->figure.shape_count;
  choose_examples(f, option);
  if (!find_moves(f, p)) return SUP_OK;
  weigh(f, p);
  SupResult result = choose_angles(f, p, option);
  if (result != SUP_OK) return result;
  r->centre_of_shape = SUP_ALLOC(w->arena, uint32_t, shapes);
  r->first = SUP_ALLOC(w->arena, uint32_t, shapes);
  if (!r->centre_of_shape || !r->first) return sup_fail_memory(w->error, "envelope");
  r->centre_count = sup_envelope_postures(&l->angles, shapes, f->used, r->angle_count, r->angles,
                                          r->centre_of_shape, r->first);
  if (r->centre_count < 2) {
    sup_envelope_note(w, "patch '%s' changes in examples that turn no joint", p->name);
    return SUP_OK;
  }
  if ((uint64_t)r->centre_count * p->count > MOST_CENTRES) {
    return sup_fail(w->error, SUP_ERROR_UNSUPPORTED,
                    "envelope: patch '%s' has %u vertices in %u postures; more than %u together "
                    "are too many; divide it, or choose fewer examples for it",
                    p->name, p->count, r->centre_count, MOST_CENTRES);
  }
  r->values = SUP_ALLOC(w->arena, double, (size_t)r->centre_count * 3 * p->count);
  if (!r->values) return sup_fail_memory(w->error, "envelope");
  merge(f, p);
  result = find_hull(w, p);
  if (result != SUP_OK) return result;
  look_for_contradictions(w, p);
  p->has_residual = true;
  p->report.example_count = r->centre_count - 1;
  p->report.angle_count = r->angle_count;
  return l->settings.residual == SUP_ENVELOPE_PSD ? fit_shapes(w, p) : fit_place(w, p);
}

/* ---- All of them ----------------------------------------------------------------------------- */

static SupResult prepare(EnvelopeWork *w, Fitting *f) {
  const SupEnvelopeLearned *l = w->learned;
  const uint32_t shapes = l->figure.shape_count;
  SupVec3d *controls = SUP_ALLOC(w->scratch, SupVec3d, (size_t)shapes * l->control.count);
  uint32_t most = 0;
  for (uint32_t p = 0; p < l->patch_count; p++) {
    if (l->faces[p].count > most) most = l->faces[p].count;
  }
  f->work = w;
  f->controls = controls;
  f->weights = SUP_ALLOC(w->scratch, double, l->figure.character->skeleton.bone_count);
  f->moves = SUP_ALLOC(w->scratch, double, shapes);
  f->used = SUP_ALLOC(w->scratch, uint8_t, shapes);
  f->shifts = SUP_ALLOC(w->scratch, double, (size_t)shapes * 3 * most);
  f->alike = SUP_ALLOC(w->scratch, Alike, (size_t)shapes * shapes);
  if (!controls || !f->weights || !f->moves || !f->used || !f->shifts || !f->alike) {
    return sup_fail_memory(w->error, "envelope");
  }
  for (uint32_t i = 0; i < shapes; i++) {
    sup_envelope_layered(l, i, controls + (size_t)i * l->control.count);
  }
  return SUP_OK;
}

static void tell_alike(const Fitting *f) {
  const SupEnvelopeLearned *l = f->work->learned;
  const uint32_t shapes = l->figure.shape_count;
  for (uint32_t k = 0; k < shapes * shapes; k++) {
    const Alike *pair = &f->alike[k];
    const uint32_t first = k % shapes;
    if (!pair->count) continue;
    sup_envelope_note(
        f->work, "%u of %u patches ('%s' first): '%s' and '%s' have the same angles%s", pair->count,
        l->patch_count, pair->patch, shape_name(l, first), shape_name(l, k / shapes),
        first ? " and are averaged" : "; the dress shape counts");
  }
}

/* One sentence for all patches, about the first. */
static void tell_unspanned(EnvelopeWork *w) {
  const SupEnvelopeLearned *l = w->learned;
  const EnvelopePatch *first = NULL;
  uint32_t count = 0;
  for (uint32_t p = 0; p < l->patch_count; p++) {
    const EnvelopeResidual *r = &l->faces[p].residual;
    if (!l->faces[p].has_residual || r->rank == r->angle_count) continue;
    if (!count++) first = &l->faces[p];
  }
  if (!first) return;
  sup_envelope_note(w,
                    "%u of %u patches ('%s' first): %u postures span %u of %u angles; between the "
                    "others nothing is known",
                    count, l->patch_count, first->name, first->residual.centre_count,
                    first->residual.rank, first->residual.angle_count);
}

SupResult sup_envelope_residuals(EnvelopeWork *w) {
  Fitting f;
  SupResult result = prepare(w, &f);
  for (uint32_t p = 0; p < w->learned->patch_count && result == SUP_OK; p++) {
    SupArena scratch = sup_scratch(w->scratch);
    EnvelopeWork work = *w;
    Fitting fitting = f;
    work.scratch = &scratch;
    fitting.work = &work;
    result = fit_patch(&fitting, &w->learned->faces[p]);
    sup_arena_free(&scratch);
  }
  if (result == SUP_OK) tell_unspanned(w);
  if (result == SUP_OK) tell_alike(&f);
  if (result == SUP_OK) tell_contradictions(w);
  return result;
}
