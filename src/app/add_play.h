/* SPDX-License-Identifier: MIT */
/* Parts of adding secondary motion: the flesh, all clips played through it as loops where they are
 * loops, and how far a baked file is from that. */
#ifndef SUPPLE_APP_ADD_PLAY_H
#define SUPPLE_APP_ADD_PLAY_H

#include "supple/app/add_character.h"

struct SupShow;

/* One clip while it plays. */
typedef struct SupShowClip {
  struct SupShow *show;
  SupAddClip *found;
  SupPoppingTrack track; /* when muscles clench, as the file says */
  double closing;        /* seconds between its last pose and its first */
  SupVec3 stride;        /* the way of the body from the clip's start to its end */
} SupShowClip;

typedef struct SupShow {
  const SupAppContext *app;
  const SupCharacter *character;
  SupPlayer player;
  double size; /* metres: the diagonal at rest */
  uint32_t clip_count;
  SupShowClip *clips;
  SupAddClip *found;      /* [clip_count] for the report */
  SupBakeMotion *motions; /* [clip_count] for baking */
} SupShow;

/* Refuses names in def->only that no joint has. */
SupResult sup_add_check_names(const SupAppContext *app, const SupCharacter *character,
                              const SupAddDef *def, SupError *error);

/* Builds flesh by def->preset around report->hard, and fills the report as far as `surface`. */
SupResult sup_add_flesh(const SupAppContext *app, const SupCharacter *character,
                        const SupAddDef *def, SupAddReport *report, SupModelList *out_models,
                        SupError *error);

/* Refuses clips that are too long to be meant. */
SupResult sup_show_check_clips(uint32_t count, const SupClip *const *clips, SupError *error);

/* Finds out which clips loop. *out_show must stay where it is. */
SupResult sup_show_create(const SupAppContext *app, const SupCharacterFile *file,
                          const SupModelList *models, const SupNames *names, SupShow *out_show,
                          SupError *error);

/* Plays everything once more beside the baked file and beside plain skinning. */
SupResult sup_show_measure(SupShow *show, const SupCharacterFile *file, const SupOpenDef *open,
                           const char *baked, SupError *error);

#endif
