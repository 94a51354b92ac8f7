import type { Json } from '@syncloop/core/trace';
import { useSession } from '../../store/session-store.js';
import { trace } from '../../trace/trace-store.js';
import { session } from '../session.js';
import { command } from './types.js';

/** What few need is loaded when it is needed. */
const recordings = () => import('../recordings.js');

/** How the run is had again, of a session that can say. */
async function spec(): Promise<Json | undefined> {
  try {
    return await session.command({ do: 'spec' });
  } catch {
    // A kubelet on a node cannot be run again, nor can what was recorded of one.
    return undefined;
  }
}

export const recordingCommands = {
  'recording.save': command({
    title: 'command.saveRecording',
    available: () => useSession.getState().phase === 'ready' && trace.records.size > 0,
    run: async () => {
      const { info } = useSession.getState();
      if (!info) return;
      const { download, fileName, recordingOf, runOf } = await recordings();
      const run = runOf(await spec());
      download(fileName(info.title), await recordingOf(trace.records, info, run));
    },
  }),
  'recording.open': command({
    title: 'command.openRecording',
    run: async () => {
      const { openRecordingFile, pickFile } = await recordings();
      const file = await pickFile();
      if (file) await openRecordingFile(file);
    },
  }),
  'recording.openFile': command<Blob>({
    title: 'command.openRecording',
    palette: false,
    run: async (file) => (await recordings()).openRecordingFile(file),
  }),
};
