/* SPDX-License-Identifier: MIT */
/* Computes the table of hashes on every backend of this processor and compares it with the file
 * given; with --print, prints it as that file holds it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hash_rows.h"

enum { MOST_BACKENDS = 16, MOST_ROWS = 256, NAME = 64 };

typedef struct Golden {
  char name[NAME];
  uint64_t hash;
} Golden;

/* The lines "name hash" of a file; -1 if it cannot be read. */
static int read_golden(const char *path, Golden *out_rows) {
  FILE *file = fopen(path, "r");
  if (!file) return -1;
  int count = 0;
  while (count < MOST_ROWS &&
         fscanf(file, "%63s %" SCNx64, out_rows[count].name, &out_rows[count].hash) == 2) {
    count++;
  }
  fclose(file);
  return count;
}

int main(int argument_count, char **arguments) {
  static Golden golden[MOST_ROWS];
  const SupBackend *backends[MOST_BACKENDS];
  uint32_t backend_count = sup_backend_list(backends, MOST_BACKENDS);
  if (argument_count != 2) {
    fprintf(stderr, "usage: hash_table golden.txt | --print\n");
    return 2;
  }
  if (strcmp(arguments[1], "--print") == 0) {
    for (uint32_t r = 0; r < hash_row_count; r++) {
      printf("%s %016" PRIx64 "\n", hash_rows[r].name, hash_rows[r].compute(backends[0]));
    }
    return 0;
  }
  int golden_count = read_golden(arguments[1], golden);
  int wrong = golden_count != (int)hash_row_count;
  if (wrong) printf("%d rows in %s, %u here\n", golden_count, arguments[1], hash_row_count);
  for (uint32_t b = 0; b < backend_count; b++) {
    printf("%s:\n", backends[b]->name);
    for (uint32_t r = 0; r < hash_row_count && (int)r < golden_count; r++) {
      uint64_t hash = hash_rows[r].compute(backends[b]);
      int same = hash == golden[r].hash && strcmp(hash_rows[r].name, golden[r].name) == 0;
      printf("  %-20s %016" PRIx64 "%s\n", hash_rows[r].name, hash, same ? "" : "  WRONG");
      wrong += !same;
    }
  }
  return wrong ? 1 : 0;
}
