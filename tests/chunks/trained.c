/* SPDX-License-Identifier: MIT */
#include "trained.h"

#include "supple/train/patch_map.h"

/* ---- Characters ------------------------------------------------------------------------------ */

static double far_from(SupVec3d p, SupVec3d a, SupVec3d b) {
  const SupVec3d along = sup_vec3d_sub(b, a);
  double u = sup_vec3d_dot(sup_vec3d_sub(p, a), along) / sup_vec3d_dot(along, along);
  u = u < 0 ? 0 : u > 1 ? 1 : u;
  return sup_vec3d_distance(p, sup_vec3d_add_scaled(a, along, u));
}

static uint32_t nearest_bone(SupVec3d p, uint32_t count, const SupVec3d *places) {
  uint32_t best = 0;
  for (uint32_t k = 1; k + 1 < count; k++) {
    if (far_from(p, places[k], places[k + 1]) < far_from(p, places[best], places[best + 1])) {
      best = k;
    }
  }
  return best;
}

static void add_skeleton(Flesh *f, uint32_t count, const SupVec3d *places) {
  SupArena *arena = &f->body->arena;
  int32_t *parents = SUP_ALLOC(arena, int32_t, count);
  SupTransform *rest = SUP_ALLOC(arena, SupTransform, count);
  const char **names = sup_arena_alloc(arena, count, sizeof *names);
  uint32_t *joints = SUP_ALLOC(arena, uint32_t, count);
  SupAffine *binds = SUP_ALLOC(arena, SupAffine, count);
  assert_true(parents && rest && names && joints && binds);
  for (uint32_t k = 0; k < count; k++) {
    snprintf(f->names[k], sizeof f->names[k], "joint%u", k);
    const SupVec3d from = k ? places[k - 1] : (SupVec3d){0, 0, 0};
    parents[k] = (int32_t)k - 1;
    names[k] = f->names[k];
    joints[k] = k;
    rest[k] = sup_transform_identity();
    rest[k].translation = sup_vec3d_to_float(sup_vec3d_sub(places[k], from));
    binds[k] = sup_affine_identity();
    binds[k].m[9] = (float)-places[k].x;
    binds[k].m[10] = (float)-places[k].y;
    binds[k].m[11] = (float)-places[k].z;
  }
  f->character.skeleton = (SupSkeleton){count, count, parents, rest, names, joints, binds};
}

static void add_skin(Flesh *f, uint32_t count, const SupVec3d *places) {
  SupArena *arena = &f->body->arena;
  const uint32_t vertices = f->body->mesh.vertex_count;
  uint32_t *offsets = SUP_ALLOC(arena, uint32_t, vertices + 1);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, vertices);
  float *weights = SUP_ALLOC(arena, float, vertices);
  assert_true(offsets && bones && weights);
  for (uint32_t v = 0; v < vertices; v++) {
    offsets[v + 1] = v + 1;
    bones[v] = nearest_bone(sup_vec3_to_double(f->body->mesh.positions[v]), count, places);
    weights[v] = 1;
  }
  f->character.skin = (SupSkin){vertices, 1, offsets, bones, weights};
}

static SupVec3d patch_middle(const PatchBody *body, const SupPatch *patch) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t c = 0; c < patch->side_count; c++) {
    const SupVec3 at = body->patches.mesh.positions[patch->loop[patch->corners[c]]];
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(at), 1.0 / patch->side_count);
  }
  return sum;
}

static void add_zones(Flesh *f, uint32_t count, const SupVec3d *places, bool solid) {
  static const char *const names[8] = {"zone0", "zone1", "zone2", "zone3",
                                       "zone4", "zone5", "zone6", "zone7"};
  SupPatch *patches =
      SUP_COPY(&f->body->arena, SupPatch, f->body->patches.patches, f->body->patches.patch_count);
  assert_non_null(patches);
  for (uint32_t p = 0; p < f->body->patches.patch_count; p++) {
    const SupVec3d at = patch_middle(f->body, &patches[p]);
    patches[p].zone = names[solid ? nearest_bone(at, count, places) : 0];
  }
  for (uint32_t k = 0; k < (solid ? count - 1 : 1); k++) {
    f->said[k] = sup_patch_flesh();
    if (solid) f->said[k].bone[0] = f->names[k];
    if (solid) f->said[k].bone[1] = f->names[k + 1];
    f->zones[k] = (SupPatchZone){names[k], solid ? SUP_PATCH_ZONE_SOLID : SUP_PATCH_ZONE_STRATUM,
                                 k + 1, &f->said[k]};
  }
  f->patches = f->body->patches;
  f->patches.patches = patches;
  f->plan.zone_count = solid ? count - 1 : 1;
  f->plan.zones = f->zones;
}

static void add_plan(Flesh *f) {
  const SupPatchesDef *def = &f->body->def;
  SupArena *arena = &f->body->arena;
  SupPatchPlanFeature *features = SUP_ALLOC(arena, SupPatchPlanFeature, def->feature_count);
  SupPatchPlanBoundary *boundaries = SUP_ALLOC(arena, SupPatchPlanBoundary, def->boundary_count);
  assert_true(features && boundaries);
  for (uint32_t k = 0; k < def->feature_count; k++) {
    features[k] = (SupPatchPlanFeature){.name = def->features[k].name, .no_position = true};
    features[k].vertex = def->features[k].at.a;
  }
  for (uint32_t k = 0; k < def->boundary_count; k++) {
    boundaries[k] = (SupPatchPlanBoundary){.name = def->boundaries[k].name,
                                           .from = def->boundaries[k].from,
                                           .to = def->boundaries[k].to};
  }
  f->plan = (SupPatchPlan){.source = "plan.json",
                           .feature_count = def->feature_count,
                           .boundary_count = def->boundary_count,
                           .features = features,
                           .boundaries = boundaries};
}

Flesh *make_flesh(PatchBody *body, uint32_t count, const SupVec3d *places, bool solid) {
  Flesh *f = calloc(1, sizeof *f);
  assert_non_null(f);
  f->body = body;
  f->character.name = "flesh";
  f->character.body = body->mesh;
  add_skeleton(f, count, places);
  add_skin(f, count, places);
  f->charts = body_charts(body);
  add_plan(f);
  add_zones(f, count, places, solid);
  return f;
}

void free_flesh(Flesh *f) {
  patch_body_free(f->body);
  free(f);
}

SupChunksTrainDef flesh_def(const Flesh *f) {
  SupChunksTrainDef def = sup_chunks_train_def(&f->character);
  def.plan = &f->plan;
  def.patches_def = &f->body->def;
  def.patches = &f->patches;
  def.charts = &f->charts;
  return def;
}

/* ---- What must hold -------------------------------------------------------------------------- */

/* Of the numbers that floats round. */
static double size_of(const SupMesh *mesh) {
  double most = 0;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    const double far = sup_vec3d_length(sup_vec3_to_double(mesh->positions[v]));
    most = far > most ? far : most;
  }
  return most;
}

static SupVec3d node_at(const SupChunksPieceDef *piece, uint32_t node) {
  assert_true(node < piece->free_count + piece->held_count);
  return sup_affined_point(piece->rest, sup_vec3_to_double(piece->nodes[node]));
}

static void check_skin(const SupCharacter *c, const SupChunksPackDef *def, double size) {
  for (uint32_t p = 0; p < def->patch_count; p++) {
    const SupChunksPatchDef *patch = &def->patches[p];
    assert_true(patch->piece < def->piece_count && patch->border_count >= 3);
    for (uint32_t v = 0; v < patch->vertex_count; v++) {
      SupVec3d at = sup_vec3_to_double(patch->residuals[v]);
      double sum = 0;
      for (uint32_t k = 0; k < 4; k++) {
        const double weight = (double)patch->weights[4 * (size_t)v + k];
        assert_true(weight >= 0 && weight <= 1);
        at = sup_vec3d_add_scaled(
            at, node_at(&def->pieces[patch->piece], patch->nodes[4 * (size_t)v + k]), weight);
        sum += weight;
      }
      assert_true(sum > 1 - 1e-6 && sum < 1 + 1e-6);
      SupVec3d wanted = at;
      if (patch->vertices[v] != SUP_CHUNKS_NONE) {
        wanted = sup_vec3_to_double(c->body.positions[patch->vertices[v]]);
      } else if (v < patch->border_count) {
        const SupSeam *seam = &def->seams[patch->seams[v]];
        wanted =
            sup_vec3d_lerp(sup_vec3_to_double(c->body.positions[seam->a]),
                           sup_vec3_to_double(c->body.positions[seam->b]), (double)seam->ratio);
      }
      assert_true(sup_vec3d_distance(at, wanted) < 3e-7 * size);
    }
    const uint32_t inner = patch->vertex_count - patch->border_count;
    for (uint32_t v = 0; v < inner; v++) {
      double sum = 0;
      for (uint32_t k = 0; k < patch->border_count; k++) {
        sum += (double)patch->spread[(size_t)v * patch->border_count + k];
      }
      assert_true(sum > 1 - 1e-4 && sum < 1 + 1e-4);
    }
  }
}

static void check_piece(const SupChunksPackDef *def, const SupChunksPieceDef *piece, double size) {
  uint32_t used = 0;
  for (uint32_t e = 0; e < 2; e++) {
    for (uint32_t i = 0; i < piece->place_counts[e]; i++) {
      const SupChunksPlace *place = &piece->places[used++];
      const SupVec3d own = sup_affined_point(piece->rest, sup_vec3_to_double(place->at));
      const SupVec3d other = place->piece == SUP_CHUNKS_NONE
                                 ? sup_vec3_to_double(def->points[place->node])
                                 : node_at(&def->pieces[place->piece], place->node);
      assert_true(place->piece == SUP_CHUNKS_NONE ||
                  def->pieces[place->piece].limb == SUP_CHUNKS_NONE);
      assert_true(sup_vec3d_distance(own, other) < 1e-6 * size);
    }
  }
  for (uint32_t h = 0; h < piece->hold_count; h++) {
    const SupChunksHold *hold = &piece->holds[h];
    assert_true(hold->node >= piece->free_count);
    assert_true(hold->node < piece->free_count + piece->held_count);
  }
}

void check_trained(const SupCharacter *character, const SupChunksTrained *trained) {
  const SupChunksPackDef *def = &trained->def;
  const double size = size_of(&character->body);
  bool limbs = false;
  assert_int_equal(def->piece_count, trained->report.piece_count);
  for (uint32_t k = 0; k < def->piece_count; k++) {
    const bool limb = def->pieces[k].limb != SUP_CHUNKS_NONE;
    assert_true(limb || !limbs);
    limbs |= limb;
    check_piece(def, &def->pieces[k], size);
  }
  for (uint32_t k = 0; k < def->limb_joint_count; k++) {
    assert_true(def->limb_joints[k].first < def->limb_count);
    assert_true(def->limb_joints[k].second < def->limb_count);
    for (uint32_t i = 0; i < k; i++) {
      assert_int_not_equal(def->limb_joints[i].first, def->limb_joints[k].first);
      assert_int_not_equal(def->limb_joints[i].second, def->limb_joints[k].second);
    }
  }
  check_skin(character, def, size);
}

/* ---- Matrices -------------------------------------------------------------------------------- */

static uint32_t put_affine(double *numbers, SupAffined map) {
  for (uint32_t k = 0; k < 3; k++) numbers[k] = map.m[9 + k];
  for (uint32_t k = 0; k < 9; k++) numbers[3 + k] = map.m[k] - (k % 4 == 0 ? 1 : 0);
  return 12;
}

static uint32_t put_moved(double *numbers, SupAffined map, SupVec3d at) {
  const SupVec3d move = sup_vec3d_sub(sup_affined_point(map, at), at);
  numbers[0] = move.x;
  numbers[1] = move.y;
  numbers[2] = move.z;
  return 3;
}

/* As many numbers as the piece has columns. */
static uint32_t turn_numbers(const SupChunksPackDef *def, const SupChunksPieceDef *piece,
                             SupAffined map, double *numbers) {
  uint32_t used = 0;
  if (piece->limb != SUP_CHUNKS_NONE) {
    const SupChunksPlace *place = piece->places;
    for (uint32_t e = 0; e < 2; e++) {
      if (piece->ends[e] == SUP_CHUNKS_END_JOINT) used += put_affine(numbers + used, map);
      for (uint32_t i = 0; i < piece->place_counts[e]; i++, place++) {
        used += put_moved(numbers + used, map, sup_vec3_to_double(place->at));
      }
    }
  } else {
    const uint32_t first = def->face_offsets[piece->face];
    const uint32_t count = def->face_offsets[piece->face + 1] - first;
    for (uint32_t k = 0; k < 2 * count; k++) used += put_affine(numbers + used, map);
    for (uint32_t k = 0; k < count; k++) {
      const SupVec3d at =
          sup_affined_point(sup_affined_inverse(piece->rest),
                            sup_vec3_to_double(def->points[def->corners[first + k]]));
      used += put_moved(numbers + used, map, at);
    }
  }
  for (uint32_t k = 0; k < piece->bulge_count; k++) numbers[used++] = 0;
  return used;
}

double turn_error(const SupChunksPackDef *def, uint32_t p, SupAffined map) {
  const SupChunksPieceDef *piece = &def->pieces[p];
  double *numbers = calloc(65536, sizeof *numbers), most = 0;
  assert_non_null(numbers);
  const uint32_t columns = turn_numbers(def, piece, map, numbers);
  for (uint32_t i = 0; i < piece->free_count; i++) {
    const SupVec3d at = sup_vec3_to_double(piece->nodes[i]);
    const SupVec3d wanted = sup_vec3d_sub(sup_affined_point(map, at), at);
    double x[3] = {0, 0, 0};
    for (uint32_t k = 0; k < 3; k++) {
      for (uint32_t c = 0; c < columns; c++) {
        x[k] += (double)piece->matrix[(3 * (size_t)i + k) * columns + c] * numbers[c];
      }
    }
    const double far = sup_vec3d_distance((SupVec3d){x[0], x[1], x[2]}, wanted);
    most = far > most ? far : most;
  }
  for (uint32_t h = 0; h < piece->hold_count; h++) {
    assert_true(piece->holds[h].column + piece->holds[h].size <= columns);
  }
  free(numbers);
  return most;
}
