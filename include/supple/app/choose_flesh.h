/* SPDX-License-Identifier: MIT */
/*
 * Supple: flesh for a body that nobody has described, chosen from its size and from what its own
 * clips do to it.
 */
#ifndef SUPPLE_APP_CHOOSE_FLESH_H
#define SUPPLE_APP_CHOOSE_FLESH_H

#include "supple/app/character_file.h"
#include "supple/sim/simulate.h"
#include "supple/train/modes.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Settles io_flesh->unit where it is 0 (SUP_UNIT_AUTO), from the size of the body, and tells in a
 * sentence what a unit is taken for if that is not a metre. */
#define SUP_UNIT_AUTO 0.0
SupResult sup_settle_units(const SupAppContext *app, const SupCharacter *character,
                           SupSimDef *io_flesh, SupError *error);

/* The same flesh for modes. */
void sup_flesh_for_modes(const SupSimDef *flesh, SupModesTrainDef *io_modes);

/* What was chosen, and from what. */
typedef struct SupFleshChoice {
  double unit;      /* metres per unit of the scene */
  double size;      /* metres: the longest side of the body in its rest pose */
  double natural;   /* Hz at which flesh of a body of that size is expected to swing */
  double frequency; /* Hz of the lowest vibration of what was chosen; 0: there is no flesh to look
                       at, and the material stayed as it was */
  double young;     /* Pa */
  double damping;   /* ratio, of the lowest vibration */
  bool own_damping; /* it was given */
  double felt;      /* m/s^2: the strongest acceleration that it feels; 0 where frequency is */
  double swing; /* expected in the clips: 95 % of the frames stay below it, in parts of the size;
                   0: there are no clips */
  uint32_t clip_count; /* clips that were looked at */
  double seconds;      /* that the choice took */
} SupFleshChoice;

/* Settles the units, then chooses the stiffness and, unless `own_damping`, the damping of
 * io_flesh->material and of its bone materials; other numbers of the material, the volume, what
 * holds it and who is stiffer than others stay as they are, and the preset in io_flesh->material
 * counts as a factor: a muscle is chosen as many times stiffer than fat as the presets say. Flesh
 * feels accelerations up to io_flesh->felt, which goes with what was chosen for fat; it
 * swings at what its size makes natural, and is stiffer where the clips would throw it about,
 * softer where they would not move it. A body that cannot be filled, or whose flesh is all locked,
 * keeps its material. Takes some seconds. The same for every clip of a
 * character. */
SupResult sup_choose_flesh(const SupAppContext *app, const SupCharacter *character,
                           bool own_damping, SupSimDef *io_flesh, SupFleshChoice *out_choice,
                           SupError *error);

/* Tells it in a sentence. */
void sup_note_flesh(const SupAppContext *app, const SupFleshChoice *choice);

/* The frequency that is natural for a body of that size, in Hz: large bodies swing slowly. */
double sup_natural_frequency(double size);

#ifdef __cplusplus
}
#endif
#endif
