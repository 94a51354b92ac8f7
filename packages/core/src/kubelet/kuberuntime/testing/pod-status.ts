import { getContainerSpec } from '../../../api/pod/podutil.js';
import type { Container, Pod } from '../../../api/types.js';
import type { PodSandboxStatus } from '../../../cri/index.js';
import { hashContainer } from '../../container/helpers.js';
import type { RuntimePodStatus, State, Status } from '../../container/types.js';

let clock = 1n;

/** A container's status that fits the pod's spec; `id` is its name unless given. */
export function containerStatus(pod: Pod, name: string, state: State, more: Partial<Status> = {}): Status {
  const spec: Container = getContainerSpec(pod, name) ?? { name };
  return {
    id: { type: 'containerd', id: `${name}-id` },
    name,
    state,
    createdAt: clock++,
    startedAt: 1n,
    finishedAt: state === 'exited' ? 2n : 0n,
    exitCode: 0,
    image: spec.image ?? '',
    imageID: '',
    imageRef: '',
    hash: hashContainer(spec),
    restartCount: 0,
    reason: '',
    message: '',
    ...more,
  };
}

export const sandboxStatus = (more: Partial<PodSandboxStatus> = {}, attempt = 0): PodSandboxStatus => ({
  id: `sandbox-${attempt}`,
  metadata: { name: 'web-node1', namespace: 'default', uid: 'uid1', ...(attempt === 0 ? {} : { attempt }) },
  createdAt: '1',
  network: { ip: '10.89.0.2' },
  linux: { namespaces: { options: { pid: 'CONTAINER' } } },
  ...more,
});

/** Statuses as given, newest first. */
export function podStatus(
  pod: Pod,
  containers: readonly Status[],
  sandboxes: readonly PodSandboxStatus[] = [sandboxStatus()],
): RuntimePodStatus {
  const { uid: id, name, namespace } = pod.metadata;
  return {
    id,
    name,
    namespace,
    ips: ['10.89.0.2'],
    containerStatuses: containers,
    activeContainerStatuses: containers,
    sandboxStatuses: sandboxes,
    timestamp: 0,
  };
}
