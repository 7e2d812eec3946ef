/* SPDX-License-Identifier: MIT */
/* OBJ from any text. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supple/io/file.h"
#include "supple/io/obj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), (size_t)64 << 20);
  SupCharacter character;
  SupObjReport report;
  SupError error = {{0}};
  SupResult result =
      sup_obj_parse(&arena, (const char *)data, bytes, "fuzz.obj", &character, &report, &error);
  if (result == SUP_OK) {
    const SupRender *render = &character.render;
    require(render->vertex_count > 0 && render->triangle_count > 0, "there is a mesh");
    for (size_t c = 0; c < 3 * (size_t)render->triangle_count; c++) {
      require(render->triangles[c] < render->vertex_count, "corners are vertices");
    }
    for (uint32_t v = 0; v < render->vertex_count; v++) {
      require(render->to_body[v] < character.body.vertex_count, "vertices are on the body");
    }
  } else {
    require(strstr(error.text, "fuzz.obj") != NULL, "a failure names the file");
  }
  sup_arena_free(&arena);
  return 0;
}
