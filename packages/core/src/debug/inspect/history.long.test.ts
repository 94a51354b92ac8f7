import { beforeAll, describe, expect, it } from 'vitest';
import { findScenario, startScenario } from '../../scenario/index.js';
import { initialState, type Json, type NodeState, reduce, type TraceRecord } from '../../trace/index.js';
import { allSamples, Tape } from '../../trace/testing/samples.js';
import { RecordStore } from '../base/record-store.js';
import { type FieldValue, getPath, historyOf, lastWriter, parsePath } from './index.js';
import { isSwept, touchesOf } from './touches.js';

const runs = new Map<string, TraceRecord[]>();

function samplesTape(): TraceRecord[] {
  const t = new Tape();
  t.add({ kind: 'process', process: 'kubelet', state: 'started' });
  t.add({ kind: 'goroutine-start', id: 1, name: 'main', parent: 0, process: 'kubelet' });
  t.add({ kind: 'chan-make', chan: 1, name: 'configCh', cap: 3 });
  t.add({ kind: 'chan-make', chan: 2, name: 'plegCh', cap: 3 });
  // Each kind after each other's effects, over enough records and time that the state is swept.
  for (let round = 0; t.records.length < 2500; round++)
    for (let i = 0; i < allSamples.length; i++) {
      const body = allSamples[(i * 7 + round) % allSamples.length];
      if (body && body.kind !== 'gap') t.add(body, { g: i % 3, time: t.time + 300_000 });
    }
  return t.records;
}

beforeAll(() => {
  for (const name of ['crash-loop', 'init-and-sidecar']) {
    const records: TraceRecord[] = [];
    startScenario(findScenario(name), { sink: (r) => records.push(r) }).run();
    runs.set(name, records);
  }
  runs.set('samples', samplesTape());
});
const recordsOf = (name: string) => runs.get(name) as TraceRecord[];
function storeOf(name: string, options = {}): RecordStore {
  const store = new RecordStore({ chunk: 300, ...options });
  for (const r of recordsOf(name)) store.push(r);
  return store;
}
const uidIn = (name: string) => recordsOf(name).find((r) => r.kind === 'worker')?.uid as string;

/** The plain way: look after every record. */
function slowly(records: readonly TraceRecord[], path: string): FieldValue[] {
  const state = initialState();
  const at = parsePath(path);
  let text = 'null';
  const out: FieldValue[] = [];
  for (const r of records) {
    reduce(state, r);
    const now = JSON.stringify(getPath(state, at));
    if (now !== text) out.push({ seq: r.seq, time: r.time, value: JSON.parse(now) as Json });
    text = now;
  }
  return out;
}

const paths = (name: string): string[] => {
  const uid = uidIn(name);
  return [
    `pods["${uid}"].phase`,
    `pods["${uid}"].status`,
    `pods["${uid}"].worker`,
    `pods["${uid}"].worker.waitsForNewerThan`,
    `pods["${uid}"].worker.due`,
    `pods["${uid}"].cache.containers[name == "app"].state`,
    `pods["${uid}"].backoffs`,
    `pods["${uid}"].lastSeq`,
    `pods["${uid}"].steps[-1]`,
    `pods["${uid}"].status.conditions[type == "Ready"].status`,
    'loop.handler',
    'loop.phase',
    'loop.chosen',
    'pleg.relists',
    'pleg.transitions',
    'cri.calls',
    'cri.recent[-1].method',
    'runtime.errors',
    'images',
    'events[-1].reason',
    'processes',
    'actual',
    'sources',
    'channels["1"]',
    'goroutines["1"].wait',
    'startedLast',
  ];
};

describe('touches', () => {
  it('knows for every part of the state which records can change it', () => {
    for (const [name, records] of runs) {
      const state = initialState();
      const keys = Object.keys(state) as (keyof NodeState)[];
      const touches = keys.map((key) => touchesOf([key]));
      const before = keys.map((key) => JSON.stringify(state[key]));
      const missed = new Set<string>();
      for (const r of records.slice(0, 2200)) {
        reduce(state, r);
        keys.forEach((key, i) => {
          const now = JSON.stringify(state[key]);
          if (now !== before[i] && !touches[i]?.(r) && !isSwept(state)) missed.add(`${name}: ${r.kind} changes ${key}`);
          before[i] = now;
        });
      }
      expect([...missed]).toEqual([]);
    }
  });
  it('leaves out what is about another pod', () => {
    const touches = touchesOf(['pods', 'uid-a', 'phase']);
    const t = new Tape();
    const status = (pod: string, uid: string) => t.add({ kind: 'status', version: 1, status: {}, pod, uid });
    expect([status('x/a', 'uid-a'), status('x/b', 'uid-b'), status('', 'uid-b')].map(touches)).toEqual([
      true,
      false,
      true,
    ]);
    expect(touches(t.add({ kind: 'send', chan: 1, item: null, len: 0 }))).toBe(false);
    expect(touchesOf(['pods', 'a', 'phase'])(status('x/a-node1', 'uid-b'))).toBe(true);
  });
});

describe('historyOf', () => {
  it('gives what looking after every record gives', () => {
    for (const [name, records] of runs) {
      const store = storeOf(name);
      let total = 0;
      for (const path of paths(name)) {
        const all = slowly(records, path);
        total += all.length;
        const initial = getPath(initialState(), path);
        const found = historyOf(store, path, { limit: 1e6 }).filter((v) => v.seq > 0);
        expect(JSON.parse(JSON.stringify(found)), `${name} ${path}`).toEqual(
          initial === null ? all : all.slice(JSON.stringify(initial) === JSON.stringify(all[0]?.value) ? 1 : 0),
        );
      }
      expect(total).toBeGreaterThan(100);
    }
  });

  it('of a part begins with the value that it had before', () => {
    const store = storeOf('crash-loop');
    const path = `pods["${uidIn('crash-loop')}"].phase`;
    const all = historyOf(store, path);
    expect(all.map((v) => v.value).slice(0, 2)).toEqual(['', 'Pending']);
    const running = all.find((v) => v.value === 'Running') as FieldValue;
    expect(historyOf(store, path, { from: running.seq + 100, to: running.seq + 200 })).toMatchObject([
      { seq: running.seq + 99, value: 'Running' },
    ]);
    expect(historyOf(store, path, { from: running.seq, to: running.seq }).map((v) => v.value)).toEqual([
      'Pending',
      'Running',
    ]);
    expect(historyOf(store, path, { to: running.seq - 1 }).at(-1)?.value).toBe('Pending');
    expect(historyOf(store, path, { from: 50, to: 40 })).toEqual([]);
    expect(historyOf(store, path, { from: store.last + 1 })).toEqual([]);
  });

  it('can be asked for in parts', () => {
    const store = storeOf('crash-loop');
    const path = 'cri.recent[-1].method';
    const all = historyOf(store, path, { limit: 1e6 });
    const parts: FieldValue[] = historyOf(store, path, { limit: 7 });
    for (let n = 0; n < 10_000; n++) {
      const last = parts.at(-1) as FieldValue;
      const next = historyOf(store, path, { from: last.seq + 1, limit: 8 }).slice(1);
      if (next.length === 0) break;
      parts.push(...next);
    }
    expect(all.length).toBeGreaterThan(50);
    expect(parts).toEqual(all);
  });

  it('takes a pod by name, over its lives', () => {
    const store = storeOf('crash-loop');
    const byUid = historyOf(store, `pods["${uidIn('crash-loop')}"].worker.state`);
    expect(historyOf(store, 'pods["crash"].worker.state')).toEqual(byUid);
    expect(historyOf(store, 'state.pods["default/crash-node1"].worker.state')).toEqual(byUid);
    expect(byUid.map((v) => v.value)).toEqual(['sync', 'terminating', 'terminated', 'finished', 'removed']);
  });

  it('looks at what is held', () => {
    const store = storeOf('crash-loop', { capacity: 1200 });
    expect(store.first).toBeGreaterThan(1000);
    const found = historyOf(store, 'cri.calls', { limit: 3 });
    expect(found[0]?.seq).toBe(store.first - 1);
    expect(historyOf(new RecordStore(), 'cri.calls')).toEqual([]);
  });
});

describe('lastWriter', () => {
  it('is the last entry of the history, for any record', () => {
    for (const [name] of runs) {
      const store = storeOf(name);
      for (const path of paths(name)) {
        const history = historyOf(store, path, { limit: 1e6 }).filter((v) => v.seq > 0);
        for (const seq of [1, 299, 300, 301, 777, 1500, store.last]) {
          const expected = history.findLast((v) => v.seq <= seq)?.seq ?? null;
          expect(lastWriter(store, path, seq), `${name} ${path} ${seq}`).toBe(expected);
        }
      }
    }
  });

  it('is null where no record held wrote it', () => {
    const store = storeOf('crash-loop', { capacity: 1200 });
    expect(lastWriter(store, 'startedLast')).toBeNull();
    expect(lastWriter(store, 'pods["nobody"].phase')).toBeNull();
    expect(lastWriter(store, 'time', 5)).toBeNull();
    expect(lastWriter(store, 'seq')).toBe(store.last);
    expect(lastWriter(new RecordStore(), 'time')).toBeNull();
    expect(() => lastWriter(store, 'pds')).toThrow('there is no field "pds" here; did you mean "pods"? at 0');
  });
});
