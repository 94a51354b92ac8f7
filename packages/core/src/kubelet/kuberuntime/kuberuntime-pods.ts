import { formatPod, kObj } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import {
  type ContainerEventResponse,
  type Container as CRIContainer,
  int64,
  isNotFound,
  type PodSandbox,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
  sandboxState,
} from '../../cri/index.js';
import type { Kernel } from '../../kernel/index.js';
import { type Context, frame, type Go, Minute } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { fromRuntimeTime } from '../container/helpers.js';
import type { Runtime, RuntimeContainer, RuntimePod, RuntimePodStatus, Status } from '../container/types.js';
import { featureEnabled } from '../features.js';
import {
  containerByCreatedThenID,
  containerStatusByCreated,
  podSandboxByCreatedThenID,
  sandboxToKubeContainer,
  toKubeContainer,
} from './helpers.js';
import type { ContainerStatusDeps } from './kuberuntime-container-status.js';
import {
  convertToKubeContainerStatus,
  getContainers,
  getPodContainerStatuses,
  getSandboxes,
  type ListOptions,
} from './kuberuntime-container-status.js';
import { determinePodSandboxIPs } from './kuberuntime-sandbox.js';
import { getContainerInfoFromLabels } from './labels.js';
import type { RuntimeRules } from './rules.js';
import type { RuntimeServiceDeps, RuntimeType } from './types.js';

/** The time after which an equal error of one pod is logged again. upstream: identicalErrorDelay */
const identicalErrorDelay = Minute;

/** The parts of the kubelet that list the runtime's pods. */
interface ListPodsDeps extends Pick<RuntimeServiceDeps, 'runtimeService'>, RuntimeType {
  readonly kernel: Kernel;
  /** The last two, newest first. */
  readonly listings: Listing[];
}

/** The parts of the kubelet that read a pod's status. */
interface PodStatusDeps extends ContainerStatusDeps, RuntimeServiceDeps {
  readonly kernel: Kernel;
  /** The last error logged for each pod, and when: an equal one is not logged again at once. */
  readonly logReduction: Map<string, { message: string; at: Micros }>;
  readonly rules: Pick<RuntimeRules, 'listsForStatus'>;
}

/**
 * ListPodSandbox, then ListContainers, grouped by pod (fidelity 2:U-01).
 * upstream: (*kubeGenericRuntimeManager).getPods
 */
export function* listPods(m: ListPodsDeps, ctx: Context, opts: ListOptions): Go<Map<string, RuntimePod>> {
  // The time before listing: changes during the list count as unseen.
  const timestamp = m.kernel.now();
  const sandboxes = yield* getSandboxes(m, ctx, opts);
  const containers = yield* getContainers(m, ctx, opts);
  const known = m.listings.find((l) => sameItems(l.sandboxes, sandboxes) && sameItems(l.containers, containers));
  if (known) return new Map(known.pods.map((pod) => [pod.id, { ...pod, timestamp }]));
  const pods = groupPods(m, timestamp, sandboxes, containers);
  m.listings.unshift({ sandboxes, containers, pods: [...pods.values()] });
  m.listings.length = Math.min(m.listings.length, 2);
  return pods;
}

/**
 * The runtime's lists, and the pods that were made of them: a runtime in this program lists the same objects as long as
 * nothing changes.
 */
export interface Listing {
  readonly sandboxes: readonly PodSandbox[];
  readonly containers: readonly CRIContainer[];
  readonly pods: readonly RuntimePod[];
}

const sameItems = (a: readonly object[], b: readonly object[]): boolean => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

function groupPods(
  m: RuntimeType,
  timestamp: number,
  listedSandboxes: readonly PodSandbox[],
  listedContainers: readonly CRIContainer[],
): Map<string, RuntimePod> {
  type Building = { -readonly [K in keyof RuntimePod]: RuntimePod[K] } & {
    containers: RuntimeContainer[];
    sandboxes: RuntimeContainer[];
  };
  const pods = new Map<string, Building>();
  const podOf = (id: string, name: string, namespace: string): Building => {
    const pod = pods.get(id) ?? { id, name, namespace, timestamp, createdAt: 0n, containers: [], sandboxes: [] };
    pods.set(id, pod);
    return pod;
  };
  for (const s of listedSandboxes.toSorted(podSandboxByCreatedThenID)) {
    if (!s.metadata) continue;
    const pod = podOf(s.metadata.uid ?? '', s.metadata.name ?? '', s.metadata.namespace ?? '');
    const converted = sandboxToKubeContainer(m.type(), s);
    if (!converted) continue;
    pod.sandboxes.push(converted);
    // Upstream lets the last one win: the oldest.
    pod.createdAt = converted.createdAt;
  }
  for (const c of listedContainers.toSorted(containerByCreatedThenID)) {
    if (!c.metadata) continue;
    const l = getContainerInfoFromLabels(c.labels);
    const pod = podOf(l.podUID, l.podName, l.podNamespace);
    const converted = toKubeContainer(m.type(), c);
    if (converted) pod.containers.push(converted);
  }
  return pods;
}

/**
 * Reads a pod's status: PodSandboxStatus of each sandbox, ContainerStatus of each container (fidelity 2:U-02, 2:U-03).
 * upstream: pkg/kubelet/kuberuntime/kuberuntime_manager.go (*kubeGenericRuntimeManager).GetPodStatus
 */
export function* getPodStatus(
  m: PodStatusDeps,
  ctx: Context,
  pod: Parameters<Runtime['getPodStatus']>[1],
): Go<RuntimePodStatus> {
  const { id, name, namespace } = pod;
  const fullName = formatPod({ metadata: { name, namespace, uid: id } });
  return yield* frame('GetPodStatus', { pod: kObj({ metadata: pod }), uid: id }, () =>
    readPodStatus(m, ctx, pod, fullName),
  );
}

function* readPodStatus(
  m: PodStatusDeps,
  ctx: Context,
  pod: Parameters<Runtime['getPodStatus']>[1],
  podFullName: string,
): Go<RuntimePodStatus> {
  const log = m.log.manager.withValues({ pod: podFullName });
  const { id, name, namespace } = pod;
  const { listsForStatus } = m.rules;
  const sandboxes = listsForStatus ? yield* sandboxesOf(m, ctx, id) : (pod.sandboxes ?? []);
  if (listsForStatus)
    m.log.manager.info(4, 'getSandboxIDByPodUID got sandbox IDs for pod', {
      podSandboxID: sandboxes.map((s) => s.id.id),
      pod: kObj({ metadata: pod }),
    });
  let timestamp = pod.timestamp ?? m.kernel.now();
  const evented = featureEnabled(m.config, 'EventedPLEG');
  let statusesOfEvent: Status[] | null = null;
  const sandboxStatuses: PodSandboxStatus[] = [];
  let ips: string[] = [];
  let activePodSandboxID = '';
  for (const [i, sandbox] of sandboxes.entries()) {
    let response: PodSandboxStatusResponse;
    try {
      response = yield* m.runtimeService.podSandboxStatus(ctx, { podSandboxId: sandbox.id.id });
    } catch (err) {
      // The sandbox was removed after it was listed.
      if (isNotFound(err)) continue;
      log.error(err, 'PodSandboxStatus of sandbox for pod', { podSandboxID: sandbox.id.id });
      throw err;
    }
    const { status } = response;
    if (!status) throw new Error('pod sandbox status is nil');
    sandboxStatuses.push(status);
    if (i === 0 && sandboxState(status) === 'SANDBOX_READY') {
      ips = determinePodSandboxIPs(m, kObj({ metadata: { name, namespace } }), status);
      activePodSandboxID = sandbox.id.id;
    }
    if (i === 0 && evented) {
      if (response.timestamp === undefined) log.info(4, 'Runtime does not set pod status timestamp');
      else {
        // The event has all containers at that time and does not say which belong to this sandbox.
        timestamp = fromRuntimeTime(m.kernel, int64(response.timestamp));
        statusesOfEvent = [];
        for (const c of response.containersStatuses ?? [])
          statusesOfEvent.push(yield* convertToKubeContainerStatus(m, c));
      }
    }
  }
  try {
    const containers = listsForStatus ? yield* containersOf(m, ctx, id) : (pod.containers ?? []);
    const { statuses, active } =
      statusesOfEvent === null
        ? yield* getPodContainerStatuses(
            m,
            ctx,
            evented && sandboxStatuses.length === 0 ? [] : containers,
            activePodSandboxID,
          )
        : { statuses: statusesOfEvent, active: [] };
    m.logReduction.delete(podFullName);
    return {
      id,
      name,
      namespace,
      ips,
      containerStatuses: statuses,
      activeContainerStatuses: active,
      sandboxStatuses,
      timestamp,
    };
  } catch (err) {
    const last = m.logReduction.get(podFullName);
    const now = m.kernel.now();
    if (last?.message !== messageOf(err) || now - last.at >= identicalErrorDelay) {
      m.logReduction.set(podFullName, { message: messageOf(err), at: now });
      log.error(err, 'getPodContainerStatuses for pod failed');
    }
    throw err;
  }
}

/** The pod's sandboxes, the newest first. upstream: v1.32 getSandboxIDByPodUID */
function* sandboxesOf(m: PodStatusDeps, ctx: Context, podUID: string): Go<RuntimeContainer[]> {
  const listed = (yield* getSandboxes(m, ctx, { podUID })).toSorted(podSandboxByCreatedThenID);
  return listed.flatMap((s) => sandboxToKubeContainer(m.type(), s) ?? []);
}

/** upstream: v1.32 within getPodContainerStatuses */
function* containersOf(m: PodStatusDeps, ctx: Context, podUID: string): Go<RuntimeContainer[]> {
  const listed = yield* getContainers(m, ctx, { podUID });
  return listed.flatMap((c) => toKubeContainer(m.type(), c) ?? []);
}

/**
 * The pod's status from a runtime event, which does not say which containers belong to this sandbox (fidelity 1:P16).
 * upstream: (*kubeGenericRuntimeManager).GeneratePodStatus
 */
export function* generatePodStatus(
  m: ContainerStatusDeps & Pick<RuntimeServiceDeps, 'log'>,
  event: ContainerEventResponse,
): Go<RuntimePodStatus> {
  const sandbox = event.podSandboxStatus ?? {};
  const { uid = '', name = '', namespace = '' } = sandbox.metadata ?? {};
  const containerStatuses: Status[] = [];
  for (const c of event.containersStatuses ?? []) containerStatuses.push(yield* convertToKubeContainerStatus(m, c));
  return {
    id: uid,
    name,
    namespace,
    ips: determinePodSandboxIPs(m, `${namespace}/${name}`, sandbox),
    containerStatuses: containerStatuses.sort(containerStatusByCreated),
    activeContainerStatuses: [],
    sandboxStatuses: [sandbox],
    timestamp: 0,
  };
}
