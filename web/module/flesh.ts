// SPDX-License-Identifier: MIT
/** Numbers that say how flesh is. */

/** Numbers of a preset: how flesh is. */
export interface FleshNumbers {
  /** Hz, how the thickest tenth of the body swings */
  frequency: number;
  /** ratio: 0 rings for ever, 1 does not swing */
  damping: number;
  slope: number;
  thin: number;
  thick: number;
  /** of the inertia that is felt, 0..1 */
  amount: number;
  detail: number;
  volume: number;
  spread: number;
  /** greatest offset, in thicknesses of the flesh */
  max_distance: number;
}

export interface Preset {
  name: string;
  summary: string;
  numbers: FleshNumbers;
}

/** In the order in which the module takes them. */
export const FLESH: (keyof FleshNumbers)[] = [
  'frequency', 'damping', 'slope', 'thin', 'thick', 'amount', 'detail', 'volume', 'spread', 'max_distance',
];

/** The maps of a surface model, in the order of its rows. */
export const SURFACE_MAPS = [
  'stiffness', 'detail', 'volume', 'damping', 'drag', 'amount', 'max_distance', 'backstop',
  'normal_stiffness', 'normal_drag',
];
