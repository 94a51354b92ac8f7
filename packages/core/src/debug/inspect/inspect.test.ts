import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { ExpressionError } from '../../expression/index.js';
import { findScenario, startScenario } from '../../scenario/index.js';
import {
  cloneState,
  foldAll,
  initialState,
  type Json,
  type NodeState,
  reduce,
  type TraceRecord,
} from '../../trace/index.js';
import { RecordStore } from '../base/record-store.js';
import {
  applyChanges,
  type Change,
  diffStates,
  diffValues,
  formatPath,
  getPath,
  hashState,
  hashValue,
  parsePath,
} from './index.js';

const store = new RecordStore({ chunk: 200 });
const records: TraceRecord[] = [];
beforeAll(() => {
  startScenario(findScenario('init-and-sidecar'), {
    sink: (r) => {
      records.push(r);
      store.push(r);
    },
  }).run();
});
const plain = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

describe('paths', () => {
  it('are read as expressions write them, and written so that they are read back', () => {
    for (const [text, path] of [
      ['pods["u-1"].phase', ['pods', 'u-1', 'phase']],
      ['loop.handler', ['loop', 'handler']],
      ['pods["u"].steps[-1].name', ['pods', 'u', 'steps', -1, 'name']],
      ['pods["u"].steps[seq == 12]', ['pods', 'u', 'steps', { key: 'seq', value: 12 }]],
      [
        'pods["u"].status.conditions[type == "Ready"].status',
        ['pods', 'u', 'status', 'conditions', { key: 'type', value: 'Ready' }, 'status'],
      ],
      ['pods["u"].status["a-b"].in2["in"]', ['pods', 'u', 'status', 'a-b', 'in2', 'in']],
    ] as const) {
      expect(parsePath(text)).toEqual(path);
      expect(formatPath(path)).toBe(text);
      expect(parsePath(`state.${text}`)).toEqual(path);
    }
    expect(parsePath('pods.abc.phase')).toEqual(['pods', 'abc', 'phase']);
    expect(parsePath('state["pods"]')).toEqual(['pods']);
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.integer(),
            fc.record({ key: fc.constant('id'), value: fc.oneof(fc.string(), fc.integer({ min: 0 })) }),
          ),
          { maxLength: 8 },
        ),
        (rest) => {
          const path = ['pods', 'u', 'status', ...rest];
          expect(parsePath(formatPath(path))).toEqual(path);
        },
      ),
      { numRuns: 300, seed: 3 },
    );
  });
  it.each([
    ['pods["u"].phse', 'there is no field "phse" here; did you mean "phase"? at 10'],
    ['pod.phase', 'there is no field "pod" here; did you mean "pods"? at 0'],
    ['1 + 2', 'expected a path such as'],
    ['pods[uid]', 'expected "key", a number, or field == value between [ and ] at 5'],
    ['events.reason', 'a list has elements: [0], [-1] or [field == value], not "reason"'],
    ['loop.phase.x', 'a text has no "x"'],
    ['pods[id == 3]', 'a map has keys: ["key"], not [id == ...]'],
    ['', 'expected an expression, but there is none at 0'],
    ['state', 'there is no field "state" here'],
  ])('%s: %s', (text, message) => {
    expect(() => parsePath(text)).toThrow(ExpressionError);
    expect(() => parsePath(text)).toThrow(message);
  });
  it('lead to values, by uid or name, and never to what is inherited', () => {
    const { state } = store;
    const uid = Object.keys(state.pods)[0] as string;
    const { pod } = state.pods[uid] as { pod: string };
    expect(getPath(state, `pods["${uid}"].pod`)).toBe(pod);
    expect(getPath(state, `pods["${pod}"].uid`)).toBe(uid);
    expect(getPath(state, `pods["${pod.split('/')[1]}"].uid`)).toBe(uid);
    expect(getPath(state, 'events[-1].seq')).toBe(state.events.at(-1)?.seq);
    expect(getPath(state, 'pods["__proto__"].phase')).toBeNull();
    expect(getPath(state, 'pods["constructor"]')).toBeNull();
    expect(getPath(state, `pods["${uid}"].status.__proto__`)).toBeNull();
  });
});

describe('diffStates', () => {
  it('of neighbouring states names just what the record did', () => {
    const r = records.find((x) => x.kind === 'status') as Extract<TraceRecord, { kind: 'status' }>;
    const changes = diffStates(store.stateAt(r.seq - 1), store.stateAt(r.seq));
    const paths = changes.map((c) => c.path);
    expect(paths).toEqual(
      expect.arrayContaining([
        `pods["${r.uid}"].phase`,
        `pods["${r.uid}"].status`,
        `pods["${r.uid}"].statusVersion`,
        'seq',
      ]),
    );
    expect(
      paths.every(
        (p) =>
          p.startsWith(`pods["${r.uid}"]`) ||
          ['seq', 'time', 'counts.records'].includes(p) ||
          p.startsWith('goroutines'),
      ),
    ).toBe(true);
    expect(changes.find((c) => c.path.endsWith('.phase'))).toEqual({
      path: `pods["${r.uid}"].phase`,
      kind: 'changed',
      old: '',
      new: 'Pending',
    });
    expect(diffStates(store.state, cloneState(store.state))).toEqual([]);
  });

  it('names elements of lists by their key', () => {
    const of = (a: Json, b: Json) => diffValues(a, b).map((c: Change) => `${c.kind} ${c.path}`);
    expect(of({ images: { x: 1 } }, { images: { y: 1 } })).toEqual(['removed images["x"]', 'added images["y"]']);
    const events = (list: Json) => ({ events: list });
    expect(of(events([{ seq: 1, x: 1 }, { seq: 2 }]), events([{ seq: 2, x: 3 }, { seq: 3 }]))).toEqual([
      'removed events[seq == 1]',
      'added events[seq == 2].x',
      'added events[seq == 3]',
    ]);
    // Order that additions at the end do not explain: the list as a whole.
    expect(of(events([{ seq: 1 }, { seq: 2 }]), events([{ seq: 2 }, { seq: 1 }]))).toEqual(['changed events']);
    expect(of(events([1, 2]), events([1, 3]))).toEqual(['changed events']);
    expect(of(events([{ seq: 1 }, { seq: 1 }]), events([{ seq: 1 }]))).toEqual(['changed events']);
    expect(of({ loop: { phase: 'off' } }, { loop: { phase: null } })).toEqual(['changed loop.phase']);
    expect(of({ a: undefined } as never, {})).toEqual([]);
  });

  it('applied to the one gives the other: any two moments of a run', () => {
    let changes = 0;
    fc.assert(
      fc.property(fc.nat(), fc.nat(), (i, j) => {
        const a = store.stateAt(i % (store.last + 1));
        const b = store.stateAt(j % (store.last + 1));
        const before = plain(a);
        const list = diffStates(a, b);
        changes += list.length;
        const made = applyChanges(a, list);
        expect(plain(made)).toEqual(plain(b));
        expect(hashState(made)).toBe(hashState(b));
        expect(plain(a)).toEqual(before);
        // The changes as they would come over a wire.
        expect(plain(applyChanges(a, plain(list) as unknown as Change[]))).toEqual(plain(b));
      }),
      { numRuns: 60, seed: 9 },
    );
    expect(changes).toBeGreaterThan(1000);
  });

  it('applied to the one gives the other: any values in the places that have no shape', () => {
    const json = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;
    const keyed = fc.array(fc.record({ id: fc.nat(5), v: json }), { maxLength: 5 }) as fc.Arbitrary<Json>;
    const value = fc.oneof(
      json,
      keyed,
      fc.dictionary(
        fc.constantFrom('__proto__', 'constructor', 'a', 'b-c', ''),
        fc.oneof(json, keyed),
      ) as fc.Arbitrary<Json>,
    );
    fc.assert(
      fc.property(value, value, (x, y) => {
        const node = (status: Json): NodeState => {
          const state = initialState();
          state.loop.handlerArgs = status;
          return state;
        };
        const a = node(x);
        const b = node(y);
        const list = diffStates(a, b);
        expect(JSON.stringify(sorted(applyChanges(a, list) as unknown as Json))).toBe(
          JSON.stringify(sorted(b as unknown as Json)),
        );
        expect(hashState(applyChanges(a, list))).toBe(hashState(b));
        expect(list.length === 0).toBe(hashState(a) === hashState(b));
      }),
      { numRuns: 500, seed: 10 },
    );
    expect(({} as { a?: unknown }).a).toBeUndefined();
  });

  it('a change that does not fit is refused', () => {
    const state = initialState();
    expect(() => applyChanges(state, [{ path: 'pods["x"].phase', kind: 'changed', new: 'a' }])).toThrow(
      'there is nothing at pods["x"].phase',
    );
    expect(() => applyChanges(state, [{ path: 'events[seq == 3]', kind: 'removed' }])).toThrow(RangeError);
    expect(() => applyChanges(state, [{ path: 'a b', kind: 'removed' }])).toThrow(ExpressionError);
  });
});

/** Keys in order, so that equal values are equal text; `__proto__` is kept as a key. */
function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const out = Object.create(null) as { [key: string]: Json };
  const map = value as { readonly [key: string]: Json };
  for (const key of Object.keys(map).sort()) if (map[key] !== undefined) out[key] = sorted(map[key] as Json);
  return out;
}

describe('hashState', () => {
  it('does not look at the order of keys, missing fields that are undefined, or prototypes', () => {
    const state = store.stateAt(1500);
    const again = JSON.parse(JSON.stringify(state)) as NodeState;
    expect(hashState(again)).toBe(hashState(state));
    expect(hashState(foldAll(records.slice(0, 1500)))).toBe(hashState(state));
    const turned = Object.fromEntries(Object.entries(again).reverse()) as unknown as NodeState;
    turned.pods = Object.fromEntries(Object.entries(again.pods).reverse());
    expect(hashState(turned)).toBe(hashState(state));
    expect(hashValue({ a: 1, b: undefined } as never)).toBe(hashValue({ a: 1 }));
    expect(hashState(state)).toMatch(/^[0-9a-f]{16}$/);
  });

  it('tells all states of a run apart, and any two values that differ', () => {
    const seen = new Set<string>();
    const state = initialState();
    for (const r of records.slice(0, 2000)) {
      reduce(state, r);
      seen.add(hashState(state));
    }
    expect(seen.size).toBe(2000);
    const hashes = new Map<string, string>();
    const add = (value: Json) => {
      const text = JSON.stringify(sorted(value));
      const hash = hashValue(value);
      expect(hashes.get(hash) ?? text).toBe(text);
      hashes.set(hash, text);
    };
    for (const v of [
      null,
      true,
      false,
      0,
      1,
      -1,
      '',
      '0',
      'null',
      [],
      {},
      [null],
      [[]],
      [[], []],
      { a: null },
      { a: [] },
      [0, 1],
      [1, 0],
      ['ab'],
      ['a', 'b'],
      { a: { b: 1 } },
      { b: { a: 1 } },
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ])
      add(v as Json);
    for (let i = 0; i < 20_000; i++) add({ n: i });
    for (let i = 0; i < 20_000; i++) add([i, 'x']);
    fc.assert(fc.property(fc.jsonValue() as fc.Arbitrary<Json>, add), { numRuns: 2000, seed: 12 });
    expect(hashValue(-0)).toBe(hashValue(0));
  });

  it('does not overflow on what is absurdly deep', () => {
    let deep: Json = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(hashValue(deep)).toMatch(/^[0-9a-f]{16}$/);
    expect(diffValues({ events: deep }, { events: [deep] }).length).toBeGreaterThan(0);
  });
});
