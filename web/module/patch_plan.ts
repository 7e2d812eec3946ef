// SPDX-License-Identifier: MIT
/** A plan of patches, as in supple/author/patch_plan.h: what a patch file holds. */

export type Triple = [number, number, number];

/** A point where boundaries meet: a vertex, the nearest place to a position, or where a ray from a joint leaves the skin. */
export interface PlanFeature {
  name: string;
  place: 'vertex' | 'position' | 'landmark';
  /** of the body */
  vertex: number;
  /** bind space; of a vertex: where it was */
  position: Triple;
  /** a vertex may not say where it was */
  placed: boolean;
  joint: string;
  direction: Triple;
}

export const PATH_KINDS = ['edges', 'geodesic', 'curve', 'rim'] as const;
export type PathKind = (typeof PATH_KINDS)[number];

export interface PlanBoundary {
  name: string;
  /** features */
  from: number;
  to: number;
  kind: PathKind;
  /** of a curve its control points, else places that the path goes through */
  points: Triple[];
  /** of a curve, one for each point; empty: 1 */
  weights: number[];
}

export interface PlanPatch {
  name: string;
  /** '' or one of the zones */
  zone: string;
  boundaries: number[];
}

export const ZONE_KINDS = ['stratum', 'solid', 'skinned'] as const;
export interface PlanZone {
  name: string;
  kind: (typeof ZONE_KINDS)[number];
  /** what the file says about the flesh, as it says it: the page does not change it */
  flesh?: Record<string, unknown>;
}

export interface PatchPlan {
  features: PlanFeature[];
  boundaries: PlanBoundary[];
  patches: PlanPatch[];
  zones: PlanZone[];
  /** of the body that it was made for; 0: not known */
  vertexCount: number;
}

export const emptyPlan = (): PatchPlan => ({ features: [], boundaries: [], patches: [], zones: [], vertexCount: 0 });
