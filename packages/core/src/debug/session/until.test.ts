import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { ByteChunks, bytesSource, openRecording, RecordingWriter } from '../../trace/index.js';
import {
  type Command,
  type CommandResult,
  RecordingSession,
  SimulationSession,
  simulationSource,
  type UntilResult,
} from '../index.js';
import { toySource } from '../testing/toy.js';

const never = () => false;

function steered(session: SimulationSession | RecordingSession) {
  /** Answers so far, as they come. */
  const send = (command: Command): CommandResult[] => {
    const answers: CommandResult[] = [];
    session.execute(command, (r) => answers.push(r));
    return answers;
  };
  const now = (command: Command): UntilResult => {
    const [result] = send(command);
    if (!result?.ok) throw new Error(result?.error ?? 'not answered yet');
    return result.value as unknown as UntilResult;
  };
  const frames = (n: number, millis = 20) => {
    for (let i = 0; i < n; i++) session.pump(millis, never);
  };
  return { session, send, now, frames };
}
const simulation = (scenario = 'hello') => steered(new SimulationSession(simulationSource(), { scenario }));
const toy = (scenario = 'toy') => steered(new SimulationSession(toySource(), { scenario }));

function recording() {
  const { session, now } = simulation();
  now({ do: 'until', where: 'time > 4s', pace: 'fast' });
  const out = new ByteChunks();
  const { title, scenario, seed, runtime, node, epochMillis, virtual } = session.info;
  const header = { core: '0', title, scenario, seed, runtime, node, epochMillis, virtual, createdBy: 'test' };
  const writer = new RecordingWriter(out.push, header);
  for (const r of session.store.from(1)) writer.push(r);
  writer.close();
  return steered(new RecordingSession(openRecording(bytesSource(out.join()))));
}

const handler = "kind == 'enter' && fn == 'HandlePodAdditions' && len(args.pods) == 1";
const until = (where: string, more: Partial<Extract<Command, { do: 'until' }>> = {}): Command => ({
  do: 'until',
  where,
  ...more,
});

describe('until', () => {
  it.each([
    ['a simulation', () => simulation()],
    ['a recording', recording],
  ])('stands right after the record in %s, at whatever pace', (_, open) => {
    const fast = open();
    const first = fast.now(until(handler, { pace: 'fast' }));
    expect(first).toMatchObject({ met: true, ended: 'met' });
    expect(fast.session.store.get(first.seq)).toMatchObject({ kind: 'enter', fn: 'HandlePodAdditions' });
    expect(fast.session.runState()).toMatchObject({ seq: first.seq, running: false });

    const slow = open();
    const answers = slow.send(until(handler));
    expect(answers).toEqual([]);
    expect(slow.session.runState().running).toBe(true);
    // The handler runs after one second.
    slow.frames(40);
    expect(answers).toEqual([]);
    expect(slow.session.runState()).toMatchObject({ running: true, time: 0.8 * Second });
    slow.frames(20);
    expect(answers).toEqual([{ ok: true, value: first }]);
    expect(slow.session.runState()).toMatchObject({ seq: first.seq, running: false });
    expect(slow.session.pump(20, never)).toBeNull();
  });

  it('finds the next one, not the one where it stands', () => {
    const { now } = simulation();
    const select = "kind == 'select' && len(cases) == 8";
    const first = now(until(select, { pace: 'fast' }));
    expect(now(until(select, { pace: 'fast' })).seq).toBeGreaterThan(first.seq);
  });

  it('finds what is known already, and goes the same way', () => {
    const { session, now, send } = simulation();
    const first = now(until(handler, { pace: 'fast' }));
    now(until('time > 3s', { pace: 'fast' }));
    send({ do: 'go', to: { seq: 10 } });
    expect(now(until(handler, { pace: 'fast' }))).toEqual(first);
    expect(session.runState().branch).toBe(1);
  });

  it.each(['play', 'fast'] as const)('ends when its time is up, to the microsecond: %s', (pace) => {
    const { session, send, frames } = simulation();
    const answers = send(until('false', { within: 2_345_678, pace }));
    frames(200);
    expect(answers).toMatchObject([{ ok: true, value: { met: false, ended: 'time' } }]);
    expect(session.runState()).toMatchObject({ time: 2_345_678, running: false });
    // The whole time counts from where it stands.
    const again = send(until('false', { within: 1, pace }));
    frames(200);
    expect(again).toHaveLength(1);
    expect(session.runState().time).toBe(2_345_679);
  });

  it('is ended by a pause, by another command that moves, and by what goes elsewhere', () => {
    const others: Command[] = [
      { do: 'pause' },
      { do: 'resume' },
      { do: 'step', unit: 'decision' },
      { do: 'go', to: { seq: 3 } },
      { do: 'restart' },
    ];
    for (const command of others) {
      const { send, frames } = simulation();
      const answers = send(until('false'));
      frames(10);
      expect(answers).toEqual([]);
      send(command);
      if (command.do === 'restart') continue;
      expect(answers).toMatchObject([{ ok: true, value: { met: false, ended: 'paused' } }]);
    }
  });

  it('goes on while somebody does something to the node, and when the speed changes', () => {
    const { session, send, frames } = simulation();
    const answers = send(until("kind == 'input' && verb == 'stopRuntime'"));
    frames(10);
    send({ do: 'speed', speed: { mode: 'time', factor: 2 } });
    frames(10);
    expect(session.runState()).toMatchObject({ running: true, time: 0.6 * Second });
    send({ do: 'act', action: 'stopRuntime' });
    frames(1);
    expect(answers).toMatchObject([{ value: { met: true } }]);
    // With all that it made at once, and no further.
    expect(session.store.get(session.store.last)).toMatchObject({ kind: 'process', process: 'containerd' });
    expect(session.runState()).toMatchObject({ running: false, time: 0.6 * Second });
  });

  it('stops at breakpoints on its way, and at its end where both are met', () => {
    for (const pace of ['play', 'fast'] as const) {
      const { send, frames } = simulation();
      send({ do: 'breakpoints', set: [{ on: 'function', name: 'syncLoop' }] });
      const [stopped, met] = [1, 2].map(() => {
        const answers = send(until(handler, { pace }));
        frames(100);
        return answers[0];
      });
      expect(stopped).toMatchObject({ value: { met: false, ended: 'breakpoint' } });
      expect(met).toMatchObject({ value: { met: true } });
    }
  });

  it('stops where the run ends, and where a choice is asked for', () => {
    for (const pace of ['play', 'fast'] as const) {
      const { send, frames } = toy('panics');
      const answers = send(until('false', { pace }));
      frames(2000);
      expect(answers).toMatchObject([{ value: { met: false, ended: 'end' } }]);

      const asked = toy();
      asked.send({ do: 'ask', select: true });
      const choice = asked.send(until('false', { pace, within: 60 * Second }));
      asked.frames(2000);
      expect(choice).toMatchObject([{ value: { met: false, ended: 'choice' } }]);
      expect(asked.session.runState()).toMatchObject({ running: false, choice: { kind: 'select' } });
      expect(asked.send(until('true'))).toMatchObject([{ ok: false, error: expect.stringContaining('a choice') }]);
    }
  });

  it('is refused with the place in the expression, and nothing moves', () => {
    const { session, send } = simulation();
    send({ do: 'resume' });
    const [result] = send(until("kind == 'enter' && fnn == 3"));
    expect(result).toMatchObject({
      ok: false,
      error: expect.stringMatching(/there is no name "fnn".*did you mean "fn"/),
    });
    expect(session.runState().running).toBe(true);
  });
});
