/* SPDX-License-Identifier: MIT */
/* The table of hashes as a WebAssembly module, run by hash_module.mjs. */
#include "hash_rows.h"

#define EXPORT(name) __attribute__((export_name(name), used))

EXPORT("row_count") uint32_t module_row_count(void);
EXPORT("row_name") const char *module_row_name(uint32_t row);
EXPORT("row_hash") uint64_t module_row_hash(uint32_t row, uint32_t backend);
EXPORT("backend_count") uint32_t module_backend_count(void);
EXPORT("backend_name") const char *module_backend_name(uint32_t backend);

static const SupBackend *nth_backend(uint32_t backend) {
  const SupBackend *backends[4];
  sup_backend_list(backends, 4);
  return backends[backend];
}

uint32_t module_row_count(void) { return hash_row_count; }
const char *module_row_name(uint32_t row) { return hash_rows[row].name; }
uint64_t module_row_hash(uint32_t row, uint32_t backend) {
  return hash_rows[row].compute(nth_backend(backend));
}
uint32_t module_backend_count(void) { return sup_backend_list(NULL, 0); }
const char *module_backend_name(uint32_t backend) { return nth_backend(backend)->name; }
