/* SPDX-License-Identifier: MIT */
/* Helpers models with several materials: what the rest of the run time needs to know. */
#ifndef SUP_SRC_RUNTIME_HELPERS_MATERIALS_H
#define SUP_SRC_RUNTIME_HELPERS_MATERIALS_H

#include "supple/helpers.h"

/* Numbers of a part among the blends; where some of them begin, from the part's own on. */
typedef struct HelpersPartLayout {
  uint64_t d, fixed, range, a, b, count;
} HelpersPartLayout;

HelpersPartLayout sup_helpers_part_layout(const SupHelpersBone *bone, uint32_t states);

/* Fills the view's own fields, with nothing where the model has one material. The rest of the view
 * is known. */
void sup_helpers_find_materials(const SupModel *model, SupHelpersView *io_view);

/* Whether the sections, if there are any, are sound; the rest of the model is. */
bool sup_helpers_check_materials(const SupModel *model, SupHelpersView *io_view);

/* How many of the model's `matrices` its helpers look at. */
size_t sup_helpers_matrix_count(const SupHelpersView *model);

/* What these fractions make of the model's matrices, at the same offsets:
 * out_matrices[sup_helpers_matrix_count], but for the states in balance, which no blend changes.
 * Fails as sup_helpers_blend does and leaves out_matrices as they are. */
SupResult sup_helpers_mix(SupArena *scratch, const SupHelpersView *model, const float *fractions,
                          float *out_matrices, SupError *error);

/* Every material's own A and B `r` times as fast, and the blend of them. The block is the
 * caller's. */
SupResult sup_helpers_convert_materials(SupArena *arena, const SupHelpersView *view, double r,
                                        SupError *error);

#endif
