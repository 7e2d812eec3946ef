/* SPDX-License-Identifier: MIT */
/* Examples to learn from: point caches and the clips that they show, as pairs of options. */
#ifndef SUPPLE_CLI_EXAMPLES_H
#define SUPPLE_CLI_EXAMPLES_H

#include "actor.h"

/* Options of every verb that learns; a verb puts these rows into its table. */
#define CLI_EXAMPLE_OPTIONS                                                                        \
  {.name = "example",                                                                              \
   .kind = CLI_INPUT,                                                                              \
   .value_name = "X.pc2",                                                                          \
   .help = "learn from this motion, a .pc2 or .mdd",                                               \
   .repeated = true},                                                                              \
  {                                                                                                \
    .name = "clip", .kind = CLI_TEXT, .value_name = "NAME",                                        \
    .help =                                                                                        \
        "name the clip that each example shows; @calibration: the made clip, @postures and @far: " \
        "static poses of `simulate --postures` and `--postures --far`",                            \
    .repeated = true                                                                               \
  }

typedef struct CliExample {
  const char *path;
  const char *name;    /* as --clip says it */
  const SupClip *clip; /* NULL: postures, each a frame */
  SupSamples samples;  /* SUP_ORDER_BODY, with poses */
} CliExample;

/* Reads all --example with their --clip. None gives *out_count 0. In `cli->arena`. */
SupResult cli_read_examples(CliContext *cli, const CliActor *actor, CliExample **out_examples,
                            uint32_t *out_count, SupError *error);

/* Another cache of what an example shows, frame by frame: its positions in body order,
 * [frame_count * vertex_count]. In `cli->arena`. */
SupResult cli_read_beside(CliContext *cli, const CliActor *actor, const CliExample *example,
                          const char *path, const SupVec3 **out_positions, SupError *error);

/* Brings samples, however they are ordered, into the order of the body; their first frame is about
 * where reference[body.vertex_count] is. In `cli->arena`; `path` stands in sentences. */
SupResult cli_match_body(CliContext *cli, const CliActor *actor, const char *path,
                         const SupVec3 *reference, SupSamples *io_samples, SupError *error);

/* The local transforms of a clip's frames, [count * joint_count]; in `cli->arena`, NULL when memory
 * is short. */
SupTransform *cli_clip_poses(CliContext *cli, const SupCharacter *character, const SupClip *clip,
                             double start, double fps, uint32_t count);

#endif
