// SPDX-License-Identifier: MIT
/** Who is shown: before and after, which file is the original of which, and what each is called. */
import type { Figure, Version } from './figure.js';
import type { Instance } from './instance.js';

export interface Words {
  title: string;
  detail: string;
}

const TITLES: Record<Version, string> = { skinning: 'Before', alive: 'After', truth: 'Ground truth' };

/** The same skin on the same skeleton, which may have got helper joints. */
function sameBody(original: Instance, made: Instance): boolean {
  const names = new Set(made.raw.jointNames);
  return original.character.renderVertexCount === made.character.renderVertexCount
    && original.raw.jointNames.every((name) => names.has(name));
}

export class Lineup {
  /** which versions are shown; at least one */
  wanted: Version[] = ['skinning', 'alive'];
  /** every character once, as its plain skin */
  dividing = false;
  /** of those that were made from a file which is shown too */
  private originals = new Map<Instance, Instance>();

  constructor(private instances: Instance[]) {}

  /** Other files: before and after of one, the last state of several. */
  begin(): void {
    this.originals.clear();
    for (const made of this.instances) {
      const found = made.isMade && this.instances.find((other) => !other.isMade && sameBody(other, made));
      if (found) this.originals.set(made, found);
    }
    this.wanted = this.instances.length === 1 || this.originals.size ? ['skinning', 'alive'] : ['alive'];
    if (this.instances.some(({ samples }) => samples.length)) this.wanted.push('truth');
  }

  /** Shows or hides a version. */
  toggle(version: Version): void {
    const rest = this.wanted.filter((v) => v !== version);
    if (rest.length === this.wanted.length) this.wanted = [...this.wanted, version];
    else if (rest.length) this.wanted = rest;
  }

  isOriginal(instance: Instance): boolean {
    return [...this.originals.values()].includes(instance);
  }
  /** The one that panels speak of. */
  get main(): Instance {
    return this.instances.find((instance) => !this.isOriginal(instance)) ?? this.instances[0];
  }

  /** An original is the Before of what was made from it: two figures, not four. */
  shows({ instance, version }: Figure): boolean {
    if (this.dividing) return version === 'skinning';
    if (this.isOriginal(instance)) return version === 'skinning' && this.wanted.includes(version);
    if (this.originals.has(instance)) return version !== 'skinning' && this.wanted.includes(version);
    return this.wanted.includes(version) || (!instance.lives && version === 'skinning');
  }

  /** Whether it will be there in a moment: its place is kept. */
  expects({ instance, version }: Figure): boolean {
    return !this.dividing && version === 'alive' && !instance.lives && !instance.refused && this.wanted.includes('skinning')
      && this.wanted.includes('alive') && !this.isOriginal(instance);
  }

  words({ instance, version }: Figure): Words {
    const { name } = instance;
    if (this.dividing) return { title: name, detail: '' };
    const unlike = this.instances.length > 1 && !this.originals.size;
    const both = unlike && this.wanted.length > 1;
    const title = unlike ? `${name}${both ? `: ${TITLES[version].toLowerCase()}` : ''}` : TITLES[version];
    const file = this.originals.size && version !== 'truth' ? `${name}: ` : '';
    return { title, detail: file + this.detail(instance, version) };
  }

  private detail(instance: Instance, version: Version): string {
    if (version === 'truth') return instance.truth()?.name ?? '';
    if (version === 'skinning') return instance.isBaked && !instance.before!.exact ? 'without its baked motion' : 'plain skinning';
    if (instance.isBaked) return 'baked motion';
    if (!instance.lives) return instance.refused ? 'no flesh' : 'making its flesh …';
    if (instance.flesh !== 'file') return `live: ${instance.flesh}`;
    const kinds = instance.raw.models.map((m) => m.kind);
    return kinds.length > 2 ? `live: its ${kinds.length} models` : `live: ${kinds.join(' + ')}`; // the panel names all of them
  }
}
