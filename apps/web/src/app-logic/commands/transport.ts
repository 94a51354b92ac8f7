import type { Command as SessionCommand, Speed, StepUnit } from '@syncloop/core/debug';
import { useSession } from '../../store/session-store.js';
import { session } from '../session.js';
import { SPEEDS, speedIndex } from '../speeds.js';
import { command } from './types.js';

const ready = () => useSession.getState().phase === 'ready';
const can = (what: 'control' | 'speed' | 'choose' | 'scenarios') =>
  ready() && (useSession.getState().info?.capabilities[what] ?? false);
const send = async (c: SessionCommand) => {
  await session.command(c);
};
const running = () => useSession.getState().run.running;
const canStep = () =>
  can('control') && useSession.getState().run.stopped === '' && useSession.getState().run.choice === null;

/** Going back is running again from the start, so only a session that can do that offers it. */
const canGoBack = (count: 'steps' | 'iterations') =>
  can('control') && useSession.getState().info?.capabilities.rewind === true && useSession.getState().run[count] > 0;

async function step(unit: StepUnit): Promise<void> {
  await send({ do: 'step', unit });
}

async function shiftSpeed(by: number): Promise<void> {
  const next = SPEEDS[speedIndex(useSession.getState().run.speed) + by];
  if (next) await send({ do: 'speed', speed: next });
}

export const transportCommands = {
  'transport.toggle': command({
    title: 'command.toggle',
    keys: ['Space'],
    available: () => can('control') && (running() || useSession.getState().run.stopped === ''),
    run: () => send({ do: running() ? 'pause' : 'resume' }),
  }),
  'transport.stepDecision': command({
    title: 'command.stepDecision',
    keys: ['ArrowRight'],
    available: canStep,
    run: () => step('decision'),
  }),
  'transport.stepIteration': command({
    title: 'command.stepIteration',
    keys: ['Shift+ArrowRight'],
    available: canStep,
    run: () => step('iteration'),
  }),
  'transport.backDecision': command({
    title: 'command.backDecision',
    keys: ['ArrowLeft'],
    available: () => canGoBack('steps'),
    run: () => send({ do: 'rewind', unit: 'decision', to: useSession.getState().run.steps - 1 }),
  }),
  'transport.backIteration': command({
    title: 'command.backIteration',
    keys: ['Shift+ArrowLeft'],
    available: () => canGoBack('iterations'),
    run: () => send({ do: 'rewind', unit: 'iteration', to: useSession.getState().run.iterations - 1 }),
  }),
  'transport.restart': command({
    title: 'command.restart',
    available: () => can('scenarios'),
    run: () => send({ do: 'restart' }),
  }),
  'transport.slower': command({
    title: 'command.slower',
    keys: ['['],
    available: () => can('speed'),
    run: () => shiftSpeed(-1),
  }),
  'transport.faster': command({
    title: 'command.faster',
    keys: [']'],
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
