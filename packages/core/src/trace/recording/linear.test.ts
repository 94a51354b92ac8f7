/** A recording costs as much as its records, however much the state holds: held by counts. */
import { expect, it, vi } from 'vitest';
import type { TraceRecord } from '../records.js';
import { reduce } from '../state/reducer.js';
import { initialState } from '../state/state.js';
import { RecordingWriter } from './writer.js';

/** Pods that come one after the other, and stay. */
const records = (pods: number): TraceRecord[] =>
  Array.from({ length: pods }, (_, i) => {
    const head = { seq: i + 1, time: i, g: 0, span: 0, cause: 0 };
    const pod = { pod: `ci/job-${i}`, uid: `uid-${i}` };
    return { ...head, kind: 'pod-config', source: 'api', op: 'ADD', pods: [pod] } as TraceRecord;
  });
const INFO = {
  core: '0',
  title: '',
  scenario: '',
  seed: 0,
  runtime: '',
  node: '',
  epochMillis: 0,
  virtual: false,
  createdBy: '',
};

/** Characters of JSON that a writer makes, which are those of records and of whole states. */
function characters(pods: number): number {
  const all = records(pods);
  let count = 0;
  const stringify = JSON.stringify;
  const spy = vi.spyOn(JSON, 'stringify').mockImplementation((...args: Parameters<typeof stringify>) => {
    const text = stringify(...args);
    count += text?.length ?? 0;
    return text;
  });
  try {
    const writer = new RecordingWriter(() => {}, INFO, { block: 64, checkpoint: 64 });
    for (const record of all) writer.push(record);
    writer.close();
  } finally {
    spy.mockRestore();
  }
  return count;
}

it('writes four times as much for four times the pods', () => {
  expect(characters(8000)).toBeLessThan(characters(2000) * 4.8);
});

it('looks through a large state as seldom as it is large', () => {
  const sweeps = (pods: number): number => {
    const state = initialState();
    let looked = 0;
    state.pods = new Proxy(state.pods, {
      ownKeys(target) {
        const keys = Reflect.ownKeys(target);
        looked += keys.length;
        return keys;
      },
    });
    for (const record of records(pods)) reduce(state, record);
    return looked;
  };
  const few = sweeps(10_000);
  expect(few).toBeGreaterThan(10_000);
  expect(sweeps(40_000)).toBeLessThan(few * 6);
});
