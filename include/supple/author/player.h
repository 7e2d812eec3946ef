/* SPDX-License-Identifier: MIT */
/*
 * Supple: the player, a clip played through a character's stack of models: play, seek, loop.
 *
 *   SupPlayerDef def = sup_player_def();
 *   def.character = &character, def.model_count = 1, def.models = &model;
 *   sup_player_create(&arena, &def, &player, &error);
 *   SupPlayback playback = sup_playback(clip);
 *   playback.loop = SUP_LOOP_WRAP, playback.preroll = 3;
 *   sup_player_play(&player, &playback);
 *   const SupStackFrame frame = {.positions = {&positions->x, 3}};
 *   sup_player_frame(&player, &frame);                            once per frame
 *
 * The stack asks the player for the poses between two frames, so that the motion is the same at
 * any frame rate up to round-off, and the same bits natively and in WebAssembly at the same one.
 */
#ifndef SUPPLE_AUTHOR_PLAYER_H
#define SUPPLE_AUTHOR_PLAYER_H

#include "supple/author/clip_gap.h"
#include "supple/author/samples.h"
#include "supple/popping.h"
#include "supple/stack.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- The player ------------------------------------------------------------------------------ */

/* Start from sup_player_def. Everything pointed to must outlive the player, but for the list of
 * models, which is copied. */
typedef struct SupPlayerDef {
  uint32_t cookie; /* set by sup_player_def */
  const SupCharacter *character;
  uint32_t model_count;          /* 0: plain skinning */
  const SupModel *const *models; /* [model_count] checked, of this character's body */
  SupSampleOrder order;          /* of the output: SUP_ORDER_BODY or SUP_ORDER_RENDER */
  bool dual_quaternions;         /* skin with dual quaternions instead of linear blending */
  bool without_morphs;           /* the character's morph targets stay out */
  float teleport_distance;       /* metres that the root may move in one frame; 0: ten times the
                                    body's size. 1e30: a clip never jumps on purpose */
  const SupBackend *backend;     /* sup_backend_cpu() */
  const SupJobs *jobs;           /* NULL: the calling thread */
  /* Changes the pose of the clip `ago` seconds before the frame's time: its joints, and its root,
   * which holds the distance travelled by the rounds of a loop. Called for the frame itself (ago 0)
   * and for the steps between two frames. NULL: the clip's own pose. */
  void (*modify_pose)(void *user, float ago, SupPose *io_pose);
  void *user;
  const SupTechnique *const *techniques; /* of the models, ended by NULL; NULL: this build's */
} SupPlayerDef;

/* Body vertices, no models, no teleports, on this processor and thread. */
SupPlayerDef sup_player_def(void);

/* What happens where a clip ends. */
typedef enum SupLoop {
  SUP_LOOP_HOLD,   /* the last pose stays, secondary motion settles in it */
  SUP_LOOP_WRAP,   /* the clip repeats, moved on by its stride, so that a walk goes on walking */
  SUP_LOOP_RESTART /* the same where the clip is closed; an open one is cut: it starts afresh */
} SupLoop;

/* A clip and how it is played. Start from sup_playback; the clip and the track must outlive the
 * playback. */
typedef struct SupPlayback {
  const SupClip *clip; /* NULL: the rest pose */
  SupLoop loop;        /* a clip of no duration is held */
  double closing;      /* seconds that a loop takes from its last pose back to its first; 0 */
  double preroll;      /* seconds before the first frame: the first pose is held; a loop plays whole
                          rounds instead, at least that long; 0 */
  double fps;          /* of sup_player_frame and sup_player_seek, > 0; 60 */
  SupPoppingTrack track; /* activations of muscles in the clip's time; a loop repeats them */
} SupPlayback;

/* The clip once, from its start, at 60 frames per second. */
SupPlayback sup_playback(const SupClip *clip);

/* One character that plays. Read what you like, write through the functions. */
typedef struct SupPlayer {
  SupPlayerDef def;
  SupArena *arena;
  SupStack stack;
  SupStackState *state;
  SupPose pose;   /* of the last frame, as the stack got it */
  float *weights; /* [character.morph_count] of the last frame, morph targets */
  SupPlayback playback;
  bool loops;     /* the clip goes round */
  bool closed;    /* ... and ends as it begins, but for its stride (SUP_GAP_CLOSED) */
  bool restarts;  /* ... or is cut there */
  bool fresh;     /* the next frame starts at rest in its pose */
  bool held;      /* the clip stands still during this frame */
  SupVec3 stride; /* of one round */
  double time;    /* seconds since the clip's start, all rounds together; negative in a preroll */
  uint32_t frame; /* the next one of sup_player_frame */
  SupTransform *work[2]; /* [joint_count] each */
} SupPlayer;

/* Makes a player that shows the rest pose. Everything is in `arena`, which is used again while a
 * clip is compared with itself and must outlive the player. Fails as sup_stack_make does;
 * *out_player is untouched then. A player may be moved, not copied: the copy shares its state. */
SupResult sup_player_create(SupArena *arena, const SupPlayerDef *def, SupPlayer *out_player,
                            SupError *error);

/* The character's body as its rest pose shows it in the scene, with the file's weights of morph
 * targets if `morphs`: the size and shape that motions are measured against. Positions are in
 * `arena`. */
SupResult sup_rest_body(SupArena *arena, const SupCharacter *character, bool morphs,
                        const SupJobs *jobs, SupMesh *out_body, SupError *error);

/* ---- Clips ----------------------------------------------------------------------------------- */

/* A new clip, from its start or its preroll. False if a clip that should loop does not end as it
 * begins: it will jerk (SUP_LOOP_WRAP) or is cut (SUP_LOOP_RESTART). */
bool sup_player_play(SupPlayer *player, const SupPlayback *playback);

/* The difference between two times of a clip; FLT_MAX apart where memory runs out. */
SupClipGap sup_player_gap(const SupPlayer *player, const SupClip *clip, double from, double to);

/* The next frame starts at rest in its pose: after a change of pose that is no motion. */
void sup_player_reset(SupPlayer *player);

/* The next frame starts at rest in the pose at `time`. */
void sup_player_cut(SupPlayer *player, double time);

#define SUP_PLAYER_FROM_START 1e30 /* a lead longer than any clip */

/* Shows `time` as if the clip had been played to it from `lead` seconds before, at most from its
 * start and preroll, in frames of playback.fps. With SUP_PLAYER_FROM_START a frame has the same
 * bits as played. The cost is that of the frames in between; each writes to the outputs. */
void sup_player_seek(SupPlayer *player, double time, double lead, const SupStackFrame *inputs);

/* ---- Frames ---------------------------------------------------------------------------------- */

/* In `inputs` the caller fills in what acts on the character (forces, impulses, activations,
 * controls) and where the output goes: by body or render vertex, stack.vertex_count of them. What
 * the player knows by itself (dt, poses, morph weights, user) is ignored; activations of the track
 * are added to those given. */

/* dt seconds on, in one step of the stack. */
void sup_player_step(SupPlayer *player, double dt, const SupStackFrame *inputs);

/* dt seconds on in which the clip stands still; secondary motion goes on. */
void sup_player_hold(SupPlayer *player, double dt, const SupStackFrame *inputs);

/* The next frame at playback.fps: the first is that of the clip's start (the preroll comes before
 * it), or of the time that was cut to. What lies between two frames is played in steps of at most
 * a tenth of a second; impulses and activations that are given belong to the last. */
void sup_player_frame(SupPlayer *player, const SupStackFrame *inputs);

/* The pose `ago` seconds before the last frame, modified; out_pose has room for all joints.
 * out_weights[character.morph_count], or NULL. */
void sup_player_pose(const SupPlayer *player, float ago, SupPose *out_pose, float *out_weights);

/* Seconds in the clip at the last frame: in [0, duration + closing) for a loop, at most the
 * duration otherwise; negative while a preroll holds the first pose. */
double sup_player_clip_time(const SupPlayer *player);

#ifdef __cplusplus
}
#endif
#endif
