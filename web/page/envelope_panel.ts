// SPDX-License-Identifier: MIT
/** An envelope: how strongly each patch bulges, its control mesh, and the pose of the moment as a new example. */
import { Envelope } from '../module/supple.js';
import type { Instance } from './instance.js';
import { byId, download, make, note } from './bits.js';
import { Slider, slider } from './panel.js';
import { writePose } from './pose_file.js';

const MOST = 4;

export interface EnvelopeHost {
  readonly main: Instance;
  /** shapes are others than before, in the pose that they have */
  reshaped(): void;
  setControls(on: boolean): void;
}

interface Row {
  name: string;
  line: HTMLElement;
  slider: Slider;
  on: HTMLInputElement;
}

export class EnvelopePanel {
  readonly section = make('section', { id: 'envelope', hidden: true });
  /** whether the control mesh is shown */
  readonly mesh = make('input', { type: 'checkbox' });
  /** factor of all patches */
  overall = 1;
  private rows: Row[] = [];
  private own: Float32Array = new Float32Array(0);
  private muted: boolean[] = [];
  private whole: Slider;
  private count = make('span', { class: 'hint' });
  private search = make('input', { type: 'search', placeholder: 'find a patch', 'aria-label': 'Find a patch' });
  private list = make('div', { class: 'patch-list', role: 'group', 'aria-label': 'Strength of each patch' });
  private command = make('code');
  private told = make('div', { class: 'command', hidden: true });
  private known: Envelope | null = null;

  constructor(private host: EnvelopeHost) {
    const whole = slider('Strength', 0, MOST, 0.05, (x) => `${x.toFixed(2)} ×`, (x) => this.strengthen(x),
      'all bulges, so many times as in the examples');
    this.whole = whole.slider;
    const button = (text: string, hint: string, act: () => void): HTMLButtonElement => {
      const made = make('button', { title: hint, type: 'button' }, text);
      made.addEventListener('click', act);
      return made;
    };
    const { mesh } = this;
    mesh.addEventListener('change', () => host.setControls(mesh.checked));
    this.search.addEventListener('input', () => this.filter());
    const copy = button('Copy', 'Copy the command', () => void this.copy());
    this.told.append(make('p', { class: 'hint' }, 'Change the shape in a modelling program, then give it with the examples that there are:'),
      this.command, copy);
    this.section.append(make('h2', {}, 'Envelope'), whole.row,
      make('label', { class: 'check', title: 'The coarse mesh that patches hang on' }, mesh, 'control mesh'),
      make('details', {}, make('summary', {}, 'Patches ', this.count), make('div', { class: 'row' }, this.search,
        button('All', 'Bulges of all patches that are listed, as in the file', () => this.each((k) => this.put(k, this.own[k], true))),
        button('None', 'No bulges in the patches that are listed', () => this.each((k) => this.put(k, null, false)))), this.list),
      button('Save this pose', 'The character as it stands now, to be sculpted and learned as an example', () => this.save()), this.told);
    byId('panel').prepend(this.section);
    this.whole.set(1);
  }

  private get envelope(): Envelope | null {
    return this.host.main?.alive.envelope ?? null;
  }

  /** Characters have other models than before. */
  tell(): void {
    const { envelope } = this;
    this.section.hidden = !envelope;
    if (!envelope || envelope === this.known) return;
    this.known = envelope;
    this.own = envelope.strengths.slice();
    this.muted = envelope.names.map(() => false);
    this.overall = 1;
    this.whole.set(1);
    this.told.hidden = true;
    this.rows = envelope.names.map((name, k) => this.row(name || `patch ${k + 1}`, k));
    this.list.replaceChildren(...this.rows.map(({ line }) => line));
    this.filter();
  }

  private row(name: string, k: number): Row {
    const on = make('input', { type: 'checkbox', checked: true, 'aria-label': `${name} bulges`, title: 'bulges, or only follows its corners' });
    const made = slider(name, 0, MOST, 0.05, (x) => x.toFixed(2), (x) => this.set(k, x, true), `bulges of ${name}, so many times as in the examples`);
    on.addEventListener('change', () => this.set(k, null, on.checked));
    made.slider.set(this.own[k]);
    made.row.prepend(on);
    return { name, line: made.row, slider: made.slider, on };
  }

  /** One patch: its own strength (null: as it was), and whether it has any. */
  set(k: number, strength: number | null, on: boolean): void {
    this.put(k, strength, on);
    this.apply();
  }
  private put(k: number, strength: number | null, on: boolean): void {
    const row = this.rows[k];
    if (strength !== null) row.slider.set(strength);
    row.on.checked = on;
    this.muted[k] = !on;
  }

  /** Those that are listed. */
  private each(act: (k: number) => void): void {
    this.rows.forEach(({ line }, k) => { if (!line.hidden) act(k); });
    this.apply();
  }

  strengthen(overall: number): void {
    this.overall = overall;
    this.whole.set(overall);
    this.apply();
  }

  private apply(): void {
    const { envelope } = this;
    if (!envelope) return;
    const { strengths } = envelope;
    this.rows.forEach(({ slider: one }, k) => {
      strengths[k] = this.muted[k] ? 0 : Math.min(Number(one.input.value) * this.overall, MOST);
    });
    this.host.reshaped();
  }

  private filter(): void {
    const wanted = this.search.value.trim().toLowerCase();
    for (const { line, name } of this.rows) line.hidden = !name.toLowerCase().includes(wanted);
    const shown = this.rows.filter(({ line }) => !line.hidden).length;
    this.count.textContent = shown === this.rows.length ? `${shown}` : `${shown} of ${this.rows.length}`;
  }

  /** The shape of the moment, in its pose. */
  private save(): void {
    const { main } = this.host;
    const plain = main.name.replace(/\.\w+$/, '');
    const file = `${plain}-pose.glb`;
    download(writePose(main), file, 'model/gltf-binary');
    const quoted = (name: string): string => (/^[\w.-]+$/.test(name) ? name : `'${name.replace(/'/g, "'\\''")}'`);
    this.command.textContent = `supple build envelope ${quoted(`${plain}.glb`)} --example ${quoted(file)} --at file -o ${quoted(`${plain}-envelope.glb`)}`;
    this.told.hidden = false;
  }

  private async copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(this.command.textContent ?? '');
      note('The command is copied');
    } catch {
      note('The browser does not allow to copy; select the text', true);
    }
  }
}
