/* SPDX-License-Identifier: MIT */
/*
 * A character out of a file, and its plain skinned motion: what `play`, `compare` and `simulate`
 * begin with.
 */
#ifndef SUPPLE_CLI_ACTOR_H
#define SUPPLE_CLI_ACTOR_H

#include "supple/author/skin_pack.h"
#include "supple/clip.h"
#include "supple/io/cache.h"
#include "supple/io/gltf.h"
#include "verb.h"

/* Options of every verb that opens a document; a verb puts these rows into its table. */
#define CLI_DOCUMENT_OPTIONS                                                           \
  {.name = "color-map",                                                                \
   .kind = CLI_TEXT,                                                                   \
   .value_name = "MAP",                                                                \
   .help = "read the red channel of the vertex colours as this map, for example lock", \
   .advanced = true},                                                                  \
  {                                                                                    \
    .name = "allow-external", .kind = CLI_FLAG,                                        \
    .help = "allow a .gltf to use files outside its own folder", .advanced = true      \
  }

/* Options of every verb that reads a character. */
#define CLI_ACTOR_OPTIONS                                                 \
  {.name = "character",                                                   \
   .kind = CLI_TEXT,                                                      \
   .value_name = "NAME",                                                  \
   .help = "choose a character of the file, by name or by number from 1", \
   .otherwise = "1",                                                      \
   .advanced = true},                                                     \
      CLI_DOCUMENT_OPTIONS

/* Options of every verb that writes the motion of clips into point caches. `what` says in a line
 * which clips there are. */
#define CLI_BAKE_OPTIONS(what)                                                               \
  {.name = "output",                                                                         \
   .letter = 'o',                                                                            \
   .kind = CLI_OUTPUT,                                                                       \
   .value_name = "FILE",                                                                     \
   .help = "write a .pc2 or .mdd; several clips become one file each, NAME-CLIP.pc2",        \
   .required = true},                                                                        \
      {.name = "clip",                                                                       \
       .kind = CLI_TEXT,                                                                     \
       .value_name = "NAME",                                                                 \
       .help = what,                                                                         \
       .otherwise = "all",                                                                   \
       .repeated = true},                                                                    \
      {.name = "fps",                                                                        \
       .kind = CLI_NUMBER,                                                                   \
       .value_name = "RATE",                                                                 \
       .help = "set the frames per second",                                                  \
       .fallback = "60",                                                                     \
       .low = 1,                                                                             \
       .high = 10000},                                                                       \
      {.name = "amplitude",                                                                  \
       .kind = CLI_NUMBER,                                                                   \
       .value_name = "A",                                                                    \
       .help = "scale the motion of the joints about their mean over the clip",              \
       .advanced = true,                                                                     \
       .fallback = "1",                                                                      \
       .low = 0,                                                                             \
       .high = 10},                                                                          \
  {                                                                                          \
    .name = "order", .kind = CLI_CHOICE, .choices = cli_order_names,                         \
    .help = "write the vertices of the file, or those of the welded body", .advanced = true, \
    .fallback = "file"                                                                       \
  }

/* The values of --order, for a CLI_CHOICE, and what it says. */
extern const char *const cli_order_names[];
SupSampleOrder cli_order(const CliArguments *arguments);

typedef struct CliActor {
  const char *path;
  SupGltf *document;
  const SupGltfCharacter *found; /* where its pieces are in the file */
  const SupCharacter *character;
  const char *clips_path;  /* the file that its clips are from */
  SupGltf *clips_document; /* NULL: `document` */
} CliActor;

/* Opens a document within --max-memory (by default 4 GiB, 0: no limit) and as --allow-external
 * says. */
SupResult cli_gltf_open(CliContext *cli, const char *path, SupGltf **out_document, SupError *error);

/* Opens the file and picks the character that the options name. Close it after use. */
SupResult cli_actor_open(CliContext *cli, const char *path, CliActor *out_actor, SupError *error);
void cli_actor_close(CliActor *actor);

/* The same with the first character, whatever the options say. */
SupResult cli_actor_open_first(CliContext *cli, const char *path, CliActor *out_actor,
                               SupError *error);

/* The clip of that name; the sentence lists what there is otherwise. */
SupResult cli_actor_clip(const CliActor *actor, const char *name, const SupClip **out_clip,
                         SupError *error);

/* The same, or the motion that is made for the character where the name is @calibration and no clip
 * is called so: keys at `fps`, in `cli->arena`. Whoever takes a motion that need not be in the file
 * asks here. */
#define CLI_CALIBRATION "@calibration"
SupResult cli_named_clip(CliContext *cli, const CliActor *actor, const char *name, double fps,
                         const SupClip **out_clip, SupError *error);

/* The clips named by the repeated option --clip, or all of them; in `cli->arena`. Fails when the
 * character has none. fps: as above; 0: only clips of the file. */
SupResult cli_actor_clips(CliContext *cli, const CliActor *actor, double fps,
                          const SupClip ***out_clips, uint32_t *out_count, SupError *error);

/* Frames of a clip at a rate: 0, 1/fps, ... up to its end; UINT32_MAX when there are more than
 * that. */
uint32_t cli_frame_count(const SupClip *clip, float fps);

/* The clips as --amplitude wants them, in place of the given ones; `cli->arena` has them. */
SupResult cli_amplify_clips(CliContext *cli, uint32_t count, const SupClip **io_clips,
                            SupError *error);

/* Refuses clips that are too long to be meant: a million frames. `advice` ends the sentence. */
SupResult cli_check_lengths(uint32_t count, const SupClip *const *clips, float fps,
                            const char *advice, SupError *error);

/* Where each of clips[count] at `fps` goes: `path` itself for one, NAME-CLIP.EXT for several.
 * Refuses clips that are too long to be meant (a million frames), and two that would go to one
 * file. */
SupResult cli_clip_paths(CliContext *cli, const char *path, uint32_t count,
                         const SupClip *const *clips, float fps, const char ***out_paths,
                         SupError *error);

/* The format of a point cache to be written; the sentence says what its name must end in. */
SupResult cli_cache_format(const char *path, SupCacheFormat *out_format, SupError *error);

/* `path` with the clip's name before its ending, for one of several outputs: a.pc2 -> a-walk.pc2.
 * What a file name cannot hold becomes '_'. In `cli->arena`; NULL when memory is short. */
const char *cli_clip_path(CliContext *cli, const char *path, const char *clip_name);

/* ---- Plain skinning ------------------------------------------------------------------------- */

typedef enum CliSkinning { CLI_SKINNING_LBS, CLI_SKINNING_DQS } CliSkinning;

/* The names of the two, for a CLI_CHOICE. */
extern const char *const cli_skinning_names[];

typedef struct CliPlayer {
  const SupCharacter *character;
  const SupBackend *backend;
  const SupJobs *jobs;
  CliSkinning skinning;
  SupSkinView skin;
  SupPose pose;
  SupAffine *globals, *palette;
  SupDualBone *duals;
  float *weights; /* of the morph targets, their defaults between calls */
} CliPlayer;

/* For body or render vertices. Everything is in `cli->arena`. */
SupResult cli_player_create(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                            CliSkinning skinning, CliPlayer *out_player, SupError *error);

/* The character at a time of a clip: out_positions[player.skin.vertex_count], scene space. */
void cli_player_sample(CliPlayer *player, const SupClip *clip, float time, SupVec3 *out_positions);

/* The character in its rest pose, scene space, body or render vertices, in `cli->arena`. One
 * without skeleton is where it is. */
SupResult cli_rest_positions(CliContext *cli, const SupCharacter *character, SupSampleOrder order,
                             const SupVec3 **out_positions, SupError *error);

/* The render vertices as the rest pose shows them: positions and normals of the scene, no tangents.
 * In `cli->arena`. */
SupResult cli_rest_render(CliContext *cli, const SupCharacter *character, SupRender *out_render,
                          SupError *error);

#endif
