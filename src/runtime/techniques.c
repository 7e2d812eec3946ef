/* SPDX-License-Identifier: MIT */
/* The techniques of this build. A new one adds its line, in the order in which those of one stage
 * run. */
#include "runtime/techniques.h"

static const SupTechnique *const techniques[] = {
    &sup_skin_technique,     &sup_chunks_technique,  &sup_correctives_technique,
    &sup_envelope_technique, &sup_helpers_technique, &sup_modes_technique,
    &sup_popping_technique,  &sup_surface_technique, NULL,
};

const SupTechnique *const *sup_techniques(void) { return techniques; }

const SupTechnique *sup_technique_find(const SupTechnique *const *list, uint32_t kind) {
  for (list = list ? list : techniques; *list; list++) {
    if ((*list)->kind == kind) return *list;
  }
  return NULL;
}

SupResult sup_model_describe(const SupModel *model, const SupTechnique *const *list,
                             const SupFacts *facts, SupError *error) {
  const SupTechnique *technique = sup_technique_find(list, model->kind);
  char letters[5], text[128];
  sup_fourcc_text(model->kind, letters);
  const char *name = technique ? technique->name : letters;
  sup_format(text, sizeof text, "%s, version %u, %llu KB, steps of %.4g ms", name, model->version,
             (unsigned long long)(model->bytes + 512) / 1024, 1e3 * (double)model->h);
  facts->line(facts->user, "model", text);
  facts->text(facts->user, "kind", name);
  facts->number(facts->user, "version", model->version);
  facts->number(facts->user, "h", (double)model->h);
  facts->number(facts->user, "vertices", model->mesh.vertex_count);
  SupResult result = sup_model_check(model, (size_t)model->bytes, list, error);
  if (result == SUP_OK && technique->describe) technique->describe(model, facts);
  return result;
}
