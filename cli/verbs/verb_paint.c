/* SPDX-License-Identifier: MIT */
/* supple paint IN.glb MAP ... -o OUT.glb */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "character/paint_from.h"
#include "character/paint_where.h"
#include "formats.h"
#include "supple/author/body_scale.h"
#include "supple/author/paint.h"
#include "supple/author/shared_vertices.h"
#include "supple/geom/bounds.h"

static const char *const mirror_names[] = {"x+", "x-", "y+", "y-", "z+", "z-", NULL};
static const char *const channel_names[] = {"red", "green", "blue", "alpha", NULL};

typedef struct Paint {
  CliContext *cli;
  CliCharacter source;
  const char *name; /* of the map */
  uint32_t row;     /* SUP_SURFACE_ROWS: no row of the surface */
  SupMesh mesh;     /* the body in its rest pose, scene space */
  float *values;    /* [vertex_count] as people see them */
  float *weights;
  const uint32_t *shared; /* NULL, or vertices that the file stores once */
  bool limited;           /* not everywhere */
  CliModels models;
} Paint;

/* ---- What there is -------------------------------------------------------------------------- */

/* The file's own map, else the model's numbers, else what means nothing. */
static void start_values(Paint *paint) {
  const SupCharacter *character = paint->source.character;
  float fallback = strcmp(paint->name, "material") == 0 ? 1 : 0;
  if (cli_map_values(character, &paint->models, paint->name, paint->row, paint->values)) return;
  if (paint->row < SUP_SURFACE_ALL_MAPS) {
    fallback = sup_surface_def().values[paint->row];
    sup_surface_map_shown(paint->row, sup_body_scale(character), &fallback, 1, &fallback);
  }
  for (uint32_t v = 0; v < paint->mesh.vertex_count; v++) paint->values[v] = fallback;
}

/* The map that the name gives: one that is read, or one of the file; mask_1, mask_2 and so on are
 * free. */
static SupResult find_name(Paint *paint, SupError *error) {
  enum { READ = SUP_SURFACE_ALL_MAPS + 2 };
  const SupCharacter *character = paint->source.character;
  const uint32_t count = READ + character->map_count;
  const char **known = SUP_ALLOC(paint->cli->arena, const char *, count);
  char hint[200];
  if (!known) return sup_fail_memory(error, NULL);
  known[0] = "lock";
  known[1] = "material";
  for (uint32_t k = 0; k < SUP_SURFACE_ALL_MAPS; k++) known[k + 2] = sup_surface_map_name(k);
  for (uint32_t k = 0; k < character->map_count; k++) known[READ + k] = character->maps[k].name;
  const SupNameList names = {known, sizeof *known, count};
  const size_t found = sup_name_find(paint->name, names);
  const bool free = strncmp(paint->name, "mask_", 5) == 0 || cli_flag(paint->cli->arguments, "new");
  if (found < count && (!free || strcmp(known[found], paint->name) == 0)) {
    paint->name = known[found];
    return SUP_OK;
  }
  if (free) return SUP_OK;
  sup_name_hint(hint, sizeof hint, paint->name, names);
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "nothing reads a map '%s'; give --new to create it anyway (names are in lower "
                  "case)%s",
                  paint->name, hint);
}

static SupResult check_where(const Paint *paint, SupError *error) {
  const SupMesh *mesh = &paint->mesh;
  for (uint32_t v = 0; v < mesh->vertex_count; v++) {
    if (paint->weights[v] > 0) return SUP_OK;
  }
  const SupBounds box = sup_bounds(mesh->positions, mesh->vertex_count);
  return sup_fail(error, SUP_ERROR_FORMAT,
                  "no vertex lies there: the body reaches from %.3g,%.3g,%.3g to %.3g,%.3g,%.3g",
                  (double)box.low.x, (double)box.low.y, (double)box.low.z, (double)box.high.x,
                  (double)box.high.y, (double)box.high.z);
}

static SupResult prepare(Paint *paint, SupError *error) {
  CliContext *cli = paint->cli;
  const SupCharacter *character = paint->source.character;
  const uint32_t n = character->body.vertex_count;
  paint->mesh = character->body;
  paint->values = SUP_ALLOC(cli->arena, float, n);
  paint->weights = SUP_ALLOC(cli->arena, float, n);
  if (!paint->values || !paint->weights) return sup_fail_memory(error, NULL);
  SupResult result =
      cli_rest_positions(cli, character, SUP_ORDER_BODY, &paint->mesh.positions, error);
  if (result == SUP_OK) {
    result = cli_models_open(cli, &paint->source, cli_flag(cli->arguments, "rebind"),
                             &paint->models, error);
  }
  if (result == SUP_OK) start_values(paint);
  if (result == SUP_OK) {
    result = cli_where(cli, &paint->source, &paint->mesh, paint->weights, &paint->limited, error);
  }
  if (result == SUP_OK) result = sup_shared_vertices(cli->arena, character, &paint->shared, error);
  if (result == SUP_OK) sup_shared_vertices_greatest(paint->shared, n, paint->weights);
  if (result == SUP_OK) result = check_where(paint, error);
  return result;
}

/* ---- What to do ----------------------------------------------------------------------------- */

static SupResult read_curve(CliContext *cli, const char *text, SupCurve *out_curve,
                            SupError *error) {
  const char *form = "X:Y,X:Y,... with rising X";
  char *copy = sup_arena_string(cli->arena, text, strlen(text));
  uint32_t count = 0, most = 1;
  for (const char *c = text; *c; c++) most += *c == ',';
  float *x = SUP_ALLOC(cli->arena, float, most), *y = SUP_ALLOC(cli->arena, float, most);
  if (!copy || !x || !y) return sup_fail_memory(error, NULL);
  for (char *at = copy; *at; count++) {
    char *end;
    x[count] = strtof(at, &end);
    if (end == at || *end != ':') break;
    at = end + 1;
    y[count] = strtof(at, &end);
    const bool rises = count == 0 || x[count] > x[count - 1];
    if (end == at || (*end && *end != ',') || !isfinite(y[count]) || !rises) break;
    at = *end ? end + 1 : end;
    if (!*at) {
      *out_curve = (SupCurve){count + 1, x, y};
      return SUP_OK;
    }
  }
  return sup_fail(error, SUP_ERROR_ARGUMENT, "--curve '%s' is not of the form %s", text, form);
}

static SupResult from_color(Paint *paint, SupError *error) {
  const CliArguments *arguments = paint->cli->arguments;
  const float *colors;
  const float low = (float)cli_number(arguments, "low"),
              high = (float)cli_number(arguments, "high");
  const size_t channel = (size_t)cli_integer(arguments, "from-color");
  SupResult result = sup_gltf_colors(paint->source.document, paint->source.found, paint->cli->arena,
                                     &colors, error);
  if (result != SUP_OK) return result;
  if (!colors) {
    return sup_fail(error, SUP_ERROR_FORMAT,
                    "%s has no vertex colours (COLOR_0); paint and export them first",
                    paint->source.path);
  }
  for (uint32_t v = 0; v < paint->mesh.vertex_count; v++) {
    const float value = low + colors[4 * (size_t)v + channel] * (high - low);
    paint->values[v] += paint->weights[v] * (value - paint->values[v]);
  }
  return SUP_OK;
}

static SupResult mirror(Paint *paint, SupError *error) {
  const uint32_t side = (uint32_t)cli_integer(paint->cli->arguments, "mirror");
  uint32_t lost;
  SupResult result = sup_paint_mirror(paint->cli->arena, &paint->mesh, side / 2, side % 2,
                                      paint->weights, paint->values, &lost, error);
  if (result == SUP_OK && lost) {
    cli_say(paint->cli, "%s vertices have no counterpart across the plane and keep their value\n",
            cli_count_text(lost).text);
  }
  return result;
}

/* One brush: its option, and what it does. */
typedef enum Brush { SET, ADD, SCALE, SMOOTH, CURVE, COLOR, MIRROR, FROM, BRUSHES } Brush;
static const char *const brush_names[BRUSHES] = {"set",   "add",        "scale",  "smooth",
                                                 "curve", "from-color", "mirror", "from-character"};

static SupResult choose_brush(const CliContext *cli, Brush *out_brush, SupError *error) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < BRUSHES; k++) {
    if (!cli_count(cli->arguments, brush_names[k])) continue;
    *out_brush = (Brush)k;
    count++;
  }
  const bool plans =
      cli_text(cli->arguments, "patches") || cli_text(cli->arguments, "from-patches");
  if (count == 1 && plans && *out_brush != FROM) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--patches and --from-patches say how --from-character copies; add it or leave "
                    "them out");
  }
  if (count == 1) return SUP_OK;
  return sup_fail(error, SUP_ERROR_ARGUMENT,
                  "give one of --set, --add, --scale, --smooth, --curve, --from-color, --mirror, "
                  "--from-character%s",
                  count ? ", not several" : "");
}

static SupResult stroke(Paint *paint, Brush brush, SupError *error) {
  const CliArguments *arguments = paint->cli->arguments;
  const uint32_t n = paint->mesh.vertex_count;
  SupCurve curve;
  /* A curve says itself how soft its edges are. */
  if (brush != CURVE) sup_select_soften(n, paint->weights);
  switch (brush) {
    case SET:
      sup_paint_set(paint->weights, (float)cli_number(arguments, "set"), n, paint->values);
      return SUP_OK;
    case ADD:
      sup_paint_add(paint->weights, (float)cli_number(arguments, "add"), n, paint->values);
      return SUP_OK;
    case SCALE:
      sup_paint_scale(paint->weights, (float)cli_number(arguments, "scale"), n, paint->values);
      return SUP_OK;
    case SMOOTH:
      return sup_paint_smooth(paint->cli->arena, &paint->mesh, paint->weights,
                              (uint32_t)cli_integer(arguments, "smooth"), paint->values, error);
    case COLOR: return from_color(paint, error);
    case MIRROR: return mirror(paint, error);
    case FROM:
      return cli_paint_from(paint->cli, &paint->source, paint->name, paint->weights, paint->values,
                            error);
    default: break;
  }
  if (!paint->limited) {
    return sup_fail(error, SUP_ERROR_ARGUMENT,
                    "--curve needs to know along what: --height, --bone, --sphere or --geodesic");
  }
  SupResult result = read_curve(paint->cli, cli_text(arguments, "curve"), &curve, error);
  if (result != SUP_OK) return result;
  const bool height = cli_text(arguments, "height") != NULL;
  sup_paint_curve(paint->weights, &curve, height, n, paint->values);
  return SUP_OK;
}

static void keep_in_range(Paint *paint) {
  float most = strcmp(paint->name, "lock") == 0 ? 1 : INFINITY, least = 0;
  if (paint->row < SUP_SURFACE_ALL_MAPS && sup_surface_map_most(paint->row) > 0) {
    most = sup_surface_map_most(paint->row);
  }
  for (uint32_t v = 0; v < paint->mesh.vertex_count; v++) {
    paint->values[v] = fminf(fmaxf(paint->values[v], least), most);
  }
}

/* ---- The file ------------------------------------------------------------------------------- */

static bool concerns_surface(const Paint *paint) {
  return paint->row < SUP_SURFACE_ALL_MAPS || strcmp(paint->name, "lock") == 0;
}

/* The model again, with the new map beside those that the file has. */
static SupResult pack_again(Paint *paint, SupError *error) {
  CliContext *cli = paint->cli;
  const SupModel *model = cli_models_find(&paint->models, SUP_SURFACE_KIND);
  SupCharacter character = *paint->source.character;
  SupMap *maps = SUP_ALLOC(cli->arena, SupMap, character.map_count + 1);
  SupSurfaceMaps surface;
  uint32_t count;
  if (!maps) return sup_fail_memory(error, NULL);
  maps[0] = (SupMap){paint->name, paint->values}; /* found before an older one */
  for (uint32_t k = 0; k < character.map_count; k++) maps[k + 1] = character.maps[k];
  character.maps = maps;
  character.map_count++;
  SupSurfaceBuildDef def = sup_surface_build_def();
  def.h = model->h;
  def.flags = sup_surface_view(model).flags;
  SupResult result = sup_surface_maps_create(cli->arena, paint->mesh.vertex_count, &surface, error);
  if (result != SUP_OK) return result;
  sup_surface_maps_of(model, &surface);
  result = sup_surface_maps_read(cli->arena, &character, &surface, &count, error);
  if (result == SUP_OK) {
    result = cli_surface_build(cli, &paint->source, &def, &surface, &model, error);
  }
  if (result == SUP_OK) result = cli_surface_put_maps(cli, &paint->source, &surface, error);
  if (result == SUP_OK) result = cli_models_place(&paint->models, model, error);
  return result;
}

static SupResult save(Paint *paint, SupError *error) {
  const CliCharacter *source = &paint->source;
  SupResult result =
      sup_gltf_put_map(source->document, source->found, paint->name, paint->values, error);
  if (result == SUP_OK && concerns_surface(paint) &&
      cli_models_find(&paint->models, SUP_SURFACE_KIND)) {
    result = pack_again(paint, error);
  }
  if (result == SUP_OK && paint->models.count) {
    result = cli_models_put(source, &paint->models, error);
  }
  if (result != SUP_OK) return result;
  return sup_gltf_save(source->document, cli_text(paint->cli->arguments, "output"),
                       SUP_GLTF_BY_NAME, error);
}

static void report(const Paint *paint, const float *before) {
  const CliContext *cli = paint->cli;
  const uint32_t n = paint->mesh.vertex_count;
  uint32_t changed = 0;
  float low = INFINITY, high = -INFINITY;
  for (uint32_t v = 0; v < n; v++) {
    changed += paint->values[v] != before[v];
    low = fminf(low, paint->values[v]);
    high = fmaxf(high, paint->values[v]);
  }
  cli_say(cli, "%s: %s of %s vertices changed, now %.4g to %.4g -> %s\n", paint->name,
          cli_count_text(changed).text, cli_count_text(n).text, (double)low, (double)high,
          cli_text(cli->arguments, "output"));
  cli_report_text(cli->report, "map", paint->name);
  cli_report_integer(cli->report, "changed", changed);
  cli_report_float(cli->report, "low", low);
  cli_report_float(cli->report, "high", high);
}

static SupResult run(CliContext *cli, SupError *error) {
  Brush brush = SET;
  Paint paint = {.cli = cli, .name = cli->arguments->operands[1]};
  SupResult result = choose_brush(cli, &brush, error);
  if (result == SUP_OK) {
    result = cli_output_gltf(cli_text(cli->arguments, "output"), "a painted character is", error);
  }
  if (result != SUP_OK) return result;
  result = cli_character_open(cli, cli->arguments->operands[0], &paint.source, error);
  if (result != SUP_OK) return result;
  result = find_name(&paint, error);
  paint.row = sup_surface_map_row(paint.name);
  if (result == SUP_OK) result = prepare(&paint, error);
  float *before = NULL;
  if (result == SUP_OK) {
    before = SUP_COPY(cli->arena, float, paint.values, paint.mesh.vertex_count);
    if (!before) result = sup_fail_memory(error, NULL);
  }
  if (result == SUP_OK) result = stroke(&paint, brush, error);
  if (result == SUP_OK) {
    sup_shared_vertices_copy(paint.shared, paint.mesh.vertex_count, paint.values);
    keep_in_range(&paint);
    result = save(&paint, error);
  }
  if (result == SUP_OK) report(&paint, before);
  cli_character_close(&paint.source);
  return result;
}

static const CliOption options[] = {
    {.name = "output",
     .letter = 'o',
     .kind = CLI_OUTPUT,
     .value_name = "FILE",
     .help = "write a .glb or .gltf",
     .required = true},
    {.name = "set", .kind = CLI_NUMBER, .value_name = "N", .help = "what: set to this value"},
    {.name = "add", .kind = CLI_NUMBER, .value_name = "N", .help = "what: add this value"},
    {.name = "scale",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "what: multiply by this factor"},
    {.name = "smooth",
     .kind = CLI_INTEGER,
     .value_name = "N",
     .help = "what: average over neighbours, N times",
     .low = 1,
     .high = 10000},
    {.name = "curve",
     .kind = CLI_TEXT,
     .value_name = "X:Y,...",
     .help = "what: map the strength of the place, X from 0 to 1, to the value Y",
     .advanced = true},
    {.name = "mirror",
     .kind = CLI_CHOICE,
     .choices = mirror_names,
     .help = "what: copy to the other side; x+: from where x is positive"},
    {.name = "from-color",
     .kind = CLI_CHOICE,
     .choices = channel_names,
     .help = "what: copy a channel of the vertex colours, scaled by --low and --high",
     .advanced = true},
    {.name = "low",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "with --from-color: set the value of black",
     .advanced = true,
     .fallback = "0"},
    {.name = "high",
     .kind = CLI_NUMBER,
     .value_name = "N",
     .help = "with --from-color: set the value of full colour",
     .advanced = true,
     .fallback = "1"},
    CLI_FROM_OPTIONS,
    CLI_WHERE_OPTIONS,
    {.name = "new",
     .kind = CLI_FLAG,
     .help = "create a map of a name that nothing reads yet",
     .advanced = true},
    CLI_REBIND_OPTION,
    CLI_CHARACTER_OPTIONS,
    {0},
};

const CliVerb cli_verb_paint = {
    .name = "paint",
    .summary = "edit a map of a character: what is soft, stiff or locked",
    .usage = "IN.glb MAP WHAT [WHERE...] -o OUT.glb",
    .details =
        "Edits numbers per vertex, stored as attributes (_SUPPLE_STIFFNESS, ...):\n"
        "  stiffness 0..1   pull to the skinned position    amount  0..1  inertia that is felt\n"
        "  damping 0..0.5   evens out velocities            drag    0..1  damps the swinging\n"
        "  detail  0..1     keeps the fine detail           volume  0..1  keeps off the bones\n"
        "  reach, backstop  maximum distance outwards and inwards, in metres\n"
        "  lock    0..1     follows the bones               material      scales the simulator's\n"
        "                                                                 stiffness\n"
        "  normal_stiffness, normal_drag 0..1   along the skin's normal; once they are painted,\n"
        "                   stiffness and drag are the tangential ones\n"
        "Also mask_1, ... and, with --new, any other name. A surface model in the file is\n"
        "repacked with the painted maps and stays stable. Where several WHERE options are given,\n"
        "their strengths multiply.\n"
        "\n"
        "  supple paint hero.glb lock --set 1 --bone head --below -o hero-head.glb\n"
        "  supple paint hero.glb amount --scale 0.5 --height 0.3,0.6 -o calmer.glb\n"
        "  supple paint hero.glb stiffness --curve 0:0.3,0.5:0.05,1:0.3 --height 0,1 -o soft.glb\n",
    .example =
        "supple build surface mochi.glb --preset fat -o mochi-fat.glb\n"
        "supple paint mochi-fat.glb lock --set 1 --bone head -o mochi-head.glb",
    .options = options,
    .least_operands = 2,
    .most_operands = 2,
    .last_words = 1,
    .run = run,
};
