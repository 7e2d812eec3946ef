/* SPDX-License-Identifier: MIT */
#include "formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct Ending {
  const char *text;
  CliFormat format;
} Ending;

static const Ending endings[] = {
    {".glb", CLI_FORMAT_GLTF},     {".gltf", CLI_FORMAT_GLTF}, {".vrm", CLI_FORMAT_GLTF},
    {".obj", CLI_FORMAT_OBJ},      {".pc2", CLI_FORMAT_CACHE}, {".mdd", CLI_FORMAT_CACHE},
    {".supple", CLI_FORMAT_MODEL},
};

/* Formats of others, and the way from there. */
typedef struct Stranger {
  const char *text;
  const char *advice;
} Stranger;

#define PICTURE "a picture is no character; `supple play IN.glb -o X.png` draws one"
#define FILM "moving pictures are written by `supple play IN.glb -o X.webp`"

static const Stranger strangers[] = {
    {".png", PICTURE},
    {".jpg", PICTURE},
    {".jpeg", PICTURE},
    {".webp", PICTURE},
    {".gif", FILM},
    {".mp4", FILM},
    {".mov", FILM},
    {".webm", FILM},
    {".html", "pages are written by `supple view IN.glb -o X.html`"},
    {".zip", "unpack it and give what is inside"},
    {".fbx", "FBX is converted by Blender (import, then export as glTF 2.0) or by FBX2glTF"},
    {".dae", "Collada is converted by Blender (import, then export as glTF 2.0)"},
    {".blend", "open it in Blender and export it as glTF 2.0 (.glb)"},
    {".usd", "USD is converted by Blender (import, then export as glTF 2.0)"},
    {".usda", "USD is converted by Blender (import, then export as glTF 2.0)"},
    {".usdc", "USD is converted by Blender (import, then export as glTF 2.0)"},
    {".usdz", "USD is converted by Blender (import, then export as glTF 2.0)"},
    {".abc", "Alembic is converted by Blender: import it, then export an MDD or PC2 point cache"},
    {".bvh", "import the motion onto the character in Blender and export both as glTF 2.0"},
    {".drc",
     "bare Draco data is no glTF; gltf-transform decodes Draco inside one "
     "(npx @gltf-transform/cli copy in.glb out.glb)"},
    {".ply", "PLY is converted by Blender (import, then export as OBJ or glTF 2.0)"},
    {".stl", "STL is converted by Blender (import, then export as OBJ or glTF 2.0)"},
    {".max", "export it from 3ds Max as glTF 2.0"},
    {".ma", "export it from Maya as FBX and convert that with FBX2glTF or Blender"},
    {".mb", "export it from Maya as FBX and convert that with FBX2glTF or Blender"},
};

SupResult cli_format(const char *path, CliFormat *out_format, SupError *error) {
  const char *ending = strrchr(path, '.');
  if (!ending || strchr(ending, '/')) ending = "";
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    if (strcasecmp(ending, endings[k].text) != 0) continue;
    *out_format = endings[k].format;
    return SUP_OK;
  }
  for (size_t k = 0; k < sizeof strangers / sizeof *strangers; k++) {
    if (strcasecmp(ending, strangers[k].text) != 0) continue;
    return sup_fail(error, SUP_ERROR_UNSUPPORTED, "%s: Supple reads no %s files: %s", path, ending,
                    strangers[k].advice);
  }
  return sup_fail(error, SUP_ERROR_UNSUPPORTED,
                  "%s: %s; Supple knows characters (.glb, .gltf, .vrm), meshes (.obj), point "
                  "caches (.pc2, .mdd) and models (.supple)",
                  path,
                  *ending ? "this ending means nothing to Supple"
                          : "the name has no ending that says what it is");
}

SupResult cli_output_gltf(const char *path, const char *what, SupError *error) {
  CliFormat format = CLI_FORMAT_MODEL;
  if (cli_format(path, &format, error) == SUP_OK && format == CLI_FORMAT_GLTF) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "%s: %s written as .glb or .gltf; give the output such a name", path, what);
}

const char *const cli_axis_names[] = {"y", "z", NULL};

SupResult cli_read_unit(const char *text, double *out_metres, SupError *error) {
  static const struct {
    const char *name;
    double metres;
  } units[] = {{"m", 1}, {"cm", 0.01}, {"mm", 0.001}, {"in", 0.0254}, {"ft", 0.3048}};
  for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
    if (strcmp(text, units[k].name) != 0) continue;
    *out_metres = units[k].metres;
    return SUP_OK;
  }
  char *end;
  *out_metres = strtod(text, &end);
  if (!*end && end != text && *out_metres >= 1e-6 && *out_metres <= 1e6) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "--units %s: give m, cm, mm, in, ft, or the length of a unit in metres", text);
}

SupResult cli_space(const CliArguments *arguments, CliSpace *out_space, SupError *error) {
  double scale;
  SupResult result = cli_read_unit(cli_text(arguments, "units"), &scale, error);
  if (result != SUP_OK) return result;
  *out_space = (CliSpace){(float)scale, cli_integer(arguments, "up-axis") ? SUP_UP_Z : SUP_UP_Y};
  return SUP_OK;
}

CliCount cli_bytes_text(uint64_t bytes) {
  static const char *const names[] = {"KB", "MB", "GB", "TB"};
  CliCount count;
  if (bytes < 1000) {
    snprintf(count.text, sizeof count.text, "%llu bytes", (unsigned long long)bytes);
    return count;
  }
  double value = (double)bytes / 1000;
  size_t k = 0;
  for (; value >= 999.5 && k < 3; k++) value /= 1000;
  snprintf(count.text, sizeof count.text, value < 9.95 ? "%.1f %s" : "%.0f %s", value, names[k]);
  return count;
}

CliCount cli_percent_text(double fraction) {
  CliCount text;
  const double percent = 100 * fraction, away = fabs(percent);
  const int decimals = away >= 9.95 ? 0 : away >= 0.995 ? 1 : away >= 0.0995 ? 2 : 3;
  snprintf(text.text, sizeof text.text, "%.*f", away < 5e-4 ? 0 : decimals, percent);
  return text;
}
