// SPDX-License-Identifier: MIT
/** Helper joints: how far they swing, and how much of them is shown. */
import type { Actor } from './actor.js';
import { byId, make } from './bits.js';
import { Slider, slider } from './panel.js';

export const LEVELS = ['still', 'by posture', 'swinging'];

export interface HelpersHost {
  actors: Actor[];
  touched(): void;
}

export class HelpersPanel {
  exaggeration = 1;
  level = 2;
  readonly section = make('section', { id: 'helpers', hidden: true });
  private sliders: Slider[];

  constructor(private host: HelpersHost) {
    const more = slider('Swing', 0.5, 6, 0.1, (x) => `${x.toFixed(1)} ×`, (x) => this.set(x, this.level),
      'what swings, so many times as far');
    const level = slider('Detail', 0, 2, 1, (x) => LEVELS[x], (x) => this.set(this.exaggeration, x),
      'as a game shows it from far to near; changes fade');
    this.sliders = [more.slider, level.slider];
    this.section.append(make('h2', {}, 'Helpers'), more.row, level.row);
    byId('panel').prepend(this.section);
    more.slider.set(this.exaggeration);
    level.slider.set(this.level);
  }

  set(exaggeration: number, level: number): void {
    this.exaggeration = exaggeration;
    this.level = level;
    this.sliders[0].set(exaggeration);
    this.sliders[1].set(level);
    for (const { alive } of this.host.actors) if (alive.helpers) alive.help(exaggeration, level);
    this.host.touched();
  }

  /** Characters have other models than before. */
  tell(): void {
    this.section.hidden = !this.host.actors.some(({ alive }) => alive.helpers);
    for (const { alive } of this.host.actors) if (alive.helpers) alive.help(this.exaggeration, this.level);
  }
}
