/** The pods in the palette: each by its name, with its most frequent questions and actions. */
import type { PodView } from '@syncloop/core/trace';
import { isAvailable, runCommand } from '../../commands/index.js';
import { t } from '../../i18n/index.js';
import { select, showInspector, useUI } from '../../page/ui-store.js';
import { trace } from '../../run/trace-store.js';
import { podOf } from '../../selection/subject.js';
import { inBoth } from '../../shell/dialogs/command-entries.js';
import type { PaletteEntry, PaletteProvider } from '../../shell/registry.js';
import { shortPod } from '../../units/text.js';

/** The kubelet waits before it tries something of the pod again, or has given it up. */
const inTrouble = (pod: PodView): boolean => pod.phase === 'Failed' || Object.keys(pod.backoffs).length > 0;

export const podEntries: PaletteProvider = {
  id: 'pods',
  order: 30,
  title: 'palette.pods',
  entries: () => {
    const { selection } = useUI.getState();
    const record = selection?.kind === 'record' ? trace.records.get(selection.seq) : undefined;
    const selected = selection ? podOf(trace.state, selection, record) : '';
    return Object.values(trace.state.pods).flatMap((pod) => entriesOf(pod, pod.uid === selected));
  },
};

function entriesOf(pod: PodView, selected: boolean): readonly PaletteEntry[] {
  const { uid } = pod;
  const name = shortPod(pod.pod);
  const trouble = inTrouble(pod);
  const why = trouble ? 'palette.podTrouble' : 'palette.podWhy';
  const [namespace = 'default', bare = name] = pod.pod.split('/');
  const ask = (verb: 'logs' | 'describe pod') => () => {
    useUI.setState({ bottom: 'console' });
    runCommand('console.run', `${verb} ${bare} -n ${namespace}`);
  };
  const near = selected ? 0.4 : trouble ? 0.3 : 0;
  const killable = isAvailable('pod.kill')
    ? Object.values(trace.state.containers).filter((c) => c.uid === uid && c.state === 'running')
    : [];
  return [
    {
      key: uid,
      title: name,
      also: `${pod.pod} ${pod.phase}`,
      run: () => runCommand('view.select', { kind: 'pod', uid }),
    },
    {
      key: `${uid} why`,
      title: t(why, { pod: name }),
      words: inBoth('find.palette.podWhy'),
      // A selected pod has its own command for that.
      fits: trouble && !selected ? 0.8 : 0,
      run: () => {
        select({ kind: 'pod', uid });
        showInspector('why');
      },
    },
    ...killable.map((c) => ({
      key: `${uid} kill ${c.name}`,
      title: t('palette.podKill', { container: c.name, pod: name }),
      words: inBoth('find.palette.podKill'),
      fits: selected ? 0.65 : 0,
      run: () => runCommand('pod.kill', { uid, container: c.name }),
    })),
    {
      key: `${uid} logs`,
      title: t('palette.podLogs', { pod: name }),
      words: inBoth('find.palette.podLogs'),
      fits: near,
      run: ask('logs'),
    },
    {
      key: `${uid} describe`,
      title: t('palette.podDescribe', { pod: name }),
      words: inBoth('find.palette.podDescribe'),
      run: ask('describe pod'),
    },
  ];
}
