/* SPDX-License-Identifier: MIT */
/*
 * Supple: whose mesh is it? Fingerprints of bodies, and binding a model to a mesh whose vertices
 * another tool has reordered.
 */
#ifndef SUPPLE_AUTHOR_FINGERPRINT_H
#define SUPPLE_AUTHOR_FINGERPRINT_H

#include "supple/geom/mesh.h"
#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The fingerprint of a mesh. It stays the same when triangles are stored in another order or
 * begin at another corner, and agrees (sup_fingerprint_compare) when positions are rounded; it
 * tells vertices that were reordered, added, removed or moved. */
SupFingerprint sup_fingerprint(const SupMesh *mesh);

typedef enum SupKinship {
  SUP_KIN_SAME,   /* same vertices in the same order, same shape up to rounding */
  SUP_KIN_MOVED,  /* same connectivity, other positions: edited, scaled, or mirrored in order */
  SUP_KIN_STRANGE /* other connectivity: reordered, or another mesh */
} SupKinship;

SupKinship sup_fingerprint_compare(const SupFingerprint *a, const SupFingerprint *b);

/* How a binding was found. */
typedef struct SupRebindReport {
  uint32_t by_position;   /* vertices with one possible partner */
  uint32_t by_neighbours; /* several at the same place, told apart by whom they are joined to */
  uint32_t by_order;      /* still alike, taken in the order of both meshes: any choice may do */
  uint32_t moved;         /* vertices whose number changes */
  float distance;         /* greatest distance between partners */
} SupRebindReport;

/* Finds for every vertex of `now` its partner in `then` by rest position: out_then[now vertex],
 * a permutation. `then` may have no triangles (a model that stores positions only); neighbours
 * are then of no help. `tolerance` is a fraction of the diagonal, 0 means 1e-5. Fails with a
 * sentence when the meshes have different numbers of vertices or one vertex has no partner.
 * out_then [now.vertex_count] is undefined on failure. `arena` gives scratch memory. */
SupResult sup_rebind(SupArena *arena, const SupMesh *then, const SupMesh *now, float tolerance,
                     uint32_t *out_then, SupRebindReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
