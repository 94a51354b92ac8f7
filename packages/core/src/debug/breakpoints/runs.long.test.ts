import { beforeAll, describe, expect, it } from 'vitest';
import { useParts } from '../../kubelet/parts/index.js';
import { podEvents } from '../../kubelet/pleg/transitions.js';
import { findScenario, startScenario } from '../../scenario/index.js';
import type { NodeState, TraceRecord } from '../../trace/index.js';
import { cloneState, initialState, reduce } from '../../trace/index.js';
import { RecordStore } from '../base/record-store.js';
import {
  BreakpointSet,
  type BreakpointSpec,
  breakpointKinds,
  type Hit,
  parseBreakpoint,
  parseBreakpoints,
  search,
} from './index.js';

const names = ['crash-loop', 'liveness', 'image-missing', 'graceful-delete'] as const;
const runs = new Map<string, TraceRecord[]>();
const stores = new Map<string, RecordStore>();

beforeAll(() => {
  for (const name of names) {
    const records: TraceRecord[] = [];
    const store = new RecordStore({ chunk: 1000 });
    const run = startScenario(findScenario(name), {
      sink: (r) => {
        records.push(r);
        store.push(r);
      },
    });
    run.run();
    runs.set(name, records);
    stores.set(name, store);
  }
});
const recordsOf = (name: string) => runs.get(name) as TraceRecord[];
const storeOf = (name: string) => stores.get(name) as RecordStore;

/** Checks every record right after it was folded in, as a session does. */
function live(records: readonly TraceRecord[], specs: readonly BreakpointSpec[], base?: NodeState): Hit[] {
  const set = new BreakpointSet(base);
  set.set(specs);
  const state = base ? cloneState(base) : initialState();
  const hits: Hit[] = [];
  for (const r of records) {
    reduce(state, r);
    hits.push(...set.check(r, state));
  }
  return hits;
}
/** The records that a breakpoint is met at. */
function met(name: string, json: object): TraceRecord[] {
  const records = recordsOf(name);
  return live(records, [parseBreakpoint(json)]).map((h) => records[h.seq - 1] as TraceRecord);
}

describe('each kind of breakpoint, in a run', () => {
  it('channel', () => {
    const all = met('crash-loop', { on: 'channel', name: 'configCh' });
    expect(new Set(all.map((r) => r.kind))).toEqual(new Set(['send', 'receive']));
    const sends = met('crash-loop', { on: 'channel', name: 'configCh', op: 'send' });
    const receives = met('crash-loop', { on: 'channel', name: 'configCh', op: 'receive' });
    expect(sends.length).toBe(receives.length);
    expect(sends.length + receives.length).toBe(all.length);
    // The items are operations of PodConfig.
    const ops = recordsOf('crash-loop').filter((r) => r.kind === 'pod-config').length;
    expect(sends.length).toBeGreaterThanOrEqual(ops);
    expect(met('crash-loop', { on: 'channel', op: 'close' }).every((r) => r.kind === 'close')).toBe(true);
    expect(met('crash-loop', { on: 'channel', name: 'nope' })).toEqual([]);
    expect(met('crash-loop', { on: 'channel', op: 'receive' }).some((r) => 'discarded' in r)).toBe(false);
  });

  it('select', () => {
    const taken = met('crash-loop', { on: 'select', channel: 'plegCh' });
    expect(taken.length).toBeGreaterThan(2);
    // The record after a taken case is the receive of that goroutine, or was.
    for (const r of taken) expect(r.kind === 'select' && r.chosen >= 0).toBe(true);
    for (const r of met('crash-loop', { on: 'select', several: true }))
      expect(r.kind === 'select' && (r.ready ?? []).length).toBeGreaterThan(1);
    for (const r of met('crash-loop', { on: 'select', several: false }))
      expect(r.kind === 'select' && (r.ready ?? []).length).toBeLessThan(2);
    expect(met('crash-loop', { on: 'select' }).length).toBe(
      recordsOf('crash-loop').filter((r) => r.kind === 'select').length,
    );
  });

  it('config-op', () => {
    expect(met('crash-loop', { on: 'config-op', op: 'ADD', pod: 'crash' })).toMatchObject([
      { kind: 'pod-config', op: 'ADD', source: 'file', pods: [{}] },
    ]);
    expect(met('crash-loop', { on: 'config-op', op: 'REMOVE', source: 'file' }).length).toBe(1);
    expect(met('crash-loop', { on: 'config-op', source: 'api' })).toEqual([]);
  });

  it('pleg-event', () => {
    const died = met('crash-loop', { on: 'pleg-event', type: 'ContainerDied', container: 'app' });
    expect(died.length).toBe(
      recordsOf('crash-loop').filter((r) => r.kind === 'pleg-event' && r.type === 'ContainerDied' && r.name === 'app')
        .length,
    );
    expect(died.length).toBeGreaterThan(2);
  });

  it('handler', () => {
    const records = recordsOf('crash-loop');
    const additions = met('crash-loop', { on: 'handler', name: 'HandlePodAdditions', condition: 'len(args.pods) > 0' });
    expect(additions).toMatchObject([{ kind: 'enter', fn: 'HandlePodAdditions' }]);
    const loop = records.find((r) => r.kind === 'enter' && r.fn === 'syncLoop')?.g;
    for (const r of met('crash-loop', { on: 'handler' })) expect([r.kind, r.g]).toEqual(['enter', loop]);
  });

  it('function', () => {
    const count = (when: string) => met('crash-loop', { on: 'function', name: 'SyncPod', when }).length;
    const starts = recordsOf('crash-loop').filter((r) => r.kind === 'work-start' && r.workType === 'sync').length;
    expect([count('enter'), count('exit'), count('both')]).toEqual([starts, starts, 2 * starts]);
    // Crash loops end a sync with an error.
    const errors = met('crash-loop', { on: 'function', name: 'SyncPod', when: 'error' });
    expect(errors.length).toBeGreaterThan(0);
    for (const r of errors) expect(r.kind === 'exit' && r.error).toContain('CrashLoopBackOff');
    expect(met('crash-loop', { on: 'function', name: 'Handle*' }).length).toBeGreaterThan(3);
  });

  it('worker', () => {
    expect(met('crash-loop', { on: 'worker', state: 'terminating' }).length).toBe(1);
    expect(met('crash-loop', { on: 'worker' }).map((r) => r.kind === 'worker' && r.state)).toEqual([
      'sync',
      'terminating',
      'terminated',
      'finished',
      'removed',
    ]);
  });

  it('step', () => {
    const pulls = met('image-missing', { on: 'step', fn: 'startContainer', step: 1 });
    expect(pulls.length).toBeGreaterThan(1);
    for (const r of pulls) expect(r).toMatchObject({ kind: 'step', fn: 'startContainer', n: 1 });
    const name = (pulls[0] as Extract<TraceRecord, { kind: 'step' }>).name;
    expect(met('image-missing', { on: 'step', fn: 'startContainer', step: name })).toEqual(pulls);
    expect(met('image-missing', { on: 'step', fn: 'startContainer', step: 1, container: 'nope' })).toEqual([]);
    // Steps within the loop's calls, by number or name; of startContainer a number is one of upstream's four.
    const listed = met('crash-loop', { on: 'step', fn: 'HandlePodCleanups', step: 4 });
    expect(listed.length).toBeGreaterThan(0);
    for (const r of listed) expect(r).toMatchObject({ kind: 'call-step', name: 'runtimeCache.GetPods' });
    expect(met('crash-loop', { on: 'step', step: 'runtimeCache.GetPods' })).toEqual(listed);
    const started = met('crash-loop', { on: 'step', fn: 'startContainer', step: 3 });
    expect(started.map((r) => r.kind)).toEqual(['step', 'step', 'step', 'step']);
    expect(met('crash-loop', { on: 'step', step: 'generateContainerConfig' })).toHaveLength(4);
  });

  it('line', () => {
    // A maker in place of an interpreter: each comparison of the PLEG goes through two lines.
    useParts((kernel) => ({
      plegEvents(uid, old, pod) {
        for (const line of [2, 3])
          kernel.emit({
            ...{ kind: 'part-line', part: 'plegEvents', fn: 'computeEvents', file: 'mine.ts', line, column: 1 },
            variables: { known: old !== null },
          });
        return podEvents(uid, old, pod).events;
      },
    }));
    const scenario = { ...findScenario('crash-loop'), parts: { plegEvents: { file: 'mine.ts', source: '' } } };
    const records: TraceRecord[] = [];
    startScenario(scenario, { sink: (r) => void records.push(r) }).run();
    useParts(() => ({}));
    const hits = (json: object) =>
      live(records, [parseBreakpoint({ on: 'line', ...json })]).map(({ seq }) => records[seq - 1]);
    const third = hits({ file: 'mine.ts', line: 3 });
    expect(third.length).toBeGreaterThan(3);
    expect(third).toEqual(records.filter((r) => r.kind === 'part-line' && r.line === 3));
    expect(hits({ line: '3', fn: 'compute*' })).toEqual(third);
    expect(hits({ condition: 'variables.known' }).length).toBeLessThan(hits({}).length);
    expect([hits({ file: 'other.ts' }), hits({ line: 4 }), hits({ fn: 'other' })]).toEqual([[], [], []]);
  });

  it('cri', () => {
    const before = met('crash-loop', { on: 'cri', method: 'StartContainer' });
    const after = met('crash-loop', { on: 'cri', method: 'StartContainer', when: 'after' });
    expect(before.length).toBe(4);
    expect(after.map((r) => r.kind === 'cri-return' && r.call)).toEqual(before.map((r) => r.seq));
    const errors = met('image-missing', { on: 'cri', method: 'PullImage', when: 'error', pod: 'app' });
    expect(errors.length).toBeGreaterThan(0);
    for (const r of errors) expect(r.kind === 'cri-return' && r.error?.code).toBeGreaterThan(0);
    expect(met('crash-loop', { on: 'cri', method: 'St*Container', container: 'app' }).length).toBeGreaterThanOrEqual(4);
    expect(met('crash-loop', { on: 'cri', method: 'CreateContainer', container: 'app' }).length).toBe(4);
    expect(met('crash-loop', { on: 'cri', method: 'CreateContainer', container: 'app', when: 'after' }).length).toBe(4);
    expect(met('crash-loop', { on: 'cri', method: 'StartContainer', pod: 'default/other' })).toEqual([]);
  });

  it('probe', () => {
    const failed = met('liveness', { on: 'probe', type: 'liveness', result: 'failure', stage: 'run' });
    expect(failed.length).toBeGreaterThan(2);
    for (const r of failed) expect(r).toMatchObject({ kind: 'probe', outcome: 'failure' });
    const results = met('liveness', { on: 'probe', type: 'liveness', result: 'failure', stage: 'result' });
    expect(results.length).toBeGreaterThan(0);
    for (const r of results) expect(r).toMatchObject({ kind: 'probe-result', result: 'Failure' });
    expect(met('liveness', { on: 'probe', type: 'liveness', result: 'failure' }).length).toBe(
      failed.length + results.length,
    );
  });

  it('phase: only where it changes', () => {
    expect(
      met('crash-loop', { on: 'phase' })
        .map((r) => r.kind === 'status' && (r.status as { phase?: string }).phase)
        .slice(0, 2),
    ).toEqual(['Pending', 'Running']);
    expect(met('crash-loop', { on: 'phase', value: 'Running' }).length).toBe(1);
    const statuses = recordsOf('crash-loop').filter((r) => r.kind === 'status').length;
    expect(met('crash-loop', { on: 'phase' }).length).toBeLessThan(statuses);
  });

  it('condition: only where it changes', () => {
    const ready = met('crash-loop', { on: 'condition', type: 'Ready' });
    const values = ready.map(
      (r) =>
        (r as unknown as { status: { conditions: { type: string; status: string }[] } }).status.conditions.find(
          (c) => c.type === 'Ready',
        )?.status,
    );
    // A status that was removed is not known any more: what comes then is new.
    const removed = recordsOf('crash-loop').find((r) => r.kind === 'status-removed')?.seq ?? 0;
    ready.forEach((r, i) => {
      const before = ready[i - 1];
      if (before && (before.seq > removed || r.seq < removed)) expect(values[i]).not.toBe(values[i - 1]);
    });
    expect(values.length).toBeGreaterThan(3);
    expect(met('crash-loop', { on: 'condition', type: 'Ready', status: 'True' }).length).toBe(
      values.filter((v) => v === 'True').length,
    );
  });

  it('backoff: where it starts, and exactly where it is over', () => {
    const records = recordsOf('crash-loop');
    const starts = met('crash-loop', { on: 'backoff', of: 'crash-loop', when: 'start' });
    expect(starts.length).toBeGreaterThan(1);
    const untils = starts.map((r) => (r.kind === 'backoff' ? r.until : 0));
    expect(new Set(untils).size).toBe(untils.length);
    const over = met('crash-loop', { on: 'backoff', when: 'expiry', container: 'app' });
    expect(over.length).toBeGreaterThan(1);
    over.forEach((r, i) => {
      const until = untils[i] as number;
      expect(r.time).toBeGreaterThanOrEqual(until);
      expect(records[r.seq - 2]?.time).toBeLessThan(until);
    });
    expect(met('crash-loop', { on: 'backoff' }).length).toBe(starts.length + over.length);
    expect(met('image-missing', { on: 'backoff', of: 'image-pull', when: 'start' }).length).toBeGreaterThan(0);
    // The pod is that of the back-off, whatever the record at that moment is about.
    const texts = live(records, [
      parseBreakpoint({ on: 'backoff', when: 'expiry', pod: 'crash', log: '{pod} {pod.phase} {kind}' }),
    ]);
    expect(texts.map((t) => t.text?.split(' ').slice(0, 2).join(' '))).toEqual(
      over.map(() => 'default/crash-node1 Running'),
    );
    expect(texts.every((t) => !t.pause && t.uid !== '')).toBe(true);
    expect(met('crash-loop', { on: 'backoff', when: 'expiry', pod: 'other' })).toEqual([]);
  });

  it('kube-event', () => {
    const backOff = met('crash-loop', { on: 'kube-event', reason: 'BackOff', type: 'Warning', pod: 'crash-node1' });
    expect(backOff.length).toBeGreaterThan(0);
    expect(met('crash-loop', { on: 'kube-event', reason: 'BackOff', type: 'Normal' })).toEqual([]);
  });

  it('log', () => {
    const adds = met('crash-loop', { on: 'log', message: 'SyncLoop ADD', condition: 'len(kv.pods) > 0' });
    expect(adds.length).toBe(1);
    expect(met('crash-loop', { on: 'log', message: 'SyncLoop *' }).length).toBeGreaterThan(adds.length);
    expect(met('crash-loop', { on: 'log', severity: 'E' }).length).toBe(
      recordsOf('crash-loop').filter((r) => r.kind === 'log' && r.severity === 'E').length,
    );
    expect(met('crash-loop', { on: 'log', message: 'SyncLoop' })).toEqual([]);
  });

  it('decision and wait', () => {
    const restarts = met('crash-loop', { on: 'decision', rule: 'doBackOff', verdict: 'back off' });
    expect(restarts.length).toBeGreaterThan(0);
    const locks = met('crash-loop', { on: 'wait', op: 'select', name: 'configCh', goroutine: '*syncLoop*' });
    const any = met('crash-loop', { on: 'wait', op: 'select', name: 'configCh' });
    expect(any.length).toBeGreaterThan(10);
    expect(locks.length).toBeLessThanOrEqual(any.length);
    for (const r of any) expect(r.kind === 'wait' && r.on.op).toBe('select');
  });

  it('record', () => {
    expect(met('crash-loop', { on: 'record', kind: 'input' }).length).toBe(2);
    expect(met('crash-loop', { on: 'record' }).length).toBe(recordsOf('crash-loop').length);
    expect(met('crash-loop', { on: 'record', condition: 'kind == "input" && verb == "delete"' }).length).toBe(1);
  });
});

describe('counts and logpoints', () => {
  const worker = { on: 'function', name: 'SyncPod' } as const;
  it('stop at the n-th, at every n-th, or once', () => {
    const all = met('crash-loop', worker).map((r) => r.seq);
    const seqs = (more: object) => met('crash-loop', { ...worker, ...more }).map((r) => r.seq);
    expect(all.length).toBeGreaterThan(6);
    expect(seqs({ hitCount: 3 })).toEqual([all[2]]);
    expect(seqs({ hitCount: { every: 3 } })).toEqual(all.filter((_, i) => i % 3 === 2));
    expect(seqs({ once: true })).toEqual([all[0]]);
    expect(seqs({ once: true, hitCount: { every: 2 } })).toEqual([all[1]]);
    expect(seqs({ enabled: false })).toEqual([]);
  });

  it('are told, taken back and kept where a breakpoint is only switched', () => {
    const records = recordsOf('crash-loop');
    const set = new BreakpointSet();
    const specs = parseBreakpoints([
      { ...worker, id: 'a' },
      { on: 'kube-event', id: 'b', once: true },
    ]);
    set.set(specs);
    const state = initialState();
    const half = records.length >> 1;
    for (const r of records.slice(0, half)) {
      reduce(state, r);
      set.check(r, state);
    }
    const [a, b] = set.list();
    expect(a?.hits).toBeGreaterThan(1);
    expect(b).toMatchObject({ hits: 1, done: true });
    const counts = set.counts();
    const middle = cloneState(state);
    const goOn = () => {
      const from = cloneState(middle);
      const hits: Hit[] = [];
      for (const r of records.slice(half)) {
        reduce(from, r);
        hits.push(...set.check(r, from));
      }
      return hits;
    };
    const first = goOn();
    expect(first.length).toBeGreaterThan(0);
    set.moved(middle);
    set.restore(counts);
    expect(goOn()).toEqual(first);
    const before = set.list()[0]?.hits;
    set.set([{ ...(specs[0] as BreakpointSpec), enabled: false }]);
    expect(set.list()).toMatchObject([{ hits: before, enabled: false }]);
    set.set([{ ...(specs[0] as BreakpointSpec), once: true }]);
    expect(set.list()[0]?.hits).toBe(0);
    expect([set.enable('a', false), set.enable('zzz', true)]).toEqual([true, false]);
    expect(set.list()[0]?.enabled).toBe(false);
  });

  it('say where a condition takes too long', () => {
    const records = recordsOf('crash-loop').slice(0, 600);
    const set = new BreakpointSet();
    const deep = `any(state.goroutines, any(state.goroutines, any(state.goroutines, any(state.goroutines, it.id < 0))))`;
    set.set(parseBreakpoints([{ on: 'record', kind: 'worker', condition: deep }]));
    const state = initialState();
    for (const r of records) {
      reduce(state, r);
      expect(set.check(r, state)).toEqual([]);
    }
    expect(set.list()[0]?.exhausted).toBeGreaterThan(0);
  });

  it('share at one record what one condition may do, of which each has enough for an ordinary one', () => {
    const costly = 'all(state.goroutines, all(state.goroutines, it.id >= 0 && it.id >= 0 && it.id >= 0))';
    const records = recordsOf('crash-loop').slice(0, 600);
    const at = (conditions: readonly string[]) => {
      const set = new BreakpointSet();
      set.set(
        parseBreakpoints(conditions.map((condition, i) => ({ on: 'record', kind: 'worker', condition, id: `${i}` }))),
      );
      const state = initialState();
      for (const r of records) {
        reduce(state, r);
        set.check(r, state);
      }
      return set.list().map(({ hits, exhausted }) => ({ hits, exhausted }));
    };
    const [alone] = at([costly]);
    expect(alone?.hits).toBeGreaterThan(0);
    expect(alone?.exhausted).toBe(0);
    const all = at([...Array.from({ length: 40 }, () => costly), 'len(state.goroutines) > 0']);
    expect(all[0]).toEqual(alone);
    expect(all[39]?.exhausted).toBe(alone?.hits);
    expect(all[40]).toEqual(alone);
  });

  it('share what they may do while one goroutine runs, anew for the next', () => {
    const costly = 'all(state.goroutines, all(state.goroutines, it.id >= 0 && it.id >= 0 && it.id >= 0))';
    const records = recordsOf('crash-loop').slice(0, 300);
    const state = initialState();
    for (const r of records) reduce(state, r);
    const set = new BreakpointSet(state);
    set.set([parseBreakpoint({ on: 'record', condition: costly })]);
    const loop = recordsOf('crash-loop').find((r) => r.kind === 'worker') as TraceRecord;
    const hits = (n: number, g: number) => {
      let found = 0;
      for (let i = 0; i < n; i++) found += set.check({ ...loop, g, seq: ++state.seq }, state).length;
      return found;
    };
    const first = hits(1_000, loop.g);
    expect(first).toBeGreaterThan(5);
    expect(first).toBeLessThan(1_000);
    expect(hits(1_000, loop.g)).toBe(0);
    expect(hits(1_000, loop.g + 1)).toBe(first);
  });

  it('write and do not pause', () => {
    const hits = live(recordsOf('crash-loop'), [
      parseBreakpoint({ on: 'phase', log: '{pod} is {pod.phase} at {seconds(time) > 1}' }),
    ]);
    expect(hits[0]).toMatchObject({ pause: false, text: 'default/crash-node1 is Pending at true' });
  });
});

const searched: readonly { readonly on: string; readonly [field: string]: unknown }[] = [
  { on: 'channel', name: 'plegCh' },
  { on: 'select', several: true },
  { on: 'select', channel: '*Ch' },
  { on: 'config-op' },
  { on: 'pleg-event' },
  { on: 'handler' },
  { on: 'function', name: 'Sync*', when: 'both' },
  { on: 'worker' },
  { on: 'step', fn: 'SyncPod' },
  { on: 'cri', when: 'after', container: 'app' },
  { on: 'cri', method: 'List*' },
  { on: 'probe' },
  { on: 'phase' },
  { on: 'condition' },
  { on: 'condition', type: 'Ready', log: '{pod}: {state.counts.records}' },
  { on: 'backoff' },
  { on: 'kube-event', pod: '*' },
  { on: 'log', severity: 'E' },
  { on: 'decision', condition: 'worker.syncs > 1' },
  { on: 'line', line: 3 },
  { on: 'wait', name: 'configCh' },
  { on: 'record', kind: 'cache', log: '{containers}' },
  { on: 'record', condition: 'seq % 97 == 0' },
];

describe('search', () => {
  it('is tried with every kind', () => {
    expect([...new Set(searched.map(({ on }) => on))].sort()).toEqual([...breakpointKinds].sort());
  });
  it.each(names)('finds in %s what a run met, forwards and backwards', (name) => {
    const store = storeOf(name);
    const records = recordsOf(name);
    let total = 0;
    for (const json of searched) {
      const spec = parseBreakpoint(json);
      const hits = live(records, [spec]);
      total += hits.length;
      const limit = 1_000_000;
      expect(search(store, spec, { limit }), JSON.stringify(json)).toEqual(hits);
      expect(search(store, spec, { limit, backwards: true }), JSON.stringify(json)).toEqual([...hits].reverse());
      expect(search(store, spec, { limit: 3 })).toEqual(hits.slice(0, 3));
      expect(search(store, spec, { limit: 1, backwards: true })).toEqual(hits.slice(-1));
    }
    expect(total).toBeGreaterThan(300);
  });

  it('looks only at the part that is asked for, with all that was before it', () => {
    const store = storeOf('crash-loop');
    const records = recordsOf('crash-loop');
    for (const json of searched.filter((s) => !('fn' in s))) {
      const spec = parseBreakpoint(json);
      const hits = live(records, [spec]);
      for (const [from, to] of [
        [1, 1],
        [999, 3001],
        [3500, 3500 + (hits.length % 7)],
        [2345, store.last + 5],
      ] as const) {
        const part = hits.filter((h) => h.seq >= from && h.seq <= to);
        expect(search(store, spec, { from, to, limit: 1e6 }), JSON.stringify(json)).toEqual(part);
        expect(search(store, spec, { from, to, limit: 1e6, backwards: true })).toEqual(part.reverse());
      }
    }
  });

  it('equals a run that is watched from its middle on', () => {
    const store = storeOf('crash-loop');
    const from = 2543;
    const base = store.stateAt(from - 1);
    for (const json of searched)
      for (const more of [{}, { hitCount: 2 }, { hitCount: { every: 5 } }, { once: true }]) {
        const spec = parseBreakpoint({ ...json, ...more });
        const hits = live(recordsOf('crash-loop').slice(from - 1), [spec], base);
        expect(search(store, spec, { from, limit: 1e6 }), JSON.stringify(spec)).toEqual(hits);
      }
  });

  it('counts in its direction', () => {
    const store = storeOf('crash-loop');
    const all = met('crash-loop', { on: 'worker' }).map((r) => r.seq);
    const back = (more: object) =>
      search(store, parseBreakpoint({ on: 'worker', ...more }), { backwards: true }).map((h) => h.seq);
    expect(back({ once: true })).toEqual(all.slice(-1));
    expect(back({ hitCount: 2 })).toEqual([all.at(-2)]);
  });

  it('looks at what is held: a store without its beginning, with a hole, and an empty one', () => {
    const records = recordsOf('crash-loop');
    const spec = parseBreakpoint({ on: 'phase' });
    const late = new RecordStore({ chunk: 500, capacity: 2000 });
    for (const r of records) late.push(r);
    const hits = live(records, [spec]).filter((h) => h.seq >= late.first);
    expect(search(late, spec, { from: 1 })).toEqual(hits);
    const holed = new RecordStore({ chunk: 500 });
    for (const r of records.slice(0, 700)) holed.push(r);
    holed.push({
      seq: 900,
      time: (records[899] as TraceRecord).time,
      g: 0,
      span: 0,
      cause: 0,
      kind: 'gap',
      from: 701,
      to: 900,
    });
    for (const r of records.slice(900)) holed.push(r);
    const whole = search(holed, parseBreakpoint({ on: 'channel', name: 'plegCh' }), { limit: 1e6 });
    for (const from of [690, 701, 800, 900, 901])
      expect(
        search(holed, parseBreakpoint({ on: 'channel', name: 'plegCh' }), { from, limit: 1e6, backwards: true }),
      ).toEqual(whole.filter((h) => h.seq >= from).reverse());
    expect(search(new RecordStore(), spec)).toEqual([]);
    expect(search(late, spec, { limit: 0 })).toEqual([]);
    expect(search(late, spec, { from: 10, to: 5 })).toEqual([]);
  });
});

describe('cost', () => {
  it('without breakpoints a record costs a fraction of a microsecond', () => {
    const records = recordsOf('crash-loop');
    const set = new BreakpointSet();
    const state = storeOf('crash-loop').stateAt(storeOf('crash-loop').last);
    for (const r of records) expect(set.check(r, state).length).toBe(0);
    set.set(parseBreakpoints([{ on: 'probe' }, { on: 'cri', method: 'RunPodSandbox' }]));
    // One shared empty list: nothing is made where nothing is met.
    const empties = new Set(records.filter((r) => r.kind === 'log').map((r) => set.check(r, state)));
    expect(empties.size).toBe(1);
  });
});
