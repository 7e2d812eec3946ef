/* SPDX-License-Identifier: MIT */
/* Correctives as sections, for the kinds of model that hold them beside their own. */
#ifndef SUP_SRC_AUTHOR_CORRECTIVES_PARTS_H
#define SUP_SRC_AUTHOR_CORRECTIVES_PARTS_H

#include "supple/author/correctives_pack.h"

#define SUP_CORRECTIVES_PARTS (SUP_CORRECTIVES_SECTION_COUNT + 1)

/* The skin with the components, and the sections beside the skin's: out_parts
 * [SUP_CORRECTIVES_PARTS], which point into `arena`, the definition and the character. */
SupResult sup_correctives_parts(SupArena *arena, const SupCharacter *character,
                                const SupCorrectivesDef *def, SupSkinView *out_skin,
                                SupModelPart *out_parts, SupError *error);

#endif
