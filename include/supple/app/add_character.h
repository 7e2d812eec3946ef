/* SPDX-License-Identifier: MIT */
/*
 * Supple: secondary motion on every clip of a character, in a file that any engine plays: finds
 * where flesh is soft, builds modes under a surface (or learns them), plays every clip through
 * them, bakes the motion into helper joints or morph targets, and measures what that loses.
 */
#ifndef SUPPLE_APP_ADD_CHARACTER_H
#define SUPPLE_APP_ADD_CHARACTER_H

#include "supple/app/bake_character.h"
#include "supple/app/choose_flesh.h"
#include "supple/app/lock_character.h"
#include "supple/app/model_list.h"
#include "supple/author/soft_parts.h"
#include "supple/train/learn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One clip as it was played. Lengths in metres. */
typedef struct SupAddClip {
  const SupClip *clip;
  double fps; /* so that the last frame is the clip's end; about 60 */
  uint32_t frame_count;
  bool loops;             /* it ends as it begins, and goes round without a jump */
  double moved, farthest; /* from plain skinning: root mean square, worst */
  double off, worst_off;  /* of the baked file from the live result */
  double step; /* from frame to frame the offset changes by so much at most, mean over the skin */
  double jump; /* loops: and from the last to the first */
  double seam; /* loops: and the clip's own skin, but for the body's way, RMS */
} SupAddClip;

/* What was done; filled stage by stage. */
typedef struct SupAddReport {
  const SupCharacter *character;
  bool unchanged; /* an amount of 0: the output is the input, and nothing else was done */
  bool still;     /* the file has no clips: the output has the models instead of baked motion */
  bool learned;   /* from a simulation: */
  SupLearnReport learn;
  SupSurfaceMade repacked; /* a surface that the file had, after somebody painted */
  bool as_it_is;           /* the models that the file had were played; nothing of the following */
  SupFleshChoice flesh;    /* that the preset was tuned to; no frequency: no volume to choose by */
  SupSurfacePreset preset; /* with its amount and frequency as used */
  SupHardParts hard;       /* what is not flesh and follows its bones; of learning too */
  SupSoftParts parts;
  bool filled;               /* the volume swings as a whole: */
  uint32_t mode_count;       /* modes of it */
  double lowest_frequency;   /* Hz */
  SupError not_filled;       /* why not; empty where nothing was to swing */
  SupSurfaceMade surface;    /* over it */
  SupBakeCharacterDef baked; /* as it was used, with the motions */
  SupBakeReport bake;
  double size; /* metres: the diagonal at rest */
  uint32_t clip_count;
  const SupAddClip *clips; /* [clip_count] */
} SupAddReport;

typedef enum SupAddStage {
  SUP_ADD_LOCKED,    /* hard: where flesh is made or learned */
  SUP_ADD_LEARNED,   /* learn: where that was asked for */
  SUP_ADD_OPENED,    /* the models of the file: repacked */
  SUP_ADD_FLESH,     /* all up to `surface` */
  SUP_ADD_LIVE,      /* the living character was written; the last one where `still` */
  SUP_ADD_UNCHANGED, /* the only one where `unchanged` */
  SUP_ADD_BAKED,     /* the output was written */
  SUP_ADD_MEASURED,  /* everything */
} SupAddStage;

/* Start from sup_add_def. */
typedef struct SupAddDef {
  uint32_t cookie;
  SupOpenDef open;
  bool learn;         /* simulate the flesh and learn from it first: minutes */
  const char *preset; /* NULL: `soft`, unless the file has models, which are played then */
  bool has_amount;    /* of the preset's inertia, [0, 1]: */
  double amount;
  SupNames only;            /* only what hangs on these joints or below moves */
  SupLockDef lock;          /* corrects what is not flesh */
  double unit;              /* metres per unit of the scene; 0 (SUP_UNIT_AUTO): by the size */
  bool rebind;              /* of sup_models_open */
  bool force;               /* also where the file has baked motion already */
  SupNames clips;           /* none: all */
  SupBakeCharacterDef bake; /* but for the motions */
  const char *live;         /* file for the character with its models and maps, or NULL */
  /* Told after every stage, or NULL. */
  void (*stage)(void *user, SupAddStage stage, const SupAddReport *so_far);
  void *user;
} SupAddDef;

SupAddDef sup_add_def(void);

/* Reads the character at `path` and writes the one that moves to `output`, a .glb or .gltf. What
 * can be refused is refused before anything is built or learned: names of clips and joints (see
 * sup_find_joints), clips that are too long, has_amount or only for flesh that does not come
 * from a preset, a lock for models that are played as they are, and a file whose motion was baked
 * before (see sup_baked_parts), which would move twice. An amount of 0 gives the input: the same
 * bytes where both are .glb, else the same document. A file without clips gets models instead of
 * baked motion. The report is in the arena.
 */
SupResult sup_add_character(const SupAppContext *app, const char *path, const SupAddDef *def,
                            const char *output, SupAddReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
