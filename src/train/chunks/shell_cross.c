/* SPDX-License-Identifier: MIT */
/*
 * Where a shell crosses itself: faces as fans around their middles, and triangles of two faces
 * without a common vertex that an edge of one goes through.
 */
#include "shell.h"

#include "base/scratch.h"
#include "chunks_work.h"

typedef struct Fan {
  uint32_t count;
  const SupVec3d *corners; /* [count] */
  SupVec3d middle, low, high;
} Fan;

static void grow(SupVec3d p, Fan *fan) {
  fan->low.x = p.x < fan->low.x ? p.x : fan->low.x;
  fan->low.y = p.y < fan->low.y ? p.y : fan->low.y;
  fan->low.z = p.z < fan->low.z ? p.z : fan->low.z;
  fan->high.x = p.x > fan->high.x ? p.x : fan->high.x;
  fan->high.y = p.y > fan->high.y ? p.y : fan->high.y;
  fan->high.z = p.z > fan->high.z ? p.z : fan->high.z;
}

static double volume(SupVec3d a, SupVec3d b, SupVec3d c, SupVec3d d) {
  return sup_vec3d_dot(sup_vec3d_sub(d, a),
                       sup_vec3d_cross(sup_vec3d_sub(b, a), sup_vec3d_sub(c, a)));
}

static bool all_alike(double a, double b, double c) {
  return (a > 0 && b > 0 && c > 0) || (a < 0 && b < 0 && c < 0);
}

static bool goes_through(SupVec3d p, SupVec3d q, const SupVec3d t[3]) {
  const double from = volume(t[0], t[1], t[2], p), to = volume(t[0], t[1], t[2], q);
  if (!((from > 0 && to < 0) || (from < 0 && to > 0))) return false;
  return all_alike(volume(p, q, t[0], t[1]), volume(p, q, t[1], t[2]), volume(p, q, t[2], t[0]));
}

static bool triangles_cross(const SupVec3d a[3], const SupVec3d b[3]) {
  for (uint32_t k = 0; k < 3; k++) {
    if (goes_through(a[k], a[(k + 1) % 3], b) || goes_through(b[k], b[(k + 1) % 3], a)) return true;
  }
  return false;
}

static bool fans_cross(const Fan *a, const Fan *b) {
  if (a->low.x > b->high.x || b->low.x > a->high.x || a->low.y > b->high.y ||
      b->low.y > a->high.y || a->low.z > b->high.z || b->low.z > a->high.z) {
    return false;
  }
  for (uint32_t i = 0; i < a->count; i++) {
    const SupVec3d s[3] = {a->middle, a->corners[i], a->corners[(i + 1) % a->count]};
    for (uint32_t j = 0; j < b->count; j++) {
      const SupVec3d t[3] = {b->middle, b->corners[j], b->corners[(j + 1) % b->count]};
      if (triangles_cross(s, t)) return true;
    }
  }
  return false;
}

static bool share_vertex(const SupShell *shell, uint32_t a, uint32_t b) {
  for (uint32_t i = shell->offsets[a]; i < shell->offsets[a + 1]; i++) {
    for (uint32_t j = shell->offsets[b]; j < shell->offsets[b + 1]; j++) {
      if (shell->corners[i] == shell->corners[j]) return true;
    }
  }
  return false;
}

SupResult sup_shell_crossings(SupArena *arena, const SupShell *shell, const SupVec3d *positions,
                              void (*found)(void *context, uint32_t a, uint32_t b), void *context,
                              SupError *error) {
  SupArena scratch = sup_scratch(arena);
  Fan *fans = SUP_ALLOC(&scratch, Fan, shell->face_count);
  SupVec3d *corners = SUP_ALLOC(&scratch, SupVec3d, shell->offsets[shell->face_count]);
  const bool room = fans && corners;
  for (uint32_t f = 0; f < shell->face_count && room; f++) {
    const uint32_t first = shell->offsets[f], count = shell->offsets[f + 1] - first;
    fans[f] =
        (Fan){count, corners + first, {0, 0, 0}, {1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    for (uint32_t k = 0; k < count; k++) {
      corners[first + k] = positions[shell->corners[first + k]];
      fans[f].middle = sup_vec3d_add_scaled(fans[f].middle, corners[first + k], 1.0 / count);
      grow(corners[first + k], &fans[f]);
    }
  }
  for (uint32_t a = 0; a < shell->face_count && room; a++) {
    for (uint32_t b = a + 1; b < shell->face_count; b++) {
      if (!share_vertex(shell, a, b) && fans_cross(&fans[a], &fans[b])) found(context, a, b);
    }
  }
  sup_arena_free(&scratch);
  return room ? SUP_OK : sup_fail_memory(error, NULL);
}
