import { containerIter } from '../../api/pod/podutil.js';
import type { Pod } from '../../api/types.js';
import type { Kernel } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { KubeClient } from '../client/kube-client.js';
import type { SecretObject } from '../client/objects.js';
import { WatchBasedManager } from '../util/manager/watch-based-manager.js';

/** Secrets that pods refer to. upstream: pkg/kubelet/secret NewWatchingSecretManager */
export function newWatchingSecretManager(
  kernel: Kernel,
  client: Pick<KubeClient, 'listerWatcher'>,
  resyncInterval: Micros,
): WatchBasedManager<SecretObject> {
  return new WatchBasedManager<SecretObject>({
    kernel,
    resource: 'secret',
    type: '*v1.Secret',
    resyncInterval,
    listerWatcher: (namespace, selector) => client.listerWatcher('secrets', namespace, selector),
    referencedObjects: podSecretNames,
  });
}

/** Volume sources with a reference of the usual shape, and where it stands. */
const secretRefs = [
  ['cephfs', 'secretRef'],
  ['cinder', 'secretRef'],
  ['flexVolume', 'secretRef'],
  ['rbd', 'secretRef'],
  ['scaleIO', 'secretRef'],
  ['iscsi', 'secretRef'],
  ['storageos', 'secretRef'],
  ['csi', 'nodePublishSecretRef'],
] as const;

/** upstream: pkg/api/v1/pod VisitPodSecretNames */
export function podSecretNames(pod: Pod): ReadonlySet<string> {
  const names = new Set<string | undefined>();
  for (const { name } of pod.spec.imagePullSecrets ?? []) names.add(name);
  for (const [c] of containerIter(pod.spec)) {
    for (const from of c.envFrom ?? []) names.add(from.secretRef?.name);
    for (const { valueFrom } of c.env ?? []) names.add(valueFrom?.secretKeyRef?.name);
  }
  for (const volume of pod.spec.volumes ?? []) {
    names.add(volume.secret?.secretName);
    names.add((volume.azureFile as { secretName?: string } | undefined)?.secretName);
    for (const [source, field] of secretRefs) {
      const ref = (volume[source] as { [field: string]: { name?: string } | undefined } | undefined)?.[field];
      names.add(ref?.name);
    }
    for (const source of volume.projected?.sources ?? [])
      names.add((source.secret as { name?: string } | undefined)?.name);
  }
  names.delete(undefined);
  names.delete('');
  return names as Set<string>;
}
