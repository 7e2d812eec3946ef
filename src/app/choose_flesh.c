/* SPDX-License-Identifier: MIT */
/*
 * The default flesh of a body.
 *
 * The vibrations of the volume, driven by the bones in some of the body's own clips, tell how far
 * flesh would swing. They are found once: flesh that is s times as fast in a clip moves as the
 * flesh that was found does in a clip that is played s times as slowly.
 */
#include "supple/app/choose_flesh.h"

#include <math.h>
#include <stdlib.h>

#include "supple/app/model_list.h"
#include "supple/app/plain_player.h"
#include "supple/author/player.h"
#include "supple/author/units.h"
#include "supple/geom/bounds.h"
#include "supple/quantity.h"

#define MODES 16
#define EVERY 3           /* vertex that is looked at for how wild a clip is */
#define STILL 1e-4        /* of the size: moves less than this from frame to frame */
#define CLIPS 6           /* looked at most */
#define LONGEST 4.0       /* seconds of each */
#define FPS 30.0          /* frames that are looked at */
#define LONGEST_STEP 0.05 /* seconds of a slow clip */
#define DAMPING 0.1       /* ratio of fat */
#define MUCH 0.25         /* of what the vibration does that moves most of the body */
#define LEAST 0.025       /* of the size: what swings less than this looks dead */
#define MOST 0.055        /* ... and what swings farther is thrown about */
#define WILDEST 1.8       /* times as far as in ordinary motion */
#define EXTREME 3.0       /* ... and so far in the clip of the file that accelerates most */
#define STIFFEST 6.0      /* times the natural frequency */
#define SOFTEST 0.5
/* Of the size, by which flesh would swing where it is accelerated for long as strongly as it feels
 * at most: a sudden start makes it twice as far. */
#define FELT 0.04
#define DEAD 0.2 /* of LEAST: softness does not bring it to life */

typedef struct Look {
  const SupAppContext *app;
  const SupCharacter *character;
  SupPlayer player;
  SupPlainPlayer plain;
  const SupClip *clip;
  double slow, time; /* how many times slower than the clip; seconds of the slow clip */
  double size;       /* scene units */
  uint32_t clip_count;
  const SupClip *clips[CLIPS];
  const SupClip *wildest;         /* of all that move */
  SupVec3 *alive, *still, *third; /* [body.vertex_count] */
  double *swings;                 /* one per frame */
} Look;

double sup_natural_frequency(double size) { return fmin(fmax(3.2 * sqrt(1.75 / size), 1), 15); }

/* ---- Clips ----------------------------------------------------------------------------------- */

static uint64_t rank(const SupClip *clip) {
  return sup_hash(clip->name, sup_string_length(clip->name), 0);
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static uint32_t frames_of(const SupClip *clip) {
  return 1 + (uint32_t)(fmin((double)clip->duration, LONGEST) * FPS);
}

/* The greatest of all vertices' a - 2 b + c. */
static double bend(const Look *look, const SupVec3 *a, const SupVec3 *b, const SupVec3 *c) {
  double most = 0;
  for (uint32_t v = 0; v < look->character->body.vertex_count; v += EVERY) {
    const SupVec3 sum = sup_vec3_add(a[v], c[v]);
    most = fmax(most, (double)sup_vec3_length(sup_vec3_add_scaled(sum, b[v], -2)));
  }
  return most;
}

/* How strongly the skin is accelerated in 95 % of a clip's frames; less than 0 where it does not
 * move at all: many files have clips of a bind pose. */
static double wildness(Look *look, const SupClip *clip) {
  const uint32_t count = look->character->body.vertex_count, frames = frames_of(clip);
  SupVec3 *places[3] = {look->alive, look->still, look->third};
  double moved = 0;
  uint32_t found = 0;
  for (uint32_t i = 0; i < frames; i++) {
    SupVec3 *now = places[i % 3];
    sup_plain_player_sample(&look->plain, clip, (float)(i / FPS), now);
    for (uint32_t v = 0; i > 0 && v < count; v += EVERY) {
      moved = fmax(moved, (double)sup_vec3_distance(now[v], places[(i + 2) % 3][v]));
    }
    if (i >= 2) look->swings[found++] = bend(look, places[(i + 1) % 3], places[(i + 2) % 3], now);
  }
  if (moved < STILL * look->size || !found) return -1;
  qsort(look->swings, found, sizeof *look->swings, by_value);
  return look->swings[(uint32_t)(0.95 * (found - 1))];
}

/* Which clips does not depend on their order in the file. */
static void choose_clips(Look *look) {
  const SupCharacter *character = look->character;
  double most = 0;
  for (uint32_t k = 0; k < character->clip_count; k++) {
    const SupClip *clip = &character->clips[k];
    uint32_t place = look->clip_count;
    const double wild = clip->duration * (float)FPS >= 2 ? wildness(look, clip) : -1;
    if (wild < 0) continue; /* a pose */
    if (!look->wildest || wild > most) {
      look->wildest = clip;
      most = wild;
    }
    while (place > 0 && rank(look->clips[place - 1]) > rank(clip)) place--;
    if (place == CLIPS) continue;
    if (look->clip_count < CLIPS) look->clip_count++;
    for (uint32_t i = look->clip_count; i-- > place + 1;) look->clips[i] = look->clips[i - 1];
    look->clips[place] = clip;
  }
}

/* ---- Looking --------------------------------------------------------------------------------- */

static void slow_pose(void *user, float ago, SupPose *io_pose) {
  const Look *look = user;
  const double time = (look->time - (double)ago) / look->slow;
  sup_clip_sample(look->clip, (float)fmax(time, 0), false, NULL, io_pose, NULL);
}

/* The greatest distance of a vertex from where plain skinning has it. */
static double farthest(const Look *look) {
  float most = 0;
  for (uint32_t v = 0; v < look->character->body.vertex_count; v++) {
    most = fmaxf(most, sup_vec3_distance(look->alive[v], look->still[v]));
  }
  return (double)most;
}

/* Plays one clip, slowly: 95 % of its frames stay below what is returned, in parts of the size. */
static double swing_in(Look *look, const SupClip *clip) {
  const SupStackFrame inputs = {.positions = {&look->alive->x, 3}};
  const SupPlayback rest = sup_playback(NULL);
  const uint32_t parts = (uint32_t)ceil(look->slow / FPS / LONGEST_STEP);
  const double step = look->slow / FPS / parts;
  uint32_t count = 0;
  look->clip = clip;
  look->time = 0;
  sup_player_play(&look->player, &rest);
  sup_player_step(&look->player, 0, &inputs);
  for (uint32_t i = 1; i < frames_of(clip); i++) {
    for (uint32_t part = 0; part < parts; part++) {
      look->time += step;
      sup_player_step(&look->player, step, &inputs);
    }
    sup_plain_player_sample(&look->plain, clip, (float)(i / FPS), look->still);
    look->swings[count++] = farthest(look) / look->size;
  }
  qsort(look->swings, count, sizeof *look->swings, by_value);
  return count ? look->swings[(uint32_t)(0.95 * (count - 1))] : 0;
}

/* How far flesh swings in ordinary clips that is `slow` times as fast as the one that was found:
 * three of four stay below. The wildest may swing WILDEST times as far. */
static double swing(Look *look, double slow) {
  double clips[CLIPS];
  const uint32_t count = look->clip_count;
  look->slow = slow;
  for (uint32_t k = 0; k < count; k++) clips[k] = swing_in(look, look->clips[k]);
  if (count == 0) return 0;
  qsort(clips, count, sizeof *clips, by_value);
  const double ordinary = fmax(clips[3 * (count - 1) / 4], clips[count - 1] / WILDEST);
  return fmax(ordinary, swing_in(look, look->wildest) / EXTREME);
}

/* Plain skinning, and the clips. */
static SupResult prepare_clips(Look *look, SupError *error) {
  const uint32_t vertices = look->character->body.vertex_count;
  SupArena *arena = look->app->arena;
  look->alive = SUP_ALLOC(arena, SupVec3, vertices);
  look->still = SUP_ALLOC(arena, SupVec3, vertices);
  look->third = SUP_ALLOC(arena, SupVec3, vertices);
  look->swings = SUP_ALLOC(arena, double, (size_t)(LONGEST * FPS) + 1);
  if (!look->alive || !look->still || !look->third || !look->swings)
    return sup_fail_memory(error, NULL);
  SupResult result = sup_plain_player_create(look->app, look->character, SUP_ORDER_BODY,
                                             SUP_PLAIN_LBS, &look->plain, error);
  if (result == SUP_OK) choose_clips(look);
  return result;
}

/* Flesh that swings by a model. */
static SupResult prepare(Look *look, const SupModel *model, SupError *error) {
  SupPlayerDef def = sup_player_def();
  def.character = look->character;
  def.model_count = 1;
  def.models = &model;
  def.order = SUP_ORDER_BODY;
  def.teleport_distance = 1e30f;
  def.jobs = look->app->jobs;
  def.modify_pose = slow_pose;
  def.user = look;
  return sup_player_create(look->app->arena, &def, &look->player, error);
}

/* ---- Choosing -------------------------------------------------------------------------------- */

/* The least change from the natural frequency that brings the swing to `bound`; `far` is as far as
 * it may go. `found` is the frequency that the model has. */
static double towards(Look *look, double natural, double far, double bound, double found,
                      double *io_swing) {
  double near = natural; /* on the wrong side */
  const bool stiffer = far > natural;
  const double last = swing(look, far / found);
  if (stiffer ? last > bound : last < bound) {
    *io_swing = last;
    return far;
  }
  *io_swing = last;
  while (fabs(sup_log(far / near)) > 0.05) {
    const double middle = sqrt(near * far), here = swing(look, middle / found);
    if (stiffer ? here > bound : here < bound) {
      near = middle;
    } else {
      far = middle;
      *io_swing = here;
    }
  }
  return far;
}

static double choose_frequency(Look *look, double natural, double found, double *out_swing) {
  *out_swing = 0;
  if (look->clip_count == 0) return natural;
  *out_swing = swing(look, natural / found);
  if (*out_swing > MOST) {
    return towards(look, natural, STIFFEST * natural, MOST, found, out_swing);
  }
  if (*out_swing >= LEAST) return natural;
  const double calm = *out_swing;
  const double softer = towards(look, natural, SOFTEST * natural, LEAST, found, out_swing);
  if (*out_swing > DEAD * LEAST) return softer;
  *out_swing = calm; /* clips that move nothing say nothing */
  return natural;
}

/* The lowest vibrations of the flesh as its preset has it. */
static SupResult find_modes(const SupAppContext *app, const SupCharacter *character,
                            const SupSimDef *flesh, SupModel **out_model,
                            SupModesTrainReport *out_report, SupError *error) {
  SupModesTrainDef def = sup_modes_train_def(character);
  def.damping_ratio = DAMPING;
  def.mode_count = MODES;
  def.fewer = true;
  def.max_distance = 1e3;
  def.jobs = app->jobs;
  sup_flesh_for_modes(flesh, &def);
  /* The same flesh however fine the volume is that is simulated. */
  if (def.fill.edge > 0 || def.fill.tet_target > SUP_FILL_USUAL) {
    def.fill = (SupFillDef){.tet_target = SUP_FILL_USUAL};
  }
  return sup_modes_train(app->arena, &def, out_model, out_report, error);
}

static void retune_material(double faster, const SupFleshChoice *choice, double usual_damping,
                            SupMaterialDef *io) {
  io->young *= faster * faster; /* stiffness goes with the square of the frequency */
  if (choice->own_damping) return;
  io->damping = DAMPING * io->damping / usual_damping / (SUP_PI * choice->frequency);
}

/* The lowest vibration that much of the body takes part in, and that shows: a hair that swings by
 * itself is none, nor is what happens below skin that follows its bones. */
static double fundamental(const SupModesTrainReport *found) {
  double most = 0;
  for (uint32_t k = 0; k < found->mode_count; k++) {
    most = fmax(most, found->shares[k] * found->seen[k]);
  }
  for (uint32_t k = 0; k < found->mode_count; k++) {
    if (found->shares[k] * found->seen[k] >= MUCH * most) return fmax(found->frequencies[k], 1e-3);
  }
  return fmax(found->frequencies[0], 1e-3);
}

static SupResult retune(const SupAppContext *app, double faster, const SupFleshChoice *choice,
                        double usual_damping, SupSimDef *io_flesh, SupError *error) {
  const uint32_t bone_count = io_flesh->character->skeleton.bone_count;
  retune_material(faster, choice, usual_damping, &io_flesh->material);
  if (!io_flesh->bone_materials) return SUP_OK;
  SupMaterialDef *bones =
      SUP_COPY(app->arena, SupMaterialDef, io_flesh->bone_materials, bone_count);
  if (!bones) return sup_fail_memory(error, NULL);
  for (uint32_t b = 0; b < bone_count; b++) {
    retune_material(faster, choice, usual_damping, &bones[b]);
  }
  io_flesh->bone_materials = bones;
  return SUP_OK;
}

/* ---- Units ----------------------------------------------------------------------------------- */

/* The longest side of the body at rest, in units of the scene. */
static SupResult longest_side(const SupAppContext *app, const SupCharacter *character,
                              double *out_longest, SupError *error) {
  const SupVec3 *rest;
  SupResult result = sup_rest_positions(app, character, SUP_ORDER_BODY, &rest, error);
  if (result != SUP_OK) return result;
  const SupBounds box = sup_bounds(rest, character->body.vertex_count);
  const SupVec3 sides = sup_vec3_sub(box.high, box.low);
  *out_longest = (double)fmaxf(fmaxf(sides.x, sides.y), sides.z);
  return SUP_OK;
}

SupResult sup_settle_units(const SupAppContext *app, const SupCharacter *character,
                           SupSimDef *io_flesh, SupError *error) {
  double longest;
  if (io_flesh->unit != SUP_UNIT_AUTO) return SUP_OK;
  SupResult result = longest_side(app, character, &longest, error);
  if (result != SUP_OK) return result;
  const SupUnits units = sup_units_guess(longest);
  io_flesh->unit = units.metres;
  if (units.metres == 1) return SUP_OK;
  if (units.name) {
    sup_app_note(app, "its longest side has %.4g units: taken for %s (--units says otherwise)\n",
                 longest, units.name);
  } else {
    sup_app_note(app,
                 "its longest side has %.4g units, no size for a character in metres: taken for "
                 "%.2g m (--units says otherwise)\n",
                 longest, SUP_USUAL_SIZE);
  }
  return SUP_OK;
}

void sup_flesh_for_modes(const SupSimDef *flesh, SupModesTrainDef *io_modes) {
  io_modes->unit = flesh->unit;
  io_modes->material = flesh->material;
  io_modes->fill = flesh->fill;
  io_modes->volume = flesh->volume;
  io_modes->attach = flesh->attach;
  io_modes->bone_materials = flesh->bone_materials;
  io_modes->bone_stiffness = flesh->bone_stiffness;
  io_modes->vertex_stiffness = flesh->vertex_stiffness;
}

/* ---- All of it ------------------------------------------------------------------------------- */

/* With the vibrations that were found. */
static SupResult choose(Look *look, const SupModel *model, const SupModesTrainReport *found,
                        SupSimDef *io_flesh, SupFleshChoice *io_choice, SupError *error) {
  const double lowest = fundamental(found);
  SupMaterialDef fat;
  SupResult result = sup_material_preset("fat", &fat, error);
  if (result == SUP_OK) result = prepare(look, model, error);
  if (result != SUP_OK) return result;
  io_choice->frequency = choose_frequency(look, io_choice->natural, lowest, &io_choice->swing);
  const double rate = 2 * SUP_PI * io_choice->frequency;
  io_choice->felt = io_flesh->felt = FELT * io_choice->size * rate * rate;
  /* Clips are for fat; other presets are that much stiffer. */
  const double stiffer = io_flesh->material.young / fat.young;
  if (stiffer != 1) {
    io_choice->frequency *= sqrt(stiffer);
    io_choice->swing = swing(look, io_choice->frequency / lowest);
  }
  io_choice->damping = io_choice->own_damping
                           ? SUP_PI * io_choice->frequency * io_flesh->material.damping
                           : DAMPING * io_flesh->material.damping / fat.damping;
  result =
      retune(look->app, io_choice->frequency / lowest, io_choice, fat.damping, io_flesh, error);
  return result;
}

SupResult sup_choose_flesh(const SupAppContext *app, const SupCharacter *character,
                           bool own_damping, SupSimDef *io_flesh, SupFleshChoice *out_choice,
                           SupError *error) {
  const double began = sup_app_seconds();
  Look look = {.app = app, .character = character};
  SupFleshChoice choice = {.own_damping = own_damping};
  SupModel *model;
  SupModesTrainReport found;
  SupResult result = sup_settle_units(app, character, io_flesh, error);
  if (result == SUP_OK) result = longest_side(app, character, &look.size, error);
  if (result == SUP_OK) result = prepare_clips(&look, error);
  if (result != SUP_OK) return result;
  choice.unit = io_flesh->unit;
  choice.size = look.size * io_flesh->unit;
  choice.clip_count = look.clip_count;
  choice.natural = sup_natural_frequency(choice.size);
  result = find_modes(app, character, io_flesh, &model, &found, error);
  if (result == SUP_OK) {
    result = choose(&look, model, &found, io_flesh, &choice, error);
  } else if (result != SUP_ERROR_MEMORY) {
    result = SUP_OK; /* no flesh to look at: whoever needs some will say why */
  }
  choice.young = io_flesh->material.young;
  choice.seconds = sup_app_seconds() - began;
  *out_choice = choice;
  return result;
}

void sup_note_flesh(const SupAppContext *app, const SupFleshChoice *choice) {
  if (choice->frequency == 0) return;
  sup_app_note(
      app, "flesh: natural frequency %.2g Hz (Young's modulus %s), chosen for a body of %s",
      choice->frequency, sup_pressure_text(choice->young).text, sup_length_text(choice->size).text);
  if (choice->clip_count) {
    sup_app_note(app, "; in ordinary clips it swings by up to %s",
                 sup_length_text(choice->swing * choice->size).text);
  }
  sup_app_note(app, "\n");
}
