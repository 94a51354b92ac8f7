import type { World } from '@syncloop/core/kubectl';

/** A pod as in the API. */
export type Pod = World['pods'][number];
