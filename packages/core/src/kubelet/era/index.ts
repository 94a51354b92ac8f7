import type { Era } from './types.js';
import { v1_36 } from './v1.36.js';
import { type EraVersion, eraVersions } from './versions.js';

export { laterThanAll, type MinorSpan, minorOf, minorOfEra, nearestEra, nearestEraOfSpan } from './nearest.js';
export type { Era, EraHandle, EraMaterial, EraParts } from './types.js';
export type { EraVersion } from './versions.js';
export { defaultEra, eraVersions } from './versions.js';

/** The import of each era's code, which is loaded when the era is chosen. */
const modules: Partial<Record<EraVersion, () => Promise<{ readonly era: Era }>>> = {
  'v1.12': () => import('../eras/v1.12/index.js'),
  'v1.21': () => import('../eras/v1.21/index.js'),
  'v1.25': () => import('../eras/v1.25/index.js'),
  'v1.32': () => import('../eras/v1.32/index.js'),
};

const loaded = new Map<EraVersion, Era>([[v1_36.version, v1_36]]);

/** The versions that have code, oldest first. */
export const availableEras: readonly EraVersion[] = eraVersions.filter((v) => loaded.has(v) || modules[v]);

/** Loads the code of an era. Call it before a kubelet of that era is made. Throws if the era has no code. */
export function loadEra(version: EraVersion): Promise<Era> {
  const known = loaded.get(version);
  if (known) return Promise.resolve(known);
  const load = modules[version];
  if (!load) throw new Error(`there is no kubelet of ${version}: choose one of ${availableEras.join(', ')}`);
  return load().then(({ era }) => {
    loaded.set(version, era);
    return era;
  });
}

/** Loads all that there are. */
export const loadEras = (): Promise<unknown> =>
  availableEras.reduce<Promise<unknown>>((before, version) => before.then(() => loadEra(version)), Promise.resolve());

/** An era that was loaded before; throws otherwise. */
export function loadedEra(version: EraVersion): Era {
  const era = loaded.get(version);
  if (!era) throw new Error(`the kubelet of ${version} is not loaded: call loadEra('${version}') first`);
  return era;
}
