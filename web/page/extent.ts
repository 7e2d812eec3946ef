// SPDX-License-Identifier: MIT
/** How large a body may be to be drawn: squares and products of such lengths are still floats. */
import { SuppleError } from '../module/supple.js';

const MOST = 1e9;

/** The greatest coordinate; infinite where one is no number. */
export function extent(positions: Float32Array): number {
  let most = 0;
  for (let k = 0; k < positions.length; k++) {
    const x = Math.abs(positions[k]);
    if (!(x <= most)) most = x === x ? x : Infinity;
  }
  return most;
}

export const drawable = (positions: Float32Array): boolean => extent(positions) <= MOST;

export function checkSize(positions: Float32Array): void {
  if (drawable(positions)) return;
  const size = extent(positions);
  throw new SuppleError(`a vertex is ${Number.isFinite(size) ? size.toPrecision(2) : 'infinitely many'} units away, more than ` +
    'can be drawn (1e9); check the scale of joints and nodes and export the file again');
}
