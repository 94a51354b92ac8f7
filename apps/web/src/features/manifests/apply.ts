/** Writes and deletes the manifests of the run in view. */
import { undoable, undoableSaid } from '../../commands/undo.js';
import { t } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';

export interface ApplyArg {
  readonly file: string;
  readonly text: string;
  readonly force?: boolean;
}

/** Writes a manifest; rejects with an Error of the session's own sentence about the problem. */
export async function applyManifest(arg: ApplyArg): Promise<void> {
  const { file } = arg;
  const before = textOf(file);
  await write(arg);
  undoable({
    title: t('undo.applied', { file }),
    ofSession: true,
    undo: () => (before === undefined ? remove(file) : write({ file, text: before, force: true })),
    redo: () => write(arg),
  });
}
async function write({ file, text, force }: ApplyArg): Promise<void> {
  await session.command({ do: 'apply', manifest: text, file, ...(force ? { force } : {}) });
  await session.refreshManifests();
}
async function remove(file: string): Promise<void> {
  await session.command({ do: 'delete', file });
  await session.refreshManifests();
}
const textOf = (file: string): string | undefined => useSession.getState().manifests.find((m) => m.file === file)?.text;

/** Deletes a manifest, which can be undone. */
export async function deleteManifest(file: string): Promise<void> {
  const before = textOf(file);
  await remove(file);
  undoableSaid(
    {
      title: t('undo.deleted', { file }),
      ofSession: true,
      undo: () => write({ file, text: before ?? '', force: true }),
      redo: () => remove(file),
    },
    t('manifests.deleted', { file }),
  );
}
