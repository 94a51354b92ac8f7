import { redactKnown } from '@syncloop/core/redaction';
import { formatKlog, type RecordSink } from '@syncloop/core/trace';
import type { KnownSecrets } from '../redaction/known-secrets.js';

/**
 * Prints log records in klog's text format, as a kubelet does on stderr: errors always, the rest up to `verbosity`
 * (-v), asked again for each; without `known` secrets. Times are this machine's local ones, as klog's are.
 */
export function klogPrinter(
  verbosity: () => number,
  epochMillis: number,
  known: KnownSecrets,
  write: (line: string) => void,
): RecordSink {
  const options = {
    epochMillis,
    pid: process.pid,
    offsetMinutes: (millis: number) => -new Date(millis).getTimezoneOffset(),
  };
  return (record) => {
    if (record.kind === 'log' && (record.severity === 'E' || record.v <= verbosity()))
      write(`${formatKlog(redactKnown(record, known) as typeof record, options)}\n`);
  };
}
