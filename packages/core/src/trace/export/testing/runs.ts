import { findScenario, startScenario } from '../../../scenario/index.js';
import type { RecordingHeader } from '../../index.js';
import type { TraceRecord } from '../../records.js';

export const header: RecordingHeader = {
  format: 'syncloop-recording',
  version: 2,
  core: '0.1.0',
  title: 'a run',
  scenario: '',
  seed: 1,
  runtime: 'mock runtime',
  node: 'node1',
  epochMillis: Date.UTC(2026, 0, 1),
  virtual: true,
  createdBy: 'test',
};

const made = new Map<string, TraceRecord[]>();

/** Returns the records of a scenario of the library, up to some simulated time. */
export function recordsOf(scenario: string, seconds = 60): TraceRecord[] {
  let records = made.get(scenario);
  if (!records) {
    records = [];
    const into = records;
    startScenario(findScenario(scenario), { seed: 1, sink: (record) => void into.push(record) }).run({
      until: seconds * 1_000_000,
    });
    made.set(scenario, records);
  }
  return records;
}
