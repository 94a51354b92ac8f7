/** From a question to the record that it is about. */
import type { RecordOf, Seq, TraceRecord } from '../../trace/index.js';
import type { Edge, Focus } from './edge.js';
import type { RecordIndex } from './record-index.js';
import { lastBefore } from './seq-lists.js';
import { parsePath, valueAt } from './status-path.js';
import { type Text, WhyError, type WhyQuestion, type WhyStore } from './types.js';

export interface Subject {
  readonly record: TraceRecord;
  readonly focus: Focus;
  readonly extra?: readonly Edge[];
}
/** Says why no record in memory answers it. */
export interface Nothing {
  readonly nothing: Text;
}

export function subjectOf(store: WhyStore, ix: RecordIndex, q: WhyQuestion): Subject | Nothing {
  const at = upTo(store, q.at);
  switch (q.about) {
    case 'record':
    case 'cri': {
      const record = held(store, q.seq);
      if (q.about === 'cri' && record.kind !== 'cri-call' && record.kind !== 'cri-return')
        throw new WhyError(`record ${q.seq} is a ${record.kind}, not a cri-call or cri-return`);
      return { record, focus: focusOf(ix, record) };
    }
    case 'field':
      return fieldSubject(ix, podOf(ix, q.uid, at), q.path, at);
    case 'container':
      return containerSubject(ix, podOf(ix, q.uid, at), q.container, q.what, at);
    case 'wait':
      return waitSubject(store, ix, q.goroutine, at);
    case 'worker':
      return workerSubject(ix, podOf(ix, q.uid, at), at);
  }
}

/** The record that a question's `at` means. */
export function upTo(store: WhyStore, at: Seq | undefined): Seq {
  return at === undefined ? store.last : held(store, at).seq;
}

function held(store: WhyStore, seq: Seq): TraceRecord {
  const record = store.get(seq);
  if (record) return record;
  throw new WhyError(
    store.last < store.first
      ? `record ${seq} is not in memory: there are no records yet`
      : `record ${seq} is not in memory, which has ${store.first} to ${store.last}`,
  );
}

export function podOf(ix: RecordIndex, text: string, at: Seq): string {
  const uid = ix.names.findPod(text, at);
  if (uid !== undefined) return uid;
  const known = ix.names.knownPods();
  throw new WhyError(
    `there is no pod "${text}"; ${known.length > 0 ? `known are: ${known.slice(0, 10).join(', ')}` : 'no pod is known yet'}`,
  );
}

/** Returns the subject of a record. */
export function focusOf(ix: RecordIndex, r: TraceRecord): Focus {
  const some = r as { uid?: string; container?: string; id?: string; name?: string; sandbox?: unknown };
  switch (r.kind) {
    case 'cri-call':
    case 'cri-return': {
      const c = some.container === undefined ? undefined : ix.names.container(some.container);
      return { uid: some.uid ?? c?.uid, container: c?.name ?? createdName(r) };
    }
    case 'actual-container':
    case 'pleg-transition':
    case 'pleg-event':
      return { uid: some.uid, container: some.name || undefined };
    case 'enter': {
      const args = r.args as { uid?: string; container?: string; containerID?: string } | undefined;
      const id = typeof args?.containerID === 'string' ? args.containerID.replace(/^.*:\/\//, '') : undefined;
      return {
        uid: args?.uid ?? (id === undefined ? undefined : ix.names.container(id)?.uid),
        container: args?.container,
      };
    }
    default:
      return { uid: some.uid, container: typeof some.container === 'string' ? some.container : undefined };
  }
}
function createdName(r: RecordOf<'cri-call' | 'cri-return'>): string | undefined {
  if (r.kind !== 'cri-call' || r.method !== 'CreateContainer') return undefined;
  const name = (r.request as { config?: { metadata?: { name?: unknown } } } | null)?.config?.metadata?.name;
  return typeof name === 'string' ? name : undefined;
}

/** The first of the statuses in a row that have the field as it is. */
function fieldSubject(ix: RecordIndex, uid: string, text: string, at: Seq): Subject | Nothing {
  const path = parsePath(text);
  const pod = ix.names.podName(uid);
  let found: RecordOf<'status'> | undefined;
  let value: string | undefined;
  for (let s = lastBefore(ix.of(uid, 'status'), at + 1); s > 0; s = lastBefore(ix.of(uid, 'status'), s)) {
    const r = ix.as(s, 'status');
    if (!r) break;
    const v = valueAt(r.status, path);
    const now = v === undefined ? undefined : JSON.stringify(v);
    if (!found) {
      if (now === undefined)
        return {
          nothing: {
            en: `The status of ${pod} has no ${text}; it has ${fields(r)}.`,
            zh: `${pod} 的状态里没有 ${text}；有的是 ${fields(r)}。`,
          },
        };
      value = now;
    } else if (now !== value) break;
    found = r;
  }
  if (!found)
    return {
      nothing: { en: `No record in memory has a status of ${pod}.`, zh: `内存中的记录里没有 ${pod} 的状态。` },
    };
  const list =
    path[0] !== undefined && /ontainerStatuses$/.test(path[0])
      ? valueAt(found.status, [...path.slice(0, 2), 'name'])
      : undefined;
  return { record: found, focus: { uid, path, ...(typeof list === 'string' && { container: list }) } };
}
const fields = (r: RecordOf<'status'>): string => Object.keys(r.status as object).join(', ');

function containerSubject(
  ix: RecordIndex,
  uid: string,
  container: string,
  what: 'start' | 'restart' | 'kill',
  at: Seq,
): Subject | Nothing {
  const instances = ix.names.containers(uid, container).filter((c) => c.seq <= at);
  const names = ix.names.containerNames(uid);
  if (instances.length === 0 && !names.includes(container))
    throw new WhyError(
      `pod ${ix.names.podName(uid)} has had no container "${container}"${names.length > 0 ? `; there are: ${names.join(', ')}` : ' yet'}`,
    );
  const focus = { uid, container };
  const newest = (wanted: (c: { id: string }, i: number) => Seq): Seq =>
    instances.reduce((found, c, i) => Math.max(found, wanted(c, i)), 0);
  const call = (id: string, methods: readonly string[]): Seq =>
    lastBefore(ix.callsOn.of(id), at + 1, (s) => methods.includes(ix.as(s, 'cri-call')?.method ?? ''));
  const seen = (id: string, fact: string, state: string): Seq =>
    lastBefore(ix.factsAbout.of(id), at + 1, (s) => (ix.get(s) as { state?: string } | undefined)?.state === fact) ||
    lastBefore(ix.of(uid, 'pleg-transition'), at + 1, (s) => {
      const t = ix.as(s, 'pleg-transition');
      return t?.id === id && t.new === state;
    });
  const started = (first: number): Seq => {
    const actions = ix.actionsOn(uid, container, 'startContainer');
    const last = lastBefore(actions, at + 1);
    return actions.indexOf(last) >= first ? last : 0;
  };
  let seq: Seq;
  if (what === 'kill')
    seq =
      newest((c) => call(c.id, ['StopContainer'])) ||
      lastBefore(ix.of(uid, 'kill'), at + 1, (s) => ix.as(s, 'kill')?.container === container) ||
      lastBefore(ix.actionsOn(uid, container, 'killContainer'), at + 1) ||
      newest((c) => seen(c.id, 'exited', 'exited'));
  else {
    const first = what === 'restart' ? 1 : 0;
    // If the records begin while the container already exists, its first start may be missing.
    const nth = (c: { id: string }, i: number) => i >= first || attemptOf(ix, c.id) > 0;
    seq =
      newest((c, i) => (nth(c, i) ? call(c.id, ['StartContainer']) : 0)) ||
      started(first) ||
      newest((c, i) => (nth(c, i) ? seen(c.id, 'running', 'running') : 0));
  }
  const record = ix.get(seq);
  if (record) return { record, focus };
  const name = ix.names.podName(uid);
  const en = { start: 'started', restart: 'started again', kill: 'killed' }[what];
  const zh = { start: '启动', restart: '重新启动', kill: '杀死' }[what];
  return {
    nothing: {
      en: `Container ${container} of ${name} has not been ${en} in the records in memory.`,
      zh: `在内存中的记录里，${name} 的容器 ${container} 没有被${zh}过。`,
    },
  };
}

function attemptOf(ix: RecordIndex, id: string): number {
  for (const s of ix.factsAbout.of(id)) {
    const fact = ix.as(s, 'actual-container');
    if (fact) return fact.attempt;
  }
  const call = ix.as(ix.callsOn.of(id)[0] ?? 0, 'cri-call');
  const attempt = (call?.request as { config?: { metadata?: { attempt?: unknown } } } | undefined)?.config?.metadata
    ?.attempt;
  return typeof attempt === 'number' ? attempt : 0;
}

function waitSubject(store: WhyStore, ix: RecordIndex, which: number | string, at: Seq): Subject | Nothing {
  const g = typeof which === 'number' ? which : ix.names.goroutineNamed(which);
  if (g === undefined)
    throw new WhyError(
      `there is no goroutine "${which}"; there are: ${ix.names.goroutineNames().slice(0, 12).join(', ')}`,
    );
  const wait = lastBefore(ix.waits.of(g), at + 1);
  const call = lastBefore(ix.calls.of(g), at + 1, (s) => ix.inFlight(s, at + 1), 0, 1);
  const record = ix.get(Math.max(wait, call));
  if (!record) {
    const name = ix.names.lookup.goroutine(g) || String(g);
    return {
      nothing: {
        en: `Goroutine ${name} waits for nothing in the records ${store.first} to ${at}.`,
        zh: `在记录 ${store.first} 到 ${at} 中，goroutine ${name} 没有等待任何东西。`,
      },
    };
  }
  // A worker that waits for a status waits on a channel of the cache's: the pod's own record says more.
  const asked = record.kind === 'wait' ? ix.as(record.span, 'enter') : undefined;
  const uid = asked?.fn === 'GetNewerThan' ? (asked.args as { uid?: string }).uid : undefined;
  const cacheWait = ix.get(lastBefore(ix.of(uid, 'cache-wait'), record.seq));
  const subject = cacheWait ?? record;
  return { record: subject, focus: focusOf(ix, subject) };
}

function workerSubject(ix: RecordIndex, uid: string, at: Seq): Subject | Nothing {
  const newest = Math.max(
    ...(['work-start', 'work-done', 'cache-wait', 'pod-update', 'worker', 'queue'] as const).map((kind) =>
      lastBefore(ix.of(uid, kind), at + 1),
    ),
  );
  // When it is done it waits for what the queue says; while it works, why it began matters.
  const done = ix.as(newest, 'work-done');
  const seq = done
    ? lastBefore(ix.of(uid, 'queue'), done.seq, () => true, lastBefore(ix.of(uid, 'work-start'), done.seq)) || newest
    : newest;
  const record = ix.get(seq);
  const pod = ix.names.podName(uid);
  return record
    ? { record, focus: { uid } }
    : { nothing: { en: `${pod} has no worker in the records in memory.`, zh: `内存中的记录里，${pod} 没有 worker。` } };
}
