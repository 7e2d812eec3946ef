/* SPDX-License-Identifier: MIT */
/* Between the parameters of a character's rig and what clips hold: poses and morph weights. */
#include "rig/character_parts.h"

uint32_t sup_character_rig_joint_count(const SupCharacterRig *rig) {
  return rig->joints.skeleton.joint_count;
}

const SupSkeleton *sup_character_rig_skeleton(const SupCharacterRig *rig) {
  return &rig->joints.skeleton;
}

const SupSkin *sup_character_rig_skin(const SupCharacterRig *rig) { return &rig->joints.skin; }

/* Of the rotation from rest to `local` the vector nearest to the one that `channels` have. */
static SupVec3d rotation_from_rest(const SupCharacterRig *rig, uint32_t joint,
                                   const SupTransformd *local, const double *channels) {
  const uint32_t at = sup_rig_joint_channel(rig, joint, SUP_RIG_JOINT_ROTATION, 0);
  const SupVec3d before = {channels[at], channels[at + 1], channels[at + 2]};
  const SupQuatd rest =
      sup_quatd_normalise(sup_quat_to_double(rig->joints.skeleton.rest[joint].rotation));
  const SupQuatd turn = sup_quatd_mul(sup_quatd_conjugate(rest), local->rotation);
  return sup_quatd_log_near(sup_quatd_normalise(turn), before);
}

static double axis_of(SupVec3d x, uint32_t axis) { return axis == 0 ? x.x : axis == 1 ? x.y : x.z; }

/* The value that a joint's channel has in a pose. */
static double posed_channel(const SupCharacterRig *rig, const SupPosed *pose, uint32_t channel,
                            const double *channels) {
  const uint32_t from = channel - rig->joints.first_channel;
  const uint32_t joint = from / SUP_RIG_JOINT_CHANNELS, axis = from % 3;
  const SupTransform *rest = &rig->joints.skeleton.rest[joint];
  if (joint >= pose->joint_count) return rig->neutral[channel];
  const SupTransformd *local = &pose->joints[joint];
  switch (from % SUP_RIG_JOINT_CHANNELS / 3) {
    case 0:
      return axis_of(sup_vec3d_sub(local->translation, sup_vec3_to_double(rest->translation)),
                     axis);
    case 1: return axis_of(rotation_from_rest(rig, joint, local, channels), axis);
    case 3: {
      const double at_rest = axis_of(sup_vec3_to_double(rest->scale), axis);
      return at_rest != 0 ? axis_of(local->scale, axis) / at_rest : 1;
    }
    default: return rig->neutral[channel]; /* a clip has no turns */
  }
}

/* Sets the parameters of a role to what the channels that they drive have in a pose. */
static void read_pose(const SupCharacterRig *rig, SupRigRole role, const SupPosed *pose,
                      const double *weights, double *io_parameters) {
  double *channels = rig->slots[0].channels;
  const uint32_t joints_end =
      rig->joints.first_channel + SUP_RIG_JOINT_CHANNELS * rig->joints.skeleton.joint_count;
  const uint32_t morphs_end = rig->morphs.first_channel + rig->morphs.morph_count;
  sup_rig_channels(rig, io_parameters, channels);
  for (uint32_t k = 0; k < rig->rig.parameter_count; k++) {
    const SupRigParameter *p = &rig->parameters[k];
    const SupRigDrive *drive = &rig->drives[rig->first_drives[k]];
    if (p->role != role) continue;
    double value;
    if (drive->channel < joints_end) {
      value = posed_channel(rig, pose, drive->channel, channels);
    } else if (drive->channel < morphs_end && weights) {
      value = weights[drive->channel - rig->morphs.first_channel];
    } else {
      continue;
    }
    io_parameters[k] = p->rest + (value - rig->neutral[drive->channel]) / drive->factor;
  }
}

void sup_character_rig_script(const SupCharacterRig *rig, const SupPosed *pose,
                              const double *weights, double *io_parameters) {
  read_pose(rig, SUP_RIG_SCRIPTED, pose, weights, io_parameters);
}

void sup_character_rig_keyed(const SupCharacterRig *rig, const SupPosed *pose,
                             const double *weights, double *io_parameters) {
  read_pose(rig, SUP_RIG_FREE, pose, weights, io_parameters);
}

void sup_character_rig_pose(const SupCharacterRig *rig, const double *parameters,
                            SupTransformd *out_joints, double *out_weights) {
  double *channels = rig->slots[0].channels;
  sup_rig_channels(rig, parameters, channels);
  for (uint32_t j = 0; j < rig->joints.skeleton.joint_count; j++) {
    out_joints[j] = sup_rig_joint_local(&rig->joints, j, channels);
  }
  for (uint32_t m = 0; out_weights && m < rig->morphs.morph_count; m++) {
    out_weights[m] = channels[rig->morphs.first_channel + m];
  }
}

uint32_t sup_character_rig_lattice_column(const SupCharacterRig *rig, uint32_t layer,
                                          uint32_t column, uint32_t out_point[4],
                                          SupVec3d *out_offsets) {
  const SupRigBoundLayer *bound = &rig->layers[layer];
  const SupRigLattice *lattice = &bound->lattice;
  if (bound->def->kind != SUP_RIG_LATTICE || bound->def->after_skinning) return 0;
  const uint32_t count = 3 * lattice->driven_count;
  if (column >= count) return count;
  const uint32_t which = column / 3, axis = column % 3, n = lattice->driven[which];
  if (out_point) {
    const uint32_t row = n / bound->def->points[0];
    out_point[0] = n % bound->def->points[0];
    out_point[1] = row % bound->def->points[1];
    out_point[2] = row / bound->def->points[1];
    out_point[3] = axis;
  }
  if (!out_offsets) return count;
  for (uint32_t v = 0; v < rig->rig.vertex_count; v++) out_offsets[v] = (SupVec3d){0, 0, 0};
  for (uint32_t i = 0; i < lattice->bound_count; i++) {
    const double w = lattice->weights[(size_t)i * lattice->driven_count + which];
    out_offsets[lattice->bound[i]] =
        (SupVec3d){axis == 0 ? w : 0, axis == 1 ? w : 0, axis == 2 ? w : 0};
  }
  return count;
}
