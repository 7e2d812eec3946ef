/* SPDX-License-Identifier: MIT */
/* Left and right. */
#include "supple/author/sides.h"

#include "author/name_words.h"
#include "base/scratch.h"
#include "supple/author/segments.h"
#include "supple/geom/bounds.h"

static const char words[2][6] = {"left", "right"};

static char lower(char c) { return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c); }

/* The side that a word begins with or is; *out_length letters of it say so. */
static SupSide side_of_word(SupWord word, size_t *out_length) {
  for (unsigned side = 0; side < 2; side++) {
    const size_t length = sup_string_length(words[side]);
    size_t k = 0;
    while (k < length && k < word.length && lower(word.text[k]) == words[side][k]) k++;
    *out_length = k;
    if (k == length || (k == 1 && word.length == 1)) return side ? SUP_SIDE_RIGHT : SUP_SIDE_LEFT;
  }
  return SUP_SIDE_NONE;
}

SupSide sup_side_of(const char *name) {
  SupSide found = SUP_SIDE_NONE;
  SupWord word;
  size_t length;
  while (sup_next_word(&name, &word)) {
    const SupSide side = side_of_word(word, &length);
    if (side == SUP_SIDE_NONE) continue;
    if (found != SUP_SIDE_NONE && found != side) return SUP_SIDE_NONE;
    found = side;
  }
  return found;
}

/* Writes the name of the other side where `like` has letters of a side; returns how many letters.
 */
static size_t put_other(char *out, SupSide side, const char *like, size_t length) {
  const char *other = words[side == SUP_SIDE_LEFT];
  const size_t put = length == 1 ? 1 : sup_string_length(other);
  for (size_t k = 0; k < put; k++) {
    const char c = like[k < length ? k : length - 1];
    out[k] = (char)(c >= 'A' && c <= 'Z' ? other[k] - 'a' + 'A' : other[k]);
  }
  return put;
}

char *sup_side_swap(SupArena *arena, const char *name) {
  const size_t whole = sup_string_length(name);
  char *text = SUP_ALLOC(arena, char, 2 * whole + 1);
  const char *at = name, *copied = name;
  size_t length, to = 0;
  SupWord word;
  while (text && sup_next_word(&at, &word)) {
    const SupSide side = side_of_word(word, &length);
    if (side == SUP_SIDE_NONE) continue;
    const size_t before = (size_t)(word.text - copied);
    sup_copy(text + to, copied, before);
    to += before;
    to += put_other(text + to, side, word.text, length);
    copied = word.text + length;
  }
  if (text) sup_copy(text + to, copied, whole - (size_t)(copied - name));
  return text;
}

/* ---- The plane ------------------------------------------------------------------------------ */

SupVec3d sup_plane_mirror(const SupPlane *plane, SupVec3d point) {
  const double away = sup_vec3d_dot(plane->normal, point) - plane->offset;
  return sup_vec3d_add_scaled(point, plane->normal, -2 * away);
}

SupVec3d sup_plane_turn(const SupPlane *plane, SupVec3d direction) {
  return sup_vec3d_add_scaled(direction, plane->normal,
                              -2 * sup_vec3d_dot(plane->normal, direction));
}

static uint32_t find_joint(const SupSkeleton *skeleton, const char *name) {
  for (uint32_t j = 0; j < skeleton->joint_count; j++) {
    if (sup_string_equal(skeleton->names[j], name)) return j;
  }
  return SUP_NONE;
}

SupResult sup_symmetry_plane(SupArena *arena, const SupCharacter *character, SupPlane *out_plane,
                             SupError *error) {
  const SupSkeleton *skeleton = &character->skeleton;
  SupArena scratch = sup_scratch(arena);
  const SupVec3 *places = sup_joint_places(&scratch, skeleton);
  SupVec3d across = {0, 0, 0}, middle = {0, 0, 0};
  uint32_t pairs = 0;
  bool enough = places != NULL;
  for (uint32_t j = 0; enough && j < skeleton->joint_count; j++) {
    if (sup_side_of(skeleton->names[j]) != SUP_SIDE_LEFT) continue;
    const char *name = sup_side_swap(&scratch, skeleton->names[j]);
    enough = name != NULL;
    const uint32_t right = name ? find_joint(skeleton, name) : SUP_NONE;
    if (right == SUP_NONE) continue;
    const SupVec3d a = sup_vec3_to_double(places[j]), b = sup_vec3_to_double(places[right]);
    across = sup_vec3d_add(across, sup_vec3d_sub(a, b));
    middle = sup_vec3d_add(middle, sup_vec3d_scale(sup_vec3d_add(a, b), 0.5));
    pairs++;
  }
  sup_arena_free(&scratch);
  if (!enough) return sup_fail_memory(error, NULL);
  const double length = sup_vec3d_length(across);
  if (pairs && length > 0) {
    SupVec3d normal = sup_vec3d_scale(across, 1 / length);
    double *n[3] = {&normal.x, &normal.y, &normal.z};
    for (unsigned k = 0; k < 3; k++) { /* an axis, where it is one but for rounding */
      if (*n[k] * *n[k] < 1 - 1e-6) continue;
      const double sign = *n[k] < 0 ? -1 : 1;
      normal = (SupVec3d){0, 0, 0};
      *n[k] = sign;
    }
    *out_plane = (SupPlane){normal, sup_vec3d_dot(normal, middle) / pairs};
    return SUP_OK;
  }
  const SupBounds box = sup_bounds(character->body.positions, character->body.vertex_count);
  *out_plane = (SupPlane){{1, 0, 0}, ((double)box.low.x + (double)box.high.x) / 2};
  return SUP_OK;
}
