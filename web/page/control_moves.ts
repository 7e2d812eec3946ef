// SPDX-License-Identifier: MIT
/** Moves of control vertices in example shapes: what was done, undone, and how `supple build envelope --edits` reads it. */
import type { ControlMove, Envelope } from '../module/supple.js';
import type { Triple } from './bits.js';

const same = (a: ControlMove, control: number, shape: number): boolean => a.control === control && a.shape === shape;

export class ControlMoves {
  private states: ControlMove[][] = [[]];
  private at = 0;
  /** of the moment: also what is held and not let go yet */
  list: ControlMove[] = [];

  of(control: number, shape: number): Triple {
    return this.list.find((a) => same(a, control, shape))?.move ?? [0, 0, 0];
  }

  /** Not yet to be undone. */
  set(control: number, shape: number, move: Triple): void {
    const others = this.list.filter((a) => !same(a, control, shape));
    this.list = move.some((x) => x !== 0) ? [...others, { control, shape, move }] : others;
  }

  clear(): void {
    this.list = [];
  }

  /** What was set since is one step. */
  keep(): void {
    this.states = [...this.states.slice(0, this.at + 1), this.list];
    this.at++;
  }

  get undoable(): boolean {
    return this.at > 0;
  }
  get redoable(): boolean {
    return this.at + 1 < this.states.length;
  }
  step(by: -1 | 1): boolean {
    if (by < 0 ? !this.undoable : !this.redoable) return false;
    this.at += by;
    this.list = this.states[this.at];
    return true;
  }

  /** An edit file. */
  write(envelope: Envelope): string {
    const edits = this.list.map(({ control, shape, move }) => ({ feature: envelope.controlNames[control],
      example: envelope.shapeNames[shape], move: move.map((x) => Number(x.toFixed(7))) }));
    return `${JSON.stringify({ edit_file: 1, edits }, null, 2)}\n`;
  }
}
