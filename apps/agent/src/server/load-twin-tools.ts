import type { TwinTools } from '@syncloop/core/twin/session';

/** What makes twins brings all of the simulation with it: it is loaded when the first twin is asked for. */
export const loadTwinTools = async (): Promise<TwinTools> => (await import('@syncloop/core/twin/tools')).twinTools();
