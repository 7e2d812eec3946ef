/* SPDX-License-Identifier: MIT */
/*
 * Supple: the ground truth. A character's skin is filled with elastic flesh, the nodes near its
 * bones follow the skeleton, and the rest moves as matter does.
 *
 * Offline: everything is in double and takes its time. The same bits for any thread count.
 */
#ifndef SUPPLE_SIM_SIMULATE_H
#define SUPPLE_SIM_SIMULATE_H

#include "supple/author/character.h"
#include "supple/fem/attach.h"
#include "supple/fem/fill.h"
#include "supple/fem/material.h"
#include "supple/sim/forces.h"
#include "supple/sim/muscles.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum SupIntegrator {
  SUP_INTEGRATE_EULER, /* implicit Euler: first order, damps by itself, more with larger steps */
  SUP_INTEGRATE_BDF2,  /* second order, damps high frequencies only: the default */
  SUP_INTEGRATE_STATIC /* no inertia: the equilibrium of every instant; pushes are refused */
} SupIntegrator;

/* What is simulated. Start from sup_sim_def. */
typedef struct SupSimDef {
  const SupCharacter *character; /* skinned; must outlive the simulation */
  double unit;                   /* metres per unit of the scene; 1. Palettes and positions are in
                                    units of the scene, everything else here is in metres */
  SupMaterialDef material;
  const SupMaterialDef *bone_materials; /* [bone_count] what the flesh of each bone is made of, or
                                           NULL: of `material` */
  const float *vertex_stiffness;        /* [body.vertex_count] factor on Young's modulus, or NULL */
  const float *bone_stiffness;          /* [bone_count] the same by bone, or NULL */
  SupFillDef fill;                      /* edge in metres; ignored when `volume` is given */
  const SupFill *volume;                /* a ready volume in body space, or NULL */
  SupAttachDef attach;                  /* radius in metres */
  SupForces forces;
  SupMuscleDef muscles;
  double felt;         /* m/s^2: the strongest acceleration of its bones that flesh feels, of more
                          it feels that much and is carried along; 0, the default: feels all */
  bool sag_free;       /* find the rest shape that gravity bends into the given one */
  bool allow_inverted; /* go on where elements are inside out; otherwise that is an error */
  SupIntegrator integrator;
  uint32_t substeps; /* per call of sup_sim_advance; more are taken where Newton asks for it */
  const SupJobs *jobs;
  SupAllocator allocator;
  size_t memory_limit;     /* bytes, 0 for none */
  double (*seconds)(void); /* a clock for the figures of SupSimFrame, or NULL */
} SupSimDef;

/* Fat, about 5,000 tetrahedra, no gravity, BDF2 with two steps per frame. */
SupSimDef sup_sim_def(const SupCharacter *character, SupAllocator allocator);

/* What was built. */
typedef struct SupSimReport {
  SupFillReport fill;
  SupAttachReport attach;
  uint32_t node_count, tet_count, free_count;
  double mass;     /* kg */
  double scale;    /* metres per unit of body space */
  double sag;      /* metres: how far gravity bends the body from the rest shape it was given */
  double sag_left; /* with sag_free: how far from the given shape it still hangs */
  size_t factor_nonzeros;
} SupSimReport;

typedef struct SupSim SupSim;

/* Fills, attaches, assembles. Free with sup_sim_free. */
SupResult sup_sim_create(const SupSimDef *def, SupSim **out_sim, SupSimReport *out_report,
                         SupError *error);
void sup_sim_free(SupSim *sim);

/* Where the bones are at a time: fills out_palette[bone_count], body space -> scene space. */
typedef void SupPaletteFn(void *user, double time, SupAffined *out_palette);

/* Places the body at `time`: every node where its skin weights put it and moving as they move. */
void sup_sim_place(SupSim *sim, SupPaletteFn *palette, void *user, double time);

/* Elements inside out at the end of these two, equilibria that are not found in a thousand Newton
 * steps, and steps that are not done in some hundreds are SUP_ERROR_NUMERIC. */

/* Places the body in the static equilibrium of `time`, moving with its bones. Where that is not
 * found at once, or with elements inside out, the body is led there through the equilibria of the
 * poses way(user, 0), best the rest pose, to way(user, 1), the one of `time`. way may be NULL. */
SupResult sup_sim_settle(SupSim *sim, SupPaletteFn *palette, SupPaletteFn *way, void *user,
                         double time, SupError *error);

/* What a call of sup_sim_advance cost and how the body is. */
typedef struct SupSimFrame {
  uint32_t steps, iterations, backtracks; /* iterations: Newton steps, each with a new factor */
  uint32_t kept_moves;                    /* moves by a factor of an earlier place */
  uint32_t refused;                       /* steps that Newton could not do and that were halved */
  double elastic, kinetic, potential;     /* J at the end */
  double worst_volume;                    /* smallest det F of any element */
  double least_angle;                     /* smallest dihedral angle of any element, degrees */
  uint32_t inverted;                      /* elements inside out: det F < 0; needs allow_inverted */
  double factor_seconds;                  /* spent in Cholesky factors; 0 without a clock */
  double solve_seconds;                   /* ... and in solving with them */
} SupSimFrame;

/* From `time`, where the last call ended, over `duration` seconds: `substeps` equal steps, halved
 * where Newton fails; the last lands exactly on the end. */
SupResult sup_sim_advance(SupSim *sim, SupPaletteFn *palette, void *user, double time,
                          double duration, SupSimFrame *out_frame, SupError *error);

/* How the body is now: worst_volume, least_angle and inverted of a frame. */
void sup_sim_judge(const SupSim *sim, SupSimFrame *io_frame);

/* How strongly the muscles pull from now on: 0 relaxed, as after sup_sim_create, 1 with their whole
 * tension. Nothing without muscles. */
void sup_sim_contract(SupSim *sim, double amount);

/* The skin now: out_positions[body.vertex_count], scene space. */
void sup_sim_skin(const SupSim *sim, SupVec3 *out_positions);

/* The nodes now: [node_count], scene space, metres. */
const SupVec3d *sup_sim_nodes(const SupSim *sim);

/* The volume, in body space. */
const SupFill *sup_sim_volume(const SupSim *sim);

#ifdef __cplusplus
}
#endif
#endif
