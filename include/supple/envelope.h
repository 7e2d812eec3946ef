/* SPDX-License-Identifier: MIT */
/*
 * Supple: the envelope technique (EBTLE, Guo 2007): example shapes on the patches of a skin.
 *
 * A coarse control mesh, one face per patch, is skinned and blended between example shapes. Every
 * vertex of a patch hangs on its face by polygon coordinates and an offset in the face's frame, to
 * which the angles of a few joints add a residual. Patches then agree along their seams. The
 * result depends on the pose alone and replaces skinning as the goal; what is in no patch is
 * skinned. docs/techniques/envelope.md has the equations.
 */
#ifndef SUPPLE_ENVELOPE_H
#define SUPPLE_ENVELOPE_H

#include "supple/patch_parts.h"
#include "supple/skeleton.h"
#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_ENVELOPE_KIND SUP_FOURCC('E', 'N', 'V', 'L')
#define SUP_ENVELOPE_VERSION 1u
#define SUP_ENVELOPE_NAME 32u         /* bytes of a patch's name, with its end */
#define SUP_ENVELOPE_NONE UINT32_MAX  /* no body vertex, no bone, no row */
#define SUP_ENVELOPE_STRENGTH 4.0f    /* greatest strength of a residual */
#define SUP_ENVELOPE_LONGER 4.0f      /* most that a revision lengthens */
#define SUP_ENVELOPE_SHAPES 1024u     /* example shapes in one model */
#define SUP_ENVELOPE_PATCHES 65536u   /* patches in one model */
#define SUP_ENVELOPE_CORNERS 64u      /* corners of one patch, at least 3 */
#define SUP_ENVELOPE_FIELDS 256u      /* fields of one patch */
#define SUP_ENVELOPE_PATCH_ANGLES 3u  /* angles of one patch's residual */
#define SUP_ENVELOPE_BLEND_ANGLES 64u /* angles of one blend */
#define SUP_ENVELOPE_SAMPLES 4096u    /* samples along one angle, at least 4 */

typedef SupPoseAngle SupEnvelopeAngle;
typedef SupSeam SupEnvelopeSeam;

/* How much a bone carries a control vertex. */
typedef struct SupEnvelopeInfluence {
  uint32_t bone;
  float weight; /* >= 0; those of a control vertex add up to 1 */
} SupEnvelopeInfluence;

/* Keeps a control vertex off a joint that bends: the part of its skinned position's distance from
 * `centre` that is perpendicular to `axis` becomes eta times as long as when the bone carries it
 * alone. eta = 1 + strength (min(1 / cos(phi / 2), most) - 1), phi the driving angle less that of
 * the shape's own pose; nothing becomes more than SUP_ENVELOPE_LONGER times as long as skinning
 * has it. */
typedef struct SupEnvelopeRevision {
  uint32_t bone;  /* whose palette carries centre and axis; SUP_ENVELOPE_NONE: no revision */
  SupVec3 centre; /* of the joint, bind space */
  SupVec3 axis;   /* that it bends about, bind space; unit length */
  uint32_t angle; /* that drives it */
  float strength; /* 0 (eta is 1) to 1 */
  float most;     /* 1 or more; 1.5 */
} SupEnvelopeRevision;

/* ---- The model -------------------------------------------------------------------------------
 */

/* The sections besides the skin's (supple/skin.h), in the order of SupEnvelopeView. */
#define SUP_SECTION_ENVELOPE_COUNTS SUP_FOURCC('E', 'V', 'C', 'N') /* flags .. patch_count */
#define SUP_SECTION_ENVELOPE_ANGLES SUP_FOURCC('E', 'V', 'A', 'N')
#define SUP_SECTION_ENVELOPE_BLENDS SUP_FOURCC('E', 'V', 'B', 'L')
#define SUP_SECTION_ENVELOPE_BLEND_ANGLES SUP_FOURCC('E', 'V', 'B', 'A')
#define SUP_SECTION_ENVELOPE_CENTRES SUP_FOURCC('E', 'V', 'B', 'C')
#define SUP_SECTION_ENVELOPE_CARDINAL SUP_FOURCC('E', 'V', 'B', 'K')
#define SUP_SECTION_ENVELOPE_SHAPE_CENTRES SUP_FOURCC('E', 'V', 'S', 'C')
#define SUP_SECTION_ENVELOPE_SHAPE_SHARES SUP_FOURCC('E', 'V', 'S', 'S')
#define SUP_SECTION_ENVELOPE_CONTROL_BLENDS SUP_FOURCC('E', 'V', 'C', 'B')
#define SUP_SECTION_ENVELOPE_INFLUENCE_FIRST SUP_FOURCC('E', 'V', 'I', 'F')
#define SUP_SECTION_ENVELOPE_INFLUENCES SUP_FOURCC('E', 'V', 'I', 'N')
#define SUP_SECTION_ENVELOPE_POINTS SUP_FOURCC('E', 'V', 'I', 'P')
#define SUP_SECTION_ENVELOPE_REVISIONS SUP_FOURCC('E', 'V', 'R', 'V')
#define SUP_SECTION_ENVELOPE_REVISION_POINTS SUP_FOURCC('E', 'V', 'R', 'P')
#define SUP_SECTION_ENVELOPE_REVISION_ANGLES SUP_FOURCC('E', 'V', 'R', 'A')
#define SUP_SECTION_ENVELOPE_SEAMS SUP_FOURCC('E', 'V', 'S', 'M')
#define SUP_SECTION_ENVELOPE_FACES SUP_FOURCC('E', 'V', 'F', 'C')
#define SUP_SECTION_ENVELOPE_NAMES SUP_FOURCC('E', 'V', 'N', 'M')
#define SUP_SECTION_ENVELOPE_CORNERS SUP_FOURCC('E', 'V', 'P', 'C')
#define SUP_SECTION_ENVELOPE_BORDERS SUP_FOURCC('E', 'V', 'P', 'B')
#define SUP_SECTION_ENVELOPE_WEIGHTS SUP_FOURCC('E', 'V', 'P', 'W')
#define SUP_SECTION_ENVELOPE_OFFSETS SUP_FOURCC('E', 'V', 'P', 'O')
#define SUP_SECTION_ENVELOPE_SPREAD SUP_FOURCC('E', 'V', 'P', 'S')
#define SUP_SECTION_ENVELOPE_FIELDS SUP_FOURCC('E', 'V', 'P', 'F')
#define SUP_SECTION_ENVELOPE_TABLES SUP_FOURCC('E', 'V', 'P', 'T')
#define SUP_SECTION_ENVELOPE_STRENGTHS SUP_FOURCC('E', 'V', 'P', 'X')
#define SUP_SECTION_ENVELOPE_SOURCES SUP_FOURCC('E', 'V', 'S', 'R')
#define SUP_SECTION_ENVELOPE_LANES SUP_FOURCC('E', 'V', 'L', 'N')
#define SUP_SECTION_ENVELOPE_RING_FIRST SUP_FOURCC('E', 'V', 'R', '1')
#define SUP_SECTION_ENVELOPE_RINGS SUP_FOURCC('E', 'V', 'R', 'G')
#define SUP_ENVELOPE_SECTION_COUNT 30

/* Besides, for people and tools (supple/author/envelope_origin.h); a model may lack them, and no
 * step reads them: names of the control vertices, then of the shapes, each ended by 0; and the
 * local transforms of the joints in the pose of each shape, [shape_count * joint_count]. */
#define SUP_SECTION_ENVELOPE_LABELS SUP_FOURCC('E', 'V', 'L', 'B')
#define SUP_SECTION_ENVELOPE_POSES SUP_FOURCC('E', 'V', 'P', 'P')

/* How example shapes are blended (SupEnvelopeBlend of supple/author/envelope_pack.h). What its
 * arrays hold starts where that of the blend before it ends. */
typedef struct SupEnvelopeMix {
  uint32_t angle_count, centre_count;
  uint32_t first_angle;    /* into blend_angles */
  uint32_t first_centre;   /* into centres */
  uint32_t first_cardinal; /* into cardinal */
  float inverse_sigma;     /* 1 / radians; below 0: multiquadrics */
} SupEnvelopeMix;

/* A patch: a face of the control mesh. Its vertices are rows in blocks of 16: the border, filled up
 * to whole blocks, then the interior, filled up likewise. What its arrays hold starts where that of
 * the patch before it ends. */
typedef struct SupEnvelopeFace {
  uint32_t corner_count, border_count, interior_count;
  uint32_t field_count, angle_count;
  uint32_t angles[SUP_ENVELOPE_PATCH_ANGLES];
  uint32_t samples[SUP_ENVELOPE_PATCH_ANGLES];
  uint32_t first_corner; /* into corners */
  uint32_t first_border; /* into borders */
  uint32_t first_block;  /* of its rows */
  uint32_t first_value;  /* its fields' among those of all patches */
  uint32_t reserved;     /* 0 */
  uint64_t first_weight; /* into weights */
  uint64_t first_spread; /* into spread */
  uint64_t first_field;  /* into fields */
  uint64_t first_table;  /* into tables */
} SupEnvelopeFace;

/* A packed model. Pointers into the block that holds it. "blocks" are those of the patches' rows.
 */
typedef struct SupEnvelopeView {
  SupSkinView skin;     /* of the body */
  uint32_t flags;       /* 0 */
  uint32_t joint_count; /* of the skeleton it was made for */
  uint32_t root;        /* bone */
  uint32_t shape_count;
  uint32_t angle_count;
  uint32_t blend_count;
  uint32_t control_count;
  uint32_t seam_count;
  uint32_t patch_count;
  uint32_t block_count;                   /* of all patches */
  uint32_t value_count;                   /* fields of all patches */
  const SupEnvelopeAngle *angles;         /* [angle_count] */
  const SupEnvelopeMix *blends;           /* [blend_count] */
  const uint32_t *blend_angles;           /* by blend */
  const float *centres;                   /* by blend: [centre_count * angle_count] */
  const double *cardinal;                 /* by blend: [centre_count * (centre_count + 1)] */
  const uint32_t *shape_centres;          /* [blend_count * shape_count] */
  const float *shape_shares;              /* [blend_count * shape_count] */
  const uint32_t *control_blends;         /* [control_count] */
  const uint32_t *influence_first;        /* [control_count + 1] */
  const SupEnvelopeInfluence *influences; /* [influence_first[control_count]] */
  const SupVec3 *points;                  /* [influences * shape_count] */
  const SupEnvelopeRevision *revisions;   /* [control_count] */
  const SupVec3 *revision_points;         /* [control_count * shape_count] */
  const float *revision_angles;           /* [control_count * shape_count] */
  const SupEnvelopeSeam *seams;           /* [seam_count] */
  const SupEnvelopeFace *faces;           /* [patch_count] */
  const char *names;                      /* [patch_count * SUP_ENVELOPE_NAME] */
  const uint32_t *corners;                /* by patch: control vertices */
  const uint32_t *borders;                /* by patch: the seam of each border point */
  const float *weights;       /* by patch and block: a row of 16 per corner; spare rows 0 */
  const float *offsets;       /* [48 * block_count] x y z rows, in the frame of the face */
  const float *spread;        /* by patch and interior block: a row of 16 per border point */
  const float *fields;        /* by patch and block: x y z rows per field */
  const float *tables;        /* by patch: [product of samples * field_count] */
  const float *strengths;     /* [patch_count] of the residual, unless a frame says otherwise */
  const uint32_t *sources;    /* [16 * blocks of the skin] row of each lane, or SUP_ENVELOPE_NONE */
  const uint32_t *lanes;      /* [vertex_count] of the skin */
  const uint32_t *ring_first; /* the triangles around each lane (SupLaneRings) */
  const uint32_t *rings;
} SupEnvelopeView;

/* Checks the sections of a model whose container is sound, the skin's included: sizes, every
 * index, every number. */
SupResult sup_envelope_check(const SupModel *model, SupError *error);

/* A checked model; it points into the block. */
SupEnvelopeView sup_envelope_view(const SupModel *model);

/* ---- Playing ---------------------------------------------------------------------------------
 */

/* What a program may tell the technique in a frame (SupStackFrame.controls). */
typedef struct SupEnvelopeControls {
  /* [patch_count] strength of each residual, 0 (the purely layered shape) .. SUP_ENVELOPE_STRENGTH;
   * what is outside is moved there, what is no number counts as the model's. NULL: the model's. */
  const float *strengths;
  /* A control mesh in place of the model's, as large as that and trusted like that, to be tried out
   * (sup_envelope_move of supple/author/envelope_origin.h fills one); each may be NULL. */
  const SupVec3 *points;
  const SupVec3 *revision_points;
  const uint32_t *control_blends;
} SupEnvelopeControls;

/* One character: one block without pointers. It only keeps what need not be computed again. */
typedef struct SupEnvelopeState SupEnvelopeState;

size_t sup_envelope_bytes(const SupEnvelopeView *model);
SupEnvelopeState *sup_envelope_init(const SupEnvelopeView *model, void *block);

/* Where a pose is and where its shape goes. Rows as in SupGoal (supple/technique.h). */
typedef struct SupEnvelopeCall {
  const SupPose *pose;      /* at least joint_count joints */
  const SupAffine *palette; /* [bone_count] of that pose */
  const float *strengths;   /* as in SupEnvelopeControls, or NULL */
  float *positions;         /* [blocks of 3] in the space of the palette */
  float *normals;           /* [blocks of 3] any length, those of the triangles; or NULL */
  float *frames;            /* [blocks of 9] linear part of the blended bones; or NULL */
} SupEnvelopeCall;

/* The shape of a pose. Where the root has no inverse everything is skinned. `jobs` may be NULL. */
void sup_envelope_shape(const SupEnvelopeView *model, SupEnvelopeState *state,
                        const SupBackend *backend, const SupJobs *jobs,
                        const SupEnvelopeCall *call);

/* The last shape in figures, for people: how far each vertex was moved so that patches meet, and
 * how long its residual is, [vertex_count] of the skin each, in the units of the palette's space; 0
 * where plain skinning moves it, and everywhere where nothing was shaped. */
void sup_envelope_measure(const SupEnvelopeView *model, const SupEnvelopeState *state,
                          float *out_stitched, float *out_residual);

/* The control mesh of the last shape: [control_count] in the palette's space. */
const SupVec3 *sup_envelope_controls(const SupEnvelopeState *state);

/* How much of each shape the last shape had: [blend_count * shape_count], by blend. */
const float *sup_envelope_mixes(const SupEnvelopeState *state);

/* The frame of a face with these corners[count]: columns x, y and z; z is Newell's normal, x leads
 * from the mean of the corners towards the middle of the first edge. A face without area has some
 * frame. */
SupMat3 sup_envelope_frame(uint32_t count, const SupVec3 *corners);

#ifdef __cplusplus
}
#endif
#endif
