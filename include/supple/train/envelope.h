/* SPDX-License-Identifier: MIT */
/*
 * Supple: learning an envelope (docs/techniques/envelope.md) from example shapes on patches, and
 * carrying it over to another character (Guo 2007, EBTLE).
 *
 * The dress shape is the character's body in its bind pose. An example is the same body in another
 * pose: at least one, usually two to five. What is learned is a SupEnvelopeDef, which
 * sup_envelope_pack turns into a model.
 */
#ifndef SUPPLE_TRAIN_ENVELOPE_H
#define SUPPLE_TRAIN_ENVELOPE_H

#include "supple/author/envelope_pack.h"
#include "supple/author/patch_chart.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- What is learned from -------------------------------------------------------------------- */

/* A shape and the pose that it was made in. */
typedef struct SupEnvelopeExample {
  const char *name;         /* for sentences; never NULL */
  const SupTransform *pose; /* [joint_count] local transforms; NULL: the bind pose */
  const SupVec3 *positions; /* [body.vertex_count] scene space */
} SupEnvelopeExample;

/* A turn that something depends on: of a joint, about an axis in its own frame in the dress pose.
 */
typedef struct SupEnvelopeTurn {
  uint32_t joint;
  SupVec3 axis; /* any length; zero: the one that the examples turn it about most */
} SupEnvelopeTurn;

#define SUP_ENVELOPE_TURNS_MAX 3u

/* What an author says about one patch; what is left out is automatic. */
typedef struct SupEnvelopePatchOption {
  const char *patch;    /* its name */
  bool chosen_examples; /* whether `examples` counts: with none, the patch is layered */
  uint32_t example_count;
  const uint32_t *examples; /* of the definition, each once */
  uint32_t turn_count;      /* 0: automatic; else up to SUP_ENVELOPE_TURNS_MAX */
  const SupEnvelopeTurn *turns;
  float strength; /* default strength of the residual; 1 */
  SupVec3 scale;  /* transfer: factors of the residual in the frame of the patch's
                     face, in place of the ratio of boxes; zero: that ratio */
} SupEnvelopePatchOption;

/* Everything automatic. */
SupEnvelopePatchOption sup_envelope_patch_option(const char *patch);

/* A vertex of the control mesh put elsewhere by hand in one shape. */
typedef struct SupEnvelopeEdit {
  const char *feature; /* its name */
  uint32_t shape;      /* 0: the dress shape; k: example k - 1 */
  SupVec3 move;        /* how far from where it was, in the scene as the character stands there */
} SupEnvelopeEdit;

/* Whether edits of `shape_count` shapes can be made: each of a corner of a patch, in a shape that
 * there is, by a finite way, and of no vertex twice in one shape. */
SupResult sup_envelope_check_edits(const SupPatchesDef *def, const SupPatches *patches,
                                   uint32_t shape_count, uint32_t edit_count,
                                   const SupEnvelopeEdit *edits, SupError *error);

typedef enum SupEnvelopeResidual {
  SUP_ENVELOPE_THIN_PLATE, /* r^2 ln r over place and angles (Guo 2007) */
  SUP_ENVELOPE_CUBIC,      /* r^3: the same in three dimensions and more */
  SUP_ENVELOPE_PSD,        /* shapes blended by angles alone (Lewis et al. 2000), to compare with */
  SUP_ENVELOPE_RESIDUAL_COUNT
} SupEnvelopeResidual;

/* "plate", "cubic", "psd". */
const char *sup_envelope_residual_name(SupEnvelopeResidual residual);

/* What is learned. Start from sup_envelope_train_def. */
typedef struct SupEnvelopeTrainDef {
  uint32_t cookie;
  const SupCharacter *character;    /* skinned */
  const SupPatchesDef *patches_def; /* of the character's body */
  const SupPatches *patches;        /* of it; at least one */
  const SupPatchCharts *charts;     /* of them */
  uint32_t example_count;           /* 1 .. SUP_ENVELOPE_EXAMPLES_MAX */
  const SupEnvelopeExample *examples;
  uint32_t option_count;
  const SupEnvelopePatchOption *options; /* of different patches */
  uint32_t edit_count;
  const SupEnvelopeEdit *edits;
  uint32_t root; /* joint whose motion moves everything; SUP_NONE: the lowest one above all bones */

  bool literal;           /* control vertices follow joints by 1 / distance (Guo 2007), not by the
                             body's weights; false */
  uint32_t nearest_count; /* so many joints, with `literal`; 3 */
  bool smooth_weights;    /* mean value coordinates in the polygons, not Guo's; false */
  double sigma;           /* radians: shapes are blended by Gaussian functions of this width; 0: by
                             multiquadrics, which need none */
  bool revise;            /* control vertices at a bending joint are kept off it (Guo 2007, 3.17);
                             false: equilibria of real bodies are nearer without */
  double revision;        /* then, how much they are kept off it: 0 as far
                             as in the examples, 1 as in a mitre joint; 1 */
  double most;            /* at most so many times as far; 1.5 */
  SupEnvelopeResidual residual; /* SUP_ENVELOPE_THIN_PLATE */
  double ease;      /* distance of the widest gap between examples where places are in the unit
                       circle: small, bulges grow evenly with the angle; large, late and suddenly;
                       0.1 */
  double ridge;     /* smooths examples that contradict each other, which are then not met; 0 */
  double tolerance; /* of the tables, relative to the size of a patch's residual; 5e-4 */
  const SupJobs *jobs;
} SupEnvelopeTrainDef;

#define SUP_ENVELOPE_EXAMPLES_MAX 64u

SupEnvelopeTrainDef sup_envelope_train_def(const SupCharacter *character);

/* ---- What came of it ------------------------------------------------------------------------- */

typedef struct SupEnvelopePatchReport {
  const char *name;
  uint32_t vertex_count;  /* of the body, that it moves */
  uint32_t example_count; /* distinct postures beside the dress pose that its residual is from; 0:
                             it is layered only */
  uint32_t angle_count;
  uint32_t field_count;
  double residual; /* largest distance of an example from the layered model, in body units */
  double left;     /* largest distance of the tables from the examples that they are from; after a
                      transfer the primary's */
  double lost;     /* RMS that the tables lose of the residual function, relative to its size */
  SupVec3 scale;   /* of the residual; ones, but after a transfer */
  double contradiction; /* between two examples, how much the shape changes per radian, over the
                           median of the pairs: far above 1 where examples contradict each other; 0
                           where there are fewer than 3 postures */
} SupEnvelopePatchReport;

typedef struct SupEnvelopeTrainReport {
  uint32_t control_count, angle_count, blend_count, seam_count, open_count;
  uint32_t moved_count; /* body vertices that patches move */
  uint32_t patch_count;
  const SupEnvelopePatchReport *patches; /* [patch_count] */
  uint32_t note_count;
  const char *const *notes; /* [note_count] sentences without full stop: what was merged, dropped or
                               looks wrong */
  double left;              /* largest `left` of all patches, in body units: of the tables alone */
} SupEnvelopeTrainReport;

/* What was learned: `def` to pack, and what carrying it over needs, which is nobody else's. */
typedef struct SupEnvelopeTrained {
  SupEnvelopeDef def;
  SupEnvelopeTrainReport report;
  const SupEnvelopeTrainDef *from; /* a copy; its arrays are the caller's */
  const struct SupEnvelopeLearned *learned;
} SupEnvelopeTrained;

/* The lowest joint above all skin: turning it, or one above it, moves the character as a whole and
 * is no pose. SUP_NONE: none. */
uint32_t sup_envelope_whole(const SupCharacter *character);

/* Is the joint that one, or above it? */
bool sup_envelope_moves_all(const SupSkeleton *skeleton, uint32_t whole, uint32_t joint);

/* Learns. Everything of *out_trained lives in `arena` and points into what the definition points
 * to. Fails with a sentence, before any work, when a shape has the wrong size or a number that is
 * not finite, an example repeats another one's pose with another shape everywhere, or an option
 * names what there is not. The same bits for any number of threads. */
SupResult sup_envelope_train(SupArena *arena, const SupEnvelopeTrainDef *def,
                             SupEnvelopeTrained *out_trained, SupError *error);

/* ---- Another character ----------------------------------------------------------------------- */

/* What it is carried to. Start from sup_envelope_transfer_def. */
typedef struct SupEnvelopeTransferDef {
  uint32_t cookie;
  const SupEnvelopeTrained *primary; /* of sup_envelope_train */
  const SupCharacter *character;     /* the target, skinned */
  const SupPatchesDef *patches_def;  /* of its body; isomorphic (sup_patches_isomorphic) */
  const SupPatches *patches;
  const SupPatchCharts *charts; /* laid out like the primary's (SupPatchMapDef.like) */
  /* [joint_count of the primary] the target's joint that does the same, or SUP_NONE; NULL: joints
   * are matched as sup_retarget_make does. */
  const uint32_t *joints;
  /* [joint_count of the target] the pose in which the target stands as the primary does in its
   * bind pose (a T-pose for a T-pose): angles count from it, and its shape is the dress shape.
   * NULL: its bind pose. */
  const SupTransform *dress;
  const SupVec3 *positions; /* [its body vertices] shape in that pose; NULL: as skinning has it */
  uint32_t option_count;
  const SupEnvelopePatchOption *options; /* strength and scale count; no examples or turns */
  uint32_t edit_count;
  const SupEnvelopeEdit *edits; /* of the target's shapes, from where they were carried */
  const SupJobs *jobs;
} SupEnvelopeTransferDef;

SupEnvelopeTransferDef sup_envelope_transfer_def(const SupEnvelopeTrained *primary,
                                                 const SupCharacter *target);

/* Carries it over. *out_trained as above, with the target's shapes in place of examples (it can be
 * packed, but not carried on). Fails with a sentence when the patches do not correspond, a chart
 * lies in another polygon than the primary's, or a joint that angles are read off has no partner.
 */
SupResult sup_envelope_transfer(SupArena *arena, const SupEnvelopeTransferDef *def,
                                SupEnvelopeTrained *out_trained, SupError *error);

/* The pose of shape `shape` (0: dress) of something trained or carried over: out_pose[joint_count
 * of its character]. */
void sup_envelope_shape_pose(const SupEnvelopeTrained *trained, uint32_t shape,
                             SupTransform *out_pose);

/* The control mesh of that shape, without the root's motion: out_positions[def.control_count]. */
void sup_envelope_shape_control(const SupEnvelopeTrained *trained, uint32_t shape,
                                SupVec3d *out_positions);

/* The name of the feature that a control vertex is. */
const char *sup_envelope_control_name(const SupEnvelopeTrained *trained, uint32_t control);

#ifdef __cplusplus
}
#endif
#endif
