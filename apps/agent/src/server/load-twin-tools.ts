import type { TwinTools } from '@syncloop/core/twin/session';
import type { Shown } from '@syncloop/core/twin/tools';

/**
 * Loads the tools that make twins when the first twin is requested, because they import the whole simulation and all
 * older kubelets. `shown` redacts the records of the twin like those of the observed run before both are compared.
 */
export async function loadTwinTools(shown: Shown): Promise<TwinTools> {
  const [{ twinTools }, { loadEras }] = await Promise.all([
    import('@syncloop/core/twin/tools'),
    import('@syncloop/core/kubelet'),
  ]);
  await loadEras();
  return twinTools(shown);
}
