/* SPDX-License-Identifier: MIT */
/* --exaggerate and --exaggerate-bone. */
#include "character/exaggerate.h"

#include <stdlib.h>
#include <string.h>

#include "simulate/sim_options.h"

/* HELPER=N of --exaggerate-bone, into the six numbers of that helper. */
static SupResult read_factor(const SupCharacter *character, const SupHelpersView *helpers,
                             const char *text, float *factors, bool *io_given, SupError *error) {
  const char *equals = strrchr(text, '=');
  char *end = NULL;
  const double factor = equals ? strtod(equals + 1, &end) : -1;
  if (!equals || end == equals + 1 || *end || !(factor >= 0 && factor <= 100)) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--exaggerate-bone '%s' is not of the form HELPER=N, N from 0 to 100", text);
  }
  uint32_t joint = 0;
  SupResult result =
      cli_find_bone(character, "exaggerate-bone", text, (size_t)(equals - text), &joint, error);
  if (result != SUP_OK) return result;
  for (uint32_t h = 0; h < helpers->helper_count; h++) {
    if (helpers->bones[h].joint != joint) continue;
    if (io_given[h]) {
      return sup_fail(error, SUP_ERROR_ARGUMENT,
                      "--exaggerate-bone '%s': that helper is given twice; leave one out", text);
    }
    io_given[h] = true;
    for (uint32_t c = 0; c < SUP_HELPERS_OUTPUTS; c++) {
      factors[SUP_HELPERS_OUTPUTS * h + c] = (float)factor;
    }
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--exaggerate-bone '%s': that bone is not a helper",
                  text);
}

SupResult cli_read_exaggerations(CliContext *cli, const SupCharacter *character,
                                 const CliModels *models, SupHelpersControls *io_controls,
                                 SupError *error) {
  const CliArguments *arguments = cli->arguments;
  io_controls->exaggerate = (float)cli_number(arguments, "exaggerate");
  const uint32_t count = cli_count(arguments, "exaggerate-bone");
  if (count == 0) return SUP_OK;
  const SupHelpersView helpers = sup_helpers_view(cli_models_find(models, SUP_HELPERS_KIND));
  const size_t numbers = (size_t)SUP_HELPERS_OUTPUTS * helpers.helper_count;
  float *factors = SUP_ALLOC(cli->arena, float, numbers);
  bool *given = SUP_ALLOC(cli->arena, bool, helpers.helper_count);
  if (!factors || !given) return sup_fail_memory(error, NULL);
  for (size_t k = 0; k < numbers; k++) factors[k] = 1;
  io_controls->exaggerations = factors;
  SupResult result = SUP_OK;
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = read_factor(character, &helpers, cli_text_at(arguments, "exaggerate-bone", k), factors,
                         given, error);
  }
  return result;
}
