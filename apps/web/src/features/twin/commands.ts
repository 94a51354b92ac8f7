import type { Incident } from '@syncloop/core/debug/incidents';
import type { EraVersion } from '@syncloop/core/kubelet';
import type { Seq } from '@syncloop/core/trace';
import type { Cut, Verdict } from '@syncloop/observe/twin';
import { runCommand } from '../../commands/index.js';
import { command } from '../../commands/types.js';
import { download } from '../../files/pick-and-save.js';
import { toggleBottom, useUI } from '../../page/ui-store.js';
import { useCounterpart } from '../../run/counterpart.js';
import { useSession } from '../../run/session-store.js';
import { simulate } from '../../session/connect.js';
import { session } from '../../session/session.js';
import { aroundTime } from './logic/part.js';
import {
  canReenact,
  compareBranch,
  goToDifference,
  hasTwin,
  isLong,
  select,
  show,
  twinState,
  verdictHere,
} from './twin.js';
import { usePrevention, useTwin } from './twin-store.js';

type Pair = Verdict['pairs'][number];

const differences = () => verdictHere()?.differences.length ?? 0;
const inTwin = () => hasTwin() && twinState()?.side === 'twin';
const selectedRecord = (): Seq | null => {
  const { selection } = useUI.getState();
  return selection?.kind === 'record' ? selection.seq : null;
};
const working = () => twinState()?.doing !== undefined;

/** Returns the nearest decision of both runs after the session's record (1), or before it (-1). */
function pairAt(by: 1 | -1): Pair | undefined {
  if (!hasTwin()) return undefined;
  const { seq } = useSession.getState().run;
  const side = inTwin() ? 'twin' : 'seen';
  let found: Pair | undefined;
  for (const pair of useTwin.getState().answer?.verdict.pairs ?? [])
    if ((pair[side] - seq) * by > 0 && (!found || (pair[side] - found[side]) * by < 0)) found = pair;
  return found;
}
async function goToPair(pair: Pair | undefined): Promise<void> {
  if (!pair) return;
  const side = inTwin() ? 'twin' : 'seen';
  await show(side, pair);
  select(pair[side]);
}

/** On a phone, sheets over the panel are closed. */
function showPanel(): void {
  const narrow = window.matchMedia('(max-width: 720px)').matches;
  useUI.setState({ bottom: 'twin', ...(narrow && { left: null, inspectorOpen: false }) });
}

interface Chosen extends Cut {
  readonly text?: string;
  readonly era?: EraVersion;
}
async function reenact(chosen: Chosen = {}): Promise<void> {
  showPanel();
  await session.command({ do: 'reenact', ...chosen });
}

export const twinCommands = {
  'view.twin': command({
    title: 'command.twin',
    keys: ['Shift+T'],
    group: 'panels',
    available: canReenact,
    run: toggleBottom('twin'),
  }),
  'twin.make': command({
    title: 'command.twinMake',
    group: 'ask',
    available: () => canReenact() && !working() && !hasTwin(),
    fits: () => (canReenact() && !hasTwin() ? 0.9 : 0),
    // The panel asks for a part of a long run.
    run: () => (isLong(useSession.getState()) ? showPanel() : reenact()),
  }),
  /** Re-enacts a part of the observed run. */
  'twin.part': command<Cut>({
    title: 'command.twinMake',
    palette: false,
    available: () => canReenact() && !working(),
    run: (part) => reenact(part),
  }),
  /** Makes the twin again if the observed run went on since, or was still being read. */
  'twin.again': command({
    title: 'command.twinAgain',
    group: 'ask',
    available: () => hasTwin() && !working(),
    run: () => {
      const { era, kubelet, cut } = useTwin.getState().answer?.scenario ?? {};
      return reenact({ ...cut, ...(era && era !== kubelet?.era && { era }) });
    },
  }),
  /** Re-enacts with the kubelet of another version. */
  'twin.era': command<EraVersion>({
    title: 'command.twinEra',
    palette: false,
    available: () => hasTwin() && !working(),
    run: (era) => reenact({ era }),
  }),
  /** The scenario as a person has changed it. */
  'twin.remake': command<string>({
    title: 'command.twinRemake',
    palette: false,
    available: hasTwin,
    run: (text) => reenact({ text }),
  }),
  'twin.stop': command({
    title: 'command.twinStop',
    keys: ['Shift+Q'],
    group: 'ask',
    available: working,
    run: async () => void (await session.stop()),
  }),
  'twin.seen': command({
    title: 'command.twinSeen',
    group: 'graph',
    available: hasTwin,
    run: async () => {
      useCounterpart.setState({ over: false });
      await show('seen');
    },
  }),
  'twin.twin': command({
    title: 'command.twinTwin',
    group: 'graph',
    available: hasTwin,
    run: async () => {
      useCounterpart.setState({ over: false });
      await show('twin');
    },
  }),
  'twin.both': command({
    title: 'command.twinBoth',
    group: 'graph',
    available: hasTwin,
    run: async () => {
      await show('twin');
      useCounterpart.setState({ over: true });
    },
  }),
  'twin.switch': command({
    title: 'command.twinSwitch',
    keys: ['Z'],
    group: 'graph',
    available: hasTwin,
    run: () => show(inTwin() ? 'seen' : 'twin'),
  }),
  'twin.next': command({
    title: 'command.twinNext',
    keys: ['V'],
    group: 'run',
    available: () => hasTwin() && useTwin.getState().at < differences() - 1,
    run: () => goToDifference(useTwin.getState().at + 1),
  }),
  'twin.previous': command({
    title: 'command.twinPrevious',
    keys: ['Shift+V'],
    group: 'run',
    available: () => hasTwin() && useTwin.getState().at > 0,
    run: () => goToDifference(useTwin.getState().at - 1),
  }),
  'twin.nextPair': command({
    title: 'command.twinNextPair',
    keys: ['Shift+K'],
    group: 'run',
    available: () => pairAt(1) !== undefined,
    run: () => goToPair(pairAt(1)),
  }),
  'twin.previousPair': command({
    title: 'command.twinPreviousPair',
    keys: ['Shift+J'],
    group: 'run',
    available: () => pairAt(-1) !== undefined,
    run: () => goToPair(pairAt(-1)),
  }),
  'twin.difference': command<number>({
    title: 'command.twinNext',
    palette: false,
    available: hasTwin,
    run: goToDifference,
  }),
  /** Goes to a moment that is named by a record of one run or of both. */
  'twin.moment': command<{ readonly seen?: Seq; readonly twin?: Seq }>({
    title: 'command.twinNext',
    palette: false,
    available: hasTwin,
    run: async (at) => {
      const side = twinState()?.side ?? 'seen';
      await show(side, at);
      const seq = at[side];
      if (seq !== undefined) select(seq);
    },
  }),
  /** Goes to a record of the twin. */
  'twin.goTwin': command<Seq>({
    title: 'command.twinTwin',
    palette: false,
    available: hasTwin,
    run: async (seq) => {
      await show('twin', { twin: seq });
      select(seq);
    },
  }),
  /** Goes from a record of the run that is shown to the same moment of the other. */
  'twin.there': command<Seq>({
    title: 'command.twinThere',
    palette: false,
    available: hasTwin,
    run: (seq) => (inTwin() ? show('seen', { twin: seq }) : show('twin', { seen: seq })),
  }),
  'twin.thereSelected': command({
    title: 'command.twinThere',
    group: 'run',
    available: () => hasTwin() && selectedRecord() !== null,
    hint: () => (hasTwin() ? 'blocked.select' : null),
    run: () => {
      const seq = selectedRecord();
      if (seq !== null) runCommand('twin.there', seq);
    },
  }),
  'twin.search': command({
    title: 'command.twinSearch',
    group: 'ask',
    available: () => hasTwin() && !working() && differences() > 0,
    run: async () => {
      showPanel();
      await session.command({ do: 'chance' });
      useTwin.setState({
        answer: await session.command({ do: 'twin' }),
      });
    },
  }),
  'twin.causes': command({
    title: 'command.twinCauses',
    group: 'ask',
    available: () => hasTwin() && !working() && differences() > 0,
    run: async () => {
      showPanel();
      try {
        await session.command({ do: 'causes' });
      } finally {
        // Also if it was stopped: what was found is kept.
        const answer = await session.command({ do: 'twin' });
        if (answer) useTwin.setState({ answer });
      }
    },
  }),
  /** Makes the twin with a cause that was found, by its place. */
  'twin.cause': command<number>({
    title: 'command.twinCauses',
    palette: false,
    available: () => hasTwin() && !working(),
    run: async (cause) => {
      showPanel();
      await session.command({ do: 'reenact', cause });
    },
  }),
  /** Runs what would have prevented an incident of the observed run. */
  'twin.prevent': command<Pick<Incident, 'id' | 'kind' | 'begin'>>({
    title: 'command.twinPrevent',
    palette: false,
    available: () => canReenact() && !working(),
    run: async ({ id, kind, begin }) => {
      usePrevention.setState({ of: id, begin: begin.seq, answer: null });
      const state = useSession.getState();
      // A long run is re-enacted around the incident.
      const [from, to] = isLong(state) ? aroundTime(begin.time, state.run.end?.time ?? begin.time) : [];
      try {
        await session.command({
          ...{ do: 'prevent', incident: kind },
          ...(from !== undefined && to !== undefined && { from, to }),
        });
      } finally {
        // Also if it was stopped: what was found is kept.
        const answer = await session.command({ do: 'prevented' });
        if (usePrevention.getState().of === id) usePrevention.setState({ answer });
      }
    },
  }),
  /** Opens the run with a remedy, by its place, where the incident began. */
  'twin.remedy': command<number>({
    title: 'command.twinPrevent',
    palette: false,
    available: () => canReenact() && !working(),
    run: async (remedy) => {
      showPanel();
      await session.command({ do: 'reenact', remedy });
      await show('twin', { seen: usePrevention.getState().begin });
    },
  }),
  'twin.branch': command({
    title: 'command.twinBranch',
    group: 'ask',
    available: () => inTwin() && (useSession.getState().run.branch ?? 1) > 1,
    run: async () => {
      showPanel();
      const list = await session.command({ do: 'branches' });
      const here = list.find((b) => b.current);
      if (here) await compareBranch(here.id, here.name);
    },
  }),
  /** Goes back from both to the observed run alone. */
  'twin.leave': command({
    title: 'command.simulate',
    palette: false,
    available: hasTwin,
    run: simulate,
  }),
  'twin.save': command({
    title: 'command.twinSave',
    group: 'change',
    available: hasTwin,
    run: () => {
      const { answer } = useTwin.getState();
      if (answer) download(`${answer.scenario.name}.yaml`, new Blob([answer.scenario.text], { type: 'text/yaml' }));
    },
  }),
  /** A link is to a moment of a simulation, which the twin is. */
  'twin.share': command({
    title: 'command.twinShare',
    group: 'change',
    available: hasTwin,
    run: async () => {
      await show('twin');
      runCommand('link.copy');
    },
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof twinCommands> {}
}
