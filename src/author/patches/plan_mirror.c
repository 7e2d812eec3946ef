/* SPDX-License-Identifier: MIT */
/*
 * One side of a plan in place of the other.
 *
 * Everything is on the kept side, on the other one, or in the middle. A feature is where its name
 * says, else where its place is. A boundary is where its name says, else where its ends are, else
 * where its points are; a patch where its name says, else where its boundaries are. What is kept
 * goes into the new plan as it is; behind that come the images, with the names of the other side.
 */
#include "base/scratch.h"
#include "plan_work.h"
#include "supple/author/find_joint.h"
#include "supple/author/sides.h"
#include "supple/geom/bounds.h"

#define MIDDLE 0.02 /* of the diagonal: nearer to the plane is on it */
#define APART 0.02  /* of the diagonal: places in the middle */
#define NEAR 0.003  /* of the diagonal: what is kept goes through no place nearer to the plane */

typedef enum Part { PART_MIDDLE, PART_KEPT, PART_OTHER } Part;

typedef struct Mirror {
  const SupPatchPlan *plan;
  const SupCharacter *character;
  SupArena *arena, *scratch;
  SupBvh bvh;
  SupPlane plane;
  double diagonal;
  bool left; /* is kept */
  SupPatchPlan out;
  SupPatchPlanFeature *features;
  SupPatchPlanBoundary *boundaries;
  SupPatchName *names;
  SupPatchZone *zones;
  Part *feature_parts, *boundary_parts;
  /* [feature_count], [boundary_count] number in the new plan, and that of the image there, for what
   * is kept; SUP_NONE for what goes. */
  uint32_t *features_own, *features_image, *boundaries_own, *boundaries_image;
  SupError *error;
} Mirror;

static SupResult refuse(const Mirror *m, uint32_t line, const char *what, const char *name,
                        const char *fault) {
  sup_fail(m->error, SUP_ERROR_FORMAT, "%s '%s' %s", what, name, fault);
  return sup_plan_prefix(m->plan, line, SUP_ERROR_FORMAT, m->error);
}

static Part part_of_name(const Mirror *m, const char *name) {
  const SupSide side = sup_side_of(name);
  if (side == SUP_SIDE_NONE) return PART_MIDDLE;
  return (side == SUP_SIDE_LEFT) == m->left ? PART_KEPT : PART_OTHER;
}

static Part part_of_place(const Mirror *m, SupVec3d place) {
  const double away = sup_vec3d_dot(m->plane.normal, place) - m->plane.offset;
  if (away <= MIDDLE * m->diagonal && away >= -MIDDLE * m->diagonal) return PART_MIDDLE;
  return (away > 0) == m->left ? PART_KEPT : PART_OTHER;
}

/* The name of what is kept (`image` false) and of its image. */
static const char *name_of(const Mirror *m, const char *name, bool image) {
  if (sup_side_of(name) != SUP_SIDE_NONE) return image ? sup_side_swap(m->arena, name) : name;
  const size_t length = sup_string_length(name);
  char *text = SUP_ALLOC(m->arena, char, length + 3);
  if (!text) return NULL;
  sup_copy(text, name, length);
  text[length] = '.';
  text[length + 1] = m->left != image ? 'l' : 'r';
  return text;
}

/* ---- Features ------------------------------------------------------------------------------- */

static SupResult mirror_landmark(Mirror *m, SupPatchPlanFeature *f) {
  const SupSkeleton *skeleton = &m->character->skeleton;
  const SupNameList names = sup_joint_names(skeleton);
  const size_t joint = sup_name_find(f->joint, names); /* there, since it was found before */
  const char *other = sup_side_swap(m->arena, skeleton->names[joint]);
  if (!other) return sup_fail_memory(m->error, NULL);
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (!sup_string_equal(skeleton->names[j], other)) continue;
    f->joint = other;
    f->direction = sup_plane_turn(&m->plane, f->direction);
    return SUP_OK;
  }
  sup_fail(m->error, SUP_ERROR_FORMAT,
           "feature '%s': joint '%s' has no partner '%s' on the other side", f->name,
           skeleton->names[joint], other);
  return sup_plan_prefix(m->plan, f->line, SUP_ERROR_FORMAT, m->error);
}

static SupResult mirror_feature(Mirror *m, SupVec3d place, SupPatchPlanFeature *f) {
  if (f->place == SUP_PATCH_AT_LANDMARK) return mirror_landmark(m, f);
  const bool vertex = f->place == SUP_PATCH_AT_VERTEX;
  const SupVec3d image = sup_plane_mirror(&m->plane, vertex ? place : f->position);
  SupSkinPoint at;
  double distance;
  SupResult result =
      sup_plan_snap(m->plan, &m->bvh, m->diagonal, f, image, vertex, &at, &distance, m->error);
  f->position = image;
  if (result == SUP_OK && vertex) {
    f->vertex = at.a;
    f->position = sup_vec3_to_double(m->bvh.mesh.positions[at.a]);
    f->no_position = false;
  }
  return result;
}

/* What is in the middle goes onto the plane, or an image would cross what it is the image of. */
static void centre_feature(const Mirror *m, SupVec3d place, SupPatchPlanFeature *io_feature) {
  const double away = sup_vec3d_dot(m->plane.normal, place) - m->plane.offset;
  const double least = NEAR * m->diagonal;
  if (io_feature->place == SUP_PATCH_AT_LANDMARK || (away < least && away > -least)) return;
  io_feature->place = SUP_PATCH_AT_POSITION;
  io_feature->no_position = false;
  io_feature->position = sup_vec3d_add_scaled(place, m->plane.normal, -away);
}

static SupResult split_features(Mirror *m) {
  const SupPatchPlan *plan = m->plan;
  SupSkinPoint *points = SUP_ALLOC(m->scratch, SupSkinPoint, plan->feature_count);
  if (!points) return sup_fail_memory(m->error, NULL);
  SupResult result =
      sup_plan_features(m->scratch, plan, m->character, &m->bvh, SUP_PLAN_SNAP, points, m->error);
  for (uint32_t k = 0; k < plan->feature_count && result == SUP_OK; k++) {
    const SupPatchPlanFeature *f = &plan->features[k];
    const SupVec3d place = sup_skin_point_place(&m->bvh.mesh, points[k]);
    Part part = part_of_name(m, f->name);
    if (part == PART_MIDDLE) part = part_of_place(m, place);
    m->feature_parts[k] = part;
    m->features_own[k] = m->features_image[k] = SUP_NONE;
    if (part == PART_OTHER) continue;
    m->features_own[k] = m->features_image[k] = m->out.feature_count;
    SupPatchPlanFeature *own = &m->features[m->out.feature_count++];
    *own = *f;
    if (part == PART_MIDDLE) centre_feature(m, place, own);
  }
  for (uint32_t k = 0; k < plan->feature_count && result == SUP_OK; k++) {
    if (m->feature_parts[k] != PART_KEPT) continue;
    const char *name = plan->features[k].name;
    const SupVec3d place = sup_skin_point_place(&m->bvh.mesh, points[k]);
    SupPatchPlanFeature *own = &m->features[m->features_own[k]];
    SupPatchPlanFeature *image = &m->features[m->out.feature_count];
    *image = *own;
    m->features_image[k] = m->out.feature_count++;
    result = mirror_feature(m, place, image);
    own->name = name_of(m, name, false);
    image->name = name_of(m, name, true);
    if (!own->name || !image->name) return sup_fail_memory(m->error, NULL);
  }
  return result;
}

/* The feature in the new plan: for one that goes, the image of its partner. SUP_NONE if there is
 * none. */
static uint32_t feature_in(const Mirror *m, uint32_t feature) {
  if (m->features_own[feature] != SUP_NONE) return m->features_own[feature];
  for (uint32_t k = 0; k < m->out.feature_count; k++) {
    if (sup_string_equal(m->features[k].name, m->plan->features[feature].name)) return k;
  }
  return SUP_NONE;
}

/* ---- Boundaries ----------------------------------------------------------------------------- */

/* Whether the feature of the new plan that is the image of `feature` is `other`. */
static bool are_images(const Mirror *m, uint32_t feature, uint32_t other) {
  const uint32_t image = m->features_image[feature];
  return image != SUP_NONE && image == feature_in(m, other);
}

static SupResult part_of_boundary(const Mirror *m, uint32_t boundary, Part *out_part) {
  const SupPatchPlanBoundary *b = &m->plan->boundaries[boundary];
  const Part from = m->feature_parts[b->from], to = m->feature_parts[b->to];
  Part part = part_of_name(m, b->name);
  if (from != PART_MIDDLE && to != PART_MIDDLE && from != to) {
    const uint32_t kept = from == PART_KEPT ? b->from : b->to;
    if (!are_images(m, kept, kept == b->from ? b->to : b->from)) {
      return refuse(m, b->line, "boundary", b->name,
                    "leads from one side to the other and is not its own image");
    }
    part = PART_MIDDLE;
  } else if (from != PART_MIDDLE || to != PART_MIDDLE) {
    part = from != PART_MIDDLE ? from : to;
  } else if (part == PART_MIDDLE && b->point_count) {
    SupVec3d sum = {0, 0, 0};
    for (uint32_t k = 0; k < b->point_count; k++) sum = sup_vec3d_add(sum, b->points[k]);
    part = part_of_place(m, sup_vec3d_scale(sum, 1.0 / b->point_count));
  }
  *out_part = part;
  return SUP_OK;
}

/* The places that a boundary goes through, without those on the other side. In the middle they go
 * onto the plane, some way apart: close to each other they would turn to and fro in folds. */
static SupResult keep_points(const Mirror *m, Part part, SupPatchPlanBoundary *io_boundary) {
  SupPatchPlanBoundary *b = io_boundary;
  if (b->kind == SUP_PATCH_CURVE || b->point_count == 0) return SUP_OK;
  SupVec3d *points = SUP_ALLOC(m->arena, SupVec3d, b->point_count);
  SupVec3d last = m->features[b->from].position;
  uint32_t count = 0;
  if (!points) return sup_fail_memory(m->error, NULL);
  for (uint32_t k = 0; k < b->point_count; k++) {
    const SupVec3d p = b->points[k];
    const double away = sup_vec3d_dot(m->plane.normal, p) - m->plane.offset;
    if (part == PART_KEPT && (m->left ? away : -away) > NEAR * m->diagonal) points[count++] = p;
    if (part == PART_KEPT) continue;
    const SupVec3d on = sup_vec3d_add_scaled(p, m->plane.normal, -away);
    if (sup_vec3d_distance(on, last) < APART * m->diagonal) continue;
    points[count++] = last = on;
  }
  b->points = count ? points : NULL;
  b->point_count = count;
  return SUP_OK;
}

static SupResult mirror_boundary(Mirror *m, const SupPatchPlanBoundary *b,
                                 SupPatchPlanBoundary *image) {
  SupVec3d *points = SUP_ALLOC(m->arena, SupVec3d, image->point_count);
  image->name = name_of(m, b->name, true);
  if (!points || !image->name) return sup_fail_memory(m->error, NULL);
  for (uint32_t k = 0; k < image->point_count; k++) {
    points[k] = sup_plane_mirror(&m->plane, image->points[k]);
  }
  if (image->point_count) image->points = points;
  /* The border runs the other way round on the other side. */
  const bool turned = b->kind == SUP_PATCH_RIM;
  image->from = m->features_image[turned ? b->to : b->from];
  image->to = m->features_image[turned ? b->from : b->to];
  return SUP_OK;
}

/* Boundary k into the new plan, with its image behind it. */
static SupResult put_boundary(Mirror *m, uint32_t k) {
  const SupPatchPlanBoundary *b = &m->plan->boundaries[k];
  const Part part = m->boundary_parts[k];
  SupPatchPlanBoundary *own = &m->boundaries[m->out.boundary_count];
  SupResult result = SUP_OK;
  *own = *b;
  own->from = feature_in(m, b->from);
  own->to = feature_in(m, b->to);
  m->boundaries_own[k] = m->boundaries_image[k] = m->out.boundary_count++;
  if (part == PART_KEPT || m->feature_parts[b->from] == PART_MIDDLE) {
    result = keep_points(m, part, own);
  }
  if (part == PART_MIDDLE || result != SUP_OK) return result;
  SupPatchPlanBoundary *image = &m->boundaries[m->out.boundary_count];
  *image = *own;
  m->boundaries_image[k] = m->out.boundary_count++;
  own->name = name_of(m, b->name, false);
  return own->name ? mirror_boundary(m, b, image) : sup_fail_memory(m->error, NULL);
}

/* Those in the middle come first: the others keep clear of them when they are traced. */
static SupResult split_boundaries(Mirror *m) {
  static const Part order[] = {PART_MIDDLE, PART_KEPT};
  const uint32_t count = m->plan->boundary_count;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    m->boundaries_own[k] = m->boundaries_image[k] = SUP_NONE;
    result = part_of_boundary(m, k, &m->boundary_parts[k]);
  }
  for (unsigned n = 0; n < 2; n++) {
    for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
      if (m->boundary_parts[k] == order[n]) result = put_boundary(m, k);
    }
  }
  return result;
}

/* As feature_in. */
static uint32_t boundary_in(const Mirror *m, uint32_t boundary) {
  if (m->boundaries_own[boundary] != SUP_NONE) return m->boundaries_own[boundary];
  for (uint32_t k = 0; k < m->out.boundary_count; k++) {
    if (sup_string_equal(m->boundaries[k].name, m->plan->boundaries[boundary].name)) return k;
  }
  return SUP_NONE;
}

/* ---- Patches and zones ---------------------------------------------------------------------- */

static SupResult part_of_patch(const Mirror *m, const SupPatchName *patch, Part *out_part) {
  bool kept = false, other = false;
  for (uint32_t k = 0; k < patch->boundary_count; k++) {
    kept |= m->boundary_parts[patch->boundaries[k]] == PART_KEPT;
    other |= m->boundary_parts[patch->boundaries[k]] == PART_OTHER;
  }
  *out_part = kept && other ? PART_MIDDLE
              : kept        ? PART_KEPT
              : other       ? PART_OTHER
                            : part_of_name(m, patch->name);
  if (!kept || !other) return SUP_OK;
  /* Its own image: every boundary on the other side is the image of one of its own. */
  for (uint32_t k = 0; k < patch->boundary_count; k++) {
    const uint32_t b = patch->boundaries[k];
    bool found = m->boundary_parts[b] == PART_MIDDLE;
    for (uint32_t i = 0; i < patch->boundary_count && !found; i++) {
      const uint32_t c = patch->boundaries[i];
      const uint32_t from = m->boundary_parts[b] == PART_KEPT ? b : c;
      found = m->boundary_parts[c] != m->boundary_parts[b] &&
              m->boundaries_image[from] != SUP_NONE &&
              m->boundaries_image[from] == boundary_in(m, from == b ? c : b);
    }
    if (found) continue;
    return refuse(m, patch->line, "patch", patch->name, "is on both sides and not its own image");
  }
  return SUP_OK;
}

static SupResult put_patch(Mirror *m, const SupPatchName *patch, Part part, bool image) {
  SupPatchName *out = &m->names[m->out.name_count++];
  uint32_t *boundaries = SUP_ALLOC(m->arena, uint32_t, patch->boundary_count);
  if (!boundaries) return sup_fail_memory(m->error, NULL);
  for (uint32_t k = 0; k < patch->boundary_count; k++) {
    const uint32_t b = patch->boundaries[k];
    boundaries[k] = image ? m->boundaries_image[b] : boundary_in(m, b);
  }
  *out = *patch;
  out->boundaries = boundaries;
  if (part == PART_KEPT) out->name = name_of(m, patch->name, image);
  if (image) out->zone = sup_side_swap(m->arena, patch->zone);
  return out->name && out->zone ? SUP_OK : sup_fail_memory(m->error, NULL);
}

static SupResult split_patches(Mirror *m) {
  const SupPatchPlan *plan = m->plan;
  for (unsigned image = 0; image < 2; image++) {
    for (uint32_t k = 0; k < plan->name_count; k++) {
      Part part = PART_MIDDLE;
      SupResult result = part_of_patch(m, &plan->names[k], &part);
      const bool wanted = image ? part == PART_KEPT : part != PART_OTHER;
      if (result == SUP_OK && wanted) result = put_patch(m, &plan->names[k], part, image);
      if (result != SUP_OK) return result;
    }
  }
  return SUP_OK;
}

/* The image of what is said about a zone: joints and features of the other side. */
static const SupPatchFlesh *mirror_flesh(Mirror *m, const SupPatchFlesh *from) {
  SupPatchFlesh *flesh = SUP_COPY(m->arena, SupPatchFlesh, from, 1);
  SupPatchShellPoint *shell =
      SUP_COPY(m->arena, SupPatchShellPoint, from->shell, from->shell_count);
  if (!flesh || !shell) return NULL;
  for (uint32_t k = 0; k < 2 && from->bone[0]; k++) {
    flesh->bone[k] = sup_side_swap(m->arena, from->bone[k]);
    if (!flesh->bone[k]) return NULL;
  }
  for (uint32_t k = 0; k < from->shell_count; k++) {
    shell[k].feature = name_of(m, from->shell[k].feature, true);
    if (from->shell[k].placed) {
      shell[k].position = sup_plane_mirror(&m->plane, from->shell[k].position);
    }
    if (!shell[k].feature) return NULL;
  }
  flesh->shell = shell;
  return flesh;
}

/* What a zone in the middle says about features: the kept side's, and their images. */
static const SupPatchFlesh *split_flesh(Mirror *m, const SupPatchFlesh *from) {
  SupPatchFlesh *flesh = SUP_COPY(m->arena, SupPatchFlesh, from, 1);
  SupPatchShellPoint *shell =
      SUP_ALLOC(m->arena, SupPatchShellPoint, 2 * (size_t)from->shell_count);
  const SupPatchFlesh *image = mirror_flesh(m, from);
  if (!flesh || !shell || !image) return NULL;
  flesh->shell_count = 0;
  for (uint32_t k = 0; k < from->shell_count; k++) {
    for (uint32_t f = 0; f < m->plan->feature_count; f++) {
      if (!sup_string_equal(m->plan->features[f].name, from->shell[k].feature)) continue;
      if (m->feature_parts[f] == PART_OTHER) continue;
      const bool middle = m->feature_parts[f] == PART_MIDDLE;
      shell[flesh->shell_count] = from->shell[k];
      if (!middle) shell[flesh->shell_count].feature = name_of(m, from->shell[k].feature, false);
      flesh->shell_count++;
      if (!middle) shell[flesh->shell_count++] = image->shell[k];
    }
  }
  flesh->shell = shell;
  return flesh;
}

static SupResult split_zones(Mirror *m) {
  for (unsigned image = 0; image < 2; image++) {
    for (uint32_t k = 0; k < m->plan->zone_count; k++) {
      const SupPatchZone *zone = &m->plan->zones[k];
      const Part part = part_of_name(m, zone->name);
      if (image ? part != PART_KEPT : part == PART_OTHER) continue;
      SupPatchZone *out = &m->zones[m->out.zone_count++];
      *out = *zone;
      if (image) out->name = sup_side_swap(m->arena, zone->name);
      if (zone->flesh && image) out->flesh = mirror_flesh(m, zone->flesh);
      if (zone->flesh && part == PART_MIDDLE) out->flesh = split_flesh(m, zone->flesh);
      if (!out->name || !out->flesh != !zone->flesh) return sup_fail_memory(m->error, NULL);
    }
  }
  return SUP_OK;
}

/* ---- All of it ------------------------------------------------------------------------------ */

static SupResult mirror(Mirror *m) {
  const SupPatchPlan *plan = m->plan;
  const uint32_t features = plan->feature_count, boundaries = plan->boundary_count;
  m->features = SUP_ALLOC(m->arena, SupPatchPlanFeature, 2 * (size_t)features);
  m->boundaries = SUP_ALLOC(m->arena, SupPatchPlanBoundary, 2 * (size_t)boundaries);
  m->names = SUP_ALLOC(m->arena, SupPatchName, 2 * (size_t)plan->name_count);
  m->zones = SUP_ALLOC(m->arena, SupPatchZone, 2 * (size_t)plan->zone_count);
  m->feature_parts = SUP_ALLOC(m->scratch, Part, features);
  m->boundary_parts = SUP_ALLOC(m->scratch, Part, boundaries);
  m->features_own = SUP_ALLOC(m->scratch, uint32_t, features);
  m->features_image = SUP_ALLOC(m->scratch, uint32_t, features);
  m->boundaries_own = SUP_ALLOC(m->scratch, uint32_t, boundaries);
  m->boundaries_image = SUP_ALLOC(m->scratch, uint32_t, boundaries);
  if (!m->features || !m->boundaries || !m->names || !m->zones || !m->feature_parts ||
      !m->boundary_parts || !m->features_own || !m->features_image || !m->boundaries_own ||
      !m->boundaries_image) {
    return sup_fail_memory(m->error, NULL);
  }
  SupResult result = sup_bvh_build(m->scratch, &m->character->body, &m->bvh, m->error);
  if (result == SUP_OK) {
    result = sup_symmetry_plane(m->scratch, m->character, &m->plane, m->error);
  }
  if (result == SUP_OK) result = split_features(m);
  if (result == SUP_OK) result = split_boundaries(m);
  if (result == SUP_OK) result = split_patches(m);
  return result == SUP_OK ? split_zones(m) : result;
}

SupResult sup_patch_plan_mirror(SupArena *arena, const SupPatchPlan *plan,
                                const SupCharacter *character, bool left, SupPatchPlan *out_plan,
                                SupError *error) {
  SupResult result = sup_patch_plan_check(plan, error);
  if (result != SUP_OK) return result;
  const SupMesh *mesh = &character->body;
  SupArena scratch = sup_scratch(arena);
  const SupBounds box = sup_bounds(mesh->positions, mesh->vertex_count);
  Mirror m = {.plan = plan,
              .character = character,
              .arena = arena,
              .scratch = &scratch,
              .diagonal = (double)sup_bounds_diagonal(box),
              .left = left,
              .out = {.source = plan->source, .vertex_count = plan->vertex_count},
              .error = error};
  result = mirror(&m);
  sup_arena_free(&scratch);
  if (result != SUP_OK) return result;
  m.out.features = m.features;
  m.out.boundaries = m.boundaries;
  m.out.names = m.names;
  m.out.zones = m.zones;
  result = sup_patch_plan_check(&m.out, error);
  if (result == SUP_OK) *out_plan = m.out;
  return result;
}
