import { containerIter } from '../../api/pod/podutil.js';
import type { Pod } from '../../api/types.js';
import type { Kernel } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { KubeClient } from '../client/kube-client.js';
import type { ConfigMapObject } from '../client/objects.js';
import { WatchBasedManager } from '../util/manager/watch-based-manager.js';

/** ConfigMaps that pods refer to. upstream: pkg/kubelet/configmap NewWatchingConfigMapManager */
export function newWatchingConfigMapManager(
  kernel: Kernel,
  client: Pick<KubeClient, 'listerWatcher'>,
  resyncInterval: Micros,
): WatchBasedManager<ConfigMapObject> {
  return new WatchBasedManager<ConfigMapObject>({
    kernel,
    resource: 'configmap',
    type: '*v1.ConfigMap',
    resyncInterval,
    listerWatcher: (namespace, selector) => client.listerWatcher('configmaps', namespace, selector),
    referencedObjects: podConfigMapNames,
  });
}

/** upstream: pkg/api/v1/pod VisitPodConfigmapNames */
export function podConfigMapNames(pod: Pod): ReadonlySet<string> {
  const names = new Set<string | undefined>();
  for (const [c] of containerIter(pod.spec)) {
    for (const from of c.envFrom ?? []) names.add(from.configMapRef?.name);
    for (const { valueFrom } of c.env ?? []) names.add(valueFrom?.configMapKeyRef?.name);
  }
  for (const volume of pod.spec.volumes ?? []) {
    names.add(volume.configMap?.name);
    for (const source of volume.projected?.sources ?? [])
      names.add((source.configMap as { name?: string } | undefined)?.name);
  }
  names.delete(undefined);
  names.delete('');
  return names as Set<string>;
}
