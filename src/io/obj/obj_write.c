/* SPDX-License-Identifier: MIT */
/* OBJ out. Numbers are formatted by our own code, whatever the C locale says. */
#include "supple/io/file.h"
#include "supple/io/obj.h"

static void say(SupFileWriter *file, const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  size_t length = sup_format_v(line, sizeof line, format, arguments);
  va_end(arguments);
  sup_file_write(file, line, length < sizeof line ? length : sizeof line - 1);
}

static void write_vectors(SupFileWriter *file, const char *word, const SupVec3 *vectors,
                          uint32_t count) {
  for (uint32_t v = 0; v < count; v++) {
    say(file, "%s %.9g %.9g %.9g\n", word, (double)vectors[v].x, (double)vectors[v].y,
        (double)vectors[v].z);
  }
}

/* Names may not hold blanks or control characters. */
static void write_name(SupFileWriter *file, const char *name, uint32_t number) {
  sup_file_write(file, "o ", 2);
  for (const char *c = name; *c; c++) {
    bool plain = (unsigned char)*c > ' ' && *c != 127;
    sup_file_write(file, plain ? c : "_", 1);
  }
  if (!*name) say(file, "part_%u", number);
  sup_file_write(file, "\n", 1);
}

/* A triangle whose corners have the same number in every list that the file has. */
static void write_triangle(SupFileWriter *file, const uint32_t *corner, bool uvs, bool normals) {
  uint32_t a = corner[0] + 1, b = corner[1] + 1, c = corner[2] + 1;
  if (uvs && normals) {
    say(file, "f %u/%u/%u %u/%u/%u %u/%u/%u\n", a, a, a, b, b, b, c, c, c);
  } else if (uvs) {
    say(file, "f %u/%u %u/%u %u/%u\n", a, a, b, b, c, c);
  } else if (normals) {
    say(file, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c);
  } else {
    say(file, "f %u %u %u\n", a, b, c);
  }
}

static void write_body(SupFileWriter *file, const SupCharacter *character,
                       const SupVec3 *positions) {
  const SupMesh *body = &character->body;
  write_name(file, character->name, 0);
  write_vectors(file, "v", positions ? positions : body->positions, body->vertex_count);
  for (uint32_t f = 0; f < body->triangle_count; f++) {
    write_triangle(file, body->triangles + 3 * (size_t)f, false, false);
  }
}

static void write_part(SupFileWriter *file, const SupRender *render, uint32_t number,
                       const SupVec3 *positions) {
  const SupPart *part = &render->parts[number];
  const SupVec3 *normals = positions ? NULL : render->normals;
  write_name(file, part->name, number);
  write_vectors(file, "v", (positions ? positions : render->positions) + part->first_vertex,
                part->vertex_count);
  /* glTF counts texture coordinates from the top, OBJ from the bottom. */
  for (uint32_t v = part->first_vertex; render->uvs && v < part->first_vertex + part->vertex_count;
       v++) {
    say(file, "vt %.9g %.9g\n", (double)render->uvs[2 * (size_t)v],
        1 - (double)render->uvs[2 * (size_t)v + 1]);
  }
  if (normals) write_vectors(file, "vn", normals + part->first_vertex, part->vertex_count);
  for (uint32_t f = part->first_triangle; f < part->first_triangle + part->triangle_count; f++) {
    write_triangle(file, render->triangles + 3 * (size_t)f, render->uvs != NULL, normals != NULL);
  }
}

SupResult sup_obj_save(SupAllocator allocator, const char *path, const SupCharacter *character,
                       SupSampleOrder order, const SupVec3 *positions, SupError *error) {
  SupFileWriter *file;
  SupResult result = sup_file_begin(allocator, path, &file, error);
  if (result != SUP_OK) return result;
  say(file, "# Supple %s\n", sup_version());
  if (order == SUP_ORDER_BODY) {
    write_body(file, character, positions);
  } else {
    for (uint32_t k = 0; k < character->render.part_count; k++) {
      write_part(file, &character->render, k, positions);
    }
  }
  return sup_file_commit(file, error);
}
