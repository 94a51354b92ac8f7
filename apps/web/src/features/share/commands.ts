import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';

/** What few need is loaded when it is needed. */
const file = () => import('./share-file.js');
const ready = async () => (await import('../../shell/boot.js')).simulationReady();

const canShare = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && info?.capabilities.scenarios === true && info.capabilities.rewind === true;
};

/** The page's address with the present moment in it. Throws with the remedy where it is too long for any link. */
export async function linkNow(): Promise<string> {
  const [{ encodeMoment, LinkError, linkTo }, { momentNow }] = await Promise.all([
    import('./share.js'),
    import('./share-now.js'),
  ]);
  try {
    return linkTo(location.href, await encodeMoment(await momentNow()));
  } catch (error) {
    if (!(error instanceof LinkError)) throw error;
    throw new Error(t(`share.bad.${error.problem}`, { why: error.message }));
  }
}

/** Puts the link where it can be pasted from; where that is not allowed, or the link is too long for most, into a dialog. */
async function copyLink(): Promise<void> {
  const link = await linkNow();
  const { LONG_LINK } = await import('./share.js');
  if (link.length > LONG_LINK) {
    useUI.setState({ dialog: 'link', link });
    return;
  }
  try {
    await navigator.clipboard.writeText(link);
    notify(t('share.copied', { n: link.length }));
  } catch {
    // No clipboard, or no leave to use it.
    useUI.setState({ dialog: 'link', link });
  }
}

export const shareCommands = {
  'link.copy': command({ title: 'command.copyLink', keys: ['C'], available: canShare, run: copyLink }),
  'share.embed': command({
    title: 'command.embed',
    available: canShare,
    run: async () => useUI.setState({ link: await linkNow(), dialog: 'embed' }),
  }),
  'share.saveMoment': command({
    title: 'command.saveMoment',
    available: canShare,
    run: async () => (await file()).saveMoment(),
  }),
  'share.open': command({
    title: 'command.openMoment',
    run: async () => {
      const { openOwnFile, pickOwnFile } = await file();
      const picked = await pickOwnFile();
      if (picked) await openOwnFile(picked, ready);
    },
  }),
  /** A file of a moment or of notes. */
  'share.openFile': command<Blob>({
    title: 'command.openMoment',
    palette: false,
    run: async (picked) => (await file()).openOwnFile(picked, ready),
  }),
  /** What the narrator said last, as Markdown. */
  'share.copyStory': command({
    title: 'command.copyStory',
    available: () => trace.records.size > 0,
    run: () => useUI.setState({ dialog: 'story' }),
  }),
};
