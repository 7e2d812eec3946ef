/* SPDX-License-Identifier: MIT */
/*
 * Modes as translation-only helper joints. With U_v the shapes of all modes at vertex v, each times
 * how large it gets, find helpers T_h and weights of few of them per vertex,
 *
 *   U_v ~ sum_h x_vh T_h,   x >= 0,   sum over the helpers of a bone <= the vertex's weight of it,
 *
 * by turns: weights by projected gradients vertex by vertex, translations by least squares. The
 * bound per bone lets helpers take weight from their own bone only, so that plain skinning stays.
 */
#include "supple/train/modes_helpers.h"

#include "base/scratch.h"

#include <math.h>
#include <stdlib.h>

#include "numerics/dense.h"
#include "supple/author/modes_pack.h"
#include "supple/geom/measure.h"

#define COOKIE SUP_FOURCC('m', 'd', 'h', 'p')
#define CANDIDATES 32  /* helpers that one vertex looks at */
#define STEPS 60       /* of the gradient */
#define OVERSHOOT 1.2  /* helpers begin beyond the vertex that they start from */
#define BONES_MOST 248 /* of a vertex; lighter ones are left out */
#define VERTICES_PER_TASK 64

typedef struct Work {
  const SupModesHelpersDef *def;
  const SupCharacter *character;
  uint32_t vertex_count, mode_count, row; /* row = 3 mode_count */
  const double *sizes;                    /* [mode_count] how large a mode gets */
  const double *areas;                    /* [vertex_count] */
  double *shapes;                         /* [vertex_count * row] U */
  uint32_t count;
  uint32_t *bones, *seeds; /* [count] */
  double *moves;           /* [count * row] T */
  double *gram;            /* [count * count] T T^T */
  uint32_t *used;          /* [vertex_count * influences] helpers, SUP_NONE at the end */
  double *weights;         /* the same shape */
} Work;

SupModesHelpersDef sup_modes_helpers_def(const SupCharacter *character, const SupModel *model) {
  return (SupModesHelpersDef){.cookie = COOKIE,
                              .character = character,
                              .model = model,
                              .count = 32,
                              .influences = 4,
                              .sweeps = 20};
}

static double dot(const double *a, const double *b, uint32_t count) {
  double sum = 0;
  for (uint32_t i = 0; i < count; i++) sum += a[i] * b[i];
  return sum;
}

/* ---- Seeds ------------------------------------------------------------------------------------
 */

/* What seeds so far leave of a vertex: the distance from the ray of the nearest. */
static double left_by(const Work *w, uint32_t v, uint32_t seed) {
  const double *u = w->shapes + (size_t)v * w->row, *s = w->shapes + (size_t)seed * w->row;
  const double along = dot(u, s, w->row), square = dot(s, s, w->row), own = dot(u, u, w->row);
  const double fraction = square > 0 ? fmin(fmax(along / square, 0), 1) : 0;
  return own - 2 * fraction * along + fraction * fraction * square;
}

/* Each time the vertex that is missed most. */
static bool place_seeds(SupArena *arena, Work *w) {
  double *left = SUP_ALLOC(arena, double, w->vertex_count);
  if (!left) return false;
  for (uint32_t v = 0; v < w->vertex_count; v++) {
    const double *u = w->shapes + (size_t)v * w->row;
    left[v] = dot(u, u, w->row);
  }
  for (uint32_t h = 0; h < w->count; h++) {
    uint32_t best = 0;
    for (uint32_t v = 1; v < w->vertex_count; v++) {
      best = left[v] * w->areas[v] > left[best] * w->areas[best] ? v : best;
    }
    w->seeds[h] = best;
    w->bones[h] = w->character->skin.bones[w->character->skin.offsets[best]]; /* the heaviest */
    for (uint32_t i = 0; i < w->row; i++) {
      w->moves[(size_t)h * w->row + i] = OVERSHOOT * w->shapes[(size_t)best * w->row + i];
    }
    for (uint32_t v = 0; v < w->vertex_count; v++) left[v] = fmin(left[v], left_by(w, v, best));
  }
  return true;
}

/* ---- Weights ----------------------------------------------------------------------------------
 */

typedef struct Program {
  uint32_t count;
  uint32_t helpers[CANDIDATES];
  uint32_t groups[CANDIDATES]; /* bones, as numbers of the vertex's influences */
  double caps[CANDIDATES];     /* by group */
  double pulls[CANDIDATES];    /* T_h . U_v */
  double x[CANDIDATES];
} Program;

/* The nearest point with x >= 0 and the sum of a group at most `cap`. */
static void project_group(Program *p, uint32_t group, double cap) {
  double sum = 0, sorted[CANDIDATES];
  uint32_t count = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->groups[i] != group) continue;
    p->x[i] = fmax(p->x[i], 0);
    sum += p->x[i];
    uint32_t at = count++;
    for (; at > 0 && sorted[at - 1] < p->x[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = p->x[i];
  }
  if (sum <= cap) return;
  double total = 0, level = 0;
  for (uint32_t i = 0; i < count; i++) {
    total += sorted[i];
    const double next = (total - cap) / (i + 1);
    if (i > 0 && next >= sorted[i]) break;
    level = next;
  }
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->groups[i] == group) p->x[i] = fmax(p->x[i] - level, 0);
  }
}

static double gram_at(const Work *w, const Program *p, uint32_t i, uint32_t k) {
  return w->gram[(size_t)p->helpers[i] * w->count + p->helpers[k]];
}

/* Accelerated projected gradients (Beck and Teboulle 2009). */
static void solve(const Work *w, Program *p, uint32_t group_count) {
  double y[CANDIDATES], last[CANDIDATES], bound = 0, t = 1;
  for (uint32_t i = 0; i < p->count; i++) {
    double sum = 0;
    for (uint32_t k = 0; k < p->count; k++) sum += fabs(gram_at(w, p, i, k));
    bound = fmax(bound, sum);
    y[i] = p->x[i];
  }
  if (!(bound > 0)) return;
  for (int step = 0; step < STEPS; step++) {
    for (uint32_t i = 0; i < p->count; i++) {
      double slope = -p->pulls[i];
      for (uint32_t k = 0; k < p->count; k++) slope += gram_at(w, p, i, k) * y[k];
      last[i] = p->x[i];
      p->x[i] = y[i] - slope / bound;
    }
    for (uint32_t g = 0; g < group_count; g++) project_group(p, g, p->caps[g]);
    const double next = (1 + sqrt(1 + 4 * t * t)) / 2, push = (t - 1) / next;
    for (uint32_t i = 0; i < p->count; i++) y[i] = p->x[i] + push * (p->x[i] - last[i]);
    t = next;
  }
}

/* Only the heaviest stay. */
static void thin(Program *p, uint32_t most) {
  while (p->count > 0) {
    uint32_t least = 0, positive = 0;
    for (uint32_t i = 0; i < p->count; i++) {
      least = p->x[i] < p->x[least] ? i : least;
      positive += p->x[i] > 1e-4;
    }
    if (p->count <= most && positive == p->count) return;
    for (uint32_t i = least; i + 1 < p->count; i++) {
      p->helpers[i] = p->helpers[i + 1];
      p->groups[i] = p->groups[i + 1];
      p->pulls[i] = p->pulls[i + 1];
      p->x[i] = p->x[i + 1];
    }
    p->count--;
  }
}

/* The helpers of a vertex's bones; where there are too many, those that pull most its way. */
static void choose(const Work *w, uint32_t v, Program *p, uint32_t *out_groups) {
  const SupSkin *skin = &w->character->skin;
  uint32_t groups = 0;
  p->count = 0;
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1] && groups < CANDIDATES; k++) {
    p->caps[groups] = (double)skin->weights[k];
    for (uint32_t h = 0; h < w->count; h++) {
      if (w->bones[h] != skin->bones[k]) continue;
      const double pull =
          dot(w->moves + (size_t)h * w->row, w->shapes + (size_t)v * w->row, w->row);
      uint32_t at = p->count;
      if (at == CANDIDATES) {
        at = 0;
        for (uint32_t i = 1; i < CANDIDATES; i++) at = p->pulls[i] < p->pulls[at] ? i : at;
        if (pull <= p->pulls[at]) continue;
      } else {
        p->count++;
      }
      p->helpers[at] = h, p->groups[at] = groups, p->pulls[at] = pull, p->x[at] = 0;
    }
    groups++;
  }
  *out_groups = groups;
}

static void weigh(void *context, SupRange range) {
  const Work *w = (const Work *)context;
  const uint32_t most = w->def->influences;
  for (uint32_t v = range.first; v < range.first + range.count; v++) {
    Program p;
    uint32_t groups;
    choose(w, v, &p, &groups);
    solve(w, &p, groups);
    while (p.count > most) {
      thin(&p, p.count > 2 * most ? p.count / 2 : most);
      solve(w, &p, groups);
    }
    thin(&p, most);
    for (uint32_t i = 0; i < most; i++) {
      w->used[(size_t)v * most + i] = i < p.count ? p.helpers[i] : SUP_NONE;
      w->weights[(size_t)v * most + i] = i < p.count ? p.x[i] : 0;
    }
  }
}

static void multiply_moves(Work *w) {
  for (uint32_t a = 0; a < w->count; a++) {
    for (uint32_t b = 0; b <= a; b++) {
      w->gram[(size_t)a * w->count + b] = w->gram[(size_t)b * w->count + a] =
          dot(w->moves + (size_t)a * w->row, w->moves + (size_t)b * w->row, w->row);
    }
  }
}

/* ---- Translations -----------------------------------------------------------------------------
 */

static SupResult move(SupArena *arena, Work *w, SupError *error) {
  const uint32_t n = w->count, most = w->def->influences;
  double *a = SUP_ALLOC(arena, double, (size_t)n *n);
  double *b = SUP_ALLOC(arena, double, (size_t)n * w->row); /* column-major: one per number of T */
  if (!a || !b) return sup_fail_memory(error, "helper joints");
  for (uint32_t v = 0; v < w->vertex_count; v++) {
    const uint32_t *used = w->used + (size_t)v * most;
    const double *x = w->weights + (size_t)v * most, *u = w->shapes + (size_t)v * w->row;
    for (uint32_t i = 0; i < most && used[i] != SUP_NONE; i++) {
      for (uint32_t k = 0; k < most && used[k] != SUP_NONE; k++) {
        a[(size_t)used[k] * n + used[i]] += w->areas[v] * x[i] * x[k];
      }
      for (uint32_t c = 0; c < w->row; c++) b[(size_t)c * n + used[i]] += w->areas[v] * x[i] * u[c];
    }
  }
  double trace = 0;
  for (uint32_t h = 0; h < n; h++) trace += a[(size_t)h * n + h];
  for (uint32_t h = 0; h < n; h++) { /* a helper that nobody uses stays where it is */
    const double anchor = 1e-6 * trace / n + 1e-30;
    a[(size_t)h * n + h] += anchor;
    for (uint32_t c = 0; c < w->row; c++) {
      b[(size_t)c * n + h] += anchor * w->moves[(size_t)h * w->row + c];
    }
  }
  SupResult result = sup_dense_solve(arena, (int)n, (int)w->row, a, b, error);
  if (result) return result;
  for (uint32_t h = 0; h < n; h++) {
    for (uint32_t c = 0; c < w->row; c++) w->moves[(size_t)h * w->row + c] = b[(size_t)c * n + h];
  }
  return SUP_OK;
}

/* ---- The whole --------------------------------------------------------------------------------
 */

/* What the helpers leave of a vertex: out_rest[row]. */
static void leave(const Work *w, uint32_t v, double *out_rest) {
  const uint32_t most = w->def->influences;
  for (uint32_t c = 0; c < w->row; c++) out_rest[c] = w->shapes[(size_t)v * w->row + c];
  for (uint32_t i = 0; i < most && w->used[(size_t)v * most + i] != SUP_NONE; i++) {
    const double *t = w->moves + (size_t)w->used[(size_t)v * most + i] * w->row;
    for (uint32_t c = 0; c < w->row; c++) out_rest[c] -= w->weights[(size_t)v * most + i] * t[c];
  }
}

static void measure(const Work *w, double scale, double *rest, SupModesHelpers *out) {
  double all = 0, left = 0;
  for (uint32_t v = 0; v < w->vertex_count; v++) {
    const double *u = w->shapes + (size_t)v * w->row;
    leave(w, v, rest);
    all += w->areas[v] * dot(u, u, w->row);
    const double square = dot(rest, rest, w->row);
    left += w->areas[v] * square;
    out->worst = fmax(out->worst, scale * sqrt(square));
  }
  out->error = all > 0 ? sqrt(left / all) : 0;
}

typedef struct Influence {
  uint32_t bone;
  float weight;
} Influence;

static int compare_influences(const void *left, const void *right) {
  const Influence *a = left, *b = right;
  if (a->weight != b->weight) return a->weight > b->weight ? -1 : 1;
  return a->bone < b->bone ? -1 : a->bone > b->bone;
}

/* What the bones keep, and the helpers. */
static SupResult make_skin(SupArena *arena, const Work *w, SupSkin *out, SupError *error) {
  const SupSkin *skin = &w->character->skin;
  const uint32_t most = w->def->influences, first = w->character->skeleton.bone_count;
  const size_t room = skin->offsets[w->vertex_count] + (size_t)most * w->vertex_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, w->vertex_count + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, room), at = 0, widest = 0;
  float *weights = SUP_ALLOC(arena, float, room);
  if (!offsets || !bones || !weights) return sup_fail_memory(error, "helper joints");
  for (uint32_t v = 0; v < w->vertex_count; v++) {
    Influence own[BONES_MOST + 8];
    uint32_t count = 0;
    const uint32_t *used = w->used + (size_t)v * most;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1] && count < BONES_MOST; k++) {
      double kept = (double)skin->weights[k];
      for (uint32_t i = 0; i < most && used[i] != SUP_NONE; i++) {
        if (w->bones[used[i]] == skin->bones[k]) kept -= w->weights[(size_t)v * most + i];
      }
      if (kept > 1e-6) own[count++] = (Influence){skin->bones[k], (float)kept};
    }
    for (uint32_t i = 0; i < most && used[i] != SUP_NONE; i++) {
      own[count++] = (Influence){first + used[i], (float)w->weights[(size_t)v * most + i]};
    }
    qsort(own, count, sizeof *own, compare_influences);
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) sum += (double)own[i].weight;
    for (uint32_t i = 0; i < count; i++) {
      bones[at] = own[i].bone;
      weights[at++] = (float)((double)own[i].weight / sum);
    }
    offsets[v + 1] = at;
    widest = count > widest ? count : widest;
  }
  *out = (SupSkin){w->vertex_count, widest, offsets, bones, weights};
  return SUP_OK;
}

/* How large each mode gets when all flesh is pushed alike: its push over its stiffness, so that
 * modes that nothing excites count little; never less than a hundredth of the largest. */
static void size_modes(const SupModesView *view, double *out_sizes) {
  double largest = 0;
  for (uint32_t k = 0; k < view->mode_count; k++) {
    const float *rows = view->oscillators +
                        (size_t)(SUP_MODES_ROWS * SUP_SKIN_BLOCK) * (k / SUP_SKIN_BLOCK) +
                        k % SUP_SKIN_BLOCK;
    double push[3] = {0, 0, 0};
    for (uint32_t p = 0; p < view->pair_count; p++) {
      const double twice = view->pairs[2 * p] == view->pairs[2 * p + 1] ? 1 : 2;
      const float *d =
          view->drive +
          (size_t)(12 * SUP_SKIN_BLOCK) * ((size_t)(k / SUP_SKIN_BLOCK) * view->pair_count + p) +
          k % SUP_SKIN_BLOCK;
      for (int c = 0; c < 3; c++) push[c] += twice * (double)d[SUP_SKIN_BLOCK * (9 + c)];
    }
    out_sizes[k] = sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]) /
                   (double)rows[SUP_SKIN_BLOCK * SUP_MODES_STIFFNESS];
    largest = fmax(largest, out_sizes[k]);
  }
  for (uint32_t k = 0; k < view->mode_count; k++) {
    out_sizes[k] = fmax(out_sizes[k], 0.01 * largest + 1e-30);
  }
}

static SupResult prepare(SupArena *arena, Work *w, SupError *error) {
  const SupModesView view = sup_modes_view(w->def->model);
  SupModesDef modes;
  SupResult result = sup_modes_unpack(arena, w->def->model, &modes, error);
  if (result) return result;
  w->vertex_count = view.skin.vertex_count;
  w->mode_count = view.mode_count;
  w->row = 3 * view.mode_count;
  const size_t slots = (size_t)w->vertex_count * w->def->influences;
  double *sizes = SUP_ALLOC(arena, double, w->mode_count);
  double *areas = SUP_ALLOC(arena, double, w->vertex_count);
  w->shapes = SUP_ALLOC(arena, double, (size_t)w->vertex_count * w->row);
  w->bones = SUP_ALLOC(arena, uint32_t, w->count);
  w->seeds = SUP_ALLOC(arena, uint32_t, w->count);
  w->moves = SUP_ALLOC(arena, double, (size_t)w->count * w->row);
  w->gram = SUP_ALLOC(arena, double, (size_t)w->count * w->count);
  w->used = SUP_ALLOC(arena, uint32_t, slots);
  w->weights = SUP_ALLOC(arena, double, slots);
  if (!sizes || !areas || !w->shapes || !w->bones || !w->seeds || !w->moves || !w->gram ||
      !w->used || !w->weights) {
    return sup_fail_memory(error, "helper joints");
  }
  size_modes(&view, sizes);
  sup_vertex_areas(&w->character->body, SUP_AREA_MIXED, areas);
  w->sizes = sizes;
  w->areas = areas;
  for (uint32_t v = 0; v < w->vertex_count; v++) {
    for (uint32_t k = 0; k < w->mode_count; k++) {
      const SupVec3 shape = modes.shapes[(size_t)k * w->vertex_count + v];
      double *to = w->shapes + (size_t)v * w->row + 3 * (size_t)k;
      to[0] = sizes[k] * (double)shape.x;
      to[1] = sizes[k] * (double)shape.y;
      to[2] = sizes[k] * (double)shape.z;
    }
  }
  return place_seeds(arena, w) ? SUP_OK : sup_fail_memory(error, "helper joints");
}

static SupResult finish(SupArena *arena, SupArena *scratch, const Work *w, SupModesHelpers *out,
                        SupError *error) {
  SupModesHelpers helpers = {.count = w->count,
                             .mode_count = w->mode_count,
                             .bone_count = w->character->skeleton.bone_count};
  SupVec3 *places = SUP_ALLOC(arena, SupVec3, w->count);
  SupVec3 *translations = SUP_ALLOC(arena, SupVec3, (size_t)w->count * w->mode_count);
  double *rest = SUP_ALLOC(scratch, double, w->row);
  helpers.bones = SUP_COPY(arena, uint32_t, w->bones, w->count);
  if (!places || !translations || !rest || !helpers.bones) {
    return sup_fail_memory(error, "helper joints");
  }
  for (uint32_t h = 0; h < w->count; h++) {
    places[h] = w->character->body.positions[w->seeds[h]];
    for (uint32_t k = 0; k < w->mode_count; k++) {
      const double *t = w->moves + (size_t)h * w->row + 3 * (size_t)k;
      translations[(size_t)h * w->mode_count + k] = (SupVec3){
          (float)(t[0] / w->sizes[k]), (float)(t[1] / w->sizes[k]), (float)(t[2] / w->sizes[k])};
    }
  }
  helpers.places = places;
  helpers.translations = translations;
  measure(w, (double)sup_modes_view(w->def->model).scale, rest, &helpers);
  SupResult result = make_skin(arena, w, &helpers.skin, error);
  if (!result) *out = helpers;
  return result;
}

static SupResult check(const SupModesHelpersDef *def, SupError *error) {
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "helper joints: start from sup_modes_helpers_def()");
  }
  if (def->count == 0 || def->count > SUP_MODES_HELPERS_MOST || def->influences == 0 ||
      def->influences > 8) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%u helper joints, %u per vertex; give 1 to %u, and 1 to 8 per vertex",
                    def->count, def->influences, SUP_MODES_HELPERS_MOST);
  }
  if (def->model->kind != SUP_MODES_KIND ||
      def->model->mesh.vertex_count != def->character->body.vertex_count ||
      def->character->skin.vertex_count != def->character->body.vertex_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "helper joints: the modes belong to another character");
  }
  return SUP_OK;
}

SupResult sup_modes_helpers(SupArena *arena, const SupModesHelpersDef *def, SupModesHelpers *out,
                            SupError *error) {
  SupResult result = check(def, error);
  if (result) return result;
  SupArena scratch = sup_scratch(arena);
  Work w = {.def = def, .character = def->character, .count = def->count};
  result = prepare(&scratch, &w, error);
  for (uint32_t sweep = 0; sweep <= def->sweeps && !result; sweep++) {
    multiply_moves(&w);
    sup_parallel_for(def->jobs, w.vertex_count, VERTICES_PER_TASK, weigh, &w);
    if (sweep < def->sweeps) result = move(&scratch, &w, error);
  }
  if (!result) result = finish(arena, &scratch, &w, out, error);
  sup_arena_free(&scratch);
  return result;
}

void sup_modes_helpers_palette(const SupModesHelpers *helpers, const SupAffine *palette,
                               const float *weights, SupAffine *out) {
  for (uint32_t h = 0; h < helpers->count; h++) {
    SupVec3 t = {0, 0, 0};
    for (uint32_t k = 0; k < helpers->mode_count; k++) {
      t = sup_vec3_add_scaled(t, helpers->translations[(size_t)h * helpers->mode_count + k],
                              weights[k]);
    }
    out[h] = palette[helpers->bones[h]];
    const SupVec3 moved = sup_affine_direction(out[h], t);
    out[h].m[9] += moved.x, out[h].m[10] += moved.y, out[h].m[11] += moved.z;
  }
}
