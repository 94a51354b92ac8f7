import type { FleetStory } from '@syncloop/observe/fleet';
import type { ObservedFile } from '../../../session/worker/open-message.js';

/** The page's message to the worker that reads a fleet. */
export interface ReadFleet {
  readonly files: readonly ObservedFile[];
}

/** How far it is; `story` is the verdict on the nodes that were read so far. */
export type FleetProgress =
  | {
      readonly story: FleetStory | null;
      readonly done: number;
      readonly of: number;
      /** The node that is read now; '' at the end. */
      readonly reading: string;
    }
  | { readonly failed: string };
