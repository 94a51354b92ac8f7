/** The run as the printers take it. */

import type { NodeObjects, SessionInfo } from '@syncloop/core/debug';
import {
  type AnyObject,
  containerNames,
  crictlContainers,
  crictlSandboxes,
  fieldPaths,
  type Known,
  type NodeLine,
  type PodSchema,
  podsOf,
  type World,
} from '@syncloop/core/kubectl';
import type { NodeState, RecordOf } from '@syncloop/core/trace';
import { folded } from '../../run/folded.js';

/** The version of Kubernetes that the commands report. */
const VERSION = 'v1.36.0';

export interface Moment {
  readonly state: NodeState;
  /** Micros since the run's start. */
  readonly time: number;
  readonly info: Pick<SessionInfo, 'node' | 'epochMillis' | 'runtime'> | null;
}

export function worldOf(
  { state, time, info }: Moment,
  objects: NodeObjects,
  events: readonly RecordOf<'kube-event'>[],
): World {
  const epoch = info?.epochMillis ?? 0;
  const node = info?.node ?? 'node1';
  return {
    now: epoch + time / 1000,
    time,
    pods: podsOf(state, node, objects.pods),
    events: folded(events),
    nodes: [nodeLine(state, node, info?.runtime ?? '', epoch)],
  };
}

/**
 * Returns the node's line: the kubelet reports Ready when its runtime and network are. upstream: pkg/kubelet/nodestatus
 * ReadyCondition
 */
function nodeLine(state: NodeState, name: string, runtime: string, created: number): NodeLine {
  const runs = state.processes.kubelet === 'started' || state.loop.phase !== 'off';
  const well = runs && state.runtime.errors.length === 0 && state.runtime.networkError === '';
  const ip = Object.values(state.pods)
    .map((p) => (p.status as { readonly hostIP?: string } | null)?.hostIP)
    .find(Boolean);
  return { name, status: well ? 'Ready' : 'NotReady', version: VERSION, runtime, ip: ip ?? '', created };
}

/** Returns the node's object as far as the records report it; none before the kubelet reported anything. */
export function ownNode({ node }: NodeState, { now, time }: Pick<World, 'now' | 'time'>): readonly AnyObject[] {
  if (node.name === '') return [];
  const at = (t: number) => new Date(now + (t - time) / 1000).toISOString();
  return [
    {
      metadata: { name: node.name },
      status: {
        conditions: Object.values(node.conditions).map(({ since, ...c }) => ({ ...c, lastTransitionTime: at(since) })),
        addresses: node.addresses,
        capacity: node.capacity,
        allocatable: node.allocatable,
      },
    },
  ];
}

/** Returns the names that completion offers. */
export function knownOf(world: World, state: NodeState, manifests: readonly string[], schema: PodSchema | null): Known {
  return {
    pods: world.pods.map((p) => ({
      namespace: p.metadata.namespace,
      name: p.metadata.name,
      containers: containerNames(p),
    })),
    manifests,
    containers: crictlContainers(state, true).map((c) => c.id.slice(0, 13)),
    sandboxes: crictlSandboxes(state).map((s) => s.id.slice(0, 13)),
    fields: (typed) => (schema ? fieldPaths(schema, typed) : []),
  };
}
