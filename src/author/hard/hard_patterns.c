/* SPDX-License-Identifier: MIT */
/* Patterns for names of bones, mesh nodes, meshes and materials. */
#include "author/hard/hard_work.h"
#include "author/name_words.h"
#include "base/scratch.h"
#include "supple/author/soft_parts.h"

/* A pattern on its way through the names of a character. */
typedef struct Match {
  const HardWork *work;
  const char *pattern;
  bool words;   /* it is one of the words of the name: "arm" of "LeftArm", not of "Armature" */
  bool *joints; /* [joint_count] */
  float *weights;
  bool *freed; /* or NULL */
  uint32_t found;
} Match;

static bool has_word(const char *name, const char *wanted) {
  char lowered[64];
  size_t length = 0;
  for (; wanted[length] && length < sizeof lowered; length++) {
    const char c = wanted[length];
    lowered[length] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
  }
  const SupWord whole = {lowered, length};
  SupWord word;
  while (sup_next_word(&name, &word)) {
    if (sup_word_is(word, whole)) return true;
  }
  return false;
}

static bool matches(Match *m, const char *name) {
  const bool found =
      *name && (m->words ? has_word(name, m->pattern) : sup_name_fits(m->pattern, name));
  m->found += found;
  return found;
}

static void match_parts(Match *m) {
  const SupHardPartsDef *def = m->work->def;
  const SupRender *render = &def->character->render;
  for (uint32_t p = 0; p < render->part_count; p++) {
    const SupPart *part = &render->parts[p];
    const bool node = matches(m, part->name), mesh = matches(m, sup_part_mesh(def, p));
    const bool material = matches(m, sup_part_material(def, p));
    if (!node && !mesh && !material) continue;
    for (uint32_t v = part->first_vertex; v < part->first_vertex + part->vertex_count; v++) {
      m->weights[render->to_body[v]] = 1;
    }
  }
}

/* Bones, with all below them. Joints that lead to no bone have nothing to lock. */
static void match_bones(Match *m) {
  const SupCharacter *c = m->work->character;
  const SupSkin *skin = &c->skin;
  bool any = false;
  for (uint32_t j = 0; j < c->skeleton.joint_count; j++) {
    m->joints[j] = matches(m, c->skeleton.names[j]);
    any |= m->joints[j];
  }
  if (!any) return;
  sup_mark_below(&c->skeleton, m->joints);
  for (uint32_t v = 0; v < skin->vertex_count; v++) {
    float sum = 0;
    for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
      if (m->joints[c->skeleton.bone_joints[skin->bones[k]]]) sum += skin->weights[k];
    }
    if (sum > m->weights[v]) m->weights[v] = sum < 1 ? sum : 1;
  }
}

static void match_kinds(Match *m) {
  for (uint32_t k = SUP_HARD_EYES; m->freed && k < SUP_HARD_KINDS; k++) {
    if (matches(m, sup_hard_kind_name((SupHardKind)k))) m->freed[k] = true;
  }
}

static void match(Match *m) {
  match_parts(m);
  match_bones(m);
  match_kinds(m);
}

/* The sentence about a pattern that fits nothing. */
static SupResult say_nothing_fits(const HardWork *w, const char *option, const char *pattern,
                                  SupError *error) {
  const SupHardPartsDef *def = w->def;
  const SupSkeleton *skeleton = &w->character->skeleton;
  const uint32_t parts = w->character->render.part_count;
  SupArena scratch = sup_scratch(w->arena);
  char hint[120] = "";
  uint32_t count = 0;
  const char **names = SUP_ALLOC(&scratch, const char *, skeleton->joint_count + 3 * parts);
  for (uint32_t j = 0; names && j < skeleton->joint_count; j++) names[count++] = skeleton->names[j];
  for (uint32_t p = 0; names && p < parts; p++) {
    names[count++] = w->character->render.parts[p].name;
    names[count++] = sup_part_mesh(def, p);
    names[count++] = sup_part_material(def, p);
  }
  if (names) sup_did_you_mean(hint, sizeof hint, sup_nearest_name(pattern, names, count));
  sup_arena_free(&scratch);
  const char *advice = "";
  for (const char *at = pattern; *at; at++) {
    if (*at == ',') advice = "; for several give the option once for each";
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--%s: no bone, node, mesh or material is called '%s'%s%s", option, pattern, hint,
                  advice);
}

SupResult sup_hard_select(const HardWork *w, const SupPatterns *patterns, bool *io_freed,
                          float *io_weights, SupError *error) {
  SupArena scratch = sup_scratch(w->arena);
  Match m = {.work = w, .weights = io_weights, .freed = io_freed};
  SupResult result = SUP_OK;
  m.joints = SUP_ALLOC(&scratch, bool, w->character->skeleton.joint_count);
  if (!m.joints) result = sup_fail_memory(error, "hard parts");
  for (uint32_t k = 0; k < patterns->count && result == SUP_OK; k++) {
    const char *pattern = patterns->patterns[k];
    char within[260];
    m.pattern = pattern;
    m.found = 0;
    m.words = false;
    match(&m);
    const bool word = *pattern && !sup_name_is_pattern(pattern);
    m.words = word && !m.found;
    if (m.words) match(&m);
    m.words = false;
    if (word && !m.found && sup_format(within, sizeof within, "*%s*", pattern) < sizeof within) {
      m.pattern = within;
      match(&m);
    }
    if (!m.found) result = say_nothing_fits(w, patterns->option, pattern, error);
  }
  sup_arena_free(&scratch);
  return result;
}
