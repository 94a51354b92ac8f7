/** The marked part of an observed run as a file: a recording, or the lines of its log. */
import { ByteChunks, RecordingWriter, type Seq, type TraceRecord } from '@syncloop/core/trace';
import { download, fileName } from '../../files/pick-and-save.js';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { withProgress } from '../../run/progress-store.js';
import { useSession } from '../../run/session-store.js';
import { wallTime } from '../../run/wall-time.js';
import { session } from '../../session/session.js';
import { klogLine } from '../logs/logic/klog.js';
import { headerOf } from '../recordings/recordings.js';
import { useStrip } from './strip-store.js';

/** Goes through the records of the marked part. The state before them comes with the first ones. */
async function* marked(state: boolean) {
  const { range } = useStrip.getState();
  if (!range) return;
  const { from, to } = range;
  let part = await session.command({ do: 'window', from, to, by: 'time', state });
  yield part;
  while (part.next !== null) {
    part = await session.command({ do: 'window', from: part.next, to: part.to });
    yield part;
  }
}

/** The name of a file: the session's, with the times between which the part is. */
function nameOf(): string {
  const { info } = useSession.getState();
  const { range } = useStrip.getState();
  if (!info || !range) return '';
  return `${info.title} ${wallTime(info, range.from, true)} ${wallTime(info, range.to, true)}`;
}

async function saving(save: (stopped: () => void) => Promise<boolean>): Promise<void> {
  const stop = new AbortController();
  const saved = await withProgress('progress.saveWindow', () => save(() => stop.signal.throwIfAborted()), {
    cancel: () => stop.abort(new Error(t('strip.saveCancelled'))),
  });
  if (!saved) notify(t('strip.nothingThere'), true);
}

/** Saves the marked part as a recording, which begins with the state before it. */
export const saveRecording = (): Promise<void> =>
  saving(async (stopped) => {
    const { info } = useSession.getState();
    if (!info) return false;
    const bytes = new ByteChunks();
    let writer: RecordingWriter | null = null;
    let last: Seq = 0;
    for await (const { state, records } of marked(true)) {
      stopped();
      writer ??= new RecordingWriter(bytes.push, headerOf(info), state && state.seq > 0 ? { base: state } : {});
      for (const record of records) writer.push(record);
      last = records.at(-1)?.seq ?? last;
    }
    if (!writer || last === 0) return false;
    writer.close();
    download(fileName(nameOf()), bytes.join());
    return true;
  });

/** Saves the lines of the marked part as text, without the secrets that were in them. */
export const saveLines = (): Promise<void> =>
  saving(async (stopped) => {
    const parts: string[] = [];
    for await (const { records } of marked(false)) {
      stopped();
      parts.push(records.map(lineOf).join(''));
    }
    const text = parts.join('');
    if (text === '') return false;
    download(fileName(nameOf()).replace(/\.syncloop$/, '.log'), new Blob([text], { type: 'text/plain' }));
    return true;
  });

/** A line of a log with its date; '' for other records. */
function lineOf(record: TraceRecord): string {
  const { info } = useSession.getState();
  if (record.kind !== 'log' || !info) return '';
  const micros = String(Math.round(info.epochMillis * 1000 + record.time) % 1000).padStart(3, '0');
  const at = `${wallTime(info, record.time, true).slice(5, 10).replace('-', '')} ${wallTime(info, record.time)}${micros}`;
  const { head, message, fields } = klogLine(record, at);
  return `${[head.replace(/^(.) /, '$1'), message, fields].filter(Boolean).join(' ')}\n`;
}
