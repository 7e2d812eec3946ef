// SPDX-License-Identifier: MIT
/** The kind of flesh that all characters of the page have. */
import { FleshNumbers, Preset } from '../module/supple.js';
import type { App } from './app.js';
import type { Instance } from './instance.js';

export class FleshChoice {
  private timer = 0;

  constructor(private app: App, private presets: Preset[]) {}

  /** Those that can have other flesh: not one that is here as the original of another. */
  private get fleshy(): Instance[] {
    return this.app.instances.filter((instance) => !instance.isBaked && !this.app.lineup.isOriginal(instance));
  }

  /** A preset by its name, or 'file': the models that the file holds. */
  choose(name: string): void {
    const preset = this.presets.find((p) => p.name === name);
    for (const instance of this.fleshy) {
      if (name === 'file' && instance.hasFile) instance.useFile();
      else if (preset) instance.useFlesh(name, preset.numbers);
    }
    this.app.fleshChanged();
  }

  /** A slider of one's own numbers. */
  change(key: string, value: number): void {
    const { app } = this;
    const numbers: FleshNumbers = { ...app.main.numbers };
    if (key === 'softness') numbers.amount = value;
    if (key === 'frequency') numbers.frequency = value;
    if (key === 'bounce') numbers.damping = 1 - value;
    if (key === 'max_distance') numbers.max_distance = value;
    app.main.numbers = numbers;
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      for (const instance of this.fleshy) instance.useFlesh('your own', numbers);
      app.fleshChanged();
    }, 120);
  }

  /** Says what there is to choose from, and what is chosen. */
  tell(): void {
    const { main, panel } = this.app;
    const { flesh, numbers, hasFile, before } = main;
    const carriers = before ? [before.joints && `${before.joints} helper joints`, before.morphs && `${before.morphs} morph targets`]
      .filter(Boolean).join(' and ') : '';
    panel.setBaked(carriers && `Baked: the keys of ${carriers} move its flesh, as any engine plays them. Nothing is added here. `
      + 'Open the original to try other flesh.');
    if (before) return;
    const list = this.presets.map((p) => ({ name: p.name, title: p.summary }));
    if (hasFile) list.unshift({ name: 'file', title: 'the models that the file holds' });
    if (flesh === 'your own') list.push({ name: 'your own', title: 'the numbers below' });
    const preset = this.presets.find((p) => p.name === flesh);
    panel.setPresets(list, flesh, preset?.summary ??
      (flesh === 'file' ? main.raw.models.map((m) => m.kind).join(' + ') : ''));
    const values: Record<string, number> = { softness: numbers.amount, frequency: numbers.frequency,
      bounce: 1 - numbers.damping, max_distance: numbers.max_distance };
    for (const [key, slider] of panel.flesh) slider.set(values[key]);
  }
}
