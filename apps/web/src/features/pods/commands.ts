import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { notify, toggleLeft, useUI } from '../../page/ui-store.js';
import { showsRecording, useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { shortPod } from '../../units/text.js';
import { applyManifest } from '../manifests/apply.js';
import { addVariable, breakImage, manifestOf } from '../manifests/logic/manifests.js';
import { isHealthy } from './logic/healthy.js';

const can = (what: 'apply' | 'intervene') => {
  const s = useSession.getState();
  return s.phase === 'ready' && (s.info?.capabilities[what] ?? false);
};

/** Returns the pod to try things on: the selected one, else the first that runs and is healthy. */
export function podToTry(): { uid: string; pod: string } | null {
  const { state } = trace;
  const { selection } = useUI.getState();
  const chosen = selection?.kind === 'pod' ? state.pods[selection.uid] : undefined;
  const pod = chosen && isHealthy(state, chosen) ? chosen : Object.values(state.pods).find((p) => isHealthy(state, p));
  return pod ? { uid: pod.uid, pod: pod.pod } : null;
}

const canTry = () => podToTry() !== null;
const tryHint = () => (showsRecording() ? 'blocked.recorded' : can('intervene') ? 'blocked.noPodRuns' : null);

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
  await applyManifest({ file: found.file, text: change(found.text) });
  useUI.setState({ left: 'manifests' });
  notify(t(done, { file: found.file }));
}

export const podCommands = {
  'view.pods': command({ title: 'command.pods', keys: ['P'], group: 'panels', run: toggleLeft('pods') }),
  'pod.kill': command<{ uid: string; container?: string }>({
    title: 'command.kill',
    palette: false,
    available: () => can('intervene'),
    run: async ({ uid, container }) => {
      await session.command({ do: 'kill', uid, ...(container === undefined ? {} : { container }) });
    },
  }),
  'try.kill': command({
    title: 'command.tryKill',
    group: 'change',
    available: () => can('intervene') && canTry(),
    hint: tryHint,
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
    group: 'change',
    available: () => can('apply') && canTry(),
    hint: tryHint,
    run: () => tryOnManifest(breakImage, 'try.done.break'),
  }),
  'try.change': command({
    title: 'command.tryChange',
    group: 'change',
    available: () => can('apply') && canTry(),
    hint: tryHint,
    run: () => tryOnManifest(addVariable, 'try.done.change'),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof podCommands> {}
}
