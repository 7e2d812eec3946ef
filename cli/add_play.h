/* SPDX-License-Identifier: MIT */
/* All clips of a character through its flesh, as loops where they are loops; and how far a baked
 * file is from that. */
#ifndef SUPPLE_CLI_ADD_PLAY_H
#define SUPPLE_CLI_ADD_PLAY_H

#include "models.h"
#include "play_as.h"

struct CliShow;

/* One clip. */
typedef struct CliShowClip {
  struct CliShow *show;
  const SupClip *clip;
  double fps; /* so that the last frame is the clip's end */
  uint32_t frame_count;
  bool loops;
  SupPoppingTrack track;  /* when muscles clench, as the file says */
  double closing;         /* seconds between its last pose and its first */
  double moved, farthest; /* metres from plain skinning: root mean square, worst */
  double off, worst_off;  /* metres of the baked file from the live result */
  double step; /* from frame to frame the offset changes by so much at most, mean over the skin */
  double jump; /* loops: and from the last to the first */
} CliShowClip;

typedef struct CliShow {
  CliContext *cli;
  const SupCharacter *character;
  SupPlayer player;
  double size; /* metres: the diagonal at rest */
  uint32_t clip_count;
  CliShowClip *clips;
  SupBakeMotion *motions; /* [clip_count] for baking */
} CliShow;

/* Finds out which clips loop. */
SupResult cli_show_create(CliContext *cli, const CliActor *actor, const CliModels *models,
                          CliShow *out_show, SupError *error);

/* Plays everything once more beside the baked file and beside plain skinning. */
SupResult cli_show_measure(CliShow *show, const CliActor *actor, const char *baked,
                           SupError *error);

#endif
