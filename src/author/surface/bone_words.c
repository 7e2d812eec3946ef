/* SPDX-License-Identifier: MIT */
/*
 * What the names of bones say about flesh, in the few words that every build knows. A word that all
 * bones have is the character's name, not the bone's ("EyeBot_spine").
 */
#include "author/name_words.h"
#include "supple/author/surface_build.h"

static bool has_word(const char *name, SupWord wanted) {
  SupWord word;
  while (sup_next_word(&name, &word)) {
    if (sup_word_is(word, wanted)) return true;
  }
  return false;
}

static bool all_have(const SupSkeleton *skeleton, SupWord wanted) {
  for (uint32_t b = 0; b < skeleton->bone_count; b++) {
    if (!has_word(skeleton->names[skeleton->bone_joints[b]], wanted)) return false;
  }
  return true;
}

float sup_bone_freedom(const SupSkeleton *skeleton, uint32_t bone) {
  static const struct {
    const char *word;
    float freedom;
  } words[] = {{"eye", 0},     {"eyeball", 0}, {"eyelid", 0}, {"eyelash", 0},
               {"eyebrow", 0}, {"teeth", 0},   {"tooth", 0},  {"tongue", 0},
               {"hair", 0},    {"head", 0.3f}, {"jaw", 0.3f}, {"skull", 0.3f}};
  const char *name = skeleton->names[skeleton->bone_joints[bone]];
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    const SupWord word = {words[k].word, sup_string_length(words[k].word)};
    if (has_word(name, word) && !all_have(skeleton, word)) return words[k].freedom;
  }
  return 1;
}
