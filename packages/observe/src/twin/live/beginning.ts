/**
 * Begins a twin in the middle of a kubelet's life: what is known of the node is given to it as if it had happened just
 * before, so that the twin is in the state of the real node when the first decision is compared.
 */

import type { Json, Micros, RecordBody, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { items, objectOf, textOf } from '../base/json.js';
import type { LeftOut, TwinText } from '../base/types.js';
import type { Known, KnownPod } from './known.js';

/** The time for the twin's pods to start before the first compared decision, in addition to that of their probes. */
const BEFORE = 10_000_000;
const MOST_BEFORE = 180_000_000;
/** Relists of the PLEG. */
const RELIST = 1_000_000;
/** If nothing has happened to a pod for this long, the state in its list is valid. */
export const QUIET = 2_000_000;
/** Back-offs are forgotten after twice the longest of them. upstream: client-go flowcontrol.Backoff hasExpired */
const FORGOTTEN = 600_000_000;

export interface Beginning {
  /** Both runs are compared from this time on. */
  readonly at: Micros;
  /** The records with which the twin begins; their times and `seq` are before those of all observed records. */
  readonly records: readonly TraceRecord[];
  /** UIDs of pods that are there and that the twin follows. */
  readonly followed: ReadonlySet<string>;
  readonly left: readonly LeftOut[];
  /** Containers that run already: they are as old in the twin as it is. */
  readonly old: ReadonlySet<string>;
  /** Microseconds since 1970 at which the twin starts these. */
  readonly began: number;
}

/** Returns a beginning. `changing`: UIDs of pods to which something happens right after it. */
export function beginningOf(
  known: Known,
  at: Micros,
  epochMicros: number,
  changing: ReadonlySet<string> = new Set(),
): Beginning {
  const pods = [...known.pods.values()].map((one) => ({
    one,
    why: changing.has(one.uid) ? changes : unknown(one, at, epochMicros),
  }));
  const before = Math.min(
    MOST_BEFORE,
    BEFORE + Math.max(0, ...pods.flatMap(({ one, why }) => (why ? [] : untilReady(one)))),
  );
  // The twin's PLEG relists at the same moments as the real one.
  const phase = known.relist ?? at;
  const start = phase - RELIST * Math.ceil((phase - at + before) / RELIST);
  const bodies: { readonly time: Micros; readonly body: RecordBody; readonly from?: TraceRecord }[] = [];
  const add = (time: Micros, body: RecordBody, from?: TraceRecord) =>
    bodies.push({ time, body, ...(from && { from }) });
  for (const source of known.sources.values()) add(start - 2, source, source);
  add(start - 1, { kind: 'process', process: 'kubelet', state: 'running' });
  for (const line of known.startLines) add(start - 1, line, line);
  add(start, { kind: 'relist', scope: 'global' });
  const followed = new Set<string>();
  const old = new Set<string>();
  const left: LeftOut[] = [];
  const running = start + 3_000_000;
  for (const { one, why } of pods) {
    if (why) {
      left.push({ pod: one.pod, why });
      continue;
    }
    followed.add(one.uid);
    const ref = { pod: one.pod, uid: one.uid };
    add(start + 1000, { kind: 'pod-config', op: 'ADD', source: one.source ?? 'file', pods: [ref] });
    add(start + 1001, { kind: 'pod-list', scope: 'one', pods: [ref], objects: [one.object as Json] });
    for (const { name, id } of containersOf(one)) {
      old.add(id);
      const about = { sandbox: '', uid: one.uid, name, attempt: 0 };
      add(running, { kind: 'actual-container', id, ...about, state: 'running' });
      for (const { probeType, delay, period } of probesOf(one, name))
        for (let time = running + delay; time < at; time += period)
          add(time, { kind: 'probe', ...ref, container: name, probeType, outcome: 'success' } as RecordBody);
    }
    if (one.status) add(running + 1, one.status, one.status);
  }
  bodies.sort((a, b) => a.time - b.time);
  const records = bodies.map(
    ({ time, body, from }, i) =>
      ({
        g: 0,
        span: 0,
        cause: 0,
        ...body,
        ...(from?.evidence && { evidence: from.evidence }),
        seq: i - bodies.length,
        time,
      }) as TraceRecord,
  );
  return { at, records, followed, left, old, began: epochMicros + running };
}

/** A record after the beginning: containers that ran before are no older than the twin's. */
export function sinceBeginning(record: TraceRecord, { old, began }: Beginning): TraceRecord {
  if (old.size === 0) return record;
  switch (record.kind) {
    case 'container-event':
      return { ...record, event: younger(record.event, old, began) };
    case 'cri-return':
    case 'runtime-answer':
      return record.response === undefined
        ? record
        : ({ ...record, response: younger(record.response, old, began) } as RecordOf<'cri-return'>);
    default:
      return record;
  }
}

function younger(value: Json, old: ReadonlySet<string>, began: number): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => younger(one as Json, old, began));
  const of = objectOf(value);
  if (typeof of.id === 'string' && old.has(of.id) && of.startedAt !== undefined) {
    const nanos = String(BigInt(Math.round(began)) * 1000n);
    return { ...of, startedAt: nanos, ...(of.createdAt !== undefined && { createdAt: nanos }) } as Json;
  }
  return Object.fromEntries(
    Object.entries(of).map(([key, under]) => [key, under === undefined ? under : younger(under, old, began)]),
  ) as Json;
}

/** Returns when all its probes will have succeeded once, at the latest. */
const untilReady = (one: KnownPod): number[] =>
  containersOf(one).flatMap(({ name }) => probesOf(one, name).map(({ delay, period }) => delay + 2 * period));

interface KnownProbe {
  readonly probeType: 'readiness' | 'liveness' | 'startup';
  readonly delay: Micros;
  readonly period: Micros;
}
function probesOf({ object }: KnownPod, container: string): KnownProbe[] {
  const spec = objectOf(objectOf(object).spec);
  const found = [...items(spec.containers), ...items(spec.initContainers)].find((c) => objectOf(c).name === container);
  return (['readiness', 'liveness', 'startup'] as const).flatMap((probeType) => {
    const probe = objectOf(found)[`${probeType}Probe`];
    if (probe === undefined) return [];
    const { initialDelaySeconds = 0, periodSeconds = 10 } = objectOf(probe);
    return [{ probeType, delay: Number(initialDelaySeconds) * 1e6, period: Math.max(1, Number(periodSeconds)) * 1e6 }];
  });
}

interface Running {
  readonly name: string;
  readonly id: string;
}

/** Returns its running containers from its list. */
export function containersOf({ object }: KnownPod): Running[] {
  const status = objectOf(objectOf(object).status);
  return [...items(status.initContainerStatuses), ...items(status.containerStatuses)].flatMap((one) => {
    const { name, containerID, state } = objectOf(one);
    if (!objectOf(state).running) return [];
    return [{ name: textOf(name), id: textOf(containerID).replace(/^[\w.-]+:\/\//, '') }];
  });
}

const changes: TwinText = { en: 'it is changing', zh: '它正在变化' };

/** Returns the reason why a pod's state is not known well enough to begin with it; null if it is. */
function unknown(one: KnownPod, at: Micros, epochMicros: number): TwinText | null {
  if (one.object === null) return { en: 'no source reports its specification', zh: '没有来源说明其规约' };
  if (one.touched > one.listed || at - one.touched < QUIET) return changes;
  const pod = objectOf(one.object);
  const status = objectOf(pod.status);
  if (objectOf(pod.metadata).deletionTimestamp !== undefined) return { en: 'it is ending', zh: '它正在结束' };
  if (status.phase !== 'Running')
    return {
      en: `its phase is ${textOf(status.phase) || 'unknown'}`,
      zh: `其阶段为 ${textOf(status.phase) || '未知'}`,
    };
  for (const container of items(status.containerStatuses)) {
    const { name, state, restartCount } = objectOf(container);
    const { running } = objectOf(state);
    if (!running) return { en: `${textOf(name)} does not run`, zh: `${textOf(name)} 没有运行` };
    if (Number(restartCount ?? 0) > 0) {
      const since = Date.parse(textOf(objectOf(running).startedAt)) * 1000 - epochMicros;
      const ago = Number.isNaN(since) || at - since < FORGOTTEN;
      return ago
        ? {
            en: `${textOf(name)} was restarted, so its back-off is unknown`,
            zh: `${textOf(name)} 重启过，因此其退避状态未知`,
          }
        : {
            en: `${textOf(name)} was restarted before, so its restart count does not begin at 0`,
            zh: `${textOf(name)} 以前重启过，重启计数不从 0 开始`,
          };
    }
  }
  return null;
}
