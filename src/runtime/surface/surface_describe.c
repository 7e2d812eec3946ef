/* SPDX-License-Identifier: MIT */
/* What a surface model is like, in words that people know: frequencies and damping ratios. */
#include "runtime/surface/surface_describe.h"

void sup_surface_tuning(float alpha, float delta, float h, float *out_frequency,
                        float *out_damping) {
  const double d = (double)delta < 0.999999 ? (double)delta : 0.999999, k = (double)alpha;
  const double radius = sup_sqrt(1 - d), cosine = (2 - k - d) / (2 * radius);
  const double decay = -sup_log(radius); /* r w h */
  if (cosine < 1 && cosine > -1) {
    const double turn = sup_acos(cosine), angle = sup_sqrt(turn * turn + decay * decay);
    *out_frequency = (float)(angle / (2 * SUP_PI * (double)h));
    *out_damping = (float)(angle > 0 ? decay / angle : 0);
  } else { /* two real poles: the oscillator with the same product, and ratio above 1 */
    const double half = (2 - k - d) / 2, root = sup_sqrt(half * half - (1 - d));
    const double a = half + root, b = half - root;
    const double la = a > 0 ? -sup_log(a) : 20, lb = b > 0 ? -sup_log(b) : 20;
    const double angle = sup_sqrt(la * lb > 0 ? la * lb : 0);
    *out_frequency = (float)(angle / (2 * SUP_PI * (double)h));
    *out_damping = (float)(angle > 0 ? (la + lb) / (2 * angle) : 1);
  }
}

/* How flesh swings in one direction. */
typedef struct Swing {
  float low, high, softest; /* Hz, Hz, damping ratio at the lowest */
  uint32_t moving;          /* vertices */
} Swing;

static Swing measure(const SupSurfaceView *view, const float *rows, uint32_t row_count,
                     uint32_t stiffness, uint32_t drag) {
  Swing swing = {.low = 1e30f};
  for (uint32_t lane = 0; lane < view->skin.vertex_count; lane++) {
    const size_t block = lane / SUP_SKIN_BLOCK, i = lane % SUP_SKIN_BLOCK;
    const float *own = view->parameters + SUP_SKIN_BLOCK * SUP_SURFACE_ROWS * block + i;
    if (own[SUP_SKIN_BLOCK * SUP_SURFACE_ETA] > 0.9f) continue; /* skin that only follows */
    const float *from = rows + SUP_SKIN_BLOCK * row_count * block + i;
    float frequency, damping;
    sup_surface_tuning(from[SUP_SKIN_BLOCK * stiffness], from[SUP_SKIN_BLOCK * drag], view->h,
                       &frequency, &damping);
    swing.moving++;
    if (frequency > swing.high) swing.high = frequency;
    if (frequency < swing.low) swing.low = frequency, swing.softest = damping > 0 ? damping : 0;
  }
  return swing;
}

/* The same along the normal, where that has numbers of its own. */
static void describe_normal(const SupSurfaceView *view, const SupFacts *facts) {
  const Swing swing = measure(view, view->normal_rows, SUP_SURFACE_NORMAL_ROWS,
                              SUP_SURFACE_NORMAL_ALPHA, SUP_SURFACE_NORMAL_DELTA);
  char text[128];
  sup_format(text, sizeof text,
             "that is along the skin; along its normal %.2g to %.2g Hz, damping ratio %.2g",
             (double)swing.low, (double)swing.high, (double)swing.softest);
  facts->line(facts->user, "", text);
  facts->number(facts->user, "normal_lowest_frequency", (double)swing.low);
  facts->number(facts->user, "normal_highest_frequency", (double)swing.high);
  facts->number(facts->user, "normal_damping_ratio", (double)swing.softest);
}

void sup_surface_describe(const SupModel *model, const SupFacts *facts) {
  const SupSurfaceView view = sup_surface_view(model);
  const bool undelayed = view.flags & SUP_SURFACE_UNDELAYED;
  const bool own = view.flags & SUP_SURFACE_OWN_INERTIA;
  const Swing swing =
      measure(&view, view.parameters, SUP_SURFACE_ROWS, SUP_SURFACE_ALPHA, SUP_SURFACE_DELTA);
  char text[160];
  facts->number(facts->user, "moving_vertices", swing.moving);
  facts->flag(facts->user, "undelayed", undelayed);
  facts->flag(facts->user, "own_inertia", own);
  if (!swing.moving) {
    facts->line(facts->user, "flesh",
                undelayed ? "none: every vertex follows its bones, undelayed"
                          : "none: every vertex follows its bones");
    return;
  }
  sup_format(text, sizeof text,
             "%.2g to %.2g Hz, damping ratio %.2g at the softest, on %u of %u vertices",
             (double)swing.low, (double)swing.high, (double)swing.softest, swing.moving,
             view.skin.vertex_count);
  facts->line(facts->user, "flesh", text);
  facts->number(facts->user, "lowest_frequency", (double)swing.low);
  facts->number(facts->user, "highest_frequency", (double)swing.high);
  facts->number(facts->user, "damping_ratio", (double)swing.softest);
  if (view.flags & SUP_SURFACE_NORMAL) describe_normal(&view, facts);
  if (undelayed) facts->line(facts->user, "", "the feed-forward of the goal is undelayed");
  if (!own) return;
  facts->line(facts->user, "", "swings by itself also over helpers and modes");
}
