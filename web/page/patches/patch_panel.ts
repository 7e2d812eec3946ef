// SPDX-License-Identifier: MIT
/** What the panel says about patches: files, what is chosen, and lists of all there is. */
import { PATH_KINDS, PathKind, ZONE_KINDS } from '../../module/patches.js';
import { byId, make } from '../bits.js';
import { keyOf } from './patch_colours.js';
import { changeBoundary, renameFeature, setZoneKind } from './patch_edit.js';
import type { PatchMode } from './patch_mode.js';

const KIND_WORDS: Record<PathKind, [string, string]> = {
  edges: ['edges', 'The shortest way along edges of the mesh'],
  geodesic: ['geodesic', 'The shortest way over the skin, across its triangles'],
  curve: ['curve', 'A curve through space, dropped onto the skin; its points can be dragged'],
  rim: ['rim', 'Along the open border of the skin'],
};

/** An area for people. */
export function area(x: number): string {
  if (x >= 0.1) return `${x.toFixed(2)} m²`;
  return x >= 1e-4 ? `${(1e4 * x).toFixed(x >= 0.01 ? 0 : 1)} cm²` : `${(1e6 * x).toFixed(1)} mm²`;
}

export class PatchPanel {
  private entry = make('section', {}, make('h2', {}, 'Patches'));
  private box = make('section', { class: 'patches', hidden: true });
  private open = { patches: true, boundaries: false, features: false, zones: false };

  constructor(private mode: PatchMode) {
    const start = make('button', { id: 'patches-open', title: 'Features and boundaries on the skin, and the patches between them' }, 'Divide the skin …');
    start.addEventListener('click', () => { void mode.open(); });
    this.entry.append(start);
    byId('panel').append(this.entry, this.box);
  }

  show(): void {
    const { mode, box } = this;
    byId('panel').classList.toggle('dividing', mode.isOpen);
    document.body.classList.toggle('dividing', mode.isOpen);
    box.hidden = !mode.isOpen;
    if (!mode.isOpen) {
      box.replaceChildren();
      return;
    }
    const top = byId('panel').scrollTop;
    box.replaceChildren(make('h2', {}, 'Patches'), this.files(), this.auto(), ...this.who(), ...this.words(), ...this.joins(), ...this.editor(),
      ...this.patchList(), ...this.boundaryList(), ...this.featureList(), ...this.zoneList());
    byId('panel').scrollTop = top;
  }

  private button(label: string, title: string, press: () => void, on = true, id = ''): HTMLButtonElement {
    const button = make('button', { title, disabled: !on, id }, label);
    button.addEventListener('click', press);
    return button;
  }

  private files(): HTMLElement {
    const { mode } = this;
    const input = make('input', { type: 'file', accept: '.json', hidden: true, id: 'patches-file' });
    input.addEventListener('change', () => { if (input.files?.[0]) void mode.load(input.files[0]); });
    return make('div', { class: 'pills' }, input,
      this.button('Open', 'Open a patch file for this character', () => input.click(), true, 'patches-load'),
      this.button('Save', `Save ${mode.division.file}`, () => mode.save(), true, 'patches-save'),
      this.button('↶', 'Undo (Ctrl+Z)', () => mode.undo(), mode.division.canUndo, 'patches-undo'),
      this.button('↷', 'Redo (Ctrl+Y)', () => mode.redo(), mode.division.canRedo, 'patches-redo'),
      this.button('✕', 'Close: back to motion', () => mode.close(), true, 'patches-close'));
  }

  private auto(): HTMLElement {
    return make('div', { class: 'pills' }, this.button('Divide automatically', 'By skeleton and skin weights, in place of what there is (undo brings it back)',
      () => { void this.mode.divide(); }, true, 'patches-auto'),
    ...(['left', 'right'] as const).map((side) => this.button(side === 'left' ? 'L→R' : 'R→L',
      `Keep the patches on its ${side}, and put their image on the other side`, () => this.mode.mirror(side === 'left'),
      this.mode.division.plan.boundaries.length > 0, `patches-${side}`)));
  }

  /** Several characters: which one is divided, and whether they correspond. */
  private who(): HTMLElement[] {
    const { mode } = this;
    if (mode.divisions.length < 2) return [];
    const names = mode.divisions.map(({ instance }, k) => {
      const button = this.button(instance.name, 'Edit the patches of this character', () => {
        mode.activate(k);
        mode.renew();
      });
      button.setAttribute('aria-pressed', String(k === mode.active));
      return button;
    });
    const { difference } = mode;
    const said = make('p', { class: 'hint', id: 'patches-match' }, difference === null ? 'Divide both to compare them.'
      : difference ? `Not the same: ${difference}.` : 'The patches of all characters correspond.');
    return [make('div', { class: 'pills who' }, ...names), said];
  }

  private words(): HTMLElement[] {
    const { problem, plan, regions, leftOut, loose } = this.mode.division;
    if (problem) return [make('p', { class: 'hint bad', id: 'patches-problem' }, problem)];
    const { features } = this.mode.chosen;
    const said = !plan.features.length ? 'Click the skin for a feature. A drag beside features turns the camera.'
      : features.length === 2 ? 'Join the two features by a boundary.'
        : !plan.boundaries.length ? 'Choose two features to join them.'
          : loose.size ? `${loose.size === 1 ? 'One boundary leads' : `${loose.size} boundaries lead`} nowhere yet (white): boundaries that close a ring bound a patch.`
            : leftOut.count ? `${regions.length} patches; ${leftOut.count === 1 ? 'one region is' : `${leftOut.count} regions are`} none (${area(leftOut.area)}).`
              : `${regions.length} patches cover the skin.`;
    return [make('p', { class: 'hint', id: 'patches-hint' }, said)];
  }

  private joins(): HTMLElement[] {
    const { mode } = this;
    const two = mode.chosen.features.length === 2;
    return [make('div', { class: 'pills joins' }, ...PATH_KINDS.map((kind) => {
      const button = this.button(KIND_WORDS[kind][0], `Join two features: ${KIND_WORDS[kind][1].toLowerCase()}`, () => mode.join(kind), two);
      button.dataset.join = kind;
      return button;
    }))];
  }

  /** A text that can be changed; what is refused comes back. */
  private field(label: string, value: string, change: (text: string) => boolean, list = ''): HTMLInputElement {
    const input = make('input', { type: 'text', value, 'aria-label': label, spellcheck: false, maxLength: 120 });
    if (list) input.setAttribute('list', list);
    input.addEventListener('change', () => { if (!change(input.value.trim())) input.value = value; });
    return input;
  }

  /** What is chosen. */
  private editor(): HTMLElement[] {
    const { mode } = this;
    const { division, chosen } = mode;
    const { plan, regions } = division;
    const remove = (): HTMLButtonElement => this.button('Delete', 'Delete it (Del)', () => mode.remove(), true, 'patches-delete');
    const rows: HTMLElement[] = [];
    for (const k of chosen.features) {
      rows.push(make('div', { class: 'row' }, make('span', { class: 'mark dot' }), this.field('Name of the feature', plan.features[k].name,
        (name) => mode.rename((now) => renameFeature(now, k, name)))));
    }
    if (chosen.features.length) rows.push(make('div', { class: 'row' }, remove()));
    const boundary = plan.boundaries[chosen.boundary];
    if (boundary) {
      const k = chosen.boundary;
      const kind = make('select', { 'aria-label': 'Kind of the boundary' }, ...PATH_KINDS.map((one) =>
        make('option', { value: one, selected: one === boundary.kind }, KIND_WORDS[one][0])));
      kind.addEventListener('change', () => mode.changeKind(kind.value as PathKind));
      rows.push(make('div', { class: 'row' }, make('span', { class: 'mark line' }), this.field('Name of the boundary', boundary.name,
        (name) => mode.rename((now) => changeBoundary(now, k, { name })))), make('div', { class: 'row' }, kind, remove()));
      if (boundary.kind === 'curve') {
        rows.push(make('div', { class: 'row' }, `${boundary.points.length - 2} points to drag`,
          this.button('+', 'One point more', () => mode.bend(true), boundary.points.length < 64),
          this.button('−', 'One point less', () => mode.bend(false), boundary.points.length > 3)));
      } else if (boundary.points.length) {
        rows.push(make('div', { class: 'row' }, `through ${boundary.points.length} places`,
          this.button('straighten', 'The shortest way, wherever it leads', () => mode.straighten())));
      }
    }
    const region = regions[chosen.patch];
    if (region) {
      const zones = make('datalist', { id: 'patch-zones' }, ...plan.zones.map(({ name }) => make('option', { value: name })));
      rows.push(make('div', { class: 'row' }, this.swatch(keyOf(region)), this.field('Name of the patch', region.name,
        (name) => mode.nameRegion(chosen.patch, name, region.zone))),
      make('div', { class: 'row' }, 'zone', this.field('Zone of the patch', region.zone,
        (zone) => mode.nameRegion(chosen.patch, region.name, zone), 'patch-zones'), zones));
    }
    return rows.length ? [make('div', { class: 'chosen' }, ...rows)] : [];
  }

  private swatch(key: string): HTMLElement {
    const mark = make('span', { class: 'mark' });
    mark.style.background = this.mode.colours.get(key) ?? '';
    return mark;
  }

  private list(key: keyof PatchPanel['open'], title: string, rows: HTMLElement[]): HTMLElement[] {
    if (!rows.length) return [];
    const box = make('details', { open: this.open[key] }, make('summary', {}, `${title} (${rows.length})`), ...rows);
    box.dataset.list = key;
    box.addEventListener('toggle', () => { this.open[key] = box.open; });
    return [box];
  }

  private pick(on: boolean, press: () => void, ...parts: (HTMLElement | string)[]): HTMLElement {
    const row = make('button', { class: 'pick', 'aria-pressed': String(on) }, ...parts);
    row.addEventListener('click', press);
    return row;
  }

  private patchList(): HTMLElement[] {
    const { mode } = this;
    return this.list('patches', 'Patches', mode.division.regions.map((region, k) => this.pick(k === mode.chosen.patch, () => {
      mode.choose({ patch: k });
      mode.renew();
    }, this.swatch(keyOf(region)), make('span', { title: region.name }, region.name), make('i', { title: region.zone }, region.zone), make('i', { class: 'number' }, area(region.area)))));
  }

  private boundaryList(): HTMLElement[] {
    const { mode } = this;
    const { plan, trace, loose, problem } = mode.division;
    return this.list('boundaries', 'Boundaries', plan.boundaries.map(({ name, kind }, k) => {
      const row = this.pick(k === mode.chosen.boundary, () => {
        mode.choose({ boundary: k });
        mode.renew();
      }, make('span', { title: name }, name), make('i', {}, loose.has(k) ? 'open' : KIND_WORDS[kind][0]), make('i', { class: 'number' }, `${(100 * trace.paths[k].length).toFixed(1)} cm`));
      row.classList.toggle('bad', problem.includes(`'${name}'`));
      return row;
    }));
  }

  private featureList(): HTMLElement[] {
    const { mode } = this;
    return this.list('features', 'Features', mode.division.plan.features.map(({ name, place, vertex, joint }, k) =>
      this.pick(mode.chosen.features.includes(k), () => {
        const rest = mode.chosen.features.filter((one) => one !== k);
        mode.choose({ features: [...rest, k].slice(-2) });
        mode.renew();
      }, make('span', { title: name }, name), make('i', {}, place === 'vertex' ? `vertex ${vertex}` : place === 'landmark' ? `from ${joint}` : 'position'))));
  }

  private zoneList(): HTMLElement[] {
    const { mode } = this;
    return this.list('zones', 'Zones', mode.division.plan.zones.map(({ name, kind }, k) => {
      const select = make('select', { 'aria-label': `Kind of zone ${name}` }, ...ZONE_KINDS.map((one) =>
        make('option', { value: one, selected: one === kind }, one)));
      select.addEventListener('change', () => mode.rename((plan) => setZoneKind(plan, k, select.value as (typeof ZONE_KINDS)[number])));
      return make('div', { class: 'row' }, make('span', {}, name), select);
    }));
  }
}
