/* SPDX-License-Identifier: MIT */
#include "character/blend.h"
#include "supple/helpers.h"

#include <stdlib.h>
#include <string.h>

/* The material called text[length]; its names are in the sentence where there is none. */
static SupResult find_name(const SupHelpersView *view, const char *text, size_t length,
                           uint32_t *out_material, SupError *error) {
  char all[160] = "", said[SUP_HELPERS_NAME + 1], hint[160];
  const char *names[SUP_HELPERS_MATERIALS];
  size_t used = 0;
  for (uint32_t k = 0; k < view->material_count; k++) {
    names[k] = sup_helpers_material(view, k);
    if (used < sizeof all) {
      used += sup_format(all + used, sizeof all - used, "%s%s", k ? ", " : "", names[k]);
    }
  }
  if (used >= sizeof all) memcpy(all + sizeof all - 4, "...", 4);
  const size_t kept = length < sizeof said ? length : sizeof said - 1;
  memcpy(said, text, kept);
  said[kept] = 0;
  const SupNameList list = {names, sizeof *names, view->material_count};
  const size_t found = sup_name_find(said, list);
  if (found < view->material_count) {
    *out_material = (uint32_t)found;
    return SUP_OK;
  }
  sup_name_hint(hint, sizeof hint, said, list);
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--material '%s': there are: %s%s", said, all, hint);
}

/* One NAME=FRACTION of `whole` that ends before text[length]. */
static SupResult read_fraction(const SupHelpersView *view, const char *whole, const char *text,
                               size_t length, float *io_fractions, bool *io_given,
                               SupError *error) {
  const char *equals = memchr(text, '=', length);
  char *end = NULL;
  const double fraction = equals ? strtod(equals + 1, &end) : 0;
  if (!equals || end == equals + 1 || end != text + length) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--material '%s': give a material's name, or NAME=FRACTION,NAME=FRACTION,...",
                    whole);
  }
  uint32_t material;
  SupResult result = find_name(view, text, (size_t)(equals - text), &material, error);
  if (result != SUP_OK) return result;
  if (io_given[material]) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "--material names '%s' twice; leave one out",
                    sup_helpers_material(view, material));
  }
  io_given[material] = true;
  io_fractions[material] = (float)fraction;
  return SUP_OK;
}

static SupResult read_fractions(const SupHelpersView *view, const char *text, float *out_fractions,
                                SupError *error) {
  bool given[SUP_HELPERS_MATERIALS] = {false};
  for (uint32_t k = 0; k < view->material_count; k++) out_fractions[k] = 0;
  if (!strchr(text, '=')) {
    uint32_t material;
    SupResult result = find_name(view, text, strlen(text), &material, error);
    if (result == SUP_OK) out_fractions[material] = 1;
    return result;
  }
  SupResult result = SUP_OK;
  for (const char *whole = text; result == SUP_OK;) {
    const size_t length = strcspn(text, ",");
    result = read_fraction(view, whole, text, length, out_fractions, given, error);
    if (!text[length]) break;
    text += length + 1;
  }
  return result;
}

SupResult cli_blend_read(CliContext *cli, const char *path, const CliModels *models,
                         float *out_fractions, SupError *error) {
  if (!cli_count(cli->arguments, "material")) return SUP_OK;
  const SupModel *helpers = cli_models_find(models, SUP_HELPERS_KIND);
  const SupHelpersView view = helpers ? sup_helpers_view(helpers) : (SupHelpersView){0};
  if (view.material_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s is played without helpers of several materials; `supple build helpers "
                    "--material` gives it some",
                    path);
  }
  return read_fractions(&view, cli_text(cli->arguments, "material"), out_fractions, error);
}

SupResult cli_blend_player(CliContext *cli, const float *fractions, SupPlayer *io_player,
                           SupError *error) {
  if (!cli_count(cli->arguments, "material")) return SUP_OK;
  const SupStack *stack = &io_player->stack;
  SupHelpersState *state = sup_stack_state_of(stack, io_player->state, SUP_HELPERS_KIND);
  return sup_helpers_blend(cli->arena, sup_stack_view(stack, SUP_HELPERS_KIND), state, fractions,
                           error);
}
