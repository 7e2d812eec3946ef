// SPDX-License-Identifier: MIT
/** Numbers as colours. */
import { metres } from './bits.js';

const STOPS = [[84, 78, 156], [64, 116, 190], [40, 172, 160], [158, 212, 86], [255, 214, 79], [255, 92, 54]];

/** t in 0..1 as red, green, blue in 0..1, linear light. */
export function ramp(t: number, out: Float32Array, at: number): void {
  const x = Math.min(Math.max(t, 0), 1) * (STOPS.length - 1);
  const k = Math.min(Math.floor(x), STOPS.length - 2);
  for (let c = 0; c < 3; c++) {
    const s = (STOPS[k][c] + (STOPS[k + 1][c] - STOPS[k][c]) * (x - k)) / 255;
    out[at + c] = s * s * (0.3 + 0.7 * s); // near enough to the sRGB curve
  }
}

export interface Scale {
  low: number;
  high: number;
  unit: 'metres' | '';
}

export function colours(values: Float32Array, scale: Scale, out: Float32Array): void {
  const size = scale.high - scale.low || 1;
  for (let v = 0; v < values.length; v++) ramp((values[v] - scale.low) / size, out, 3 * v);
}

/** Low and high of a list, without its most extreme hundredth. */
export function scaleOf(values: Float32Array, unit: 'metres' | ''): Scale {
  const sorted = values.filter((x) => x < 1e20).sort();
  if (!sorted.length) return { low: 0, high: 1, unit };
  const low = sorted[Math.floor(0.01 * (sorted.length - 1))];
  const high = sorted[Math.ceil(0.99 * (sorted.length - 1))];
  return { low, high: high > low ? high : low + 1e-6, unit };
}

export function drawLegend(canvas: HTMLCanvasElement): void {
  canvas.width = 256;
  canvas.height = 1;
  const pen = canvas.getContext('2d')!;
  const gradient = pen.createLinearGradient(0, 0, 256, 0);
  STOPS.forEach((stop, k) => gradient.addColorStop(k / (STOPS.length - 1), `rgb(${stop})`));
  pen.fillStyle = gradient;
  pen.fillRect(0, 0, 256, 1);
}

export const shown = (x: number, unit: 'metres' | ''): string =>
  unit === 'metres' ? metres(x) : x.toPrecision(2);
