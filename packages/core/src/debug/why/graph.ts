import type { Seq, TraceRecord } from '../../trace/index.js';
import type { Edge, Focus } from './edge.js';
import { edgesOf } from './edges.js';
import type { RecordIndex } from './record-index.js';

/** Most records that one answer goes through. */
export const MOST = 400;
/** Most records of one side line. */
const MOST_SIBLINGS = 60;
/** The depth to which side lines nest: the main line counts as 0. */
const deepest = 3;

export interface Node {
  readonly record: TraceRecord;
  readonly edges: readonly Edge[];
  main: boolean;
  /** The line ends here by design, not at a root. */
  readonly shallow: boolean;
  /** Seq of the record at which the line would continue, but which is no longer kept; 0 if there is none. */
  readonly missing: Seq;
}

export interface Graph {
  readonly nodes: ReadonlyMap<Seq, Node>;
  /** The main line, from the subject back. */
  readonly line: readonly Node[];
  /** The nodes at which lines end; that of the main line is the first. */
  readonly roots: readonly Node[];
}

/** Follows a record back to its roots. Each step leads to an earlier record, so it ends. */
export function follow(ix: RecordIndex, subject: TraceRecord, focus: Focus, extra: readonly Edge[] = []): Graph {
  const nodes = new Map<Seq, Node>();
  const open: { edge: Edge; depth: number }[] = [];
  const roots: Node[] = [];

  const visit = (record: TraceRecord, isMain: boolean, isShallow: boolean, more: readonly Edge[] = []): Node => {
    const found = [...edgesOf(ix, record, focus), ...more];
    const next = found.find((e) => e.main);
    const missing = next && !ix.get(next.seq) ? next.seq : 0;
    const node: Node = {
      record,
      edges: found.filter((e) => ix.get(e.seq) !== undefined),
      main: isMain,
      shallow: isShallow,
      missing,
    };
    nodes.set(record.seq, node);
    return node;
  };
  /** Goes along one line until it ends or meets what is known. */
  const along = (start: TraceRecord, isMain: boolean, depth: number, most: number): Node[] => {
    const line: Node[] = [];
    let record: TraceRecord | undefined = start;
    while (record && line.length < most && nodes.size < MOST && !nodes.has(record.seq)) {
      const node = visit(record, isMain, false, record === subject ? extra : []);
      line.push(node);
      for (const edge of node.edges) if (!edge.main) open.push({ edge, depth });
      const next: Edge | undefined = node.edges.find((e) => e.main);
      if (!next) roots.push(node);
      record = next && ix.get(next.seq);
    }
    return line;
  };

  const line = along(subject, true, 1, MOST);
  for (let i = 0; i < open.length && nodes.size < MOST; i++) {
    const { edge, depth } = open[i] as { edge: Edge; depth: number };
    const record = ix.get(edge.seq);
    if (!record || nodes.has(edge.seq)) continue;
    if (edge.shallow || depth > deepest) visit(record, false, true);
    else along(record, false, depth + 1, MOST_SIBLINGS);
  }
  return { nodes, line, roots };
}
