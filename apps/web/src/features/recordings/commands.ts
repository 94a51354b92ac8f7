import { command } from '../../commands/types.js';
import { download, fileName } from '../../files/pick-and-save.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { useRecordings } from './recordings-store.js';

/** These parts are loaded when they are needed: few pages need them. */
const recordings = () => import('./recordings.js');
const shelf = () => import('./recordings-shelf.js');

const something = () => useSession.getState().phase === 'ready' && trace.records.size > 0;

export const recordingCommands = {
  'view.recordings': command({
    title: 'command.recordings',
    keys: ['Shift+R'],
    group: 'panels',
    run: () => useUI.setState((s) => ({ left: s.left === 'recordings' ? null : 'recordings' })),
  }),
  'recording.save': command({
    title: 'command.saveRecording',
    group: 'change',
    available: something,
    run: async () => {
      const { info } = useSession.getState();
      if (!info) return;
      const { recordingOf, runOf } = await recordings();
      const { spec } = await shelf();
      download(fileName(info.title), await recordingOf(trace.records, info, runOf(await spec())));
    },
  }),
  /** Saves a recording that shows what happened, and not where. */
  'recording.saveWithoutNames': command({
    title: 'command.saveWithoutNames',
    group: 'change',
    available: something,
    run: async () => {
      const { info } = useSession.getState();
      if (!info) return;
      const { recordingWithoutNames } = await import('./without-names.js');
      const { title, bytes } = await recordingWithoutNames(trace.records, info);
      download(fileName(title), bytes);
      notify(t('recordings.withoutNames'));
    },
  }),
  /** Keeps what the session shows: the recording that was opened, or the run up to now. */
  'recording.keep': command({
    title: 'command.recordingKeep',
    group: 'change',
    available: () => {
      const { opened } = useRecordings.getState();
      return opened ? opened.id === null : something();
    },
    run: async () => (await shelf()).keepNow(),
  }),
  'recording.openKept': command<string>({
    title: 'command.recordingOpenKept',
    palette: false,
    run: async (id) => (await shelf()).openKept(id),
  }),
  'recording.rename': command<{ readonly id: string; readonly name: string }>({
    title: 'command.recordingRename',
    palette: false,
    run: async ({ id, name }) => (await shelf()).rename(id, name),
  }),
  'recording.remove': command<string>({
    title: 'command.recordingRemove',
    palette: false,
    run: async (id) => (await shelf()).remove(id),
  }),
  'recording.download': command<string>({
    title: 'command.recordingDownload',
    palette: false,
    run: async (id) => (await shelf()).downloadKept(id),
  }),
  'recording.persist': command({
    title: 'command.recordingPersist',
    group: 'change',
    available: () => useRecordings.getState().persisted === false,
    run: async () => (await shelf()).askToPersist(),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof recordingCommands> {}
}
