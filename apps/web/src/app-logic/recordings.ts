/** Recordings that the page opens, and those it makes of what it has seen. */
import type { RecordStore, SessionInfo } from '@syncloop/core/debug';
import { ByteChunks, type Json, type RecordedRun, type RecordingInfo, RecordingWriter } from '@syncloop/core/trace';
import { recordingConnection } from '../connection/worker-connection.js';
import { notify } from '../store/ui-store.js';
import { session } from './session.js';

/** Records written before the page is let draw again. */
const SLICE = 4096;

/** Takes over from the session that was there, once the file is known to be a recording. Rejects with the reason when it is none. */
export async function openRecordingFile(recording: Blob): Promise<void> {
  const { connection, warning } = await recordingConnection(recording);
  session.connect(() => connection, 'worker');
  if (warning !== '') notify(warning);
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
    input.accept = '.syncloop,.ndjson,.jsonl';
    input.addEventListener('change', () => resolve(input.files?.[0] ?? null));
    input.addEventListener('cancel', () => resolve(null));
    input.click();
  });
}

/** Gives the user a file. */
export function download(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: 'application/octet-stream' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}
