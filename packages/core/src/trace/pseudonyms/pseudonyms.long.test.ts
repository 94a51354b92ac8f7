import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { recordProblem } from '../recording/validate.js';
import type { TraceRecord } from '../records.js';
import { reduce } from '../state/reducer.js';
import { initialState } from '../state/state.js';
import { samples } from '../testing/samples.js';
import { Pseudonyms } from './index.js';
import { commonWords } from './words.js';

/** Names that stand within each other, that are words of the records, and any others. */
const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/);
const name = fc.oneof(
  label,
  fc.constantFrom(...commonWords).filter((word) => /^[a-z0-9]+$/.test(word)),
  fc.constantFrom('web', 'web-1', 'web-1-web', 'app', 'app-web', '1', '10', 'dead', 'a1b2c3d', 'e', 'pod-1', 'node-1'),
);
const names = fc
  .uniqueArray(name, { minLength: 5, maxLength: 5 })
  .map(([namespace, pod, container, node, volume]) => ({ namespace, pod, container, node, volume }) as Names);
interface Names {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly node: string;
  readonly volume: string;
}

/** The samples of all kinds, with a story of these names among them. */
function story({ namespace, pod, container, node, volume }: Names): readonly TraceRecord[] {
  const of = { pod: `${namespace}/${pod}-${node}`, uid: '644e2ec6-9291-4ff1-aae2-fd7559160b81' };
  const bodies = [
    { kind: 'node-status', op: 'registered', node },
    { kind: 'worker', state: 'sync', reason: 'x', ...of },
    { kind: 'step', fn: 'SyncPod', n: 1, name: 'x', container, ...of },
    { kind: 'volume', volume, plugin: 'p', op: 'volume_mount', phase: 'start', ...of },
    {
      kind: 'log',
      severity: 'I',
      v: 0,
      msg: `a ${container} of ${of.pod} on ${node}`,
      kv: { ...of, container },
      file: 'x',
    },
    ...Object.values(samples).flat(),
  ];
  return bodies.map((body, i) => ({ seq: i + 1, time: i, g: 0, span: 0, cause: 0, ...body }) as unknown as TraceRecord);
}

function without(records: readonly TraceRecord[]) {
  const pseudonyms = new Pseudonyms();
  for (const record of records) pseudonyms.look(record);
  return records.map((record) => pseudonyms.record(record));
}

/** The parts of a value that are not texts: kinds of values, keys of fields, numbers. */
const shape = (value: unknown): unknown =>
  typeof value === 'string'
    ? 'text'
    : Array.isArray(value)
      ? value.map(shape)
      : typeof value === 'object' && value !== null
        ? Object.values(value).map(shape)
        : value;

describe('whatever things are called', () => {
  it('records with pseudonyms are records of the same kinds and shapes, and fold into as many things', () => {
    fc.assert(
      fc.property(names, (given) => {
        const before = story(given);
        const after = without(before);
        const [old, now] = [initialState(), initialState()];
        for (const [i, record] of after.entries()) {
          const was = before[i] as TraceRecord;
          expect(recordProblem(record as never)).toBe('');
          expect(Object.keys(record)).toEqual(Object.keys(was));
          expect(shape(record)).toEqual(shape(was));
          for (const key of [
            'kind',
            'op',
            'verb',
            'method',
            'state',
            'phase',
            'type',
            'fn',
            'outcome',
            'workType',
          ] as const)
            expect((record as never)[key]).toEqual((was as never)[key]);
          reduce(old, was);
          reduce(now, record);
        }
        const counts = ({ pods, containers, sandboxes, goroutines, channels, node, counts }: typeof old) =>
          [pods, containers, sandboxes, goroutines, channels, node.conditions]
            .map((map) => Object.keys(map).length)
            .concat(Object.values(counts));
        expect(counts(now)).toEqual(counts(old));
      }),
      { numRuns: 60 },
    );
  });

  it('one name has one pseudonym, and two have two', () => {
    fc.assert(
      fc.property(names, (given) => {
        const before = story(given);
        const after = without(before);
        const pairs = new Map<string, string>();
        for (const [i, record] of after.entries())
          for (const key of ['pod', 'uid', 'node', 'volume'] as const) {
            const was = (before[i] as unknown as Record<string, unknown>)[key];
            const is = (record as unknown as Record<string, unknown>)[key];
            if (typeof was !== 'string' || typeof is !== 'string') continue;
            expect(pairs.get(`${key} ${was}`) ?? is).toBe(is);
            pairs.set(`${key} ${was}`, is);
          }
        const pods = [...pairs].filter(([key]) => key.startsWith('pod '));
        expect(new Set(pods.map(([, is]) => is)).size).toBe(pods.length);
      }),
      { numRuns: 60 },
    );
  });

  it('names that are no words of Kubernetes are nowhere any more', () => {
    const unusual = fc.uniqueArray(fc.stringMatching(/^q[a-z]{3}x[a-z]{3}[0-9]z$/), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(unusual, ([namespace, pod, container, node, volume]) => {
        const given = { namespace, pod, container, node, volume } as Names;
        const text = JSON.stringify(without(story(given)));
        for (const one of Object.values(given)) expect(text).not.toContain(one);
      }),
      { numRuns: 60 },
    );
  });
});
