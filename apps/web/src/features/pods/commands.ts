import { command } from '../../commands/types.js';
import { undoable, undoableSaid } from '../../commands/undo.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { simulate } from '../../shell/boot.js';
import { shortPod } from '../../units/text.js';
import { addVariable, breakImage, manifestOf } from '../manifests/logic/manifests.js';

const can = (what: 'apply' | 'intervene' | 'scenarios') => {
  const s = useSession.getState();
  return s.phase === 'ready' && (s.info?.capabilities[what] ?? false);
};

export interface ApplyArg {
  readonly file: string;
  readonly text: string;
  readonly force?: boolean;
}

/** Writes a manifest; the Error it rejects with is the session's own sentence about what is wrong. */
async function apply(arg: ApplyArg): Promise<void> {
  const { file } = arg;
  const before = textOf(file);
  await write(arg);
  undoable({
    title: t('undo.applied', { file }),
    ofSession: true,
    undo: () => (before === undefined ? remove(file) : write({ file, text: before, force: true })),
    redo: () => write(arg),
  });
}
async function write({ file, text, force }: ApplyArg): Promise<void> {
  await session.command({ do: 'apply', manifest: text, file, ...(force ? { force } : {}) });
  await session.refreshManifests();
}
async function remove(file: string): Promise<void> {
  await session.command({ do: 'delete', file });
  await session.refreshManifests();
}
const textOf = (file: string): string | undefined => useSession.getState().manifests.find((m) => m.file === file)?.text;

/** The pod that things are tried on: the one selected, else the first that runs. */
export function podToTry(): { uid: string; pod: string } | null {
  const { pods } = trace.state;
  const { selection } = useUI.getState();
  const chosen = selection?.kind === 'pod' ? pods[selection.uid] : undefined;
  const pod =
    chosen?.phase === 'Running' && chosen.desired
      ? chosen
      : Object.values(pods).find((p) => p.phase === 'Running' && p.desired);
  return pod ? { uid: pod.uid, pod: pod.pod } : null;
}

const canTry = () => podToTry() !== null;

async function tryOnManifest(
  change: (text: string) => string,
  done: 'try.done.break' | 'try.done.change',
): Promise<void> {
  const pod = podToTry();
  if (!pod) return;
  await session.refreshManifests();
  const found = manifestOf(useSession.getState().manifests, pod.pod);
  if (!found) {
    notify(t('try.noManifest'), true);
    return;
  }
  await apply({ file: found.file, text: change(found.text) });
  useUI.setState({ left: 'manifests' });
  notify(t(done, { file: found.file }));
}

export const podCommands = {
  'manifest.apply': command<ApplyArg>({
    title: 'command.applyManifest',
    palette: false,
    available: () => can('apply'),
    run: apply,
  }),
  'manifest.delete': command<string>({
    title: 'command.deleteManifest',
    palette: false,
    available: () => can('apply'),
    run: async (file) => {
      const before = textOf(file);
      await remove(file);
      undoableSaid(
        {
          title: t('undo.deleted', { file }),
          ofSession: true,
          undo: () => write({ file, text: before ?? '', force: true }),
          redo: () => remove(file),
        },
        t('manifests.deleted', { file }),
      );
    },
  }),
  'pod.kill': command<{ uid: string; container?: string }>({
    title: 'command.kill',
    palette: false,
    available: () => can('intervene'),
    run: async ({ uid, container }) => {
      await session.command({ do: 'kill', uid, ...(container === undefined ? {} : { container }) });
    },
  }),
  'scenario.load': command<{ name: string; seed?: number }>({
    title: 'command.loadScenario',
    palette: false,
    available: () => can('scenarios'),
    run: async ({ name, seed }) => {
      await session.command({ do: 'load', scenario: name, ...(seed === undefined ? {} : { seed }) });
      useUI.setState({ selection: null, inspectorOpen: false, tryDismissed: false });
    },
  }),
  'session.simulate': command({ title: 'command.simulate', palette: false, run: () => simulate() }),
  'try.kill': command({
    title: 'command.tryKill',
    available: () => can('intervene') && canTry(),
    run: async () => {
      const pod = podToTry();
      if (!pod) return;
      const running = Object.values(trace.state.containers).find((c) => c.uid === pod.uid && c.state === 'running');
      if (!running) return;
      await session.command({ do: 'kill', uid: pod.uid, container: running.name });
      notify(t('try.done.kill', { container: `${shortPod(pod.pod)}/${running.name}` }));
    },
  }),
  'try.break': command({
    title: 'command.tryBreak',
    available: () => can('apply') && canTry(),
    run: () => tryOnManifest(breakImage, 'try.done.break'),
  }),
  'try.change': command({
    title: 'command.tryChange',
    available: () => can('apply') && canTry(),
    run: () => tryOnManifest(addVariable, 'try.done.change'),
  }),
};
