import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { atOnce, type Command, LeanSimulationSession, sessionTools, simulationSource } from '@syncloop/core/debug';
import type { Json, TraceRecord } from '@syncloop/core/trace';
import { unknownVersion } from '@syncloop/core/version';
import { describe, expect, it } from 'vitest';
import type { OpenSource } from '../../index.js';
import { All, ObservedSession } from '../../session/index.js';
import type { Decision, Verdict } from '../base/types.js';
import { withText } from '../make/index.js';
import type { CounterpartAnswer, TwinAnswer } from './answers.js';
import type { TwinTools } from './tools.js';
import { TwinSession } from './twin-session.js';

const bytes = gunzipSync(
  readFileSync(new URL('../../../../core/testdata/attach/v1.36-v4/crash-loop/kubelet.v4.log.gz', import.meta.url)),
);
const log: OpenSource = {
  id: 'log',
  kind: 'log',
  name: 'kubelet.log',
  format: 'log',
  context: { notAfter: Date.UTC(2026, 10, 23), startedMillis: null },
};
const TEXT = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: { name: twin }
spec:
  seed: 7
  steps:
    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: crash }
        spec:
          containers:
            - { name: app, image: "localhost/busybox:dev", imagePullPolicy: Never, command: [sh, -c, "sleep 1; exit 1"] }
`;

const none = { config: 'none', call: 'none', sync: 'none', kill: 'none' } as const;
const zero = { compared: 0, same: 0 };
/** The PLEG's events are all that is compared here, by how many there were. */
function decisionsOf(records: readonly TraceRecord[]): Decision[] {
  return records.flatMap((r) =>
    r.kind === 'pleg-event'
      ? [{ kind: 'pleg' as const, seq: r.seq, time: r.time, pod: '', incarnation: 0, what: 'event' }]
      : [],
  );
}
function compare(seen: readonly TraceRecord[], twin: readonly TraceRecord[]): Verdict {
  const [a, b] = [decisionsOf(seen), decisionsOf(twin)];
  const pairs = a.flatMap((d, i) => (b[i] ? [{ seen: d.seq, twin: (b[i] as Decision).seq }] : []));
  const text = { en: `${pairs.length} of ${a.length}`, zh: '' };
  const kinds = { config: zero, call: zero, sync: zero, kill: zero, restart: zero, status: zero, event: zero };
  return {
    kinds: { ...kinds, pleg: { compared: a.length, same: pairs.length } },
    compared: a.length,
    same: pairs.length,
    differences: [],
    tolerances: [],
    notCompared: [],
    pairs,
    text,
  };
}
const source = simulationSource();
const tools: TwinTools = {
  part: () => new All(),
  make: (_seen, _facts, { cut } = {}) => ({
    ...(cut && { cut }),
    ...{ name: 'twin', text: TEXT, assumptions: [], left: [], seenFrom: 0, until: 40_000_000 },
    ...{ kubelet: unknownVersion, era: 'v1.36' },
  }),
  withText,
  decisionsOf,
  coverageOf: () => ({ ...none, pleg: 'whole', restart: 'none', status: 'none', event: 'none' }),
  compare,
  simulate: ({ name, text }, id) => new LeanSimulationSession(source, { scenario: name, text, id }, sessionTools),
  *search(_seen, _scenario, _facts, tries = 3) {
    for (let done = 1; done <= tries; done++) yield { done, of: tries };
    return { chance: { tried: tries, choices: [], text: { en: 'nothing', zh: '' } }, text: null };
  },
  prevent(scenario, { kind = 'probe-liveness', tries = 3 }) {
    const progress = { done: 0, of: tries };
    const text = (n: number) => ({ en: `${kind} ${n}`, zh: `${kind} ${n}` });
    return {
      progress,
      work: (function* () {
        while (progress.done < tries) {
          progress.done++;
          yield undefined;
        }
      })(),
      found(ended) {
        const nths = Array.from({ length: progress.done }, (_, i) => i + 1);
        return {
          answer: {
            ...{ incident: text(0), runs: progress.done, ended, unknown: [] },
            tried: nths.map((n) => ({ effect: 'prevents', text: text(n) })),
          },
          scenarios: nths.map((n) => ({ ...scenario, text: TEXT.replace('name: twin', `name: twin-${n}`) })),
        };
      },
    };
  },
  causes(_seen, scenario, _facts, tries = 3) {
    const progress = { done: 0, of: tries };
    const text = (n: number) => ({ en: `cause ${n}`, zh: `原因 ${n}` });
    return {
      progress,
      work: (function* () {
        while (progress.done < tries) {
          progress.done++;
          yield undefined;
        }
      })(),
      found() {
        const nths = Array.from({ length: progress.done }, (_, i) => i + 1);
        return {
          answer: {
            ...{ tried: progress.done, ended: progress.done === tries, summary: text(0), order: text(0) },
            found: nths.map((nth) => ({ ...{ causes: ['x'], text: text(nth), cost: 1, explains: 1, left: 0, nth } })),
          },
          scenarios: nths.map((nth) => ({ ...scenario, text: TEXT.replace('name: twin', `name: twin-${nth}`) })),
        };
      },
    };
  },
};

function opened(load: () => Promise<TwinTools> = async () => tools) {
  const seen = new ObservedSession([log], { id: 'o', total: bytes.length });
  seen.read('log', bytes);
  seen.end('log');
  const session = new TwinSession(seen, load);
  const changes: string[] = [];
  session.listen((change) => changes.push(change));
  return { session, seen, changes };
}
async function ask(session: TwinSession, command: Command): Promise<Json | undefined> {
  let done = false;
  let answer: Json | undefined;
  let wrong = '';
  session.execute(command, (result) => {
    done = true;
    if (result.ok) answer = result.value;
    else wrong = result.error;
  });
  while (!done) {
    // A module that is loaded comes between two slices, by the event loop.
    await new Promise((then) => setImmediate(then));
    session.pump(0, () => true);
  }
  if (wrong !== '') throw new Error(wrong);
  return answer;
}
const made = async (session: TwinSession) => (await ask(session, { do: 'reenact' })) as unknown as TwinAnswer;

describe('a session of an observed run and its twin', () => {
  it('shows the observed run as before until a twin is made, and says meanwhile what it does', async () => {
    const { session, seen, changes } = opened();
    expect(session.info.capabilities).toMatchObject({ observed: true, twin: true, intervene: false });
    expect(session.runState().twin).toEqual({ side: 'seen', made: 0 });
    expect(await ask(session, { do: 'twin' })).toBe(null);
    await expect(ask(session, { do: 'side', side: 'twin' })).rejects.toThrow('re-enact the observed run first');
    const { seq } = seen.runState();
    const doing = new Set<string>();
    session.listen(() => doing.add(session.runState().twin?.doing?.what ?? ''));
    const { verdict, ticks } = await made(session);
    expect([...doing].filter(Boolean)).toEqual(['load', 'read', 'write', 'run', 'hold']);
    expect(verdict.pairs.length).toBeGreaterThan(0);
    expect(ticks.seen.length).toBe(verdict.compared);
    expect(session.runState()).toMatchObject({ seq, twin: { side: 'seen', made: 1 } });
    expect(changes).not.toContain('reset');
  });

  it('goes over to the same decision of the twin, and back to where it was', async () => {
    const { session, seen, changes } = opened();
    const { verdict } = await made(session);
    const pair = verdict.pairs[1] as { seen: number; twin: number };
    await ask(session, { do: 'go', to: { seq: pair.seen } });
    await ask(session, { do: 'side', side: 'twin' });
    expect(changes).toContain('reset');
    expect(session.runState()).toMatchObject({ seq: pair.twin, twin: { side: 'twin' } });
    expect(session.info.capabilities).toMatchObject({ twin: true, intervene: true, choose: true });
    expect(session.info.capabilities.observed).toBeUndefined();
    const counterpart = (await ask(session, { do: 'counterpart' })) as unknown as CounterpartAnswer;
    expect(counterpart).toMatchObject({ side: 'seen', seq: pair.seen });
    expect(counterpart.state.seq).toBe(pair.seen);
    await ask(session, { do: 'side', side: 'seen' });
    expect(session.runState().seq).toBe(pair.seen);
    // Between two decisions it is as long after the last one; going back leads to where it began.
    await ask(session, { do: 'go', to: { seq: pair.seen + 3 } });
    await ask(session, { do: 'side', side: 'twin' });
    await ask(session, { do: 'side', side: 'seen' });
    expect(session.runState().seq).toBe(pair.seen + 3);
    // To a record of the other run at once.
    await ask(session, { do: 'side', side: 'twin', twin: pair.twin + 1 });
    expect(session.runState()).toMatchObject({ seq: pair.twin + 1, twin: { side: 'twin' } });
    // From a line of the log to the decision that rests on it.
    const record = seen.store.get(pair.seen) ?? atOnce(seen.records()).find((r) => r.seq === pair.seen);
    const [line] = record?.basis ?? [];
    await ask(session, { do: 'side', side: 'twin', seen: line ?? 0 });
    expect(session.runState().seq).toBe(pair.twin);
  });

  it('steps, goes back, answers why and branches in the twin, and holds the branch against the real run', async () => {
    const { session } = opened();
    const { verdict } = await made(session);
    const [first] = verdict.pairs;
    await ask(session, { do: 'side', side: 'twin', twin: first?.twin ?? 0 });
    await ask(session, { do: 'step', unit: 'decision' });
    await ask(session, { do: 'step', unit: 'decision', back: true });
    await ask(session, { do: 'delete', file: 'crash.yaml' });
    expect(session.runState().branch).toBe(2);
    const branch = (await ask(session, { do: 'hold' })) as unknown as Verdict;
    const main = (await ask(session, { do: 'hold', branch: 1 })) as unknown as Verdict;
    expect(main.same).toBe(verdict.same);
    // The pod is gone there: its later decisions are missing.
    expect(branch.same).toBeLessThan(main.same);
    // After the begin of the branch, only the clock decides which moment belongs to it.
    await ask(session, { do: 'go', to: { time: 20_000_000 } });
    const counterpart = (await ask(session, { do: 'counterpart' })) as unknown as CounterpartAnswer;
    expect(counterpart.seq).toBeGreaterThan(0);
    // From the start again, all that is known of the twin stays known.
    await ask(session, { do: 'restart' });
    expect(session.runState()).toMatchObject({ steps: 0, branch: 2 });
  });

  it('makes another twin of an edited scenario while the twin is looked at', async () => {
    const { session, changes } = opened();
    await made(session);
    await ask(session, { do: 'side', side: 'twin' });
    const { id } = session.info;
    changes.length = 0;
    const text = TEXT.replace('name: crash ', 'name: other ');
    const answer = (await ask(session, { do: 'reenact', text })) as unknown as TwinAnswer;
    expect(answer).toMatchObject({ made: 2, edited: true, scenario: { text } });
    expect(changes).toContain('reset');
    expect(session.info.id).not.toBe(id);
    await expect(ask(session, { do: 'reenact', text: 'spec: 1' })).rejects.toThrow(/twin\.yaml/);
    expect(session.runState().twin).toEqual({ side: 'twin', made: 2 });
  });

  it('searches for choices with its progress, and can be stopped', async () => {
    const { session } = opened();
    await made(session);
    const answer = (await ask(session, { do: 'chance', tries: 5 })) as unknown as TwinAnswer;
    expect(answer.chance).toMatchObject({ tried: 5, choices: [] });
    let error = '';
    session.execute({ do: 'chance', tries: 1000 }, (result) => {
      if (!result.ok) error = result.error;
    });
    session.pump(0, () => true);
    await ask(session, { do: 'pause' });
    expect(error).toBe('it was stopped before it was done');
    expect(session.runState().twin?.doing).toBeUndefined();
  });

  it('re-enacts a part, keeps it for another text, and compares only decisions of it', async () => {
    const { session } = opened();
    const part = { from: 2_000_000, to: 30_000_000, pods: ['web'] };
    const answer = (await ask(session, { do: 'reenact', ...part })) as unknown as TwinAnswer;
    expect(answer.scenario.cut).toEqual(part);
    for (const [, , time] of answer.ticks.seen) expect(time).toBeGreaterThanOrEqual(part.from);
    const changed = TEXT.replace('name: twin', 'name: changed');
    expect(await ask(session, { do: 'reenact', text: changed })).toMatchObject({ scenario: { cut: part } });
    expect(((await ask(session, { do: 'reenact' })) as unknown as TwinAnswer).scenario.cut).toBeUndefined();
  });

  it('runs what would have prevented an incident, keeps it when it is stopped, and opens one of them', async () => {
    const { session } = opened();
    await expect(ask(session, { do: 'reenact', remedy: 0 })).rejects.toThrow('what would have prevented it first');
    expect(await ask(session, { do: 'prevented' })).toBeNull();
    let error = '';
    session.execute({ do: 'prevent', tries: 1000 }, (result) => {
      if (!result.ok) error = result.error;
    });
    for (let i = 0; i < 100 && session.runState().twin?.doing?.what !== 'prevent'; i++) {
      await Promise.resolve();
      session.pump(0, () => true);
    }
    expect(session.runState().twin).toMatchObject({ made: 0, doing: { what: 'prevent', of: 1000 } });
    await ask(session, { do: 'pause' });
    expect(error).toBe('it was stopped before it was done');
    expect(await ask(session, { do: 'prevented' })).toMatchObject({ ended: false });
    const whole = await ask(session, { do: 'prevent', incident: 'oom', tries: 3 });
    expect(whole).toMatchObject({ ended: true, runs: 3, tried: [{ text: { en: 'oom 1' } }, {}, {}] });
    const opens = (await ask(session, { do: 'reenact', remedy: 1 })) as unknown as TwinAnswer;
    expect(opens).toMatchObject({ made: 1, remedy: 1, edited: true });
    expect(opens.scenario.text).toContain('name: twin-2');
    expect(await ask(session, { do: 'reenact' })).toMatchObject({ made: 2, remedy: null });
  });

  it('searches for causes, keeps what was found when it is stopped, and opens one of them', async () => {
    const { session } = opened();
    await expect(ask(session, { do: 'causes' })).rejects.toThrow('re-enact the observed run first');
    await made(session);
    await expect(ask(session, { do: 'reenact', cause: 0 })).rejects.toThrow('search for causes first');
    let error = '';
    session.execute({ do: 'causes', tries: 1000 }, (result) => {
      if (!result.ok) error = result.error;
    });
    session.pump(0, () => true);
    expect(session.runState().twin?.doing).toMatchObject({ what: 'causes', of: 1000 });
    await ask(session, { do: 'pause' });
    expect(error).toBe('it was stopped before it was done');
    const stopped = (await ask(session, { do: 'twin' })) as unknown as TwinAnswer;
    expect(stopped).toMatchObject({ made: 1, cause: null, causes: { ended: false } });
    const whole = (await ask(session, { do: 'causes', tries: 3 })) as unknown as TwinAnswer;
    expect(whole.causes).toMatchObject({ ended: true, tried: 3 });
    const opens = (await ask(session, { do: 'reenact', cause: 1 })) as unknown as TwinAnswer;
    expect(opens).toMatchObject({ made: 2, cause: 1, edited: true, causes: { tried: 3 } });
    expect(opens.scenario.text).toContain('name: twin-2');
    expect(await ask(session, { do: 'reenact' })).toMatchObject({ made: 3, cause: null, causes: null });
  });

  it('has a bound on what waits', async () => {
    const { session } = opened();
    await made(session);
    const answers: boolean[] = [];
    for (let i = 0; i < 70; i++) session.execute({ do: 'hold' }, (result) => answers.push(result.ok));
    expect(answers).toEqual(Array(6).fill(false));
    await ask(session, { do: 'pause' });
    expect(answers).toHaveLength(70);
  });

  it('is a simulation like any other once another scenario is loaded', async () => {
    const { session } = opened();
    await made(session);
    await ask(session, { do: 'side', side: 'twin' });
    await ask(session, { do: 'load', scenario: 'hello' });
    expect(session.info.capabilities.twin).toBeUndefined();
    expect(session.runState().twin).toBeUndefined();
    await expect(ask(session, { do: 'reenact' })).rejects.toThrow('the observed run is no longer here');
  });

  it('says why there is no twin, and tries again', async () => {
    let fails = true;
    const { session } = opened(async () => {
      if (fails) throw new Error('offline');
      return tools;
    });
    await expect(made(session)).rejects.toThrow('could not be loaded (offline)');
    fails = false;
    expect((await made(session)).made).toBe(1);
  });
});
