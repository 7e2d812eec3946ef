/* SPDX-License-Identifier: MIT */
/* Pictures of the study: the poses of a set, shown in two ways. */
#include "app/paper_guo_parts.h"
#include "supple/app/picture.h"

typedef struct Shown {
  const SupCharacter *character;
  const SupVec3 *positions; /* [poses * body vertices] */
} Shown;

static void show(void *user, uint32_t frame, SupVec3 *out_positions) {
  const Shown *shown = user;
  const SupRender *render = &shown->character->render;
  const SupVec3 *from = shown->positions + (size_t)frame * shown->character->body.vertex_count;
  sup_positions_gather(from, render->to_body, render->vertex_count, out_positions);
}

SupResult sup_guo_picture(const SupGuoStudy *study, const SupGuoFigure *figure, SupGuoSet set,
                          const char *const labels[2], const SupVec3 *const shapes[2],
                          const char *path, SupError *error) {
  const SupAppContext inside = sup_app_inside(study->app);
  SupPictureDef def = sup_picture_def();
  SupPictureFigure figures[2];
  SupPictureReport report;
  Shown shown[2];
  for (int k = 0; k < 2; k++) {
    shown[k] = (Shown){figure->file.character, shapes[k]};
    figures[k] = (SupPictureFigure){labels[k], &figure->file, show, &shown[k]};
  }
  def.figure_count = 2;
  def.figures = figures;
  def.fps = 1;
  def.frame_count = def.columns = figure->sets[set].count;
  def.size = set == SUP_GUO_EXAMPLES ? 720 : 480;
  def.azimuth = 25;
  return sup_picture_save(&inside, &def, path, &report, error);
}
