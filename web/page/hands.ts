// SPDX-License-Identifier: MIT
/**
 * What pointers do. Empty space turns the camera, whatever the tool; on the body the tool decides:
 * grab flesh, pull a joint, look there, throw a ball.
 */
import * as THREE from 'three';
import { Instance } from './instance.js';
import { Figure } from './figure.js';
import { World } from './world.js';
import { Triple } from './bits.js';

export type Tool = 'grab' | 'pose' | 'look' | 'ball' | 'pick';

interface Held {
  pointer: number;
  figure: Figure;
  start: THREE.Vector3;
  drag: THREE.Vector3;
  plane: THREE.Plane;
  /** grab: body vertices and how much they follow */
  patch: { vertex: number; render: number; fraction: number }[];
  /** pose: the joint, how many above it turn, and where it was taken */
  joint: number;
  chain: number;
  grip: THREE.Vector3;
}

export interface HandsHost {
  world: World;
  figures: Figure[];
  tool: Tool;
  /** somebody else has the pointers */
  handsOff: boolean;
  throwBall(ray: THREE.Ray): void;
  picked(figure: Figure, body: number): void;
  touched(): void;
}

const RADIUS = 0.085; // of a handful, in sizes of the body

export class Hands {
  readonly held = new Map<number, Held>();
  lookAt: THREE.Vector3 | null = null;
  private caster = new THREE.Raycaster();
  private hoverTime = 0;

  constructor(private host: HandsHost) {
    const { canvas } = host.world;
    canvas.addEventListener('pointerdown', (event) => this.down(event), { capture: true });
    canvas.addEventListener('pointermove', (event) => this.move(event));
    for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture'] as const) {
      canvas.addEventListener(kind, (event) => this.up(event));
    }
  }

  ray(event: { clientX: number; clientY: number }): THREE.Ray {
    const { canvas, camera } = this.host.world;
    const box = canvas.getBoundingClientRect();
    const at = new THREE.Vector2(((event.clientX - box.left) / box.width) * 2 - 1,
      1 - ((event.clientY - box.top) / box.height) * 2);
    this.caster.setFromCamera(at, camera);
    return this.caster.ray;
  }

  /** What of the body lies under a pointer. */
  hit(event: { clientX: number; clientY: number }): { figure: Figure; point: THREE.Vector3; vertex: number } | null {
    this.ray(event);
    let best: THREE.Intersection | null = null;
    let figure: Figure | null = null;
    for (const candidate of this.host.figures) {
      if (!candidate.group.visible || candidate.version === 'truth') continue;
      const geometry = candidate.mesh.geometry;
      geometry.boundingSphere = null;
      const [found] = this.caster.intersectObject(candidate.mesh, false);
      if (found && (!best || found.distance < best.distance)) [best, figure] = [found, candidate];
    }
    if (!best || !figure || !best.face) return null;
    const p = figure.positions;
    const local = best.point.clone().sub(this.offset(figure));
    const far = (v: number): number =>
      (p[3 * v] - local.x) ** 2 + (p[3 * v + 1] - local.y) ** 2 + (p[3 * v + 2] - local.z) ** 2;
    const corners = [best.face.a, best.face.b, best.face.c].sort((a, b) => far(a) - far(b));
    return { figure, point: best.point.clone(), vertex: corners[0] };
  }

  /** How far along a ray the body is, if it is hit. */
  along(ray: THREE.Ray): number | null {
    this.caster.set(ray.origin, ray.direction);
    const meshes = this.host.figures.filter((f) => f.group.visible).map((f) => f.mesh);
    return this.caster.intersectObjects(meshes, false)[0]?.distance ?? null;
  }

  /** Where the figure's scene lies in the world. */
  offset(figure: Figure): THREE.Vector3 {
    return figure.mesh.getWorldPosition(new THREE.Vector3());
  }

  private down(event: PointerEvent): void {
    const { host } = this;
    if (event.button !== 0 || host.handsOff) return;
    if (host.tool === 'ball') {
      host.throwBall(this.ray(event).clone());
      this.capture(event);
      return;
    }
    const found = this.hit(event);
    if (!found) {
      if (host.tool === 'look') {
        this.lookAt = this.ray(event).at(2 * host.world.size, new THREE.Vector3());
        this.capture(event);
      }
      return;
    }
    host.touched();
    const { figure, vertex, point } = found;
    const body = figure.instance.character.toBody[vertex];
    if (host.tool === 'look') {
      this.lookAt = point;
      return this.capture(event);
    }
    host.picked(figure, body);
    if (host.tool === 'pick') return this.capture(event);
    const normal = host.world.camera.getWorldDirection(new THREE.Vector3()).negate();
    const held: Held = { pointer: event.pointerId, figure, start: point, drag: new THREE.Vector3(),
      plane: new THREE.Plane().setFromNormalAndCoplanarPoint(normal, point), patch: [], joint: -1,
      chain: 0, grip: new THREE.Vector3() };
    if (host.tool === 'pose') this.holdJoint(held, body);
    else held.patch = handful(figure.instance, body);
    this.held.set(event.pointerId, held);
    this.capture(event);
    host.world.canvas.classList.add('held');
  }

  private capture(event: PointerEvent): void {
    event.stopImmediatePropagation();
    this.host.world.canvas.focus();
    this.host.world.canvas.setPointerCapture(event.pointerId);
  }

  private holdJoint(held: Held, body: number): void {
    const { character, alive } = held.figure.instance;
    let joint = 0;
    let most = -1;
    for (let j = 0; j < character.jointCount; j++) {
      const weight = character.jointWeights(j)[body];
      if (weight > most) [joint, most] = [j, weight];
    }
    const { parents } = character;
    // As many joints above it as bend with it: those that carry skin, three at most.
    const fractions = character.jointFractions();
    let chain = 0;
    for (let j = parents[joint]; j >= 0 && fractions[j] > 0 && chain < 3; j = parents[j]) chain++;
    held.joint = joint;
    held.chain = chain;
    const at = alive.joints.subarray(12 * joint + 9, 12 * joint + 12);
    held.grip.set(at[0], at[1], at[2]);
  }

  private move(event: PointerEvent): void {
    const held = this.held.get(event.pointerId);
    const { canvas } = this.host.world;
    if (!held) {
      if (this.host.handsOff || event.buttons || event.pointerType === 'touch' || event.timeStamp < this.hoverTime + 80) return;
      this.hoverTime = event.timeStamp;
      canvas.classList.toggle('hot', this.host.tool !== 'ball' && !!this.hit(event));
      return;
    }
    const at = this.ray(event).intersectPlane(held.plane, new THREE.Vector3());
    if (at) held.drag.copy(at).sub(held.start);
  }

  private up(event: PointerEvent): void {
    if (!this.held.delete(event.pointerId)) return;
    this.host.world.canvas.classList.remove('held');
  }

  /** Puts what is held into the instances, before they step by dt. */
  apply(instances: Instance[], dt: number, keep: boolean, offsetOf: (instance: Instance) => THREE.Vector3): void {
    for (const instance of instances) {
      instance.alive.pulls = [];
      let posed = false;
      for (const held of this.held.values()) {
        if (held.figure.instance !== instance) continue;
        if (held.joint >= 0) {
          const target = held.grip.clone().add(held.drag);
          if (held.chain) instance.alive.reach(held.joint, held.chain, target.toArray() as Triple);
          else instance.alive.move = held.drag.toArray() as Triple;
          posed = true;
        } else {
          pull(instance, held);
        }
      }
      const head = this.lookAt ? headOf(instance) : -1;
      if (!posed && !keep) instance.alive.relax(1 - Math.exp(-dt / (head >= 0 ? 0.6 : 0.22)));
      if (head >= 0 && this.lookAt) {
        const at = this.lookAt.clone().sub(offsetOf(instance));
        instance.alive.look(head, 1 - Math.exp(-dt / 0.09), at.toArray() as Triple);
      }
      if (instance.lives) instance.plain.follow(instance.alive);
    }
  }
}

/** The body vertices around one, as they lie at rest. */
function handful(instance: Instance, body: number): Held['patch'] {
  const { character } = instance;
  const p = character.bodyPositions;
  const [x, y, z] = p.subarray(3 * body, 3 * body + 3);
  const rest = new THREE.Box3().setFromArray(p as unknown as number[]);
  const radius = RADIUS * rest.getSize(new THREE.Vector3()).length();
  const patch: Held['patch'] = [];
  for (let v = 0; v < character.bodyVertexCount; v++) {
    const d = Math.hypot(p[3 * v] - x, p[3 * v + 1] - y, p[3 * v + 2] - z) / radius;
    if (d < 1) patch.push({ vertex: v, render: character.firstRender[v], fraction: (1 - d * d) ** 2 });
  }
  return patch.sort((a, b) => b.fraction - a.fraction).slice(0, 500);
}

function pull(instance: Instance, held: Held): void {
  const goals = instance.plain.positions;
  for (const { vertex, render, fraction } of held.patch) {
    const target = [0, 1, 2].map((k) => goals[3 * render + k] + fraction * held.drag.getComponent(k));
    instance.alive.pulls.push({ vertex, target: target as Triple, strength: 0.25 + 0.6 * fraction });
  }
}

/** The joint that looks: by its name, else the highest that carries skin. */
function headOf(instance: Instance): number {
  const names = instance.raw.jointNames;
  const named = names.findIndex((name) => /(^|[^a-z])head/i.test(name) && !/end|top|nub/i.test(name));
  if (named >= 0) return named;
  const fractions = instance.character.jointFractions();
  const joints = instance.plain.joints;
  let best = -1;
  for (let j = 0; j < fractions.length; j++) {
    if (fractions[j] > 0 && (best < 0 || joints[12 * j + 10] > joints[12 * best + 10])) best = j;
  }
  return best;
}
