// SPDX-License-Identifier: MIT
/** The body coloured by numbers: how far it is from somewhere, maps, weights. */
import { SURFACE_MAPS } from '../module/supple.js';
import type { App } from './app.js';
import { onRender, scaleOf } from './figure.js';
import { Scale } from './heat.js';

export class Colours {
  /** 'none', 'displacement', 'error', 'stitched', 'residual', or map:, painted: or weights: with a name or number */
  chosen = 'none';
  private scale: Scale | null = null;
  private values: Float32Array | null = null;

  constructor(private app: App) {}

  choose(name: string): void {
    const { main, panel } = this.app;
    this.chosen = name;
    panel.setHeat(name);
    this.values = null;
    this.scale = null;
    const [kind, rest] = [name.split(':')[0], name.slice(name.indexOf(':') + 1)];
    if (kind === 'weights') {
      this.values = main.character.jointWeights(Number(rest));
      this.scale = { low: 0, high: 1, unit: '' };
    } else if (kind === 'map') {
      this.values = main.surface?.map(SURFACE_MAPS.indexOf(rest)) ?? null;
      if (this.values) this.scale = scaleOf(this.values, rest === 'max_distance' || rest === 'backstop' ? 'metres' : '');
    } else if (kind === 'painted') {
      this.values = main.character.map(Number(rest));
      this.scale = scaleOf(this.values, '');
    }
  }

  /** Flesh has changed, and its maps with it. */
  renew(): void {
    if (this.chosen.startsWith('map:')) this.choose(this.chosen);
  }

  paint(): void {
    const { app } = this;
    let scale = this.scale;
    for (const figure of app.seen) {
      const asGhost = app.overlay && app.seen.length > 1 && figure !== app.seen.find((f) => f.version === 'alive');
      let values: Float32Array | null = null;
      if (this.chosen === 'displacement') {
        scale = { low: 0, high: 0.035 * app.main.plain.size, unit: 'metres' };
        figure.displacement();
        values = figure.values;
      } else if (this.chosen === 'error' && figure.instance.truth() && figure.version !== 'truth') {
        scale = { low: 0, high: 0.035 * app.main.plain.size, unit: 'metres' };
        if (!app.seen.some((f) => f.version === 'truth')) figure.instance.truth()!.show(figure.instance.time);
        figure.error();
        values = figure.values;
      } else if ((this.chosen === 'stitched' || this.chosen === 'residual') && figure.version === 'alive' && figure.instance.alive.envelope) {
        scale = { low: 0, high: (this.chosen === 'stitched' ? 0.001 : 0.02) * app.main.plain.size, unit: 'metres' };
        values = onRender(figure, figure.instance.alive.envelope.measure()[this.chosen]);
      } else if (this.values && figure.instance === app.main) {
        values = onRender(figure, this.values);
      }
      figure.paint(values, scale, asGhost);
    }
    app.panel.setLegend(this.chosen === 'none' ? null : scale);
  }

  /** Says what there is to choose from. */
  tell(): void {
    const { main, panel } = this.app;
    const fractions = main.character.jointFractions();
    const list: [string, string][] = [['none', 'its own colours'], ['displacement', 'distance from skinning']];
    if (main.samples.length) list.push(['error', 'distance from the ground truth']);
    if (main.alive.envelope) list.push(['stitched', 'envelope: moved so that patches meet'], ['residual', 'envelope: bulges']);
    for (const map of main.surface ? SURFACE_MAPS : []) {
      const own = map.startsWith('normal_') ? main.raw.mapNames.includes(map) : map !== 'backstop';
      if (own) list.push([`map:${map}`, `map: ${map}`]);
    }
    main.raw.mapNames.forEach((map, k) => {
      if (!SURFACE_MAPS.includes(map)) list.push([`painted:${k}`, `painted: ${map}`]);
    });
    main.raw.jointNames.forEach((joint, j) => { if (fractions[j] > 0) list.push([`weights:${j}`, `weights: ${joint || j}`]); });
    panel.setHeats(list, this.chosen);
  }
}
