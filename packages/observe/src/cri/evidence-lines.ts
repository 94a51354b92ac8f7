/** Reads the evidence that a running tap has decoded: `{"evidence": …}` on each line. */
import { own } from '@syncloop/core/base';
import type { Evidence, EvidenceReader } from '../evidence/index.js';
import { JsonLines } from './json-lines.js';

const KINDS: ReadonlySet<unknown> = new Set(['call', 'return', 'container-event', 'gap']);

export class EvidenceLinesReader implements EvidenceReader {
  private readonly lines = new JsonLines();

  constructor(private readonly source: string) {}

  push(bytes: Uint8Array): Evidence[] {
    return this.lines.push(bytes).map((line) => this.evidence(line));
  }
  end(): Evidence[] {
    return this.lines.end().map((line) => this.evidence(line));
  }

  private evidence({ value, place, problem, bytes }: ReturnType<JsonLines['push']>[number]): Evidence {
    const { source } = this;
    const found = own(value, 'evidence');
    if (problem === null && isEvidence(found)) return { ...found, source, place };
    return {
      kind: 'gap',
      source,
      at: null,
      place,
      why: problem ?? 'A line is not in the format of CRI evidence.',
      bytes,
    };
  }
}

/** True if a value has the form that our tap sends. */
function isEvidence(value: unknown): value is Evidence {
  if (typeof value !== 'object' || value === null || !KINDS.has(own(value, 'kind'))) return false;
  const at = own(value, 'at');
  if (at !== null && typeof at !== 'number') return false;
  const kind = own(value, 'kind');
  if (kind === 'gap') return typeof own(value, 'why') === 'string';
  if (kind === 'container-event') return typeof own(value, 'event') === 'object';
  return typeof own(value, 'call') === 'number' && typeof own(value, 'method') === 'string';
}
