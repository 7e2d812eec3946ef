/* SPDX-License-Identifier: MIT */
/* What is told of the models in a character's file. */
#include "character/models.h"

#include "character/tell_motion.h"
#include "formats.h"

void cli_tell_surface(CliContext *cli, const SupSurfaceMade *made) {
  const SupSurfaceBuildReport *build = &made->build;
  cli_report_begin_object(cli->report, "surface");
  cli_report_integer(cli->report, "vertices", made->vertex_count);
  cli_report_integer(cli->report, "limited", build->limited);
  cli_report_integer(cli->report, "calmed", build->calmed);
  cli_report_float(cli->report, "drag_added", build->drag_added);
  cli_report_number(cli->report, "growth", build->probe.growth);
  cli_report_integer(cli->report, "bytes", (int64_t)made->bytes);
  cli_report_end(cli->report);
  cli_say(cli, "surface: %s vertices, ", cli_count_text(made->vertex_count).text);
  if (build->probe.growth > 1e-6) {
    cli_say(cli, "%s", cli_settle_text(build->probe.growth, (double)made->h).text);
    cli_detail(cli, "; a disturbance falls to %.4g in every step", build->probe.growth);
  } else {
    cli_say(cli, "all of which follow their bones");
  }
  if (build->limited) {
    cli_say(cli, "; %s vertices limited", cli_count_text(build->limited).text);
  }
  if (build->drag_added > 0) {
    cli_say(cli, "; drag of %s raised by up to %.2g to be stable",
            cli_count_text(build->calmed).text, (double)build->drag_added);
  }
  cli_say(cli, "\n");
}

SupResult cli_surface_build(CliContext *cli, const CliCharacter *source, SupSurfaceBuildDef *def,
                            SupSurfaceMaps *io_maps, const SupModel **out_model, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupSurfaceMade made;
  SupResult result =
      sup_surface_make(&app, source->character, def, io_maps, out_model, &made, error);
  if (result == SUP_OK) cli_tell_surface(cli, &made);
  return result;
}

SupResult cli_surface_put_maps(CliContext *cli, const CliCharacter *source,
                               const SupSurfaceMaps *maps, SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_surface_put_maps(&app, source, maps, error);
}

SupResult cli_models_open(CliContext *cli, const CliCharacter *source, bool rebind,
                          CliModels *out_models, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupSurfaceMade made;
  SupResult result = sup_models_open(&app, source, rebind, out_models, &made, error);
  if (made.vertex_count) cli_tell_surface(cli, &made);
  return result;
}

SupResult cli_models_player(CliContext *cli, const SupCharacter *character, const CliModels *models,
                            SupSampleOrder order, CliSkinning skinning, SupPlayer *out_player,
                            SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_models_player(&app, character, models, order, skinning, out_player, error);
}
