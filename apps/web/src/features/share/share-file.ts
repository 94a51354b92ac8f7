/** Moments as files, for those that are too large for a link. */

import { nameOfFile, readOwnFile } from '../../files/own-file.js';
import { LinkError } from '../../files/packed-text.js';
import { download } from '../../files/pick-and-save.js';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { momentFile, momentFromFile } from './share.js';
import { momentNow } from './share-now.js';
import { openSaid } from './share-open.js';

export async function saveMoment(): Promise<void> {
  const { info, run } = useSession.getState();
  const text = momentFile(await momentNow());
  download(nameOfFile(info?.title ?? 'syncloop', run.time, 'moment'), new TextEncoder().encode(text));
}

/** Opens the moment of a file. Problems are shown to the user. */
export async function openMomentFile(file: Blob, ready: () => Promise<boolean>): Promise<void> {
  try {
    const moment = momentFromFile(await readOwnFile(file));
    await openSaid(() => moment, ready);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    notify(t(error instanceof LinkError ? `share.badFile.${error.problem}` : 'share.notOpened', { why }), true);
  }
}
