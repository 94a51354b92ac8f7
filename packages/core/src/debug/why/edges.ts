/** From a record to those that it follows from: its own cause, and what it goes back to by way of the data it used. */
import type { RecordKind, RecordOf, Seq, TraceRecord } from '../../trace/index.js';
import { type Edge, type Focus, main, ownCause, shallow, side } from './edge.js';
import {
  actionEdges,
  decisionEdges,
  enterEdges,
  exitEdges,
  killEdges,
  killingReported,
  killOf,
  stopDecision,
} from './edges-actions.js';
import { deciderEdges, partEdges } from './edges-parts.js';
import { cacheEdges, factEdges, imageEdges, plegEventEdges, startedBefore, transitionEdges } from './edges-runtime.js';
import { statusEdges } from './edges-status.js';
import { evictionEdges, queueEdges, updateEdges, workerEdges, workStartEdges } from './edges-work.js';
import type { RecordIndex } from './record-index.js';
import { between, lastBefore } from './seq-lists.js';

type Rule<K extends RecordKind> = (ix: RecordIndex, r: RecordOf<K>, focus: Focus) => Edge[];
const rules: { readonly [K in RecordKind]?: Rule<K> } = {
  input: () => [],
  gap: () => [],
  send: sendEdges,
  wait: waitEdges,
  enter: enterEdges,
  exit: exitEdges,
  'cri-call': criCallEdges,
  'cri-return': criReturnEdges,
  'actual-container': factEdges,
  'actual-sandbox': factEdges,
  'actual-image': imageEdges,
  fault: faultEdges,
  'pleg-transition': transitionEdges,
  'pleg-event': plegEventEdges,
  cache: cacheEdges,
  'cache-wait': cacheWaitEdges,
  decision: decisionEdges,
  backoff: actionEdges,
  kill: killEdges,
  'pod-actions': actionEdges,
  'pod-update': updateEdges,
  worker: workerEdges,
  eviction: evictionEdges,
  'work-start': workStartEdges,
  queue: queueEdges,
  status: statusEdges,
  probe: probeEdges,
  'probe-result': probeResultEdges,
  'kube-event': eventEdges,
  'runtime-state': runtimeStateEdges,
  source: sourceEdges,
  process: processEdges,
  part: partEdges,
  'part-line': partEdges,
  'part-failed': partEdges,
};

/** Returns the edges of a record, which lead to earlier ones; the main one, if there is one, comes first. */
export function edgesOf(ix: RecordIndex, r: TraceRecord, focus: Focus): Edge[] {
  const rule = rules[r.kind] as Rule<RecordKind> | undefined;
  const edges = [...(rule ? rule(ix, r as never, focus) : main(ownCause(ix, r))), ...deciderEdges(ix, r)];
  const seen = new Set<Seq>();
  const out = edges.filter((e) => {
    if (!(e.seq > 0 && e.seq < r.seq) || seen.has(e.seq)) return false;
    seen.add(e.seq);
    return true;
  });
  return out.sort((a, b) => Number(b.main ?? false) - Number(a.main ?? false));
}

/** A tick has no cause but its timer: the record that made the timer's channel is shown, but not followed. */
function sendEdges(ix: RecordIndex, r: RecordOf<'send'>): Edge[] {
  return r.cause > 0 ? main(r.cause) : shallow(ix.names.channelMade(r.chan));
}

function waitEdges(ix: RecordIndex, r: RecordOf<'wait'>): Edge[] {
  const made = (r.on.chans ?? []).length === 1 ? ix.names.channelMade(r.on.chans?.[0] ?? 0) : 0;
  return [...main(ownCause(ix, r)), ...shallow(made)];
}

/** A worker that waits for news of a pod: its last sync and the last cache entry of the pod. */
function cacheWaitEdges(ix: RecordIndex, r: RecordOf<'cache-wait'>): Edge[] {
  return [
    ...main(r.cause),
    ...shallow(lastBefore(ix.of(r.uid, 'work-done'), r.seq)),
    ...shallow(lastBefore(ix.of(r.uid, 'cache'), r.seq)),
  ];
}

function criCallEdges(ix: RecordIndex, r: RecordOf<'cri-call'>): Edge[] {
  const edges = main(ownCause(ix, r));
  if (r.method === 'StopContainer') {
    const kill = killOf(ix, r);
    if (kill) return main(kill);
    edges.push(...shallow(stopDecision(ix, r)));
  }
  if (r.method === 'StartContainer' && r.container) {
    const created = lastBefore(
      ix.callsOn.of(r.container),
      r.seq,
      (s) => ix.as(s, 'cri-call')?.method === 'CreateContainer',
    );
    edges.push(...shallow(created && ix.answerTo(created)));
  }
  if (r.method === 'PullImage')
    edges.push(
      ...side(
        lastBefore(ix.of(r.uid, 'decision'), r.seq, (s) => {
          const rule = ix.as(s, 'decision')?.rule;
          return rule === 'imagePullPrecheck' || rule === 'MustAttemptImagePull';
        }),
      ),
    );
  return edges;
}

/** An answer follows from its call; an error also from what the runtime, or a fault, made of it. */
function criReturnEdges(ix: RecordIndex, r: RecordOf<'cri-return'>): Edge[] {
  const edges = main(r.call || r.cause);
  for (const fault of ix.faultsIn.of(r.call)) if (fault < r.seq) edges.push({ seq: fault });
  if (r.method === 'ExecSync' && r.uid === undefined)
    for (const fault of between(ix.faultsIn.of(r.span), r.call, r.seq)) edges.push({ seq: fault });
  if (!r.error) {
    if (r.method === 'Status') edges.push(...side(outage(ix, r.seq)));
    return edges;
  }
  const id = r.container ?? r.sandbox;
  if (id) edges.push(...side(lastBefore(ix.factsAbout.of(id), r.seq, () => true, r.call)));
  if (ix.faultsIn.of(r.call).length === 0) edges.push(...side(outage(ix, r.seq)));
  return edges;
}

/** The input that took the runtime or its network away and has not been taken back. */
export function outage(ix: RecordIndex, seq: Seq): Seq {
  const s = lastBefore(ix.all.of('input'), seq, (i) => {
    const verb = ix.as(i, 'input')?.verb ?? '';
    return /runtime|network/i.test(verb);
  });
  const input = ix.as(s, 'input');
  if (!input) return 0;
  const back = /start/i.test(input.verb) || input.args[0] === 'ready' || input.args[0] === true;
  return back ? 0 : s;
}

/** A fault goes back to whoever put the rule in: the one of that name, else one that names the call, else the last. */
function faultEdges(ix: RecordIndex, r: RecordOf<'fault'>): Edge[] {
  const wanted = [JSON.stringify(r.rule), JSON.stringify(r.method), ''].map((text) => text.toLowerCase());
  for (const text of wanted) {
    const input = lastBefore(ix.all.of('input'), r.seq, (s) => {
      const i = ix.as(s, 'input');
      return i !== undefined && /fault|inject/i.test(i.verb) && JSON.stringify(i.args).toLowerCase().includes(text);
    });
    if (input) return [...main(input), ...shallow(r.cause)];
  }
  return shallow(r.cause);
}

/** One more of a row of equal outcomes: those before it count, too. */
function probeEdges(ix: RecordIndex, r: RecordOf<'probe'>): Edge[] {
  const edges = main(r.cause);
  let before = r.seq;
  for (let n = (r.run ?? 1) - 1; n > 0 && n > (r.run ?? 1) - 3; n--) {
    before = lastBefore(ix.of(r.uid, 'probe'), before, (s) => {
      const p = ix.as(s, 'probe');
      return p?.container === r.container && p.probeType === r.probeType;
    });
    if (ix.as(before, 'probe')?.outcome !== r.outcome) break;
    edges.push(...shallow(before));
  }
  for (const fault of between(ix.faultsIn.of(r.cause), 0, r.seq)) edges.push({ seq: fault });
  return edges;
}

function probeResultEdges(ix: RecordIndex, r: RecordOf<'probe-result'>): Edge[] {
  const c = ix.get(r.cause);
  if (c?.kind !== 'enter') return main(r.cause);
  // The result that a new container begins with.
  const adopted = lastBefore(
    ix.of(r.uid, 'decision'),
    r.seq,
    (s) => ix.as(s, 'decision')?.rule === 'doProbe' && ix.get(s)?.g === r.g,
    r.cause,
  );
  return main(adopted || r.cause);
}

/** The kubelet emits an event right after what the event reports. */
function eventEdges(ix: RecordIndex, r: RecordOf<'kube-event'>): Edge[] {
  const { uid } = r.object;
  if (r.reason === 'Killing' && r.cause === 0) return main(killingReported(ix, r));
  const here = (s: Seq) => ix.get(s)?.g === r.g;
  const failure = lastBefore(ix.failures.of(r.g), r.seq, () => true, r.span);
  const found = Math.max(
    lastBefore(ix.of(uid, 'decision'), r.seq, here, Math.max(r.span, 1)),
    lastBefore(ix.of(uid, 'backoff'), r.seq, here, Math.max(r.span, 1)),
    r.type === 'Warning' ? failure : 0,
  );
  return r.span > 0 && found > r.cause ? [...main(found), ...shallow(r.cause)] : main(r.cause);
}

function runtimeStateEdges(ix: RecordIndex, r: RecordOf<'runtime-state'>): Edge[] {
  const input =
    r.errors.length > 0 || r.networkError !== undefined
      ? outage(ix, r.seq)
      : lastBefore(ix.all.of('input'), r.seq, (s) => /runtime|network/i.test(ix.as(s, 'input')?.verb ?? ''));
  return input ? [...main(input), ...shallow(r.cause)] : main(r.cause);
}

/** Leads from what a source finds when it looks for itself to who put it there, or to the kubelet's start. */
function sourceEdges(ix: RecordIndex, r: RecordOf<'source'>): Edge[] {
  if (r.origin === 'watch') return main(r.cause);
  const input = lastBefore(ix.all.of('input'), r.seq, (s) =>
    /^(apply|delete|edit|raw|rmraw)$/i.test(ix.as(s, 'input')?.verb ?? ''),
  );
  const started = startedBefore(ix, r.seq);
  // Files that changed while no kubelet ran are found when one starts.
  if (started > input) return [...main(started), ...side(input), ...shallow(r.cause)];
  return input ? [...main(input), ...shallow(r.cause)] : main(r.cause);
}

function processEdges(ix: RecordIndex, r: RecordOf<'process'>): Edge[] {
  return main(ownCause(ix, r));
}
