import { create } from 'zustand';
import { useSession } from '../../run/session-store.js';
import type { RecordingAbout } from '../../session/worker/recordings.js';
import type { KeptRecording } from './shelf.js';

/** The recording that the session shows. */
export interface OpenedFile {
  readonly name: string;
  readonly blob: Blob;
  readonly about: RecordingAbout;
  /** The id under which it is kept; null: it is not kept. */
  readonly id: string | null;
}

export interface RecordingsState {
  readonly list: readonly KeptRecording[];
  /** The state of the list; `failed`: `why` says why it could not be read. */
  readonly state: 'unread' | 'read' | 'failed';
  readonly why: string;
  readonly opened: OpenedFile | null;
  /** Bytes that the browser lets the page's site use, and that it uses; null if it does not say. */
  readonly room: { readonly used: number; readonly most: number } | null;
  /** True if the browser has promised not to clear it by itself; null if it cannot promise. */
  readonly persisted: boolean | null;
}

export const useRecordings = create<RecordingsState>(() => ({
  list: [],
  state: 'unread',
  why: '',
  opened: null,
  room: null,
  persisted: null,
}));

// Another session took over.
useSession.subscribe(({ info }, before) => {
  if (info === null && before.info !== null && useRecordings.getState().opened)
    useRecordings.setState({ opened: null });
});
