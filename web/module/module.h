/* SPDX-License-Identifier: MIT */
/*
 * The WebAssembly module: what JavaScript sees of libsupple and libsupple_author.
 *
 * A function that returns a pointer returns NULL when it fails; web_error() has the sentence.
 * Structures that JavaScript fills or reads are written down word by word in supple.ts; the
 * assertions beside their use keep both in step.
 */
#ifndef SUPPLE_WEB_MODULE_H
#define SUPPLE_WEB_MODULE_H

#include "supple/author/build.h"
#include "supple/author/player.h"
#include "supple/chunks.h"
#include "supple/envelope.h"
#include "supple/helpers.h"
#include "supple/popping.h"

#define WEB_EXPORT(name) __attribute__((export_name(name), used))

/* ---- Memory and errors (heap.c) ---------------------------------------------------------------
 */

SupAllocator web_allocator(void);

/* The sentence of the last failure. */
extern SupError web_last_error;

WEB_EXPORT("error") const char *web_error(void);

/* Blocks aligned to SUP_ALIGNMENT; NULL when memory is at its end. */
WEB_EXPORT("allocate") void *web_allocate(uint32_t bytes);
WEB_EXPORT("release") void web_release(void *block);
WEB_EXPORT("hash") uint64_t web_hash(const void *block, uint32_t bytes, uint64_t seed);

/* ---- Characters and models (cast.c) ------------------------------------------------------------
 */

/* A character with what was found out about it. */
typedef struct WebCharacter {
  SupArena arena;
  SupCharacter character;
  const float *thickness; /* [body.vertex_count], made when it is first asked for */
  float thick;            /* of the thickest tenth */
  uint32_t view[24];
} WebCharacter;

/* A model in memory of its own. */
typedef struct WebModel {
  SupArena arena;
  const SupModel *model;
  float scale; /* sup_body_scale of its character */
} WebModel;

/* A 4x4 matrix of a node as translation, rotation and scale. */
WEB_EXPORT("decompose") void web_decompose(const float *matrix, SupTransform *out);

/* The arrays of `raw` may be edited. */
WEB_EXPORT("character_make") WebCharacter *web_character_make(const SupRawCharacter *raw);
WEB_EXPORT("character_free") void web_character_free(WebCharacter *cast);
WEB_EXPORT("character_view") const uint32_t *web_character_view(WebCharacter *cast);

/* The values of a clip's track, in the order of the file: whoever edits keys writes there. */
WEB_EXPORT("character_track")
float *web_character_track(WebCharacter *cast, uint32_t clip, uint32_t track);

/* A block out of a file: copied, checked, refused if it belongs to another mesh, packed again where
 * maps were painted since. */
WEB_EXPORT("model_load")
WebModel *web_model_load(WebCharacter *cast, const void *data, uint32_t bytes);

/* Flesh by numbers: those of SupSurfacePreset from `frequency` on. */
WEB_EXPORT("surface_make") WebModel *web_surface_make(WebCharacter *cast, const float *numbers);
WEB_EXPORT("model_free") void web_model_free(WebModel *model);
WEB_EXPORT("model_kind") uint32_t web_model_kind(const WebModel *model);
WEB_EXPORT("model_bytes") uint32_t web_model_bytes(const WebModel *model);
/* Its block, as a file has it and model_load takes it. */
WEB_EXPORT("model_block") const void *web_model_block(const WebModel *model);

/* A map of a surface model as people see it: out_values[body.vertex_count]. */
WEB_EXPORT("model_map")
void web_model_map(const WebModel *model, uint32_t row, float *out_values);

/* Helpers of several materials: how many, and their names. */
WEB_EXPORT("model_materials") uint32_t web_model_materials(const WebModel *model);
WEB_EXPORT("model_material") const char *web_model_material(const WebModel *model, uint32_t k);

WEB_EXPORT("preset_count") uint32_t web_preset_count(void);
WEB_EXPORT("preset_name") const char *web_preset_name(uint32_t k);
WEB_EXPORT("preset_summary") const char *web_preset_summary(uint32_t k);
WEB_EXPORT("preset_numbers") const float *web_preset_numbers(uint32_t k);

/* ---- A character in motion (stage.c) -----------------------------------------------------------
 */

#define WEB_PULLS 512
#define WEB_IMPULSES 16
#define WEB_ACTIVATIONS 32

typedef struct WebStage {
  SupArena arena;
  WebCharacter *cast;
  SupPlayer player;
  SupAffine *globals; /* [joint_count] of the pose shown */
  /* What somebody does to the pose: each joint turned in its parent's space, the whole moved. */
  SupQuat *turns, *turns_before; /* [joint_count] */
  SupVec3 move, move_before;
  bool still;                   /* the clip, in the next frame */
  float dt;                     /* of the frame being made */
  SupVec3 *positions, *normals; /* [render.vertex_count] */
  SupExternalForces forces;
  SupPull *pulls;            /* [WEB_PULLS] */
  SupCollider *colliders;    /* [SUP_COLLIDERS] */
  SupImpulse *impulses;      /* [WEB_IMPULSES] */
  uint32_t activation_count; /* for the next frame */
  SupPoppingEvent activations[WEB_ACTIVATIONS];
  SupHelpersControls helpers;
  SupEnvelopeControls envelope; /* strengths are ours to write, [patch_count], or NULL */
  SupAffine *shape_palette;     /* [2 * bone_count] of an envelope's shape, and now; or NULL */
  SupVec3 move_asked;           /* what stage_move_seen answers */
  SupChunksControls chunks;     /* likewise */
  uint32_t view[20];
} WebStage;

/* `count` models, or none for plain skinning; they must outlive the stage. */
WEB_EXPORT("stage_make")
WebStage *web_stage_make(WebCharacter *cast, WebModel *const *models, uint32_t count,
                         uint32_t dual);
WEB_EXPORT("stage_free") void web_stage_free(WebStage *stage);
WEB_EXPORT("stage_view") const uint32_t *web_stage_view(WebStage *stage);

/* Chooses the clip (the number of clips: the rest pose) and where in it the next frame begins. */
WEB_EXPORT("stage_play")
void web_stage_play(WebStage *stage, uint32_t clip, double time, uint32_t loop);

/* In the next frame the clip stands still, and flesh moves on. */
WEB_EXPORT("stage_still") void web_stage_still(WebStage *stage);

/* dt seconds on; writes positions, normals and joints. Returns the time in the clip. */
WEB_EXPORT("stage_step")
double web_stage_step(WebStage *stage, double dt, uint32_t pulls, uint32_t colliders,
                      uint32_t impulses);
WEB_EXPORT("stage_reset") void web_stage_reset(WebStage *stage);
WEB_EXPORT("stage_hash") uint64_t web_stage_hash(const WebStage *stage);

/* Muscles, if the models have some; their names; and what they are told: clench with a strength for
 * so many seconds (0: until told otherwise), or with none release, `ago` before the next frame. */
WEB_EXPORT("stage_muscles") uint32_t web_stage_muscles(const WebStage *stage);
WEB_EXPORT("stage_muscle") const char *web_stage_muscle(const WebStage *stage, uint32_t k);
WEB_EXPORT("stage_activate")
void web_stage_activate(WebStage *stage, uint32_t muscle, float strength, float seconds, float ago);

/* Helpers, if the models have some; what swings of them times `exaggerate`, and a SupHelpersLod.
 */
WEB_EXPORT("stage_helpers") uint32_t web_stage_helpers(const WebStage *stage);
WEB_EXPORT("stage_help") void web_stage_help(WebStage *stage, float exaggerate, uint32_t lod);

/* Of how many materials the helpers are (0: one); and the character as a blend of them, fractions
 * with a sum of 1, from the next frame on: 0 where that fails. */
WEB_EXPORT("stage_materials") uint32_t web_stage_materials(const WebStage *stage);
WEB_EXPORT("stage_blend") uint32_t web_stage_blend(WebStage *stage, const float *fractions);

/* An envelope, if the models have one (else NULL), in words: its patches and their names
 * (SUP_ENVELOPE_NAME bytes each), the strengths of their residuals, which may be written; control
 * vertices, edges between them and two of these for each; shapes, of which the first is the dress
 * shape, and whether the model knows their names and poses. */
WEB_EXPORT("stage_envelope") const uint32_t *web_stage_envelope(WebStage *stage);
/* Names of control vertices and shapes (stage_shape_label: shape 1 and so on are examples), or NULL
 * where the model has none. */
WEB_EXPORT("stage_control_label")
const char *web_stage_control_label(const WebStage *stage, uint32_t control);
WEB_EXPORT("stage_shape_label")
const char *web_stage_shape_label(const WebStage *stage, uint32_t shape);
/* How much of a shape a control vertex had in the last frame; with a blend that knows the shape. */
WEB_EXPORT("stage_share")
float web_stage_share(const WebStage *stage, uint32_t control, uint32_t shape);
/* From the next frame on: a control vertex of one shape so far from where the model has it, in the
 * scene as the character stands in that shape's pose. 0 where that cannot be. */
WEB_EXPORT("stage_move_control")
uint32_t web_stage_move_control(WebStage *stage, uint32_t control, uint32_t shape, float x, float y,
                                float z);
/* Which move takes the vertex so much farther in the pose of the last frame, or NULL. */
WEB_EXPORT("stage_move_seen")
const SupVec3 *web_stage_move_seen(WebStage *stage, uint32_t control, uint32_t shape, float x,
                                   float y, float z);
/* All control vertices where the model has them. */
WEB_EXPORT("stage_move_none") void web_stage_move_none(WebStage *stage);
/* Turns the joints so that the character stands as it does in that shape. 0: nobody knows how. */
WEB_EXPORT("stage_stand") uint32_t web_stage_stand(WebStage *stage, uint32_t shape);
/* The control mesh of the last frame, three numbers for each vertex. */
WEB_EXPORT("stage_controls") const SupVec3 *web_stage_controls(const WebStage *stage);
/* How far the last frame's stitching moved each vertex of the body, and how long its residual is:
 * out_stitched[body.vertex_count], then the residuals. */
WEB_EXPORT("stage_stitching") void web_stage_stitching(const WebStage *stage, float *out_stitched);

/* Chunks, if the models have some (else NULL), in words: what chunks.ts reads. Strengths, scales
 * and heights may be written. */
WEB_EXPORT("stage_chunks") const uint32_t *web_stage_chunks(WebStage *stage);
/* Where the nodes of chunks are in the last frame, then the vertices of their shell: out_places
 * [node_count + vertex_count], in the scene. */
WEB_EXPORT("stage_chunk_places")
void web_stage_chunk_places(const WebStage *stage, SupVec3 *out_places);

/* positions = plain's + fraction * (positions - plain's). */
WEB_EXPORT("stage_exaggerate")
void web_stage_exaggerate(WebStage *stage, const WebStage *plain, float fraction);

/* ---- Somebody poses it (reach.c) ---------------------------------------------------------------
 */

/* Turns `chain` joints above `joint` so that it comes as near to the target as they let it. */
WEB_EXPORT("stage_reach")
void web_stage_reach(WebStage *stage, uint32_t joint, uint32_t chain, float x, float y, float z);

/* Turns a joint so that its `forward` in the rest pose (+Z of the scene) looks at the target. */
WEB_EXPORT("stage_look")
void web_stage_look(WebStage *stage, uint32_t joint, float fraction, float x, float y, float z);

/* Lets go: turns fall to (1 - fraction) of what they were. */
WEB_EXPORT("stage_relax") void web_stage_relax(WebStage *stage, float fraction);

/* Takes over another stage's turns and place, so that both show one pose. */
WEB_EXPORT("stage_follow") void web_stage_follow(WebStage *stage, const WebStage *leader);

/* ---- Many of one kind (web_crowd.c) ------------------------------------------------------------
 */

typedef struct WebCrowd WebCrowd;

/* `count` characters by their helpers, of which at most `most_drawn` are drawn in one frame. NULL
 * with a sentence where the model is not one of helpers for this character, or memory is out. */
WEB_EXPORT("crowd_make")
WebCrowd *web_crowd_make(WebCharacter *cast, const WebModel *model, uint32_t count,
                         uint32_t most_drawn);
WEB_EXPORT("crowd_free") void web_crowd_free(WebCrowd *crowd);
WEB_EXPORT("crowd_view") const uint32_t *web_crowd_view(WebCrowd *crowd);

/* All start afresh in that clip, each at its own time; `size` is the body's. Without a loop each
 * stays where the clip ends. */
WEB_EXPORT("crowd_play")
void web_crowd_play(WebCrowd *crowd, uint32_t clip, float size, uint32_t loop);

/* `time` seconds after that, as if all had been played up to it from `lead` seconds before. */
WEB_EXPORT("crowd_seek")
void web_crowd_seek(WebCrowd *crowd, double time, double lead, float exaggerate);

/* From now on the clip begins again, or each stays where it ends; no one jumps. */
WEB_EXPORT("crowd_loop") void web_crowd_loop(WebCrowd *crowd, uint32_t loop);

/* All as one blend, as stage_blend has it. */
WEB_EXPORT("crowd_blend") uint32_t web_crowd_blend(WebCrowd *crowd, const float *fractions);

/* Those nearer than `near` to the eye swing, those nearer than `far` follow their pose; no one
 * has more than level `most`. */
WEB_EXPORT("crowd_levels")
void web_crowd_levels(WebCrowd *crowd, float x, float y, float z, float near, float far,
                      uint32_t most);

/* dt seconds on, in steps of the model, a few at most; returns how many. What is negative or not
 * finite is no time. `still`: in the flesh, not in the clip. */
WEB_EXPORT("crowd_step")
uint32_t web_crowd_step(WebCrowd *crowd, double dt, float exaggerate, uint32_t still);

/* The vertices of one character, into that place of the positions. */
WEB_EXPORT("crowd_draw")
void web_crowd_draw(WebCrowd *crowd, uint32_t instance, uint32_t place);

#endif
