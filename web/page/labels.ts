// SPDX-License-Identifier: MIT
/** What stands below each figure. */
import * as THREE from 'three';
import { byId, make } from './bits.js';
import { Figure } from './figure.js';
import { World } from './world.js';

export class Labels {
  private texts = new Map<Figure, HTMLElement>();

  constructor(private world: World) {}

  clear(): void {
    for (const text of this.texts.values()) text.remove();
    this.texts.clear();
  }

  /** One for each of the figures; with the character's name where there are several. */
  set(figures: Figure[], named: boolean): void {
    this.clear();
    for (const figure of figures) {
      const text = make('span', {}, named ? `${figure.instance.name}, ${figure.label}` : figure.label);
      byId('labels').append(text);
      this.texts.set(figure, text);
    }
  }

  place(): void {
    const { camera, canvas, size, controls, floorHeight } = this.world;
    for (const [figure, text] of this.texts) {
      const at = new THREE.Vector3(figure.group.position.x, floorHeight - 0.07 * size, 0);
      at.x += controls.target.x;
      at.z += controls.target.z;
      at.project(camera);
      text.style.left = `${(at.x * 0.5 + 0.5) * canvas.clientWidth}px`;
      text.style.top = `${(0.5 - at.y * 0.5) * canvas.clientHeight}px`;
    }
  }
}
