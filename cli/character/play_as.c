/* SPDX-License-Identifier: MIT */
/* Baked motion: options to definition, report to text. */
#include "character/play_as.h"

#include "formats.h"

#define DRIVEN_TARGETS                                                       \
  64 /* each follows one angle: more are needed than where frames are fitted \
      */

const char *const cli_as_names[] = {"cache", "helpers", "morphs", "curves", NULL};

SupBakeCharacterDef cli_bake_def(const CliArguments *arguments) {
  SupBakeCharacterDef def = sup_bake_character_def();
  def.tolerance = cli_number(arguments, "tolerance");
  def.influences = (uint32_t)cli_integer(arguments, "influences");
  def.morph_count = (uint32_t)cli_integer(arguments, "targets");
  if (cli_count(arguments, "bones")) def.helper_count = (uint32_t)cli_integer(arguments, "bones");
  return def;
}

void cli_tell_baked(CliContext *cli, const SupBakeCharacterDef *def, double unit,
                    const SupBakeReport *r) {
  CliReport *report = cli->report;
  if (def->as_morphs) {
    cli_say(cli, "%u morph targets carry the motion", r->morph_count);
    cli_report_integer(report, "targets", r->morph_count);
  } else {
    cli_say(cli, "%u helper joints carry the motion", r->helper_count);
    cli_report_integer(report, "helpers", r->helper_count);
    cli_report_integer(report, "sweeps", r->sweep_count);
  }
  cli_say(cli, ", within %s on average\n", cli_length_text(unit * r->rmse).text);
  cli_detail(cli, "  %u keys of %u samples; plain skinning is %s off on average (RMS)\n",
             r->key_count, r->sample_count, cli_length_text(unit * r->plain_rmse).text);
  cli_report_number(report, "rmse", r->rmse);
  cli_report_number(report, "plain_rmse", r->plain_rmse);
  cli_report_integer(report, "keys", r->key_count);
  cli_report_integer(report, "samples", r->sample_count);
  cli_report_begin_array(report, "clips");
  for (uint32_t k = 0; k < def->motion_count; k++) {
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "clip", def->motions[k].clip->name);
    cli_report_integer(report, "frames", def->motions[k].frame_count);
    cli_report_number(report, "rmse", r->motion_rmse[k]);
    cli_report_end(report);
  }
  cli_report_end(report);
}

SupResult cli_bake_as(CliContext *cli, const CliCharacter *source, const CliBake *bake,
                      const char *path, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupBakeReport report;
  SupResult result = cli_output_gltf(path, "helpers and morph targets are", error);
  if (result != SUP_OK) return result;
  SupBakeCharacterDef def = cli_bake_def(cli->arguments);
  def.as_morphs = bake->as == CLI_AS_MORPHS;
  def.motion_count = bake->count;
  def.motions = bake->motions;
  def.free_bones = bake->free_bones;
  def.basis_frames = bake->basis_frames;
  def.driven = bake->driven;
  if (bake->driven && !cli_count(cli->arguments, "targets")) def.morph_count = DRIVEN_TARGETS;
  result = sup_bake_character(&app, source, &def, path, &report, error);
  if (result != SUP_OK) return result;
  cli_tell_baked(cli, &def, 1, &report);
  cli_say(cli, "%s: plays in any engine%s\n", path,
          bake->driven ? "; its supple_drivers say which angle drives which target" : "");
  return SUP_OK;
}

SupResult cli_add_helpers(CliContext *cli, const CliCharacter *source, uint32_t count,
                          const SupBakedHelper *helpers, SupSkin skin,
                          const SupGltfCharacter **out_now, uint32_t *out_map, SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_add_helpers(&app, source, count, helpers, skin, out_now, out_map, error);
}
