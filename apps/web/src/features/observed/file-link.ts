/** Links to a moment of an observed file: whoever gets one drops the file, and the page goes there. */
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { wallTime } from '../../run/wall-time.js';
import { session } from '../../session/session.js';
import { type FileLink, fingerprints, linkIn, linkTime, momentOf, withLink } from './logic/file-link.js';
import { useObserved } from './observed-store.js';

const blobs = () => useObserved.getState().files.map(({ blob }) => blob);

/** Copies a link to the present moment; if that is not allowed, shows it. */
export async function copyFileLink(): Promise<void> {
  const { info } = useSession.getState();
  const { files } = useObserved.getState();
  if (!info || files.length === 0) return;
  const largest = files.toSorted((a, b) => b.blob.size - a.blob.size)[0];
  const link = withLink(location.href, {
    at: linkTime(info, trace.cursor.time),
    name: largest?.name ?? '',
    files: await fingerprints(blobs()),
  });
  try {
    await navigator.clipboard.writeText(link);
    notify(t('observed.link.copied'));
  } catch {
    // No clipboard, or no leave to use it.
    useUI.setState({ dialog: 'link', link });
  }
}

/** Goes to the moment of the link that waits, if these are its files. They are read up to there first. */
export async function arrive(): Promise<void> {
  const { link } = useObserved.getState();
  if (!link) return;
  const known = new Set(await fingerprints(blobs()));
  if (!link.files.some((file) => known.has(file))) {
    notify(t('observed.link.other', { name: link.name }), true);
    return;
  }
  useObserved.setState({ link: null });
  if (useUI.getState().dialog === 'fileLink') useUI.setState({ dialog: null });
  const reached = await goWhenRead(link);
  if (reached) notify(t('observed.link.there', { at: wallTime(reached, momentOf(reached, link), true) }));
}

/**
 * Goes to a time, in microseconds since 1970, once the session's files are read up to there. Resolves with the
 * session's description; with null if it ended before.
 */
export async function goWhenRead(moment: Pick<FileLink, 'at'>) {
  const reached = await readTo(moment);
  if (reached) await session.command({ do: 'go', to: { time: momentOf(reached, moment) } });
  return reached;
}

/** Resolves with the session's description when it has read as far as the link; null if it ended before. */
function readTo(link: Pick<FileLink, 'at'>) {
  const { info: first } = useSession.getState();
  return new Promise<NonNullable<typeof first> | null>((resolve) => {
    let stop = () => {};
    const look = () => {
      const { info, run, phase } = useSession.getState();
      if (phase === 'closed' || phase === 'refused' || (first && info && info.id !== first.id)) {
        stop();
        resolve(null);
      } else if (
        info?.capabilities.observed &&
        (run.reading?.ended === true || (run.end?.time ?? 0) > momentOf(info, link))
      ) {
        stop();
        resolve(info);
      }
    };
    stop = useSession.subscribe(look);
    look();
  });
}

/** Follows the link in an address: it waits for its file, which may be open already. */
export function followLink(href: string): void {
  const link = linkIn(href);
  if (!link) return;
  useObserved.setState({ link });
  if (useObserved.getState().files.length > 0) void arrive();
  else useUI.setState({ dialog: 'fileLink' });
}
