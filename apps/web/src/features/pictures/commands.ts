import { command } from '../../commands/types.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { CastOptions } from './screencast.js';

/** The code for pictures is loaded when it is needed: few pages need it. */
const pictures = () => import('./pictures.js');

const ready = () => useSession.getState().phase === 'ready';
const canGo = () => {
  const { phase, info, run } = useSession.getState();
  const can = info?.capabilities;
  return phase === 'ready' && can?.control === true && can.rewind === true && !run.running && run.choice === null;
};

export const pictureCommands = {
  'picture.open': command({
    title: 'command.picture',
    group: 'change',
    keys: ['Shift+G'],
    available: ready,
    run: () => useUI.setState({ dialog: 'picture' }),
  }),
  'picture.svg': command({
    title: 'command.pictureSVG',
    group: 'change',
    available: ready,
    run: async () => (await pictures()).saveSVG(),
  }),
  'picture.png': command({
    title: 'command.picturePNG',
    group: 'change',
    available: ready,
    run: async () => (await pictures()).savePNG(),
  }),
  'picture.copy': command({
    title: 'command.pictureCopy',
    group: 'change',
    available: ready,
    run: async () => (await pictures()).copyPNG(),
  }),
  'picture.record': command<CastOptions>({
    title: 'command.pictureRecord',
    palette: false,
    available: canGo,
    run: async (options) => (await import('./screencast.js')).record(options),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof pictureCommands> {}
}
