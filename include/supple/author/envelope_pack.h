/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing an envelope into a model (supple/envelope.h).
 *
 * P_b stands for the palette of bone b in a pose, without the root: P_root^-1 P_b, so that the
 * dress pose, in which all palettes are the identity, has identities here too. B stands for the
 * character's number of body vertices.
 *
 * Angles, influences, revisions and seams are declared in supple/envelope.h.
 */
#ifndef SUPPLE_AUTHOR_ENVELOPE_PACK_H
#define SUPPLE_AUTHOR_ENVELOPE_PACK_H

#include "supple/author/skin_pack.h"
#include "supple/envelope.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How the example shapes of control vertices are blended: cardinal functions of Gaussians or
 * multiquadrics with a constant, over `angles`. Function i is sum_j cardinal[i][j] g_j +
 * cardinal[i][centre_count], with g_j = exp(-x), or sqrt(x + 1) where inverse_sigma is below 0, of
 * the square x of the distance of the angles from centre j times inverse_sigma. */
typedef struct SupEnvelopeBlend {
  uint32_t angle_count;
  const uint32_t *angles; /* [angle_count] */
  float inverse_sigma;    /* 1 / radians; >= 0: Gaussians, < 0: multiquadrics */
  uint32_t centre_count;  /* distinct poses, at least 1 (equal ones merged) */
  const float *centres;   /* [centre_count * angle_count] radians */
  const double *cardinal; /* [centre_count * (centre_count + 1)] by function; the constant last */
  const uint32_t *centre_of_shape; /* [shape_count] */
  const float *share_of_shape; /* [shape_count] of its centre's function; those of one centre add
                                  up to 1; 0: the shape is not used here */
} SupEnvelopeBlend;

/* One face of the control mesh and the vertices that it carries. */
typedef struct SupEnvelopePatch {
  const char *name;        /* "" or NULL: none; at most SUP_ENVELOPE_NAME - 1 characters are kept */
  uint32_t corner_count;   /* 3 or more */
  const uint32_t *corners; /* [corner_count] control vertices, counter-clockwise from outside */
  uint32_t vertex_count;   /* border first, then interior */
  uint32_t border_count;   /* counter-clockwise */
  const uint32_t *vertices;    /* [vertex_count] body vertex, or SUP_ENVELOPE_NONE (a point on an
                                  edge) */
  const uint32_t *seams;       /* [border_count] into SupEnvelopeDef.seams */
  const float *corner_weights; /* [vertex_count * corner_count] coordinates in the polygon; sum 1 */
  const SupVec3 *offsets;      /* [vertex_count] from the control mesh in the dress pose, in the
                                  dress frame of the face */
  const float *spread; /* [(vertex_count - border_count) * border_count] F^-1 H: how displacements
                          of the border reach the interior; rows add up to 1 */
  /* The residual, in the frame of the face: sum over k of field k at the vertex times table k at
   * the angles. Fields hold the scale of the target (B). */
  uint32_t field_count;    /* 0: a purely layered patch */
  const SupVec3 *fields;   /* [field_count * vertex_count] */
  uint32_t angle_count;    /* 1 .. 3 with fields */
  const uint32_t *angles;  /* [angle_count] */
  const uint32_t *samples; /* [angle_count] 4 or more, evenly from low to high of the angle */
  const float *tables;     /* [product of samples * field_count] first angle fastest, the fields of
                              one sample together; between samples cubic (Catmull-Rom, one-sided at
                              the ends) */
} SupEnvelopePatch;

/* What an envelope is made of. Start from sup_envelope_def. */
typedef struct SupEnvelopeDef {
  uint32_t cookie;      /* set by sup_envelope_def */
  uint32_t root;        /* bone: everything is evaluated without its motion, then moved by it, scale
                           included */
  uint32_t shape_count; /* example shapes, at least 1; shape 0 is the dress shape */
  uint32_t angle_count;
  const SupEnvelopeAngle *angles; /* [angle_count] */
  uint32_t blend_count;
  const SupEnvelopeBlend *blends;         /* [blend_count] */
  uint32_t control_count;                 /* vertices of the control mesh */
  const uint32_t *control_blends;         /* [control_count] */
  const uint32_t *influence_offsets;      /* [control_count + 1] */
  const SupEnvelopeInfluence *influences; /* [influence_offsets[control_count]] */
  const SupVec3 *influence_points;        /* [influences * shape_count] where the vertex of the
                                             shape is for the bone: P_b^-1 of the shape's pose times
                                             its position there without the root */
  const SupEnvelopeRevision *revisions;   /* [control_count], or NULL: none */
  const SupVec3 *revision_points;         /* [control_count * shape_count] the same for the bone of
                                             the revision (any value without one), or NULL */
  const float *revision_angles;           /* [control_count * shape_count] the driving angle in the
                                             shape's own pose, or NULL */
  uint32_t seam_count;
  const SupEnvelopeSeam *seams; /* [seam_count] */
  uint32_t patch_count;
  const SupEnvelopePatch *patches; /* [patch_count] */
  const float *strengths; /* [patch_count] of the residual, 0 .. SUP_ENVELOPE_STRENGTH; NULL: 1 */
  /* For people (supple/author/envelope_origin.h); NULL: the model does not know. */
  const char *const *control_names; /* [control_count] of features, with shape_names */
  const char *const *shape_names;   /* [shape_count] of examples; the dress shape's is "" */
  const SupTransform *shape_poses;  /* [shape_count * joint_count] local transforms */
} SupEnvelopeDef;

/* Empty. */
SupEnvelopeDef sup_envelope_def(void);

/* Packs the character's body. A body vertex is inside one patch, on the border of one or more (then
 * always at the same seam, which is that vertex), or in none: then it is plainly skinned. The model
 * lives in `arena` and has passed sup_model_check. */
SupResult sup_envelope_pack(SupArena *arena, const SupCharacter *character,
                            const SupEnvelopeDef *def, SupModel **out_model, SupError *error);

/* What a packed model was made of: arrays in `arena`, vertices by the numbers that they had when it
 * was made. Packing it again for the same character gives the same bytes. */
SupResult sup_envelope_unpack(SupArena *arena, const SupModel *model, SupEnvelopeDef *out_def,
                              SupError *error);

#ifdef __cplusplus
}
#endif
#endif
