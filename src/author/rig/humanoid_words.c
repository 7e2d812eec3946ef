/* SPDX-License-Identifier: MIT */
/*
 * Words of joints' names.
 *
 * A name is cut into words (name_words.h); a word of the table may stand in the name as one or two
 * ("upperarm", "upper_arm", "UpperArm"). The first line of the table that a name holds counts, so
 * what is more special stands first: "LeftHandIndex1" is a finger, "RightShoulder" a shoulder.
 */
#include "author/rig/humanoid_words.h"

#include "author/name_words.h"

enum { WORDS_MAX = 16 };

typedef struct Meaning {
  uint32_t meaning;
  const char *words; /* between single spaces */
} Meaning;

/* What is no joint of the body itself: controls, ends of chains, what hangs on it. */
static const char no_joints[] =
    "ik fk pole target ctrl ctl control helper mch sec adj end leaf tip nub site slot socket "
    "attach "
    "weapon prop top heel front foreleg forefoot hind rear wing tail ear eye jaw tongue hair cloth "
    "skirt "
    "breast "
    "bust drv driver tweak virtual dummy carpal metacarpal palm horn feather muscle";

static const Meaning meanings[] = {
    {SUP_HUMANOID_THUMB, "thumb"},
    {SUP_HUMANOID_INDEX, "index pointer"},
    {SUP_HUMANOID_MIDDLE, "middle"},
    {SUP_HUMANOID_RING, "ring"},
    {SUP_HUMANOID_LITTLE, "little pinky pinkie"},
    {SUP_HUMANOID_FINGER, "finger"},
    {SUP_HUMANOID_UPPER_ARM, "upperarm uparm bicep humerus"},
    {SUP_HUMANOID_LOWER_ARM, "lowerarm lowarm forearm elbow"},
    {SUP_HUMANOID_UPPER_LEG, "upperleg upleg thigh femur"},
    {SUP_HUMANOID_LOWER_LEG, "lowerleg lowleg shin shank calf knee crus"},
    {SUP_HUMANOID_SHOULDER, "clavicle collar collarbone scapula"},
    {SUP_HUMANOID_SHOULDER_OR_ARM, "shoulder"},
    {SUP_HUMANOID_HAND, "hand wrist"},
    {SUP_HUMANOID_TOES, "toe toebase ball"},
    {SUP_HUMANOID_FOOT, "foot feet ankle"},
    {SUP_HUMANOID_ARM, "arm"},
    {SUP_HUMANOID_LEG, "leg"},
    {SUP_HUMANOID_HIPS, "hips pelvis"},
    {SUP_HUMANOID_HIP, "hip"},
    {SUP_HUMANOID_HEAD, "head"},
    {SUP_HUMANOID_NECK, "neck"},
    {SUP_HUMANOID_SPINE, "spine chest torso abdomen waist thorax ribcage lumbar"},
};

static const char *const part_names[SUP_HUMANOID_PARTS] = {
    "hips",          "spine",     "neck",      "head",         "shoulder",      "upper arm",
    "lower arm",     "hand",      "thumb",     "index finger", "middle finger", "ring finger",
    "little finger", "upper leg", "lower leg", "foot",         "toes"};

const char *sup_humanoid_part_name(SupHumanoidPart part) { return part_names[part]; }

typedef struct Words {
  size_t count;
  SupWord words[WORDS_MAX];
} Words;

static Words cut(const char *name) {
  Words words = {0};
  for (const char *c = name; *c; c++) { /* what stands before is a name space */
    if (*c == ':' || *c == '|') name = c + 1;
  }
  while (words.count < WORDS_MAX && sup_next_word(&name, &words.words[words.count])) words.count++;
  return words;
}

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

static SupWord without_side(SupWord word) {
  static const SupWord sides[] = {{"left", 4}, {"right", 5}};
  for (size_t s = 0; s < 2; s++) {
    size_t k = 0;
    while (k < sides[s].length && k < word.length && lower(word.text[k]) == sides[s].text[k]) k++;
    if (k == sides[s].length && k < word.length) return (SupWord){word.text + k, word.length - k};
  }
  return word;
}

/* Is `wanted` the word k together with the next one? */
static bool is_pair(const Words *words, size_t k, SupWord wanted) {
  if (k + 1 >= words->count) return false;
  const SupWord first = without_side(words->words[k]), second = words->words[k + 1];
  if (first.length >= wanted.length) return false;
  for (size_t i = 0; i < first.length; i++) {
    if (lower(first.text[i]) != wanted.text[i]) return false;
  }
  return sup_word_is(second, (SupWord){wanted.text + first.length, wanted.length - first.length});
}

/* Does the name hold one of these words? *out_at is where the text goes on behind it. */
static bool holds(const Words *words, const char *list, const char **out_at) {
  while (*list) {
    size_t length = 0;
    while (list[length] && list[length] != ' ') length++;
    const SupWord wanted = {list, length};
    for (size_t k = 0; k < words->count; k++) {
      const bool alone = sup_word_is(words->words[k], wanted);
      if (!alone && !is_pair(words, k, wanted)) continue;
      const SupWord *last = &words->words[k + !alone];
      *out_at = last->text + last->length;
      return true;
    }
    list += length + (list[length] == ' ');
  }
  return false;
}

SupHumanoidName sup_humanoid_read(const char *name) {
  const Words words = cut(name);
  const char *behind = name;
  SupHumanoidName said = {.meaning = SUP_HUMANOID_NOTHING, .side = sup_side_of(name)};
  said.deforms = holds(&words, "def", &behind);
  const bool thumb = holds(&words, "thumb", &behind); /* its metacarpal counts as a joint of it */
  if (holds(&words, no_joints, &behind) && !(thumb && holds(&words, "metacarpal", &behind))) {
    return said;
  }
  for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++) {
    if (!holds(&words, meanings[k].words, &behind)) continue;
    said.meaning = meanings[k].meaning;
    break;
  }
  const bool sided = said.side != SUP_SIDE_NONE;
  if (said.meaning == SUP_HUMANOID_HIP) {
    said.meaning = sided ? SUP_HUMANOID_UPPER_LEG : SUP_HUMANOID_HIPS;
  } else if (said.meaning == SUP_HUMANOID_FINGER) {
    const bool numbered = *behind >= '0' && *behind <= '5';
    if (!numbered) said.meaning = SUP_HUMANOID_NOTHING;
    said.digit = numbered ? (uint32_t)(*behind - '0') : 0;
  }
  const bool of_body = said.meaning <= SUP_HUMANOID_HEAD;
  if (of_body == sided) said.meaning = SUP_HUMANOID_NOTHING; /* pelvis.L; shoulders of both */
  return said;
}

SupHumanoidPart sup_humanoid_name(const char *name) {
  const uint32_t meaning = sup_humanoid_read(name).meaning;
  if (meaning == SUP_HUMANOID_SHOULDER_OR_ARM) return SUP_HUMANOID_SHOULDER;
  return meaning < SUP_HUMANOID_PARTS ? (SupHumanoidPart)meaning : SUP_HUMANOID_PARTS;
}
