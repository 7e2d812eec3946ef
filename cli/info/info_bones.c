/* SPDX-License-Identifier: MIT */
/* `supple info --bones`: the tree of joints, and what hangs on each. */
#include <string.h>

#include "info/info.h"
#include "supple/author/baked.h"
#include "supple/author/body_scale.h"
#include "supple/geom/measure.h"

#define DEEPEST 20    /* joints below that are no more indented */
#define WIDEST 56     /* columns of names */
#define NAMES_SHOWN 3 /* meshes or materials of one joint */

/* What hangs on one joint. */
typedef struct Hanging {
  uint32_t vertices;   /* body vertices that follow it more than any other */
  uint32_t influenced; /* that follow it at all */
  double area;         /* square metres, by weight */
  uint32_t depth;
  bool is_bone;
} Hanging;

typedef struct Tree {
  Info *info;
  const SupCharacter *character;
  const SupGltfContents *contents; /* names of materials */
  Hanging *joints;                 /* [joint_count] */
  uint32_t *order; /* [joint_count] every joint before its children, branch by branch */
  uint32_t *main;  /* [body.vertex_count] joint that each follows most */
  bool *on_parts;  /* [part_count] of the joint at hand */
  double area;     /* of all */
} Tree;

/* ---- Measuring ------------------------------------------------------------------------------ */

/* Branch by branch: a joint, then its first child with all below it, then the next. */
static void sort_joints(Tree *tree, uint32_t *first, uint32_t *next) {
  const SupSkeleton *skeleton = &tree->character->skeleton;
  uint32_t root = SUP_NONE, used = 0;
  for (uint32_t j = 0; j < skeleton->joint_count; j++) first[j] = SUP_NONE;
  for (uint32_t j = skeleton->joint_count; j-- > 0;) { /* backwards: lists begin with the first */
    uint32_t *list = skeleton->parents[j] < 0 ? &root : &first[skeleton->parents[j]];
    next[j] = *list;
    *list = j;
  }
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    const int32_t parent = skeleton->parents[j];
    tree->joints[j].depth = parent < 0 ? 0 : tree->joints[parent].depth + 1;
  }
  for (uint32_t j = root; j != SUP_NONE;) {
    tree->order[used++] = j;
    uint32_t to = first[j];
    while (to == SUP_NONE && j != SUP_NONE) {
      to = next[j];
      j = skeleton->parents[j] < 0 ? SUP_NONE : (uint32_t)skeleton->parents[j];
    }
    j = to;
  }
}

static void measure(Tree *tree, const double *areas) {
  const SupCharacter *c = tree->character;
  const double scale = (double)sup_body_scale(c);
  for (uint32_t b = 0; b < c->skeleton.bone_count; b++) {
    tree->joints[c->skeleton.bone_joints[b]].is_bone = true;
  }
  for (uint32_t v = 0; v < c->body.vertex_count; v++) {
    float most = 0;
    tree->main[v] = SUP_NONE;
    tree->area += scale * scale * areas[v];
    for (uint32_t k = c->skin.offsets[v]; k < c->skin.offsets[v + 1]; k++) {
      const uint32_t joint = c->skeleton.bone_joints[c->skin.bones[k]];
      if (!(c->skin.weights[k] > 0)) continue;
      tree->joints[joint].influenced++;
      tree->joints[joint].area += scale * scale * areas[v] * (double)c->skin.weights[k];
      if (c->skin.weights[k] > most) most = c->skin.weights[k], tree->main[v] = joint;
    }
    if (tree->main[v] != SUP_NONE) tree->joints[tree->main[v]].vertices++;
  }
}

static SupResult prepare(Tree *tree, SupError *error) {
  const SupCharacter *c = tree->character;
  SupArena *arena = tree->info->arena;
  const uint32_t joints = c->skeleton.joint_count;
  uint32_t *first = SUP_ALLOC(arena, uint32_t, joints), *next = SUP_ALLOC(arena, uint32_t, joints);
  double *areas = SUP_ALLOC(arena, double, c->body.vertex_count);
  tree->joints = SUP_ALLOC(arena, Hanging, joints);
  tree->order = SUP_ALLOC(arena, uint32_t, joints);
  tree->main = SUP_ALLOC(arena, uint32_t, c->body.vertex_count);
  tree->on_parts = SUP_ALLOC(arena, bool, c->render.part_count);
  if (!first || !next || !areas || !tree->joints || !tree->order || !tree->main ||
      !tree->on_parts) {
    return sup_fail_memory(error, NULL);
  }
  sup_vertex_areas(&c->body, SUP_AREA_BARYCENTRIC, areas);
  sort_joints(tree, first, next);
  measure(tree, areas);
  return SUP_OK;
}

/* ---- Telling -------------------------------------------------------------------------------- */

static const char *mesh_name(const Tree *tree, uint32_t part) {
  return tree->character->render.parts[part].name;
}

static const char *material_name(const Tree *tree, uint32_t part) {
  const uint32_t material = tree->character->render.parts[part].material;
  return material < tree->contents->material_count ? tree->contents->materials[material] : "";
}

/* Marks the parts with vertices that follow the joint more than any other. */
static void find_parts(Tree *tree, uint32_t joint) {
  const SupRender *render = &tree->character->render;
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    tree->on_parts[p] = false;
    for (uint32_t v = 0; v < part->vertex_count && tree->joints[joint].vertices; v++) {
      if (tree->main[render->to_body[part->first_vertex + v]] != joint) continue;
      tree->on_parts[p] = true;
      break;
    }
  }
}

/* Different names of the joint's parts, into the report, and the first few into text[size]. */
static void list_names(const Tree *tree, const char *key,
                       const char *(*name)(const Tree *tree, uint32_t part), char *text,
                       size_t size) {
  const uint32_t count = tree->character->render.part_count;
  uint32_t found = 0;
  size_t used = 0;
  text[0] = 0;
  cli_report_begin_array(tree->info->cli->report, key);
  for (uint32_t p = 0; p < count; p++) {
    bool seen = !tree->on_parts[p] || !*name(tree, p);
    for (uint32_t q = 0; q < p && !seen; q++) {
      seen = tree->on_parts[q] && strcmp(name(tree, q), name(tree, p)) == 0;
    }
    if (seen) continue;
    cli_report_text(tree->info->cli->report, NULL, name(tree, p));
    if (++found > NAMES_SHOWN || used >= size) continue;
    used += sup_format(text + used, size - used, "%s%s", found > 1 ? ", " : "", name(tree, p));
  }
  cli_report_end(tree->info->cli->report);
  if (found > NAMES_SHOWN && used < size) sup_format(text + used, size - used, ", ...");
}

static void tell_joint(Tree *tree, uint32_t joint, bool is_first, int width) {
  const SupSkeleton *skeleton = &tree->character->skeleton;
  const Hanging *h = &tree->joints[joint];
  CliReport *report = tree->info->cli->report;
  const bool live = !sup_own_joint(tree->character, joint);
  const bool baked = sup_is_baked_joint(tree->character, joint);
  const double fraction = tree->area > 0 ? h->area / tree->area : 0;
  const uint32_t indent = 2 * (h->depth < DEEPEST ? h->depth : DEEPEST);
  char name[2 * DEEPEST + 80], meshes[120], materials[120], skin[80] = "no skin";
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "name", skeleton->names[joint]);
  cli_report_text(report, "parent",
                  skeleton->parents[joint] < 0 ? NULL : skeleton->names[skeleton->parents[joint]]);
  cli_report_integer(report, "joint", joint);
  cli_report_integer(report, "parent_joint", skeleton->parents[joint]);
  cli_report_bool(report, "bone", h->is_bone);
  cli_report_integer(report, "vertices", h->vertices);
  cli_report_integer(report, "influenced", h->influenced);
  cli_report_number(report, "area", h->area);
  cli_report_number(report, "fraction", fraction);
  find_parts(tree, joint);
  list_names(tree, "meshes", mesh_name, meshes, sizeof meshes);
  list_names(tree, "materials", material_name, materials, sizeof materials);
  cli_report_bool(report, "helper", live);
  cli_report_bool(report, "baked", baked);
  cli_report_end(report);
  if (h->influenced) {
    sup_format(skin, sizeof skin, "%s vert%s, %s %% of the skin", cli_count_text(h->vertices).text,
               h->vertices == 1 ? "ex" : "ices", cli_percent_text(fraction).text);
  }
  snprintf(name, sizeof name, "%*s%.64s", (int)indent, "",
           *skeleton->names[joint] ? skeleton->names[joint] : "(unnamed)");
  const char *of = tree->character->render.part_count < 2 ? "" : *materials ? materials : meshes;
  info_line(tree->info, is_first ? "bones" : "", "%-*s  %s%s%s%s", width, name, skin,
            *of ? ": " : "", of,
            live    ? "; moved by the helpers model"
            : baked ? "; carries baked motion"
                    : "");
}

static int name_width(const Tree *tree) {
  int width = 0;
  for (uint32_t j = 0; j < tree->character->skeleton.joint_count; j++) {
    const uint32_t depth = tree->joints[j].depth < DEEPEST ? tree->joints[j].depth : DEEPEST;
    const int columns = (int)(2 * depth + strlen(tree->character->skeleton.names[j]));
    if (columns > width) width = columns < WIDEST ? columns : WIDEST;
  }
  return width;
}

SupResult info_bones(Info *info, const SupCharacter *character, const SupGltfContents *contents,
                     SupError *error) {
  Tree tree = {.info = info, .character = character, .contents = contents};
  SupResult result = prepare(&tree, error);
  if (result != SUP_OK) return result;
  const int width = name_width(&tree);
  cli_report_begin_array(info->cli->report, "skeleton");
  for (uint32_t k = 0; k < character->skeleton.joint_count; k++) {
    tell_joint(&tree, tree.order[k], k == 0, width);
  }
  cli_report_end(info->cli->report);
  return SUP_OK;
}

void info_baked(Info *info, const SupCharacter *character) {
  const SupBakedParts baked = sup_baked_parts(character);
  if (baked.joint_count) {
    info_line(info, "baked", "%u helper joint%s carr%s secondary motion (%s%s)", baked.joint_count,
              baked.joint_count == 1 ? "" : "s", baked.joint_count == 1 ? "ies" : "y", baked.first,
              baked.joint_count == 1 ? "" : ", ...");
  } else if (baked.morph_count) {
    info_line(info, "baked", "%u morph target%s carr%s secondary motion (%s%s)", baked.morph_count,
              baked.morph_count == 1 ? "" : "s", baked.morph_count == 1 ? "ies" : "y", baked.first,
              baked.morph_count == 1 ? "" : ", ...");
  }
  cli_report_integer(info->cli->report, "baked_joints", baked.joint_count);
  cli_report_integer(info->cli->report, "baked_morphs", baked.morph_count);
}
