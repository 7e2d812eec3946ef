/* SPDX-License-Identifier: MIT */
/* How displacements of each patch's border reach its inside, in the dress shape. */
#include "train/envelope/envelope_work.h"
#include "train/patches/patch_layout.h"

SupResult sup_envelope_spreads(EnvelopeWork *w) {
  SupEnvelopeLearned *l = w->learned;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < l->patch_count && result == SUP_OK; k++) {
    EnvelopePatch *p = &l->faces[k];
    p->spread = SUP_ALLOC(w->arena, float, (size_t)(p->count - p->border_count) * p->border_count);
    if (!p->spread) return sup_fail_memory(w->error, "envelope");
    result = sup_patch_spread(w->scratch, l->patches, &l->charts->charts[k], l->figure.positions,
                              p->spread, w->error);
    if (result != SUP_OK) sup_error_prefix(w->error, "patch '%s'", p->name);
  }
  return result;
}
