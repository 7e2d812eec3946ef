// SPDX-License-Identifier: MIT
/** A crowd of the first character with helpers: levels by distance, vertices for those in sight. */
import * as THREE from 'three';
import { Crowd } from '../module/supple.js';
import { Instance, MEMORY } from './instance.js';
import { byId, make } from './bits.js';
import { CrowdMesh } from './crowd_mesh.js';
import type { World } from './world.js';
import { Slider, slider } from './panel.js';

/** vertices that are drawn at most */
const VERTICES = 300000;
/** in sizes of the body: how far apart they stand, and where levels end */
const APART = 0.85;
const NEAR = 6;
const FAR = 12;
/** how far the eye may go to see them all */
const AWAY = 60;
/** how many of the first row are seen at first, and from where */
const ROW = 3;
const ABOVE = new THREE.Vector3(0.28, 0.42, 1).normalize();

export interface CrowdHost {
  world: World;
  instances: Instance[];
  helpers: { exaggeration: number; level: number };
  loop: boolean;
  /** something looks different */
  redraw(): void;
  /** the crowd came or went */
  crowdChanged(): void;
}

export class CrowdView {
  crowd: Crowd | null = null;
  count = 400;
  /** of the last frame */
  drawn = 0;
  /** milliseconds, smoothed */
  stepTime = 0;
  drawTime = 0;
  readonly section = make('section', { id: 'crowd', hidden: true });
  private button = make('button', { 'aria-pressed': 'false' }, 'Show a crowd');
  private said = make('p', { class: 'hint' });
  private amount: Slider;
  /** coloured by the level of detail instead of its own materials */
  byLevel = false;
  private mesh: CrowdMesh | null = null;
  private sizes = { middle: new THREE.Vector3(), body: 1 };

  constructor(private host: CrowdHost) {
    const amount = slider('Characters', 25, 2500, 25, (x) => String(x), (x) => this.resize(x), 'how many');
    this.amount = amount.slider;
    this.amount.set(this.count);
    this.button.addEventListener('click', () => this.toggle(!this.crowd));
    const box = make('input', { type: 'checkbox' });
    box.addEventListener('change', () => this.colour(box.checked));
    this.section.append(make('h2', {}, 'Crowd'), make('div', { class: 'row' }, this.button), amount.row,
      make('div', { class: 'checks' }, make('label', { title: 'orange: swinging, blue: by the pose, grey: still' }, box, 'show detail')), this.said);
    byId('panel').prepend(this.section);
  }

  private get cast(): Instance | undefined {
    return this.host.instances.find((instance) => instance.fileModels.some((model) => model.kind === 'HELP'));
  }

  tell(): void {
    this.section.hidden = !this.cast;
  }

  resize(count: number): void {
    this.count = count;
    this.amount.set(count);
    if (!this.crowd) return;
    this.close();
    this.open();
  }

  toggle(on: boolean): void {
    if (on) this.open();
    else this.close();
    this.host.crowdChanged();
  }

  private open(): void {
    const instance = this.cast;
    if (!instance || this.crowd) return;
    const { character, plain } = instance;
    const model = instance.fileModels.find(({ kind }) => kind === 'HELP')!;
    const most = Math.min(this.count, Math.max(Math.floor(VERTICES / character.bodyVertexCount), 1));
    this.crowd = Crowd.make(character, model, this.count, most);
    this.blend();
    const side = Math.ceil(Math.sqrt(this.count));
    const { places, times } = this.crowd;
    const duration = instance.duration;
    for (let k = 0; k < this.count; k++) {
      // The golden ratio spreads times evenly, whatever the number.
      times[k] = ((k * 0.6180339887) % 1) * duration;
      places[3 * k] = APART * plain.size * ((k % side) - (side - 1) / 2 + 0.25 * (Math.floor(k / side) % 2));
      places[3 * k + 2] = -APART * plain.size * Math.floor(k / side);
    }
    this.crowd.play(instance.clip, plain.size, this.host.loop);
    this.mesh = new CrowdMesh(instance, most, () => this.host.redraw());
    this.host.world.scene.add(this.mesh.mesh);
    const box = new THREE.Box3().setFromArray(plain.positions as unknown as number[]);
    this.sizes = { middle: box.getCenter(new THREE.Vector3()), body: plain.size };
    this.frame();
    this.button.textContent = 'Back to one';
    this.button.setAttribute('aria-pressed', 'true');
    this.seek(instance.time);
    this.draw();
  }

  /** The first character has another blend of materials. */
  blend(): void {
    if (this.crowd) this.cast?.blendLike(this.crowd);
  }

  /** In its own materials, or by level. */
  colour(byLevel: boolean): void {
    this.byLevel = byLevel;
    this.draw();
    this.host.redraw();
  }

  /** The first rows from above; the eye may go farther than from one. */
  frame(): void {
    if (!this.crowd) return;
    const { world } = this.host;
    const { controls, camera } = world;
    const { places, count } = this.crowd;
    const side = Math.ceil(Math.sqrt(count));
    const wide = Math.min(side, ROW);
    const box = new THREE.Box3();
    for (const k of [(side - wide) >> 1, ((side + wide) >> 1) - 1, side * Math.min(2, side - 1)]) {
      const at = new THREE.Vector3().fromArray(places, 3 * Math.min(k, count - 1));
      if (k >= side) at.x = 0;
      box.union(this.cast!.path.box.clone().translate(at));
    }
    if (!world.turned) world.see([box], ABOVE, this.cast!.path);
    controls.maxDistance = AWAY * this.sizes.body;
    camera.far = 2 * AWAY * this.sizes.body;
    camera.updateProjectionMatrix();
  }

  close(): void {
    if (!this.crowd) return;
    this.crowd.free();
    this.crowd = null;
    this.mesh!.dispose();
    this.mesh = null;
    this.button.textContent = 'Show a crowd';
    this.button.setAttribute('aria-pressed', 'false');
    this.said.textContent = '';
  }

  /** Another clip. */
  play(): void {
    if (!this.crowd) return;
    this.close();
    this.open();
  }

  /** The whole crowd to a moment, each in its own place of the clip. */
  seek(time: number): void {
    if (!this.crowd) return;
    this.detail(this.crowd);
    this.crowd.seek(time, MEMORY, this.host.helpers.exaggeration);
  }

  setLoop(on: boolean): void {
    this.crowd?.loop(on);
  }

  /** By distance from the eye, and never more than the panel allows. */
  private detail(crowd: Crowd): void {
    const { world, helpers } = this.host;
    const eye = world.camera.position.clone().sub(this.sizes.middle);
    crowd.levelsFrom([eye.x, eye.y, eye.z], NEAR * this.sizes.body, FAR * this.sizes.body, helpers.level);
  }

  /** dt on; while the clip pauses, in the flesh alone. */
  step(dt: number, still: boolean): void {
    const { crowd, host } = this;
    if (!crowd) return;
    const began = performance.now();
    this.detail(crowd);
    crowd.step(dt, host.helpers.exaggeration, still);
    this.stepTime += 0.1 * (performance.now() - began - this.stepTime);
  }

  /** Those in sight, nearest first, as many as there is room for. */
  private inSight(crowd: Crowd): number[] {
    const { camera } = this.host.world;
    camera.updateMatrixWorld();
    const frustum = new THREE.Frustum().setFromProjectionMatrix(
      new THREE.Matrix4().multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse));
    const { places } = crowd;
    const ball = new THREE.Sphere(new THREE.Vector3(), 0.6 * this.sizes.body);
    const seen: { k: number; far: number }[] = [];
    for (let k = 0; k < crowd.count; k++) {
      ball.center.fromArray(places, 3 * k).add(this.sizes.middle);
      if (frustum.intersectsSphere(ball)) seen.push({ k, far: ball.center.distanceToSquared(camera.position) });
    }
    return seen.sort((a, b) => a.far - b.far).slice(0, crowd.mostDrawn).map(({ k }) => k);
  }

  draw(): void {
    const { crowd, mesh } = this;
    if (!crowd || !mesh) return;
    const began = performance.now();
    const { levels } = crowd;
    const seen = this.inSight(crowd);
    if (this.byLevel) seen.sort((a, b) => levels[a] - levels[b]);
    seen.forEach((k, place) => crowd.draw(k, place));
    mesh.show(crowd.positions, seen.map((k) => levels[k]), this.byLevel);
    this.drawn = seen.length;
    this.drawTime += 0.1 * (performance.now() - began - this.drawTime);
    const { swinging, posed } = crowd.active;
    this.said.textContent = `${crowd.count} characters: ${swinging} swing, ${posed} follow their pose, `
      + `${crowd.count - swinging - posed} are still. Step ${this.stepTime.toFixed(2)} ms; `
      + `vertices of ${seen.length} in ${this.drawTime.toFixed(1)} ms.`;
  }
}
