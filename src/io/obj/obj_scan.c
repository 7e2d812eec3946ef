/* SPDX-License-Identifier: MIT */
#include "io/obj/obj_scan.h"

#include <math.h>

/* Bytes of the end of line at p: 0 for none, 2 for \r\n. */
static size_t line_end(const char *p, const char *end) {
  if (p == end) return 0;
  if (*p == '\n') return 1;
  if (*p == '\r') return end - p > 1 && p[1] == '\n' ? 2 : 1;
  return 0;
}

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == 0; }

bool sup_obj_scan_more(SupObjScan *scan) {
  for (;;) {
    if (scan->at == scan->end) return false;
    size_t joint = *scan->at == '\\' ? line_end(scan->at + 1, scan->end) : 0;
    if (joint) {
      scan->at += 1 + joint;
      scan->line++;
    } else if (is_blank(*scan->at)) {
      scan->at++;
    } else {
      return line_end(scan->at, scan->end) == 0 && *scan->at != '#';
    }
  }
}

bool sup_obj_scan_next_line(SupObjScan *scan) {
  while (scan->at < scan->end) {
    /* Continued lines are one; comments are not continued. */
    size_t bytes = line_end(scan->at, scan->end);
    if (bytes) {
      scan->at += bytes;
      scan->line++;
      return true;
    }
    scan->at++;
  }
  return false;
}

void sup_obj_scan_word(SupObjScan *scan, const char **out_word, size_t *out_length) {
  *out_word = scan->at;
  *out_length = 0;
  if (!sup_obj_scan_more(scan)) return;
  *out_word = scan->at;
  while (scan->at < scan->end && !is_blank(*scan->at) && !line_end(scan->at, scan->end)) {
    scan->at++;
  }
  *out_length = (size_t)(scan->at - *out_word);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Digits of word[length] from *k on: value and power of ten. More than 18 digits only count. */
static bool scan_digits(const char *word, size_t length, size_t *k, uint64_t *value, int *power) {
  bool any = false, behind_point = false;
  for (; *k < length; (*k)++) {
    if (word[*k] == '.' && !behind_point) {
      behind_point = true;
      continue;
    }
    if (!is_digit(word[*k])) break;
    any = true;
    if (*value < 100000000000000000u) {
      *value = *value * 10 + (uint64_t)(word[*k] - '0');
      if (behind_point) (*power)--;
    } else if (!behind_point && *power < 10000) {
      (*power)++;
    }
  }
  return any;
}

static bool scan_exponent(const char *word, size_t length, size_t *k, int *power) {
  if (*k == length) return true;
  if (word[*k] != 'e' && word[*k] != 'E') return false;
  (*k)++;
  bool negative = *k < length && word[*k] == '-';
  if (*k < length && (word[*k] == '-' || word[*k] == '+')) (*k)++;
  int exponent = 0;
  size_t first = *k;
  for (; *k < length && is_digit(word[*k]); (*k)++) {
    if (exponent < 10000) exponent = exponent * 10 + (word[*k] - '0');
  }
  *power += negative ? -exponent : exponent;
  return *k > first && *k == length;
}

/* value * 10^power. Up to 10^22 the power is exact, so a number of at most nine digits is rounded
 * once here and once to float, which gives back the float that was printed. */
static double scale_by_ten(double value, int power) {
  for (; power > 22; power -= 22) {
    if (value == 0 || value > 1e300) return value;
    value *= 1e22;
  }
  for (; power < -22; power += 22) {
    if (value == 0) return value;
    value /= 1e22;
  }
  double ten = 1;
  for (int k = power < 0 ? -power : power; k > 0; k--) ten *= 10;
  return power < 0 ? value / ten : value * ten;
}

bool sup_obj_scan_double(SupObjScan *scan, double *out_value) {
  SupObjScan ahead = *scan;
  const char *word;
  size_t length, k = 0;
  sup_obj_scan_word(&ahead, &word, &length);
  bool negative = length > 0 && word[0] == '-';
  if (length > 0 && (word[0] == '-' || word[0] == '+')) k++;
  uint64_t digits = 0;
  int power = 0;
  if (!scan_digits(word, length, &k, &digits, &power)) return false;
  if (!scan_exponent(word, length, &k, &power)) return false;
  double value = scale_by_ten((double)digits, power);
  if (!isfinite(value)) return false;
  *out_value = negative ? -value : value;
  *scan = ahead;
  return true;
}

bool sup_obj_scan_number(SupObjScan *scan, float *out_value) {
  SupObjScan ahead = *scan;
  double value;
  if (!sup_obj_scan_double(&ahead, &value) || !isfinite((float)value)) return false;
  *out_value = (float)value;
  *scan = ahead;
  return true;
}

bool sup_obj_scan_corner(SupObjScan *scan, int64_t *out_index) {
  SupObjScan ahead = *scan;
  const char *word;
  size_t length;
  sup_obj_scan_word(&ahead, &word, &length);
  bool negative = length > 0 && word[0] == '-';
  size_t k = negative ? 1 : 0, first = k;
  int64_t index = 0;
  for (; k < length && is_digit(word[k]); k++) {
    if (index < INT64_MAX / 100) index = index * 10 + (word[k] - '0');
  }
  if (k == first || (k < length && word[k] != '/')) return false;
  *out_index = negative ? -index : index;
  *scan = ahead;
  return true;
}
