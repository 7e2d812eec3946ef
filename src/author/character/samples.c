/* SPDX-License-Identifier: MIT */
/* Orders, units and axes of samples, and whose vertices somebody else's samples are. */
#include "supple/author/samples.h"

#include "author/character/point_grid.h"
#include "supple/geom/bounds.h"

void sup_positions_gather(const SupVec3 *from, const uint32_t *source, uint32_t count,
                          SupVec3 *out) {
  for (uint32_t k = 0; k < count; k++) out[k] = from[source[k]];
}

void sup_render_first(const SupRender *render, uint32_t body_count, uint32_t *out_first) {
  for (uint32_t v = 0; v < body_count; v++) out_first[v] = 0;
  /* Backwards, so that the first one stays. */
  for (uint32_t v = render->vertex_count; v-- > 0;) out_first[render->to_body[v]] = v;
}

void sup_positions_convert(SupVec3 *positions, size_t count, float scale, SupUpAxis from,
                           SupUpAxis to) {
  for (size_t k = 0; k < count; k++) {
    SupVec3 p = {positions[k].x * scale, positions[k].y * scale, positions[k].z * scale};
    if (from == SUP_UP_Z && to == SUP_UP_Y) p = (SupVec3){p.x, p.z, -p.y};
    if (from == SUP_UP_Y && to == SUP_UP_Z) p = (SupVec3){p.x, -p.z, p.y};
    positions[k] = p;
  }
}

/* ---- Matching ------------------------------------------------------------------------------- */

typedef struct MatchJob {
  const SupCharacter *character;
  const SupSamples *samples;
  const SupVec3 *frame;     /* [samples.vertex_count] */
  const SupVec3 *reference; /* [body.vertex_count] */
  double tolerance;         /* as a length */
  double alike;             /* vertices no farther apart than this are at one place */
  uint32_t *source;         /* [body.vertex_count] what is being tried */
  uint32_t *taken;          /* [samples.vertex_count] body vertex of a sample, or SUP_NONE */
} MatchJob;

static double square(double x) { return x * x; }

/* Greatest squared distance of the reference from what `source` picks. */
static double worst_squared(const MatchJob *job) {
  double worst = 0;
  for (uint32_t v = 0; v < job->character->body.vertex_count; v++) {
    double distance = sup_point_distance_squared(job->reference[v], job->frame[job->source[v]]);
    if (distance > worst) worst = distance;
  }
  return worst;
}

static bool count_fits(const MatchJob *job, SupMatchKind kind) {
  uint32_t count = job->samples->vertex_count;
  return count == (kind == SUP_MATCH_BODY ? job->character->body.vertex_count
                                          : job->character->render.vertex_count);
}

static double try_order(const MatchJob *job, SupMatchKind kind) {
  uint32_t count = job->character->body.vertex_count;
  if (kind == SUP_MATCH_BODY) {
    for (uint32_t v = 0; v < count; v++) job->source[v] = v;
  } else {
    sup_render_first(&job->character->render, count, job->source);
  }
  return worst_squared(job);
}

/* ---- By position ---------------------------------------------------------------------------- */

typedef enum Found {
  FOUND_ALL,      /* a sample for every body vertex, none for two places */
  FOUND_NOT_ALL,  /* somewhere there is no sample within the tolerance */
  FOUND_AMBIGUOUS /* two places would take one sample: the samples are not so near */
} Found;

/* Which sample `v` takes: the nearest, unless a vertex at the same place has it and there is a
 * second one there (a shirt on the skin). SUP_NONE: no sample within reach. Two vertices at one
 * place may share a sample that somebody has welded. */
static uint32_t take_nearest(const MatchJob *job, const SupPointGrid *grid, uint32_t v,
                             bool *out_ambiguous) {
  SupPointNear best, unused;
  sup_point_grid_nearest(grid, job->reference[v], job->taken, &best, &unused);
  if (best.point == SUP_NONE || job->taken[best.point] == SUP_NONE) return best.point;
  double limit = square(__builtin_sqrt(best.distance_squared) + job->alike);
  if (unused.point != SUP_NONE && unused.distance_squared <= limit) return unused.point;
  SupVec3 other = job->reference[job->taken[best.point]];
  *out_ambiguous = sup_point_distance_squared(other, job->reference[v]) > square(job->alike);
  return best.point;
}

/* A sample for every body vertex. Short distances first: they are the surest, and even a dense
 * mesh has few points within them. */
static SupResult try_positions(SupArena *arena, MatchJob *job, Found *out_found, SupError *error) {
  static const double fractions[] = {1e-4, 1e-2, 1};
  uint32_t count = job->character->body.vertex_count, sample_count = job->samples->vertex_count;
  uint32_t missing = count;
  job->taken = SUP_ALLOC(arena, uint32_t, sample_count);
  if (!job->taken) return sup_fail_memory(error, "matching the cache");
  for (uint32_t k = 0; k < sample_count; k++) job->taken[k] = SUP_NONE;
  for (uint32_t v = 0; v < count; v++) job->source[v] = SUP_NONE;
  for (size_t k = 0; k < sizeof fractions / sizeof *fractions && missing; k++) {
    SupPointGrid grid;
    if (!sup_point_grid_make(arena, job->frame, sample_count, fractions[k] * job->tolerance,
                             &grid)) {
      return sup_fail_memory(error, "matching the cache");
    }
    for (uint32_t v = 0; v < count; v++) {
      if (job->source[v] != SUP_NONE) continue;
      bool ambiguous = false;
      uint32_t sample = take_nearest(job, &grid, v, &ambiguous);
      if (ambiguous) {
        *out_found = FOUND_AMBIGUOUS;
        return SUP_OK;
      }
      if (sample == SUP_NONE) continue;
      job->source[v] = sample;
      if (job->taken[sample] == SUP_NONE) job->taken[sample] = v;
      missing--;
    }
  }
  *out_found = missing ? FOUND_NOT_ALL : FOUND_ALL;
  return SUP_OK;
}

/* ---- All together --------------------------------------------------------------------------- */

static SupResult no_match(const MatchJob *job, SupError *error) {
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "the cache has %u points, but the character has %u vertices in its file and %u "
                  "on its welded body, and the positions do not match; check that the cache was "
                  "made from this mesh, and its --units and --up-axis",
                  job->samples->vertex_count, job->character->render.vertex_count,
                  job->character->body.vertex_count);
}

static SupResult ambiguous_match(const MatchJob *job, SupError *error) {
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "the cache has %u points near the character's surface, but they are too far from "
                  "its vertices to be matched; make its first frame the character's rest pose, or "
                  "name the clip that it shows",
                  job->samples->vertex_count);
}

static SupMatch finish(const MatchJob *job, SupMatchKind kind, bool certain) {
  double worst = worst_squared(job);
  return (SupMatch){.kind = kind,
                    .certain = certain,
                    .distance = (float)__builtin_sqrt(worst),
                    .source = job->source};
}

/* The order of the two with the smaller distance, among those whose count fits. */
static bool best_order(const MatchJob *job, SupMatchKind *out_kind, double *out_worst) {
  bool found = false;
  for (int k = SUP_MATCH_BODY; k <= SUP_MATCH_RENDER; k++) {
    SupMatchKind kind = (SupMatchKind)k;
    if (!count_fits(job, kind)) continue;
    double worst = try_order(job, kind);
    if (found && !(worst < *out_worst)) continue;
    found = true;
    *out_kind = kind;
    *out_worst = worst;
  }
  return found;
}

static SupResult match(SupArena *arena, MatchJob *job, SupMatch *out_match, SupError *error) {
  SupSampleOrder order = job->samples->order;
  if (order != SUP_ORDER_UNKNOWN) {
    SupMatchKind kind = order == SUP_ORDER_BODY ? SUP_MATCH_BODY : SUP_MATCH_RENDER;
    if (!count_fits(job, kind)) return no_match(job, error);
    try_order(job, kind);
    *out_match = finish(job, kind, true);
    return SUP_OK;
  }
  SupMatchKind kind = SUP_MATCH_BODY;
  double worst = 0;
  bool fits = best_order(job, &kind, &worst);
  if (!fits || worst > square(job->tolerance)) {
    Found found = FOUND_NOT_ALL;
    SupResult result = try_positions(arena, job, &found, error);
    if (result != SUP_OK) return result;
    /* A known order with a small motion of dense vertices looks much the same: only what lies ten
     * times nearer is believed. */
    if (found == FOUND_ALL && (!fits || 100 * worst_squared(job) <= worst)) {
      *out_match = finish(job, SUP_MATCH_POSITION, true);
      return SUP_OK;
    }
    if (!fits && found == FOUND_AMBIGUOUS) return ambiguous_match(job, error);
  }
  if (!fits) return no_match(job, error);
  try_order(job, kind);
  *out_match = finish(job, kind, worst <= square(job->tolerance));
  return SUP_OK;
}

SupResult sup_samples_match(SupArena *arena, const SupCharacter *character,
                            const SupSamples *samples, const SupMatchDef *def, SupMatch *out_match,
                            SupError *error) {
  const SupMesh *body = &character->body;
  if (def->frame >= samples->frame_count) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "frame %u was requested, but the cache has %u frames", def->frame,
                    samples->frame_count);
  }
  const SupVec3 *reference = def->reference ? def->reference : body->positions;
  float diagonal = sup_bounds_diagonal(sup_bounds(reference, body->vertex_count));
  double fraction = def->tolerance > 0 ? (double)def->tolerance : 1e-3;
  MatchJob job = {
      .character = character,
      .samples = samples,
      .frame = samples->positions + (size_t)def->frame * samples->vertex_count,
      .reference = reference,
      .tolerance = diagonal > 0 ? fraction * (double)diagonal : 1e-30,
      .alike = 1e-6 * (double)diagonal,
      .source = SUP_ALLOC(arena, uint32_t, body->vertex_count),
  };
  if (!job.source) return sup_fail_memory(error, "matching the cache");
  return match(arena, &job, out_match, error);
}

const char *sup_match_text(const SupMatch *found) {
  switch (found->kind) {
    case SUP_MATCH_BODY:
      return found->certain ? "in the order of the welded body"
                            : "taken in the order of the welded body, because the counts agree";
    case SUP_MATCH_RENDER:
      return found->certain ? "in the file's vertex order"
                            : "taken in the file's vertex order, because the counts agree";
    default: return "in an order of its own, matched by position";
  }
}
