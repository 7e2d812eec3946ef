/* SPDX-License-Identifier: MIT */
/* The order in which lanes go into tiles. */
#ifndef SUP_SRC_RUNTIME_TILES_ORDER_H
#define SUP_SRC_RUNTIME_TILES_ORDER_H

#include "supple/surface.h"

/* out_order[16 * block_count]: every lane once; each run of `lanes` is a patch of the mesh. False
 * if there is no memory. */
bool sup_tiles_order(SupArena *scratch, const SupSurfaceView *model, uint32_t lanes,
                     uint32_t *out_order);

#endif
