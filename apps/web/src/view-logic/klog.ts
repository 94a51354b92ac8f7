import type { Json, RecordOf } from '@syncloop/core/trace';

/** A log record as klog prints it, without the date: severity, time of the run, file, message, fields. */
export function klogLine(record: RecordOf<'log'>): { readonly head: string; readonly message: string; readonly fields: string } {
  const s = record.time / 1e6;
  return {
    head: `${record.severity} ${s.toFixed(6).padStart(11)} ${record.file}]`,
    message: JSON.stringify(record.msg),
    fields: Object.entries(record.kv)
      .filter(([, v]) => v !== undefined)
      .map(([k, v]) => `${k}=${fieldText(v as Json)}`)
      .join(' '),
  };
}

function fieldText(value: Json): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((v) => (typeof v === 'string' ? JSON.stringify(v) : JSON.stringify(v))).join(',')}]`;
  return JSON.stringify(value);
}
