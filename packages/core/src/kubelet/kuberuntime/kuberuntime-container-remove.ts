import { formatPod, kObj, type Pod, podRef } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { OSInterface } from '../../host/os.js';
import { OSError } from '../../host/os.js';
import { type Context, frame, type Go } from '../../kernel/index.js';
import type { RuntimePodStatus } from '../container/types.js';
import type { ContainerLogManager } from '../logs/container-log-manager.js';
import { getContainerInfoFromLabels } from './labels.js';
import { legacyLogSymlink } from './legacy.js';
import type { RuntimeServiceDeps } from './types.js';

/** The parts of the runtime manager that a container is removed with. */
export interface RemoveContainerDeps extends RuntimeServiceDeps {
  readonly os: OSInterface;
  readonly logManager: Pick<ContainerLogManager, 'clean'>;
}

/**
 * Logs first, so that a container whose logs cannot go is tried again (fidelity 2:D-04); throws what failed.
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).removeContainer
 */
export function* removeContainer(
  m: RemoveContainerDeps,
  ctx: Context,
  containerID: string,
  keepLogs: boolean,
): Go<void> {
  yield* frame('removeContainer', { containerID, keepLogs }, function* () {
    m.log.container.info(4, 'Removing container', { containerID });
    if (!keepLogs) yield* removeContainerLog(m, ctx, containerID);
    yield* m.runtimeService.removeContainer(ctx, { containerId: containerID });
  });
}

/** upstream: removeContainerLog */
function* removeContainerLog(m: RemoveContainerDeps, ctx: Context, containerID: string): Go<void> {
  yield* m.logManager.clean(ctx, containerID);
  let labels: { [key: string]: string } | undefined;
  try {
    const { status } = yield* m.runtimeService.containerStatus(ctx, { containerId: containerID });
    if (!status) throw new Error('container status is nil');
    labels = status.labels;
  } catch (err) {
    throw new Error(`failed to get container status "${containerID}": ${messageOf(err)}`, { cause: err });
  }
  const l = getContainerInfoFromLabels(labels);
  const link = legacyLogSymlink(containerID, l.containerName, l.podName, l.podNamespace);
  try {
    yield* m.os.remove(link);
  } catch (err) {
    if (err instanceof OSError && err.code === 'ENOENT') return;
    throw new Error(
      `failed to remove container "${containerID}" log legacy symbolic link "${link}": ${messageOf(err)}`,
      { cause: err },
    );
  }
}

const hasInitContainers = (pod: Pod): boolean => (pod.spec.initContainers ?? []).length > 0;

/**
 * Removes all dead instances of each init container but the newest (fidelity 2:I-17).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go
 * (*kubeGenericRuntimeManager).pruneInitContainersBeforeStart
 */
export function* pruneInitContainersBeforeStart(
  m: RemoveContainerDeps,
  ctx: Context,
  pod: Pod,
  podStatus: RuntimePodStatus,
): Go<void> {
  // The call of a pod without any is left out of the trace.
  if (!hasInitContainers(pod)) return;
  yield* frame('pruneInitContainersBeforeStart', podRef(pod), () =>
    removeInitContainers(m, ctx, pod, podStatus, 1, (state) => state === 'exited' || state === 'unknown'),
  );
}

/**
 * Removes all instances of all init containers: the new sandbox starts from the first one (fidelity 2:I-18).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_container.go (*kubeGenericRuntimeManager).purgeInitContainers
 */
export function* purgeInitContainers(
  m: RemoveContainerDeps,
  ctx: Context,
  pod: Pod,
  podStatus: RuntimePodStatus,
): Go<void> {
  if (!hasInitContainers(pod)) return;
  yield* frame('purgeInitContainers', podRef(pod), () => removeInitContainers(m, ctx, pod, podStatus, 0, () => true));
}

function* removeInitContainers(
  m: RemoveContainerDeps,
  ctx: Context,
  pod: Pod,
  podStatus: RuntimePodStatus,
  keep: number,
  counts: (state: string) => boolean,
): Go<void> {
  for (const { name } of pod.spec.initContainers ?? []) {
    let count = 0;
    for (const status of podStatus.containerStatuses) {
      if (status.name !== name || !counts(status.state)) continue;
      if (++count <= keep) continue;
      m.log.container.info(4, 'Removing init container', { containerName: name, containerID: status.id.id, count });
      try {
        yield* removeContainer(m, ctx, status.id.id, false);
      } catch (err) {
        const text = `failed to remove pod init container "${name}": ${messageOf(err)}; Skipping pod "${formatPod(pod)}"`;
        m.log.container.error(new Error(text), 'Unhandled Error', { logger: 'UnhandledError', pod: kObj(pod) });
      }
    }
  }
}
