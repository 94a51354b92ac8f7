/** Causes of the fields of a pod's status. */
import type { RecordOf, Seq } from '../../trace/index.js';
import { type Edge, type Focus, main, shallow, side } from './edge.js';
import { cacheRead, sinceWhen } from './edges-runtime.js';
import type { RecordIndex } from './record-index.js';
import { lastBefore } from './seq-lists.js';
import { valueAt } from './status-path.js';

export function statusEdges(ix: RecordIndex, r: RecordOf<'status'>, focus: Focus): Edge[] {
  const path = focus.uid === r.uid ? (focus.path ?? []) : [];
  const [field, which, part, sub] = path;
  const own = main(r.cause);
  const cache = cacheRead(ix, r, r.uid);
  const readiness =
    ix.as(enclosing(ix, r, 'SetContainerReadiness'), 'enter') !== undefined ||
    ix.as(enclosing(ix, r, 'SetContainerStartup'), 'enter') !== undefined;
  if (field === undefined) return [...own, ...shallow(rule(ix, r, 'getPhase'))];
  // The loop itself writes what a probe found.
  if (readiness) return own;
  const rejected = refusal(ix, r);
  if (rejected) return [...main(rejected), ...shallow(r.cause)];
  if (field === 'phase' || field === 'reason' || field === 'message')
    return [...main(rule(ix, r, 'generateAPIPodStatus') || rule(ix, r, 'getPhase') || r.cause), ...side(r.cause)];
  if (/^(init|ephemeral)?[cC]ontainerStatuses$/.test(field)) {
    const container = nameOf(r, path) ?? focus.container;
    if (part === 'state' || part === undefined) {
      const waiting = valueAt(r.status, [field, which ?? '0', 'state', 'waiting', 'reason']);
      if (typeof waiting === 'string' && (sub === undefined || sub === 'waiting'))
        return [...main(startFailure(ix, r, container, waiting) || r.cause), ...side(r.cause), ...shallow(cache)];
    }
    if (part === 'ready' || part === 'started') {
      const type = part === 'ready' ? 'readiness' : 'startup';
      const result = lastBefore(ix.of(r.uid, 'probe-result'), r.seq, (s) => {
        const p = ix.as(s, 'probe-result');
        return p?.probeType === type && p.container === container;
      });
      if (result > cache) return [...main(result), ...side(r.cause)];
    }
    // The statuses of a container come newest first.
    const since = sinceWhen(ix, cache, r.uid, (c) => c.name === container);
    return [...main(since || r.cause), ...side(r.cause)];
  }
  if (field === 'podIP' || field === 'podIPs') return [...main(cache || r.cause), ...side(r.cause)];
  if (field === 'conditions') {
    const type = conditionType(r, which);
    if (type === 'Ready' || type === 'ContainersReady') {
      const result = lastBefore(
        ix.of(r.uid, 'probe-result'),
        r.seq,
        (s) => ix.as(s, 'probe-result')?.probeType === 'readiness',
      );
      if (result > cache) return [...main(result), ...side(r.cause)];
      return [...main(cache || r.cause), ...side(r.cause)];
    }
    if (type === 'Initialized') return [...main(cache || r.cause), ...side(r.cause)];
    if (type === 'PodReadyToStartContainers') {
      // Set by the callback of a new sandbox; else from what the cache has.
      const work = lastBefore(ix.works.of(r.g), r.seq);
      return work && cache ? [...main(cache), ...side(r.cause)] : own;
    }
  }
  return [...own, ...shallow(cache)];
}

/** The `enter` of a function around a record, 0 if there is none. */
export function enclosing(ix: RecordIndex, r: { readonly span: Seq }, fn: string): Seq {
  for (let s = r.span; s > 0; ) {
    const e = ix.as(s, 'enter');
    if (!e) return 0;
    if (e.fn === fn) return s;
    s = e.span;
  }
  return 0;
}

/** The newest decision by this rule in the sync that wrote the status. */
function rule(ix: RecordIndex, r: RecordOf<'status'>, name: string): Seq {
  const begun = lastBefore(ix.works.of(r.g), r.seq);
  return lastBefore(
    ix.of(r.uid, 'decision'),
    r.seq,
    (s) => ix.as(s, 'decision')?.rule === name && ix.get(s)?.g === r.g,
    begun,
  );
}

/** The handler that refused the pod, if this status says so. */
function refusal(ix: RecordIndex, r: RecordOf<'status'>): Seq {
  if (!/rejected/.test(String(valueAt(r.status, ['message']) ?? ''))) return 0;
  return lastBefore(ix.of(r.uid, 'decision'), r.seq, (s) => {
    const d = ix.as(s, 'decision');
    return d?.rule === 'canAdmitPod' && d.verdict !== 'admit';
  });
}

/** The sync that could not start the container, which is what its waiting reason reports. */
function startFailure(ix: RecordIndex, r: RecordOf<'status'>, container: string | undefined, reason: string): Seq {
  const begun = lastBefore(ix.works.of(r.g), r.seq);
  if (reason === 'ContainerCreating' || reason === 'PodInitializing') return 0;
  const active = lastBefore(ix.of(r.uid, 'backoff'), begun, (s) => {
    const b = ix.as(s, 'backoff');
    return (
      b?.container === container && b?.active === true && (reason === 'CrashLoopBackOff') === (b?.of === 'crash-loop')
    );
  });
  if (active && /BackOff$/.test(reason)) return active;
  const before = lastBefore(ix.of(r.uid, 'work-done'), r.seq, (s) => ix.as(s, 'work-done')?.error !== undefined);
  const work = before && lastBefore(ix.of(r.uid, 'work-start'), before);
  const failed = lastBefore(
    ix.callsFor.of(r.uid),
    before,
    (s) => {
      const answer = ix.as(ix.answerTo(s), 'cri-return');
      return answer?.error !== undefined && answer.seq < before;
    },
    work,
  );
  if (failed) return ix.answerTo(failed);
  return lastBefore(ix.of(r.uid, 'decision'), before, (s) => ix.as(s, 'decision')?.verdict === reason, work) || before;
}

function nameOf(r: RecordOf<'status'>, path: readonly string[]): string | undefined {
  const name = valueAt(r.status, [...path.slice(0, 2), 'name']);
  return typeof name === 'string' ? name : undefined;
}
function conditionType(r: RecordOf<'status'>, which: string | undefined): string | undefined {
  const type = which === undefined ? undefined : valueAt(r.status, ['conditions', which, 'type']);
  return typeof type === 'string' ? type : undefined;
}
