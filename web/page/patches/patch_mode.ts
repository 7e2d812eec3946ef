// SPDX-License-Identifier: MIT
/**
 * Patches: features and boundaries drawn on the skin, and what lies between them in colours. Dragging
 * turns the camera, a click on the skin makes a feature, a drag of a feature moves it.
 */
import * as THREE from 'three';
import { PathKind, Patches, PatchPlan, Places, Triple } from '../../module/patches.js';
import { byId, download, fromBase64, note, unzipped } from '../bits.js';
import type { Figure } from '../figure.js';
import type { Instance } from '../instance.js';
import type { World } from '../world.js';
import { Division } from './division.js';
import { patchColours } from './patch_colours.js';
import { addFeature, changeBoundary, join, moveFeature, Place, removeBoundary, removeFeature } from './patch_edit.js';
import { readPatchFile, writePatchFile } from './patch_file.js';
import { PatchPanel } from './patch_panel.js';
import { Chosen, PatchView } from './patch_view.js';

export interface PatchHost {
  world: World;
  instances: Instance[];
  playing: boolean;
  clip: number;
  figure(version: 'skinning', instance: Instance): Figure;
  setPlaying(on: boolean): void;
  setClip(clip: number): void;
  redraw(): void;
  /** other figures are shown: each plain skin, one beside the other, or what was before */
  divide(on: boolean): void;
}

/** Pixels: a press that moves less is a click; so near is a feature, a handle or a boundary hit (with a finger: twice). */
const STILL = 5;
const NEAR = 11;
const NEAR_LINE = 5;
/** Of the longest edge there: nearer to a vertex a feature is that vertex. */
const SNAP = 0.2;

interface Press {
  pointer: number;
  x: number;
  y: number;
  moved: boolean;
  near: number;
  /** what is dragged of the active division; -1: nothing, the camera turns */
  feature: number;
  handle: number;
  at: Place | null;
  plane: THREE.Plane;
}

/** What lies under a pointer. */
interface Hit {
  division: Division;
  place: Place;
  /** in the figure's space */
  local: Triple;
  distance: number;
  triangle: [number, number, number];
}

export class PatchMode {
  readonly divisions: Division[] = [];
  readonly views: PatchView[] = [];
  active = 0;
  chosen: Chosen = { features: [], boundary: -1, patch: -1 };
  colours = new Map<string, string>();
  isOpen = false;
  private module: Patches | null = null;
  private before = { clip: -1, playing: false };
  private press: Press | null = null;
  private caster = new THREE.Raycaster();
  private panel: PatchPanel;

  constructor(readonly host: PatchHost) {
    this.panel = new PatchPanel(this);
    const { canvas } = host.world;
    canvas.addEventListener('pointerdown', (event) => { if (this.isOpen) this.down(event); }, { capture: true });
    canvas.addEventListener('pointermove', (event) => { if (this.isOpen) this.move(event); });
    canvas.addEventListener('pointerup', (event) => { if (this.isOpen) this.up(event); });
    canvas.addEventListener('pointercancel', () => this.letGo());
    window.addEventListener('beforeunload', (event) => { if (this.divisions.some(({ isSaved }) => !isSaved)) event.preventDefault(); });
    window.addEventListener('keydown', (event) => { if (this.isOpen) this.key(event); });
  }

  get division(): Division {
    return this.divisions[this.active];
  }
  private get view(): PatchView {
    return this.views[this.active];
  }

  // ---- Opening and closing ------------------------------------------------------------------------

  async open(): Promise<void> {
    const { host } = this;
    if (this.isOpen || !host.instances.length) return;
    const begun = [...host.instances];
    try {
      if (this.divisions.some(({ instance }, k) => instance !== begun[k])) this.forget();
      this.module ??= await Patches.load(await unzipped(fromBase64(byId('patches-wasm').textContent ?? '')));
      if (this.isOpen || host.instances[0] !== begun[0]) return;
      for (const instance of begun.slice(this.divisions.length)) this.divisions.push(new Division(this.module, instance));
    } catch (problem) {
      this.forget();
      note((problem as Error).message, true);
      return;
    }
    this.isOpen = true;
    this.before = { clip: host.clip, playing: host.playing };
    host.setPlaying(false);
    host.divide(true);
    host.setClip(-1);
    this.divisions.forEach((division) => this.views.push(new PatchView(host.figure('skinning', division.instance), division)));
    this.active = 0;
    this.choose({});
    this.renew();
  }

  /** Back to motion; what was made is there when the mode opens again. */
  close(): void {
    if (!this.isOpen) return;
    this.leave();
    this.host.setClip(this.before.clip);
    this.host.setPlaying(this.before.playing);
  }
  private leave(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.letGo();
    for (const view of this.views.splice(0)) view.dispose();
    this.panel.show();
    this.host.divide(false);
  }
  /** The characters go. */
  clear(): void {
    this.leave();
    this.forget();
  }
  private forget(): void {
    for (const division of this.divisions.splice(0)) division.free();
  }

  // ---- What is seen -------------------------------------------------------------------------------

  /** Another plan, or another choice. */
  renew(): void {
    this.colours = patchColours(this.divisions.map(({ regions }) => regions));
    const none: Chosen = { features: [], boundary: -1, patch: -1 };
    this.views.forEach((view, k) => view.renew(this.colours, k === this.active ? this.chosen : none));
    this.panel.show();
    this.host.redraw();
  }

  /** The skin has moved. */
  update(): void {
    for (const view of this.views) view.update();
  }

  /** The first difference between the decompositions of two characters; '' if they correspond, null without two. */
  get difference(): string | null {
    const cuts = this.divisions.map(({ cut }) => cut);
    const [first, ...others] = cuts;
    if (!first || !others.length || others.some((cut) => !cut)) return null;
    return others.map((cut) => first.difference(cut!)).find((sentence) => sentence) ?? '';
  }

  choose(chosen: Partial<Chosen>): void {
    this.chosen = { features: [], boundary: -1, patch: -1, ...chosen };
  }
  activate(k: number): void {
    if (k === this.active) return;
    this.active = k;
    this.choose({});
  }

  // ---- Edits --------------------------------------------------------------------------------------

  /** Takes over what an edit makes of the plan; what is in the way is said, and nothing changes. */
  edit(make: (plan: PatchPlan) => PatchPlan, chosen: Partial<Chosen> = this.chosen): boolean {
    return this.attempt(() => this.division.change(make(this.division.plan)), chosen);
  }
  rename(make: (plan: PatchPlan) => PatchPlan): boolean {
    return this.attempt(() => this.division.rename(make(this.division.plan)), this.chosen);
  }
  nameRegion(k: number, name: string, zone: string): boolean {
    const { key } = this.division.regions[k];
    const good = this.attempt(() => this.division.nameRegion(k, name, zone), this.chosen);
    this.choose({ patch: this.division.regions.findIndex((one) => one.key === key) }); // named ones come first
    this.renew();
    return good;
  }
  private attempt(change: () => void, chosen: Partial<Chosen>): boolean {
    let good = true;
    try {
      change();
      this.choose(chosen);
    } catch (problem) {
      note((problem as Error).message, true);
      good = false;
    }
    this.renew();
    return good;
  }

  join(kind: PathKind): void {
    const [from, to] = this.chosen.features;
    if (to === undefined) return;
    this.edit((plan) => {
      if (kind !== 'curve') return join(plan, from, to, kind, []);
      // A curve begins as the straightest way over the skin.
      const way = this.division.traced(join(plan, from, to, 'geodesic', []));
      return join(plan, from, to, 'curve', this.along(way.paths[plan.boundaries.length]));
    }, { features: kind === 'curve' ? [] : [to], boundary: kind === 'curve' ? this.division.plan.boundaries.length : -1 });
  }

  /** Four points along a path, in bind space. */
  private along(path: Places): Triple[] {
    const places = Array.from(path.a, (_, k) => new THREE.Vector3(...this.division.bind(path, k)));
    const ways = places.map((_, k) => (k ? places[k].distanceTo(places[k - 1]) : 0));
    const whole = ways.reduce((sum, x) => sum + x, 0);
    return [0, 1 / 3, 2 / 3, 1].map((part) => {
      let left = part * whole;
      let k = 1;
      while (k < places.length - 1 && left > ways[k]) left -= ways[k++];
      return places[k - 1].clone().lerp(places[k], Math.min(left / (ways[k] || 1), 1)).toArray();
    });
  }

  /** One point more or less to bend a curve by. */
  bend(more: boolean): void {
    const { boundary } = this.chosen;
    const { points } = this.division.plan.boundaries[boundary];
    const k = points.length >> 1;
    const middle = points[k].map((x, c) => 0.5 * (x + points[k - 1][c])) as Triple;
    const next = more ? [...points.slice(0, k), middle, ...points.slice(k)] : points.filter((_, i) => i !== k);
    this.edit((plan) => changeBoundary(plan, boundary, { points: next, weights: [] }));
  }
  /** Without the places that it goes through. */
  straighten(): void {
    const { boundary } = this.chosen;
    this.edit((plan) => changeBoundary(plan, boundary, { points: [] }));
  }
  changeKind(kind: PathKind): void {
    const { boundary } = this.chosen;
    const { trace } = this.division;
    this.edit((plan) => changeBoundary(plan, boundary, { kind, weights: [],
      points: kind === 'curve' ? this.along(trace.paths[boundary]) : [] }));
  }

  /** What is chosen goes. */
  remove(): void {
    const { features, boundary } = this.chosen;
    if (boundary >= 0) this.edit((plan) => removeBoundary(plan, boundary), {});
    else if (features.length) this.edit((plan) => [...features].sort((a, b) => b - a).reduce(removeFeature, plan), {});
  }
  undo(): void {
    this.attempt(() => { this.division.undo(); }, {});
  }
  redo(): void {
    this.attempt(() => { this.division.redo(); }, {});
  }

  /** By skeleton and weights, in place of what there is. */
  async divide(): Promise<void> {
    const { division } = this;
    note('Dividing the skin …');
    await new Promise((done) => setTimeout(done, 50)); // that is read first
    if (!this.isOpen) return;
    let said = '';
    const good = this.attempt(() => {
      const { plan, leftOut } = division.skin.divide();
      division.change(plan);
      const reasons = new Map<string, number>();
      for (const { reason } of leftOut) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      const pieces = [...reasons].map(([reason, count]) => `${count} ${count === 1 ? 'piece' : 'pieces'} left out: ${reason}`);
      said = [`${division.regions.length} patches`, ...pieces].join('; ');
    }, {});
    if (good) note(said);
  }

  /** One side in place of the other. */
  mirror(left: boolean): void {
    this.attempt(() => this.division.mirror(left), {});
  }

  // ---- Files --------------------------------------------------------------------------------------

  save(): void {
    const { division } = this;
    download(writePatchFile(division.plan, division.instance.character.bodyVertexCount), division.file, 'application/json');
    division.saved = division.plan;
  }

  async load(file: File): Promise<void> {
    const text = await file.text();
    if (!this.isOpen) return;
    const { division } = this;
    const before = division.file;
    division.file = file.name;
    let said = '';
    if (!this.attempt(() => { said = division.open(readPatchFile(text, file.name), file.name); }, {})) {
      division.file = before;
      return;
    }
    division.saved = division.plan;
    if (said) note(`${file.name}: ${said}`);
  }

  // ---- Pointers -----------------------------------------------------------------------------------

  private ray(event: { clientX: number; clientY: number }): void {
    const { canvas, camera } = this.host.world;
    const box = canvas.getBoundingClientRect();
    this.caster.setFromCamera(new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2), camera);
  }

  /** The skin below a pointer. */
  private hit(event: { clientX: number; clientY: number }): Hit | null {
    this.ray(event);
    let best: Hit | null = null;
    for (const division of this.divisions) {
      const { instance } = division;
      const { mesh } = this.host.figure('skinning', instance);
      mesh.geometry.boundingSphere = null;
      const [found] = this.caster.intersectObject(mesh, false);
      if (!found?.face || (best && best.distance < found.distance)) continue;
      const local = mesh.worldToLocal(found.point.clone());
      const { a, b, c } = found.face;
      best = { division, local: local.toArray(), distance: found.distance, triangle: [a, b, c], place: placeOf(instance, mesh, [a, b, c], local) };
    }
    return best;
  }

  private down(event: PointerEvent): void {
    if (this.press) return this.letGo(); // a second finger: the camera's
    if (event.button !== 0) return;
    const { canvas, camera } = this.host.world;
    canvas.focus();
    const near = event.pointerType === 'touch' ? 2 : 1;
    const press: Press = { pointer: event.pointerId, x: event.clientX, y: event.clientY, moved: false, near, feature: -1, handle: -1,
      at: null, plane: new THREE.Plane() };
    this.press = press;
    const hit = this.hit(event);
    const box = canvas.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    const handles = this.view.onScreen(camera, box.width, box.height).handles;
    press.handle = nearest(handles, at, near * NEAR, 1);
    if (press.handle >= 0) {
      press.handle++; // the first one is the feature's
      const { points } = this.division.plan.boundaries[this.chosen.boundary];
      const { mesh } = this.host.figure('skinning', this.division.instance);
      const from = mesh.localToWorld(new THREE.Vector3(...this.view.toScene(points[press.handle])));
      press.plane.setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()).negate(), from);
    } else {
      const found = this.featureAt(at, near * NEAR, hit);
      if (!found) return;
      this.activate(found.division);
      press.feature = found.feature;
    }
    event.stopImmediatePropagation();
    canvas.setPointerCapture(event.pointerId);
  }

  /** A feature near a pixel that no skin hides. */
  private featureAt(at: { x: number; y: number }, reach: number, hit: Hit | null): { division: number; feature: number } | null {
    const { camera, canvas, size } = this.host.world;
    const front = hit ? hit.distance + 0.04 * size : Infinity;
    const depth = camera.position.clone().addScaledVector(camera.getWorldDirection(new THREE.Vector3()), Math.min(front, camera.far)).project(camera).z;
    for (const [division, view] of this.views.entries()) {
      const { features } = view.onScreen(camera, canvas.clientWidth, canvas.clientHeight);
      const feature = nearest(features, at, reach, depth);
      if (feature >= 0) return { division, feature };
    }
    return null;
  }

  private move(event: PointerEvent): void {
    const { press } = this;
    if (!press || event.pointerId !== press.pointer) return;
    press.moved ||= Math.hypot(event.clientX - press.x, event.clientY - press.y) > press.near * STILL;
    if (!press.moved || (press.feature < 0 && press.handle < 0)) return;
    const { mesh } = this.host.figure('skinning', this.division.instance);
    let local: Triple | null = null;
    if (press.handle >= 0) {
      this.ray(event);
      const at = this.caster.ray.intersectPlane(press.plane, new THREE.Vector3());
      local = at && mesh.worldToLocal(at).toArray();
    } else {
      const hit = this.hit(event);
      if (hit?.division === this.division) [local, press.at] = [hit.local, hit.place];
    }
    if (!local) return;
    this.view.dragged = { feature: press.feature, handle: press.handle, at: local };
    this.view.update();
    this.host.redraw();
  }

  private up(event: PointerEvent): void {
    const { press } = this;
    if (!press || event.pointerId !== press.pointer) return;
    const dragged = this.view.dragged;
    this.letGo();
    if (!press.moved) {
      if (press.feature >= 0) this.chooseFeature(press.feature);
      else if (press.handle < 0) this.click(event, press.near);
    } else if (press.feature >= 0 && press.at) {
      this.dragFeature(press.feature, press.at);
    } else if (press.handle >= 0 && dragged) {
      const { boundary } = this.chosen;
      const { points } = this.division.plan.boundaries[boundary];
      const to = this.view.toBind(dragged.at, points[press.handle]);
      this.edit((plan) => changeBoundary(plan, boundary, { points: points.map((one, k) => (k === press.handle ? to : one)) }));
    }
  }

  private letGo(): void {
    this.press = null;
    for (const view of this.views) view.dragged = null;
  }

  /** Curves that end there come along; other boundaries find their way anew, whatever places they went through. */
  private dragFeature(k: number, place: Place): void {
    this.edit((plan) => {
      const moved = moveFeature(plan, k, place);
      return { ...moved, boundaries: moved.boundaries.map((one) => {
        if (one.from !== k && one.to !== k) return one;
        const last = one.points.length - 1;
        return { ...one, points: one.kind === 'curve' ? one.points.map((point, i) =>
          ((i === 0 && one.from === k) || (i === last && one.to === k) ? place.position : point)) : [] };
      }) };
    });
  }

  /** The last two that were clicked are chosen. */
  private chooseFeature(k: number): void {
    const rest = this.chosen.features.filter((one) => one !== k);
    this.choose({ features: rest.length < this.chosen.features.length ? rest : [...rest, k].slice(-2) });
    this.renew();
  }

  private click(event: PointerEvent, near: number): void {
    const { camera, canvas } = this.host.world;
    const hit = this.hit(event);
    if (!hit) {
      this.choose({});
      return this.renew();
    }
    this.activate(this.divisions.indexOf(hit.division));
    if (event.shiftKey) {
      this.choose({ patch: this.regionAt(hit) });
      return this.renew();
    }
    const box = canvas.getBoundingClientRect();
    const at = { x: event.clientX - box.left, y: event.clientY - box.top };
    const depth = camera.position.clone().addScaledVector(this.caster.ray.direction, hit.distance + 0.04 * this.host.world.size).project(camera).z;
    const boundary = this.view.onScreen(camera, box.width, box.height).paths.findIndex((path) => besides(path, at, near * NEAR_LINE, depth));
    if (boundary >= 0) {
      this.choose({ boundary });
      return this.renew();
    }
    const k = this.division.plan.features.length;
    this.edit((plan) => addFeature(plan, hit.place), { features: [...this.chosen.features, k].slice(-2) });
  }

  /** The patch that a place lies in, or -1. */
  private regionAt({ division, place }: Hit): number {
    const { cut } = division;
    if (!cut) return -1;
    const corner = (v: number): THREE.Vector3 => new THREE.Vector3(...division.bind(cut.points, v));
    const at = new THREE.Vector3(...place.position);
    const near = new THREE.Vector3();
    let [best, least] = [-1, Infinity];
    for (let f = 0; f < cut.regions.length; f++) {
      const [a, b, c] = cut.triangles.subarray(3 * f, 3 * f + 3);
      new THREE.Triangle(corner(a), corner(b), corner(c)).closestPointToPoint(at, near);
      if (near.distanceToSquared(at) < least) [best, least] = [cut.regions[f], near.distanceToSquared(at)];
    }
    return best;
  }

  private key(event: KeyboardEvent): void {
    if ((event.target as HTMLElement).matches('input, select, textarea')) return;
    const letter = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && letter === 'z') event.shiftKey ? this.redo() : this.undo();
    else if ((event.ctrlKey || event.metaKey) && letter === 'y') this.redo();
    else if (event.key === 'Delete' || event.key === 'Backspace') this.remove();
    else if (event.key === 'Escape') {
      this.choose({});
      this.renew();
    } else return;
    event.preventDefault();
  }
}

/** Where a place on a render triangle is on the body: a vertex where it is near to one. */
function placeOf(instance: Instance, mesh: THREE.Mesh, triangle: [number, number, number], local: THREE.Vector3): Place {
  const { toBody, bodyPositions: bind } = instance.character;
  const { position } = mesh.geometry.attributes;
  const now = triangle.map((v) => new THREE.Vector3().fromBufferAttribute(position, v));
  const rest = triangle.map((v) => new THREE.Vector3().fromArray(bind, 3 * toBody[v]));
  const weights = THREE.Triangle.getBarycoord(local, now[0], now[1], now[2], new THREE.Vector3()) ?? new THREE.Vector3(1, 0, 0);
  const at = new THREE.Vector3();
  weights.toArray().forEach((weight, k) => at.addScaledVector(rest[k], weight));
  const longest = Math.max(rest[0].distanceTo(rest[1]), rest[1].distanceTo(rest[2]), rest[2].distanceTo(rest[0]));
  const k = rest.findIndex((corner) => corner.distanceTo(at) < SNAP * longest);
  return k < 0 ? { place: 'position', vertex: 0, position: at.toArray() }
    : { place: 'vertex', vertex: toBody[triangle[k]], position: rest[k].toArray() };
}

/** Which of some points of the screen is within reach and not behind `depth`; -1: none. */
function nearest(points: THREE.Vector3[], at: { x: number; y: number }, reach: number, depth: number): number {
  let [best, least] = [-1, reach];
  points.forEach((point, k) => {
    const d = Math.hypot(point.x - at.x, point.y - at.y);
    if (d < least && point.z < depth) [best, least] = [k, d];
  });
  return best;
}

/** Whether a line on the screen runs within reach. */
function besides(path: THREE.Vector3[], at: { x: number; y: number }, reach: number, depth: number): boolean {
  return path.some((to, k) => {
    if (!k || to.z > depth) return false;
    const from = path[k - 1];
    const [dx, dy] = [to.x - from.x, to.y - from.y];
    const t = Math.min(Math.max(((at.x - from.x) * dx + (at.y - from.y) * dy) / (dx * dx + dy * dy || 1), 0), 1);
    return Math.hypot(from.x + t * dx - at.x, from.y + t * dy - at.y) < reach;
  });
}
