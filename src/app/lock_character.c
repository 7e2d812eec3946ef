/* SPDX-License-Identifier: MIT */
/* What of a character in a file is not flesh. */
#include "supple/app/lock_character.h"

SupResult sup_lock_character(const SupAppContext *app, const SupCharacterFile *file,
                             const SupLockDef *def, SupHardParts *out_parts, SupError *error) {
  SupHardPartsDef hard = sup_hard_parts_def(file->character);
  SupResult result =
      sup_gltf_part_signs(file->document, file->found, app->arena, &hard.parts, error);
  if (result != SUP_OK) return result;
  hard.lock.count = def->lock.count;
  hard.lock.patterns = def->lock.names;
  hard.unlock.count = def->unlock.count;
  hard.unlock.patterns = def->unlock.names;
  return sup_hard_parts(app->arena, &hard, out_parts, error);
}
