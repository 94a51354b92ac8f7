/** Recordings that the page opens, and those that it makes of its own records. */

import type { RecordStore, RunUpTo, SessionInfo } from '@syncloop/core/debug';
import {
  ByteChunks,
  type RecordedRun,
  type RecordingInfo,
  RecordingWriter,
  type TraceRecord,
} from '@syncloop/core/trace';
import { runCommand } from '../../commands/index.js';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { withProgress } from '../../run/progress-store.js';
import { recordingConnection } from '../../session/connection/worker-connection.js';
import { session } from '../../session/session.js';
import { useRecordings } from './recordings-store.js';

/** Records written before the page is let draw again. */
const SLICE = 4096;

/**
 * Replaces the present session once the file is known to be a recording. Rejects with the reason if it is not one.
 * `id`: the id under which it is kept; null offers to keep it.
 */
export async function openRecordingFile(recording: Blob, name: string, id: string | null = null): Promise<void> {
  const stop = new AbortController();
  const { connection, warning, about } = await withProgress(
    'progress.open',
    () => recordingConnection(recording, stop.signal),
    { cancel: () => stop.abort(t('recordings.cancelled')) },
  );
  session.connect(() => connection, 'worker');
  useRecordings.setState({ opened: { name, blob: recording, about, id } });
  if (id !== null) {
    if (warning !== '') notify(warning);
    return;
  }
  notify([warning, t('recordings.opened', { name })].filter(Boolean).join(' '), false, {
    label: t('recordings.keepIt'),
    run: () => runCommand('recording.keep'),
  });
}

/**
 * Writes the page's part of the run as a recording's bytes: all of it, or, of a long one, the newest records and the
 * state before them. `run`: how a simulation is run again.
 */
export async function recordingOf(
  store: RecordStore,
  info: SessionInfo,
  run: RecordedRun | null,
  breathe = nextTurn,
): Promise<Uint8Array<ArrayBuffer>> {
  const { first } = store;
  const bytes = new ByteChunks();
  const header = { ...headerOf(info), ...(run && { run }) };
  const writer = new RecordingWriter(bytes.push, header, first > 1 ? { base: store.stateAt(first - 1) } : {});
  await eachRecord(store, (record) => writer.push(record), breathe);
  writer.close();
  return bytes.join();
}

/** The page may draw in between. */
const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0));

export function headerOf(info: SessionInfo): RecordingInfo {
  const { title, scenario, seed, runtime, node, era, epochMillis, virtual } = info;
  const createdBy = `syncloop page ${VERSION}`;
  return { core: VERSION, title, scenario, seed, runtime, node, ...(era && { era }), epochMillis, virtual, createdBy };
}

/** Goes through all records of the page, up to the newest at this moment. */
export async function eachRecord(
  store: RecordStore,
  then: (record: TraceRecord) => void,
  breathe = nextTurn,
  { first, last }: Pick<RecordStore, 'first' | 'last'> = store,
): Promise<void> {
  for (let seq = first; seq <= last; ) {
    const slice = store.slice(seq, Math.min(SLICE, last - seq + 1));
    if (slice.length === 0) break;
    for (const record of slice) then(record);
    seq = (slice.at(-1)?.seq ?? last) + 1;
    await breathe();
  }
}
const VERSION = '0.2.0';

/** The run of a session's answer to `spec`; null if it has none. */
export function runOf(spec: RunUpTo | undefined): RecordedRun | null {
  if (!spec) return null;
  const { to: _to, ...run } = spec;
  return run;
}
