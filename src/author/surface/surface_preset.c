/* SPDX-License-Identifier: MIT */
/*
 * Presets of flesh.
 *
 * A vertex by itself is x' = x + (1 - delta)(x - x_before) + alpha (goal - x): its poles are the
 * roots of z^2 - (2 - alpha - delta) z + (1 - delta). Those of an oscillator of angular frequency
 * w and damping ratio r, sampled at steps of h, are exp(-r w h +- i w sqrt(1 - r^2) h); their
 * product and sum give delta and alpha.
 */
#include "supple/author/surface_build.h"
#include "supple/author/thickness.h"

static const SupSurfacePreset presets[] = {
    {"fat", "heavy and slow, rolls on after every step", 2.8f, 0.17f, 0.2f, 0.1f, 1.0f, 1.0f, 0.35f,
     0.03f, 0.06f, 0.4f},
    {"soft", "relaxed flesh of an ordinary body", 3.8f, 0.22f, 0.2f, 0.1f, 1.0f, 1.0f, 0.3f, 0.03f,
     0.06f, 0.35f},
    {"firm", "a trained body: small, quick, soon still", 5.2f, 0.3f, 0.2f, 0.15f, 1.0f, 1.0f, 0.25f,
     0.04f, 0.05f, 0.3f},
    {"muscle", "tight: quivers on impacts only", 6.5f, 0.15f, 0.1f, 0.15f, 1.0f, 1.0f, 0.15f, 0.08f,
     0.04f, 0.25f},
    {"jelly", "a cartoon: everything wobbles, long", 2.3f, 0.1f, 0.1f, 0.0f, 0.8f, 1.0f, 0.5f, 0.0f,
     0.08f, 0.55f},
};

#define PRESET_COUNT (sizeof presets / sizeof *presets)
#define HIGHEST 9.0        /* Hz: alpha stays below 1 at steps of 1/60 s */
#define STIFF_DAMPING 0.7f /* ratio of skin that only follows */
#define FOLLOWING 0.3f     /* amount below which skin begins to only follow */

uint32_t sup_surface_preset_count(void) { return PRESET_COUNT; }

const SupSurfacePreset *sup_surface_preset(uint32_t k) { return &presets[k]; }

const SupSurfacePreset *sup_surface_preset_find(const char *name) {
  for (uint32_t k = 0; k < PRESET_COUNT; k++) {
    if (sup_string_equal(presets[k].name, name)) return &presets[k];
  }
  return NULL;
}

/* ---- Frequency and damping --------------------------------------------------------------------
 */

static float clamped(double x, double least, double most) {
  return (float)(x < least ? least : x > most ? most : x);
}

void sup_surface_tune(float frequency, float damping, float h, float *out_alpha, float *out_delta) {
  const double angle = 2 * SUP_PI * (double)frequency * (double)h;
  const double ratio = (double)clamped((double)damping, 0, 1);
  const double radius = sup_exp(-ratio * angle);
  const double delta = 1 - radius * radius;
  const double alpha = 2 - delta - 2 * radius * sup_cos(angle * sup_sqrt(1 - ratio * ratio));
  *out_alpha = clamped(alpha, 1e-6, 1);
  *out_delta = clamped(delta, 0, 1);
}

/* ---- Bones ------------------------------------------------------------------------------------
 */

static float vertex_freedom(const SupCharacter *character, uint32_t v) {
  const SupSkin *skin = &character->skin;
  float freedom = 0;
  for (uint32_t k = skin->offsets[v]; k < skin->offsets[v + 1]; k++) {
    freedom += skin->weights[k] * sup_bone_freedom(&character->skeleton, skin->bones[k]);
  }
  return freedom < 1 ? freedom : 1;
}

/* ---- Maps -------------------------------------------------------------------------------------
 */

static float ramp(float low, float high, float x) {
  const float t = (x - low) / (high - low);
  return t > 0 ? t < 1 ? t : 1 : 0;
}

/* The thickest tenth of the body, so that one odd vertex does not set the scale. */
#define THICKEST 0.9f

/* The frequency and damping ratio of a vertex. Skin that should follow its goal also gets a stiff
 * spring: what is handed on of the goal's acceleration comes one step late. */
static void tune_vertex(const SupSurfacePreset *preset, float fraction, float felt, float h,
                        float *out_alpha, float *out_delta) {
  const double bounded = (double)clamped((double)fraction, 0.02, 1.25);
  double octaves = sup_log((double)preset->frequency) - (double)preset->slope * sup_log(bounded);
  const double highest = sup_log(HIGHEST);
  if (octaves > highest) octaves = highest;
  octaves += (1 - (double)felt) * (highest - octaves);
  const float damping = preset->damping + (1 - felt) * (STIFF_DAMPING - preset->damping);
  sup_surface_tune((float)sup_exp(octaves), damping, h, out_alpha, out_delta);
}

void sup_surface_preset_apply(const SupSurfacePreset *preset, const SupCharacter *character,
                              const float *thickness, float h, SupSurfaceMaps *io_maps) {
  const float thickest = sup_area_quantile(&character->body, thickness, THICKEST);
  io_maps->normal = false;
  const float steps = 60 * h; /* the presets are written for 60 steps a second */
  for (uint32_t v = 0; v < io_maps->vertex_count; v++) {
    const float fraction = thickest > 0 ? thickness[v] / thickest : 1;
    const float freedom = vertex_freedom(character, v);
    const float amount = preset->amount * ramp(preset->thin, preset->thick, fraction) * freedom;
    /* Where nothing is felt, nothing else may pull the skin from its goal either. */
    const float felt = amount < FOLLOWING ? amount / FOLLOWING : 1;
    tune_vertex(preset, fraction, felt, h, &io_maps->rows[SUP_SURFACE_ALPHA][v],
                &io_maps->rows[SUP_SURFACE_DELTA][v]);
    io_maps->rows[SUP_SURFACE_BETA][v] =
        clamped((double)(felt * preset->detail * steps * steps), 0, 1);
    io_maps->rows[SUP_SURFACE_GAMMA][v] =
        clamped((double)(felt * preset->volume * steps * steps), 0, 1);
    io_maps->rows[SUP_SURFACE_LAMBDA][v] = clamped((double)(felt * preset->spread * steps), 0, 0.5);
    io_maps->rows[SUP_SURFACE_ETA][v] = 1 - amount;
    const float max_distance = felt * preset->max_distance * thickness[v] * (0.4f + 0.6f * freedom);
    io_maps->rows[SUP_SURFACE_MAX_DISTANCE][v] = clamped((double)max_distance, 1e-6, 1e30);
    io_maps->rows[SUP_SURFACE_STOP][v] = 1e30f;
  }
}
