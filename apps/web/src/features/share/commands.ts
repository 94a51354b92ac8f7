import { runCommand } from '../../commands/index.js';
import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { showsRecording } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { canShare, linkNow } from './link.js';
import { onlyHere } from './only-here.js';

/** The code for files is loaded when it is needed: few pages need it. */
const file = () => import('./share-file.js');

/** Copies the link; if that is not allowed, or the link is too long for most programs, shows it in a dialog. */
async function copyLink(): Promise<void> {
  const link = await linkNow();
  const { LONG_LINK } = await import('./share.js');
  if (link.length > LONG_LINK) {
    useUI.setState({ dialog: 'link', link });
    return;
  }
  try {
    await navigator.clipboard.writeText(link);
    // Nobody else finds anything at such a link's address: a file can be sent instead.
    if (onlyHere(link))
      notify(t('share.copiedOnlyHere', { n: link.length, host: new URL(link).host || 'file:' }), false, {
        label: t('command.saveMoment'),
        run: () => runCommand('share.saveMoment'),
      });
    else notify(t('share.copied', { n: link.length }));
  } catch {
    // No clipboard, or no leave to use it.
    useUI.setState({ dialog: 'link', link });
  }
}

export const shareCommands = {
  'link.copy': command({
    title: 'command.copyLink',
    keys: ['C'],
    group: 'change',
    available: canShare,
    hint: () => (showsRecording() ? 'share.recorded' : null),
    run: copyLink,
  }),
  'share.saveMoment': command({
    title: 'command.saveMoment',
    group: 'change',
    available: canShare,
    run: async () => (await file()).saveMoment(),
  }),
  /** Copies the narrator's last sentences as Markdown. */
  'share.copyStory': command({
    title: 'command.copyStory',
    group: 'change',
    available: () => trace.records.size > 0,
    run: () => useUI.setState({ dialog: 'story' }),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof shareCommands> {}
}
