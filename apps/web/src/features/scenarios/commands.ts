import { focusStage } from '../../commands/focus.js';
import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { notify, toggleLeft, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';

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
  /** Loads a scenario that does to a pod what kubectl says was done to it. */
  'scenario.fromPod': command<string>({
    title: 'command.scenarioFromPod',
    group: 'change',
    palette: false,
    available: canLoad,
    run: async (text) => {
      const { scenarioFromPod } = await import('@syncloop/core/scenario');
      await session.command({ do: 'load', scenario: 'from-pod', text: scenarioFromPod(text) });
      useUI.setState({ selection: null, inspectorOpen: false, tryDismissed: false });
      focusStage();
      notify(t('manifests.scenarioMade'));
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof scenarioCommands> {}
}
