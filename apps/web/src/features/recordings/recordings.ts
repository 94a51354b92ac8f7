/** Recordings that the page opens, and those it makes of what it has seen. */
import type { RecordStore, SessionInfo } from '@syncloop/core/debug';
import { ByteChunks, type Json, type RecordedRun, type RecordingInfo, RecordingWriter } from '@syncloop/core/trace';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { withProgress } from '../../run/progress-store.js';
import { recordingConnection } from '../../session/connection/worker-connection.js';
import { type FileKind, HEAD_BYTES, kindOfFile, opens } from '../../session/file-kind.js';
import { session } from '../../session/session.js';
import { keepNow } from './recordings-shelf.js';
import { useRecordings } from './recordings-store.js';

/** Records written before the page is let draw again. */
const SLICE = 4096;

const nameOf = (file: Blob): string =>
  'name' in file && typeof file.name === 'string' ? file.name : t('recordings.file');

/** Says what is wrong with a file of that kind, and what is wanted instead. */
export const wrongFile = (kind: Exclude<FileKind, 'recording' | 'ndjson' | 'chrome' | 'own'>, name: string): string =>
  `${t(`recordings.wrong.${kind}`, { name })} ${t('recordings.wanted')}`;

async function kindOf(file: Blob): Promise<FileKind> {
  try {
    return kindOfFile(new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
  } catch {
    throw new Error(t('recordings.unreadable', { name: nameOf(file) }));
  }
}

/** Opens whatever the user dropped or chose. Rejects, in the page's language, with what it is and what is wanted, if it is none of ours. */
export async function openFile(file: Blob): Promise<void> {
  const kind = await kindOf(file);
  if (kind === 'own') {
    const [{ openOwnFile }, { simulationReady }] = await Promise.all([
      import('../share/share-file.js'),
      import('../../shell/boot.js'),
    ]);
    return await openOwnFile(file, async () => simulationReady());
  }
  if (!opens(kind)) throw new Error(wrongFile(kind as Parameters<typeof wrongFile>[0], nameOf(file)));
  await openRecordingFile(file, nameOf(file));
}

/**
 * Takes over from the session that was there, once the file is known to be a recording. Rejects with the reason when it is none.
 * `id`: under which it is kept; one that is not is offered to be.
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
    run: () => void keepNow().catch((error: unknown) => notify(String((error as Error).message), true)),
  });
}

/**
 * What the page holds of the run, as a recording's bytes: all of it, or, of a long one, the newest records and the state before
 * them. `run`: how a simulation is run again.
 */
export async function recordingOf(
  store: RecordStore,
  info: SessionInfo,
  run: RecordedRun | null,
  breathe: () => Promise<void> = () => new Promise((resolve) => setTimeout(resolve, 0)),
): Promise<Uint8Array<ArrayBuffer>> {
  const { first, last } = store;
  const { title, scenario, seed, runtime, node, epochMillis, virtual } = info;
  const header: RecordingInfo = {
    core: VERSION,
    title,
    scenario,
    seed,
    runtime,
    node,
    epochMillis,
    virtual,
    createdBy: `syncloop page ${VERSION}`,
    ...(run && { run }),
  };
  const bytes = new ByteChunks();
  const writer = new RecordingWriter(bytes.push, header, first > 1 ? { base: store.stateAt(first - 1) } : {});
  for (let seq = first; seq <= last; ) {
    const slice = store.slice(seq, Math.min(SLICE, last - seq + 1));
    if (slice.length === 0) break;
    for (const record of slice) writer.push(record);
    seq = (slice.at(-1)?.seq ?? last) + 1;
    await breathe();
  }
  writer.close();
  return bytes.join();
}
const VERSION = '0.1.0';

/** The run of a session's answer to `spec`; null where it has none. */
export function runOf(spec: Json | undefined): RecordedRun | null {
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec)) return null;
  const { to: _to, ...run } = spec as { readonly [key: string]: unknown };
  return run as unknown as RecordedRun;
}

/** A file name of a title: `Simulation: hello` becomes `simulation-hello.syncloop`. */
export function fileName(title: string): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${words || 'recording'}.syncloop`;
}

/** Asks the user for a file; null when he thinks better of it. */
export function pickFile(): Promise<File | null> {
  return new Promise((resolve) => {
    const input = document.createElement('input');
    input.type = 'file';
    input.accept = '.syncloop,.ndjson,.jsonl,.json';
    input.addEventListener('change', () => resolve(input.files?.[0] ?? null));
    input.addEventListener('cancel', () => resolve(null));
    input.click();
  });
}

/** Gives the user a file. */
export function download(name: string, content: Uint8Array<ArrayBuffer> | Blob): void {
  const blob = content instanceof Blob ? content : new Blob([content], { type: 'application/octet-stream' });
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
