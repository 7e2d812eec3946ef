/* SPDX-License-Identifier: MIT */
/*
 * From zones to the chunks that are wanted: a chunk per patch of a stratum, a chunk per ring of
 * patches of a solid zone.
 */
#include "chunks_work.h"
#include "supple/author/find_joint.h"

#define NEAR_JOINT 0.5 /* of the radius: a ring this near to its joint has it for its middle */

static const SupPatchZone *zone_named(const SupPatchPlan *plan, const char *name) {
  for (uint32_t k = 0; k < plan->zone_count; k++) {
    if (sup_string_equal(plan->zones[k].name, name)) return &plan->zones[k];
  }
  return NULL;
}

static bool is_skinned(const ChunksWork *w, const char *name) {
  bool skinned = false;
  for (uint32_t k = 0; k < w->def->option_count; k++) {
    if (sup_string_equal(w->def->options[k].name, name)) skinned = w->def->options[k].skinned;
  }
  return skinned;
}

static ChunkPiece *add_piece(ChunksWork *w, const char *name, const SupPatchZone *zone,
                             uint32_t count, const uint32_t *patches) {
  if (is_skinned(w, name) || is_skinned(w, zone->name)) return NULL;
  ChunkPiece *piece = &w->pieces[w->piece_count];
  *piece = (ChunkPiece){.name = name, .zone = zone, .patch_count = count, .patches = patches};
  for (uint32_t k = 0; k < count; k++) w->piece_of[patches[k]] = w->piece_count;
  w->piece_count++;
  return piece;
}

/* ---- What is across a boundary --------------------------------------------------------------- */

static bool list_across(ChunksWork *w) {
  const SupPatches *patches = w->def->patches;
  const size_t count = 2 * (size_t)w->def->patches_def->boundary_count;
  w->across = SUP_ALLOC(w->scratch, uint32_t, count);
  if (!w->across) return false;
  for (size_t k = 0; k < count; k++) w->across[k] = SUP_NONE;
  for (uint32_t p = 0; p < patches->patch_count; p++) {
    for (uint32_t s = 0; s < patches->patches[p].side_count; s++) {
      const SupPatchSide side = patches->patches[p].sides[s];
      w->across[2 * (size_t)side.boundary + side.backwards] = p;
    }
  }
  return true;
}

uint32_t sup_chunks_across(const ChunksWork *w, uint32_t boundary, uint32_t patch) {
  const uint32_t *two = w->across + 2 * (size_t)boundary;
  return two[0] == patch ? two[1] : two[0];
}

/* ---- Strata ---------------------------------------------------------------------------------- */

static SupResult add_strata(ChunksWork *w) {
  const SupPatches *patches = w->def->patches;
  for (uint32_t p = 0; p < patches->patch_count; p++) {
    const SupPatchZone *zone = zone_named(w->def->plan, patches->patches[p].zone);
    if (!zone || zone->kind != SUP_PATCH_ZONE_STRATUM) continue;
    uint32_t *own = SUP_COPY(w->arena, uint32_t, &p, 1);
    if (!own) return sup_fail_memory(w->error, "chunks");
    add_piece(w, patches->patches[p].name, zone, 1, own);
  }
  return SUP_OK;
}

/* ---- Rings of solid zones -------------------------------------------------------------------- */

/* Follows patches of the zone across opposite sides, from patch `first` and its side `side`, until
 * it comes back. Returns how many they are, or 0. */
static uint32_t follow(const ChunksWork *w, const SupPatchZone *zone, uint32_t first, uint32_t side,
                       uint32_t *out_patches) {
  const SupPatches *patches = w->def->patches;
  uint32_t at = first, count = 0;
  while (count < patches->patch_count) {
    const SupPatch *patch = &patches->patches[at];
    if (patch->side_count != 4 || !sup_string_equal(patch->zone, zone->name)) return 0;
    out_patches[count++] = at;
    const uint32_t boundary = patch->sides[side].boundary;
    const uint32_t next = sup_chunks_across(w, boundary, at);
    if (next == SUP_NONE || next == at) return 0;
    const SupPatch *beyond = &patches->patches[next];
    uint32_t entry = 0;
    while (entry < beyond->side_count && beyond->sides[entry].boundary != boundary) entry++;
    if (entry == beyond->side_count) return 0;
    side = (entry + 2) % 4;
    at = next;
    if (at == first) return count;
  }
  return 0;
}

static const char *ring_name(ChunksWork *w, const SupPatchZone *zone, uint32_t number) {
  char text[160];
  if (number == 0) return zone->name;
  const size_t length = sup_format(text, sizeof text, "%s-%u", zone->name, number + 1);
  return sup_arena_string(w->arena, text, length < sizeof text ? length : sizeof text - 1);
}

/* How far along the bone the corners of a ring are, in the mean. */
static double ring_height(const ChunksWork *w, const SupVec3d bone[2], uint32_t count,
                          const uint32_t *members) {
  const SupPatches *patches = w->def->patches;
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) {
    const SupPatch *patch = &patches->patches[members[k]];
    for (uint32_t c = 0; c < 4; c++) {
      const SupVec3 at = patches->mesh.positions[patch->loop[patch->corners[c]]];
      sum += sup_vec3d_dot(sup_vec3d_sub(sup_vec3_to_double(at), bone[0]),
                           sup_vec3d_sub(bone[1], bone[0]));
    }
  }
  return sum / count;
}

typedef struct Rings {
  uint32_t count;
  uint32_t *sizes;    /* [count] */
  uint32_t **members; /* [count] */
  double *heights;
} Rings;

static SupResult find_rings(ChunksWork *w, const SupPatchZone *zone, const SupVec3d bone[2],
                            Rings *out) {
  const uint32_t most = w->def->patches->patch_count;
  uint8_t *used = SUP_ALLOC(w->scratch, uint8_t, most);
  uint32_t *members = SUP_ALLOC(w->scratch, uint32_t, most);
  *out = (Rings){0, SUP_ALLOC(w->scratch, uint32_t, most),
                 sup_arena_alloc(w->scratch, most, sizeof *out->members),
                 SUP_ALLOC(w->scratch, double, most)};
  if (!used || !members || !out->sizes || !out->members || !out->heights) {
    return sup_fail_memory(w->error, "chunks");
  }
  for (uint32_t p = 0; p < most; p++) {
    uint32_t count = used[p] ? 0 : follow(w, zone, p, 0, members);
    if (!used[p] && count < 3) count = follow(w, zone, p, 1, members);
    if (count < 3) continue;
    uint32_t *own = SUP_COPY(w->arena, uint32_t, members, count), at = out->count++;
    if (!own) return sup_fail_memory(w->error, "chunks");
    for (uint32_t k = 0; k < count; k++) used[members[k]] = 1;
    const double height = ring_height(w, bone, count, own);
    for (; at && out->heights[at - 1] > height; at--) {
      out->heights[at] = out->heights[at - 1];
      out->sizes[at] = out->sizes[at - 1];
      out->members[at] = out->members[at - 1];
    }
    out->heights[at] = height;
    out->sizes[at] = count;
    out->members[at] = own;
  }
  return SUP_OK;
}

/* ---- Bones of limbs -------------------------------------------------------------------------- */

static SupVec3d joint_place(const ChunksWork *w, uint32_t joint) {
  return sup_affined_translation(w->figure.binds[joint]);
}

/* The middle of the corners at the ring's start (0) or end (2), and their distance from it. */
static SupVec3d ring_middle(const SupPatches *patches, const SupPatchRing *ring, uint32_t corner,
                            double *out_radius) {
  SupVec3d sum = {0, 0, 0};
  *out_radius = 0;
  for (uint32_t turn = 0; turn < 2; turn++) {
    for (uint32_t k = 0; k < ring->count; k++) {
      const SupPatch *patch = &patches->patches[ring->patches[k]];
      const uint32_t v = patch->loop[patch->corners[(ring->first_corners[k] + corner) % 4]];
      const SupVec3d at = sup_vec3_to_double(patches->mesh.positions[v]);
      if (turn) *out_radius += sup_vec3d_distance(at, sum) / ring->count;
      if (!turn) sum = sup_vec3d_add_scaled(sum, at, 1.0 / ring->count);
    }
  }
  return sum;
}

/* Two ways: on the line from joint to joint, where the rings are, or at a joint that is near; from
 * middle to middle of the rings. */
static void lay_bone(ChunksWork *w, ChunkPiece *piece) {
  const SupVec3d start = joint_place(w, piece->joints[0]);
  const SupVec3d along = sup_vec3d_sub(joint_place(w, piece->joints[1]), start);
  const double length = sup_vec3d_length(along);
  for (uint32_t e = 0; e < 2; e++) {
    double radius;
    const SupVec3d middle = ring_middle(w->def->patches, &piece->ring, 2 * e, &radius);
    double u = sup_vec3d_dot(sup_vec3d_sub(middle, start), along) / (length * length);
    for (uint32_t j = 0; j < 2; j++) {
      const double far = (u - j) * length;
      if (far < NEAR_JOINT * radius && -far < NEAR_JOINT * radius) u = j;
    }
    piece->bones[0][e] = sup_vec3d_add_scaled(start, along, u);
    piece->bones[1][e] = middle;
    piece->radius += radius / 2;
  }
}

static SupResult add_limb(ChunksWork *w, const SupPatchZone *zone, const uint32_t joints[2],
                          uint32_t number, uint32_t count, const uint32_t *members) {
  const SupVec3d bone[2] = {joint_place(w, joints[0]), joint_place(w, joints[1])};
  const char *name = ring_name(w, zone, number);
  ChunkPiece *piece = name ? add_piece(w, name, zone, count, members) : NULL;
  if (!name) return sup_fail_memory(w->error, "chunks");
  if (!piece) return SUP_OK;
  piece->limb = true;
  piece->joints[0] = joints[0];
  piece->joints[1] = joints[1];
  piece->bone = w->figure.bones[joints[0]];
  SupResult result =
      sup_chunk_ring(w->arena, name, w->def->patches, count, members, bone, &piece->ring, w->error);
  if (result == SUP_ERROR_FORMAT) {
    sup_chunks_refuse(w, piece, w->error->text);
    return SUP_OK;
  }
  if (result == SUP_OK) {
    piece->patches = piece->ring.patches;
    lay_bone(w, piece);
  }
  return result;
}

static uint32_t find_joint(const SupSkeleton *s, const char *name) {
  const size_t joint = sup_name_find(name, sup_joint_names(s));
  return joint < s->joint_count ? (uint32_t)joint : SUP_NONE;
}

static SupResult add_solid(ChunksWork *w, const SupPatchZone *zone) {
  const SupSkeleton *s = &w->def->character->skeleton;
  const uint32_t joints[2] = {find_joint(s, zone->flesh->bone[0]),
                              find_joint(s, zone->flesh->bone[1])};
  const SupVec3d bone[2] = {joint_place(w, joints[0]), joint_place(w, joints[1])};
  const uint32_t before = w->piece_count;
  uint32_t patch_count = 0, used = 0;
  Rings rings;
  SupResult result = find_rings(w, zone, bone, &rings);
  if (result == SUP_OK) result = sup_chunks_check_rings(w, zone, rings.count);
  for (uint32_t k = 0; k < rings.count && result == SUP_OK; k++) {
    result = add_limb(w, zone, joints, k, rings.sizes[k], rings.members[k]);
  }
  for (uint32_t p = 0; p < w->def->patches->patch_count; p++) {
    patch_count += sup_string_equal(w->def->patches->patches[p].zone, zone->name);
  }
  for (uint32_t k = 0; k < rings.count; k++) used += rings.sizes[k];
  if (used < patch_count && !is_skinned(w, zone->name)) {
    sup_chunks_note(w,
                    "zone '%s': %u of its %u patches are in no ring of four-sided ones and stay "
                    "plainly skinned",
                    zone->name, patch_count - used, patch_count);
  }
  if (w->piece_count == before && patch_count == 0) {
    sup_chunks_note(w, "zone '%s' has no patches", zone->name);
  }
  return result;
}

/* ---- All of them ----------------------------------------------------------------------------- */

SupResult sup_chunks_zones(ChunksWork *w) {
  const SupPatchPlan *plan = w->def->plan;
  const uint32_t count = w->def->patches->patch_count;
  w->pieces = SUP_ALLOC(w->arena, ChunkPiece, count);
  w->piece_of = SUP_ALLOC(w->scratch, uint32_t, count);
  if (!w->pieces || !w->piece_of || !list_across(w)) return sup_fail_memory(w->error, "chunks");
  for (uint32_t p = 0; p < count; p++) w->piece_of[p] = SUP_NONE;
  SupResult result = add_strata(w);
  for (uint32_t k = 0; k < plan->zone_count && result == SUP_OK; k++) {
    if (plan->zones[k].kind == SUP_PATCH_ZONE_SOLID) result = add_solid(w, &plan->zones[k]);
  }
  return result;
}
