/* SPDX-License-Identifier: MIT */
/*
 * A model and the mesh as it is now: which vertex is which, and how the two rest spaces lie.
 *
 * Tools that quantise positions (gltf-transform, gltfpack) move and scale them into a box and put
 * the inverse bind matrices right: the picture stays, but the body has other units and another
 * origin, and so have all offsets and lengths of a model. With partners known, scale and offset are
 * least squares:
 *   k = sum (x_now - c_now) . (x_then - c_then) / sum |x_now - c_now|^2,  o = c_then - k c_now
 * and they count only where they explain nearly everything (FIT): what an artist has sculpted is no
 * change of space. Without partners the boxes of both meshes give a first guess.
 */
#include "supple/author/fingerprint.h"
#include "supple/geom/bounds.h"

#define EXACT 1e-5 /* diagonals: what storing floats again does */
#define ROUND \
  2e-4          /* diagonals: what 14 bits do to positions, and to the box that is guessed from */
#define FIT 0.1 /* of the RMS distance that scale and offset may leave */

typedef struct Pairing {
  const SupMesh *then, *now;
  const uint32_t *partners; /* [vertex_count] */
} Pairing;

static SupVec3d place(SupVec3 p) { return (SupVec3d){(double)p.x, (double)p.y, (double)p.z}; }

static SupVec3d mapped(const SupRestSpace *space, SupVec3 p) {
  return (SupVec3d){space->scale * (double)p.x + space->offset.x,
                    space->scale * (double)p.y + space->offset.y,
                    space->scale * (double)p.z + space->offset.z};
}

static double square(SupVec3d v) { return v.x * v.x + v.y * v.y + v.z * v.z; }

static const SupRestSpace same_space = {1, {0, 0, 0}};

/* Distances between partners, in units of the mesh as it is now. */
static void measure(const Pairing *p, const SupRestSpace *space, double *out_rms,
                    double *out_most) {
  double sum = 0, most = 0;
  for (uint32_t v = 0; v < p->now->vertex_count; v++) {
    const SupVec3d then = place(p->then->positions[p->partners[v]]);
    const double gap = square(sup_vec3d_sub(mapped(space, p->now->positions[v]), then));
    sum += gap;
    if (gap > most) most = gap;
  }
  const double count = p->now->vertex_count ? (double)p->now->vertex_count : 1;
  *out_rms = sup_sqrt(sum / count) / space->scale;
  *out_most = sup_sqrt(most) / space->scale;
}

static SupVec3d centre(const SupMesh *mesh) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    sum = sup_vec3d_add(sum, place(mesh->positions[v]));
  }
  return sup_vec3d_scale(sum, 1 / (double)(mesh->vertex_count ? mesh->vertex_count : 1));
}

static SupRestSpace fit(const Pairing *p) {
  const SupVec3d then = centre(p->then), now = centre(p->now);
  double along = 0, all = 0;
  for (uint32_t v = 0; v < p->now->vertex_count; v++) {
    const SupVec3d a = sup_vec3d_sub(place(p->now->positions[v]), now);
    const SupVec3d b = sup_vec3d_sub(place(p->then->positions[p->partners[v]]), then);
    along += sup_vec3d_dot(a, b);
    all += square(a);
  }
  if (!(along > 0 && all > 0)) return same_space;
  const double scale = along / all;
  return (SupRestSpace){scale, sup_vec3d_sub(then, sup_vec3d_scale(now, scale))};
}

/* The space of these partners, and how far they are apart in it. */
static void settle(const Pairing *p, SupRebinding *out) {
  double rms, most, fitted_rms, fitted_most;
  SupRestSpace space = same_space;
  const SupRestSpace fitted = fit(p);
  measure(p, &same_space, &rms, &most);
  measure(p, &fitted, &fitted_rms, &fitted_most);
  if (fitted_rms < FIT * rms) space = fitted, rms = fitted_rms, most = fitted_most;
  out->space = space;
  out->report.rms = (float)rms;
  out->report.distance = (float)most;
}

static SupRestSpace guess_by_box(const SupMesh *then, const SupMesh *now) {
  const SupBounds a = sup_bounds(then->positions, then->vertex_count);
  const SupBounds b = sup_bounds(now->positions, now->vertex_count);
  const double size = (double)sup_bounds_diagonal(b);
  const double scale = size > 0 ? (double)sup_bounds_diagonal(a) / size : 0;
  if (!(scale > 0)) return same_space;
  const SupVec3d from = sup_vec3d_scale(sup_vec3d_add(place(b.low), place(b.high)), 0.5);
  const SupVec3d to = sup_vec3d_scale(sup_vec3d_add(place(a.low), place(a.high)), 0.5);
  return (SupRestSpace){scale, sup_vec3d_sub(to, sup_vec3d_scale(from, scale))};
}

/* Partners by position: in the space that both may share, then box upon box; nearly exact, then as
 * far apart as quantised positions are. The first failure is what the caller hears of. */
static SupResult find_by_position(SupArena *arena, const SupMesh *then, const SupMesh *now,
                                  uint32_t *partners, SupRebindReport *out_report,
                                  SupError *error) {
  SupVec3 *moved = SUP_ALLOC(arena, SupVec3, now->vertex_count);
  if (!moved) return sup_fail_memory(error, "rebinding");
  const SupRestSpace guess = guess_by_box(then, now);
  SupMesh there = *now;
  there.positions = moved;
  for (uint32_t v = 0; v < now->vertex_count; v++) {
    const SupVec3d p = mapped(&guess, now->positions[v]);
    moved[v] = (SupVec3){(float)p.x, (float)p.y, (float)p.z};
  }
  SupResult result = SUP_OK;
  for (int k = 0; k < 4; k++) {
    const SupResult tried =
        sup_rebind(arena, then, k % 2 ? &there : now, (float)(k < 2 ? EXACT : ROUND), partners,
                   out_report, k ? NULL : error);
    if (tried == SUP_OK || tried == SUP_ERROR_MEMORY) return tried;
    if (!k) result = tried;
  }
  return result;
}

static SupResult too_far(const SupRebinding *found, double size, SupError *error) {
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "rebinding: the rest positions of the mesh are up to %.3g %% of its size from "
                  "where the model has them, more than %g %%; build the model again for this mesh",
                  100 * (double)found->report.distance / size, 100 * SUP_REBIND_LIMIT);
}

SupResult sup_rebind_body(SupArena *arena, const SupModel *model, const SupMesh *now,
                          SupRebinding *out, SupError *error) {
  const SupFingerprint print = sup_fingerprint(now);
  uint64_t count = 0;
  const SupVec3 *rest = sup_model_section(model, SUP_SECTION_REST, sizeof *rest, &count);
  const SupMesh then = {.vertex_count = (uint32_t)count, .positions = rest};
  const double size = print.diagonal > 0 ? (double)print.diagonal : 1;
  const bool numbered = then.vertex_count == now->vertex_count &&
                        sup_fingerprint_compare(&model->mesh, &print) != SUP_KIN_STRANGE;
  uint32_t *partners = SUP_ALLOC(arena, uint32_t, 2 * (size_t)now->vertex_count);
  if (!partners) return sup_fail_memory(error, "rebinding");
  uint32_t *numbers = partners + now->vertex_count;
  SupRebinding by_number = {.then = numbers}, by_position = {.then = partners};
  if (numbered) {
    for (uint32_t v = 0; v < now->vertex_count; v++) numbers[v] = v;
    settle(&(Pairing){&then, now, numbers}, &by_number);
    by_number.report.by_order = now->vertex_count;
    by_number.report.size = (float)size;
  }
  if (numbered && (double)by_number.report.distance <= ROUND * size) {
    *out = by_number;
    return SUP_OK;
  }
  SupResult result =
      find_by_position(arena, &then, now, partners, &by_position.report, numbered ? NULL : error);
  if (result == SUP_OK) {
    settle(&(Pairing){&then, now, partners}, &by_position);
    by_position.report.size = (float)size;
    *out = by_position;
    return SUP_OK;
  }
  if (!numbered || result == SUP_ERROR_MEMORY) return result;
  if (!((double)by_number.report.distance <= SUP_REBIND_LIMIT * size)) {
    return too_far(&by_number, size, error);
  }
  *out = by_number;
  return SUP_OK;
}

bool sup_rebind_exact(const SupRebindReport *report) {
  return (double)report->distance <= EXACT * (double)report->size;
}

SupVec3 *sup_rebind_offsets(SupArena *arena, const SupRebinding *binding, uint32_t vertex_count,
                            size_t count, const SupVec3 *rows) {
  SupVec3 *moved = SUP_ALLOC(arena, SupVec3, count * vertex_count);
  const float scale = (float)(1 / binding->space.scale);
  for (size_t k = 0; k < count && moved; k++) {
    for (uint32_t v = 0; v < vertex_count; v++) {
      const SupVec3 row = rows[k * vertex_count + binding->then[v]];
      moved[k * vertex_count + v] = sup_vec3_scale(row, scale);
    }
  }
  return moved;
}
