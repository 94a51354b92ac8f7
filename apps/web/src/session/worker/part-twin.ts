import { loadEras } from '@syncloop/core/kubelet';
import { type Shown, twinTools } from '@syncloop/observe/twin/tools';

/**
 * A twin is the nearest kubelet to the one that was observed: its code is there, whichever that is. `shown`: what is
 * taken out of the observed run's records is taken out of the twin's, too.
 */
export async function loadTwinTools(shown: Shown) {
  await loadEras();
  return twinTools(shown);
}
