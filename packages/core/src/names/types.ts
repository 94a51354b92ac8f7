import type { BreakpointOn } from '../debug/breakpoints/kinds.js';
import type { EraVersion } from '../kubelet/era/versions.js';
import type { LocalText } from '../scenario/document/scenario.js';

/** The kinds of places at which a run can stop, as the catalogue of runs lists them. */
export const stopKinds = [
  'function',
  'channel',
  'cri',
  'op',
  'pleg',
  'decision',
  'event',
  'log',
  'step',
  'record',
  'worker',
  'manager',
] as const;
export type StopKind = (typeof stopKinds)[number];

/** A place to stop at: its kind and its name there, as `function syncLoop` or `step SyncPod/pod IPs`. */
export type Place = `${StopKind} ${string}`;

/** An answer to a name of the kubelet's source. */
export type NameAnswer =
  | {
      readonly kind: 'stop';
      readonly name: string;
      readonly place: Place;
      readonly on: BreakpointOn;
      /** The versions in which runs come there and the name exists, oldest first; at least one. */
      readonly eras: readonly EraVersion[];
      /** The name is something else than the place: a field, a constant or a local that is used there. */
      readonly within: boolean;
    }
  | {
      readonly kind: 'became';
      readonly name: string;
      readonly text: LocalText;
      /** The entry of the changes that did it, if there is one. */
      readonly change?: string;
    }
  | { readonly kind: 'unsimulated'; readonly name: string; readonly because: LocalText };
