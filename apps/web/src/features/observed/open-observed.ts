/** Files of somebody else's kubelet, however they came in. */
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { withProgress } from '../../run/progress-store.js';
import { NothingToObserve, observedConnection } from '../../session/connection/worker-connection.js';
import { session } from '../../session/session.js';
import type { ObservedFile, RefusedFile } from '../../session/worker/open-message.js';
import { arrive } from './file-link.js';
import { useObserved } from './observed-store.js';

const nameOf = (file: Blob): string =>
  'name' in file && typeof file.name === 'string' ? file.name : t('observed.pasted');
const pathOf = (file: Blob): string => {
  const path = (file as { readonly webkitRelativePath?: string }).webkitRelativePath;
  return path || nameOf(file);
};

export const refusedText = ({ name, why }: RefusedFile): string => t(`observed.refused.${why}`, { name });

/**
 * Replaces the present session as soon as there is something to show; reading of the files continues meanwhile. Rejects
 * with the kind of each file if none is a kubelet's; resolves with false for a single file of another kind.
 */
export async function openObserved(blobs: readonly Blob[], node?: string): Promise<boolean> {
  const files = blobs.map(
    (blob): ObservedFile => ({
      name: pathOf(blob),
      blob,
      modified: 'lastModified' in blob && typeof blob.lastModified === 'number' ? blob.lastModified : Date.now(),
    }),
  );
  const stop = new AbortController();
  try {
    const { connection, refused, nodes, shown } = await withProgress(
      'progress.observe',
      () => observedConnection(files, stop.signal, node),
      { cancel: () => stop.abort(t('observed.cancelled')) },
    );
    session.connect(() => connection, 'worker');
    useObserved.setState({ refused, files, nodes, shown, showNode: (other) => openObserved(blobs, other) });
    useUI.setState({ left: 'findings', selection: null });
    if (nodes.length > 1) notify(t('observed.nodesNotice', { n: nodes.length, shown: shown || nodes[0] || '' }));
    if (refused.length > 0) notify(t('observed.notice', { n: refused.length }));
    void arrive();
    return true;
  } catch (error) {
    if (!(error instanceof NothingToObserve)) throw error;
    if (blobs.length === 1 && error.refused.every(({ why }) => why === 'unknown') && error.message === '') return false;
    const said = [...error.refused.map(refusedText), t('observed.refused.none'), error.message];
    throw new Error(said.filter(Boolean).join(' '));
  }
}
