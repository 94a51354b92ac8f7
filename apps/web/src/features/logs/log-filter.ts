/** Decides which lines of the kubelet's log are shown. */
import type { Json, RecordOf } from '@syncloop/core/trace';
import { klogLine } from './logic/klog.js';

export interface LogFilter {
  /** The text in lower case. */
  readonly text: string;
  readonly severity: 'all' | 'warnings' | 'errors';
  /** Lines up to this verbosity; null: all. */
  readonly v: number | null;
  /** `namespace/name` or uid that a field of the line names, '' for any. */
  readonly pod: string;
  readonly file: string;
  /** 0: any. */
  readonly goroutine: number;
}

export const ALL_LINES: LogFilter = { text: '', severity: 'all', v: null, pod: '', file: '', goroutine: 0 };

/** A test for lines. `uid` of the pod that the filter names, '' if it is not known. */
export function logTest(f: LogFilter, uid: string): (r: RecordOf<'log'>) => boolean {
  return (r) =>
    (f.severity === 'all' || r.severity === 'E' || (f.severity === 'warnings' && r.severity === 'W')) &&
    // Warnings and errors have no verbosity: they always show.
    (f.v === null || r.severity !== 'I' || r.v <= f.v) &&
    (f.file === '' || r.file === f.file) &&
    (f.goroutine === 0 || r.g === f.goroutine) &&
    (f.pod === '' || namesPod(r.kv, f.pod, uid)) &&
    (f.text === '' || hasText(r, f.text));
}

function hasText(r: RecordOf<'log'>, text: string): boolean {
  if (r.msg.toLowerCase().includes(text) || r.file.includes(text)) return true;
  // The whole line is made only if its message alone does not decide.
  const { head, fields } = klogLine(r);
  return `${head} ${fields}`.toLowerCase().includes(text);
}

function namesPod(kv: RecordOf<'log'>['kv'], pod: string, uid: string): boolean {
  for (const key of Object.keys(kv)) if (isPod(kv[key], pod, uid)) return true;
  return false;
}
function isPod(value: Json | undefined, pod: string, uid: string): boolean {
  if (typeof value === 'string') return value === pod || (uid !== '' && value === uid);
  if (Array.isArray(value)) return value.some((v: Json) => isPod(v, pod, uid));
  if (typeof value !== 'object' || value === null) return false;
  const { name, namespace } = value as { readonly name?: Json; readonly namespace?: Json };
  return typeof name === 'string' && `${typeof namespace === 'string' ? namespace : 'default'}/${name}` === pod;
}
