/* SPDX-License-Identifier: MIT */
/* What a file is by its first bytes, for a sentence where another kind is wanted. */
#include <string.h>

#include "supple/io/file.h"

typedef enum Kind { STRANGE, CHARACTER, CACHE, MODEL } Kind;

typedef struct Mark {
  const char *bytes; /* that the file begins with */
  uint8_t count;
  uint8_t kind;
  const char *what;   /* "this is ..." */
  const char *advice; /* what to do, or NULL */
} Mark;

#define BLENDER "Blender (import it, export glTF 2.0)"

static const Mark marks[] = {
    {"glTF", 4, CHARACTER, "a glTF character", NULL},
    {"POINTCACHE2", 11, CACHE, "a PC2 point cache", NULL},
    {"SUPM", 4, MODEL, "a model of `supple build`", NULL},
    {"version https://git-lfs", 23, STRANGE, "a Git LFS pointer",
     "`git lfs pull` fetches the file itself"},
    {"<!DOCTYPE html", 14, STRANGE, "a web page", "download the file itself"},
    {"<!doctype html", 14, STRANGE, "a web page", "download the file itself"},
    {"<html", 5, STRANGE, "a web page", "download the file itself"},
    {"\x89PNG", 4, STRANGE, "a PNG picture", NULL},
    {"\xff\xd8\xff", 3, STRANGE, "a JPEG picture", NULL},
    {"GIF8", 4, STRANGE, "a GIF picture", NULL},
    {"RIFF", 4, STRANGE, "a WebP picture, a sound or a film", NULL},
    {"%PDF", 4, STRANGE, "a PDF document", NULL},
    {"Kaydara FBX", 11, STRANGE, "FBX", "convert it with " BLENDER " or FBX2glTF"},
    {"; FBX", 5, STRANGE, "FBX", "convert it with " BLENDER " or FBX2glTF"},
    {"BLENDER", 7, STRANGE, "a Blender file", "export it as glTF 2.0 (.glb) from Blender"},
    {"\x28\xB5\x2F\xFD", 4, STRANGE, "compressed (a Blender file?)",
     "export it as glTF 2.0 (.glb) from Blender"},
    {"<COLLADA", 8, STRANGE, "COLLADA", "convert it with " BLENDER},
    {"<?xml", 5, STRANGE, "XML (COLLADA?)", "convert it with " BLENDER},
    {"#usda", 5, STRANGE, "USD", "convert it with " BLENDER},
    {"PXR-USDC", 8, STRANGE, "USD", "convert it with " BLENDER},
    {"PK\x03\x04", 4, STRANGE, "a ZIP archive (.zip, .usdz)", "unpack it and give what is inside"},
    {"\x1f\x8b", 2, STRANGE, "a gzip archive", "unpack it and give what is inside"},
    {"HIERARCHY", 9, STRANGE, "BVH motion", "import it onto the character in Blender"},
    {"ply\n", 4, STRANGE, "PLY", "convert it with " BLENDER},
};

static const char *const wanted_texts[] = {
    [SUP_WANTED_CHARACTER] = "a character (.glb or .gltf)",
    [SUP_WANTED_CACHE] = "a point cache (.pc2 or .mdd)",
    [SUP_WANTED_MESH] = "an OBJ mesh",
    [SUP_WANTED_MODEL] = "a model (.supple)",
    [SUP_WANTED_SCENARIO] = "a scenario (.json)",
};

/* What a glTF, a cache or a model is good for, where another is wanted. */
static const char *way_from(Kind kind, SupWanted wanted) {
  if (kind == CHARACTER && wanted == SUP_WANTED_CACHE) return "`supple play` makes one of a clip";
  if (kind == CHARACTER && wanted == SUP_WANTED_MODEL) {
    return "`supple convert --model` takes one out of it";
  }
  if (kind == CHARACTER && wanted == SUP_WANTED_MESH) return "its name should end in .glb";
  if (kind == CACHE && wanted == SUP_WANTED_CHARACTER) return "give the character that it moves";
  if (kind == MODEL && wanted == SUP_WANTED_CHARACTER) {
    return "give the .glb that `supple build` made it for";
  }
  return NULL;
}

/* Lines such as "v 0.1 2 3" near the beginning. */
static bool looks_like_obj(const char *data, size_t bytes) {
  const size_t end = bytes < 8192 ? bytes : 8192;
  for (size_t k = 0; k + 3 < end; k++) {
    if ((k == 0 || data[k - 1] == '\n') && data[k] == 'v' && data[k + 1] == ' ' &&
        strchr(" -.0123456789", data[k + 2]) && data[k + 2]) {
      return true;
    }
  }
  return false;
}

static SupResult refuse(SupError *error, const char *what, const char *wanted, const char *advice) {
  return sup_fail(error, SUP_ERROR_UNSUPPORTED, "this is %s, not %s%s%s", what, wanted,
                  advice ? "; " : "", advice ? advice : "");
}

SupResult sup_file_refuse_other(const void *data, size_t bytes, SupWanted wanted, SupError *error) {
  static const uint8_t serves[] = {[SUP_WANTED_CHARACTER] = CHARACTER,
                                   [SUP_WANTED_CACHE] = CACHE,
                                   [SUP_WANTED_MODEL] = MODEL,
                                   [SUP_WANTED_MESH] = 255,
                                   [SUP_WANTED_SCENARIO] = 255};
  if (bytes == 0) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "the file is empty (0 bytes), so it is not %s; export or copy it again",
                    wanted_texts[wanted]);
  }
  for (size_t k = 0; k < sizeof marks / sizeof *marks; k++) {
    const Mark *mark = &marks[k];
    if (bytes < mark->count || memcmp(data, mark->bytes, mark->count) != 0) continue;
    if (mark->kind == serves[wanted]) return SUP_OK;
    const char *advice = mark->kind ? way_from(mark->kind, wanted) : mark->advice;
    return refuse(error, mark->what, wanted_texts[wanted], advice);
  }
  if (wanted == SUP_WANTED_CHARACTER && looks_like_obj(data, bytes)) {
    return refuse(error, "an OBJ mesh without a skeleton", wanted_texts[wanted],
                  "rig it in Blender and export it as glTF 2.0");
  }
  return SUP_OK;
}
