import type { GoTarget, Command as SessionCommand, Speed, StepUnit } from '@syncloop/core/debug';
import { command } from '../../commands/types.js';
import type { MessageKey } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { showsRecording, useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { knownEnd, type MenuStep, type Subject, stepCommand, subjectOf } from './logic/stepping.js';
import { SPEEDS, speedIndex } from './speeds.js';
import { isGoing, setLimited, useTransport } from './transport-store.js';

const ready = () => useSession.getState().phase === 'ready';
const can = (what: 'control' | 'speed' | 'choose' | 'scenarios' | 'rewind') =>
  ready() && (useSession.getState().info?.capabilities[what] ?? false);
const send = async (c: SessionCommand) => {
  await session.command(c);
};
const running = () => useSession.getState().run.running;
const canStep = () =>
  can('control') && useSession.getState().run.stopped === '' && useSession.getState().run.choice === null;

/** Returns whether the session can go back: only one that keeps its records can. */
const canGoBack = (count: 'steps' | 'iterations' | 'seq' = 'seq') =>
  can('control') && can('rewind') && useSession.getState().run[count] > 0;

/** Returns why it cannot go back, or on; null if there is no sensible reason. */
const backHint = (): MessageKey | null =>
  !ready() ? null : can('rewind') ? 'blocked.atStart' : can('control') ? 'blocked.liveBack' : 'blocked.lookOn';
const aheadHint = (): MessageKey | null => {
  if (!ready()) return null;
  const { run } = useSession.getState();
  return !can('control')
    ? 'blocked.lookOn'
    : run.choice !== null
      ? 'blocked.choose'
      : run.stopped
        ? 'blocked.ended'
        : null;
};

/** Longer moves show that they go on, and can be paused. */
const NOTICED_MILLIS = 150;
let under = 0;
/** A command that is answered when the session has got there. */
async function go(c: SessionCommand): Promise<void> {
  under++;
  const timer = setTimeout(() => useTransport.setState({ going: true }), NOTICED_MILLIS);
  try {
    await send(c);
  } finally {
    clearTimeout(timer);
    if (--under === 0 && useTransport.getState().going) useTransport.setState({ going: false });
  }
}

/** Returns the selection as far as steps can be limited to it. */
export function stepSubject(): Subject | null {
  const { selection } = useUI.getState();
  return subjectOf(trace.state, selection, selection?.kind === 'record' ? trace.records.get(selection.seq) : undefined);
}
const limit = () => (useTransport.getState().limited ? stepSubject() : null);
const step = (unit: StepUnit, back = false, subject: Subject | null = null) => go(stepCommand(unit, back, subject));

async function shiftSpeed(by: number): Promise<void> {
  const next = SPEEDS[speedIndex(useSession.getState().run.speed) + by];
  if (next) await send({ do: 'speed', speed: next });
}

/** Only runs with a learner's code have such lines. */
const isCodeOpen = () => useUI.getState().bottom === 'code';

/** Makes a step of the menu, in each direction; limited to the selection if that is set. */
const ahead = (unit: MenuStep) =>
  command({ title: `command.step.${unit}`, group: 'run', available: canStep, run: () => step(unit, false, limit()) });
const back = (unit: MenuStep) =>
  command({
    title: `command.back.${unit}`,
    group: 'run',
    available: () => canGoBack(),
    run: () => step(unit, true, limit()),
  });

const openMenu = (menu: 'steps' | 'go') => () =>
  useTransport.setState((s) => ({ menu: s.menu === menu ? null : menu }));

export const transportCommands = {
  'transport.toggle': command({
    title: 'command.toggle',
    keys: ['Space'],
    group: 'run',
    fits: () => 0.3,
    available: () => can('control') && (running() || isGoing() || useSession.getState().run.stopped === ''),
    run: () => send({ do: running() || isGoing() ? 'pause' : 'resume' }),
  }),
  'transport.stepMilestone': command({
    title: 'command.stepMilestone',
    keys: ['ArrowRight'],
    group: 'run',
    available: canStep,
    hint: aheadHint,
    run: () => step('milestone'),
  }),
  'transport.stepIteration': command({
    title: 'command.stepIteration',
    keys: ['Shift+ArrowRight'],
    group: 'run',
    available: canStep,
    hint: aheadHint,
    run: () => step('iteration'),
  }),
  'transport.backMilestone': command({
    title: 'command.backMilestone',
    keys: ['ArrowLeft'],
    group: 'run',
    available: () => canGoBack('steps'),
    hint: backHint,
    run: () => step('milestone', true),
  }),
  'transport.backIteration': command({
    title: 'command.backIteration',
    keys: ['Shift+ArrowLeft'],
    group: 'run',
    available: () => canGoBack('iterations'),
    hint: backHint,
    run: () => step('iteration', true),
  }),
  'transport.stepDecision': command({
    title: 'command.stepDecision',
    keys: ['Alt+ArrowRight'],
    group: 'run',
    available: canStep,
    hint: aheadHint,
    run: () => step('decision'),
  }),
  'transport.backDecision': command({
    title: 'command.backDecision',
    keys: ['Alt+ArrowLeft'],
    group: 'run',
    available: () => canGoBack('steps'),
    hint: backHint,
    run: () => step('decision', true),
  }),
  'transport.nextStatus': command({
    title: 'command.nextStatus',
    group: 'run',
    available: canStep,
    fits: () => (stepSubject() ? 0.6 : 0),
    run: () => step('status', false, stepSubject()),
  }),
  'transport.previousStatus': command({
    title: 'command.previousStatus',
    group: 'run',
    available: () => canGoBack(),
    fits: () => (stepSubject() ? 0.7 : 0),
    run: () => step('status', true, stepSubject()),
  }),
  'step.into': ahead('into'),
  'step.over': ahead('over'),
  'step.out': ahead('out'),
  'step.channel': ahead('channel'),
  'step.dispatch': ahead('dispatch'),
  'step.cri': ahead('cri'),
  'step.status': ahead('status'),
  'step.record': ahead('record'),
  'step.line': command({
    title: 'command.step.line',
    keys: ['Alt+ArrowDown'],
    available: () => canStep() && isCodeOpen(),
    run: () => step('line'),
  }),
  'back.into': back('into'),
  'back.over': back('over'),
  'back.out': back('out'),
  'back.channel': back('channel'),
  'back.dispatch': back('dispatch'),
  'back.cri': back('cri'),
  'back.status': back('status'),
  'back.record': back('record'),
  'back.line': command({
    title: 'command.back.line',
    keys: ['Alt+ArrowUp'],
    available: () => canGoBack() && isCodeOpen(),
    run: () => step('line', true),
  }),
  'transport.limit': command({
    title: 'command.stepsLimit',
    group: 'run',
    available: () => can('control'),
    run: () => setLimited(!useTransport.getState().limited),
  }),
  'transport.steps': command({
    title: 'command.otherSteps',
    keys: ['.'],
    group: 'run',
    available: () => can('control'),
    run: openMenu('steps'),
  }),
  'transport.goTo': command({
    title: 'command.goTo',
    keys: ['J'],
    group: 'run',
    available: () => can('control') && can('rewind'),
    hint: backHint,
    fits: () => (showsRecording() ? 0.9 : knownEnd(useSession.getState().run) ? 0.5 : 0.2),
    run: openMenu('go'),
  }),
  'transport.go': command<GoTarget>({
    title: 'command.goTo',
    palette: false,
    available: () => can('control') && can('rewind'),
    run: (to) => go({ do: 'go', to }),
  }),
  'transport.toEnd': command({
    title: 'command.toEnd',
    keys: ['End'],
    group: 'run',
    available: () => can('rewind') && knownEnd(useSession.getState().run) !== null,
    fits: () => 0.4,
    run: async () => {
      const end = knownEnd(useSession.getState().run);
      if (end) await go({ do: 'go', to: { step: end.step } });
    },
  }),
  'transport.restart': command({
    title: 'command.restart',
    group: 'run',
    available: () => can('scenarios'),
    hint: () => (showsRecording() ? 'blocked.recorded' : null),
    run: () => send({ do: 'restart' }),
  }),
  'transport.slower': command({
    title: 'command.slower',
    keys: ['['],
    group: 'run',
    available: () => can('speed'),
    run: () => shiftSpeed(-1),
  }),
  'transport.faster': command({
    title: 'command.faster',
    keys: [']'],
    group: 'run',
    available: () => can('speed'),
    run: () => shiftSpeed(1),
  }),
  'transport.setSpeed': command<Speed>({
    title: 'command.setSpeed',
    palette: false,
    available: () => can('speed'),
    run: (speed) => send({ do: 'speed', speed }),
  }),
  'transport.ask': command({
    title: 'command.ask',
    group: 'run',
    available: () => can('choose'),
    run: async () => {
      const asking = !useSession.getState().asking;
      await send({ do: 'ask', select: asking });
      useSession.setState({ asking });
    },
  }),
  'transport.choose': command<number>({
    title: 'command.choose',
    palette: false,
    available: () => can('choose') && useSession.getState().run.choice !== null,
    run: (index) => send({ do: 'choose', index }),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof transportCommands> {}
}
