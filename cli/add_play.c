/* SPDX-License-Identifier: MIT */
#include "add_play.h"

#include <math.h>

#include "beat.h"
#include "supple/clip.h"
#include "supple/geom/bounds.h"

#define FPS 60.0
#define PREROLL 3.0 /* seconds: nothing of the first pose's arrival is left then */

/* ---- Playing -------------------------------------------------------------------------------- */

/* Does the clip end as it begins? Many are saved without their last frame: what is missing is then
 * about a frame's motion, and the flesh is led through it. Others are a little short of it, and get
 * as much less time: a pause there would be a blow. */
static void find_loop(CliShowClip *c) {
  const SupPlayer *player = &c->show->player;
  const double end = (double)c->clip->duration, frame = 1 / 30.0;
  const float size = player->stack.size;
  const SupClipGap gap = sup_player_gap(player, c->clip, 0, end);
  c->closing = 0;
  c->loops = end > 0 && gap.turned < 0.002f && gap.apart < 2e-4f * size;
  if (c->loops || end < 4 * frame) return;
  const SupClipGap first = sup_player_gap(player, c->clip, 0, frame);
  const SupClipGap last = sup_player_gap(player, c->clip, end - frame, end);
  const float step = fmaxf(first.turned, last.turned), moved = fmaxf(first.apart, last.apart);
  if (gap.turned < 0.03f && gap.apart < 5e-3f * size) {
    c->loops = true;
    c->closing = frame * (double)fminf(step > 0 ? gap.turned / step : 1, 0.25f);
  } else {
    c->loops =
        gap.turned < 0.4f && gap.turned < 1.5f * step && gap.apart < 0.02f * size + 1.5f * moved;
    c->closing = frame;
  }
}

static void begin(CliShowClip *c) {
  const SupPlayback playback = {.clip = c->clip,
                                .loop = c->loops ? SUP_LOOP_WRAP : SUP_LOOP_HOLD,
                                .closing = c->loops ? c->closing : 0,
                                .preroll = PREROLL,
                                .fps = c->fps,
                                .track = c->track};
  sup_player_play(&c->show->player, &playback);
}

static void next(void *user, uint32_t frame, SupVec3 *out_positions) {
  CliShowClip *c = user;
  if (frame == 0) begin(c);
  const SupStackFrame inputs = {.positions = {&out_positions->x, 3}};
  sup_player_frame(&c->show->player, &inputs);
  cli_progress(c->show->cli, c->clip->name, frame + 1, c->frame_count);
}

SupResult cli_show_create(CliContext *cli, const CliActor *actor, const CliModels *models,
                          CliShow *out_show, SupError *error) {
  const SupClip **clips;
  CliShow show = {.cli = cli, .character = actor->character};
  SupResult result = cli_actor_clips(cli, actor, 0, &clips, &show.clip_count, error);
  if (result == SUP_OK) {
    result =
        cli_check_lengths(show.clip_count, clips, (float)FPS, "name the others with --clip", error);
  }
  if (result == SUP_OK) {
    result = cli_models_player(cli, actor->character, models, SUP_ORDER_BODY, CLI_SKINNING_LBS,
                               &show.player, error);
  }
  const SupVec3 *rest;
  if (result == SUP_OK) {
    result = cli_rest_positions(cli, actor->character, SUP_ORDER_BODY, &rest, error);
  }
  if (result != SUP_OK) return result;
  show.size = (double)sup_bounds_diagonal(sup_bounds(rest, actor->character->body.vertex_count));
  show.clips = SUP_ALLOC(cli->arena, CliShowClip, show.clip_count);
  show.motions = SUP_ALLOC(cli->arena, SupBakeMotion, show.clip_count);
  if (!show.clips || !show.motions) return sup_fail_memory(error, NULL);
  *out_show = show;
  for (uint32_t k = 0; k < show.clip_count && result == SUP_OK; k++) {
    CliShowClip *c = &show.clips[k];
    const double duration = (double)clips[k]->duration, frames = round(duration * FPS);
    *c = (CliShowClip){.show = out_show, .clip = clips[k], .fps = FPS, .frame_count = 1};
    if (frames >= 1) c->fps = frames / duration, c->frame_count = (uint32_t)frames + 1;
    find_loop(c);
    result = cli_file_track(cli, actor, models, c->clip, &c->track, error);
    show.motions[k] = (SupBakeMotion){
        .clip = c->clip, .fps = c->fps, .frame_count = c->frame_count, .play = next, .user = c};
  }
  return result;
}

/* ---- Measuring ------------------------------------------------------------------------------ */

typedef struct Beside {
  CliPlayer plain, baked; /* body vertices, render vertices */
  SupVec3 *live, *skin, *shown, *first, *before;
} Beside;

static void measure_clip(CliShowClip *c, const SupClip *again, Beside *b) {
  const SupCharacter *character = c->show->character;
  const uint32_t n = character->body.vertex_count, r = character->render.vertex_count;
  double moved = 0, off = 0, open = 0;
  for (uint32_t t = 0; t < c->frame_count; t++) {
    double changed = 0;
    const float time = (float)(t / c->fps);
    const bool last = t + 1 == c->frame_count;
    next(c, t, b->live);
    cli_player_sample(&b->plain, c->clip, time, b->skin);
    cli_player_sample(&b->baked, again, time, b->shown);
    for (uint32_t v = 0; v < n; v++) {
      const SupVec3 away = sup_vec3_sub(b->live[v], b->skin[v]);
      const double far = (double)sup_vec3_length(away);
      moved += far * far;
      if (far > c->farthest) c->farthest = far;
      if (t == 0) b->first[v] = away;
      const double gap = last ? (double)sup_vec3_distance(away, b->first[v]) : 0;
      open += gap * gap;
      const double change = t > 0 ? (double)sup_vec3_distance(away, b->before[v]) : 0;
      changed += change * change;
      b->before[v] = away;
    }
    c->step = fmax(c->step, sqrt(changed / n));
    for (uint32_t v = 0; v < r; v++) {
      const double far =
          (double)sup_vec3_distance(b->shown[v], b->live[character->render.to_body[v]]);
      off += far * far;
      if (far > c->worst_off) c->worst_off = far;
    }
  }
  c->moved = sqrt(moved / ((double)n * c->frame_count));
  c->off = sqrt(off / ((double)r * c->frame_count));
  c->jump = sqrt(open / n);
}

SupResult cli_show_measure(CliShow *show, const CliActor *actor, const char *baked,
                           SupError *error) {
  CliContext *cli = show->cli;
  const SupCharacter *character = actor->character;
  CliActor other = {.path = baked, .clips_path = baked};
  SupGltfCharacter *found;
  uint32_t count;
  Beside b = {0};
  SupResult result = cli_gltf_open(cli, baked, &other.document, error);
  if (result != SUP_OK) return result;
  result = sup_gltf_characters(other.document, cli->arena, &count, &found, error);
  for (uint32_t k = 0; k < count && result == SUP_OK; k++) {
    if (found[k].skins[0] == actor->found->skins[0]) other.found = &found[k];
  }
  if (result == SUP_OK) {
    other.character = &other.found->character;
    result = cli_player_create(cli, character, SUP_ORDER_BODY, CLI_SKINNING_LBS, &b.plain, error);
  }
  if (result == SUP_OK) {
    result = cli_player_create(cli, other.character, SUP_ORDER_RENDER, CLI_SKINNING_LBS, &b.baked,
                               error);
  }
  b.live = SUP_ALLOC(cli->arena, SupVec3, character->body.vertex_count);
  b.skin = SUP_ALLOC(cli->arena, SupVec3, character->body.vertex_count);
  b.first = SUP_ALLOC(cli->arena, SupVec3, character->body.vertex_count);
  b.before = SUP_ALLOC(cli->arena, SupVec3, character->body.vertex_count);
  b.shown = SUP_ALLOC(cli->arena, SupVec3, character->render.vertex_count);
  if (result == SUP_OK && (!b.live || !b.skin || !b.first || !b.before || !b.shown)) {
    result = sup_fail_memory(error, NULL);
  }
  for (uint32_t k = 0; k < show->clip_count && result == SUP_OK; k++) {
    const SupClip *again;
    result = cli_actor_clip(&other, show->clips[k].clip->name, &again, error);
    if (result == SUP_OK) measure_clip(&show->clips[k], again, &b);
  }
  cli_actor_close(&other);
  return result;
}
