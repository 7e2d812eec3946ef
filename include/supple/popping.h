/* SPDX-License-Identifier: MIT */
/*
 * Supple: the popping technique (after Son and Han): muscles that clench, quiver and relax without
 * any bone moving.
 *
 * A model holds pairs of shapes, relaxed and clenched, for one or more poses. Between poses
 * both are interpolated in rest space; between relaxed and clenched goes a number s per vertex:
 * it swings about the contraction while a muscle is clenched, softly where the bulge is large, and
 * falls back evenly when the muscle releases. A vertex is shown at
 *
 *   B (X + relaxed(pose) + s (clenched(pose) - relaxed(pose)))
 *
 * with B the blend of its bones. docs/techniques/popping.md has the equations.
 */
#ifndef SUPPLE_POPPING_H
#define SUPPLE_POPPING_H

#include "supple/correctives.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The model --------------------------------------------------------------------------------
 */

#define SUP_POPPING_KIND SUP_FOURCC('P', 'O', 'P', 'S')
#define SUP_POPPING_VERSION 2u
#define SUP_POPPING_GROUPS 64u /* muscle groups in one model */
#define SUP_POPPING_NAME 32u   /* bytes of a group's name, its end included */

#define SUP_POPPING_ALL UINT32_MAX /* in place of a group: all of them */
#define SUP_POPPING_ONE_RINGS \
  1u /* flags: the triangles around each vertex are there, for normals */

/* The rows of a block of 16 vertices: how each swings, per step of h. */
typedef enum SupPoppingRow {
  SUP_POPPING_KEEP,  /* of the last step's way: a; in [0, 1) */
  SUP_POPPING_PULL,  /* of the distance to the goal: b; in (0, 2 + 2 a) */
  SUP_POPPING_FADE,  /* logarithm of what a step leaves of the swing: ln sqrt(a), >= -40 */
  SUP_POPPING_ANGLE, /* radians per step, in (0, pi) */
  SUP_POPPING_ROWS
} SupPoppingRow;

#define SUP_POPPING_FATIGUE_LEAST 1e-3f /* seconds: a shorter one is no contraction at all */

/* The numbers of a model, for all its muscles. */
typedef struct SupPoppingTimes {
  float rise;    /* seconds until a contraction is whole; 0: at once */
  float fatigue; /* time constant, seconds, of one that is held, at least
                    SUP_POPPING_FATIGUE_LEAST; 0: none */
  float release; /* 1/s: release rate */
  float still;   /* a fraction of the contraction that counts as none */
} SupPoppingTimes;

/* The sections besides those of the correctives (supple/correctives.h), whose components are the
 * relaxed shapes. */
#define SUP_SECTION_POPPING_COUNTS SUP_FOURCC('P', 'P', 'C', 'N') /* flags, group_count */
#define SUP_SECTION_POPPING_TIMES SUP_FOURCC('P', 'P', 'T', 'M')  /* SupPoppingTimes */
#define SUP_SECTION_POPPING_NAMES SUP_FOURCC('P', 'P', 'N', 'M')
#define SUP_SECTION_POPPING_SWING SUP_FOURCC('P', 'P', 'S', 'W')
#define SUP_SECTION_POPPING_SLOT_FIRST SUP_FOURCC('P', 'P', 'S', 'F')
#define SUP_SECTION_POPPING_SLOTS SUP_FOURCC('P', 'P', 'S', 'L')
#define SUP_SECTION_POPPING_MASKS SUP_FOURCC('P', 'P', 'M', 'K')
#define SUP_SECTION_POPPING_BULGE_FIRST SUP_FOURCC('P', 'P', 'B', 'F')
#define SUP_SECTION_POPPING_BULGES SUP_FOURCC('P', 'P', 'B', 'T')
#define SUP_SECTION_POPPING_OFFSETS SUP_FOURCC('P', 'P', 'B', 'O')
#define SUP_POPPING_SECTION_COUNT 10
#define SUP_SECTION_POPPING_ONE_RING_FIRST \
  SUP_FOURCC('P', 'P', 'F', 'F') /* only with SUP_POPPING_ONE_RINGS */
#define SUP_SECTION_POPPING_ONE_RINGS SUP_FOURCC('P', 'P', 'F', 'N')

/* A packed model. Pointers into the block that holds it. B stands for skin.block_count. */
typedef struct SupPoppingView {
  SupCorrectivesView poses; /* its components are the relaxed shapes, its weights those of the
                                  pairs; poses.skin is the skin of the body */
  SupSkinView bulge;        /* the same vertices; its morph targets are clenched less relaxed */
  uint32_t flags;           /* SUP_POPPING_ONE_RINGS */
  uint32_t pair_count;      /* poses.component_count */
  uint32_t group_count;     /* muscle groups, 1 .. SUP_POPPING_GROUPS */
  float h;                  /* seconds per step */
  SupPoppingTimes times;
  const char *names;          /* [SUP_POPPING_NAME * group_count] ended by 0 */
  const float *swing;         /* [blocks of SUP_POPPING_ROWS] */
  const uint32_t *slot_first; /* [B + 1] into slots */
  const uint32_t *slots;      /* [slot_first[B]] groups, rising within a block */
  const float *masks;         /* [16 * slot_first[B]] how much of the vertex is of that muscle */
  const uint32_t *one_ring_first; /* [B + 1] rows of one_rings; or NULL */
  const uint32_t *one_rings; /* [rows of 2 * 16] the two other corners of a triangle, as lanes */
} SupPoppingView;

/* Checks the sections of a model whose container is sound, the skin's and the correctives'
 * included: sizes, every index, every number. */
SupResult sup_popping_check(const SupModel *model, SupError *error);

/* A checked model; it points into the block. */
SupPoppingView sup_popping_view(const SupModel *model);

/* The group of that name, or SUP_POPPING_ALL when there is none. */
uint32_t sup_popping_find(const SupPoppingView *model, const char *name);

/* ---- One vertex -------------------------------------------------------------------------------
 */

/* How a vertex swings about its goal g, from step to step of one length:
 *   way <- keep way + pull (g - s),  s <- s + way */
typedef struct SupPoppingSwing {
  double keep, pull;
} SupPoppingSwing;

/* Son and Han's stiffness, 0 < alpha <= 1: keep = 1 - alpha, pull = alpha. */
SupPoppingSwing sup_popping_swing_stiff(double alpha);

/* A frequency (Hz, undamped) and a damping ratio (0 .. below 1), for steps of h seconds. */
SupPoppingSwing sup_popping_swing_hz(double frequency, double damping, double h);

/* The same motion in steps `ratio` times as long. A way per old step becomes one per new step by
 * sup_popping_swing_way. */
SupPoppingSwing sup_popping_swing_rate(SupPoppingSwing swing, double ratio);

/* The way of the last new step, for a vertex `gap` (s - g) from its goal whose last old step was
 * `way`. */
double sup_popping_swing_way(SupPoppingSwing swing, double ratio, double gap, double way);

/* What `ratio` steps do to (s - g, way), out[0] of them per gap and out[1] per way: a fraction of
 * a step is exact too. */
void sup_popping_swing_power(SupPoppingSwing swing, double ratio, double out_gap[2],
                             double out_way[2]);

/* What frequency (Hz) and damping ratio it has in steps of h seconds. */
void sup_popping_swing_read(SupPoppingSwing swing, double h, double *out_frequency,
                            double *out_damping);

/* How strongly a muscle pulls `since` seconds after it began to, from `from` to `strength`: a
 * smooth rise to the peak, then, where `fatigue` is not 0, weaker. */
float sup_popping_twitch(const SupPoppingTimes *times, float since, float from, float strength);

/* ---- State ------------------------------------------------------------------------------------
 */

typedef enum SupPoppingPhase {
  SUP_POPPING_RELAXED, /* s = 0 */
  SUP_POPPING_ACTIVE,  /* s swings about the contraction */
  SUP_POPPING_RELEASED /* s falls back */
} SupPoppingPhase;

/* A muscle begins to pull, or releases. */
typedef struct SupPoppingEvent {
  uint32_t group; /* SUP_POPPING_ALL: all of them; others that do not exist are ignored */
  float ago;      /* seconds before now, >= 0 */
  float strength; /* 1: the clenched shape; 0: release */
  float length;   /* seconds; then it releases. 0 or INFINITY: until told to */
} SupPoppingEvent;

/* What a frame of a stack tells the muscles: those that began to pull or were released since the
 * last frame. */
typedef struct SupPoppingControls {
  uint32_t event_count;
  const SupPoppingEvent *events;
} SupPoppingControls;

/* One group of a state. */
typedef struct SupPoppingGroup {
  uint32_t phase; /* SupPoppingPhase */
  float since;    /* seconds in it */
  float level;    /* how strongly it pulls, or how much is left of that */
  float from, strength, length;
  uint32_t pending; /* an event that comes between two steps waits in `next` */
  SupPoppingEvent next;
} SupPoppingGroup;

/* One character's muscles: one block of sup_popping_bytes, aligned to SUP_ALIGNMENT, offsets
 * instead of pointers. Copying the bytes copies the state; equal states have equal hashes. */
typedef struct SupPoppingState {
  uint64_t bytes; /* of the whole block */
  uint32_t slot_count, block_count, group_count;
  uint32_t active; /* groups that are not relaxed */
  double ahead;    /* seconds since the last step, below h */
  uint64_t groups, fractions, ways, shown;
  uint64_t reserved[8];
} SupPoppingState;

size_t sup_popping_bytes(const SupPoppingView *model);

/* Lays a state out in block[sup_popping_bytes]: everything relaxed. */
SupPoppingState *sup_popping_init(const SupPoppingView *model, void *block);

/* Everything relaxed, at once. */
void sup_popping_reset(SupPoppingState *state);

/* The groups of a state, [group_count]; only to be read. */
const SupPoppingGroup *sup_popping_groups(const SupPoppingState *state);

/* dt seconds on. Steps are those of the model, whatever dt is; events count from the time at which
 * they happened, those of the future (ago < 0) are ignored. Of several events of one group within
 * one step the last is heard. */
void sup_popping_step(const SupPoppingView *model, SupPoppingState *state,
                      const SupBackend *backend, double dt, uint32_t event_count,
                      const SupPoppingEvent *events);

/* Events in time: a piece of music. */
typedef struct SupPoppingTrack {
  uint32_t count;
  const double *times;           /* [count] seconds, rising */
  const SupPoppingEvent *events; /* [count] `ago` means nothing here */
} SupPoppingTrack;

/* The events of a track in (from, to], the last `capacity` of them, with `ago` before `to`. Returns
 * their number. */
uint32_t sup_popping_between(const SupPoppingTrack *track, double from, double to,
                             uint32_t capacity, SupPoppingEvent *out_events);

/* The state at `time` of a track that began at 0 with everything relaxed, as if it had been stepped
 * there; beyond what the flesh remembers the cost does not grow with the time. */
void sup_popping_seek(const SupPoppingView *model, SupPoppingState *state,
                      const SupBackend *backend, const SupPoppingTrack *track, double time);

/* What is shown now: s per lane of the skin, [16 * block_count], for SupSkinLayer.fractions over
 * model->bulge; NULL when all muscles are relaxed. Exact between two steps. */
const float *sup_popping_show(const SupPoppingView *model, SupPoppingState *state,
                              const SupBackend *backend);

#ifdef __cplusplus
}
#endif
#endif
