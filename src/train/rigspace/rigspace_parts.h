/* SPDX-License-Identifier: MIT */
/*
 * Physics in rig-space, as its own sources see it.
 *
 * Unknowns are y, the change of the free parameters in units of their scales: p_f = base + scale y.
 * Places x are those of all nodes, surface nodes first. N nodes, s of them on the surface, q
 * inside, n free parameters.
 */
#ifndef SUP_SRC_TRAIN_RIGSPACE_PARTS_H
#define SUP_SRC_TRAIN_RIGSPACE_PARTS_H

#include "fem/potential.h"
#include "supple/train/rigspace.h"

struct SupRigspace {
  SupRigspaceDef def;
  SupArena *arena; /* for scratch of the rig's differences */
  uint32_t n, node_count, surface_count, inside_count;
  uint32_t *free;      /* [n] numbers of the free parameters */
  double *scales;      /* [n] */
  double size;         /* diagonal of the surface at rest, m */
  SupElastic body;     /* all nodes free: the functional */
  SupElastic flesh;    /* surface nodes prescribed: Eq. 5 and the matrix over the nodes inside */
  bool dragged;        /* the flesh has drag */
  double *own_blocks;  /* of `flesh`: its elements' results, when they are not those of `body` */
  SupCholesky *factor; /* of the matrix of `flesh`; NULL without nodes inside */
  SupPotential potential;
  SupHistory history;
  SupPotentialLoads loads;
  uint32_t *contact_tets; /* [s] a corner of a tetrahedron that the node is; NULL: no obstacles */
  double *contact_stiffness; /* [s] N / m */
  bool *moved;               /* [s] a free parameter moves it */
  /* What a step has to look at (rigspace_moving.c). */
  bool *moves;                   /* [N] has a derivative by a free parameter, or is an unknown */
  uint32_t moving_count;         /* elements with such a node */
  uint32_t *moving;              /* [tet_count] these */
  uint32_t all_count, *all_tets; /* what `body` has active otherwise */
  double *p, *p_old;             /* [parameter_count] now and one step before */
  double *typical;               /* [n] running mean of the squares of changes per step */
  uint64_t steps;
  /* Held parameters: how fast they are drawn, where to, and the springs that do it in this step. */
  double *held, *held_at; /* [n] 1 / s, infinite: held */
  double step_seconds;
  double *held_stiffness; /* [n] J per squared unit of y */
  bool held_known;        /* the springs of this step are */
  /* The rig around a base point. */
  bool known;      /* `surface` holds a Jacobian */
  double *base;    /* [parameter_count] */
  SupVec3d *at;    /* [s] surface nodes there */
  double *surface; /* [n * 3 s] derivative of the surface nodes by y, column after column */
  double *inside;  /* [n * 3 q] that of the nodes inside */
  /* Scratch. */
  SupVec3d *skin;                     /* [skin_count] */
  SupVec3d *skin_columns;             /* [n * skin_count] */
  double *vector;                     /* [parameter_count] */
  SupVec3d *x, *trial, *from, *move;  /* [N] */
  SupVec3d *flesh_gradient;           /* [N] */
  SupVec3d *ahead;                    /* [N] the move of a whole Newton step */
  SupVec3d *carrier;                  /* [N] m/s without free motion: what drag is relative to */
  double *product;                    /* [n * 3 N] matrix times columns */
  double *column_scratch;             /* [n * 3 N] the columns themselves */
  double *solved;                     /* [n * 3 q] */
  double *right;                      /* [3 q] */
  double *hessian, *small;            /* [n * n] */
  bool kept;                          /* `hessian` is of the step before, nodes inside skinned */
  double *slope, *step, *y, *y_trial; /* [n] */
  double *full_slope, *sides;         /* [n] of the reference: before elimination; steps */
  uint32_t *open;                     /* [n] parameters that are not held by a bound */
  SupRigspaceReport report;           /* of the step under way */
};

/* rs->slope = T^T g and rs->hessian = T^T H T of the potential that was evaluated with a Hessian;
 * rs->column_scratch has the columns of T. */
void sup_rigspace_reduce(SupRigspace *rs);

/* ---- Contact (rigspace_contact.c) ----------------------------------------------------------- */

SupResult sup_rigspace_contact_create(SupArena *arena, SupRigspace *rs, SupError *error);

/* Which surface nodes the Jacobian of now moves. */
void sup_rigspace_mark_moved(SupRigspace *rs);

/* Gravity and contact. */
SupPotentialLoads sup_rigspace_loads(SupRigspace *rs, SupVec3d gravity);

/* ---- What moves (rigspace_moving.c) ---------------------------------------------------------- */

SupResult sup_rigspace_moving_create(SupArena *arena, SupRigspace *rs, SupError *error);

/* Which nodes and elements the Jacobian of now moves. */
void sup_rigspace_find_moving(SupRigspace *rs);

/* With skinned nodes inside: `body` evaluates nothing but the elements that move, or all again. */
void sup_rigspace_look_at_moving(SupRigspace *rs);
void sup_rigspace_look_at_all(SupRigspace *rs);

/* ---- The rig (rigspace_rig.c) --------------------------------------------------------------- */

/* The surface nodes of parameters[parameter_count]. */
SupResult sup_rigspace_surface(SupRigspace *rs, const double *parameters, SupVec3d *out_nodes,
                               SupError *error);

/* rs->surface at parameters. */
SupResult sup_rigspace_jacobian(SupRigspace *rs, const double *parameters, SupError *error);

/* out[s] += rs->surface y. */
void sup_rigspace_add_linear(const SupRigspace *rs, const double *y, SupVec3d *io_nodes);

/* Sum over surface nodes of mass times squared length. */
double sup_rigspace_square(const SupRigspace *rs, const SupVec3d *nodes);

/* rs->vector = base with the free parameters moved by y. */
void sup_rigspace_move(SupRigspace *rs, const double *base, const double *y);

/* ---- The nodes inside (rigspace_inside.c) --------------------------------------------------- */

/* Brings the nodes inside to balance with the surface nodes of x: minimises W over them (Eq. 5),
 * beginning where they are. Says whether it converged. */
SupResult sup_rigspace_balance(SupRigspace *rs, SupVec3d *io_x, bool *out_converged,
                               SupError *error);

/* Puts the nodes inside where an affine map of the rest shape has them: where a search begins. */
void sup_rigspace_guess_inside(const SupRigspace *rs, SupVec3d *io_x);

/* rs->inside = dq/dy at x, in balance: -W_qq^-1 W_qs ds/dy, exact where W_qq is definite. */
SupResult sup_rigspace_sensitivity(SupRigspace *rs, const SupVec3d *x, SupError *error);

/* The same for nodes inside that swing with their mass at the square (1/s^2) of a circular
 * frequency: -(W_qq - square M_qq)^-1 W_qs ds/dy. */
SupResult sup_rigspace_swing(SupRigspace *rs, const SupVec3d *x, double square, SupError *error);

/* Nodes inside as sums of the surface nodes of x; and rs->inside of that. */
void sup_rigspace_skin_inside(const SupRigspace *rs, SupVec3d *io_x);
void sup_rigspace_skin_columns(SupRigspace *rs);

/* ---- Base points (rigspace.c) ---------------------------------------------------------------- */

/* rs->base: scripted and locked parameters from `next`, free ones from `from`, held ones where they
 * are held. */
void sup_rigspace_set_base(SupRigspace *rs, const double *next, const double *from);

/* A Jacobian at rs->base, and what follows from it for nodes that are skinned. */
SupResult sup_rigspace_new_jacobian(SupRigspace *rs, SupError *error);

/* Nodes inside for the surface nodes of x, beginning where they are, in balance or skinned. */
SupResult sup_rigspace_follow(SupRigspace *rs, SupVec3d *io_x, bool *out_good, SupError *error);

/* ---- Newton (rigspace_newton.c, rigspace_reference.c) --------------------------------------- */

/* Minimises the potential over y with the linearised rig around rs->base, from 0; rs->y and rs->x
 * are the result. rs->report.converged says whether it is one. */
SupResult sup_rigspace_minimise(SupRigspace *rs, SupError *error);

/* The same over y and the nodes inside with the rig itself. */
SupResult sup_rigspace_minimise_reference(SupRigspace *rs, SupError *error);

/* rs->product = matrix of `body` times the columns surface and inside (NULL: zeros). */
void sup_rigspace_multiply(SupRigspace *rs, const double *inside);

/* Springs of partly held parameters: none (a start), or in proportion to rs->hessian, which is that
 * at the beginning of a step; later calls in the step do nothing. */
void sup_rigspace_no_springs(SupRigspace *rs);
void sup_rigspace_set_springs(SupRigspace *rs);

/* Parameter stiffness and partly held parameters at y: adds its energy, returned, and to slope and
 * hessian (or NULL). */
double sup_rigspace_springs(const SupRigspace *rs, const double *y, double *io_slope,
                            double *io_hessian);

/* Which parameters may move at y: rs->open; those at a bound that the slope pushes against may
 * not. Returns how many. */
uint32_t sup_rigspace_open(SupRigspace *rs, const double *y);

/* rs->step = -hessian^-1 slope over the open parameters, 0 for others; the diagonal is raised until
 * that can be solved, and where parameters have the same effect, which they then share. False if it
 * cannot. */
bool sup_rigspace_solve(SupRigspace *rs, uint32_t open_count);

/* y + fraction * step, within the bounds. */
void sup_rigspace_clip(const SupRigspace *rs, const double *y, double fraction, double *out_y);

#endif
