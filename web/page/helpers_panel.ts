// SPDX-License-Identifier: MIT
/** Helper joints: how far they swing, how much of them is shown, and what the body is made of. */
import type { Instance } from './instance.js';
import { byId, make, note } from './bits.js';
import { Slider, slider } from './panel.js';

export const LEVELS = ['still', 'by the pose', 'swinging'];

export interface HelpersHost {
  instances: Instance[];
  /** characters are made of something else */
  blended(): void;
  touched(): void;
}

export class HelpersPanel {
  exaggeration = 1;
  level = 2;
  /** of the materials of the first character that has several */
  fractions: number[] = [];
  readonly section = make('section', { id: 'helpers', hidden: true });
  private sliders: Slider[];
  private names: string[] = [];
  private blend = make('div', { id: 'materials' });
  private blendSliders: Slider[] = [];

  constructor(private host: HelpersHost) {
    const more = slider('Swing', 0.5, 6, 0.1, (x) => `${x.toFixed(1)} ×`, (x) => this.set(x, this.level),
      'what swings, so many times as far');
    const level = slider('Detail', 0, 2, 1, (x) => LEVELS[x], (x) => this.set(this.exaggeration, x),
      'as a game shows it from far to near; changes fade');
    this.sliders = [more.slider, level.slider];
    this.section.append(make('h2', {}, 'Helpers'), this.blend, more.row, level.row);
    byId('panel').prepend(this.section);
    more.slider.set(this.exaggeration);
    level.slider.set(this.level);
  }

  set(exaggeration: number, level: number): void {
    this.exaggeration = exaggeration;
    this.level = level;
    this.sliders[0].set(exaggeration);
    this.sliders[1].set(level);
    for (const { alive } of this.host.instances) if (alive.helpers) alive.help(exaggeration, level);
    this.host.touched();
  }

  /** What the body is made of: fractions of its materials, 1 together. */
  mix(fractions: number[]): void {
    this.fractions = fractions;
    this.blendSliders.forEach((one, k) => one.set(this.names.length === 2 ? fractions[1] : fractions[k]));
    for (const instance of this.host.instances) this.mixOne(instance);
    this.host.blended();
    this.host.touched();
  }

  /** Shares go by name: another file may have the same materials in another order. */
  private mixOne(instance: Instance): void {
    const materials = instance.blended?.materials ?? [];
    if (materials.length !== this.names.length || !materials.every((m) => this.names.includes(m))) return;
    try {
      instance.blend(materials.map((m) => this.fractions[this.names.indexOf(m)]));
    } catch (problem) {
      note(`${instance.name}: ${(problem as Error).message}`, true);
    }
  }

  /** One of many gets a fraction, the others keep their proportions. */
  private give(which: number, fraction: number): void {
    const rest = this.fractions.reduce((sum, x, k) => sum + (k === which ? 0 : x), 0);
    const even = (1 - fraction) / (this.fractions.length - 1);
    this.mix(this.fractions.map((x, k) => (k === which ? fraction : rest > 0 ? (x * (1 - fraction)) / rest : even)));
  }

  private askFor(names: string[]): void {
    if (names.join('\n') === this.names.join('\n')) return;
    const percent = (x: number): string => `${Math.round(100 * x)} %`;
    this.names = names;
    this.fractions = names.map((_, k) => (k === 0 ? 1 : 0));
    const rows = names.length === 2
      ? [slider(`${names[0]} – ${names[1]}`, 0, 1, 0.01, (x) => `${percent(x)} ${names[1]}`, (x) => this.mix([1 - x, x]),
        'what the body is made of')]
      : names.length > 2 ? names.map((name, k) => slider(name, 0, 1, 0.01, percent, (x) => this.give(k, x),
        'how much of the body is made of it')) : [];
    this.blendSliders = rows.map((made) => made.slider);
    this.blend.replaceChildren(...rows.map((made) => made.row));
  }

  /** Characters have other models than before. */
  tell(): void {
    this.askFor(this.host.instances.map(({ blended }) => blended?.materials ?? []).find((names) => names.length > 1) ?? []);
    if (this.fractions.length > 1) this.mix(this.fractions);
    this.section.hidden = !this.host.instances.some(({ alive }) => alive.helpers);
    for (const { alive } of this.host.instances) if (alive.helpers) alive.help(this.exaggeration, this.level);
  }
}
