import { APIError } from '../../api/client/api-error.js';
import { kObj, type Pod } from '../../api/types.js';
import { deepCopy } from '../../base/deep.js';
import { messageOf } from '../../base/index.js';
import type { Context, Go, Kernel } from '../../kernel/index.js';
import type { KubeClient, NodeLister } from '../client/kube-client.js';
import { Logger } from '../klog.js';
import { ConfigHashAnnotationKey, ConfigMirrorAnnotationKey } from '../types/pod-update.js';
import type { MirrorPodClient } from './mirror-client.js';

export interface BasicMirrorClientDeps {
  readonly kernel: Kernel;
  readonly client: Pick<KubeClient, 'createPod' | 'deletePodWith' | 'getPod'>;
  readonly nodeLister: Pick<NodeLister, 'get'>;
  readonly nodeName: string;
}

/**
 * Keeps mirror pods in the API (fidelity 1:F04, 1:F05).
 * upstream: pkg/kubelet/pod/mirror_client.go NewBasicMirrorClient
 */
export function newBasicMirrorClient(deps: BasicMirrorClientDeps): MirrorPodClient {
  const { kernel, client, nodeLister, nodeName } = deps;
  const log = new Logger(kernel, 'mirror_client.go');
  return {
    *createMirrorPod(ctx: Context, pod: Pod): Go<void> {
      const hash = pod.metadata.annotations?.[ConfigHashAnnotationKey] ?? '';
      let uid: string | undefined;
      try {
        ({ uid } = nodeLister.get().metadata);
        if (!uid) throw new Error(`UID unset for node ${nodeName}`);
      } catch (err) {
        throw new Error(`failed to get node UID: ${messageOf(err)}`, { cause: err });
      }
      const copy = deepCopy(pod);
      copy.metadata.annotations = { ...copy.metadata.annotations, [ConfigMirrorAnnotationKey]: hash };
      copy.metadata.ownerReferences = [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid, controller: true }];
      try {
        yield* client.createPod(ctx, copy);
      } catch (err) {
        // Row F04. Upstream looks at what the failed creation gave it.
        if (err instanceof APIError && err.reason === 'AlreadyExists') {
          const there = yield* client.getPod(copy.metadata.namespace, copy.metadata.name);
          if (there?.metadata.annotations?.[ConfigMirrorAnnotationKey] === hash) return;
        }
        throw err;
      }
    },

    *deleteMirrorPod(ctx: Context, podFullName: string, uid: string | null): Go<boolean> {
      const [name, namespace, more] = podFullName.split('_');
      if (!name || !namespace || more !== undefined) {
        const err = new Error(`failed to parse the pod full name ${JSON.stringify(podFullName)}`);
        log.error(err, 'Failed to parse a pod full name', { podFullName });
        throw err;
      }
      const pod = kObj({ metadata: { name, namespace } });
      log.info(2, 'Deleting a mirror pod', { pod, podUID: uid ?? '' });
      try {
        yield* client.deletePodWith(ctx, namespace, name, { gracePeriodSeconds: 0, uid });
      } catch (err) {
        // If it is not there, or is another one of that name, there is nothing to do. Any other error is only logged.
        if (!(err instanceof APIError && (err.reason === 'NotFound' || err.reason === 'Conflict')))
          log.error(err, 'Failed deleting a mirror pod', { pod });
        return false;
      }
      return true;
    },
  };
}
