import type { TwinTools } from '@syncloop/observe/twin/session';
import type { Shown } from '@syncloop/observe/twin/tools';

/**
 * Loads the tools that make twins when the first twin is requested, because they import the whole simulation and all
 * older kubelets. `shown` redacts the records of the twin like those of the observed run before both are compared.
 */
export async function loadTwinTools(shown: Shown): Promise<TwinTools> {
  const [{ twinTools }, { loadEras }] = await Promise.all([
    import('@syncloop/observe/twin/tools'),
    import('@syncloop/core/kubelet'),
  ]);
  await loadEras();
  return twinTools(shown);
}
