import { effectiveAllocatedResources, podRequests } from '../api/pod/pod-resources.js';
import { allContainersCouldRestart, getPodCondition, isPodPhaseTerminal } from '../api/pod/podutil.js';
import { getPodQOS } from '../api/pod/qos.js';
import { type ContainerStatus, kObj, type Pod, type PodCondition, type PodStatus, podRef } from '../api/types.js';
import { frameSync, type Kernel } from '../kernel/index.js';
import type { Json } from '../trace/index.js';
import { isHostNetworkPod, shouldAllContainersRestart } from './container/helpers.js';
import { effectiveRestartPolicy } from './container/restart-policy.js';
import type { Runtime, RuntimePodStatus } from './container/types.js';
import { isBefore } from './emulation.js';
import { type FeatureConfig, featureEnabled } from './features.js';
import { Logger } from './klog.js';
import { convertToAPIContainerStatuses, type ReasonSource } from './kubelet-pods-container-statuses.js';
import { getPhase } from './kubelet-pods-phase.js';
import type { KubeletParts, PartCondition, PodStatusInput } from './parts/types.js';
import type { ProberManager } from './prober/types.js';
import {
  ConditionReason,
  condition,
  generateAllContainersRestartingCondition,
  generateContainersReadyCondition,
  generatePodInitializedCondition,
  generatePodReadyCondition,
  generatePodReadyToStartContainersCondition,
  hasAnyRegularContainerStarted,
} from './status/generate.js';
import { copyStatus, inFieldOrder, podConditionByKubelet, replaceOrAppendPodCondition } from './status/normalize.js';
import type { PodResizeConditions } from './status/resize-conditions.js';
import type { StatusManager } from './status/types.js';

/** upstream: pkg/kubelet/lifecycle PodSyncHandler */
export interface PodSyncHandler {
  shouldEvict(pod: Pod): { readonly evict: boolean; readonly reason: string; readonly message: string };
}

export interface GenerateAPIPodStatusDeps {
  readonly kernel: Kernel;
  readonly config: FeatureConfig & { readonly emulatedVersion?: string };
  readonly statusManager: Pick<StatusManager, 'getPodStatus'>;
  readonly probeManager: Pick<ProberManager, 'updatePodStatus'>;
  readonly reasonCache: ReasonSource;
  readonly runtime: Pick<Runtime, 'podSandboxChanged'>;
  readonly podSyncHandlers: readonly PodSyncHandler[];
  /** Replaced parts. Default: none. */
  readonly parts?: Pick<KubeletParts, 'podStatus'>;
  /** Returns the addresses of the node, primary first; null (or missing) without an API client (fidelity 1:G13). */
  readonly hostIPs?: () => readonly string[] | null;
  /** Conditions of the pod's resize. Default: there is none. */
  readonly resizeConditions?: Pick<PodResizeConditions, 'list' | 'clearInProgress' | 'clearPending'>;
  /** Returns true if the pod's runtime handler mounts recursively read-only. Default: no. */
  readonly supportsRecursiveReadOnly?: (pod: Pod) => boolean;
  /** Writes the health of allocated devices into the status. Default: there are none. */
  readonly updateAllocatedResourcesStatus?: (pod: Pod, status: PodStatus) => void;
}

/**
 * The pod's status as the API shows it, from what the runtime shows and what was shown before (fidelity 1, sections G
 * and K). Does not store it. `podIsTerminal`: nothing of the pod will start again. Triggers readiness probes of what is
 * not ready yet.
 * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).generateAPIPodStatus
 */
export function generateAPIPodStatus(
  deps: GenerateAPIPodStatusDeps,
  pod: Pod,
  podStatus: RuntimePodStatus,
  podIsTerminal: boolean,
): PodStatus {
  return frameSync(
    'generateAPIPodStatus',
    { ...podRef(pod), podIsTerminal },
    () => generate(deps, pod, podStatus, podIsTerminal),
    (s) => ({ phase: s.phase }),
  );
}

function generate(
  deps: GenerateAPIPodStatusDeps,
  pod: Pod,
  podStatus: RuntimePodStatus,
  podIsTerminal: boolean,
): PodStatus {
  const { kernel } = deps;
  const log = new Logger(kernel, 'kubelet_pods.go');
  log.info(3, 'Generating pod status', { podIsTerminal, pod: kObj(pod) });
  const old = copyStatus(deps.statusManager.getPodStatus(pod.metadata.uid) ?? pod.status);
  const s = convertStatusToAPIStatus(deps, pod, podStatus, old);
  const byPhase = [...(s.containerStatuses ?? []), ...(s.initContainerStatuses ?? [])];
  const isRegular = ({ name }: { readonly name: string }) => pod.spec.containers.some((spec) => spec.name === name);
  // upstream: HasAnyActiveRegularContainerStarted, up to v1.32 HasAnyRegularContainerStarted, before v1.28 neither
  const initialized = !isBefore(deps.config, 33)
    ? podStatus.activeContainerStatuses.some(isRegular)
    : !isBefore(deps.config, 28) && hasAnyRegularContainerStarted(pod.spec, byPhase);
  const part = deps.parts?.podStatus;
  const input = (statuses: readonly ContainerStatus[]): PodStatusInput => ({
    pod,
    statuses,
    podIsTerminal,
    podHasInitialized: initialized,
    wasInitialized: getPodCondition(old, 'Initialized')?.status === 'True',
    policyOf: (container) => effectiveRestartPolicy(deps.config, container, pod.spec),
  });
  s.phase = part ? part(input(byPhase)).phase : getPhase(kernel, deps.config, pod, byPhase, podIsTerminal, initialized);
  log.info(4, 'Got phase for pod', { pod: kObj(pod), oldPhase: old.phase ?? '', phase: s.phase });
  settlePhase(deps, log, pod, old, s);

  deps.probeManager.updatePodStatus(pod, s);
  if (featureEnabled(deps.config, 'ResourceHealthStatus')) deps.updateAllocatedResourcesStatus?.(pod, s);
  s.conditions = conditions(deps, pod, podStatus, old, s, podIsTerminal);
  if (part) {
    // Only now is it known what is ready. A phase that was settled otherwise has conditions that the part cannot know.
    const said = part(input([...(s.containerStatuses ?? []), ...(s.initContainerStatuses ?? [])]));
    if (said.phase === s.phase) s.conditions = s.conditions.map((c) => ofPart(pod, c, said.conditions));
  }
  setHostIPs(deps, pod, s);
  if (isBefore(deps.config, 28)) {
    // Both came with v1.28.
    delete s.hostIPs;
    for (const c of s.initContainerStatuses ?? []) delete c.started;
  }
  return inFieldOrder(s);
}

/**
 * Settles the phase: terminal ones stick, reasons follow the phase, handlers may evict (fidelity 1:G10 to 1:G12).
 * Changes `s`.
 */
function settlePhase(deps: GenerateAPIPodStatusDeps, log: Logger, pod: Pod, old: PodStatus, s: PodStatus): void {
  const keep = (phase: PodStatus['phase'], verdict: string): void => {
    deps.kernel.emit({
      kind: 'decision',
      rule: 'generateAPIPodStatus',
      verdict,
      values: { computed: s.phase ?? '', phase: phase ?? '' },
      ...podRef(pod),
    });
    s.phase = phase;
  };
  if (!isPodPhaseTerminal(s.phase)) {
    if (isPodPhaseTerminal(old.phase)) {
      log.info(4, 'Status manager phase was terminal, updating phase to match', { pod: kObj(pod), phase: old.phase });
      keep(old.phase, 'keeps the terminal phase of the status manager');
    } else if (isPodPhaseTerminal(pod.status.phase)) {
      log.info(4, 'API phase was terminal, updating phase to match', { pod: kObj(pod), phase: pod.status.phase });
      keep(pod.status.phase, 'keeps the terminal phase of the API');
    }
  }
  if (s.phase === old.phase) {
    s.reason = old.reason || pod.status.reason;
    s.message = old.message || pod.status.message;
  }
  for (const handler of deps.podSyncHandlers) {
    const result = handler.shouldEvict(pod);
    if (!result.evict) continue;
    keep('Failed', `evicted: ${result.reason}`);
    s.reason = result.reason;
    s.message = result.message;
    break;
  }
  if (isPodPhaseTerminal(pod.status.phase) && s.phase !== pod.status.phase) {
    log.error(null, 'Pod attempted illegal phase transition', {
      pod: kObj(pod),
      originalStatusPhase: pod.status.phase,
      apiStatusPhase: s.phase,
      apiStatus: s as unknown as Json,
    });
    keep(pod.status.phase, 'illegal phase transition, back to the phase of the API');
  }
}

/** Returns all conditions, in upstream's order (fidelity 1:G05). */
function conditions(
  deps: GenerateAPIPodStatusDeps,
  pod: Pod,
  podStatus: RuntimePodStatus,
  old: PodStatus,
  s: PodStatus,
  podIsTerminal: boolean,
): PodCondition[] {
  let list = (pod.status.conditions ?? []).filter((c) => !podConditionByKubelet(deps.config, c.type));
  list.push(...determinePodResizeStatus(deps, pod, podIsTerminal));
  // Set once at eviction, never computed again.
  const disruption = getPodCondition(old, 'DisruptionTarget');
  if (disruption) list = replaceOrAppendPodCondition(list, disruption);
  if (featureEnabled(deps.config, 'PodReadyToStartContainersCondition'))
    list.push(generatePodReadyToStartContainersCondition(pod, podStatus, deps.runtime));
  const all = [...(s.initContainerStatuses ?? []), ...(s.containerStatuses ?? [])];
  list.push(generatePodInitializedCondition(deps.config, pod, old, all, s.phase));
  list.push(generatePodReadyCondition(pod, list, all, s.phase));
  list.push(generateContainersReadyCondition(pod, all, s.phase));
  list.push(condition(pod, 'PodScheduled', 'True'));
  if (featureEnabled(deps.config, 'RestartAllContainersOnContainerExits') && allContainersCouldRestart(pod.spec))
    list.push(generateAllContainersRestartingCondition(pod, podStatus, old, s.phase));
  return list;
}

/** A condition as a replaced part has it. The part names no containers: the message is ours where the reasons agree. */
function ofPart(pod: Pod, ours: PodCondition, theirs: readonly PartCondition[]): PodCondition {
  const found = theirs.find(({ type }) => type === ours.type);
  if (!found) return ours;
  const agrees = found.status === ours.status && found.reason === (ours.reason ?? '');
  // The part knows nothing of readiness gates.
  const gated = found.status === 'True' && ours.reason === ConditionReason.ReadinessGatesNotReady;
  return agrees || gated ? ours : condition(pod, found.type, found.status, found.reason);
}

/** A pod that has ended has no resize any more. upstream: (*Kubelet).determinePodResizeStatus */
function determinePodResizeStatus(deps: GenerateAPIPodStatusDeps, pod: Pod, podIsTerminal: boolean): PodCondition[] {
  const { resizeConditions } = deps;
  if (!resizeConditions) return [];
  const { uid } = pod.metadata;
  if (!podIsTerminal) return resizeConditions.list(uid);
  resizeConditions.clearInProgress(uid);
  resizeConditions.clearPending(uid);
  return [];
}

/**
 * Sets the host's IPs, only with an API client; a host-network pod has the node's addresses (fidelity 1:G13). Changes
 * `s`.
 */
export function setHostIPs(deps: GenerateAPIPodStatusDeps, pod: Pod, s: PodStatus): void {
  const [first, second] = deps.hostIPs?.() ?? [];
  if (first === undefined) return;
  s.hostIP = first;
  s.hostIPs = [{ ip: first }, ...(second === undefined ? [] : [{ ip: second }])];
  if (!isHostNetworkPod(pod)) return;
  if (!s.podIP) {
    s.podIP = first;
    s.podIPs = [{ ip: first }];
  }
  const only = s.podIPs?.length === 1 ? s.podIPs[0] : undefined;
  if (second !== undefined && only && isIPv6(only.ip) !== isIPv6(second)) s.podIPs = [only, { ip: second }];
}

/** upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).convertStatusToAPIStatus */
export function convertStatusToAPIStatus(
  deps: GenerateAPIPodStatusDeps,
  pod: Pod,
  podStatus: RuntimePodStatus,
  old: PodStatus,
): PodStatus {
  const ips = sortPodIPs(podStatus.ips, deps.hostIPs?.() ?? []);
  const podRestarting =
    featureEnabled(deps.config, 'RestartAllContainersOnContainerExits') &&
    shouldAllContainersRestart(pod, podStatus, old);
  const supportsRecursiveReadOnly = deps.supportsRecursiveReadOnly?.(pod) ?? false;
  const statuses = (
    previous: PodStatus['containerStatuses'],
    containers: Pod['spec']['containers'],
    isInitContainer: boolean,
  ) =>
    convertToAPIContainerStatuses({
      kernel: deps.kernel,
      reasonCache: deps.reasonCache,
      pod,
      podStatus,
      previous,
      containers,
      isInitContainer,
      podRestarting,
      config: deps.config,
      supportsRecursiveReadOnly,
    });
  return {
    ...(ips[0] === undefined ? {} : { podIP: ips[0], podIPs: ips.map((ip) => ({ ip })) }),
    qosClass: getPodQOS(pod),
    containerStatuses: statuses(old.containerStatuses, pod.spec.containers, false),
    initContainerStatuses: statuses(old.initContainerStatuses, pod.spec.initContainers ?? [], true),
    ephemeralContainerStatuses: statuses(old.ephemeralContainerStatuses, pod.spec.ephemeralContainers ?? [], false),
    ...(featureEnabled(deps.config, 'InPlacePodLevelResourcesVerticalScaling') && {
      resources: effectiveAllocatedResources(pod),
      allocatedResources: podRequests(pod),
    }),
  };
}

const isIPv6 = (ip: string): boolean => ip.includes(':');

/**
 * The first address of the node's family, then the first of the other one.
 * upstream: pkg/kubelet/kubelet_pods.go (*Kubelet).sortPodIPs
 */
export function sortPodIPs(podIPs: readonly string[], nodeIPs: readonly string[]): string[] {
  const v6First = nodeIPs[0] !== undefined && isIPv6(nodeIPs[0]);
  const primary = podIPs.find((ip) => isIPv6(ip) === v6First);
  const secondary = podIPs.find((ip) => isIPv6(ip) !== v6First);
  return [primary, secondary].filter((ip) => ip !== undefined);
}
