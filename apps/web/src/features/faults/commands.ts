import { actionName, type Json, lookupOf } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { narratorOf, t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { newest } from '../../run/queries.js';
import { inThePast, showsRecording, useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { canBranch, change } from '../branches/branches.js';

const canAct = () => useSession.getState().info?.capabilities.intervene === true && canBranch();

/** Names the last action from outside that the page has received. */
function lastAction(): string {
  const { records, state } = trace;
  const [record] = newest(records, 1, (r) => r.kind === 'input', 500);
  return record?.kind === 'input' ? actionName(narratorOf(useUI.getState().lang), record, lookupOf(state)) : '✓';
}

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
      await change({ do: 'act', action });
      notify(t(past ? 'faults.doneBranch' : 'faults.done', { what: lastAction() }));
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof faultCommands> {}
}
