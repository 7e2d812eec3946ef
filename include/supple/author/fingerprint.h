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
  float rms;              /* sup_rebind_body: root mean square of the distances */
  float size;             /* sup_rebind_body: diagonal of the mesh's box */
} SupRebindReport;

/* Finds for every vertex of `now` its partner in `then` by rest position: out_then[now vertex],
 * a permutation. `then` may have no triangles (a model that stores positions only); neighbours
 * are then of no help. `tolerance` is a fraction of the diagonal, 0 means 1e-5. Fails with a
 * sentence when the meshes have different numbers of vertices or one vertex has no partner.
 * out_then [now.vertex_count] is undefined on failure. `arena` gives scratch memory. */
SupResult sup_rebind(SupArena *arena, const SupMesh *then, const SupMesh *now, float tolerance,
                     uint32_t *out_then, SupRebindReport *out_report, SupError *error);

/* How the rest space of a mesh lies in the one that a model was made for. A tool that quantises
 * positions scales and moves them, and mends the inverse bind matrices. */
typedef struct SupRestSpace {
  double scale;    /* x_then = scale * x_now + offset; > 0 */
  SupVec3d offset; /* in units of the model */
} SupRestSpace;

/* What carries a model over to a mesh as it is now. */
typedef struct SupRebinding {
  const uint32_t *then; /* [vertex_count] the number that each vertex has in the model */
  SupRestSpace space;   /* exactly 1 and 0 where it is the same */
  SupRebindReport report;
} SupRebinding;

/* Farther than this fraction of its size from where the model has them, vertices are another
 * shape's: refused. */
#define SUP_REBIND_LIMIT 0.05

/* Finds the vertices of a checked model with rest positions in the mesh as it is now: by number
 * where the connectivity is the model's, else by position; in the same space, or scaled and moved.
 * The report's lengths are in units of `now`. Fails with a sentence when vertices have no partner,
 * or by number only beyond SUP_REBIND_LIMIT. `out` lives in `arena`. */
SupResult sup_rebind_body(SupArena *arena, const SupModel *model, const SupMesh *now,
                          SupRebinding *out, SupError *error);

/* Whether all vertices are where the model has them, but for storing them again as floats. */
bool sup_rebind_exact(const SupRebindReport *report);

/* Offsets in rest space, rows[count * body.vertex_count], as they are in the body of now: numbered
 * and scaled anew. In `arena`; NULL when memory is short. */
SupVec3 *sup_rebind_offsets(SupArena *arena, const SupRebinding *binding, uint32_t vertex_count,
                            size_t count, const SupVec3 *rows);

#ifdef __cplusplus
}
#endif
#endif
