/* SPDX-License-Identifier: MIT */
/*
 * Supple: setting up a surface model: presets, maps that an artist may paint, and the limiter and
 * the probe that keep it from exploding.
 *
 *   sup_surface_maps_create   all at their defaults
 *   sup_surface_preset_apply  a preset's numbers, vertex by vertex
 *   sup_surface_maps_read     what was painted wins
 *   sup_surface_build         limited, packed, probed: a model that may be saved
 */
#ifndef SUPPLE_AUTHOR_SURFACE_BUILD_H
#define SUPPLE_AUTHOR_SURFACE_BUILD_H

#include "supple/author/surface_pack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Maps ------------------------------------------------------------------------------------ */

/* What an artist sees. Rows are SupSurfaceRow below SUP_SURFACE_MAPS, then stiffness and drag along
 * the normal; one map has other numbers than its row: `amount` is 1 - eta, so that 0 is plain
 * skinning. */
typedef struct SupSurfaceMaps {
  uint32_t vertex_count;
  float *rows[SUP_SURFACE_ALL_MAPS]; /* [vertex_count] each, in the units of the row, of the body */
  float *lock;                       /* [vertex_count] 0 free .. 1 follows the goal; NULL: free */
  bool normal;                       /* the last two rows count: SUP_SURFACE_NORMAL */
} SupSurfaceMaps;

/* How many rows of the maps count. */
uint32_t sup_surface_map_count(const SupSurfaceMaps *maps);

/* From now on the normal has numbers of its own: at first those that hold everywhere. Nothing
 * happens where it has them already. */
void sup_surface_maps_split(SupSurfaceMaps *io_maps);

/* A map as attributes and people call it: stiffness, detail, volume, damping, drag, amount,
 * max_distance, backstop, normal_stiffness, normal_drag. */
const char *sup_surface_map_name(uint32_t map);

/* The map of a name, or SUP_SURFACE_ROWS. */
uint32_t sup_surface_map_row(const char *name);

/* The largest sensible value of a map; 0 for lengths, which have none. */
float sup_surface_map_most(uint32_t map);

/* All rows at the defaults of sup_surface_def, no lock, the normal as everything else. */
SupResult sup_surface_maps_create(SupArena *arena, uint32_t vertex_count, SupSurfaceMaps *out_maps,
                                  SupError *error);

/* Takes over the maps that the character carries, brought into their ranges; others stay. Lengths
 * are metres there (sup_body_scale), so that they mean the same whatever units a tool stores rest
 * positions in. Returns how many there were. The lock is copied into `arena`. If one of the
 * normal's is among them, the normal has numbers of its own from then on. */
SupResult sup_surface_maps_read(SupArena *arena, const SupCharacter *character,
                                SupSurfaceMaps *io_maps, uint32_t *out_count, SupError *error);

/* Takes over the numbers of a checked surface model of as many vertices. */
void sup_surface_maps_of(const SupModel *model, SupSurfaceMaps *io_maps);

/* A row as its map shows it, where `scale` is sup_body_scale, or back with 1 / scale: out_values
 * may be `values`. */
void sup_surface_map_shown(uint32_t map, float scale, const float *values, uint32_t count,
                           float *out_values);

/* ---- Presets --------------------------------------------------------------------------------- */

/* Kinds of flesh in words that people know. */
typedef struct SupSurfacePreset {
  const char *name;    /* fat, soft, firm, muscle, jelly */
  const char *summary; /* one line */
  float frequency;     /* Hz, how the thickest tenth of the body swings */
  float damping;       /* ratio: 0 rings for ever, 1 does not swing */
  float slope;         /* thinner flesh swings faster: frequency ~ thickness^-slope */
  float thin, thick;  /* fractions of the thickest: below the first nothing, above the second all */
  float amount;       /* of the inertia that is felt, [0, 1] */
  float detail;       /* beta */
  float volume;       /* gamma */
  float spread;       /* lambda */
  float max_distance; /* greatest offset, in thicknesses */
} SupSurfacePreset;

uint32_t sup_surface_preset_count(void);
const SupSurfacePreset *sup_surface_preset(uint32_t k);

/* By name, or NULL. */
const SupSurfacePreset *sup_surface_preset_find(const char *name);

/* alpha and delta of a vertex that swings at `frequency` (Hz, > 0) with a damping ratio, at steps
 * of h: exact, as long as alpha stays in its range (at most about 10 Hz for h = 1/60). */
void sup_surface_tune(float frequency, float damping, float h, float *out_alpha, float *out_delta);

/* How much of its flesh a bone lets move, by the words in its name: 0 for eyes, teeth, tongue and
 * hair, 0.3 where a skull lies right under the skin (head, jaw), else 1. A word that all bones have
 * counts for nothing. */
float sup_bone_freedom(const SupSkeleton *skeleton, uint32_t bone);

/* Fills all rows, the normal as everything else. Bones whose names say that they carry no flesh
 * (eyes, teeth) are left stiff, heads half so. thickness[vertex_count] is sup_thickness. */
void sup_surface_preset_apply(const SupSurfacePreset *preset, const SupCharacter *character,
                              const float *thickness, float h, SupSurfaceMaps *io_maps);

/* ---- Limiter and probe ----------------------------------------------------------------------- */

/* Brings single vertices into the region where one vertex alone is stable at steps of h: some
 * stiffness, enough damping for its detail, then alpha + gamma + 2 beta + 4 lambda + 2 delta at
 * most 3.8, with the larger alpha and the larger delta where the normal has its own. Returns how
 * many it changed. Limiting again changes nothing. */
uint32_t sup_surface_limit(SupSurfaceMaps *io_maps, float h);

/* Its numbers, the last three at 60 steps a second: the sum at most, the least damping plus drag,
 * how much more of that per detail, the least stiffness. */
#define SUP_SURFACE_LIMIT_SUM 3.8
#define SUP_SURFACE_LIMIT_DAMPING 0.02
#define SUP_SURFACE_LIMIT_DETAIL 0.05
#define SUP_SURFACE_LIMIT_STIFFNESS 1e-3

typedef struct SupSurfaceProbe {
  double growth;   /* of a small disturbance, per step; below 1 it dies */
  uint32_t steps;  /* that it took to know */
  uint32_t vertex; /* of the body, where what remained was largest */
} SupSurfaceProbe;

/* Growth that a model may have at most. */
#define SUP_SURFACE_GROWTH 0.9999

typedef struct SupSurfaceProbeDef {
  uint64_t seed;
  const SupJobs *jobs;
  float *out_shape; /* [vertex_count] how large it was in the end at each vertex, 0..1; or NULL */
} SupSurfaceProbeDef;

/* Follows a random disturbance of the rest shape under a goal that stands still, in double
 * precision, with the step linearised. The same bits for any number of threads. `arena` gives
 * scratch memory. */
SupResult sup_surface_probe(SupArena *arena, const SupModel *model, const SupSurfaceProbeDef *def,
                            SupSurfaceProbe *out_probe, SupError *error);

/* ---- The model ------------------------------------------------------------------------------- */

/* Start from sup_surface_build_def. */
typedef struct SupSurfaceBuildDef {
  uint32_t cookie;
  uint32_t flags; /* SUP_SURFACE_BONE_ROTATION, SUP_SURFACE_ABSOLUTE; the maps say the others */
  float h;        /* 1/60 */
  uint64_t seed;  /* of the probe */
  const SupJobs *jobs;
} SupSurfaceBuildDef;

SupSurfaceBuildDef sup_surface_build_def(void);

typedef struct SupSurfaceBuildReport {
  uint32_t limited; /* vertices that the limiter changed */
  uint32_t calmed;  /* vertices that were given drag because the probe found growth there */
  float drag_added; /* the most of that */
  SupSurfaceProbe probe;
} SupSurfaceBuildReport;

/* Locks, limits, packs and probes; raises the drag where the probe finds growth until it passes.
 * The maps become what was packed, the lock apart, so that they can be stored beside the model;
 * vertices that the file stores once (supple/author/shared_vertices.h) get the same numbers. No
 * vertex is given a larger maximum distance than its amount times the character's size: where the
 * lock is 1 or the amount 0 it stays where skinning puts it. The model lives in `arena`; it is NULL
 * after a failure. Fails if no drag helps. */
SupResult sup_surface_build(SupArena *arena, const SupCharacter *character,
                            const SupSurfaceBuildDef *def, SupSurfaceMaps *io_maps,
                            SupModel **out_model, SupSurfaceBuildReport *out_report,
                            SupError *error);

/* Whether packing these maps would give other numbers than the model has: somebody painted. What
 * storing a map in 12 bits changes does not count. */
bool sup_surface_maps_differ(SupArena *arena, const SupSurfaceMaps *maps, const SupModel *model);

#ifdef __cplusplus
}
#endif
#endif
