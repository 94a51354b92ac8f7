/** For tests of this room: a log observed, and its records without those of its lines. */
import { utf8Bytes } from '@syncloop/core/base';
import type { RecordKind, RecordOf, TraceRecord } from '@syncloop/core/trace';
import { LogEvidenceReader } from '../log/evidence.js';
import { foreseeIdentities, LogExtractor } from '../log-extractor.js';
import { Observer } from '../observer.js';

export const NOT_AFTER = Date.UTC(2026, 10, 24);

export interface Observed {
  readonly all: readonly TraceRecord[];
  /** The records without those of lines. */
  readonly records: readonly TraceRecord[];
  readonly extractor: LogExtractor;
  of<K extends RecordKind>(kind: K): RecordOf<K>[];
}

export function observeLog(log: string | Uint8Array, piece = 1 << 18): Observed {
  const extractor = new LogExtractor();
  const observer = new Observer({ sources: [], extractors: [extractor], foresee: foreseeIdentities });
  const reader = new LogEvidenceReader('log', { notAfter: NOT_AFTER });
  const bytes = typeof log === 'string' ? utf8Bytes(log) : log;
  const all: TraceRecord[] = [];
  for (let at = 0; at < bytes.length; at += piece)
    for (const r of observer.push(reader.push(bytes.slice(at, at + piece)))) all.push(r);
  all.push(...observer.push(reader.end()), ...observer.end());
  const records = all.filter((r) => r.evidence === undefined);
  return {
    all,
    records,
    extractor,
    of: <K extends RecordKind>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind),
  };
}

/** Lines of one kubelet, 1 ms apart, from texts behind the header. A text may begin with its severity: "E ...". */
export function lines(...texts: readonly string[]): string {
  return linesOf(1432, 0, ...texts);
}
export function linesOf(pid: number, fromMillis: number, ...texts: readonly string[]): string {
  return texts
    .map((text, i) => {
      const [, severity = 'I', body = ''] = /^(?:([IWE]) )?([\s\S]*)$/.exec(text) ?? [];
      const at = new Date(Date.UTC(2026, 10, 22, 10) + fromMillis + i).toISOString();
      return `${severity}1122 ${at.slice(11, 23)}000    ${pid} kubelet.go:${100 + i}] ${body}\n`;
    })
    .join('');
}
