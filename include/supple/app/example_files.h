/* SPDX-License-Identifier: MIT */
/* Supple: examples to learn from: point caches and the clips that they show; and poses. */
#ifndef SUPPLE_APP_EXAMPLE_FILES_H
#define SUPPLE_APP_EXAMPLE_FILES_H

#include "supple/app/model_list.h"
#include "supple/author/samples.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SupExample {
  const char *path;
  const char *name;    /* of the clip, as it was given */
  const SupClip *clip; /* NULL: poses, each a frame */
  SupSamples samples;  /* SUP_ORDER_BODY, with poses */
} SupExample;

/* Reads caches, each with the name of the clip that it shows: a clip of the file, @calibration,
 * @poses for equilibrium poses that the context's seed gives, @far for such beyond the clips.
 * `fps` is the rate of all of them, or 0: what each file says (sup_cache_open). A cache that is not
 * as long as its clip is noted. *out_examples[paths->count] is in the arena. */
SupResult sup_read_examples(const SupAppContext *app, const SupCharacterFile *file,
                            const SupNames *paths, const SupNames *clips, float fps,
                            SupExample **out_examples, SupError *error);

/* Another cache of what an example shows, frame by frame, at the same `fps`: its positions in body
 * order, [frame_count * vertex_count]. In the arena. */
SupResult sup_read_beside(const SupAppContext *app, const SupCharacterFile *file,
                          const SupExample *example, const char *path, float fps,
                          const SupVec3 **out_positions, SupError *error);

/* Moves the joints of samples' poses as the layers of `models` that come first do (helpers), and as
 * the run time will: along the clip from its beginning, or for poses (NULL) in balance with each.
 * What is learned above them is then measured from what they show. New poses, in the arena;
 * `gravity` m/s^2 downwards. Without such layers nothing is done. */
SupResult sup_move_poses(const SupAppContext *app, const SupCharacterFile *file,
                         const SupModelList *models, float gravity, const SupClip *clip,
                         SupSamples *io_samples, SupError *error);

/* What models make of an example's clip from its beginning, or of its poses:
 * out_positions[frame_count * body.vertex_count]. `gravity` m/s^2 downwards. */
SupResult sup_show_example(const SupAppContext *app, const SupCharacterFile *file,
                           const SupModelList *models, float gravity, const SupExample *example,
                           SupVec3 *out_positions, SupError *error);

/* What a model changes on examples, RMS over frames and skin. */
typedef struct SupStackChange {
  uint32_t frame_count; /* 0: no such example */
  double before, after; /* body units: error without and with it */
  double best;          /* fraction of its change that would leave least, where that is linear; 1
                           where it hardly changes anything */
} SupStackChange;

/* Plays examples with two stacks: those of clips (`moving`), or static poses. A stack of no models
 * is plain skinning. Positions that are not finite count for neither. `gravity` m/s^2 downwards. */
SupResult sup_stack_change(const SupAppContext *app, const SupCharacterFile *file,
                           const SupModelList *before, const SupModelList *after, float gravity,
                           uint32_t count, const SupExample *examples, bool moving,
                           SupStackChange *out_change, SupError *error);

/* Notes where a cache, read at `fps` (0: what it says), differs from its clip by more than two
 * frames, and names the rate that would fit. One that Supple wrote itself may be shorter: a part of
 * the clip (`simulate --until`). A file that cannot be read is left to its reader. */
void sup_note_length(const SupAppContext *app, const char *path, float fps, const SupClip *clip);

/* Brings samples, however they are ordered, into the order of the body; their first frame is about
 * where reference[body.vertex_count] is. In the arena; `path` stands in sentences. */
SupResult sup_match_body(const SupAppContext *app, const SupCharacterFile *file, const char *path,
                         const SupVec3 *reference, SupSamples *io_samples, SupError *error);

/* The local transforms of a clip's frames, [count * joint_count]; in the arena, NULL when memory is
 * short. */
SupTransform *sup_clip_poses(const SupAppContext *app, const SupCharacter *character,
                             const SupClip *clip, double start, double fps, uint32_t count);

/* ---- Poses ----------------------------------------------------------------------------------- */

/* `count` poses of the context's seed that teach best, [count * joint_count] in the arena: those
 * within what the clips show, or with `far` those beyond. */
SupResult sup_example_poses(const SupAppContext *app, const SupCharacterFile *file, bool far,
                            uint32_t count, SupTransform **out_poses, SupError *error);

/* `count` poses: the moments CLIP:SECONDS or "rest" that `at` names (then as many as there are), or
 * where it names none those above. */
SupResult sup_named_poses(const SupAppContext *app, const SupCharacterFile *file,
                          const SupNames *at, uint32_t count, SupTransform **out_poses,
                          SupError *error);

#ifdef __cplusplus
}
#endif
#endif
