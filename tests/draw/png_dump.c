/* SPDX-License-Identifier: MIT */
/* Reads a PNG and writes width, height (32 bits each) and its pixels, four bytes each:
 * png_dump IN.png OUT. Exit 1 where it is refused. */
#include <stdio.h>

#include "supple/draw/image.h"
#include "supple/io/file.h"

int main(int argc, char **argv) {
  SupArena arena;
  SupError error;
  SupTexture texture;
  const uint8_t *data;
  size_t bytes;
  if (argc != 3) return 2;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  SupResult result = sup_file_read(&arena, argv[1], &data, &bytes, &error);
  if (result == SUP_OK) result = sup_png_decode(&arena, data, bytes, &texture, &error);
  FILE *file = result == SUP_OK ? fopen(argv[2], "wb") : NULL;
  if (file) {
    const uint32_t size[2] = {texture.width, texture.height};
    fwrite(size, sizeof size, 1, file);
    fwrite(texture.pixels, 4, (size_t)texture.width * texture.height, file);
    fclose(file);
  } else {
    fprintf(stderr, "%s\n", error.text);
  }
  sup_arena_free(&arena);
  return file ? 0 : 1;
}
