#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Derives the polynomials of src/math/elementary_f32.h, elementary_f64.h and
rotation_vector.h.

Each function is written as  fixed(x) + x^k P(u),  u = x or x^2, and P is the polynomial that
minimises the greatest relative error of the whole over the interval (Remez exchange on a dense
Chebyshev grid, 60 decimal digits). Coefficients are rounded to the working precision; where u is
x^2 one by one, lowest order first, and the rest is fitted again after each, so that the rounding
of the leading coefficients is made good by the later ones. Prints the coefficients as C constants
and log2 of the error that remains with the rounded coefficients. Also prints pi/2, pi/4 and ln 2
cut into pieces, and the bits of 2/pi. Needs nothing but Python.

usage: minimax.py                 prints all constants
       minimax.py --check FILE... also fails if one of them is in none of the files
"""
import math
import sys
from decimal import Decimal as D, getcontext

getcontext().prec = 60
PI = D("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803")
LN2 = D(2).ln()


def taylor(x, first, ratio):
    """Sum of terms first, first * ratio(1), ... until they vanish."""
    term, total, k = first, D(0), 1
    while term != 0 and abs(term) > D(10) ** -70:
        total += term
        term *= ratio(k)
        k += 1
    return total


def sin(x):
    return taylor(x, x, lambda k: -x * x / ((2 * k) * (2 * k + 1)))


def cos(x):
    return taylor(x, D(1), lambda k: -x * x / ((2 * k - 1) * (2 * k)))


def atan(x):
    halvings = 0
    while abs(x) > D("0.05"):
        x = x / (1 + (1 + x * x).sqrt())
        halvings += 1
    total, power, k = D(0), x, 0
    while abs(power) > D(10) ** -70:
        total += power / (2 * k + 1) * (-1 if k % 2 else 1)
        power *= x * x
        k += 1
    return total * 2**halvings


def asin(x):
    return atan(x / (1 - x * x).sqrt())


def solve(a, b):
    """Gaussian elimination with pivoting, in Decimal."""
    n = len(b)
    a = [row[:] + [b[i]] for i, row in enumerate(a)]
    for c in range(n):
        p = max(range(c, n), key=lambda r: abs(a[r][c]))
        a[c], a[p] = a[p], a[c]
        for r in range(c + 1, n):
            m = a[r][c] / a[c][c]
            for k in range(c, n + 1):
                a[r][k] -= m * a[c][k]
    x = [D(0)] * n
    for r in reversed(range(n)):
        x[r] = (a[r][n] - sum(a[r][k] * x[k] for k in range(r + 1, n))) / a[r][r]
    return x


def horner(c, u):
    total = D(0)
    for a in reversed(c):
        total = total * u + a
    return total


def remez(points, order, n):
    """Coefficients of u^order .. u^(order+n-1). points: (u, target, weight)."""
    m = n + 1
    chosen = [points[(len(points) - 1) * i // (m - 1)] for i in range(m)]
    c = []
    for _ in range(12):
        rows = [[p[0] ** (order + k) * p[2] for k in range(n)] + [D(-1) ** i]
                for i, p in enumerate(chosen)]
        c = solve(rows, [p[1] * p[2] for p in chosen])[:n]
        errors = [(p[1] - p[0] ** order * horner(c, p[0])) * p[2] for p in points]
        runs = []
        for p, e in zip(points, errors):
            if runs and (runs[-1][0] > 0) == (e > 0):
                if abs(e) > abs(runs[-1][0]):
                    runs[-1] = (e, p)
            else:
                runs.append((e, p))
        while len(runs) > m:
            runs.pop(0 if abs(runs[0][0]) < abs(runs[-1][0]) else -1)
        if len(runs) < m:
            break
        chosen = [p for _, p in runs]
        worst, least = max(abs(e) for e, _ in runs), min(abs(e) for e, _ in runs)
        if worst < least * D("1.001"):
            break
    return c


def round_to(x, bits):
    """x to the nearest number of `bits` significant bits."""
    if x == 0:
        return D(0)
    mantissa, exponent = abs(x), 0
    while mantissa >= 1:
        mantissa /= 2
        exponent += 1
    while mantissa < D("0.5"):
        mantissa *= 2
        exponent -= 1
    scaled = (mantissa * 2**bits).to_integral_value()
    return scaled * D(2) ** (exponent - bits) * (1 if x > 0 else -1)


printed = []  # every constant, as C writes it


def show(literal, note=""):
    printed.append(literal)
    print(f"    {literal}{note}")


def literal_of(x, bits):
    mantissa, exponent = float(x).hex().split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}{'f' if bits <= 24 else ''}"


def fit(name, f, fixed, k, square, low, high, n, bits):
    points = []
    count = 60 * n
    for i in range(count + 1):
        x = low + (high - low) * (1 - D(math.cos(math.pi * i / count))) / 2
        if x == 0:
            continue
        u = x * x if square else x
        points.append((u, (f(x) - fixed(x)) / x**k, x**k / f(x)))
    if square:
        done = []
        for order in range(n):
            rest = [(u, t - horner(done, u), w) for u, t, w in points]
            done.append(round_to(remez(rest, order, n - order)[0], bits))
    else:  # with u on both sides of 0 the powers from u^1 on have no unique best fit
        done = [round_to(c, bits) for c in remez(points, 0, n)]
    error = max(abs((t - horner(done, u)) * w) for u, t, w in points)
    print(f"{name}: 2^{math.log2(error):.1f}")
    for c in done:
        show(literal_of(c, bits))


def pieces(name, x, widths):
    print(name)
    for bits in widths:
        exponent = math.floor(math.log2(abs(x)))
        unit = D(2) ** (exponent + 1 - bits)
        piece = (x / unit).to_integral_value(rounding="ROUND_FLOOR") * unit
        if bits in (24, 53):
            piece = round_to(x, bits)
        show(literal_of(piece, widths[-1]), f"  {bits} bits")
        x -= piece


def main():
    quarter, half_ln2, root = PI / 4, LN2 / 2, D(2).sqrt()
    for bits, terms in ((24, dict(sin=3, cos=3, exp=5, log=9, atan=6, asin=5)),
                        (53, dict(sin=6, cos=6, exp=11, log=7, atan=13, asin=12))):
        print("float" if bits == 24 else "double")
        fit("sin", sin, lambda x: x, 3, True, D(0), quarter, terms["sin"], bits)
        fit("cos", cos, lambda x: 1 - x * x / 2, 4, True, D(0), quarter, terms["cos"], bits)
        fit("exp", lambda x: x.exp(), lambda x: 1 + x, 2, False, -half_ln2, half_ln2,
            terms["exp"], bits)
        if bits == 24:
            fit("log", lambda x: (1 + x).ln(), lambda x: x - x * x / 2, 3, False,
                1 / root - 1, root - 1, terms["log"], bits)
        else:  # in s = f / (2 + f): log(1 + f) = 2 s + s^3 P(s^2)
            fit("log", lambda x: ((1 + x) / (1 - x)).ln(), lambda x: 2 * x, 3, True,
                D(0), (root - 1) / (root + 1), terms["log"], bits)
        fit("atan", atan, lambda x: x, 3, True, D(0), D("0.5"), terms["atan"], bits)
        fit("asin", asin, lambda x: x, 3, True, D(0), D("0.5"), terms["asin"], bits)
    # Rotation vectors: atan up to 1, and half angles up to a quarter turn; 1 + cos, since cos itself
    # ends at 0 and only its absolute error counts.
    fit("log map", atan, lambda x: x, 3, True, D(0), D(1), 8, 24)
    fit("exp map, sin", sin, lambda x: x, 3, True, D(0), PI / 2, 4, 24)
    fit("exp map, cos", lambda x: 1 + cos(x), lambda x: 2 - x * x / 2, 4, True, D(0), PI / 2, 4, 24)
    pieces("pi/2, float", PI / 2, (13, 13, 13, 24))
    pieces("pi/2, double", PI / 2, (33, 33, 33, 53))
    pieces("pi/4, float", PI / 4, (21, 24))
    pieces("pi/4, double", PI / 4, (50, 53))
    pieces("pi/2 in two, float", PI / 2, (24, 24))
    pieces("pi/2 in two, double", PI / 2, (53, 53))
    pieces("ln 2, float", LN2, (15, 24))
    pieces("ln 2, double", LN2, (42, 53))
    getcontext().prec = 420
    print("2/pi after the point, 38 words of 32 bits")
    x = 2 / machin_pi()
    for _ in range(38):
        x *= D(2) ** 32
        show(f"0x{int(x):08x}")
        x -= int(x)


def machin_pi():
    """pi = 16 atan(1/5) - 4 atan(1/239), to the present precision."""
    def inverse_atan(n):
        total, power, k = D(0), D(1) / n, 0
        while power > D(10) ** -(getcontext().prec + 5):
            total += power / (2 * k + 1) * (-1 if k % 2 else 1)
            power /= n * n
            k += 1
        return total
    return 16 * inverse_atan(5) - 4 * inverse_atan(239)


if __name__ == "__main__":
    main()
    if sys.argv[1:2] == ["--check"]:
        text = "".join(open(name, encoding="utf-8").read() for name in sys.argv[2:])
        missing = [literal for literal in printed if literal.lstrip("-") not in text]
        if missing:
            sys.exit("not in the sources: " + " ".join(missing))
