/* SPDX-License-Identifier: MIT */
/*
 * Supple: Guo 2007 (EBTLE) again: three examples of an upper body (dress; elbows flexed with a
 * bulge; arms folded in), learned, played in new poses and carried over to other characters.
 *
 * The thesis shows pictures. Here the shapes are equilibria of an elastic body whose upper arms
 * pull as its elbows flex, for primary and targets alike, so that every target has a ground truth
 * of its own. Errors are root mean squares over poses and the skin of the upper body, by area;
 * relative ones are over those of plain skinning.
 */
#ifndef SUPPLE_APP_PAPER_GUO2007_H
#define SUPPLE_APP_PAPER_GUO2007_H

#include "supple/app/character_file.h"
#include "supple/train/envelope.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SUP_GUO_TARGETS 4

/* Start from sup_guo_def. */
typedef struct SupGuoDef {
  uint32_t cookie;
  const char *primary;         /* a file; NULL: the built-in arm */
  const char *primary_patches; /* a patch file, or NULL */
  uint32_t target_count;       /* 0, with the built-in primary: arms of other meshes and shapes */
  const char *targets[SUP_GUO_TARGETS];
  const char *target_patches[SUP_GUO_TARGETS]; /* or NULL each */
  bool quick;                                  /* far less of everything, to see it run */
  bool full;       /* so many random poses that pose-space deformation grows as large as we are */
  bool carry_only; /* of the primary only the examples are wanted: what targets learn from */
} SupGuoDef;

SupGuoDef sup_guo_def(void);

/* ---- What is learned from, and judged by ----------------------------------------------------- */

/* The kinds of poses, in their order. */
typedef enum SupGuoSet {
  SUP_GUO_EXAMPLES, /* elbows flexed; arms folded in */
  SUP_GUO_NEW,      /* between these, and other combinations */
  SUP_GUO_CLIPS,    /* moments of the character's own clips */
  SUP_GUO_MORE,     /* drawn at random within the first two: more to learn from, never judged */
  SUP_GUO_SETS
} SupGuoSet;

typedef struct SupGuoPoses {
  uint32_t count;
  const char **names;      /* [count] */
  SupTransform *joints;    /* [count * joint_count] */
  const SupVec3 *truth;    /* [count * vertex_count] equilibria, scene space */
  const SupVec3 *skinning; /* the same, skinned */
} SupGuoPoses;

/* A character of the study. */
typedef struct SupGuoFigure {
  const char *name;
  SupCharacterFile file;
  const char *patch_file; /* or NULL */
  SupGuoPoses sets[SUP_GUO_SETS];
  double *areas;      /* [vertex_count] 0 outside the upper body */
  uint32_t upper;     /* vertices of it */
  uint32_t tet_count; /* of the ground truth */
  double seconds;     /* that it took, per pose */
} SupGuoFigure;

typedef struct SupGuoStudy {
  const SupAppContext *app;
  SupGuoDef def;
  SupGuoFigure primary;
  uint32_t target_count;
  SupGuoFigure targets[SUP_GUO_TARGETS];
} SupGuoStudy;

/* Opens or makes the characters and finds the equilibria of the primary. Fails with a sentence
 * where one has no arms. Close it after use, also where it failed. */
SupResult sup_guo_open(const SupAppContext *app, const SupGuoDef *def, SupGuoStudy *out_study,
                       SupError *error);
void sup_guo_close(SupGuoStudy *study);

/* The equilibria of a target, once. */
SupResult sup_guo_target(SupGuoStudy *study, uint32_t target, SupError *error);

/* ---- Ways to deform -------------------------------------------------------------------------- */

typedef enum SupGuoWay {
  SUP_GUO_SKINNING,
  SUP_GUO_DELTA_MUSH,      /* no examples */
  SUP_GUO_LAYERED,         /* the envelope without its residual */
  SUP_GUO_ENVELOPE,        /* learned from the figure's own examples */
  SUP_GUO_CARRIED_LAYERED, /* carried over from the primary; targets only */
  SUP_GUO_CARRIED,
  SUP_GUO_POSE_SHAPES,      /* pose-space deformation, the figure's own examples */
  SUP_GUO_CORRECTIVES,      /* ours, the figure's own examples */
  SUP_GUO_MORE_POSE_SHAPES, /* the same two with a dozen of SUP_GUO_MORE beside the examples */
  SUP_GUO_MORE_CORRECTIVES,
  SUP_GUO_MOST_POSE_SHAPES, /* with all of SUP_GUO_MORE; another row only where `full` */
  SUP_GUO_WAYS
} SupGuoWay;

const char *sup_guo_way_name(SupGuoWay way);

/* How near a way comes to the equilibria of a set. */
typedef struct SupGuoError {
  double rms, worst;     /* metres */
  double relative_error; /* 0 where the set is empty */
  double folded;         /* fraction of the skin, in the worst pose */
} SupGuoError;

typedef struct SupGuoRow {
  SupGuoWay way;
  SupGuoError errors[SUP_GUO_CLIPS + 1];
  double volume;     /* most that the skin's volume changes in any pose of the first two sets */
  uint32_t examples; /* that were learned from */
  uint64_t bytes;    /* beside the skin */
  double learn_seconds;
  double micros;              /* of a pose, one thread, the fastest of some runs */
  double scalar_micros;       /* ours with the scalar instruction set, as the baselines are */
  uint32_t patches, left_out; /* envelopes only */
  SupVec3 *positions[SUP_GUO_CLIPS + 1]; /* what was shown, [count * vertex_count] */
} SupGuoRow;

/* Learns and judges. `figure` is study->primary or a target that has its equilibria. */
SupResult sup_guo_try(const SupGuoStudy *study, const SupGuoFigure *figure, SupGuoWay way,
                      SupGuoRow *out_row, SupError *error);

/* Microseconds of a plain pass of linear skinning over the figure. */
double sup_guo_naive(const SupGuoStudy *study, const SupGuoFigure *figure);

/* Draws the poses of a set twice, one above the other, as a PNG: `top` and `bottom` are
 * [count * vertex_count]. */
SupResult sup_guo_picture(const SupGuoStudy *study, const SupGuoFigure *figure, SupGuoSet set,
                          const char *const labels[2], const SupVec3 *const shapes[2],
                          const char *path, SupError *error);

/* ---- The tables of the thesis ---------------------------------------------------------------- */

/* Table 3.2: a patch and its network of radial functions. */
typedef struct SupGuoNetwork {
  const char *patch;
  uint32_t function_count; /* two examples of half as many vertices */
  double solve, evaluate;  /* the thesis's seconds; the second is of one vertex */
} SupGuoNetwork;

#define SUP_GUO_NETWORKS 5
extern const SupGuoNetwork sup_guo_networks[SUP_GUO_NETWORKS];

/* Ours in seconds: of a network of that size, and of one vertex, directly. */
SupResult sup_guo_network(const SupAppContext *app, const SupGuoNetwork *network, double *out_solve,
                          double *out_evaluate, SupError *error);

/* Table 3.3: a character, and seconds of the stages of a frame. */
typedef struct SupGuoCharacter {
  const char *name;
  uint32_t vertex_count;
  double control, transform, networks, total;
} SupGuoCharacter;

#define SUP_GUO_CHARACTERS 5
extern const SupGuoCharacter sup_guo_characters[SUP_GUO_CHARACTERS];

#ifdef __cplusplus
}
#endif
#endif
