/* SPDX-License-Identifier: MIT */
/*
 * Supple: rigs, plain data.
 *
 * A *rig* answers parameters with surface vertices: the controls of an animator, whatever stands
 * behind them. SupRig is that answer as a table of functions, and anything may fill it. SupRigDef
 * describes the rig of a character: its layers and what its parameters drive; a rig file holds one
 * (supple/io/rig_file.h), and supple/rig/character_rig.h makes it answer.
 *
 * Metres, radians, factors; double precision throughout.
 */
#ifndef SUPPLE_AUTHOR_RIG_DEF_H
#define SUPPLE_AUTHOR_RIG_DEF_H

#include "supple/math.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Any rig --------------------------------------------------------------------------------- */

/* Who moves a parameter. */
typedef enum SupRigRole {
  SUP_RIG_FREE,     /* the simulation */
  SUP_RIG_SCRIPTED, /* the animator's clip */
  SUP_RIG_LOCKED,   /* nobody: it stays at rest */
  SUP_RIG_BY_ZONE   /* of a SupRigControl only: as its zone says, free where that says nothing */
} SupRigRole;

typedef struct SupRigParameter {
  const char *name; /* never NULL or empty; no two are equal */
  const char *zone; /* what it belongs to (belly, cheeks), never NULL, maybe empty */
  double rest;      /* finite; with all parameters at rest the surface is at rest */
  double low, high; /* low <= rest <= high, low < high; may be infinite */
  double scale;     /* finite, > 0: a large change. Steps of differences are fractions of it */
  SupRigRole role;
  uint32_t line; /* of the file that names it, for sentences; 0: none */
} SupRigParameter;

/* The most parameters that a rig may have. */
#define SUP_RIG_PARAMETERS_MAX 100000u

/* A rig. The functions may be called by one thread at a time. What they answer depends on the
 * parameters alone. On failure they leave a sentence; what they have written is then undefined. */
typedef struct SupRig {
  uint32_t parameter_count;
  const SupRigParameter *parameters; /* [parameter_count] */
  uint32_t vertex_count;
  bool single_precision; /* its answers are floats: differences take larger steps */
  void *user;
  /* Surfaces of `count` parameter vectors: parameters[count * parameter_count] ->
   * out_vertices[count * vertex_count]. */
  SupResult (*evaluate)(void *user, uint32_t count, const double *parameters,
                        SupVec3d *out_vertices, SupError *error);
  /* Exact derivatives at parameters[parameter_count] by the parameters columns[column_count]:
   * out_columns[column_count * vertex_count]. NULL: differences have to do. */
  SupResult (*jacobian)(void *user, const double *parameters, uint32_t column_count,
                        const uint32_t *columns, SupVec3d *out_columns, SupError *error);
} SupRig;

/* ---- The rig of a character ------------------------------------------------------------------ */

/* What a parameter drives: a channel. At rest a channel has its neutral value; every parameter
 * adds factor * (value - rest). */
typedef enum SupRigTargetKind {
  SUP_RIG_JOINT_TRANSLATION, /* metres from the rest translation, along axes of the parent. 0 */
  SUP_RIG_JOINT_ROTATION,    /* rotation vector that follows the rest rotation: q_rest exp(v). 0 */
  SUP_RIG_JOINT_TURN,        /* another one behind it: q_rest exp(rotation) exp(turn). So a free
                                turn is relative to a scripted rotation. 0 */
  SUP_RIG_JOINT_SCALE,       /* factor on the rest scale. 1 */
  SUP_RIG_MORPH,             /* weight of a morph target. The file's default weight */
  SUP_RIG_LATTICE_POINT,     /* displacement of a control point, in bind space. 0 */
  SUP_RIG_WIRE_POINT,        /* displacement of a control point, in bind space. 0 */
  SUP_RIG_WIRE_TWIST,        /* radians about the wire at a control point. 0 */
  SUP_RIG_WIRE_RADIUS        /* factor on the distance from the wire at a control point. 1 */
} SupRigTargetKind;

typedef struct SupRigTarget {
  SupRigTargetKind kind;
  const char *name;  /* of the joint or helper, morph target, lattice or wire */
  uint32_t point[3]; /* of a lattice: number along x, y, z; of a wire: point[0] */
  uint32_t axis;     /* 0, 1, 2: x, y, z; 0 for morph targets, twists and radii */
  double factor;     /* finite, not 0 */
} SupRigTarget;

/* A parameter and what it drives. NaN in a number of `base`: take the default, which is the neutral
 * value of the first target for `rest`, a range by its kind for `low` and `high`, high - low for
 * `scale`. */
typedef struct SupRigControl {
  SupRigParameter base;
  uint32_t target_count; /* at least 1 */
  const SupRigTarget *targets;
} SupRigControl;

/* A joint that the character does not have. It takes from its parent's bone the part falloff(d) of
 * the weight of each vertex, d the rest distance: 1 at the joint, 0 at the radius, smooth. At rest
 * it moves as its parent, whatever the pose: skinning is then what it was. */
typedef struct SupRigHelper {
  const char *name;   /* no joint or other helper has it */
  const char *parent; /* a joint with a bone, or an earlier helper */
  SupVec3d at;        /* bind space */
  double radius;      /* > 0 */
  uint32_t line;
} SupRigHelper;

typedef enum SupRigLayerKind { SUP_RIG_LATTICE, SUP_RIG_WIRE } SupRigLayerKind;

/* A deformer before skinning (in bind space) or after it. A vertex is bound where it is at rest.
 *
 * Lattice (Sederberg and Parry 1986): points[0] x points[1] x points[2] control points fill the box
 * from low to high; a vertex inside moves by the Bernstein polynomials of its place times their
 * displacements: linear. Outside nothing moves.
 *
 * Wire (after Singh and Fiume 1998): a clamped uniform cubic B-spline through space with control
 * points `curve`. A vertex within `radius` of the nearest point of the curve goes with the curve,
 * turned with its direction and twisted about it; beyond it the influence fades within `fade`. */
typedef struct SupRigLayer {
  SupRigLayerKind kind;
  const char *name; /* no other layer has it */
  bool after_skinning;
  const char *joint; /* after skinning: the joint that carries the control points, which must have
                        a bone; NULL: they stay in bind space */
  SupVec3d low, high;
  uint32_t points[3]; /* each 2 to 16 */
  uint32_t curve_count;
  const SupVec3d *curve; /* [curve_count] 2 to 64 control points, bind space */
  double radius, fade;   /* >= 0, > 0; metres */
  uint32_t line;
} SupRigLayer;

/* A zone and the role of its parameters that are SUP_RIG_BY_ZONE; itself it is not. */
typedef struct SupRigZone {
  const char *name;
  SupRigRole role;
  uint32_t line;
} SupRigZone;

typedef struct SupRigDef {
  const char *name;  /* of the rig, for sentences; never NULL */
  const char *about; /* one line for a person, never NULL */
  uint32_t helper_count;
  const SupRigHelper *helpers;
  uint32_t layer_count;
  const SupRigLayer *layers; /* in the order in which they act, those before skinning first */
  uint32_t zone_count;       /* 0: parameters name zones as they like */
  const SupRigZone *zones;
  uint32_t control_count;
  const SupRigControl *controls;
  /* Every translation, rotation and scale of a joint of the character, and every morph weight, that
   * no control drives becomes a scripted parameter of its own, behind the others
   * ("hip.rotation.x"): clips play through the rig. Otherwise they stay at rest. */
  bool script_rest;
  /* Bones per vertex that helpers may lead to, 0: any number. A vertex that has more without
   * helpers keeps them. */
  uint32_t influence_max;
} SupRigDef;

#ifdef __cplusplus
}
#endif
#endif
