/** Messages of the kubelet that somebody copied without anything around them, or that it prints before it logs. */
import { find } from '../catalogue/index.js';
import { programTrouble } from '../catalogue/programs.js';
import type { LogEntry, OtherLine } from '../evidence/index.js';
import { readBody } from '../log/klog.js';
import { KUBELET } from '../log/programs.js';
import { type Trouble, troubleOf } from './symptoms.js';

const SEVERITY = /^\[(?:E|F|W|ERROR|FATAL|WARN|WARNING)\]:? */;

/** The trouble that a line reports whose whole text is a message of the kubelet; null if it is not. */
export function bareTrouble({ text, program, line, offset, epochMicros }: OtherLine): Trouble | null {
  if (program !== undefined && program !== KUBELET) return null;
  const whole = text.trim().replace(SEVERITY, '');
  const entry: LogEntry = {
    ...({ kind: 'entry', line, offset, epochMicros, severity: 'E', pid: 0, file: '', sourceLine: 0 } as const),
    ...readBody(whole),
  };
  const found = find(entry);
  return found?.row.symptom ? troubleOf(found, entry) : null;
}

/** True if a line alone shows that a text is the log of a kubelet, or of the programs around it. */
export function reportsTrouble(text: string): boolean {
  const line: OtherLine = { kind: 'other', line: 1, offset: 0, epochMicros: null, text };
  return bareTrouble(line) !== null || Boolean(programTrouble(line));
}
