/* SPDX-License-Identifier: MIT */
/* Sculpted shapes. */
#include "supple/app/shape_file.h"

#include <string.h>

#include "supple/app/plain_player.h"
#include "supple/io/obj.h"

static bool ends_in_obj(const char *path) {
  const char *dot = strrchr(path, '.');
  return dot && (dot[1] == 'o' || dot[1] == 'O') && (dot[2] == 'b' || dot[2] == 'B') &&
         (dot[3] == 'j' || dot[3] == 'J') && !dot[4];
}

/* The pose of another file's skeleton, for the joints that have its names. */
static SupResult read_pose(const char *path, const SupSkeleton *from, const SupCharacterFile *like,
                           SupTransform *out_pose, SupError *error) {
  const SupSkeleton *to = &like->character->skeleton;
  uint32_t found = 0;
  for (uint32_t j = 0; j < to->joint_count; j++) {
    out_pose[j] = to->rest[j];
    for (uint32_t k = 0; k < from->joint_count; k++) {
      if (!sup_string_equal(from->names[k], to->names[j])) continue;
      out_pose[j] = from->rest[k];
      found++;
      break;
    }
  }
  if (found && 2 * found >= to->bone_count) return SUP_OK;
  return sup_fail(
      error, SUP_ERROR_ARGUMENT,
      "%s has no pose of %s: only %u of its joints have the same names; give the pose as "
      "CLIP:SECONDS",
      path, like->path, found);
}

SupResult sup_read_shape(const SupAppContext *app, const SupOpenDef *def, const char *path,
                         const SupCharacterFile *like, SupTransform *out_pose,
                         SupSamples *out_samples, SupError *error) {
  SupSamples samples = {.fps = 1, .frame_count = 1, .order = SUP_ORDER_UNKNOWN};
  if (ends_in_obj(path)) {
    SupCharacter shape;
    if (out_pose) {
      return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: an .obj has no pose; give it as CLIP:SECONDS",
                      path);
    }
    SupResult result = sup_obj_read(app->arena, path, &shape, NULL, error);
    samples.vertex_count = result == SUP_OK ? shape.render.vertex_count : 0;
    samples.positions = result == SUP_OK ? shape.render.positions : NULL;
    *out_samples = samples;
    return result;
  }
  SupCharacterFile other;
  const SupVec3 *positions = NULL;
  SupResult result = sup_character_open(app, path, def, &other, error);
  if (result != SUP_OK) return result;
  result = sup_rest_positions(app, other.character, SUP_ORDER_RENDER, &positions, error);
  samples.vertex_count = other.character->render.vertex_count;
  if (result == SUP_OK) {
    samples.positions = SUP_COPY(app->arena, SupVec3, positions, samples.vertex_count);
    if (!samples.positions) result = sup_fail_memory(error, NULL);
  }
  if (result == SUP_OK && out_pose) {
    result = read_pose(path, &other.character->skeleton, like, out_pose, error);
  }
  sup_character_close(&other);
  *out_samples = samples;
  return result;
}

SupResult sup_find_morph_shape(const SupAppContext *app, const SupCharacter *character,
                               const char *text, const SupVec3 **out_offsets, SupError *error) {
  const SupCharacter *c = character;
  const SupNameList names = {c->morphs ? &c->morphs->name : NULL, sizeof *c->morphs,
                             c->morph_count};
  const size_t found = sup_name_find(text, names);
  *out_offsets = NULL;
  if (found >= c->morph_count) return SUP_OK;
  SupVec3 *sum = SUP_ALLOC(app->arena, SupVec3, c->body.vertex_count);
  if (!sum) return sup_fail_memory(error, NULL);
  for (uint32_t m = 0; m < c->morph_count; m++) { /* of all meshes together */
    if (!sup_string_equal(c->morphs[m].name, c->morphs[found].name)) continue;
    for (uint32_t v = 0; v < c->body.vertex_count; v++) {
      sum[v] = sup_vec3_add(sum[v], c->morphs[m].offsets[v]);
    }
  }
  *out_offsets = sum;
  return SUP_OK;
}

SupResult sup_skin_shape(const SupAppContext *app, const SupCharacter *character,
                         const SupTransform *joints, const SupVec3 *offsets, SupVec3 *out_positions,
                         SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  const SupSkin *skin = &character->skin;
  SupAffine *globals = SUP_ALLOC(app->arena, SupAffine, skeleton->joint_count);
  SupAffine *palette = SUP_ALLOC(app->arena, SupAffine, skeleton->bone_count);
  if (!globals || !palette) return sup_fail_memory(error, NULL);
  const SupPose pose = {skeleton->joint_count, sup_transform_identity(),
                        (SupTransform *)(uintptr_t)joints};
  sup_pose_evaluate(skeleton, &pose, globals, palette);
  for (uint32_t v = 0; v < character->body.vertex_count; v++) {
    SupVec3 rest = character->body.positions[v], sum = {0, 0, 0};
    if (offsets) rest = sup_vec3_add(rest, offsets[v]);
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      const SupVec3 at = sup_affine_point(palette[skin->bones[k]], rest);
      sum = sup_vec3_add_scaled(sum, at, skin->weights[k]);
    }
    out_positions[v] = sum;
  }
  return SUP_OK;
}
