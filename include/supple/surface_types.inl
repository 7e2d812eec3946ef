/* SPDX-License-Identifier: MIT */
/*
 * The surface's structures in one precision. surface.h includes this file twice; it is not for
 * anyone else. Before each inclusion: SUP_REAL, SUP_TYPE(Vec3), SUP_SURFACE_TYPE(View).
 *
 * B is the number of blocks; "blocks of n" is the layout of supple/backend.h.
 */

/* A packed model. Pointers into the block that holds it. */
typedef struct SUP_SURFACE_TYPE(View) {
  SUP_TYPE(SkinView) skin; /* of the body */
  uint32_t flags;          /* SUP_SURFACE_... */
  uint32_t segment_count;
  SUP_REAL h;                  /* seconds per step */
  SUP_REAL size;               /* diagonal of the rest shape: what "tiny" is measured by */
  const uint32_t *lanes;       /* [vertex_count] lane of each vertex: skin.order[lanes[v]] is v */
  const SUP_REAL *parameters;  /* [blocks of SUP_SURFACE_ROWS] */
  const SUP_REAL *normal_rows; /* [blocks of SUP_SURFACE_NORMAL_ROWS]; NULL without that flag */
  const uint32_t *slot_first;  /* [B + 1] into slots, in rows of 16 */
  const uint32_t *slots;       /* [16 per row] lane of a neighbour, rising by vertex; then itself */
  const SUP_REAL *edges;       /* [48 per row] rest position of that neighbour minus its own */
  const uint32_t *spoke_first; /* [B + 1] into spokes; none where a block has no volume */
  const uint32_t *spokes;      /* [spoke_first[B]] segment */
  const SUP_REAL *spoke_rows;  /* [32 per spoke] weights, rest lengths */
  const uint32_t *one_ring_first;    /* [B + 1] into one_rings, in rows of 32 */
  const uint32_t *one_rings;         /* [32 per row] lanes a, b of a triangle (vertex, a, b) */
  const SupSurfaceSegment *segments; /* [segment_count] bind space */
} SUP_SURFACE_TYPE(View);

/* A bone segment where it is now: from a to a + d; `inverse` is 1 / |d|^2, 0 for a point. */
typedef struct SUP_SURFACE_TYPE(Placed) {
  SUP_TYPE(Vec3) a, d;
  SUP_REAL inverse, pad;
} SUP_SURFACE_TYPE(Placed);

/* One step of one character: prepare writes the records out of x, dx, goal and next_goal; solve
 * reads them and the rest, and writes x, dx, rotation, goal (next_goal copied) and goal_step.
 * Arrays may not overlap. */
typedef struct SUP_SURFACE_TYPE(Call) {
  const SUP_SURFACE_TYPE(View) * model;
  const SUP_TYPE(Affine) * palette; /* [bone_count] of the goal; start and BONE_ROTATION read it */
  const SUP_SURFACE_TYPE(Placed) * segments; /* [segment_count] */
  /* [bone_count] how much larger than at rest each bone makes its flesh, negative where it mirrors
   * it; NULL: nothing is scaled. Lengths of the model are taken times this. */
  const SUP_REAL *scales;
  const SUP_REAL
      *next_goal;          /* [blocks of 3] where skinning (or another stage) wants the vertices */
  const SUP_REAL *normals; /* [blocks of 3] of the goal, any length; NULL: neither backstop nor
                              SUP_SURFACE_NORMAL, and all directions are those along the skin */
  const SUP_REAL *forces;  /* [blocks of 3] accelerations times h^2, or NULL */
  SUP_TYPE(Vec3) push;     /* acceleration of all vertices times h^2: gravity, wind's share */
  SUP_REAL feed;           /* least eta, in [0, 1]; above 0 nothing is SUP_SURFACE_UNDELAYED */
  /* [blocks of 3] or NULL: how the goal's step will change, where the next goal is known, as in
   * learning; it is what eta then multiplies. */
  const SUP_REAL *bends;
  bool
      owed; /* the step before was one, and UNDELAYED: eta times its goal's change is to be added */
  SUP_REAL wind; /* fraction of the velocity that the air takes in a step, in [0, 1] */
  uint32_t collider_count;
  const SUP_TYPE(Collider) * colliders;
  uint32_t rotation_steps; /* Newton steps for each one-ring; 0 means 1 */
  SUP_REAL *x;             /* [blocks of 3] positions */
  SUP_REAL *dx;            /* [blocks of 3] what was added to them last: h times the velocity */
  SUP_REAL *goal;          /* [blocks of 3] the goal of this step, */
  SUP_REAL *goal_step;     /* [blocks of 3] and how far it is from the last one */
  SUP_REAL *rotation;      /* [blocks of 4] of each one-ring, from rest */
  SUP_REAL *records; /* [8 per lane] x y z 0, then dx y z (less goal_step unless ABSOLUTE) 0 */
  /* [blocks of SUP_SURFACE_TERMS * 3] or NULL: what each of alpha, beta, gamma, lambda, delta and
   * eta multiplies in this step, for learning. With SUP_SURFACE_NORMAL [blocks of
   * SUP_SURFACE_ALL_TERMS * 3]: alpha and delta along the skin, the last two along its normal. */
  SUP_REAL *terms;
} SUP_SURFACE_TYPE(Call);

#undef SUP_REAL
#undef SUP_TYPE
#undef SUP_SURFACE_TYPE
