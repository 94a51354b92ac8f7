/** Makes a recording of the page's records, with pseudonyms in place of names. */
import type { RecordStore, SessionInfo } from '@syncloop/core/debug';
import { ByteChunks, RecordingWriter } from '@syncloop/core/trace';
import { Pseudonyms } from '@syncloop/core/trace/pseudonyms';
import { eachRecord, headerOf } from './recordings.js';

/** Its bytes, and its title without names. */
export async function recordingWithoutNames(
  store: RecordStore,
  info: SessionInfo,
): Promise<{ readonly title: string; readonly bytes: Uint8Array<ArrayBuffer> }> {
  // Records that come meanwhile are left out: they may have names that were not looked at.
  const { first, last } = store;
  const range = { first, last };
  const base = first > 1 ? store.stateAt(first - 1) : null;
  const header = headerOf(info);
  const names = new Pseudonyms();
  names.lookAtInfo(header);
  if (base) names.lookAtState(base);
  await eachRecord(store, (record) => names.look(record), undefined, range);
  const without = names.info(header);
  const bytes = new ByteChunks();
  const writer = new RecordingWriter(bytes.push, without, base ? { base: names.state(base) } : {});
  await eachRecord(store, (record) => writer.push(names.record(record)), undefined, range);
  writer.close();
  return { title: without.title, bytes: bytes.join() };
}
