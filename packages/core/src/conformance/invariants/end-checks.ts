import type { ContainerStatus, Pod } from '../../api/types.js';
import type { ContainerView } from '../../mock/index.js';
import type { SimulatedNode } from '../../scenario/node/node.js';
import { short } from './checker.js';
import type { Facts } from './facts.js';

/** The state that a pod should reach once nothing disturbs it any more. */
export type ExpectedEnd =
  /** All its app containers run. */
  | 'running'
  /** It has Succeeded, and nothing runs. */
  | 'succeeded'
  /** Either; or it comes and goes. But it has begun. */
  | 'any';

/** The differences from the expected end, in words. */
export interface EndProblems {
  readonly problems: string[];
  /**
   * Differences of the kubelet's status from the runtime's; there may be some for a moment, while containers change.
   */
  readonly untrue: string[];
}

/** Returns the differences from the expected end, given what each manifest's pod should be like. */
export function endProblems(
  node: SimulatedNode,
  facts: Facts,
  expected: ReadonlyMap<string, ExpectedEnd>,
): EndProblems {
  const pods = node.pods();
  const { nodeName } = node.config;
  const out: string[] = [];
  const untrue: string[] = [];
  for (const [name, want] of expected) {
    const pod = pods.find((p) => p.metadata.name === `${name}-${nodeName}`);
    if (!pod) out.push(`pod ${name} is wanted, but the kubelet does not have it`);
    else {
      out.push(...asExpected(pod, want, facts));
      untrue.push(...statusTellsTheTruth(node, facts, pod));
    }
  }
  const wanted = new Set(pods.map((p) => p.metadata.uid));
  if (pods.length > expected.size)
    out.push(`the kubelet has pods that no manifest wants: ${pods.map((p) => p.metadata.name).join(', ')}`);
  out.push(...nothingElseRuns(node, wanted));
  return { problems: out, untrue };
}

/** Lists everything that runs without being one of these pods. */
export function nothingElseRuns(node: SimulatedNode, wanted: ReadonlySet<string>): string[] {
  return [
    ...node.mock
      .containers()
      .filter((c) => c.state === 'running' && !wanted.has(c.uid))
      .map((c) => `container ${c.name} of pod ${c.pod} (uid ${short(c.uid)}) runs, although nobody wants it`),
    ...node.mock
      .sandboxes()
      .filter((s) => s.state === 'ready' && !wanted.has(s.uid))
      .map((s) => `sandbox of pod ${s.pod} (uid ${short(s.uid)}) is ready, although nobody wants it`),
  ];
}

function asExpected(pod: Pod, want: ExpectedEnd, facts: Facts): string[] {
  const { phase, containerStatuses = [] } = pod.status;
  const { name } = pod.metadata;
  const is = `it is ${phase ?? 'without phase'}: ${containerStatuses.map(describeStatus).join(', ')}`;
  if (phase === 'Pending' && facts.of(pod.metadata.uid).length === 0 && !takenForEnded(pod, facts))
    return [`pod ${name} never began: ${is}`];
  if (want === 'running' && !(phase === 'Running' && containerStatuses.every((s) => s.state.running)))
    return [`pod ${name} should run, but ${is}`];
  if (want === 'succeeded' && phase !== 'Succeeded') return [`pod ${name} should have succeeded, but ${is}`];
  return [];
}

/**
 * Returns true for a pod that upstream, too, takes for ended. A pod that is terminated before it began has its first
 * init container put down as failed (TerminatePod). One that comes under its uid before that status is forgotten
 * inherits it, and with restartPolicy Never it has failed, too: upstream's convertToAPIContainerStatuses keeps an old
 * status that is terminated.
 */
function takenForEnded(pod: Pod, facts: Facts): boolean {
  return (
    facts.life(pod.metadata.uid) > 0 &&
    (pod.status.initContainerStatuses ?? []).some((s) => s.state.terminated?.reason === 'ContainerStatusUnknown')
  );
}

const describeStatus = (s: ContainerStatus): string =>
  `${s.name} ${s.state.running ? 'running' : s.state.terminated ? `terminated (${s.state.terminated.reason}, ${s.state.terminated.exitCode})` : `waiting (${s.state.waiting?.reason})`}`;

/**
 * Checks that each container runs if, and only if, the status says so. One that an edit took out of the spec has no
 * status, nor one that has a successor: it began when nobody expected it to any more, and goes on until its pod ends. A
 * status that the status manager refused (a container that should never leave its end would) tells nothing.
 */
function statusTellsTheTruth(node: SimulatedNode, facts: Facts, pod: Pod): string[] {
  const { uid, name } = pod.metadata;
  if (facts.refused.has(uid)) return [];
  const running = node.mock.containers().filter((c) => c.uid === uid && c.state === 'running');
  const statuses = [...(pod.status.initContainerStatuses ?? []), ...(pod.status.containerStatuses ?? [])];
  const out: string[] = [];
  for (const s of statuses) {
    const id = s.containerID?.replace(/^.*:\/\//, '');
    if (s.state.running && !running.some((c) => c.id === id))
      out.push(`pod ${name}: the status says that ${s.name} runs, which it does not`);
  }
  const specs = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].map((c) => c.name);
  const succeeded = (c: ContainerView) =>
    facts.containers.get(c.id)?.late && facts.of(uid).some((x) => x.name === c.name && x.attempt > c.attempt);
  for (const c of running)
    if (
      !succeeded(c) &&
      specs.includes(c.name) &&
      !statuses.some((s) => s.state.running && s.containerID?.endsWith(c.id))
    )
      out.push(`pod ${name}: ${c.name} (${short(c.id)}) runs, but the status does not say so`);
  return out;
}
