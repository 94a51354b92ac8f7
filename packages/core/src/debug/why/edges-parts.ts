/** Causes in a learner's code: which call of it decided, and which of its lines led there. */
import type { PartName } from '../../kubelet/parts/index.js';
import type { RecordKind, RecordOf, Seq, TraceRecord } from '../../trace/index.js';
import { type Edge, main, shallow, side } from './edge.js';
import type { RecordIndex } from './record-index.js';
import { lastBefore } from './seq-lists.js';

/** The part that decides what a record of a kind says. */
const deciders: { readonly [K in RecordKind]?: PartName } = {
  'pleg-event': 'plegEvents',
  'pod-actions': 'podActions',
  backoff: 'backOff',
  'probe-result': 'probeResult',
  status: 'podStatus',
  kill: 'killContainer',
  eviction: 'evictionRank',
};
/** Lines before the decision that an answer shows. */
const shownLines = 4;

/** The call of a replaced part that decided what the record says, if there was one. */
export function deciderEdges(ix: RecordIndex, r: TraceRecord): Edge[] {
  const part = deciders[r.kind];
  if (part === undefined) return [];
  const { uid } = r as { readonly uid?: string };
  return side(
    lastBefore(ix.parts.of(r.g), r.seq, (s) => {
      const call = ix.as(s, 'part');
      return call?.part === part && (call.uid === undefined || uid === undefined || call.uid === uid);
    }),
  );
}

/** A call goes back to the record that it was called because of, and shows the lines that it ended with. */
export function partEdges(ix: RecordIndex, r: RecordOf<'part' | 'part-failed' | 'part-line'>): Edge[] {
  return [...main(r.cause), ...linesBefore(ix, r).flatMap(shallow)];
}

/** The last lines of the same call before a record, the newest first. What the code printed stands between them. */
function linesBefore(ix: RecordIndex, r: RecordOf<'part' | 'part-failed' | 'part-line'>): Seq[] {
  const { uid } = r;
  const out: Seq[] = [];
  for (let seq = r.seq - 1; out.length < shownLines; seq--) {
    const before = ix.get(seq);
    if (before?.g !== r.g || before.cause !== r.cause) break;
    if (before.kind === 'log') continue;
    if (before.kind !== 'part-line' || before.uid !== uid) break;
    out.push(seq);
  }
  return out;
}
