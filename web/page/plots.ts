// SPDX-License-Identifier: MIT
/** Curves over time and their spectrum, drawn small. */

export interface Curve {
  colour: string;
  values: ArrayLike<number>;
}

export interface PlotDef {
  title: string;
  curves: Curve[];
  /** 0..1, a line where the moment is */
  cursor?: number;
  /** what the highest value is called */
  top: (most: number) => string;
  /** left and right end of the time or frequency axis */
  ends: [string, string];
}

export function drawPlot(canvas: HTMLCanvasElement, def: PlotDef): void {
  const ratio = window.devicePixelRatio || 1;
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  if (!width) return;
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const pen = canvas.getContext('2d')!;
  const ink = getComputedStyle(canvas).getPropertyValue('--soft');
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = '11px system-ui, sans-serif';
  pen.fillStyle = ink;
  let most = 1e-9;
  for (const { values } of def.curves) for (let k = 0; k < values.length; k++) most = Math.max(most, values[k]);
  pen.textAlign = 'left';
  pen.fillText(def.title, 8, 14);
  pen.textAlign = 'right';
  pen.fillText(def.top(most), width - 8, 14);
  pen.fillText(def.ends[1], width - 8, height - 5);
  pen.textAlign = 'left';
  pen.fillText(def.ends[0], 8, height - 5);
  const [top, bottom] = [20, height - 18];
  for (const { colour, values } of def.curves) {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.6;
    pen.lineJoin = 'round';
    pen.beginPath();
    for (let k = 0; k < values.length; k++) {
      const x = 8 + (k / Math.max(values.length - 1, 1)) * (width - 16);
      pen.lineTo(x, bottom - (values[k] / most) * (bottom - top));
    }
    pen.stroke();
  }
  if (def.cursor !== undefined) {
    pen.strokeStyle = ink;
    pen.lineWidth = 1;
    const x = 8 + def.cursor * (width - 16);
    pen.beginPath();
    pen.moveTo(x, top);
    pen.lineTo(x, bottom);
    pen.stroke();
  }
}

/** The last so many numbers. */
export class Trace {
  private ring: Float32Array;
  private next = 0;
  count = 0;
  constructor(readonly length: number) {
    this.ring = new Float32Array(length);
  }
  push(x: number): void {
    this.ring[this.next] = x;
    this.next = (this.next + 1) % this.length;
    this.count = Math.min(this.count + 1, this.length);
  }
  clear(): void {
    this.count = this.next = 0;
  }
  /** oldest first */
  get values(): Float32Array {
    const out = new Float32Array(this.count);
    for (let k = 0; k < this.count; k++) {
      out[k] = this.ring[(this.next - this.count + k + this.length) % this.length];
    }
    return out;
  }
}

/** Amplitudes from 0 Hz on in steps of `step` Hz, of a signal without its mean, Hann window. */
export function spectrum(signal: Float32Array, rate: number, step: number, bins: number): Float32Array {
  const n = signal.length;
  const out = new Float32Array(bins);
  if (n < 16) return out;
  const mean = signal.reduce((a, b) => a + b, 0) / n;
  for (let bin = 1; bin < bins; bin++) {
    const turn = (2 * Math.PI * bin * step) / rate;
    let re = 0;
    let im = 0;
    for (let k = 0; k < n; k++) {
      const x = (signal[k] - mean) * (0.5 - 0.5 * Math.cos((2 * Math.PI * k) / (n - 1)));
      re += x * Math.cos(turn * k);
      im += x * Math.sin(turn * k);
    }
    out[bin] = (4 * Math.hypot(re, im)) / n;
  }
  return out;
}
