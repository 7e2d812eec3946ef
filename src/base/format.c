/* SPDX-License-Identifier: MIT */
/* A small printf for sentences, without a C library. Not for round trips: six digits are enough
 * for a person. */
#include "supple/base.h"

typedef struct Sink {
  char *buffer;
  size_t size;
  size_t length; /* of the whole text, also what did not fit */
} Sink;

static void put(Sink *sink, char c) {
  if (sink->length + 1 < sink->size) sink->buffer[sink->length] = c;
  sink->length++;
}

static void put_text(Sink *sink, const char *text) {
  for (; *text; text++) put(sink, *text);
}

static void put_unsigned(Sink *sink, uint64_t value, unsigned base, unsigned least_digits) {
  char digits[20];
  unsigned count = 0;
  do {
    digits[count++] = "0123456789abcdef"[value % base];
    value /= base;
  } while (value || count < least_digits);
  while (count) put(sink, digits[--count]);
}

static void put_signed(Sink *sink, int64_t value) {
  if (value < 0) put(sink, '-');
  put_unsigned(sink, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, 10, 1);
}

static double power_of_ten(int exponent) {
  double power = 1;
  for (int k = exponent < 0 ? -exponent : exponent; k > 0; k--) power *= 10;
  return exponent < 0 ? 1 / power : power;
}

/* Not finite, sign: what both number formats share. Returns false when all is said. */
static bool put_special(Sink *sink, double *value) {
  if (*value != *value) {
    put_text(sink, "nan");
    return false;
  }
  if (*value < 0) {
    put(sink, '-');
    *value = -*value;
  }
  if (*value > 1.7976931348623157e308) {
    put_text(sink, "inf");
    return false;
  }
  return true;
}

static void put_general(Sink *sink, double value, int digits);

/* %.Nf; above 1e15 the digits would be invented, so it falls back to %g. */
static void put_fixed(Sink *sink, double value, int decimals) {
  if (!put_special(sink, &value)) return;
  if (value >= 1e15) {
    put_general(sink, value, 6);
    return;
  }
  if (decimals > 9) decimals = 9;
  double scale = power_of_ten(decimals);
  uint64_t whole = (uint64_t)value;
  uint64_t fraction = (uint64_t)((value - (double)whole) * scale + 0.5);
  if (fraction >= (uint64_t)scale) {
    fraction -= (uint64_t)scale;
    whole++;
  }
  put_unsigned(sink, whole, 10, 1);
  if (decimals) {
    put(sink, '.');
    put_unsigned(sink, fraction, 10, (unsigned)decimals);
  }
}

/* `digits` significant digits as an integer, value ~ result * 10^(*exponent - digits + 1). */
static uint64_t significant(double value, int digits, int *exponent) {
  int e = 0;
  while (value >= 10) {
    value /= 10;
    e++;
  }
  while (value < 1) {
    value *= 10;
    e--;
  }
  uint64_t number = (uint64_t)(value * power_of_ten(digits - 1) + 0.5);
  if (number >= (uint64_t)power_of_ten(digits)) {
    number /= 10;
    e++;
  }
  *exponent = e;
  return number;
}

static void put_general(Sink *sink, double value, int digits) {
  if (!put_special(sink, &value)) return;
  if (value == 0) {
    put(sink, '0');
    return;
  }
  if (digits < 1) digits = 1;
  if (digits > 15) digits = 15;
  int exponent;
  uint64_t number = significant(value, digits, &exponent);
  while (digits > 1 && number % 10 == 0) {
    number /= 10;
    digits--;
  }
  char text[20];
  for (int k = digits - 1; k >= 0; k--) {
    text[k] = (char)('0' + number % 10);
    number /= 10;
  }
  bool plain = exponent >= -5 && exponent < 15;
  int point = plain ? exponent : 0; /* the point stands behind this digit */
  if (point < 0) {
    put_text(sink, "0.");
    for (int k = point + 1; k < 0; k++) put(sink, '0');
  }
  for (int k = 0; k < digits || k <= point; k++) {
    put(sink, k < digits ? text[k] : '0');
    if (k == point && k + 1 < digits) put(sink, '.');
  }
  if (!plain) {
    put(sink, 'e');
    put_signed(sink, exponent);
  }
}

/* One conversion; `f` is just behind the '%'. Returns the place behind it. */
static const char *put_conversion(Sink *sink, const char *f, va_list *arguments) {
  int precision = -1;
  if (*f == '.') {
    precision = 0;
    for (f++; *f >= '0' && *f <= '9'; f++) precision = precision * 10 + (*f - '0');
  }
  unsigned longs = 0;
  bool is_size = false;
  for (; *f == 'l' || *f == 'z'; f++) {
    if (*f == 'l') longs++;
    if (*f == 'z') is_size = true;
  }
  switch (*f) {
    case 's': {
      const char *text = va_arg(*arguments, const char *);
      put_text(sink, text ? text : "(null)");
      break;
    }
    case 'c': put(sink, (char)va_arg(*arguments, int)); break;
    case 'd':
      put_signed(sink, longs >= 2   ? va_arg(*arguments, long long)
                       : longs == 1 ? va_arg(*arguments, long)
                                    : va_arg(*arguments, int));
      break;
    case 'u':
    case 'x':
      put_unsigned(sink,
                   is_size      ? va_arg(*arguments, size_t)
                   : longs >= 2 ? va_arg(*arguments, unsigned long long)
                   : longs == 1 ? va_arg(*arguments, unsigned long)
                                : va_arg(*arguments, unsigned),
                   *f == 'x' ? 16 : 10, 1);
      break;
    case 'f': put_fixed(sink, va_arg(*arguments, double), precision < 0 ? 6 : precision); break;
    case 'g': put_general(sink, va_arg(*arguments, double), precision < 0 ? 6 : precision); break;
    case '%': put(sink, '%'); break;
    default: return f; /* the text ended behind a '%' */
  }
  return f + 1;
}

size_t sup_format_v(char *buffer, size_t size, const char *format, va_list arguments) {
  Sink sink = {buffer, size, 0};
  va_list list;
  va_copy(list, arguments);
  while (*format) {
    if (*format == '%') {
      format = put_conversion(&sink, format + 1, &list);
    } else {
      put(&sink, *format++);
    }
  }
  va_end(list);
  if (size) buffer[sink.length < size ? sink.length : size - 1] = 0;
  return sink.length;
}

size_t sup_format(char *buffer, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  size_t length = sup_format_v(buffer, size, format, arguments);
  va_end(arguments);
  return length;
}

SupResult sup_fail(SupError *error, SupResult result, const char *format, ...) {
  if (error) {
    va_list arguments;
    va_start(arguments, format);
    sup_format_v(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
  }
  return result;
}

SupResult sup_fail_memory(SupError *error, const char *what) {
  if (!what) return sup_fail(error, SUP_ERROR_MEMORY, "out of memory");
  return sup_fail(error, SUP_ERROR_MEMORY, "%s: out of memory", what);
}

void sup_error_prefix(SupError *error, const char *format, ...) {
  if (!error) return;
  SupError old = *error;
  va_list arguments;
  va_start(arguments, format);
  size_t length = sup_format_v(error->text, sizeof error->text, format, arguments);
  va_end(arguments);
  if (length < sizeof error->text) {
    sup_format(error->text + length, sizeof error->text - length, ": %s", old.text);
  }
}
