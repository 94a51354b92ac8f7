import type { EraAnswer } from '@syncloop/core/debug';
import type { EraVersion } from '@syncloop/core/kubelet';
import type { Seq } from '@syncloop/core/trace';
import { command } from '../../commands/types.js';
import { undoableSaid } from '../../commands/undo.js';
import { t } from '../../i18n/index.js';
import { toggleBottom, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { eraOf, fixedBecause, hasEras, sameSelection } from './eras.js';
import { useEras } from './eras-store.js';

/** Goes over to the same run with another version; the old one stays if that is not possible. */
async function goOver(version: EraVersion): Promise<EraAnswer> {
  const { selection } = useUI.getState();
  const { pods } = trace.state;
  const names = Object.fromEntries(Object.entries(pods).map(([uid, { pod }]) => [uid, { pod }]));
  useEras.setState({ choosing: version });
  try {
    const answer = await session.command({ do: 'era', version });
    const same = sameSelection(selection, names, Object.values(trace.state.pods));
    useUI.setState({ selection: same, ...(selection && !same && { inspectorOpen: false }) });
    return answer;
  } finally {
    useEras.setState({ choosing: null });
  }
}

async function choose(version: EraVersion): Promise<void> {
  const before = eraOf();
  if (version === before) return;
  const { choices } = await goOver(version);
  const { info } = useSession.getState();
  const said = [
    t('eras.now', { era: version }),
    info?.writtenFor && t('eras.noVerdict', { era: info.writtenFor }),
    choices > 0 && t('eras.choices', { n: choices }),
  ];
  undoableSaid(
    {
      title: t('eras.chosen', { era: version }),
      ofSession: true,
      undo: async () => void (await goOver(before)),
      redo: async () => void (await goOver(version)),
    },
    said.filter(Boolean).join(' '),
  );
}

export const erasCommands = {
  'view.eras': command({
    title: 'command.eras',
    keys: ['Shift+E'],
    group: 'panels',
    available: hasEras,
    run: toggleBottom('eras'),
  }),
  /** Runs the same with another version of the kubelet. */
  'era.choose': command<EraVersion>({
    title: 'command.eraChoose',
    group: 'change',
    palette: false,
    available: () => fixedBecause() === '' && useEras.getState().choosing === null,
    run: choose,
  }),
  'eras.compare': command<EraVersion>({
    title: 'command.erasCompare',
    palette: false,
    available: () => hasEras() && !useEras.getState().comparing,
    run: async (other) => {
      useEras.setState({ comparing: true });
      try {
        const compared = await session.command({ do: 'compareEras', with: other });
        useEras.setState({ compared, shown: compared.first });
      } finally {
        useEras.setState({ comparing: false });
      }
    },
  }),
  /** Goes to a record of either run. */
  'eras.go': command<{ readonly era: EraVersion; readonly seq: Seq }>({
    title: 'command.erasGo',
    palette: false,
    available: () => fixedBecause() === '',
    run: async ({ era, seq }) => {
      if (era !== eraOf()) await goOver(era);
      await session.command({ do: 'go', to: { seq } });
      useUI.setState({ selection: { kind: 'record', seq }, inspectorOpen: true });
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof erasCommands> {}
}
