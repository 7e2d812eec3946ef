/* SPDX-License-Identifier: MIT */
/* Body vertices that one stored vertex stands for. */
#include "supple/author/shared_vertices.h"

#include "base/union_find.h"

/* The part that shows the same primitive first. */
static uint32_t first_showing(const SupRender *render, uint32_t p) {
  uint32_t first = 0;
  while (render->parts[first].mesh != render->parts[p].mesh ||
         render->parts[first].primitive != render->parts[p].primitive) {
    first++;
  }
  return first;
}

SupResult sup_shared_vertices(SupArena *arena, const SupCharacter *character,
                              const uint32_t **out_shared, SupError *error) {
  const SupRender *render = &character->render;
  const uint32_t n = character->body.vertex_count;
  uint32_t *shared = NULL;
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p], *first = &render->parts[first_showing(render, p)];
    if (first == part || first->vertex_count != part->vertex_count) continue;
    if (!shared) {
      shared = SUP_ALLOC(arena, uint32_t, n);
      if (!shared) return sup_fail_memory(error, "maps");
      sup_union_find_init(shared, n);
    }
    for (uint32_t v = 0; v < part->vertex_count; v++) {
      sup_union_find_join(shared, render->to_body[first->first_vertex + v],
                          render->to_body[part->first_vertex + v]);
    }
  }
  for (uint32_t v = 0; shared && v < n; v++) shared[v] = sup_union_find_root(shared, v);
  *out_shared = shared;
  return SUP_OK;
}

void sup_shared_vertices_copy(const uint32_t *shared, uint32_t vertex_count, float *io_values) {
  for (uint32_t v = 0; shared && v < vertex_count; v++) io_values[v] = io_values[shared[v]];
}

void sup_shared_vertices_greatest(const uint32_t *shared, uint32_t vertex_count, float *io_values) {
  for (uint32_t v = 0; shared && v < vertex_count; v++) {
    if (io_values[v] > io_values[shared[v]]) io_values[shared[v]] = io_values[v];
  }
  sup_shared_vertices_copy(shared, vertex_count, io_values);
}
