// SPDX-License-Identifier: MIT
/** Materials of a file: glTF's metallic-roughness, with its textures. */
import * as THREE from 'three';
import { Gltf, viewBytes } from '../module/gltf.js';

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Json = any;

async function readImage(gltf: Gltf, index: number): Promise<ImageBitmap | null> {
  const image = gltf.json.images?.[index];
  if (!image) return null;
  try {
    let blob: Blob;
    if (image.bufferView !== undefined) {
      blob = new Blob([viewBytes(gltf, image.bufferView) as BlobPart], { type: image.mimeType });
    } else if (String(image.uri).startsWith('data:')) {
      const [head, data] = String(image.uri).split(',');
      const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
      blob = new Blob([bytes], { type: head.slice(5).split(';')[0] });
    } else {
      return null;
    }
    return await createImageBitmap(blob, { colorSpaceConversion: 'none' });
  } catch {
    return null; // a picture that cannot be read leaves the plain colour
  }
}

async function readTexture(gltf: Gltf, info: Json, colour: boolean): Promise<THREE.Texture | null> {
  const texture = info && gltf.json.textures?.[info.index];
  const image = texture && await readImage(gltf, texture.source ??
    texture.extensions?.EXT_texture_webp?.source);
  if (!image) return null;
  const made = new THREE.Texture(image);
  const sampler = gltf.json.samplers?.[texture.sampler] ?? {};
  const wraps: Record<number, THREE.Wrapping> = { 33071: THREE.ClampToEdgeWrapping,
    33648: THREE.MirroredRepeatWrapping };
  made.wrapS = wraps[sampler.wrapS] ?? THREE.RepeatWrapping;
  made.wrapT = wraps[sampler.wrapT] ?? THREE.RepeatWrapping;
  made.flipY = false;
  made.colorSpace = colour ? THREE.SRGBColorSpace : THREE.NoColorSpace;
  made.needsUpdate = true;
  return made;
}

/** The material of a part; its pictures come a moment later. */
export function readMaterial(gltf: Gltf, index: number, changed: () => void): THREE.MeshStandardMaterial {
  const json = gltf.json.materials?.[index] ?? {};
  const pbr = json.pbrMetallicRoughness ?? {};
  const [r, g, b, alpha] = pbr.baseColorFactor ?? [1, 1, 1, 1];
  const material = new THREE.MeshStandardMaterial({
    color: new THREE.Color(r, g, b),
    metalness: pbr.metallicFactor ?? (json.pbrMetallicRoughness ? 1 : 0),
    roughness: Math.max(pbr.roughnessFactor ?? 1, 0.35),
    side: json.doubleSided ? THREE.DoubleSide : THREE.FrontSide,
    transparent: json.alphaMode === 'BLEND',
    alphaTest: json.alphaMode === 'MASK' ? json.alphaCutoff ?? 0.5 : 0,
    opacity: json.alphaMode === 'BLEND' ? alpha : 1,
  });
  // There is no room to mirror here: metal would be black.
  material.metalness = Math.min(material.metalness, 0.2);
  const emissive = json.emissiveFactor ?? [0, 0, 0];
  material.emissive = new THREE.Color(...(emissive as [number, number, number]));
  const take = async (info: Json, colour: boolean, put: (t: THREE.Texture) => void) => {
    const texture = await readTexture(gltf, info, colour);
    if (!texture) return;
    put(texture);
    material.needsUpdate = true;
    changed();
  };
  void take(pbr.baseColorTexture, true, (t) => { material.map = t; });
  void take(json.normalTexture, false, (t) => { material.normalMap = t; });
  return material;
}
