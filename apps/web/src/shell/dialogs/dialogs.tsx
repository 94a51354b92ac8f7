import { type ComponentType, lazy, Suspense } from 'react';
import { type Dialog, useUI } from '../../page/ui-store.js';
import { Palette } from './palette.js';

/** What each dialog is. The palette is there at once, as what is typed right after its key is for it; the rest is loaded when it is opened. */
const DIALOGS: Readonly<Partial<Record<Dialog, ComponentType>>> = {
  palette: Palette,
  shortcuts: lazy(async () => ({ default: (await import('./shortcuts.js')).Shortcuts })),
  faults: lazy(async () => ({ default: (await import('../../features/faults/faults-dialog.js')).FaultsDialog })),
  link: lazy(async () => ({ default: (await import('../../features/share/link-dialog.js')).LinkDialog })),
  liveNode: lazy(async () => ({
    default: (await import('../../features/connection/live-node-dialog.js')).LiveNodeDialog,
  })),
  picture: lazy(async () => ({ default: (await import('../../features/pictures/picture-dialog.js')).PictureDialog })),
  note: lazy(async () => ({ default: (await import('../../features/notes/note-dialog.js')).NoteDialog })),
  embed: lazy(async () => ({ default: (await import('../../features/embed/embed-dialog.js')).EmbedDialog })),
  story: lazy(async () => ({ default: (await import('../../features/share/story-dialog.js')).StoryDialog })),
};

export function Dialogs() {
  const dialog = useUI((s) => s.dialog);
  const Shown = dialog && DIALOGS[dialog];
  if (!Shown) return null;
  return (
    <Suspense fallback={null}>
      <Shown />
    </Suspense>
  );
}
