/* SPDX-License-Identifier: MIT */
/*
 * The check of an envelope model. Every index and number that a step would trust is looked at; the
 * limits are such that what they can make together is finite, the cross products of normals
 * excepted, for which the step has a guard.
 */
#include "runtime/envelope/envelope_sections.h"
#include "runtime/sewn/sewn_checks.h"

#define MOST_LENGTH 1e9f      /* of points, offsets, fields */
#define MOST_WEIGHT 16.0f     /* polygon coordinates, spread */
#define MOST_TABLE 1e6f       /* numbers of tables */
#define MOST_NEAR 1e6f        /* 1 / sigma */
#define MOST_CARDINAL 1e15    /* factors of cardinal functions */
#define MOST_BORDER 65535u    /* points on the border of one patch */
#define MOST_INSIDE 16777216u /* points inside one patch */

static SupResult bad(SupError *error, const char *what) {
  return sup_fail(error, SUP_ERROR_FORMAT, "the model's envelope is damaged (%s): build it again",
                  what);
}

/* ---- Angles and blends ------------------------------------------------------------------------
 */

static bool cardinal_sensible(const double *values, uint64_t count) {
  for (uint64_t i = 0; i < count; i++) {
    if (!(values[i] >= -MOST_CARDINAL && values[i] <= MOST_CARDINAL)) return false;
  }
  return true;
}

/* Blends lie one behind the other in their sections and fill them. */
static bool blends_fit(const SupEnvelopeView *view, const EnvelopeSections *n) {
  uint64_t angles = 0, centres = 0, cardinal = 0;
  for (uint32_t b = 0; b < view->blend_count; b++) {
    const SupEnvelopeMix *mix = &view->blends[b];
    if (mix->angle_count > SUP_ENVELOPE_BLEND_ANGLES || mix->centre_count == 0 ||
        mix->centre_count > view->shape_count || mix->first_angle != angles ||
        mix->first_centre != centres || mix->first_cardinal != cardinal ||
        !sup_within(mix->inverse_sigma, -MOST_NEAR, MOST_NEAR)) {
      return false;
    }
    angles += mix->angle_count;
    centres += (uint64_t)mix->centre_count * mix->angle_count;
    cardinal += (uint64_t)mix->centre_count * (mix->centre_count + 1);
    const uint32_t *shapes = view->shape_centres + (size_t)b * view->shape_count;
    if (!sup_all_below(shapes, view->shape_count, mix->centre_count)) return false;
  }
  return n->blend_angles == angles && n->centres == centres && n->cardinal == cardinal;
}

static bool blends_sensible(const SupEnvelopeView *view, const EnvelopeSections *n) {
  const uint64_t shapes = (uint64_t)view->blend_count * view->shape_count;
  return n->blends == view->blend_count && n->shape_centres == shapes &&
         n->shape_shares == shapes && blends_fit(view, n) &&
         sup_all_below(view->blend_angles, n->blend_angles, view->angle_count) &&
         sup_all_within(view->centres, n->centres, SUP_SEWN_MOST_TURN) &&
         cardinal_sensible(view->cardinal, n->cardinal) &&
         sup_all_within(view->shape_shares, shapes, 1);
}

/* ---- The control mesh -------------------------------------------------------------------------
 */

static bool influences_sensible(const SupEnvelopeView *view, const EnvelopeSections *n) {
  const uint32_t *first = view->influence_first;
  if (n->influence_first != (uint64_t)view->control_count + 1 || first[0] != 0) return false;
  for (uint32_t c = 0; c < view->control_count; c++) {
    if (first[c + 1] <= first[c]) return false;
  }
  if (n->influences != first[view->control_count]) return false;
  for (uint64_t i = 0; i < n->influences; i++) {
    if (view->influences[i].bone >= view->skin.bone_count ||
        !sup_within(view->influences[i].weight, 0, 1)) {
      return false;
    }
  }
  return n->points == n->influences * view->shape_count &&
         sup_lengths_sensible(view->points, n->points, MOST_LENGTH);
}

static bool revisions_sensible(const SupEnvelopeView *view, const EnvelopeSections *n) {
  const uint64_t shapes = (uint64_t)view->control_count * view->shape_count;
  if (n->revisions != view->control_count || n->revision_points != shapes ||
      n->revision_angles != shapes ||
      !sup_lengths_sensible(view->revision_points, shapes, MOST_LENGTH) ||
      !sup_all_within(view->revision_angles, shapes, SUP_SEWN_MOST_TURN)) {
    return false;
  }
  for (uint32_t c = 0; c < view->control_count; c++) {
    const SupEnvelopeRevision *r = &view->revisions[c];
    if (r->bone == SUP_ENVELOPE_NONE) continue;
    if (r->bone >= view->skin.bone_count || !sup_lengths_sensible(&r->centre, 1, MOST_LENGTH) ||
        !sup_is_unit(sup_vec3_dot(r->axis, r->axis)) || r->angle >= view->angle_count ||
        !sup_within(r->strength, 0, 1) || !sup_within(r->most, 1, MOST_WEIGHT)) {
      return false;
    }
  }
  return true;
}

/* ---- What tools read --------------------------------------------------------------------------
 */

/* One name for each control vertex and each shape. */
static bool labels_sensible(const SupModel *model, const SupEnvelopeView *view) {
  uint64_t bytes, names = 0;
  const char *labels =
      (const char *)sup_model_section(model, SUP_SECTION_ENVELOPE_LABELS, 1, &bytes);
  if (!labels) return true;
  for (uint64_t k = 0; k < bytes; k++) names += labels[k] == 0;
  return names == (uint64_t)view->control_count + view->shape_count && labels[bytes - 1] == 0;
}

static bool poses_sensible(const SupModel *model, const SupEnvelopeView *view) {
  uint64_t count;
  const SupTransform *poses = (const SupTransform *)sup_model_section(
      model, SUP_SECTION_ENVELOPE_POSES, sizeof(SupTransform), &count);
  if (!poses) return true;
  if (count != (uint64_t)view->shape_count * view->joint_count) return false;
  for (uint64_t k = 0; k < count; k++) {
    const SupQuat q = poses[k].rotation;
    if (!sup_lengths_sensible(&poses[k].translation, 1, MOST_LENGTH) ||
        !sup_lengths_sensible(&poses[k].scale, 1, MOST_LENGTH) ||
        !sup_is_unit(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w)) {
      return false;
    }
  }
  return true;
}

/* ---- Patches ----------------------------------------------------------------------------------
 */

/* What the patches before one fill. */
typedef struct Filled {
  uint64_t corners, borders, blocks, values, weights, spread, fields, tables;
} Filled;

static bool residual_sensible(const SupEnvelopeView *view, const SupEnvelopeFace *f) {
  if (f->field_count > SUP_ENVELOPE_FIELDS || f->angle_count > SUP_ENVELOPE_PATCH_ANGLES ||
      (f->field_count > 0) != (f->angle_count > 0)) {
    return false;
  }
  for (uint32_t a = 0; a < SUP_ENVELOPE_PATCH_ANGLES; a++) {
    const bool used = a < f->angle_count;
    if (!used && (f->angles[a] || f->samples[a])) return false;
    if (used && (f->angles[a] >= view->angle_count || f->samples[a] < 4 ||
                 f->samples[a] > SUP_ENVELOPE_SAMPLES)) {
      return false;
    }
  }
  return true;
}

static bool face_fits(const SupEnvelopeView *view, const SupEnvelopeFace *f, Filled *io) {
  if (f->corner_count < 3 || f->corner_count > SUP_ENVELOPE_CORNERS || f->border_count < 3 ||
      f->border_count > MOST_BORDER || f->interior_count > MOST_INSIDE ||
      !residual_sensible(view, f) || f->reserved || f->first_corner != io->corners ||
      f->first_border != io->borders || f->first_block != io->blocks ||
      f->first_value != io->values || f->first_weight != io->weights ||
      f->first_spread != io->spread || f->first_field != io->fields ||
      f->first_table != io->tables) {
    return false;
  }
  const uint64_t inside = sup_envelope_blocks(f->interior_count);
  const uint64_t blocks = sup_envelope_blocks(f->border_count) + inside;
  uint64_t samples = f->field_count;
  for (uint32_t a = 0; a < f->angle_count; a++) samples *= f->samples[a];
  io->corners += f->corner_count;
  io->borders += f->border_count;
  io->blocks += blocks;
  io->values += f->field_count;
  io->weights += SUP_SKIN_BLOCK * blocks * f->corner_count;
  io->spread += SUP_SKIN_BLOCK * inside * f->border_count;
  io->fields += 3 * SUP_SKIN_BLOCK * blocks * f->field_count;
  io->tables += samples;
  return true;
}

static bool faces_fit(const SupEnvelopeView *view, const EnvelopeSections *n) {
  Filled all = {0};
  if (n->faces != view->patch_count || n->names != (uint64_t)SUP_ENVELOPE_NAME * n->faces) {
    return false;
  }
  for (uint32_t p = 0; p < view->patch_count; p++) {
    if (!face_fits(view, &view->faces[p], &all) ||
        view->names[(size_t)SUP_ENVELOPE_NAME * (p + 1) - 1] != 0) {
      return false;
    }
  }
  return n->corners == all.corners && n->borders == all.borders &&
         view->block_count == all.blocks && view->value_count == all.values &&
         n->weights == all.weights && n->offsets == 3 * SUP_SKIN_BLOCK * all.blocks &&
         n->spread == all.spread && n->fields == all.fields && n->tables == all.tables;
}

static bool strengths_sensible(const SupEnvelopeView *view, uint64_t count) {
  for (uint64_t p = 0; p < count; p++) {
    if (!sup_within(view->strengths[p], 0, SUP_ENVELOPE_STRENGTH)) return false;
  }
  return count == view->patch_count;
}

/* ---- All --------------------------------------------------------------------------------------
 */

static SupResult check_counts(const SupEnvelopeView *view, SupError *error) {
  if (view->flags != 0) {
    return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                    "the model uses features of envelopes that this build does not know: update "
                    "Supple");
  }
  if (view->shape_count == 0 || view->shape_count > SUP_ENVELOPE_SHAPES) {
    return bad(error, "number of shapes");
  }
  if (view->patch_count == 0 || view->patch_count > SUP_ENVELOPE_PATCHES) {
    return bad(error, "number of patches");
  }
  if (view->root >= view->skin.bone_count) return bad(error, "root");
  return SUP_OK;
}

SupResult sup_envelope_check(const SupModel *model, SupError *error) {
  SupResult result = sup_skin_check(model, error);
  if (result) return result;
  SupEnvelopeView view = {.skin = sup_skin_view(model)};
  EnvelopeSections n = {0};
  if (!sup_skin_is_of_mesh(model, &view.skin)) return bad(error, "skin of another mesh");
  if (!sup_envelope_sections(model, &view, &n)) return bad(error, "a section is missing");
  result = check_counts(&view, error);
  if (result) return result;
  if (n.angles != view.angle_count ||
      !sup_pose_angles_sensible(view.angles, n.angles, view.joint_count))
    return bad(error, "angles");
  if (!blends_sensible(&view, &n)) return bad(error, "blends");
  if (n.control_blends != view.control_count ||
      !sup_all_below(view.control_blends, n.control_blends, view.blend_count) ||
      !influences_sensible(&view, &n)) {
    return bad(error, "control mesh");
  }
  if (!revisions_sensible(&view, &n)) return bad(error, "revisions");
  if (!labels_sensible(model, &view)) return bad(error, "names");
  if (!poses_sensible(model, &view)) return bad(error, "poses of the shapes");
  if (n.seams != view.seam_count ||
      !sup_seams_sensible(view.seams, n.seams, view.skin.vertex_count)) {
    return bad(error, "seams");
  }
  if (!faces_fit(&view, &n) || !strengths_sensible(&view, n.strengths) ||
      !sup_all_below(view.corners, n.corners, view.control_count) ||
      !sup_all_below(view.borders, n.borders, view.seam_count)) {
    return bad(error, "patches");
  }
  if (!sup_all_within(view.weights, n.weights, MOST_WEIGHT) ||
      !sup_all_within(view.offsets, n.offsets, MOST_LENGTH) ||
      !sup_all_within(view.spread, n.spread, MOST_WEIGHT) ||
      !sup_all_within(view.fields, n.fields, MOST_LENGTH) ||
      !sup_all_within(view.tables, n.tables, MOST_TABLE)) {
    return bad(error, "numbers");
  }
  const uint64_t rows = (uint64_t)SUP_SKIN_BLOCK * view.block_count;
  if (!sup_sources_fit(&view.skin, view.sources, n.sources, rows) ||
      !sup_lanes_fit(&view.skin, view.lanes, n.lanes)) {
    return bad(error, "order");
  }
  if (!sup_one_rings_fit(&view.skin, view.ring_first, n.ring_first, view.rings, n.rings)) {
    return bad(error, "triangles");
  }
  return SUP_OK;
}
