import { RecordStore } from '@syncloop/core/debug';
import { parseQuestion, why, whyNot } from '@syncloop/core/debug/why';
import { findScenario, startScenario } from '@syncloop/core/scenario';
import type { Json, NodeState } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { isMessageKey } from '../../../i18n/index.js';
import type { Selection } from '../../../page/ui-store.js';
import { type Ask, asksOf, conditionOf, containerIn } from './asks.js';

const store = new RecordStore();
startScenario(findScenario('crash-loop'), { sink: (r) => store.push(r) }).run();
const liveness = new RecordStore();
startScenario(findScenario('liveness'), { sink: (r) => liveness.push(r) }).run();

const uid = Object.keys(store.state.pods)[0] as string;
/** The first moment of the run that passes. */
function moment(of: RecordStore, test: (state: NodeState) => boolean): NodeState {
  for (let seq = 1; seq <= of.last; seq += 20) {
    const state = of.stateAt(seq);
    if (test(state)) return state;
  }
  throw new Error('there is no such moment');
}
const ids = (asks: readonly Ask[]) => asks.map((a) => a.id);

describe('asksOf', () => {
  it('asks first why a pod is not running while it is not', () => {
    const state = moment(store, (s) => s.pods[uid]?.phase === 'Pending');
    const asks = asksOf(state, { kind: 'pod', uid }, { newest: 1 });
    expect(asks[0]).toMatchObject({ id: 'pending', not: true, question: { about: 'pending', uid } });
    expect(ids(asks)).toContain('notReady');
  });
  it('asks why it runs when it does, and not why it is not', () => {
    const state = moment(store, (s) => conditionOf(s.pods[uid]?.status ?? null, 'Ready') === 'True');
    const asks = asksOf(state, { kind: 'pod', uid }, { newest: 1 });
    expect(ids(asks)).toEqual(['phase', 'ready', 'worker', 'workerNot', 'newest']);
  });
  it('offers why a container that ended was not started again, of the newest of its name only', () => {
    const ended = moment(store, (s) =>
      Object.values(s.containers).some((c) => c.state === 'exited' && c.attempt === 1),
    );
    const [first, second] = [0, 1].map((n) => Object.values(ended.containers).find((c) => c.attempt === n));
    const asks = asksOf(ended, { kind: 'container', id: second?.id ?? '' }, { newest: 1 });
    expect(ids(asks).slice(0, 3)).toEqual(['ended', 'started', 'restartNot']);
    expect(asks[1]?.question).toEqual({ about: 'container', uid, container: 'app', what: 'restart' });
    const old = asksOf(ended, { kind: 'container', id: first?.id ?? 'gone' }, { newest: 1, started: 40, stopped: 0 });
    expect(old.map((a) => a.question)).toEqual([
      { about: 'record', seq: 40 },
      { about: 'record', seq: 1 },
    ]);
  });
  it('asks of each probe why it did not restart its container', () => {
    const state = moment(liveness, (s) => Object.values(s.pods).some((p) => Object.keys(p.probes).length > 0));
    const pod = Object.values(state.pods).find((p) => Object.keys(p.probes).length > 0);
    const asks = asksOf(state, { kind: 'pod', uid: pod?.uid ?? '' }, { newest: 0 });
    expect(asks.filter((a) => a.question.about === 'probe')[0]).toMatchObject({
      not: true,
      params: { probe: 'liveness' },
    });
    expect(asksOf(state, { kind: 'part', part: 'probes' }, { newest: 0 }).length).toBeGreaterThan(0);
    const record = [...liveness.from(1)].find((r) => r.kind === 'probe');
    expect(asksOf(state, { kind: 'record', seq: record?.seq ?? 0 }, { newest: 0, record })).toHaveLength(2);
  });
  it('asks what a goroutine waits for, and of a worker what it does', () => {
    const state = moment(store, (s) => Object.values(s.goroutines).some((g) => g.uid === uid));
    const worker = Object.values(state.goroutines).find((g) => g.uid === uid);
    expect(ids(asksOf(state, { kind: 'goroutine', id: worker?.id ?? 0 }, { newest: 0 }))).toEqual([
      'wait',
      'worker',
      'workerNot',
    ]);
    expect(asksOf(state, { kind: 'goroutine', id: 9999 }, { newest: 0 })).toEqual([]);
  });

  it('asks only what the engine takes, in words that the page has', () => {
    const all = store.stateAt(store.last);
    for (const [of, state] of [
      [store, moment(store, (s) => s.pods[uid]?.phase === 'Pending')],
      [store, moment(store, (s) => s.pods[uid]?.phase === 'Running')],
      [store, all],
      [liveness, liveness.stateAt(liveness.last)],
    ] as const) {
      const selections: Selection[] = [
        ...Object.keys(state.pods).map((u) => ({ kind: 'pod', uid: u }) as const),
        ...Object.keys(state.containers).map((id) => ({ kind: 'container', id }) as const),
        ...Object.keys(state.sandboxes).map((id) => ({ kind: 'sandbox', id }) as const),
        ...Object.values(state.goroutines).map((g) => ({ kind: 'goroutine', id: g.id }) as const),
        { kind: 'record', seq: 5 },
        { kind: 'part', part: 'loop' },
        { kind: 'channel', name: 'plegCh' },
      ];
      for (const selection of selections) {
        const asks = asksOf(state, selection, { newest: state.seq });
        expect(new Set(ids(asks)).size).toBe(asks.length);
        for (const ask of asks) {
          expect(isMessageKey(ask.key)).toBe(true);
          const question = parseQuestion({ ...ask.question, at: state.seq } as unknown as Json);
          const answer = (ask.not ? whyNot : why)(of, question);
          expect(answer.summary.en, JSON.stringify(question)).not.toBe('');
        }
      }
    }
  });
});

describe('containerIn', () => {
  it('knows a container by its id, or by pod and name', () => {
    const state = moment(store, (s) => Object.values(s.containers).some((c) => c.state === 'running'));
    const c = Object.values(state.containers).find((x) => x.state === 'running');
    expect(containerIn(state, c?.id ?? '')).toBe(c);
    expect(containerIn(state, `${uid}/app`)?.name).toBe('app');
    expect(containerIn(state, 'nobody')).toBeUndefined();
  });
});
