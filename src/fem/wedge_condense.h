/* SPDX-License-Identifier: MIT */
/*
 * The inside of a body of wedges condensed away: kept nodes as a linear function of what holds it.
 *
 * Guo 2007, 4.4: D_s = A D_c. What is held moves in groups: a group moves everything that it holds
 * by one affine map, or by one translation, so A has a few columns per group and not three per
 * held node (docs/techniques/chunks.md).
 */
#ifndef SUP_SRC_FEM_WEDGE_CONDENSE_H
#define SUP_SRC_FEM_WEDGE_CONDENSE_H

#include "fem/wedge_body.h"

/* What moves together: by the translation t and, where affine, the linear part L about the origin
 * of the body's space. Its numbers are t, then the columns of L. */
typedef enum SupHoldKind { SUP_HOLD_TRANSLATION = 3, SUP_HOLD_AFFINE = 12 } SupHoldKind;

/* Adds weight (t + L at) of its group to the displacement of a held node. */
typedef struct SupHold {
  uint32_t node, group;
  double weight;
  SupVec3d at; /* not used by a translation */
} SupHold;

typedef struct SupHolds {
  uint32_t group_count, hold_count;
  const SupHoldKind *kinds; /* [group_count] */
  const uint32_t *columns;  /* [group_count + 1] where the numbers of each begin */
  const SupHold *holds;     /* [hold_count] any number per node; without one it stays */
} SupHolds;

/* D_c: out_displacements[3 * node_count], 0 where nothing holds; numbers[columns[group_count]]. */
void sup_holds_move(const SupHolds *holds, uint32_t node_count, const double *numbers,
                    double *out_displacements);

typedef struct SupCondensed {
  uint32_t kept_count, column_count;
  const double *map; /* [3 * kept_count * column_count] a row per coordinate of a kept node */
} SupCondensed;

/* Holds are on held nodes only; kept[kept_count] are any nodes. */
SupResult sup_wedge_condense(SupArena *arena, const SupWedgeBody *body, const SupHolds *holds,
                             uint32_t kept_count, const uint32_t *kept, SupCondensed *out_condensed,
                             SupError *error);

/* Displacements of the kept nodes, out[kept_count]. */
void sup_condensed_move(const SupCondensed *condensed, const double *numbers, SupVec3d *out);

#endif
