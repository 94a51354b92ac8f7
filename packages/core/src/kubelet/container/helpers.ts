import { byPolicy, containerIter, findMatchingContainerRestartRule } from '../../api/pod/podutil.js';
import type { PodStatus as APIPodStatus, Container, Pod } from '../../api/types.js';
import { fnv32a, utf8Bytes } from '../../base/index.js';
import { type PodSandboxState, sandboxState } from '../../cri/index.js';
import { epochMicros, type Kernel } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { type FeatureConfig, featureEnabled } from '../features.js';
import { goJSON } from '../util/go-format.js';
import { expandWithin, maxRequestSize, plain, RequestTooLarge } from './expansion.js';
import { containerShouldRestart, effectiveRestartPolicy } from './restart-policy.js';
import type { RunContainerOptions, RuntimeContainer, RuntimePod, RuntimePodStatus, State, Status } from './types.js';

export { getContainerSpec } from '../../api/pod/podutil.js';

/** Longest termination message, bytes. upstream: container.MaxContainerTerminationMessageLength */
export const maxContainerTerminationMessageLength = 4096;
/** upstream: container.MaxContainerTerminationMessageLogLength */
export const maxContainerTerminationMessageLogLength = 2048;
/** upstream: container.MaxContainerTerminationMessageLogLines */
export const maxContainerTerminationMessageLogLines = 80;

/** A runtime's time (ns since 1970) as an instant of the run. */
export const fromRuntimeTime = (kernel: Kernel, ns: bigint): Micros => Number(ns / 1000n) - epochMicros(kernel.clock);

/** The newest status of that name: the list is sorted newest first. upstream: PodStatus.FindContainerStatusByName */
export function findContainerStatusByName(podStatus: RuntimePodStatus, name: string): Status | undefined {
  return podStatus.containerStatuses.find((s) => s.name === name);
}

/** Hashes what makes a container another one: only name and image (fidelity 2:G-05). upstream: HashContainer */
export function hashContainer(container: Container): number {
  // Upstream hashes Go's dump of the JSON's bytes, hence the brackets.
  const json = utf8Bytes(goJSON({ image: container.image ?? '', name: container.name }));
  return fnv32a(utf8Bytes(`([]uint8)[${json.join(' ')}]`));
}

/**
 * Decides whether a container that does not run is to be started: returns the rule that decided, and what it saw
 * (fidelity 2:C-08, 2:R-02, 2:R-03).
 * upstream: ShouldContainerBeRestarted
 */
export function shouldContainerBeRestarted(
  gates: FeatureConfig,
  container: Container,
  pod: Pod,
  podStatus: RuntimePodStatus,
): { restart: boolean; why: string } {
  if (pod.metadata.deletionTimestamp) return { restart: false, why: 'the pod is being deleted' };
  const status = findContainerStatusByName(podStatus, container.name);
  if (!status) return { restart: true, why: 'it has no status: never started, or forgotten' };
  if (status.state === 'running') return { restart: false, why: 'it is running' };
  if (status.state === 'unknown' || status.state === 'created')
    return { restart: true, why: `its state is ${status.state}` };
  const policy = effectiveRestartPolicy(gates, container, pod.spec);
  if (!featureEnabled(gates, 'ContainerRestartRules'))
    return { restart: byPolicy(policy, status.exitCode), why: `it exited ${status.exitCode}, restartPolicy ${policy}` };
  const restart = containerShouldRestart(gates, container, pod.spec, status.exitCode);
  const rule =
    container.restartPolicy !== undefined ? findMatchingContainerRestartRule(container, status.exitCode) : undefined;
  return {
    restart,
    why: `it exited ${status.exitCode}, ${rule ? `its rule ${rule.action}` : `restartPolicy ${policy}`}`,
  };
}

/** upstream: ShouldAllContainersRestart */
export function shouldAllContainersRestart(
  pod: Pod,
  podStatus: RuntimePodStatus | null,
  apiPodStatus: APIPodStatus | null,
): boolean {
  if (apiPodStatus?.conditions?.some((c) => c.type === 'AllContainersRestarting' && c.status === 'True')) return true;
  const apiStatuses = [...(apiPodStatus?.initContainerStatuses ?? []), ...(apiPodStatus?.containerStatuses ?? [])];
  const matches = (c: Container, exitCode: number) =>
    findMatchingContainerRestartRule(c, exitCode)?.action === 'RestartAllContainers';
  for (const c of [...(pod.spec.initContainers ?? []), ...pod.spec.containers]) {
    if (podStatus) {
      const status = findContainerStatusByName(podStatus, c.name);
      if (status?.state !== 'exited') continue;
      if (matches(c, status.exitCode)) return true;
    }
    const terminated = apiStatuses.find((s) => s.name === c.name)?.state.terminated;
    if (terminated && matches(c, terminated.exitCode)) return true;
  }
  return false;
}

/** Returns true if no container of the spec is left in the runtime. upstream: AllContainersRestartCleanedUp */
export function allContainersRestartCleanedUp(pod: Pod, podStatus: RuntimePodStatus): boolean {
  return [...pod.spec.containers, ...(pod.spec.initContainers ?? [])].every(
    (c) => !findContainerStatusByName(podStatus, c.name),
  );
}

/**
 * Returns command and arguments with `$(VAR)` replaced (fidelity 2:G-07); throws RequestTooLarge if they are too long.
 * upstream: ExpandContainerCommandAndArgs
 */
export function expandContainerCommandAndArgs(
  container: Container,
  envs: RunContainerOptions['envs'],
): { command: string[]; args: string[] } {
  const values = new Map(envs.map((e) => [e.name, plain(e.value)]));
  let total = 0;
  const all = (list: readonly string[] | undefined) =>
    (list ?? []).map((s) => {
      const { text, length } = expandWithin(s, (name) => values.get(name), maxRequestSize - total);
      total += length;
      return text ?? '';
    });
  const expanded = { command: all(container.command), args: all(container.args) };
  if (total > maxRequestSize) throw new RequestTooLarge(total);
  return expanded;
}

/** upstream: IsHostNetworkPod */
export const isHostNetworkPod = (pod: Pod): boolean => pod.spec.hostNetwork ?? false;

/** upstream: HasPrivilegedContainer */
export function hasPrivilegedContainer(pod: Pod): boolean {
  for (const [c] of containerIter(pod.spec)) if (c.securityContext?.privileged) return true;
  return false;
}

/** upstream: kubelet/types HasRestartableInitContainer */
export const hasRestartableInitContainer = (pod: Pod | null): boolean =>
  pod?.spec.initContainers?.some((c) => c.restartPolicy === 'Always') ?? false;

/** upstream: SandboxToContainerState */
export const sandboxToContainerState = (s: { state?: PodSandboxState }): State =>
  sandboxState(s) === 'SANDBOX_READY' ? 'running' : 'exited';

/**
 * Returns the running part of a pod's status, with every sandbox whatever its state (fidelity 2:P-03).
 * upstream: ConvertPodStatusToRunningPod
 */
export function convertPodStatusToRunningPod(runtimeName: string, podStatus: RuntimePodStatus): RuntimePod {
  const containers: RuntimeContainer[] = podStatus.containerStatuses
    .filter((s) => s.state === 'running')
    .map(({ id, name, image, imageID, imageRef, hash, state, createdAt }) => ({
      id,
      name,
      image,
      imageID,
      imageRef,
      hash,
      state,
      createdAt,
      podSandboxID: '',
    }));
  const sandboxes: RuntimeContainer[] = podStatus.sandboxStatuses.map((s) => ({
    id: { type: runtimeName, id: s.id ?? '' },
    name: '',
    image: '',
    imageID: '',
    imageRef: '',
    hash: 0,
    state: sandboxToContainerState(s),
    createdAt: BigInt(s.createdAt ?? 0),
    podSandboxID: s.id ?? '',
  }));
  return {
    id: podStatus.id,
    name: podStatus.name,
    namespace: podStatus.namespace,
    timestamp: podStatus.timestamp,
    createdAt: 0n,
    containers,
    sandboxes,
  };
}

/** A pod that only the runtime knows, as far as it can be rebuilt. upstream: (*Pod).ToAPIPod */
export function toAPIPod(pod: RuntimePod): Pod {
  const containers = pod.containers.map((c) => ({ name: c.name, image: c.image }));
  return { metadata: { name: pod.name, namespace: pod.namespace, uid: pod.id }, spec: { containers }, status: {} };
}

/**
 * Returns the ports of one container, each name or equal unnamed port only once (fidelity 2:S-11). `onConflict` is
 * called for the others.
 * upstream: MakePortMappings
 */
export function makePortMappings(
  container: Container,
  onConflict: (portName: string) => void = () => {},
): { hostIP: string; hostPort: number; containerPort: number; protocol: 'TCP' | 'UDP' | 'SCTP' }[] {
  const seen = new Set<string>();
  const out = [];
  for (const p of container.ports ?? []) {
    const protocol = p.protocol ?? 'TCP';
    const hostIP = p.hostIP ?? '';
    const family = hostIP === '' ? 'any' : hostIP.includes(':') ? 'v6' : 'v4';
    const name = p.name || `${family}-${protocol}-${hostIP}:${p.containerPort}:${p.hostPort ?? 0}`;
    if (seen.has(name)) {
      onConflict(name);
      continue;
    }
    seen.add(name);
    out.push({ hostIP, hostPort: p.hostPort ?? 0, containerPort: p.containerPort, protocol });
  }
  return out;
}

/** Start of the field path of a container that no spec names. upstream: container.ImplicitContainerPrefix */
export const implicitContainerPrefix = 'implicitly required container ';

/**
 * Returns the container's path in events: spec.containers{X} and its siblings (fidelity 2:T-14).
 * upstream: container/ref.go fieldPath
 */
export function containerFieldPath(pod: Pod, container: Container): string {
  for (const [c, type] of containerIter(pod.spec))
    if (c.name === container.name) return `spec.${type}s{${container.name}}`;
  return `${implicitContainerPrefix}${container.name}`;
}
