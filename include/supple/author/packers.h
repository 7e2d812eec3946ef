/* SPDX-License-Identifier: MIT */
/*
 * Supple: what the author layer can do to a model of any kind.
 */
#ifndef SUPPLE_AUTHOR_PACKERS_H
#define SUPPLE_AUTHOR_PACKERS_H

#include "supple/author/character.h"
#include "supple/author/fingerprint.h"
#include "supple/model.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The author's side of a technique's entry (supple/technique.h), in its pack file. */
typedef struct SupPacker {
  uint32_t kind;
  /* Packs a checked model again for the character's body as it is now: `binding` says which number
   * each body vertex has in the model, and in which units. *out_model is in `arena`. */
  SupResult (*rebind)(SupArena *arena, const SupCharacter *character, const SupModel *model,
                      const SupRebinding *binding, SupModel **out_model, SupError *error);
} SupPacker;

/* That of a kind, or NULL. Surfaces have none: sup_surface_maps_of and sup_surface_build carry
 * their maps over, as they do when an artist has painted. */
const SupPacker *sup_packer_find(uint32_t kind);

#ifdef __cplusplus
}
#endif
#endif
