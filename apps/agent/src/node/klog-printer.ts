import { formatKlog, type RecordSink } from '@syncloop/core/trace';

/**
 * Prints log records in klog's text format, as a kubelet does on stderr: errors always, the rest up to `verbosity`
 * (-v). Times are this machine's local ones, as klog's are.
 */
export function klogPrinter(verbosity: number, epochMillis: number, write: (line: string) => void): RecordSink {
  const options = {
    epochMillis,
    pid: process.pid,
    offsetMinutes: (millis: number) => -new Date(millis).getTimezoneOffset(),
  };
  return (record) => {
    if (record.kind === 'log' && (record.severity === 'E' || record.v <= verbosity))
      write(`${formatKlog(record, options)}\n`);
  };
}
