// SPDX-License-Identifier: MIT
/** Corners of an envelope's control mesh moved by hand in its example shapes, and the edits as a file. */
import type { Envelope } from '../module/supple.js';
import type { Instance } from './instance.js';
import { ControlHands, ControlHandsHost } from './control_hands.js';
import { ControlMoves } from './control_moves.js';
import { Triple, download, make, note } from './bits.js';

const LEAST = 0.2; // share of a shape below which a corner would have to be moved too far

export interface ControlHost extends ControlHandsHost {
  readonly main: Instance;
  /** the shape of the moment anew, and what is drawn; `whole`: as if it had been played so */
  retouched(whole: boolean): void;
  setPlaying(on: boolean): void;
  setControls(on: boolean): void;
  /** in the pose of a shape */
  stand(shape: number): void;
}

export class ControlPanel {
  readonly section = make('section', { id: 'control-mesh', hidden: true });
  readonly hands: ControlHands;
  moves = new ControlMoves();
  /** a corner */
  chosen = 0;
  private held = { shape: 0, from: [0, 0, 0] as Triple };
  private envelope: Envelope | null = null;
  private instance: Instance | null = null;
  private shapes = make('select', { 'aria-label': 'Example shape' });
  private corners = make('select', { 'aria-label': 'Corner' });
  private numbers = ['x', 'y', 'z'].map((axis) => make('input', { type: 'number', step: 1, 'aria-label': `Move along ${axis}, millimetres` }));
  private open = make('input', { type: 'checkbox' });
  private body = make('div', { hidden: true });
  private said = make('p', { class: 'hint' });
  private buttons: Record<'undo' | 'redo' | 'none' | 'save', HTMLButtonElement>;
  private command = make('code');
  private told = make('div', { class: 'command', hidden: true });

  constructor(private host: ControlHost, before: HTMLElement) {
    this.hands = new ControlHands(host, { take: (c) => this.take(c), drag: (by) => this.drag(by), drop: () => this.drop() });
    const button = (text: string, hint: string, act: () => void): HTMLButtonElement => {
      const made = make('button', { title: hint, type: 'button' }, text);
      made.addEventListener('click', act);
      return made;
    };
    this.buttons = { undo: button('Undo', 'Take the last move back (Ctrl+Z)', () => this.step(-1)),
      redo: button('Redo', 'Move it again (Ctrl+Shift+Z)', () => this.step(1)),
      none: button('None', 'All corners where the file has them', () => this.none()),
      save: button('Download edits', 'The moves as a file for supple build envelope --edits', () => this.save()) };
    const row = (...parts: Node[]): HTMLElement => make('div', { class: 'row' }, ...parts);
    const { undo, redo, none, save } = this.buttons;
    this.told.append(make('p', { class: 'hint' }, 'With FIRST.glb and EXAMPLES.json, which it was carried from:'), this.command,
      button('Copy', 'Copy the command', () => void this.copy()));
    this.body.append(make('p', { class: 'hint' }, 'Drag a corner: it moves in one example shape, as build envelope --from … --edits has it for a '
      + 'carried character; one that is built from examples of its own still meets them, so there save the pose as a new example.'),
    make('label', {}, 'Example ', this.shapes), row(button('Stand like it', 'The pose of the example', () => this.stand())),
    make('label', {}, 'Corner ', this.corners), row(...this.numbers), this.said, row(undo, redo, none), row(save), this.told);
    this.section.append(make('h2', {}, 'Control mesh'), make('label', { class: 'check', title: 'Corners can be dragged' }, this.open, 'move corners'), this.body);
    before.after(this.section);
    this.listen();
  }

  private listen(): void {
    this.open.addEventListener('change', () => this.show(this.open.checked));
    this.corners.addEventListener('change', () => { this.chosen = Number(this.corners.value); this.host.retouched(false); });
    this.shapes.addEventListener('change', () => this.update());
    for (const input of this.numbers) {
      input.addEventListener('change', () => this.type());
      input.addEventListener('keydown', (event) => { if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); });
    }
    window.addEventListener('keydown', (event) => {
      if (!this.hands.active || !(event.ctrlKey || event.metaKey) || !['z', 'y'].includes(event.key.toLowerCase())) return;
      event.preventDefault();
      this.step(event.key.toLowerCase() === 'y' || event.shiftKey ? 1 : -1);
    });
  }

  /** Characters have other models than before; moves of the same one stay. */
  tell(): void {
    const { main } = this.host;
    const envelope = main?.alive.envelope ?? null;
    const known = !!envelope?.controlNames.length;
    this.section.hidden = !known;
    if (envelope === this.envelope) return;
    const stays = main === this.instance && known && this.envelope?.controlCount === envelope?.controlCount;
    this.envelope = known ? envelope : null;
    this.instance = main;
    if (!known || !envelope) return this.show(false);
    if (!stays) [this.moves, this.chosen, this.told.hidden] = [new ControlMoves(), 0, true];
    if (!stays) this.show(false);
    const option = (text: string, value: number): HTMLOptionElement => make('option', { value: String(value) }, text);
    this.corners.replaceChildren(...envelope.controlNames.map((name, c) => option(name, c)));
    this.shapes.replaceChildren(option('the nearest to this pose', 0), ...envelope.shapeNames.slice(1).map((name, k) => option(name, k + 1)));
    this.apply(true);
  }

  show(on: boolean): void {
    this.open.checked = on;
    this.body.hidden = !on;
    this.hands.active = on && !!this.envelope;
    if (this.envelope) this.host.setControls(on);
    else this.hands.update(-1);
  }

  private share(shape: number): number {
    return this.envelope?.share(this.chosen, shape) ?? 0;
  }

  /** The one that was selected, or that has most of the chosen corner. */
  get shape(): number {
    const selected = Number(this.shapes.value);
    if (selected || !this.envelope) return selected;
    let best = 1;
    for (let k = 2; k < this.envelope.shapeNames.length; k++) if (this.share(k) > this.share(best)) best = k;
    return best;
  }

  /** Another moment. */
  update(): void {
    this.hands.update(this.chosen);
    const { envelope, shape } = this;
    if (!envelope || !this.hands.active) return;
    envelope.shapeNames.forEach((name, k) => {
      const text = `${name} · ${Math.round(100 * this.share(k))} %`;
      if (k && this.shapes.options[k].text !== text) this.shapes.options[k].text = text;
    });
    this.corners.value = String(this.chosen);
    this.moves.of(this.chosen, shape).forEach((x, k) => {
      if (document.activeElement !== this.numbers[k] || Math.abs(Number(this.numbers[k].value) - 1000 * x) > 0.005) this.numbers[k].value = String(Number((1000 * x).toFixed(2)));
    });
    const count = this.moves.list.length;
    this.said.textContent = `Millimetres to x, y (up) and z in “${envelope.shapeNames[shape]}”, as it stands there. ${count} corner${count === 1 ? '' : 's'} moved.`;
    this.buttons.undo.disabled = !this.moves.undoable;
    this.buttons.redo.disabled = !this.moves.redoable;
    this.buttons.none.disabled = this.buttons.save.disabled = count === 0;
  }

  private apply(whole: boolean): void {
    this.envelope?.moveControls(this.moves.list);
    this.host.retouched(whole);
  }

  private stand(): void {
    this.host.stand(this.shape);
  }

  private take(control: number): boolean {
    this.host.setPlaying(false);
    this.chosen = control;
    const { shape } = this;
    this.host.retouched(false);
    if (this.share(shape) < LEAST) {
      note(`The pose is far from “${this.envelope!.shapeNames[shape]}” for this corner: choose an example and “Stand like it”`, true);
      return false;
    }
    this.held = { shape, from: this.moves.of(control, shape) };
    return true;
  }

  private drag(by: Triple): void {
    const { shape, from } = this.held;
    const more = this.envelope?.moveSeen(this.chosen, shape, by);
    if (more) this.set(shape, from.map((x, k) => x + more[k]) as Triple, false);
  }

  private drop(): void {
    this.moves.keep();
    this.apply(true);
  }

  /** No farther than the character is long: an edit file may not say more. */
  private set(shape: number, move: Triple, whole: boolean): void {
    const most = 0.99 * this.host.main.plain.size;
    const length = Math.hypot(...move);
    this.moves.set(this.chosen, shape, (length > most ? move.map((x) => x * most / length) : move) as Triple);
    this.apply(whole);
  }

  private type(): void {
    this.host.setPlaying(false);
    this.set(this.shape, this.numbers.map((input) => Number(input.value) / 1000) as Triple, false);
    this.drop();
  }

  private step(by: -1 | 1): void {
    if (this.moves.step(by)) this.apply(true);
  }

  private none(): void {
    this.moves.clear();
    this.drop();
  }

  private save(): void {
    const plain = this.host.main.name.replace(/\.\w+$/, '');
    const file = `${plain}-edits.json`;
    download(this.moves.write(this.envelope!), file, 'application/json');
    const quoted = (name: string): string => (/^[\w.-]+$/.test(name) ? name : `'${name.replace(/'/g, "'\\''")}'`);
    this.command.textContent = `supple build envelope ${quoted(`${plain}.glb`)} --from FIRST.glb --example EXAMPLES.json --edits ${quoted(file)} -o ${quoted(`${plain}-edited.glb`)}`;
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
