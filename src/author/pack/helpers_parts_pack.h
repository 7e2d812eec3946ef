/* SPDX-License-Identifier: MIT */
/* Packing helpers, for the files that do it. */
#ifndef SUP_SRC_AUTHOR_HELPERS_PARTS_PACK_H
#define SUP_SRC_AUTHOR_HELPERS_PARTS_PACK_H

#include "supple/author/helpers_pack.h"

/* Whether numbers of things are within limits. */
SupResult sup_helpers_check_def(const SupHelpersDef *def, SupError *error);

/* sup_helpers_pack with further sections, 4 at most. */
SupResult sup_helpers_pack_with(SupArena *arena, const SupCharacter *character,
                                const SupHelpersDef *def, uint32_t more_count,
                                const SupModelPart *more, SupModel **out_model, SupError *error);

#endif
