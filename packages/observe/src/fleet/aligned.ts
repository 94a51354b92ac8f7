import { type IncidentKind, workloadOf } from '@syncloop/core/debug/incidents';
import type { FleetIncident, FleetNode } from './types.js';

/** An incident's root, or something grave that followed from it, at a time of the API server's clock. */
export interface Sign {
  readonly node: FleetNode;
  /** Position in the node's incidents. */
  readonly incident: number;
  readonly one: FleetIncident;
  readonly kind: IncidentKind;
  readonly begin: number;
  readonly last: number;
  /** Null: it was still so at the end. */
  readonly end: number | null;
  /** False for a consequence. */
  readonly root: boolean;
  /** `namespace/name` of the workload; '' if it is the node's. */
  readonly workload: string;
}

/** A landing at a time of the API server's clock. */
export interface Landed {
  readonly node: FleetNode;
  readonly pod: string;
  readonly workload: string;
  readonly at: number;
}

/** All nodes on one clock. */
export interface Aligned {
  readonly nodes: readonly FleetNode[];
  readonly signs: readonly Sign[];
  /** In the order of time. */
  readonly landings: readonly Landed[];
  readonly from: number;
  readonly to: number;
}

/** Milliseconds to subtract from a node's times. */
export const aheadOf = (node: FleetNode): number => node.clock?.ahead ?? 0;

/** A pod's workload. A static pod's name ends with its node's. */
export function workloadOn(pod: string, node: string): string {
  const own = node !== '' && pod.endsWith(`-${node}`) ? pod.slice(0, -node.length - 1) : pod;
  return workloadOf(own);
}

const MINUTE = 60_000;
/** Consequences that other nodes may have as roots: a node without its API server may have lost its own. */
const SHARED: ReadonlySet<IncidentKind> = new Set<IncidentKind>(['api-unreachable', 'pressure']);
/** Incidents in which a node evicts pods. */
const EVICTING: ReadonlySet<IncidentKind> = new Set<IncidentKind>(['pressure', 'disk-full', 'eviction']);

/** Puts the incidents and landings of all nodes on the API server's clock. */
export function align(nodes: readonly FleetNode[]): Aligned {
  const signs: Sign[] = [];
  const landings: Landed[] = [];
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const node of nodes) {
    const ahead = aheadOf(node);
    if (node.from !== null) from = Math.min(from, node.from - ahead);
    if (node.to !== null) to = Math.max(to, node.to - ahead);
    node.incidents.forEach((one, incident) => {
      const end = one.end === null ? null : one.end - ahead;
      const workload = one.pod === '' ? '' : workloadOn(one.pod, node.name);
      const common = { node, incident, one, last: one.last - ahead, end };
      signs.push({ ...common, kind: one.kind, begin: one.begin - ahead, root: true, workload });
      for (const { kind, begin } of one.consequences)
        if (SHARED.has(kind) && kind !== one.kind)
          signs.push({ ...common, kind, begin: begin - ahead, root: false, workload: '' });
      // An incident may have several spells, and each pod that goes has its own time.
      for (const { pod, at } of node.evictions)
        if (EVICTING.has(one.kind) && at >= one.begin && at <= (one.end ?? Number.POSITIVE_INFINITY) + MINUTE)
          signs.push({
            ...common,
            kind: 'eviction',
            begin: at - ahead,
            last: at - ahead,
            root: false,
            workload: workloadOn(pod, node.name),
          });
    });
    for (const { pod, at } of node.landings)
      landings.push({ node, pod, workload: workloadOn(pod, node.name), at: at - ahead });
  }
  landings.sort((a, b) => a.at - b.at);
  return { nodes, signs, landings, from, to };
}
