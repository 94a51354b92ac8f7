import type { KubeClient, NodeLister } from '../client/kube-client.js';
import { newBasicMirrorClient } from '../podmanager/basic-mirror-client.js';
import { type MirrorPodClient, noMirrorPods } from '../podmanager/mirror-client.js';
import type { Foundation } from './types.js';

/** Builds the writer of mirror pods; without an API server there are none. upstream: kubepod.NewBasicMirrorClient */
export function newMirrorPodClient(
  { kernel, config }: Pick<Foundation, 'kernel' | 'config'>,
  client: KubeClient | null,
  nodeLister: NodeLister | null,
): MirrorPodClient {
  if (!client || !nodeLister) return noMirrorPods;
  return newBasicMirrorClient({ kernel, client, nodeLister, nodeName: config.nodeName });
}
