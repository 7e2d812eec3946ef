/* SPDX-License-Identifier: MIT */
/* Supple: what belongs together on two characters with corresponding patches. */
#ifndef SUPPLE_APP_CARRY_MAPS_H
#define SUPPLE_APP_CARRY_MAPS_H

#include "supple/app/character_file.h"
#include "supple/author/patch_chart.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A character and how it is taken apart. */
typedef struct SupCarrySide {
  const SupCharacterFile *file;
  const char *plan; /* a patch file; NULL: as sup_patch_auto does */
} SupCarrySide;

typedef struct SupCarryDef {
  SupCarrySide from, to;
} SupCarryDef;

typedef struct SupCarryReport {
  uint32_t patch_count;   /* of `to` that `from` has, too */
  uint32_t without_count; /* that it has not */
  const char *without;    /* the name of the first of them, in the arena, or NULL */
  uint32_t reached_count; /* body vertices of `to` that have a place on `from` */
  uint32_t outside_count; /* those that have none */
} SupCarryReport;

/* Cuts both skins, finds the patches that correspond (sup_patches_match), lays them into the same
 * polygons, those of `from` by the lengths of its sides, and gives every body vertex of `to` its
 * place on the body of `from`: out_places[body.vertex_count] for sup_map_carry. SUP_ERROR_FORMAT,
 * with a sentence, where no patch corresponds. */
SupResult sup_carry_places(const SupAppContext *app, const SupCarryDef *def,
                           SupSkinPlace *out_places, SupCarryReport *out_report, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
