/* SPDX-License-Identifier: MIT */
/*
 * F. Hahn, B. Thomaszewski, S. Coros, R. Sumner, M. Gross 2013: table 1 on a trunk with a wire, a
 * belly in a lattice and a whole body; set-up, deferred Jacobians, the energy of skinned flesh.
 *
 * Seconds are of the processor. A rig of the paper's program takes a millisecond or more per call
 * and ours some 50 us: "at 1 ms" adds 1 ms for every call that was counted, by arithmetic.
 */
#include "supple/app/paper_hahn2013.h"

#include "reproduce/reproduce.h"

static const char *const row_names[SUP_HAHN_ROWS] = {"reference", "IV1, JE1", "IV1, JE2",
                                                     "IV2, JE1", "IV2, JE2"};

static double at_one_ms(const SupHahnRun *run) {
  return run->seconds + 1e-3 * run->sum.rig_calls / run->steps;
}

static SupHahnSize size_of(const CliContext *cli) {
  if (cli_flag(cli->arguments, "full")) return SUP_HAHN_FULL;
  return cli_flag(cli->arguments, "quick") ? SUP_HAHN_QUICK : SUP_HAHN_USUAL;
}

static void tell_setup(CliContext *cli, const SupHahnSetup *s) {
  cli_say(cli,
          "  %u free parameters, %u + %u nodes, %u tetrahedra; %u examples %.1f s, weights %.1f s, "
          "%.2f per node\n",
          s->free_count, s->surface_count, s->inside_count, s->tet_count, s->example_count,
          s->example_seconds, s->weight_seconds, s->fit.mean_count);
  cli_report_integer(cli->report, "free_parameters", s->free_count);
  cli_report_integer(cli->report, "surface_nodes", s->surface_count);
  cli_report_integer(cli->report, "inside_nodes", s->inside_count);
  cli_report_integer(cli->report, "tetrahedra", s->tet_count);
  cli_report_integer(cli->report, "examples", s->example_count);
  cli_report_number(cli->report, "example_seconds", s->example_seconds);
  cli_report_number(cli->report, "weight_seconds", s->weight_seconds);
  cli_report_number(cli->report, "weights_per_node", s->fit.mean_count);
  cli_report_integer(cli->report, "outside_hull", s->fit.outside);
}

static void report_run(CliReport *report, const char *name, const SupHahnRun *run) {
  cli_report_begin_object(report, NULL);
  cli_report_text(report, "row", name);
  cli_report_integer(report, "steps", run->steps);
  cli_report_number(report, "seconds", run->seconds);
  cli_report_number(report, "seconds_at_one_ms", at_one_ms(run));
  cli_report_integer(report, "iterations", run->sum.iterations);
  cli_report_integer(report, "kept_moves", run->sum.kept_moves);
  cli_report_integer(report, "steps_halved", run->halved);
  cli_report_integer(report, "steps_carried", run->carried);
  cli_report_integer(report, "rig_calls", run->sum.rig_calls);
  cli_report_integer(report, "jacobians", run->sum.jacobians);
  cli_report_integer(report, "foreseen", run->sum.foreseen);
  cli_report_integer(report, "roll_backs", run->sum.roll_backs);
  cli_report_number(report, "average_percent", 100 * run->average);
  cli_report_number(report, "largest_percent", 100 * run->largest);
  cli_report_number(report, "moved_percent", 100 * run->moved);
  cli_report_number(report, "determinant_least", run->sum.determinant_least);
  cli_report_end(report);
}

static void tell_run(CliContext *cli, const char *name, const SupHahnRun *run,
                     const SupHahnRun *base, double paper) {
  cli_say(cli, "  %-22s %5u %8.4f x%-6.1f %9.4f x%-6.1f %8.2f %5u %5u %9.1f %8.4f %7.3f %6.2f\n",
          name, run->steps, run->seconds, base->seconds / run->seconds, at_one_ms(run),
          at_one_ms(base) / at_one_ms(run), paper, run->sum.jacobians, run->sum.roll_backs,
          (double)run->sum.rig_calls / run->steps, 100 * run->average, 100 * run->largest,
          100 * run->moved);
  report_run(cli->report, name, run);
}

/* The rows of a body. The base of the speed-ups is the reference where it went more than a step. */
static SupResult rows(CliContext *cli, SupHahnLab *lab, const SupHahnScene *scene,
                      SupError *error) {
  SupHahnRun runs[SUP_HAHN_ROWS], last;
  const bool whole = scene->reference_steps > 1;
  SupResult result = SUP_OK;
  cli_say(cli, "  %-22s %5s %8s %7s %9s %7s %8s %5s %5s %9s %8s %7s %6s\n", "row", "steps",
          "s/step", "", "at 1 ms", "", "paper, s", "J", "back", "calls", "avg. %", "max. %",
          "motion");
  cli_report_begin_array(cli->report, "rows");
  for (uint32_t k = whole ? 0 : 1; k < SUP_HAHN_ROWS && result == SUP_OK; k++) {
    const uint32_t steps = k == 0 ? scene->reference_steps : scene->steps;
    result = sup_hahn_run(lab, k, steps, false, &runs[k], error);
    if (result == SUP_OK) tell_run(cli, row_names[k], &runs[k], &runs[!whole], scene->paper[k]);
  }
  if (result == SUP_OK && !whole && scene->reference_steps == 1) {
    result = sup_hahn_run(lab, 0, 1, false, &runs[0], error);
    if (result == SUP_OK) tell_run(cli, row_names[0], &runs[0], &runs[1], scene->paper[0]);
  }
  if (result == SUP_OK) {
    result = sup_hahn_run(lab, 4, scene->steps, true, &last, error);
    if (result == SUP_OK) tell_run(cli, "IV2, JE2, unpredicted", &last, &runs[!whole], 0);
  }
  cli_report_end(cli->report);
  return result;
}

static SupResult one_body(CliContext *cli, const char *name, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupHahnScene *scene = sup_hahn_scene(name, size_of(cli));
  SupHahnLab *lab;
  SupHahnSetup setup;
  SupResult result = sup_hahn_lab(&app, scene, &lab, &setup, error);
  if (result != SUP_OK) return result;
  tell_setup(cli, &setup);
  result = rows(cli, lab, scene, error);
  cli_say(cli,
          "  (at 1 ms: with 1 ms added for every rig call, by arithmetic; avg., max., motion: %%"
          " of the height)\n");
  return result;
}

static SupResult trunk(CliContext *cli, SupError *error) { return one_body(cli, "trunk", error); }
static SupResult belly(CliContext *cli, SupError *error) { return one_body(cli, "belly", error); }
static SupResult body(CliContext *cli, SupError *error) { return one_body(cli, "mochi", error); }

/* Jacobians along a long clip, on a small volume. */
static SupResult deferred(CliContext *cli, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const uint32_t steps = cli_flag(cli->arguments, "quick") ? 20 : 360;
  const SupHahnScene *scene = sup_hahn_scene("trunk", SUP_HAHN_QUICK);
  SupHahnLab *lab;
  SupHahnSetup setup;
  SupHahnRun base, run;
  SupResult result = sup_hahn_lab(&app, scene, &lab, &setup, error);
  if (result != SUP_OK) return result;
  tell_setup(cli, &setup);
  cli_report_begin_array(cli->report, "rows");
  result = sup_hahn_run(lab, 3, steps, false, &base, error);
  if (result == SUP_OK) tell_run(cli, row_names[3], &base, &base, 0);
  for (int k = 0; k < 2 && result == SUP_OK; k++) {
    result = sup_hahn_run(lab, 4, steps, k == 1, &run, error);
    if (result == SUP_OK) tell_run(cli, k ? "IV2, JE2, unpredicted" : row_names[4], &run, &base, 0);
  }
  static const struct {
    const char *name;
    double theta;
  } finer[] = {{"theta 0.01", 0.01}, {"theta 0.001", 1e-3}, {"theta 0.0001", 1e-4}};
  for (size_t k = 0; k < sizeof finer / sizeof *finer && result == SUP_OK; k++) {
    sup_hahn_theta(lab, finer[k].theta);
    result = sup_hahn_run(lab, 4, steps, false, &run, error);
    if (result == SUP_OK) tell_run(cli, finer[k].name, &run, &base, 0);
  }
  cli_report_end(cli->report);
  cli_say(
      cli,
      "  (columns as above; theta: the squared error that a Jacobian may have, 0.0003 where not "
      "said; the paper, of 360 frames: 280 Jacobians with prediction, 281 "
      "frames again without)\n");
  return result;
}

static SupResult energies(CliContext *cli, SupError *error) {
  const SupAppContext app = cli_app(cli);
  const SupHahnSize size = size_of(cli);
  const bool quick = size == SUP_HAHN_QUICK;
  SupHahnScene scene = *sup_hahn_scene("belly", size);
  SupHahnLab *lab;
  SupHahnSetup setup;
  SupHahnVariant found[SUP_HAHN_VARIANTS];
  if (size == SUP_HAHN_USUAL) scene.tets = 2000;
  SupResult result = sup_hahn_lab(&app, &scene, &lab, &setup, error);
  if (result == SUP_OK) result = sup_hahn_energies(lab, quick ? 2 : 12, found, error);
  if (result != SUP_OK) return result;
  tell_setup(cli, &setup);
  cli_say(cli, "  %-20s %8s %8s %8s %12s %10s %10s %8s\n", "candidates", "weights", "outside",
          "inverted", "at rest, J", "mean", "largest", "fit, s");
  cli_report_begin_array(cli->report, "rows");
  for (int k = 0; k < SUP_HAHN_VARIANTS; k++) {
    const SupHahnVariant *v = &found[k];
    cli_say(cli, "  %-20s %8.2f %8u %8u %12.2e %10.3f %10.3f %8.1f\n", v->name, v->weights,
            v->outside, v->inverted, v->rest, v->mean, v->most, v->seconds);
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "candidates", v->name);
    cli_report_number(cli->report, "weights_per_node", v->weights);
    cli_report_integer(cli->report, "outside_hull", v->outside);
    cli_report_integer(cli->report, "inverted_at_rest", v->inverted);
    cli_report_number(cli->report, "rest_energy", v->rest);
    cli_report_number(cli->report, "energy_mean", v->mean);
    cli_report_number(cli->report, "energy_largest", v->most);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_say(
      cli,
      "  (mean, largest: energy over that of flesh in balance; outside: of the hull; inverted: at "
      "rest; the paper: 5.5 to 6.9 weights)\n");
  return result;
}

static const char *const near_names[SUP_HAHN_TRUTH_ROWS] = {
    "best fit of the rig", "reference",       "IV1, JE1",       "IV2, JE1",
    "reference, tuned",    "IV1, JE1, tuned", "IV2, JE1, tuned"};

/* Below this part of the height there is no swing that an error of it could be compared with. */
#define LEAST_SWING 1e-4

static void tell_near(CliContext *cli, const char *rig, const SupHahnTruth *truth,
                      const SupHahnNear *rows) {
  cli_say(cli,
          "  %s: %u nodes free, %u held; free motion %.3f %% of the height (largest %.2f), from "
          "balance %.3f; first %.3f Hz, least det F %.2f\n",
          rig, truth->free_count, truth->held_count, 100 * truth->moved, 100 * truth->largest,
          100 * truth->swing, truth->first_hz, truth->determinant_least);
  cli_say(cli, "  %-20s %8s %9s %8s %8s %9s %8s %6s %5s %7s\n", "", "RMS %", "largest %",
          "relative", "dynamic", "first Hz", "energy", "bound", "parts", "carried");
  cli_report_begin_object(cli->report, rig);
  cli_report_integer(cli->report, "free_nodes", truth->free_count);
  cli_report_integer(cli->report, "held_nodes", truth->held_count);
  cli_report_number(cli->report, "free_motion_percent", 100 * truth->moved);
  cli_report_number(cli->report, "swing_percent", 100 * truth->swing);
  cli_report_number(cli->report, "first_hz", truth->first_hz);
  cli_report_number(cli->report, "frequency", truth->frequency);
  cli_report_number(cli->report, "determinant_least", truth->determinant_least);
  cli_report_begin_array(cli->report, "rows");
  for (int k = 0; k < SUP_HAHN_TRUTH_ROWS; k++) {
    const SupHahnNear *row = &rows[k];
    char dynamic[24] = "-";
    if (truth->swing >= LEAST_SWING) {
      sup_format(dynamic, sizeof dynamic, "%.3f", row->dynamic_error);
    }
    cli_say(cli, "  %-20s %8.4f %9.3f %8.3f %8s %9.3f %8.3f %6u %5u %7u\n", near_names[k],
            100 * row->rms, 100 * row->largest, row->relative_error, dynamic, row->first_hz,
            row->energy, row->at_bound, row->halved, row->carried);
    cli_report_begin_object(cli->report, NULL);
    cli_report_text(cli->report, "row", near_names[k]);
    cli_report_number(cli->report, "rms_percent", 100 * row->rms);
    cli_report_number(cli->report, "largest_percent", 100 * row->largest);
    cli_report_number(cli->report, "relative_error", row->relative_error);
    cli_report_number(cli->report, "dynamic_error", row->dynamic_error);
    cli_report_number(cli->report, "amplitude_ratio", row->amplitude_ratio);
    cli_report_number(cli->report, "first_hz", row->first_hz);
    cli_report_number(cli->report, "energy", row->energy);
    cli_report_integer(cli->report, "parameters_at_bound", row->at_bound);
    cli_report_integer(cli->report, "steps_halved", row->halved);
    cli_report_integer(cli->report, "steps_carried", row->carried);
    cli_report_end(cli->report);
  }
  cli_report_end(cli->report);
  cli_report_end(cli->report);
}

/* The trunk's influence begins here, m: below nothing moves, and the full simulation holds it. A
 * wire that fades out moves every node a little, and what it cannot bend there, flesh can. */
#define TRUNK_ROOT 0.2

/* The motion against the full simulation of the same flesh. */
static SupResult against_full(CliContext *cli, SupError *error) {
  static const char *const rigs[] = {"trunk", "belly"};
  const SupAppContext app = cli_app(cli);
  const SupHahnSize size = size_of(cli);
  SupResult result = SUP_OK;
  for (int k = 0; k < 2 && result == SUP_OK; k++) {
    SupHahnScene scene = *sup_hahn_scene(rigs[k], size);
    SupHahnLab *lab;
    SupHahnSetup setup;
    SupHahnTruth truth;
    SupHahnNear rows_of[SUP_HAHN_TRUTH_ROWS];
    if (k == 0) scene.root = TRUNK_ROOT;
    result = sup_hahn_lab(&app, &scene, &lab, &setup, error);
    if (result == SUP_OK) {
      result = sup_hahn_truth(lab, size == SUP_HAHN_QUICK ? 12 : 100, &truth, rows_of, error);
    }
    if (result == SUP_OK) tell_near(cli, rigs[k], &truth, rows_of);
  }
  cli_say(
      cli,
      "  (relative: to the free motion; dynamic: to the distance from balance; first Hz: lowest "
      "natural frequency at rest; energy: elastic, of the same flesh, over that of the full "
      "simulation; bound: parameters at one; parts: steps done in parts; tuned: flesh with the "
      "full simulation's lowest frequency)\n");
  return result;
}

const CliPaper cli_paper_hahn2013 = {
    .name = "hahn2013",
    .title = "Hahn et al. 2013: Efficient Simulation of Secondary Motion in Rig-Space",
    .parts = {{"trunk", "table 1: a wire deformer with 13 parameters", trunk},
              {"belly", "table 1: a lattice with 36 parameters", belly},
              {"body", "table 1: joints, helpers and a lattice, 174 parameters", body},
              {"deferred", "Jacobians of 360 steps of the trunk, with and without prediction",
               deferred},
              {"energy", "flesh inside by weights against flesh in balance", energies},
              {"against", "motion of the rig against the full simulation of its flesh",
               against_full},
              {0}},
    .has_quick = true,
    .has_full = true};
