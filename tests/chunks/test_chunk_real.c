/* SPDX-License-Identifier: MIT */
/* Limbs of real characters, patches found without asking: $SUPPLE_TEST_DATA. */
#include <dirent.h>

#include "check.h"
#include "fem/wedge_body.h"
#include "supple/author/patch_auto.h"
#include "supple/io/file.h"
#include "supple/io/gltf.h"
#include "supple/train/patch_map.h"
#include "train/chunks/chunk.h"

typedef struct Character {
  SupArena arena;
  SupGltf *document;
  const SupMesh *skin;
  SupPatchAuto found;
  SupPatchCharts charts;
} Character;

static void open_character(Character *c, const char *path) {
  SupGltfCharacter *characters;
  uint32_t count;
  sup_arena_init(&c->arena, sup_heap_allocator(), 0);
  assert_int_equal(sup_gltf_open(path, NULL, &c->document, NULL), SUP_OK);
  assert_int_equal(sup_gltf_characters(c->document, &c->arena, &count, &characters, NULL), SUP_OK);
  SupPatchAutoDef def = sup_patch_auto_def(&characters[0].character);
  assert_int_equal(
      sup_gltf_part_signs(c->document, &characters[0], &c->arena, &def.hard.parts, NULL), SUP_OK);
  assert_int_equal(sup_patch_auto(&c->arena, &def, &c->found, NULL), SUP_OK);
  const SupPatchMapDef map = {.def = &c->found.def, .patches = &c->found.patches};
  assert_int_equal(sup_patch_charts(&c->arena, &map, &c->charts, NULL), SUP_OK);
  c->skin = &characters[0].character.body;
}

/* The patches below the ring that patch p is named after; 0 where they are not four of four sides,
 * or p is not the first of them. */
static uint32_t members_of(const SupPatches *patches, uint32_t p, uint32_t out[4]) {
  const char *name = patches->patches[p].name, *dot = strchr(name, '.');
  const size_t length = dot ? (size_t)(dot + 1 - name) : 0;
  uint32_t count = 0;
  for (uint32_t k = 0; k < patches->patch_count && length; k++) {
    const SupPatch *patch = &patches->patches[k];
    if (strncmp(patch->name, name, length) != 0) continue;
    if (k < p || count == 4 || patch->side_count != 4) return 0;
    out[count++] = k;
  }
  return count == 4 ? 4 : 0;
}

/* The middle of the corners of a ring's start (0) or end (2). */
static SupVec3d ring_middle(const SupPatches *patches, const SupPatchRing *ring, uint32_t corner) {
  SupVec3d sum = {0, 0, 0};
  for (uint32_t k = 0; k < ring->count; k++) {
    const SupPatch *patch = &patches->patches[ring->patches[k]];
    const uint32_t v = patch->loop[patch->corners[(ring->first_corners[k] + corner) % 4]];
    sum = sup_vec3d_add_scaled(sum, sup_vec3_to_double(patches->mesh.positions[v]),
                               1.0 / ring->count);
  }
  return sum;
}

/* A ring, its bone from the middle of its start to that of its end; which end is which is not known
 * here, so all axes are tried. */
static bool find_ring(Character *c, const uint32_t members[4], SupPatchRing *out_ring,
                      SupVec3d out_bone[2]) {
  const SupPatches *patches = &c->found.patches;
  for (uint32_t axis = 0; axis < 3; axis++) {
    const SupVec3d any[2] = {{0, 0, 0}, {axis == 0, axis == 1, axis == 2}};
    if (sup_chunk_ring(&c->arena, "limb", patches, 4, members, any, out_ring, NULL) != SUP_OK) {
      continue;
    }
    out_bone[0] = ring_middle(patches, out_ring, 0);
    out_bone[1] = ring_middle(patches, out_ring, 2);
    return true;
  }
  return false;
}

/* Fills limbs and solves them; the sentence about one that cannot be is checked. */
static void fill_limbs(Character *c, uint32_t *io_limbs, uint32_t *io_chunks) {
  for (uint32_t p = 0; p < c->found.patches.patch_count; p++) {
    uint32_t members[4];
    SupPatchRing ring;
    SupVec3d bone[2];
    SupChunk chunk;
    SupWedgeBody body;
    SupError error = {{0}};
    if (!members_of(&c->found.patches, p, members)) continue;
    assert_true(find_ring(c, members, &ring, bone));
    ++*io_limbs;
    const SupChunkDef def = {"limb", c->skin, &c->charts, 2, 8, SUP_CHUNK_RELAXATIONS, 0};
    if (sup_chunk_separable(&c->arena, &def, &ring, bone, &chunk, &error) != SUP_OK) {
      assert_non_null(strstr(error.text, "flat or inverted"));
      continue;
    }
    const SupWedgeBodyDef flesh = {"limb", chunk.mesh, 0.45, NULL, chunk.held};
    assert_int_equal(sup_wedge_body_create(&c->arena, &flesh, &body, &error), SUP_OK);
    sup_wedge_body_free(&body);
    ++*io_chunks;
  }
}

static void limbs_of_all_characters(void **state) {
  (void)state;
  const char *data = getenv("SUPPLE_TEST_DATA");
  if (!data) skip();
  DIR *listing = opendir(data);
  uint32_t limbs = 0, chunks = 0;
  assert_non_null(listing);
  for (struct dirent *entry; (entry = readdir(listing)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || strcmp(dot, ".glb") != 0) continue;
    char path[600];
    Character c;
    const uint32_t before[2] = {limbs, chunks};
    snprintf(path, sizeof path, "%s/%s", data, entry->d_name);
    open_character(&c, path);
    fill_limbs(&c, &limbs, &chunks);
    print_message("  %s: %u limbs, %u chunks\n", entry->d_name, limbs - before[0],
                  chunks - before[1]);
    sup_gltf_close(c.document);
    sup_arena_free(&c.arena);
  }
  closedir(listing);
  print_message("  %u limbs, %u chunks\n", limbs, chunks);
  assert_true(limbs > 100 && chunks > 0.8 * limbs);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(limbs_of_all_characters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
