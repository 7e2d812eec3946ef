/* SPDX-License-Identifier: MIT */
/* Tetrahedra from any text; the first byte chooses the format, TetGen's files part at a zero. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supple/io/file.h"
#include "supple/io/tets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  if (bytes == 0) return 0;
  SupTetsText source = {.format = (SupTetsFormat)(data[0] % 3),
                        .name = "fuzz.msh",
                        .text = (const char *)data + 1,
                        .bytes = bytes - 1};
  const char *gap = memchr(source.text, 0, source.bytes);
  if (gap && source.format == SUP_TETS_TETGEN) {
    source.more = gap + 1;
    source.more_bytes = (size_t)(source.text + source.bytes - source.more);
    source.bytes = (size_t)(gap - source.text);
  }
  if (!source.more) source.more = "";
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), (size_t)64 << 20);
  SupTetMesh mesh;
  SupError error = {{0}};
  if (sup_tets_parse(&arena, &source, &mesh, NULL, &error) == SUP_OK) {
    require(mesh.node_count > 0 && mesh.tet_count > 0, "there is a mesh");
    for (size_t c = 0; c < 4 * (size_t)mesh.tet_count; c++) {
      require(mesh.tets[c] < mesh.node_count, "corners are nodes");
    }
  } else {
    require(strstr(error.text, "fuzz.msh") != NULL, "a failure names the file");
  }
  sup_arena_free(&arena);
  return 0;
}
