// SPDX-License-Identifier: MIT
/** Chunks: which of them act and how strongly, how high their bulges are, and lines where they are inside the body. */
import { Bulge, Chunks } from '../module/supple.js';
import type { Shown } from './figure.js';
import type { Instance } from './instance.js';
import { byId, make, metres } from './bits.js';
import { Slider, slider } from './panel.js';

/** times the height that the pose gives a bulge */
const MOST_SCALE = 4;
const SKINS: [Shown['skin'], string][] = [['glass', 'see-through'], ['hidden', 'hidden'], ['solid', 'as it is']];

export interface ChunksHost {
  readonly main: Instance;
  /** shapes are others than before, in the pose that they have */
  reshaped(): void;
  setShown<K extends keyof Shown>(key: K, value: Shown[K]): void;
}

interface Row {
  name: string;
  line: HTMLElement;
}
interface ChunkRow extends Row {
  slider: Slider;
  on: HTMLInputElement;
}
interface BulgeRow extends Row {
  /** those that a pose raises have one */
  scale: Slider | null;
  /** -1 to 1, finer where it is low: the root of a fraction of the most */
  height: Slider;
  most: number;
}

const button = (text: string, hint: string, act: () => void): HTMLButtonElement => {
  const made = make('button', { title: hint, type: 'button' }, text);
  made.addEventListener('click', act);
  return made;
};

const signed = (x: number): string => (x ? `${x < 0 ? '−' : '+'}${metres(Math.abs(x))}` : '0');

export class ChunksPanel {
  readonly section = make('section', { id: 'chunks', hidden: true });
  /** of all chunks, times their own */
  overall = 1;
  private rows: ChunkRow[] = [];
  private bulges: BulgeRow[] = [];
  /** added to each bulge */
  private heights: number[] = [];
  private on = make('input', { type: 'checkbox', checked: true });
  private whole: Slider;
  private search = make('input', { type: 'search', placeholder: 'find a chunk or a bulge', 'aria-label': 'Find a chunk or a bulge' });
  private counts = [make('span', { class: 'hint' }), make('span', { class: 'hint' })];
  private lists = ['Strength of each chunk', 'Height of each bulge'].map((name) => make('div', { class: 'patch-list', role: 'group', 'aria-label': name }));
  private known: Chunks | null = null;

  constructor(private host: ChunksHost) {
    const whole = slider('Strength', 0, 1, 0.01, (x) => `${Math.round(100 * x)} %`, (x) => this.strengthen(x), 'of all chunks; none is plain skinning');
    this.whole = whole.slider;
    this.on.addEventListener('change', () => this.apply());
    this.search.addEventListener('input', () => this.filter());
    const part = (name: string, k: number, ...buttons: HTMLElement[]): HTMLElement =>
      make('details', {}, make('summary', {}, name, ' ', this.counts[k]), make('div', { class: 'row' }, ...buttons), this.lists[k]);
    this.section.append(make('h2', {}, 'Chunks'),
      make('label', { class: 'check', title: 'Off: plain skinning' }, this.on, 'chunks act'), whole.row, ...this.makeView(),
      make('div', { class: 'row' }, this.search),
      part('Chunks', 0, button('All', 'All chunks that are listed act, in full', () => this.each(this.rows, (k) => this.put(k, 1, true))),
        button('None', 'Plain skinning where the chunks are that are listed', () => this.each(this.rows, (k) => this.put(k, null, false)))),
      part('Bulges', 1, button('As the pose says', 'Bulges that are listed, as the file has them', () => this.each(this.bulges, (k) => this.lift(k, 1, 0)))));
    byId('panel').prepend(this.section);
    this.whole.set(1);
  }

  /** Lines, and how much of the skin is in front of them. */
  private makeView(): HTMLElement[] {
    const { host } = this;
    const lines = make('input', { type: 'checkbox' });
    const skin = make('select', { 'aria-label': 'Skin over the chunks', disabled: true },
      ...SKINS.map(([value, text]) => make('option', { value }, text)));
    lines.addEventListener('change', () => {
      skin.disabled = !lines.checked;
      host.setShown('chunks', lines.checked);
    });
    skin.addEventListener('change', () => host.setShown('skin', skin.value as Shown['skin']));
    return [make('label', { class: 'check', title: 'Slices on the skin, columns to the shell inside, and the shell' }, lines, 'draw the chunks'),
      make('label', { class: 'row' }, 'skin', skin)];
  }

  private get chunks(): Chunks | null {
    return this.host.main?.alive.chunks ?? null;
  }

  /** Characters have other models than before. Chunks that are the same keep what they were told. */
  tell(): void {
    const { chunks, known } = this;
    this.section.hidden = !chunks;
    if (!chunks || chunks === known) return;
    this.known = chunks;
    if (known && JSON.stringify([known.chunks, known.bulges]) === JSON.stringify([chunks.chunks, chunks.bulges])) {
      this.apply();
      return;
    }
    this.overall = 1;
    this.whole.set(1);
    this.on.checked = true;
    this.rows = chunks.chunks.map(({ name }, k) => this.chunkRow(name || `chunk ${k + 1}`, k));
    this.heights = chunks.bulges.map(() => 0);
    this.bulges = chunks.bulges.map((bulge, k) => this.bulgeRow(bulge, k));
    [this.rows, this.bulges].forEach((rows, k) => this.lists[k].replaceChildren(...rows.map(({ line }) => line)));
    this.search.value = '';
    this.filter();
  }

  private chunkRow(name: string, k: number): ChunkRow {
    const on = make('input', { type: 'checkbox', checked: true, 'aria-label': `${name} acts`, title: 'acts, or is plainly skinned' });
    const made = slider(name, 0, 1, 0.01, (x) => x.toFixed(2), (x) => this.set(k, x, true), `from plain skinning to all of ${name}`);
    on.addEventListener('change', () => this.set(k, null, on.checked));
    made.slider.set(1);
    made.row.prepend(on);
    return { name, line: made.row, slider: made.slider, on };
  }

  private bulgeRow({ name, driver, most }: Bulge, k: number): BulgeRow {
    const told = name || `bulge ${k + 1}`;
    const own = driver === 'hand' ? null : slider(told, -MOST_SCALE, MOST_SCALE, 0.05, (x) => `${x.toFixed(2)} ×`,
      () => this.apply(), `height of ${told}, times what ${driver === 'angle' ? 'the joint' : 'the shell below'} gives it`);
    const more = slider(own ? 'added' : told, -1, 1, 0.01, (x) => signed(most * x * Math.abs(x)),
      (x) => { this.heights[k] = most * x * Math.abs(x); this.apply(); }, `added to the height of ${told}`);
    own?.slider.input.setAttribute('aria-label', `Scale of ${told}`);
    more.slider.input.setAttribute('aria-label', `Added height of ${told}`);
    own?.slider.set(1);
    more.slider.set(0);
    return { name: told, line: make('div', { class: 'bulge' }, ...(own ? [own.row] : []), more.row), scale: own?.slider ?? null, height: more.slider, most };
  }

  /** One chunk: its own strength (null: as it was), and whether it has any. */
  set(k: number, strength: number | null, on: boolean): void {
    this.put(k, strength, on);
    this.apply();
  }
  private put(k: number, strength: number | null, on: boolean): void {
    const row = this.rows[k];
    if (strength !== null) row.slider.set(strength);
    row.on.checked = on;
  }

  /** One bulge: times what the pose gives it, and what is added. */
  raise(k: number, scale: number, height: number): void {
    this.lift(k, scale, height);
    this.apply();
  }
  private lift(k: number, scale: number, height: number): void {
    const row = this.bulges[k];
    row.scale?.set(scale);
    this.heights[k] = height;
    row.height.set(Math.sign(height) * Math.sqrt(Math.abs(height) / row.most));
  }

  strengthen(overall: number): void {
    this.overall = overall;
    this.whole.set(overall);
    this.apply();
  }

  /** Those that are listed. */
  private each(rows: Row[], act: (k: number) => void): void {
    rows.forEach(({ line }, k) => { if (!line.hidden) act(k); });
    this.apply();
  }

  private apply(): void {
    const { chunks } = this;
    if (!chunks) return;
    const { strengths, scales, heights } = chunks;
    const overall = this.on.checked ? this.overall : 0;
    this.rows.forEach(({ slider: own, on }, k) => { strengths[k] = on.checked ? overall * Number(own.input.value) : 0; });
    this.bulges.forEach(({ scale }, k) => {
      scales[k] = scale ? Number(scale.input.value) : 1;
      heights[k] = this.heights[k];
    });
    this.host.reshaped();
  }

  private filter(): void {
    const wanted = this.search.value.trim().toLowerCase();
    [this.rows, this.bulges].forEach((rows: Row[], k) => {
      for (const { line, name } of rows) line.hidden = !name.toLowerCase().includes(wanted);
      const shown = rows.filter(({ line }) => !line.hidden).length;
      this.counts[k].textContent = shown === rows.length ? `${shown}` : `${shown} of ${rows.length}`;
    });
  }
}
