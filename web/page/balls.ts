// SPDX-License-Identifier: MIT
/** Balls that are thrown: they fall, bounce off the floor and off flesh, which they push in. */
import * as THREE from 'three';
import { Instance } from './instance.js';
import { Triple } from './bits.js';

const LIFE = 5; // seconds
const SPEED = 3.2; // sizes of the body per second
const RADIUS = 0.055; // of its size
const GRAVITY = 6.5; // sizes per second squared: the earth's for a child of 1.5 m
const STIFFNESS = SPEED / (0.66 * RADIUS); // 1/s
const COLOURS = [0xff7a59, 0x5aa9ff, 0xffd24a, 0x7ed67a, 0xc58bff];

interface Thrown {
  mesh: THREE.Mesh;
  velocity: THREE.Vector3;
  radius: number;
  age: number;
  hits: number;
  inside: boolean;
}

export class Balls {
  readonly list: Thrown[] = [];
  private sphere = new THREE.SphereGeometry(1, 28, 18);
  private count = 0;
  private gravity = 0;

  constructor(readonly group: THREE.Group) {}

  /** Thrown so that after `way` it is where the direction points, in spite of its fall. */
  throwAt(from: THREE.Vector3, direction: THREE.Vector3, way: number, size: number): void {
    this.gravity = GRAVITY * size;
    const radius = RADIUS * size;
    const material = new THREE.MeshStandardMaterial({ color: COLOURS[this.count++ % COLOURS.length],
      roughness: 0.35 });
    const mesh = new THREE.Mesh(this.sphere, material);
    mesh.scale.setScalar(radius);
    mesh.castShadow = true;
    mesh.position.copy(from);
    this.group.add(mesh);
    const velocity = direction.clone().multiplyScalar(SPEED * size);
    velocity.y += (0.5 * this.gravity * way) / (SPEED * size);
    this.list.push({ mesh, velocity, radius, age: 0, hits: 0, inside: false });
    if (this.list.length > 12) this.remove(0);
  }

  private remove(k: number): void {
    this.list[k].mesh.removeFromParent();
    (this.list[k].mesh.material as THREE.Material).dispose();
    this.list.splice(k, 1);
  }

  clear(): void {
    while (this.list.length) this.remove(0);
  }

  /** dt on, against a body whose scene lies at `offset` in the world. */
  step(dt: number, instance: Instance | null, offset: THREE.Vector3, floor: number): void {
    const parts = Math.max(1, Math.ceil(dt * 240));
    for (let part = 0; part < parts; part++) {
      for (const ball of this.list) this.move(ball, dt / parts, instance, offset, floor);
    }
    for (let k = this.list.length; k-- > 0;) {
      const ball = this.list[k];
      ball.age += dt;
      if (ball.age > LIFE) this.remove(k);
      else ball.mesh.scale.setScalar(ball.radius * Math.min(1, (LIFE - ball.age) * 3));
    }
    if (!instance) return;
    instance.alive.balls = this.list.map(({ mesh, velocity, radius }) => ({
      centre: mesh.position.clone().sub(offset).toArray() as Triple,
      velocity: velocity.toArray() as Triple,
      radius,
    }));
  }

  private move(ball: Thrown, dt: number, instance: Instance | null, offset: THREE.Vector3, floor: number): void {
    const at = ball.mesh.position;
    ball.velocity.y -= this.gravity * dt;
    at.addScaledVector(ball.velocity, dt);
    if (at.y < floor + ball.radius) {
      at.y = floor + ball.radius;
      if (ball.velocity.y < 0) ball.velocity.y *= -0.55;
      ball.velocity.x *= 0.985;
      ball.velocity.z *= 0.985;
    }
    if (instance) this.bounce(ball, dt, instance, offset);
  }

  /** Flesh gives way by itself (it sees the ball); the body behind it is a spring to the ball, which
   * sinks in by two thirds of its radius when it is thrown, and comes out slower. */
  private bounce(ball: Thrown, dt: number, instance: Instance, offset: THREE.Vector3): void {
    const p = instance.plain.positions;
    const { x, y, z } = ball.mesh.position.clone().sub(offset);
    let nearest = Infinity;
    let vertex = -1;
    for (let v = 0; v < p.length; v += 3) {
      const d = (p[v] - x) ** 2 + (p[v + 1] - y) ** 2 + (p[v + 2] - z) ** 2;
      if (d < nearest) [nearest, vertex] = [d, v];
    }
    const n = instance.plain.normals;
    const normal = new THREE.Vector3(n[vertex], n[vertex + 1], n[vertex + 2]);
    const above = (x - p[vertex]) * normal.x + (y - p[vertex + 1]) * normal.y + (z - p[vertex + 2]) * normal.z;
    const touching = nearest < ball.radius ** 2 || (above < 0 && nearest < (2 * ball.radius) ** 2);
    if (touching && !ball.inside) ball.hits++;
    ball.inside = touching;
    if (!touching) return;
    const leaving = ball.velocity.dot(normal) > 0;
    const depth = Math.min(ball.radius - above, 1.5 * ball.radius);
    ball.velocity.addScaledVector(normal, STIFFNESS ** 2 * depth * dt * (leaving ? 0.4 : 1));
  }
}
