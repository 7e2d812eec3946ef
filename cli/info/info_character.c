/* SPDX-License-Identifier: MIT */
/* The lines of `supple info` about a character. */
#include <math.h>
#include <string.h>

#include "character/cli_character.h"
#include "info/info.h"
#include "supple/author/fingerprint.h"
#include "supple/author/teaching.h"
#include "supple/author/units.h"
#include "supple/geom/topology.h"

/* Of half an angle: joints turned by more than a quarter turn are far. */
#define FAR_HALF_COSINE 0.70710678f

/* More clips (or morphs, maps) than this are summed up. */
#define LIST_MAX 12

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

static const char *or_unnamed(const char *name) { return *name ? name : "(unnamed)"; }

/* ---- Size and units ------------------------------------------------------------------------- */

/* What --units would say; NULL: no idea. */
static const char *short_name(SupUnits units) {
  if (!units.name) return NULL;
  return units.metres == 1 ? "m" : units.metres == 0.01 ? "cm" : "mm";
}

/* What is taken for what, where a unit is not a metre. */
static void note_foreign_units(Info *info, SupUnits units, double largest, bool rigged) {
  const SupQuantityText number = cli_number_text(largest);
  if (!units.name && !rigged) {
    info_note(info, "It is %s in its largest direction, if its units are metres.",
              cli_length_text(largest).text);
  } else if (!units.name) {
    info_note(info,
              "Its largest direction has %s units, no size for a character in metres: weight and "
              "stiffness are those of one of %s. Scale it in the modelling tool and export again, "
              "or say what a unit is (--units).",
              number.text, cli_length_text(SUP_USUAL_SIZE).text);
  } else if (rigged) {
    info_note(info,
              "%s units look like %s (%s) and are taken for that where weight and stiffness "
              "matter; --units says otherwise.",
              number.text, units.name, cli_length_text(largest * units.metres).text);
  } else {
    info_note(info,
              "%s units look like %s (%s). If the character it belongs to is in metres, say "
              "--units %s wherever you use it.",
              number.text, units.name, cli_length_text(largest * units.metres).text,
              short_name(units));
  }
}

static void note_units(Info *info, SupUnits units, double largest, bool rigged) {
  if (units.metres != 1) {
    note_foreign_units(info, units, largest, rigged);
  } else if (rigged && largest > 3) {
    info_note(info,
              "It is %s in its largest direction. Large things sway slowly; if it should be "
              "smaller, scale it in the modelling tool and export again, or say what a unit is "
              "(--units).",
              cli_length_text(largest).text);
  }
}

void info_size(Info *info, SupBounds bounds, bool rigged) {
  CliReport *report = info->cli->report;
  double size[3] = {(double)bounds.high.x - (double)bounds.low.x,
                    (double)bounds.high.y - (double)bounds.low.y,
                    (double)bounds.high.z - (double)bounds.low.z};
  double largest = fmax(size[0], fmax(size[1], size[2]));
  const SupUnits units = sup_units_guess(largest);
  if (units.metres == 1) {
    info_line(info, "size", "%s tall, %s wide, %s deep", cli_length_text(size[1]).text,
              cli_length_text(size[0]).text, cli_length_text(size[2]).text);
  } else {
    info_line(info, "size", "%s units tall, %s wide, %s deep", cli_number_text(size[1]).text,
              cli_number_text(size[0]).text, cli_number_text(size[2]).text);
  }
  cli_report_numbers(report, "size", size, 3);
  cli_report_text(report, "units", short_name(units));
  note_units(info, units, largest, rigged);
  if (size[2] > 3 * size[1] && size[2] > size[0]) {
    info_note(info,
              "It is much deeper than tall. If it lies on its back, it was exported with Z up: "
              "turn on +Y up when exporting%s.",
              rigged ? "" : ", or say --up-axis z");
  }
}

/* ---- Surface -------------------------------------------------------------------------------- */

static void note_surface(Info *info, const SupTopology *topology, uint32_t open_count) {
  if (open_count) {
    info_note(info,
              "%u piece%s %s open borders, like a hem or a neck under clothes. That is fine; where "
              "the inside matters, holes count as closed, so close the large ones.",
              open_count, plural(open_count), open_count == 1 ? "has" : "have");
  }
  if (topology->nonmanifold_edge_count) {
    info_note(info,
              "%s edges have three or more triangles: inner walls or doubled faces. Blender shows "
              "them with Select > All by Trait > Non Manifold; Supple cuts the surface there.",
              cli_count_text(topology->nonmanifold_edge_count).text);
  }
  if (topology->reversed_edge_count) {
    info_note(
        info,
        "%s edges lie between triangles that face opposite ways. In Blender: Mesh > Normals > "
        "Recalculate Outside.",
        cli_count_text(topology->reversed_edge_count).text);
  }
  if (topology->isolated_vertex_count) {
    info_note(info, "%s vertices belong to no triangle; they are carried along.",
              cli_count_text(topology->isolated_vertex_count).text);
  }
}

static SupResult info_surface(Info *info, const SupMesh *body, SupError *error) {
  SupTopology topology;
  cli_busy_begin(info->cli, "looking at the surface");
  SupResult result = sup_topology(info->arena, body, &topology, error);
  cli_busy_end(info->cli);
  if (result != SUP_OK) return result;
  uint32_t closed = 0;
  for (uint32_t k = 0; k < topology.component_count; k++) closed += topology.components[k].closed;
  uint32_t pieces = topology.component_count;
  if (pieces == 1) {
    info_line(info, "surface", closed ? "one closed piece" : "one piece, open: %u hole%s",
              topology.loop_count, plural(topology.loop_count));
  } else if (closed == pieces) {
    info_line(info, "surface", "%u pieces, all closed", pieces);
  } else {
    info_line(info, "surface", "%u pieces, %u closed; %u hole%s in the others", pieces, closed,
              topology.loop_count, plural(topology.loop_count));
  }
  note_surface(info, &topology, pieces - closed);
  CliReport *report = info->cli->report;
  cli_report_begin_object(report, "surface");
  cli_report_integer(report, "pieces", pieces);
  cli_report_integer(report, "pieces_closed", closed);
  cli_report_integer(report, "holes", topology.loop_count);
  cli_report_integer(report, "open_edges", topology.boundary_edge_count);
  cli_report_integer(report, "nonmanifold_edges", topology.nonmanifold_edge_count);
  cli_report_integer(report, "nonmanifold_vertices", topology.nonmanifold_vertex_count);
  cli_report_integer(report, "reversed_edges", topology.reversed_edge_count);
  cli_report_integer(report, "isolated_vertices", topology.isolated_vertex_count);
  cli_report_end(report);
  return SUP_OK;
}

/* ---- Skin ----------------------------------------------------------------------------------- */

/* Meshes whose vertices name joints that their skin does not have; the first few by name. */
static void note_joints_outside(Info *info, const SupRender *render) {
  uint32_t total = 0, meshes = 0;
  char text[256] = "";
  size_t used = 0;
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    uint32_t count = 0;
    const bool seen = p > 0 && render->parts[p - 1].node == part->node;
    for (uint32_t q = p; q < render->part_count && render->parts[q].node == part->node; q++) {
      count += render->parts[q].joints_outside;
    }
    if (seen || !count) continue;
    total += count;
    if (++meshes > 4) continue;
    const char *lead = meshes == 1 ? " vertices of " : " of ";
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%.32s", used ? ", " : "",
                             cli_count_text(count).text, lead, or_unnamed(part->name));
  }
  cli_report_integer(info->cli->report, "joints_outside", total);
  if (!total) return;
  info_note(info,
            "%s%s name a joint that their skin does not have, at weight 0. It is ignored; other "
            "tools may refuse the file.",
            text, meshes > 4 ? " and more" : "");
}

static void note_weights(Info *info, const SupCharacter *character) {
  const SupWeldReport *weld = &character->weld;
  if (weld->weights_missing) {
    info_note(info,
              "%s vertices have no weight at all and follow the first bone. Weight paint them "
              "(in Blender: Weights > Assign Automatic from Bones).",
              cli_count_text(weld->weights_missing).text);
  }
  if (weld->weights_normalised) {
    info_note(info,
              "%s vertices have weights that do not add up to 1. They are brought to 1, as other "
              "viewers do.",
              cli_count_text(weld->weights_normalised).text);
  }
  if (weld->weights_averaged) {
    info_note(info,
              "%s vertices lie on a seam whose sides have different weights, so the seam would "
              "open in motion. Flesh uses their mean.",
              cli_count_text(weld->weights_averaged).text);
  }
  if (character->skin.influence_max > 4) {
    info_note(info,
              "Some vertices have %u bones. Supple uses all of them; many engines use four and "
              "look different.",
              character->skin.influence_max);
  }
}

static void note_weld(Info *info, const SupWeldReport *weld) {
  uint32_t dropped = weld->triangles_degenerate + weld->triangles_duplicate;
  if (dropped) {
    info_note(info,
              "%s triangles without area and %s doubled ones are left out of the body (the file "
              "keeps them). In Blender: Mesh > Clean Up > Degenerate Dissolve, Merge by Distance.",
              cli_count_text(weld->triangles_degenerate).text,
              cli_count_text(weld->triangles_duplicate).text);
  }
}

static void report_weld(CliReport *report, const SupWeldReport *weld) {
  cli_report_begin_object(report, "weld");
  cli_report_integer(report, "vertices_merged", weld->vertices_merged);
  cli_report_integer(report, "weights_averaged", weld->weights_averaged);
  cli_report_integer(report, "weights_normalised", weld->weights_normalised);
  cli_report_integer(report, "weights_missing", weld->weights_missing);
  cli_report_integer(report, "triangles_degenerate", weld->triangles_degenerate);
  cli_report_integer(report, "triangles_duplicate", weld->triangles_duplicate);
  cli_report_end(report);
}

static void info_mesh(Info *info, const SupCharacter *character) {
  const SupWeldReport *weld = &character->weld;
  CliReport *report = info->cli->report;
  info_line(info, "mesh", "%s vertices, %s triangles, %u part%s",
            cli_count_text(character->render.vertex_count).text,
            cli_count_text(character->render.triangle_count).text, character->render.part_count,
            plural(character->render.part_count));
  if (weld->vertices_merged) {
    info_line(info, "body", "%s vertices, after joining %s duplicates along seams",
              cli_count_text(character->body.vertex_count).text,
              cli_count_text(weld->vertices_merged).text);
  } else {
    info_line(info, "body", "the same vertices: no seams to join");
  }
  cli_report_integer(report, "vertices", character->render.vertex_count);
  cli_report_integer(report, "triangles", character->render.triangle_count);
  cli_report_integer(report, "parts", character->render.part_count);
  cli_report_integer(report, "body_vertices", character->body.vertex_count);
  cli_report_integer(report, "body_triangles", character->body.triangle_count);
  SupFingerprint print = sup_fingerprint(&character->body);
  cli_report_hash(report, "fingerprint", print.topology);
  report_weld(report, weld);
  note_weld(info, weld);
}

static void info_skeleton(Info *info, const SupCharacter *character) {
  const SupSkeleton *skeleton = &character->skeleton;
  CliReport *report = info->cli->report;
  cli_report_integer(report, "joints", skeleton->joint_count);
  cli_report_integer(report, "bones", skeleton->bone_count);
  cli_report_integer(report, "influences", character->skin.influence_max);
  if (skeleton->bone_count == 0) return;
  if (character->skin.influence_max == 1) {
    info_line(info, "skeleton", "%u bones, every vertex follows one of them", skeleton->bone_count);
  } else {
    info_line(info, "skeleton", "%u bones, a vertex follows up to %u", skeleton->bone_count,
              character->skin.influence_max);
  }
  note_weights(info, character);
  note_joints_outside(info, &character->render);
}

/* ---- Clips, morphs, maps -------------------------------------------------------------------- */

static uint32_t most_keys(const SupClip *clip) {
  uint32_t most = 0;
  for (uint32_t k = 0; k < clip->track_count; k++) {
    if (clip->tracks[k].key_count > most) most = clip->tracks[k].key_count;
  }
  return most;
}

static void info_clips(Info *info, const SupCharacter *character) {
  CliReport *report = info->cli->report;
  int width = 0;
  for (uint32_t k = 0; k < character->clip_count; k++) {
    int length = (int)strlen(or_unnamed(character->clips[k].name));
    if (length > width) width = length < 32 ? length : 32;
  }
  cli_report_begin_array(report, "clips");
  double total = 0;
  for (uint32_t k = 0; k < character->clip_count; k++) {
    const SupClip *clip = &character->clips[k];
    total += (double)clip->duration;
    if (k < LIST_MAX) {
      info_line(info, k == 0 ? "clips" : "", "%-*.*s %6.2f s, %s keys", width, width,
                or_unnamed(clip->name), (double)clip->duration,
                cli_count_text(most_keys(clip)).text);
    }
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "name", clip->name);
    cli_report_float(report, "seconds", clip->duration);
    cli_report_integer(report, "tracks", clip->track_count);
    cli_report_integer(report, "keys", most_keys(clip));
    cli_report_end(report);
  }
  cli_report_end(report);
  if (character->clip_count > LIST_MAX) {
    info_line(info, "", "and %u more, %.1f s in all", character->clip_count - LIST_MAX, total);
  }
  if (character->clip_count == 0 && character->skeleton.joint_count) {
    info_line(info, "clips", "none");
    info_note(info,
              "There is no animation, so nothing moves yet. Export the character with its "
              "actions, or add a clip with another tool.");
  }
}

static void info_names(Info *info, const char *label, uint32_t count,
                       const char *(*name)(const SupCharacter *, uint32_t),
                       const SupCharacter *character) {
  CliReport *report = info->cli->report;
  char text[160] = "";
  size_t used = 0;
  cli_report_begin_array(report, label);
  for (uint32_t k = 0; k < count; k++) {
    cli_report_text(report, NULL, name(character, k));
    if (k >= LIST_MAX || used + 40 > sizeof text) continue;
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%.32s", k ? ", " : "",
                             or_unnamed(name(character, k)));
  }
  cli_report_end(report);
  if (count) info_line(info, label, "%u: %s%s", count, text, count > LIST_MAX ? ", ..." : "");
}

static const char *morph_name(const SupCharacter *character, uint32_t k) {
  return character->morphs[k].name;
}

static const char *map_name(const SupCharacter *character, uint32_t k) {
  return character->maps[k].name;
}

/* Clips that were carried over from another skeleton with the wrong frames look broken in plain
 * skinning too: joints stand far from their rest pose in all of them. */
static SupResult note_homes(Info *info, const SupCharacter *character, SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  if (!character->clip_count || !skeleton->bone_count) return SUP_OK;
  SupJointRange *ranges = SUP_ALLOC(info->arena, SupJointRange, skeleton->joint_count);
  if (!ranges) return sup_fail_memory(error, NULL);
  SupResult result = sup_teaching_ranges(info->arena, character, ranges, error);
  if (result != SUP_OK) return result;
  uint32_t far = 0, first = 0;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const SupQuat rest = sup_quat_normalise(skeleton->rest[j].rotation);
    const float cosine = sup_quat_dot(rest, ranges[j].home); /* of half the angle */
    if (cosine * cosine > FAR_HALF_COSINE * FAR_HALF_COSINE) continue;
    if (!far++) first = j;
  }
  cli_report_integer(info->cli->report, "joints_far_from_rest", far);
  if (!far) return SUP_OK;
  info_note(info,
            "the clips keep %u joints (%s ...) more than a quarter turn from the rest pose: were "
            "they made for another skeleton? Look at them with `supple play --plain` before "
            "teaching with them.",
            far, or_unnamed(skeleton->names[first]));
  return SUP_OK;
}

SupResult info_character(Info *info, const SupCharacter *character, SupError *error) {
  info_mesh(info, character);
  SupResult result = info_surface(info, &character->body, error);
  if (result != SUP_OK) return result;
  const SupVec3 *rest;
  result = cli_rest_positions(info->cli, character, SUP_ORDER_BODY, &rest, error);
  if (result != SUP_OK) return result;
  info_size(info, sup_bounds(rest, character->body.vertex_count),
            character->skeleton.bone_count > 0);
  info_skeleton(info, character);
  info_clips(info, character);
  result = note_homes(info, character, error);
  if (result != SUP_OK) return result;
  info_names(info, "morphs", character->morph_count, morph_name, character);
  info_names(info, "maps", character->map_count, map_name, character);
  return SUP_OK;
}
