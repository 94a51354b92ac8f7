import type { Kernel } from '../../kernel/index.js';
import type { KubeletParts, PartName } from './types.js';

/** The code of one part. */
export interface PartSource {
  /** The name that messages and records have for it. */
  readonly file: string;
  readonly source: string;
  /** Each statement that runs leaves a record, with the variables that it sees: slower. */
  readonly lines?: boolean;
}
export type PartSources = { readonly [K in PartName]?: PartSource };

/**
 * Makes parts of their code, for one run. Throws an Error whose message begins with `file:line:column` if the code
 * cannot be loaded.
 */
export type MakeParts = (kernel: Kernel, sources: PartSources) => KubeletParts;

let make: MakeParts | null = null;

/** Says how the code of parts is run; a host that loads an interpreter calls it once. */
export function useParts(maker: MakeParts): void {
  make = maker;
}

/** Makes the parts of a run. Throws if this host runs no such code, and what the maker throws. */
export function partsOf(kernel: Kernel, sources: PartSources): KubeletParts {
  if (!make)
    throw new Error(
      `the run replaces ${Object.keys(sources).join(', ')} by code, and no interpreter was loaded here: load the workshop first, or leave parts out`,
    );
  return make(kernel, sources);
}
