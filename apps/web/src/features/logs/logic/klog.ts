import { formatValue, quoteGo, type RecordOf } from '@syncloop/core/trace';
import { visible } from '../../../units/text.js';

/**
 * A log record as klog prints it, in three parts; the run's own time stands where klog has date and clock,
 * or `clock`. A line break
 * shows as a sign.
 */
export function klogLine(
  record: RecordOf<'log'>,
  clock = (record.time / 1e6).toFixed(6).padStart(11),
): {
  readonly head: string;
  readonly message: string;
  readonly fields: string;
} {
  return {
    head: `${record.severity} ${clock}${record.file === '' ? '' : ` ${record.file}]`}`,
    message: visible(record.file === '' ? record.msg : quoteGo(record.msg)),
    fields: Object.entries(record.kv)
      .map(([key, value]) => `${key}=${formatValue(value).replace(/\n\s*/g, '⏎ ')}`)
      .map(visible)
      .join(' '),
  };
}
