import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { manyRuns } from '../../conformance/invariants/testing/runs.js';
import type { Seq, TraceRecord } from '../../trace/index.js';
import { RecordStore } from '../base/record-store.js';
import { MOST } from './graph.js';
import { parseQuestion } from './parse.js';
import { flaws, runOf, runText, storeOf } from './testing/runs.js';
import { type Answer, WhyError, type WhyStore } from './types.js';
import { why } from './why.js';
import { whyNot } from './why-not.js';

const runs = ['crash-loop', 'liveness', 'init-and-sidecar', 'static-pod-edited', 'kubelet-restart', 'start-error'];
/** The roots that a chain may end at. */
const roots = new Set(['input', 'timer', 'fact', 'start', 'config', 'fault']);

function checked(store: RecordStore, a: Answer): void {
  expect(flaws(store, a)).toEqual([]);
  expect(a.links.length).toBeLessThanOrEqual(MOST);
  const main = a.links.find((l) => l.seq === a.roots[0]);
  if (a.cutOff === undefined && a.subject > 0) expect(roots).toContain(main?.role);
}

describe('why, for any record', () => {
  it.each(runs)('of %s: goes back to a root, in order, within its bound', (name) => {
    const store = runOf(name);
    // Every third record in turn (SYNCLOOP_RUNS: every one); of kinds that there are very many of, a part.
    for (const r of store.from(1)) {
      if (!manyRuns && r.seq % 3 !== runs.indexOf(name) % 3) continue;
      const many = r.kind === 'log' || r.kind === 'wait' || r.kind === 'select';
      if (many && r.seq % 7 !== 0) continue;
      const a = why(store, { about: 'record', seq: r.seq, detail: r.seq % 5 === 0 ? 'full' : 'brief' });
      expect(a.subject).toBe(r.seq);
      expect(a.cutOff).toBeUndefined();
      checked(store, a);
    }
  });

  it('of a trace that begins anywhere: ends at a root or says that it is cut off', () => {
    const whole = [...runOf('crash-loop').from(1)];
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: whole.length }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        (from, where) => {
          const store = storeOf(whole.slice(from - 1));
          const seq = from + Math.floor((whole.length - from + 1) * where);
          checked(store, why(store, { about: 'record', seq, detail: 'full' }));
          // Neither question may fail for what is not there any more.
          try {
            checked(store, whyNot(store, { about: 'ready', uid: 'crash', at: seq }));
          } catch (e) {
            expect(String(e)).toContain('there is no pod "crash"; no pod is known yet');
          }
        },
      ),
      { numRuns: 30, seed: 4 },
    );
  });

  it('answers about any moment of a pod', () => {
    const store = runOf('init-and-sidecar');
    for (let at = 400; at < store.last; at += 97)
      for (const about of ['pending', 'ready', 'worker'] as const) {
        const a = whyNot(store, { about, uid: 'shop', at });
        checked(store, a);
        expect(a.findings.length).toBeGreaterThan(0);
      }
  });
});

/** Counts the records that are looked at. */
class Counting implements WhyStore {
  looks = 0;
  constructor(private readonly store: RecordStore) {}
  get first(): Seq {
    return this.store.first;
  }
  get last(): Seq {
    return this.store.last;
  }
  get size(): number {
    return this.store.size;
  }
  get state() {
    return this.store.state;
  }
  get(seq: Seq): TraceRecord | undefined {
    this.looks++;
    return this.store.get(seq);
  }
  from(seq: Seq): IterableIterator<TraceRecord> {
    return this.store.from(seq);
  }
  stateAt(seq: Seq) {
    return this.store.stateAt(seq);
  }
}

const busy = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata: {name: busy}
spec:
  seed: 1
  steps:
${[0, 1, 2, 3, 4, 5]
  .map(
    (i) => `    - apply:
        apiVersion: v1
        kind: Pod
        metadata: {name: p${i}}
        spec:
          terminationGracePeriodSeconds: 2
          containers:
            - name: app
              image: localhost/busybox:dev
              command: ["sh", "-c", "touch /tmp/up; sleep 7; rm /tmp/up; sleep 60"]
              livenessProbe: {exec: {command: ["cat", "/tmp/up"]}, periodSeconds: 1, failureThreshold: 2}
`,
  )
  .join('')}    - wait: 3600s
`;

describe('why, of a long run', () => {
  it('looks at no more records than of a short one', () => {
    const store = runText(busy, 300_000_000);
    expect(store.size).toBeGreaterThan(40_000);
    const counting = new Counting(store);
    why(counting, { about: 'record', seq: 1 });
    const most = (ask: () => Answer): number => {
      counting.looks = 0;
      checked(store, ask());
      return counting.looks;
    };
    let worst = 0;
    for (let i = 0; i < 6; i++)
      for (const what of ['restart', 'kill'] as const)
        worst = Math.max(
          worst,
          most(() => why(counting, { about: 'container', uid: `p${i}`, container: 'app', what })),
        );
    for (let seq = store.last; seq > store.last - 9000; seq -= 300)
      worst = Math.max(
        worst,
        most(() => why(counting, { about: 'record', seq })),
      );
    for (const path of ['phase', 'containerStatuses[0].restartCount', 'conditions.Ready'])
      worst = Math.max(
        worst,
        most(() => why(counting, { about: 'field', uid: 'p0', path })),
      );
    worst = Math.max(
      worst,
      most(() => whyNot(counting, { about: 'ready', uid: 'p0' })),
    );
    expect(worst).toBeLessThan(20_000);
  });

  it('forgets what the store has let go', () => {
    const all = [...runOf('crash-loop').from(1)];
    const store = new RecordStore({ capacity: 600, chunk: 100 });
    for (const r of all) {
      store.push(r);
      if (r.seq % 400 === 0) checked(store, why(store, { about: 'record', seq: r.seq, detail: 'full' }));
    }
    const a = why(store, { about: 'field', uid: 'crash', path: 'containerStatuses[0].state' });
    checked(store, a);
    for (const l of a.links) expect(l.seq).toBeGreaterThanOrEqual(store.first);
  });
});

describe('parseQuestion', () => {
  it('takes every question as it is', () => {
    const questions = [
      { about: 'record', seq: 4, at: 9 },
      { about: 'field', uid: 'u', path: 'phase', detail: 'full' },
      { about: 'container', uid: 'u', container: 'app', what: 'restart' },
      { about: 'cri', seq: 7 },
      { about: 'wait', goroutine: 3 },
      { about: 'wait', goroutine: 'syncLoop' },
      { about: 'worker', uid: 'u' },
      { about: 'pending', uid: 'u' },
      { about: 'ready', uid: 'u' },
      { about: 'probe', uid: 'u', container: 'app', probeType: 'startup' },
      { about: 'probe', uid: 'u', container: 'app' },
      { about: 'restart', uid: 'u', container: 'app' },
    ];
    for (const q of questions) {
      expect(parseQuestion(q)).toEqual(q);
      expect(parseQuestion({ ...q, more: 1 })).toEqual(q);
    }
  });

  it('names the place and what would do', () => {
    const cases: [unknown, string][] = [
      [null, 'question: it is null; it must be an object'],
      [[], 'question: it is a list; it must be an object'],
      [{}, 'question.about: it is missing; it must be one of record, field'],
      [{ about: 'toString' }, 'question.about: it is "toString"; it must be one of'],
      [{ about: 'field', uid: 'u' }, 'question.path: it is missing; it must be a text'],
      [{ about: 'record', seq: 0 }, 'question.seq: it is 0; it must be a whole number from 1'],
      [{ about: 'record', seq: '1' }, 'question.seq: it is "1"; it must be a whole number from 1'],
      [
        { about: 'container', uid: 'u', container: 'c', what: 'eat' },
        'question.what: it is "eat"; it must be one of start, restart, kill',
      ],
      [{ about: 'worker', uid: '' }, 'question.uid: it is empty; it must be a text'],
      [{ about: 'worker', uid: 'u', detail: 'all' }, 'question.detail: it is "all"; it must be one of brief, full'],
      [{ about: 'field', uid: 'u', path: '[' }, 'path "[", position 1'],
    ];
    for (const [value, message] of cases) expect(() => parseQuestion(value as never)).toThrow(message);
    const hostile = JSON.parse('{"about":"worker","uid":"u","__proto__":{"polluted":1}}') as never;
    expect(parseQuestion(hostile)).toEqual({ about: 'worker', uid: 'u' });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('takes or refuses anything, and what it takes can be asked', () => {
    const store = runOf('hello');
    const name = fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('hello', 'main', 'app', 'syncLoop') },
      fc.constantFrom('__proto__', 'constructor'),
      fc.string(),
    );
    const question = fc.record(
      {
        about: fc.constantFrom(
          'record',
          'field',
          'container',
          'cri',
          'wait',
          'worker',
          'pending',
          'ready',
          'probe',
          'restart',
          'x',
        ),
        seq: fc.oneof(fc.integer({ min: -2, max: store.last + 2 }), fc.double(), fc.string()),
        at: fc.integer({ min: 300, max: store.last + 2 }),
        uid: name,
        container: name,
        path: fc.oneof(
          fc.constantFrom('phase', 'containerStatuses[0]', 'conditions.Ready', '__proto__.x'),
          fc.string(),
        ),
        what: fc.constantFrom('start', 'restart', 'kill'),
        goroutine: fc.oneof(fc.integer({ min: -1, max: 30 }), name),
        probeType: fc.constantFrom('liveness', 'readiness', 'startup'),
        detail: fc.constantFrom('brief', 'full'),
      },
      { requiredKeys: ['about', 'uid', 'container', 'path', 'what', 'goroutine', 'seq'] },
    );
    let answered = 0;
    fc.assert(
      fc.property(fc.oneof({ weight: 5, arbitrary: question }, fc.jsonValue()), (value) => {
        try {
          const q = parseQuestion(value as never);
          for (const ask of [why, whyNot])
            try {
              checked(store, ask(store, q));
              answered++;
            } catch (e) {
              if (!(e instanceof WhyError)) throw e;
            }
        } catch (e) {
          if (!(e instanceof WhyError)) throw e;
        }
      }),
      { numRuns: 200, seed: 4 },
    );
    expect(answered).toBeGreaterThan(25);
  });
});
