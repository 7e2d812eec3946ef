/* SPDX-License-Identifier: MIT */
/* Bodies of wedges for someone else's arithmetic: dump_wedges OUT (tests/dumped.py reads it). */
#include "fem/wedge_condense.h"
#include "wedge_bar.h"

static void put(FILE *file, const char *name, size_t count, const double *values) {
  fprintf(file, "%s %zu\n", name, count);
  fwrite(values, sizeof *values, count, file);
}

static void put_wedges(FILE *file, SupArena *arena, SupWedgeMesh mesh) {
  double *wedges = SUP_ALLOC(arena, double, 6 * (size_t)mesh.wedge_count);
  for (uint32_t k = 0; k < 6 * mesh.wedge_count; k++) wedges[k] = mesh.wedges[k];
  put(file, "nodes", 3 * (size_t)mesh.node_count, (const double *)mesh.nodes);
  put(file, "wedges", 6 * (size_t)mesh.wedge_count, wedges);
}

/* A distorted bar of three stiffnesses; every node of both ends is a group of its own, every other
 * free node is kept. */
static void put_bar(FILE *file, SupArena *arena, double poisson) {
  const uint32_t n[3] = {2, 3, 3};
  const SupWedgeMesh mesh = wedge_bar(arena, n, (SupVec3d){1, 1.3, 2}, 0.2);
  double *stiffness = SUP_ALLOC(arena, double, mesh.wedge_count);
  double *held_values = SUP_ALLOC(arena, double, mesh.node_count);
  uint8_t *held = SUP_ALLOC(arena, uint8_t, mesh.node_count);
  uint32_t *kept = SUP_ALLOC(arena, uint32_t, mesh.node_count), kept_count = 0, count = 0;
  SupHold *holds = SUP_ALLOC(arena, SupHold, mesh.node_count);
  SupHoldKind *kinds = SUP_ALLOC(arena, SupHoldKind, mesh.node_count);
  uint32_t *columns = SUP_ALLOC(arena, uint32_t, (size_t)mesh.node_count + 1);
  SupWedgeBody body;
  SupCondensed condensed;
  for (uint32_t w = 0; w < mesh.wedge_count; w++) stiffness[w] = 1 + w % 3 * 2;
  for (uint32_t v = 0; v < mesh.node_count; v++) {
    held[v] = v < 12 || v >= 36;
    held_values[v] = held[v];
    if (!held[v] && v % 2) kept[kept_count++] = v;
    if (!held[v]) continue;
    kinds[count] = SUP_HOLD_TRANSLATION;
    holds[count] = (SupHold){v, count, 1, {0, 0, 0}};
    columns[count + 1] = columns[count] + 3;
    count++;
  }
  const SupHolds all = {count, count, kinds, columns, holds};
  const SupWedgeBodyDef def = {"bar", mesh, poisson, stiffness, held};
  assert_int_equal(sup_wedge_body_create(arena, &def, &body, NULL), SUP_OK);
  assert_int_equal(sup_wedge_condense(arena, &body, &all, kept_count, kept, &condensed, NULL),
                   SUP_OK);
  put(file, "poisson", 1, &poisson);
  put_wedges(file, arena, mesh);
  put(file, "stiffness", mesh.wedge_count, stiffness);
  put(file, "held", mesh.node_count, held_values);
  put(file, "element", 324, body.elements + 324 * 5);
  sup_wedge_body_free(&body);
  assert_int_equal(sup_wedge_body_create_by(arena, &def, sup_wedge_stiffness_nodal, &body, NULL),
                   SUP_OK);
  put(file, "nodal", 324, body.elements + 324 * 5);
  put(file, "map", 3 * (size_t)kept_count * condensed.column_count, condensed.map);
  sup_wedge_body_free(&body);
}

int main(int argc, char **argv) {
  SupArena arena;
  const uint32_t n[3] = {10, 2, 2};
  FILE *file = argc == 2 ? fopen(argv[1], "wb") : NULL;
  if (!file) return 1;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  put_bar(file, &arena, 0.3);
  put_bar(file, &arena, 0.49);
  put_wedges(file, &arena, wedge_bar(&arena, n, (SupVec3d){5, 1, 1}, 0));
  sup_arena_free(&arena);
  return fclose(file) != 0;
}
