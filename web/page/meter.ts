// SPDX-License-Identifier: MIT
/** What is measured while the page plays: curves of the last seconds, and a clip against samples. */
import { Comparison } from '../module/supple.js';
import type { App } from './app.js';
import { make, metres } from './bits.js';
import { compareClip } from './clipwork.js';
import { drawPlot, spectrum, Trace } from './plots.js';

export class Meter {
  comparison: Comparison | null = null;
  private probe = { instance: -1, body: -1 };
  private traces = { mean: new Trace(300), vertex: new Trace(300), signed: new Trace(256) };

  constructor(private app: App) {}

  /** Nothing measured yet, no vertex chosen. */
  clear(): void {
    this.comparison = null;
    this.probe = { instance: -1, body: -1 };
  }

  /** Another clip plays. */
  restart(): void {
    this.comparison = null;
    this.traces.mean.clear();
  }

  /** Follows this vertex from now on. */
  follow(instance: number, body: number): void {
    this.probe = { instance, body };
    this.traces.vertex.clear();
    this.traces.signed.clear();
    this.plot();
  }

  record(dt: number): void {
    const { app } = this;
    if (!app.main.lives || dt <= 0) return;
    this.traces.mean.push(app.figure('alive').displacement().mean);
    const instance = app.instances[this.probe.instance];
    if (!instance) return;
    const at = 3 * instance.character.firstRender[this.probe.body];
    const [a, b] = [instance.alive.positions, instance.plain.positions];
    this.traces.vertex.push(Math.hypot(a[at] - b[at], a[at + 1] - b[at + 1], a[at + 2] - b[at + 2]));
    this.traces.signed.push(a[at + 1] - b[at + 1]);
  }

  plot(): void {
    const { app } = this;
    const [first, second, third] = app.panel.plots;
    const seconds = `${(300 / app.fps).toFixed(0)} s ago`;
    const merit = this.comparison;
    if (merit) {
      drawPlot(first, { title: 'error over the clip', ends: ['0 s', `${app.main.duration.toFixed(1)} s`],
        cursor: app.main.time / (app.main.duration || 1), top: metres,
        curves: [{ colour: '#5aa9ff', values: merit.skinningFrames }, { colour: '#ff7a59', values: merit.frames }] });
    } else {
      drawPlot(first, { title: 'distance from skinning, mean', ends: [seconds, 'now'], top: metres,
        curves: [{ colour: '#ff7a59', values: this.traces.mean.values }] });
    }
    const chosen = this.probe.body >= 0;
    second.hidden = third.hidden = !chosen;
    if (!chosen) return;
    drawPlot(second, { title: `vertex ${this.probe.body}`, ends: [seconds, 'now'], top: metres,
      curves: [{ colour: '#ffd24a', values: this.traces.vertex.values }] });
    drawPlot(third, { title: 'its spectrum, up and down', ends: ['0 Hz', '12 Hz'], top: metres,
      curves: [{ colour: '#7ed67a', values: spectrum(this.traces.signed.values, app.fps, 0.25, 48) }] });
  }

  /** The living version against the samples, over the whole clip. */
  measure(): void {
    const { main, panel } = this.app;
    const truth = main.truth();
    if (!truth) return;
    this.comparison = compareClip(main, truth);
    const { relativeError, rms, frequency, amplitudeRatio, phase, clarity, volume, referenceVolume } = this.comparison;
    const degrees = `${Math.abs(phase * 180 / Math.PI).toFixed(0)}° ${phase < 0 ? 'early' : 'late'}`;
    const tone = clarity >= 1
      ? `; at ${frequency.toFixed(1)} Hz it swings ${amplitudeRatio.toFixed(2)} times as far, ${degrees}`
      : '; no clear oscillation';
    const percent = (x: number): string => `${(100 * x).toFixed(1)} %`;
    const flesh = volume >= 0 ? `; volume ${percent(volume)} off at most, samples ${percent(referenceVolume)}` : '';
    panel.merit.replaceChildren(make('b', {}, `relative error ${relativeError.toFixed(2)}`),
      ` (${metres(rms)} RMS; 1 is plain skinning)${tone}${flesh}`);
    this.plot();
  }
}
