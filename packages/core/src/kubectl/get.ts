/** Prints objects as `kubectl get` does. upstream: kubectl pkg/cmd/get, pkg/printers/internalversion */
import type { Pod } from '../api/types.js';
import type { Micros } from '../trace/index.js';
import { humanDuration } from './duration.js';
import type { FoldedEvent } from './events.js';
import { podRow } from './pod-row.js';
import { type eventFields, fieldsOfPod, matches, type Requirement } from './selectors.js';
import { kubectlJson, kubectlYaml } from './yaml-out.js';

/** The objects that the printers print. */
export interface World {
  /** ms since 1970. */
  readonly now: number;
  /** Micros since the run's start, the same moment. */
  readonly time: Micros;
  readonly pods: readonly Pod[];
  readonly events: readonly FoldedEvent[];
  readonly nodes: readonly NodeLine[];
}

export interface NodeLine {
  readonly name: string;
  /** Ready, NotReady. */
  readonly status: string;
  readonly version: string;
  readonly runtime: string;
  readonly ip: string;
  /** ms since 1970. */
  readonly created: number;
}

export type Output = 'table' | 'wide' | 'yaml' | 'json' | 'name';

export interface GetOptions {
  readonly names: readonly string[];
  /** null: all of them. */
  readonly namespace: string | null;
  readonly output: Output;
  readonly labels: readonly Requirement[];
  readonly fields: readonly Requirement[];
  readonly noHeaders: boolean;
  readonly showLabels: boolean;
}

/** Rows of cells, the header first unless it is not wanted. */
export type Table = readonly (readonly string[])[];

/** The pods that are meant, and the names of those that are not there. */
export function selectPods(
  pods: readonly Pod[],
  { names, namespace, labels, fields }: Pick<GetOptions, 'names' | 'namespace' | 'labels' | 'fields'>,
): { readonly found: Pod[]; readonly missing: string[] } {
  const here = pods.filter((p) => namespace === null || p.metadata.namespace === namespace);
  if (names.length > 0) {
    const found = names.flatMap((name) => here.filter((p) => p.metadata.name === name));
    return { found, missing: names.filter((name) => !here.some((p) => p.metadata.name === name)) };
  }
  return {
    found: here.filter((p) => matches(labels, p.metadata.labels ?? {}) && matches(fields, fieldsOfPod(p))),
    missing: [],
  };
}

const podHead = ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'];
const podHeadWide = ['IP', 'NODE', 'NOMINATED NODE', 'READINESS GATES'];

/** Pods as a table. */
export function podTable(
  pods: readonly Pod[],
  now: number,
  { namespace, output, noHeaders, showLabels }: Omit<GetOptions, 'names' | 'labels' | 'fields'>,
): Table {
  const wide = output === 'wide';
  const head = [
    ...(namespace === null ? ['NAMESPACE'] : []),
    ...podHead,
    ...(wide ? podHeadWide : []),
    ...(showLabels ? ['LABELS'] : []),
  ];
  const rows = pods.map((pod) => {
    const r = podRow(pod, now);
    return [
      ...(namespace === null ? [r.namespace] : []),
      ...[r.name, r.ready, r.status, r.restarts, r.age],
      ...(wide ? [r.ip, r.node, r.nominatedNode, r.readinessGates] : []),
      ...(showLabels ? [labelText(pod.metadata.labels)] : []),
    ];
  });
  return noHeaders ? rows : [head, ...rows];
}

const labelText = (labels: Readonly<Record<string, string>> | undefined): string =>
  Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([k, v]) => `${k}=${v}`)
    .join(',') || '<none>';

/** Events that are meant. `names` and labels choose none: an event's own name is nobody's to type. */
export function selectEvents(
  events: readonly FoldedEvent[],
  { namespace, fields }: Pick<GetOptions, 'namespace' | 'fields'>,
): FoldedEvent[] {
  return events.filter((e) => (namespace === null || e.namespace === namespace) && matches(fields, fieldsOfEvent(e)));
}

function fieldsOfEvent(e: FoldedEvent): Record<(typeof eventFields)[number], string> {
  return {
    'metadata.namespace': e.namespace,
    'involvedObject.kind': e.kind,
    'involvedObject.namespace': e.namespace,
    'involvedObject.name': e.name,
    'involvedObject.uid': e.uid,
    'involvedObject.fieldPath': e.fieldPath,
    reason: e.reason,
    source: 'kubelet',
    type: e.type,
  };
}

/** Events as a table. upstream: printEvent */
export function eventTable(
  events: readonly FoldedEvent[],
  { time }: Pick<World, 'time'>,
  { namespace, output, noHeaders }: Pick<GetOptions, 'namespace' | 'output' | 'noHeaders'>,
): Table {
  const wide = output === 'wide';
  const age = (at: Micros) => humanDuration((time - at) / 1000);
  const head = [
    ...(namespace === null ? ['NAMESPACE'] : []),
    ...['LAST SEEN', 'TYPE', 'REASON', 'OBJECT'],
    ...(wide ? ['SUBOBJECT', 'SOURCE', 'MESSAGE', 'FIRST SEEN', 'COUNT'] : ['MESSAGE']),
  ];
  const rows = events.map((e) => [
    ...(namespace === null ? [e.namespace] : []),
    ...[age(e.last), e.type, e.reason, `${e.kind.toLowerCase()}/${e.name}`],
    ...(wide
      ? [e.fieldPath, 'kubelet', e.message.trim(), age(e.first), String(e.count)]
      : [e.message.trim().replace(/\n/g, ' ')]),
  ]);
  return noHeaders ? rows : [head, ...rows];
}

/** upstream: printNode */
export function nodeTable(
  nodes: readonly NodeLine[],
  now: number,
  { output, noHeaders }: Pick<GetOptions, 'output' | 'noHeaders'>,
): Table {
  const wide = output === 'wide';
  const head = [
    ...['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'],
    ...(wide ? ['INTERNAL-IP', 'EXTERNAL-IP', 'CONTAINER-RUNTIME'] : []),
  ];
  const rows = nodes.map((n) => [
    ...[n.name, n.status, '<none>', humanDuration(now - n.created), n.version],
    ...(wide ? [n.ip || '<none>', '<none>', n.runtime] : []),
  ]);
  return noHeaders ? rows : [head, ...rows];
}

/** Objects as -o yaml and json print them: one as itself when it was asked for by name, else as a List. */
export function printObjects(objects: readonly object[], output: 'yaml' | 'json', single: boolean): string {
  const print = output === 'yaml' ? kubectlYaml : kubectlJson;
  const clean = objects.map((o) => ({ apiVersion: 'v1', kind: 'Pod', ...o }));
  if (single && clean.length === 1) return print(clean[0]);
  return print({ apiVersion: 'v1', items: clean, kind: 'List', metadata: { resourceVersion: '' } });
}
