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
  const { message, fields } = parts(record);
  return {
    head: `${record.severity} ${clock}${record.file === '' ? '' : ` ${record.file}]`}`,
    message: visible(message),
    fields: visible(fields),
  };
}

/** The message and what follows it: as another version's klog wrote it, where the record has that. */
function parts({ file, kv, msg, text }: RecordOf<'log'>): { readonly message: string; readonly fields: string } {
  const message = file === '' ? msg : quoteGo(msg);
  if (text !== undefined) {
    const [head, rest] = text.startsWith(message) ? [message, text.slice(message.length + 1)] : [text, ''];
    return { message: head, fields: oneLine(rest) };
  }
  const fields = Object.entries(kv).map(([key, value]) => `${key}=${oneLine(formatValue(value))}`);
  return { message, fields: fields.join(' ') };
}

const oneLine = (text: string): string => text.replace(/\n\s*/g, '⏎ ');
