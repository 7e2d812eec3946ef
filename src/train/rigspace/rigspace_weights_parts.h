/* SPDX-License-Identifier: MIT */
/* Candidates for the weights of nodes inside. */
#ifndef SUP_SRC_TRAIN_RIGSPACE_WEIGHTS_PARTS_H
#define SUP_SRC_TRAIN_RIGSPACE_WEIGHTS_PARTS_H

#include "supple/geom/bvh.h"
#include "supple/train/rigspace_weights.h"

#define SUP_RIGSPACE_CANDIDATES_MAX 500u

typedef struct SupRigspaceAround {
  const SupDrivenVolume *volume;
  SupBvh boundary;   /* of the faces of the volume */
  uint32_t *offsets; /* neighbours along edges: CSR over nodes, may repeat */
  uint32_t *neighbours;
} SupRigspaceAround;

/* Sets up in `arena`. */
SupResult sup_rigspace_around_create(SupArena *arena, const SupDrivenVolume *volume,
                                     SupRigspaceAround *out_around, SupError *error);

/* Up to `count` different surface nodes for node `node` inside: out_nodes[count], rising; returns
 * how many. distances[node_count] and heap[node_count] are scratch for the nearest; distances are
 * infinite before and after. */
uint32_t sup_rigspace_rays(const SupRigspaceAround *around, uint32_t node, uint32_t count,
                           uint32_t *out_nodes);
uint32_t sup_rigspace_nearest(const SupRigspaceAround *around, uint32_t node, uint32_t count,
                              double *distances, uint32_t *heap, uint32_t *out_nodes);

#endif
