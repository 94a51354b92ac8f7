/** Recordings: kept in this browser, opened from files, and saved as files. */
import { lazy } from 'react';
import { isRecording } from '../../files/file-kind.js';
import { words } from '../../i18n/index.js';
import { showsRecording, useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { setReopeners } from '../long-work/stop-work.js';
import { recordingCommands } from './commands.js';
import { en } from './en.js';
import { RecordingBar } from './recording-bar.js';
import { useRecordings } from './recordings-store.js';

export const recordings: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [recordingCommands],
  left: [
    {
      id: 'recordings',
      order: 50,
      icon: 'recordings',
      title: 'panel.recordings',
      command: 'view.recordings',
      Body: lazy(async () => ({ default: (await import('./recordings-panel.js')).RecordingsPanel })),
    },
  ],
  menus: [
    { menu: 'session', order: 310, heading: 'menu.recordings', id: 'view.recordings' },
    { menu: 'session', order: 330, id: 'recording.keep' },
    { menu: 'session', order: 340, id: 'recording.save' },
    { menu: 'session', order: 345, id: 'recording.saveWithoutNames' },
    // A recording has no links: its file can be handed on.
    { menu: 'share', order: 320, id: 'recording.save', when: () => showsRecording() },
    { menu: 'share', order: 325, id: 'recording.saveWithoutNames', when: () => showsRecording() },
  ],
  slots: [{ at: 'below', order: 15, Component: RecordingBar }],
  importers: [
    {
      takes: isRecording,
      open: async (file, name) => (await import('./recordings.js')).openRecordingFile(file, name),
    },
  ],
  start: () =>
    setReopeners({
      file: () => {
        const { opened } = useRecordings.getState();
        const { info } = useSession.getState();
        if (!info || info.capabilities.scenarios || !opened) return null;
        const { blob, name, id } = opened;
        return async () => (await import('./recordings.js')).openRecordingFile(blob, name, id);
      },
    }),
};

declare module '../../page/ui-store.js' {
  interface LeftPanels {
    recordings: true;
  }
}
