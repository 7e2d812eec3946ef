/* SPDX-License-Identifier: MIT */
/* Model blocks from any bytes with the checksum repaired; what passes the check is stepped. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caches/toy_model.h"
#include "supple/io/file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes) {
  SupAllocator heap = sup_heap_allocator();
  SupModel *model = heap.allocate(heap.user, bytes);
  if (!model) return 0;
  if (bytes) memcpy(model, data, bytes);
  SupError error = {{0}};
  sup_model_check(model, bytes, toy_kinds, &error);
  if (bytes >= sizeof *model && model->bytes >= sizeof *model && model->bytes <= bytes) {
    sup_model_seal(model);
  }
  SupResult result = sup_model_check(model, bytes, toy_kinds, &error);
  if (result != SUP_OK && error.text[0] == 0) abort();
  float sum = 0;
  for (int step = 0; result == SUP_OK && step < 100; step++) sum += toy_step(model);
  if (sum != sum) abort();
  heap.release(heap.user, model, bytes);
  return 0;
}
