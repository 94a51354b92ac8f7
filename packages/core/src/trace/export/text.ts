/** Recordings as lines of text. */
import { formatKlog, type KlogOptions } from '../klog-format.js';
import type { RecordingHeader } from '../recording/index.js';
import type { TraceRecord } from '../records.js';

/** Yields NDJSON: the header, then a record per line. It opens like any recording. */
export function* ndjson(header: RecordingHeader, records: Iterable<TraceRecord>): IterableIterator<string> {
  yield `${JSON.stringify(header)}\n`;
  for (const record of records) yield `${JSON.stringify(record)}\n`;
}

export interface KlogExportOptions extends Partial<KlogOptions> {
  /** Most verbose lines, as the kubelet's `-v`. Default: all that were recorded. */
  readonly v?: number;
}

/** Yields the kubelet's log lines in klog's text format. */
export function* klogText(
  header: RecordingHeader,
  records: Iterable<TraceRecord>,
  options: KlogExportOptions = {},
): IterableIterator<string> {
  const { v = Number.POSITIVE_INFINITY, ...klog } = options;
  for (const record of records)
    if (record.kind === 'log' && (record.severity !== 'I' || record.v <= v))
      yield `${formatKlog(record, { epochMillis: header.epochMillis, ...klog })}\n`;
}
