// SPDX-License-Identifier: MIT
/** Muscles by hand and on the beat: a pad for each to press, and a row of half beats to fill. */
import type { Instance } from './instance.js';
import { byId, make } from './bits.js';

/** half beats of one bar */
export const STEPS = 8;
/** fraction of a half beat that a muscle stays clenched */
const GATE = 0.75;
const FIRST = 'x.x.xx..';

export interface BeatHost {
  instances: Instance[];
  touched(): void;
}

export class BeatBox {
  /** beats a minute */
  bpm = 110;
  running = false;
  /** per muscle, its half beats */
  rows: boolean[][] = [];
  private beat = 0; // half beats since the music began
  private muscles: string[] = [];
  private section = make('section', { id: 'beatbox', hidden: true });
  private marks: HTMLElement[][] = [];
  private button = make('button', { title: 'Muscles clench on the beat' });

  constructor(private host: BeatHost) {
    byId('panel').prepend(this.section);
    this.button.addEventListener('click', () => this.run(!this.running));
  }

  /** Shows the muscles of the characters that are there, if they have some. */
  tell(): void {
    const muscles = this.host.instances.find((a) => a.alive.muscles.length)?.alive.muscles ?? [];
    if (muscles.join() === this.muscles.join()) return;
    this.muscles = muscles;
    this.section.hidden = !muscles.length;
    this.rows = muscles.map((_, k) => Array.from({ length: STEPS }, (_x, i) => (k === 0 ? FIRST[i] === 'x' : i % 4 === 2 + (k % 2))));
    this.build();
    if (!muscles.length) this.run(false);
  }

  private build(): void {
    const tempo = make('input', { type: 'range', min: 60, max: 180, step: 1, value: String(this.bpm), 'aria-label': 'Beats a minute' });
    const told = make('output', {}, `${this.bpm} bpm`);
    tempo.addEventListener('input', () => {
      this.bpm = Number(tempo.value);
      told.textContent = `${this.bpm} bpm`;
    });
    const rows = this.muscles.map((name, k) => this.row(name, k));
    this.section.replaceChildren(make('h2', {}, 'Muscles'),
      make('div', { class: 'row' }, this.button),
      make('div', { class: 'slider', title: 'beats a minute' }, make('span', {}, 'Beat'), told, tempo), ...rows);
    this.run(this.running);
  }

  private row(name: string, muscle: number): HTMLElement {
    const pad = make('button', { class: 'pad', title: 'Press: activate; release: relax' }, name);
    pad.dataset.muscle = name;
    const press = (on: boolean) => (event: Event): void => {
      event.preventDefault();
      pad.classList.toggle('on', on);
      this.activate(muscle, on ? 1 : 0, 0, 0);
    };
    pad.addEventListener('pointerdown', press(true));
    for (const end of ['pointerup', 'pointerleave', 'pointercancel']) {
      pad.addEventListener(end, (event) => { if (pad.classList.contains('on')) press(false)(event); });
    }
    this.marks[muscle] = this.rows[muscle].map((on, i) => {
      const mark = make('button', { class: 'step', 'aria-pressed': String(on), 'aria-label': `${name}, half beat ${i + 1}` });
      mark.addEventListener('click', () => {
        this.rows[muscle][i] = !this.rows[muscle][i];
        mark.setAttribute('aria-pressed', String(this.rows[muscle][i]));
      });
      return mark;
    });
    return make('div', { class: 'beats' }, pad, ...this.marks[muscle]);
  }

  run(on: boolean): void {
    if (on && !this.running) this.beat = 0;
    this.running = on;
    this.button.textContent = on ? 'Stop the beat' : 'Start the beat';
    this.button.setAttribute('aria-pressed', String(on));
    if (on) this.host.touched();
  }

  /** Told to all characters; those whose models have no such muscle do not mind. */
  private activate(muscle: number, strength: number, seconds: number, ago: number): void {
    this.host.touched();
    for (const { alive } of this.host.instances) {
      if (muscle < alive.muscles.length) alive.activate(muscle, strength, seconds, ago);
    }
  }

  /** dt seconds of music: what falls into them is heard at its own time. */
  step(dt: number): void {
    if (!this.running) return;
    const half = 30 / this.bpm;
    const next = this.beat + dt / half;
    for (let at = Math.ceil(this.beat); at < next; at++) {
      for (let muscle = 0; muscle < this.rows.length; muscle++) {
        if (this.rows[muscle][at % STEPS]) this.activate(muscle, 1, GATE * half, (next - at) * half);
      }
      for (const marks of this.marks) marks.forEach((mark, i) => mark.classList.toggle('now', i === at % STEPS));
    }
    this.beat = next;
  }
}
