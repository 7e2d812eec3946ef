/* SPDX-License-Identifier: MIT */
/* Patch files from any text. What is read is written and read again, and laid on a ball and cut;
 * the pieces of the ball are then still the ball. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supple/io/file.h"
#include "supple/io/patch_file.h"

#define ROUND 12
#define RINGS 7
#define VERTICES (ROUND * RINGS + 1) /* open below */
#define TRIANGLES (ROUND * (2 * RINGS - 1))

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

static void check_text(SupArena *arena, const SupPatchPlan *plan) {
  SupPatchPlan again;
  SupError error = {{0}};
  const char *first, *second;
  size_t first_bytes, second_bytes;
  if (sup_patch_file_text(arena, plan, &first, &first_bytes, &error) != SUP_OK) return;
  const SupResult result =
      sup_patch_file_parse(arena, first, first_bytes, "fuzz.json", &again, &error);
  if (result == SUP_ERROR_MEMORY) return;
  require(result == SUP_OK, "what was written is read");
  require(plan->boundary_count == again.boundary_count, "boundaries are kept");
  if (sup_patch_file_text(arena, &again, &second, &second_bytes, &error) != SUP_OK) return;
  require(first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0,
          "written again it is the same");
}

static SupMesh make_cap(SupArena *arena) {
  SupVec3 *positions = SUP_ALLOC(arena, SupVec3, VERTICES);
  uint32_t *corners = SUP_ALLOC(arena, uint32_t, 3 * TRIANGLES);
  uint32_t count = 0;
  if (!positions || !corners) return (SupMesh){0};
  positions[0] = (SupVec3){0, 1, 0};
  for (uint32_t r = 0; r < RINGS; r++) {
    for (uint32_t k = 0; k < ROUND; k++) {
      const double fall = 0.35 * (r + 1), turn = 2 * 3.141592653589793 * k / ROUND;
      const SupVec3d p = {sin(fall) * sin(turn), cos(fall), sin(fall) * cos(turn)};
      const uint32_t v = 1 + r * ROUND + k, next = 1 + r * ROUND + (k + 1) % ROUND;
      positions[v] = sup_vec3d_to_float(p);
      const uint32_t up[6] = {r ? v - ROUND : 0, v, next, next - ROUND, r ? v - ROUND : 0, next};
      for (uint32_t i = 0; i < (r ? 6 : 3); i++) corners[count++] = up[i];
    }
  }
  return (SupMesh){VERTICES, TRIANGLES, positions, corners};
}

static double area_of(const SupMesh *mesh) {
  double area = 0;
  for (uint32_t f = 0; f < mesh->triangle_count; f++) {
    const uint32_t *c = mesh->triangles + 3 * (size_t)f;
    const SupVec3d a = sup_vec3_to_double(mesh->positions[c[0]]);
    const SupVec3d u = sup_vec3d_sub(sup_vec3_to_double(mesh->positions[c[1]]), a);
    const SupVec3d v = sup_vec3d_sub(sup_vec3_to_double(mesh->positions[c[2]]), a);
    area += sup_vec3d_length(sup_vec3d_cross(u, v)) / 2;
  }
  return area;
}

static void check_pieces(const SupMesh *body, const SupPatches *patches) {
  double area = patches->left_out_area;
  for (uint32_t k = 0; k < patches->patch_count; k++) {
    area += patches->patches[k].area;
    require(patches->patches[k].side_count >= 3, "a patch has three sides");
  }
  require(fabs(area / area_of(body) - 1) < 1e-6, "the pieces are the whole");
}

/* Exactly and with its places as hints. */
static void cut(SupArena *arena, const SupPatchPlan *plan) {
  static const int32_t parents[2] = {-1, 0};
  static const char *const names[2] = {"hip", "head"};
  static const SupTransform rest[2] = {{{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}},
                                       {{0, 0.5f, 0}, {0, 0, 0, 1}, {1, 1, 1}}};
  SupTopology topology;
  SupError error = {{0}};
  const SupCharacter character = {.name = "ball",
                                  .body = make_cap(arena),
                                  .skeleton = {2, 0, parents, rest, names, NULL, NULL}};
  if (!character.body.positions) return;
  if (sup_topology(arena, &character.body, &topology, &error) != SUP_OK) return;
  for (int k = 0; k < 2; k++) {
    SupPatchesDef def;
    SupPatches patches;
    SupResult result = (k ? sup_patch_plan_trace_around : sup_patch_plan_trace)(
        arena, plan, &character, &topology, &def, &error);
    if (result == SUP_OK) result = sup_patches_create(arena, &def, &patches, &error);
    if (result == SUP_OK) {
      check_pieces(&character.body, &patches);
    } else {
      require(result == SUP_ERROR_MEMORY || strstr(error.text, "fuzz.json"),
              "a failure names the file");
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  SupArena arena;
  SupPatchPlan plan;
  SupError error = {{0}};
  sup_arena_init(&arena, sup_heap_allocator(), (size_t)64 << 20);
  const SupResult result =
      sup_patch_file_parse(&arena, (const char *)data, bytes, "fuzz.json", &plan, &error);
  if (result == SUP_OK) {
    check_text(&arena, &plan);
    if (plan.boundary_count < 100) cut(&arena, &plan);
  } else if (result != SUP_ERROR_MEMORY) {
    require(strstr(error.text, "fuzz.json") != NULL, "a failure names the file");
  }
  sup_arena_free(&arena);
  return 0;
}
