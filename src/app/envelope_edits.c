/* SPDX-License-Identifier: MIT */
/* Control vertices that were put elsewhere by hand. */
#include <string.h>

#include "app/envelope_job.h"
#include "supple/geom/bounds.h"
#include "supple/quantity.h"

/* How many examples sentences give that name, and one of them. */
static uint32_t count_named(const EnvelopeExamples *examples, const char *name, uint32_t *out_one) {
  uint32_t found = 0;
  for (uint32_t e = 0; e < examples->count; e++) {
    if (strcmp(examples->examples[e].name, name) == 0) *out_one = e, found++;
  }
  return found;
}

/* The same of their sources, which may be several examples each. */
static uint32_t count_of_source(const SupEnvelopeFile *given, const EnvelopeExamples *examples,
                                const char *name, uint32_t *out_one) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < given->example_count; k++) {
    const uint32_t first = examples->first[k], count = examples->first[k + 1] - first;
    if (!count || strcmp(sup_envelope_source_name(&given->examples[k]), name) != 0) continue;
    *out_one = first, found += count;
  }
  return found;
}

static SupResult find_example(const SupEnvelopeFile *given, const EnvelopeExamples *examples,
                              const char *path, const char *name, uint32_t *out_example,
                              SupError *error) {
  uint32_t found = count_named(examples, name, out_example);
  if (!found) found = count_of_source(given, examples, name, out_example);
  if (found == 1) return SUP_OK;
  const SupNameList names = {&examples->examples->name, sizeof *examples->examples,
                             examples->count};
  char hint[200];
  if (found) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: '%s' is %u examples; name one, as in '%s', or give it a name in a list",
                    path, name, found, examples->examples[*out_example].name);
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT, "%s: there is no example '%s'%s", path, name,
                  sup_name_hint(hint, sizeof hint, name, names));
}

static SupResult take(const SupEnvelopeEditSource *said, uint32_t example, double size,
                      const char *path, SupEnvelopeEdit *out, SupError *error) {
  const double length = sup_vec3d_length(said->move);
  *out = (SupEnvelopeEdit){said->feature, example + 1, sup_vec3d_to_float(said->move)};
  if (length <= size) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "%s: feature '%s' is moved by %s, which is more than the character's size", path,
                  said->feature, sup_length_text(length).text);
}

SupResult sup_envelope_read_edits(const SupAppContext *app, const char *path,
                                  const SupEnvelopeFile *given, const EnvelopeExamples *examples,
                                  const SupPatchCharacter *patches, EnvelopeEdits *out_edits,
                                  SupError *error) {
  const double size = (double)sup_bounds_diagonal(
      sup_bounds(patches->def.mesh.positions, patches->def.mesh.vertex_count));
  SupEnvelopeEditFile file;
  SupResult result = sup_envelope_edits_read(app->arena, path, &file, error);
  if (result != SUP_OK) return result;
  SupEnvelopeEdit *edits = SUP_ALLOC(app->arena, SupEnvelopeEdit, file.edit_count);
  if (!edits) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < file.edit_count && result == SUP_OK; k++) {
    uint32_t example = 0;
    result = find_example(given, examples, path, file.edits[k].example, &example, error);
    if (result == SUP_OK) result = take(&file.edits[k], example, size, path, &edits[k], error);
  }
  if (result != SUP_OK) return result;
  SupError why = {""};
  *out_edits = (EnvelopeEdits){file.edit_count, edits};
  result = sup_envelope_check_edits(&patches->def, &patches->patches, examples->count + 1,
                                    file.edit_count, edits, &why);
  return result == SUP_OK ? SUP_OK : sup_fail(error, result, "%s: %s", path, why.text);
}
