/* SPDX-License-Identifier: MIT */
/*
 * From regions to a plan: names, features, boundaries and patches.
 *
 * Boundaries are geodesics through the points of the paths that were found, so that tracing the
 * plan gives the same ones. Only patches that the cut skin has are named.
 */
#include "auto_work.h"

#define POINTS_MAX 64u

char *sup_auto_text(SupAuto *a, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  const size_t length = sup_format_v(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < sizeof text) return sup_arena_string(a->arena, text, length);
  char *longer = SUP_ALLOC(a->arena, char, length + 1);
  if (!longer) return NULL;
  va_start(arguments, format);
  sup_format_v(longer, length + 1, format, arguments);
  va_end(arguments);
  return longer;
}

/* ---- Names of rings -------------------------------------------------------------------------- */

/* What moves most of a piece. */
static const char *main_joint(const SupAuto *a, uint32_t piece) {
  const SupCharacter *c = a->def->character;
  uint32_t best = SUP_NONE;
  double most = 0;
  for (uint32_t j = 0; j < c->skeleton.joint_count; j++) {
    double sum = 0;
    for (uint32_t v = 0; v < a->mesh.vertex_count; v++) {
      if (a->topology.vertex_components[v] != piece) continue;
      for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
        if (c->skeleton.bone_joints[c->skin.bones[k]] != j) continue;
        sum += a->areas[v] * (double)c->skin.weights[k];
      }
    }
    if (sum > most) {
      most = sum;
      best = j;
    }
  }
  return best == SUP_NONE ? "" : c->skeleton.names[best];
}

static bool name_taken(const SupAuto *a, uint32_t count, const char *name) {
  for (uint32_t k = 0; k < count; k++) {
    if (a->regions[k].name && sup_string_equal(a->regions[k].name, name)) return true;
  }
  return false;
}

static bool name_region(SupAuto *a, uint32_t region, uint32_t largest) {
  SupRegion *r = &a->regions[region];
  const char *stem = "body";
  if (r->joint != SUP_NONE) {
    stem = a->def->character->skeleton.names[r->joint];
    if (!*stem) stem = sup_auto_text(a, "joint-%u", r->joint);
  } else if (r->piece != largest) {
    stem = main_joint(a, r->piece);
    stem = *stem ? sup_auto_text(a, "%s.piece", stem) : "piece";
  }
  if (!stem) return false;
  r->name = r->part ? sup_auto_text(a, "%s-%u", stem, r->part) : stem;
  for (uint32_t k = 2; r->name && name_taken(a, region, r->name); k++) {
    r->name = r->part ? sup_auto_text(a, "%s#%u-%u", stem, k, r->part)
                      : sup_auto_text(a, "%s#%u", stem, k);
  }
  return r->name != NULL;
}

SupResult sup_auto_names(SupAuto *a) {
  uint32_t largest = 0;
  for (uint32_t p = 1; p < a->topology.component_count; p++) {
    const bool flesh = a->piece_kinds[p] == SUP_PIECE_FLESH;
    const bool best =
        a->piece_kinds[largest] != SUP_PIECE_FLESH || a->piece_areas[p] > a->piece_areas[largest];
    if (flesh && best) largest = p;
  }
  for (uint32_t r = 0; r < a->region_count; r++) {
    if (!name_region(a, r, largest)) return sup_fail_memory(a->error, NULL);
  }
  for (uint32_t h = 0; h < a->hole_count; h++) {
    a->holes[h].name = sup_auto_text(a, "rim-%u", h + 1);
    if (!a->holes[h].name) return sup_fail_memory(a->error, NULL);
  }
  return SUP_OK;
}

/* ---- The definition -------------------------------------------------------------------------- */

static SupSkinPoint point_of(const SupAuto *a, uint32_t node) {
  const uint32_t n = a->mesh.vertex_count;
  if (node < n) return sup_skin_vertex(node);
  const uint32_t *e = a->topology.edges + 2 * (size_t)(node - n);
  return sup_skin_edge_point(e[0], e[1], a->slides[node - n], 0);
}

static SupResult make_boundaries(SupAuto *a, SupPatchAuto *out) {
  SupPatchFeature *features = SUP_ALLOC(a->arena, SupPatchFeature, a->spot_count);
  SupPatchBoundary *boundaries = SUP_ALLOC(a->arena, SupPatchBoundary, a->route_count);
  if (!features || !boundaries) return sup_fail_memory(a->error, NULL);
  for (uint32_t k = 0; k < a->spot_count; k++) {
    features[k] = (SupPatchFeature){.name = a->spots[k].name, .at = point_of(a, a->spots[k].node)};
  }
  for (uint32_t k = 0; k < a->route_count; k++) {
    const SupRoute *route = &a->routes[k];
    SupSkinPoint *points = SUP_ALLOC(a->arena, SupSkinPoint, route->node_count);
    if (!points) return sup_fail_memory(a->error, NULL);
    for (uint32_t i = 0; i < route->node_count; i++) points[i] = point_of(a, route->nodes[i]);
    boundaries[k] = (SupPatchBoundary){.name = route->name, .from = route->from, .to = route->to};
    boundaries[k].path = (SupSkinPath){route->node_count, points,
                                       sup_skin_points_length(&a->mesh, route->node_count, points)};
  }
  out->def = (SupPatchesDef){.mesh = a->mesh,
                             .topology = &out->topology,
                             .source = a->def->character->name,
                             .feature_count = a->spot_count,
                             .boundary_count = a->route_count,
                             .features = features,
                             .boundaries = boundaries};
  return SUP_OK;
}

/* The patch with just these boundaries. */
static bool is_cut(const SupPatches *patches, const SupWanted *wanted) {
  for (uint32_t k = 0; k < patches->patch_count; k++) {
    const SupPatch *p = &patches->patches[k];
    uint32_t found = 0;
    if (p->side_count != wanted->count) continue;
    for (uint32_t i = 0; i < p->side_count; i++) {
      for (uint32_t j = 0; j < wanted->count; j++) {
        found += p->sides[i].boundary == wanted->routes[j];
      }
    }
    if (found == wanted->count) return true;
  }
  return false;
}

static SupResult name_patches(SupAuto *a, SupPatchAuto *out, const SupPatches *patches) {
  SupPatchName *names = SUP_ALLOC(a->arena, SupPatchName, a->wanted_count);
  SupPatchZone *zones = SUP_ALLOC(a->arena, SupPatchZone, a->region_count);
  uint32_t count = 0, zone_count = 0;
  if (!names || !zones) return sup_fail_memory(a->error, NULL);
  for (uint32_t k = 0; k < a->wanted_count; k++) {
    const SupWanted *wanted = &a->wanted[k];
    SupPatchZone zone;
    if (!is_cut(patches, wanted)) continue;
    if (!sup_auto_zone(a, wanted->zone, &zone)) return sup_fail_memory(a->error, NULL);
    uint32_t at = 0;
    while (at < zone_count && !sup_string_equal(zones[at].name, zone.name)) at++;
    if (at == zone_count) zones[zone_count++] = zone;
    uint32_t *sides = SUP_COPY(a->arena, uint32_t, wanted->routes, wanted->count);
    if (!sides) return sup_fail_memory(a->error, NULL);
    names[count++] = (SupPatchName){.name = wanted->name,
                                    .zone = zone.name,
                                    .boundary_count = wanted->count,
                                    .boundaries = sides};
  }
  out->def.name_count = out->plan.name_count = count;
  out->def.names = out->plan.names = names;
  out->plan.zone_count = zone_count;
  out->plan.zones = zones;
  return SUP_OK;
}

/* ---- The plan -------------------------------------------------------------------------------- */

static SupResult make_plan(SupAuto *a, SupPatchAuto *out) {
  SupPatchPlanFeature *features = SUP_ALLOC(a->arena, SupPatchPlanFeature, a->spot_count);
  SupPatchPlanBoundary *boundaries = SUP_ALLOC(a->arena, SupPatchPlanBoundary, a->route_count);
  if (!features || !boundaries) return sup_fail_memory(a->error, NULL);
  for (uint32_t k = 0; k < a->spot_count; k++) {
    const SupSkinPoint at = out->def.features[k].at;
    features[k] =
        (SupPatchPlanFeature){.name = a->spots[k].name,
                              .place = at.a == at.b ? SUP_PATCH_AT_VERTEX : SUP_PATCH_AT_POSITION,
                              .vertex = at.a == at.b ? at.a : 0,
                              .position = sup_skin_point_place(&a->mesh, at)};
  }
  for (uint32_t k = 0; k < a->route_count; k++) {
    const SupSkinPath *path = &out->def.boundaries[k].path;
    const SupRoute *route = &a->routes[k];
    const uint32_t inner = path->count > 2 ? path->count - 2 : 0,
                   count = inner < POINTS_MAX ? inner : POINTS_MAX;
    const bool rim = route->rim && path->points[0].a == path->points[0].b &&
                     path->points[path->count - 1].a == path->points[path->count - 1].b;
    SupVec3d *points = SUP_ALLOC(a->arena, SupVec3d, count);
    if (!points) return sup_fail_memory(a->error, NULL);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t at = 1 + (uint32_t)((uint64_t)i * inner / count);
      points[i] = sup_skin_point_place(&a->mesh, path->points[at]);
    }
    boundaries[k] = (SupPatchPlanBoundary){.name = route->name,
                                           .from = route->from,
                                           .to = route->to,
                                           .kind = rim ? SUP_PATCH_RIM : SUP_PATCH_GEODESIC,
                                           .point_count = rim ? 0 : count,
                                           .points = points};
  }
  out->plan.source = out->def.source;
  out->plan.feature_count = a->spot_count;
  out->plan.features = features;
  out->plan.boundary_count = a->route_count;
  out->plan.boundaries = boundaries;
  out->plan.vertex_count = a->mesh.vertex_count;
  return SUP_OK;
}

/* ---- What is left out ------------------------------------------------------------------------ */

static const char *piece_name(const SupAuto *a, uint32_t piece) {
  const SupRender *render = &a->def->character->render;
  uint32_t best = SUP_NONE, most = 0;
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    uint32_t count = 0;
    for (uint32_t k = 0; k < part->vertex_count; k++) {
      const uint32_t v = render->to_body[part->first_vertex + k];
      count += a->topology.vertex_components[v] == piece;
    }
    if (count > most) {
      most = count;
      best = p;
    }
  }
  if (best != SUP_NONE && render->part_count > 1) return render->parts[best].name;
  return main_joint(a, piece);
}

static SupResult list_left_out(SupAuto *a, SupPatchAuto *out) {
  static const char *const reasons[] = {"", "not flesh", "small", "no patch fits"};
  const SupPatches *patches = &out->patches;
  const uint32_t pieces = a->topology.component_count;
  double *covered = SUP_ALLOC(a->scratch, double, pieces), all = 0, flesh = 0;
  SupPatchPiece *list = SUP_ALLOC(a->arena, SupPatchPiece, pieces);
  if (!covered || !list) return sup_fail_memory(a->error, NULL);
  for (uint32_t k = 0; k < patches->patch_count; k++) {
    const uint32_t v =
        a->mesh.triangles[3 * (size_t)patches->owners[patches->patches[k].triangles[0]]];
    covered[a->topology.vertex_components[v]] += patches->patches[k].area;
  }
  for (uint32_t p = 0; p < pieces; p++) {
    all += covered[p];
    uint8_t kind = a->piece_kinds[p];
    if (kind == SUP_PIECE_FLESH && !(covered[p] > 0)) kind = SUP_PIECE_FAILED;
    if (kind == SUP_PIECE_FLESH) {
      flesh += a->piece_areas[p];
      continue;
    }
    const SupPatchPiece piece = {.name = piece_name(a, p),
                                 .reason = reasons[kind],
                                 .triangle_count = a->topology.components[p].triangle_count,
                                 .area = a->area > 0 ? a->piece_areas[p] / a->area : 0};
    uint32_t at = out->left_out_count++;
    for (; at && list[at - 1].area < piece.area; at--) list[at] = list[at - 1];
    list[at] = piece;
  }
  out->left_out = list;
  out->covered = a->area > 0 ? all / a->area : 0;
  out->flesh_covered = flesh > 0 ? all / flesh : 0;
  return SUP_OK;
}

SupResult sup_auto_plan(SupAuto *a, SupPatchAuto *out) {
  SupPatches patches;
  out->topology = a->topology;
  SupResult result = make_boundaries(a, out);
  if (result == SUP_OK) result = sup_patches_create(a->scratch, &out->def, &patches, a->error);
  if (result == SUP_OK) result = name_patches(a, out, &patches);
  if (result == SUP_OK) result = make_plan(a, out);
  if (result == SUP_OK) result = sup_patches_create(a->arena, &out->def, &out->patches, a->error);
  if (result == SUP_OK) result = list_left_out(a, out);
  out->coarse_count = a->given_up;
  for (uint32_t r = 0; r < a->region_count; r++) {
    out->ring_count += !a->regions[r].dropped && a->regions[r].kind != SUP_RING_PIECE;
  }
  return result;
}
