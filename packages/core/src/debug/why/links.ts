import { type Json, narrate, type Seq, type TraceRecord } from '../../trace/index.js';
import type { Graph, Node } from './graph.js';
import type { RecordIndex } from './record-index.js';
import { roleOf, weightOf } from './roles.js';
import { lastBefore } from './seq-lists.js';
import type { Detail, Text, WhyLink } from './types.js';
import { upstreamOf } from './upstream.js';

/** Most links of a brief answer. */
export const BRIEF = 12;
const enough = 4;

/** A record in words, in both languages. */
export function tell(ix: RecordIndex, record: TraceRecord): { text: Text; note?: Text } {
  const { lookup } = ix.names;
  const en = narrate(record, lookup, 'en');
  const zh = narrate(record, lookup, 'zh');
  const text = { en: en.text, zh: zh.text };
  return en.why !== undefined && zh.why !== undefined ? { text, note: { en: en.why, zh: zh.why } } : { text };
}

interface WeightedNode {
  readonly node: Node;
  readonly weight: number;
  readonly root: boolean;
}

/** The links that are shown, oldest first, each with those shown before it that it follows from. */
export function linksOf(
  ix: RecordIndex,
  graph: Graph,
  subject: Seq,
  detail: Detail,
): { links: WhyLink[]; hidden: number } {
  const rootSeqs = new Set(graph.roots.map((n) => n.record.seq));
  const all: WeightedNode[] = [...graph.nodes.values()].map((node) => {
    const root = rootSeqs.has(node.record.seq);
    return { node, root, weight: node.record.seq === subject ? 11 : weightOf(node, root) };
  });
  const chosen = detail === 'full' ? all : choose(all);
  const shown = new Set(chosen.map((w) => w.node.record.seq));
  const behind = shownBehind(graph, shown);
  const links = chosen
    .sort((a, b) => a.node.record.seq - b.node.record.seq)
    .map(({ node, root }) => linkOf(ix, node, root, behind(node.record.seq)));
  return { links, hidden: all.length - links.length };
}

/** The weightiest; of those that say the same thing again, one. */
function choose(all: readonly WeightedNode[]): WeightedNode[] {
  const byWeight = [...all]
    .filter((w) => w.weight >= enough)
    .sort(
      (a, b) =>
        b.weight - a.weight || Number(b.node.main) - Number(a.node.main) || b.node.record.seq - a.node.record.seq,
    );
  const out: WeightedNode[] = [];
  const seen = new Set<string>();
  for (const w of byWeight) {
    const key = sameness(w.node.record);
    if (w.weight < 10 && key !== '' && seen.has(key)) continue;
    seen.add(key);
    out.push(w);
    if (out.length === BRIEF) break;
  }
  return out;
}

function sameness(r: TraceRecord): string {
  if (r.kind === 'decision') return `${r.rule} ${r.verdict} ${r.container ?? ''} ${r.uid ?? ''} ${r.time}`;
  if (r.kind === 'send' && r.g === 0) return `tick ${r.chan}`;
  return '';
}

/** Returns for a record the nearest shown ones behind it, past those that are not shown. */
function shownBehind(graph: Graph, shown: ReadonlySet<Seq>): (seq: Seq) => Seq[] {
  const memo = new Map<Seq, readonly Seq[]>();
  const behind = (seq: Seq): readonly Seq[] => {
    const known = memo.get(seq);
    if (known) return known;
    const out: Seq[] = [];
    for (const edge of graph.nodes.get(seq)?.edges ?? []) {
      if (!graph.nodes.has(edge.seq)) continue;
      for (const s of shown.has(edge.seq) ? [edge.seq] : behind(edge.seq)) if (!out.includes(s)) out.push(s);
    }
    memo.set(seq, out);
    return out;
  };
  // Oldest first, so that it never goes deep.
  for (const seq of [...graph.nodes.keys()].sort((a, b) => a - b)) behind(seq);
  return (seq) => [...behind(seq)];
}

function linkOf(ix: RecordIndex, node: Node, root: boolean, causes: Seq[]): WhyLink {
  const r = node.record;
  const name = r.kind === 'decision' ? r.rule : r.kind === 'enter' || r.kind === 'exit' ? r.fn : '';
  const upstream = name === '' ? undefined : upstreamOf(name);
  return {
    seq: r.seq,
    time: r.time,
    kind: r.kind,
    role: roleOf(r, root),
    ...tell(ix, r),
    main: node.main,
    causes,
    ...(root && node.missing === 0 && { root: true as const }),
    ...(node.missing > 0 && { missing: node.missing }),
    ...(r.kind === 'decision' && { rule: r.rule, verdict: r.verdict, values: r.values }),
    ...(r.kind === 'backoff' && backoffRule(ix, r)),
    ...(r.kind === 'actual-container' &&
      r.exitCode !== undefined && { values: { exitCode: r.exitCode, reason: r.reason } }),
    ...(r.kind === 'probe' && { values: { outcome: r.outcome, run: r.run, threshold: r.threshold } }),
    ...(r.kind === 'queue' && { rule: 'completeWork', verdict: r.why, values: { why: r.why, due: r.due } }),
    ...(upstream !== undefined && { upstream }),
  };
}

/** The decision that goes with a back-off record tells what it saw. */
function backoffRule(
  ix: RecordIndex,
  r: Extract<TraceRecord, { kind: 'backoff' }>,
): { rule: string; verdict: string; values: { [key: string]: Json | undefined }; upstream?: string } {
  const rule = r.of === 'crash-loop' ? 'doBackOff' : 'EnsureImageExists';
  const next = lastBefore(ix.of(r.uid, 'decision'), r.seq + 3, (s) => ix.as(s, 'decision')?.rule === rule, r.seq);
  const decision = ix.as(next, 'decision');
  const upstream = upstreamOf(r.of === 'crash-loop' ? rule : 'MustAttemptImagePull');
  return {
    rule,
    verdict: decision?.verdict ?? (r.active ? 'back off' : 'start'),
    values: { delay: r.delay, until: r.until, active: r.active, ...decision?.values },
    ...(upstream !== undefined && { upstream }),
  };
}
