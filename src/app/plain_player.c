/* SPDX-License-Identifier: MIT */
/* Plain skinning of a clip. */
#include "supple/app/plain_player.h"

SupResult sup_plain_player_create(const SupAppContext *app, const SupCharacter *character,
                                  SupSampleOrder order, SupPlainSkinning skinning,
                                  SupPlainPlayer *out_player, SupError *error) {
  uint32_t joints = character->skeleton.joint_count, bones = character->skeleton.bone_count;
  SupPlainPlayer player = {.character = character,
                           .backend = sup_backend_cpu(),
                           .jobs = app->jobs,
                           .skinning = skinning,
                           .pose = {.joint_count = joints}};
  SupResult result = sup_skin_pack_character(app->arena, character, order, &player.skin, error);
  if (result != SUP_OK) return result;
  player.pose.joints = SUP_ALLOC(app->arena, SupTransform, joints);
  player.globals = SUP_ALLOC(app->arena, SupAffine, joints);
  player.palette = SUP_ALLOC(app->arena, SupAffine, bones);
  player.duals = SUP_ALLOC(app->arena, SupDualBone, bones);
  player.weights = SUP_ALLOC(app->arena, float, character->morph_count);
  if (!player.pose.joints || !player.globals || !player.palette || !player.duals ||
      !player.weights) {
    return sup_fail_memory(error, NULL);
  }
  *out_player = player;
  return SUP_OK;
}

static void sample(SupPlainPlayer *player, const SupClip *clip, float time, SupVec3 *out_positions,
                   SupVec3 *out_normals) {
  const SupCharacter *character = player->character;
  sup_pose_rest(&character->skeleton, &player->pose);
  for (uint32_t k = 0; k < character->morph_count; k++) {
    player->weights[k] = character->morphs[k].weight;
  }
  sup_clip_sample(clip, time, false, NULL, &player->pose, player->weights);
  sup_pose_evaluate(&character->skeleton, &player->pose, player->globals, player->palette);
  SupSkinCall call = {.skin = &player->skin,
                      .palette = player->palette,
                      .duals = player->duals,
                      .morph_weights = player->weights,
                      .unit = true,
                      .positions = {(float *)out_positions, 3},
                      .normals = {(float *)out_normals, 3}};
  if (player->skinning == SUP_PLAIN_DQS) {
    call.stretched = sup_skin_duals(player->skin.bone_count, player->palette, player->duals);
    sup_skin_dqs(player->backend, player->jobs, &call);
  } else {
    sup_skin_lbs(player->backend, player->jobs, &call);
  }
}

void sup_plain_player_sample(SupPlainPlayer *player, const SupClip *clip, float time,
                             SupVec3 *out_positions) {
  sample(player, clip, time, out_positions, NULL);
}

SupResult sup_rest_positions(const SupAppContext *app, const SupCharacter *character,
                             SupSampleOrder order, const SupVec3 **out_positions, SupError *error) {
  if (character->skeleton.bone_count == 0) {
    *out_positions =
        order == SUP_ORDER_BODY ? character->body.positions : character->render.positions;
    return SUP_OK;
  }
  SupPlainPlayer player;
  SupResult result = sup_plain_player_create(app, character, order, SUP_PLAIN_LBS, &player, error);
  if (result != SUP_OK) return result;
  SupVec3 *positions = SUP_ALLOC(app->arena, SupVec3, player.skin.vertex_count);
  if (!positions) return sup_fail_memory(error, NULL);
  const SupClip nothing = {.name = ""};
  sup_plain_player_sample(&player, &nothing, 0, positions);
  *out_positions = positions;
  return SUP_OK;
}

SupResult sup_rest_render(const SupAppContext *app, const SupCharacter *character,
                          SupRender *out_render, SupError *error) {
  *out_render = character->render;
  if (character->skeleton.bone_count == 0) return SUP_OK;
  SupPlainPlayer player;
  SupResult result =
      sup_plain_player_create(app, character, SUP_ORDER_RENDER, SUP_PLAIN_LBS, &player, error);
  if (result != SUP_OK) return result;
  bool has_normals = player.skin.flags & SUP_SKIN_NORMALS;
  SupVec3 *positions = SUP_ALLOC(app->arena, SupVec3, player.skin.vertex_count);
  SupVec3 *normals = has_normals ? SUP_ALLOC(app->arena, SupVec3, player.skin.vertex_count) : NULL;
  if (!positions || (has_normals && !normals)) return sup_fail_memory(error, NULL);
  const SupClip nothing = {.name = ""};
  sample(&player, &nothing, 0, positions, normals);
  out_render->positions = positions;
  out_render->normals = normals;
  out_render->tangents = NULL;
  return SUP_OK;
}
