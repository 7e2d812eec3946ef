/* SPDX-License-Identifier: MIT */
/* Baked motion: options to definition, report to text. */
#include "character/play_as.h"

#include "formats.h"

const char *const cli_as_names[] = {"cache", "helpers", "morphs", NULL};

SupBakeCharacterDef cli_bake_def(const CliArguments *arguments) {
  SupBakeCharacterDef def = sup_bake_character_def();
  def.tolerance = cli_number(arguments, "tolerance");
  def.influences = (uint32_t)cli_integer(arguments, "influences");
  def.morph_count = (uint32_t)cli_integer(arguments, "targets");
  if (cli_count(arguments, "bones")) def.helper_count = (uint32_t)cli_integer(arguments, "bones");
  return def;
}

void cli_tell_baked(CliContext *cli, const SupBakeCharacterDef *def, const SupBakeReport *r) {
  CliReport *report = cli->report;
  if (def->as_morphs) {
    cli_say(cli, "%u morph targets, %u keys of %u samples\n", r->morph_count, r->key_count,
            r->sample_count);
    cli_report_integer(report, "targets", r->morph_count);
  } else {
    cli_say(cli, "%u helper joints, %u keys of %u samples\n", r->helper_count, r->key_count,
            r->sample_count);
    cli_report_integer(report, "helpers", r->helper_count);
    cli_report_integer(report, "sweeps", r->sweep_count);
  }
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
  cli_say(cli, "  %.2f mm away on average (root mean square; plain skinning: %.2f mm)\n",
          1e3 * r->rmse, 1e3 * r->plain_rmse);
}

SupResult cli_bake_as(CliContext *cli, const CliCharacter *source, const CliBake *bake,
                      const char *path, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupBakeReport report;
  CliFormat format;
  SupResult result = cli_format(path, &format, error);
  if (result != SUP_OK) return result;
  if (format != CLI_FORMAT_GLTF) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: helpers and morph targets go into a .glb or .gltf; give the output such a "
                    "name",
                    path);
  }
  SupBakeCharacterDef def = cli_bake_def(cli->arguments);
  def.as_morphs = bake->as == CLI_AS_MORPHS;
  def.motion_count = bake->count;
  def.motions = bake->motions;
  def.free_bones = bake->free_bones;
  def.basis_frames = bake->basis_frames;
  result = sup_bake_character(&app, source, &def, path, &report, error);
  if (result != SUP_OK) return result;
  cli_tell_baked(cli, &def, &report);
  cli_say(cli, "%s: plays in any engine\n", path);
  return SUP_OK;
}

SupResult cli_add_helpers(CliContext *cli, const CliCharacter *source, uint32_t count,
                          const SupBakedHelper *helpers, SupSkin skin,
                          const SupGltfCharacter **out_now, uint32_t *out_map, SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_add_helpers(&app, source, count, helpers, skin, out_now, out_map, error);
}
