/* SPDX-License-Identifier: MIT */
/*
 * How a built-in character is described, and the steps that turn the description into a mesh.
 *
 * A body is an implicit surface: simple solids (blobs) joined by smooth unions. It is polygonised
 * coarsely (builtin_seed.c), remeshed to well-shaped triangles with the boundaries between
 * materials as edge loops (builtin_remesh.c), and divided and projected to the size asked for
 * (builtin_refine.c). Weights are smooth functions of the place (builtin_weights.c), so that all
 * sizes share one field. Symmetric bodies are meshed in x >= 0 and mirrored.
 */
#ifndef SUP_AUTHOR_BUILTIN_BODY_H
#define SUP_AUTHOR_BUILTIN_BODY_H

#include "supple/author/build.h"
#include "supple/author/builtin.h"

/* ---- The description, constant tables ------------------------------------------------------- */

typedef enum SupBlobKind {
  SUP_BLOB_ELLIPSOID, /* centre a, semi-axes r */
  SUP_BLOB_CONE,      /* a sphere of radius r.x at a, swept to one of radius r.y at b */
  SUP_BLOB_BOX        /* centre a, half sizes r, edges rounded by `round` */
} SupBlobKind;

/* One solid. An ellipsoid's or box's own y axis points along `up` and its z axis as near as can be
 * to `front`; both zero for the world's axes. */
typedef struct SupBlob {
  SupBlobKind kind;
  SupVec3d a, b;
  SupVec3d r;
  SupVec3d up, front;
  double blend;  /* metres over which it melts into the blobs before it */
  double round;  /* of a box: radius of its edges */
  bool mirrored; /* there is another one at -x */
  uint32_t limb; /* which limb (below) its flesh belongs to */
} SupBlob;

/* A coloured patch: the surface inside a blob. Later regions lie over earlier ones. */
typedef struct SupRegion {
  SupBlob shape;
  uint32_t material;
} SupRegion;

/* Triangles are `scale` times as long inside the ball and grow to full size at twice its radius. */
typedef struct SupDetail {
  SupVec3d centre;
  double radius;
  double scale;
} SupDetail;

typedef struct SupJoint {
  const char *name;
  int32_t parent;
  SupVec3d position; /* world; rest rotations are the identity */
} SupJoint;

#define SUP_LIMB_BONES 8

/* A chain of bones and the flesh around it. A limb's fraction of a point falls from 1 to 0 while
 * the point's distance to its blobs exceeds the nearest limb's by 0 .. reach. Within the limb, bone
 * i hands over to bone i + 1 around joint i + 1, across the plane with normal across[i + 1] (zero:
 * the direction of the chain) over plus or minus soft[i + 1] metres. */
typedef struct SupLimb {
  uint32_t bone_count;
  uint32_t bones[SUP_LIMB_BONES];
  double soft[SUP_LIMB_BONES]; /* of the hand-over into bones[i]; [0] is not used */
  SupVec3d across[SUP_LIMB_BONES];
  double reach;
  bool mirrored; /* there is another one at -x, with the mirrored bones */
} SupLimb;

typedef struct SupBody {
  const char *name;
  const char *summary;
  uint32_t vertices; /* default size */
  bool symmetric;
  double seed_cell; /* metres: grid of the first polygonisation, finer than any feature */
  uint32_t blob_count, region_count, detail_count, material_count, joint_count, limb_count;
  const SupBlob *blobs;
  const SupRegion *regions;
  const SupDetail *details;
  const SupMaterial *materials; /* [0] where no region is */
  const SupJoint *joints;
  const SupLimb *limbs;
  /* Bakes the clips into `arena`. */
  SupResult (*clips)(SupArena *arena, const struct SupBody *body, uint32_t *out_count,
                     const SupClip **out_clips);
} SupBody;

extern const SupBody sup_body_mochi, sup_body_cat, sup_body_toy, sup_body_tube, sup_body_leg,
    sup_body_arm, sup_body_sheet;

/* ---- The field ------------------------------------------------------------------------------ */

/* A signed distance (nearly; negative inside) and its gradient. */
typedef struct SupSample {
  double d;
  SupVec3d g;
} SupSample;

SupSample sup_blob_sample(const SupBlob *blob, SupVec3d p);
SupSample sup_body_sample(const SupBody *body, SupVec3d p);
/* Of the blobs of one limb alone, at +x only. */
double sup_limb_distance(const SupBody *body, uint32_t limb, SupVec3d p);
/* Target edge length at p, relative. */
double sup_body_detail(const SupBody *body, SupVec3d p);
/* A box that holds the surface. */
void sup_body_box(const SupBody *body, SupVec3d *out_low, SupVec3d *out_high);

/* What a vertex may not leave: the mirror plane x = 0, and the outline of a region. */
typedef struct SupPin {
  bool plane;
  uint32_t region; /* SUP_NONE for none */
} SupPin;

/* The point of the surface near p that obeys the pin. */
SupVec3d sup_body_project(const SupBody *body, SupPin pin, SupVec3d p);

/* ---- The mesh while it is made -------------------------------------------------------------- */

/* Triangles as half-edges: half-edge h belongs to face h / 3 and starts at from[h]. A dead face
 * has from = SUP_NONE. A boundary (the mirror plane) has twin = SUP_NONE. labels: 0, or 1 + the
 * region. */
typedef struct SupHalfEdgeMesh {
  uint32_t vertex_count, face_count; /* used slots */
  uint32_t vertex_max, face_max;
  SupVec3d *points;  /* [vertex_max] */
  SupVec3d *normals; /* [vertex_max] the field's, kept up to date by the remesher */
  uint32_t *out;     /* [vertex_max] a half-edge that starts there, or SUP_NONE */
  uint32_t *from;    /* [3 * face_max] */
  uint32_t *twin;    /* [3 * face_max] */
  uint32_t *labels;  /* [face_max] */
} SupHalfEdgeMesh;

static inline uint32_t sup_half_edge_next(uint32_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
static inline uint32_t sup_half_edge_prev(uint32_t h) { return h % 3 == 0 ? h + 2 : h - 1; }

/* The region whose outline an edge lies on, or plane; {false, SUP_NONE} for an ordinary edge. */
SupPin sup_half_edge_pin(const SupHalfEdgeMesh *mesh, uint32_t h);

/* Polygonises the body on its seed grid; room for at least `vertex_room` vertices. */
SupResult sup_body_seed(SupArena *arena, const SupBody *body, uint32_t vertex_room,
                        SupHalfEdgeMesh *out_mesh);

/* Cuts along the outlines of the regions, then remeshes until the whole (mirrored) body has
 * `target` vertices, or as near as the mirror allows. No dead slots are left. */
SupResult sup_body_remesh(SupArena *arena, const SupBody *body, uint32_t target,
                          SupHalfEdgeMesh *mesh);

/* Vertices of the whole body. */
uint32_t sup_half_edge_body_count(const SupHalfEdgeMesh *mesh, bool symmetric);

/* Divides every edge into `divisions`, mirrors, splits by material and adds normals and weights:
 * everything of out_raw but the clips and the skeleton. */
SupResult sup_body_refine(SupArena *arena, const SupBody *body, const SupHalfEdgeMesh *mesh,
                          uint32_t divisions, const SupJobs *jobs, SupRawCharacter *out_raw);

/* The weights of a point, zero slots last. */
void sup_body_weights(const SupBody *body, SupVec3d p, uint32_t out_bones[4], float out_weights[4]);

/* Everything above: the raw arrays of a built-in character, all in `arena`. */
SupResult sup_builtin_raw(SupArena *arena, const SupBuiltinDef *def, SupRawCharacter *out_raw,
                          SupError *error);

/* The joint at -x of joint j; j itself in the middle. */
uint32_t sup_body_mirror_joint(const SupBody *body, uint32_t j);

#endif
