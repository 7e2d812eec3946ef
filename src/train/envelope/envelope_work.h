/* SPDX-License-Identifier: MIT */
/*
 * What the steps of learning an envelope hand to each other.
 *
 * Everything is in doubles and without the root's motion: P_b = P_root^-1 palette[b], and shapes
 * are moved by P_root^-1. A *shape* is the dress shape (0) or an example (k + 1).
 */
#ifndef SUP_TRAIN_ENVELOPE_WORK_H
#define SUP_TRAIN_ENVELOPE_WORK_H

#include "base/scratch.h"
#include "numerics/rbf.h"
#include "supple/train/envelope.h"

#define ENVELOPE_SAME 0.01   /* radians: postures nearer than this count as the same */
#define ENVELOPE_STILL 1e-5  /* of the size: what moves less has not moved */
#define ENVELOPE_SLIGHT 0.02 /* of the largest displacement: what moves less does not matter */

/* ---- Postures and shapes --------------------------------------------------------------------- */

typedef struct EnvelopeFigure {
  const SupCharacter *character;
  uint32_t root;  /* bone */
  uint32_t whole; /* sup_envelope_whole */
  uint32_t shape_count;
  double size;          /* diagonal of the box around the dress shape */
  SupTransform *poses;  /* [shape_count * joint_count] */
  SupAffined *roots;    /* [shape_count] P_root^-1 of the whole pose */
  SupAffined *palettes; /* [shape_count * bone_count] P_b */
  SupAffined *binds;    /* [joint_count] joint's frame -> bind space */
  uint32_t *bones;      /* [joint_count] a bone of the joint, or SUP_NONE */
  uint32_t held_count;  /* shapes that have positions: all, or the dress shape of a target */
  SupVec3d *positions;  /* [held_count * vertex_count] */
} EnvelopeFigure;

/* Allocates; poses are the caller's to fill, that of shape 0 is the bind pose. */
SupResult sup_envelope_figure(SupArena *arena, const SupCharacter *character, uint32_t root_joint,
                              uint32_t shape_count, uint32_t held_count, EnvelopeFigure *out,
                              SupError *error);

/* From the poses: roots and palettes. SUP_ERROR_FORMAT where a bone has no volume. */
SupResult sup_envelope_palettes(SupArena *scratch, EnvelopeFigure *figure, SupError *error);

/* positions of a shape in the scene, [vertex_count] -> figure->positions. */
void sup_envelope_take_positions(EnvelopeFigure *figure, uint32_t shape, const SupVec3 *positions);

SupVec3d sup_envelope_place(const EnvelopeFigure *figure, uint32_t shape, SupSkinPoint point);

/* ---- Angles ---------------------------------------------------------------------------------- */

typedef struct EnvelopeAngle {
  uint32_t joint;
  SupQuat rest;
  SupVec3 axis;
  double low, high;
  double *values; /* [shape_count] */
} EnvelopeAngle;

typedef struct EnvelopeAngles {
  uint32_t count, room;
  EnvelopeAngle *angles;
} EnvelopeAngles;

/* 2 atan2(axis . v, w) of rest^-1 rotation, wrapped to (-pi, pi]. */
double sup_envelope_turn(SupQuat rest, SupVec3 axis, SupQuat rotation);

/* Every turn of a joint in the shapes of the figure. Room for `more` others. */
SupResult sup_envelope_find_angles(SupArena *arena, const EnvelopeFigure *figure, uint32_t more,
                                   EnvelopeAngles *out, SupError *error);

/* The number of the angle for a turn that an author named. */
SupResult sup_envelope_named_angle(SupArena *arena, const EnvelopeFigure *figure,
                                   EnvelopeAngles *angles, const SupEnvelopeTurn *turn,
                                   uint32_t *out_angle, SupError *error);

/* What to choose angles for. */
typedef struct EnvelopeChoice {
  const EnvelopeFigure *figure;
  const EnvelopeAngles *angles;
  const double *weights; /* [bone_count] how much each bone carries it */
  const double *moves;   /* [shape_count] how far it is from the layered model; 0 where that is
                            nothing; moves[0] is 0 */
  const uint8_t *used;   /* [shape_count] */
} EnvelopeChoice;

/* At most SUP_ENVELOPE_TURNS_MAX angles, near it, that tell the shapes that move it from the
 * others. out_angles[SUP_ENVELOPE_TURNS_MAX]; returns how many. */
uint32_t sup_envelope_choose(SupArena *scratch, const EnvelopeChoice *choice, uint32_t *out_angles);

/* Distance of two shapes in these angles. */
double sup_envelope_apart(const EnvelopeAngles *angles, uint32_t count, const uint32_t *chosen,
                          uint32_t a, uint32_t b);

/* The longest step from one of count (at most SUP_ENVELOPE_EXAMPLES_MAX + 1) postures to the next,
 * where all steps are as short as they can be: the longest edge of the shortest tree over them. */
typedef double EnvelopeApartFn(const void *user, uint32_t a, uint32_t b);
double sup_envelope_widest_gap(uint32_t count, EnvelopeApartFn *apart, const void *user);

/* Shapes by posture: out_centres[shape_count] the centre of each used shape, else SUP_NONE, and
 * out_first[shape_count] the shape that each centre has its angles from; the dress shape has centre
 * 0. Returns the number of centres. */
uint32_t sup_envelope_postures(const EnvelopeAngles *angles, uint32_t shape_count,
                               const uint8_t *used, uint32_t count, const uint32_t *chosen,
                               uint32_t *out_centres, uint32_t *out_first);

/* ---- The control mesh ------------------------------------------------------------------------ */

typedef struct EnvelopeBlend {
  uint32_t angle_count, angles[SUP_ENVELOPE_TURNS_MAX];
  double sigma; /* of Gaussian functions; below 0: of multiquadrics, which are round so far around a
                   centre */
  bool narrowed; /* sigma is less than it was to be: the centres are too near to each other */
  uint32_t centre_count;
  double *centres;           /* [centre_count * angle_count] */
  double *cardinal;          /* [centre_count * (centre_count + 1)] */
  uint32_t *centre_of_shape; /* [shape_count] */
  double *share_of_shape;    /* [shape_count] */
} EnvelopeBlend;

typedef struct EnvelopeRevision {
  uint32_t bone; /* SUP_NONE: none */
  SupVec3d centre, axis;
  uint32_t angle;
  double strength;
} EnvelopeRevision;

typedef struct EnvelopeControl {
  uint32_t count;
  uint32_t *features;   /* [count] */
  uint32_t *of_feature; /* [feature_count] or SUP_NONE */
  SupVec3d *shapes;     /* [shape_count * count] */
  uint32_t *offsets;    /* [count + 1] into bones and weights */
  uint32_t *bones;
  double *weights;
  EnvelopeRevision *revisions; /* [count] */
  uint32_t *blends;            /* [count] */
  uint32_t blend_count;
  EnvelopeBlend *list; /* [blend_count] */
} EnvelopeControl;

/* ---- Patches --------------------------------------------------------------------------------- */

typedef struct EnvelopeResidual {
  uint32_t angle_count, angles[SUP_ENVELOPE_TURNS_MAX];
  uint32_t centre_count;
  uint32_t *centre_of_shape; /* [shape_count] or SUP_NONE */
  uint32_t *first;           /* [centre_count] shape that it has its angles from */
  /* Angles as the functions see them: rank coordinates (angles - middle) . axes * scale. */
  uint32_t rank;
  double middle[SUP_ENVELOPE_TURNS_MAX];
  double axes[SUP_ENVELOPE_TURNS_MAX][SUP_ENVELOPE_TURNS_MAX]; /* [rank][angle] */
  double scale;
  double *levels; /* [centre_count * rank] of the centres */
  double *values; /* [centre_count * vertex_count * 3] displacements, by centre */
  SupRbf place;   /* over place and levels; PSD: over place, 3 values per centre */
  SupRbf level;   /* PSD: over levels, a value per centre */
} EnvelopeResidual;

typedef struct EnvelopePatch {
  const char *name;
  uint32_t source; /* the primary's patch that it is like */
  float strength;
  SupVec3 chosen_scale;            /* zero: by the boxes */
  uint32_t corner_count, *corners; /* control vertices */
  uint32_t count, border_count;
  const SupSkinPoint *points; /* [count] */
  const double (*uv)[2];      /* [count] */
  uint32_t *seams;            /* [border_count] */
  double *weights;            /* [count * corner_count] */
  SupVec3d *offsets;          /* [count] d^1 */
  SupVec3d box;               /* around the vertices in the frame of the face */
  float *spread;              /* [(count - border_count) * border_count] */
  bool has_residual;
  EnvelopeResidual residual; /* of the primary */
  uint32_t worst[2];         /* shapes that contradict each other most */
  uint32_t samples[SUP_ENVELOPE_TURNS_MAX];
  uint32_t field_count;
  SupVec3 *fields;
  float *tables;
  SupEnvelopePatchReport report;
} EnvelopePatch;

typedef struct EnvelopeNote {
  const char *text;
  struct EnvelopeNote *next;
} EnvelopeNote;

/* Everything; kept for carrying over. */
typedef struct SupEnvelopeLearned {
  SupEnvelopeTrainDef settings;
  const SupPatchesDef *patches_def;
  const SupPatches *patches;
  const SupPatchCharts *charts;
  uint32_t option_count;
  const SupEnvelopePatchOption *options;
  bool carried; /* over from another character */
  EnvelopeFigure figure;
  EnvelopeAngles angles;
  EnvelopeControl control;
  uint32_t seam_count, open_count;
  SupEnvelopeSeam *seams;
  uint32_t patch_count;
  EnvelopePatch *faces;
  uint32_t note_count;
  EnvelopeNote *notes, *last_note;
} SupEnvelopeLearned;

/* One job: results in `arena`, the rest in `scratch`. */
typedef struct EnvelopeWork {
  SupArena *arena, *scratch;
  SupEnvelopeLearned *learned;
  const SupJobs *jobs;
  SupError *error;
} EnvelopeWork;

/* A job that starts from there: a copy of it in the arena. */
SupResult sup_envelope_begin(EnvelopeWork *work, const SupEnvelopeLearned *start);

void sup_envelope_note(EnvelopeWork *work, const char *format, ...);

/* The option for a patch, or NULL. */
const SupEnvelopePatchOption *sup_envelope_option(const SupEnvelopeLearned *learned,
                                                  const char *patch);

/* Options name patches and each only once; examples and turns are in range. */
SupResult sup_envelope_check_options(const SupEnvelopeLearned *learned, SupError *error);

/* ---- Samples of tables ----------------------------------------------------------------------- */

/* The samples that stand around some angles, with their factors. */
typedef struct EnvelopeTaps {
  uint32_t count;
  size_t samples[64];
  double weights[64];
} EnvelopeTaps;

/* samples[residual->angle_count] along each angle. */
void sup_envelope_find_taps(const EnvelopeAngles *driving, const EnvelopeResidual *residual,
                            const uint32_t *samples, const double *angles, EnvelopeTaps *out);
/* io[n * n], zero: the products A A^T of the factors that n places have of the samples. */
SupResult sup_envelope_multiply_taps(EnvelopeWork *work, uint32_t n, const EnvelopeTaps *taps,
                                     uint32_t sample_count, double *io);

/* ---- Steps, in their order ------------------------------------------------------------------- */

/* One face per patch, with its options. */
SupResult sup_envelope_faces(EnvelopeWork *work);
/* Vertices, weights and the dress shape. */
SupResult sup_envelope_control_mesh(EnvelopeWork *work);
/* The other shapes as the figure's positions have them. */
void sup_envelope_read_shapes(EnvelopeWork *work);
/* The control vertex of a checked edit. */
uint32_t sup_envelope_edited(const SupEnvelopeLearned *learned, const SupEnvelopeEdit *edit);
/* Checked edits. */
void sup_envelope_edit_shapes(EnvelopeWork *work, uint32_t count, const SupEnvelopeEdit *edits);
/* Which joints the control vertices are kept off. */
SupResult sup_envelope_revise(EnvelopeWork *work);
SupResult sup_envelope_blends(EnvelopeWork *work);
/* Those of vertices[count] anew: where a shape is put elsewhere, there is something to be blended.
 * The list has room for a blend of each. */
SupResult sup_envelope_blend_edited(EnvelopeWork *work, uint32_t count, const uint32_t *vertices);
/* Places, seams and coordinates of all patches, then what is not stored of their dress shape. */
SupResult sup_envelope_layout(EnvelopeWork *work);
SupResult sup_envelope_offsets(EnvelopeWork *work);
SupResult sup_envelope_spreads(EnvelopeWork *work);
/* The residual functions of the primary. */
SupResult sup_envelope_residuals(EnvelopeWork *work);
/* Fields and tables of the residuals of `primary` at this figure's places. */
SupResult sup_envelope_tables(EnvelopeWork *work, const SupEnvelopeLearned *primary);
/* Everything as floats. */
SupResult sup_envelope_define(EnvelopeWork *work, const SupEnvelopeLearned *residuals,
                              SupEnvelopeTrained *out);

/* ---- The layered model ----------------------------------------------------------------------- */

/* Where shape `from` puts a control vertex in the posture of shape `to`: skinned (Guo 2007, Eq.
 * 3.16), and kept off the joint (3.17). */
SupVec3d sup_envelope_skinned(const SupEnvelopeLearned *learned, uint32_t vertex, uint32_t from,
                              uint32_t to);
SupVec3d sup_envelope_revised(const SupEnvelopeLearned *learned, uint32_t vertex, uint32_t from,
                              uint32_t to);
/* Blended (3.18): out_positions[control count]. Needs the blends. */
void sup_envelope_layered(const SupEnvelopeLearned *learned, uint32_t shape,
                          SupVec3d *out_positions);
/* The function of a blend at a squared distance from a centre. */
double sup_envelope_near(const EnvelopeBlend *blend, double square);
/* Weights of the centres of a blend at these angles, out_weights[centre_count]. */
void sup_envelope_blend_weights(const EnvelopeBlend *blend, const double *angles,
                                double *out_weights);
/* Columns x, y, z of a face with these corners: sup_envelope_frame in doubles. */
SupMat3d sup_envelope_face_frame(const EnvelopePatch *patch, const SupVec3d *control);
/* The place of a patch's vertex in its face. */
SupVec3d sup_envelope_on_face(const EnvelopePatch *patch, const SupVec3d *control, uint32_t vertex);

/* ---- The residual ---------------------------------------------------------------------------- */

/* Angles [angle_count] -> levels [rank]. */
void sup_envelope_levels(const EnvelopeResidual *residual, const double *angles, double *out);
/* The residual function of a patch at `count` levels, at a place of its chart: out[count * 3].
 * squares[vertex count of the primary's patch + 3 * centre_count] is scratch. */
void sup_envelope_residual_at(const EnvelopePatch *primary, const double uv[2], uint32_t count,
                              const double *levels, double *squares, double *out);

#endif
