import type { TwinTools } from '@syncloop/core/twin/session';
import type { Shown } from '@syncloop/core/twin/tools';

/**
 * What makes twins brings all of the simulation with it: it is loaded when the first twin is asked for. `shown`: what
 * is taken out of the observed run's records is taken out of the twin's before both are held against each other.
 */
export const loadTwinTools = async (shown: Shown): Promise<TwinTools> =>
  (await import('@syncloop/core/twin/tools')).twinTools(shown);
