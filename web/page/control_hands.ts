// SPDX-License-Identifier: MIT
/** Corners of the control mesh as points that can be taken hold of. */
import * as THREE from 'three';
import type { Figure } from './figure.js';
import type { Triple } from './bits.js';
import type { World } from './world.js';

const NEAR = 14; // pixels

export interface ControlHandsHost {
  readonly world: World;
  readonly handsOff: boolean;
  figure(version: 'alive'): Figure;
}

export interface Grip {
  /** taken: whether it may be moved */
  take(control: number): boolean;
  /** so far from where it was taken, in the scene */
  drag(by: Triple): void;
  drop(): void;
}

export class ControlHands {
  active = false;
  private points: THREE.Points | null = null;
  private held: { pointer: number; start: THREE.Vector3; plane: THREE.Plane } | null = null;
  private caster = new THREE.Raycaster();

  /** Before anybody else listens to the canvas: what is on a corner is nobody else's. */
  constructor(private host: ControlHandsHost, private grip: Grip) {
    const { canvas } = host.world;
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(kind, (event) => this.up(event));
    }
  }

  private ray(event: PointerEvent): THREE.Ray {
    const box = this.host.world.canvas.getBoundingClientRect();
    this.caster.setFromCamera(new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2), this.host.world.camera);
    return this.caster.ray;
  }

  /** Where a corner is in the world. */
  place(control: number): THREE.Vector3 {
    const { mesh, instance } = this.host.figure('alive');
    return new THREE.Vector3().fromArray(instance.alive.envelope!.controls, 3 * control).applyMatrix4(mesh.matrixWorld);
  }

  /** Where it is on the page. */
  seen(control: number): { x: number; y: number; depth: number } {
    const box = this.host.world.canvas.getBoundingClientRect();
    const at = this.place(control).project(this.host.world.camera);
    return { x: box.left + (at.x + 1) / 2 * box.width, y: box.top + (1 - at.y) / 2 * box.height, depth: at.z };
  }

  /** The corner under a pointer: the nearest to the eye of those that are close. */
  private find(event: PointerEvent): number {
    const reach = event.pointerType === 'touch' ? 2 * NEAR : NEAR;
    const count = this.host.figure('alive').instance.alive.envelope?.controlCount ?? 0;
    let best = -1;
    let least = Infinity;
    for (let c = 0; c < count; c++) {
      const { x, y, depth } = this.seen(c);
      if (Math.hypot(x - event.clientX, y - event.clientY) > reach || depth > 1 || depth >= least) continue;
      [best, least] = [c, depth];
    }
    return best;
  }

  private down(event: PointerEvent): void {
    if (!this.active || event.button !== 0 || this.held || this.host.handsOff || !this.host.figure('alive').group.visible) return;
    const control = this.find(event);
    if (control < 0) return;
    const { canvas, camera } = this.host.world;
    event.stopImmediatePropagation();
    canvas.focus();
    if (!this.grip.take(control)) return;
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(camera.getWorldDirection(new THREE.Vector3()).negate(), this.place(control));
    const start = this.ray(event).intersectPlane(plane, new THREE.Vector3());
    if (!start) return;
    this.held = { pointer: event.pointerId, start, plane };
    canvas.setPointerCapture(event.pointerId);
  }

  private move(event: PointerEvent): void {
    if (this.held?.pointer !== event.pointerId) return;
    const at = this.ray(event).intersectPlane(this.held.plane, new THREE.Vector3());
    if (at) this.grip.drag(at.sub(this.held.start).toArray() as Triple);
  }

  private up(event: PointerEvent): void {
    if (this.held?.pointer !== event.pointerId) return;
    this.held = null;
    this.grip.drop();
  }

  /** Draws them; the chosen one in another colour. */
  update(chosen: number): void {
    const { mesh, instance } = this.host.figure('alive');
    const { envelope } = instance.alive;
    if (this.points && (!this.active || this.points.parent !== mesh)) this.release();
    if (!this.active || !envelope) return;
    const count = envelope.controlCount;
    if (!this.points) {
      const geometry = new THREE.BufferGeometry();
      for (const name of ['position', 'color']) geometry.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * count), 3));
      this.points = new THREE.Points(geometry, new THREE.PointsMaterial({ size: 9, sizeAttenuation: false, vertexColors: true, depthTest: false, transparent: true }));
      this.points.frustumCulled = false;
      this.points.renderOrder = 3;
      mesh.add(this.points);
    }
    const { position, color } = this.points.geometry.attributes;
    (position.array as Float32Array).set(envelope.controls);
    for (let c = 0; c < count; c++) color.setXYZ(c, ...(c === chosen ? [1, 0.48, 0.35] : [0.56, 0.82, 1]) as Triple);
    position.needsUpdate = color.needsUpdate = true;
  }

  private release(): void {
    this.points?.removeFromParent();
    this.points?.geometry.dispose();
    (this.points?.material as THREE.Material | undefined)?.dispose();
    this.points = null;
  }
}
