/* SPDX-License-Identifier: MIT */
/*
 * Supple: Shi et al. 2008 again: table 1 at the same sizes, the bar with three motions, a jump that
 * teaches a run and jump, and what spokes and detail are worth.
 */
#ifndef SUPPLE_APP_PAPER_SHI2008_H
#define SUPPLE_APP_PAPER_SHI2008_H

#include "supple/app/app_context.h"
#include "supple/train/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Table 1: time per frame ----------------------------------------------------------------- */

typedef struct SupShiRow {
  const char *model, *builtin; /* the paper's, and ours in its place */
  uint32_t vertices, bones;    /* of the paper */
  double paper;                /* ms per frame on a GeForce 8800 GTX */
} SupShiRow;

#define SUP_SHI_ROWS 4
extern const SupShiRow sup_shi_rows[SUP_SHI_ROWS];

typedef struct SupShiTimes {
  uint32_t vertex_count, bone_count; /* of ours */
  double one, all; /* ms of the fastest tenth of the frames, on one thread and on all: skinning,
                      step, positions and normals */
} SupShiTimes;

SupResult sup_shi_time(const SupAppContext *app, const SupShiRow *row, SupShiTimes *out,
                       SupError *error);

/* ---- Learning -------------------------------------------------------------------------------- */

typedef struct SupShiWay {
  const char *name;
  uint32_t without; /* rows that are left out */
  bool literal;     /* as published */
} SupShiWay;

/* The first is ours. */
#define SUP_SHI_WAYS 4
extern const SupShiWay sup_shi_ways[SUP_SHI_WAYS];

#define SUP_SHI_MOTIONS 4

typedef struct SupShiStudy {
  const SupAppContext *app;
  const char *builtin;
  SupCharacter character;
  uint32_t tet_count; /* of the ground truth */
  uint32_t count;
  SupSurfaceExample examples[SUP_SHI_MOTIONS]; /* [count] at 60 frames a second */
} SupShiStudy;

/* Simulates the motions of an experiment: the bar's three, or the jump and the run and jump. `app`
 * must stay; the rest is in the arena. */
SupResult sup_shi_study(const SupAppContext *app, bool is_jump, SupShiStudy *out, SupError *error);

/* Learns from the motions of the mask `trained`. out_errors[count] are relative errors of all
 * motions, out_growth that of the model's probe. */
SupResult sup_shi_try(SupShiStudy *s, const SupShiWay *way, uint32_t trained,
                      double out_errors[SUP_SHI_MOTIONS], double *out_growth, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
