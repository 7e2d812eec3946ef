/* SPDX-License-Identifier: MIT */
/* Supple: plain skinning of a clip, which everything learned is measured against. */
#ifndef SUPPLE_APP_PLAIN_PLAYER_H
#define SUPPLE_APP_PLAIN_PLAYER_H

#include "supple/app/app_context.h"
#include "supple/author/skin_pack.h"
#include "supple/clip.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Linear blend skinning, or dual quaternions. */
typedef enum SupPlainSkinning { SUP_PLAIN_LBS, SUP_PLAIN_DQS } SupPlainSkinning;

typedef struct SupPlainPlayer {
  const SupCharacter *character;
  const SupBackend *backend;
  const SupJobs *jobs;
  SupPlainSkinning skinning;
  SupSkinView skin;
  SupPose pose;
  SupAffine *globals, *palette;
  SupDualBone *duals;
  float *weights; /* of the morph targets, their defaults between calls */
} SupPlainPlayer;

/* For body or render vertices. Everything is in the arena. */
SupResult sup_plain_player_create(const SupAppContext *app, const SupCharacter *character,
                                  SupSampleOrder order, SupPlainSkinning skinning,
                                  SupPlainPlayer *out_player, SupError *error);

/* The character at a time of a clip: out_positions[player.skin.vertex_count], scene space. */
void sup_plain_player_sample(SupPlainPlayer *player, const SupClip *clip, float time,
                             SupVec3 *out_positions);

/* The character in its rest pose, scene space, body or render vertices, in the arena. One without
 * skeleton is where it is. */
SupResult sup_rest_positions(const SupAppContext *app, const SupCharacter *character,
                             SupSampleOrder order, const SupVec3 **out_positions, SupError *error);

/* The render vertices as the rest pose shows them: positions and normals of the scene, no tangents.
 * In the arena. */
SupResult sup_rest_render(const SupAppContext *app, const SupCharacter *character,
                          SupRender *out_render, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
