import type { KubeClient } from '../client/kube-client.js';
import type { ObjectManagers } from '../client/objects.js';
import type { SourcesReady } from '../config/sources.js';
import type { KubeletRuntimeHelper } from '../kubelet-pods-run.js';
import type { PodManager } from '../podmanager/types.js';
import type { PodWorkers } from '../podworkers/types.js';
import { VolumeManager } from '../volumemanager/volume-manager.js';
import type { Foundation } from './types.js';

/** upstream: volumemanager.NewVolumeManager */
export function newVolumeManager(
  { kernel, config, os, nodeInfo, recorder }: Foundation,
  rest: {
    readonly objectManagers: ObjectManagers | null;
    readonly runtimeHelper: Pick<KubeletRuntimeHelper, 'getPodDir' | 'getPodsDir'>;
    readonly podManager: PodManager;
    readonly podWorkers: PodWorkers;
    readonly sourcesReady: SourcesReady;
    readonly kubeClient: KubeClient | null;
  },
): VolumeManager {
  const { objectManagers: objects, runtimeHelper, podManager, podWorkers, sourcesReady, kubeClient } = rest;
  return new VolumeManager({
    kernel,
    host: { kernel, os, nodeInfo, objects, getPodDir: (uid) => runtimeHelper.getPodDir(uid) },
    recorder,
    nodeName: config.nodeName,
    podsDir: runtimeHelper.getPodsDir(),
    podManager,
    podStateProvider: podWorkers,
    sourcesReady: () => sourcesReady.allReady(),
    getNode: kubeClient && (() => kubeClient.getNode(config.nodeName)),
  });
}
