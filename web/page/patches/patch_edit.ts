// SPDX-License-Identifier: MIT
/** What is done to a plan of patches: each answers a new plan, so that what was before can come back. */
import type { PatchPlan, PathKind, PlanBoundary, PlanFeature, PlanZone } from '../../module/patches.js';

/** The first of a1, a2, ... that nothing has. */
export function freeName(stem: string, taken: { name: string }[]): string {
  const names = new Set(taken.map(({ name }) => name));
  for (let k = 1; ; k++) if (!names.has(`${stem}${k}`)) return `${stem}${k}`;
}

const without = <T>(list: T[], k: number): T[] => list.filter((_, i) => i !== k);
const replaced = <T>(list: T[], k: number, change: Partial<T>): T[] => list.map((one, i) => (i === k ? { ...one, ...change } : one));

export type Place = Pick<PlanFeature, 'place' | 'vertex' | 'position'>;

export function addFeature(plan: PatchPlan, place: Place): PatchPlan {
  const feature: PlanFeature = { name: freeName('f', plan.features), placed: true, joint: '', direction: [0, 0, 0], ...place };
  return { ...plan, features: [...plan.features, feature] };
}

export function moveFeature(plan: PatchPlan, k: number, place: Place): PatchPlan {
  return { ...plan, features: replaced(plan.features, k, { placed: true, joint: '', direction: [0, 0, 0], ...place }) };
}

/** A feature goes with its boundaries. */
export function removeFeature(plan: PatchPlan, k: number): PatchPlan {
  let left = plan;
  for (let b = plan.boundaries.length; b-- > 0;) {
    const { from, to } = plan.boundaries[b];
    if (from === k || to === k) left = removeBoundary(left, b);
  }
  const shift = (i: number): number => (i > k ? i - 1 : i);
  return {
    ...left,
    features: without(left.features, k),
    boundaries: left.boundaries.map((one) => ({ ...one, from: shift(one.from), to: shift(one.to) })),
  };
}

export function join(plan: PatchPlan, from: number, to: number, kind: PathKind, points: PlanBoundary['points']): PatchPlan {
  const stem = `${plan.features[from].name}-${plan.features[to].name}`;
  const name = plan.boundaries.some((one) => one.name === stem) ? freeName(`${stem}-`, plan.boundaries) : stem;
  return { ...plan, boundaries: [...plan.boundaries, { name, from, to, kind, points, weights: [] }] };
}

/** Patches that it bounds lose their names with it. */
export function removeBoundary(plan: PatchPlan, k: number): PatchPlan {
  return {
    ...plan,
    boundaries: without(plan.boundaries, k),
    patches: plan.patches.filter(({ boundaries }) => !boundaries.includes(k))
      .map((one) => ({ ...one, boundaries: one.boundaries.map((b) => (b > k ? b - 1 : b)) })),
  };
}

export function changeBoundary(plan: PatchPlan, k: number, change: Partial<PlanBoundary>): PatchPlan {
  return { ...plan, boundaries: replaced(plan.boundaries, k, change) };
}

export function renameFeature(plan: PatchPlan, k: number, name: string): PatchPlan {
  return { ...plan, features: replaced(plan.features, k, { name }) };
}

/** Names a patch, number `patch` of the plan or a new one (-1), and says what zone it belongs to. */
export function namePatch(plan: PatchPlan, { patch, boundaries }: { patch: number; boundaries: number[] }, name: string, zone: string): PatchPlan {
  const patches = patch >= 0 ? replaced(plan.patches, patch, { name, zone }) : [...plan.patches, { name, zone, boundaries }];
  return { ...plan, patches, zones: usedZones(plan.zones, zone) };
}

function usedZones(zones: PlanZone[], zone: string): PlanZone[] {
  return !zone || zones.some(({ name }) => name === zone) ? zones : [...zones, { name: zone, kind: 'stratum' }];
}

export function setZoneKind(plan: PatchPlan, k: number, kind: PlanZone['kind']): PatchPlan {
  return { ...plan, zones: replaced(plan.zones, k, { kind }) };
}

export function sameSet(a: number[], b: number[]): boolean {
  return a.length === b.length && new Set(a).size === new Set([...a, ...b]).size;
}

/** Boundaries that lead nowhere: at one end there is no other that leads on. */
export function looseBoundaries(plan: PatchPlan): Set<number> {
  const degrees = new Array<number>(plan.features.length).fill(0);
  for (const { from, to } of plan.boundaries) {
    degrees[from]++;
    degrees[to]++;
  }
  const loose = new Set<number>();
  for (let found = true; found;) {
    found = false;
    plan.boundaries.forEach(({ from, to }, k) => {
      if (loose.has(k) || (degrees[from] > 1 && degrees[to] > 1)) return;
      loose.add(k);
      degrees[from]--;
      degrees[to]--;
      found = true;
    });
  }
  return loose;
}

/** Plans one after the other. */
export class History<T> {
  private past: T[] = [];
  private future: T[] = [];

  constructor(public now: T) {}

  get canUndo(): boolean {
    return this.past.length > 0;
  }
  get canRedo(): boolean {
    return this.future.length > 0;
  }
  push(next: T): void {
    this.past.push(this.now);
    this.future = [];
    this.now = next;
  }
  /** The last one again; null where there is none. */
  undo(): T | null {
    const before = this.past.pop();
    if (before === undefined) return null;
    this.future.push(this.now);
    return (this.now = before);
  }
  redo(): T | null {
    const next = this.future.pop();
    if (next === undefined) return null;
    this.past.push(this.now);
    return (this.now = next);
  }
}
