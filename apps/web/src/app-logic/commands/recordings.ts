import { useSession } from '../../store/session-store.js';
import { trace } from '../../trace/trace-store.js';
import { download, fileName, openRecordingFile, pickFile, recordingOf, runOf } from '../recordings.js';
import { session } from '../session.js';
import { command } from './types.js';

/** How the run is had again, of a session that can say. */
async function spec() {
  try {
    return runOf(await session.command({ do: 'spec' }));
  } catch {
    // A kubelet on a node cannot be run again, nor can what was recorded of one.
    return null;
  }
}

export const recordingCommands = {
  'recording.save': command({
    title: 'command.saveRecording',
    available: () => useSession.getState().phase === 'ready' && trace.records.size > 0,
    run: async () => {
      const { info } = useSession.getState();
      if (!info) return;
      const run = await spec();
      download(fileName(info.title), await recordingOf(trace.records, info, run));
    },
  }),
  'recording.open': command({
    title: 'command.openRecording',
    run: async () => {
      const file = await pickFile();
      if (file) await openRecordingFile(file);
    },
  }),
  'recording.openFile': command<Blob>({
    title: 'command.openRecording',
    palette: false,
    run: (file) => openRecordingFile(file),
  }),
};
