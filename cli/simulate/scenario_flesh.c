/* SPDX-License-Identifier: MIT */
/* The flesh of a scenario: its options read as those of `simulate`. */
#include "simulate/scenario_flesh.h"

#include <string.h>

/* Options of the user's that the parts of a scenario get too: those of `simulate` but for the ones
 * that a scenario gives itself. */
static bool passes_on(const CliValue *value) {
  static const char *const ours[] = {"output", "clip", "gravity", "poses", "quasistatic"};
  if (!value->given) return false;
  for (size_t k = 0; k < sizeof ours / sizeof *ours; k++) {
    if (strcmp(value->option->name, ours[k]) == 0) return false;
  }
  for (const CliOption *o = cli_verb_simulate.options; o->name; o++) {
    if (o == value->option) return true;
  }
  return false;
}

/* --name=text: a text that begins with a dash is a value all the same. */
static char *write_word(SupArena *arena, const char *name, const char *text) {
  const size_t size = strlen(name) + (text ? strlen(text) : 0) + 4;
  char *word = SUP_ALLOC(arena, char, size);
  if (word) sup_format(word, size, text ? "--%s=%s" : "--%s", name, text);
  return word;
}

SupResult cli_scenario_arguments(CliContext *cli, const SupScenario *scenario,
                                 const CliArguments *given, bool still, CliArguments *out,
                                 SupError *error) {
  const uint32_t values = given ? given->value_count : 0;
  char **words = SUP_ALLOC(cli->arena, char *, scenario->option_count + values + 1);
  int count = 0;
  if (!words) return sup_fail_memory(error, NULL);
  words[count++] = write_word(cli->arena, "output", ".pc2"); /* required, and not used here */
  for (uint32_t k = 0; k < scenario->option_count; k++) {
    const SupScenarioOption *option = &scenario->options[k];
    if (still && strcmp(option->name, "push") == 0) continue;
    if (given && cli_count(given, option->name)) continue;
    words[count++] = write_word(cli->arena, option->name, option->text);
  }
  for (uint32_t k = 0; k < values; k++) {
    const CliValue *value = &given->values[k];
    if (still && strcmp(value->option->name, "push") == 0) continue;
    if (!passes_on(value)) continue;
    words[count++] = write_word(cli->arena, value->option->name, value->text);
  }
  for (int k = 0; k < count; k++) {
    if (!words[k]) return sup_fail_memory(error, NULL);
  }
  return cli_parse(cli->arena, cli_verb_simulate.options, cli_global_options, count, words, out,
                   error);
}

SupResult cli_scenario_flesh(CliContext *cli, const char *path, const SupCharacter *character,
                             SupSimDef *out_def, SupLockDef *out_lock, SupFill *out_volume,
                             SupError *error) {
  SupScenario scenario;
  CliArguments arguments;
  SupFillReport filled;
  SupSimDef def = sup_sim_def(character, cli->allocator);
  SupResult result = sup_scenario_read(cli->arena, path, &scenario, error);
  if (result == SUP_OK) {
    result = cli_scenario_arguments(cli, &scenario, NULL, false, &arguments, error);
  }
  if (result != SUP_OK) return result;
  CliContext inner = *cli;
  inner.arguments = &arguments;
  def.attach.radius = cli_number(&arguments, "bone-radius");
  cli_read_care(&arguments, &def);
  result = cli_read_material(&arguments, &def.material, error);
  if (result == SUP_OK) result = cli_read_tissue(&inner, character, &def, error);
  if (result == SUP_OK) {
    result = cli_read_volume(&inner, character, &def.fill, out_volume, &filled, error);
  }
  if (result == SUP_OK) *out_def = def;
  if (result == SUP_OK) *out_lock = cli_lock_def(&inner);
  if (result != SUP_OK) sup_error_prefix(error, "%s", path);
  return result;
}
