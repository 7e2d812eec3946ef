// SPDX-License-Identifier: MIT
/** The curves of a clip under the figure: looked at, scrubbed, held at rest and released. */
import type { RawTrack } from '../module/raw.js';
import { byId, clamp, make, metres } from './bits.js';
import { KeyCurve, keyCurves, valueAt, writeKeys } from './curve_keys.js';
import type { Instance } from './instance.js';

const COLOURS = ['#ff6b5e', '#4fb86a', '#5b8ff9', '#c9a227'];
const POINTS = 240;
const EDGE = 8;

export interface CurvesHost {
  readonly main: Instance;
  clip: number;
  scrub(time: number): void;
  curvesChanged(): void;
}

export class CurvesView {
  curves: KeyCurve[] = [];
  chosen = 0;
  private held = new Set<string>();
  private shown: Instance | null = null;
  private box = make('div', { id: 'curves', hidden: true, role: 'group', 'aria-label': 'Curves of the clip' });
  private list = make('div', { class: 'list' });
  private canvas = make('canvas', { 'aria-label': 'The chosen curve over time' });
  private button = make('button', { id: 'curves-toggle', hidden: true, title: 'The keys of this clip as curves (C)', 'aria-pressed': 'false' }, 'curves');

  constructor(private host: CurvesHost) {
    this.box.append(this.list, this.canvas);
    byId('bar').prepend(this.box);
    byId('bar').querySelector('.extra')!.before(this.button);
    this.button.addEventListener('click', () => this.open(this.box.hidden));
    const scrub = (event: PointerEvent): void => {
      const { left, width } = this.canvas.getBoundingClientRect();
      host.scrub(clamp((event.clientX - left - EDGE) / (width - 2 * EDGE), 0, 1) * host.main.duration);
    };
    this.canvas.addEventListener('pointerdown', (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.canvas.addEventListener('pointermove', (event) => { if (event.buttons) scrub(event); });
  }

  get isOpen(): boolean {
    return !this.box.hidden;
  }

  open(on: boolean): void {
    this.box.hidden = !on || !this.curves.length;
    this.button.setAttribute('aria-pressed', String(this.isOpen));
    this.host.curvesChanged();
  }

  private key(curve: KeyCurve): string {
    return `${this.host.clip}/${curve.track}/${curve.parts[0]}`;
  }
  isHeld(k: number): boolean {
    return this.held.has(this.key(this.curves[k]));
  }

  /** Another clip or character: its curves. What was held stays so while the character is the same. */
  tell(): void {
    const { main, clip } = this.host;
    if (this.shown !== main) this.held.clear();
    this.shown = main;
    this.curves = clip >= 0 ? keyCurves(main.raw, clip) : [];
    this.chosen = 0;
    this.button.hidden = !this.curves.length;
    if (!this.curves.length) this.box.hidden = true;
    this.button.setAttribute('aria-pressed', String(this.isOpen));
    this.fill();
  }

  private fill(): void {
    this.list.replaceChildren(...this.curves.map(({ name }, k) => {
      const pick = make('button', { class: 'name', title: `Show ${name}`, 'aria-pressed': String(k === this.chosen) }, name);
      const held = this.isHeld(k);
      const lock = make('button', { class: 'lock', title: held ? 'Play its keys again' : 'Hold it at rest', 'aria-pressed': String(held),
        'aria-label': `Hold ${name} at rest` }, held ? 'held' : 'hold');
      pick.addEventListener('click', () => this.choose(k));
      lock.addEventListener('click', () => this.hold(k, !held));
      return make('div', {}, pick, lock);
    }));
  }

  choose(k: number): void {
    this.chosen = k;
    this.fill();
    this.draw();
  }

  /** Held at rest: the rest of the motion goes on without it. */
  hold(k: number, on: boolean): void {
    const key = this.key(this.curves[k]);
    if (on) this.held.add(key);
    else this.held.delete(key);
    this.chosen = k;
    this.write(this.curves[k].track);
    this.fill();
    this.host.curvesChanged();
  }

  /** All keys as in the file. */
  release(): void {
    if (!this.held.size) return;
    const { character, raw } = this.host.main;
    for (const key of this.held) { // of other clips too
      const [clip, track] = key.split('/').map(Number);
      writeKeys(raw.clips[clip].tracks[track], [], character.trackValues(clip, track));
    }
    this.held.clear();
    this.fill();
  }

  private track(index: number): RawTrack {
    return this.host.main.raw.clips[this.host.clip].tracks[index];
  }

  private write(index: number): void {
    const { main, clip } = this.host;
    const held = this.curves.filter((curve) => curve.track === index && this.held.has(this.key(curve)));
    writeKeys(this.track(index), held, main.character.trackValues(clip, index));
  }

  // ---- The picture --------------------------------------------------------------------------------

  draw(): void {
    const curve = this.curves[this.chosen];
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (this.box.hidden || !curve || !width) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext('2d')!;
    const ink = getComputedStyle(this.canvas).getPropertyValue('--soft');
    pen.scale(ratio, ratio);
    const track = this.track(curve.track);
    const most = this.drawCurve(pen, curve, track, width, height);
    pen.setLineDash([]);
    pen.strokeStyle = pen.fillStyle = ink;
    pen.lineWidth = 1;
    const x = EDGE + (this.host.main.time / (this.host.main.duration || 1)) * (width - 2 * EDGE);
    pen.beginPath();
    pen.moveTo(x, 22);
    pen.lineTo(x, height - 4);
    pen.stroke();
    pen.font = '11px system-ui, sans-serif';
    const size = track.channel === 0 ? metres(most) : most.toPrecision(2);
    pen.fillText(`${curve.name}: ${track.times.length} keys, within ${size} of rest${this.isHeld(this.chosen) ? '; held at rest' : ''}`, EDGE, 14);
  }

  /** The chosen curve with its keys; how far it goes. */
  private drawCurve(pen: CanvasRenderingContext2D, { parts, rest }: KeyCurve, track: RawTrack, width: number, height: number): number {
    const { duration } = this.host.main;
    const offset = (i: number, time: number): number => valueAt(track, i, time) - rest[i];
    const times = Array.from({ length: POINTS + 1 }, (_, k) => (k / POINTS) * duration);
    const most = Math.max(1e-9, ...parts.flatMap((i) => times.map((t) => Math.abs(offset(i, t)))));
    const x = (time: number): number => EDGE + (time / (duration || 1)) * (width - 2 * EDGE);
    const y = (value: number): number => (22 + height - 6) / 2 - (value / most) * (height - 32) / 2;
    pen.setLineDash(this.isHeld(this.chosen) ? [3, 4] : []);
    for (const i of parts) {
      pen.strokeStyle = pen.fillStyle = COLOURS[i % COLOURS.length];
      pen.lineWidth = 1.6;
      pen.beginPath();
      for (const t of times) pen.lineTo(x(t), y(offset(i, t)));
      pen.stroke();
      for (const t of track.times) pen.fillRect(x(t) - 1.5, y(offset(i, t)) - 1.5, 3, 3);
    }
    return most;
  }
}
