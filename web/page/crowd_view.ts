// SPDX-License-Identifier: MIT
/** A crowd of the first character with helpers: levels by distance, vertices for those in sight. */
import * as THREE from 'three';
import { Crowd } from '../module/supple.js';
import { Instance, MEMORY } from './instance.js';
import { byId, make } from './bits.js';
import type { World } from './world.js';
import { Slider, slider } from './panel.js';

/** vertices that are drawn at most */
const VERTICES = 300000;
/** in sizes of the body: how far apart they stand, and where levels end */
const APART = 0.85;
const NEAR = 4;
const FAR = 8;
/** how far the eye may go to see them all */
const AWAY = 60;
const COLOURS = [0x6f7480, 0x5aa9ff, 0xff7a59]; // still, by the pose, swinging

export interface CrowdHost {
  world: World;
  instances: Instance[];
  helpers: { exaggeration: number; level: number };
  loop: boolean;
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
  private mesh: THREE.Mesh | null = null;
  private sizes = { corners: 0, middle: new THREE.Vector3(), body: 1 };

  constructor(private host: CrowdHost) {
    const amount = slider('Characters', 25, 2500, 25, (x) => String(x), (x) => this.resize(x), 'how many');
    this.amount = amount.slider;
    this.amount.set(this.count);
    this.button.addEventListener('click', () => this.toggle(!this.crowd));
    this.section.append(make('h2', {}, 'Crowd'), make('div', { class: 'row' }, this.button), amount.row, this.said);
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
    this.mesh = this.build(character.toBody, character.renderTriangles, character.bodyVertexCount, most);
    this.host.world.scene.add(this.mesh);
    const box = new THREE.Box3().setFromArray(plain.positions as unknown as number[]);
    this.sizes = { corners: character.renderTriangles.length, middle: box.getCenter(new THREE.Vector3()), body: plain.size };
    this.widen();
    this.button.textContent = 'Back to one';
    this.button.setAttribute('aria-pressed', 'true');
    this.seek(instance.time);
    this.draw();
  }

  /** The first character has another blend of materials. */
  blend(): void {
    if (this.crowd) this.cast?.blendLike(this.crowd);
  }

  /** The eye may go farther than from one: after the world framed that one. */
  widen(): void {
    if (!this.crowd) return;
    const { controls, camera } = this.host.world;
    controls.maxDistance = AWAY * this.sizes.body;
    camera.far = 2 * AWAY * this.sizes.body;
    camera.updateProjectionMatrix();
  }

  private build(toBody: Uint32Array, corners: Uint32Array, vertices: number, most: number): THREE.Mesh {
    const geometry = new THREE.BufferGeometry();
    const positions = new THREE.BufferAttribute(new Float32Array(3 * vertices * most), 3);
    positions.setUsage(THREE.DynamicDrawUsage);
    const index = new Uint32Array(corners.length * most);
    for (let n = 0; n < most; n++) {
      for (let k = 0; k < corners.length; k++) index[corners.length * n + k] = vertices * n + toBody[corners[k]];
    }
    geometry.setAttribute('position', positions);
    geometry.setIndex(new THREE.BufferAttribute(index, 1));
    const looks = COLOURS.map((color) => new THREE.MeshStandardMaterial({ color, roughness: 0.8, flatShading: true }));
    const mesh = new THREE.Mesh(geometry, looks);
    mesh.frustumCulled = false;
    return mesh;
  }

  close(): void {
    if (!this.crowd) return;
    this.crowd.free();
    this.crowd = null;
    this.mesh!.removeFromParent();
    this.mesh!.geometry.dispose();
    for (const look of this.mesh!.material as THREE.Material[]) look.dispose();
    this.mesh = null;
    this.host.world.controls.maxDistance = 12 * this.host.world.size;
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
    mesh.geometry.clearGroups();
    let place = 0;
    COLOURS.forEach((_, level) => {
      const first = place;
      for (const k of seen) if (levels[k] === level) crowd.draw(k, place++);
      mesh.geometry.addGroup(this.sizes.corners * first, this.sizes.corners * (place - first), level);
    });
    const attribute = mesh.geometry.attributes.position as THREE.BufferAttribute;
    const used = 3 * crowd.character.bodyVertexCount * place;
    (attribute.array as Float32Array).set(crowd.positions.subarray(0, used));
    attribute.clearUpdateRanges();
    attribute.addUpdateRange(0, used);
    attribute.needsUpdate = true;
    this.drawn = place;
    this.drawTime += 0.1 * (performance.now() - began - this.drawTime);
    const { swinging, posed } = crowd.active;
    this.said.textContent = `${crowd.count} characters: ${swinging} swing, ${posed} follow their pose, `
      + `${crowd.count - swinging - posed} are still. Step ${this.stepTime.toFixed(2)} ms; `
      + `vertices of ${place} in ${this.drawTime.toFixed(1)} ms.`;
  }
}
