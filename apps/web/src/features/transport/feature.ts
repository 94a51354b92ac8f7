/** Running, stepping and going to a moment: the controls in the header, and the reason why a run stands still. */

import { words } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import type { Feature } from '../../shell/registry.js';
import { transportCommands } from './commands.js';
import { en } from './en.js';
import { momentEntries } from './palette-moments.js';
import { Progress } from './progress.js';
import { Next, Outcome } from './run-status.js';
import { ChoicePopover, StoppedBar, Transport } from './transport.js';
import { useTransport } from './transport-store.js';

export const transport: Feature = {
  words: [words(en, () => import('./zh-cn.js'))],
  commands: [transportCommands],
  slots: [
    { at: 'header', order: 10, Component: Transport },
    { at: 'stage', order: 30, Component: ChoicePopover },
    { at: 'stage', order: 40, Component: StoppedBar },
    { at: 'narrator.state', order: 10, Component: Progress },
    { at: 'narrator.state', order: 20, Component: Outcome },
    { at: 'narrator.state', order: 30, Component: Next },
  ],
  palette: [momentEntries],
  menus: [
    {
      menu: 'session',
      order: 120,
      id: 'transport.restart',
      when: () => useSession.getState().info?.capabilities.scenarios ?? false,
    },
  ],
  escapes: [
    {
      order: 10,
      close: () => {
        const open = useTransport.getState().menu !== null;
        if (open) useTransport.setState({ menu: null });
        return open;
      },
    },
  ],
};
