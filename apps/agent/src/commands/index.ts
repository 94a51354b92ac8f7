/**
 * The commands of `syncloop`, in the order of its help. A module is loaded only when its command or the help is wanted.
 */
import type { Command } from './command.js';

export const commands: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  serve: () => import('./serve.js'),
  kubelet: () => import('./kubelet.js'),
  simulate: () => import('./simulate.js'),
  explore: () => import('./explore.js'),
  why: () => import('./why.js'),
  info: () => import('./info.js'),
  export: () => import('./export.js'),
  import: () => import('./import.js'),
  'serve-mock': () => import('./serve-mock.js'),
  conformance: () => import('./conformance.js'),
  version: () => import('./version.js'),
};
