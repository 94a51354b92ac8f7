import type { TwinTools } from '@syncloop/core/twin/session';
import type { Shown } from '@syncloop/core/twin/tools';

/**
 * What makes twins brings all of the simulation with it, and the older kubelets, of which the nearest one re-enacts
 * what was observed: it is loaded when the first twin is asked for. `shown`: what is taken out of the observed run's
 * records is taken out of the twin's before both are held against each other.
 */
export async function loadTwinTools(shown: Shown): Promise<TwinTools> {
  const [{ twinTools }, { loadEras }] = await Promise.all([
    import('@syncloop/core/twin/tools'),
    import('@syncloop/core/kubelet'),
  ]);
  await loadEras();
  return twinTools(shown);
}
