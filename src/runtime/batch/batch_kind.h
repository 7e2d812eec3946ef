/* SPDX-License-Identifier: MIT */
/* Batches take models of their own technique only. */
#ifndef SUP_SRC_RUNTIME_BATCH_KIND_H
#define SUP_SRC_RUNTIME_BATCH_KIND_H

#include "supple/batch.h"

static inline SupResult sup_batch_kind(const SupBatchDef *def, uint32_t kind, const char *name,
                                       SupError *error) {
  for (uint32_t g = 0; g < def->group_count; g++) {
    if (def->groups[g].model->kind == kind) continue;
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "a batch of %s: model %u belongs to another technique", name, g);
  }
  return SUP_OK;
}

#endif
