import { command } from '../../commands/types.js';
import { toggleLeft, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { type ApplyArg, applyManifest, deleteManifest } from './apply.js';
import { useAssumptions } from './assumptions.js';
import type { TemplateId } from './logic/manifests-templates.js';
import { addDraft, enterFolder, useManifests } from './manifests-store.js';

const canApply = () => {
  const s = useSession.getState();
  return s.phase === 'ready' && (s.info?.capabilities.apply ?? false);
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
  command({ title: `command.newManifest.${id}`, group: 'change', available: canApply, run: () => begin(id) });

export const manifestCommands = {
  'view.manifests': command({ title: 'command.manifests', keys: ['M'], group: 'panels', run: toggleLeft('manifests') }),
  'manifest.apply': command<ApplyArg>({
    title: 'command.applyManifest',
    palette: false,
    available: canApply,
    run: applyManifest,
  }),
  'manifest.delete': command<string>({
    title: 'command.deleteManifest',
    palette: false,
    available: canApply,
    run: deleteManifest,
  }),
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
  /** Asks about the selected container, or the first one whose program is assumed. */
  'program.ask': command({
    title: 'command.programAsk',
    group: 'change',
    available: () => Object.keys(useAssumptions.getState().by).length > 0,
    run: () => {
      const { selection } = useUI.getState();
      const container = selection?.kind === 'container' ? trace.state.containers[selection.id] : undefined;
      const ids = Object.keys(useAssumptions.getState().by);
      const asked = container && ids.find((id) => id === `${container.uid}/${container.name}`);
      useAssumptions.setState({ asked: asked ?? ids[0] ?? '' });
      useUI.setState({ dialog: 'program' });
    },
  }),
  'manifest.compare': command({
    title: 'command.compareManifest',
    group: 'change',
    available: () => canApply() && useUI.getState().left === 'manifests',
    run: () => useManifests.setState((s) => ({ comparing: !s.comparing })),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof manifestCommands> {}
}
