/* SPDX-License-Identifier: MIT */
/*
 * Supple: learning a character's secondary motion: from point caches, or from a simulation of its
 * own that the learner asks for poses and motion (supple/train/learn.h).
 */
#ifndef SUPPLE_APP_LEARN_CHARACTER_H
#define SUPPLE_APP_LEARN_CHARACTER_H

#include "supple/app/choose_flesh.h"
#include "supple/app/lock_character.h"
#include "supple/sim/simulate.h"
#include "supple/train/learn.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Start from sup_learn_character_def. */
typedef struct SupLearnCharacterDef {
  uint32_t cookie;
  /* What the simulation fills the body with, and what the modes are of: fat in 2,500 tetrahedra,
   * with the map `material` of the file; what is locked is found by sup_lock_character. The
   * integrator is chosen here. */
  SupSimDef flesh;
  SupLockDef lock;      /* corrects what is locked */
  bool usual_flesh;     /* stiffness and damping are chosen (sup_choose_flesh); true */
  bool own_damping;     /* ... but for the damping: that of flesh.material is meant */
  SupNames examples;    /* paths of point caches; none: the simulation makes examples */
  SupNames clips;       /* the clip that each of them shows, see sup_read_examples */
  SupNames hold;        /* clips of the examples to choose by; none: as SupLearnDef says */
  SupNames test;        /* clips of the examples that are only measured on */
  SupNames quasistatic; /* CLIP=FILE: a clip of the examples without inertia, for its dynamic
                           error */
  double gravity;       /* m/s^2 downwards that examples have felt, or the simulation shall; 0 */
  uint32_t
      pose_count; /* equilibria that the simulation makes; half as many beyond the clips; 120 */
  uint32_t mode_count; /* 15 */
  bool skip_surface;   /* do not try to learn a surface, which takes longest */
  float fps;           /* of the examples; 0: what they say, see sup_read_examples */
  /* Told what is not flesh, before anything is learned; or NULL. */
  void (*locked)(void *user, const SupHardParts *hard);
  /* Told which flesh was chosen; or NULL. */
  void (*chosen)(void *user, const SupFleshChoice *choice);
  void *user;
} SupLearnCharacterDef;

SupLearnCharacterDef sup_learn_character_def(const SupAppContext *app,
                                             const SupCharacterFile *file);

/* Learns, and chooses the best stack on motion that was held back. Models and report are in the
 * arena. The same bits for any number of threads. */
SupResult sup_learn_character(const SupAppContext *app, const SupCharacterFile *file,
                              const SupLearnCharacterDef *def, SupLearnReport *out_report,
                              SupError *error);

/* Puts the chosen models into the file's document, in place of those that it has. */
SupResult sup_learn_put(const SupCharacterFile *file, const SupLearnReport *report,
                        SupError *error);

/* The map of a name that the character carries, [body.vertex_count], or NULL. */
const float *sup_character_map(const SupCharacter *character, const char *name);

#ifdef __cplusplus
}
#endif
#endif
