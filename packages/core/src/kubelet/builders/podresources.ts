import type { Pod } from '../../api/types.js';
import type { ContainerManager } from '../cm/container-manager.js';
import { featureEnabled } from '../features.js';
import type { PodManager } from '../podmanager/types.js';
import { PodResourcesServer } from '../podresources/pod-resources.js';
import type { Foundation } from './types.js';

export interface PodResourcesParts {
  readonly containerManager: Pick<ContainerManager, 'deviceManager'>;
  readonly podManager: Pick<PodManager, 'getPodByName' | 'getPods'>;
  getActivePods(): readonly Pod[];
}

/**
 * The answers of the pod resources API; null without a device manager, or by gate.
 * upstream: podresources.PodResourcesProviders
 */
export function newPodResources({ kernel, config }: Foundation, parts: PodResourcesParts): PodResourcesServer | null {
  const { podManager, containerManager } = parts;
  const devices = containerManager.deviceManager;
  if (!devices || !featureEnabled(config, 'KubeletPodResourcesGet')) return null;
  return new PodResourcesServer({
    kernel,
    devices,
    getActivePods: () => parts.getActivePods(),
    getPods: () => podManager.getPods(),
    getPodByName: (namespace, name) => podManager.getPodByName(namespace, name),
    useActivePods: featureEnabled(config, 'KubeletPodResourcesListUseActivePods'),
  });
}
