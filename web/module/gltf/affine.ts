// SPDX-License-Identifier: MIT
/** Affine maps: 12 numbers, column by column. */

export type Affine = number[];
export const IDENTITY: Affine = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

export function mul(a: Affine, b: Affine): Affine {
  const out = new Array<number>(12);
  for (let c = 0; c < 4; c++) {
    for (let r = 0; r < 3; r++) {
      let sum = a[r] * b[3 * c] + a[3 + r] * b[3 * c + 1] + a[6 + r] * b[3 * c + 2];
      if (c === 3) sum += a[9 + r];
      out[3 * c + r] = sum;
    }
  }
  return out;
}

export function determinant(a: Affine): number {
  return a[0] * (a[4] * a[8] - a[5] * a[7]) - a[3] * (a[1] * a[8] - a[2] * a[7]) +
    a[6] * (a[1] * a[5] - a[2] * a[4]);
}

export function inverse(a: Affine): Affine {
  const d = 1 / determinant(a);
  const m = [
    (a[4] * a[8] - a[7] * a[5]) * d, (a[7] * a[2] - a[1] * a[8]) * d, (a[1] * a[5] - a[4] * a[2]) * d,
    (a[6] * a[5] - a[3] * a[8]) * d, (a[0] * a[8] - a[6] * a[2]) * d, (a[3] * a[2] - a[0] * a[5]) * d,
    (a[3] * a[7] - a[6] * a[4]) * d, (a[6] * a[1] - a[0] * a[7]) * d, (a[0] * a[4] - a[3] * a[1]) * d,
  ];
  const t = [0, 1, 2].map((r) => -(m[r] * a[9] + m[3 + r] * a[10] + m[6 + r] * a[11]));
  return [...m, ...t];
}

export function compose(rest: Float32Array): Affine {
  const [tx, ty, tz, x, y, z, w, sx, sy, sz] = rest;
  return [
    (1 - 2 * (y * y + z * z)) * sx, 2 * (x * y + w * z) * sx, 2 * (x * z - w * y) * sx,
    2 * (x * y - w * z) * sy, (1 - 2 * (x * x + z * z)) * sy, 2 * (y * z + w * x) * sy,
    2 * (x * z + w * y) * sz, 2 * (y * z - w * x) * sz, (1 - 2 * (x * x + y * y)) * sz,
    tx, ty, tz,
  ];
}

export const linearSize = (a: Affine): number => Math.max(...a.slice(0, 9).map(Math.abs));
export const invertible = (a: Affine): boolean => Math.abs(determinant(a)) > 1e-12 * linearSize(a) ** 3;

export function nearlyEqual(a: Affine, b: Affine, extent: number): boolean {
  const size = Math.max(linearSize(a), linearSize(b));
  return a.every((x, k) => Math.abs(x - b[k]) <= 1e-4 * (k < 9 ? size : extent));
}
