/* SPDX-License-Identifier: MIT */
/* Parts of setting up the subspace technique. */
#ifndef SUP_SRC_TRAIN_SUBSPACE_PARTS_H
#define SUP_SRC_TRAIN_SUBSPACE_PARTS_H

#include "supple/train/subspace.h"
#include "train/modes/modes_volume.h"

/* A volume as scalar functions on its nodes see it. */
typedef struct SubspaceBody {
  const SupSubspaceTrainDef *def;
  ModesVolume volume;
  uint32_t bones;
  double size;      /* metres */
  double mass;      /* kg of free nodes */
  double *gradient; /* [12 * tet_count] of the four shape functions, 1/m */
  double *shear;    /* [tet_count] shear modulus times volume, J; 0 where not active */
  double *ratio;    /* [tet_count] neo-Hookean lambda / mu */
  SupTies ties;     /* of the volume as it is, before it is tuned */
  double tuning;    /* stiffness is scaled by this to have the frequency that was asked for */
} SubspaceBody;

SupResult sup_subspace_body(SupArena *arena, SubspaceBody *body, SupFillReport *out_fill,
                            SupAttachReport *out_attach, SupError *error);

/* Functions on the free nodes, one after the other: values[count * free_count]. */
typedef struct SubspaceFunctions {
  uint32_t count;
  double *values;
  double *elastic; /* [count] 1/s^2: of the quadratic term, after sup_subspace_diagonalise */
} SubspaceFunctions;

/* The quadratic term on scalar functions: 2 rho shear grad . grad and the ties. out += A f, both
 * [free_count]. */
void sup_subspace_apply(const SubspaceBody *body, const double *f, double *io_out);

/* A pattern of the scalar matrices, and A + shift M in it: for eigenfunctions and heat. */
SupResult sup_subspace_matrix(SupArena *arena, const SubspaceBody *body, double shift,
                              SupSparse *out, SupError *error);

/* (static shape - skinning) at the free nodes in up to def->pose_count poses: three functions per
 * pose, *out_columns[3 * *out_count * free_count]. */
SupResult sup_subspace_poses(SupArena *arena, SubspaceBody *body, double **out_columns,
                             uint32_t *out_count, SupError *error);

SupResult sup_subspace_basis(SupArena *arena, SubspaceBody *body, SubspaceFunctions *out,
                             uint32_t *out_poses, SupError *error);

/* labels[tet_count]: the cluster of every active element, others SUP_NONE; clusters that share
 * bones are neighbours in number. */
SupResult sup_subspace_clusters(SupArena *arena, const SubspaceBody *body, uint32_t *out_labels,
                                uint32_t *out_count, SupError *error);

/* What the run time needs, in double. */
typedef struct SubspaceTables {
  uint32_t functions, clusters, fours;   /* K, r, 4 bones */
  double *gradients;                     /* [r * K * 3] */
  double *bone_gradients;                /* [r * fours * 3] */
  double *shear, *ratio;                 /* [r] */
  double *elastic, *preconditioner;      /* [K] */
  double *weight;                        /* [K] */
  double *inertia_bones, *elastic_bones; /* [K * fours] */
} SubspaceTables;

SupResult sup_subspace_tables(SupArena *arena, const SubspaceBody *body,
                              const SubspaceFunctions *functions, const uint32_t *labels,
                              uint32_t clusters, SubspaceTables *out, SupError *error);

/* Angular frequencies of the reduced body at rest, out[count] rising; count <= 3 K. */
SupResult sup_subspace_frequencies(SupArena *arena, const SubspaceTables *tables, double rho,
                                   uint32_t count, double *out, SupError *error);

/* Scales all that is elastic. */
void sup_subspace_scale(SubspaceTables *tables, double factor);

/* A row of the free nodes, [free_count], as vertex v shows it. */
double sup_subspace_at_vertex(const SubspaceBody *body, const double *row, uint32_t v);

/* What the vertices show of the functions and of the bones; sets the view's arrays in `arena`. */
SupResult sup_subspace_skin(SupArena *arena, const SubspaceBody *body,
                            const SubspaceFunctions *functions, SupSubspaceView *io_view,
                            SupError *error);

/* Helpers for view->vertex_functions; sets the view's helpers in `arena`. */
SupResult sup_subspace_fit_helpers(SupArena *arena, const SubspaceBody *body,
                                   SupSubspaceView *io_view, double *out_error, SupError *error);

#endif
