/* SPDX-License-Identifier: MIT */
/* Rig files from any text, the first answer of a rig process from any bytes, and tables of curves
 * from any text; the first byte chooses. What is read as a rig file is written and read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/rig_hello.h"
#include "supple/io/file.h"
#include "supple/io/rig_curves_file.h"
#include "supple/io/rig_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "does not hold: %s\n", what);
  abort();
}

static void read_file(SupArena *arena, const char *text, size_t bytes) {
  SupRigDef def, again;
  SupError error = {{0}};
  const char *first, *second;
  size_t first_bytes, second_bytes;
  if (sup_rig_file_parse(arena, text, bytes, "fuzz.rig.json", &def, &error) != SUP_OK) {
    require(strstr(error.text, "fuzz.rig.json") != NULL, "a failure names the file");
    return;
  }
  if (sup_rig_file_text(arena, &def, &first, &first_bytes, &error) != SUP_OK) return;
  require(sup_rig_file_parse(arena, first, first_bytes, "fuzz.rig.json", &again, &error) == SUP_OK,
          "what was written is read");
  require(def.control_count == again.control_count, "parameters are kept");
  require(sup_rig_file_text(arena, &again, &second, &second_bytes, &error) == SUP_OK &&
              first_bytes == second_bytes && memcmp(first, second, first_bytes) == 0,
          "written again it is the same");
}

static void read_hello(SupArena *arena, const uint8_t *data, size_t bytes) {
  SupRig rig = {.parameter_count = 0};
  const char *name;
  const SupVec3d *rest;
  SupError error = {{0}};
  if (sup_rig_hello_read(arena, data, bytes, &rig, &name, &rest, &error) != SUP_OK) {
    require(strstr(error.text, "rig process") != NULL, "a failure says whose it is");
    return;
  }
  size_t letters = strlen(name);
  for (uint32_t k = 0; k < rig.parameter_count; k++) {
    letters += strlen(rig.parameters[k].name) + strlen(rig.parameters[k].zone);
  }
  for (uint32_t v = 0; v < rig.vertex_count; v++) letters += rest[v].x > 0; /* it can be read */
  require(letters <= 2 * bytes, "texts are parts of the answer");
}

static void read_table(SupArena *arena, const uint8_t *data, size_t bytes) {
  SupRigTable table;
  SupError error = {{0}};
  double sum = 0;
  const char *text = sup_arena_string(arena, (const char *)data, bytes);
  if (!text) return;
  if (sup_rig_curves_parse_csv(arena, text, bytes, "fuzz.csv", &table, &error) != SUP_OK) {
    require(strstr(error.text, "fuzz.csv") != NULL, "a failure names the file");
    return;
  }
  for (uint32_t k = 0; k < table.column_count; k++) sum += table.names[k][0] != 0;
  for (size_t k = 0; k < (size_t)table.row_count * table.column_count; k++) {
    require(table.values[k] - table.values[k] == 0, "numbers are finite");
  }
  for (uint32_t i = 1; i < table.row_count; i++) sum += table.times[i] > table.times[i - 1];
  require(sum <= table.row_count + (double)table.column_count, "times rise");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  if (bytes == 0) return 0;
  SupArena arena;
  sup_arena_init(&arena, sup_heap_allocator(), (size_t)64 << 20);
  if (data[0] % 4 == 2) {
    read_table(&arena, data + 1, bytes - 1);
  } else if (data[0] % 2) {
    read_hello(&arena, data + 1, bytes - 1);
  } else {
    read_file(&arena, (const char *)data + 1, bytes - 1);
  }
  sup_arena_free(&arena);
  return 0;
}
