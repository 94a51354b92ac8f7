import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldAll, type Json, type RecordBody, type TraceRecord } from '../../trace/index.js';
import { Tape } from '../../trace/testing/samples.js';
import { RecordStore } from '../base/record-store.js';
import { BreakpointSet, type Hit, parseBreakpoints, search } from './index.js';

const SECOND = 1_000_000;
const pods = ['a', 'b', 'c'].map((n) => ({ pod: `default/${n}`, uid: `uid-${n}` }));
const pod = fc.constantFrom(...pods);
const body: fc.Arbitrary<RecordBody> = fc.oneof(
  fc
    .tuple(pod, fc.constantFrom('Pending', 'Running', 'Failed'), fc.constantFrom('True', 'False', null))
    .map(([p, phase, ready]) => {
      const conditions: Json = ready === null ? [] : [{ type: 'Ready', status: ready }];
      return { kind: 'status', version: 1, status: { phase, conditions }, ...p } as const;
    }),
  pod.map((p) => ({ kind: 'status-removed', ...p }) as const),
  fc
    .tuple(pod, fc.constantFrom('crash-loop', 'image-pull'), fc.nat(20), fc.boolean())
    .map(
      ([p, of, n, active]) =>
        ({ kind: 'backoff', of, container: 'app', delay: 1, until: n * 20 * SECOND, active, ...p }) as const,
    ),
  fc
    .constantFrom('started', 'stopped', 'killed')
    .map((state) => ({ kind: 'process', process: 'kubelet', state }) as const),
  fc.constant({ kind: 'relist', pods: 0, changed: 0, scope: 'global' } as const),
);
/** Records about three pods over several minutes; the state is swept in them now and then. */
const run = fc.array(fc.tuple(body, fc.nat(40 * SECOND)), { minLength: 5, maxLength: 40 }).map((steps) => {
  const tape = new Tape();
  for (let i = 0; i < 1000; i++) tape.add({ kind: 'sources-ready', source: 'file', all: true });
  for (const [b, dt] of steps) tape.add(b, { time: tape.time + dt });
  return tape.records;
});

describe('what the set remembers', () => {
  it('is a function of the state: watched from any record on, it meets what it meets watched from the start', () => {
    const specs = parseBreakpoints([{ on: 'phase' }, { on: 'condition' }, { on: 'backoff', log: '{uid} {kind}' }]);
    let met = 0;
    fc.assert(
      fc.property(run, fc.nat(), (records, n) => {
        const store = new RecordStore({ chunk: 16 });
        const set = new BreakpointSet();
        set.set(specs);
        const hits: Hit[] = [];
        for (const r of records) {
          store.push(r);
          hits.push(...set.check(r, store.state));
        }
        met += hits.length;
        const from = 995 + (n % (records.length - 995));
        const late = new BreakpointSet(foldAll(records.slice(0, from - 1)));
        late.set(specs);
        const lateHits: Hit[] = [];
        for (const r of records.slice(from - 1)) lateHits.push(...late.check(r, store.stateAt(r.seq)));
        expect(lateHits).toEqual(hits.filter((h) => h.seq >= from));
        for (const spec of specs)
          expect(search(store, spec, { from, backwards: true })).toEqual(
            hits.filter((h) => h.id === spec.id && h.seq >= from).reverse(),
          );
      }),
      { numRuns: 150, seed: 11 },
    );
    expect(met).toBeGreaterThan(500);
  });

  it('a back-off that is told again has started once; one that ends early is not met', () => {
    const tape = new Tape();
    const b = (until: number, active: boolean, time: number) =>
      tape.add(
        {
          kind: 'backoff',
          of: 'crash-loop',
          container: 'app',
          delay: 10,
          until,
          active,
          ...(pods[0] as (typeof pods)[number]),
        },
        { time },
      );
    b(100, true, 10);
    b(100, true, 50);
    tape.add({ kind: 'relist', pods: 0, changed: 0, scope: 'global' }, { time: 99 });
    tape.add({ kind: 'relist', pods: 0, changed: 0, scope: 'global' }, { time: 100 });
    b(100, true, 100);
    b(300, true, 200);
    b(200, false, 250);
    tape.add({ kind: 'relist', pods: 0, changed: 0, scope: 'global' }, { time: 400 });
    b(500, true, 410);
    tape.add({ kind: 'process', process: 'kubelet', state: 'killed' }, { time: 420 });
    tape.add({ kind: 'relist', pods: 0, changed: 0, scope: 'global' }, { time: 600 });
    const seqs = (when: string) => {
      const store = new RecordStore();
      for (const r of tape.records as TraceRecord[]) store.push(r);
      return search(store, parseBreakpoints([{ on: 'backoff', when }])[0] as never).map((h) => h.seq);
    };
    expect(seqs('start')).toEqual([1, 6, 9]);
    expect(seqs('expiry')).toEqual([4]);
  });

  it('a run that jumps without a word has not changed', () => {
    const tape = new Tape();
    const web = pods[0] as (typeof pods)[number];
    tape.add({ kind: 'status', version: 1, status: { phase: 'Pending' }, ...web });
    tape.add({ kind: 'relist', pods: 0, changed: 0, scope: 'global' });
    tape.add({ kind: 'status', version: 2, status: { phase: 'Running' }, ...web });
    tape.add({ kind: 'status', version: 3, status: { phase: 'Failed' }, ...web });
    const set = new BreakpointSet();
    set.set(parseBreakpoints([{ on: 'phase' }]));
    const at = (seq: number) =>
      set.check(tape.records[seq - 1] as TraceRecord, foldAll(tape.records.slice(0, seq))).length;
    expect([at(1), at(3), at(4)]).toEqual([1, 0, 1]);
  });
});
