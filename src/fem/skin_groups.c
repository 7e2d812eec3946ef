/* SPDX-License-Identifier: MIT */
#include "fem/skin_groups.h"

#include "base/union_find.h"
#include "supple/geom/topology.h"

/* Less weight than this does not make a bone move a vertex. */
#define WEIGHT_LEAST 1e-3f
/* From here on a vertex is locked. */
#define LOCKED 0.999f

static uint32_t bones_of(const SupSkin *skin) {
  uint32_t count = 0;
  for (uint32_t k = 0; skin && k < skin->offsets[skin->vertex_count]; k++) {
    if (skin->bones[k] >= count) count = skin->bones[k] + 1;
  }
  return count;
}

static uint32_t main_bone(const SupSkin *skin, uint32_t v) {
  uint32_t best = skin->offsets[v];
  for (uint32_t k = best; k < skin->offsets[v + 1]; k++) {
    if (skin->weights[k] > skin->weights[best]) best = k;
  }
  return best < skin->offsets[v + 1] ? skin->bones[best] : SUP_NONE;
}

/* Sheets around a body that are not flesh, as a robe is: the room inside is none of it, and legs
 * drag it through itself. out_sheet[vertex_count] is not 0 in open pieces that are locked wholly
 * and bend; a shell of one bone cannot. */
static SupResult find_sheets(SupArena *arena, const SupMesh *mesh, const SupSkin *skin,
                             const float *lock, uint8_t **out_sheet, SupError *error) {
  SupTopology topology;
  SupResult result = sup_topology(arena, mesh, &topology, error);
  if (result != SUP_OK) return result;
  const uint32_t *pieces = topology.vertex_components, count = topology.component_count;
  uint8_t *sheet = SUP_ALLOC(arena, uint8_t, mesh->vertex_count);
  uint8_t *flesh = SUP_ALLOC(arena, uint8_t, count), *bends = SUP_ALLOC(arena, uint8_t, count);
  uint32_t *bones = SUP_ALLOC(arena, uint32_t, count);
  if (!sheet || !flesh || !bends || !bones) return sup_fail_memory(error, "filling");
  for (uint32_t k = 0; k < count; k++) bones[k] = SUP_NONE;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    if (pieces[v] == SUP_NONE) continue;
    const uint32_t bone = main_bone(skin, v), piece = pieces[v];
    flesh[piece] |= lock[v] < LOCKED;
    bends[piece] |= bones[piece] != SUP_NONE && bones[piece] != bone;
    bones[piece] = bone;
  }
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    const uint32_t p = pieces[v];
    sheet[v] = p != SUP_NONE && !topology.components[p].closed && !flesh[p] && bends[p];
  }
  *out_sheet = sheet;
  return SUP_OK;
}

/* Joins what triangles and bones join; bones are numbered after the vertices. */
static void join_all(const SupMesh *mesh, const SupSkin *skin, const uint8_t *sheet,
                     uint32_t *parents) {
  const uint32_t vertices = mesh->vertex_count;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    sup_union_find_join(parents, c[0], c[1]);
    sup_union_find_join(parents, c[0], c[2]);
  }
  for (uint32_t v = 0; skin && v < vertices; v++) {
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (skin->weights[k] < WEIGHT_LEAST || (sheet && sheet[v])) continue;
      sup_union_find_join(parents, v, vertices + skin->bones[k]);
    }
  }
}

/* Vertices whose group has no triangle go with the first triangle. */
static bool join_bare(SupArena *arena, const SupMesh *mesh, uint32_t *parents) {
  uint8_t *covered = SUP_ALLOC(arena, uint8_t, mesh->vertex_count);
  if (!covered) return false;
  for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
    covered[sup_union_find_root(parents, mesh->triangles[k])] = 1;
  }
  for (uint32_t v = 0; v < mesh->vertex_count && mesh->triangle_count; v++) {
    if (covered[sup_union_find_root(parents, v)]) continue;
    covered[v] = 1;
    sup_union_find_join(parents, v, mesh->triangles[0]);
    covered[sup_union_find_root(parents, v)] = 1;
  }
  return true;
}

SupResult sup_groups_find(SupArena *arena, const SupMesh *mesh, const SupSkin *skin,
                          const float *lock, SupGroups *out_groups, SupError *error) {
  const uint32_t vertices = mesh->vertex_count, bones = bones_of(skin);
  uint32_t *parents = SUP_ALLOC(arena, uint32_t, (size_t)vertices + bones);
  uint32_t *of_vertex = SUP_ALLOC(arena, uint32_t, vertices);
  uint32_t *of_bone = SUP_ALLOC(arena, uint32_t, bones);
  uint8_t *sheets = SUP_ALLOC(arena, uint8_t, vertices);
  SupGroups groups = {0, of_vertex, sheets, bones, of_bone};
  if (!parents || !of_vertex || !of_bone || !sheets) return sup_fail_memory(error, "filling");
  uint8_t *sheet = NULL;
  SupResult result = skin && lock ? find_sheets(arena, mesh, skin, lock, &sheet, error) : SUP_OK;
  if (result != SUP_OK) return result;
  sup_union_find_init(parents, vertices + bones);
  if (skin) join_all(mesh, skin, sheet, parents);
  if (skin && !join_bare(arena, mesh, parents)) return sup_fail_memory(error, "filling");
  for (uint32_t v = 0; v < vertices; v++) {
    const uint32_t root = skin ? sup_union_find_root(parents, v) : 0;
    of_vertex[v] = root == v ? groups.count++ : of_vertex[root];
    if (sheet && sheet[v]) sheets[of_vertex[v]] = 1; /* a vertex without triangles has none */
  }
  for (uint32_t b = 0; b < bones; b++) {
    const uint32_t root = sup_union_find_root(parents, vertices + b);
    of_bone[b] = root < vertices ? of_vertex[root] : SUP_NONE;
  }
  *out_groups = groups;
  return SUP_OK;
}

SupResult sup_group_mesh(SupArena *arena, const SupMesh *mesh, const SupGroups *groups,
                         uint32_t group, SupMesh *out_mesh, const uint32_t **out_vertices,
                         SupError *error) {
  uint32_t vertices = 0, triangles = 0;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) vertices += groups->of_vertex[v] == group;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    triangles += groups->of_vertex[mesh->triangles[3 * (size_t)f]] == group;
  }
  uint32_t *list = SUP_ALLOC(arena, uint32_t, vertices);
  uint32_t *places = SUP_ALLOC(arena, uint32_t, mesh->vertex_count);
  uint32_t *corners = SUP_ALLOC(arena, uint32_t, 3 * (size_t)triangles);
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, vertices);
  if (!list || !places || !corners || !positions) return sup_fail_memory(error, "filling");
  uint32_t count = 0, at = 0;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    if (groups->of_vertex[v] != group) continue;
    positions[count] = mesh->positions[v];
    places[v] = count;
    list[count++] = v;
  }
  for (size_t k = 0; k < 3 * (size_t)mesh->triangle_count; k++) {
    const uint32_t v = mesh->triangles[k];
    if (groups->of_vertex[v] == group) corners[at++] = places[v];
  }
  *out_mesh = (SupMesh){vertices, triangles, positions, corners};
  *out_vertices = list;
  return SUP_OK;
}
