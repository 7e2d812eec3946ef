/* SPDX-License-Identifier: MIT */
/*
 * For the checks by other people's programs (tests/node/gltf_check.mjs):
 *
 *   gltf_writer write DIR   writes DIR/in/NAME.glb|gltf (fixtures, real characters), and from each
 *                           DIR/out/NAME.glb, NAME.gltf, NAME_whole.gltf (saved),
 *                           NAME_edited.glb (everything added that can be), NAME_fresh.glb
 *   gltf_writer seeds DIR   writes the fixtures alone, for the fuzzer
 *   gltf_writer check DIR   compares DIR/transform/NAME.glb, which another program made from
 *                           DIR/out/NAME.glb, with DIR/in/NAME
 */
#include "check.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "gltf_fixtures.h"
#include "supple/io/file.h"

static SupArena arena;
static SupError error;

static void must(SupResult result) {
  if (result == SUP_OK) return;
  fprintf(stderr, "gltf_writer: %s\n", error.text);
  exit(1);
}

/* Maps, a joint, weights, a clip, morph targets and a model block on every character. */
static void edit(SupGltf *document) {
  uint32_t count;
  SupGltfCharacter *all;
  must(sup_gltf_characters(document, &arena, &count, &all, &error));
  for (uint32_t k = 0; k < count; k++) {
    SupGltfCharacter *c = &all[k];
    const SupCharacter *noun = &c->character;
    float *values = SUP_ALLOC(&arena, float, noun->body.vertex_count);
    SupVec3 *offsets = SUP_ALLOC(&arena, SupVec3, noun->render.vertex_count);
    for (uint32_t v = 0; v < noun->render.vertex_count; v++) offsets[v].y = 0.01f * (float)(v % 7);
    SupGltfMorph morph = {"bulge", 0, offsets, NULL};
    SupGltfJoint joint = {"helper", 0, sup_transform_identity(), sup_affine_identity()};
    SupGltfModel model = {"modes", (const uint8_t *)"0123456789abcdef", 16};
    must(sup_gltf_put_map(document, c, "stiffness", values, &error));
    must(sup_gltf_put_models(document, c, 1, &model, &error));
    must(sup_gltf_put_models(document, c, 1, &model, &error));
    must(sup_gltf_add_morphs(document, c, 1, &morph, &error));
    must(sup_gltf_add_joints(document, c, 1, &joint, NULL, &error));
  }
  must(sup_gltf_characters(document, &arena, &count, &all, &error));
  for (uint32_t k = 0; k < count; k++) {
    SupGltfCharacter *c = &all[k];
    must(sup_gltf_put_skin(document, c, &c->character.skin, &error));
    SupClip clip = c->character.clips[0];
    clip.name = "again";
    must(sup_gltf_put_clip(document, c, &clip, &error));
    must(sup_gltf_put_clip(document, c, &clip, &error));
    must(sup_gltf_put_clip(document, c, &c->character.clips[0], &error));
  }
}

/* Saves one input in every way. */
static void write_outputs(const char *folder, const char *input, const char *name) {
  SupGltf *document, *fresh;
  char path[700];
  uint32_t count;
  SupGltfCharacter *all;
  must(sup_gltf_open(input, NULL, &document, &error));
  snprintf(path, sizeof path, "%s/out/%s.glb", folder, name);
  must(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error));
  snprintf(path, sizeof path, "%s/out/%s.gltf", folder, name);
  must(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error));
  snprintf(path, sizeof path, "%s/out/%s_whole.gltf", folder, name);
  must(sup_gltf_save(document, path, SUP_GLTF_TEXT_EMBEDDED, &error));
  must(sup_gltf_characters(document, &arena, &count, &all, &error));
  must(sup_gltf_from_character(&all[0].character, NULL, &fresh, &error));
  snprintf(path, sizeof path, "%s/out/%s_fresh.glb", folder, name);
  must(sup_gltf_save(fresh, path, SUP_GLTF_BY_NAME, &error));
  edit(document);
  snprintf(path, sizeof path, "%s/out/%s_edited.glb", folder, name);
  must(sup_gltf_save(document, path, SUP_GLTF_BY_NAME, &error));
  sup_gltf_close(fresh);
  sup_gltf_close(document);
  sup_arena_free(&arena);
}

/* Text with base64 inside changes better than a .glb, whose lengths must fit. */
static void write_seeds(const char *folder) {
  for (const unsigned *flags = fixture_list; *flags != FIXTURE_END; flags++) {
    for (unsigned text = 0; text < 2; text++) {
      Fixture fixture = fixture_make(*flags | (text ? FIX_TEXT : 0));
      char path[700];
      snprintf(path, sizeof path, "%s/%s_%u", folder, fixture_name(*flags), text);
      must(sup_file_save(sup_heap_allocator(), path, fixture.file, fixture.bytes, &error));
      fixture_free(&fixture);
    }
  }
}

static void write_fixtures(const char *folder) {
  for (const unsigned *flags = fixture_list; *flags != FIXTURE_END; flags++) {
    Fixture fixture = fixture_make(*flags);
    char path[700];
    snprintf(path, sizeof path, "%s/in/%s.%s", folder, fixture_name(*flags),
             *flags & FIX_TEXT ? "gltf" : "glb");
    must(sup_file_save(sup_heap_allocator(), path, fixture.file, fixture.bytes, &error));
    write_outputs(folder, path, fixture_name(*flags));
    fixture_free(&fixture);
  }
}

static void write_real(const char *folder, const char *data) {
  DIR *listing = opendir(data);
  for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || (strcmp(dot, ".glb") && strcmp(dot, ".gltf"))) continue;
    char from[700], to[700], name[100];
    const uint8_t *file;
    size_t bytes;
    snprintf(from, sizeof from, "%s/%s", data, entry->d_name);
    snprintf(to, sizeof to, "%s/in/%s", folder, entry->d_name);
    snprintf(name, sizeof name, "%.*s", (int)(dot - entry->d_name), entry->d_name);
    must(sup_file_read(&arena, from, &file, &bytes, &error));
    must(sup_file_save(sup_heap_allocator(), to, file, bytes, &error));
    write_outputs(folder, to, name);
  }
  if (listing) closedir(listing);
}

/* ---- Checking ------------------------------------------------------------------------------- */

static void differ(const char *path, const char *what) {
  fprintf(stderr, "gltf_writer: %s: %s differ\n", path, what);
  exit(1);
}

/* What another program must not change: counts, the body's corners and weights, the clips. It may
 * reorder vertices, so positions are compared along the triangles. */
static void compare(const char *path, const SupCharacter *a, const SupCharacter *b) {
  if (a->skeleton.joint_count != b->skeleton.joint_count) differ(path, "joints");
  if (a->body.triangle_count != b->body.triangle_count) differ(path, "triangles");
  if (a->body.vertex_count != b->body.vertex_count) differ(path, "vertices");
  if (a->clip_count != b->clip_count) differ(path, "clips");
  if (a->morph_count != b->morph_count) differ(path, "morph targets");
  if (a->map_count != b->map_count) differ(path, "maps");
  for (uint32_t c = 0; c < a->clip_count; c++) {
    if (a->clips[c].track_count != b->clips[c].track_count) differ(path, "tracks");
    if (fabsf(a->clips[c].duration - b->clips[c].duration) > 1e-6f) differ(path, "durations");
  }
  for (size_t k = 0; k < 3 * (size_t)a->body.triangle_count; k++) {
    uint32_t v = a->body.triangles[k], w = b->body.triangles[k];
    if (memcmp(&a->body.positions[v], &b->body.positions[w], sizeof(SupVec3)) != 0) {
      differ(path, "positions");
    }
    uint32_t first = a->skin.offsets[v], other = b->skin.offsets[w];
    if (a->skin.offsets[v + 1] - first != b->skin.offsets[w + 1] - other) differ(path, "weights");
    if (memcmp(a->skin.weights + first, b->skin.weights + other,
               (a->skin.offsets[v + 1] - first) * sizeof(float)) != 0) {
      differ(path, "weights");
    }
  }
}

static unsigned check_folder(const char *folder) {
  char path[700];
  unsigned checked = 0;
  snprintf(path, sizeof path, "%s/in", folder);
  DIR *listing = opendir(path);
  for (struct dirent *entry; listing && (entry = readdir(listing)) != NULL;) {
    const char *dot = strrchr(entry->d_name, '.');
    if (!dot || entry->d_name[0] == '.') continue;
    SupGltf *before, *after;
    uint32_t count, other_count;
    SupGltfCharacter *characters, *others;
    snprintf(path, sizeof path, "%s/in/%s", folder, entry->d_name);
    must(sup_gltf_open(path, NULL, &before, &error));
    snprintf(path, sizeof path, "%s/transform/%.*s.glb", folder, (int)(dot - entry->d_name),
             entry->d_name);
    must(sup_gltf_open(path, NULL, &after, &error));
    must(sup_gltf_characters(before, &arena, &count, &characters, &error));
    must(sup_gltf_characters(after, &arena, &other_count, &others, &error));
    if (count != other_count) differ(path, "characters");
    for (uint32_t k = 0; k < count; k++) {
      compare(path, &characters[k].character, &others[k].character);
    }
    sup_gltf_close(before);
    sup_gltf_close(after);
    sup_arena_free(&arena);
    checked++;
  }
  if (listing) closedir(listing);
  return checked;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  sup_arena_init(&arena, sup_heap_allocator(), 0);
  if (strcmp(argv[1], "check") == 0) {
    printf("%u files are as they were\n", check_folder(argv[2]));
    return 0;
  }
  if (strcmp(argv[1], "seeds") == 0) {
    write_seeds(argv[2]);
    return 0;
  }
  char path[700];
  const char *data = getenv("SUPPLE_TEST_DATA");
  snprintf(path, sizeof path, "%s/in", argv[2]);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/out", argv[2]);
  mkdir(path, 0777);
  write_fixtures(argv[2]);
  if (data) {
    write_real(argv[2], data);
    snprintf(path, sizeof path, "%s/fixtures", data);
    write_real(argv[2], path);
  }
  return 0;
}
