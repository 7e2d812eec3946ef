/* SPDX-License-Identifier: MIT */
/* A clip played through a character's stack of models, frame by frame. */
#ifndef SUPPLE_CLI_STACK_PLAYER_H
#define SUPPLE_CLI_STACK_PLAYER_H

#include "models.h"
#include "supple/author/clip_gap.h"
#include "supple/helpers.h"
#include "supple/popping.h"

typedef struct CliStackPlayer {
  const SupCharacter *character;
  const SupBackend *backend;
  const SupJobs *jobs;
  SupStack stack;
  SupStackState *state;
  SupPose pose;
  SupTransform *unused;       /* [joint_count] for where only morph weights are asked for */
  SupTransform *start;        /* [joint_count] the first pose, while a loop closes */
  float *weights;             /* of the morph targets */
  float gravity;              /* m/s^2 downwards; 0 */
  SupPoppingTrack track;      /* when muscles clench, in the clip's time */
  float exaggerate;           /* what helpers swing, times this; 1 */
  const float *exaggerations; /* [6 * helpers] the same by number, on top; or NULL */
  /* The clip that plays. */
  const SupClip *clip;
  bool loop;
  double closing;   /* seconds that a loop takes from its last pose to its first; the caller's */
  SupVec3 stride;   /* of one round of a loop, so that a walk goes on walking */
  double fps, time; /* time of the last frame, seconds */
  uint32_t frame;   /* the next one */
} CliStackPlayer;

/* For body or render vertices. Everything is in `cli->arena`. */
SupResult cli_stack_player_create(CliContext *cli, const SupCharacter *character,
                                  const CliModels *models, SupSampleOrder order,
                                  CliSkinning skinning, CliStackPlayer *out_player,
                                  SupError *error);

/* A new clip, from its start: `preroll` seconds before it the first pose is held; a loop plays
 * whole rounds instead, at least so long. False if a clip that should loop does not end as it
 * begins. */
bool cli_stack_player_begin(CliStackPlayer *player, const SupClip *clip, double fps, double preroll,
                            bool loop);

/* What lies between two times of a clip; infinite where memory runs out. */
SupClipGap cli_stack_player_gap(const CliStackPlayer *player, const SupClip *clip, double from,
                                double to);

/* The next frame: out_positions[player->stack.vertex_count], scene space. */
void cli_stack_player_frame(CliStackPlayer *player, SupVec3 *out_positions);

#endif
