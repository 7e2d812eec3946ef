/* SPDX-License-Identifier: MIT */
/* The simulator as the teacher of learning. */
#include "app/learn_teacher.h"

#include <math.h>

#include "supple/quantity.h"

static SupTransformd to_double(SupTransform t) {
  return (SupTransformd){sup_vec3_to_double(t.translation),
                         {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
                         sup_vec3_to_double(t.scale)};
}

static void pose_at(SupLearnTeacher *teacher, double time) {
  const SupSkeleton *skeleton = &teacher->character->skeleton;
  sup_pose_rest_f64(skeleton, &teacher->pose);
  if (teacher->clip) {
    sup_clip_sample_f64(teacher->clip, fmax(time, 0), false, NULL, &teacher->pose, NULL);
  } else {
    const double whole = fmin(fmax(rint(time), 0), (double)teacher->pose_count - 1);
    const SupTransform *joints = teacher->poses + (size_t)whole * skeleton->joint_count;
    for (uint32_t j = 0; j < skeleton->joint_count; j++)
      teacher->pose.joints[j] = to_double(joints[j]);
  }
}

static void take_palette(SupLearnTeacher *teacher, SupAffined *out_palette) {
  const SupSkeleton *skeleton = &teacher->character->skeleton;
  sup_pose_evaluate_f64(skeleton, &teacher->pose, teacher->globals, out_palette);
}

static void palette_at(void *user, double time, SupAffined *out_palette) {
  pose_at(user, time);
  take_palette(user, out_palette);
}

/* From the rest pose at 0 to where the motion starts at 1. */
static void palette_towards(void *user, double fraction, SupAffined *out_palette) {
  SupLearnTeacher *teacher = user;
  pose_at(teacher, 0);
  sup_pose_rest_f64(&teacher->character->skeleton, &teacher->other);
  sup_pose_blend_f64(&teacher->other, &teacher->pose, fraction, NULL, &teacher->pose);
  take_palette(teacher, out_palette);
}

/* A body that stands still and one that moves; the second takes the volume of the first. */
static SupResult open_sim(SupLearnTeacher *teacher, bool still, SupSim **io_sim, SupError *error) {
  SupSimDef def = teacher->def;
  SupSimReport report;
  if (*io_sim) return SUP_OK;
  def.integrator = still ? SUP_INTEGRATE_STATIC : SUP_INTEGRATE_BDF2;
  const SupSim *other = still ? teacher->moving : teacher->still;
  if (other) def.volume = sup_sim_volume(other);
  SupResult result = sup_sim_create(&def, io_sim, &report, error);
  if (result == SUP_OK && !other) {
    sup_app_note(teacher->app, "body: %s of flesh in %s tetrahedra, held by %u of %u bones\n",
                 sup_mass_text(report.mass).text, sup_count_text(report.tet_count).text,
                 report.attach.bone_count, report.attach.weighted_count);
    if (report.attach.thin_area >= 0.005) {
      sup_app_note(teacher->app,
                   "%.0f %% of the skin is too thin for them and follows its bones (see --tets)\n",
                   100 * report.attach.thin_area);
    }
  }
  return result;
}

static SupResult run(SupLearnTeacher *teacher, SupSim *sim, const char *name, double step,
                     uint32_t count, SupVec3 *out, SupError *error) {
  const size_t vertices = teacher->character->body.vertex_count;
  SupResult result = sup_sim_settle(sim, palette_at, palette_towards, teacher, 0, error);
  for (uint32_t i = 0; i < count && result == SUP_OK; i++) {
    SupSimFrame frame;
    if (i > 0) {
      result = sup_sim_advance(sim, palette_at, teacher, step * (i - 1), step, &frame, error);
    }
    if (result == SUP_OK) sup_sim_skin(sim, out + i * vertices);
    sup_app_progress(teacher->app, name, i + 1, count);
  }
  if (result != SUP_OK) sup_error_prefix(error, "%s", name);
  return result;
}

static SupResult teach_poses(void *user, const SupTransform *joints, uint32_t count,
                             SupVec3 *out_positions, SupError *error) {
  SupLearnTeacher *teacher = user;
  const double began = sup_app_seconds();
  teacher->clip = NULL;
  teacher->poses = joints;
  teacher->pose_count = count;
  SupResult result = open_sim(teacher, true, &teacher->still, error);
  if (result == SUP_OK) {
    result = run(teacher, teacher->still, "poses", 1, count, out_positions, error);
  }
  if (result == SUP_OK) {
    sup_app_note(teacher->app, "simulated %u poses in %.1f s\n", count, sup_app_seconds() - began);
  }
  return result;
}

static SupResult teach_motion(void *user, const SupClip *clip, float fps, uint32_t frame_count,
                              SupVec3 *out_positions, SupError *error) {
  SupLearnTeacher *teacher = user;
  const double began = sup_app_seconds();
  teacher->clip = clip;
  SupResult result = open_sim(teacher, false, &teacher->moving, error);
  if (result == SUP_OK) {
    result = run(teacher, teacher->moving, clip->name, 1 / (double)fps, frame_count, out_positions,
                 error);
  }
  if (result == SUP_OK) {
    sup_app_note(teacher->app, "simulated %s, %u frames, in %.1f s\n",
                 sup_app_shown(teacher->app, clip->name), frame_count, sup_app_seconds() - began);
  }
  return result;
}

SupResult sup_learn_teacher_prepare(SupLearnTeacher *teacher, SupTeacher *out, SupError *error) {
  const uint32_t joints = teacher->character->skeleton.joint_count;
  teacher->pose.joint_count = joints;
  teacher->pose.joints = SUP_ALLOC(teacher->app->arena, SupTransformd, joints);
  teacher->other.joint_count = joints;
  teacher->other.joints = SUP_ALLOC(teacher->app->arena, SupTransformd, joints);
  teacher->globals = SUP_ALLOC(teacher->app->arena, SupAffined, joints);
  if (!teacher->pose.joints || !teacher->other.joints || !teacher->globals)
    return sup_fail_memory(error, NULL);
  *out = (SupTeacher){teach_poses, teach_motion, teacher};
  return SUP_OK;
}

void sup_learn_teacher_free(SupLearnTeacher *teacher) {
  sup_sim_free(teacher->still);
  sup_sim_free(teacher->moving);
}
