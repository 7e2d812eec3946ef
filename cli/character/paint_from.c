/* SPDX-License-Identifier: MIT */
/* A map of another character, through patches. */
#include "character/paint_from.h"

#include <string.h>

#include "formats.h"
#include "supple/app/carry_maps.h"
#include "supple/author/body_scale.h"

bool cli_map_values(const SupCharacter *character, const CliModels *models, const char *name,
                    uint32_t row, float *out_values) {
  const uint32_t n = character->body.vertex_count;
  const SupModel *model = cli_models_find(models, SUP_SURFACE_KIND);
  for (uint32_t k = 0; k < character->map_count; k++) {
    if (strcmp(character->maps[k].name, name) != 0) continue;
    memcpy(out_values, character->maps[k].values, n * sizeof(float));
    return true;
  }
  if (row >= SUP_SURFACE_ALL_MAPS || !model) return false;
  sup_surface_get_map(model, row, out_values);
  sup_surface_map_shown(row, sup_body_scale(character), out_values, n, out_values);
  return true;
}

/* The other character's numbers, in `cli->arena`. */
static SupResult other_values(CliContext *cli, const CliCharacter *other, const char *name,
                              const float **out_values, SupError *error) {
  CliModels models;
  float *values = SUP_ALLOC(cli->arena, float, other->character->body.vertex_count);
  if (!values) return sup_fail_memory(error, NULL);
  SupResult result = cli_models_open(cli, other, false, &models, error);
  if (result != SUP_OK) return result;
  *out_values = values;
  if (cli_map_values(other->character, &models, name, sup_surface_map_row(name), values)) {
    return SUP_OK;
  }
  return sup_fail(error, SUP_ERROR_FORMAT, "%s has no map '%s' to copy; paint it there first",
                  other->path, name);
}

static void tell(CliContext *cli, const SupCarryReport *report) {
  if (report->without_count) {
    cli_say(cli, "%u of %u patches are not on the other character, the first is '%s'\n",
            report->without_count, report->without_count + report->patch_count, report->without);
  }
  if (report->outside_count) {
    cli_say(cli, "%s vertices have no counterpart and keep their value\n",
            cli_count_text(report->outside_count).text);
  }
  cli_report_integer(cli->report, "patches", report->patch_count);
  cli_report_integer(cli->report, "patches_without_counterpart", report->without_count);
  cli_report_integer(cli->report, "vertices_without_counterpart", report->outside_count);
}

SupResult cli_paint_from(CliContext *cli, const CliCharacter *source, const char *name,
                         const float *weights, float *io_values, SupError *error) {
  const uint32_t n = source->character->body.vertex_count;
  const SupAppContext app = cli_app(cli);
  const char *plan = cli_text(cli->arguments, "patches");
  const char *other_plan = cli_text(cli->arguments, "from-patches");
  SupCarryReport report;
  CliCharacter other;
  const float *values = NULL;
  SupSkinPlace *places = SUP_ALLOC(cli->arena, SupSkinPlace, n);
  float *carried = SUP_COPY(cli->arena, float, io_values, n);
  if (!places || !carried) return sup_fail_memory(error, NULL);
  SupResult result =
      cli_character_open_first(cli, cli_text(cli->arguments, "from-character"), &other, error);
  if (result != SUP_OK) return result;
  result = other_values(cli, &other, name, &values, error);
  const SupCarryDef def = {{&other, other_plan ? other_plan : plan}, {source, plan}};
  if (result == SUP_OK) result = sup_carry_places(&app, &def, places, &report, error);
  if (result == SUP_OK) {
    sup_map_carry(&other.character->body, values, n, places, false, carried);
    for (uint32_t v = 0; v < n; v++) io_values[v] += weights[v] * (carried[v] - io_values[v]);
    tell(cli, &report);
  }
  cli_character_close(&other);
  return result;
}
