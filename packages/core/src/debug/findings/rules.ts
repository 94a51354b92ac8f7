/** Rules that find failures in records, by kind of record. */
import type { Json, Micros, RecordKind, RecordOf, TraceRecord } from '../../trace/index.js';
import type { FindingCode, Moment } from './types.js';

/** A failure that a rule finds in a record. */
export interface Wrong {
  readonly code: FindingCode;
  readonly pod?: string | undefined;
  readonly uid?: string | undefined;
  readonly container?: string | undefined;
  readonly what?: string | undefined;
  /** Two failures are alike if this is equal, besides code, pod and container; default: `what`. */
  readonly alike?: string;
  readonly took?: Micros | undefined;
  readonly exitCode?: number | undefined;
  /** The container that it is about, by id: each ends once, however many records report it. */
  readonly once?: string;
  /** The moment, if it is not that of the record. */
  readonly at?: Moment;
}

/** The rules' memory of earlier records: by pod, and bounded. */
export interface Before {
  /** Returns a pod's name by its UID. */
  pod(uid: string): string;
  /** Returns true if the pod is on its way out. */
  leaving(uid: string): boolean;
  /** Returns when this container started, if another one of its name did before; null if it is the first, or known. */
  restart(uid: string, container: string, id: string, here: Moment): Moment | null;
  /** The number of earlier starts of the kubelet. */
  readonly starts: number;
  readonly observed: boolean;
  /** Returns true if the end of this container was counted. */
  counted(id: string): boolean;
}

type Rules = { readonly [K in RecordKind]?: (record: RecordOf<K>, before: Before) => Wrong | null | readonly Wrong[] };

const SECOND = 1e6;
/** Times longer than a healthy node needs, by method; calls that wait for others have more. */
const SLOW: Readonly<Record<string, Micros>> = {
  PullImage: 60 * SECOND,
  StopContainer: 35 * SECOND,
  RunPodSandbox: 10 * SECOND,
  StopPodSandbox: 10 * SECOND,
  ExecSync: 10 * SECOND,
};
const SLOW_CALL = 2 * SECOND;
/** A watch and a stream last as long as they last. */
const LASTING = /^(GetContainerEvents|Exec|Attach|PortForward)$/;
const NOT_FOUND = 5;

/** The first words of an error, without what differs each time: ids, times, numbers of pods. */
export const errorKind = (error: string): string =>
  error
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{12,}/g, '…')
    .replace(/\b\d+(\.\d+)?(ns|µs|ms|s|m|h)\b|\b\d+m\d+(\.\d+)?s\b/g, '…')
    .slice(0, 200);

/**
 * Messages that each kubelet logs while it starts. Up to v1.13 they say that the runtime is down and that the PLEG was
 * seen 292 years ago.
 */
export const STARTING = /status check may not have|pleg has yet to|network state unknown|2562047h47m/;
export const NEVER_CHECKED = 'container runtime is down';

/** Reasons of warnings about how the node is set up: they are in the log of a healthy one, too. */
const ADVICE = new Set([
  'MissingClusterDNS',
  'CgroupV1',
  'InvalidDiskCapacity',
  'CheckLimitsForResolvConf',
  'DNSConfigForming',
]);
/** Reasons of kubelet's events that another record tells better, or that are not trouble. */
const REPORTED_ELSEWHERE = new Set(['BackOff', 'Unhealthy', 'FailedSync', 'Evicted']);
const CRASH_LOOP = /CrashLoopBackOff/;
const IMAGE = /ErrImagePull|ImagePullBackOff|ErrImageNeverPull|InvalidImageName|ErrImageInspect/;

const containerIn = (fieldPath: string): string => /\{(.+)\}/.exec(fieldPath)?.[1] ?? '';

/** A container's name as the errors of SyncPod give it. */
const containerOfError = (error: string): string => /for "([^"]+)" with/.exec(error)?.[1] ?? '';

export const rules: Rules = {
  'goroutine-end': (r) => (r.panic ? { code: 'panic', what: r.panic.error } : null),
  deadlock: () => ({ code: 'panic', what: 'deadlock' }),
  process: (r, before) =>
    r.process === 'kubelet' && r.state === 'started' && before.starts > 0 ? { code: 'kubelet-restart' } : null,
  'pleg-transition': (r, before) => (r.sandbox === false ? ended(r, before) : null),
  cache: (r, before) =>
    r.containers.flatMap((c) => (c.state === 'exited' ? (ended({ ...about(r), ...c }, before) ?? []) : [])),
  status: (r, before) =>
    containersOf(r.status).flatMap(({ name, running, ends }) => {
      const start = running === '' ? null : before.restart(r.uid, name, running, r);
      const wrong: Wrong[] = ends.flatMap((end) => ended({ ...about(r), name, ...end }, before) ?? []);
      if (start) wrong.push({ code: 'restart', ...about(r), container: name, once: `restart ${running}`, at: start });
      return wrong;
    }),
  'pleg-event': (r, before) => {
    if (r.dropped) return { code: 'gap', ...about(r), what: 'plegCh' };
    if (r.name !== undefined && r.name !== '') {
      const start = before.restart(r.uid, r.name, r.data, r);
      return start && { code: 'restart', ...about(r), container: r.name, once: `restart ${r.data}`, at: start };
    }
    // Without names a sandbox and a container look alike: only what may be a container of a pod that stays counts.
    return before.observed && r.name === undefined && r.type === 'ContainerDied' && !before.leaving(r.uid)
      ? { code: 'died', ...about(r) }
      : null;
  },
  'actual-container': (r, before) => ended({ ...r, pod: before.pod(r.uid) }, before),
  'actual-image': (r) => (r.state === 'failed' ? { code: 'image', what: r.error ?? r.image } : null),
  'work-done': (r) => {
    const { error } = r;
    if (error === undefined) return null;
    const container = containerOfError(error);
    if (CRASH_LOOP.test(error)) return { code: 'back-off', ...about(r), container, what: error, alike: 'crash-loop' };
    if (IMAGE.test(error)) return { code: 'image', ...about(r), container, what: error, alike: '' };
    return { code: 'sync-failed', ...about(r), container, what: error, alike: errorKind(error) };
  },
  'probe-result': (r) =>
    r.result === 'Failure' ? { code: 'probe-failed', ...about(r), container: r.container, what: r.probeType } : null,
  backoff: (r) =>
    r.active
      ? {
          code: r.of === 'crash-loop' ? 'back-off' : 'image',
          ...about(r),
          container: r.container,
          what: r.of,
          alike: r.of === 'crash-loop' ? 'crash-loop' : '',
          took: r.delay,
        }
      : null,
  volume: (r) => (r.error === undefined ? null : { code: 'volume', ...about(r), what: r.error, alike: r.volume }),
  'cri-return': (r, before) => {
    const pod = r.uid ? { uid: r.uid, pod: before.pod(r.uid) } : {};
    // The kubelet asks for what may be gone: that it is gone is an answer.
    if (r.error && r.error.code !== NOT_FOUND)
      return {
        code: 'call-failed',
        ...pod,
        what: `${r.method}: ${r.error.details}`,
        alike: `${r.method} ${errorKind(r.error.details)}`,
      };
    if ((r.took ?? 0) > (SLOW[r.method] ?? SLOW_CALL) && !LASTING.test(r.method))
      return { code: 'call-slow', what: r.method, took: r.took };
    return null;
  },
  api: (r) =>
    r.phase === 'response' && r.error !== undefined && r.code !== 404
      ? { code: 'api-failed', what: `${r.verb} ${r.resource}: ${r.error}`, alike: `${r.verb} ${r.resource}` }
      : null,
  'runtime-state': (r) => {
    const text = [...r.errors, ...(r.networkError ? [r.networkError] : [])];
    const starts = text.some((t) => STARTING.test(t));
    const real = text.filter((t) => !STARTING.test(t) && !(starts && t === NEVER_CHECKED));
    return real.length > 0 ? { code: 'gate-closed', what: real.join('; ') } : null;
  },
  'node-condition': (r) => {
    const bad = r.status !== (r.type === 'Ready' ? 'True' : 'False');
    if (!bad || STARTING.test(r.message)) return null;
    return { code: 'not-ready', what: `${r.type} ${r.status}: ${r.message}`, alike: r.type };
  },
  'node-status': (r) => (r.op === 'failed' ? { code: 'api-failed', what: r.error ?? '', alike: 'node' } : null),
  'node-lease': (r) => (r.op === 'failed' ? { code: 'api-failed', what: r.error ?? '', alike: 'lease' } : null),
  manager: (r) => (r.state === 'failed' ? { code: 'sync-failed', what: `${r.name}: ${r.detail ?? ''}` } : null),
  eviction: (r) =>
    r.phase === 'evict'
      ? {
          code: 'eviction',
          pod: r.pod ?? '',
          uid: r.uid ?? '',
          what: r.message ?? r.signal ?? '',
          alike: r.signal ?? '',
        }
      : null,
  decision: (r) => {
    const { pod, uid, container, verdict, values } = r;
    if (r.rule === 'canAdmitPod' && verdict !== 'admit') return { code: 'admission', pod, uid, what: verdict };
    // It is killed to be restarted; a container that is killed with its pod ends as intended.
    if (r.rule === 'computePodActions' && verdict === 'kill' && typeof values.message === 'string')
      return { code: 'killed', pod, uid, container, what: values.message, alike: '' };
    return null;
  },
  source: (r) =>
    r.errors && r.errors.length > 0 ? { code: 'warning', what: r.errors[0], alike: `source ${r.source}` } : null,
  'kube-event': (r) => {
    const { object, reason, message } = r;
    const pod = object.kind === 'Pod' ? { pod: `${object.namespace}/${object.name}`, uid: object.uid } : {};
    const container = containerIn(object.fieldPath);
    if (reason === 'Evicted') return null;
    if (reason === 'Killing') return { code: 'killed', ...pod, container, what: message, alike: '' };
    if (/OOM/.test(reason)) return { code: 'oom', ...pod, container, what: message, alike: reason };
    if (r.type !== 'Warning' || REPORTED_ELSEWHERE.has(reason)) return null;
    if (reason === 'Failed' && /image/i.test(message))
      return { code: 'image', ...pod, container, what: message, alike: '' };
    // Such advice is the same for all pods: it does not matter for which pod it was given.
    if (ADVICE.has(reason)) return { code: 'advice', what: `${reason}: ${message}`, alike: reason };
    return { code: 'warning', ...pod, container, what: `${reason}: ${message}`, alike: reason };
  },
  disagreement: (r) => ({ code: 'disagreement', what: r.about }),
  'evidence-gap': (r) => ({ code: 'gap', what: r.why, alike: r.source }),
  gap: (r) => ({ code: 'gap', what: `${r.to - r.from + 1}`, alike: 'records' }),
  log: (r) => {
    if (r.file === '' && /^panic: |^fatal error: /.test(r.msg)) return { code: 'panic', what: r.msg };
    return r.severity === 'E' && !STARTING.test(JSON.stringify(r.kv))
      ? { code: 'error-line', what: errorLine(r), alike: r.msg }
      : null;
  },
};

interface ContainerOfStatus {
  readonly name: string;
  /** Id of the container that runs; '' if none does. */
  readonly running: string;
  readonly ends: readonly { readonly id: string; readonly exitCode: number; readonly reason?: string }[];
}

/** The containers that a pod's status reports; ids without the runtime's name. */
export function containersOf(status: Json): readonly ContainerOfStatus[] {
  const s = objectOf(status);
  const lists = [s.initContainerStatuses, s.containerStatuses, s.ephemeralContainerStatuses];
  return lists.flatMap((list) =>
    (Array.isArray(list) ? (list as readonly Json[]) : []).flatMap((one) => {
      const c = objectOf(one);
      if (typeof c.name !== 'string') return [];
      const ends = [c.lastState, c.state].flatMap((state) => {
        const { containerID, exitCode, reason } = objectOf(objectOf(state).terminated);
        if (typeof containerID !== 'string' || containerID === '' || typeof exitCode !== 'number') return [];
        return [{ id: bareId(containerID), exitCode, ...(typeof reason === 'string' && { reason }) }];
      });
      const runs = objectOf(c.state).running !== undefined && typeof c.containerID === 'string';
      return [{ name: c.name, running: runs ? bareId(c.containerID as string) : '', ends }];
    }),
  );
}
const bareId = (id: string): string => id.replace(/^[a-z-]+:\/\//, '');
const objectOf = (value: Json | undefined): { readonly [key: string]: Json | undefined } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json | undefined })
    : {};

/** Returns the failure in the end of a container; null if its pod is ending, which may give it a code other than 0. */
function ended(
  c: {
    readonly id: string;
    readonly pod: string;
    readonly uid: string;
    readonly name?: string | undefined;
    readonly exitCode?: number | undefined;
    readonly reason?: string | undefined;
  },
  before: Before,
): Wrong | null {
  const { pod, uid, exitCode } = c;
  if (!exitCode || before.leaving(uid)) return null;
  return { code: c.reason === 'OOMKilled' ? 'oom' : 'crash', pod, uid, container: c.name ?? '', exitCode, once: c.id };
}

/** An error of the log that its message and its error name; of printf's lines the text is both. */
function errorLine(r: RecordOf<'log'>): string {
  const { err, error } = r.kv;
  const why = typeof err === 'string' ? err : typeof error === 'string' ? error : '';
  return (why === '' ? r.msg : `${r.msg}: ${why}`).slice(0, 500);
}
const about = ({ pod, uid }: { readonly pod: string; readonly uid: string }) => ({ pod, uid });

/** Returns the failures that a record reports. */
export function wrongIn(record: TraceRecord, before: Before): readonly Wrong[] {
  const rule = rules[record.kind] as
    | ((record: TraceRecord, before: Before) => Wrong | null | readonly Wrong[])
    | undefined;
  const found = rule?.(record, before);
  if (!found) return [];
  return Array.isArray(found) ? found : [found as Wrong];
}
