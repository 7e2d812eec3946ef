// SPDX-License-Identifier: MIT
/** A character's skin in patches: the plan, where its boundaries run, and what lies between them. */
import { Cut, emptyPlan, PatchPlan, Patches, Places, PlanFeature, PlanPatch, Skin, Trace, Triple } from '../../module/patches.js';
import { metres } from '../bits.js';
import type { Instance } from '../instance.js';
import { History, looseBoundaries, namePatch, sameSet } from './patch_edit.js';

/** A patch as people see it. */
export interface Region {
  name: string;
  zone: string;
  /** its name in the plan; -1: it has none of its own */
  patch: number;
  /** of the plan */
  boundaries: number[];
  area: number;
  /** the same for the same sides by name on any character */
  key: string;
}

const NOTHING: Trace = { features: { a: new Uint32Array(), b: new Uint32Array(), t: new Float64Array() }, paths: [] };

export class Division {
  readonly skin: Skin;
  private history = new History<PatchPlan>(emptyPlan());
  trace: Trace = NOTHING;
  cut: Cut | null = null;
  regions: Region[] = [];
  /** boundaries that lead nowhere yet */
  loose = new Set<number>();
  private last = { key: '', trace: NOTHING };
  /** why there are no patches, or '' */
  problem = '';
  /** name of its file */
  file: string;
  /** as it was saved or opened last */
  saved: PatchPlan;

  constructor(module: Patches, readonly instance: Instance) {
    this.skin = module.skin(instance.character);
    this.saved = this.plan;
    this.file = `${instance.name.replace(/\.[^.]*$/, '')}.patches.json`;
  }

  get plan(): PatchPlan {
    return this.history.now;
  }
  get isSaved(): boolean {
    return this.plan === this.saved || !this.plan.features.length;
  }
  get canUndo(): boolean {
    return this.history.canUndo;
  }
  get canRedo(): boolean {
    return this.history.canRedo;
  }

  /** Takes over another plan if its boundaries can be found; what is in the way is thrown. */
  change(next: PatchPlan, source = this.instance.name): void {
    const plan = this.settled(next);
    const trace = this.traced(plan, source);
    this.show(plan, trace);
    this.history.push(this.kept(plan));
    if (this.plan !== plan) this.show(this.plan, trace);
  }

  /** A plan out of a file: of another mesh, its features go to the nearest place. What is to be said about it. */
  open(plan: PatchPlan, source: string): string {
    checkNames(plan, source);
    const { part, used } = usedPart(plan);
    const other = !!plan.vertexCount && plan.vertexCount !== this.instance.character.bodyVertexCount;
    const fit = used.length ? this.skin.fit(part, source) : { plan: part, moved: 0, farthest: 0 };
    const features = plan.features.map((feature, k): PlanFeature => {
      const place = used.indexOf(k);
      if (place >= 0) return fit.plan.features[place];
      return other && feature.place === 'vertex' ? { ...feature, place: 'position' } : feature;
    });
    this.change({ ...plan, features, vertexCount: this.instance.character.bodyVertexCount }, source);
    return fit.moved ? `${fit.moved} ${fit.moved === 1 ? 'feature has' : 'features have'} moved, by ${metres(fit.farthest)} at most` : '';
  }

  /** One side in place of the other; features without boundaries go. */
  mirror(left: boolean): void {
    const { part } = usedPart(this.plan);
    this.change(this.skin.mirror(part, left, this.instance.name).plan);
  }

  /** Names and zones alone: nothing moves. */
  rename(plan: PatchPlan): void {
    checkNames(plan, this.instance.name);
    const { plan: before, cut } = this;
    this.history.push(plan);
    this.show(plan, this.trace);
    if (!cut || this.cut) return;
    const { problem } = this;
    this.history.undo();
    this.show(before, this.trace);
    throw new Error(problem);
  }

  /** Names patch k, and says what zone it belongs to. */
  nameRegion(k: number, name: string, zone: string): void {
    const { plan } = this;
    const region = this.regions[k];
    const twin = this.regions.find((one) => one !== region && one.patch < 0 && sameSet(one.boundaries, region.boundaries));
    const next = namePatch(plan, region, name, zone);
    this.rename(next);
    if (!twin || this.regions.some((one) => one.key === region.key && one.name === name)) return;
    // A closed line has two sides, and the name has gone to the other: both get one.
    this.undo();
    this.rename(namePatch(namePatch(plan, twin, twin.name, ''), region, name, zone));
  }

  undo(): boolean {
    return this.again(this.history.undo());
  }
  redo(): boolean {
    return this.again(this.history.redo());
  }
  private again(plan: PatchPlan | null): boolean {
    if (plan) this.show(plan, this.traced(plan));
    return !!plan;
  }

  /** Features that no boundary has yet are where they are; the module knows none such. */
  traced(plan: PatchPlan, source = this.instance.name): Trace {
    checkNames(plan, source);
    const { part, used } = usedPart(plan);
    const places = new Map(used.map((feature, k) => [feature, k]));
    const found = this.found(part, source);
    const features = plan.features.map(({ place, vertex, position }, feature) => {
      const k = places.get(feature);
      if (k !== undefined) return { a: found.features.a[k], b: found.features.b[k], t: found.features.t[k] };
      return place === 'vertex' ? { a: vertex, b: vertex, t: 0 } : this.skin.nearest(position);
    });
    return {
      features: { a: Uint32Array.from(features, ({ a }) => a), b: Uint32Array.from(features, ({ b }) => b), t: Float64Array.from(features, ({ t }) => t) },
      paths: found.paths,
    };
  }

  /** What was asked for last is remembered: features without boundaries come and go without a search. */
  private found(part: PatchPlan, source: string): Trace {
    if (!part.features.length) return NOTHING;
    const key = JSON.stringify([part.features, part.boundaries]);
    if (key !== this.last.key) this.last = { key, trace: this.skin.trace(part, source) };
    return this.last.trace;
  }

  /** Landmarks that have lost their boundaries stay where they are, as positions. */
  private settled(plan: PatchPlan): PatchPlan {
    const used = new Set(usedFeatures(plan));
    if (plan.features.every(({ place }, k) => place !== 'landmark' || used.has(k))) return plan;
    const features = plan.features.map((feature, k): PlanFeature => {
      const old = this.plan.features.findIndex(({ name }) => name === feature.name);
      if (feature.place !== 'landmark' || used.has(k) || old < 0) return feature;
      return { ...feature, place: 'position', placed: true, position: this.bind(this.trace.features, old), joint: '', direction: [0, 0, 0] };
    });
    return { ...plan, features };
  }

  /** A place in bind space. */
  bind({ a, b, t }: Places, k: number): Triple {
    const p = this.instance.character.bodyPositions;
    return [0, 1, 2].map((c) => (1 - t[k]) * p[3 * a[k] + c] + t[k] * p[3 * b[k] + c]) as Triple;
  }

  /** Without the names of patches that are no more. */
  private kept(plan: PatchPlan): PatchPlan {
    const { cut, instance, trace, loose } = this;
    let sets: number[][];
    if (cut) {
      sets = this.regions.map(({ boundaries }) => boundaries);
    } else {
      // A name may be in the way: what is there without names?
      const { part, numbers } = partOf({ ...plan, patches: [] }, loose);
      let bare: Cut;
      try {
        bare = this.skin.cut(part, tracePart(trace, numbers), instance.name);
      } catch {
        return plan;
      }
      sets = bare.list.map(({ sides }) => sides.map(({ boundary }) => numbers[boundary]));
      bare.free();
    }
    const kept = plan.patches.filter((patch) => patch.boundaries.some((b) => loose.has(b)) || sets.some((set) => sameSet(set, patch.boundaries)));
    return kept.length === plan.patches.length ? plan : { ...plan, patches: kept };
  }

  private show(plan: PatchPlan, trace: Trace): void {
    this.cut?.free();
    this.cut = null;
    this.regions = [];
    this.problem = '';
    this.trace = trace;
    this.loose = looseBoundaries(plan);
    const { part, named, numbers } = partOf(plan, this.loose);
    if (!numbers.length) return;
    try {
      this.cut = this.skin.cut(part, tracePart(trace, numbers), this.instance.name);
    } catch (problem) {
      this.problem = (problem as Error).message;
      return;
    }
    this.regions = this.cut.list.map(({ name, zone, sides, area }, k) => {
      const boundaries = sides.map(({ boundary }) => numbers[boundary]);
      const key = sides.map(({ backwards }, i) => `${backwards ? '<' : '>'}${plan.boundaries[boundaries[i]].name}`).join('');
      return { name, zone, area, boundaries, key, patch: k < part.patches.length ? plan.patches.indexOf(named[k]) : -1 };
    });
  }

  /** Square metres of all that is in no patch. */
  get leftOut(): { count: number; area: number } {
    return this.cut?.leftOut ?? { count: 0, area: 0 };
  }

  free(): void {
    this.cut?.free();
    this.skin.free();
  }
}

/** What of a plan can be cut along; numbers[k] is boundary k of it. */
function partOf(plan: PatchPlan, loose: Set<number>): { part: PatchPlan; named: PlanPatch[]; numbers: number[] } {
  const numbers = plan.boundaries.map((_, k) => k).filter((k) => !loose.has(k));
  const places = new Map(numbers.map((b, k) => [b, k]));
  const named = plan.patches.filter(({ boundaries }) => boundaries.every((b) => places.has(b)));
  const patches = named.map((one) => ({ ...one, boundaries: one.boundaries.map((b) => places.get(b)!) }));
  return { part: { ...plan, boundaries: numbers.map((k) => plan.boundaries[k]), patches }, named, numbers };
}

const tracePart = (trace: Trace, numbers: number[]): Trace => ({ ...trace, paths: numbers.map((k) => trace.paths[k]) });

/** Features that boundaries begin or end at. */
const usedFeatures = (plan: PatchPlan): number[] =>
  [...new Set(plan.boundaries.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b);

/** A plan without the features that no boundary has; used[k] is feature k of it. */
function usedPart(plan: PatchPlan): { part: PatchPlan; used: number[] } {
  const used = usedFeatures(plan);
  const places = new Map(used.map((feature, k) => [feature, k]));
  const boundaries = plan.boundaries.map((one) => ({ ...one, from: places.get(one.from)!, to: places.get(one.to)! }));
  return { part: { ...plan, features: used.map((k) => plan.features[k]), boundaries }, used };
}

function checkNames(plan: PatchPlan, source: string): void {
  for (const [what, list] of [['feature', plan.features], ['boundary', plan.boundaries], ['patch', plan.patches], ['zone', plan.zones]] as const) {
    const names = new Set<string>();
    for (const { name } of list) {
      if (!name) throw new Error(`${source}: a ${what} needs a name`);
      if (names.has(name)) throw new Error(`${source}: another ${what} is called '${name}'`);
      names.add(name);
    }
  }
}
