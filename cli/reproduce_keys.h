/* SPDX-License-Identifier: MIT */
/* Random keys on a built-in body and the ground truth of them: what `reproduce mukai2016` learns
 * from and is judged by. */
#ifndef SUPPLE_CLI_REPRODUCE_KEYS_H
#define SUPPLE_CLI_REPRODUCE_KEYS_H

#include "supple/author/builtin.h"
#include "supple/train/helpers.h"
#include "verb.h"

enum { CLI_KEYS_FPS = 60, CLI_KEYS_DOFS = 8 };

/* A rotation about one axis of a joint, from rest. */
typedef struct CliKeysDof {
  uint32_t joint, axis;
  double low, high; /* radians: keys lie between */
} CliKeysDof;

typedef struct CliKeysBody {
  const char *builtin;
  uint32_t vertices, tets;
  double young; /* Pa; all else is fat */
  uint32_t dof_count;
  CliKeysDof dofs[CLI_KEYS_DOFS];
} CliKeysBody;

/* Splines through keys that are `spacing` frames apart; with `frozen`, in the second half a key is
 * gone to in so many frames and held for as many. */
typedef struct CliKeysClip {
  const char *name;
  uint32_t frames, spacing;
  bool frozen;
  bool equilibria; /* the motion without inertia is wanted as well */
  uint64_t stream; /* of the random numbers, beside --seed */
} CliKeysClip;

typedef struct CliKeysTruth {
  const char *name;
  SupHelpersMotion motion;
  const SupVec3 *skinning;    /* [frames * vertices] */
  const SupVec3 *quasistatic; /* the same, or NULL */
} CliKeysTruth;

/* Linear blend skinning of the body: out[vertex_count]. */
void cli_keys_skin(const SupCharacter *character, const SupAffine *palette, SupVec3 *out);

/* Makes the body and simulates the clips; from the folder of --cache where it has them. */
SupResult cli_keys_truth(CliContext *cli, const CliKeysBody *body, const CliKeysClip *clips,
                         uint32_t clip_count, SupCharacter *out_character, CliKeysTruth *out_truths,
                         SupError *error);

#endif
