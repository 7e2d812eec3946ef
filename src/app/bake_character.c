/* SPDX-License-Identifier: MIT */
/* Baked motion put into a document. */
#include "supple/app/bake_character.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "supple/author/baked.h"
#include "supple/train/drive.h"

#define COOKIE 0x42616b65u

typedef struct BakeAs {
  const SupAppContext *app;
  const SupCharacterFile *file;
  const SupGltfCharacter *now; /* as the document has it at present */
  const SupBakeCharacterDef *def;
  uint32_t new_morphs; /* targets that every mesh has got */
} BakeAs;

/* Reads the character again after the document was edited. */
static SupResult read_again(BakeAs *b, SupError *error) {
  SupGltfCharacter *characters;
  uint32_t count;
  SupResult result =
      sup_gltf_characters(b->file->document, b->app->arena, &count, &characters, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < count; k++) {
    if (characters[k].skins[0] == b->file->found->skins[0]) b->now = &characters[k];
  }
  return SUP_OK;
}

static uint32_t joint_of_node(const SupGltfCharacter *c, uint32_t node) {
  for (uint32_t j = 0; j < c->character.skeleton.joint_count; j++) {
    if (c->joint_nodes[j] == node) return j;
  }
  return SUP_NONE;
}

/* The bone of today that is bone b of the character as it was opened. */
static uint32_t same_bone(const BakeAs *b, uint32_t bone) {
  const SupSkeleton *was = &b->file->character->skeleton, *is = &b->now->character.skeleton;
  const uint32_t node = b->file->found->joint_nodes[was->bone_joints[bone]];
  uint32_t best = SUP_NONE;
  float least = 0;
  for (uint32_t k = 0; k < is->bone_count; k++) {
    if (b->now->joint_nodes[is->bone_joints[k]] != node) continue;
    float apart = 0;
    for (int i = 0; i < 12; i++) {
      const float gap = is->inverse_bind[k].m[i] - was->inverse_bind[bone].m[i];
      apart += gap * gap;
    }
    if (best == SUP_NONE || apart < least) least = apart, best = k;
  }
  return best;
}

/* ---- Clips ---------------------------------------------------------------------------------- */

/* Writes a motion's clip: its own tracks, then tracks[count] that were baked. */
static SupResult put_clip(BakeAs *b, const SupBakeMotion *motion, uint32_t count,
                          const SupTrack *tracks, SupError *error) {
  const SupClip *clip = motion->clip;
  SupTrack *all = SUP_ALLOC(b->app->arena, SupTrack, (size_t)clip->track_count + count);
  uint32_t used = 0;
  if (!all) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < clip->track_count; k++) {
    all[used] = clip->tracks[k];
    if (all[used].channel == SUP_CHANNEL_WEIGHTS) {
      if (b->new_morphs) continue; /* these are part of the new tracks */
    } else {
      all[used].target = joint_of_node(b->now, b->file->found->joint_nodes[all[used].target]);
      if (all[used].target == SUP_NONE) continue;
    }
    used++;
  }
  for (uint32_t k = 0; k < count; k++) all[used++] = tracks[k];
  const SupClip whole = {clip->name, clip->duration, used, all};
  return sup_gltf_put_clip(b->file->document, b->now, &whole, error);
}

/* ---- Helpers -------------------------------------------------------------------------------- */

static bool name_taken(const SupSkeleton *skeleton, const char *name) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (strcmp(skeleton->names[j], name) == 0) return true;
  }
  return false;
}

static SupResult add_joints(BakeAs *b, const SupBakedHelpers *baked, uint32_t *nodes,
                            SupError *error) {
  SupGltfJoint *joints = SUP_ALLOC(b->app->arena, SupGltfJoint, baked->helper_count);
  uint32_t number = 1;
  if (!joints) return sup_fail_memory(error, NULL);
  for (uint32_t h = 0; h < baked->helper_count; h++) {
    char name[32];
    const char *given = baked->helpers[h].name;
    while (!given) {
      snprintf(name, sizeof name, SUP_BAKED_JOINT "%02u", number++);
      if (!name_taken(&b->file->character->skeleton, name)) break;
    }
    joints[h] = (SupGltfJoint){given ? given : sup_arena_string(b->app->arena, name, strlen(name)),
                               baked->helpers[h].parent, baked->helpers[h].rest,
                               baked->helpers[h].inverse_bind};
    if (!joints[h].name) return sup_fail_memory(error, NULL);
  }
  return sup_gltf_add_joints(b->file->document, b->file->found, baked->helper_count, joints, nodes,
                             error);
}

static SupResult put_skin(BakeAs *b, const SupBakedHelpers *baked, const uint32_t *nodes,
                          SupError *error) {
  const uint32_t old = b->file->character->skeleton.bone_count;
  const SupSkeleton *skeleton = &b->now->character.skeleton;
  uint32_t *bones =
      SUP_ALLOC(b->app->arena, uint32_t, baked->skin.offsets[baked->skin.vertex_count]);
  if (!bones) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < baked->skin.offsets[baked->skin.vertex_count]; k++) {
    const uint32_t bone = baked->skin.bones[k];
    bones[k] = SUP_NONE;
    if (bone < old) {
      bones[k] = same_bone(b, bone);
    } else {
      const uint32_t joint = joint_of_node(b->now, nodes[bone - old]);
      for (uint32_t i = 0; i < skeleton->bone_count && bones[k] == SUP_NONE; i++) {
        if (skeleton->bone_joints[i] == joint) bones[k] = i;
      }
    }
  }
  SupSkin skin = baked->skin;
  skin.bones = bones;
  return sup_gltf_put_skin(b->file->document, b->now, &skin, error);
}

SupResult sup_add_helpers(const SupAppContext *app, const SupCharacterFile *file, uint32_t count,
                          const SupBakedHelper *helpers, SupSkin skin,
                          const SupGltfCharacter **out_now, uint32_t *out_map, SupError *error) {
  BakeAs b = {.app = app, .file = file, .now = file->found};
  const SupBakedHelpers baked = {.helper_count = count, .helpers = helpers, .skin = skin};
  const uint32_t joints = file->character->skeleton.joint_count;
  uint32_t *nodes = SUP_ALLOC(app->arena, uint32_t, count);
  if (!nodes) return sup_fail_memory(error, NULL);
  SupResult result = add_joints(&b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(&b, error);
  if (result == SUP_OK) result = sup_gltf_keep_skin(file->document, b.now, error);
  if (result == SUP_OK) result = put_skin(&b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(&b, error);
  if (result != SUP_OK) return result;
  for (uint32_t j = 0; j < joints + count; j++) {
    out_map[j] = joint_of_node(b.now, j < joints ? file->found->joint_nodes[j] : nodes[j - joints]);
  }
  *out_now = b.now;
  return SUP_OK;
}

static SupResult bake_helpers(BakeAs *b, SupBakeReport *out, SupError *error) {
  const SupAppContext *app = b->app;
  SupBakeHelpersDef def = sup_bake_helpers_def(b->file->character);
  SupBakedHelpers baked;
  def.bind_to_scene = b->file->found->bind_to_scene;
  def.motion_count = b->def->motion_count;
  def.motions = b->def->motions;
  def.free_bones = b->def->free_bones;
  if (b->def->basis_frames) def.basis_frames = b->def->basis_frames;
  def.tolerance = b->def->tolerance;
  def.solver.helper_count = b->def->helper_count;
  def.solver.influences = b->def->influences;
  def.solver.jobs = app->jobs;
  uint32_t *nodes = SUP_ALLOC(app->arena, uint32_t, def.solver.helper_count);
  if (!nodes) return sup_fail_memory(error, NULL);
  const double began = sup_app_seconds();
  SupResult result = sup_bake_helpers(app->arena, &def, &baked, error);
  sup_app_timing(app, "decompose", began);
  if (result == SUP_OK) result = add_joints(b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(b, error);
  if (result == SUP_OK) result = sup_gltf_keep_skin(b->file->document, b->now, error);
  if (result == SUP_OK) result = put_skin(b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(b, error);
  for (uint32_t k = 0; k < b->def->motion_count && result == SUP_OK; k++) {
    SupTrack *tracks = SUP_COPY(app->arena, SupTrack, baked.tracks[k], baked.track_counts[k]);
    if (!tracks) return sup_fail_memory(error, NULL);
    for (uint32_t i = 0; i < baked.track_counts[k]; i++) {
      const uint32_t h = tracks[i].target - b->file->character->skeleton.joint_count;
      tracks[i].target = joint_of_node(b->now, nodes[h]);
    }
    result = put_clip(b, &b->def->motions[k], baked.track_counts[k], tracks, error);
  }
  if (result != SUP_OK) return result;
  *out = (SupBakeReport){.helper_count = baked.helper_count,
                         .sweep_count = baked.sweep_count,
                         .key_count = baked.key_count,
                         .sample_count = baked.sample_count,
                         .rmse = baked.rmse,
                         .plain_rmse = baked.plain_rmse,
                         .motion_rmse = baked.motion_rmse};
  return SUP_OK;
}

/* ---- Morph targets -------------------------------------------------------------------------- */

static SupResult add_morphs(BakeAs *b, const SupBakedMorphs *baked, SupError *error) {
  const SupRender *render = &b->file->character->render;
  SupGltfMorph *morphs = SUP_ALLOC(b->app->arena, SupGltfMorph, baked->morph_count);
  if (!morphs) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < baked->morph_count; k++) {
    char name[32];
    SupVec3 *offsets = SUP_ALLOC(b->app->arena, SupVec3, render->vertex_count);
    snprintf(name, sizeof name, SUP_BAKED_MORPH "%02u", k + 1);
    morphs[k].name = sup_arena_string(b->app->arena, name, strlen(name));
    if (!offsets || !morphs[k].name) return sup_fail_memory(error, NULL);
    sup_positions_gather(baked->offsets[k], render->to_body, render->vertex_count, offsets);
    morphs[k].offsets = offsets;
  }
  return sup_gltf_add_morphs(b->file->document, b->file->found, baked->morph_count, morphs, error);
}

/* The drivers, with the numbers that joints have now. */
static SupResult put_drivers(BakeAs *b, const SupDrivenMorphs *driven, SupError *error) {
  SupGltfDriver *drivers = SUP_ALLOC(b->app->arena, SupGltfDriver, driven->morph_count);
  if (!drivers) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < driven->morph_count; k++) {
    const SupDrivenMorph *m = &driven->morphs[k];
    char name[32];
    snprintf(name, sizeof name, SUP_BAKED_MORPH "%02u", k + 1);
    drivers[k] = (SupGltfDriver){sup_arena_string(b->app->arena, name, strlen(name)),
                                 SUP_NONE,
                                 {0, 0, 0, 1},
                                 {0, 0, 0},
                                 m->count,
                                 m->at,
                                 m->weights};
    if (!drivers[k].target) return sup_fail_memory(error, NULL);
    if (m->angle == SUP_NONE) continue;
    const SupEnvelopeAngle *angle = &driven->angles[m->angle];
    drivers[k].joint = joint_of_node(b->now, b->file->found->joint_nodes[angle->joint]);
    drivers[k].rest = angle->rest;
    drivers[k].axis = angle->axis;
  }
  return sup_gltf_put_drivers(b->file->document, b->now, driven->morph_count, drivers, error);
}

static int rising(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return x < y ? -1 : x > y;
}

/* The weights track of one mesh, whose targets are now[first ...]: its own, as the clip has them,
 * and the new ones. Keys stand where either has one; what is not linear is sampled. */
static SupResult mesh_track(BakeAs *b, const SupBakeMotion *motion, const SupTrack *baked,
                            uint32_t first, uint32_t count, SupTrack *out, SupError *error) {
  const SupCharacter *was = b->file->character;
  const uint32_t node = b->now->morph_nodes[first], own = count - b->new_morphs;
  size_t used = baked->key_count, most = used + motion->frame_count;
  uint32_t old = 0, keys = 0;
  bool sampled = false; /* once is enough, however many tracks are not linear */
  while (own && b->file->found->morph_nodes[old] != node) old++;
  for (uint32_t k = 0; k < motion->clip->track_count; k++) {
    most += motion->clip->tracks[k].key_count;
  }
  float *times = SUP_ALLOC(b->app->arena, float, most);
  float *weights = SUP_ALLOC(b->app->arena, float, was->morph_count + baked->width);
  if (!times || !weights) return sup_fail_memory(error, NULL);
  memcpy(times, baked->times, baked->key_count * sizeof *times);
  for (uint32_t k = 0; k < motion->clip->track_count && own; k++) {
    const SupTrack *track = &motion->clip->tracks[k];
    if (track->channel != SUP_CHANNEL_WEIGHTS || track->target != old) continue;
    memcpy(times + used, track->times, track->key_count * sizeof *times);
    used += track->key_count;
    if (sampled || track->interpolation == SUP_INTERPOLATE_LINEAR) continue;
    sampled = true;
    for (uint32_t t = 0; t < motion->frame_count; t++) times[used++] = (float)(t / motion->fps);
  }
  qsort(times, used, sizeof *times, rising);
  for (size_t k = 0; k < used; k++) {
    if (k == 0 || times[k] > times[keys - 1]) times[keys++] = times[k];
  }
  float *values = SUP_ALLOC(b->app->arena, float, (size_t)keys *count);
  if (!values) return sup_fail_memory(error, NULL);
  const SupClip alone = {.duration = motion->clip->duration, .track_count = 1, .tracks = baked};
  SupPose nobody = {0};
  for (uint32_t k = 0; k < keys; k++) {
    for (uint32_t m = 0; m < was->morph_count; m++) weights[m] = was->morphs[m].weight;
    sup_clip_sample(motion->clip, times[k], false, NULL, &nobody, weights);
    memcpy(values + (size_t)k * count, weights + old, own * sizeof *values);
    sup_clip_sample(&alone, times[k], false, NULL, &nobody, weights);
    memcpy(values + (size_t)k * count + own, weights, baked->width * sizeof *values);
  }
  *out = *baked;
  out->target = first;
  out->width = count;
  out->key_count = keys;
  out->times = times;
  out->values = values;
  return SUP_OK;
}

/* Targets and weights: of the frames, or of angles. */
static SupResult find_morphs(BakeAs *b, SupBakedMorphs *out, SupDrivenMorphs *out_driven,
                             SupError *error) {
  const SupAppContext *app = b->app;
  SupBakeMorphsDef def = sup_bake_morphs_def(b->file->character);
  def.motion_count = b->def->motion_count;
  def.motions = b->def->motions;
  def.tolerance = b->def->tolerance;
  def.morph_count = b->def->morph_count;
  def.jobs = app->jobs;
  const double began = sup_app_seconds();
  SupResult result;
  if (b->def->driven) {
    SupDriveDef drive = sup_drive_def(b->file->character, b->def->driven);
    drive.morph_count = b->def->morph_count;
    drive.jobs = app->jobs;
    result = sup_drive_morphs(app->arena, &drive, out_driven, error);
    if (result == SUP_OK) result = sup_bake_driven(app->arena, &def, out_driven, out, error);
  } else {
    result = sup_bake_morphs(app->arena, &def, out, error);
  }
  sup_app_timing(app, "components", began);
  return result;
}

static SupResult bake_morphs(BakeAs *b, SupBakeReport *out, SupError *error) {
  const SupAppContext *app = b->app;
  SupBakedMorphs baked;
  SupDrivenMorphs driven;
  SupResult result = find_morphs(b, &baked, &driven, error);
  if (result == SUP_OK) result = add_morphs(b, &baked, error);
  if (result == SUP_OK) b->new_morphs = baked.morph_count;
  if (result == SUP_OK) result = read_again(b, error);
  for (uint32_t k = 0; k < b->def->motion_count && result == SUP_OK; k++) {
    const SupCharacter *now = &b->now->character;
    SupTrack *tracks = SUP_ALLOC(app->arena, SupTrack, now->morph_count);
    uint32_t count = 0;
    if (!tracks) return sup_fail_memory(error, NULL);
    /* One track for every mesh node. */
    for (uint32_t m = 0, end; m < now->morph_count && result == SUP_OK; m = end) {
      for (end = m; end < now->morph_count; end++) {
        if (b->now->morph_nodes[end] != b->now->morph_nodes[m]) break;
      }
      result =
          mesh_track(b, &b->def->motions[k], &baked.tracks[k], m, end - m, &tracks[count++], error);
    }
    if (result != SUP_OK) return result;
    result = put_clip(b, &b->def->motions[k], count, tracks, error);
  }
  if (result == SUP_OK && b->def->driven) result = put_drivers(b, &driven, error);
  if (result != SUP_OK) return result;
  *out = (SupBakeReport){.morph_count = baked.morph_count,
                         .key_count = baked.key_count,
                         .sample_count = baked.sample_count,
                         .rmse = baked.rmse,
                         .plain_rmse = baked.plain_rmse,
                         .motion_rmse = baked.motion_rmse};
  return SUP_OK;
}

SupBakeCharacterDef sup_bake_character_def(void) {
  return (SupBakeCharacterDef){
      .cookie = COOKIE, .helper_count = 16, .influences = 4, .morph_count = 16};
}

SupResult sup_bake_character(const SupAppContext *app, const SupCharacterFile *file,
                             const SupBakeCharacterDef *def, const char *path,
                             SupBakeReport *out_report, SupError *error) {
  BakeAs b = {.app = app, .file = file, .now = file->found, .def = def};
  if (def->cookie != COOKIE) {
    return sup_fail(error, SUP_ERROR_ARGUMENT, "bake: start from sup_bake_character_def()");
  }
  /* Without the models that made the motion: they would move it twice. */
  SupResult result = sup_gltf_put_models(file->document, file->found, 0, NULL, error);
  if (result == SUP_OK) {
    result =
        def->as_morphs ? bake_morphs(&b, out_report, error) : bake_helpers(&b, out_report, error);
  }
  if (result == SUP_OK) result = sup_gltf_save(file->document, path, SUP_GLTF_BY_NAME, error);
  return result;
}
