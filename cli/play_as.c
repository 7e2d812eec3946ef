/* SPDX-License-Identifier: MIT */
/* Baked motion put into a document. */
#include "play_as.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats.h"

const char *const cli_as_names[] = {"cache", "helpers", "morphs", NULL};

typedef struct BakeAs {
  CliContext *cli;
  const CliActor *actor;
  const SupGltfCharacter *now; /* as the document has it at present */
  uint32_t count;
  const SupBakeMotion *motions;
  bool free_bones;
  uint32_t basis_frames;
  uint32_t new_morphs; /* targets that every mesh has got */
} BakeAs;

/* Reads the character again after the document was edited. */
static SupResult read_again(BakeAs *b, SupError *error) {
  SupGltfCharacter *characters;
  uint32_t count;
  SupResult result =
      sup_gltf_characters(b->actor->document, b->cli->arena, &count, &characters, error);
  if (result != SUP_OK) return result;
  for (uint32_t k = 0; k < count; k++) {
    if (characters[k].skins[0] == b->actor->found->skins[0]) b->now = &characters[k];
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
  const SupSkeleton *was = &b->actor->character->skeleton, *is = &b->now->character.skeleton;
  const uint32_t node = b->actor->found->joint_nodes[was->bone_joints[bone]];
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
  SupTrack *all = SUP_ALLOC(b->cli->arena, SupTrack, (size_t)clip->track_count + count);
  uint32_t used = 0;
  if (!all) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < clip->track_count; k++) {
    all[used] = clip->tracks[k];
    if (all[used].channel == SUP_CHANNEL_WEIGHTS) {
      if (b->new_morphs) continue; /* these are part of the new tracks */
    } else {
      all[used].target = joint_of_node(b->now, b->actor->found->joint_nodes[all[used].target]);
      if (all[used].target == SUP_NONE) continue;
    }
    used++;
  }
  for (uint32_t k = 0; k < count; k++) all[used++] = tracks[k];
  const SupClip whole = {clip->name, clip->duration, used, all};
  return sup_gltf_put_clip(b->actor->document, b->now, &whole, error);
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
  SupGltfJoint *joints = SUP_ALLOC(b->cli->arena, SupGltfJoint, baked->helper_count);
  uint32_t number = 1;
  if (!joints) return sup_fail_memory(error, NULL);
  for (uint32_t h = 0; h < baked->helper_count; h++) {
    char name[32];
    do {
      snprintf(name, sizeof name, "helper_%02u", number++);
    } while (name_taken(&b->actor->character->skeleton, name));
    joints[h] = (SupGltfJoint){sup_arena_string(b->cli->arena, name, strlen(name)),
                               baked->helpers[h].parent, baked->helpers[h].rest,
                               baked->helpers[h].inverse_bind};
    if (!joints[h].name) return sup_fail_memory(error, NULL);
  }
  return sup_gltf_add_joints(b->actor->document, b->actor->found, baked->helper_count, joints,
                             nodes, error);
}

static SupResult put_skin(BakeAs *b, const SupBakedHelpers *baked, const uint32_t *nodes,
                          SupError *error) {
  const uint32_t old = b->actor->character->skeleton.bone_count;
  const SupSkeleton *skeleton = &b->now->character.skeleton;
  uint32_t *bones =
      SUP_ALLOC(b->cli->arena, uint32_t, baked->skin.offsets[baked->skin.vertex_count]);
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
  return sup_gltf_put_skin(b->actor->document, b->now, &skin, error);
}

SupResult cli_add_helpers(CliContext *cli, const CliActor *actor, uint32_t count,
                          const SupBakedHelper *helpers, SupSkin skin,
                          const SupGltfCharacter **out_now, uint32_t *out_map, SupError *error) {
  BakeAs b = {.cli = cli, .actor = actor, .now = actor->found};
  const SupBakedHelpers baked = {.helper_count = count, .helpers = helpers, .skin = skin};
  const uint32_t joints = actor->character->skeleton.joint_count;
  uint32_t *nodes = SUP_ALLOC(cli->arena, uint32_t, count);
  if (!nodes) return sup_fail_memory(error, NULL);
  SupResult result = add_joints(&b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(&b, error);
  if (result == SUP_OK) result = put_skin(&b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(&b, error);
  if (result != SUP_OK) return result;
  for (uint32_t j = 0; j < joints + count; j++) {
    out_map[j] =
        joint_of_node(b.now, j < joints ? actor->found->joint_nodes[j] : nodes[j - joints]);
  }
  *out_now = b.now;
  return SUP_OK;
}

static void report_error(const BakeAs *b, double rmse, double plain, const double *each,
                         uint32_t keys, uint32_t samples) {
  CliReport *report = b->cli->report;
  cli_report_number(report, "rmse", rmse);
  cli_report_number(report, "plain_rmse", plain);
  cli_report_integer(report, "keys", keys);
  cli_report_integer(report, "samples", samples);
  cli_report_begin_array(report, "clips");
  for (uint32_t k = 0; k < b->count; k++) {
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "clip", b->motions[k].clip->name);
    cli_report_integer(report, "frames", b->motions[k].frame_count);
    cli_report_number(report, "rmse", each[k]);
    cli_report_end(report);
  }
  cli_report_end(report);
  cli_say(b->cli, "  RMS error %.2f mm (plain skinning: %.2f mm)\n", 1e3 * rmse, 1e3 * plain);
}

static SupResult bake_helpers(BakeAs *b, SupError *error) {
  CliContext *cli = b->cli;
  SupBakeHelpersDef def = sup_bake_helpers_def(b->actor->character);
  SupBakedHelpers baked;
  def.bind_to_scene = b->actor->found->bind_to_scene;
  def.motion_count = b->count;
  def.motions = b->motions;
  def.free_bones = b->free_bones;
  if (b->basis_frames) def.basis_frames = b->basis_frames;
  def.tolerance = cli_number(cli->arguments, "tolerance");
  if (cli_count(cli->arguments, "bones")) {
    def.solver.helper_count = (uint32_t)cli_integer(cli->arguments, "bones");
  } else {
    def.solver.helper_count = CLI_BAKED_BONES;
  }
  def.solver.influences = (uint32_t)cli_integer(cli->arguments, "influences");
  def.solver.jobs = cli->jobs;
  uint32_t *nodes = SUP_ALLOC(cli->arena, uint32_t, def.solver.helper_count);
  if (!nodes) return sup_fail_memory(error, NULL);
  const double began = cli_seconds();
  SupResult result = sup_bake_helpers(cli->arena, &def, &baked, error);
  cli_timing(cli, "decompose", began);
  if (result == SUP_OK) result = add_joints(b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(b, error);
  if (result == SUP_OK) result = put_skin(b, &baked, nodes, error);
  if (result == SUP_OK) result = read_again(b, error);
  for (uint32_t k = 0; k < b->count && result == SUP_OK; k++) {
    SupTrack *tracks = SUP_COPY(cli->arena, SupTrack, baked.tracks[k], baked.track_counts[k]);
    if (!tracks) return sup_fail_memory(error, NULL);
    for (uint32_t i = 0; i < baked.track_counts[k]; i++) {
      const uint32_t h = tracks[i].target - b->actor->character->skeleton.joint_count;
      tracks[i].target = joint_of_node(b->now, nodes[h]);
    }
    result = put_clip(b, &b->motions[k], baked.track_counts[k], tracks, error);
  }
  if (result != SUP_OK) return result;
  cli_say(cli, "%u helper joints, %u keys of %u samples\n", baked.helper_count, baked.key_count,
          baked.sample_count);
  cli_report_integer(cli->report, "helpers", baked.helper_count);
  cli_report_integer(cli->report, "sweeps", baked.sweep_count);
  report_error(b, baked.rmse, baked.plain_rmse, baked.motion_rmse, baked.key_count,
               baked.sample_count);
  return SUP_OK;
}

/* ---- Morph targets -------------------------------------------------------------------------- */

static SupResult add_morphs(BakeAs *b, const SupBakedMorphs *baked, SupError *error) {
  const SupRender *render = &b->actor->character->render;
  SupGltfMorph *morphs = SUP_ALLOC(b->cli->arena, SupGltfMorph, baked->morph_count);
  if (!morphs) return sup_fail_memory(error, NULL);
  for (uint32_t k = 0; k < baked->morph_count; k++) {
    char name[32];
    SupVec3 *offsets = SUP_ALLOC(b->cli->arena, SupVec3, render->vertex_count);
    snprintf(name, sizeof name, "flesh_%02u", k + 1);
    morphs[k].name = sup_arena_string(b->cli->arena, name, strlen(name));
    if (!offsets || !morphs[k].name) return sup_fail_memory(error, NULL);
    sup_positions_gather(baked->offsets[k], render->to_body, render->vertex_count, offsets);
    morphs[k].offsets = offsets;
  }
  return sup_gltf_add_morphs(b->actor->document, b->actor->found, baked->morph_count, morphs,
                             error);
}

static int rising(const void *a, const void *b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return x < y ? -1 : x > y;
}

/* The weights track of one mesh, whose targets are now[first ...]: its own, as the clip has them,
 * and the new ones. Keys stand where either has one; what is not linear is sampled. */
static SupResult mesh_track(BakeAs *b, const SupBakeMotion *motion, const SupTrack *baked,
                            uint32_t first, uint32_t count, SupTrack *out, SupError *error) {
  const SupCharacter *was = b->actor->character;
  const uint32_t node = b->now->morph_nodes[first], own = count - b->new_morphs;
  size_t used = baked->key_count, most = used + motion->frame_count;
  uint32_t old = 0, keys = 0;
  bool sampled = false; /* once is enough, however many tracks are not linear */
  while (own && b->actor->found->morph_nodes[old] != node) old++;
  for (uint32_t k = 0; k < motion->clip->track_count; k++) {
    most += motion->clip->tracks[k].key_count;
  }
  float *times = SUP_ALLOC(b->cli->arena, float, most);
  float *weights = SUP_ALLOC(b->cli->arena, float, was->morph_count + baked->width);
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
  float *values = SUP_ALLOC(b->cli->arena, float, (size_t)keys *count);
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

static SupResult bake_morphs(BakeAs *b, SupError *error) {
  CliContext *cli = b->cli;
  SupBakeMorphsDef def = sup_bake_morphs_def(b->actor->character);
  SupBakedMorphs baked;
  def.motion_count = b->count;
  def.motions = b->motions;
  def.tolerance = cli_number(cli->arguments, "tolerance");
  def.morph_count = (uint32_t)cli_integer(cli->arguments, "targets");
  def.jobs = cli->jobs;
  const double began = cli_seconds();
  SupResult result = sup_bake_morphs(cli->arena, &def, &baked, error);
  cli_timing(cli, "components", began);
  if (result == SUP_OK) result = add_morphs(b, &baked, error);
  if (result == SUP_OK) b->new_morphs = baked.morph_count;
  if (result == SUP_OK) result = read_again(b, error);
  for (uint32_t k = 0; k < b->count && result == SUP_OK; k++) {
    const SupCharacter *now = &b->now->character;
    SupTrack *tracks = SUP_ALLOC(cli->arena, SupTrack, now->morph_count);
    uint32_t count = 0;
    if (!tracks) return sup_fail_memory(error, NULL);
    /* One track for every mesh node. */
    for (uint32_t m = 0, end; m < now->morph_count && result == SUP_OK; m = end) {
      for (end = m; end < now->morph_count; end++) {
        if (b->now->morph_nodes[end] != b->now->morph_nodes[m]) break;
      }
      result = mesh_track(b, &b->motions[k], &baked.tracks[k], m, end - m, &tracks[count++], error);
    }
    if (result != SUP_OK) return result;
    result = put_clip(b, &b->motions[k], count, tracks, error);
  }
  if (result != SUP_OK) return result;
  cli_say(cli, "%u morph targets, %u keys of %u samples\n", baked.morph_count, baked.key_count,
          baked.sample_count);
  cli_report_integer(cli->report, "targets", baked.morph_count);
  report_error(b, baked.rmse, baked.plain_rmse, baked.motion_rmse, baked.key_count,
               baked.sample_count);
  return SUP_OK;
}

SupResult cli_bake_as(CliContext *cli, const CliActor *actor, const CliBake *bake, const char *path,
                      SupError *error) {
  BakeAs b = {.cli = cli,
              .actor = actor,
              .now = actor->found,
              .count = bake->count,
              .motions = bake->motions,
              .free_bones = bake->free_bones,
              .basis_frames = bake->basis_frames};
  CliFormat format;
  SupResult result = cli_format(path, &format, error);
  if (result != SUP_OK) return result;
  if (format != CLI_FORMAT_GLTF) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "%s: helpers and morph targets go into a .glb or .gltf; give the output such a "
                    "name",
                    path);
  }
  /* Without the models that made the motion: they would move it twice. */
  result = sup_gltf_put_models(actor->document, actor->found, 0, NULL, error);
  if (result == SUP_OK) {
    result = bake->as == CLI_AS_HELPERS ? bake_helpers(&b, error) : bake_morphs(&b, error);
  }
  if (result == SUP_OK) result = sup_gltf_save(actor->document, path, SUP_GLTF_BY_NAME, error);
  if (result == SUP_OK) cli_say(cli, "%s: plays in any engine\n", path);
  return result;
}
