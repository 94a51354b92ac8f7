/** Causes of what the runtime did, and of the PLEG's learning of it. */
import type { ObservedContainer, RecordOf, Seq } from '../../trace/index.js';
import { type Edge, type Focus, main, shallow, side } from './edge.js';
import type { RecordIndex } from './record-index.js';
import { between, lastBefore } from './seq-lists.js';

const ends: ReadonlySet<string> = new Set(['StopContainer', 'RemoveContainer', 'StopPodSandbox', 'RemovePodSandbox']);
/** An input's effect on a process is there at once or nearly so. */
const atOnce = 1_000_000;
const deadly = /^(kill|killSandbox|oom|oomKill|sandbox)/i;

/** A fact follows from the kubelet's call, or from what the user did to it; else it is the runtime's own, a root. */
export function factEdges(ix: RecordIndex, r: RecordOf<'actual-container' | 'actual-sandbox'>): Edge[] {
  const cause = ix.get(r.cause);
  if (cause?.kind === 'input') return main(r.cause);
  const over = r.state === 'exited' || r.state === 'notready' || r.state === 'removed';
  if (over) {
    const call = endingCall(ix, r.id, r.seq) || (r.kind === 'actual-container' ? endingCall(ix, r.sandbox, r.seq) : 0);
    if (call) return main(call);
  }
  if (cause?.kind === 'cri-call' && ix.inFlight(cause.seq, r.seq)) return main(r.cause);
  if (over) {
    const name = ix.names.podName(r.uid);
    const input = lastBefore(ix.all.of('input'), r.seq, (s) => isDeadly(ix, s, name, r.time), 0, 50);
    if (input) return main(input);
    return [];
  }
  return main(r.cause);
}

function isDeadly(ix: RecordIndex, seq: Seq, podName: string, time: number): boolean {
  const input = ix.as(seq, 'input');
  if (!input || input.time < time - atOnce || !deadly.test(input.verb)) return false;
  const [pod] = input.args;
  return typeof pod === 'string' && pod !== '' && podName.includes(pod);
}

function endingCall(ix: RecordIndex, id: string, seq: Seq): Seq {
  return lastBefore(
    ix.callsOn.of(id),
    seq,
    (s) => ends.has(ix.as(s, 'cri-call')?.method ?? '') && ix.inFlight(s, seq),
    0,
    50,
  );
}

const meant: Readonly<Record<string, readonly string[]>> = {
  running: ['running', 'ready'],
  exited: ['exited', 'notready'],
  'non-existent': ['removed'],
  created: ['created'],
  // PLEG has no state of its own for a container that was created and has not been started.
  unknown: ['created'],
};
const madeBy: Readonly<Record<string, readonly string[]>> = {
  running: ['StartContainer', 'RunPodSandbox'],
  exited: ['StopContainer', 'StopPodSandbox'],
  'non-existent': ['RemoveContainer', 'RemovePodSandbox'],
  created: ['CreateContainer'],
  unknown: ['CreateContainer'],
};

/**
 * Leads from what the PLEG saw to what happened. If a runtime does not report its facts, the kubelet's call is the
 * cause, and what no call asked for is a fact in itself.
 */
export function transitionEdges(ix: RecordIndex, r: RecordOf<'pleg-transition'>): Edge[] {
  const states = meant[r.new] ?? [];
  const fact = lastBefore(ix.factsAbout.of(r.id), r.seq, (s) =>
    // The chain is cut off at a record that is no longer kept.
    states.includes((ix.get(s) as { state?: string } | undefined)?.state ?? states[0] ?? ''),
  );
  // For a kubelet that has just started, everything is new.
  const started = startedBefore(ix, r.seq);
  if (fact && fact < started) return [...main(started), ...shallow(fact), ...side(r.cause)];
  if (fact) return [...main(fact), ...side(r.cause)];
  const methods = madeBy[r.new] ?? [];
  const call = lastBefore(ix.callsOn.of(r.id), r.seq, (s) => methods.includes(ix.as(s, 'cri-call')?.method ?? ''));
  if (call && !ix.facts)
    return [...main(ix.answerTo(call) < r.seq ? ix.answerTo(call) || call : call), ...side(r.cause)];
  // The log of an observed kubelet has reported what it did: that it started the container, or killed it.
  return r.basis ? main(r.cause) : side(r.cause);
}

/** The start of the kubelet that ran then. */
export function startedBefore(ix: RecordIndex, seq: Seq): Seq {
  return lastBefore(ix.all.of('process'), seq, (s) => {
    const p = ix.as(s, 'process');
    return p?.process === 'kubelet' && p.state === 'started';
  });
}

export function plegEventEdges(ix: RecordIndex, r: RecordOf<'pleg-event'>): Edge[] {
  const c = ix.get(r.cause);
  if (c?.kind === 'pleg-transition' || r.data === '') return main(r.cause);
  const seen = lastBefore(ix.of(r.uid, 'pleg-transition'), r.seq, (s) => ix.as(s, 'pleg-transition')?.id === r.data);
  return main(seen || r.cause);
}

/** An entry of the cache goes back to the changes that made the PLEG moment. */
export function cacheEdges(ix: RecordIndex, r: RecordOf<'cache'>, focus: Focus): Edge[] {
  const reconcile = ix.get(r.span)?.span ?? r.span;
  const seen = between(ix.of(r.uid, 'pleg-transition'), reconcile, r.seq).filter((s) => ix.get(s)?.g === r.g);
  if (seen.length === 0) return main(r.cause);
  const nameOf = (s: Seq) => ix.as(s, 'pleg-transition')?.name;
  const first =
    seen.find((s) => focus.container !== undefined && nameOf(s) === focus.container) ??
    seen.findLast((s) => ix.as(s, 'pleg-transition')?.sandbox === false) ??
    (seen.at(-1) as Seq);
  return [...main(first), ...seen.filter((s) => s !== first).flatMap(shallow)];
}

/** The entry of the cache that the sync around `r` works on. */
export function cacheRead(
  ix: RecordIndex,
  r: { readonly seq: Seq; readonly g: number; readonly span: Seq },
  uid: string | undefined,
): Seq {
  const begun = lastBefore(ix.works.of(r.g), r.seq);
  let until = r.seq;
  for (let s = r.span; s > begun; ) {
    const e = ix.as(s, 'enter');
    if (!e) break;
    until = s;
    s = e.span;
  }
  return lastBefore(ix.of(uid, 'cache'), until);
}

/** The entry that a decision read; if it is about one container, the first that had it in the state it was in. */
export function cacheReadEdges(ix: RecordIndex, r: RecordOf<'decision'>): Edge[] {
  const read = cacheRead(ix, r, r.uid);
  const status = r.values.status as { readonly id?: unknown } | null | undefined;
  const id = typeof status?.id === 'string' ? status.id.replace(/^.*:\/\//, '') : undefined;
  return side(id === undefined ? read : sinceWhen(ix, read, r.uid, (c) => c.id === id));
}

/**
 * Returns the first of the consecutive cache entries that show the container in the same state as `read` does; `read`
 * itself if it does not show the container.
 */
export function sinceWhen(
  ix: RecordIndex,
  read: Seq,
  uid: string | undefined,
  wanted: (c: ObservedContainer) => boolean,
): Seq {
  const shown = (seq: Seq) => {
    const c = ix.as(seq, 'cache')?.containers.find(wanted);
    return c && `${c.id} ${c.state}`;
  };
  const now = shown(read);
  if (now === undefined) return read;
  let first = read;
  for (let s = lastBefore(ix.of(uid, 'cache'), read); s > 0 && shown(s) === now; s = lastBefore(ix.of(uid, 'cache'), s))
    first = s;
  return first;
}

/** A pull that fails is between the runtime and the registry. */
export function imageEdges(_ix: RecordIndex, r: RecordOf<'actual-image'>): Edge[] {
  return r.state === 'failed' ? shallow(r.cause) : main(r.cause);
}
