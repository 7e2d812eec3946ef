/* SPDX-License-Identifier: MIT */
/* All clips of a character through its flesh. */
#include "app/add_play.h"

#include <math.h>

#include "supple/app/muscle_track.h"
#include "supple/clip.h"
#include "supple/geom/bounds.h"

#define FPS 60.0
#define PREROLL 3.0 /* seconds: nothing of the first pose's arrival is left then */

/* ---- Playing -------------------------------------------------------------------------------- */

/* Does the clip end as it begins? Many are saved without their last frame: what is missing is then
 * about a frame's motion, and the flesh is led through it. Others are a little short of it, and get
 * as much less time: a pause there would be a blow. */
static void find_loop(SupShowClip *c) {
  const SupPlayer *player = &c->show->player;
  const double end = (double)c->found->clip->duration, frame = 1 / 30.0;
  const float size = player->stack.size;
  const SupClipGap gap = sup_player_gap(player, c->found->clip, 0, end);
  c->closing = 0;
  c->stride = gap.stride;
  c->found->loops = end > 0 && gap.turned < 0.002f && gap.apart < 2e-4f * size;
  if (c->found->loops || end < 4 * frame) return;
  const SupClipGap first = sup_player_gap(player, c->found->clip, 0, frame);
  const SupClipGap last = sup_player_gap(player, c->found->clip, end - frame, end);
  const float step = fmaxf(first.turned, last.turned), moved = fmaxf(first.apart, last.apart);
  if (gap.turned < 0.03f && gap.apart < 5e-3f * size) {
    c->found->loops = true;
    c->closing = frame * (double)fminf(step > 0 ? gap.turned / step : 1, 0.25f);
  } else {
    c->found->loops =
        gap.turned < 0.4f && gap.turned < 1.5f * step && gap.apart < 0.02f * size + 1.5f * moved;
    c->closing = frame;
  }
}

static void begin(SupShowClip *c) {
  const SupAddClip *found = c->found;
  const SupPlayback playback = {.clip = found->clip,
                                .loop = found->loops ? SUP_LOOP_WRAP : SUP_LOOP_HOLD,
                                .closing = found->loops ? c->closing : 0,
                                .preroll = PREROLL,
                                .fps = found->fps,
                                .track = c->track};
  sup_player_play(&c->show->player, &playback);
}

static void next(void *user, uint32_t frame, SupVec3 *out_positions) {
  SupShowClip *c = user;
  if (frame == 0) begin(c);
  const SupStackFrame inputs = {.positions = {&out_positions->x, 3}};
  sup_player_frame(&c->show->player, &inputs);
  sup_app_progress(c->show->app, c->found->clip->name, frame + 1, c->found->frame_count);
}

/* What is known of a clip before it is played. */
static SupResult prepare_clip(SupShow *show, const SupCharacterFile *file,
                              const SupModelList *models, const SupClip *clip, uint32_t k,
                              SupError *error) {
  SupShowClip *c = &show->clips[k];
  const double duration = (double)clip->duration, frames = round(duration * FPS);
  show->found[k] = (SupAddClip){.clip = clip, .fps = FPS, .frame_count = 1};
  *c = (SupShowClip){.show = show, .found = &show->found[k]};
  if (frames >= 1) {
    c->found->fps = frames / duration;
    c->found->frame_count = (uint32_t)frames + 1;
  }
  find_loop(c);
  show->motions[k] = (SupBakeMotion){.clip = clip,
                                     .fps = c->found->fps,
                                     .frame_count = c->found->frame_count,
                                     .play = next,
                                     .user = c};
  return sup_file_track(show->app, file, models, clip, &c->track, error);
}

SupResult sup_show_check_clips(uint32_t count, const SupClip *const *clips, SupError *error) {
  return sup_clips_check_lengths(count, clips, (float)FPS, "name the others with --clip", error);
}

SupResult sup_show_create(const SupAppContext *app, const SupCharacterFile *file,
                          const SupModelList *models, const SupNames *names, SupShow *out_show,
                          SupError *error) {
  const SupClip **clips;
  const SupVec3 *rest;
  SupShow show = {.app = app, .character = file->character};
  SupResult result = sup_file_clips(app, file, names, 0, &clips, &show.clip_count, error);
  if (result == SUP_OK) result = sup_show_check_clips(show.clip_count, clips, error);
  if (result == SUP_OK) {
    result = sup_models_player(app, file->character, models, SUP_ORDER_BODY, SUP_PLAIN_LBS,
                               &show.player, error);
  }
  if (result == SUP_OK) {
    result = sup_rest_positions(app, file->character, SUP_ORDER_BODY, &rest, error);
  }
  if (result != SUP_OK) return result;
  show.size = (double)sup_bounds_diagonal(sup_bounds(rest, file->character->body.vertex_count));
  show.clips = SUP_ALLOC(app->arena, SupShowClip, show.clip_count);
  show.found = SUP_ALLOC(app->arena, SupAddClip, show.clip_count);
  show.motions = SUP_ALLOC(app->arena, SupBakeMotion, show.clip_count);
  if (!show.clips || !show.found || !show.motions) return sup_fail_memory(error, NULL);
  *out_show = show;
  for (uint32_t k = 0; k < show.clip_count && result == SUP_OK; k++) {
    result = prepare_clip(out_show, file, models, clips[k], k, error);
  }
  return result;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

typedef struct Beside {
  SupPlainPlayer plain, baked; /* body vertices, render vertices */
  SupVec3 *live, *skin, *shown, *first, *first_skin, *before;
} Beside;

static double square(float x) { return (double)x * (double)x; }

static void measure_clip(SupShowClip *c, const SupClip *again, Beside *b) {
  const SupCharacter *character = c->show->character;
  const uint32_t n = character->body.vertex_count, r = character->render.vertex_count;
  double moved = 0, off = 0, open = 0, seam = 0;
  for (uint32_t t = 0; t < c->found->frame_count; t++) {
    double changed = 0;
    const float time = (float)(t / c->found->fps);
    const bool last = t + 1 == c->found->frame_count;
    next(c, t, b->live);
    sup_plain_player_sample(&b->plain, c->found->clip, time, b->skin);
    sup_plain_player_sample(&b->baked, again, time, b->shown);
    for (uint32_t v = 0; v < n; v++) {
      const SupVec3 away = sup_vec3_sub(b->live[v], b->skin[v]);
      const double far = (double)sup_vec3_length(away);
      moved += far * far;
      if (far > c->found->farthest) c->found->farthest = far;
      if (t == 0) b->first[v] = away, b->first_skin[v] = b->skin[v];
      if (last) {
        open += square(sup_vec3_distance(away, b->first[v]));
        seam += square(sup_vec3_distance(b->skin[v], sup_vec3_add(b->first_skin[v], c->stride)));
      }
      const double change = t > 0 ? (double)sup_vec3_distance(away, b->before[v]) : 0;
      changed += change * change;
      b->before[v] = away;
    }
    c->found->step = fmax(c->found->step, sqrt(changed / n));
    for (uint32_t v = 0; v < r; v++) {
      const double far =
          (double)sup_vec3_distance(b->shown[v], b->live[character->render.to_body[v]]);
      off += far * far;
      if (far > c->found->worst_off) c->found->worst_off = far;
    }
  }
  c->found->moved = sqrt(moved / ((double)n * c->found->frame_count));
  c->found->off = sqrt(off / ((double)r * c->found->frame_count));
  c->found->jump = sqrt(open / n);
  c->found->seam = sqrt(seam / n);
}

SupResult sup_show_measure(SupShow *show, const SupCharacterFile *file, const SupOpenDef *open,
                           const char *baked, SupError *error) {
  const SupAppContext *app = show->app;
  const SupCharacter *character = file->character;
  SupCharacterFile other = {.path = baked, .clips_path = baked};
  SupGltfCharacter *found;
  uint32_t count;
  Beside b = {0};
  SupResult result = sup_file_open(app, baked, open, &other.document, error);
  if (result != SUP_OK) return result;
  result = sup_gltf_characters(other.document, app->arena, &count, &found, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    if (found[k].skins[0] == file->found->skins[0]) other.found = &found[k];
  }
  if (result == SUP_OK) {
    other.character = &other.found->character;
    result =
        sup_plain_player_create(app, character, SUP_ORDER_BODY, SUP_PLAIN_LBS, &b.plain, error);
  }
  if (result == SUP_OK) {
    result = sup_plain_player_create(app, other.character, SUP_ORDER_RENDER, SUP_PLAIN_LBS,
                                     &b.baked, error);
  }
  b.live = SUP_ALLOC(app->arena, SupVec3, character->body.vertex_count);
  b.skin = SUP_ALLOC(app->arena, SupVec3, character->body.vertex_count);
  b.first = SUP_ALLOC(app->arena, SupVec3, character->body.vertex_count);
  b.first_skin = SUP_ALLOC(app->arena, SupVec3, character->body.vertex_count);
  b.before = SUP_ALLOC(app->arena, SupVec3, character->body.vertex_count);
  b.shown = SUP_ALLOC(app->arena, SupVec3, character->render.vertex_count);
  if (result == SUP_OK &&
      (!b.live || !b.skin || !b.first || !b.first_skin || !b.before || !b.shown)) {
    result = sup_fail_memory(error, NULL);
  }
  for (uint32_t k = 0; k < show->clip_count && result == SUP_OK; k++) {
    const SupClip *again;
    result = sup_file_clip(&other, show->found[k].clip->name, &again, error);
    if (result == SUP_OK) measure_clip(&show->clips[k], again, &b);
  }
  sup_character_close(&other);
  return result;
}
