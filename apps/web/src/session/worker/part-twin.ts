import { loadEras } from '@syncloop/core/kubelet';
import { twinTools } from '@syncloop/core/twin/tools';

/** A twin is the nearest kubelet to the one that was observed: its code is there, whichever that is. */
export async function loadTwinTools() {
  await loadEras();
  return twinTools();
}
