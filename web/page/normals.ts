// SPDX-License-Identifier: MIT
/** Normals of a moment, of the body's triangles by area, so that seams do not show. */
import type { Character } from '../module/supple.js';

/** `body` [3 * bodyVertexCount] gives normals on the render vertices, out[at ...]; `sums` is scratch, as long as `body`. */
export function smoothNormals(character: Character, body: ArrayLike<number>, sums: Float32Array, out: Float32Array, at = 0): void {
  const { toBody, renderTriangles } = character;
  const p = body;
  sums.fill(0);
  for (let f = 0; f < renderTriangles.length; f += 3) {
    const a = 3 * toBody[renderTriangles[f]];
    const b = 3 * toBody[renderTriangles[f + 1]];
    const c = 3 * toBody[renderTriangles[f + 2]];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    sums[a] += nx; sums[a + 1] += ny; sums[a + 2] += nz;
    sums[b] += nx; sums[b + 1] += ny; sums[b + 2] += nz;
    sums[c] += nx; sums[c + 1] += ny; sums[c + 2] += nz;
  }
  for (let v = 0; v < toBody.length; v++) {
    const from = 3 * toBody[v];
    const length = Math.hypot(sums[from], sums[from + 1], sums[from + 2]) || 1;
    for (let k = 0; k < 3; k++) out[at + 3 * v + k] = sums[from + k] / length;
  }
}
