import type { ResourceNumbers } from '../../api/pod/resources.js';
import type { Container, Pod } from '../../api/types.js';
import type { Json } from '../../trace/index.js';
import { type ContainerID, formatContainerID } from '../container/types.js';

/** The reason why a container is killed. upstream: containerKillReason */
export type ContainerKillReason =
  | 'StartupProbe'
  | 'LivenessProbe'
  | 'FailedPostStartHook'
  | 'RestartAllContainers'
  | 'Unknown'
  | '';

/** upstream: containerToKillInfo */
export interface ContainerToKillInfo {
  readonly id: ContainerID;
  readonly container: Container;
  readonly name: string;
  /** The reason for people: text of the Killing event. */
  readonly message: string;
  /** The reason for the choice of the grace period. */
  readonly reason: ContainerKillReason;
}

/** upstream: containerToRemoveInfo */
export interface ContainerToRemoveInfo {
  readonly containerID: ContainerID;
  readonly container: Container;
  /** Killed before it is removed. */
  readonly kill: boolean;
}

/** upstream: containerToUpdateInfo */
export interface ContainerToUpdateInfo {
  readonly container: Container;
  readonly kubeContainerID: ContainerID;
  readonly desired: ResourceNumbers;
  /** Follows what is brought about. */
  readonly current: { -readonly [K in keyof ResourceNumbers]: ResourceNumbers[K] };
}

/** The actions for a pod (fidelity 2:C-01). Lists of what to start hold indexes into the spec. upstream: podActions */
export interface PodActions {
  /** Stop all running containers and the sandbox. */
  killPod: boolean;
  createSandbox: boolean;
  /** Id of the existing sandbox; '' if there is no usable one. */
  sandboxID: string;
  /** Attempt of the sandbox to create. */
  attempt: number;
  initContainersToStart: number[];
  containersToStart: number[];
  ephemeralContainersToStart: number[];
  /** By container ID. */
  readonly containersToKill: Map<string, ContainerToKillInfo>;
  /** Containers to remove for RestartAllContainers; the one that triggered it comes last. */
  containersToReset: ContainerToRemoveInfo[];
  /** Running containers to be resized in place; those that shrink come first. */
  readonly containersToUpdate: Record<'memory' | 'cpu', ContainerToUpdateInfo[]>;
  /** Some container is restarted to be resized. */
  updatePodResources: boolean;
  /** The resources of the pod as a whole have changed. */
  updatePodLevelResources: boolean;
}

/** The plan as the kubelet logs it. Addresses of structs are not real ones. upstream: podActions.String */
export function podActionsText(a: PodActions): string {
  const pointer = '0xc000000000';
  const id = (c: ContainerID) => `{${c.type} ${c.id}}`;
  const kills = [...a.containersToKill.values()]
    .sort((x, y) => (x.id.id < y.id.id ? -1 : 1))
    .map((k) => `${id(k.id)}:{${pointer} ${k.name} ${k.message} ${k.reason}}`);
  const resets = a.containersToReset.map((r) => `{${id(r.containerID)} ${pointer} ${r.kill}}`);
  const list = (l: readonly number[]) => `[${l.join(' ')}]`;
  const numbers = (n: ResourceNumbers) => `{${n.memoryLimit} ${n.memoryRequest} ${n.cpuLimit} ${n.cpuRequest}}`;
  const updates = (['cpu', 'memory'] as const)
    .filter((name) => a.containersToUpdate[name].length > 0)
    .map(
      (name) =>
        `${name}:[${a.containersToUpdate[name].map((u) => `{${pointer} ${id(u.kubeContainerID)} ${numbers(u.desired)} ${pointer}}`).join(' ')}]`,
    );
  // The missing blank before ContainersToUpdate is upstream's.
  return (
    `KillPod: ${a.killPod}, CreateSandbox: ${a.createSandbox}, UpdatePodResources: ${a.updatePodResources}, UpdatePodLevelResources: ${a.updatePodLevelResources}, ` +
    `Attempt: ${a.attempt}, InitContainersToStart: ${list(a.initContainersToStart)}, ContainersToStart: ${list(a.containersToStart)}, ` +
    `EphemeralContainersToStart: ${list(a.ephemeralContainersToStart)},ContainersToUpdate: map[${updates.join(' ')}], ` +
    `ContainersToKill: map[${kills.join(' ')}], ContainersToRemove: [${resets.join(' ')}]`
  );
}

/** The plan for the trace: containers by name instead of index. */
export function podActionsRecord(pod: Pod, a: PodActions): { readonly [key: string]: Json } {
  const names = (of: readonly { name: string }[] | undefined, indexes: readonly number[]) =>
    indexes.map((i) => of?.[i]?.name ?? String(i));
  return {
    killPod: a.killPod,
    createSandbox: a.createSandbox,
    sandboxID: a.sandboxID,
    attempt: a.attempt,
    initContainersToStart: names(pod.spec.initContainers, a.initContainersToStart),
    containersToStart: names(pod.spec.containers, a.containersToStart),
    ephemeralContainersToStart: names(pod.spec.ephemeralContainers, a.ephemeralContainersToStart),
    containersToKill: [...a.containersToKill.values()].map((k) => ({
      id: formatContainerID(k.id),
      name: k.name,
      message: k.message,
      reason: k.reason,
    })),
    containersToReset: a.containersToReset.map((r) => ({
      id: formatContainerID(r.containerID),
      name: r.container.name,
      kill: r.kill,
    })),
    ...(a.containersToUpdate.memory.length + a.containersToUpdate.cpu.length > 0 && {
      containersToUpdate: {
        memory: a.containersToUpdate.memory.map((u) => u.container.name),
        cpu: a.containersToUpdate.cpu.map((u) => u.container.name),
      },
    }),
  };
}
