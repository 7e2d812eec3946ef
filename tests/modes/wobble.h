/* SPDX-License-Identifier: MIT */
/* A built-in character with a modes model, and random motion for it. */
#ifndef SUP_TESTS_MODES_WOBBLE_H
#define SUP_TESTS_MODES_WOBBLE_H

#include "check.h"
#include "supple/author/modes_pack.h"
#include "supple/pose.h"
#include "supple/train/modes.h"

typedef struct Wobble {
  SupArena arena;
  SupCharacter character;
  SupModesTrainDef def;
  SupModesTrainReport report;
  SupModel *model;
  SupModesView view;
  SupModesState *state;
  const SupBackend *backend;
  SupPose pose;
  SupAffine *globals;
  SupAffine *palette; /* [bone_count] scratch */
  float *weights;     /* [morph_count of the skin] scratch; the modes last */
  /* The motion: */
  uint64_t seed;
  double period;    /* of a motion that repeats; 0: none */
  double amplitude; /* 1 */
} Wobble;

/* `name` of the catalogue, with about so many vertices and tetrahedra, and `modes` modes. */
Wobble *wobble_create(const char *name, uint32_t vertices, uint32_t tets, uint32_t modes);
void wobble_free(Wobble *wobble);

/* For groups of tests that share one: *state is a mochi of 600 vertices with 15 modes. */
int wobble_make(void **state);
int wobble_unmake(void **state);

/* The bones at a time of the random motion (SupModesMotion's callback): every joint turns, the
 * root also moves, by sums of sines below 3 Hz. */
void wobble_palette(void *user, double time, SupAffine *out_palette);

/* The skin now, out_positions[3 * vertex_count] in body order. */
void wobble_skin(Wobble *wobble, const SupAffine *palette, float *out_positions);

/* The largest amplitude, and the largest difference between two sets of amplitudes. */
float wobble_peak(const Wobble *wobble, const float *q);
float wobble_gap(const Wobble *wobble, const float *a, const float *b);

#endif
