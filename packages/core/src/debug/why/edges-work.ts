/** Workers: what updates they got, when, and why they begin. */
import type { RecordOf, Seq } from '../../trace/index.js';
import { type Edge, main, shallow, side } from './edge.js';
import type { RecordIndex } from './record-index.js';
import { lastBefore } from './seq-lists.js';

/** A worker begins on the update that came last, whichever of them woke it; without one, on what it found itself. */
export function workStartEdges(ix: RecordIndex, r: RecordOf<'work-start'>): Edge[] {
  const update = lastBefore(ix.of(r.uid, 'pod-update'), r.seq, (s) => ix.as(s, 'pod-update')?.dropped === undefined);
  const before = lastBefore(ix.of(r.uid, 'work-start'), r.seq);
  const allowed = lastBefore(
    ix.of(r.uid, 'decision'),
    r.seq,
    (s) => ix.as(s, 'decision')?.rule === 'allowPodStart',
    Math.max(before, update),
  );
  if (update > before) return [...main(update), ...shallow(allowed)];
  const moved = lastBefore(ix.of(r.uid, 'worker'), r.seq, () => true, before);
  return [...main(moved || r.cause), ...shallow(allowed)];
}

/** An update that ends the pod goes back to what made the worker's state change. */
export function updateEdges(ix: RecordIndex, r: RecordOf<'pod-update'>): Edge[] {
  const here = (s: Seq) => ix.get(s)?.g === r.g;
  const moved = r.span > 0 ? lastBefore(ix.of(r.uid, 'worker'), r.seq, here, r.span) : 0;
  const terminating = ix.as(moved, 'worker')?.state === 'terminating';
  const edges = terminating ? main(moved) : main(r.cause);
  if (r.span > 0)
    edges.push(
      ...shallow(
        lastBefore(
          ix.of(r.uid, 'decision'),
          r.seq,
          (s) => here(s) && ix.as(s, 'decision')?.rule === 'calculateEffectiveGracePeriod',
          r.span,
        ),
      ),
    );
  if (r.updateType === 'create') {
    // Put off while the pod of the same uid was ending.
    const before = ix.as(lastBefore(ix.of(r.uid, 'pod-update'), r.seq), 'pod-update');
    const asked = lastBefore(ix.of(r.uid, 'pod-update'), r.seq, (s) => {
      const u = ix.as(s, 'pod-update');
      return u?.updateType === 'create' && u.dropped !== undefined;
    });
    if (before) edges.push(...side(asked));
  }
  if (r.overwrote) edges.push(...shallow(lastBefore(ix.of(r.uid, 'pod-update'), r.seq)));
  return edges;
}

export function workerEdges(ix: RecordIndex, r: RecordOf<'worker'>): Edge[] {
  // An orphan is one that no source names.
  if (/orphan/.test(r.reason)) {
    const source = lastBefore(
      ix.all.of('source'),
      r.seq,
      (s) => !ix.as(s, 'source')?.pods.some((p) => p.uid === r.uid),
    );
    return [...main(r.cause), ...side(source)];
  }
  if (r.state === 'terminating') {
    const evicted = lastBefore(
      ix.of(r.uid, 'eviction'),
      r.seq,
      (s) => ix.as(s, 'eviction')?.phase === 'evict' && ix.get(s)?.g === r.g,
      ix.get(r.span)?.span,
    );
    if (evicted) return [...main(evicted), ...shallow(r.cause)];
    const begun = lastBefore(ix.works.of(r.g), r.seq);
    // SyncPod said that the pod is over.
    if (begun && ix.as(r.cause, 'work-start')) {
      const rule = lastBefore(
        ix.of(r.uid, 'decision'),
        r.seq,
        (s) => ix.as(s, 'decision')?.rule === 'SyncPod: terminal' && ix.get(s)?.g === r.g,
        begun,
      );
      if (rule) return [...main(rule), ...shallow(r.cause)];
    }
  }
  return main(r.cause);
}

/** Leads from the eviction manager's action to its measurement in the same pass, which is a fact. */
export function evictionEdges(ix: RecordIndex, r: RecordOf<'eviction'>): Edge[] {
  if (r.phase === 'signals') return side(r.cause);
  const after = AFTER[r.phase];
  const before =
    after &&
    lastBefore(
      ix.all.of('eviction'),
      r.seq,
      (s) => ix.as(s, 'eviction')?.phase === after && ix.get(s)?.g === r.g,
      Math.max(r.span, 1),
    );
  return main(before || r.cause);
}
const AFTER: { readonly [phase: string]: RecordOf<'eviction'>['phase'] } = { rank: 'signals', evict: 'rank' };

/** Finds why a pod has to be synced again. */
export function queueEdges(ix: RecordIndex, r: RecordOf<'queue'>): Edge[] {
  const begun = lastBefore(ix.works.of(r.g), r.seq);
  const here = (s: Seq) => ix.get(s)?.g === r.g;
  switch (r.why) {
    case 'resync':
      // The period is the reason; the event that began it is not.
      return shallow(r.cause);
    case 'back-off expires': {
      const active = lastBefore(
        ix.of(r.uid, 'backoff'),
        r.seq,
        (s) => here(s) && ix.as(s, 'backoff')?.active === true,
        begun,
      );
      return [...main(active || failureIn(ix, r, begun) || r.cause), ...shallow(r.cause)];
    }
    case 'sync error':
      return [...main(failureIn(ix, r, begun) || r.cause), ...side(r.cause)];
    case 'network not ready': {
      const state = lastBefore(
        ix.all.of('runtime-state'),
        r.seq,
        (s) => ix.as(s, 'runtime-state')?.networkError !== undefined,
      );
      return [...main(state || r.cause), ...side(r.cause)];
    }
    case 'phase transition': {
      const moved = lastBefore(ix.of(r.uid, 'worker'), r.seq, here, begun);
      return main(moved || r.cause);
    }
    case 'cannot start yet': {
      const rule = lastBefore(ix.of(r.uid, 'decision'), r.seq, (s) => ix.as(s, 'decision')?.rule === 'allowPodStart');
      return main(rule || r.cause);
    }
    default:
      return main(r.cause);
  }
}

/**
 * Finds the failure in a sync: a call that failed, wherever it was made for the pod, or a decision against going on.
 */
export function failureIn(
  ix: RecordIndex,
  r: { readonly seq: Seq; readonly g: number; readonly uid: string },
  begun: Seq,
): Seq {
  const call = lastBefore(ix.failures.of(r.g), r.seq, () => true, begun);
  if (call) return call;
  const other = lastBefore(
    ix.callsFor.of(r.uid),
    r.seq,
    (s) => {
      const answer = ix.as(ix.answerTo(s), 'cri-return');
      return answer?.error !== undefined && answer.seq < r.seq;
    },
    begun,
  );
  if (other) return ix.answerTo(other);
  return lastBefore(
    ix.of(r.uid, 'decision'),
    r.seq,
    (s) =>
      ix.get(s)?.g === r.g &&
      /^(Err|Invalid|ImagePull|RegistryUn|SignatureV)/.test(ix.as(s, 'decision')?.verdict ?? ''),
    begun,
  );
}
