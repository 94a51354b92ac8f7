import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import type { TemplateId } from './logic/manifests-templates.js';
import { addDraft, enterFolder, useManifests } from './manifests-store.js';

const can = (what: 'apply' | 'scenarios') => {
  const s = useSession.getState();
  return s.phase === 'ready' && (s.info?.capabilities[what] ?? false);
};

/** Names that a new file cannot have. */
export const takenFiles = (): string[] => [
  ...useSession.getState().manifests.map((m) => m.file),
  ...Object.keys(useManifests.getState().drafts),
];

async function begin(id: TemplateId): Promise<void> {
  const { fromTemplate } = await import('./logic/manifests-templates.js');
  enterFolder();
  const { file, text } = fromTemplate(id, takenFiles());
  useUI.setState({ left: 'manifests' });
  addDraft(file, text);
}
const template = <I extends TemplateId>(id: I) =>
  command({ title: `command.newManifest.${id}`, available: () => can('apply'), run: () => begin(id) });

export const manifestCommands = {
  'manifest.new.plain': template('plain'),
  'manifest.new.probes': template('probes'),
  'manifest.new.init': template('init'),
  'manifest.new.sidecar': template('sidecar'),
  'manifest.new.hooks': template('hooks'),
  'manifest.new.prestop': template('prestop'),
  'manifest.new.job': template('job'),
  'manifest.new.crash': template('crash'),
  'manifest.new.image': template('image'),
  'manifest.new.oom': template('oom'),
  'manifest.new.qos': template('qos'),
  'manifest.new.volumes': template('volumes'),
  'manifest.new.hostNetwork': template('hostNetwork'),
  'manifest.compare': command({
    title: 'command.compareManifest',
    available: () => can('apply') && useUI.getState().left === 'manifests',
    run: () => useManifests.setState((s) => ({ comparing: !s.comparing })),
  }),
  /** Loads a scenario that does to a pod what kubectl says was done to it. */
  'scenario.fromPod': command<string>({
    title: 'command.scenarioFromPod',
    palette: false,
    available: () => can('scenarios'),
    run: async (text) => {
      const { scenarioFromPod } = await import('@syncloop/core/scenario');
      await session.command({ do: 'load', scenario: 'from-pod', text: scenarioFromPod(text) });
      useUI.setState({ selection: null, inspectorOpen: false, tryDismissed: false });
      notify(t('manifests.scenarioMade'));
    },
  }),
};
