import { getPodCondition } from '../../api/pod/podutil.js';
import { semanticEqual } from '../../api/semantic.js';
import type { ContainerState, Pod, PodCondition, PodStatus, Time } from '../../api/types.js';
import { deepCopy } from '../../base/deep.js';
import { type FeatureConfig, featureEnabled, olderFeatureEnabled } from '../features.js';

/** upstream: pkg/kubelet/types/pod_status.go PodConditionsByKubelet */
const byKubelet: ReadonlySet<string> = new Set([
  'PodScheduled',
  'Ready',
  'Initialized',
  'ContainersReady',
  'PodResizeInProgress',
  'PodResizePending',
]);
/** True for conditions that the kubelet owns. upstream: pkg/kubelet/types/pod_status.go PodConditionByKubelet */
export const podConditionByKubelet = (gates: FeatureConfig, type: string): boolean =>
  byKubelet.has(type) ||
  (type === 'PodReadyToStartContainers' && featureEnabled(gates, 'PodReadyToStartContainersCondition')) ||
  (type === 'PodHasNetwork' && olderFeatureEnabled(gates, 'PodHasNetworkCondition')) ||
  (type === 'AllContainersRestarting' && featureEnabled(gates, 'RestartAllContainersOnContainerExits'));
/** upstream: pkg/kubelet/types/pod_status.go PodConditionSharedByKubelet */
export const podConditionSharedByKubelet = (type: string): boolean => type === 'DisruptionTarget';

/**
 * upstream: pkg/kubelet/container/container_gc.go MaxPodTerminationMessageLogLength, bytes for all containers of a pod
 */
export const maxPodTerminationMessageLogLength = 1024 * 12;

/** A copy that shares nothing. Also drops fields that are undefined. */
export const copyStatus: <T>(status: T) => T = deepCopy;

const toSeconds = (t: Time | null | undefined): Time | null => (t ? t.replace(/\.\d+Z$/, 'Z') : null);

function normalizeState(state: ContainerState, maxBytes: number): void {
  if (state.running) state.running.startedAt = toSeconds(state.running.startedAt);
  const t = state.terminated;
  if (!t) return;
  t.startedAt = toSeconds(t.startedAt);
  t.finishedAt = toSeconds(t.finishedAt);
  if (t.message) t.message = cutBytes(t.message, maxBytes);
}

/** The longest start of `text` that takes at most `max` bytes of UTF-8, in whole characters. */
export function cutBytes(text: string, max: number): string {
  let bytes = 0;
  let end = 0;
  for (const ch of text) {
    const code = ch.codePointAt(0) as number;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (bytes > max) return text.slice(0, end);
    end += ch.length;
  }
  return text;
}

/**
 * Puts a status, in place, into the form in which statuses are compared (fidelity 1:S13).
 * upstream: pkg/kubelet/status/status_manager.go normalizeStatus
 */
export function normalizeStatus(pod: Pod, status: PodStatus): void {
  const { spec } = pod;
  const containers =
    spec.containers.length + (spec.initContainers?.length ?? 0) + (spec.ephemeralContainers?.length ?? 0);
  const maxBytes =
    containers > 0 ? Math.floor(maxPodTerminationMessageLogLength / containers) : maxPodTerminationMessageLogLength;
  if (status.startTime) status.startTime = toSeconds(status.startTime);
  for (const c of status.conditions ?? []) {
    c.lastProbeTime = toSeconds(c.lastProbeTime);
    c.lastTransitionTime = toSeconds(c.lastTransitionTime);
  }
  for (const list of [status.containerStatuses, status.initContainerStatuses, status.ephemeralContainerStatuses])
    for (const c of list ?? []) {
      normalizeState(c.state, maxBytes);
      normalizeState(c.lastState, maxBytes);
    }
  const byName = (a: { name: string }, b: { name: string }): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
  status.containerStatuses?.sort(byName);
  status.ephemeralContainerStatuses?.sort(byName);
  const order = (name: string): number => {
    const i = (spec.initContainers ?? []).findIndex((c) => c.name === name);
    return i < 0 ? Number.MAX_SAFE_INTEGER : i;
  };
  status.initContainerStatuses?.sort((a, b) => order(a.name) - order(b.name));
}

/**
 * The fields of a status that the scheduler and controllers own: the kubelet leaves them as they are, and they are no
 * reason for it to write. upstream: pkg/kubelet/status/status_manager.go mergePodStatus, isPodStatusByKubeletEqual
 */
export const fieldsOfOthers = (s: PodStatus) => ({
  resourceClaimStatuses: s.resourceClaimStatuses,
  extendedResourceClaimStatus: s.extendedResourceClaimStatus,
  nodeAllocatableResourceClaimStatuses: s.nodeAllocatableResourceClaimStatuses,
});

/**
 * Returns true if both, normalised, are equal as far as the kubelet is concerned (fidelity 1:S05).
 * upstream: isPodStatusByKubeletEqual
 */
export function isPodStatusByKubeletEqual(gates: FeatureConfig, old: PodStatus, status: PodStatus): boolean {
  const owned = (s: PodStatus): Map<string, PodCondition> =>
    new Map(
      (s.conditions ?? [])
        .filter((c) => podConditionByKubelet(gates, c.type) || podConditionSharedByKubelet(c.type))
        .map((c) => [c.type, c]),
    );
  const before = owned(old);
  const after = owned(status);
  if (before.size !== after.size) return false;
  for (const [type, c] of after) {
    const o = before.get(type);
    if (!o || o.status !== c.status || (o.message ?? '') !== (c.message ?? '') || (o.reason ?? '') !== (c.reason ?? ''))
      return false;
  }
  const own = (s: PodStatus): PodStatus => ({ ...s, ...fieldsOfOthers({}), conditions: [] });
  return semanticEqual(own(old), own(status));
}

/** Keeps a condition's time of change unless its status moved; `now` otherwise. upstream: updateLastTransitionTime */
export function updateLastTransitionTime(status: PodStatus, old: PodStatus, type: string, now: Time): void {
  const condition = getPodCondition(status, type);
  if (!condition) return;
  const before = getPodCondition(old, type);
  condition.lastTransitionTime =
    before && before.status === condition.status ? (before.lastTransitionTime ?? null) : now;
}

/**
 * Replaces the condition of that type, or adds it.
 * upstream: pkg/kubelet/util/pod utilpod.ReplaceOrAppendPodCondition
 */
export function replaceOrAppendPodCondition(
  conditions: readonly PodCondition[],
  condition: PodCondition,
): PodCondition[] {
  return conditions.some((c) => c.type === condition.type)
    ? conditions.map((c) => (c.type === condition.type ? condition : c))
    : [...conditions, condition];
}

/** Takes the pod's generation out of a status and its conditions, for a kubelet that does not report it. */
export function withoutGeneration(status: PodStatus): void {
  delete status.observedGeneration;
  if (status.conditions)
    status.conditions = status.conditions.map(({ observedGeneration: _, ...condition }) => condition);
}

/** A status with the API's order of fields and without empty ones, as its JSON is written. */
export function inFieldOrder(s: PodStatus): PodStatus {
  const some = <T>(list: T[] | undefined): list is T[] => list !== undefined && list.length > 0;
  const out: { -readonly [K in keyof PodStatus]: PodStatus[K] } = {};
  if (s.observedGeneration) out.observedGeneration = s.observedGeneration;
  if (s.phase) out.phase = s.phase;
  if (some(s.conditions)) out.conditions = s.conditions;
  if (s.message) out.message = s.message;
  if (s.reason) out.reason = s.reason;
  if (s.nominatedNodeName) out.nominatedNodeName = s.nominatedNodeName;
  if (s.hostIP) out.hostIP = s.hostIP;
  if (some(s.hostIPs)) out.hostIPs = s.hostIPs;
  if (s.podIP) out.podIP = s.podIP;
  if (some(s.podIPs)) out.podIPs = s.podIPs;
  if (s.startTime) out.startTime = s.startTime;
  if (some(s.initContainerStatuses)) out.initContainerStatuses = s.initContainerStatuses;
  if (some(s.containerStatuses)) out.containerStatuses = s.containerStatuses;
  if (s.qosClass) out.qosClass = s.qosClass;
  if (some(s.ephemeralContainerStatuses)) out.ephemeralContainerStatuses = s.ephemeralContainerStatuses;
  if (s.resize) out.resize = s.resize;
  if (s.allocatedResources && Object.keys(s.allocatedResources).length > 0)
    out.allocatedResources = s.allocatedResources;
  if (s.resources) out.resources = s.resources;
  return out;
}
