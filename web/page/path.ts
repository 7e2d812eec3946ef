// SPDX-License-Identifier: MIT
/** Where a clip takes a body: what the camera has to see, and the way on which it goes along. */
import * as THREE from 'three';
import type { Stage } from '../module/supple.js';
import { clamp } from './bits.js';
import { drawable } from './extent.js';

/** In sizes of the body: who travels farther is followed, as in pictures (docs/pictures.md). */
const FAR = 0.7;
/** moments per second that are looked at, how many at most, and of how many vertices and joints together */
const RATE = 12;
const MOST = 60;
const WORK = 1500000;
/** seconds over which the way is smoothed: steps do not shake the camera */
const SMOOTH = 0.6;

export class Path {
  /** of the whole motion; of one who is followed, about the way */
  readonly box = new THREE.Box3();
  /** diagonal of the body */
  readonly size: number;
  readonly travels: boolean;
  private way: THREE.Vector2[] = [];

  /** Leaves the stage at the end of the clip (-1: the rest pose). */
  constructor(stage: Stage, clip: number, private duration: number) {
    const { renderVertexCount, jointCount } = stage.character;
    const most = clamp(Math.floor(WORK / (renderVertexCount + jointCount)), 8, MOST);
    const count = clip < 0 || !(duration > 0) ? 1 : clamp(Math.ceil(RATE * duration), 8, most) + 1;
    const boxes: THREE.Box3[] = [];
    for (let k = 0; k < count; k++) {
      stage.play(clip, count > 1 ? (k / (count - 1)) * duration : 0, false);
      stage.step(0);
      const { positions } = stage;
      boxes.push(drawable(positions) ? new THREE.Box3().setFromArray(positions as unknown as number[]) : new THREE.Box3());
      this.way.push(boxes[k].isEmpty() ? new THREE.Vector2() : middle(positions));
    }
    this.size = stage.size;
    const span = new THREE.Box2().setFromPoints(this.way).getSize(new THREE.Vector2()).length();
    this.travels = span > FAR * this.size;
    this.smooth();
    for (const [k, box] of boxes.entries()) {
      if (box.isEmpty()) continue;
      const at = this.travels ? this.way[k] : new THREE.Vector2();
      this.box.union(box.translate(new THREE.Vector3(-at.x, 0, -at.y)));
    }
    if (this.box.isEmpty()) this.box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
    this.box.expandByScalar(0.03 * this.size); // flesh goes beyond the skeleton
  }

  /** Along a line from start to end, and what is left of the way smoothly about it: a loop has no jump. */
  private smooth(): void {
    const last = this.way.length - 1;
    if (last < 1) return;
    const [from, to] = [this.way[0].clone(), this.way[last].clone()];
    const line = (k: number): THREE.Vector2 => from.clone().lerp(to, k / last);
    const rest = this.way.map((at, k) => at.clone().sub(line(k)));
    const wide = Math.min(Math.round((0.5 * SMOOTH * last) / this.duration), last >> 1);
    this.way = this.way.map((_, k) => {
      const sum = new THREE.Vector2();
      for (let i = k - wide; i <= k + wide; i++) sum.add(rest[((i % last) + last) % last]);
      return sum.divideScalar(2 * wide + 1).add(line(k));
    });
  }

  /** Where the camera goes along at a moment, x and z; zero for one who stays. */
  at(time: number): THREE.Vector2 {
    const last = this.way.length - 1;
    if (!this.travels || last < 1) return new THREE.Vector2();
    const at = Math.min(Math.max(time / this.duration, 0), 1) * last;
    const k = Math.min(Math.floor(at), last - 1);
    return this.way[k].clone().lerp(this.way[k + 1], at - k);
  }
}

/** The mean of the vertices, from above. */
function middle(positions: Float32Array): THREE.Vector2 {
  const sum = new THREE.Vector2();
  for (let v = 0; v < positions.length; v += 3) {
    sum.x += positions[v];
    sum.y += positions[v + 2];
  }
  return sum.divideScalar(positions.length / 3 || 1);
}
