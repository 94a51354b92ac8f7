import { decodeValue } from '../../api/decoder.js';
import { pod } from '../../api/objects/pod.js';
import type { PodSpec } from '../../api/types.js';
import { parseManifest } from '../../api/yaml.js';
import { messageOf } from '../../base/index.js';
import { ScenarioError } from '../document/errors.js';

type UnreadObject = Readonly<Record<string, unknown>>;

// Values from a cluster are read with care: nothing is certain to be there, or of its kind.
export const record = (v: unknown): UnreadObject =>
  typeof v === 'object' && v !== null && !Array.isArray(v) ? (v as UnreadObject) : {};
export const field = (v: unknown, name: string): unknown => {
  const r = record(v);
  return Object.hasOwn(r, name) ? r[name] : undefined;
};
export const items = (v: unknown): readonly unknown[] => (Array.isArray(v) ? v : []);
export const textOf = (v: unknown): string => (typeof v === 'string' ? v : '');
export const numberOf = (v: unknown): number => (typeof v === 'number' && Number.isFinite(v) ? v : 0);

/** The end of a container. */
export interface Termination {
  readonly exitCode: number;
  readonly reason: string;
  readonly message: string;
  /** The time that it ran; 0 if it is not known. */
  readonly seconds: number;
}
export interface ObservedStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly started: boolean;
  readonly restarts: number;
  readonly running: boolean;
  readonly waiting: { readonly reason: string; readonly message: string } | null;
  readonly ended: Termination | null;
  readonly endedBefore: Termination | null;
}
export interface ObservedEvent {
  readonly pod: string;
  /** '' if it is about the pod. */
  readonly container: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
}
export interface ObservedPod {
  /** The name in its manifest, without the node's name that a mirror pod appends. */
  readonly name: string;
  readonly namespace: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** Fields of the spec that nobody here knows. */
  readonly unknown: readonly string[];
  readonly static: boolean;
  readonly phase: string;
  readonly reason: string;
  readonly scheduled: boolean;
  readonly statuses: readonly ObservedStatus[];
  readonly events: readonly ObservedEvent[];
}
export interface ClusterObservation {
  readonly pods: readonly ObservedPod[];
  /** Kinds of objects that were passed over. */
  readonly others: readonly string[];
}

const mostObjects = 10_000;
const mostPods = 50;

/**
 * The pods of a text as kubectl prints them, each with its events: one object, a List, or several documents. Throws a
 * ScenarioError that says what is wrong.
 */
export function readObjects(text: string): ClusterObservation {
  const objects = documents(text).flatMap((value) => {
    const kind = textOf(field(value, 'kind'));
    return kind.endsWith('List') ? items(field(value, 'items')) : [value];
  });
  if (objects.length > mostObjects)
    throw new ScenarioError(`the text has ${objects.length} objects, more than ${mostObjects}; ask kubectl for fewer`);
  const kindOf = (o: unknown) => textOf(field(o, 'kind'));
  const pods = objects.filter((o) => kindOf(o) === 'Pod');
  if (pods.length === 0)
    throw new ScenarioError(
      'there is no Pod in the text; paste what "kubectl get pod NAME -o yaml" prints, or "kubectl get pods,events -o yaml"',
    );
  if (pods.length > mostPods)
    throw new ScenarioError(`the text has ${pods.length} pods, more than ${mostPods}; ask kubectl for fewer`);
  const events = objects.filter((o) => kindOf(o) === 'Event').flatMap(readEvent);
  const others = new Set(objects.map(kindOf).filter((k) => k !== 'Pod' && k !== 'Event'));
  return { pods: pods.map((p) => readPod(p, events)), others: [...others].map((k) => k.slice(0, 60) || 'object') };
}

function documents(text: string): unknown[] {
  if (text.length > 10 * 1024 * 1024) throw new ScenarioError('the text is too long; at most 10 Mi are read');
  const parts = text.split(/^---(?=\s|$).*$/m).filter((p) => p.trim() !== '');
  return (parts.length > 0 ? parts : ['']).slice(0, mostObjects).map((part) => {
    try {
      return parseManifest(part);
    } catch (error) {
      throw new ScenarioError(`the text cannot be read: ${messageOf(error)}; paste it as kubectl prints it`);
    }
  });
}

function readEvent(value: unknown): (ObservedEvent & { namespace: string })[] {
  const about = record(field(value, 'involvedObject') ?? field(value, 'regarding'));
  if (field(about, 'kind') !== 'Pod') return [];
  const series = numberOf(field(field(value, 'series'), 'count'));
  const count = numberOf(field(value, 'count')) || numberOf(field(value, 'deprecatedCount'));
  return [
    {
      pod: textOf(field(about, 'name')),
      namespace: textOf(field(about, 'namespace')) || 'default',
      container: /^spec\.(?:initContainers|containers)\{([^}]*)\}$/.exec(textOf(field(about, 'fieldPath')))?.[1] ?? '',
      reason: textOf(field(value, 'reason')),
      message: textOf(field(value, 'message')) || textOf(field(value, 'note')),
      count: Math.max(1, series, count),
    },
  ];
}

function readPod(value: unknown, events: readonly (ObservedEvent & { namespace: string })[]): ObservedPod {
  const metadata = record(field(value, 'metadata'));
  const name = textOf(field(metadata, 'name'));
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(name))
    throw new ScenarioError(
      `a pod has the name ${JSON.stringify(name).slice(0, 80)}, which is not a valid name; correct metadata.name`,
    );
  let decoded: { spec?: PodSpec; metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> } };
  try {
    // A status may have anything in it, and is read below.
    const { status: _, ...rest } = record(value);
    decoded = decodeValue(pod, {
      ...rest,
      metadata: { labels: field(metadata, 'labels'), annotations: field(metadata, 'annotations') },
    }) as typeof decoded;
  } catch (error) {
    throw new ScenarioError(`pod "${name}" cannot be read: ${messageOf(error)}; paste it as kubectl prints it`);
  }
  const containers = (decoded.spec?.containers ?? []).filter(Boolean);
  if (!decoded.spec || containers.length === 0)
    throw new ScenarioError(`pod "${name}" has no containers; paste the whole pod, with its spec`);
  const spec = { ...decoded.spec, containers };
  const status = field(value, 'status');
  const namespace = textOf(field(metadata, 'namespace')) || 'default';
  const annotations = decoded.metadata?.annotations ?? {};
  const source = Object.hasOwn(annotations, 'kubernetes.io/config.source')
    ? annotations['kubernetes.io/config.source']
    : 'api';
  const conditions = items(field(status, 'conditions'));
  const isStatic = source !== 'api' && source !== '';
  const suffix = `-${spec.nodeName ?? ''}`;
  return {
    name: isStatic && suffix !== '-' && name.endsWith(suffix) ? name.slice(0, -suffix.length) : name,
    namespace,
    labels: decoded.metadata?.labels ?? {},
    annotations,
    spec,
    unknown: Object.keys(record(field(value, 'spec'))).filter((k) => k !== 'serviceAccount' && !Object.hasOwn(spec, k)),
    static: isStatic,
    phase: textOf(field(status, 'phase')),
    reason: textOf(field(status, 'reason')),
    scheduled: !conditions.some((c) => field(c, 'type') === 'PodScheduled' && field(c, 'status') === 'False'),
    statuses: [...items(field(status, 'initContainerStatuses')), ...items(field(status, 'containerStatuses'))].map(
      readStatus,
    ),
    events: events.filter((e) => e.pod === name && e.namespace === namespace),
  };
}

function readStatus(value: unknown): ObservedStatus {
  const state = field(value, 'state');
  const waiting = field(state, 'waiting');
  return {
    name: textOf(field(value, 'name')),
    ready: field(value, 'ready') === true,
    started: field(value, 'started') === true,
    restarts: Math.max(0, Math.trunc(numberOf(field(value, 'restartCount')))),
    running: field(state, 'running') !== undefined,
    waiting:
      waiting === undefined
        ? null
        : { reason: textOf(field(waiting, 'reason')), message: textOf(field(waiting, 'message')) },
    ended: readEnd(field(state, 'terminated')),
    endedBefore: readEnd(field(field(value, 'lastState'), 'terminated')),
  };
}

function readEnd(value: unknown): Termination | null {
  if (value === undefined || value === null) return null;
  const ran = Date.parse(textOf(field(value, 'finishedAt'))) - Date.parse(textOf(field(value, 'startedAt')));
  return {
    exitCode: Math.min(255, Math.max(0, Math.trunc(numberOf(field(value, 'exitCode'))))),
    reason: textOf(field(value, 'reason')),
    message: textOf(field(value, 'message')),
    seconds: Number.isFinite(ran) && ran > 0 ? Math.round(ran / 1000) : 0,
  };
}
