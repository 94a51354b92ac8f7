import { getContainerSpec, isRestartableInitContainer } from '../api/pod/podutil.js';
import type {
  Container,
  ContainerState,
  ContainerStatus,
  Pod,
  ResourceRequirements,
  Time,
  VolumeMount,
} from '../api/types.js';
import { podRef } from '../api/types.js';
import { formatBytes, formatMilli, parseQuantity, quantityMilliValue, resourceOf } from '../base/index.js';
import type { Kernel } from '../kernel/index.js';
import type { Json } from '../trace/index.js';
import { MinShares, minMilliCPULimit } from './cm/helpers.js';
import { findContainerStatusByName, shouldContainerBeRestarted } from './container/helpers.js';
import { formatContainerID, type RuntimePodStatus, type Status } from './container/types.js';
import { changesStatusOnRestart } from './emulation.js';
import { type FeatureConfig, featureEnabled, olderFeatureEnabled } from './features.js';
import { RestartingAllContainers } from './kubelet-pods-phase.js';
import { hasAnyRegularContainerCreated } from './kuberuntime/compute-init-container-actions.js';
import { copyStatus } from './status/normalize.js';
import { ContainerReasonStatusUnknown } from './status/terminate.js';

/** Waiting reasons. upstream: pkg/kubelet/kubelet_pods.go ContainerCreating, PodInitializing */
export const ContainerCreating = 'ContainerCreating';
export const PodInitializing = 'PodInitializing';

/** Last start failures by container. upstream: pkg/kubelet/reason_cache.go */
export interface ReasonSource {
  get(uid: string, containerName: string): { readonly reason: string; readonly message: string } | undefined;
}

export interface ContainerStatusesInput {
  readonly kernel: Kernel;
  readonly reasonCache: ReasonSource;
  readonly pod: Pod;
  readonly podStatus: RuntimePodStatus;
  readonly previous: readonly ContainerStatus[] | undefined;
  readonly containers: readonly Container[];
  readonly isInitContainer: boolean;
  /** A restart of all containers is under way (fidelity 1:K09). */
  readonly podRestarting: boolean;
  readonly config: FeatureConfig;
  /** The pod's runtime handler can mount recursively read-only. */
  readonly supportsRecursiveReadOnly: boolean;
}

/**
 * Returns ns since 1970 as an API time, with its fraction: the status manager cuts it. 0 is 1970, as upstream's
 * time.Unix(0, 0).
 */
export function timeOfNanos(ns: bigint): Time {
  const seconds = ns / 1_000_000_000n;
  const micros = Number((ns % 1_000_000_000n) / 1000n);
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return `${text}${micros ? `.${String(micros).padStart(6, '0').replace(/0+$/, '')}` : ''}Z`;
}

const ended = (exitCode: number, reason: string, message: string): ContainerState => ({
  terminated: {
    exitCode,
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    startedAt: null,
    finishedAt: null,
  },
});

/**
 * The API's statuses of one kind of containers, from what the runtime shows, what was shown before, and why starts
 * failed (fidelity 1:K01 to 1:K09).
 * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).convertToAPIContainerStatuses
 */
export function convertToAPIContainerStatuses(input: ContainerStatusesInput): ContainerStatus[] {
  const { podStatus, containers } = input;
  const old = new Map((input.previous ?? []).map((s) => [s.name, copyStatus(s)]));
  const statuses = new Map<string, ContainerStatus>();
  for (const c of containers) statuses.set(c.name, defaultStatus(input, c, old.get(c.name)));
  for (const c of containers)
    if (!findContainerStatusByName(podStatus, c.name))
      lostContainer(input, statuses.get(c.name) as ContainerStatus, old.get(c.name));

  const newestFirst = [...podStatus.containerStatuses].sort((a, b) =>
    a.createdAt > b.createdAt ? -1 : a.createdAt < b.createdAt ? 1 : 0,
  );
  const seen = new Map<string, number>();
  for (const cs of newestFirst) {
    const n = seen.get(cs.name) ?? 0;
    // The newest is the state, the second newest the last state (fidelity 1:K03).
    if (!statuses.has(cs.name) || n >= 2) continue;
    const status = convertContainerStatus(input, cs, old.get(cs.name));
    if (n === 0) statuses.set(cs.name, status);
    else (statuses.get(cs.name) as ContainerStatus).lastState = status.state;
    seen.set(cs.name, n + 1);
  }
  for (const c of containers) failedToStart(input, c, statuses.get(c.name) as ContainerStatus);

  const list = [...statuses.values()].map(inFieldOrder);
  // A Map keeps the order of the spec, which is that of init containers.
  return input.isInitContainer ? list : list.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** Returns the status of a container before the runtime has anything of it (fidelity 1:K01, 1:K02). */
function defaultStatus(input: ContainerStatusesInput, c: Container, old: ContainerStatus | undefined): ContainerStatus {
  if (old?.state.terminated) return copyStatus(old);
  const mounts = featureEnabled(input.config, 'RecursiveReadOnlyMounts')
    ? (c.volumeMounts ?? []).map((m) => volumeMountStatus(m, input.supportsRecursiveReadOnly))
    : [];
  return {
    name: c.name,
    state: {
      waiting: { reason: (input.pod.spec.initContainers ?? []).length > 0 ? PodInitializing : ContainerCreating },
    },
    lastState: old ? copyStatus(old.lastState) : {},
    ready: false,
    restartCount: old?.restartCount ?? 0,
    image: c.image ?? '',
    imageID: '',
    ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
  };
}

function volumeMountStatus(
  m: VolumeMount,
  supported: boolean,
): { name: string; mountPath: string; readOnly?: true; recursiveReadOnly?: string } {
  const base = { name: m.name, mountPath: m.mountPath };
  if (!m.readOnly) return base;
  const mode = m.recursiveReadOnly ?? 'Disabled';
  return { ...base, readOnly: true, recursiveReadOnly: mode !== 'Disabled' && supported ? 'Enabled' : 'Disabled' };
}

/**
 * Fills in the status of a container that the runtime does not have any more although it was seen before (fidelity
 * 1:K05, 1:K09). Changes `status`.
 */
function lostContainer(input: ContainerStatusesInput, status: ContainerStatus, old: ContainerStatus | undefined): void {
  if (!old) return;
  const decide = (verdict: string, values: { readonly [key: string]: Json }): void => {
    input.kernel.emit({
      kind: 'decision',
      rule: 'convertToAPIContainerStatuses',
      verdict,
      values,
      container: status.name,
      ...podRef(input.pod),
    });
  };
  if (input.podRestarting && !old.state.waiting) {
    const message = 'The container is removed because RestartAllContainers in place';
    status.state = { ...status.state, waiting: { reason: RestartingAllContainers, message } };
    delete status.state.terminated;
    status.lastState = { ...status.lastState, ...ended(137, RestartingAllContainers, message) };
    status.restartCount = old.restartCount + 1;
    decide('restarting all containers', { restartCount: status.restartCount });
    return;
  }
  if (old.state.terminated || !old.state.running || status.lastState.terminated) return;
  status.lastState = {
    ...status.lastState,
    ...ended(
      137,
      ContainerReasonStatusUnknown,
      'The container could not be located when the pod was deleted.  The container used to be Running',
    ),
  };
  if (!input.pod.metadata.deletionTimestamp) status.restartCount++;
  decide('lost: it was running, the runtime has nothing of it', { restartCount: status.restartCount });
}

/** One container of the runtime as the API shows it (fidelity 1:K04). */
function convertContainerStatus(
  input: ContainerStatusesInput,
  cs: Status,
  old: ContainerStatus | undefined,
): ContainerStatus {
  const containerID = formatContainerID(cs.id);
  const restartsAll = featureEnabled(input.config, 'RestartAllContainersOnContainerExits');
  const status: ContainerStatus = {
    name: cs.name,
    state: {},
    lastState: {},
    ready: false,
    restartCount: restartsAll ? Math.max(cs.restartCount, old?.restartCount ?? 0) : cs.restartCount,
    image: cs.image,
    imageID: cs.imageRef,
    containerID,
  };
  if (old) {
    if (old.volumeMounts) status.volumeMounts = old.volumeMounts;
    // Needed if the runtime forgets old containers, as a restart of all makes it do.
    const last =
      old.containerID !== containerID && old.state.terminated ? old.state.terminated : old.lastState.terminated;
    if (last && restartsAll) status.lastState = { terminated: { ...last } };
  }
  switch (cs.state) {
    case 'running':
      status.state = { running: { startedAt: timeOfNanos(cs.startedAt) } };
      if (restartsAll && old?.state.terminated && old.restartCount >= cs.restartCount)
        status.restartCount = old.restartCount + 1;
      // Since the gate ChangeContainerStatusOnKubeletRestart; before, a running container counts as not started here.
      if (old?.started !== undefined && !changesStatusOnRestart(input.config)) status.started = old.started;
      break;
    case 'exited':
      status.state = {
        terminated: {
          exitCode: cs.exitCode,
          ...(cs.reason ? { reason: cs.reason } : {}),
          ...(cs.message ? { message: cs.message } : {}),
          startedAt: timeOfNanos(cs.startedAt),
          finishedAt: timeOfNanos(cs.finishedAt),
          containerID,
        },
      };
      break;
    case 'unknown':
      if (old?.state.running) {
        status.state = ended(
          137,
          input.podRestarting ? RestartingAllContainers : ContainerReasonStatusUnknown,
          'The container could not be located when the pod was terminated',
        );
        status.restartCount = old.restartCount + 1;
        break;
      }
      status.state = { waiting: {} };
      break;
    case 'created':
      status.state = { waiting: {} };
  }
  const { config } = input;
  const spec = getContainerSpec(input.pod, cs.name);
  if (spec && featureEnabled(config, 'InPlacePodVerticalScaling')) {
    status.resources = statusResources(spec, status, cs, old);
    const requests = spec.resources?.requests;
    // In v1.32 a gate of its own; since v1.33 part of this one.
    const allocated = !config.eraFeatures || olderFeatureEnabled(config, 'InPlacePodVerticalScalingAllocatedStatus');
    if (allocated && requests && Object.keys(requests).length > 0) status.allocatedResources = { ...requests };
  }
  if (cs.stopSignal && featureEnabled(config, 'ContainerStopSignals')) status.stopSignal = cs.stopSignal;
  if (cs.user && featureEnabled(config, 'SupplementalGroupsPolicy')) {
    const linux = cs.user.linux;
    status.user = linux
      ? {
          linux: {
            uid: linux.uid,
            gid: linux.gid,
            ...(linux.supplementalGroups?.length ? { supplementalGroups: [...linux.supplementalGroups] } : {}),
          },
        }
      : {};
  }
  return status;
}

/**
 * The actual CPU and memory of a running container, for the resources that it asks for; otherwise its allocation.
 * upstream: convertContainerStatusResources, within convertToAPIContainerStatuses
 */
function statusResources(
  allocated: Container,
  status: ContainerStatus,
  cs: Status,
  old: ContainerStatus | undefined,
): ResourceRequirements {
  const resources = copyStatus(allocated.resources ?? {});
  if (cs.state !== 'running') return resources;
  const actual = cs.resources ?? {};
  const sameRun = old?.state.running !== undefined && old.containerID === status.containerID;
  const set = (kind: 'limits' | 'requests', name: 'cpu' | 'memory', reported: string | undefined) => {
    const list = resources[kind];
    if (!list) return;
    const value = reported ?? (sameRun ? old?.resources?.[kind]?.[name] : undefined);
    // Equal amounts stay as they are written.
    if (value !== undefined && !sameAmount(list[name], value)) list[name] = value;
  };
  /** Amounts at or below the effective minimum stay as allocated. */
  const cpu = (kind: 'limits' | 'requests', milli: number | undefined, least: number) => {
    const asked = quantityMilliValue(resourceOf(resources[kind], 'cpu'));
    if (milli === undefined) set(kind, 'cpu', undefined);
    else if (milli > least || asked > least) set(kind, 'cpu', formatMilli(milli));
  };
  cpu('limits', actual.cpuLimit, minMilliCPULimit);
  set('limits', 'memory', actual.memoryLimit === undefined ? undefined : formatBytes(actual.memoryLimit));
  cpu('requests', actual.cpuRequest, MinShares);
  set('requests', 'memory', actual.memoryRequest === undefined ? undefined : formatBytes(actual.memoryRequest));
  return resources;
}

const sameAmount = (a: string | undefined, b: string): boolean => {
  try {
    return a !== undefined && parseQuantity(a) === parseQuantity(b);
  } catch {
    return false;
  }
};

/**
 * Sets a container that the next sync would start to waiting, with the reason of its last failed start, if there was
 * one (fidelity 1:K06, 1:K08). Changes `status`.
 */
function failedToStart(input: ContainerStatusesInput, c: Container, status: ContainerStatus): void {
  const { pod, podStatus } = input;
  if (input.isInitContainer) {
    const cs = findContainerStatusByName(podStatus, c.name);
    if (cs?.state === 'exited' && cs.exitCode === 0) return;
    if (
      !cs &&
      hasAnyRegularContainerCreated(pod, podStatus) &&
      !isRestartableInitContainer(c) &&
      status.state.waiting
    ) {
      const message =
        'Unable to get init container status from container runtime and pod has been initialized, treat it as exited normally';
      status.state = ended(0, 'Completed', message);
      return;
    }
  }
  if (!shouldContainerBeRestarted(input.config, c, pod, podStatus).restart) return;
  const reason = input.reasonCache.get(pod.metadata.uid, c.name);
  // Without a reason the present state says more than Waiting would.
  if (!reason) return;
  if (status.state.terminated) status.lastState = status.state;
  status.state = { waiting: { reason: reason.reason, ...(reason.message ? { message: reason.message } : {}) } };
}

/** The API's order of fields; empty ones are left out. */
function inFieldOrder(s: ContainerStatus): ContainerStatus {
  return {
    name: s.name,
    state: s.state,
    lastState: s.lastState,
    ready: s.ready,
    restartCount: s.restartCount,
    image: s.image,
    imageID: s.imageID,
    ...(s.containerID ? { containerID: s.containerID } : {}),
    ...(s.started === undefined ? {} : { started: s.started }),
    ...(s.allocatedResources ? { allocatedResources: s.allocatedResources } : {}),
    ...(s.resources ? { resources: s.resources } : {}),
    ...(s.volumeMounts ? { volumeMounts: s.volumeMounts } : {}),
    ...(s.user ? { user: s.user } : {}),
    ...(s.stopSignal ? { stopSignal: s.stopSignal } : {}),
  };
}
