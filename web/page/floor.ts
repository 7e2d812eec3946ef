// SPDX-License-Identifier: MIT
/** What figures stand on: a shadow, and lines that show where, or how they get on. */
import * as THREE from 'three';

/** Lines of the grid from its middle, on each side. */
const LINES = 14;

export class Floor {
  readonly group = new THREE.Group();
  private disc = new THREE.Mesh(new THREE.CircleGeometry(1, 64).rotateX(-Math.PI / 2), new THREE.ShadowMaterial({ opacity: 0.32 }));
  private rings: THREE.LineSegments;
  private grid: THREE.LineSegments;
  private step = 1;

  constructor() {
    const look = { color: 0x8a8b96, transparent: true, depthWrite: false };
    this.disc.receiveShadow = true;
    this.rings = new THREE.LineSegments(circles(), new THREE.LineBasicMaterial({ ...look, opacity: 0.22 }));
    this.grid = new THREE.LineSegments(squares(), new THREE.LineBasicMaterial({ ...look, vertexColors: true }));
    this.grid.visible = false;
    this.group.add(this.disc, this.rings, this.grid);
  }

  get height(): number {
    return this.group.position.y;
  }

  /** Below the figures: rings for those who stay, a grid for those who are followed. */
  place(middle: THREE.Vector3, height: number, size: number, travels: boolean): void {
    this.group.position.set(middle.x, height, middle.z);
    this.disc.scale.setScalar(8 * size);
    this.rings.scale.setScalar(size);
    this.step = 0.5 * size;
    this.grid.scale.setScalar(this.step);
    this.rings.visible = !travels;
    this.grid.visible = travels;
  }

  /** The way that was made so far: the grid stays behind. */
  pass(x: number, z: number): void {
    const rest = (a: number): number => -(a - this.step * Math.round(a / this.step));
    this.grid.position.set(rest(x), 0, rest(z));
  }

  theme(light: boolean): void {
    this.disc.material.opacity = light ? 0.18 : 0.36;
  }
}

function circles(): THREE.BufferGeometry {
  const points: number[] = [];
  for (const radius of [0.35, 0.7, 1.05, 1.4]) {
    for (let k = 0; k < 96; k++) {
      for (const angle of [k, k + 1]) {
        const a = (angle / 96) * 2 * Math.PI;
        points.push(radius * Math.cos(a), 0, radius * Math.sin(a));
      }
    }
  }
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(points, 3));
}

/** Squares of side 1 that fade with the distance from the middle. */
function squares(): THREE.BufferGeometry {
  const points: number[] = [];
  const fades: number[] = [];
  const put = (x: number, z: number): void => {
    points.push(x, 0, z);
    fades.push(1, 1, 1, 0.4 * Math.max(1 - Math.hypot(x, z) / LINES, 0));
  };
  for (let a = -LINES; a <= LINES; a++) {
    for (let b = -LINES; b < LINES; b++) {
      for (const c of [b, b + 1]) put(a, c);
      for (const c of [b, b + 1]) put(c, a);
    }
  }
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(points, 3))
    .setAttribute('color', new THREE.Float32BufferAttribute(fades, 4));
}
