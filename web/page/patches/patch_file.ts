// SPDX-License-Identifier: MIT
/** Patch files (docs/formats.md, "Patch files"): read with a sentence for whatever is wrong, and written as the tool writes them. */
import { PATH_KINDS, PatchPlan, PathKind, PlanBoundary, PlanFeature, PlanPatch, PlanZone, Triple, ZONE_KINDS } from '../../module/patches.js';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Item = { [key: string]: Json };

const MOST = 10000;
const MOST_POINTS = 64;

/** What is being read of a file, and how its faults are told. */
class Reading {
  constructor(private file: string) {}

  refuse(sentence: string): never {
    throw new Error(`${this.file}: ${sentence}`);
  }
  item(value: Json, what: string, keys: string[], needed: string[]): Item {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.refuse(`${what} is no object`);
    const named = typeof value.name === 'string' ? `${what} '${value.name}'` : what;
    const unknown = Object.keys(value).find((key) => !keys.includes(key));
    if (unknown !== undefined) this.refuse(`${named} has an unknown key "${unknown}"`);
    const missing = needed.find((key) => !(key in value));
    if (missing) this.refuse(`${named} needs "${missing}"`);
    return value;
  }
  list(value: Json, what: string, most = MOST): Json[] {
    if (!Array.isArray(value)) this.refuse(`${what} is no list`);
    if (value.length > most) this.refuse(`${what} has ${value.length} items; ${most} are the most`);
    return value;
  }
  text(value: Json, what: string): string {
    if (typeof value !== 'string' || !value || value.includes('\0')) this.refuse(`${what} is no name`);
    return value;
  }
  index(value: Json, what: string): number {
    if (!Number.isInteger(value) || (value as number) < 0 || (value as number) >= 0xffffffff) this.refuse(`${what} is no whole number from 0 on`);
    return value as number;
  }
  number(value: Json, what: string): number {
    if (typeof value !== 'number' || !(Math.abs(value) < 1e30)) this.refuse(`${what} is no number`);
    return value;
  }
  place(value: Json, what: string): Triple {
    const list = this.list(value, what, 3);
    if (list.length !== 3) this.refuse(`${what} needs three numbers`);
    return list.map((x) => this.number(x, what)) as Triple;
  }
  choice<T extends string>(value: Json, what: string, choices: readonly T[]): T {
    const found = choices.find((one) => one === value);
    return found ?? this.refuse(`${what} is none of ${choices.map((one) => `"${one}"`).join(', ')}`);
  }
  find(list: { name: string }[], kind: string, name: string, holder: string): number {
    const k = list.findIndex((one) => one.name === name);
    return k >= 0 ? k : this.refuse(`there is no ${kind} '${name}' for ${holder}`);
  }
}

function readFeature(r: Reading, value: Json): PlanFeature {
  const item = r.item(value, 'a feature', ['name', 'vertex', 'position', 'joint', 'direction'], ['name']);
  const name = r.text(item.name, 'the name of a feature');
  const own = `feature '${name}'`;
  const has = (key: string): boolean => key in item;
  if (has('joint') !== has('direction') || has('joint') === (has('vertex') || has('position'))) {
    r.refuse(`${own} needs "vertex", "position" or both, or "joint" with "direction"`);
  }
  return {
    name,
    place: has('joint') ? 'landmark' : has('vertex') ? 'vertex' : 'position',
    vertex: has('vertex') ? r.index(item.vertex, `"vertex" of ${own}`) : 0,
    position: has('position') ? r.place(item.position, `"position" of ${own}`) : [0, 0, 0],
    placed: has('position'),
    joint: has('joint') ? r.text(item.joint, `"joint" of ${own}`) : '',
    direction: has('direction') ? r.place(item.direction, `"direction" of ${own}`) : [0, 0, 0],
  };
}

function readBoundary(r: Reading, value: Json, features: PlanFeature[]): PlanBoundary {
  const item = r.item(value, 'a boundary', ['name', 'from', 'to', 'kind', 'through', 'points', 'weights'], ['name', 'from', 'to', 'kind']);
  const name = r.text(item.name, 'the name of a boundary');
  const own = `boundary '${name}'`;
  const end = (key: string): number => r.find(features, 'feature', r.text(item[key], `"${key}" of ${own}`), own);
  const kind: PathKind = r.choice(item.kind, `"kind" of ${own}`, PATH_KINDS);
  const curve = kind === 'curve';
  if (('points' in item) !== curve) r.refuse(`${own} has "points" if it is a curve, else not`);
  if ('through' in item && (curve || kind === 'rim')) r.refuse(`${own} goes "through" places: no curve or rim does`);
  if ('weights' in item && !curve) r.refuse(`${own} has "weights", but is no curve`);
  const key = curve ? 'points' : 'through';
  const points = key in item ? r.list(item[key], `"${key}" of ${own}`, MOST_POINTS).map((one) => r.place(one, `"${key}" of ${own}`)) : [];
  const weights = 'weights' in item ? r.list(item.weights, `"weights" of ${own}`).map((one) => r.number(one, `"weights" of ${own}`)) : [];
  if (weights.length && weights.length !== points.length) r.refuse(`${own} needs as many "weights" as "points"`);
  return { name, from: end('from'), to: end('to'), kind, points, weights };
}

function readPatch(r: Reading, value: Json, boundaries: PlanBoundary[]): PlanPatch {
  const item = r.item(value, 'a patch', ['name', 'zone', 'boundaries'], ['name', 'boundaries']);
  const name = r.text(item.name, 'the name of a patch');
  const own = `patch '${name}'`;
  return {
    name,
    zone: 'zone' in item ? r.text(item.zone, `"zone" of ${own}`) : '',
    boundaries: r.list(item.boundaries, `"boundaries" of ${own}`).map((one) =>
      r.find(boundaries, 'boundary', r.text(one, `"boundaries" of ${own}`), own)),
  };
}

/** What is said about the flesh is kept as it is: the tool reads it. */
function readZone(r: Reading, name: string, said: Json): PlanZone {
  if (typeof said === 'string') return { name, kind: r.choice(said, `zone '${name}'`, ZONE_KINDS) };
  const { kind, ...flesh } = r.item(said, `zone '${name}'`, ['kind', 'bone', 'depth', 'poisson', 'slices', 'levels', 'shell'], ['kind']);
  return { name, kind: r.choice(kind, `zone '${name}'`, ZONE_KINDS), flesh };
}

export function readPatchFile(text: string, file: string): PatchPlan {
  const r: Reading = new Reading(file);
  let root: Json;
  try {
    root = JSON.parse(text);
  } catch (problem) {
    r.refuse(`no JSON: ${(problem as Error).message}`);
  }
  const item = r.item(root, 'a patch file', ['patch_file', 'vertex_count', 'features', 'boundaries', 'patches', 'zones'],
    ['patch_file', 'features', 'boundaries']);
  if (item.patch_file !== 1) r.refuse('"patch_file" is not 1: this page reads version 1 of patch files');
  const features = r.list(item.features, '"features"').map((one) => readFeature(r, one));
  const boundaries = r.list(item.boundaries, '"boundaries"').map((one) => readBoundary(r, one, features));
  const patches = r.list(item.patches ?? [], '"patches"').map((one) => readPatch(r, one, boundaries));
  const zones: PlanZone[] = Object.entries(r.item(item.zones ?? {}, '"zones"', Object.keys(item.zones ?? {}), []))
    .map(([name, said]) => readZone(r, name, said));
  const strange = patches.find(({ zone }) => zone && !zones.some(({ name }) => name === zone));
  if (strange) r.refuse(`there is no zone '${strange.zone}' for patch '${strange.name}'`);
  return { features, boundaries, patches, zones, vertexCount: 'vertex_count' in item ? r.index(item.vertex_count, '"vertex_count"') : 0 };
}

// ---- Writing --------------------------------------------------------------------------------------

const vector = (place: Triple): string => `[${place.map((x) => String(x)).join(', ')}]`;
const quoted = (text: string): string => JSON.stringify(text);

function featureText({ name, place, vertex, position, placed, joint, direction }: PlanFeature): string {
  const parts = [`"name": ${quoted(name)}`];
  if (place === 'landmark') parts.push(`"joint": ${quoted(joint)}`, `"direction": ${vector(direction)}`);
  if (place === 'vertex') parts.push(`"vertex": ${vertex}`);
  if (place !== 'landmark' && placed) parts.push(`"position": ${vector(position)}`);
  return `{${parts.join(', ')}}`;
}

function boundaryText({ name, from, to, kind, points, weights }: PlanBoundary, features: PlanFeature[]): string {
  const parts = [`"name": ${quoted(name)}`, `"from": ${quoted(features[from].name)}`, `"to": ${quoted(features[to].name)}`, `"kind": "${kind}"`];
  if (points.length) parts.push(`"${kind === 'curve' ? 'points' : 'through'}": [${points.map(vector).join(', ')}]`);
  if (weights.length) parts.push(`"weights": [${weights.join(', ')}]`);
  return `{${parts.join(', ')}}`;
}

function patchText({ name, zone, boundaries }: PlanPatch, all: PlanBoundary[]): string {
  const own = zone ? `, "zone": ${quoted(zone)}` : '';
  return `{"name": ${quoted(name)}${own}, "boundaries": [${boundaries.map((b) => quoted(all[b].name)).join(', ')}]}`;
}

/** One item per line. */
export function writePatchFile(plan: PatchPlan, vertexCount: number): string {
  const { features, boundaries, patches, zones } = plan;
  const items = (key: string, [open, close]: string, list: string[]): string =>
    `  "${key}": ${open}${list.length ? `\n    ${list.join(',\n    ')}\n  ` : ''}${close}`;
  return `{\n${[
    '  "patch_file": 1',
    `  "vertex_count": ${vertexCount}`,
    items('features', '[]', features.map(featureText)),
    items('boundaries', '[]', boundaries.map((one) => boundaryText(one, features))),
    ...(patches.length ? [items('patches', '[]', patches.map((one) => patchText(one, boundaries)))] : []),
    ...(zones.length ? [items('zones', '{}', zones.map(({ name, kind, flesh }) =>
      `${quoted(name)}: ${flesh ? JSON.stringify({ kind, ...flesh }) : `"${kind}"`}`))] : []),
  ].join(',\n')}\n}\n`;
}
