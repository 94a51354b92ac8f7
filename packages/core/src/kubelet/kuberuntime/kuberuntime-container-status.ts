import { resourceNumbers } from '../../api/pod/resources.js';
import type { ResourceRequirements } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import {
  type ContainerFilter,
  type ContainerStatus,
  type Container as CRIContainer,
  containerState,
  int64,
  isNotFound,
  type PodSandbox,
  type PodSandboxFilter,
} from '../../cri/index.js';
import type { OSInterface } from '../../host/os.js';
import { OSError } from '../../host/os.js';
import type { Context, Go } from '../../kernel/index.js';
import type { StateCheckpoint } from '../allocation/state.js';
import type { KubeletConfig } from '../config.js';
import {
  maxContainerTerminationMessageLength,
  maxContainerTerminationMessageLogLength,
  maxContainerTerminationMessageLogLines,
} from '../container/helpers.js';
import type { ContainerResources, RuntimeContainer, Status } from '../container/types.js';
import { featureEnabled } from '../features.js';
import { containerStatusByCreated, fromRuntimeSignal, toKubeContainerState } from './helpers.js';
import { toKubeContainerResources } from './kuberuntime-container-linux.js';
import { readLastStringFromContainerLogs } from './kuberuntime-logs.js';
import { getContainerInfoFromAnnotations, getContainerInfoFromLabels, kubernetesPodUIDLabel } from './labels.js';
import type { RuntimeServiceDeps, RuntimeType } from './types.js';

/** The parts of the kubelet that turn a status of the CRI into one of the kubelet's. */
export interface ContainerStatusDeps extends RuntimeType {
  readonly config: KubeletConfig;
  readonly os: OSInterface;
  readonly actuatedState: StateCheckpoint;
}

/** The containers to list: of one pod, or only ready sandboxes and running containers. upstream: listOptions */
export interface ListOptions {
  readonly podUID?: string;
  readonly onlyRunningReady?: boolean;
}

/** upstream: getContainers */
export function* getContainers(
  m: Pick<RuntimeServiceDeps, 'runtimeService'>,
  ctx: Context,
  opts: ListOptions,
): Go<CRIContainer[]> {
  const filter: ContainerFilter = {};
  if (opts.podUID) filter.labelSelector = { [kubernetesPodUIDLabel]: opts.podUID };
  if (opts.onlyRunningReady) filter.state = { state: 'CONTAINER_RUNNING' };
  return (yield* m.runtimeService.listContainers(ctx, { filter })).containers ?? [];
}

/** upstream: getSandboxes */
export function* getSandboxes(
  m: Pick<RuntimeServiceDeps, 'runtimeService'>,
  ctx: Context,
  opts: ListOptions,
): Go<PodSandbox[]> {
  const filter: PodSandboxFilter = {};
  if (opts.podUID) filter.labelSelector = { [kubernetesPodUIDLabel]: opts.podUID };
  // READY is the zero value.
  if (opts.onlyRunningReady) filter.state = {};
  return (yield* m.runtimeService.listPodSandbox(ctx, { filter })).items ?? [];
}

/** Statuses of the given containers, newest first; one that is gone is skipped. upstream: getPodContainerStatuses */
export function* getPodContainerStatuses(
  m: ContainerStatusDeps & RuntimeServiceDeps,
  ctx: Context,
  containers: readonly RuntimeContainer[],
  activePodSandboxID: string,
): Go<{ statuses: Status[]; active: Status[] }> {
  const statuses: Status[] = [];
  const active: Status[] = [];
  for (const c of containers) {
    let status: ContainerStatus | undefined;
    try {
      ({ status } = yield* m.runtimeService.containerStatus(ctx, { containerId: c.id.id }));
    } catch (err) {
      if (isNotFound(err)) continue;
      m.log.container.info(4, 'ContainerStatus return error', { containerID: c.id.id, err: messageOf(err) });
      throw err;
    }
    if (!status) throw new Error('container status is nil');
    const converted = yield* convertToKubeContainerStatus(m, status);
    statuses.push(converted);
    if (c.podSandboxID === activePodSandboxID) active.push(converted);
  }
  return { statuses: statuses.sort(containerStatusByCreated), active: active.sort(containerStatusByCreated) };
}

/**
 * A status with the termination message that the container left (fidelity 2:U-05).
 * upstream: convertToKubeContainerStatus
 */
export function* convertToKubeContainerStatus(m: ContainerStatusDeps, status: ContainerStatus): Go<Status> {
  const signal = featureEnabled(m.config, 'ContainerStopSignals') ? fromRuntimeSignal(status.stopSignal) : undefined;
  const plain = toKubeContainerStatus(m.type(), status);
  const { podUID, containerName } = getContainerInfoFromLabels(status.labels);
  const resources = withActuated(plain.resources, m.actuatedState.getContainerResources(podUID, containerName));
  const converted = { ...plain, ...(resources && { resources }), ...(signal && { stopSignal: signal }) };
  if (containerState(status) !== 'CONTAINER_EXITED') return converted;
  const info = getContainerInfoFromAnnotations(status.annotations);
  // A container that could not even start has no log.
  const fallbackToLogs =
    info.terminationMessagePolicy === 'FallbackToLogsOnError' &&
    converted.exitCode !== 0 &&
    converted.reason !== 'ContainerCannotRun';
  let { text, checkLogs } = yield* getTerminationMessage(m, status, info.terminationMessagePath, fallbackToLogs);
  if (checkLogs) {
    try {
      text = yield* readLastStringFromContainerLogs(
        m.os,
        status.logPath ?? '',
        maxContainerTerminationMessageLogLines,
        maxContainerTerminationMessageLogLength,
      );
    } catch (err) {
      text = `Error on reading termination message from logs: ${messageOf(err)}`;
    }
  }
  if (text === '') return converted;
  return { ...converted, message: converted.message ? `${converted.message}: ${text}` : text };
}

/**
 * Fills in the resources that the runtime does not report with those that the kubelet has set.
 * upstream: within toKubeContainerStatus
 */
function withActuated(
  reported: ContainerResources | undefined,
  actuated: ResourceRequirements | undefined,
): ContainerResources | undefined {
  if (!actuated || reported?.memoryRequest !== undefined) return reported;
  const { cpuRequest, cpuLimit, memoryRequest, memoryLimit } = resourceNumbers(actuated);
  if (!reported) return { cpuRequest, cpuLimit, memoryRequest, memoryLimit };
  return memoryRequest === 0 ? reported : { ...reported, memoryRequest };
}

/**
 * The end of the termination message file, and whether the log has to be read instead.
 * upstream: getTerminationMessage
 */
function* getTerminationMessage(
  m: Pick<ContainerStatusDeps, 'os'>,
  status: ContainerStatus,
  path: string,
  fallbackToLogs: boolean,
): Go<{ text: string; checkLogs: boolean }> {
  const hostPath = path === '' ? undefined : status.mounts?.find((mount) => mount.containerPath === path)?.hostPath;
  if (hostPath === undefined) return { text: '', checkLogs: fallbackToLogs };
  try {
    const text = yield* m.os.readFile(hostPath, { limit: maxContainerTerminationMessageLength, tail: true });
    return { text, checkLogs: fallbackToLogs && text === '' };
  } catch (err) {
    if (err instanceof OSError && err.code === 'ENOENT') return { text: '', checkLogs: fallbackToLogs };
    return { text: `Error on reading termination log ${hostPath}: ${messageOf(err)}`, checkLogs: false };
  }
}

/** upstream: toKubeContainerStatus (fidelity 2:U-04) */
export function toKubeContainerStatus(runtimeName: string, status: ContainerStatus): Status {
  const annotated = getContainerInfoFromAnnotations(status.annotations);
  const labeled = getContainerInfoFromLabels(status.labels);
  const state = toKubeContainerState(status);
  const exited = state === 'exited';
  const resources = toKubeContainerResources(status.resources?.linux);
  const linux = status.user?.linux;
  const groups = linux?.supplementalGroups;
  return {
    id: { type: runtimeName, id: status.id ?? '' },
    name: labeled.containerName,
    state,
    createdAt: int64(status.createdAt),
    startedAt: state === 'created' ? 0n : int64(status.startedAt),
    finishedAt: exited ? int64(status.finishedAt) : 0n,
    exitCode: exited ? (status.exitCode ?? 0) : 0,
    image: status.image?.image ?? '',
    imageID: status.imageId || (status.imageRef ?? ''),
    imageRef: status.imageRef ?? '',
    hash: annotated.hash,
    restartCount: annotated.restartCount,
    reason: exited ? (status.reason ?? '') : '',
    message: exited ? (status.message ?? '') : '',
    ...(resources ? { resources } : {}),
    ...(status.user
      ? {
          user: linux
            ? {
                linux: {
                  uid: Number(linux.uid ?? 0),
                  gid: Number(linux.gid ?? 0),
                  ...(groups ? { supplementalGroups: groups.map(Number) } : {}),
                },
              }
            : {},
        }
      : {}),
    ...(status.mounts ? { mounts: status.mounts } : {}),
  };
}
