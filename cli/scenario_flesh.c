/* SPDX-License-Identifier: MIT */
/* The flesh of a scenario: its options read as those of `simulate`. */
#include "scenario_flesh.h"

#include <string.h>

#include "supple/io/scenario.h"

static SupResult parse(CliContext *cli, const SupScenario *scenario, CliArguments *out,
                       SupError *error) {
  char **words = SUP_ALLOC(cli->arena, char *, scenario->option_count + 1);
  if (!words) return sup_fail_memory(error, NULL);
  words[0] = sup_arena_string(cli->arena, "--output=.pc2", 13); /* required, and not used here */
  if (!words[0]) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < scenario->option_count; k++) {
    const SupScenarioOption *option = &scenario->options[k];
    const size_t size = strlen(option->name) + (option->text ? strlen(option->text) : 0) + 4;
    words[k + 1] = SUP_ALLOC(cli->arena, char, size);
    if (!words[k + 1]) return sup_fail_memory(error, NULL);
    sup_format(words[k + 1], size, option->text ? "--%s=%s" : "--%s", option->name, option->text);
  }
  return cli_parse(cli->arena, cli_verb_simulate.options, NULL, (int)scenario->option_count + 1,
                   words, out, error);
}

SupResult cli_scenario_flesh(CliContext *cli, const char *path, const SupCharacter *character,
                             SupSimDef *out_def, SupFill *out_volume, SupError *error) {
  SupScenario scenario;
  CliArguments arguments;
  SupFillReport filled;
  SupSimDef def = sup_sim_def(character, cli->allocator);
  def.attach.lock = out_def->attach.lock;
  SupResult result = sup_scenario_read(cli->arena, path, &scenario, error);
  if (result == SUP_OK) result = parse(cli, &scenario, &arguments, error);
  if (result != SUP_OK) return result;
  CliContext inner = *cli;
  inner.arguments = &arguments;
  def.attach.radius = cli_number(&arguments, "bone-radius");
  result = cli_read_material(&arguments, &def.material, error);
  if (result == SUP_OK) result = cli_read_tissue(&inner, character, &def, error);
  if (result == SUP_OK) result = cli_read_lock(&inner, character, &def.attach.lock, error);
  if (result == SUP_OK) {
    result = cli_read_volume(&inner, character, &def.fill, out_volume, &filled, error);
  }
  if (result == SUP_OK) *out_def = def;
  if (result != SUP_OK) sup_error_prefix(error, "%s", path);
  return result;
}
