/* SPDX-License-Identifier: MIT */
/* What the parts of finding hard parts hand to each other. */
#ifndef SUP_SRC_AUTHOR_HARD_WORK_H
#define SUP_SRC_AUTHOR_HARD_WORK_H

#include "supple/author/hard_parts.h"

/* Of the skin: what would lock that much says nothing. */
#define HARD_NEARLY_ALL 0.9

/* A connected piece of one part: what is decided about as a whole. */
typedef struct HardUnit {
  uint32_t part;  /* render part */
  uint32_t piece; /* lowest vertex of the connected piece of the body that it belongs to */
  double area;    /* fraction of the skin */
  SupHardKind kind;
  SupHardSign sign;
  const char *name;
} HardUnit;

typedef struct HardWork {
  SupArena *arena; /* of the result */
  SupArena scratch;
  const SupHardPartsDef *def;
  const SupCharacter *character;
  double *areas;       /* [vertex_count] fractions of the skin */
  uint32_t *pieces;    /* [vertex_count] lowest vertex of the piece */
  double *piece_areas; /* [vertex_count] by that vertex */
  bool *solid;         /* [vertex_count] by that vertex: moves like a solid */
  uint32_t *units_of;  /* [render.triangle_count] unit of every triangle */
  uint32_t unit_count;
  HardUnit *units;            /* [unit_count] */
  float *keep;                /* [vertex_count] 1, or less where a pattern unlocks */
  float *lock;                /* [vertex_count] */
  bool freed[SUP_HARD_KINDS]; /* kinds that a pattern unlocks */
  uint32_t finding_count, finding_room;
  SupHardFinding *findings;
} HardWork;

/* Pieces, units, their areas, and which pieces move like a solid. */
SupResult sup_hard_units(HardWork *w, SupError *error);

/* Weights of the pattern's bones, and 1 on its parts: out_weights[vertex_count] grows. With
 * io_freed also the kinds that it names. */
SupResult sup_hard_select(const HardWork *w, const SupPatterns *patterns, bool *io_freed,
                          float *io_weights, SupError *error);

/* Takes units for hard by their names, their look and how they move. */
SupResult sup_hard_judge_units(HardWork *w, SupError *error);

/* Locks what follows bones whose names say that it is hard. */
SupResult sup_hard_judge_bones(HardWork *w, SupError *error);

/* Locks flesh that a locked piece covers and that moves with it. *out_area: of the skin. */
SupResult sup_hard_cover(HardWork *w, double *out_area, SupError *error);

/* How much of two vertices' weights is on the same bones, 0 .. 1. */
float sup_weights_overlap(const SupSkin *skin, uint32_t a, uint32_t b);

/* Counts something of that kind; false when memory is short. */
bool sup_hard_note(HardWork *w, const SupHardFinding *finding);

static inline const char *sup_part_material(const SupHardPartsDef *def, uint32_t part) {
  return def->parts ? def->parts[part].material : "";
}

static inline const char *sup_part_mesh(const SupHardPartsDef *def, uint32_t part) {
  return def->parts ? def->parts[part].mesh : "";
}

#endif
