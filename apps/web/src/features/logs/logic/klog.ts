import { formatValue, quoteGo, type RecordOf } from '@syncloop/core/trace';
import { visible } from '../../../units/text.js';

/**
 * Returns a log record as klog prints it, in three parts, with the run's own time in place of klog's date and clock, or
 * `clock`. A line break shows as a sign.
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

/** Returns the message and its fields: in the text of another version's klog, if the record has that. */
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
