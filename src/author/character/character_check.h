/* SPDX-License-Identifier: MIT */
/* What sup_character_build checks before it trusts a raw character. */
#ifndef SUP_AUTHOR_CHARACTER_CHECK_H
#define SUP_AUTHOR_CHARACTER_CHECK_H

#include "supple/author/build.h"

/* Every index, count and number of `raw`. Fails with a sentence that names the part, joint, clip.
 */
SupResult sup_raw_character_check(const SupRawCharacter *raw, SupError *error);

#endif
