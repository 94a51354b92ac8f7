import { loadEras } from '@syncloop/core/kubelet';
import { type Shown, twinTools } from '@syncloop/observe/twin/tools';

/**
 * Loads the tools of a twin with the code of every version, since a twin is the kubelet nearest to the observed one.
 * `shown`: redacts the twin's records as the observed run's.
 */
export async function loadTwinTools(shown: Shown) {
  await loadEras();
  return twinTools(shown);
}
