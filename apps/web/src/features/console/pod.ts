import type { World } from '@syncloop/core/kubectl';

/** A pod as the API has it. */
export type Pod = World['pods'][number];
