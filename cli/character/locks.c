/* SPDX-License-Identifier: MIT */
/* What is not flesh: options to definitions, findings to text. */
#include "character/locks.h"

#define NAMES_SAID 3 /* of one kind */

SupLockDef cli_lock_def(const CliContext *cli) {
  return (SupLockDef){cli_names(cli, "lock"), cli_names(cli, "unlock")};
}

/* ---- Text ------------------------------------------------------------------------------------ */

/* Why, in a few words. */
static void say_reason(const CliContext *cli, const SupHardFinding *f) {
  const char *name = cli_shown(cli, f->name);
  switch (f->sign) {
    case SUP_SIGN_LOOK: cli_say(cli, "the look of %s", *name ? name : "its materials"); break;
    case SUP_SIGN_SOLID:
      if (f->count) {
        cli_say(cli, "%u small piece%s that move%s like a solid", f->count,
                f->count == 1 ? "" : "s", f->count == 1 ? "s" : "");
      } else {
        cli_say(cli, "all pieces move like a solid");
      }
      break;
    case SUP_SIGN_ENCLOSED: cli_say(cli, "%s between them", *name ? name : "what is"); break;
    case SUP_SIGN_COVERED: cli_say(cli, "flesh right below"); break;
    case SUP_SIGN_PATTERN: cli_say(cli, "--lock %s", name); break;
    case SUP_SIGN_PAINTED: cli_say(cli, "the map of the file"); break;
    case SUP_SIGN_BONE:
      cli_say(cli, "bone%s %s", f->count > 1 ? "s" : "", name);
      if (f->count > 1) cli_say(cli, " and %u more", f->count - 1);
      break;
    default: cli_say(cli, "%s %s", sup_hard_sign_name(f->sign), name);
  }
}

double cli_hard_area(const SupHardParts *hard, SupHardKind kind) {
  double area = 0;
  for (uint32_t k = 0; k < hard->finding_count; k++) {
    const SupHardFinding *f = &hard->findings[k];
    if (f->kind == kind && !f->dismissed) area += f->area;
  }
  return area;
}

static void say_kind(const CliContext *cli, const SupHardParts *hard, SupHardKind kind) {
  const double area = cli_hard_area(hard, kind);
  uint32_t said = 0;
  if (!(area > 0)) return;
  cli_say(cli, "  %s, %.2g %%: ", sup_hard_kind_name(kind), 100 * area);
  for (uint32_t k = 0; k < hard->finding_count; k++) {
    const SupHardFinding *f = &hard->findings[k];
    if (f->kind != kind || f->dismissed) continue;
    if (said == NAMES_SAID) {
      cli_say(cli, ", ...");
      break;
    }
    if (said++) cli_say(cli, ", ");
    say_reason(cli, f);
  }
  cli_say(cli, "\n");
}

static void say_dismissed(const CliContext *cli, const SupHardParts *hard) {
  for (uint32_t k = 0; k < hard->finding_count; k++) {
    const SupHardFinding *f = &hard->findings[k];
    if (!f->dismissed) continue;
    cli_say(cli, "note: %.0f %% of the skin could be %s (", 100 * f->area,
            sup_hard_kind_name(f->kind));
    say_reason(cli, f);
    cli_say(cli, "); nearly all of a body is taken for flesh (--lock corrects it)\n");
  }
}

void cli_say_hard(const CliContext *cli, const SupHardParts *hard) {
  if (hard->area > 0) {
    cli_say(cli,
            "not flesh: %.3g %% of the skin follows its bones (--unlock and --lock correct it)\n",
            100 * hard->area);
    for (uint32_t k = SUP_HARD_EYES; k < SUP_HARD_KINDS; k++) {
      say_kind(cli, hard, (SupHardKind)k);
    }
  }
  say_dismissed(cli, hard);
}

/* ---- Report ---------------------------------------------------------------------------------- */

void cli_report_hard(CliReport *report, const SupHardParts *hard) {
  cli_report_begin_object(report, "not_flesh");
  cli_report_number(report, "area", hard->area);
  cli_report_bool(report, "painted", hard->painted);
  cli_report_begin_array(report, "findings");
  for (uint32_t k = 0; k < hard->finding_count; k++) {
    const SupHardFinding *f = &hard->findings[k];
    cli_report_begin_object(report, NULL);
    cli_report_text(report, "kind", sup_hard_kind_name(f->kind));
    cli_report_text(report, "sign", sup_hard_sign_name(f->sign));
    cli_report_text(report, "name", f->name);
    cli_report_bool(report, "locked", !f->dismissed);
    cli_report_number(report, "area", f->area);
    cli_report_integer(report, "count", f->count);
    cli_report_end(report);
  }
  cli_report_end(report);
  cli_report_end(report);
}
