/* SPDX-License-Identifier: MIT */
/*
 * Supple: packing a character's skin into the model that the run time skins with.
 */
#ifndef SUPPLE_AUTHOR_SKIN_PACK_H
#define SUPPLE_AUTHOR_SKIN_PACK_H

#include "supple/author/model_pack.h"
#include "supple/author/samples.h"
#include "supple/skin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Any skinned vertices: what a packed skin is made of. Arrays are only read. */
typedef struct SupSkinSource {
  uint32_t vertex_count; /* at least 1 */
  uint32_t bone_count;
  const SupVec3 *positions; /* [vertex_count] bind space */
  const SupVec3 *normals;   /* [vertex_count] or NULL: the model then has no normals */
  const SupVec4 *tangents;  /* [vertex_count] or NULL */
  SupSkin skin;             /* of the same vertices; every vertex has at least one influence */
  uint32_t morph_count;
  const SupMorph *morphs; /* [morph_count], offsets [vertex_count]; a target that moves nothing
                             costs nothing */
  const uint32_t *order;  /* [vertex_count] a permutation: lane i of the model is vertex order[i] */
} SupSkinSource;

/* A good `order` for the vertices of a mesh: the 16 of a block share few bones
 * (supple/geom/order.h), and the blocks follow each other as their first vertices do in the mesh,
 * so that skinning into vertex order writes from front to back. *out_order [mesh->vertex_count]
 * lives in `arena`. */
SupResult sup_skin_order(SupArena *arena, const SupMesh *mesh, const SupSkin *skin,
                         uint32_t bone_count, const uint32_t **out_order, SupError *error);

/* Packs the source; the arrays are in `arena`. Fails with a sentence when an index, a weight or a
 * number is not what SupSkin promises. */
SupResult sup_skin_pack(SupArena *arena, const SupSkinSource *source, SupSkinView *out_skin,
                        SupError *error);

/* Packs a character's body vertices (normals: the mean of the file's normals at each vertex, or
 * of its triangles weighted by area where the file has none; no tangents) or its render vertices
 * (the file's own normals, tangents and weights, the morph targets of their body vertices): plain
 * skinning then shows what every other viewer shows, also where the weld averaged weights. The
 * vertices are ordered so that the 16 of a block share few bones. */
SupResult sup_skin_pack_character(SupArena *arena, const SupCharacter *character,
                                  SupSampleOrder vertices, SupSkinView *out_skin, SupError *error);

/* The skin as sections of a model: out_parts[SUP_SKIN_SECTION_COUNT], which point into *skin. */
void sup_skin_parts(const SupSkinView *skin, SupModelPart *out_parts);

/* Packs a technique's model: the sections of `skin`, then def's own parts; def->mesh is that of the
 * character. The block has passed sup_model_check. */
SupResult sup_skin_pack_model(SupArena *arena, const SupCharacter *character,
                              const SupSkinView *skin, const SupModelDef *def, SupModel **out_model,
                              SupError *error);

/* A model of kind SUP_SKIN_KIND that holds the packed skin of the character's body or render
 * vertices. The model's h means nothing for it and is 1/60. */
SupResult sup_skin_model(SupArena *arena, const SupCharacter *character, SupSampleOrder vertices,
                         SupModel **out_model, SupError *error);

#ifdef __cplusplus
}
#endif
#endif
