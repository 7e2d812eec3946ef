/* SPDX-License-Identifier: MIT */
/* supple play: bakes motion into point caches. */
#include <string.h>

#include "actor.h"

static const CliOption options[] = {CLI_BAKE_OPTIONS("which clip (default: all)"),
                                    {.name = "skinning",
                                     .kind = CLI_CHOICE,
                                     .choices = cli_skinning_names,
                                     .help = "linear blend or dual quaternions",
                                     .fallback = "lbs"},
                                    CLI_ACTOR_OPTIONS,
                                    {0}};

typedef struct Play {
  CliContext *cli;
  CliPlayer player;
  float fps;
  SupSampleOrder order;
  SupVec3 *positions; /* [vertex_count] one frame */
} Play;

static SupResult bake(Play *play, const SupClip *clip, const char *path, SupError *error) {
  SupCacheDef def = {.allocator = play->cli->allocator,
                     .path = path,
                     .vertex_count = play->player.skin.vertex_count,
                     .frame_count = cli_frame_count(clip, play->fps),
                     .fps = play->fps,
                     .order = play->order};
  SupCacheWriter *writer;
  SupResult result = cli_cache_format(path, &def.format, error);
  if (result == SUP_OK) result = sup_cache_begin(&def, &writer, error);
  if (result != SUP_OK) return result;
  uint64_t hash = 0;
  for (uint32_t i = 0; i < def.frame_count; i++) {
    cli_player_sample(&play->player, clip, (float)i / play->fps, play->positions);
    sup_cache_write_frame(writer, play->positions);
    hash = sup_hash(play->positions, def.vertex_count * sizeof *play->positions, hash);
    cli_progress(play->cli, clip->name, i + 1, def.frame_count);
  }
  result = sup_cache_commit(writer, error);
  if (result != SUP_OK) return result;
  cli_say(play->cli, "%s: %u frames at %g per second, %u vertices -> %s\n", clip->name,
          def.frame_count, (double)play->fps, def.vertex_count, path);
  CliReport *report = play->cli->report;
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "clip", clip->name);
  cli_report_text(report, "output", path);
  cli_report_integer(report, "frames", def.frame_count);
  cli_report_integer(report, "vertices", def.vertex_count);
  cli_report_hash(report, "positions_hash", hash);
  cli_report_end(report);
  return SUP_OK;
}

static SupResult bake_all(Play *play, const CliActor *actor, SupError *error) {
  CliContext *cli = play->cli;
  const SupClip **clips;
  const char **paths;
  uint32_t count;
  SupResult result = cli_actor_clips(cli, actor, &clips, &count, error);
  if (result != SUP_OK) return result;
  result = cli_clip_paths(cli, cli_text(cli->arguments, "output"), count, clips, play->fps, &paths,
                          error);
  if (result != SUP_OK) return result;
  cli_report_number(cli->report, "fps", (double)play->fps);
  cli_report_text(cli->report, "skinning", cli_text(cli->arguments, "skinning"));
  cli_report_begin_array(cli->report, "clips");
  double began = cli_seconds();
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    result = bake(play, clips[k], paths[k], error);
  }
  cli_report_end(cli->report);
  cli_timing(cli, "bake", began);
  return result;
}

static SupResult run(CliContext *cli, SupError *error) {
  CliActor actor;
  SupResult result = cli_actor_open(cli, cli->arguments->operands[0], &actor, error);
  if (result != SUP_OK) return result;
  Play play = {.cli = cli,
               .fps = (float)cli_number(cli->arguments, "fps"),
               .order = cli_order(cli->arguments)};
  CliSkinning skinning = (CliSkinning)cli_integer(cli->arguments, "skinning");
  result = cli_player_create(cli, actor.character, play.order, skinning, &play.player, error);
  if (result == SUP_OK) {
    play.positions = SUP_ALLOC(cli->arena, SupVec3, play.player.skin.vertex_count);
    if (!play.positions) result = sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  }
  if (result == SUP_OK) result = bake_all(&play, &actor, error);
  cli_actor_close(&actor);
  return result;
}

const CliVerb cli_verb_play = {
    .name = "play",
    .summary = "bake a character's motion into point caches",
    .usage = "IN.glb -o OUT.pc2 [--clip NAME]... [options]",
    .details =
        "Plays clips and writes every frame's vertex positions in scene space, in the\n"
        "order of the file's own vertices (skinned meshes in node order, primitive by\n"
        "primitive), so that the cache fits the mesh in any program.\n",
    .example = "supple play mochi.glb --clip jump -o jump.pc2",
    .options = options,
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
