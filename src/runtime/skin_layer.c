/* SPDX-License-Identifier: MIT */
/* A skin by itself in a stack: it says what the body is, and adds nothing. */
#include "runtime/techniques.h"

static void open_skin(const SupModel *model, void *out_view) {
  *(SupSkinView *)out_view = sup_skin_view(model);
}

static const SupSkinView *skin_of(const void *view) { return (const SupSkinView *)view; }

const SupTechnique sup_skin_technique = {
    .kind = SUP_SKIN_KIND,
    .name = "skin",
    .version = SUP_SKIN_VERSION,
    .stage = SUP_STAGE_SHAPE,
    .check = sup_skin_check,
    .view_bytes = sizeof(SupSkinView),
    .open = open_skin,
    .skin = skin_of,
    .skin_rank = 1,
};
