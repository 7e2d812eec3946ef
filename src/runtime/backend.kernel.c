/* SPDX-License-Identifier: MIT */
/* One table per instruction set: this file is compiled once for each, like the kernels it names.
 * To add a kernel: write it in a X.kernel.c file, declare it with SUP_KERNEL in that folder's
 * header, add a field to SupBackend and a line here. */
#include "anim/skin_kernel.h"
#include "base/simd.h"
#include "math/math_kernels.h"
#include "runtime/backend_tables.h"
#include "runtime/chunks/chunks_kernel.h"
#include "runtime/envelope/envelope_kernel.h"
#include "runtime/helpers/helpers_kernel.h"
#include "runtime/lane_frames.h"
#include "runtime/modes/modes_kernel.h"
#include "runtime/popping/popping_kernel.h"
#include "runtime/surface/surface_kernel.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

/* A character has a few helpers: 16 lanes would mostly be empty, and divisions take twice as long.
 */
#if SUP_ISA_NUMBER == SUP_ISA_avx512
#define ONE_CHARACTER(name) SUP_KERNEL_(name, avx2)
void sup_helpers_read_avx2(const SupHelpersReadCall *call);
void sup_helpers_move_avx2(const SupHelpersMoveCall *call);
#else
#define ONE_CHARACTER(name) SUP_KERNEL(name)
#endif

const SupBackend SUP_KERNEL(backend) = {
    .name = TEXT(SUP_ISA),
    .lanes = SUP_WIDTH,
#ifndef SUP_LEAN /* what the page's module never calls is not in it */
    .map_sin = SUP_KERNEL(map_sin),
    .map_cos = SUP_KERNEL(map_cos),
    .map_exp = SUP_KERNEL(map_exp),
    .map_log = SUP_KERNEL(map_log),
    .map_acos = SUP_KERNEL(map_acos),
    .map_atan2 = SUP_KERNEL(map_atan2),
    .rotation_fit = SUP_KERNEL(rotation_fit),
    .batch = &sup_batch_cpu,
#endif
    .skin_lbs = SUP_KERNEL(skin_lbs_blocks),
    .skin_dqs = SUP_KERNEL(skin_dqs_blocks),
    .lane_frames = SUP_KERNEL(lane_frames_blocks),
    .surface_start = SUP_KERNEL(surface_start_blocks),
    .surface_prepare = SUP_KERNEL(surface_prepare_blocks),
    .surface_solve = SUP_KERNEL(surface_solve_blocks),
    .surface_show = SUP_KERNEL(surface_show_blocks),
    .modes_drive = SUP_KERNEL(modes_drive),
    .modes_advance = SUP_KERNEL(modes_advance),
    .popping_step = SUP_KERNEL(popping_step),
    .popping_show = SUP_KERNEL(popping_show),
    .helpers_read = ONE_CHARACTER(helpers_read),
    .helpers_move = ONE_CHARACTER(helpers_move),
    .helpers_crowd = SUP_KERNEL(helpers_crowd),
    .helpers_crowd_read = SUP_KERNEL(helpers_crowd_read),
    .envelope_hang = SUP_KERNEL(envelope_hang),
    .envelope_spread = SUP_KERNEL(envelope_spread),
    .envelope_frames = SUP_KERNEL(envelope_frames),
    .chunks_nodes = SUP_KERNEL(chunks_nodes),
    .chunks_hang = SUP_KERNEL(chunks_hang),
    .chunks_spread = SUP_KERNEL(chunks_spread),
};
