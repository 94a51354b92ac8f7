import type { ImageQuestion } from '@syncloop/core/scenario/workload';
import { focusStage } from '../../commands/focus.js';
import { command } from '../../commands/types.js';
import { toggleLeft, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { type PastedScenario, usePasted } from './pasted-store.js';

function ask(pasted: PastedScenario | null): void {
  if (!pasted) return;
  usePasted.setState({ pasted });
  useUI.setState({ dialog: 'pastedScenario' });
}

const canLoad = () => {
  const { phase, info } = useSession.getState();
  return phase === 'ready' && (info?.capabilities.scenarios ?? false);
};

export const scenarioCommands = {
  'view.scenarios': command({ title: 'command.scenarios', keys: ['S'], group: 'panels', run: toggleLeft('scenarios') }),
  'scenario.load': command<{ name: string; seed?: number }>({
    title: 'command.loadScenario',
    palette: false,
    available: canLoad,
    run: async ({ name, seed }) => {
      await session.command({ do: 'load', scenario: name, ...(seed === undefined ? {} : { seed }) });
      useUI.setState({ selection: null, inspectorOpen: false, tryDismissed: false });
      focusStage();
    },
  }),
  /** Makes a scenario of the run up to here, with all that was done in it. */
  'scenario.fromRun': command({
    title: 'command.scenarioFromRun',
    available: () => canLoad() && useSession.getState().info?.capabilities.rewind === true,
    run: () => useUI.setState({ dialog: 'makeScenario' }),
  }),
  /** Asks what to do with a scenario made of a pod's history as kubectl prints it. */
  'scenario.fromPod': command<string>({
    title: 'command.scenarioFromPod',
    group: 'change',
    palette: false,
    available: canLoad,
    run: async (text) => ask((await import('./pasted.js')).pastedPod(text)),
  }),
  /**
   * The same of manifests on a node with an API server; `absent`: what becomes of objects that they only name; `said`:
   * what their images do.
   */
  'scenario.fromWorkload': command<{
    readonly text: string;
    readonly absent?: 'pretend' | 'missing';
    readonly said?: readonly ImageQuestion[];
  }>({
    title: 'command.scenarioFromWorkload',
    palette: false,
    available: canLoad,
    run: async ({ text, absent, said }) => ask(await (await import('./pasted.js')).pastedWorkload(text, absent, said)),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof scenarioCommands> {}
}
