/* SPDX-License-Identifier: MIT */
/* A character's elastic volume and its vibration modes, bones held. */
#ifndef SUP_SRC_TRAIN_MODES_VOLUME_H
#define SUP_SRC_TRAIN_MODES_VOLUME_H

#include "fem/smooth.h"
#include "fem/ties.h"
#include "supple/train/modes.h"

typedef struct ModesVolume {
  const SupCharacter *character;
  SupFill fill;
  SupAttachment attachment;
  SupSmooth smooth;
  SupElastic body;
  double scale; /* metres per body unit */
  uint32_t mode_count;
  double *stiffness; /* [mode_count] 1/s^2, rising */
  double *decay;     /* [mode_count] 1/s */
  /* [mode_count * 3 * free_count] sum over free nodes of mass shape . shape is 1: metres of
   * offset per unit of weight, by mode, free node and axis */
  double *shapes;
  uint32_t zone_count; /* 0: the body is one */
  uint32_t *zones;     /* [mode_count] zone of each mode, or NULL */
} ModesVolume;

SupResult sup_modes_volume(SupArena *arena, const SupModesTrainDef *def, ModesVolume *out_volume,
                           SupModesTrainReport *report, SupError *error);

/* Holds what would hang by an edge or a corner only: io_held[node_count]. */
SupResult sup_modes_anchor(SupArena *arena, const SupTetMesh *mesh, const SupAttachment *attachment,
                           uint8_t *io_held, SupError *error);

/* The lowest modes of an elastic body with its ties, mass-normalised. */
typedef struct ModesSolution {
  uint32_t count;
  double *stiffness; /* [count] 1/s^2, rising */
  double *damping;   /* [count] 1/s: of the elements, in proportion to their stiffness */
  double *drag;      /* [count] 1/s */
  double *shapes;    /* [count * 3 * free_count] */
} ModesSolution;

SupResult sup_modes_solve(SupArena *arena, SupElastic *body, const SupAttachment *attachment,
                          double scale, uint32_t count, ModesSolution *out, SupError *error);

/* The modes of every zone by itself, the others held: makes volume->body of all zones together and
 * sets volume->zones. */
SupResult sup_modes_zones(SupArena *arena, const SupModesTrainDef *def,
                          const SupElasticDef *elastic, ModesVolume *volume, ModesSolution *out,
                          SupError *error);

/* The shape of mode k at free node i. */
static inline SupVec3d modes_at_node(const ModesVolume *volume, uint32_t k, uint32_t i) {
  const double *p = volume->shapes + 3 * ((size_t)k * volume->body.free_count + i);
  return (SupVec3d){p[0], p[1], p[2]};
}

/* The shape of mode k at a vertex of the skin, metres. */
SupVec3d sup_modes_at_vertex(const ModesVolume *volume, uint32_t k, uint32_t v);

/* How much of what mode k does to the flesh below the skin the skin shows, 0..1: where it is too
 * thin or locked it follows its bones. */
double sup_modes_seen(const ModesVolume *volume, uint32_t k);

/* How the flesh of mode k turns at the nodes of the volume, radians per unit of weight:
 * out_turns[node_count], half the curl of its shape, averaged over the elements of each node. */
void sup_modes_turns(const ModesVolume *volume, uint32_t k, SupVec3d *out_turns);

/* The same at a vertex of the skin, out of turns[node_count]. */
SupVec3d sup_modes_turn_at_vertex(const ModesVolume *volume, const SupVec3d *turns, uint32_t v);

/* The bilinear drive: which pairs of bones share free flesh, and for each mode and pair the sums
 * over free nodes of mass w_c w_b (shape / scale) (X, 1)^T; columns of 3 numbers. */
typedef struct ModesDrive {
  uint32_t pair_count;
  uint32_t *pairs; /* [2 * pair_count] */
  double *tensors; /* [12 * pair_count * mode_count] by mode, pair, column, row */
} ModesDrive;

SupResult sup_modes_pairs(SupArena *arena, const ModesVolume *volume, ModesDrive *out_drive,
                          SupError *error);

/* Metres that any vertex can move when no point of the body is accelerated by more than 1 m/s^2,
 * whatever the motion; which vertex; and out_peaks[mode_count], by each mode alone. */
SupResult sup_modes_worst(SupArena *arena, const ModesVolume *volume, double *out_worst,
                          uint32_t *out_vertex, double *out_peaks, SupError *error);

#endif
