/* SPDX-License-Identifier: MIT */
/*
 * Guo 2007, chapter 4 (SWDC): Table 4.3's counts, and what the thesis does not have: chunks against
 * the full elastic simulation of the same flesh, with the frames of slices and without, by Gauss
 * points and by the printed ones.
 */
#include "reproduce/reproduce.h"
#include "supple/app/paper_guo_swdc.h"

#define MOST_POSES 20

static uint32_t list_poses(const CliContext *cli, SupSwdcPose out[MOST_POSES]) {
  static const SupSwdcPose quick[3] = {{0, 90}, {60, 0}, {120, 90}};
  uint32_t count = 0;
  if (cli_flag(cli->arguments, "quick")) {
    for (; count < 3; count++) out[count] = quick[count];
    return count;
  }
  for (uint32_t k = 0; k < MOST_POSES; k++) {
    out[count++] = (SupSwdcPose){k / 4 * 30.0, k % 4 * 30.0};
  }
  return count;
}

/* ---- Table 4.3 ------------------------------------------------------------------------------ */

static SupResult counts(CliContext *cli, SupError *error) {
  SupResult result = SUP_OK;
  cli_say(cli,
          "| chunk | slices | nodes | triangles a slice | thesis: nodes | triangles |\n"
          "|---|---|---|---|---|---|\n");
  cli_report_begin_array(cli->report, "rows");
  for (uint32_t k = 0; k < SUP_SWDC_COUNTS && result == SUP_OK; k++) {
    SupSwdcCount c;
    result = sup_swdc_count(cli->arena, k, &c, error);
    if (result != SUP_OK) break;
    cli_say(cli, "| %s | %u | %u | %u | %u | %u |\n", c.part, c.slice_count, c.node_count,
            c.triangle_count, c.paper_nodes, c.paper_triangles);
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "chunk", c.part);
    cli_report_integer(cli->report, "nodes", c.node_count);
    cli_report_integer(cli->report, "triangles", c.triangle_count);
    cli_report_integer(cli->report, "paper_nodes", c.paper_nodes);
    cli_report_integer(cli->report, "paper_triangles", c.paper_triangles);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  return result;
}

/* ---- Against the full simulation ------------------------------------------------------------ */

static void report_size(CliContext *cli, const char *name, SupSwdcSize size) {
  cli_report_begin_object(cli->report, name);
  cli_report_number(cli->report, "volume", size.volume);
  cli_report_number(cli->report, "least", size.least);
  cli_report_end(cli->report);
}

static void report_near(CliContext *cli, const char *name, const SupSwdcNear *near) {
  cli_report_begin_object(cli->report, name);
  cli_report_number(cli->report, "rms", near->rms);
  cli_report_number(cli->report, "most", near->most);
  cli_report_number(cli->report, "volume", near->size.volume);
  cli_report_number(cli->report, "least", near->size.least);
  cli_report_end(cli->report);
}

static void begin_row(CliContext *cli, SupSwdcPose pose) {
  cli_say(cli, "| %3.0f, %2.0f |", pose.bend, pose.twist);
  cli_report_begin_object(cli->report, NULL);
  cli_report_number(cli->report, "bend", pose.bend);
  cli_report_number(cli->report, "twist", pose.twist);
}

/* Volume and least determinant: full, and by some of the ways. */
static void tell_sizes(const CliContext *cli, SupSwdcSize full, const SupSwdcNear *ways,
                       SupSwdcWay first, SupSwdcWay last) {
  cli_say(cli, " %.3f", full.volume);
  for (uint32_t k = first; k <= last; k++) cli_say(cli, ", %.3f", ways[k].size.volume);
  cli_say(cli, " | %.2f", full.least);
  for (uint32_t k = first; k <= last; k++) cli_say(cli, ", %.2f", ways[k].size.least);
  cli_say(cli, " |");
}

static void tell_limb(CliContext *cli, SupSwdcPose pose, const SupSwdcLimbRow *row) {
  static const char *const names[SUP_SWDC_WAYS] = {"eased",     "eased_nodal", "slices",
                                                   "untwisted", "one_frame",   "printed"};
  begin_row(cli, pose);
  for (uint32_t k = 0; k < SUP_SWDC_WAYS; k++) {
    cli_say(cli, " %.2f |", 100 * row->ways[k].rms);
    report_near(cli, names[k], &row->ways[k]);
  }
  tell_sizes(cli, row->full, row->ways, SUP_SWDC_EASED, SUP_SWDC_UNTWISTED);
  tell_sizes(cli, row->full_turned, row->ways, SUP_SWDC_ONE_FRAME, SUP_SWDC_PRINTED);
  cli_say(cli, "\n");
  report_size(cli, "full", row->full);
  report_size(cli, "full_turned", row->full_turned);
  cli_report_end(cli->report);
}

static SupResult limbs(CliContext *cli, bool hourglass, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupSwdcPose poses[MOST_POSES];
  SupSwdcLimbRow rows[MOST_POSES];
  const uint32_t count = list_poses(cli, poses);
  SupResult result = sup_swdc_limb(&app, hourglass, count, poses, rows, error);
  if (result != SUP_OK) return result;
  cli_say(
      cli,
      "\n| bend, twist | played | by nodes | slices | twist not shared | one frame | by nodes | "
      "volume: full, played, by nodes, slices, twist not shared | least determinant | volume: "
      "full, one frame, by nodes | least determinant |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|\n");
  cli_report_begin_array(cli->report, "rows");
  for (uint32_t k = 0; k < count; k++) tell_limb(cli, poses[k], &rows[k]);
  cli_report_end(cli->report);
  cli_say(cli, "\n(errors: root mean square, %% of the radius)\n");
  return SUP_OK;
}

static SupResult limb(CliContext *cli, SupError *error) {
  static const SupSwdcPose poses[2] = {{30, 0}, {60, 0}};
  const SupAppContext app = cli_app(cli);
  SupResult result = limbs(cli, false, error);
  if (result != SUP_OK || cli_flag(cli->arguments, "quick")) return result;
  cli_say(cli,
          "\nagainst a full simulation with eight times the elements:\n\n"
          "| bend, twist | full | played | by nodes |\n|---|---|---|---|\n");
  cli_report_begin_array(cli->report, "finer");
  for (uint32_t k = 0; k < sizeof poses / sizeof *poses && result == SUP_OK; k++) {
    SupSwdcFiner finer;
    result = sup_swdc_limb_finer(&app, poses[k], &finer, error);
    if (result != SUP_OK) break;
    begin_row(cli, poses[k]);
    cli_say(cli, " %.2f | %.2f | %.2f |\n", 100 * finer.full, 100 * finer.gauss, 100 * finer.nodal);
    cli_report_number(cli->report, "full", finer.full);
    cli_report_number(cli->report, "gauss", finer.gauss);
    cli_report_number(cli->report, "nodal", finer.nodal);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  return result;
}

static SupResult hourglass(CliContext *cli, SupError *error) { return limbs(cli, true, error); }

static SupResult trunk(CliContext *cli, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupSwdcPose poses[MOST_POSES];
  SupSwdcTrunkRow rows[MOST_POSES];
  const uint32_t count = list_poses(cli, poses);
  SupResult result = sup_swdc_trunk(&app, count, poses, rows, error);
  if (result != SUP_OK) return result;
  cli_say(cli,
          "\n| bend, twist | Gauss points | most | nodes | volume: full, Gauss, nodes | "
          "least: full, Gauss, nodes |\n|---|---|---|---|---|---|\n");
  cli_report_begin_array(cli->report, "rows");
  for (uint32_t k = 0; k < count; k++) {
    const SupSwdcTrunkRow *row = &rows[k];
    begin_row(cli, poses[k]);
    cli_say(cli, " %.2f | %.2f | %.2f | %.4f, %.4f, %.4f | %.2f, %.2f, %.2f |\n",
            100 * row->gauss.rms, 100 * row->gauss.most, 100 * row->nodal.rms, row->full.volume,
            row->gauss.size.volume, row->nodal.size.volume, row->full.least, row->gauss.size.least,
            row->nodal.size.least);
    report_size(cli, "full", row->full);
    report_near(cli, "gauss", &row->gauss);
    report_near(cli, "nodal", &row->nodal);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_say(cli, "\n(errors: %% of the trunk's radius)\n");
  return SUP_OK;
}

/* ---- Times ---------------------------------------------------------------------------------- */

static void tell_times(CliContext *cli, const SupSwdcTimes *t) {
  cli_say(cli, "| %s | %u | %u, %u | %u | %.2f + %.2f s | %.2f ms | ", t->name, t->vertex_count,
          t->chunk_count - t->limb_count, t->limb_count, t->node_count, t->cut_seconds,
          t->setup_seconds, 1e3 * t->frame_seconds);
  cli_say(cli, "%u, %u, %u | %.1f s | %.0f ms |\n", t->paper_vertices, t->paper_chunks,
          t->paper_nodes, t->paper_setup, 1e3 * t->paper_frame);
  cli_report_begin_object(cli->report, NULL);
  cli_report_text(cli->report, "body", t->name);
  cli_report_integer(cli->report, "vertices", t->vertex_count);
  cli_report_integer(cli->report, "chunks", t->chunk_count);
  cli_report_integer(cli->report, "limbs", t->limb_count);
  cli_report_integer(cli->report, "nodes", t->node_count);
  cli_report_integer(cli->report, "columns", t->column_count);
  cli_report_integer(cli->report, "bytes", (int64_t)t->bytes);
  cli_report_number(cli->report, "cut_seconds", t->cut_seconds);
  cli_report_number(cli->report, "setup_seconds", t->setup_seconds);
  cli_report_number(cli->report, "frame_seconds", t->frame_seconds);
  cli_report_end(cli->report);
}

static SupResult times(CliContext *cli, SupError *error) {
  const SupAppContext app = cli_app(cli);
  SupResult result = SUP_OK;
  cli_say(cli,
          "\n| body | vertices | chunks: trunk, limbs | nodes | patches + chunks | frame | "
          "thesis: vertices, chunks, nodes | stiffness, condensation | "
          "frame |\n|---|---|---|---|---|---|---|---|---|\n");
  cli_report_begin_array(cli->report, "rows");
  for (uint32_t k = 0; k < SUP_SWDC_BODIES && result == SUP_OK; k++) {
    SupSwdcTimes t;
    result = sup_swdc_times(&app, k, &t, error);
    if (result == SUP_OK) tell_times(cli, &t);
  }
  cli_report_end(cli->report);
  return result;
}

const CliPaper cli_paper_guo_swdc = {
    .name = "guo2007-swdc",
    .title = "Guo 2007: Skinning with deformable chunks (thesis, chapter 4)",
    .has_quick = true,
    .parts = {{"counts", "table 4.3: nodes and triangles of chunks", counts},
              {"limb", "a limb that is bent and twisted, against the full simulation", limb},
              {"hourglass", "the same with a waist of 0.4", hourglass},
              {"trunk", "chunks above the shell of a trunk, against the full simulation", trunk},
              {"times", "set-up and frames of bodies of the thesis's sizes", times},
              {0}}};
