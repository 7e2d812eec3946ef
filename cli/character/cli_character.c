/* SPDX-License-Identifier: MIT */
/* Options that say which character is meant. */
#include "character/cli_character.h"

const char *const cli_skinning_names[] = {"lbs", "dqs", NULL};
const char *const cli_order_names[] = {"file", "body", NULL};

SupSampleOrder cli_order(const CliArguments *arguments) {
  return cli_integer(arguments, "order") ? SUP_ORDER_BODY : SUP_ORDER_RENDER;
}

SupNames cli_names(const CliContext *cli, const char *option) {
  const uint32_t count = cli_count(cli->arguments, option);
  const char **names = SUP_ALLOC(cli->arena, const char *, count);
  for (uint32_t k = 0; names && k < count; k++) {
    names[k] = cli_text_at(cli->arguments, option, k);
  }
  return (SupNames){names ? count : 0, names};
}

/* ---- Files ---------------------------------------------------------------------------------- */

/* Without --character, which not every verb has. */
static SupOpenDef document_def(const CliContext *cli) {
  SupOpenDef def = sup_open_def();
  def.allow_external = cli_flag(cli->arguments, "allow-external");
  def.color_map = cli_text(cli->arguments, "color-map");
  return def;
}

SupOpenDef cli_open_def(const CliContext *cli) {
  SupOpenDef def = document_def(cli);
  def.character = cli_text(cli->arguments, "character");
  return def;
}

SupResult cli_gltf_open(CliContext *cli, const char *path, SupGltf **out_document,
                        SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupOpenDef def = document_def(cli);
  return sup_file_open(&app, path, &def, out_document, error);
}

SupResult cli_character_open(CliContext *cli, const char *path, CliCharacter *out_source,
                             SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupOpenDef def = cli_open_def(cli);
  return sup_character_open(&app, path, &def, out_source, error);
}

SupResult cli_character_open_first(CliContext *cli, const char *path, CliCharacter *out_source,
                                   SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupOpenDef def = document_def(cli);
  return sup_character_open(&app, path, &def, out_source, error);
}

/* ---- Clips ---------------------------------------------------------------------------------- */

SupResult cli_named_clip(CliContext *cli, const CliCharacter *source, const char *name, double fps,
                         const SupClip **out_clip, SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_named_clip(&app, source, name, fps, out_clip, error);
}

SupResult cli_character_clips(CliContext *cli, const CliCharacter *source, double fps,
                              const SupClip ***out_clips, uint32_t *out_count, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupNames names = cli_names(cli, "clip");
  return sup_file_clips(&app, source, &names, fps, out_clips, out_count, error);
}

SupResult cli_amplify_clips(CliContext *cli, uint32_t count, const SupClip **io_clips,
                            SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_clips_amplify(&app, cli_number(cli->arguments, "amplitude"), count, io_clips, error);
}

SupResult cli_clip_paths(CliContext *cli, const char *path, uint32_t count,
                         const SupClip *const *clips, float fps, const char ***out_paths,
                         SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_clip_paths(&app, path, count, clips, fps, out_paths, error);
}

/* ---- Plain skinning ------------------------------------------------------------------------- */

SupResult cli_player_create(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                            CliSkinning skinning, CliPlayer *out_player, SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_plain_player_create(&app, character, order, skinning, out_player, error);
}

SupResult cli_rest_positions(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                             const SupVec3 **out_positions, SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_rest_positions(&app, character, order, out_positions, error);
}

SupResult cli_rest_render(CliContext *cli, const SupCharacter *character, SupRender *out_render,
                          SupError *error) {
  const SupAppContext app = cli_app(cli);
  return sup_rest_render(&app, character, out_render, error);
}

SupResult cli_find_map(const SupCharacter *character, const char *option, const char *name,
                       const float **out_values, SupError *error) {
  const SupNameList names = {character->maps ? &character->maps->name : NULL,
                             sizeof *character->maps, character->map_count};
  const size_t found = sup_name_find(name, names);
  char hint[200];
  if (found < character->map_count) {
    *out_values = character->maps[found].values;
    return SUP_OK;
  }
  if (character->map_count == 0) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--%s: there is no map '%s', nor any other; `supple paint` makes maps", option,
                    name);
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--%s: there is no map '%s'; `supple info` lists them%s", option, name,
                  sup_name_hint(hint, sizeof hint, name, names));
}
