import type { Json } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { inThePast, showsRecording, useSession } from '../../run/session-store.js';
import { canBranch, doNamed } from '../branches/branches.js';
import { actionName } from './logic/fault-text.js';

const canAct = () => useSession.getState().info?.capabilities.intervene === true && canBranch();

export const faultCommands = {
  'faults.open': command({
    title: 'command.faults',
    keys: ['X'],
    group: 'change',
    available: canAct,
    hint: () => (showsRecording() ? 'blocked.recorded' : null),
    fits: () => 0.3,
    run: () => useUI.setState({ dialog: 'faults' }),
  }),
  'faults.do': command<Json>({
    title: 'command.faults',
    palette: false,
    available: canAct,
    run: async (action) => {
      const past = inThePast(useSession.getState().run);
      await doNamed({ do: 'act', action }, actionName(action));
      notify(t(past ? 'faults.doneBranch' : 'faults.done', { what: actionName(action) }));
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof faultCommands> {}
}
