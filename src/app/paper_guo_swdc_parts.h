/* SPDX-License-Identifier: MIT */
/* What the parts of `reproduce guo2007-swdc` share: tubes with patches, and their flesh. */
#ifndef SUP_SRC_APP_PAPER_GUO_SWDC_PARTS_H
#define SUP_SRC_APP_PAPER_GUO_SWDC_PARTS_H

#include "fem/wedge_body.h"
#include "sim/stepper.h"
#include "supple/app/paper_guo_swdc.h"
#include "supple/author/patch_plan.h"
#include "train/chunks/chunk_holds.h"

/* ---- Tubes ---------------------------------------------------------------------------------- */

/* Around z from 0 to `length`, of radius 1 or less, open at both ends. */
typedef struct SupSwdcTube {
  uint32_t sides, rows; /* of patches, each with four sides */
  double length;
  double waist; /* radius half way along: 1 for none */
} SupSwdcTube;

typedef struct SupSwdcBody {
  SupMesh mesh;
  SupTopology topology;
  SupPatchesDef def;
  SupPatches patches;
  SupPatchCharts charts;
} SupSwdcBody;

/* Patches are in no particular order; feature k is at row k / sides, side k % sides. */
SupResult sup_swdc_tube(SupArena *arena, const SupSwdcTube *tube, SupSwdcBody *out_body,
                        SupError *error);

/* The row that a patch belongs to. */
uint32_t sup_swdc_row_of(const SupSwdcTube *tube, const SupPatches *patches, uint32_t patch);

/* ---- Made bodies ---------------------------------------------------------------------------- */

/* A tube of a body: a trunk in one zone with three bones, or a limb with a bone and a zone per row.
 */
typedef struct SupSwdcPart {
  bool limb;
  uint32_t sides, rows; /* of patches */
  uint32_t steps;       /* vertices along a side around the tube */
  uint32_t rings;       /* along the tube, a multiple of `rows` */
  SupVec3d at;          /* where its first ring is */
  double radius, length;
  uint32_t slices, levels;
} SupSwdcPart;

typedef struct SupSwdcMade {
  const char *name;
  uint32_t part_count;
  const SupSwdcPart *parts; /* the first carries the others */
} SupSwdcMade;

SupResult sup_swdc_make(SupArena *arena, const SupSwdcMade *made, SupCharacter *out_character,
                        SupPatchPlan *out_plan, SupError *error);

/* ---- The full simulation -------------------------------------------------------------------- */

/* Three tetrahedra per wedge; neighbours agree on the diagonals of their sides. In `arena`. */
SupResult sup_swdc_tets(SupArena *arena, const SupWedgeMesh *wedges, SupTetMesh *out_mesh,
                        SupError *error);

typedef struct SupSwdcFull {
  SupTetMesh mesh;
  SupElastic body;
  SupStepper *stepper;
} SupSwdcFull;

/* To be freed by sup_swdc_full_free; may point into the chunk. Do not move it. */
SupResult sup_swdc_full(SupArena *arena, const SupChunk *chunk, const SupJobs *jobs,
                        SupSwdcFull *out_full, SupError *error);
void sup_swdc_full_free(SupSwdcFull *full);

/* The equilibrium with the held nodes where `places` has them; the others begin there. */
SupResult sup_swdc_full_settle(SupSwdcFull *full, const SupVec3d *places,
                               const SupVec3d **out_places, SupError *error);

/* ---- Judging -------------------------------------------------------------------------------- */

/* Volume and least ratio, `whole` being the volume at rest. */
SupSwdcSize sup_swdc_size(const SupChunk *chunk, double whole, const SupVec3d *places);

/* Distances of kept nodes are added to a sum of squares. */
typedef struct SupSwdcSum {
  uint32_t count;
  double squares, most;
} SupSwdcSum;

void sup_swdc_add(const SupChunk *chunk, const SupVec3d *a, const SupVec3d *b, SupSwdcSum *io_sum);

#endif
