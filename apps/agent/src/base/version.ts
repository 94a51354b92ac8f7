import { readFileSync } from 'node:fs';

/** The version of this package, from its package.json. */
export const version: string = (
  JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string }
).version;

/** The version of the kubelet that this one behaves like. */
export const kubeletVersion = 'v1.36';
