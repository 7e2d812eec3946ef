// SPDX-License-Identifier: MIT
/** What stands below each figure: what is seen there. */
import * as THREE from 'three';
import { byId, clamp, make } from './bits.js';
import { Figure } from './figure.js';
import type { Words } from './lineup.js';
import { World } from './world.js';

export class Labels {
  private texts = new Map<Figure, HTMLElement>();

  constructor(private world: World) {}

  clear(): void {
    for (const text of this.texts.values()) text.remove();
    this.texts.clear();
  }

  set(figures: Figure[], words: (figure: Figure) => Words): void {
    this.clear();
    for (const figure of figures) {
      const { title, detail } = words(figure);
      const text = make('span', {}, make('b', {}, title), ...(detail ? [' ', make('i', {}, detail)] : []));
      byId('labels').append(text);
      this.texts.set(figure, text);
    }
    this.place();
  }

  /** Below the motion, one beside the other, within the free part of the window. */
  place(): void {
    const { camera, canvas, free } = this.world;
    camera.updateMatrixWorld();
    const places = [...this.texts].map(([figure, text]) => {
      const box = figure.instance.path.box.clone().translate(figure.group.position);
      const at = box.getCenter(new THREE.Vector3()).setY(box.min.y).project(camera);
      let low = -1;
      for (const x of [box.min.x, box.max.x]) {
        for (const z of [box.min.z, box.max.z]) low = Math.max(low, -new THREE.Vector3(x, box.min.y, z).project(camera).y);
      }
      return { text, x: (at.x * 0.5 + 0.5) * canvas.clientWidth, y: (low * 0.5 + 0.5) * canvas.clientHeight + 4 };
    });
    // As wide as the next one is away.
    const xs = places.map(({ x }) => x).sort((a, b) => a - b);
    const room = Math.min(free.width, ...xs.slice(1).map((x, k) => x - xs[k]));
    for (const { text, x, y } of places) {
      text.style.maxWidth = `${Math.max(room - 8, 30)}px`;
      const { offsetWidth: width, offsetHeight: height } = text;
      text.style.left = `${clamp(x, free.left + width / 2, Math.max(free.left + free.width - width / 2, free.left + width / 2))}px`;
      text.style.top = `${clamp(y, free.top, free.top + free.height + 44 - height)}px`;
    }
  }
}
