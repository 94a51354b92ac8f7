import { formatKlog, type RecordSink } from '@syncloop/core/trace';
import { redactRecord } from '../redaction/redact.js';

/**
 * Prints log records in klog's text format, as a kubelet does on stderr: errors always, the rest up to `verbosity`
 * (-v), asked anew for each; without secrets. Times are this machine's local ones, as klog's are.
 */
export function klogPrinter(verbosity: () => number, epochMillis: number, write: (line: string) => void): RecordSink {
  const options = {
    epochMillis,
    pid: process.pid,
    offsetMinutes: (millis: number) => -new Date(millis).getTimezoneOffset(),
  };
  return (record) => {
    if (record.kind === 'log' && (record.severity === 'E' || record.v <= verbosity()))
      write(`${formatKlog(redactRecord(record) as typeof record, options)}\n`);
  };
}
