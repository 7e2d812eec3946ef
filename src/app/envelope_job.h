/* SPDX-License-Identifier: MIT */
/* Inside of sup_envelope_character. */
#ifndef SUP_SRC_APP_ENVELOPE_JOB_H
#define SUP_SRC_APP_ENVELOPE_JOB_H

#include "supple/app/envelope_character.h"
#include "supple/app/patch_character.h"

typedef struct EnvelopeExamples {
  uint32_t count;
  SupEnvelopeExample *examples; /* [count] */
  uint32_t source_count;
  uint32_t *first; /* [source_count + 1] examples first[k] .. first[k + 1] - 1 are of source k */
} EnvelopeExamples;

/* What patches call a source. */
const char *sup_envelope_source_name(const SupEnvelopeSource *source);

/* Reads shapes and poses of `file`, mirrors them where asked, and refuses the same pose twice. */
SupResult sup_envelope_read_examples(const SupAppContext *app, const SupCharacterFile *file,
                                     const SupEnvelopeCharacterDef *def,
                                     EnvelopeExamples *out_examples, SupError *error);

/* Whether a source is a file of frames. */
bool sup_envelope_is_cache(const SupEnvelopeSource *source);

/* The largest distance of two shapes, and over the size of the first. */
double sup_envelope_gap(const SupVec3 *a, const SupVec3 *b, uint32_t count, double *out_share);

/* Whether all joints are turned alike, but for those that turn `whole` (sup_envelope_whole): which
 * way the character faces is no part of its pose. */
bool sup_envelope_same_pose(const SupSkeleton *skeleton, uint32_t whole, const SupTransform *a,
                            const SupTransform *b);

/* Frames of caches in one pose become one example, of their mean shape, with a note; other examples
 * in one pose are refused. */
SupResult sup_envelope_merge_frames(const SupAppContext *app, const SupCharacter *character,
                                    const SupEnvelopeFile *given, EnvelopeExamples *io_examples,
                                    SupError *error);

/* The mirror images of examples[count], out_images[count], in the arena. */
SupResult sup_envelope_mirror(const SupAppContext *app, const SupCharacterFile *file,
                              uint32_t count, const SupEnvelopeExample *examples,
                              SupEnvelopeExample *out_images, SupError *error);

/* Does the rest pose, of that palette, leave all vertices where they are bound, but for one motion
 * of the whole? */
bool sup_envelope_rest_is_bind(const SupSkeleton *skeleton, const SupAffine *palette);

typedef struct EnvelopeLeftOut {
  uint32_t count;
  const char *first; /* name of the first one */
} EnvelopeLeftOut;

/* Takes those patches out that are too distorted in their charts to learn on, with their partners
 * on the other character, which may be NULL; patches of the two correspond. */
SupResult sup_envelope_leave_out(const SupAppContext *app, SupPatchCharacter *io_first,
                                 SupPatchCharacter *io_other, EnvelopeLeftOut *out,
                                 SupError *error);

/* The charts of `target` in the polygons of the primary's. */
SupResult sup_envelope_lay_like(const SupAppContext *app, const SupPatchCharacter *target,
                                const SupPatchCharacter *primary, SupPatchCharts *out_charts,
                                SupError *error);

/* Divides every patch that has room for it on both characters (supple/author/patch_split.h) that
 * many times; `io_other` may be NULL, its patches correspond before and behind. *out_whole is how
 * many stayed whole the last time. */
SupResult sup_envelope_subdivide(const SupAppContext *app, uint32_t times,
                                 SupPatchCharacter *io_first, SupPatchCharacter *io_other,
                                 uint32_t *out_whole, SupError *error);

typedef struct EnvelopeOptions {
  uint32_t count;
  const SupEnvelopePatchOption *options; /* [count] of different patches */
} EnvelopeOptions;

/* What names of patches are looked up in. */
typedef struct EnvelopeNamed {
  const SupPatches *patches;
  SupPatches undivided; /* what they were before any was divided: these names come first */
} EnvelopeNamed;

/* What was said about patches; names are looked up, and what is said about one that
 * was divided holds for its parts. In the arena. Examples, and angles of `skeleton`, only where
 * `examples` is not NULL. */
SupResult sup_envelope_patch_options(const SupAppContext *app, const SupEnvelopeFile *given,
                                     const EnvelopeNamed *named, const EnvelopeExamples *examples,
                                     const SupSkeleton *skeleton, EnvelopeOptions *out_options,
                                     SupError *error);

typedef struct EnvelopeEdits {
  uint32_t count;
  const SupEnvelopeEdit *edits; /* [count] */
} EnvelopeEdits;

/* The file's edits of the shapes of a character in patches, one per example. */
SupResult sup_envelope_read_edits(const SupAppContext *app, const char *path,
                                  const SupEnvelopeFile *given, const EnvelopeExamples *examples,
                                  const SupPatchCharacter *patches, EnvelopeEdits *out_edits,
                                  SupError *error);

/* Which joints correspond, and the pose in which the target stands as the primary. */
typedef struct EnvelopeCarry {
  uint32_t *joints;    /* [joint_count of the primary] */
  SupTransform *dress; /* [joint_count of the target], or NULL: its bind pose */
  uint32_t mapped;
  double reposed;
  SupJointMap map;
} EnvelopeCarry;

/* Before anything is learned: refuses skeletons that do not map. */
SupResult sup_envelope_map(const SupAppContext *app, const SupCharacterFile *primary,
                           const SupCharacterFile *target, EnvelopeCarry *out_carry,
                           SupError *error);

/* Also before: refuses patches and skeletons of two characters between which nothing is carried. */
SupResult sup_envelope_correspond(const SupAppContext *app, const SupCharacterFile *primary,
                                  const char *primary_patches, const SupCharacterFile *file,
                                  const char *file_patches, SupError *error);

/* After: where the target stands as the primary does in pose[joint_count of the primary]. */
SupResult sup_envelope_dress(const SupAppContext *app, const SupTransform *pose,
                             EnvelopeCarry *io_carry, SupError *error);

/* The farthest that a vertex in a patch is from an example when the model is played in its pose.
 * Examples in the pose `dress` are not looked at: the character has a shape of its own there. */
SupResult sup_envelope_compare(const SupAppContext *app, const SupCharacter *character,
                               const SupModel *model, const SupEnvelopeDef *def,
                               const EnvelopeExamples *examples, const SupTransform *dress,
                               double *out_most, SupError *error);

#endif
