/* SPDX-License-Identifier: MIT */
/*
 * Parts of a skin that neither triangles nor bones join: the hearts and stars of one file that lie
 * in each other until a clip moves them apart. Each is a body of its own. So is a sheet around a
 * body that is not flesh, as a robe is, whatever bones it follows.
 */
#ifndef SUP_SRC_FEM_SKIN_GROUPS_H
#define SUP_SRC_FEM_SKIN_GROUPS_H

#include "supple/author/character.h"

typedef struct SupGroups {
  uint32_t count;            /* at least 1 */
  const uint32_t *of_vertex; /* [vertex_count] */
  const uint8_t *sheets;     /* [count] not 0: a sheet, nothing is inside */
  uint32_t bone_count;       /* bones that the skin names, at least */
  const uint32_t *of_bone;   /* [bone_count] SUP_NONE for bones that no vertex follows */
} SupGroups;

static inline uint32_t sup_group_of_bone(const SupGroups *groups, uint32_t bone) {
  return bone < groups->bone_count ? groups->of_bone[bone] : SUP_NONE;
}

/* In `arena`. All is one group without a skin. Vertices without triangles belong to the first.
 * lock[vertex_count] is 1 where skin is not flesh; NULL: all is. */
SupResult sup_groups_find(SupArena *arena, const SupMesh *mesh, const SupSkin *skin,
                          const float *lock, SupGroups *out_groups, SupError *error);

/* The mesh of one group; *out_vertices has its vertices' numbers in the whole. */
SupResult sup_group_mesh(SupArena *arena, const SupMesh *mesh, const SupGroups *groups,
                         uint32_t group, SupMesh *out_mesh, const uint32_t **out_vertices,
                         SupError *error);

#endif
